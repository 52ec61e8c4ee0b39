"""Literal twins of the studies of measures: loops over definitions, with numpy and scipy only."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy import stats

# Sheffield (1985), the covariance in the authors' repository, upper triangle by rows.
_SHEFFIELD = (
    (53.32, 27.41, 35.74, 5.86, 36.04, 33.56, 7.77),
    (17.01, 21.35, 11.36, 29.35, 21.29, 4.13),
    (31.66, 20.01, 46.46, 31.03, 6.69),
    (131.71, 131.64, 38.14, 8.26),
    (210.83, 86.25, 19.10),
    (50.01, 11.51),
    (9.80,),
)


def sheffield():
    matrix = np.zeros((7, 7))
    for i, row in enumerate(_SHEFFIELD):
        matrix[i, i:] = row
        matrix[i:, i] = row
    return matrix


def correlation(x, y):
    """Pearson's definition, by exact sums."""
    n = len(x)
    mx, my = math.fsum(x) / n, math.fsum(y) / n
    xy = math.fsum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    xx, yy = math.fsum((a - mx) ** 2 for a in x), math.fsum((b - my) ** 2 for b in y)
    return xy / math.sqrt(xx * yy)


def pairwise(rows, coefficient, least=3):
    """A coefficient between every two columns, over the rows in which neither is missing, and how many these are."""
    width = len(rows[0])
    values, counts = np.full((width, width), np.nan), np.zeros((width, width), dtype=int)
    for i in range(width):
        for j in range(width):
            shared = [(row[i], row[j]) for row in rows if not (math.isnan(row[i]) or math.isnan(row[j]))]
            counts[i, j] = len(shared)
            first, second = [a for a, _ in shared], [b for _, b in shared]
            if i == j:
                values[i, j] = 1.0
            elif len(shared) >= least and len(set(first)) > 1 and len(set(second)) > 1:
                values[i, j] = coefficient(first, second)
    return values, counts


def resampled_covariance(cells, counts):
    """The covariance over cells (topics × systems × measures) with each topic as often as it is counted."""
    rows = [row for topic, count in zip(cells, counts, strict=True) for _ in range(int(count)) for row in topic]
    return np.cov(np.array(rows).T)


def average_linkage(correlations):
    """Merges as (members, members, mean correlation), by looking for the closest pair of clusters at every step."""
    clusters: list[tuple[int, ...]] = [(i,) for i in range(len(correlations))]
    merges = []
    while len(clusters) > 1:

        def apart(pair):
            return np.mean([1.0 - correlations[i, j] for i in pair[0] for j in pair[1]])

        first, second = min(itertools.combinations(clusters, 2), key=apart)
        merges.append((set(first), set(second), 1.0 - apart((first, second))))
        clusters = [c for c in clusters if c not in (first, second)] + [first + second]
    return merges


def regression(predictors, target):
    """Least squares with an intercept."""
    design = np.column_stack([np.ones(len(target)), predictors])
    return np.linalg.lstsq(design, target, rcond=None)[0]


def predicted(weights, predictors):
    return weights[0] + predictors @ weights[1:]


def r_squared(truth, estimate):
    return 1.0 - np.sum((truth - estimate) ** 2) / np.sum((truth - truth.mean()) ** 2)


def scored_subsets(train, judged, target, size):
    """Subset → (τ_b, R²) on the judged rows, a fit each."""
    found = {}
    others = [m for m in range(train.shape[1]) if m != target]
    for subset in itertools.combinations(others, size):
        columns = list(subset)
        weights = regression(train[:, columns], train[:, target])
        estimate = predicted(weights, judged[:, columns])
        # What differs by rounding alone is tied.
        tau = stats.kendalltau(judged[:, target], np.round(estimate, 11)).statistic
        found[subset] = (tau, r_squared(judged[:, target], estimate))
    return found


def prediction_interval(predictors, target, point, level):
    """ŷ and half the width, by the textbook: t s √(1 + x'(X'X)⁻¹x) with the intercept in X."""
    design = np.column_stack([np.ones(len(target)), predictors])
    row = np.concatenate([[1.0], point])
    weights = np.linalg.solve(design.T @ design, design.T @ target)
    freedom = len(target) - design.shape[1]
    variance = np.sum((target - design @ weights) ** 2) / freedom
    leverage = row @ np.linalg.inv(design.T @ design) @ row
    half = stats.t.ppf((1.0 + level) / 2.0, freedom) * math.sqrt(variance * (1.0 + leverage))
    return row @ weights, half


def left_out_coverage(predictors, target, level):
    """The share of rows within their interval, each left out of a fit of its own."""
    inside = 0
    for i in range(len(target)):
        rest = np.arange(len(target)) != i
        value, half = prediction_interval(predictors[rest], target[rest], predictors[i], level)
        inside += abs(value - target[i]) <= half
    return inside / len(target)


def sheffield_backward(matrix):
    """Sheffield's own scheme: the determinant of every set with one measure less, the greatest kept."""
    left, removed = list(range(len(matrix))), []
    while len(left) > 1:

        def without(i, left=left):
            rest = [j for j in left if j != i]
            return np.linalg.slogdet(matrix[np.ix_(rest, rest)])[1]

        worst = max(left, key=without)
        left.remove(worst)
        removed.append(worst)
    return (left[0], *reversed(removed))


def algorithm_2(matrix):
    """Greedy forward, as printed: the sum over what is not yet chosen, then the update of what is not yet chosen."""
    sigma = matrix.copy()
    left, order = set(range(len(matrix))), []
    while left:
        gain = {i: sum(sigma[i, j] ** 2 for j in left) / sigma[i, i] for i in left}
        chosen = max(sorted(left), key=gain.__getitem__)
        left.remove(chosen)
        order.append(chosen)
        old = sigma.copy()
        for i in left:
            for j in left:
                sigma[i, j] = old[i, j] - old[i, chosen] * old[chosen, j] / old[chosen, chosen]
    return tuple(order)


def algorithm_1_as_printed(matrix):
    """Iterative backward with line 7 taken literally: the covariance is updated as if what is removed were given."""
    left, sigma, removed = list(range(len(matrix))), matrix.copy(), []
    while len(left) > 1:
        inverse = np.linalg.inv(sigma)
        at = int(np.argmax(np.diagonal(inverse)))
        sigma = sigma - np.outer(sigma[:, at], sigma[at]) / sigma[at, at]
        sigma = np.delete(np.delete(sigma, at, 0), at, 1)
        removed.append(left.pop(at))
    return (left[0], *reversed(removed))


def row_sums(matrix):
    left, order = list(range(len(matrix))), []
    while left:
        chosen = max(left, key=lambda i: sum(matrix[i, j] for j in left))
        order.append(chosen)
        left.remove(chosen)
    return tuple(order)


def greatest_determinant(matrix, size):
    """The greatest log determinant of any set of this size, by trying all."""
    return max(
        np.linalg.slogdet(matrix[np.ix_(subset, subset)])[1]
        for subset in itertools.combinations(range(len(matrix)), size)
    )
