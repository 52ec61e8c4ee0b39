"""Walks over the orders that stay near a baseline, and how often each system is at each rank in them.

Systems are numbered from the baseline's best. A walk proposes another order, as the caller's random numbers say, and
stays where it is if that is not allowed. A proposal is as likely as its way back, so that every allowed order is
visited equally often; how an order is shown to be allowed, or not, has no bearing on that.
"""

import numpy as np

from rankscope.kernels.compiled import Floats, Integers, compiled
from rankscope.kernels.distance import Scratch, begin, scratch_for, settle_surely

# Rounds of raising a lower bound of a distance before it is solved for.
_SWEEPS = 15
# Bounds are believed from this much beyond the limit; distances nearer to it are solved for.
_SURE = 1e-9

# Of the order solved last: multipliers of its rows (room), what they ask of each system, and the nearest point; with
# its levels made exactly equal where a row is active.
Nearest = tuple[Floats, Floats, Floats, Floats]


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
def _nearest_for(m: int) -> Nearest:
    return np.zeros(m), np.zeros(m), np.zeros(m), np.zeros(m)


@compiled
def _note_nearest(level: Floats, spread: Floats, order: Integers, scratch: Scratch, near: Nearest) -> None:
    """Keep the solution of an order."""
    multipliers, theta, active = scratch[4], scratch[5], scratch[7]
    _, pull, point, height = near
    m = len(level)
    for s in range(m):
        pull[s], point[s] = 0.0, level[s]
    top = 0.0
    height[order[0]] = top
    for i in range(m - 1):
        a, b = order[i], order[i + 1]
        if active[i]:
            share = multipliers[i]
            pull[a] += share
            pull[b] -= share
            for s in range(m):
                point[s] += share * (spread[a, s] - spread[b, s])
        elif theta[i] > 0.0:
            top -= theta[i]
        height[b] = top


@compiled
def _surely_beyond(
    level: Floats, spread: Floats, order: Integers, ridge: float, bound: float, near: Nearest, trial: Nearest
) -> bool:
    """Whether an order is seen to be beyond the bound from the solution of an order like it.

    Any multipliers ≥ 0 give a lower bound of the distance. What the last ones ask of each system, summed down the new
    order and made ≥ 0, are some; then the best change of each in turn raises the bound, a few times over.
    """
    multipliers, _, point, _ = trial
    m = len(level)
    energy, flow = 0.0, 0.0
    for s in range(m):
        point[s] = near[2][s]
        energy -= near[1][s] * (level[s] + point[s])
    for i in range(m - 1):
        flow += near[1][order[i]]
        multipliers[i] = flow
        energy -= ridge * max(flow, 0.0) ** 2
    for sweep in range(_SWEEPS + 1):
        for i in range(m - 1):
            a, b = order[i], order[i + 1]
            old, gap = multipliers[i], point[b] - point[a]
            variance = -2.0 * spread[a, b]
            if sweep == 0:  # a ridge counts multipliers ≥ 0 only
                new = max(old, 0.0)
            elif ridge + variance > 0.0:
                gap -= ridge * old
                variance += ridge
                new = max(old + gap / variance, 0.0)
            elif level[a] < level[b]:
                return True
            else:
                continue
            change = new - old
            if change != 0.0:
                energy += change * (2.0 * gap - change * variance)
                multipliers[i] = new
                for s in range(m):
                    point[s] += change * (spread[a, s] - spread[b, s])
        if energy > bound * (1.0 + _SURE):
            return True
    return False


@compiled
def _allowed(
    level: Floats,
    spread: Floats,
    order: Integers,
    ridge: float,
    size: float,
    limit: float,
    near: Nearest,
    trial: Nearest,
    scratch: Scratch,
) -> bool:
    """Whether an order is within the limit, seen from the solution of one like it; if solved for, that is kept.

    The nearest point of an order shows that every order is allowed that differs from it only among systems level
    there. With a ridge neighbours count, and level systems are not alike.
    """
    m, active, height = len(level), scratch[7], near[3]
    free = ridge == 0.0
    for i in range(m - 1):
        free = free and height[order[i]] >= height[order[i + 1]]
    if free:
        return True
    if _surely_beyond(level, spread, order, ridge, limit * limit / size, near, trial):
        return False
    begin(level, spread, order, scratch)
    for i in range(m - 1):
        active[i] = trial[0][i] > 0.0
    if settle_surely(ridge, size, True, scratch) > limit:
        return False
    _note_nearest(level, spread, order, scratch, near)
    return True


@compiled
def _pushed(order: Integers, heights: Floats, push: Floats, chance: float, at: Floats, new: Integers) -> bool:
    """The order when systems at these heights, best first, are pushed; False if the heights are then too unlikely.

    Heights drawn independently from one law, here the normal, are in every order equally often. So a walk over heights
    is one over orders, and may move many systems together, a little each.
    """
    m = len(order)
    unlikelier = 0.0
    for i in range(m):
        at[order[i]] = heights[i] + push[order[i]]
        unlikelier += at[order[i]] ** 2 - heights[i] ** 2
    if chance >= np.exp(-0.5 * unlikelier):
        return False
    for i in range(m):
        j = i
        while j > 0 and at[new[j - 1]] < at[order[i]]:
            new[j] = new[j - 1]
            j -= 1
        new[j] = order[i]
    return True


@compiled
def walk_by_distance(
    level: Floats,
    spread: Floats,
    order: Integers,
    moves: Integers,
    heights: Floats,
    pushes: Floats,
    chances: Floats,
    ridge: float,
    size: float,
    limit: float,
) -> tuple[Integers, int, int]:
    """The rank (from 0) of each system in every draw of a walk within d_rank ≤ `limit`, and the moves and pushes made.

    A draw is what its `moves` (draw, move; a system and how many ranks it is to fall) and then its `pushes` (draw,
    push, system) lead to; `heights` and `chances` are for the pushes. `order`, an allowed one, is where the walk
    starts, and then where it ended.
    """
    m = len(level)
    draws = len(moves)
    ranks = np.empty((draws, m), dtype=np.int64)
    scratch, near, trial = scratch_for(m), _nearest_for(m), _nearest_for(m)
    at, new = np.empty(m), np.empty(m, dtype=np.int64)
    begin(level, spread, order, scratch)
    settle_surely(ridge, size, False, scratch)
    _note_nearest(level, spread, order, scratch, near)
    bound = limit * limit / size
    moved, pushed = 0, 0
    for draw in range(draws):
        for i in range(moves.shape[1]):
            start = 0
            while order[start] != moves[draw, i, 0]:
                start += 1
            end = start + moves[draw, i, 1]
            if not 0 <= end < m or start == end or _reverses_too_much(level, spread, order, start, end, ridge, bound):
                continue
            _move(order, start, end)
            if _allowed(level, spread, order, ridge, size, limit, near, trial, scratch):
                moved += 1
            else:
                _move(order, end, start)
        for i in range(pushes.shape[1]):
            if _pushed(order, heights[draw, i], pushes[draw, i], chances[draw, i], at, new) and _allowed(
                level, spread, new, ridge, size, limit, near, trial, scratch
            ):
                pushed += 1
                for place in range(m):
                    order[place] = new[place]
        for i in range(m):
            ranks[draw, order[i]] = i
    return ranks, moved, pushed


@compiled
def ranks_by_passes(passes: Integers) -> Integers:
    """The rank (from 0) of each system; inserted from the best to the worst, each passes so many of those before it."""
    draws, m = passes.shape
    ranks = np.empty((draws, m), dtype=np.int64)
    for draw in range(draws):
        for system in range(m):
            place = system - passes[draw, system]
            for before in range(system):
                if ranks[draw, before] >= place:
                    ranks[draw, before] += 1
            ranks[draw, system] = place
    return ranks


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
