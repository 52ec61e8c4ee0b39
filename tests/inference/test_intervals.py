"""Intervals: Kendall's against the paper, BCa against its formula, and the slow test of what they cover."""

import math
from statistics import NormalDist

import numpy as np
import pytest
import simulated

import rankscope as rs
from narrowing import known
from rankscope.inference.intervals import expansion, interval, kendall_interval

NORMAL = NormalDist()


@pytest.mark.parametrize(
    ("tau", "systems", "low", "high"),
    [(0.9, 25, 0.389, 0.987), (0.84, 110, 0.636, 0.934), (0.80, 110, 0.586, 0.910)],  # Carterette 2009; FACTS, checked
)
def test_kendalls_interval(tau, systems, low, high):
    limits = kendall_interval(tau, systems)
    assert (limits.low, limits.high) == pytest.approx((low, high), abs=5e-4)
    assert limits.level == 0.95


def test_kendalls_interval_stays_inside_and_refuses_nonsense():
    assert kendall_interval(1.0, 2).high <= 1.0
    assert kendall_interval(-1.0, 2).low >= -1.0
    with pytest.raises(rs.TooFewSystems):
        kendall_interval(0.5, 1)
    with pytest.raises(rs.BadParameter):
        kendall_interval(1.5, 10)


DRAWS = np.random.default_rng(0).beta(8, 2, 400)
LEFT_OUT = np.random.default_rng(1).beta(9, 2, 30)


def test_percentile_and_recentred_by_their_formulas():
    low, high = np.quantile(DRAWS, [0.05, 0.95])
    plain = known(interval(DRAWS, 0.8, level=0.9, method="percentile", topics=30))
    assert (plain.low, plain.high) == (low, high)
    limits = known(interval(DRAWS, 0.8, level=0.9, method="recentred", topics=30))
    wider = math.sqrt(30 / 29) * 1.6991270265 / NORMAL.inv_cdf(0.95)  # t(29, .95) from R: qt(.95, 29)
    assert expansion(30, 0.9) == pytest.approx(wider, rel=1e-9)
    assert limits.low == pytest.approx(0.8 + wider * (low - DRAWS.mean()))
    assert limits.high == pytest.approx(min(1.0, 0.8 + wider * (high - DRAWS.mean())))


def test_bca_by_its_formula():
    """Efron & Tibshirani 1993, Eqs. 14.9 to 14.15."""
    observed = 0.8
    z0 = NORMAL.inv_cdf(((observed > DRAWS).sum() + 0.5) / (len(DRAWS) + 1))
    deviations = [LEFT_OUT.mean() - v for v in LEFT_OUT]
    a = sum(d**3 for d in deviations) / (6 * sum(d**2 for d in deviations) ** 1.5)
    shares = [NORMAL.cdf(z0 + (z0 + z) / (1 - a * (z0 + z))) for z in (NORMAL.inv_cdf(0.025), NORMAL.inv_cdf(0.975))]
    limits = known(interval(DRAWS, observed, level=0.95, method="bca", topics=30, jackknife=LEFT_OUT))
    assert [limits.low, limits.high] == pytest.approx(np.quantile(DRAWS, shares).tolist())
    with pytest.raises(rs.BadParameter, match="left out"):
        interval(DRAWS, observed, level=0.95, method="bca", topics=30)


def test_intervals_stay_inside_the_range_and_exist_only_where_there_are_draws():
    limits = known(interval(np.array([0.6, 0.9, 1.0]), 1.0, level=0.95, method="recentred", topics=2))
    assert (limits.low >= -1.0, limits.high) == (True, 1.0)
    assert interval(np.array([np.nan, 0.5]), 0.5, level=0.95, method="percentile", topics=9) is None
    assert interval(DRAWS, math.nan, level=0.95, method="percentile", topics=9) is None
    same = known(interval(np.full(9, 0.5), 0.5, level=0.95, method="bca", topics=9, jackknife=np.full(9, 0.5)))
    assert (same.low, same.high) == (0.5, 0.5)


def test_the_simulation_itself_runs():
    """A few runs, to keep the slow test and `make coverage` working; no claim about coverage."""
    population = simulated.Population(systems=8)
    assert simulated.expected(population, 5, samples=50).shape == (len(simulated.COEFFICIENTS),)
    assert (simulated.level_of_permutations(8, runs=2, permutations=19) <= 1.0).all()
    assert (simulated.level_of_contrasts(population, 5, runs=2, resamples=19) <= 1.0).all()


@pytest.mark.slow
@pytest.mark.parametrize("topics", simulated.TOPICS)
def test_the_default_interval_covers_and_the_tests_hold_their_level(topics):
    """Nominal 95 % intervals cover 92 % at least, 5 % tests reject 7 % at most; 600 runs, a standard error of 0.009."""
    population = simulated.Population()
    covered = simulated.coverage(population, topics, runs=600)["recentred"]
    assert dict(zip(simulated.COEFFICIENTS, covered, strict=True)) == pytest.approx(
        dict.fromkeys(simulated.COEFFICIENTS, 0.96), abs=0.04
    )
    assert (simulated.level_of_contrasts(population, topics, runs=600) <= 0.07 + 0.009).all()
