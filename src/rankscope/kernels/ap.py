"""AP correlation under ties: the pairs above each tie group of the estimate that the truth orders alike."""

import numpy as np

from rankscope.kernels.compiled import Floats, Integers, compiled


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
def tau_ap(keys: Floats, values: Floats, agreement: bool) -> Floats:
    """τ_AP of rows arranged by the estimate (`keys`), `values` being the truth.

    Without `agreement`, the mean over all ways to break ties: in a group of g with u items above it, each place
    K = 0..g−1 is taken by each member equally often; above it stand the u items and K members, which are as often right
    as wrong. With `agreement`, one direction of τ_AP,b: only what stands above the pivot's whole group counts, over
    items outside the top group, and a pair tied in the truth is wrong.
    """
    rows, m = keys.shape
    out = np.empty(rows, dtype=np.float64)
    tie_credit = 0 if agreement else 1
    credit = np.empty(m, dtype=np.int64)
    a_values, b_values = np.empty(m), np.empty(m)
    a_places, b_places = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    for row in range(rows):
        _credits_above(values[row], tie_credit, credit, a_values, a_places, b_values, b_places)
        total, pivots = 0.0, m - 1
        start = 0
        for end in range(1, m + 1):
            if end < m and keys[row, end] == keys[row, start]:
                continue
            right = _credit_of_group(values[row], credit, start, end, tie_credit)
            if not agreement:
                right /= end - start
                for above in range(max(start, 1), end):
                    total += (right + (above - start) / 2.0) / above
            elif start > 0:
                total += right / start
            else:
                pivots = m - end
            start = end
        out[row] = 2.0 * total / pivots - 1.0 if pivots > 0 else np.nan
    return out
