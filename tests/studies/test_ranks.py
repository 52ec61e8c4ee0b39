"""`rank`: what is said of a leaderboard follows from its rank sets, and odd input has an answer or an error."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.demo import demo_scores
from rankscope.inference import rank_sets
from rankscope.inference.rank_sets import UncertainMeans
from rankscope.studies.ranks import _groups, _levels

HUMAN = demo_scores()["human"]


@pytest.fixture(scope="module")
def board():
    return rs.rank(HUMAN, resamples=500).leaderboards[0]


@given(st.integers(1, 8), st.integers(0, 10_000), st.floats(0.0, 1.0))
def test_two_systems_share_a_group_exactly_if_they_are_not_separated(systems, seed, share):
    better = np.triu(np.random.default_rng(seed).random((systems, systems)) < share, 1)
    groups = _groups(better)
    for j, k in itertools.product(range(systems), repeat=2):
        assert any(j in group and k in group for group in groups) == (not better[j, k] and not better[k, j])
    assert 1 <= _levels(better) <= systems


def test_systems_are_sorted_and_ranks_are_in_their_sets(board):
    scores = [entry.score for entry in board.systems]
    assert scores == sorted(scores, reverse=True)
    assert [entry.rank for entry in board.systems] == sorted(entry.rank for entry in board.systems)
    for entry in board.systems:
        for kind in ("typical", "marginal", "simultaneous"):
            assert entry.ranks(kind).low <= entry.rank <= entry.ranks(kind).high
        assert entry.simultaneous.low <= entry.marginal.low <= entry.marginal.high <= entry.simultaneous.high
        assert entry.interval.low < entry.score < entry.interval.high


def test_the_distribution_is_of_probabilities(board):
    assert board.distribution.sum(axis=0) == pytest.approx(1.0)
    assert board.distribution.sum(axis=1) == pytest.approx(1.0)
    ranks = np.arange(1, len(board.systems) + 1)
    assert board.distribution @ ranks == pytest.approx([entry.expected_rank for entry in board.systems])
    assert board.distribution[:, 0] == pytest.approx([entry.best_probability for entry in board.systems])


def test_the_best_by_score_may_be_best_and_the_top_has_more(board):
    assert board.best[0] == board.systems[0].system
    assert {entry.system for entry in board.systems if entry.may_be_best} == set(board.best)
    assert all(entry.may_be_in_top for entry in board.systems[:10])
    assert all(entry.may_be_in_top for entry in board.systems if entry.may_be_best)


def test_more_topics_narrow_the_sets(board):
    assert [ahead.times for ahead in board.outlook] == [2, 4]
    assert board.mean_width() > board.outlook[0].width > board.outlook[1].width >= 1.0
    assert board.winner_topics > board.topics


def test_tables(board):
    result = rs.rank(HUMAN, demo_scores()["partial"], resamples=100)
    tables = result.tables()
    assert list(tables) == ["systems", "groups", "outlook", "distribution"]
    assert len(tables["systems"].rows) == 2 * len(HUMAN.systems)
    assert {row[0] for row in tables["systems"].rows} == {"human", "partial"}
    assert result.to_frame().height == 2 * len(HUMAN.systems)


def test_rows_do_not_depend_on_threads_or_the_order_of_systems():
    one = rs.rank(HUMAN, resamples=600, jobs=1).table()
    assert one == rs.rank(HUMAN, resamples=600, jobs=3).table()
    turned = HUMAN.select(systems=HUMAN.systems[::-1])
    again = {row[1]: row[2:-1] for row in rs.rank(turned, resamples=600).table().rows}
    for _, system, *numbers, _ in one.rows:
        assert numbers == pytest.approx(list(again[system]))


def test_systems_that_tie_share_their_rank_and_no_topics_single_one_out():
    values = np.random.default_rng(1).normal(size=(30, 3))
    values[:, 0] = values[:, 1] = values[:, 2] + 2.0
    board = rs.rank(rs.ScoreMatrix(values, ["a", "b", "c"]), resamples=200).leaderboards[0]
    assert [entry.rank for entry in board.systems] == [1.5, 1.5, 3.0]
    assert board.winner_topics is None
    assert board.groups == (("a", "b"), ("c",))
    assert "ties with another system" in str(rs.rank(rs.ScoreMatrix(values), resamples=200))


def test_standard_errors_are_a_diagonal_covariance():
    scores, errors = {"a": 0.7, "b": 0.6, "c": 0.1}, [0.02, 0.03, 0.01]
    first = rs.rank(scores, standard_errors=errors, resamples=300)
    assert first.table() == rs.rank(scores, covariance=np.diag(np.square(errors)), resamples=300).table()
    assert (
        first.table() == rs.rank(scores, standard_errors=dict(zip("abc", errors, strict=True)), resamples=300).table()
    )
    assert first.leaderboards[0].outlook == ()
    assert first.leaderboards[0].topics is None


def test_correlated_errors_separate_more_than_independent_ones():
    means, systems = np.linspace(0.0, 0.1, 5), 5
    errors = np.full((systems, systems), 0.0099) + np.eye(systems) * 0.0001
    data = UncertainMeans.of_covariance(means, errors, resamples=1_000)
    alone = UncertainMeans.of_covariance(means, np.diag(np.diag(errors)), resamples=1_000)
    assert rank_sets.simultaneous(data, 0.95).better.sum() > rank_sets.simultaneous(alone, 0.95).better.sum() == 0


@pytest.mark.parametrize(
    ("given", "error", "problem"),
    [
        ({"scores": {"a": 0.1, "b": 0.2}}, rs.MissingScores, "without topics"),
        ({"scores": {"a": 0.1, "b": 0.2}, "standard_errors": {"a": 0.1}}, rs.MissingScores, "no standard error: b"),
        ({"scores": {"a": 0.1, "b": 0.2}, "standard_errors": [0.1]}, rs.BadParameter, "2 numbers"),
        ({"scores": {"a": 0.1, "b": 0.2}, "standard_errors": [0.1, -1.0]}, rs.BadParameter, "2 numbers"),
        ({"scores": {"a": 0.1, "b": 0.2}, "covariance": [[1.0, 2.0]]}, rs.BadParameter, "2 × 2"),
        ({"scores": HUMAN, "standard_errors": [0.1]}, rs.BadParameter, "leave standard_errors out"),
        ({"scores": {"a": 0.1}, "standard_errors": [0.1]}, rs.TooFewSystems, "two systems"),
        ({"scores": HUMAN, "kind": "best"}, rs.BadParameter, "typical, marginal, simultaneous"),
        ({"scores": HUMAN, "level": 2.0}, rs.BadParameter, "level"),
        ({"scores": HUMAN, "top": 0}, rs.BadParameter, "top"),
        ({"scores": [[0.1, 0.2], [math.nan, 0.3]]}, rs.MissingScores, "missing"),
    ],
)
def test_errors_name_the_problem(given, error, problem):
    with pytest.raises(error, match=problem):
        rs.rank(**given)


def test_few_topics_are_told():
    values = np.random.default_rng(1).normal(size=(5, 4))
    assert "fewer than 10 topics" in str(rs.rank(values, resamples=100))
