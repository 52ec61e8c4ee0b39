"""AP correlation under ties: the pairs above each tie group of the estimate that the truth orders alike.

Rows are arranged by the estimate (`keys`), then by the truth (`values`), both best first.
"""

import numpy as np

from rankscope.kernels.compiled import Floats, Integers, compiled, inlined
from rankscope.kernels.sorting import Placed, room_for_places


@inlined
def _above_by_pairs(values: Floats, greater: Integers, equal: Integers) -> None:
    """For each place, the numbers of earlier places with a greater and with an equal value."""
    for i in range(values.shape[0]):
        value = values[i]
        above, level = 0, 0
        for j in range(i):
            above += int(np.int64(values[j] > value))
            level += int(np.int64(values[j] == value))
        greater[i] = above
        equal[i] = level


@inlined
def _above(values: Floats, greater: Integers, equal: Integers, source: Placed, target: Placed) -> None:
    """The same as `_above_by_pairs`, by a merge sort."""
    m = values.shape[0]
    for i in range(m):
        source.values[i] = values[i]
        source.places[i] = i
        greater[i] = 0
        equal[i] = 0
    width = 1
    while width < m:
        for left in range(0, m, 2 * width):
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
        source, target = target, source
        width *= 2


@inlined
def _above_group(values: Floats, greater: Integers, equal: Integers, start: int, end: int) -> tuple[int, int]:
    """Summed over a tie group's members, the items above the whole group with a greater and with an equal value."""
    all_greater, all_equal = 0, 0
    inside, level = 0, 0  # the same counts inside the group, which is sorted by descending truth
    for place in range(start, end):
        if place > start and values[place] == values[place - 1]:
            level += 1
        else:
            inside, level = place - start, 0
        all_greater += greater[place] - inside
        all_equal += equal[place] - level
    return all_greater, all_equal


@inlined
def _accuracy_and_agreement(keys: Floats, values: Floats, greater: Integers, equal: Integers) -> tuple[float, float]:
    """The two forms of τ_AP, from the numbers of earlier places with a greater and with an equal value."""
    m = keys.shape[0]
    accuracy, agreement, pivots = 0.0, 0.0, m - 1
    start = 0
    for end in range(1, m + 1):
        if end == m or keys[end] != keys[start]:
            right, level = _above_group(values, greater, equal, start, end)
            each = (right + level / 2.0) / (end - start)
            # A term C_i / (i − 1) of Yilmaz et al. (2008) for each rank of the group, in expectation over its orders.
            for above in range(max(start, 1), end):
                accuracy += (each + (above - start) / 2.0) / above
            if start > 0:
                agreement += right / start
            else:
                pivots = m - end
            start = end
    return 2.0 * accuracy / (m - 1) - 1.0, 2.0 * agreement / pivots - 1.0 if pivots > 0 else np.nan


@compiled
def tau_ap_by_pairs(keys: Floats, values: Floats) -> Floats:
    """The same as `tau_ap`, by looking at every pair."""
    rows, m = keys.shape
    out = np.empty((rows, 2), dtype=np.float64)
    greater, equal = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    for row in range(rows):
        _above_by_pairs(values[row], greater, equal)
        out[row, 0], out[row, 1] = _accuracy_and_agreement(keys[row], values[row], greater, equal)
    return out


@compiled
def tau_ap(keys: Floats, values: Floats) -> Floats:
    """τ_AP in its accuracy and its agreement form (Urbano & Marrero 2017, τ_AP,a and one direction of τ_AP,b).

    Accuracy is the mean over all ways to break ties. In a group of g with u items above it, each member is equally
    often at each place K = 0..g−1; above it are the u items and K members, which are as often right as wrong, as is a
    pair tied in the truth. For agreement, only items above the pivot's whole group count, items of the top group are no
    pivots, and a pair tied in the truth is wrong.
    """
    rows, m = keys.shape
    out = np.empty((rows, 2), dtype=np.float64)
    greater, equal = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    source, target = room_for_places(m), room_for_places(m)
    for row in range(rows):
        _above(values[row], greater, equal, source, target)
        out[row, 0], out[row, 1] = _accuracy_and_agreement(keys[row], values[row], greater, equal)
    return out
