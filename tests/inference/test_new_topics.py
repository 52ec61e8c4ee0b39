"""The agreement to expect with new topics: the range holds for real ones, and behaves at the edges."""

import numpy as np
import pytest

import rankscope as rs
from narrowing import number
from rankscope.inference.new_topics import _new_topic_counts


def test_counts_have_the_variance_of_new_means():
    """A mean over (n − 1)/2 resampled topics varies by 2 s²/n, s² being the sample's unbiased variance."""
    rng = np.random.default_rng(0)
    for n in (3, 4, 10, 25):
        x = rng.normal(size=n)
        counts = _new_topic_counts(rng, n, 200_000)
        means = counts @ x / counts.sum(axis=1)
        # With no whole (n − 1)/2 the two sizes beside it take turns, which errs by about 2/n².
        assert means.var() == pytest.approx(2 * x.var(ddof=1) / n, rel=0.02 + (0.0 if n % 2 else 2.1 / n**2))


def test_a_coefficient_that_was_not_asked_for_is_named():
    with pytest.raises(rs.BadParameter, match="tau_a was not computed"):
        rs.new_topic_agreement(rs.ScoreMatrix([[1, 2.0], [2, 3.0]]), resamples=5)["tau_a"]


def test_same_draws_whatever_the_jobs():
    scores = rs.ScoreMatrix(np.random.default_rng(1).random((20, 6)))
    one, two = (rs.new_topic_agreement(scores, ["tau_ap", "rbo"], resamples=1200, jobs=jobs) for jobs in (1, 2))
    assert np.array_equal(one.draws, two.draws)


def test_far_apart_systems_stay_in_order():
    values = np.random.default_rng(2).normal(0, 0.01, (10, 4)) + np.array([4, 3, 2, 1])
    agreement = rs.new_topic_agreement(rs.ScoreMatrix(values), resamples=100)["kendall"]
    assert (agreement.mean, agreement.interval.low, agreement.interval.high) == (1.0, 1.0, 1.0)


def test_identical_systems_have_no_agreement_to_speak_of():
    agreement = rs.new_topic_agreement(
        rs.ScoreMatrix(np.tile(np.random.default_rng(3).random((5, 1)), 3)), resamples=50
    )
    assert np.isnan(agreement["kendall"].mean)


def test_two_topics_are_enough_and_one_is_not():
    assert -1 <= rs.new_topic_agreement(rs.ScoreMatrix([[1, 2, 3.0], [2, 1, 4.0]]), resamples=50)["kendall"].mean <= 1
    with pytest.raises(rs.MissingScores, match="at least two"):
        rs.new_topic_agreement(rs.ScoreMatrix([[1, 2.0]]))
    with pytest.raises(rs.MissingScores, match="without topics; new topics"):
        rs.new_topic_agreement(rs.SystemScores([1, 2.0]))


def test_real_new_topics_fall_in_the_range(data):
    """Robust 2004: half of 100 topics predict the other half; docs/papers/our_docs.md has the share covered."""
    table = rs.read_scores(data / "robust2004" / "robust2004_ap.csv").values
    rng = np.random.default_rng(4)
    covered = []
    for i in range(60):
        topics, systems = rng.permutation(len(table)), rng.choice(table.shape[1], 40, replace=False)
        seen, new = table[topics[:50]][:, systems], table[topics[50:100]][:, systems]
        agreement = rs.new_topic_agreement(rs.ScoreMatrix(seen), resamples=200, rng=i)["kendall"].interval
        covered.append(agreement.low <= number(rs.kendall(seen.mean(axis=0), new.mean(axis=0))) <= agreement.high)
    assert np.mean(covered) > 0.85
