"""Walks over the orders near a baseline, and how often each system has each rank in them.

Systems are numbered from the baseline's best. A walk proposes another order, from the caller's random numbers, and
stays where it is if that order is not allowed. A proposal is as likely as its reverse, so that every allowed order is
visited equally often. How an order is shown to be allowed or not has no bearing on that.
"""

from typing import NamedTuple

import numpy as np

from rankscope.kernels.compiled import Floats, Integers, compiled
from rankscope.kernels.distance import Workspace, distance_of_order, set_order, workspace

# Rounds of raising a lower bound of a distance before the distance is solved for.
_SWEEPS = 15
# A bound is trusted if it exceeds the limit by this share; distances nearer to the limit are solved for.
_SURE = 1e-9


class Model(NamedTuple):
    """The baseline, and the limit within which orders are allowed; see `rankscope.kernels.distance`."""

    level: Floats
    spread: Floats
    ridge: float
    size: float
    limit: float


class Solution(NamedTuple):
    """The solution of the order that was solved for last, by system."""

    pull: Floats  # what the multipliers add to each system's level
    point: Floats  # the nearest point
    height: Floats  # the same point's levels below the best, exactly equal where a row is active


class Trial(NamedTuple):
    """Multipliers by row for a proposed order, and the point that they lead to."""

    multipliers: Floats
    point: Floats


@compiled
def _move(order: Integers, start: int, end: int) -> None:
    """Move the system at `start` to `end`."""
    step = 1 if end > start else -1
    item = order[start]
    for i in range(start, end, step):
        order[i] = order[i + step]
    order[end] = item


@compiled
def _reverses_too_much(model: Model, order: Integers, start: int, end: int) -> bool:
    """Whether a single pair that the move reverses is beyond the limit: no other pair can reduce its distance."""
    level, spread, ridge = model.level, model.spread, model.ridge
    bound = model.limit * model.limit / model.size
    step = 1 if end > start else -1
    item = order[start]
    for i in range(start + step, end + step, step):
        gap = step * (level[item] - level[order[i]])
        if gap > 0.0 and gap * gap > bound * (ridge * abs(end - i + step) - 2.0 * spread[item, order[i]]):
            return True
    return False


@compiled
def _keep_solution(model: Model, order: Integers, work: Workspace, solution: Solution) -> None:
    """Keep the solution of the order in the workspace."""
    spread, multipliers, theta = model.spread, work.multipliers, work.theta
    pull, point, height = solution
    m = len(order)
    for s in range(m):
        pull[s], point[s] = 0.0, model.level[s]
    top = 0.0
    height[order[0]] = top
    for i in range(m - 1):
        a, b = order[i], order[i + 1]
        if work.active[i]:
            share = multipliers[i]
            pull[a] += share
            pull[b] -= share
            for s in range(m):
                point[s] += share * (spread[a, s] - spread[b, s])
        elif theta[i] > 0.0:
            top -= theta[i]
        height[b] = top


@compiled
def _surely_beyond(model: Model, order: Integers, solution: Solution, trial: Trial) -> bool:
    """Whether a lower bound of an order's distance, from the solution of a similar order, exceeds the limit.

    Any multipliers ≥ 0 give a lower bound (weak duality). The solution's, summed by system down the new order and made
    ≥ 0, are the first; then each in turn is set to its best value, a few times over, which raises the bound.
    """
    level, spread, ridge = model.level, model.spread, model.ridge
    multipliers, point = trial
    bound = model.limit * model.limit / model.size
    m = len(level)
    energy, flow = 0.0, 0.0
    for s in range(m):
        point[s] = solution.point[s]
        energy -= solution.pull[s] * (level[s] + point[s])
    for i in range(m - 1):
        flow += solution.pull[order[i]]
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
def _is_allowed(model: Model, order: Integers, solution: Solution, trial: Trial, work: Workspace) -> bool:
    """Whether an order is within the limit; if it had to be solved for, and is, its solution is kept.

    The nearest point of the order solved last shows that every order is allowed that differs from it only among
    systems level there. With a ridge neighbours count, and this argument fails.
    """
    m, height = len(order), solution.height
    level_alike = model.ridge == 0.0
    for i in range(m - 1):
        level_alike = level_alike and height[order[i]] >= height[order[i + 1]]
    if level_alike:
        return True
    if _surely_beyond(model, order, solution, trial):
        return False
    set_order(model.level, model.spread, order, work)
    for i in range(m - 1):
        work.active[i] = trial.multipliers[i] > 0.0
    if distance_of_order(model.ridge, model.size, True, work) > model.limit:
        return False
    _keep_solution(model, order, work, solution)
    return True


@compiled
def _pushed(order: Integers, heights: Floats, push: Floats, chance: float, at: Floats, new: Integers) -> bool:
    """The order after systems at these heights, best first, are pushed; False if the new heights are rejected.

    Independent draws of heights from one distribution, here the normal, are in every order equally often. A walk over
    heights is therefore a walk over orders, and can move many systems together, a little each.
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
    model: Model, order: Integers, moves: Integers, heights: Floats, pushes: Floats, chances: Floats
) -> tuple[Integers, int, int]:
    """The rank (from 0) of each system after every draw of a walk, and the numbers of moves and pushes accepted.

    Each draw tries its `moves` (draw, move; a system and the number of ranks it falls) and then its `pushes` (draw,
    push, system); `heights` and `chances` belong to the pushes. `order` is where the walk starts, an allowed order, and
    afterwards where it ended.
    """
    m = len(order)
    draws = len(moves)
    ranks = np.empty((draws, m), dtype=np.int64)
    work, solution = workspace(m), Solution(np.zeros(m), np.zeros(m), np.zeros(m))
    trial = Trial(np.zeros(m), np.zeros(m))
    at, new = np.empty(m), np.empty(m, dtype=np.int64)
    set_order(model.level, model.spread, order, work)
    distance_of_order(model.ridge, model.size, False, work)
    _keep_solution(model, order, work, solution)
    moved, pushed = 0, 0
    for draw in range(draws):
        for i in range(moves.shape[1]):
            start = 0
            while order[start] != moves[draw, i, 0]:
                start += 1
            end = start + moves[draw, i, 1]
            if not 0 <= end < m or start == end or _reverses_too_much(model, order, start, end):
                continue
            _move(order, start, end)
            if _is_allowed(model, order, solution, trial, work):
                moved += 1
            else:
                _move(order, end, start)
        for i in range(pushes.shape[1]):
            if _pushed(order, heights[draw, i], pushes[draw, i], chances[draw, i], at, new) and _is_allowed(
                model, new, solution, trial, work
            ):
                pushed += 1
                for place in range(m):
                    order[place] = new[place]
        for i in range(m):
            ranks[draw, order[i]] = i
    return ranks, moved, pushed


@compiled
def ranks_by_passes(passes: Integers) -> Integers:
    """The rank (from 0) of each system, inserted from best to worst, each passing `passes` of those before it."""
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
    """The exact share of the orders with at most `most` discordant pairs that put each system at each rank.

    An order is built by inserting systems from best to worst; the number of earlier systems that each passes is its
    number of discordant pairs. For each system in turn, the orders are counted by its place and the number of
    discordant pairs so far, with window sums. Counts are scaled at every step, as only their ratios matter.
    """
    shares = np.zeros((m, m))
    counts = np.zeros(most + 1)  # orders of the systems better than this one, by discordant pairs
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
                # Passing fewer than `over` leaves the system's place, passing more moves it down by one.
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
            # Reversing an order and the baseline keeps the number of discordant pairs.
            shares[m - 1 - system, m - 1 - place] = shares[system, place]
        for pairs in range(most + 1):
            sums[pairs + 1] = sums[pairs] + counts[pairs]
        for pairs in range(most + 1):
            counts[pairs] = (sums[pairs + 1] - sums[max(pairs - system, 0)]) / sums[most + 1]
    return shares
