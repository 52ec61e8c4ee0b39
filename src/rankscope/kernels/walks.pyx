"""Walks over the orders near a baseline, and how often each system has each rank in them.

Systems are numbered from the baseline's best. A walk proposes another order, from the caller's random numbers, and
stays where it is if that order is not allowed. A proposal is as likely as its reverse, so that every allowed order is
visited equally often. How an order is shown to be allowed or not has no bearing on that.
"""

from typing import NamedTuple

import numpy as np

from libc.math cimport exp
from libc.stdint cimport int64_t

from rankscope.kernels.distance cimport Workspace, distance_of_order, set_order, workspace, workspace_size

# Rounds of raising a lower bound of a distance before the distance is solved for.
cdef enum: _SWEEPS = 15
# A bound is trusted if it exceeds the limit by this share; distances nearer to the limit are solved for.
cdef const double _SURE = 1e-9


class Model(NamedTuple):
    """The baseline, and the limit within which orders are allowed; see `rankscope.kernels.distance`."""

    level: np.ndarray
    spread: np.ndarray
    ridge: float
    size: float
    limit: float


cdef struct Walk:
    Py_ssize_t m
    # The model.
    const double* level
    const double* spread  # m × m
    double ridge
    double size
    double limit
    # The solution of the order that was solved for last, by system.
    double* pull  # what the multipliers add to each system's level
    double* point  # the nearest point
    double* height  # the same point's levels below the best, exactly equal where a row is active
    # Multipliers by row for a proposed order, and the point that they lead to.
    double* trial_multipliers
    double* trial_point
    # Where pushes put each system, and the order that they propose.
    double* pushed
    int64_t* proposed
    Workspace work


cdef inline void _move(int64_t* order, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Move the system at `start` to `end`."""
    cdef Py_ssize_t step = 1 if end > start else -1, i = start
    cdef int64_t item = order[start]
    while i != end:
        order[i] = order[i + step]
        i += step
    order[end] = item


cdef inline bint _reverses_too_much(
    const Walk* walk, const int64_t* order, Py_ssize_t start, Py_ssize_t end
) noexcept nogil:
    """Whether a single pair that the move reverses is beyond the limit: no other pair can reduce its distance."""
    cdef double bound = walk.limit * walk.limit / walk.size, gap, variance
    cdef Py_ssize_t step = 1 if end > start else -1, i = start
    cdef int64_t item = order[start]
    while i != end:
        i += step
        gap = step * (walk.level[item] - walk.level[order[i]])
        variance = walk.ridge * (step * (end - i) + 1) - 2.0 * walk.spread[item * walk.m + order[i]]
        if gap > 0.0 and gap * gap > bound * variance:
            return True
    return False


cdef inline void _keep_solution(const Walk* walk, const int64_t* order) noexcept nogil:
    """Keep the solution of the order in the workspace."""
    cdef Py_ssize_t m = walk.m, i, s
    cdef double* pull = walk.pull
    cdef double* point = walk.point
    cdef const double* line_a
    cdef const double* line_b
    cdef double top = 0.0, share
    for s in range(m):
        pull[s], point[s] = 0.0, walk.level[s]
    walk.height[order[0]] = top
    for i in range(m - 1):
        if walk.work.active[i]:
            share = walk.work.multipliers[i]
            pull[order[i]] += share
            pull[order[i + 1]] -= share
            line_a, line_b = walk.spread + order[i] * m, walk.spread + order[i + 1] * m
            for s in range(m):
                point[s] += share * (line_a[s] - line_b[s])
        elif walk.work.theta[i] > 0.0:
            top -= walk.work.theta[i]
        walk.height[order[i + 1]] = top


cdef inline bint _surely_beyond(const Walk* walk, const int64_t* order) noexcept nogil:
    """Whether a lower bound of an order's distance, from the solution of a similar order, exceeds the limit.

    Any multipliers ≥ 0 give a lower bound (weak duality). The solution's, summed by system down the new order and made
    ≥ 0, are the first; then each in turn is set to its best value, a few times over, which raises the bound.
    """
    cdef Py_ssize_t m = walk.m, sweep, i, s
    cdef double* multipliers = walk.trial_multipliers
    cdef double* point = walk.trial_point
    cdef const double* level = walk.level
    cdef const double* line_a
    cdef const double* line_b
    cdef double ridge = walk.ridge, bound = walk.limit * walk.limit / walk.size, energy = 0.0, flow = 0.0
    cdef double old, new, gap, variance, change, positive
    cdef int64_t a, b
    for s in range(m):
        point[s] = walk.point[s]
        energy -= walk.pull[s] * (level[s] + point[s])
    for i in range(m - 1):
        flow += walk.pull[order[i]]
        multipliers[i] = flow
        positive = max(flow, 0.0)
        energy -= ridge * (positive * positive)
    for sweep in range(_SWEEPS + 1):
        for i in range(m - 1):
            a, b = order[i], order[i + 1]
            line_a, line_b = walk.spread + a * m, walk.spread + b * m
            old, gap = multipliers[i], point[b] - point[a]
            variance = -2.0 * line_a[b]
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
                    point[s] += change * (line_a[s] - line_b[s])
        if energy > bound * (1.0 + _SURE):
            return True
    return False


cdef inline bint _is_allowed(const Walk* walk, const int64_t* order) noexcept nogil:
    """Whether an order is within the limit; if it had to be solved for, and is, its solution is kept.

    The nearest point of the order solved last shows that every order is allowed that differs from it only among
    systems level there. With a ridge neighbours count, and this argument fails.
    """
    cdef bint level_alike = walk.ridge == 0.0
    cdef Py_ssize_t i
    for i in range(walk.m - 1):
        level_alike = level_alike and walk.height[order[i]] >= walk.height[order[i + 1]]
    if level_alike:
        return True
    if _surely_beyond(walk, order):
        return False
    set_order(walk.level, walk.spread, order, &walk.work)
    for i in range(walk.m - 1):
        walk.work.active[i] = walk.trial_multipliers[i] > 0.0
    if distance_of_order(walk.ridge, walk.size, True, &walk.work) > walk.limit:
        return False
    _keep_solution(walk, order)
    return True


cdef inline bint _push(
    const Walk* walk, const int64_t* order, const double* heights, const double* push, double chance
) noexcept nogil:
    """Propose the order after systems at these heights, best first, are pushed; False if the new heights are rejected.

    Independent draws of heights from one distribution, here the normal, are in every order equally often. A walk over
    heights is therefore a walk over orders, and can move many systems together, a little each.
    """
    cdef double* at = walk.pushed
    cdef int64_t* new = walk.proposed
    cdef Py_ssize_t i, j
    cdef double unlikelier = 0.0, here
    for i in range(walk.m):
        here = heights[i] + push[order[i]]
        at[order[i]] = here
        unlikelier += here * here - heights[i] * heights[i]
    if chance >= exp(-0.5 * unlikelier):
        return False
    for i in range(walk.m):
        here = at[order[i]]
        j = i
        while j > 0 and at[new[j - 1]] < here:
            new[j] = new[j - 1]
            j -= 1
        new[j] = order[i]
    return True


def walk_by_distance(
    model,
    int64_t[::1] order,
    const int64_t[:, :, ::1] moves,
    const double[:, :, ::1] heights,
    const double[:, :, ::1] pushes,
    const double[:, ::1] chances,
):
    """The rank (from 0) of each system after every draw of a walk, and the numbers of moves and pushes accepted.

    Each draw tries its `moves` (draw, move; a system and the number of ranks it falls) and then its `pushes` (draw,
    push, system); `heights` and `chances` belong to the pushes. `order` is where the walk starts, an allowed order, and
    afterwards where it ended.
    """
    cdef const double[::1] level = model.level
    cdef const double[:, ::1] spread = model.spread
    cdef Py_ssize_t m = order.shape[0], draws = moves.shape[0], draw, i, start, end, moved = 0, pushed = 0
    cdef int64_t[:, ::1] ranks = np.empty((draws, m), np.int64)
    cdef double[::1] room = np.zeros(7 * m + workspace_size(m))
    cdef Walk walk
    walk.m, walk.level, walk.spread = m, &level[0], &spread[0, 0]
    walk.ridge, walk.size, walk.limit = model.ridge, model.size, model.limit
    walk.pull, walk.point, walk.height = &room[0], &room[m], &room[2 * m]
    walk.trial_multipliers, walk.trial_point = &room[3 * m], &room[4 * m]
    walk.pushed, walk.proposed = &room[5 * m], <int64_t*>&room[6 * m]
    walk.work = workspace(m, &room[7 * m])
    with nogil:
        set_order(walk.level, walk.spread, &order[0], &walk.work)
        distance_of_order(walk.ridge, walk.size, False, &walk.work)
        _keep_solution(&walk, &order[0])
        for draw in range(draws):
            for i in range(moves.shape[1]):
                start = 0
                while order[start] != moves[draw, i, 0]:
                    start += 1
                end = start + moves[draw, i, 1]
                if not 0 <= end < m or start == end or _reverses_too_much(&walk, &order[0], start, end):
                    continue
                _move(&order[0], start, end)
                if _is_allowed(&walk, &order[0]):
                    moved += 1
                else:
                    _move(&order[0], end, start)
            for i in range(pushes.shape[1]):
                if _push(
                    &walk, &order[0], &heights[draw, i, 0], &pushes[draw, i, 0], chances[draw, i]
                ) and _is_allowed(&walk, walk.proposed):
                    pushed += 1
                    for start in range(m):
                        order[start] = walk.proposed[start]
            for i in range(m):
                ranks[draw, order[i]] = i
    return np.asarray(ranks), moved, pushed


def ranks_by_passes(const int64_t[:, ::1] passes):
    """The rank (from 0) of each system, inserted from best to worst, each passing `passes` of those before it."""
    cdef Py_ssize_t draws = passes.shape[0], m = passes.shape[1], draw, system, before
    ranks = np.empty((draws, m), np.int64)
    cdef int64_t[:, ::1] out = ranks
    cdef int64_t* line
    cdef int64_t place
    with nogil:
        for draw in range(draws):
            line = &out[draw, 0]
            for system in range(m):
                place = system - passes[draw, system]
                for before in range(system):
                    line[before] += line[before] >= place
                line[system] = place
    return ranks


def shares_by_inversions(Py_ssize_t m, Py_ssize_t most):
    """The exact share of the orders with at most `most` discordant pairs that put each system at each rank.

    An order is built by inserting systems from best to worst; the number of earlier systems that each passes is its
    number of discordant pairs. For each system in turn, the orders are counted by its place and the number of
    discordant pairs so far, with window sums. Counts are scaled at every step, as only their ratios matter.
    """
    shares = np.zeros((m, m))
    cdef double[:, ::1] out = shares, now = np.zeros((m, most + 1)), then = np.zeros((m, most + 1))
    cdef double[::1] counts = np.zeros(most + 1)  # orders of the systems better than this one, by discordant pairs
    cdef double[::1] sums = np.zeros(most + 2)
    cdef Py_ssize_t system, place, pairs, passed, item, over
    cdef double largest, total
    with nogil:
        counts[0] = 1.0
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
                        then[place + 1, pairs] += sums[max(pairs + 1 - over, 0)] - sums[max(pairs - item, 0)]
                        largest = max(largest, sums[pairs + 1])
                for place in range(item + 1):
                    for pairs in range(most + 1):
                        now[place, pairs] = then[place, pairs] / largest
            total = 0.0
            for place in range(m):
                for pairs in range(most + 1):
                    out[system, place] += now[place, pairs]
                total += out[system, place]
            for place in range(m):
                out[system, place] = max(out[system, place] / total, 0.0)
            for place in range(m):
                # Reversing an order and the baseline keeps the number of discordant pairs.
                out[m - 1 - system, m - 1 - place] = out[system, place]
            for pairs in range(most + 1):
                sums[pairs + 1] = sums[pairs] + counts[pairs]
            for pairs in range(most + 1):
                counts[pairs] = (sums[pairs + 1] - sums[max(pairs - system, 0)]) / sums[most + 1]
    return shares
