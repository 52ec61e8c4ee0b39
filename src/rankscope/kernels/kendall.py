"""The pair-counting family: Kendall's τ (Knight 1966), Vigna's weighted τ, and τ beyond a fuzziness."""

import numpy as np

from rankscope.kernels.compiled import Floats, Integers, compiled
from rankscope.kernels.sorting import arrange, count_ascents, row_of, tied_pairs, twice_tied_pairs

# Up to this many systems, comparing all pairs in a vector loop beats sorting (`make bench`).
ALL_PAIRS = 256


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
def kendall_counts(truth: Floats, estimate: Floats, order: Integers) -> Floats:
    """Per row: concordant minus discordant pairs, pairs untied in the truth, pairs untied in the estimate."""
    rows, m = max(len(truth), len(estimate)), order.shape[1]
    out = np.empty((rows, 3), dtype=np.float64)
    keys, values, spare = np.empty(m), np.empty(m), np.empty(m)
    pairs = m * (m - 1) // 2
    for row in range(rows):
        arrange(row_of(estimate, row), row_of(truth, row), row_of(order, row), keys, values)
        estimate_ties = tied_pairs(keys)
        both = twice_tied_pairs(keys, values)
        discordant = count_ascents(values, spare)
        truth_ties = tied_pairs(values)
        concordant = pairs - estimate_ties - truth_ties + both - discordant
        out[row, 0] = concordant - discordant
        out[row, 1] = pairs - truth_ties
        out[row, 2] = pairs - estimate_ties
    return out


@compiled
def weighted_tau_one_way(key: Floats, other: Floats, order: Integers) -> Floats:
    """Vigna's τ with additive hyperbolic weights, ranks by descending `key`, then descending `other`."""
    rows, m = max(len(key), len(other)), order.shape[1]
    out = np.empty(rows, dtype=np.float64)
    keys = np.empty(m)
    values, weights = np.empty(m), np.empty(m)
    spare_values, spare_weights = np.empty(m), np.empty(m)
    for row in range(rows):
        arrange(row_of(key, row), row_of(other, row), row_of(order, row), keys, values)
        total = 0.0
        for i in range(m):
            weights[i] = 1.0 / (i + 1)
            total += weights[i]
        total *= m - 1
        key_ties = _weight_of_ties(keys, keys, weights)
        both = _weight_of_ties(keys, values, weights)
        discordant = _weight_of_ascents(values, weights, spare_values, spare_weights)
        other_ties = _weight_of_ties(values, values, weights)
        agreement = total - key_ties - other_ties + both - 2.0 * discordant
        untied = (total - key_ties) * (total - other_ties)
        out[row] = agreement / np.sqrt(untied) if untied > 0.0 else np.nan
    return out


@compiled
def _weight_of_ties(first: Floats, second: Floats, weights: Floats) -> float:
    """The sum of w_i + w_j over pairs tied in both lists (sorted, so that ties stand together)."""
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


@compiled
def _weight_of_ascents(values: Floats, weights: Floats, spare_values: Floats, spare_weights: Floats) -> float:
    """The sum of w_i + w_j over pairs i < j with values[i] < values[j]; both lists end sorted by value."""
    m = values.shape[0]
    total = 0.0
    source, source_w, target, target_w = values, weights, spare_values, spare_weights
    width = 1
    while width < m:
        for a in range(0, m, 2 * width):
            b = min(a + width, m)
            c = min(b + width, m)
            left = 0.0
            for i in range(a, b):
                left += source_w[i]
            i, j = a, b
            for k in range(a, c):
                if i < b and (j == c or source[i] >= source[j]):
                    target[k], target_w[k] = source[i], source_w[i]
                    left -= source_w[i]
                    i += 1
                else:
                    target[k], target_w[k] = source[j], source_w[j]
                    if i < b:
                        total += left + (b - i) * source_w[j]
                    j += 1
        source, target = target, source
        source_w, target_w = target_w, source_w
        width *= 2
    if source is not values:
        values[:] = source
        weights[:] = source_w
    return total


@compiled
def _beyond(greater: float, smaller: float, fuzziness: float) -> bool:
    """Do the two differ by more than the fuzziness, relative to the smaller? Monotone in both for fuzziness ≤ 1."""
    return greater > smaller and greater - smaller > fuzziness * min(abs(greater), abs(smaller))


@compiled
def _pairs_beyond(values: Floats, fuzziness: float) -> int:
    """The number of pairs of a list sorted greatest first that differ beyond the fuzziness."""
    m = values.shape[0]
    pairs = 0
    j = 0
    for i in range(m):
        j = max(j, i + 1)
        while j < m and not _beyond(values[i], values[j], fuzziness):
            j += 1
        pairs += m - j
    return pairs


@compiled
def _ascents_beyond(values: Floats, spare: Floats, fuzziness: float) -> int:
    """The number of pairs i < j with values[j] beyond values[i]; `values` ends sorted, greatest first."""
    m = values.shape[0]
    ascents = 0
    source, target = values, spare
    width = 1
    while width < m:
        for a in range(0, m, 2 * width):
            b = min(a + width, m)
            c = min(b + width, m)
            first = a  # the first on the left that the right one is beyond
            for j in range(b, c):
                while first < b and not _beyond(source[j], source[first], fuzziness):
                    first += 1
                ascents += b - first
            i, j = a, b
            for k in range(a, c):
                if i < b and (j == c or source[i] >= source[j]):
                    target[k] = source[i]
                    i += 1
                else:
                    target[k] = source[j]
                    j += 1
        source, target = target, source
        width *= 2
    if source is not values:
        values[:] = source
    return ascents


@compiled
def fuzzy_kendall(truth: Floats, estimate: Floats, order: Integers, fuzziness: float) -> Floats:
    """τ over the pairs that the truth separates beyond the fuzziness; nan where there is none."""
    rows, m = max(len(truth), len(estimate)), order.shape[1]
    out = np.empty(rows, dtype=np.float64)
    keys, values, spare = np.empty(m), np.empty(m), np.empty(m)
    for row in range(rows):
        arrange(row_of(estimate, row), row_of(truth, row), row_of(order, row), keys, values)
        tied = 0
        start = 0
        for end in range(1, m + 1):
            if end == m or keys[end] != keys[start]:
                if end - start > 1:
                    tied += _pairs_beyond(values[start:end], fuzziness)
                start = end
        discordant = _ascents_beyond(values, spare, fuzziness)
        pairs = _pairs_beyond(values, fuzziness)
        out[row] = (pairs - tied - 2.0 * discordant) / pairs if pairs > 0 else np.nan
    return out
