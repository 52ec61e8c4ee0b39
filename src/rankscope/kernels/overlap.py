"""Rank-biased overlap of rankings and lists (Webber, Moffat & Zobel 2010), ties as in Corsi & Urbano (2024)."""

import math

import numpy as np

from rankscope.kernels.compiled import Floats, Integers, compiled, inlined

# The tie treatments.
A, B, W = 0, 1, 2
# The group of an item that a list lacks: after all others.
ABSENT = np.iinfo(np.int64).max


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


@inlined
def _agreement(overlap: float, treatment: int, depth: int, x_size: float, y_size: float) -> float:
    """The agreement at a depth; sizes are numbers of items for w, and sums of squared shares of items for b."""
    if treatment == W:
        return 2.0 * overlap / (x_size + y_size)
    if treatment == A:
        return overlap / depth
    return overlap / math.sqrt(x_size * y_size)


@inlined
def _size(treatment: int, start: int, end: int, share: float) -> float:
    """What `_agreement` takes for the size of a list whose current group stands at start to end."""
    return float(end) if treatment == W else start + share * share * (end - start)


@inlined
def _share(treatment: int, depth: int, start: int, end: int) -> float:
    """How much of an item of the current group is in the list's top: all for w, else the mean over tie breaks."""
    return 1.0 if treatment == W else (depth - start) / (end - start)


@compiled
def _both(
    x_order: Integers,
    x_starts: Integers,
    x_group: Integers,
    y_order: Integers,
    y_starts: Integers,
    y_group: Integers,
    p: float,
    treatment: int,
) -> tuple[float, float, float, int, int, int]:
    """Depths 1 to s, the length of x, which is not longer than y: Σ p^(d−1) A_d, p^s, A_s, and how the lists meet.

    At depth d each list has a current tie group. Four counts describe how the lists meet: items before both current
    groups, in the first and before the second, in the second and before the first, and in both. They change only where
    a group ends. What is returned of them is as for a list x that has ended: items of x in earlier groups of y, those
    in y's current group, and which group that is.
    """
    x_here, y_here = -1, -1
    both_before, x_inside, y_inside, both_inside = 0, 0, 0, 0
    total, power, agreement = 0.0, 1.0, 0.0
    for depth in range(1, len(x_order) + 1):
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
        x_share, y_share = _share(treatment, depth, x_start, x_end), _share(treatment, depth, y_start, y_end)
        shared = both_before + x_share * x_inside + y_share * y_inside + x_share * y_share * both_inside
        x_size, y_size = _size(treatment, x_start, x_end, x_share), _size(treatment, y_start, y_end, y_share)
        agreement = _agreement(shared, treatment, depth, x_size, y_size)
        total += power * agreement
        power *= p
    return total, power, agreement, both_before + x_inside, y_inside + both_inside, y_here


@compiled
def rbo(
    truth: Floats, estimate: Floats, truth_order: Integers, estimate_order: Integers, p: float, treatment: int
) -> Floats:
    """Extrapolated RBO of rankings of the same m items: (1 − p) Σ p^(d−1) A_d + p^m A_m."""
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
        total, power, agreement, _, _, _ = _both(x_order, x_starts, x_group, y_order, y_starts, y_group, p, treatment)
        out[row] = (1.0 - p) * total + power * agreement
    return out


@compiled
def list_rbo(
    x_order: Integers,
    x_starts: Integers,
    x_group: Integers,
    y_order: Integers,
    y_starts: Integers,
    y_group: Integers,
    p: float,
    treatment: int,
) -> tuple[float, float, float]:
    """Extrapolated, least and greatest RBO of two lists, x not longer than y.

    A list has its items' codes by rank, where its tie groups start and the last one ends, and the group of every code,
    `ABSENT` for items that it lacks. What follows a list has no ties. Equations are those of Webber et al. (2010), with
    contributions of tied items as in Corsi & Urbano (2024).
    """
    s, l = len(x_order), len(y_order)  # noqa: E741  the paper's name
    seen, power, agreement, before, inside, here = _both(
        x_order, x_starts, x_group, y_order, y_starts, y_group, p, treatment
    )
    ext, least, greatest = seen, seen, seen
    # Depths s + 1 to l: x has d − s items that are not known. At least, none of them is in y; at most, they are those
    # that come first in y of what x lacks; extrapolated, each is in y's top as often as those of x are at depth s.
    for depth in range(s + 1, l + 1):
        if depth > y_starts[here + 1]:
            before += inside
            here += 1
            inside = 0
            for i in range(y_starts[here], y_starts[here + 1]):
                inside += x_group[y_order[i]] != ABSENT
        start, end = y_starts[here], y_starts[here + 1]
        share = _share(treatment, depth, start, end)
        overlap = before + share * inside
        others_before, others_inside = start - before, end - start - inside
        unknown = depth - s
        first = min(unknown, others_before)
        most = first + share * min(unknown - first, others_inside)
        typical = (others_before + share * others_inside) / (others_before + others_inside)
        size = _size(treatment, start, end, share)
        least += power * _agreement(overlap, treatment, depth, float(depth), size)
        greatest += power * _agreement(overlap + most, treatment, depth, float(depth), size)
        ext += power * _agreement(overlap + unknown * agreement * typical, treatment, depth, float(depth), size)
        power *= p
    # Beyond depth l, where `power` is p^l and all X_l = `common` items that the lists share have been met.
    common = before + inside
    ext = (1.0 - p) * ext + power * (common + (l - s) * agreement) / l
    harmonic, term = 0.0, 1.0  # Σ p^(d−1)/d up to l
    for depth in range(1, l + 1):
        harmonic += term / depth
        term *= p
    least = (1.0 - p) * (least + common * max(0.0, -np.log1p(-p) / p - harmonic))
    for depth in range(l + 1, l + s - common + 1):
        greatest += power * (2 * depth - l - s + common) / depth
        power *= p
    greatest = (1.0 - p) * greatest + power
    # The order holds by definition; rounding must not break it.
    greatest = min(greatest, 1.0)
    ext = min(ext, greatest)
    return ext, min(least, ext), greatest


@compiled
def run_rbo(documents: Integers, starts: Integers, pool_starts: Integers, systems: int, p: float) -> Floats:
    """Extrapolated, least and greatest RBO of every two systems on every topic, topics × pairs × 3.

    Codes of documents and where rankings start are those of a `RunSet`. Rows where a system retrieved nothing are nan.
    """
    topics = len(pool_starts) - 1
    out = np.full((topics, systems * (systems - 1) // 2, 3), np.nan)
    every = np.arange(len(documents) + 1)  # without ties, group i starts at i
    for topic in range(topics):
        base = pool_starts[topic]
        pool = pool_starts[topic + 1] - base
        x_group, y_group = np.full(pool, ABSENT), np.full(pool, ABSENT)
        pair = 0
        for first in range(systems):
            at = topic * systems + first
            x = documents[starts[at] : starts[at + 1]] - base
            for i in range(len(x)):
                x_group[x[i]] = i
            for second in range(first + 1, systems):
                at = topic * systems + second
                y = documents[starts[at] : starts[at + 1]] - base
                for i in range(len(y)):
                    y_group[y[i]] = i
                x_starts, y_starts = every[: len(x) + 1], every[: len(y) + 1]
                if len(x) and len(y):
                    if len(x) <= len(y):
                        values = list_rbo(x, x_starts, x_group, y, y_starts, y_group, p, A)
                    else:
                        values = list_rbo(y, y_starts, y_group, x, x_starts, x_group, p, A)
                    for i in range(3):
                        out[topic, pair, i] = values[i]
                for i in range(len(y)):
                    y_group[y[i]] = ABSENT
                pair += 1
            for i in range(len(x)):
                x_group[x[i]] = ABSENT
    return out
