"""Soft pairwise accuracy (Thompson et al. 2024): arrays in and out.

p_ij is the one-sided p-value, by a paired permutation test over topics, that system i is better than system j; SPA is
the mean over pairs of 1 − |p_ij of the truth − p_ij of the estimate|.
"""

from __future__ import annotations

import numpy as np

from rankscope.inference.closed_tests import comparable
from rankscope.inference.resampled_tests import all_signs
from rankscope.inference.resampling import CHUNK, Draws
from rankscope.scores import Floats


def soft_accuracy(truth: Floats, estimate: Floats, draws: Draws) -> float:
    """SPA of two tables (topics × systems) with the same systems; the same random signs serve both."""
    upper = np.triu_indices(truth.shape[1], 1)
    return float(1.0 - np.abs(one_sided(truth, draws)[upper] - one_sided(estimate, draws)[upper]).mean())


def one_sided(values: Floats, draws: Draws) -> Floats:
    """p_ij for all pairs of systems, from one product of signs × topics with topics × systems.

    A draw in which the difference equals the observed one counts half, so that p_ij + p_ji = 1 and the order of the
    systems does not matter; the observed difference is such a draw. WMT's program counts such draws in full, and looks
    at each pair in the order in which systems are listed. If there are at most as many patterns of signs as draws, all
    are tried.
    """
    n, m = values.shape
    units, tolerance = comparable(values)
    sizes = np.abs(units).sum(axis=0)
    sums = units.sum(axis=0)

    def exceeding(signs: Floats) -> Floats:
        null = signs @ units
        found = np.zeros((m, m))
        for i in range(m - 1):
            beyond = (null[:, i, None] - null[:, i + 1 :]) - (sums[i] - sums[i + 1 :])
            slack = tolerance * (sizes[i] + sizes[i + 1 :])
            found[i, i + 1 :] = (beyond > slack).sum(axis=0) + 0.5 * (np.abs(beyond) <= slack).sum(axis=0)
        return found

    if n < 63 and 2**n <= draws.resamples:
        half = 2 ** (n - 1)  # patterns that begin with +, and their opposites
        patterns = (all_signs(n, start, min(start + CHUNK, half)).T for start in range(0, half, CHUNK))
        p = sum(exceeding(signs) + exceeding(-signs) for signs in patterns) / 2**n
    else:
        parts = draws.each(lambda rng, size: exceeding(rng.choice([-1.0, 1.0], (size, n))))
        p = (0.5 + sum(parts)) / (1 + draws.resamples)
    upper = np.triu(np.asarray(p, dtype=np.float64), 1)
    return np.asarray(upper + np.tril(1.0 - upper.T, -1) + 0.5 * np.eye(m))


def quick_accuracy(truth: Floats, estimate: Floats, counts: Floats, other: Floats) -> Floats:
    """SPA in each draw of topics (a row of counts for each side), with the normal limit of the permutation test."""
    upper = np.triu_indices(truth.shape[1], 1)
    x, y = (side - side.mean(axis=1, keepdims=True) for side in (truth, estimate))
    drawn = zip(counts, other, strict=True)
    return np.array([1.0 - np.abs((_normal(x, a) - _normal(y, b))[upper]).mean() for a, b in drawn])


def _normal(values: Floats, counts: Floats) -> Floats:
    """p_ij by the normal limit: with random signs, a sum of differences has variance Σ d²."""
    from scipy.special import ndtr

    weighted = counts[:, None] * values
    products = values.T @ weighted
    squares = np.diag(products)
    sums = weighted.sum(axis=0)
    spread = np.sqrt(np.maximum(squares[:, None] + squares[None, :] - 2.0 * products, 0.0))
    gaps = sums[:, None] - sums[None, :]
    with np.errstate(invalid="ignore", divide="ignore"):
        z = np.where(spread > 1e-12 * np.sqrt(squares.max(initial=0.0)), gaps / spread, 0.0)
    return np.asarray(ndtr(-z))
