"""Paired tests of all pairs of systems in closed form: Student's t and Wilcoxon's signed ranks.

Arrays in and out; `significance` (pairs.py) checks and wraps. resampled_tests.py has the tests that draw.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.averages import decimal_code, exact_means
from rankscope.coefficients.rows import tame
from rankscope.scores import Floats

Positions = npt.NDArray[np.intp]

# Where the variance of a difference is below this share of the two systems' own, or its standard deviation below this
# share of their scores, sums over systems would cancel: t is then computed from the differences themselves.
_CANCELS = 1e-3
# Wilcoxon's test is exact up to these numbers of topics: with ties or zeros, and without (as in scipy ≥ 1.15).
_EXACT_TIED, _EXACT_UNTIED = 13, 50
# Differences held at a time, which bounds memory for many systems.
_BLOCK = 1 << 20
# Sums of scores that are not decimals are equal within this share of their terms.
_TOLERANCE = 1e-12


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A test of all pairs: statistics and p-values (m × m), the method, and the smallest possible p-value."""

    statistic: Floats
    pvalues: Floats
    method: str
    least: float = 0.0


def comparable(values: Floats) -> tuple[Floats, float]:
    """Scores on a scale on which sums can be compared, and the relative tolerance of the comparison.

    Decimals become integers, whose sums are exact, so their tolerance is 0.
    """
    coded = decimal_code(values)
    if coded is not None:
        return coded[0], 0.0
    return np.asarray(tame(values.reshape(1, -1)).reshape(values.shape)), _TOLERANCE


def mean_differences(values: Floats) -> Floats:
    """The mean of each row's system minus that of each column's; equal sums differ by exactly 0."""
    coded = decimal_code(values)
    if coded is None:
        means = exact_means(values)
        return np.asarray(means[:, None] - means[None, :])
    sums = coded[0].sum(axis=0)
    return np.asarray((sums[:, None] - sums[None, :]) / (len(values) * coded[1]))


def paired_t(values: Floats) -> Outcome:
    """The paired t-test of every pair of columns (topics × systems); p-values are two-sided, 1 on the diagonal.

    Identical systems have p = 1. Systems that differ by the same amount on every topic have p = 0, the limit.

    >>> paired_t(np.array([[0.2, 0.5], [0.4, 0.6], [0.3, 0.7]])).pvalues.round(4).tolist()
    [[1.0, 0.0351], [0.0351, 1.0]]
    """
    statistic = t_statistics(comparable(values)[0])
    return Outcome(
        statistic=statistic, pvalues=_t_tails(statistic, len(values) - 1), method="Student's t, paired by topic"
    )


def t_statistics(units: Floats) -> Floats:
    """Student's t of the differences, row minus column: 0 for identical systems, ±∞ where the gap is constant."""
    n, m = units.shape
    centred = units - units.mean(axis=0)
    products = centred.T @ centred
    own = np.diag(products)[:, None] + np.diag(products)[None, :]
    squares = own - 2.0 * products  # n − 1 times the variance of the differences
    sums, sizes = units.sum(axis=0), np.abs(units).sum(axis=0)
    gaps = sums[:, None] - sums[None, :]
    scores = sizes[:, None] + sizes[None, :]
    doubtful = (squares <= _CANCELS * own) | (np.sqrt(np.maximum(squares, 0.0)) <= _CANCELS * scores)
    t = gaps * np.sqrt((n - 1) / (n * np.where(doubtful, 1.0, squares)))
    first, second = np.nonzero(np.triu(doubtful, 1))
    for block in blocks(len(first), n):
        i, j = first[block], second[block]
        t[i, j] = _t_of_differences(units[:, i] - units[:, j])
        t[j, i] = -t[i, j]
    t[np.diag_indices(m)] = 0.0
    return np.asarray(t)


def _t_of_differences(differences: Floats) -> Floats:
    n = len(differences)
    largest = np.abs(differences).max(axis=0)
    scaled = np.ldexp(differences, -np.frexp(largest)[1])  # so that squares neither vanish nor overflow
    mean = scaled.mean(axis=0)
    squares = np.square(scaled - mean).sum(axis=0)
    constant = (differences == differences[0]).all(axis=0)
    t = mean * np.sqrt(n * (n - 1) / np.where(constant, 1.0, squares))
    limit = np.where(largest == 0.0, 0.0, np.copysign(np.inf, differences[0]))
    return np.where(constant, limit, t)


def _t_tails(t: Floats, freedom: int) -> Floats:
    from scipy.special import stdtr

    first, second = np.triu_indices(len(t), 1)
    return symmetric(len(t), 2.0 * stdtr(freedom, -np.abs(t[first, second])))


def wilcoxon(values: Floats) -> Outcome:
    """Wilcoxon's signed-rank test of every pair; the statistic is W+, the rank sum of topics where the row is better.

    Topics without a difference are left out, and equal differences share their mean rank. Decimal scores are
    subtracted exactly, so that 0.3 − 0.2 ties with 0.2 − 0.1. The null distribution is exact up to 13 topics, over all
    signs of the observed ranks, and up to 50 for pairs without ties and zeros. Otherwise it is the normal approximation
    with tie correction and without continuity correction. These are the defaults of scipy's `wilcoxon`.
    """
    n, m = values.shape
    columns = np.ascontiguousarray(comparable(values)[0].T)
    first, second = np.triu_indices(m, 1)
    plus, total, pvalues = np.empty(len(first)), np.empty(len(first)), np.empty(len(first))
    exact = 0
    for block in blocks(len(first), n * (n + 1) if n <= _EXACT_TIED else n):
        ranks, better, ties, zeros = _signed_ranks(columns[first[block]] - columns[second[block]])
        plus[block], total[block] = (ranks * better).sum(axis=1), (n - zeros) * (n - zeros + 1) / 2.0
        if n <= _EXACT_TIED:
            pvalues[block] = _exact_tied(ranks, plus[block])
            exact += len(ranks)
            continue
        p = _normal_tails(plus[block], n - zeros, ties)
        if n <= _EXACT_UNTIED:
            untied = (ties == 0.0) & (zeros == 0)
            p[untied] = _exact_untied(n, plus[block][untied])
            exact += int(untied.sum())
        pvalues[block] = p
    statistic = np.zeros((m, m))
    statistic[first, second], statistic[second, first] = plus, total - plus
    share = "all" if exact == len(first) else f"{exact} of {len(first)}"
    method = f"Wilcoxon's signed ranks, exact for {share} pairs" if exact else "Wilcoxon's signed ranks"
    method += "" if exact == len(first) else ", normal approximation with tie correction" + (" else" if exact else "")
    return Outcome(statistic=statistic, pvalues=symmetric(m, pvalues), method=method)


def _signed_ranks(differences: Floats) -> tuple[Floats, npt.NDArray[np.bool_], Floats, npt.NDArray[np.intp]]:
    """Per row, by size of difference: mean ranks (0 for zeros), whether positive, Σ(t³ − t) over ties, zeros."""
    pairs, n = differences.shape
    size = np.abs(differences)
    order = np.argsort(size, axis=1)
    size = np.take_along_axis(size, order, axis=1)
    better = np.take_along_axis(differences, order, axis=1) > 0.0
    zero = size == 0.0
    zeros = np.count_nonzero(zero, axis=1)
    begins = np.ones((pairs, n + 1), dtype=bool)
    begins[:, 1:n] = size[:, 1:] != size[:, :-1]
    places = np.arange(n)
    start = np.maximum.accumulate(np.where(begins[:, :n], places, 0), axis=1)
    end = np.minimum.accumulate(np.where(begins[:, 1:], places, n)[:, ::-1], axis=1)[:, ::-1]
    ranks = np.where(zero, 0.0, (start + end) / 2.0 + 1.0 - zeros[:, None])
    group = (end - start + 1).astype(np.float64)
    ties = np.where(zero, 0.0, group * group - 1.0).sum(axis=1)
    return ranks, better, ties, zeros


def _normal_tails(plus: Floats, count: npt.NDArray[np.intp], ties: Floats) -> Floats:
    from scipy.special import ndtr

    variance = (count * (count + 1.0) * (2.0 * count + 1.0) - ties / 2.0) / 24.0
    distance = np.abs(plus - count * (count + 1.0) / 4.0)
    return np.asarray(2.0 * ndtr(-distance / np.sqrt(np.where(count == 0, 1.0, variance))))


def _exact_untied(n: int, plus: Floats) -> Floats:
    """Two-sided p of W+ for ranks 1..n, from the number of sign patterns that give each sum."""
    ways = np.zeros(n * (n + 1) // 2 + 1)
    ways[0] = 1.0
    for rank in range(1, n + 1):
        ways[rank:] = ways[rank:] + ways[:-rank]
    at_most = np.cumsum(ways) / 2.0**n
    smaller = np.minimum(plus, n * (n + 1) / 2.0 - plus).astype(np.intp)
    return np.minimum(2.0 * at_most[smaller], 1.0)


def _exact_tied(ranks: Floats, plus: Floats) -> Floats:
    """Two-sided p of W+ over all signs of these ranks, one row per pair; sums of doubled ranks are integers."""
    pairs, n = ranks.shape
    doubled = np.rint(2.0 * ranks).astype(np.intp)
    sums = np.arange(n * (n + 1) + 1)
    ways = np.zeros((pairs, len(sums)))
    ways[:, 0] = 1.0
    for topic in range(n):
        source = sums - doubled[:, topic, None]
        shifted = np.take_along_axis(ways, np.maximum(source, 0), axis=1)
        ways = ways + np.where(source >= 0, shifted, 0.0)
    smaller = np.minimum(2.0 * plus, doubled.sum(axis=1) - 2.0 * plus)
    at_most = np.where(sums <= smaller[:, None], ways, 0.0).sum(axis=1)
    return np.asarray(np.minimum(2.0 * at_most / 2.0**n, 1.0))


def symmetric(m: int, upper: Floats, diagonal: float = 1.0) -> Floats:
    """The symmetric m × m matrix with these values above the diagonal."""
    matrix = np.full((m, m), diagonal)
    first, second = np.triu_indices(m, 1)
    matrix[first, second] = matrix[second, first] = upper
    return matrix


def read_only(array: Any) -> Any:
    """The array, which cannot be written to from now on."""
    array.flags.writeable = False
    return array


def blocks(pairs: int, width: int) -> Iterator[slice]:
    """The pairs in blocks of a bounded number of differences."""
    step = max(1, _BLOCK // width)
    return (slice(start, min(start + step, pairs)) for start in range(0, pairs, step))
