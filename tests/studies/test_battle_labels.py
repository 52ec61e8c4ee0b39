"""Judges of the same battles: agreement as scikit-learn has it, and position."""

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from scipy.stats import binomtest

import rankscope as rs
from narrowing import known
from rankscope.inference.intervals import share_interval
from rankscope.studies.battle_labels import battle_agreement, outcomes

LABELS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0])), min_size=2, max_size=30
)


def judged(wins, name="llm"):
    models = [("a", "b"), ("b", "c"), ("c", "a")]
    pairs = [models[row % 3] for row in range(len(wins))]
    return rs.Battles([a for a, _ in pairs], [b for _, b in pairs], wins, name=name)


@settings(max_examples=30)
@given(LABELS)
def test_agreement_is_its_definition(labels):
    metrics = pytest.importorskip("sklearn.metrics")

    x, y = judged([first for first, _ in labels]), judged([second for _, second in labels])
    found = known(battle_agreement(x.scores("win_rate"), y.scores("win_rate"), "llm", 0.95))
    first, second = outcomes(x), outcomes(y)
    assert found.same == pytest.approx(metrics.accuracy_score(first, second))
    if found.kappa is not None:
        assert found.kappa == pytest.approx(metrics.cohen_kappa_score(first, second), abs=1e-12)
    both = (first != 0) & (second != 0)
    assert found.decided == both.sum()
    if found.decided:
        assert found.same_winner == pytest.approx(float((first == second)[both].mean()))
    counts = found.estimate
    assert (counts.first, counts.second, counts.ties) == tuple(int((second == won).sum()) for won in (1, -1, 0))


@pytest.mark.parametrize(("count", "total"), [(0, 5), (5, 5), (9, 10), (23_176, 26_867)])
def test_shares_have_scipys_wilson_interval(count, total):
    ours, theirs = share_interval(count, total, 0.9), binomtest(count, total).proportion_ci(0.9, method="wilson")
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))


def test_judges_of_other_battles_are_not_compared():
    wins = [1.0, 0.5, 0.0]
    x = judged(wins).scores("win_rate")
    turned = rs.Battles(["b", "c", "a"], ["a", "b", "c"], wins).scores("win_rate")
    fewer = judged([*wins, 1.0]).scores("win_rate")
    assert battle_agreement(x, turned, "llm", 0.95) is None
    assert battle_agreement(x, fewer, "llm", 0.95) is None
    assert known(battle_agreement(x, x, "llm", 0.95)).kappa == 1.0


def test_all_ties_have_no_preferred_position():
    x = judged([0.5, 0.5]).scores("win_rate")
    found = known(battle_agreement(x, x, "llm", 0.95))
    assert (found.kappa, found.same_winner, found.truth.first_share, found.truth.first_interval) == (None,) * 4
