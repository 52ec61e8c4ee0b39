"""Medians of systems over resampled topics."""

import numpy as np

from libc.math cimport NAN, isnan
from libc.stdint cimport int64_t


def weighted_medians(const double[:, :] values, const int64_t[:, ::1] order, const double[:, ::1] counts):
    """The median of each column, each row counted as often as `counts` says (draws × rows).

    `order` has the rows of each column from the least value up (columns × rows). With an even number of rows the
    median is halfway between the two in the middle.
    """
    cdef Py_ssize_t draws = counts.shape[0], rows = counts.shape[1], columns = values.shape[1]
    cdef Py_ssize_t draw, row, column, place
    cdef double[:, ::1] out = np.full((draws, columns), NAN)
    cdef double total, below, lower, value, count
    cdef const int64_t* by
    cdef const double* times
    with nogil:
        for draw in range(draws):
            times = &counts[draw, 0]
            total = 0.0
            for row in range(rows):
                total += times[row]
            for column in range(columns):
                by = &order[column, 0]
                below = 0.0
                lower = NAN
                for place in range(rows):
                    row = by[place]
                    count = times[row]
                    if count == 0.0:
                        continue
                    below += count
                    value = values[row, column]
                    if below * 2.0 == total:
                        lower = value  # half of them end here; the other one of the middle comes next
                    elif below * 2.0 > total:
                        out[draw, column] = value if isnan(lower) else lower + (value - lower) / 2.0
                        break
    return out.base
