"""Human scores on some topics, a judge's on more: fast forms against literal ones, and what must hold of them."""

import corrected
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit
from scipy.stats import kendalltau

from oracles_correction import best_linear as literal_best_linear
from oracles_correction import prediction_powered as literal_prediction_powered
from rankscope.inference.correction import (
    best_linear,
    centred,
    components,
    limited,
    prediction_powered,
    predictor,
)


def tables(seed, *, human=6, further=9, systems=5, noise=1.0, slope=1.0):
    generator = np.random.default_rng(seed)
    true = generator.normal(size=systems)
    easy = generator.normal(size=(human + further, 1))
    x = true + easy + generator.normal(size=(human + further, systems))
    y = slope * x + noise * generator.normal(size=x.shape)
    return x[:human], y[:human], y[human:]


@given(st.integers(0, 10_000), st.integers(3, 12), st.integers(2, 12), st.integers(4, 8), st.floats(0.0, 3.0))
def test_both_are_literal(seed, human, further, systems, noise):
    x, y, r = tables(seed, human=human, further=further, systems=systems, noise=noise)
    powered = prediction_powered(x, y, r)
    assert powered.means == pytest.approx(literal_prediction_powered(x.tolist(), y.tolist(), r.tolist()), abs=1e-9)
    means, covariance, freedom = literal_best_linear(x.tolist(), y.tolist(), r.tolist())
    predicted = best_linear(x, y, r)
    assert predicted.means == pytest.approx(means, rel=1e-6, abs=1e-8)
    assert predicted.covariance == pytest.approx(covariance, rel=1e-5, abs=1e-8)
    assert predicted.freedom == pytest.approx(freedom, rel=1e-6)


@given(st.integers(0, 1_000), st.sampled_from([1e-6, 0.01, 100.0, 1e6]), st.floats(-5.0, 5.0))
def test_the_judges_unit_and_level_do_not_matter(seed, unit, level):
    x, y, r = tables(seed)
    for estimate in (prediction_powered, best_linear):
        plain, other = estimate(x, y, r), estimate(x, unit * y + level, unit * r + level)
        assert other.means == pytest.approx(plain.means, abs=1e-6)
        assert other.equivalent == pytest.approx(plain.equivalent, rel=1e-4)


def test_a_constant_judge_leaves_the_human_means():
    x, y, r = tables(1)
    powered = prediction_powered(x, np.zeros_like(y), np.zeros_like(r))
    assert powered.means == pytest.approx(x.mean(axis=0))
    assert powered.weight == 0.0
    assert powered.equivalent == pytest.approx(len(x))
    predicted = best_linear(x, np.zeros_like(y), np.zeros_like(r))
    assert predicted.weights[1:] == (0.0, 0.0)
    assert np.corrcoef(predicted.means, x.mean(axis=0))[0, 1] == pytest.approx(1.0)


def test_constant_human_scores_predict_nothing():
    _, y, r = tables(2)
    x = np.full_like(y, 0.5)
    assert prediction_powered(x, y, r).means == pytest.approx(np.full(5, 0.5))
    assert best_linear(x, y, r).means == pytest.approx(np.zeros(5))


def test_a_judge_that_repeats_people_adds_its_topics():
    """With the judge equal to people, all topics count: the equivalent number is that of both together."""
    x, y, r = tables(3, human=40, further=120, systems=30, noise=0.0)
    assert prediction_powered(x, y, r).equivalent == pytest.approx(160.0, rel=0.1)
    assert best_linear(x, y, r).equivalent == pytest.approx(160.0, rel=0.35)
    assert prediction_powered(x, y, r).means == pytest.approx(np.concatenate([x, r]).mean(axis=0), abs=0.01)


def test_a_judge_of_noise_gets_no_weight():
    x, y, r = tables(4, human=40, further=120, systems=30, noise=50.0, slope=0.0)
    assert abs(prediction_powered(x, y, r).weight) < 0.002
    assert prediction_powered(x, y, r).equivalent == pytest.approx(40.0, rel=0.05)


def halves_of_systems(seed, *, human=9, further=60):
    """Weak systems that the judge knows, and strong ones whose order it makes up."""
    generator = np.random.default_rng(seed)
    weak, strong = np.linspace(-6.0, -3.0, 12), np.linspace(0.0, 1.5, 18)
    true = np.concatenate([weak, strong])
    liked = np.concatenate([weak, generator.permutation(strong)])
    x, y = (means + generator.normal(size=(human + further, len(true))) for means in (true, liked))
    return true, x[:human], y[:human], y[human:]


def test_a_judge_that_knows_the_weak_systems_alone_does_not_order_the_strong_ones():
    """Its means correlate .98 with the truth, by which the variance model alone would believe it."""
    taus = []
    for seed in range(40):
        true, *sides = halves_of_systems(seed)
        x, y, r = map(centred, sides)
        free = predictor(components(x, y, r), len(x), len(r)).weights[0]
        believed = free @ np.array([side.mean(axis=0) for side in (x, y, r)])
        kinds = prediction_powered(*sides).means, believed, best_linear(*sides).means
        taus.append([kendalltau(means, true).statistic for means in kinds])
    corrected_means, believed_means, predicted = np.mean(taus, axis=0)
    assert believed_means < corrected_means - 0.02
    assert predicted >= corrected_means - 0.005


def test_systems_that_seem_alike_are_not_certain():
    """With four noisy topics the variance of true values often comes out as none, and predictions are shrunk to 0."""
    covered = []
    for seed in range(200):
        generator = np.random.default_rng(seed)
        true = generator.normal(0.0, 0.3, 30)
        x = true + generator.normal(size=(4, 30))
        y, r = (generator.normal(size=(topics, 30)) for topics in (4, 40))
        predicted = best_linear(x, y, r)
        half = stdtrit(predicted.freedom, 0.975) * np.sqrt(np.diag(predicted.covariance))
        covered.append(np.mean(np.abs(predicted.means - true + true.mean()) <= half))
    assert np.mean(covered) >= 0.94


@given(st.integers(0, 1_000), st.floats(-1.5, 1.5))
def test_a_limited_prediction_gives_the_judges_means_no_more_weight(seed, most):
    x, y, r = (centred(side) for side in tables(seed, human=5, further=12, systems=8))
    c = components(x, y, r)
    free = predictor(c, 5, 12)
    people, own = free.weights[0, 0], free.weights[0, 1:].sum()
    angle = np.arctan2(own, max(people, 0.0))
    limit = limited(free, c, 5, 12, most).weights[0]
    expected = np.clip(angle, min(most, 0.0), max(most, 0.0))
    assert np.arctan2(limit[1:].sum(), limit[0]) == pytest.approx(expected, abs=1e-6)
    if expected == angle and people > 0.0:
        assert limit == pytest.approx(free.weights[0], abs=1e-8)


def test_the_simulations_run(data):
    cell = corrected.robust("shuffled", 10, 2)
    assert set(cell.tau) == {"human", "judge", "corrected", "predicted"}
    assert all(0.0 <= share <= 1.0 for share in cell.covered.values())


RUNS = 150


@pytest.mark.slow
@pytest.mark.parametrize("human", [10, 50])
@pytest.mark.parametrize("judge", corrected.JUDGES)
def test_intervals_and_rank_sets_cover_and_a_bad_judge_costs_nothing(data, judge, human):
    """Nominal .95 less three Monte-Carlo errors, were each run one observation of 30 systems worth five."""
    cell = corrected.robust(judge, human, RUNS)
    least = 0.95 - 3.0 * (0.95 * 0.05 / (5 * RUNS)) ** 0.5
    # Skewed scores on few topics: corrected means cover as human means do.
    assert all(share >= min(least, cell.covered["human"] - 0.015) for share in cell.covered.values())
    assert cell.error["corrected"] <= 1.02 * cell.error["human"]
    assert cell.error["predicted"] <= cell.error["human"]
    assert cell.tau["predicted"] >= cell.tau["human"] - 0.01
