"""Sorted rows with ties, and the merge sort that counts pairs in O(m log m).

Merges go over values[left:middle] and values[middle:right], both sorted, greatest first.
"""

from libc.stdint cimport int64_t

# Short blocks are sorted by insertion before they are merged.
cdef enum:
    _SHORT = 8

ctypedef fused _Number:
    double
    int64_t


cdef struct Placed:
    # Values, and the places that they had before sorting.
    double* values
    int64_t* places


cdef inline const _Number* row_of(const _Number[:, ::1] rows, Py_ssize_t row) noexcept nogil:
    """The row with this number, or the only row."""
    return &rows[min(row, rows.shape[0] - 1), 0]


cdef inline void copy_row(const double* source, double* target, Py_ssize_t m) noexcept nogil:
    """Copy a list into another of its length."""
    cdef Py_ssize_t i
    for i in range(m):
        target[i] = source[i]


cdef inline void sort_descending(double* values, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Sort values[start:end] in place, greatest first: Shell's sort, fast on short runs."""
    cdef Py_ssize_t gap = 1, i, j
    cdef double value
    while 3 * gap < end - start:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(start + gap, end):
            value = values[i]
            j = i
            while j >= start + gap and values[j - gap] < value:
                values[j] = values[j - gap]
                j -= gap
            values[j] = value
        gap //= 3


cdef inline Py_ssize_t count_ascents(double* values, double* spare, Py_ssize_t m) noexcept nogil:
    """The number of pairs i < j with values[i] < values[j]; `values` ends sorted, greatest first (Knight 1966)."""
    cdef Py_ssize_t ascents = 0, width = _SHORT, left = 0, middle, right, i, j, k
    cdef double* source = values
    cdef double* target = spare
    cdef double value
    while left < m:
        for i in range(left + 1, min(left + _SHORT, m)):
            value = values[i]
            j = i - 1
            while j >= left and values[j] < value:
                values[j + 1] = values[j]
                j -= 1
            values[j + 1] = value
            ascents += i - 1 - j
        left += _SHORT
    while width < m:
        left = 0
        while left < m:
            middle = min(left + width, m)
            right = min(middle + width, m)
            i, j, k = left, middle, left
            while i < middle and j < right:
                if source[i] >= source[j]:
                    target[k] = source[i]
                    i += 1
                else:
                    target[k] = source[j]
                    ascents += middle - i
                    j += 1
                k += 1
            while i < middle:
                target[k] = source[i]
                i += 1
                k += 1
            while j < right:
                target[k] = source[j]
                j += 1
                k += 1
            left += 2 * width
        source, target = target, source
        width *= 2
    if source is not values:
        copy_row(source, values, m)
    return ascents


cdef inline Py_ssize_t tied_pairs(const double* values, Py_ssize_t m) noexcept nogil:
    """The number of pairs with equal values in a sorted list."""
    cdef Py_ssize_t pairs = 0, run = 1, i
    for i in range(1, m):
        if values[i] == values[i - 1]:
            pairs += run
            run += 1
        else:
            run = 1
    return pairs


cdef inline Py_ssize_t twice_tied_pairs(const double* first, const double* second, Py_ssize_t m) noexcept nogil:
    """The number of pairs equal in both lists, where the lists are sorted by the first, then the second."""
    cdef Py_ssize_t pairs = 0, run = 1, i
    for i in range(1, m):
        if first[i] == first[i - 1] and second[i] == second[i - 1]:
            pairs += run
            run += 1
        else:
            run = 1
    return pairs
