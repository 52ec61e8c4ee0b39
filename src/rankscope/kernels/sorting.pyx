"""Rows of both sides in the order of one; what several kernels sort with is in `sorting.pxd`."""

import numpy as np

from libc.stdint cimport int64_t


def arrange(const double[:, ::1] key, const double[:, ::1] other, const int64_t[:, ::1] order):
    """Both lists of every row by descending `key` (that is, in `order`), then by descending `other`."""
    cdef Py_ssize_t rows = max(key.shape[0], other.shape[0]), m = order.shape[1]
    cdef double[:, ::1] keys = np.empty((rows, m)), others = np.empty((rows, m))
    cdef const double* key_row
    cdef const double* other_row
    cdef const int64_t* by
    cdef double* sorted_keys
    cdef double* sorted_others
    cdef Py_ssize_t row, start, end, i
    with nogil:
        for row in range(rows):
            key_row, other_row, by = row_of(key, row), row_of(other, row), row_of(order, row)
            sorted_keys, sorted_others = &keys[row, 0], &others[row, 0]
            for i in range(m):
                sorted_keys[i] = key_row[by[i]]
                sorted_others[i] = other_row[by[i]]
            start = 0
            for end in range(1, m + 1):
                if end == m or sorted_keys[end] != sorted_keys[start]:
                    if end - start > 1:
                        sort_descending(sorted_others, start, end)
                    start = end
    return keys.base, others.base
