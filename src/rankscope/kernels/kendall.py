"""Coefficients that count pairs: Kendall's τ (Knight 1966), Vigna's weighted τ (2015), and τ beyond a fuzziness.

Each has two kernels. The one `by_pairs` looks at every pair in a loop that becomes vector code and is faster for short
lists. The other is a merge sort that counts, or weighs, the pairs that it brings into order. `keys` and `values` are
rows arranged by the key, then by the value, both best first.
"""

import numpy as np

from rankscope.kernels.compiled import Floats, Integers, compiled, inlined
from rankscope.kernels.sorting import copy_row, count_ascents, row_of, tied_pairs, twice_tied_pairs


@compiled
def kendall_counts_by_pairs(truth: Floats, estimate: Floats) -> Floats:
    """The same as `kendall_counts`, by looking at every pair."""
    rows, m = max(len(truth), len(estimate)), truth.shape[1]
    out = np.empty((rows, 3), dtype=np.float64)
    for row in range(rows):
        x, y = row_of(truth, row), row_of(estimate, row)
        agreement, untied_x, untied_y = 0, 0, 0
        for i in range(1, m):
            x_here, y_here = x[i], y[i]
            for j in range(i):
                x_sign = np.int64(x_here > x[j]) - np.int64(x_here < x[j])
                y_sign = np.int64(y_here > y[j]) - np.int64(y_here < y[j])
                agreement += int(x_sign * y_sign)
                untied_x += int(x_sign * x_sign)
                untied_y += int(y_sign * y_sign)
        out[row, 0] = agreement
        out[row, 1] = untied_x
        out[row, 2] = untied_y
    return out


@compiled
def kendall_counts(keys: Floats, values: Floats) -> Floats:
    """For each row, concordant minus discordant pairs, pairs untied in the values, and pairs untied in the keys."""
    rows, m = keys.shape
    out = np.empty((rows, 3), dtype=np.float64)
    own, spare = np.empty(m), np.empty(m)
    pairs = m * (m - 1) // 2
    for row in range(rows):
        key_ties = tied_pairs(keys[row])
        both = twice_tied_pairs(keys[row], values[row])
        copy_row(values[row], own)
        discordant = count_ascents(own, spare)
        value_ties = tied_pairs(own)
        concordant = pairs - key_ties - value_ties + both - discordant
        out[row, 0] = concordant - discordant
        out[row, 1] = pairs - value_ties
        out[row, 2] = pairs - key_ties
    return out


@compiled
def _hyperbolic_weights(key: Floats, other: Floats, order: Integers, ranking: Integers, weights: Floats) -> float:
    """Weights 1/rank by descending key, then descending other; returns the weight of the pairs untied in the key."""
    m = order.shape[0]
    untied = 0.0
    start = 0
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


@compiled
def weighted_tau_by_pairs(truth: Floats, estimate: Floats, truth_order: Integers, estimate_order: Integers) -> Floats:
    """Vigna's τ, the mean over both rankings: the sum over items of weight × net agreement with all others."""
    rows, m = max(len(truth), len(estimate)), truth.shape[1]
    out = np.empty(rows, dtype=np.float64)
    ranking = np.empty(m, dtype=np.int64)
    x_weights, y_weights, agreement = np.empty(m), np.empty(m), np.empty(m, dtype=np.int64)
    for row in range(rows):
        x, y = row_of(truth, row), row_of(estimate, row)
        x_order, y_order = row_of(truth_order, row), row_of(estimate_order, row)
        x_untied = _hyperbolic_weights(x, y, x_order, ranking, x_weights)
        y_untied = _hyperbolic_weights(y, x, y_order, ranking, y_weights)
        x_weight_y_untied = _untied_weight(y, y_order, x_weights)
        y_weight_x_untied = _untied_weight(x, x_order, y_weights)
        for i in range(m):
            agreement[i] = 0
        for i in range(1, m):
            x_here, y_here = x[i], y[i]
            mine = 0
            for j in range(i):
                x_sign = np.int64(x_here > x[j]) - np.int64(x_here < x[j])
                y_sign = np.int64(y_here > y[j]) - np.int64(y_here < y[j])
                sign = int(x_sign * y_sign)
                agreement[j] += sign
                mine += sign
            agreement[i] += mine
        by_truth, by_estimate = 0.0, 0.0
        for i in range(m):
            by_truth += x_weights[i] * agreement[i]
            by_estimate += y_weights[i] * agreement[i]
        by_truth /= np.sqrt(x_untied * x_weight_y_untied)
        by_estimate /= np.sqrt(y_untied * y_weight_x_untied)
        out[row] = (by_truth + by_estimate) / 2.0
    return out


@compiled
def _untied_weight(values: Floats, order: Integers, weights: Floats) -> float:
    """The sum of w_i + w_j over the pairs that differ in `values`."""
    m = order.shape[0]
    untied = 0.0
    start = 0
    for end in range(1, m + 1):
        if end == m or values[order[end]] != values[order[start]]:
            for i in range(start, end):
                untied += (m - (end - start)) * weights[order[i]]
            start = end
    return untied


@compiled
def weighted_tau_one_way(keys: Floats, values: Floats) -> Floats:
    """Vigna's τ with additive hyperbolic weights: a pair weighs the sum of 1/rank of its members, by key."""
    rows, m = keys.shape
    out = np.empty(rows, dtype=np.float64)
    own, weights = np.empty(m), np.empty(m)
    spare_values, spare_weights = np.empty(m), np.empty(m)
    for row in range(rows):
        total = 0.0
        for i in range(m):
            weights[i] = 1.0 / (i + 1)
            total += weights[i]
        total *= m - 1
        key_ties = _weight_of_ties(keys[row], keys[row], weights)
        both = _weight_of_ties(keys[row], values[row], weights)
        copy_row(values[row], own)
        discordant = _weight_of_ascents(own, weights, spare_values, spare_weights)
        value_ties = _weight_of_ties(own, own, weights)
        agreement = total - key_ties - value_ties + both - 2.0 * discordant
        untied = (total - key_ties) * (total - value_ties)
        out[row] = agreement / np.sqrt(untied) if untied > 0.0 else np.nan
    return out


@inlined
def _weight_of_ties(first: Floats, second: Floats, weights: Floats) -> float:
    """The sum of w_i + w_j over the pairs tied in both lists, which are sorted so that tied items are adjacent."""
    total = 0.0
    run, run_weight = 1, float(weights[0])
    for i in range(1, len(first)):
        if first[i] == first[i - 1] and second[i] == second[i - 1]:
            run += 1
            run_weight += weights[i]
        else:
            total += (run - 1) * run_weight
            run, run_weight = 1, weights[i]
    total += (run - 1) * run_weight
    return total


@inlined
def _weight_of_ascents(values: Floats, weights: Floats, spare_values: Floats, spare_weights: Floats) -> float:
    """The sum of w_i + w_j over pairs i < j with values[i] < values[j]; both lists end sorted by value."""
    m = values.shape[0]
    total = 0.0
    source, source_w, target, target_w = values, weights, spare_values, spare_weights
    width = 1
    while width < m:
        for left in range(0, m, 2 * width):
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
        source, target = target, source
        source_w, target_w = target_w, source_w
        width *= 2
    if source is not values:
        for i in range(m):
            values[i] = source[i]
            weights[i] = source_w[i]
    return total


@inlined
def _beyond(greater: float, smaller: float, fuzziness: float) -> bool:
    """Whether two values differ by more than this share of the smaller; monotone in both for a fuzziness ≤ 1."""
    return greater - smaller > fuzziness * min(abs(greater), abs(smaller))


@inlined
def _pairs_beyond(values: Floats, start: int, end: int, fuzziness: float) -> int:
    """The number of pairs in values[start:end], sorted greatest first, that differ beyond the fuzziness."""
    pairs = 0
    j = start
    for i in range(start, end):
        j = max(j, i + 1)
        while j < end and not _beyond(values[i], values[j], fuzziness):
            j += 1
        pairs += end - j
    return pairs


@inlined
def _ascents_beyond(values: Floats, spare: Floats, fuzziness: float) -> int:
    """The number of pairs i < j with values[j] beyond values[i]; `values` ends sorted, greatest first."""
    m = values.shape[0]
    ascents = 0
    source, target = values, spare
    width = 1
    while width < m:
        for left in range(0, m, 2 * width):
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
        source, target = target, source
        width *= 2
    if source is not values:
        for i in range(m):
            values[i] = source[i]
    return ascents


@compiled
def fuzzy_kendall_by_pairs(keys: Floats, values: Floats, fuzziness: float) -> Floats:
    """The same as `fuzzy_kendall`, by looking at every pair."""
    rows, m = keys.shape
    out = np.empty(rows, dtype=np.float64)
    for row in range(rows):
        key, own = keys[row], values[row]
        agreement, pairs = 0, 0
        start = 0  # of the group tied in the keys
        for i in range(m):
            if key[i] != key[start]:
                start = i
            value = own[i]
            for j in range(start):
                gap = own[j] - value
                bound = fuzziness * min(abs(value), abs(own[j]))
                right, wrong = np.int64(gap > bound), np.int64(-gap > bound)
                agreement += int(right - wrong)
                pairs += int(right + wrong)
            for j in range(start, i):  # tied in the keys: sorted by value
                pairs += int(_beyond(own[j], value, fuzziness))
        out[row] = agreement / pairs if pairs > 0 else np.nan
    return out


@compiled
def fuzzy_kendall(keys: Floats, values: Floats, fuzziness: float) -> Floats:
    """τ over the pairs of values that differ beyond the fuzziness, or nan."""
    rows, m = keys.shape
    out = np.empty(rows, dtype=np.float64)
    own, spare = np.empty(m), np.empty(m)
    for row in range(rows):
        copy_row(values[row], own)
        tied = 0
        start = 0
        for end in range(1, m + 1):
            if end == m or keys[row, end] != keys[row, start]:
                tied += _pairs_beyond(own, start, end, fuzziness)
                start = end
        discordant = _ascents_beyond(own, spare, fuzziness)
        pairs = _pairs_beyond(own, 0, m, fuzziness)
        out[row] = (pairs - tied - 2 * discordant) / pairs if pairs > 0 else np.nan
    return out
