"""Aggregates, policies for missing scores, and estimators that take missing ones, against their literal twins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import oracles_aggregates
import rankscope as rs
from rankscope.aggregates import AGGREGATES
from rankscope.alignment import align
from rankscope.errors import BadParameter, MissingScores
from rankscope.fits import IncompleteScores
from rankscope.inference.resampling import resampled, topic_counts
from rankscope.missing import connected_parts, parse_on_missing
from rankscope.scores import ScoreMatrix, SystemScores

NAN = np.nan
# Few values, so that systems tie on topics, and topics are constant.
scores = st.sampled_from([0.1, 0.25, 0.5, 0.5, 0.75, 1.0, 3.0])
tables = st.tuples(st.integers(1, 6), st.integers(1, 6)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=scores)
)
gapped = st.tuples(st.integers(2, 7), st.integers(2, 6)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.one_of(scores, scores, st.just(NAN)))
)


@pytest.mark.parametrize("name", AGGREGATES)
@given(values=tables)
def test_aggregates_are_what_they_are_called(name, values):
    table = ScoreMatrix(values, aggregate=name)
    assert table.shown(table.means) == pytest.approx(oracles_aggregates.aggregated(values.tolist(), name), abs=1e-12)


@pytest.mark.parametrize("name", AGGREGATES)
@given(values=tables)
def test_lower_scores_can_be_better(name, values):
    lower = ScoreMatrix(values, aggregate=name, lower_is_better=True)
    if AGGREGATES[name].own_scale:  # the user's own numbers, in the opposite order
        higher = ScoreMatrix(values, aggregate=name)
        assert lower.shown(lower.means) == pytest.approx(higher.shown(higher.means))
        assert np.array_equal(lower.means, -higher.means)
        assert lower.shown_lower
    else:
        assert lower.means == pytest.approx(oracles_aggregates.aggregated((-values).tolist(), name), abs=1e-12)
        assert not lower.shown_lower


@given(values=tables, seed=st.integers(0, 9))
def test_medians_of_draws(values, seed):
    counts = topic_counts(np.random.default_rng(seed), len(values), 5)
    drawn = resampled(ScoreMatrix(values, aggregate="median")).means(counts)
    for row, own in zip(drawn, counts, strict=True):
        for column, value in enumerate(row):
            assert value == pytest.approx(oracles_aggregates.weighted_median(values[:, column].tolist(), own.tolist()))


@given(values=gapped, weights=st.lists(st.floats(0.1, 3.0), min_size=7, max_size=7))
def test_the_additive_model_is_least_squares(values, weights):
    assume(len(np.unique(connected_parts(~np.isnan(values))[len(values) :])) == 1)
    own = weights[: len(values)]
    fitted = IncompleteScores(values, "additive").means(np.array([own, np.ones(len(values))]))
    assert fitted[0] == pytest.approx(oracles_aggregates.additive(values, own), abs=1e-8)
    assert fitted[1] == pytest.approx(oracles_aggregates.additive(values, [1.0] * len(values)), abs=1e-8)


@given(values=gapped, weights=st.lists(st.floats(0.1, 3.0), min_size=7, max_size=7))
def test_pairwise_scores_compare_systems_on_the_topics_that_both_have(values, weights):
    present = ~np.isnan(values)
    assume((present.T.astype(int) @ present > 0).all())
    own = weights[: len(values)]
    fitted = IncompleteScores(values, "pairwise").means(np.array([own]))[0]
    assert fitted == pytest.approx(oracles_aggregates.pairwise(values, own), abs=1e-9)


@pytest.mark.parametrize("fit", ["additive", "pairwise"])
@given(values=tables)
def test_without_gaps_they_are_means(fit, values):
    assert IncompleteScores(values, fit).totals == pytest.approx(values.mean(axis=0))
    assert ScoreMatrix(values).fill(fit) == ScoreMatrix(values)


def test_an_additive_table_is_recovered_from_half_of_its_scores():
    random = np.random.default_rng(3)
    effects, topics = random.normal(size=12), random.normal(size=40)
    whole = effects + topics[:, None]
    table = ScoreMatrix(np.where(random.random(whole.shape) < 0.5, NAN, whole)).fill("additive")
    assert table.means == pytest.approx(whole.mean(axis=0))
    assert not table.averaged
    assert table.left_out[0].kind == "scores missing"


def test_errors_of_systems_with_few_topics_are_those_of_all():
    """With one topic a system's residual is 0, and only the residuals of others tell its error."""
    random = np.random.default_rng(5)
    values = random.normal(size=(200, 10)) + random.normal(size=(200, 1))
    values[1:, 0] = NAN
    table = IncompleteScores(values, "additive")
    assert table.counts[0] == 1
    # The residuals have the variance 1, and the score of one topic has it, too.
    assert table.extra_errors[0] == pytest.approx(1.0, abs=0.1)
    assert table.extra_errors[1:].max() < 0.1


def test_policies_are_read_and_refused():
    assert parse_on_missing("drop-topics=0.5, drop-systems=0,additive").steps[0].share == 0.5
    for wrong in ("", "drop-systems", "drop-systems=1", "drop-systems=x", "zero,intersect", "additive,zero", "median"):
        with pytest.raises(BadParameter):
            parse_on_missing(wrong)


def test_what_is_left_out_is_said():
    table = ScoreMatrix(
        [[0.1, 0.2, NAN, 0.1], [0.2, 0.3, NAN, NAN], [0.3, 0.1, 0.9, NAN], [0.3, 0.2, NAN, 0.4]],
        ["a", "b", "c", "d"],
        ["q1", "q2", "q3", "q4"],
        name="x",
    )
    kept = table.fill("drop-systems=0.5")
    assert kept.systems == ("a", "b", "d")
    assert kept.topics == ("q1", "q4")
    assert [(r.kind, r.count, r.total, r.names) for r in kept.left_out] == [
        ("systems left out", 1, 4, ("c",)),
        ("topics left out", 2, 4, ("q2", "q3")),
    ]
    assert str(kept.left_out[0]) == "x: 1 of 4 systems left out (lacking more than 50 % of the topics): 'c'"
    kept = table.fill("drop-topics=0.25")
    assert (kept.topics, kept.systems) == (("q1", "q3", "q4"), ("a", "b"))
    assert "50 %" not in str(table.fill("zero").left_out[0])
    with pytest.raises(MissingScores, match="drop-topics=0 leaves no topic"):
        table.fill("drop-topics=0")
    with pytest.raises(MissingScores, match=r"every topic lacks.*drop-systems=0\.5"):
        table.fill("intersect")


def test_disconnected_tables_are_refused_with_a_way_out_that_works():
    table = ScoreMatrix([[0.1, 0.2, NAN], [0.3, 0.1, NAN], [NAN, NAN, 0.5]], ["a", "b", "c"], ["q1", "q2", "q3"])
    with pytest.raises(MissingScores, match=r"2 parts that share no topic.*connected,additive"):
        table.fill("additive")
    assert table.fill("connected,additive").systems == ("a", "b")
    with pytest.raises(MissingScores, match=r"pairs of systems have no topic in common, such as a and c.*additive"):
        table.fill("pairwise")
    empty = ScoreMatrix([[0.1, NAN], [0.3, NAN]], ["a", "b"], ["q1", "q2"])
    with pytest.raises(MissingScores, match="without any score: 'b'"):
        empty.fill("additive")
    assert empty.fill("connected").systems == ("a",)


def test_aggregates_that_compare_systems_need_complete_topics():
    table = ScoreMatrix([[0.1, NAN], [0.3, 0.2]], aggregate="borda")
    with pytest.raises(MissingScores, match="compares all systems"):
        _ = table.values
    with pytest.raises(BadParameter, match="needs complete topics"):
        table.fill("additive")
    assert table.fill("intersect").values.tolist() == [[1.0, 0.0]]


def test_a_geometric_mean_of_zero_is_an_error_with_a_way_out():
    with pytest.raises(BadParameter, match=r"above 0, and 1 of 2 are not.*--aggregate median"):
        _ = ScoreMatrix([[0.0, 0.5]], aggregate="geometric").means


def test_points_are_of_the_systems_that_both_sides_have():
    """Borda points depend on who competes, so that they are counted after the sides are matched."""
    first = ScoreMatrix([[0.1, 0.2, 0.3]], ["a", "b", "c"], ["q"], aggregate="borda")
    second = ScoreMatrix([[0.3, 0.1]], ["c", "a"], ["q"], aggregate="borda")
    x, y = align(first, second, on_missing="intersect")
    assert x.values.tolist() == [[0.0, 1.0]]
    assert y.values.tolist() == [[0.0, 1.0]]
    assert [(r.kind, r.how) for r in x.left_out] == [("systems left out", "one side only")]


def _table(seed: int, **settings: Any) -> ScoreMatrix:
    random = np.random.default_rng(seed)
    values = 0.5 + np.linspace(0.0, 0.3, 6) + 0.1 * random.random((30, 1)) + 0.1 * random.random((30, 6))
    return ScoreMatrix(values, list("abcdef"), [f"q{i}" for i in range(30)], measure="TER", **settings)


@pytest.mark.parametrize("name", AGGREGATES)
def test_every_aggregate_can_be_ranked_compared_and_drawn(name):
    ranked = rs.rank(_table(1, aggregate=name, lower_is_better=True), resamples=200)
    board = ranked.leaderboards[0]
    assert [entry.system for entry in board.systems] == list("abcdef")  # the lowest scores are the best
    assert board.aggregate == name
    assert board.lower_is_better is AGGREGATES[name].own_scale
    assert all(
        entry.interval is None or entry.interval.low <= entry.score <= entry.interval.high for entry in board.systems
    )
    assert ("lower is better" in str(ranked)) is AGGREGATES[name].own_scale
    compared = rs.compare(_table(1, aggregate=name), _table(2, aggregate=name), resamples=200)
    assert compared.truth.aggregate == name
    assert compared.estimates[0].value("kendall") == 1.0
    assert (compared.estimates[0].verdict is None) is (name == "median")
    left = [remark for remark in compared.remarks if remark.kind == "not a mean"]
    assert bool(left) is (name == "median")
    title = compared.chart("scores").to_json()
    assert AGGREGATES[name].label in title


@pytest.mark.parametrize("fit", ["additive", "pairwise"])
def test_incomplete_tables_can_be_ranked_and_compared(fit):
    whole = _table(1)
    values = whole.values.copy()
    values[::5, 0] = values[1::5, 3] = values[2::7, 5] = NAN
    table = ScoreMatrix(values, whole.systems, whole.topics, name="sparse")
    board = rs.rank(table, on_missing=fit, resamples=300).leaderboards[0]
    assert [entry.system for entry in board.systems] == list("fedcba")
    assert (board.fit, board.topics, board.outlook, board.winner_topics) == (fit, 30, (), None)
    assert all(entry.typical.low <= entry.rank <= entry.typical.high for entry in board.systems)
    again = rs.rank(table, on_missing=fit, resamples=300, jobs=1).leaderboards[0]
    assert [entry.interval for entry in again.systems] == [entry.interval for entry in board.systems]
    compared = rs.compare(table, _table(2), on_missing=fit, resamples=100)
    assert compared.estimates[0].value("kendall") == 1.0
    assert compared.estimates[0].verdict is None
    assert {remark.kind for remark in compared.remarks} == {"scores missing", "not a mean"}
    assert "additive model" in str(compared) if fit == "additive" else "pairwise" in str(compared)


def test_tests_of_means_refuse_other_aggregates():
    for function in (rs.reliability, rs.significance, rs.rank_distance_null):
        with pytest.raises(BadParameter, match="needs means over the same topics"):
            function(_table(1, aggregate="median"))


def test_leaderboards_of_lower_scores():
    board = SystemScores([3.0, 1.0, NAN], ["x", "y", "z"], lower_is_better=True)
    kept = board.fill("intersect")
    assert kept.ranks.tolist() == [2.0, 1.0]
    assert kept.left_out[0].names == ("z",)
    compared = rs.compare(kept, SystemScores([0.2, 0.9], ["x", "y"]))
    assert compared.estimates[0].value("kendall") == 1.0
    assert compared.estimates[0].systems[0].truth == 1.0
