"""Kernel margins: a Gaussian kernel on each observation, with the plug-in bandwidth for the distribution function.

Urbano (2016) smooths with R's `ks::kcde`, whose bandwidth is the two-stage plug-in of Polansky & Baker (2000).
"""

from __future__ import annotations

import math

import numpy as np

from rankscope.inference.resampling import row_blocks
from rankscope.scores import Floats
from rankscope.simulation.tabulated_margins import KNOTS

# Points at which the kernel distribution function is evaluated, and how many bandwidths they extend beyond the data.
_GRID = 1_500
_TAIL = 6.5
_ROOT_2PI = math.sqrt(2.0 * math.pi)
# The most observations from which a bandwidth is computed.
_MOST = 2_000


def plug_in_bandwidth(x: Floats) -> float:
    """The bandwidth that minimises the asymptotic error of the kernel distribution function; 0 for constant data.

    >>> round(plug_in_bandwidth(np.array([1.0, 2.0, 3.0, 4.0])), 3)
    1.605
    """
    n, deviation = len(x), float(np.std(x, ddof=1))
    if deviation == 0.0:
        return 0.0
    u = (x - x.mean()) / deviation
    if n > _MOST:  # all gaps between observations are computed, so of many observations evenly spaced ones are used
        u = np.sort(u)[np.linspace(0, n - 1, _MOST).astype(np.intp)]
    gaps = u[:, None] - u[None, :]
    sixth = -15.0 / (16.0 * math.sqrt(math.pi))  # ψ₆ of the standard normal
    fourth = _functional(gaps, 4, (-6.0 / (_ROOT_2PI * sixth * n)) ** (1 / 7))
    second = _functional(gaps, 2, (2.0 / (_ROOT_2PI * fourth * n)) ** (1 / 5))
    return float(deviation * (1.0 / (math.sqrt(math.pi) * n * -second)) ** (1 / 3))


def _functional(gaps: Floats, order: int, pilot: float) -> float:
    """The kernel estimate of ψ_r = ∫ f⁽ʳ⁾ f from all gaps between observations."""
    u = gaps / pilot
    square = u * u
    hermite = square - 1.0 if order == 2 else square * square - 6.0 * square + 3.0
    return float((hermite * np.exp(-0.5 * square)).mean() / (_ROOT_2PI * pilot ** (order + 1)))


def kernel_quantiles(x: Floats, bandwidth: float, low: float = -math.inf, high: float = math.inf) -> Floats:
    """The quantiles at Φ(KNOTS) of a Gaussian kernel estimate, truncated to [low, high]."""
    from scipy.special import ndtr, ndtri

    if bandwidth == 0.0:
        return np.full(len(KNOTS), x[0])
    start, stop = max(x.min() - _TAIL * bandwidth, low), min(x.max() + _TAIL * bandwidth, high)
    grid = np.linspace(start, stop, _GRID)
    # Each half of the distribution is computed from its own tail, where probabilities are small and exact.
    half = np.where(grid > np.median(x), -1.0, 1.0)
    tail = np.concatenate(
        [
            ndtr(half[rows, None] * (grid[rows, None] - x) / bandwidth).mean(axis=1)
            for rows in row_blocks(len(grid), len(x))
        ]
    )
    if low > -math.inf or high < math.inf:
        cut_low = ndtr((low - x) / bandwidth).mean()
        cut_high = ndtr((x - high) / bandwidth).mean()
        tail = np.clip((tail - np.where(half > 0.0, cut_low, cut_high)) / (1.0 - cut_low - cut_high), 0.0, 1.0)
    z = half * ndtri(tail)
    return np.asarray(np.interp(KNOTS, np.maximum.accumulate(z), grid))


def kernel_density(x: Floats, bandwidth: float, low: float, high: float) -> Floats:
    """The density at the observations of the kernel estimate truncated to [low, high]."""
    from scipy.special import ndtr

    inside = (ndtr((high - x) / bandwidth) - ndtr((low - x) / bandwidth)).mean()
    heights = [
        np.exp(-0.5 * np.square((x[rows, None] - x[None, :]) / bandwidth)).mean(axis=1)
        for rows in row_blocks(len(x), len(x))
    ]
    return np.asarray(np.concatenate(heights) / (_ROOT_2PI * bandwidth * inside))
