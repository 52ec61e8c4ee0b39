"""Sorted rows with ties, and the merge sorts that count and weigh pairs in O(m log m)."""

from typing import Any

import numpy as np

from rankscope.kernels.compiled import Floats, Integers, compiled

# Tie groups are mostly small; beyond this length a library sort beats insertion.
_INSERTION = 24


@compiled
def row_of(rows: Any, row: int) -> Any:  # floats or integers: numba sees to it
    """The row with this number, or the only one there is."""
    return rows[min(row, len(rows) - 1)]


@compiled
def arrange(key: Floats, other: Floats, order: Integers, key_out: Floats, other_out: Floats) -> None:
    """Both lists by descending `key` (as `order` says), and by descending `other` where keys tie."""
    m = order.shape[0]
    for i in range(m):
        key_out[i] = key[order[i]]
        other_out[i] = other[order[i]]
    start = 0
    while start < m:
        end = start + 1
        while end < m and key_out[end] == key_out[start]:
            end += 1
        if end - start > 1:
            sort_descending(other_out[start:end])
        start = end


@compiled
def sort_descending(values: Floats) -> None:
    """Sort in place, greatest first."""
    m = values.shape[0]
    if m > _INSERTION:
        ascending = np.sort(values)
        for i in range(m):
            values[i] = ascending[m - 1 - i]
        return
    for i in range(1, m):
        value = values[i]
        j = i - 1
        while j >= 0 and values[j] < value:
            values[j + 1] = values[j]
            j -= 1
        values[j + 1] = value


@compiled
def count_ascents(values: Floats, spare: Floats) -> int:
    """The number of pairs i < j with values[i] < values[j]; `values` ends sorted, greatest first."""
    m = values.shape[0]
    ascents = 0
    for start in range(0, m, 8):  # short blocks by insertion, which counts as it moves
        for i in range(start + 1, min(start + 8, m)):
            value = values[i]
            j = i - 1
            while j >= start and values[j] < value:
                values[j + 1] = values[j]
                j -= 1
            values[j + 1] = value
            ascents += i - 1 - j
    width = 8
    source, target = values, spare
    while width < m:
        for a in range(0, m, 2 * width):
            b = min(a + width, m)
            c = min(b + width, m)
            i, j, k = a, b, a
            while i < b and j < c:
                if source[i] >= source[j]:
                    target[k] = source[i]
                    i += 1
                else:
                    target[k] = source[j]
                    ascents += b - i
                    j += 1
                k += 1
            while i < b:
                target[k] = source[i]
                i += 1
                k += 1
            while j < c:
                target[k] = source[j]
                j += 1
                k += 1
        source, target = target, source
        width *= 2
    if source is not values:
        values[:] = source
    return ascents


@compiled
def tied_pairs(values: Floats) -> int:
    """The number of pairs with equal values in a sorted list."""
    pairs = 0
    run = 1
    for i in range(1, values.shape[0]):
        if values[i] == values[i - 1]:
            pairs += run
            run += 1
        else:
            run = 1
    return pairs


@compiled
def twice_tied_pairs(first: Floats, second: Floats) -> int:
    """The number of pairs equal in both lists, where the lists are sorted by the first, then the second."""
    pairs = 0
    run = 1
    for i in range(1, first.shape[0]):
        if first[i] == first[i - 1] and second[i] == second[i - 1]:
            pairs += run
            run += 1
        else:
            run = 1
    return pairs
