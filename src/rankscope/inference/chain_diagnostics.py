"""Convergence diagnostics of several Markov chains (Vehtari et al. 2021): split-R̂ and effective sample size.

allowed_ranks.py reports them for its walks.
"""

from __future__ import annotations

import numpy as np

from rankscope.scores import Floats


def split_rhat(values: Floats) -> float:
    """The rank-normalised split-R̂ of chains × draws: the greater of that of the values and of their spread.

    1 is best; a quantity that never changes has 1.

    >>> split_rhat(np.array([[1.0, 2.0, 1.0, 2.0], [2.0, 1.0, 2.0, 1.0]]))
    1.0
    """
    if np.ptp(values) == 0.0:
        return 1.0
    halves = _halves(values)
    return max(_rhat(_normalised(halves)), _rhat(_normalised(np.abs(halves - np.median(halves)))))


def effective_draws(values: Floats) -> float:
    """The bulk effective sample size of chains × draws.

    >>> effective_draws(np.zeros((2, 8)))
    16.0
    """
    if np.ptp(values) == 0.0:
        return float(values.size)
    halves = _normalised(_halves(values))
    chains, draws = halves.shape
    centred = halves - halves.mean(axis=1, keepdims=True)
    waves = np.fft.rfft(centred, 2 * draws, axis=1)
    covariance = np.fft.irfft(np.abs(waves) ** 2, axis=1)[:, :draws].mean(axis=0) / draws
    within = covariance[0] * draws / (draws - 1)
    total = covariance[0] + halves.mean(axis=1).var(ddof=1)
    correlation = 1.0 - (within - covariance * draws / (draws - 1)) / total
    correlation[0] = 1.0
    # Geyer's initial monotone sequence: sums of two neighbours are positive and decrease.
    pairs = correlation[: draws // 2 * 2].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs <= 0.0)
    pairs = np.minimum.accumulate(pairs[: negative[0] if len(negative) else None])
    time = max(2.0 * float(pairs.sum()) - 1.0, 1.0 / np.log10(chains * draws))
    return float(chains * draws / time)


def _halves(values: Floats) -> Floats:
    half = values.shape[1] // 2
    return np.concatenate([values[:, :half], values[:, values.shape[1] - half :]])


def _normalised(halves: Floats) -> Floats:
    """Normal scores of the ranks among all draws."""
    from scipy.special import ndtri
    from scipy.stats import rankdata

    return np.asarray(ndtri((rankdata(halves).reshape(halves.shape) - 0.375) / (halves.size + 0.25)))


def _rhat(halves: Floats) -> float:
    draws = halves.shape[1]
    within = halves.var(axis=1, ddof=1).mean()
    between = halves.mean(axis=1).var(ddof=1)
    if within == 0.0:
        return 1.0 if between == 0.0 else float("inf")
    return max(float(np.sqrt((draws - 1) / draws + between / within)), 1.0)
