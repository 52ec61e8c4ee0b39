"""Tests of one pair of systems as their authors define them, in loops over exact fractions: slow, literal twins.

`x` and `y` are two systems' scores on the same topics. Scores are read as the decimals they print as.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

Scores = Sequence[float]


def exact(scores: Scores) -> list[Fraction]:
    return [Fraction(repr(float(score))) for score in scores]


def total(values: Iterable[Fraction]) -> Fraction:
    return sum(values, Fraction())


def differences(x: Scores, y: Scores) -> list[Fraction]:
    return [a - b for a, b in zip(exact(x), exact(y), strict=True)]


def randomisation(x: Scores, y: Scores) -> float:
    """The share of all 2ⁿ assignments of signs to the differences whose sum is as far from zero (Fisher 1935)."""
    d = differences(x, y)
    sums = [
        abs(total(s * v for s, v in zip(signs, d, strict=True))) for signs in itertools.product((1, -1), repeat=len(d))
    ]
    return sum(s >= abs(total(d)) for s in sums) / len(sums)


def signed_ranks(d: Sequence[Fraction]) -> list[tuple[int, Fraction]]:
    """Sign and mean rank by size of each difference that is not zero."""
    kept = [v for v in d if v != 0]
    ranks = []
    for v in kept:
        below = sum(abs(w) < abs(v) for w in kept)
        level = sum(abs(w) == abs(v) for w in kept)
        ranks.append((1 if v > 0 else -1, below + Fraction(level + 1, 2)))
    return ranks


def wilcoxon(x: Scores, y: Scores) -> tuple[float, float]:
    """W+ and its two-sided p over all signs of the ranks, twice the smaller tail (Wilcoxon 1945)."""
    ranked = signed_ranks(differences(x, y))
    plus = sum(rank for sign, rank in ranked if sign > 0)
    sums = [
        sum(rank for chosen, (_, rank) in zip(signs, ranked, strict=True) if chosen)
        for signs in itertools.product((True, False), repeat=len(ranked))
    ]
    tail = min(sum(s <= plus for s in sums), sum(s >= plus for s in sums))
    return float(plus), min(1.0, 2 * tail / len(sums))


def squared_t(d: Sequence[Fraction]) -> Fraction | float:
    """t² of the mean of d; ∞ where all are the same and not zero."""
    n = len(d)
    mean = total(d) / n
    variance = sum((v - mean) ** 2 for v in d) / (n - 1)
    if variance == 0:
        return math.inf
    return mean**2 / (variance / n)


def bootstrap(x: Scores, y: Scores) -> float:
    """The share of all nⁿ resamples of the shifted differences whose |t| is as great (Sakai 2006).

    A resample without deviation counts; so does every resample where the observed t is 0.
    """
    d = differences(x, y)
    observed, mean = squared_t(d), total(d) / len(d)
    shifted = [v - mean for v in d]
    resamples = list(itertools.product(shifted, repeat=len(d)))
    return sum(squared_t(resample) >= observed for resample in resamples) / len(resamples)


def tukey(table: Sequence[Scores], i: int, j: int) -> float:
    """The share of all shuffles within topics (rows) whose greatest less least sum reaches the pair's difference."""
    rows = [exact(row) for row in table]
    gap = abs(total(row[i] for row in rows) - total(row[j] for row in rows))
    ranges = []
    for shuffled in itertools.product(*(list(itertools.permutations(row)) for row in rows)):
        sums = [total(column) for column in zip(*shuffled, strict=True)]
        ranges.append(max(sums) - min(sums))
    return sum(r >= gap for r in ranges) / len(ranges)


# --- corrections: the least level at which the procedure rejects -------------


def bonferroni(p: Sequence[float], i: int) -> float:
    """Rejects p_i at α where p_i ≤ α/N."""
    return min(1.0, p[i] * len(p))


def holm(p: Sequence[float], i: int) -> float:
    """From the least p up, rejects while the k-th is at most α/(N − k + 1): so as α reaches all of those before."""
    ordered = sorted(p)
    place = ordered.index(p[i])
    return min(1.0, max(ordered[k] * (len(p) - k) for k in range(place + 1)))


def bh(p: Sequence[float], i: int) -> float:
    """Rejects all up to the greatest k whose p is at most αk/N: so as α reaches any of those from here on."""
    ordered = sorted(p)
    place = ordered.index(p[i])
    return min(1.0, *(ordered[k] * len(p) / (k + 1) for k in range(place, len(p))))
