"""Sorted rows with ties, and the merge sort that counts pairs in O(m log m).

Merges go over values[left:middle] and values[middle:right], both sorted, greatest first.
"""

from typing import Any, NamedTuple

import numpy as np

from rankscope.kernels.compiled import Floats, Integers, compiled, inlined

# Short blocks are sorted by insertion before they are merged.
_SHORT = 8


class Placed(NamedTuple):
    """Values, and the places that they had before sorting."""

    values: Floats
    places: Integers


@inlined
def room_for_places(m: int) -> Placed:
    """Arrays for m values and their places."""
    return Placed(np.empty(m), np.empty(m, dtype=np.int64))


@inlined
def row_of(rows: Any, row: int) -> Any:  # floats or integers
    """The row with this number, or the only row."""
    return rows[min(row, len(rows) - 1)]


@inlined
def copy_row(source: Floats, target: Floats) -> None:
    """Copy a list into another of its length."""
    for i in range(source.shape[0]):
        target[i] = source[i]


@compiled
def arrange(key: Floats, other: Floats, order: Integers) -> tuple[Floats, Floats]:
    """Both lists of every row by descending `key` (that is, in `order`), then by descending `other`."""
    rows, m = max(len(key), len(other)), order.shape[1]
    keys, others = np.empty((rows, m)), np.empty((rows, m))
    for row in range(rows):
        key_row, other_row, by = row_of(key, row), row_of(other, row), row_of(order, row)
        for i in range(m):
            keys[row, i] = key_row[by[i]]
            others[row, i] = other_row[by[i]]
        start = 0
        for end in range(1, m + 1):
            if end == m or keys[row, end] != keys[row, start]:
                if end - start > 1:
                    sort_descending(others[row], start, end)
                start = end
    return keys, others


@inlined
def sort_descending(values: Floats, start: int, end: int) -> None:
    """Sort values[start:end] in place, greatest first: Shell's sort, quick to compile and fast on short runs."""
    gap = 1
    while 3 * gap < end - start:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(start + gap, end):
            value = values[i]
            j = i
            while j >= start + gap and values[j - gap] < value:
                values[j] = values[j - gap]
                j -= gap
            values[j] = value
        gap //= 3


@inlined
def count_ascents(values: Floats, spare: Floats) -> int:
    """The number of pairs i < j with values[i] < values[j]; `values` ends sorted, greatest first (Knight 1966)."""
    m = values.shape[0]
    ascents = 0
    for left in range(0, m, _SHORT):
        for i in range(left + 1, min(left + _SHORT, m)):
            value = values[i]
            j = i - 1
            while j >= left and values[j] < value:
                values[j + 1] = values[j]
                j -= 1
            values[j + 1] = value
            ascents += i - 1 - j
    width = _SHORT
    source, target = values, spare
    while width < m:
        for left in range(0, m, 2 * width):
            middle = min(left + width, m)
            right = min(middle + width, m)
            i, j, k = left, middle, left
            while i < middle and j < right:
                if source[i] >= source[j]:
                    target[k] = source[i]
                    i += 1
                else:
                    target[k] = source[j]
                    ascents += middle - i
                    j += 1
                k += 1
            while i < middle:
                target[k] = source[i]
                i += 1
                k += 1
            while j < right:
                target[k] = source[j]
                j += 1
                k += 1
        source, target = target, source
        width *= 2
    if source is not values:
        for i in range(m):
            values[i] = source[i]
    return ascents


@inlined
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


@inlined
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
