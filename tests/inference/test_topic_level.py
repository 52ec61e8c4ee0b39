"""Agreement by topic: item-level coefficients, tie calibration and soft pairwise accuracy, against literal twins."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_topic_level as literal
import rankscope as rs
from narrowing import known
from rankscope.demo import demo_scores
from rankscope.inference.resampling import Draws, topic_counts
from rankscope.inference.soft_accuracy import one_sided, quick_accuracy, soft_accuracy
from rankscope.inference.tie_calibration import tied_pairs
from rankscope.inference.topic_level import topic_coefficient

HUMAN, CAREFUL, PARTIAL, *_ = demo_scores().values()
BY = ("topic", "system", "none")
EXACT = Draws(1 << 10, 0, 1)


@st.composite
def two_tables(draw, most_topics=5, most_systems=5, missing=False):
    n, m = draw(st.integers(2, most_topics)), draw(st.integers(2, most_systems))
    score = st.one_of(st.integers(0, 3), st.integers(0, 20).map(lambda k: k / 10))
    if missing:
        score = st.one_of(score, st.none())
    tables = st.lists(st.lists(score, min_size=m, max_size=m), min_size=n, max_size=n)
    return draw(tables), draw(tables)


def arrays(*tables) -> Any:
    return [np.array([[math.nan if s is None else s for s in row] for row in table], dtype=float) for table in tables]


def calibrated(tables, by, epsilon=None):
    x, y = arrays(*tables)
    return tied_pairs(x, y, by, epsilon)


# --- tie calibration ---------------------------------------------------------


@pytest.mark.parametrize("by", BY)
@given(tables=two_tables())
@settings(max_examples=40)
def test_tie_calibration_is_literal(by, tables):
    value, epsilon = calibrated(tables, by).best()
    expected, least = literal.tie_calibrated(tables[0], tables[1], by)
    assert value == pytest.approx(expected, abs=1e-12)
    assert epsilon == pytest.approx(least, rel=1e-8)
    assert calibrated(tables, by, 0.3).best()[0] == pytest.approx(literal.accuracy(tables[0], tables[1], by, 0.3))


@given(tables=two_tables(missing=True))
@settings(max_examples=30)
def test_tie_calibration_leaves_out_missing_cells(tables):
    pairs = calibrated(tables, "topic")
    used = [cells for cells in literal.groups(tables[0], tables[1], "topic") if len(cells) > 1]
    assert pairs.undefined == len(tables[0]) - max(len(used), 1)
    if used:
        assert pairs.best()[0] == pytest.approx(literal.tie_calibrated(tables[0], tables[1], "topic")[0], abs=1e-12)


@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize("epsilon", [None, 0.2])
def test_draws_of_tie_calibration_are_those_of_repeated_topics(by, epsilon):
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 3, (6, 5)).astype(float), np.round(rng.random((6, 5)), 1)
    counts = topic_counts(rng, 6, 20)
    repeated = [np.repeat(np.arange(6), row.astype(int)) for row in counts]
    expected = [tied_pairs(x[rows], y[rows], by, epsilon).best()[0] for rows in repeated]
    assert tied_pairs(x, y, by, epsilon).drawn(counts) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("metric", "human", "epsilon", "accuracy"),
    [  # the tests of google-research/mt-metrics-eval, tau_optimization_test.py
        ([[0, 2, 6, 8]], [[1, 2, 3, 4]], 0, 1.0),
        ([[0, 2, 6, 8]], [[1, 1, 1, 4]], 4, 4 / 6),
        (
            [[0, 5, 2, 3, 2], [None, 2, 1, 5, 3], [9, 1, 5, 3, 8], [9, 3, 4, 4, 1], [None] * 5],
            [[1, 5, 2, 1, 1], [4, 2, 2, 1, 4], [5, 9, 2, 8, 7], [7, 6, None, 3, 2], [None] * 5],
            1,
            0.4916666666666668,
        ),
    ],
)
def test_tie_calibration_of_wmt(metric, human, epsilon, accuracy):
    value, best = calibrated((human, metric), "topic").best()
    assert value == pytest.approx(accuracy)
    assert best == epsilon


# --- soft pairwise accuracy --------------------------------------------------


@given(tables=two_tables(most_systems=4))
@settings(max_examples=30)
def test_soft_accuracy_is_literal(tables):
    x, y = arrays(*tables)
    assert soft_accuracy(x, y, EXACT) == pytest.approx(literal.soft_accuracy(*tables), abs=1e-12)


def test_one_permutation_matrix_for_all_pairs_of_thompson():
    """mt_metrics_eval/pce.py, docstring: A is .6 above B on all of five segments; only the pattern of all + reaches it.

    That pattern is the observed difference and counts half here, where the program counts it in full.
    """
    scores = np.array([[0.8, 0.2], [0.9, 0.3], [0.7, 0.1], [1.0, 0.4], [0.6, 0.0]])
    assert one_sided(scores, EXACT)[0, 1] == pytest.approx(0.5 / 32)


# Retyped: 10 segments × 4 systems, scores by people and by a metric.
SEGMENTS = np.array(
    [
        [0.71, 0.42, 0.66, 0.18], [0.35, 0.51, 0.47, 0.22], [0.92, 0.63, 0.58, 0.49], [0.54, 0.57, 0.31, 0.36],
        [0.83, 0.29, 0.77, 0.41], [0.46, 0.38, 0.52, 0.13], [0.68, 0.74, 0.33, 0.55], [0.27, 0.19, 0.44, 0.24],
        [0.89, 0.61, 0.72, 0.37], [0.59, 0.48, 0.39, 0.43],
    ]
)  # fmt: skip
BY_METRIC = np.array(
    [
        [0.62, 0.55, 0.71, 0.33], [0.41, 0.47, 0.38, 0.45], [0.79, 0.72, 0.51, 0.56], [0.48, 0.63, 0.42, 0.29],
        [0.74, 0.36, 0.81, 0.52], [0.53, 0.44, 0.59, 0.31], [0.57, 0.82, 0.46, 0.61], [0.34, 0.27, 0.49, 0.39],
        [0.77, 0.69, 0.64, 0.28], [0.66, 0.37, 0.43, 0.58],
    ]
)  # fmt: skip


def test_soft_accuracy_of_thompsons_program():
    """compute_pairwise_p_values and compute_one_minus_pce of mt_metrics_eval/pce.py, 4,000,000 permutations, seed 4.

    google-research/mt-metrics-eval at 1b47eab gives .92090 for the systems in this order and .92041 in the reverse
    one: it counts ties in full, of single-precision numbers. Its p-values of the first pair are .02931 and .17700.
    """
    assert soft_accuracy(SEGMENTS, BY_METRIC, EXACT) == pytest.approx(0.92090, abs=0.0002)
    assert soft_accuracy(SEGMENTS, BY_METRIC, EXACT) == pytest.approx(0.92041, abs=0.0007)
    pvalues = [one_sided(side, EXACT)[0, 1] for side in (SEGMENTS, BY_METRIC)]
    assert pvalues == pytest.approx([0.02931, 0.17700], abs=0.006)


def test_random_signs_are_near_all_signs_and_the_normal_limit():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(9, 6)) + rng.normal(size=6)
    exact = one_sided(x, Draws(512, 0, 1))
    assert np.abs(one_sided(x, Draws(511, 0, 1)) - exact).max() < 0.08
    x, y = HUMAN.values, PARTIAL.values
    ones = np.ones((1, len(x)))
    assert quick_accuracy(x, y, ones, ones)[0] == pytest.approx(soft_accuracy(x, y, Draws(4000, 0, 1)), abs=0.005)


def test_the_order_of_systems_does_not_matter():
    """As it does in WMT's program where scores tie: p of pairs in the order of the list, draws that tie in full."""
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 2, (9, 6)).astype(float), rng.integers(0, 2, (9, 6)).astype(float)
    assert soft_accuracy(x, y, EXACT) == pytest.approx(soft_accuracy(x[:, ::-1], y[:, ::-1], EXACT), abs=1e-12)
    assert soft_accuracy(x, x, EXACT) == 1.0
    alike = np.ones_like(x)
    p = one_sided(x, EXACT)[np.triu_indices(6, 1)]
    assert soft_accuracy(alike, x, EXACT) == pytest.approx(1 - np.abs(p - 0.5).mean())


# --- coefficients within groups ----------------------------------------------


def test_means_over_topics_and_systems():
    names = ["kendall(by=topic)", "kendall(by=system)", "spearman(by=none)", "tau_ap(by=topic)@5"]
    values = [v.value for v in rs.topic_agreement(HUMAN, PARTIAL, names, resamples=0).values]
    x, y = HUMAN.values, PARTIAL.values
    assert values == pytest.approx(
        [
            np.mean(rs.kendall(x, y)),
            np.mean(rs.kendall(x.T, y.T)),
            rs.spearman(x.ravel(), y.ravel()),
            np.mean(rs.tau_ap(x, y, k=5)),
        ]
    )


def test_constant_topics_are_left_out_and_counted():
    x = np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0], [3.0, 1.0, 2.0]])
    y = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 3.0, 2.0]])
    tau, accuracy = rs.topic_agreement(x, y, ["kendall(by=topic)", "acc_eq(epsilon=0)"], resamples=0).values
    assert (tau.value, tau.groups, tau.undefined) == (0.0, 2, 1)
    # A topic that the truth ties counts in accuracy, and this estimate orders all of its pairs.
    assert accuracy.value == pytest.approx((1 + 0 + 0) / 3)
    assert (accuracy.groups, accuracy.undefined) == (3, 0)


def test_missing_cells():
    x = rs.ScoreMatrix(
        [[1.0, 2.0, 3.0], [3.0, math.nan, 1.0], [1.0, 2.0, math.nan]], systems=["a", "b", "c"], topics="pqr"
    )
    y = rs.ScoreMatrix([[1, 3, 2], [3, 2, 1], [1, 2, 3]], systems=["a", "b", "c"], topics="pqr")
    found = rs.topic_agreement(x, y, ["kendall(by=topic)"], on_missing="additive", resamples=50).values[0]
    assert found.value == pytest.approx((1 / 3 + 1 + 1) / 3)
    for name in ("spa", "acc_eq(by=none)", "kendall(by=system)"):
        with pytest.raises(rs.BadParameter, match="intersect"):
            rs.topic_agreement(x, y, [name], on_missing="additive")


def test_names():
    for name in (
        "spa",
        "spa(permutations=50)",
        "acc_eq",
        "acc_eq(epsilon=0.5)",
        "acc_eq(by=means)",
        "rbo(p=0.5,by=topic)@3",
    ):
        assert str(topic_coefficient(name)) == name
    assert str(topic_coefficient("pairwise_accuracy(by=topic)")) == "acc_eq(epsilon=0.0)"
    for name in ("spa(by=topic)", "spa@3", "acc_eq(epsilon=-1)", "acc_eq(by=judge)", "kendall(by=judge)"):
        with pytest.raises(rs.BadParameter):
            topic_coefficient(name)
    for name in ("spa", "kendall(by=topic)"):
        with pytest.raises(rs.BadParameter, match="by topic"):
            rs.coefficient(name)


def test_what_cannot_be_told_is_an_error():
    with pytest.raises(rs.BadParameter, match=r"kendall\(by=topic\)"):
        rs.topic_agreement(HUMAN, PARTIAL, ["kendall"])
    with pytest.raises(rs.BadParameter, match="use spa"):
        rs.topic_agreement(HUMAN, PARTIAL, ["kendall(by=topic)"], topics="independent")
    board = {"a": 3.0, "b": 2.0}
    with pytest.raises(rs.MissingScores, match="leave it out"):
        rs.compare(board, board, coefficients=["spa"])


def test_battles_have_soft_accuracy():
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 4, 200), rng.integers(1, 4, 200)
    names = np.array(list("abcd"))
    judges = [
        rs.Battles(
            names[first].tolist(),
            names[(first + second) % 4].tolist(),
            rng.integers(0, 2, 200),
            ids=list(map(str, range(200))),
        )
        for _ in range(2)
    ]
    found = rs.compare(*judges, coefficients=["spa"], resamples=20).estimates[0].by_topic[0]
    assert 0 < found.value < 1
    with pytest.raises(rs.BadParameter, match="battles"):
        rs.compare(*judges, coefficients=["kendall(by=topic)"], resamples=20)


# --- results -----------------------------------------------------------------


def test_a_seed_gives_the_same_for_any_number_of_jobs():
    names = ["spa", "acc_eq", "acc_eq(by=means)", "kendall(by=topic)", "kendall(by=system)"]
    once, again = (rs.topic_agreement(HUMAN, CAREFUL, names, resamples=600, rng=3, jobs=jobs) for jobs in (1, 2))
    assert once == again
    for value in once.values:
        assert known(value.interval).low <= value.value <= known(value.interval).high


def test_compare_has_what_was_asked_for():
    names = ["spa", "acc_eq", "kendall(by=topic)"]
    result = rs.compare(HUMAN, CAREFUL, PARTIAL, coefficients=names, resamples=200)
    own = rs.topic_agreement(HUMAN, CAREFUL, names, resamples=200)
    assert result.estimates[0].by_topic == own.values
    assert [c.name for c in result.estimates[0].coefficients] == ["tau_b"]
    assert [c.name for c in result.contrasts] == ["tau_b", *names]
    assert result.contrasts[1].difference == pytest.approx(own.values[0].value - result.estimates[1].by_topic[0].value)
    assert "by topic" in result.tables()
    assert "by topic" not in rs.compare(HUMAN, CAREFUL, resamples=0).tables()
    assert "SPA" in str(result)


def test_summeval_at_the_level_of_items(data):
    """Authority: nlpstats 0.0.1 (D. Deutsch), correlate(X, Z, level, coefficient) of the same tables."""
    scores = data / "summeval" / "scores.csv.gz"
    with pytest.warns(rs.RepeatedScores):
        experts = rs.read_scores(scores, measure="coherence", where={"rater": "expert*"}, on_duplicate="mean")
    gpt4 = rs.read_scores(scores, measure="coherence", where={"rater": "gpt-4*"})
    names = ["kendall(by=topic)", "pearson(by=topic)", "kendall(by=none)", "pearson(by=none)"]
    values = [v.value for v in rs.topic_agreement(experts, gpt4, names, resamples=0).values]
    assert values == pytest.approx([0.398057, 0.440767, 0.372650, 0.428185], abs=1e-6)
