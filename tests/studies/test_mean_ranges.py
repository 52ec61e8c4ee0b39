"""The bars of means in a comparison."""

import numpy as np
import pytest
from scipy import stats

import rankscope as rs
from narrowing import known
from rankscope.demo import demo_scores
from rankscope.studies.mean_ranges import mean_ranges


def test_ranges_are_students():
    scores = demo_scores()["human"]
    low, high = known(mean_ranges(scores, 0.9))
    for i, column in enumerate(scores.values.T):
        expected = stats.ttest_1samp(column, 0.0).confidence_interval(0.9)
        assert (low[i], high[i]) == pytest.approx((expected.low, expected.high))


def test_ranges_are_those_of_the_topic_bootstrap():
    scores = demo_scores()["human"]
    rng = np.random.default_rng(0)
    n = len(scores.topics)
    drawn = scores.values[rng.integers(0, n, (4_000, n))].mean(axis=1)
    low, high = known(mean_ranges(scores, 0.95))
    wide = (high - low) / np.diff(np.quantile(drawn, [0.025, 0.975], axis=0), axis=0)[0]
    assert wide.mean() == pytest.approx((n / (n - 1)) ** 0.5 * stats.t.ppf(0.975, n - 1) / 1.96, rel=0.02)


def test_what_has_no_spread_has_no_range():
    assert mean_ranges(rs.SystemScores([0.1, 0.2]), 0.95) is None
    assert mean_ranges(rs.ScoreMatrix([[0.1, 0.2]]), 0.95) is None
    low, high = known(mean_ranges(rs.ScoreMatrix([[0.1, 0.3], [0.1, 0.2], [0.1, 0.5]]), 0.95))
    assert low[0] == high[0]
    assert low[1] < high[1]


def test_comparisons_have_them():
    tables = demo_scores()
    found = rs.compare(tables["human"], tables["careful"], coefficients=["tau_b"], resamples=0).estimates[0]
    assert all(known(s.truth_low) < s.truth < known(s.truth_high) for s in found.systems)
    assert all(known(s.estimate_low) < s.estimate < known(s.estimate_high) for s in found.systems)
    board = rs.compare({"a": 1.0, "b": 0.5}, {"a": 1.0, "b": 0.5}, coefficients=["tau_b"]).estimates[0]
    assert {s.truth_low for s in board.systems} == {None}
