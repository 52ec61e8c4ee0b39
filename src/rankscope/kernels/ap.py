"""AP correlation under ties: the pairs above each tie group of the estimate that the truth orders alike."""

import numpy as np

from rankscope.kernels.compiled import Floats, Integers, compiled
from rankscope.kernels.sorting import arrange, row_of


@compiled
def _credits_above(
    values: Floats,
    tie_credit: int,
    credit: Integers,
    a_values: Floats,
    a_places: Integers,
    b_values: Floats,
    b_places: Integers,
) -> None:
    """For each place, 2 per earlier place with a greater value and `tie_credit` per earlier one with an equal value."""
    m = values.shape[0]
    for i in range(m):
        a_values[i] = values[i]
        a_places[i] = i
        credit[i] = 0
    width = 1
    while width < m:
        for a in range(0, m, 2 * width):
            b = min(a + width, m)
            c = min(b + width, m)
            i, level = a, a  # left ones that are greater, and greater or equal
            k = a
            for j in range(b, c):
                value = a_values[j]
                while i < b and a_values[i] > value:
                    b_values[k] = a_values[i]
                    b_places[k] = a_places[i]
                    i += 1
                    k += 1
                level = max(level, i)
                while level < b and a_values[level] == value:
                    level += 1
                credit[a_places[j]] += 2 * (i - a) + tie_credit * (level - i)
                b_values[k] = value
                b_places[k] = a_places[j]
                k += 1
            while i < b:
                b_values[k] = a_values[i]
                b_places[k] = a_places[i]
                i += 1
                k += 1
        a_values, b_values = b_values, a_values
        a_places, b_places = b_places, a_places
        width *= 2


@compiled
def _credit_of_group(values: Floats, credit: Integers, start: int, end: int, tie_credit: int) -> float:
    """Half the credit of a tie group's members for what stands above the whole group."""
    total = 0
    greater, equal = 0, 0  # inside the group, sorted by descending truth: known without looking
    for place in range(start, end):
        if place > start and values[place] == values[place - 1]:
            equal += 1
        else:
            greater, equal = place - start, 0
        total += credit[place] - 2 * greater - tie_credit * equal
    return total / 2.0


@compiled
def tau_ap(truth: Floats, estimate: Floats, order: Integers) -> Floats:
    """τ_AP, the mean over all ways to break ties.

    In a group of g with u items above it, each place K = 0..g−1 is taken by each member equally often; above it stand
    the u items and K members, which are as often right as wrong.
    """
    rows, m = max(len(truth), len(estimate)), order.shape[1]
    out = np.empty(rows, dtype=np.float64)
    keys, values = np.empty(m), np.empty(m)
    credit = np.empty(m, dtype=np.int64)
    a_values, b_values = np.empty(m), np.empty(m)
    a_places, b_places = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    for row in range(rows):
        arrange(row_of(estimate, row), row_of(truth, row), row_of(order, row), keys, values)
        _credits_above(values, 1, credit, a_values, a_places, b_values, b_places)
        total = 0.0
        start = 0
        for end in range(1, m + 1):
            if end == m or keys[end] != keys[start]:
                size = end - start
                right = _credit_of_group(values, credit, start, end, 1) / size
                for above in range(max(start, 1), end):
                    total += (right + (above - start) / 2.0) / above
                start = end
        out[row] = 2.0 * total / (m - 1) - 1.0
    return out


@compiled
def tau_ap_b_one_way(truth: Floats, estimate: Floats, order: Integers) -> Floats:
    """One direction of τ_AP,b: only what stands above the pivot's tie group, over items outside the top group."""
    rows, m = max(len(truth), len(estimate)), order.shape[1]
    out = np.empty(rows, dtype=np.float64)
    keys, values = np.empty(m), np.empty(m)
    credit = np.empty(m, dtype=np.int64)
    a_values, b_values = np.empty(m), np.empty(m)
    a_places, b_places = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    for row in range(rows):
        arrange(row_of(estimate, row), row_of(truth, row), row_of(order, row), keys, values)
        _credits_above(values, 0, credit, a_values, a_places, b_values, b_places)
        total = 0.0
        top = m
        start = 0
        for end in range(1, m + 1):
            if end == m or keys[end] != keys[start]:
                if start == 0:
                    top = end
                else:
                    total += _credit_of_group(values, credit, start, end, 0) / start
                start = end
        out[row] = 2.0 * total / (m - top) - 1.0 if top < m else np.nan
    return out
