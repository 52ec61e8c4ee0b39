"""The rank distance by its definition (Carterette 2009, Eq. 2), in two ways that share nothing with the kernel.

`exhaustive` tries every set of active constraints in exact fractions: for few systems, and beyond doubt.
`by_least_squares` hands the problem to scipy's non-negative least squares, on the scores themselves and not on their
covariance (Lawson & Hanson 1974, chapter 23: least distance programming). Orders are column numbers, best first;
higher scores are better.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from scipy.optimize import nnls

Matrix = list[list[Fraction]]


def decimal(score: float) -> Fraction:
    """The score as it is printed: 0.1 is a tenth."""
    return Fraction(repr(float(score)))


def problem(scores: Sequence[Sequence[float]], order: Sequence[int], ridge: float) -> tuple[list[Fraction], Matrix]:
    """μ_Δ and Σ_Δ (Algorithm 1, lines 2 to 4)."""
    n = len(scores)
    differences = [[decimal(row[a]) - decimal(row[b]) for a, b in itertools.pairwise(order)] for row in scores]
    means = [sum(column) / n for column in zip(*differences, strict=True)]
    centred = [[value - mean for value, mean in zip(row, means, strict=True)] for row in differences]
    k = len(means)
    covariance = [
        [
            sum(row[i] * row[j] for row in centred) / (n - 1) + (Fraction(repr(float(ridge))) if i == j else 0)
            for j in range(k)
        ]
        for i in range(k)
    ]
    return means, covariance


def solve(matrix: Matrix, right: list[Fraction]) -> list[Fraction] | None:
    """Gauss–Jordan elimination; None where the matrix is singular."""
    k = len(right)
    rows = [[*matrix[i], right[i]] for i in range(k)]
    for j in range(k):
        pivot = next((i for i in range(j, k) if rows[i][j] != 0), None)
        if pivot is None:
            return None
        rows[j], rows[pivot] = rows[pivot], rows[j]
        rows[j] = [value / rows[j][j] for value in rows[j]]
        for i in range(k):
            if i != j and rows[i][j] != 0:
                rows[i] = [a - rows[i][j] * b for a, b in zip(rows[i], rows[j], strict=True)]
    return [row[k] for row in rows]


def exhaustive(
    scores: Sequence[Sequence[float]], order: Sequence[int], ridge: float = 0.0
) -> tuple[float, list[float]]:
    """The distance and θ: λ ≥ 0, θ = μ_Δ + Σ_Δ λ ≥ 0, λ'θ = 0, over all sets of active constraints.

    Where there is a solution at all, one has independent active rows; where there is none, the distance is infinite.
    """
    means, covariance = problem(scores, order, ridge)
    k = len(means)
    for size in range(k + 1):
        for active in itertools.combinations(range(k), size):
            block = [[covariance[i][j] for j in active] for i in active]
            multipliers = solve(block, [-means[i] for i in active])
            if multipliers is None or any(value < 0 for value in multipliers):
                continue
            theta = [
                means[i] + sum(covariance[i][j] * v for j, v in zip(active, multipliers, strict=True)) for i in range(k)
            ]
            if all(value >= 0 for value in theta):
                square = -len(scores) * sum(means[i] * v for i, v in zip(active, multipliers, strict=True))
                return math.sqrt(square), [float(value) for value in theta]
    return math.inf, []


def by_least_squares(scores: np.ndarray, order: Sequence[int], ridge: float = 0.0) -> float:
    """The distance by scipy's `nnls`: min ‖x‖ s.t. Gx ≥ −μ_Δ, where GG' = Σ_Δ."""
    differences = -np.diff(np.asarray(scores, dtype=float)[:, list(order)], axis=1)
    n, k = differences.shape
    means = differences.mean(axis=0)
    factor = (differences - means) / math.sqrt(n - 1)
    if ridge:
        factor = np.vstack([factor, math.sqrt(ridge) * np.eye(k)])
    # Every constraint may be scaled by itself, and all means together; nnls stops at absolute tolerances.
    norms = np.linalg.norm(factor, axis=0)
    scale = np.where(norms > 0, norms, 1.0)
    factor, means = factor / scale, means / scale
    size = max(float(np.abs(means).max()), 1e-300)
    answer, _ = nnls(np.vstack([factor, -means / size]), np.append(np.zeros(len(factor)), 1.0), maxiter=100 * k)
    point, last = factor @ answer, float(-means @ answer / size) - 1.0
    if -last < 1e-12:
        return math.inf
    return math.sqrt(n) * float(np.linalg.norm(point / last)) * size


def over_ties(
    scores: Sequence[Sequence[float]], estimate: Sequence[float], ridge: float = 0.0
) -> tuple[float, float, float]:
    """The least, mean and greatest distance over all orders in which no system stands above a better one."""
    systems = range(len(estimate))
    orders = [
        order
        for order in itertools.permutations(systems)
        if all(estimate[a] >= estimate[b] for a, b in itertools.pairwise(order))
    ]
    distances = [exhaustive(scores, order, ridge)[0] for order in orders]
    return min(distances), sum(distances) / len(distances), max(distances)
