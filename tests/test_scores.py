"""ScoreMatrix, SystemScores and their alignment."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from narrowing import by_topic, errors_of, known
from rankscope.alignment import align
from rankscope.averages import exact_means, mean_ranks
from rankscope.errors import BadParameter, MismatchedNames, MissingScores, NotFinite, ShapeMismatch, UnnamedData
from rankscope.in_memory import as_scores
from rankscope.scores import ScoreMatrix, SystemScores


def matrix(**kwargs):
    return ScoreMatrix(
        [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], **{"systems": ["a", "b", "c"], "topics": ["1", "2"], **kwargs}
    )


def test_values_are_a_read_only_copy():
    data = np.ones((2, 2))
    scores = ScoreMatrix(data)
    data[0, 0] = 5.0
    assert scores.values[0, 0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        scores.values[0, 0] = 2.0
    with pytest.raises(ValueError, match="read-only"):
        scores.means[0] = 2.0


def test_wrong_shapes_and_names():
    with pytest.raises(ShapeMismatch, match="2 dimension"):
        ScoreMatrix([1.0, 2.0])
    with pytest.raises(ShapeMismatch, match="2 system names for 3"):
        matrix(systems=["a", "b"])
    with pytest.raises(ShapeMismatch, match="'a' appear more than once"):
        matrix(systems=["a", "b", "a"])
    with pytest.raises(NotFinite, match="infinite"):
        SystemScores([1.0, np.inf])


def test_missing_scores_are_held_and_never_averaged():
    scores = ScoreMatrix([[0.1, np.nan], [0.3, 0.4]], ["a", "b"], ["q1", "q2"], name="file.csv")
    assert scores.missing == (("b", "q1"),)
    with pytest.raises(
        MissingScores, match=r"file.csv: 1 scores are missing \('b on topic q1'\).*--on-missing intersect"
    ):
        _ = scores.means
    assert scores.fill("intersect").topics == ("q2",)
    assert scores.fill("zero").values[0, 1] == 0.0
    with pytest.raises(MissingScores):
        scores.fill("error")
    wrong: Any = "mean"
    with pytest.raises(BadParameter, match="one of error, intersect, zero"):
        scores.fill(wrong)
    board = SystemScores([0.1, np.nan], ["a", "b"])
    with pytest.raises(MissingScores, match="no score for 'b'"):
        _ = board.means
    assert board.fill("intersect").systems == ("a",)
    assert board.fill("zero").means.tolist() == [0.1, 0.0]


def test_every_topic_with_a_gap_cannot_be_intersected():
    with pytest.raises(MissingScores, match="every topic lacks"):
        ScoreMatrix([[0.1, np.nan], [np.nan, 0.4]]).fill("intersect")


@given(st.lists(st.integers(0, 10), min_size=2, max_size=6))
def test_means_of_decimals_do_not_depend_on_topic_order(tenths):
    """P@10 scores: every order of the same topics has the same mean, to the last bit, and it is the nearest float."""
    orders = list(itertools.islice(itertools.permutations(tenths), 24))
    values = np.array(orders).T / 10.0
    means = exact_means(values)
    assert len(set(means.tolist())) == 1
    assert means[0] == float(Fraction(sum(tenths), 10 * len(tenths)))


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=20))
def test_means_of_any_scores_are_close_to_exact(column):
    exact = sum(map(Fraction, column)) / len(column)
    assert exact_means(np.array(column)[:, None])[0] == pytest.approx(float(exact), rel=1e-15, abs=1e-300)


def test_identical_runs_tie():
    column = np.random.default_rng(0).random(249)
    means = exact_means(np.column_stack([column, column[::-1], column]))
    assert len(set(means.tolist())) == 1


def test_ranks_share_their_mean_under_ties():
    assert mean_ranks(np.array([3.0, 1.0, 3.0, 2.0])).tolist() == [1.5, 4.0, 1.5, 3.0]


def test_alignment_is_by_name():
    other = ScoreMatrix([[1, 2, 3], [4, 5, 6]], ["c", "a", "b"], ["2", "1"])
    truth, estimate = align(matrix(), other)
    assert estimate.systems == truth.systems == ("a", "b", "c")
    assert by_topic(estimate).topics == by_topic(truth).topics == ("1", "2")
    assert estimate.values.tolist() == [[5, 6, 4], [2, 3, 1]]


def test_alignment_names_what_is_missing():
    other = ScoreMatrix(np.ones((2, 3)), ["a", "b", "x"], ["1", "2"], name="judge.csv")
    with pytest.raises(MismatchedNames) as error:
        align(matrix(name="human.csv"), other)
    message = str(error.value)
    assert "1 of 3 systems only in the truth (human.csv): 'c'" in message
    assert "1 of 3 systems only in the estimate (judge.csv): 'x'" in message
    assert "--on-missing intersect" in message


def test_alignment_lists_the_first_few_and_the_count():
    board = SystemScores(np.arange(10.0), [f"s{i}" for i in range(10)])
    with pytest.raises(MismatchedNames, match=r"8 of 10 .*'s2', 's3', 's4', 's5', 's6' and 3 more"):
        align(board, board.select(systems=["s0", "s1"]))


def test_alignment_on_missing():
    other = ScoreMatrix([[1.0, 2.0], [3.0, 4.0]], ["b", "x"], ["2", "3"])
    truth, estimate = align(matrix(), other, on_missing="intersect")
    assert (truth.systems, by_topic(truth).topics) == (("b",), ("2",))
    assert (truth.values.tolist(), estimate.values.tolist()) == ([[0.5]], [[1.0]])
    truth, estimate = align(matrix(), other, on_missing="zero")
    assert truth.systems == ("a", "b", "c", "x")
    assert by_topic(truth).topics == ("1", "2", "3")
    assert truth.values.tolist() == [[0.1, 0.2, 0.3, 0.0], [0.4, 0.5, 0.6, 0.0], [0.0] * 4]
    assert estimate.values.tolist() == [[0.0] * 4, [0.0, 1.0, 0.0, 2.0], [0.0, 3.0, 0.0, 4.0]]
    with pytest.raises(MismatchedNames, match="no system in common"):
        align(matrix(), SystemScores([1.0], ["z"]), on_missing="intersect")


def test_alignment_with_a_leaderboard_is_of_systems_alone():
    truth, estimate = align(matrix(), SystemScores([3.0, 2.0, 1.0], ["c", "b", "a"]))
    assert truth == matrix()
    assert estimate.values.tolist() == [1.0, 2.0, 3.0]


def test_alignment_without_names_is_by_position():
    first, second = align(as_scores([[1, 2], [3, 4]]), as_scores([[5, 6], [7, 8]]))
    assert second.values.tolist() == [[5, 6], [7, 8]]
    assert not first.systems_named
    with pytest.raises(MismatchedNames, match="neither names them"):
        align(as_scores([1, 2]), as_scores([1, 2, 3]))


def test_names_on_one_side_only_are_refused():
    with pytest.raises(UnnamedData, match="names its systems"):
        align(matrix(), as_scores([[1, 2, 3], [4, 5, 6]]))
    with pytest.raises(UnnamedData, match="names its topics"):
        align(matrix(), matrix(topics=None))


def test_as_scores_from_mappings_and_arrays():
    nested = as_scores({"a": {"q1": 0.1, "q2": 0.2}, "b": {"q2": 0.3}}, measure="AP")
    assert nested.measure == "AP"
    assert nested.missing == (("b", "q1"),)
    assert as_scores({"a": 1, "b": None}).missing == ("b",)
    assert by_topic(as_scores(np.ones((2, 3)))).topics == ("1", "2")
    with pytest.raises(ShapeMismatch, match="not both"):
        as_scores({"a": 1, "b": {"q": 2}})
    with pytest.raises(ShapeMismatch, match="not a score"):
        as_scores({"a": "high"})
    with pytest.raises(ShapeMismatch):
        as_scores([["x"]])


def test_selection_and_equality():
    scores = matrix(measure="AP")
    assert scores.select(systems=list(scores.systems), topics=np.array(scores.topics)) is scores
    part = scores.select(systems=["c", "a"], topics=["2"])
    assert part == ScoreMatrix([[0.6, 0.4]], ["c", "a"], ["2"], measure="AP")
    assert part != scores
    assert scores.renamed("x").name == "x"
    assert scores == matrix(measure="AP", name="another file")
    with pytest.raises(MismatchedNames, match="no system named 'z'"):
        scores.select(systems=["z"])


def test_standard_errors_go_with_their_scores():
    board = SystemScores([0.3, 0.1, float("nan")], ["a", "b", "c"], standard_errors=[0.01, float("nan"), 0.02])
    with pytest.raises(ValueError, match="read-only"):
        known(board.standard_errors)[0] = 1.0
    np.testing.assert_array_equal(board.select(systems=["c", "a"]).standard_errors, [0.02, 0.01])
    np.testing.assert_array_equal(board.fill("intersect").standard_errors, [0.01, np.nan])
    np.testing.assert_array_equal(board.fill("zero").standard_errors, [0.01, np.nan, np.nan])
    assert board == board.renamed("other")
    assert board != SystemScores(board.values, board.systems)
    other = SystemScores([0.2, 0.4], ["d", "a"])
    aligned, _ = align(board, other, on_missing="zero")
    np.testing.assert_array_equal(errors_of(aligned), [0.01, np.nan, np.nan, np.nan])


@pytest.mark.parametrize(
    ("errors", "kind", "problem"),
    [([0.1], ShapeMismatch, "1 standard errors for 2"), ([0.1, -1], BadParameter, "one is -1")],
)
def test_standard_errors_that_cannot_be(errors, kind, problem):
    with pytest.raises(kind, match=problem):
        SystemScores([0.1, 0.2], standard_errors=errors)
