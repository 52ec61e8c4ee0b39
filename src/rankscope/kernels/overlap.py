"""Rank-biased overlap of two full rankings (Webber, Moffat & Zobel 2010), ties as in Corsi & Urbano (2024)."""

import numpy as np

from rankscope.kernels.compiled import Floats, Integers, compiled, inlined

# The tie treatments.
A, B, W = 0, 1, 2


@compiled
def _groups(values: Floats, order: Integers, group: Integers, starts: Integers) -> int:
    """Set the tie group of every item and where each group starts; returns the number of groups."""
    count = 0
    for i in range(order.shape[0]):
        if i == 0 or values[order[i]] != values[order[i - 1]]:
            starts[count] = i
            count += 1
        group[order[i]] = count - 1
    starts[count] = order.shape[0]
    return count


@inlined
def _count(order: Integers, starts: Integers, here: int, other_group: Integers, other_here: int) -> tuple[int, int]:
    """The numbers of items of group `here` in earlier groups of the other ranking, and in its current group."""
    before, inside = 0, 0
    for i in range(starts[here], starts[here + 1]):
        other = other_group[order[i]]
        if other < other_here:
            before += 1
        elif other == other_here:
            inside += 1
    return before, inside


@compiled
def rbo(
    truth: Floats, estimate: Floats, truth_order: Integers, estimate_order: Integers, p: float, treatment: int
) -> Floats:
    """Extrapolated RBO: (1 − p) Σ p^(d−1) A_d + p^m A_m.

    At depth d each ranking has a current tie group. Four counts describe how the rankings meet: items before both
    current groups, in the first and before the second, in the second and before the first, and in both. They change
    only where a group ends.
    """
    rows = max(truth.shape[0], estimate.shape[0])
    m = truth.shape[1]
    out = np.empty(rows, dtype=np.float64)
    x_group, y_group = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    x_starts, y_starts = np.empty(m + 1, dtype=np.int64), np.empty(m + 1, dtype=np.int64)
    for row in range(rows):
        t, e = min(row, len(truth) - 1), min(row, len(estimate) - 1)
        x_order, y_order = truth_order[t], estimate_order[e]
        _groups(truth[t], x_order, x_group, x_starts)
        _groups(estimate[e], y_order, y_group, y_starts)
        x_here, y_here = -1, -1
        both_before, x_inside, y_inside, both_inside = 0, 0, 0, 0
        total, power, agreement = 0.0, 1.0, 0.0
        for depth in range(1, m + 1):
            if depth > x_starts[x_here + 1]:
                both_before += x_inside
                y_inside += both_inside
                x_here += 1
                x_inside, both_inside = _count(x_order, x_starts, x_here, y_group, y_here)
            if depth > y_starts[y_here + 1]:
                both_before += y_inside
                x_inside += both_inside
                y_here += 1
                y_inside, both_inside = _count(y_order, y_starts, y_here, x_group, x_here)
            x_start, x_end = x_starts[x_here], x_starts[x_here + 1]
            y_start, y_end = y_starts[y_here], y_starts[y_here + 1]
            if treatment == W:
                overlap = both_before + x_inside + y_inside + both_inside
                agreement = 2.0 * overlap / (x_end + y_end)
            else:
                x_share = (depth - x_start) / (x_end - x_start)
                y_share = (depth - y_start) / (y_end - y_start)
                shared = both_before + x_share * x_inside + y_share * y_inside + x_share * y_share * both_inside
                if treatment == A:
                    agreement = shared / depth
                else:
                    x_square = x_start + x_share * x_share * (x_end - x_start)
                    y_square = y_start + y_share * y_share * (y_end - y_start)
                    agreement = shared / np.sqrt(x_square * y_square)
            total += power * agreement
            power *= p
        out[row] = (1.0 - p) * total + power * agreement
    return out
