"""The true means of simulated collections are the observed ones under every model, and switches do what they say."""

import dataclasses
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import rankscope as rs
from rankscope.simulation import fit_collection
from rankscope.simulation.calibration import _nodes_between, _Rule
from rankscope.simulation.copulas import correlations_of
from rankscope.simulation.diagnostics import ks_distance
from rankscope.simulation.logits import logit, scores_of_logits
from rankscope.simulation.tabulated_margins import KNOTS

TOPICS = 100_000


@pytest.fixture(scope="module")
def adhoc6(data):
    return rs.read_scores(data / "urbano2016" / "adhoc6.csv")


@pytest.fixture(scope="module")
def fitted(adhoc6):
    return fit_collection(adhoc6)


@pytest.fixture(scope="module")
def by_margins(adhoc6):
    return fit_collection(adhoc6, model="margins")


def standard_errors_off(model, topics=TOPICS, seed=1):
    """How many standard errors each system's mean is off, on many topics."""
    drawn = model.draw(topics, seed)
    return np.abs(drawn.mean(axis=0) - model.means) / (drawn.std(axis=0) / np.sqrt(topics))


def test_means_are_the_originals(fitted):
    assert standard_errors_off(fitted).max() < 4.0


@pytest.mark.parametrize(
    "options", [{"model": "margins"}, {"normal": True}, {"homoscedastic": True}, {"uncorrelated": True}], ids=str
)
def test_means_are_the_originals_under_every_model(adhoc6, options):
    few = adhoc6.select(systems=adhoc6.systems[::5])
    assert standard_errors_off(fit_collection(few, **options)).max() < 4.0


@pytest.mark.parametrize("measure", ["p10", "rr"])
@pytest.mark.parametrize("model", ["effects", "margins"])
def test_discrete_means_are_the_originals(data, measure, model):
    fitted = fit_collection(rs.read_scores(data / "trec5" / f"adhoc5_{measure}.csv"), model=model)
    sampler: Any = fitted.sampler
    exact = sampler.margins.means(sampler.shifts)
    assert np.abs(exact[fitted.places] - fitted.means).max() < 1e-13
    assert standard_errors_off(fitted, topics=10_000).max() < 4.0


def test_fitted_margins_have_the_original_means_to_the_last_digits(by_margins):
    exact = by_margins.sampler.margins.means(by_margins.sampler.shifts)
    assert np.abs(exact[by_margins.places] - by_margins.means).max() < 1e-13


def test_expected_means_by_finer_rules(fitted):
    """By parts with eight times the nodes; and directly, where corners between nodes cost 1e-6."""
    sampler, quantiles = fitted.sampler, fitted.sampler.margins.quantiles
    z, weights = _nodes_between(np.linspace(-6.5, 6.5, 4 * 1024 + 1), 2)
    finer = _Rule(*np.polynomial.legendre.leggauss(320), z, weights, np.interp(z, KNOTS, quantiles[-1]))
    v, direct = _nodes_between(np.linspace(-6.5, 6.5, 501), 3)
    topic = np.interp(v, KNOTS, quantiles[-1])[:, None]
    for system in range(0, 74, 18):
        place, rho = sampler.locations[system], sampler.copula.factor[system] @ sampler.copula.factor[-1]
        assert finer.mean_score(place, quantiles[system], rho) == pytest.approx(fitted.means[system], abs=1e-8)
        residual = np.interp(rho * v[:, None] + np.sqrt(1.0 - rho * rho) * v, KNOTS, quantiles[system])
        mean = direct @ scores_of_logits(place + topic + residual) @ direct
        assert mean == pytest.approx(fitted.means[system], abs=2e-6)


def test_published_algorithm_drifts_and_its_true_correlations_are_reproduced(data, adhoc6):
    """published-tau.csv.gz, `actual` at 50 topics: locations as published, the mean logits."""
    means = adhoc6.means
    kept = adhoc6.select(
        systems=[s for s, mean in zip(adhoc6.systems, means, strict=True) if mean >= np.quantile(means, 0.25)]
    )
    model = fit_collection(kept)
    sampler: Any = model.sampler
    published = dataclasses.replace(sampler, locations=logit(kept.values).mean(axis=0))
    generator = np.random.default_rng(3)
    drifted, _ = published.draw(generator, TOPICS)
    assert (drifted.mean(axis=0) - kept.means).mean() > 0.004
    draws = np.array([published.draw(generator, 50)[0].mean(axis=0) for _ in range(500)])
    ours = np.asarray(rs.kendall(kept.means, draws))
    theirs = (
        pl.read_csv(data / "urbano2016" / "published-tau.csv.gz")
        .filter((pl.col("collection") == "adhoc6") & (pl.col("n_t") == 50))["actual"]
        .to_numpy()
    )
    error = np.hypot(ours.std() / np.sqrt(len(ours)), theirs.std() / np.sqrt(len(theirs)))
    assert abs(ours.mean() - theirs.mean()) < 4.0 * error


def test_correlations_and_margins_are_kept(adhoc6, fitted, by_margins):
    """KS: two thirds of the 5 % point for 50 topics, on average."""
    original = correlations_of(adhoc6.values)
    pairs = np.triu_indices(74, 1)
    for model, most in ((fitted, 0.08), (by_margins, 0.03)):
        drawn = model.draw(20_000, 5)
        assert np.sqrt(((correlations_of(drawn) - original)[pairs] ** 2).mean()) < most
        assert np.mean([ks_distance(adhoc6.values[:, s], drawn[:, s]) for s in range(74)]) < 0.13


def test_uncorrelated_residuals(adhoc6):
    values = fit_collection(adhoc6, uncorrelated=True, normal=True).draw(20_000, 2)
    pairs = np.triu_indices(74, 1)
    assert np.abs(correlations_of(values - values.mean(axis=1, keepdims=True))[pairs]).mean() < 0.1
    seen = correlations_of(adhoc6.values - adhoc6.values.mean(axis=1, keepdims=True))
    assert np.abs(seen[pairs]).mean() > 0.2
    few = adhoc6.select(systems=adhoc6.systems[:6])
    apart = correlations_of(fit_collection(few, model="margins", uncorrelated=True).draw(20_000, 2))
    assert np.abs(apart[np.triu_indices(6, 1)]).max() < 0.04


def test_homoscedastic_residuals(adhoc6):
    sampler: Any = fit_collection(adhoc6, homoscedastic=True, normal=True).sampler
    deviations = sampler.margins.quantiles[:-1, -1]
    assert deviations == pytest.approx(deviations[0])
    sampler = fit_collection(adhoc6, normal=True).sampler
    different = sampler.margins.quantiles[:-1, -1]
    assert different.max() > 2.0 * different.min()


def test_normal_residuals_and_kernel_ones(adhoc6, fitted):
    values = fit_collection(adhoc6, normal=True).draw(2_000, 0)
    assert values.min() < 0.0
    drawn = fitted.draw(2_000, 0)
    assert drawn.min() >= 0.0
    assert drawn.max() <= 1.0


def test_topics_that_are_not_random_lean_to_one_side(adhoc6):
    few = adhoc6.select(systems=adhoc6.systems[::8])
    leaning, random = fit_collection(few, random_topics=False), fit_collection(few)
    offs = [[abs(model.draw(50, seed).mean() - few.means.mean()) for seed in range(40)] for model in (leaning, random)]
    assert np.mean(offs[0]) > 2.0 * np.mean(offs[1])


@settings(max_examples=20)
@given(
    arrays.arrays(
        np.float64, st.tuples(st.integers(2, 12), st.integers(1, 5)), elements=st.floats(0, 1, allow_subnormal=False)
    ),
    st.sampled_from([{}, {"model": "margins"}, {"normal": True, "discrete": False}, {"discrete": True}]),
)
@example(np.array([[9.2e-267], [0.0]]), {})  # whose squares vanish
def test_any_scores_keep_their_means(values, options):
    model = fit_collection(values, **options)
    drawn = model.draw(4_000, 7)
    assert np.isfinite(drawn).all()
    error = drawn.std(axis=0) / np.sqrt(len(drawn))
    # A rare large score may not be drawn at all, hence the second term.
    assert (np.abs(drawn.mean(axis=0) - model.means) < 5.5 * error + 3e-3).all()
