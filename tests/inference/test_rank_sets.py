"""Rank sets: the fast ones are those of the definition, and odd input has the right answer."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import oracles_rank_sets as oracle
from rankscope.errors import TooLarge
from rankscope.fits import PRIOR_TOPICS
from rankscope.inference import rank_sets
from rankscope.inference.rank_sets import UncertainMeans
from rankscope.scores import ScoreMatrix

LEVELS = st.sampled_from([0.5, 0.8, 0.95])


@st.composite
def tables(draw):
    """Scores of 2 to 6 systems on 3 to 8 topics: real, rounded to ties, or with equal and constant systems."""
    systems, topics = draw(st.integers(2, 6)), draw(st.integers(3, 8))
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    values = random.normal(size=(topics, systems)) + np.linspace(0.0, draw(st.sampled_from([0.0, 1.0, 5.0])), systems)
    digits = draw(st.sampled_from([None, 1, 0]))
    values = values if digits is None else values.round(digits)
    if draw(st.booleans()):
        values[:, -1] = values[:, 0]
    return values


def uncertain(values, resamples=60):
    return UncertainMeans.of_topics(ScoreMatrix(values), resamples=resamples, rng=3, jobs=1)


@given(tables(), LEVELS, st.booleans())
def test_guaranteed_sets_are_those_of_the_definition(values, level, resampled):
    data = uncertain(values)
    systems = values.shape[1]
    with mock.patch.object(rank_sets, "FEWEST_RESAMPLED", 0 if resampled else 50):
        every, each = rank_sets.simultaneous(data, level, 1), rank_sets.marginal(data, level, 1)
        best = rank_sets.best_rank(data, level, 1)
    low, high = oracle.sets(oracle.simultaneous(values, data.deviations, level, resampled), systems)
    assert (every.low.tolist(), every.high.tolist()) == (low, high)
    for j in range(systems):
        low, high = oracle.sets(oracle.marginal(values, data.deviations, level, resampled, j), systems)
        assert (each.low[j], each.high[j]) == (low[j], high[j])
        low, _ = oracle.sets(oracle.best_rank(values, data.deviations, level, resampled, j), systems)
        assert best.low[j] == low[j]


@given(tables(), LEVELS)
def test_typical_sets_are_those_of_the_definition(values, level):
    data = uncertain(values)
    low, high = rank_sets.typical(*rank_sets.rank_bounds(data.typical_draws(level)), level)
    # Where rounding decides between systems that all but tie in a draw, the definition may differ by those draws.
    expected = oracle.typical(values, data.deviations, level, PRIOR_TOPICS)
    ties = len(np.unique(values.round(9), axis=1).T) < values.shape[1] or (values == values.round(1)).all()
    if not ties:
        assert (low.tolist(), high.tolist()) == expected
    assert (low <= high).all()


@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=5))
def test_rank_bounds_count_those_above_and_below(rows):
    low, high = rank_sets.rank_bounds(np.array(rows, dtype=float))
    for row, mine, other in zip(rows, low.tolist(), high.tolist(), strict=True):
        assert (mine, other) == oracle.rank_bounds(row)


def test_systems_that_are_the_same_on_every_topic_are_never_separated():
    values = np.random.default_rng(0).normal(size=(30, 3))
    values[:, 1] = values[:, 0]
    values[:, 2] -= 9.0
    separations = rank_sets.simultaneous(uncertain(values, 400), 0.95, 1)
    assert (separations.low.tolist(), separations.high.tolist()) == ([1, 1, 3], [2, 2, 3])


def test_a_difference_without_error_separates():
    values = np.tile(np.arange(8.0)[:, None], (1, 2)) + np.array([0.0, 0.5])
    separations = rank_sets.simultaneous(uncertain(values, 400), 0.95, 1)
    assert (separations.low.tolist(), separations.high.tolist()) == ([2, 1], [2, 1])


def test_too_few_draws_separate_nothing():
    values = np.random.default_rng(0).normal(size=(60, 3)) + np.array([0.0, 9.0, 18.0])
    separations = rank_sets.simultaneous(uncertain(values, 10), 0.95, 1)
    assert (separations.low.tolist(), separations.high.tolist()) == ([1, 1, 1], [3, 3, 3])


def test_sets_do_not_depend_on_threads():
    values = np.random.default_rng(0).normal(size=(60, 12)) + np.linspace(0.0, 2.0, 12)
    sets = []
    for jobs in (1, 3):
        data = UncertainMeans.of_topics(ScoreMatrix(values), resamples=1_200, rng=3, jobs=jobs)
        sets.append([rank_sets.simultaneous(data, 0.95, jobs).low, rank_sets.marginal(data, 0.95, jobs).high])
    assert np.array_equal(sets[0], sets[1])


def test_known_covariances_give_the_sets_of_many_topics():
    random = np.random.default_rng(5)
    values = random.normal(size=(2_000, 8)) * 0.5 + np.linspace(0.0, 0.2, 8)
    by_topics = UncertainMeans.of_topics(ScoreMatrix(values), resamples=4_000, rng=1)
    covariance = np.cov(values, rowvar=False) / len(values)
    known = UncertainMeans.of_covariance(values.mean(axis=0), covariance, resamples=4_000, rng=2)
    assert known.true_share == pytest.approx(by_topics.true_share)
    first, second = (rank_sets.marginal(data, 0.95).critical for data in (by_topics, known))
    assert second == pytest.approx(first, rel=0.05)


def test_step_down_separates_more_than_one_step():
    gained = 0
    for seed in range(20):
        values = np.random.default_rng(seed).normal(size=(60, 10)) + np.linspace(0.0, 3.0, 10)
        data = uncertain(values, 500)
        separations = rank_sets.simultaneous(data, 0.95, 1)
        errors = np.sqrt(data.variances) + np.eye(10)
        drawn = data.deviations[:, :, None] - data.deviations[:, None, :]
        limit = rank_sets.critical_value((np.sqrt(60 / 59) * drawn / errors).max(axis=(1, 2)), 0.95)
        limit = stats.t.isf(stats.norm.sf(limit), 59)
        one_step = (data.means[:, None] - data.means[None, :]) / errors > limit
        assert (separations.better >= one_step).all()
        gained += int(separations.better.sum() - one_step.sum())
    assert gained > 0


def test_too_many_systems_are_refused_before_anything_is_computed():
    with pytest.raises(TooLarge, match="rank at most 2,000"):
        rank_sets.check_size(2_001, 10)
    rank_sets.check_size(2_000, 10)
