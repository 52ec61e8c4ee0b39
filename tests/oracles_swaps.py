"""Literal, slow twins of the studies of swaps, weights, gaps and reorderings."""

from __future__ import annotations

import math

import rankscope as rs


def swapped(truth: list[float], pairs: list[tuple[int, int]]) -> list[float]:
    """The scores once each pair, in turn, has exchanged what it has."""
    scores = list(truth)
    for a, b in pairs:
        scores[a], scores[b] = scores[b], scores[a]
    return scores


def losses(truth: list[float], name: str) -> dict[tuple[int, int], float]:
    """1 − coefficient after swapping each pair alone (Gao & Oard 2015, section 4.2, steps 1 to 3)."""
    one = rs.coefficient(name)
    found = {}
    for i in range(len(truth)):
        for j in range(i + 1, len(truth)):
            found[i, j] = 1.0 - float(one(truth, swapped(truth, [(i, j)])))
    return found


def pearson_rank_eq1(x: list[float], y: list[float]) -> float:
    """Eq. 1 of Gao, Bagdouri & Oard (2016) on lists that stand in order; what is 0/0 counts 0."""
    total, weights = 0.0, 0.0
    for i in range(1, len(x)):
        a = [x[j] - x[i] for j in range(i)]
        b = [y[j] - y[i] for j in range(i)]
        below = math.sqrt(math.fsum(u * u for u in a) * math.fsum(v * v for v in b))
        total += x[i] * (math.fsum(u * v for u, v in zip(a, b, strict=True)) / below if below else 0.0)
        weights += x[i]
    return total / weights if weights else math.nan


def inversions(ranks: list[int]) -> int:
    """Pairs in the opposite order, by looking at each."""
    return sum(ranks[i] > ranks[j] for i in range(len(ranks)) for j in range(i + 1, len(ranks)))
