"""AP correlation under ties: the pairs above each tie group of the estimate that the truth orders alike.

Rows are arranged by the estimate (`keys`), then by the truth (`values`), both best first.
"""

import numpy as np

from libc.math cimport NAN
from libc.stdint cimport int64_t

from rankscope.kernels.sorting cimport Placed


cdef void _above_by_pairs(const double* values, Py_ssize_t m, int64_t* greater, int64_t* equal) noexcept nogil:
    """For each place, the numbers of earlier places with a greater and with an equal value."""
    cdef Py_ssize_t i, j
    cdef double value
    cdef int64_t above, level
    for i in range(m):
        value = values[i]
        above, level = 0, 0
        for j in range(i):
            above += values[j] > value
            level += values[j] == value
        greater[i] = above
        equal[i] = level


cdef void _above(
    const double* values, Py_ssize_t m, int64_t* greater, int64_t* equal, Placed source, Placed target
) noexcept nogil:
    """The same as `_above_by_pairs`, by a merge sort."""
    cdef Py_ssize_t width = 1, left, middle, right, level, i, j, k
    cdef double value
    for i in range(m):
        source.values[i] = values[i]
        source.places[i] = i
        greater[i] = 0
        equal[i] = 0
    while width < m:
        left = 0
        while left < m:
            middle = min(left + width, m)
            right = min(middle + width, m)
            i, level = left, left  # ends of the left values that are greater, and greater or equal
            k = left
            for j in range(middle, right):
                value = source.values[j]
                while i < middle and source.values[i] > value:
                    target.values[k] = source.values[i]
                    target.places[k] = source.places[i]
                    i += 1
                    k += 1
                level = max(level, i)
                while level < middle and source.values[level] == value:
                    level += 1
                greater[source.places[j]] += i - left
                equal[source.places[j]] += level - i
                target.values[k] = value
                target.places[k] = source.places[j]
                k += 1
            while i < middle:
                target.values[k] = source.values[i]
                target.places[k] = source.places[i]
                i += 1
                k += 1
            left += 2 * width
        source, target = target, source
        width *= 2


cdef (int64_t, int64_t) _above_group(
    const double* values, const int64_t* greater, const int64_t* equal, Py_ssize_t start, Py_ssize_t end
) noexcept nogil:
    """Summed over a tie group's members, the items above the whole group with a greater and with an equal value."""
    cdef int64_t all_greater = 0, all_equal = 0
    cdef Py_ssize_t inside = 0, level = 0, place  # the same counts inside the group, sorted by descending truth
    for place in range(start, end):
        if place > start and values[place] == values[place - 1]:
            level += 1
        else:
            inside, level = place - start, 0
        all_greater += greater[place] - inside
        all_equal += equal[place] - level
    return all_greater, all_equal


cdef (double, double) _accuracy_and_agreement(
    const double* keys, const double* values, Py_ssize_t m, const int64_t* greater, const int64_t* equal
) noexcept nogil:
    """The two forms of τ_AP, from the numbers of earlier places with a greater and with an equal value."""
    cdef double accuracy = 0.0, agreement = 0.0, each
    cdef Py_ssize_t pivots = m - 1, start = 0, end, above
    cdef int64_t right, level
    for end in range(1, m + 1):
        if end == m or keys[end] != keys[start]:
            right, level = _above_group(values, greater, equal, start, end)
            each = (right + level / 2.0) / (end - start)
            # A term C_i / (i − 1) of Yilmaz et al. (2008) for each rank of the group, in expectation over its orders.
            for above in range(max(start, 1), end):
                accuracy += (each + (above - start) / 2.0) / above
            if start > 0:
                agreement += right / <double>start
            else:
                pivots = m - end
            start = end
    return 2.0 * accuracy / (m - 1) - 1.0, 2.0 * agreement / pivots - 1.0 if pivots > 0 else NAN


def tau_ap_by_pairs(const double[:, ::1] keys, const double[:, ::1] values):
    """The same as `tau_ap`, by looking at every pair."""
    cdef Py_ssize_t rows = keys.shape[0], m = keys.shape[1], row
    cdef double[:, ::1] out = np.empty((rows, 2))
    cdef int64_t[::1] greater = np.empty(m, dtype=np.int64), equal = np.empty(m, dtype=np.int64)
    with nogil:
        for row in range(rows):
            _above_by_pairs(&values[row, 0], m, &greater[0], &equal[0])
            out[row, 0], out[row, 1] = _accuracy_and_agreement(
                &keys[row, 0], &values[row, 0], m, &greater[0], &equal[0]
            )
    return out.base


def tau_ap(const double[:, ::1] keys, const double[:, ::1] values):
    """τ_AP in its accuracy and its agreement form (Urbano & Marrero 2017, τ_AP,a and one direction of τ_AP,b).

    Accuracy is the mean over all ways to break ties. In a group of g with u items above it, each member is equally
    often at each place K = 0..g−1; above it are the u items and K members, which are as often right as wrong, as is a
    pair tied in the truth. For agreement, only items above the pivot's whole group count, items of the top group are no
    pivots, and a pair tied in the truth is wrong.
    """
    cdef Py_ssize_t rows = keys.shape[0], m = keys.shape[1], row
    cdef double[:, ::1] out = np.empty((rows, 2)), room = np.empty((2, m))
    cdef int64_t[:, ::1] places = np.empty((2, m), dtype=np.int64)
    cdef int64_t[::1] greater = np.empty(m, dtype=np.int64), equal = np.empty(m, dtype=np.int64)
    cdef Placed source = Placed(&room[0, 0], &places[0, 0]), target = Placed(&room[1, 0], &places[1, 0])
    with nogil:
        for row in range(rows):
            _above(&values[row, 0], m, &greater[0], &equal[0], source, target)
            out[row, 0], out[row, 1] = _accuracy_and_agreement(
                &keys[row, 0], &values[row, 0], m, &greater[0], &equal[0]
            )
    return out.base
