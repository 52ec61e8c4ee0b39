"""Product-moment correlation of scores and of ranks."""

import numpy as np

from rankscope.kernels.compiled import Floats, Integers, compiled
from rankscope.kernels.sorting import row_of


@compiled
def geometric_mean(a: float, b: float) -> float:
    """√(ab), exact where a = b, without overflow or underflow of the product."""
    product = a * b
    return float(np.sqrt(product) if 1e-290 < product < 1e290 else np.sqrt(a) * np.sqrt(b))


@compiled
def _correlate(x: Floats, y: Floats, x_shift: float, y_shift: float) -> float:
    """Pearson's ρ of two lists, nan if either is constant; the shifts cancel and only save digits."""
    m = x.shape[0]
    x_mean, y_mean = 0.0, 0.0
    for i in range(m):
        x_mean += x[i] - x_shift
        y_mean += y[i] - y_shift
    x_mean /= m
    y_mean /= m
    xx, xy, yy = 0.0, 0.0, 0.0
    for i in range(m):
        dx = (x[i] - x_shift) - x_mean
        dy = (y[i] - y_shift) - y_mean
        xx += dx * dx
        xy += dx * dy
        yy += dy * dy
    if xx <= 0.0 or yy <= 0.0:
        return np.nan
    return float(xy / geometric_mean(xx, yy))


@compiled
def pearson(truth: Floats, estimate: Floats) -> Floats:
    """Pearson's ρ; scores are shifted by the first, so that close scores keep their digits."""
    rows = max(truth.shape[0], estimate.shape[0])
    out = np.empty(rows, dtype=np.float64)
    for row in range(rows):
        x, y = row_of(truth, row), row_of(estimate, row)
        out[row] = _correlate(x, y, x[0], y[0])
    return out


@compiled
def _mean_ranks(values: Floats, order: Integers, ranks: Floats) -> None:
    """Ranks from 1, greatest first; tied values share their mean rank."""
    m = order.shape[0]
    start = 0
    for end in range(1, m + 1):
        if end == m or values[order[end]] != values[order[start]]:
            rank = (start + end + 1) / 2.0
            for i in range(start, end):
                ranks[order[i]] = rank
            start = end


@compiled
def spearman(truth: Floats, estimate: Floats, truth_order: Integers, estimate_order: Integers) -> Floats:
    """Pearson's ρ of the mean ranks."""
    rows = max(truth.shape[0], estimate.shape[0])
    m = truth.shape[1]
    out = np.empty(rows, dtype=np.float64)
    x, y = np.empty(m), np.empty(m)
    for row in range(rows):
        t, e = min(row, len(truth) - 1), min(row, len(estimate) - 1)
        if row == 0 or len(truth) > 1:
            _mean_ranks(truth[t], truth_order[t], x)
        if row == 0 or len(estimate) > 1:
            _mean_ranks(estimate[e], estimate_order[e], y)
        out[row] = _correlate(x, y, 0.0, 0.0)
    return out
