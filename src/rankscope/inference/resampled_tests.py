"""Tests of all pairs of systems by resampling: sign flips, the shifted bootstrap, Tukey's HSD.

Arrays in and out; `significance` (pairs.py) checks and wraps. A sum of differences over topics is the difference of two
systems' sums, so one product of draws × topics with topics × systems serves all pairs.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from rankscope.inference.closed_tests import Outcome, blocks, comparable, mean_differences, symmetric, t_statistics
from rankscope.inference.resampling import CHUNK, Draws, row_blocks, topic_counts
from rankscope.scores import Floats

# One per pair above the diagonal; a chunk has fewer than 2¹⁶ draws.
Counts = npt.NDArray[np.uint16]

_ROUNDING = 1e-12


def randomisation(values: Floats, draws: Draws) -> Outcome:
    """Fisher and Pitman's test: how often random signs of a pair's differences give a mean at least as far from zero.

    All pairs share the signs of a draw, which is valid for each pair by itself. If there are at most `resamples`
    patterns of signs, 2ⁿ, all are tried and p is exact; otherwise p = (1 + #{|T*| ≥ |T|})/(1 + resamples).
    """
    n, m = values.shape
    units, tolerance = comparable(values)
    columns = np.ascontiguousarray(units.T)
    sums, sizes = units.sum(axis=0), np.abs(units).sum(axis=0)
    gaps = sums[:, None] - sums[None, :]
    thresholds = np.abs(gaps) - tolerance * (sizes[:, None] + sizes[None, :])
    if n < 63 and 2**n <= draws.resamples:
        half = 2 ** (n - 1)  # a pattern and its opposite give the same absolute mean
        starts = range(0, half, CHUNK)
        chunks = (_at_least(columns @ all_signs(n, start, min(start + CHUNK, half)), thresholds) for start in starts)
        counts = _total(chunks, m)
        p, least, method = counts / half, 1.0 / half, f"all {2**n} sign flips"
    else:

        def chunk(rng: np.random.Generator, size: int) -> Counts:
            signs = 2.0 * rng.integers(0, 2, (n, size), dtype=np.int8) - 1.0
            return _at_least(columns @ signs, thresholds)

        counts = _total(draws.each(chunk), m)
        p, least = draws.pvalues(counts), draws.least
        method = f"{draws.resamples} random sign flips"
    return Outcome(statistic=mean_differences(values), pvalues=symmetric(m, p), method=method, least=least)


def bootstrap(values: Floats, draws: Draws) -> Outcome:
    """The shifted bootstrap, studentised: topics are resampled, and differences shifted to a mean of zero.

    p = (1 + #{|t*| ≥ |t|})/(1 + resamples), t* from the resample's own mean and standard deviation (Efron & Tibshirani
    1993, section 16.4, as in Sakai 2006). A resample without variance counts as at least as extreme.
    """
    n, m = values.shape
    units, _ = comparable(values)
    t = t_statistics(units)
    constant = np.isinf(t)
    square = np.square(np.where(constant, 0.0, t))
    # With S₁ = Σ w e and S₂ = Σ w e² over shifted differences e: t*² = (n − 1) S₁²/(n S₂ − S₁²) ≥ t² ⟺ S₁² ≥ c S₂.
    bounds = n * square / (n - 1 + square) * (1.0 - _ROUNDING)
    left, right = np.triu_indices(m, 1)
    # n times the centred scores: integers stay integers, also when scaled by a power of two.
    centred = np.ascontiguousarray((n * units - units.sum(axis=0)).T)
    centred = np.ldexp(centred, -int(np.frexp(np.abs(centred).max())[1]))

    def chunk(rng: np.random.Generator, size: int) -> Counts:
        weights = topic_counts(rng, n, size).T
        sums = centred @ weights
        counts = np.empty(len(left), dtype=np.uint16)
        for block in blocks(len(left), max(n, size)):
            i, j = left[block], right[block]
            squares = np.square(centred[i] - centred[j]) @ weights
            squares *= bounds[i, j, None]
            first = sums[i] - sums[j]
            first *= first
            counts[block] = np.count_nonzero(first >= squares, axis=1)
        return counts

    counts = np.where(constant[left, right], 0, _total(draws.each(chunk), m))
    method = f"{draws.resamples} resamples of topics, shifted to no difference, studentised"
    return Outcome(statistic=t, pvalues=symmetric(m, draws.pvalues(counts)), method=method, least=draws.least)


def tukey(values: Floats, draws: Draws) -> Outcome:
    """Tukey's honestly significant differences by randomisation (Carterette 2012).

    Scores are shuffled among systems within each topic. The p-value of a pair is how often the best mean then exceeds
    the worst by at least the pair's difference of means, so it holds for all pairs together.
    """
    units, tolerance = comparable(values)
    ranges = np.sort(np.concatenate(draws.each(lambda rng, size: np.ptp(shuffled_sums(units, rng, size), axis=1))))
    sums = units.sum(axis=0)
    gaps = sums[:, None] - sums[None, :]
    thresholds = np.abs(gaps) - tolerance * np.abs(units).max(axis=1).sum()
    counts = draws.resamples - np.searchsorted(ranges, thresholds, side="left")
    return Outcome(
        statistic=mean_differences(values),
        pvalues=symmetric(len(sums), draws.pvalues(counts[np.triu_indices(len(sums), 1)])),
        method=f"{draws.resamples} shuffles of systems within topics, greatest minus least mean",
        least=draws.least,
    )


def shuffled_sums(values: Floats, rng: np.random.Generator, draws: int) -> Floats:
    """The systems' sums in each draw (row) in which every topic's scores are shuffled among the systems."""
    from rankscope.kernels.pairs import shuffled_sums as sums_of

    values = np.ascontiguousarray(values)
    return np.concatenate(
        [
            sums_of(values, rng.integers(0, 1 << 32, (block.stop - block.start, *values.shape), dtype=np.uint32))
            for block in row_blocks(draws, values.size)
        ]
    )


def _total(chunks: Iterable[Counts], m: int) -> npt.NDArray[np.int64]:
    total = np.zeros(m * (m - 1) // 2, dtype=np.int64)
    for chunk in chunks:
        total += chunk
    return total


def _at_least(sums: Floats, thresholds: Floats) -> Counts:
    """For each pair, the number of draws (columns) in which two systems' sums differ by at least the threshold."""
    rows = [
        np.count_nonzero(np.abs(sums[i + 1 :] - sums[i]) >= thresholds[i, i + 1 :, None], axis=1)
        for i in range(len(sums) - 1)
    ]
    return np.concatenate(rows).astype(np.uint16)


def all_signs(n: int, start: int, stop: int) -> Floats:
    """The sign patterns of n topics from `start` to `stop`, one per column; the first topic's sign is always +."""
    bits = (np.arange(start, stop)[None, :] >> np.arange(n - 1)[:, None]) & 1
    return np.concatenate([np.ones((1, stop - start)), 2.0 * bits - 1.0])
