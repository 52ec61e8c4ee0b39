"""Margins: tables against root finding and scipy, families against scipy's likelihoods, supports kept."""

import sys

import numpy as np
import pytest
from scipy import integrate, optimize, special, stats

import rankscope as rs
from rankscope.simulation import fit_collection
from rankscope.simulation.copulas import GaussianCopula, VineCopula, correlations_of, nearest_correlation
from rankscope.simulation.diagnostics import ks_distance
from rankscope.simulation.margin_families import (
    best_fit,
    fit_beta,
    fit_beta_binomial,
    fit_kernel,
    fit_normal,
    fit_smoothed,
)
from rankscope.simulation.models import has_few_values
from rankscope.simulation.smoothing import kernel_quantiles, plug_in_bandwidth
from rankscope.simulation.tabulated_margins import KNOTS, SmoothMargins, SteppedMargins, shifts_for_means


@pytest.fixture(scope="module")
def sample():
    return np.random.default_rng(0).beta(1.3, 3.0, 60)


def test_bandwidth_of_normal_data_is_the_normal_reference():
    """Polansky & Baker 2000: (4 σ³ / n)^(1/3) for normal data."""
    x = 3.0 * special.ndtri((np.arange(2_000) + 0.5) / 2_000)
    assert plug_in_bandwidth(x) == pytest.approx(3.0 * (4.0 / 2_000) ** (1 / 3), rel=0.03)


def test_kernel_table_against_root_finding(sample):
    h = plug_in_bandwidth(sample)
    table = SmoothMargins(kernel_quantiles(sample, h)[None, :])
    for z in (-3.1, -1.0, 0.2, 1.7, 4.0):
        literal = optimize.brentq(lambda x, z=z: special.ndtr((x - sample) / h).mean() - special.ndtr(z), -9.0, 9.0)
        assert table.at(np.array([[z]]))[0, 0] == pytest.approx(literal, abs=1e-3)


def test_table_means_against_numerical_integration(sample):
    table = SmoothMargins(kernel_quantiles(sample, plug_in_bandwidth(sample))[None, :])
    for shift in (0.0, -0.7):
        z = np.linspace(-9.0, 9.0, 2_000_001)
        literal = integrate.trapezoid(np.interp(z + shift, KNOTS, table.quantiles[0]) * stats.norm.pdf(z), z)
        assert table.means(np.array([shift]))[0] == pytest.approx(literal, abs=1e-11)


def test_shifted_steps_have_the_mean_and_the_support():
    margins = SteppedMargins(np.array([0.0, 0.25, 1.0]), np.array([[0.5, 0.5, 0.0], [0.2, 0.3, 0.5]]))
    wanted = np.array([0.05, 0.9])
    shifts = shifts_for_means(margins, wanted)
    assert margins.means(shifts) == pytest.approx(wanted, abs=1e-14)
    drawn = margins.at(np.random.default_rng(0).standard_normal((50_000, 2)) + shifts)
    assert set(np.unique(drawn[:, 0])) == {0.0, 0.25}
    assert drawn.mean(axis=0) == pytest.approx(wanted, abs=0.01)


def test_beta_of_greatest_likelihood_is_scipys(sample):
    fitted = fit_beta(sample)
    a, b, _, _ = stats.beta.fit(sample, floc=0, fscale=1)
    assert fitted.loglik == pytest.approx(stats.beta.logpdf(sample, a, b).sum(), abs=1e-6)
    assert fitted.shape[512] == pytest.approx(stats.beta.median(a, b), abs=1e-4)


@pytest.mark.parametrize("mirrored", [False, True])
def test_truncated_normal_is_scipys(sample, mirrored):
    x = 1.0 - sample if mirrored else sample
    fitted = fit_normal(x)

    def cost(p):
        return -stats.truncnorm.logpdf(x, -p[0] / p[1], (1 - p[0]) / p[1], p[0], p[1]).sum()

    start = [x.mean(), x.std()]
    result = optimize.minimize(cost, start, method="Nelder-Mead", bounds=[(-2, 3), (0.05, 3)])
    assert fitted.loglik == pytest.approx(-result.fun, abs=1e-3)
    mu, sigma = result.x
    literal = stats.truncnorm.ppf(special.ndtr(KNOTS[::64]), -mu / sigma, (1 - mu) / sigma, mu, sigma)
    assert fitted.shape[::64] == pytest.approx(literal, abs=2e-3)


def test_truncated_kernel_stays_inside_and_counts_its_parameters(sample):
    fitted = fit_kernel(sample)
    assert fitted.shape.min() >= 0.0
    assert fitted.shape.max() <= 1.0
    assert 1.0 < fitted.parameters < 12.0


def test_beta_binomial_is_scipys():
    counts = np.array([9.0, 6, 7, 5, 4, 3, 3, 2, 2, 1, 1])
    fitted = fit_beta_binomial(counts)

    def cost(p):
        return -(counts * stats.betabinom.logpmf(np.arange(11), 10, *np.exp(p))).sum()

    result = optimize.minimize(cost, [0.0, 0.5], method="Nelder-Mead")
    assert fitted.loglik == pytest.approx(-result.fun, abs=1e-6)
    assert fitted.shape == pytest.approx(stats.betabinom.pmf(np.arange(11), 10, *np.exp(result.x)), abs=1e-3)


def test_smoothing_spreads_where_counts_are_few():
    even = fit_smoothed(np.array([3.0, 1, 4, 2, 3, 2, 4, 1]))
    assert even.family == "smoothed frequencies"
    assert even.shape.sum() == pytest.approx(1.0)
    spiky = fit_smoothed(np.array([400.0, 0, 0, 300, 0, 0, 0, 500]))
    assert spiky.family == "frequencies"


def test_the_likeliest_family_is_chosen():
    """The families are recovered from large samples of themselves."""
    u = (np.arange(400) + 0.5) / 400
    beta = stats.beta.ppf(u, 0.7, 2.0)
    normal = stats.truncnorm.ppf(u, -1.0, 4.0, 0.2, 0.2)
    two_humps = np.concatenate([stats.norm.ppf(u, 0.2, 0.03), stats.norm.ppf(u, 0.8, 0.03)])
    chosen = [best_fit(x, "auto", "aic", discrete=False, spaced=False).family for x in (beta, normal, two_humps)]
    assert chosen == ["beta", "truncated normal", "truncated kernel"]


@pytest.mark.parametrize("measure", ["p10", "rr"])
@pytest.mark.parametrize("model", ["effects", "margins"])
def test_discrete_support_is_kept(data, measure, model):
    scores = rs.read_scores(data / "trec5" / f"adhoc5_{measure}.csv")
    assert has_few_values(scores.values)
    assert has_few_values(scores.values[:4, :5]) is (measure == "p10")
    drawn = fit_collection(scores, model=model).draw(2_000, 1)
    assert set(np.unique(drawn)) <= set(np.unique(scores.values))
    if model == "effects":
        assert max(ks_distance(scores.values[:, s], drawn[:, s]) for s in range(61)) < 0.06


def test_continuous_measures_are_seen_as_such_and_may_be_overridden(data):
    scores = rs.read_scores(data / "urbano2016" / "adhoc6.csv")
    assert not has_few_values(scores.values)
    kept = fit_collection(scores.select(systems=scores.systems[:5]), discrete=True).draw(50, 1)
    assert set(np.unique(kept)) <= set(np.unique(scores.values))
    p10 = rs.read_scores(data / "trec5" / "adhoc5_p10.csv")
    given_up = fit_collection(p10, discrete=False).draw(50, 1)
    assert not set(np.unique(given_up)) <= set(np.unique(p10.values))


def test_nearest_correlation_is_one():
    rng = np.random.default_rng(1)
    made = np.clip(correlations_of(rng.random((6, 12))) + 0.4 * rng.standard_normal((12, 12)), -1, 1)
    made = (made + made.T) / 2
    np.fill_diagonal(made, 1.0)
    factor = GaussianCopula.of(made).factor
    assert (factor**2).sum(axis=1) == pytest.approx(1.0)
    nearest = nearest_correlation(made)
    assert factor @ factor.T == pytest.approx(nearest, abs=1e-4)
    clipped = np.linalg.eigh(made)
    clipped = (clipped[1] * np.maximum(clipped[0], 0)) @ clipped[1].T
    scale = np.sqrt(np.diag(clipped))
    assert np.linalg.norm(nearest - made) < np.linalg.norm(clipped / np.outer(scale, scale) - made)


def test_vine_copula(data):
    pytest.importorskip("pyvinecopulib")
    scores = rs.read_scores(data / "urbano2016" / "adhoc6.csv")
    few = scores.select(systems=scores.systems[40:48])
    model = fit_collection(few, model="margins", copula="vine", trees=2)
    drawn = model.draw(20_000, 3)
    assert np.array_equal(drawn[:5], model.draw(20_000, 3)[:5])
    error = drawn.std(axis=0) / np.sqrt(len(drawn))
    assert (np.abs(drawn.mean(axis=0) - few.means) < 4.0 * error).all()
    assert np.abs(correlations_of(drawn) - correlations_of(few.values)).mean() < 0.12


def test_a_vine_without_its_package_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyvinecopulib", None)
    with pytest.raises(rs.BadParameter, match=r"pip install 'rankscope\[vines\]'"):
        VineCopula.of(np.random.default_rng(0).random((9, 2)), trees=1)
