"""Allowed ranks against the enumeration of all rankings, and what a walk reports about itself."""

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

import rankscope as rs
from narrowing import known
from rankscope.inference.allowed_ranks import _shares, _with_few_inversions, allowed_ranks
from rankscope.inference.rank_distance_baseline import prepare
from rankscope.inference.rank_distance_null import rank_distance_null
from rankscope.kernels.walks import ranks_by_passes, shares_by_inversions


def table(topics, systems, seed):
    rng = np.random.default_rng(seed)
    return (rng.random((topics, 1)) + rng.random((topics, systems)) + rng.normal(0, 0.2, systems)).round(3)


def by_enumeration(m, allowed):
    """Shares of rankings (tuples of systems, best first) by looking at all of them."""
    counts = np.zeros((m, m))
    for order in itertools.permutations(range(m)):
        if allowed(order):
            counts[list(order), range(m)] += 1
    return counts / counts[0].sum()


def discordant(order):
    return sum(a > b for a, b in itertools.combinations(order, 2))


@pytest.mark.parametrize(("m", "most"), [(2, 0), (2, 1), (3, 1), (5, 0), (5, 3), (6, 4), (6, 15), (7, 6)])
def test_rankings_within_a_tau_are_counted_exactly(m, most):
    assert shares_by_inversions(m, most) == pytest.approx(by_enumeration(m, lambda o: discordant(o) <= most), abs=1e-12)


@pytest.mark.parametrize("tau", [1.0, 0.9, 0.6, 0.2, -1.0])
def test_tau_is_kendalls(tau):
    scores = table(8, 6, 1)
    result = allowed_ranks(scores, by="tau", tau=tau)
    want = by_enumeration(6, lambda order: 1 - 2 * discordant(order) / 15 >= tau - 1e-12)
    assert result.shares == pytest.approx(want, abs=1e-12)
    assert (result.exact, result.limit, result.rhat, result.draws) == (True, tau, None, None)
    means = rs.ScoreMatrix(scores).means
    assert result.systems == tuple(str(i + 1) for i in np.argsort(-means))


def test_tau_constrains_all_systems_alike():
    # Section 4.3: for 24 systems τ ≥ 0.9 allows each "a distribution over about 5 ranks".
    shares = allowed_ranks(table(30, 24, 2), by="tau").shares
    assert shares.sum(axis=0) == pytest.approx(1.0)
    assert shares.sum(axis=1) == pytest.approx(1.0)
    likely = (shares > 0.05).sum(axis=1)
    assert set(likely[3:-3]) <= {5, 6, 7}


@pytest.mark.parametrize(
    ("topics", "systems", "seed"),
    [
        pytest.param(10, 4, 5, marks=pytest.mark.slow),
        (20, 6, 6),
        (5, 6, 7),
        pytest.param(30, 6, 8, marks=pytest.mark.slow),
    ],
)
def test_walk_within_a_distance_visits_all_allowed_rankings_alike(topics, systems, seed):
    scores = table(topics, systems, seed)  # 5 × 6: fewer topics than systems, so with a ridge
    null = rank_distance_null(scores, resamples=999)
    result = allowed_ranks(scores, null=null, draws=40_000)
    base = prepare(scores)

    def allowed(order):
        return base.distances(np.array([order]), null.ridge)[0] <= result.limit + 1e-9

    assert result.shares == pytest.approx(by_enumeration(systems, allowed), abs=0.02)
    assert known(result.rhat) < 1.01
    assert known(result.chain_difference) < 0.04
    assert 0.0 < known(result.moved) < 1.0
    assert 0.0 < known(result.pushed) <= 1.0
    assert known(result.ess) > 400


@pytest.mark.parametrize(("m", "most"), [(5, 0), (5, 2), (6, 5), (6, 11), (4, 6)])
def test_draws_within_a_tau_are_equally_likely(m, most):
    ranks = _with_few_inversions(m, most, 20_000, np.random.default_rng(1))
    orders = [order for order in itertools.permutations(range(m)) if discordant(order) <= most]
    counts = dict.fromkeys(orders, 0)
    for order in map(tuple, np.argsort(ranks, axis=1).tolist()):
        counts[order] += 1  # an order beyond the limit is a KeyError
    if len(orders) > 1:
        assert chisquare(list(counts.values())).pvalue > 0.001


def test_draws_within_a_tau_agree_with_the_count():
    shares = _shares(_with_few_inversions(40, 39, 20_000, np.random.default_rng(2)))
    assert shares == pytest.approx(shares_by_inversions(40, 39), abs=0.02)


def test_passes_are_discordant_pairs():
    passes = np.array([[0, 1, 0, 2], [0, 0, 0, 0], [0, 1, 2, 3]])
    assert ranks_by_passes(passes).tolist() == [[2, 0, 3, 1], [0, 1, 2, 3], [3, 2, 1, 0]]


def test_many_systems_are_drawn_independently():
    scores = table(3, 201, 11)
    first, second = (allowed_ranks(scores, by="tau", draws=600, jobs=jobs) for jobs in (1, 2))
    assert first.to_dict() == second.to_dict()
    assert (first.exact, first.draws, first.ess, first.rhat) == (False, 600, 600.0, None)
    assert first.shares.sum(axis=0) == pytest.approx(1.0)


def test_the_same_seed_and_any_number_of_threads_give_the_same():
    scores = table(20, 8, 3)
    first, second = (allowed_ranks(scores, draws=1_600, resamples=200, jobs=jobs) for jobs in (1, 2))
    assert first.to_dict() == second.to_dict()
    assert first.table().columns[:3] == ("system", "1", "2")
    assert first.draws == 1_600


def test_significantly_different_systems_keep_their_ranks():
    # Section 4.3: d_rank holds in place what τ lets move, and lets move what is not significantly different.
    rng = np.random.default_rng(4)
    scores = (np.array([0.9, 0.5, 0.5, 0.5, 0.1]) + 0.05 * rng.normal(size=(40, 5))).round(3)
    shares = allowed_ranks(scores, draws=2_000, resamples=500).shares
    assert shares[0, 0] == shares[4, 4] == 1.0
    assert (shares[1:4, 1:4] > 0.0).sum() >= 5


def test_identical_systems_take_turns():
    column = np.random.default_rng(5).random(20).round(3)
    shares = allowed_ranks(np.column_stack([column, column]), draws=2_000, resamples=99).shares
    assert shares == pytest.approx(np.full((2, 2), 0.5), abs=0.05)


def test_walks_that_do_not_agree_say_so():
    rng = np.random.default_rng(6)
    scores = (0.5 + 0.3 * rng.random((25, 1)) + 0.1 * rng.normal(size=(25, 40))).round(3)
    with pytest.warns(rs.RankscopeWarning, match="do not agree yet"):
        assert known(allowed_ranks(scores, draws=80, resamples=200, level=0.01).rhat) > 1.05


def test_progress_counts_all_draws():
    seen = []
    allowed_ranks(table(20, 6, 12), draws=800, resamples=99, progress=lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert {total for _, total in seen} == {seen[-1][0]}
    assert seen[-1][0] > 800


def test_bad_choices_are_refused():
    scores = table(10, 4, 9)
    wrong: Any = "rho"
    with pytest.raises(rs.BadParameter, match="one of d_rank, tau"):
        allowed_ranks(scores, by=wrong)
    with pytest.raises(rs.BadParameter, match="from −1 to 1"):
        allowed_ranks(scores, by="tau", tau=2)
    with pytest.raises(rs.BadParameter, match="draws=3"):
        allowed_ranks(scores, draws=3)
    with pytest.raises(rs.BadParameter, match="another baseline"):
        allowed_ranks(scores, null=rank_distance_null(table(10, 4, 10), resamples=50))
