"""Confidence sets of ranks: which ranks a system may have, given the sampling error of the scores.

Two kinds, which answer different questions:

- *guaranteed* sets are made to hold with the stated probability for one system's rank (marginal), or for all ranks at
  once (simultaneous). They count the systems that are significantly better or worse, by the greatest studentised
  difference over draws, with step-down (Mogstad, Romano, Shaikh & Wilhelm 2024, section 3); with fewer than 50 topics,
  by paired t-tests with Holm's correction. The guarantee is one of large samples: many systems with exactly the same
  true score, skewed scores and few topics break it (docs/coverage.md).
- *typical* sets are right for the stated share of the systems on average. They are quantiles of ranks over draws
  around means that are shrunk towards each other by as much as sampling error drove them apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rankscope.checks import check_memory
from rankscope.defaults import MOST_SYSTEMS
from rankscope.errors import TooLarge
from rankscope.fits import PRIOR_TOPICS
from rankscope.inference.intervals import expansion
from rankscope.inference.resampling import Seed, count_blocks, generators, in_threads, resampled
from rankscope.kernels.rank_sets import greatest_differences
from rankscope.scores import Floats, ScoreMatrix

Flags = npt.NDArray[np.bool_]
Ranks = npt.NDArray[np.int64]

# The least share of the spread of means that is taken to be true, as in the variance model of worth.
LEAST_TRUE_SHARE = 0.02
# With fewer topics, resamples understate how far the greatest of many differences goes: they have as many dimensions as
# topics. Guaranteed sets are then by Holm's correction of paired t-tests, which needs none.
FEWEST_RESAMPLED = 50
# Arrays of systems × systems held at a time.
_SQUARES = 12


@dataclass(frozen=True, kw_only=True, eq=False)
class UncertainMeans:
    """Scores of systems, and draws of their sampling error.

    Attributes
    ----------
    means : ndarray of shape (systems,)
        The scores.
    deviations : ndarray of shape (draws, systems)
        Draws of the sampling error of the scores.
    variances : ndarray of shape (systems, systems)
        The variance of the difference of each two scores.
    topics : int or None
        The number of topics behind variances and draws; None where variances are taken to be known, or systems have
        scores on different topics.
    freedom : ndarray of shape (systems,), optional
        The degrees of freedom behind the variance of each system that has scores on some topics only.
    """

    means: Floats
    deviations: Floats
    variances: Floats
    topics: int | None
    freedom: Floats | None = None

    @classmethod
    def of_topics(
        cls, scores: ScoreMatrix, *, resamples: int, rng: Seed = 0, jobs: int | None = None
    ) -> UncertainMeans:
        """Scores over topics, with draws of topics with replacement.

        The variance of means is known without draws; that of other aggregates is the variance of the draws.
        """
        check_size(len(scores.systems), resamples)
        table, topics = resampled(scores), len(scores.topics)

        def drawn(chunk: tuple[np.random.Generator, int]) -> Floats:
            generator, draws = chunk
            blocks = count_blocks(generator, table.topics, draws, smooth=table.smooth)
            return np.concatenate([table.means(counts, generator) for counts in blocks])

        draws = np.concatenate(in_threads(drawn, list(generators(rng, resamples)), jobs))
        draws -= scores.means
        if scores.averaged:
            covariance = np.atleast_2d(np.cov(scores.values, rowvar=False)) / topics
        else:
            covariance = np.atleast_2d(draws.T @ draws) / len(draws) * topics / (topics - 1.0)
        freedom = None if scores.fit is None else PRIOR_TOPICS + scores.incomplete().counts - 1.0
        return cls(
            means=scores.means,
            deviations=draws,
            variances=difference_variances(covariance),
            topics=topics if freedom is None else None,
            freedom=freedom,
        )

    @classmethod
    def of_covariance(
        cls, means: Floats, covariance: Floats, *, resamples: int, rng: Seed = 0, topics: int | None = None
    ) -> UncertainMeans:
        """Scores with a covariance that is known, or estimated from so many topics, and normal draws."""
        check_size(len(means), resamples)
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        draws = [
            generator.standard_normal((size, len(means))) @ root.T for generator, size in generators(rng, resamples)
        ]
        return cls(
            means=means, deviations=np.concatenate(draws), variances=difference_variances(covariance), topics=topics
        )

    @cached_property
    def true_share(self) -> float:
        """What means are shrunk by: about the share of their variance that is not sampling error.

        It is 1 − f (E/n)/S in the terms of docs/verdict.md, with James and Stein's f = (m − 3)/(m − 1): a few systems
        say little about their own spread.
        """
        systems = len(self.means)
        spread = float(self.means.var(ddof=1)) if systems > 1 else 0.0
        if spread == 0.0:
            return LEAST_TRUE_SHARE
        # The mean variance of a difference is twice the variance of a mean's own error, topic effects removed.
        error = float(self.variances.sum()) / (2.0 * systems * (systems - 1.0))
        return max(1.0 - max(systems - 3.0, 0.0) / (systems - 1.0) * error / spread, LEAST_TRUE_SHARE)

    def typical_draws(self, level: float, times: float = 1.0) -> Floats:
        """Draws of the true scores: around the shrunk means, with the error that is left of `times` the topics."""
        share = self.true_share
        centre = self.means.mean()
        errors = (
            np.sqrt(share / times) * self._moderation(level) * (self.deviations - self.deviations.mean(axis=1)[:, None])
        )
        return np.asarray(centre + share * (self.means - centre) + errors)

    def _moderation(self, level: float) -> Floats | float:
        """What each system's draws are scaled by: its variance is moderated by the average, and t is wider than z."""
        if self.freedom is not None:
            from scipy.special import ndtri, stdtrit

            tail = (1.0 + level) / 2.0
            return np.asarray(stdtrit(self.freedom, tail) / ndtri(tail))
        if self.topics is None:
            return 1.0
        own = self.variances.mean(axis=1) - self.variances.mean() / 2.0
        topics = self.topics - 1
        moderated = (PRIOR_TOPICS * own.mean() + topics * own) / (PRIOR_TOPICS + topics)
        ratio = np.sqrt(np.divide(moderated, own, out=np.ones_like(own), where=own > 0.0))
        return np.asarray(ratio * expansion(self.topics, level, freedom=PRIOR_TOPICS + topics))


def moderated(covariance: Floats, freedom: Floats | float) -> Floats:
    """The covariance with each system's variance drawn to the average one by nine topics, and the same correlations.

    `freedom` is the degrees of freedom behind a variance, to which the nine are added.
    """
    own = np.diag(covariance)
    variances = (PRIOR_TOPICS * own.mean() + freedom * own) / (PRIOR_TOPICS + freedom)
    ratio = np.sqrt(np.divide(variances, own, out=np.zeros_like(own), where=own > 0.0))
    alone = np.where(own > 0.0, 0.0, variances)
    return np.asarray(covariance * np.outer(ratio, ratio) + np.diag(alone))


def difference_variances(covariance: Floats) -> Floats:
    """The variance of the difference of each two scores, exactly 0 for systems with equal scores on every topic."""
    own = np.diag(covariance)
    variances = np.maximum(own[:, None] + own[None, :] - 2.0 * covariance, 0.0)
    # What is left of equal numbers is rounding.
    variances[variances <= 1e-14 * (own[:, None] + own[None, :])] = 0.0
    np.fill_diagonal(variances, 0.0)
    return variances


def check_size(systems: int, draws: int) -> None:
    """Raise `TooLarge` before starting where all pairs of systems take too long or do not fit in memory."""
    if systems > MOST_SYSTEMS:
        raise TooLarge(
            f"rank sets compare every two systems, which for {systems:,} takes minutes and gigabytes; rank at most "
            f"{MOST_SYSTEMS:,} of them, such as the best"
        )
    needed = 8 * (_SQUARES * systems * systems + 4 * draws * systems)
    check_memory(needed, f"rank sets of {systems:,} systems", "rank fewer systems")


# ---- guaranteed --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Separations:
    """Which systems are significantly better (`better[j, k]`: j than k) or worse, in the family of tests of each j."""

    better: Flags
    worse: Flags
    critical: Floats

    @cached_property
    def low(self) -> Ranks:
        """The best rank that each system may have."""
        return np.asarray(1 + self.worse.sum(axis=1))

    @cached_property
    def high(self) -> Ranks:
        """The worst rank that each system may have."""
        return np.asarray(self.better.shape[1] - self.better.sum(axis=1))


def simultaneous(data: UncertainMeans, level: float, jobs: int | None = None) -> Separations:
    """Differences that are significant among all pairs at once: the ranks of all systems are in their sets."""
    stepped = _stepped_down(data, level, jobs, better=True, worse=False, together=True)
    return Separations(stepped.better, stepped.better.T.copy(), stepped.critical)


def marginal(data: UncertainMeans, level: float, jobs: int | None = None) -> Separations:
    """Differences that are significant among those with one system: the rank of that system is in its set."""
    return _stepped_down(data, level, jobs, better=True, worse=True)


def best_rank(data: UncertainMeans, level: float, jobs: int | None = None) -> Separations:
    """Systems that are significantly better than one: the rank of that system is at least its `low`.

    The systems whose bound is at most k contain each system of the true top k with the level's probability.
    """
    return _stepped_down(data, level, jobs, better=False, worse=True)


def critical_value(greatest: Floats, level: float) -> Floats:
    """The value that draws exceed with a probability of at most 1 − level, counting the observed draw."""
    draws = len(greatest)
    place = int(np.ceil(level * (draws + 1))) - 1
    if place >= draws:
        return np.full(greatest.shape[1:], np.inf)
    return np.asarray(np.partition(greatest, place, axis=0)[place])


def _stepped_down(
    data: UncertainMeans,
    level: float,
    jobs: int | None,
    *,
    better: bool,
    worse: bool,
    together: bool = False,
) -> Separations:
    """Reject, drop what was rejected from the family, and repeat while more is rejected.

    A family has the differences of one system, or all of them `together`. Its critical value is that of the greatest
    difference over draws, which is sought again for systems with new rejections; with few topics it is Holm's.
    """
    from scipy.special import ndtr, ndtri, stdtrit

    systems = len(data.means)
    few = (data.topics or FEWEST_RESAMPLED) < FEWEST_RESAMPLED
    if data.freedom is not None:
        few = float(np.median(data.freedom)) < FEWEST_RESAMPLED
    gaps = data.means[:, None] - data.means[None, :]
    # The draws' variance is (n − 1)/n too small.
    widening = 1.0 if data.topics is None else math.sqrt(data.topics / (data.topics - 1.0))
    weights = widening * _reciprocal(np.sqrt(data.variances))
    with np.errstate(invalid="ignore", divide="ignore"):
        # A difference without any error is beyond every critical value; no difference at all is beyond none.
        statistics = np.where(gaps == 0.0, 0.0, gaps / np.sqrt(data.variances))
    is_better, is_worse = np.zeros((systems, systems), bool), np.zeros((systems, systems), bool)
    greatest, grown = np.empty_like(data.deviations), np.ones(systems, bool)
    while True:
        if few:
            left = (better + worse) * (systems - 1) - is_better.sum(axis=1) - is_worse.sum(axis=1)
            tails = (1.0 - level) / np.maximum(left.sum(keepdims=True) if together else left, 1)
        else:
            below = np.where(is_better[grown], 0.0, weights[grown]) if better else np.zeros_like(weights[grown])
            above = np.where(is_worse[grown], 0.0, weights[grown]) if worse else np.zeros_like(weights[grown])
            own = np.ascontiguousarray(data.deviations[:, grown])
            greatest[:, grown] = _greatest(data.deviations, own, below.T.copy(), above.T.copy(), jobs)
            family = greatest.max(axis=1, keepdims=True) if together else greatest
            tails = ndtr(-critical_value(family, level))
        # The draws are divided by the observed errors, so that their greatest differences have the tails of a normal
        # distribution. Observed differences have those of Student's t: 1/10,000 is 3.7 for z, and 5.7 over 10 topics.
        # A difference of two systems has the freedom of the one with fewer topics.
        if data.freedom is not None:
            values = stdtrit(np.minimum(data.freedom[:, None], data.freedom[None, :]), tails[:, None])
        elif data.topics is not None:
            values = stdtrit(data.topics - 1, tails)[:, None]
        else:
            values = ndtri(tails)[:, None]
        limits = np.where(tails[:, None] > 0.0, np.maximum(-values, 0.0), np.inf)  # some scipy has no 0 at .5
        now_better = is_better | (statistics > limits) if better else is_better
        now_worse = is_worse | (limits < statistics.T) if worse else is_worse
        grown = (now_better != is_better).any(axis=1) | (now_worse != is_worse).any(axis=1)
        if not grown.any():
            return Separations(is_better, is_worse, np.broadcast_to(limits[:, 0], systems).copy())
        is_better, is_worse = now_better, now_worse


def _greatest(deviations: Floats, own: Floats, below: Floats, above: Floats, jobs: int | None) -> Floats:
    """`greatest_differences` of all draws, some of them in each thread."""
    out = np.empty_like(own)
    step = max(1, len(deviations) // 16)
    slices = [slice(start, start + step) for start in range(0, len(deviations), step)]
    in_threads(lambda rows: greatest_differences(deviations[rows], own[rows], below, above, out[rows]), slices, jobs)
    return out


def _reciprocal(values: Floats) -> Floats:
    return np.divide(1.0, values, out=np.zeros_like(values), where=values > 0.0)


# ---- typical -----------------------------------------------------------------------------------------------------


def rank_bounds(scores: Floats) -> tuple[Ranks, Ranks]:
    """The best and the worst rank of each system in every row of scores; they differ for systems that tie."""
    order = np.argsort(-scores, axis=1)  # ties in any order: all have the same two ranks
    descending = np.take_along_axis(scores, order, axis=1)
    systems = scores.shape[1]
    places = np.arange(systems)
    starts = np.ones(scores.shape, bool)
    starts[:, 1:] = descending[:, 1:] < descending[:, :-1]
    low = np.empty_like(order)
    if starts.all():
        np.put_along_axis(low, order, 1 + places[None], axis=1)
        return low, low
    ends = np.ones(scores.shape, bool)
    ends[:, :-1] = starts[:, 1:]
    first = np.maximum.accumulate(np.where(starts, places, 0), axis=1)
    last = np.minimum.accumulate(np.where(ends, places, systems)[:, ::-1], axis=1)[:, ::-1]
    high = np.empty_like(order)
    np.put_along_axis(low, order, first + 1, axis=1)
    np.put_along_axis(high, order, last + 1, axis=1)
    return low, high


def typical(low: Ranks, high: Ranks, level: float) -> tuple[Ranks, Ranks]:
    """The ranks between which each system is in the level's share of draws, given its ranks in every draw."""
    tail, draws = (1.0 - level) / 2.0, len(low)
    # What is left of a product of decimals is rounding.
    first = max(math.ceil(tail * draws - 1e-9) - 1, 0)
    last = math.ceil((1.0 - tail) * (draws - 1) - 1e-9)
    return np.partition(low, first, axis=0)[first], np.partition(high, last, axis=0)[last]
