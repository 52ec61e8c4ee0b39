"""Coverage of rank sets: the simulations run, and the slow tests hold what docs/coverage.md claims of them."""

import math

import numpy as np
import pytest
import ranked

# Of the sizes in docs/coverage.md, those that are hardest or most usual.
SIZES = [(10, 5), (10, 100), (50, 30), (250, 100)]
RUNS = 120


def within_error(shares: float, runs: int) -> float:
    """A nominal share less three Monte-Carlo standard errors."""
    return shares - 3.0 * math.sqrt(shares * (1.0 - shares) / runs)


def test_the_simulations_run():
    cell = ranked.coverage(ranked.population("discrete, ties"), 10, 5, runs=2)
    assert all(0.0 <= share <= 1.0 for share in (cell.simultaneous, cell.typical, cell.marginal, cell.best))
    assert cell.widths["typical"] <= cell.widths["Bonferroni"]
    moved = ranked.equal(ranked.population("skewed"))
    assert np.ptp(moved.mean(axis=0).round(12)) == 0.0
    assert ranked.coverage(moved, 10, 5, runs=2, halves=True).widths["simultaneous"] <= 1.0


def hold(values, topics, systems):
    cell = ranked.coverage(values, topics, systems, runs=RUNS, seed=1)
    assert cell.simultaneous >= within_error(0.95, RUNS)
    # Sets of one run are not independent: a run counts for one observation, which is more than it is worth.
    assert cell.typical >= within_error(0.94, RUNS)
    assert cell.marginal >= within_error(0.95, RUNS)
    assert cell.best >= within_error(0.95, RUNS)


@pytest.mark.slow
@pytest.mark.parametrize(("topics", "systems"), SIZES)
@pytest.mark.parametrize("name", ranked.SIMULATED)
def test_rank_sets_cover_skewed_and_discrete_scores(name, topics, systems):
    hold(ranked.population(name), topics, systems)


@pytest.mark.slow
@pytest.mark.parametrize(("topics", "systems"), SIZES)
@pytest.mark.parametrize("name", ranked.REAL)
def test_rank_sets_cover_robust_2004(data, name, topics, systems):
    hold(ranked.population(name), topics, systems)


@pytest.mark.slow
@pytest.mark.parametrize(("topics", "systems"), [(50, 30), (250, 100)])
def test_guaranteed_sets_hold_where_all_systems_are_equal(topics, systems):
    cell = ranked.coverage(ranked.equal(ranked.population("skewed")), topics, systems, runs=RUNS, seed=1)
    assert cell.simultaneous >= within_error(0.95, RUNS)
    assert cell.marginal >= within_error(0.95, RUNS)
