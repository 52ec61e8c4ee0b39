"""Coefficients that count pairs: Kendall's τ (Knight 1966), Vigna's weighted τ (2015), and τ beyond a fuzziness.

Each has two kernels. The one `by_pairs` looks at every pair in a loop that becomes vector code and is faster for short
lists. The other is a merge sort that counts, or weighs, the pairs that it brings into order. `keys` and `values` are
rows arranged by the key, then by the value, both best first.
"""

import numpy as np

from libc.math cimport NAN, fabs, sqrt
from libc.stdint cimport int64_t

from rankscope.kernels.sorting cimport copy_row, count_ascents, row_of, tied_pairs, twice_tied_pairs


def kendall_counts_by_pairs(const double[:, ::1] truth, const double[:, ::1] estimate):
    """The same as `kendall_counts`, by looking at every pair."""
    cdef Py_ssize_t rows = max(truth.shape[0], estimate.shape[0]), m = truth.shape[1], row, i, j
    cdef double[:, ::1] out = np.empty((rows, 3))
    cdef const double* x
    cdef const double* y
    cdef double x_here, y_here
    cdef int64_t x_differs, y_differs, opposite
    cdef int64_t untied_x, untied_y, untied, discordant
    with nogil:
        for row in range(rows):
            x, y = row_of(truth, row), row_of(estimate, row)
            untied_x, untied_y, untied, discordant = 0, 0, 0, 0
            for i in range(1, m):
                x_here, y_here = x[i], y[i]
                for j in range(i):
                    x_differs = (x_here > x[j]) | (x_here < x[j])
                    y_differs = (y_here > y[j]) | (y_here < y[j])
                    opposite = (x_here > x[j]) ^ (y_here > y[j])
                    untied_x += x_differs
                    untied_y += y_differs
                    untied += x_differs & y_differs
                    discordant += x_differs & y_differs & opposite
            out[row, 0] = untied - 2 * discordant
            out[row, 1] = untied_x
            out[row, 2] = untied_y
    return out.base


def kendall_counts(const double[:, ::1] keys, const double[:, ::1] values):
    """For each row, concordant minus discordant pairs, pairs untied in the values, and pairs untied in the keys."""
    cdef Py_ssize_t rows = keys.shape[0], m = keys.shape[1], row
    cdef Py_ssize_t pairs = m * (m - 1) // 2, key_ties, value_ties, both, concordant, discordant
    cdef double[:, ::1] out = np.empty((rows, 3))
    cdef double[::1] own = np.empty(m), spare = np.empty(m)
    with nogil:
        for row in range(rows):
            key_ties = tied_pairs(&keys[row, 0], m)
            both = twice_tied_pairs(&keys[row, 0], &values[row, 0], m)
            copy_row(&values[row, 0], &own[0], m)
            discordant = count_ascents(&own[0], &spare[0], m)
            value_ties = tied_pairs(&own[0], m)
            concordant = pairs - key_ties - value_ties + both - discordant
            out[row, 0] = concordant - discordant
            out[row, 1] = pairs - value_ties
            out[row, 2] = pairs - key_ties
    return out.base


cdef double _hyperbolic_weights(
    const double* key, const double* other, const int64_t* order, Py_ssize_t m, int64_t* ranking, double* weights
) noexcept nogil:
    """Weights 1/rank by descending key, then descending other; returns the weight of the pairs untied in the key."""
    cdef double untied = 0.0, group_weight
    cdef Py_ssize_t start = 0, end, item, i, j
    for end in range(1, m + 1):
        if end < m and key[order[end]] == key[order[start]]:
            continue
        for i in range(start, end):
            item = order[i]
            j = i - 1
            while j >= start and other[ranking[j]] < other[item]:
                ranking[j + 1] = ranking[j]
                j -= 1
            ranking[j + 1] = item
        group_weight = 0.0
        for i in range(start, end):
            weights[ranking[i]] = 1.0 / (i + 1)
            group_weight += weights[ranking[i]]
        untied += (m - (end - start)) * group_weight
        start = end
    return untied


cdef double _untied_weight(
    const double* values, const int64_t* order, Py_ssize_t m, const double* weights
) noexcept nogil:
    """The sum of w_i + w_j over the pairs that differ in `values`."""
    cdef double untied = 0.0
    cdef Py_ssize_t start = 0, end, i
    for end in range(1, m + 1):
        if end == m or values[order[end]] != values[order[start]]:
            for i in range(start, end):
                untied += (m - (end - start)) * weights[order[i]]
            start = end
    return untied


cdef void _net_agreement(const double* x, const double* y, Py_ssize_t m, int64_t* agreement) noexcept nogil:
    """For each item, the number of others that both lists order alike, less those that they order differently."""
    cdef Py_ssize_t i, j
    cdef double x_here, y_here
    cdef int64_t mine, untied, opposite, sign
    for i in range(m):
        agreement[i] = 0
    for i in range(1, m):
        x_here, y_here = x[i], y[i]
        mine = 0
        for j in range(i):
            untied = ((x_here > x[j]) | (x_here < x[j])) & ((y_here > y[j]) | (y_here < y[j]))
            opposite = untied & ((x_here > x[j]) ^ (y_here > y[j]))
            sign = untied - opposite - opposite
            agreement[j] += sign
            mine += sign
        agreement[i] += mine


def weighted_tau_by_pairs(
    const double[:, ::1] truth,
    const double[:, ::1] estimate,
    const int64_t[:, ::1] truth_order,
    const int64_t[:, ::1] estimate_order,
):
    """Vigna's τ, the mean over both rankings: the sum over items of weight × net agreement with all others."""
    cdef Py_ssize_t rows = max(truth.shape[0], estimate.shape[0]), m = truth.shape[1], row, i
    cdef double[::1] out = np.empty(rows), x_weights = np.empty(m), y_weights = np.empty(m)
    cdef int64_t[::1] ranking = np.empty(m, dtype=np.int64), agreement = np.empty(m, dtype=np.int64)
    cdef const double* x
    cdef const double* y
    cdef const int64_t* x_order
    cdef const int64_t* y_order
    cdef double x_untied, y_untied, x_weight_y_untied, y_weight_x_untied, by_truth, by_estimate
    with nogil:
        for row in range(rows):
            x, y = row_of(truth, row), row_of(estimate, row)
            x_order, y_order = row_of(truth_order, row), row_of(estimate_order, row)
            x_untied = _hyperbolic_weights(x, y, x_order, m, &ranking[0], &x_weights[0])
            y_untied = _hyperbolic_weights(y, x, y_order, m, &ranking[0], &y_weights[0])
            x_weight_y_untied = _untied_weight(y, y_order, m, &x_weights[0])
            y_weight_x_untied = _untied_weight(x, x_order, m, &y_weights[0])
            _net_agreement(x, y, m, &agreement[0])
            by_truth, by_estimate = 0.0, 0.0
            for i in range(m):
                by_truth += x_weights[i] * agreement[i]
                by_estimate += y_weights[i] * agreement[i]
            by_truth /= sqrt(x_untied * x_weight_y_untied)
            by_estimate /= sqrt(y_untied * y_weight_x_untied)
            out[row] = (by_truth + by_estimate) / 2.0
    return out.base


cdef double _weight_of_ties(
    const double* first, const double* second, Py_ssize_t m, const double* weights
) noexcept nogil:
    """The sum of w_i + w_j over the pairs tied in both lists, which are sorted so that tied items are adjacent."""
    cdef double total = 0.0, run_weight = weights[0]
    cdef Py_ssize_t run = 1, i
    for i in range(1, m):
        if first[i] == first[i - 1] and second[i] == second[i - 1]:
            run += 1
            run_weight += weights[i]
        else:
            total += (run - 1) * run_weight
            run, run_weight = 1, weights[i]
    total += (run - 1) * run_weight
    return total


cdef double _weight_of_ascents(
    double* values, double* weights, double* spare_values, double* spare_weights, Py_ssize_t m
) noexcept nogil:
    """The sum of w_i + w_j over pairs i < j with values[i] < values[j]; both lists end sorted by value."""
    cdef double total = 0.0, left_weight
    cdef double* source = values
    cdef double* source_w = weights
    cdef double* target = spare_values
    cdef double* target_w = spare_weights
    cdef Py_ssize_t width = 1, left, middle, right, i, j, k
    while width < m:
        left = 0
        while left < m:
            middle = min(left + width, m)
            right = min(middle + width, m)
            left_weight = 0.0  # of the left items not merged yet
            for i in range(left, middle):
                left_weight += source_w[i]
            i, j = left, middle
            for k in range(left, right):
                if i < middle and (j == right or source[i] >= source[j]):
                    target[k], target_w[k] = source[i], source_w[i]
                    left_weight -= source_w[i]
                    i += 1
                else:
                    target[k], target_w[k] = source[j], source_w[j]
                    if i < middle:
                        total += left_weight + (middle - i) * source_w[j]
                    j += 1
            left += 2 * width
        source, target = target, source
        source_w, target_w = target_w, source_w
        width *= 2
    if source is not values:
        copy_row(source, values, m)
        copy_row(source_w, weights, m)
    return total


def weighted_tau_one_way(const double[:, ::1] keys, const double[:, ::1] values):
    """Vigna's τ with additive hyperbolic weights: a pair weighs the sum of 1/rank of its members, by key."""
    cdef Py_ssize_t rows = keys.shape[0], m = keys.shape[1], row, i
    cdef double[::1] out = np.empty(rows), own = np.empty(m), weights = np.empty(m)
    cdef double[::1] spare_values = np.empty(m), spare_weights = np.empty(m)
    cdef double total, key_ties, value_ties, both, discordant, agreement, untied
    with nogil:
        for row in range(rows):
            total = 0.0
            for i in range(m):
                weights[i] = 1.0 / (i + 1)
                total += weights[i]
            total *= m - 1
            key_ties = _weight_of_ties(&keys[row, 0], &keys[row, 0], m, &weights[0])
            both = _weight_of_ties(&keys[row, 0], &values[row, 0], m, &weights[0])
            copy_row(&values[row, 0], &own[0], m)
            discordant = _weight_of_ascents(&own[0], &weights[0], &spare_values[0], &spare_weights[0], m)
            value_ties = _weight_of_ties(&own[0], &own[0], m, &weights[0])
            agreement = total - key_ties - value_ties + both - 2.0 * discordant
            untied = (total - key_ties) * (total - value_ties)
            out[row] = agreement / sqrt(untied) if untied > 0.0 else NAN
    return out.base


cdef inline bint _beyond(double greater, double smaller, double fuzziness) noexcept nogil:
    """Whether two values differ by more than this share of the smaller; monotone in both for a fuzziness ≤ 1."""
    return greater - smaller > fuzziness * min(fabs(greater), fabs(smaller))


cdef Py_ssize_t _pairs_beyond(const double* values, Py_ssize_t start, Py_ssize_t end, double fuzziness) noexcept nogil:
    """The number of pairs in values[start:end], sorted greatest first, that differ beyond the fuzziness."""
    cdef Py_ssize_t pairs = 0, j = start, i
    for i in range(start, end):
        j = max(j, i + 1)
        while j < end and not _beyond(values[i], values[j], fuzziness):
            j += 1
        pairs += end - j
    return pairs


cdef Py_ssize_t _ascents_beyond(double* values, double* spare, Py_ssize_t m, double fuzziness) noexcept nogil:
    """The number of pairs i < j with values[j] beyond values[i]; `values` ends sorted, greatest first."""
    cdef Py_ssize_t ascents = 0, width = 1, left, middle, right, exceeded, i, j, k
    cdef double* source = values
    cdef double* target = spare
    cdef double value
    while width < m:
        left = 0
        while left < m:
            middle = min(left + width, m)
            right = min(middle + width, m)
            exceeded = left  # the first left value that the right value is beyond
            i, k = left, left
            for j in range(middle, right):
                value = source[j]
                while exceeded < middle and not _beyond(value, source[exceeded], fuzziness):
                    exceeded += 1
                ascents += middle - exceeded
                while i < middle and source[i] >= value:
                    target[k] = source[i]
                    i += 1
                    k += 1
                target[k] = value
                k += 1
            while i < middle:
                target[k] = source[i]
                i += 1
                k += 1
            left += 2 * width
        source, target = target, source
        width *= 2
    if source is not values:
        copy_row(source, values, m)
    return ascents


def fuzzy_kendall_by_pairs(const double[:, ::1] keys, const double[:, ::1] values, double fuzziness):
    """The same as `fuzzy_kendall`, by looking at every pair."""
    cdef Py_ssize_t rows = keys.shape[0], m = keys.shape[1], row, start, i, j
    cdef double[::1] out = np.empty(rows)
    cdef const double* key
    cdef const double* own
    cdef double value, gap, bound
    cdef int64_t right, wrong, pairs
    with nogil:
        for row in range(rows):
            key, own = &keys[row, 0], &values[row, 0]
            right, wrong, pairs = 0, 0, 0
            start = 0  # of the group tied in the keys
            for i in range(m):
                if key[i] != key[start]:
                    start = i
                value = own[i]
                for j in range(start):
                    gap = own[j] - value
                    bound = fuzziness * min(fabs(value), fabs(own[j]))
                    right += gap > bound
                    wrong += -gap > bound
                for j in range(start, i):  # tied in the keys: sorted by value
                    pairs += _beyond(own[j], value, fuzziness)
            pairs += right + wrong
            out[row] = (right - wrong) / <double>pairs if pairs > 0 else NAN
    return out.base


def fuzzy_kendall(const double[:, ::1] keys, const double[:, ::1] values, double fuzziness):
    """τ over the pairs of values that differ beyond the fuzziness, or nan."""
    cdef Py_ssize_t rows = keys.shape[0], m = keys.shape[1], row, start, end, tied, discordant, pairs
    cdef double[::1] out = np.empty(rows), own = np.empty(m), spare = np.empty(m)
    with nogil:
        for row in range(rows):
            copy_row(&values[row, 0], &own[0], m)
            tied = 0
            start = 0
            for end in range(1, m + 1):
                if end == m or keys[row, end] != keys[row, start]:
                    tied += _pairs_beyond(&own[0], start, end, fuzziness)
                    start = end
            discordant = _ascents_beyond(&own[0], &spare[0], m, fuzziness)
            pairs = _pairs_beyond(&own[0], 0, m, fuzziness)
            out[row] = (pairs - tied - 2 * discordant) / <double>pairs if pairs > 0 else NAN
    return out.base
