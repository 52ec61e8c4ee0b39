"""Expected correlation with other numbers of topics, and the number that reaches a target; `reliability` calls this.

For the closed estimators a pair's t grows with √n: with n′ topics it is t √(n′/n), and Eq. 5 of Urbano & Marrero (2016)
has n′ − 1 degrees of freedom. The observed differences are taken as the true ones; the topic bootstrap tells how much
the curve varies with them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from rankscope.inference.closed_tests import blocks
from rankscope.inference.intervals import expansion, interval
from rankscope.inference.resampling import Draws, topic_counts
from rankscope.inference.swap_probabilities import (
    Sample,
    expected_tau_and_ap,
    likelihood_statistics,
    quantile_statistics,
    student_swaps,
    unbiased_factor,
)
from rankscope.results import Interval
from rankscope.scores import Floats

Pairs = npt.NDArray[np.intp]
Closed = Literal["msqd", "ml"]
STATISTICS: dict[Closed, Callable[[Sample, int | None], Floats]] = {
    "msqd": quantile_statistics,
    "ml": likelihood_statistics,
}
# More topics than anyone judges; a target not reached by then counts as not reached.
MOST_TOPICS = 100_000
# Bins of differences in standard deviations, equal in asinh: 1/400 wide, down to a millionth and up to ten.
_BINS, _FINE, _LARGEST = 4_000, 1_000.0, 9.91
# Sums of squares below this share of the largest score's are rounding errors: the differences are constant.
_ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class Curve:
    """E[τ] and E[τ_AP] (columns) by number of topics (rows), also in bootstrap draws (first axis)."""

    sizes: npt.NDArray[np.intp]
    values: Floats
    draws: Floats
    sample: Sample
    statistics: Floats

    @property
    def topics(self) -> int:
        """The number of topics in the sample."""
        return self.sample.topics

    def at(self, size: int) -> tuple[float, float]:
        """E[τ] and E[τ_AP] at one of the sizes."""
        tau, tau_ap = self.values[int(np.searchsorted(self.sizes, size))].tolist()
        return tau, tau_ap

    def interval(self, size: int, which: int, level: float) -> Interval | None:
        """The interval over topics of the value at one of the sizes; None without draws."""
        if not len(self.draws):
            return None
        row = int(np.searchsorted(self.sizes, size))
        drawn, value = self.draws[:, row, which], float(self.values[row, which])
        return interval(drawn, value, level=level, method="recentred", topics=self.topics)

    def needed(self, target: float, which: int, level: float) -> tuple[float, float, float]:
        """The fewest topics that reach the target, and their interval (NaN without draws); inf where 100,000 do not."""
        if not len(self.draws):
            return self._fewest(target, which), math.nan, math.nan
        spread = self.draws[:, :, which] - self.draws[:, :, which].mean(axis=0)
        moved = self.values[:, which] + expansion(self.topics, level) * spread
        sizes = np.sort([_first(self.sizes, curve, target) for curve in moved])
        tail = (1.0 - level) / 2.0
        low, high = (sizes[min(int(share * len(sizes)), len(sizes) - 1)] for share in (tail, 1.0 - tail))
        return self._fewest(target, which), float(low), float(high)

    def _fewest(self, target: float, which: int) -> float:
        reached = np.flatnonzero(self.values[:, which] >= target)
        if not len(reached):
            return math.inf
        low, high = int(self.sizes[max(int(reached[0]) - 1, 0)]), int(self.sizes[int(reached[0])])
        while high - low > 1:
            middle = (low + high) // 2
            enough = _at(self.sample, self.statistics, middle)[which] >= target
            low, high = (low, middle) if enough else (middle, high)
        return float(high)


def topic_curve(sample: Sample, estimator: Closed, sizes: list[int], draws: Draws) -> Curve:
    """The curve from 2 to 100,000 topics, with these sizes among its points."""
    between = np.unique(np.rint(np.geomspace(2, MOST_TOPICS, 60)).astype(np.intp))
    every = np.union1d(between, np.asarray([*sizes, sample.topics], dtype=np.intp))
    t = STATISTICS[estimator](sample, draws.jobs)
    values = np.array([_at(sample, t, int(size)) for size in every])
    drawn = _drawn(sample, t, every, draws) if draws.resamples else np.empty((0, *values.shape))
    return Curve(every, values, drawn, sample, t)


def _at(sample: Sample, t: Floats, size: int) -> Floats:
    return expected_tau_and_ap(sample, student_swaps(sample, t * math.sqrt(size / sample.topics), size))


def _first(sizes: npt.NDArray[np.intp], curve: Floats, target: float) -> float:
    """The size at which a curve first reaches the target, interpolated on a log scale; inf if it does not."""
    reached = np.flatnonzero(curve >= target)
    if not len(reached):
        return math.inf
    at = int(reached[0])
    if at == 0:
        return float(sizes[0])
    share = (target - curve[at - 1]) / (curve[at] - curve[at - 1])
    return float(sizes[at - 1] * (sizes[at] / sizes[at - 1]) ** share)


def _drawn(sample: Sample, t: Floats, sizes: npt.NDArray[np.intp], draws: Draws) -> Floats:
    """The curve in draws of topics.

    In a draw a pair's standard deviation is the usual one, times the ratio of the estimator's to the usual one with all
    topics: quantiles of a sample with repeated topics would say little. Pairs are counted in fine bins by their
    difference in standard deviations, so that ninety numbers of topics cost no more than one.
    """
    higher, lower = np.triu_indices(sample.systems, 1)
    usual = likelihood_statistics(sample, draws.jobs)[higher, lower] * unbiased_factor(sample.topics)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = usual / t[higher, lower]
    factor = np.where(np.isfinite(factor) & (factor > 0.0), factor, 1.0)
    tails = _binned_tails(sizes)

    def of_chunk(generator: np.random.Generator, size: int) -> Floats:
        binned = _binned_pairs(sample, topic_counts(generator, sample.topics, size), higher, lower, factor)
        return np.asarray(1.0 - 2.0 * (binned @ tails.T)).transpose(1, 2, 0)

    return np.concatenate(draws.each(of_chunk))


def _binned_pairs(sample: Sample, counts: Floats, higher: Pairs, lower: Pairs, factor: Floats) -> Floats:
    """The weight of the pairs in each bin (last axis) for τ and τ_AP (first axis) and each row of counts."""
    (rows, n), m = counts.shape, sample.systems
    centred = sample.units - sample.units.mean(axis=0)
    moved = counts @ centred / n
    means = sample.means + moved
    ranks = np.argsort(np.argsort(-means, axis=1, kind="stable"), axis=1)
    binned = np.zeros((2, rows * _BINS))
    for block in blocks(len(lower), max(rows, n)):
        i, j = higher[block], lower[block]
        squares = counts @ np.square(centred[:, i] - centred[:, j])
        squares -= n * np.square(moved[:, i] - moved[:, j])
        alike = squares <= _ROUNDING * np.square(np.abs(sample.units).max())
        with np.errstate(divide="ignore", invalid="ignore"):
            gaps = np.abs(means[:, i] - means[:, j]) / (np.sqrt(squares / (n - 1)) * factor[block])
        bins = np.arcsinh(np.where(alike, np.inf, gaps) * _FINE) * (_BINS / _LARGEST)
        places = np.minimum(bins, _BINS - 1).astype(np.intp) + _BINS * np.arange(rows)[:, None]
        by_rank = 1.0 / (np.maximum(ranks[:, i], ranks[:, j]) * (m - 1))
        binned[0] += np.bincount(places.ravel(), minlength=rows * _BINS) * (2.0 / (m * (m - 1)))
        binned[1] += np.bincount(places.ravel(), by_rank.ravel(), rows * _BINS)
    return binned.reshape(2, rows, _BINS)


def _binned_tails(sizes: npt.NDArray[np.intp]) -> Floats:
    """Eq. 5 by number of topics (rows) at the middle of each bin; 0 in the last, of constant differences."""
    from scipy.special import stdtr

    middle = np.sinh((np.arange(_BINS) + 0.5) * (_LARGEST / _BINS)) / _FINE
    tails = stdtr(sizes[:, None] - 1, -middle * np.sqrt(sizes)[:, None])
    tails[:, -1] = 0.0
    return np.asarray(tails)
