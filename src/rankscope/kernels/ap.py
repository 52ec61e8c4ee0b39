"""AP correlation under ties: the pairs above each tie group of the estimate that the truth orders alike."""

import numpy as np

from rankscope.kernels.compiled import Floats, Integers, compiled, inlined


@inlined
def _above_by_pairs(values: Floats, greater: Integers, equal: Integers) -> None:
    """For each place, the earlier places with a greater and with an equal value."""
    for i in range(values.shape[0]):
        value = values[i]
        above, level = 0, 0
        for j in range(i):
            above += int(np.int64(values[j] > value))
            level += int(np.int64(values[j] == value))
        greater[i] = above
        equal[i] = level


@inlined
def _above(
    values: Floats,
    greater: Integers,
    equal: Integers,
    a_values: Floats,
    a_places: Integers,
    b_values: Floats,
    b_places: Integers,
) -> None:
    """The same as `_above_by_pairs`, by a merge sort."""
    m = values.shape[0]
    for i in range(m):
        a_values[i] = values[i]
        a_places[i] = i
        greater[i] = 0
        equal[i] = 0
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
                greater[a_places[j]] += i - a
                equal[a_places[j]] += level - i
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


@inlined
def _above_group(values: Floats, greater: Integers, equal: Integers, start: int, end: int) -> tuple[int, int]:
    """Summed over a tie group's members, what stands above the whole group with a greater and with an equal value."""
    all_greater, all_equal = 0, 0
    inside, level = 0, 0  # inside the group, sorted by descending truth: known without looking
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
    """The two forms of τ_AP, from how many earlier places have a greater and how many an equal value."""
    m = keys.shape[0]
    accuracy, agreement, pivots = 0.0, 0.0, m - 1
    start = 0
    for end in range(1, m + 1):
        if end == m or keys[end] != keys[start]:
            right, level = _above_group(values, greater, equal, start, end)
            each = (right + level / 2.0) / (end - start)
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
    """τ_AP of rows arranged by the estimate (`keys`), `values` being the truth: its accuracy and its agreement form.

    Accuracy is the mean over all ways to break ties: in a group of g with u items above it, each place K = 0..g−1 is
    taken by each member equally often; above it stand the u items and K members, which are as often right as wrong, as
    is a pair tied in the truth. Agreement is one direction of τ_AP,b: only what stands above the pivot's whole group
    counts, over items outside the top group, and a pair tied in the truth is wrong.
    """
    rows, m = keys.shape
    out = np.empty((rows, 2), dtype=np.float64)
    greater, equal = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    a_values, b_values = np.empty(m), np.empty(m)
    a_places, b_places = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    for row in range(rows):
        _above(values[row], greater, equal, a_values, a_places, b_values, b_places)
        out[row, 0], out[row, 1] = _accuracy_and_agreement(keys[row], values[row], greater, equal)
    return out
