"""Walks over allowed rankings: each move by itself is uniform over all of them, held against full enumeration."""

import itertools

import numpy as np
import pytest
from scipy.stats import chisquare

from rankscope.inference.chain_diagnostics import effective_draws, split_rhat
from rankscope.inference.rank_distance_baseline import prepare
from rankscope.inference.rank_walks import _directions, _start, _steps, walk_within

# topics, systems, ridge, share of the distances of all rankings that is allowed, seed
CASES = [
    (12, 4, 0.0, 0.5, 1),
    (12, 5, 0.0, 0.4, 2),
    (20, 6, 0.0, 0.2, 3),
    (4, 5, 1e-5, 0.4, 4),
    (5, 6, 1e-2, 0.3, 5),
    (30, 7, 0.0, 0.05, 6),
]


def baseline(topics, systems, seed):
    """With two systems that are nearly alike, and two that are alike."""
    rng = np.random.default_rng(seed)
    scores = rng.random((topics, 1)) + rng.random((topics, systems)) + rng.normal(0, 0.1, systems)
    scores[:, 1] = scores[:, 0] + 0.02 * rng.random(topics) - 0.01
    if systems > 4:
        scores[:, 3] = scores[:, 2]
    return prepare(scores.round(3))


def allowed_orders(base, ridge, share):
    orders = np.array(list(itertools.permutations(range(len(base.systems)))))
    distances = base.distances(orders, ridge)
    limit = np.quantile(distances[np.isfinite(distances)], share) + 1e-9
    return [tuple(order) for order in orders[distances <= limit].tolist()], limit


def only(steps, kind):
    moves, heights, pushes, chances = steps
    none = [np.ascontiguousarray(part[:, :0]) for part in (moves, heights, pushes, chances)]
    return {"moves": (moves, *none[1:]), "pushes": (none[0], heights, pushes, chances), "both": steps}[kind]


@pytest.mark.parametrize("kind", ["moves", "pushes", "both"])
@pytest.mark.parametrize(("topics", "systems", "ridge", "share", "seed"), CASES)
def test_every_allowed_ranking_is_as_likely(topics, systems, ridge, share, seed, kind):
    base = baseline(topics, systems, seed)
    orders, limit = allowed_orders(base, ridge, share)
    generator = np.random.default_rng(seed)
    # Long pushes, so that draws are nearly independent and a test of independence from chance is fair.
    directions = _directions(100.0 * np.eye(systems))
    seen = dict.fromkeys(orders, 0)
    order = np.array(orders[0])
    for _ in range(20):
        ranks, *_ = base.walk(
            order, only(_steps(4_000, directions, np.full(systems, 1.5), generator), kind), ridge, limit
        )
        for row in np.argsort(ranks[::10], axis=1).tolist():
            seen[tuple(row)] += 1  # a ranking that is not allowed is a KeyError
    counts = np.array(list(seen.values()))
    assert chisquare(counts).pvalue > 1e-4
    assert counts.min() > 0


@pytest.mark.parametrize(("systems", "ridge"), [(12, 0.0), (24, 0.0), (24, 1e-4)])
def test_the_short_way_decides_as_the_solver_does(systems, ridge):
    base = baseline(25, systems, 7)
    limit = 3.0
    generator = np.random.default_rng(8)
    order, own = np.arange(systems), np.arange(systems)
    moves, *others = only(_steps(4, _directions(np.eye(systems)), np.full(systems, 3.0), generator), "moves")
    ranks, made, _ = base.walk(order, (moves, *others), ridge, limit)
    mine = 0
    for draw, steps in enumerate(moves.tolist()):
        for system, fall in steps:
            start = own.tolist().index(system)
            new = np.insert(np.delete(own, start), np.clip(start + fall, 0, systems - 1), system)
            if 0 <= start + fall < systems and base.distances(new[None], ridge)[0] <= limit:
                own = new
                mine += 1
        assert np.argsort(ranks[draw]).tolist() == own.tolist()
    assert mine == made > 0
    assert order.tolist() == own.tolist()


def test_walks_start_within_the_limit_and_apart():
    base = baseline(30, 10, 9)
    starts = [_start(base, 0.0, 3.0, generator) for generator in np.random.default_rng(0).spawn(8)]
    assert (base.distances(np.array(starts), 0.0) <= 3.0).all()
    assert len({tuple(start) for start in starts}) > 4


def test_two_runs_over_two_dozen_systems_agree():
    base = prepare((np.random.default_rng(3).normal(size=(50, 24)) + np.linspace(0.0, 1.0, 24)).round(3))
    runs = [walk_within(base, 0.0, 4.0, 4_000, seed, None, None) for seed in (0, 1)]
    shares = [np.stack([(run.ranks == rank).mean(axis=(0, 1)) for rank in range(24)]) for run in runs]
    assert np.abs(shares[0] - shares[1]).max() < 0.06
    assert max(split_rhat(run.ranks[:, :, system].astype(float)) for run in runs for system in range(24)) < 1.05


def test_independent_draws_agree_and_count_in_full():
    values = np.random.default_rng(1).normal(size=(8, 500))
    assert split_rhat(values) < 1.01
    assert effective_draws(values) == pytest.approx(4_000, rel=0.15)


def test_draws_that_depend_on_each_other_count_less():
    # An autoregression with coefficient a is worth (1 − a)/(1 + a) of its draws.
    rng = np.random.default_rng(2)
    values = np.zeros((4, 5_000))
    noise = rng.normal(size=values.shape)
    for i in range(1, values.shape[1]):
        values[:, i] = 0.8 * values[:, i - 1] + noise[:, i]
    assert effective_draws(values) == pytest.approx(20_000 / 9, rel=0.2)


def test_walks_in_different_places_or_of_different_spread_do_not_agree():
    values = np.random.default_rng(3).normal(size=(4, 400))
    assert split_rhat(values + np.arange(4)[:, None]) > 1.3
    assert split_rhat(values * np.array([1.0, 1.0, 1.0, 6.0])[:, None]) > 1.1
    assert split_rhat(np.repeat([[1.0], [2.0]], 10, axis=1)) == np.inf
    assert effective_draws(np.repeat([[1.0], [2.0]], 10, axis=1)) < 4
