"""The gap-sensitive coefficients: τ_GAP (Gao & Oard 2015) and Pearson Rank (Gao, Bagdouri & Oard 2016).

For τ_GAP rows are arranged by the estimate (`keys`), then by the truth (`values`), both best first.
"""

import numpy as np

from libc.math cimport NAN
from libc.stdint cimport int64_t

from rankscope.kernels.linear cimport geometric_mean
from rankscope.kernels.sorting cimport Placed, row_of


cdef struct Gaps:
    # For each place, sums of its gaps in the truth to other places.
    double* right  # to earlier places outside its tie group that the truth ranks above it
    double* wrong  # to earlier places outside its tie group that the truth ranks below it
    double* level  # to the other members of its tie group
    int64_t* group  # the first place of its tie group


cdef inline void _add_gaps(
    double value, const double* upwards, double* right, double* wrong, Py_ssize_t start, Py_ssize_t end
) noexcept nogil:
    """Add the gaps between one value and those from start to end to their sums."""
    cdef Py_ssize_t j
    cdef double gap
    for j in range(start, end):
        gap = value - upwards[j]
        right[j] += gap if gap > 0.0 else 0.0
        wrong[j] -= gap if gap < 0.0 else 0.0


cdef void _gaps_by_pairs(
    const double* values, Py_ssize_t m, Gaps gaps, double* upwards, double* right, double* wrong
) noexcept nogil:
    """Set `right` and `wrong` by looking at every pair.

    `upwards` lists the values from the last, so that what is below a place is a list from 0: a loop over it becomes
    vector code. Two places at a time share its loads and stores.
    """
    cdef Py_ssize_t below = 0, first_below, i, j  # `below` is the first place below the group
    cdef double value, first, first_gap, gap
    for i in range(m):
        upwards[i] = values[m - 1 - i]
        wrong[i] = 0.0
        right[i] = 0.0
    for i in range(0, m - 1, 2):
        while below < m and gaps.group[below] <= i:
            below += 1
        first_below = below
        while below < m and gaps.group[below] <= i + 1:
            below += 1
        first, value = values[i], values[i + 1]
        for j in range(m - below):
            first_gap, gap = first - upwards[j], value - upwards[j]
            right[j] = right[j] + (first_gap if first_gap > 0.0 else 0.0) + (gap if gap > 0.0 else 0.0)
            wrong[j] = wrong[j] - (first_gap if first_gap < 0.0 else 0.0) - (gap if gap < 0.0 else 0.0)
        _add_gaps(first, upwards, right, wrong, m - below, m - first_below)
    for i in range(m):
        gaps.right[i] = right[m - 1 - i]
        gaps.wrong[i] = wrong[m - 1 - i]


cdef void _gaps_by_merging(const double* values, Py_ssize_t m, Gaps gaps, Placed source, Placed target) noexcept nogil:
    """The same as `_gaps_by_pairs`, by a merge sort.

    A cursor walks down (for `right`) and up (for `wrong`) the merged values, carrying the sum of the gaps between
    itself and the left values passed. It only ever adds positive terms, so that no digits cancel, however skewed the
    scores.
    """
    cdef double* right = gaps.right
    cdef double* wrong = gaps.wrong
    cdef int64_t* group = gaps.group
    cdef Py_ssize_t width = 1, first, middle, end, tail, at, place, passed, passed_inside, i, j, k
    cdef int64_t straddling
    cdef double cursor, value, step, total, total_inside
    cdef bint from_left
    for i in range(m):
        source.values[i] = values[i]
        source.places[i] = i
        right[i] = 0.0
        wrong[i] = 0.0
    while width < m:
        first = 0
        while first < m - width:
            middle = first + width
            end = min(middle + width, m)
            # At most one group straddles the border; its left members do not count for its right ones.
            straddling = group[middle] if group[middle - 1] == group[middle] else -1
            cursor = max(source.values[first], source.values[middle])
            passed, passed_inside = 0, 0
            total, total_inside = 0.0, 0.0
            i, j = first, middle
            for k in range(first, end):
                from_left = i < middle and (j == end or source.values[i] >= source.values[j])
                at = i if from_left else j
                value, place = source.values[at], source.places[at]
                step = cursor - value
                total += passed * step
                total_inside += passed_inside * step
                cursor = value
                if from_left:
                    if group[place] == straddling:
                        passed_inside += 1
                    else:
                        passed += 1
                    i += 1
                else:
                    right[place] += total if group[place] == straddling else total + total_inside
                    j += 1
                target.values[k], target.places[k] = value, place
            cursor = min(source.values[middle - 1], source.values[end - 1])
            passed = 0
            total = 0.0
            i, j = middle - 1, end - 1
            while j >= middle:
                from_left = i >= first and source.values[i] <= source.values[j]
                at = i if from_left else j
                value = source.values[at]
                total += passed * (value - cursor)
                cursor = value
                if from_left:
                    passed += 1
                    i -= 1
                else:
                    # Inside a group the truth descends, so that a straddling left member is never the smaller.
                    wrong[source.places[j]] += total
                    j -= 1
            first += 2 * width
        tail = (m // (2 * width)) * 2 * width
        if m - tail <= width:  # a last block without a partner is carried over
            for k in range(tail, m):
                target.values[k], target.places[k] = source.values[k], source.places[k]
        source, target = target, source
        width *= 2


cdef void _gaps_inside(const double* values, Py_ssize_t start, Py_ssize_t end, double* level) noexcept nogil:
    """For each member of a tie group sorted by descending value, the sum of its gaps to the other members."""
    cdef double total = 0.0
    cdef Py_ssize_t place
    level[start] = 0.0
    for place in range(start + 1, end):
        total += (place - start) * (values[place - 1] - values[place])
        level[place] = total
    total = 0.0
    for place in range(end - 2, start - 1, -1):
        total += (end - 1 - place) * (values[place] - values[place + 1])
        level[place] += total


cdef Py_ssize_t _find_groups(const double* keys, const double* values, Py_ssize_t m, Gaps gaps) noexcept nogil:
    """Set `group` and `level`; returns the size of the top group."""
    cdef Py_ssize_t start = 0, top = 0, end, i
    for end in range(1, m + 1):
        if end == m or keys[end] != keys[start]:
            for i in range(start, end):
                gaps.group[i] = start
            _gaps_inside(values, start, end, gaps.level)
            top = end if start == 0 else top
            start = end
    return top


cdef double _share_of_gaps(Gaps gaps, Py_ssize_t m, Py_ssize_t top) noexcept nogil:
    """τ_GAP (Gao & Oard 2015, Eq. 3) from the sums of gaps and the size of the top group.

    A pair tied in the estimate is met at each member half of the time, as often right as wrong.
    """
    cdef double* right = gaps.right
    cdef double* wrong = gaps.wrong
    cdef double* level = gaps.level
    cdef double total = 0.0, weights = 0.0, all_gaps, weight
    cdef Py_ssize_t place
    for place in range(m):
        all_gaps = right[place] + wrong[place] + level[place] / 2.0
        if all_gaps > 0.0:
            weight = 1.0 if place >= top else (top - 1.0) / top
            total += weight * (right[place] + level[place] / 4.0) / all_gaps
            weights += weight
    return 2.0 * total / weights - 1.0 if weights > 0.0 else NAN


def tau_gap_by_pairs(const double[:, ::1] keys, const double[:, ::1] values):
    """The same as `tau_gap`, by looking at every pair."""
    cdef Py_ssize_t rows = keys.shape[0], m = keys.shape[1], row, top
    cdef double[::1] out = np.empty(rows)
    cdef double[:, ::1] room = np.empty((6, m))
    cdef int64_t[::1] group = np.empty(m, dtype=np.int64)
    cdef Gaps gaps = Gaps(&room[0, 0], &room[1, 0], &room[2, 0], &group[0])
    with nogil:
        for row in range(rows):
            top = _find_groups(&keys[row, 0], &values[row, 0], m, gaps)
            _gaps_by_pairs(&values[row, 0], m, gaps, &room[3, 0], &room[4, 0], &room[5, 0])
            out[row] = _share_of_gaps(gaps, m, top)
    return out.base


def tau_gap(const double[:, ::1] keys, const double[:, ::1] values):
    """τ_GAP of every row."""
    cdef Py_ssize_t rows = keys.shape[0], m = keys.shape[1], row, top
    cdef double[::1] out = np.empty(rows)
    cdef double[:, ::1] room = np.empty((5, m))
    cdef int64_t[:, ::1] places = np.empty((3, m), dtype=np.int64)
    cdef Gaps gaps = Gaps(&room[0, 0], &room[1, 0], &room[2, 0], &places[0, 0])
    cdef Placed source = Placed(&room[3, 0], &places[1, 0]), target = Placed(&room[4, 0], &places[2, 0])
    with nogil:
        for row in range(rows):
            top = _find_groups(&keys[row, 0], &values[row, 0], m, gaps)
            _gaps_by_merging(&values[row, 0], m, gaps, source, target)
            out[row] = _share_of_gaps(gaps, m, top)
    return out.base


cdef double _pearson_rank(
    const double* x, const double* y, const int64_t* by, Py_ssize_t m, bint scaled, bint grouped
) noexcept nogil:
    """Pearson Rank of one row."""
    cdef double x_first = x[by[0]], y_first = y[by[0]], x_last = x[by[m - 1]]
    cdef double x_spread = x_first - x_last
    cdef double x_mean = 0.0, y_mean = 0.0, xx = 0.0, xy = 0.0, yy = 0.0
    cdef double total = 0.0, weights = 0.0, plain = 0.0
    cdef double x_here, y_here, y_level, yy_level, gap, x_gap, y_gap, xx_here, yy_here, weight, tied, term
    cdef double x_step, y_step, share, size, both, count = 0.0
    cdef Py_ssize_t pivots = 0, start = 0, end, i
    while start < m:
        end = start + 1
        while grouped and end < m and x[by[end]] == x[by[start]]:
            end += 1
        size = end - start
        x_here = x[by[start]] - x_first
        y_level, yy_level = 0.0, 0.0
        for i in range(start, end):
            y_level += (y[by[i]] - y_first) / size if size > 1.0 else y[by[i]] - y_first
        for i in range(start, end):
            gap = y[by[i]] - y_first - y_level
            yy_level += gap * gap
        x_gap = x_mean - x_here
        xx_here = xx + count * x_gap * x_gap
        if xx_here > 0.0:
            weight = (x[by[start]] - x_last) / x_spread if scaled else x[by[start]]
            for i in range(start, end):
                y_here = y[by[i]] - y_first
                y_gap = y_mean - y_here
                gap = y_level - y_here
                tied = yy_level + size * (gap * gap) if size > 1.0 else 0.0
                yy_here = yy + count * y_gap * y_gap + tied / 2.0
                if yy_here > 0.0:
                    # A term of Gao, Bagdouri & Oard (2016), Eq. 1: the cosine of the gaps to all items above.
                    term = (xy + count * x_gap * y_gap) / geometric_mean(xx_here, yy_here)
                    term = min(1.0, max(-1.0, term))
                    total += weight * term
                    plain += term
                weights += weight
                pivots += 1
        # The moments with the group, from those without it (Chan, Golub & LeVeque 1983).
        both = count + size
        x_step, y_step = x_here - x_mean, y_level - y_mean
        share = count * size / both
        xx += share * x_step * x_step
        xy += share * x_step * y_step
        yy += share * y_step * y_step + yy_level
        x_mean += x_step * size / both
        y_mean += y_step * size / both
        count = both
        start = end
    if weights > 0.0:
        return total / weights
    return plain / pivots if pivots > 0 else NAN


def pearson_rank(
    const double[:, ::1] truth, const double[:, ::1] estimate, const int64_t[:, ::1] order, bint scaled, bint grouped
):
    """Pearson Rank ρ_r in one pass of running moments over the items from best to worst by the truth.

    `scaled`: weights are min–max scaled scores, otherwise the scores. `grouped`: items tied in the truth are level,
    otherwise `order` breaks their ties. Scores are taken relative to the first item's, which is above every pivot, so
    that moments keep their digits when all scores are close.
    """
    cdef Py_ssize_t rows = max(truth.shape[0], estimate.shape[0]), m = order.shape[1], row
    cdef double[::1] out = np.empty(rows)
    with nogil:
        for row in range(rows):
            out[row] = _pearson_rank(row_of(truth, row), row_of(estimate, row), row_of(order, row), m, scaled, grouped)
    return out.base
