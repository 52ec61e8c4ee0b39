"""Walks over the orders that stay near a baseline, and how often each system is at each rank in them.

Systems are numbered from the baseline's best; a walk takes one system out and puts it back elsewhere, as the caller's
random numbers say, and stays where it is if that leaves the allowed set: every allowed order is visited equally often.
"""

import numpy as np

from rankscope.kernels.compiled import Floats, Integers, compiled
from rankscope.kernels.distance import Scratch, begin, scratch_for, settle_surely


@compiled
def _move(order: Integers, start: int, end: int) -> None:
    step = 1 if end > start else -1
    item = order[start]
    for i in range(start, end, step):
        order[i] = order[i + step]
    order[end] = item


@compiled
def _reverses_too_much(
    level: Floats, spread: Floats, order: Integers, start: int, end: int, ridge: float, bound: float
) -> bool:
    """Whether one pair that the move puts upside down is by itself too far: no other pair can bring it nearer."""
    step = 1 if end > start else -1
    item = order[start]
    for i in range(start + step, end + step, step):
        gap = step * (level[item] - level[order[i]])
        if gap > 0.0 and gap * gap > bound * (ridge * abs(end - i + step) - 2.0 * spread[item, order[i]]):
            return True
    return False


@compiled
def _note_heights(scratch: Scratch, height: Floats) -> None:
    """The means of the nearest point, from best to worst; level where a constraint holds them so."""
    theta, active = scratch[5], scratch[7]
    height[0] = 0.0
    for i in range(len(theta)):
        height[i + 1] = height[i] if active[i] or theta[i] <= 0.0 else height[i] - theta[i]


@compiled
def walk_by_distance(
    level: Floats,
    spread: Floats,
    starts: Integers,
    ends: Integers,
    thin: int,
    ridge: float,
    size: float,
    limit: float,
) -> tuple[Integers, int]:
    """The rank (from 0) of each system after every `thin` moves within d_rank ≤ `limit`, and how many were made.

    The nearest point of an order shows that every order is allowed that differs from it only among systems level
    there; only other moves need a solution.
    """
    m = len(level)
    draws = len(starts) // thin
    ranks = np.empty((draws, m), dtype=np.int64)
    order = np.arange(m)
    scratch = scratch_for(m)
    active = scratch[7]
    before, height = np.zeros(m - 1, dtype=np.bool_), np.empty(m)
    begin(level, spread, order, scratch)
    settle_surely(ridge, size, False, scratch)
    _note_heights(scratch, height)
    bound = limit * limit / size
    made = 0
    for draw in range(draws):
        for i in range(draw * thin, (draw + 1) * thin):
            start, end = starts[i], ends[i]
            if start == end or _reverses_too_much(level, spread, order, start, end, ridge, bound):
                continue
            # With a ridge, neighbours count, and level systems are not alike.
            free = ridge == 0.0 and height[start] == height[end]
            _move(order, start, end)
            if not free:
                for row in range(m - 1):
                    before[row] = active[row]
                for row in range(max(min(start, end) - 1, 0), min(max(start, end) + 1, m - 1)):
                    active[row] = level[order[row]] < level[order[row + 1]]
                begin(level, spread, order, scratch)
                if settle_surely(ridge, size, True, scratch) > limit:
                    _move(order, end, start)
                    for row in range(m - 1):
                        active[row] = before[row]
                    continue
                _note_heights(scratch, height)
            made += 1
        for i in range(m):
            ranks[draw, order[i]] = i
    return ranks, made


@compiled
def walk_by_inversions(m: int, starts: Integers, ends: Integers, thin: int, most: int) -> tuple[Integers, int]:
    """The rank (from 0) of each system after every `thin` moves with at most so many discordant pairs."""
    draws = len(starts) // thin
    ranks = np.empty((draws, m), dtype=np.int64)
    order = np.arange(m)
    discordant, made = 0, 0
    for draw in range(draws):
        for i in range(draw * thin, (draw + 1) * thin):
            start, end = starts[i], ends[i]
            step = 1 if end > start else -1
            change = 0
            for other in range(start + step, end + step, step):
                change += 1 if step * (order[other] - order[start]) > 0 else -1
            if start != end and discordant + change <= most:
                _move(order, start, end)
                discordant += change
                made += 1
        for i in range(m):
            ranks[draw, order[i]] = i
    return ranks, made


@compiled
def shares_by_inversions(m: int, most: int) -> Floats:
    """The share of the orders with at most so many discordant pairs that put each system at each rank, exactly.

    An order is built by inserting systems from the best to the worst; each passes over some of those before it, which
    is its number of discordant pairs. Followed are the place of one system and the number so far; window sums do the
    rest. Counts are scaled at every step, only their ratios matter.
    """
    shares = np.zeros((m, m))
    counts = np.zeros(most + 1)  # orders of the systems better than the followed one, by discordant pairs
    counts[0] = 1.0
    sums = np.zeros(most + 2)
    now, then = np.zeros((m, most + 1)), np.zeros((m, most + 1))
    for system in range((m + 1) // 2):
        for place in range(m):
            for pairs in range(most + 1):
                now[place, pairs] = 0.0
        for passed in range(min(system, most) + 1):
            for pairs in range(passed, most + 1):
                now[system - passed, pairs] = counts[pairs - passed]
        for item in range(system + 1, m):
            largest = 0.0
            for place in range(item + 1):
                for pairs in range(most + 1):
                    then[place, pairs] = 0.0
            for place in range(item):
                for pairs in range(most + 1):
                    sums[pairs + 1] = sums[pairs] + now[place, pairs]
                # Passing fewer than `over` leaves the followed system's place, passing more moves it down by one.
                over = item - place
                for pairs in range(most + 1):
                    then[place, pairs] += sums[pairs + 1] - sums[max(pairs + 1 - over, 0)]
                    moved = sums[max(pairs + 1 - over, 0)] - sums[max(pairs - item, 0)]
                    then[place + 1, pairs] += moved
                    largest = max(largest, sums[pairs + 1])
            for place in range(item + 1):
                for pairs in range(most + 1):
                    now[place, pairs] = then[place, pairs] / largest
        total = 0.0
        for place in range(m):
            for pairs in range(most + 1):
                shares[system, place] += now[place, pairs]
            total += shares[system, place]
        for place in range(m):
            shares[system, place] = max(shares[system, place] / total, 0.0)
        for place in range(m):
            # Turning an order and the baseline upside down keeps the number of discordant pairs.
            shares[m - 1 - system, m - 1 - place] = shares[system, place]
        for pairs in range(most + 1):
            sums[pairs + 1] = sums[pairs] + counts[pairs]
        for pairs in range(most + 1):
            counts[pairs] = (sums[pairs + 1] - sums[max(pairs - system, 0)]) / sums[most + 1]
    return shares
