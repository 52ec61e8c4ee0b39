"""Product-moment correlation of scores and of ranks."""

import numpy as np

from libc.math cimport NAN
from libc.stdint cimport int64_t

from rankscope.kernels.sorting cimport row_of


cdef double _correlate(const double* x, const double* y, Py_ssize_t m, double x_shift, double y_shift) noexcept nogil:
    """Pearson's ρ of two lists, nan if either is constant; the shifts cancel and only save digits."""
    cdef double x_mean = 0.0, y_mean = 0.0, xx = 0.0, xy = 0.0, yy = 0.0, dx, dy
    cdef Py_ssize_t i
    for i in range(m):
        x_mean += x[i] - x_shift
        y_mean += y[i] - y_shift
    x_mean /= m
    y_mean /= m
    for i in range(m):
        dx = (x[i] - x_shift) - x_mean
        dy = (y[i] - y_shift) - y_mean
        xx += dx * dx
        xy += dx * dy
        yy += dy * dy
    if xx <= 0.0 or yy <= 0.0:
        return NAN
    return xy / geometric_mean(xx, yy)


def pearson(const double[:, ::1] truth, const double[:, ::1] estimate):
    """Pearson's ρ; scores are shifted by the first, so that close scores keep their digits."""
    cdef Py_ssize_t rows = max(truth.shape[0], estimate.shape[0]), m = truth.shape[1], row
    cdef double[::1] out = np.empty(rows)
    cdef const double* x
    cdef const double* y
    with nogil:
        for row in range(rows):
            x, y = row_of(truth, row), row_of(estimate, row)
            out[row] = _correlate(x, y, m, x[0], y[0])
    return out.base


cdef void _mean_ranks(const double* values, const int64_t* order, Py_ssize_t m, double* ranks) noexcept nogil:
    """Ranks from 1, greatest first; tied values share their mean rank."""
    cdef Py_ssize_t start = 0, end, i
    cdef double rank
    for end in range(1, m + 1):
        if end == m or values[order[end]] != values[order[start]]:
            rank = (start + end + 1) / 2.0
            for i in range(start, end):
                ranks[order[i]] = rank
            start = end


def spearman(
    const double[:, ::1] truth,
    const double[:, ::1] estimate,
    const int64_t[:, ::1] truth_order,
    const int64_t[:, ::1] estimate_order,
):
    """Pearson's ρ of the mean ranks."""
    cdef Py_ssize_t rows = max(truth.shape[0], estimate.shape[0]), m = truth.shape[1], row
    cdef double[::1] out = np.empty(rows), x = np.empty(m), y = np.empty(m)
    with nogil:
        for row in range(rows):
            if row == 0 or truth.shape[0] > 1:
                _mean_ranks(row_of(truth, row), row_of(truth_order, row), m, &x[0])
            if row == 0 or estimate.shape[0] > 1:
                _mean_ranks(row_of(estimate, row), row_of(estimate_order, row), m, &y[0])
            out[row] = _correlate(&x[0], &y[0], m, 0.0, 0.0)
    return out.base
