"""Agreement by topic as its papers define it, in loops: topics × systems, None for a missing score."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

from oracles import sign

Table = Sequence[Sequence[float | None]]


def groups(truth: Table, estimate: Table, by: str) -> list[list[tuple[float, float]]]:
    """The cells that both sides have, by topic, by system, or all."""
    cells = [[(a, b) for a, b in zip(x, y, strict=True)] for x, y in zip(truth, estimate, strict=True)]
    if by == "system":
        cells = [list(column) for column in zip(*cells, strict=True)]
    if by == "none":
        cells = [[cell for row in cells for cell in row]]
    return [[(a, b) for a, b in row if a is not None and b is not None] for row in cells]


def accuracy(truth: Table, estimate: Table, by: str, epsilon: float) -> float:
    """The mean over groups of the share of pairs that both sides order, or tie, alike; the estimate ties within ε."""
    shares = []
    for cells in groups(truth, estimate, by):
        pairs = list(itertools.combinations(cells, 2))
        right = 0
        for (a, b), (c, d) in pairs:
            difference = 0 if abs(b - d) <= epsilon * (1 + 1e-9) else b - d
            right += sign(a - c) == sign(difference)
        if pairs:
            shares.append(Fraction(right, len(pairs)))
    return float(sum(shares) / len(shares))


def tie_calibrated(truth: Table, estimate: Table, by: str) -> tuple[float, float]:
    """The greatest accuracy over every difference of two scores, and the least ε that has it (Deutsch et al. 2023)."""
    gaps = {0.0} | {
        abs(b - d) for cells in groups(truth, estimate, by) for (_, b), (_, d) in itertools.combinations(cells, 2)
    }
    tried = {epsilon: accuracy(truth, estimate, by, epsilon) for epsilon in sorted(gaps)}
    best = max(tried.values())
    return best, min(epsilon for epsilon, value in tried.items() if value > best - 1e-12)


def better(scores: Table, i: int, j: int) -> Fraction:
    """p that system i is better than j: of all patterns of signs, those with a greater sum, and half of the equal."""
    differences = [Fraction(str(row[i])) - Fraction(str(row[j])) for row in scores]  # 0.1 is a tenth
    observed = sum(differences, Fraction(0))
    beyond = Fraction(0)
    for signs in itertools.product((1, -1), repeat=len(differences)):
        total = sum(s * d for s, d in zip(signs, differences, strict=True))
        beyond += 1 if total > observed else Fraction(1, 2) if total == observed else 0
    return beyond * Fraction(1, 1 << len(differences))


def soft_accuracy(truth: Table, estimate: Table) -> float:
    """The mean over pairs of 1 − |difference of p-values| (Thompson et al. 2024, Eq. 3)."""
    pairs = list(itertools.combinations(range(len(truth[0])), 2))
    return float(1 - sum(abs(better(truth, i, j) - better(estimate, i, j)) for i, j in pairs) / len(pairs))
