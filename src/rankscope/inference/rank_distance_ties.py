"""Bounds of `d_rank` over all ways to break the estimate's ties.

Without a ridge the least distance is one convex problem. A point allows some way to break the ties if every system of
a tie group is no worse there than every system of the next group; inside a group nothing is asked. The nearest such
point is the nearest of all ways. `least_distance` finds it through orders, and proves it by the dual problem.

With a ridge the least distance is a search, because the ridge adds a variance to each pair of *neighbours*: it depends
on the order itself. The greatest distance is a search with and without.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from rankscope.coefficients.ties import (
    Breaks,
    TieBounds,
    all_ways,
    random_ways,
    search_ways,
    strict_ranks,
    tie_groups,
)
from rankscope.inference.rank_distance_baseline import Baseline, Orders
from rankscope.inference.resampling import Seed
from rankscope.scores import Floats

# Multiplications of one stage of the search, whose parts are as many as that allows: one or two seconds.
_STAGE = 1e10
# Random ways to break ties, for the mean, and the fewest.
_RANDOM_WAYS = 50
_FEWEST_WAYS = 10
# Stages of the search that evaluates every swap of neighbours at every step: a few seconds. It is left out beyond.
_SWAP_STAGES = 4
# Most rounds of rearranging tie groups, and the most distances of a round, which tries fewer groups at a time.
_ROUNDS = 40
_TRIALS = 5
# The search goes on while a round improves the distance by this share.
_PROGRESS = 1e-5
# Pairs of members of one tie group that are compared in a round.
_PAIRS = 200_000
# Most orders tried in turn for the least distance. Identical systems, and more systems than topics, let them cycle;
# then every system has a variance of its own, as a share of the largest variance of a difference.
_ORDERS = 50
_FEWEST_ORDERS = 2
_EASED = (0.0, 1e-6, 1e-8, 1e-10, 1e-12)
# The least distance is exact if the dual problem bounds it from below within this share.
_SAME = 1e-8
_ROUNDING = 1e-9

_LEAST = "least: exact, one quadratic program"
_GREATEST = "greatest: search, swaps inside tie groups"


def bounds_of_ties(
    base: Baseline, means: Floats, ridge: float, value: float, limit: int, rng: Seed
) -> TieBounds | None:
    """The bounds over all ways to break the ties of `means`; None without ties."""
    groups = tie_groups(means)
    if not groups:
        return None
    ways = math.prod(math.factorial(len(group)) for group in groups)
    if ways <= limit:
        ranks = np.stack([strict_ranks(base.sums), strict_ranks(means)])
        every = base.distances(np.argsort(all_ways(ranks, [[], groups])[1], axis=1), ridge)
        least, mean, greatest = float(every.min()), float(every.mean()), float(every.max())
        exact, method = True, f"all {ways} ways to break ties"
    else:
        least, mean, greatest, exact, method = _searched(base, means, ridge, value, np.random.default_rng(rng))
    return TieBounds(
        least=least,
        mean=mean,
        greatest=greatest,
        value=value,
        exact=exact,
        ways=ways,
        method=method,
        coefficient="d_rank",
    )


def _searched(
    base: Baseline, means: Floats, ridge: float, value: float, rng: np.random.Generator
) -> tuple[float, float, float, bool, str]:
    """The least, mean and greatest distance, whether all are exact, and how they were found."""
    tied = _tied_places(means)
    nearest, proven = least_distance(base, means) if ridge == 0.0 else (value, False)
    starts = [base.orders(means), np.lexsort((-np.arange(len(means)), -means))]
    work = _work(base, ridge)
    swaps = sum(group.stop - group.start - 1 for group in tied)
    # It takes about as many steps as there are swaps.
    if swaps**2 * work <= _SWAP_STAGES * _STAGE:
        count = _RANDOM_WAYS
        least, mean, greatest = _by_all_swaps(base, means, ridge, rng)
    else:
        count = _affordable(_RANDOM_WAYS, _FEWEST_WAYS, work)
        orders = _random_orders(means, rng, count)
        distances = base.distances(orders, ridge)
        least, mean, greatest = float(distances.min()), float(distances.mean()), float(distances.max())
        starts += list(orders[[distances.argmin(), distances.argmax()]])
    greatest = max(greatest, *(_climb(base, start, tied, ridge, 1.0) for start in starts))
    least = min(least, value, nearest)
    if ridge:
        least = min(least, *(_climb(base, start, tied, ridge, -1.0) for start in starts))
    if math.isinf(greatest):
        mean = math.inf
    ends = f"{_LEAST}; {_GREATEST}" if proven else f"least and {_GREATEST}"
    return least, mean, greatest, proven and math.isinf(greatest), f"{ends}; mean: {count} random ways"


def _work(base: Baseline, ridge: float) -> float:
    """The work of one distance, in multiplications."""
    systems, topics = len(base.systems), base.topics
    return float(systems) * (topics**2 if base.by_topics(ridge) else systems**2)


def _affordable(most: int, least: int, work: float) -> int:
    """How many parts of this work a stage has."""
    return int(min(most, max(least, _STAGE / work)))


def _random_orders(means: Floats, rng: np.random.Generator, count: int) -> Orders:
    ranks = np.stack([strict_ranks(means)] * 2)
    return np.argsort(random_ways(ranks, [[], tie_groups(means)], rng, count)[1], axis=1)


def _by_all_swaps(base: Baseline, means: Floats, ridge: float, rng: np.random.Generator) -> tuple[float, float, float]:
    """The least, mean and greatest distance by evaluating every swap of neighbours."""

    # The search maximises agreement, the negative of distance.
    def agreements(breaks: Breaks) -> Floats:
        return -base.distances(np.argsort(breaks[1], axis=1), ridge)

    ranks = np.stack([strict_ranks(base.sums), strict_ranks(means)])
    sides = [[], tie_groups(means)]
    found = search_ways(agreements, ranks, sides, base.sums, means, rng, count=_RANDOM_WAYS)
    return 0.0 - found[2], 0.0 - found[1], 0.0 - found[0]


def _tied_places(means: Floats) -> list[slice]:
    """The places of each tie group in any order of the means."""
    levels = np.sort(-means)
    ends = [0, *(np.flatnonzero(np.diff(levels)) + 1).tolist(), len(levels)]
    return [slice(a, b) for a, b in itertools.pairwise(ends) if b - a > 1]


def least_distance(base: Baseline, means: Floats) -> tuple[float, bool]:
    """The least distance without a ridge over all ways to break ties, and whether it is proven.

    The solution of one order gives the next: members of a tie group by their means at the point; where these are equal,
    first those that are pushed down. No distance is greater than the one before. It is the least of all ways once every
    push on a system can come from a system of a neighbouring group, since the multipliers then solve the problem that
    has constraints between groups only.
    """
    group = np.unique(-means, return_inverse=True)[1]
    order = base.orders(means)
    nearest = math.inf
    largest = -2.0 * float(base.spread.min())
    for share in _EASED:
        eased = base
        if share:
            eased = replace(base, spread=base.spread - share * largest * (1.0 - np.eye(len(order))))
        for _ in range(_affordable(_ORDERS, _FEWEST_ORDERS, _work(base, 0.0))):
            distance, multipliers, theta = eased.distance_and_point(order, 0.0)
            if math.isinf(distance):
                break
            groups = group[order]
            first = np.append(True, (groups[1:] != groups[:-1]) | (multipliers <= 0.0))
            if _pushed_by_neighbours(multipliers, first):
                reached = base.distance_and_point(order, 0.0)[0]
                if reached - _dual_bound(base, order, multipliers) <= _SAME * reached:
                    return reached, True
                break
            falls = np.append(0.0, np.cumsum(theta))
            order = order[np.lexsort((_pushes(multipliers), np.cumsum(first), falls, groups))]
        nearest = min(nearest, float(base.distances(order[None], 0.0)[0]))
    return nearest, False


def _pushes(multipliers: Floats) -> Floats:
    """The net push of the multipliers on the system in each place: up from the pair below it, down from that above."""
    return np.diff(multipliers, prepend=0.0, append=0.0)


def _pushed_by_neighbours(multipliers: Floats, first: npt.NDArray[np.bool_]) -> bool:
    """Whether members of every tied part of a group are pushed up by no more than the next group provides."""
    starts = np.flatnonzero(first)
    below = np.append(multipliers, 0.0)[np.append(starts[1:], len(first)) - 1]
    upwards = np.add.reduceat(np.maximum(_pushes(multipliers), 0.0), starts)
    return bool((upwards - below <= _ROUNDING * multipliers.max()).all())


def _dual_bound(base: Baseline, order: Orders, multipliers: Floats) -> float:
    """The value of the dual problem at the pushes of these multipliers.

    If pushes go between groups only, they are feasible for every way to break the ties, and no distance is less.
    """
    pushes = np.empty(len(order))
    pushes[order] = _pushes(multipliers)
    square = -base.topics * float(pushes @ (base.sums / base.unit + base.point(order, multipliers)))
    return math.sqrt(max(square, 0.0))


def _climb(base: Baseline, order: Orders, tied: list[slice], ridge: float, sign: float) -> float:
    """The greatest (sign 1) or, with a ridge, least (sign −1) distance reached by rearranging an order's tie groups.

    A round rearranges all tie groups by what their swaps change where the rest of the solution stays as it is, and
    solves the problem once. If the distance is no better, it tries half of the groups, those with the largest gains.
    """
    best, multipliers, _ = base.distance_and_point(order, ridge)
    for _ in range(_affordable(_ROUNDS, 1, _work(base, ridge))):
        if math.isinf(best):
            break
        if ridge:
            proposed, gains = _by_slack(base, order, multipliers, tied, sign)
        else:
            proposed, gains = _by_pushes(base, order, multipliers, tied)
        chosen = [i for i in np.argsort(-gains, kind="stable") if gains[i] > 0.0]
        before = best
        for _ in range(_TRIALS):
            if not chosen:
                break
            trial = order.copy()
            for i in chosen:
                trial[tied[i]] = proposed[tied[i]]
            distance, trial_multipliers, _ = base.distance_and_point(trial, ridge)
            if sign * distance > sign * best:
                best, order, multipliers = distance, trial, trial_multipliers
                break
            chosen = chosen[: len(chosen) // 2]
        if sign * (best - before) <= _PROGRESS * before:
            break
    return best


def _by_pushes(base: Baseline, order: Orders, multipliers: Floats, tied: list[slice]) -> tuple[Orders, Floats]:
    """Members of tie groups swapped while the dual problem gains at the same multipliers, and the gain of each group.

    The dual problem is a maximum over multipliers, so that the greatest distance gains at least as much.
    """
    order, point, gains = order.copy(), base.point(order, multipliers), np.zeros(len(tied))
    pushes = _pushes(multipliers)
    for i, places in enumerate(tied):
        own = pushes[places]
        moved = own - own[:, None]
        for _ in range(_PAIRS // len(own) ** 2):
            members = order[places]
            levels = point[members]
            change = -2.0 * moved * (levels[:, None] - levels) - moved**2 * base.variances(members)
            a, b = np.unravel_index(int(change.argmax()), change.shape)
            if change[a, b] <= _ROUNDING * np.abs(moved * levels).max():
                break
            gains[i] += change[a, b]
            point += moved[a, b] * base.shift(members[a], members[b])
            order[places.start + a], order[places.start + b] = members[b], members[a]
    return order, gains


def _by_slack(
    base: Baseline, order: Orders, multipliers: Floats, tied: list[slice], sign: float
) -> tuple[Orders, Floats]:
    """Tie groups rearranged for what the ridge takes up at the same point, and the gain of each group.

    With a ridge a system may stand above a better one: the square of the difference counts. Its sum is small where
    members rise in small steps, and great where the worst and the best alternate.
    """
    order, point, gains = order.copy(), base.point(order, multipliers), np.zeros(len(tied))
    for i, places in enumerate(tied):
        members = order[places]
        ends = (
            point[order[places.start - 1]] if places.start else math.inf,
            point[order[places.stop]] if places.stop < len(order) else -math.inf,
        )
        rising = members[np.argsort(point[members], kind="stable")]
        alternating = np.empty_like(rising)
        half = (len(rising) + 1) // 2
        alternating[::2], alternating[1::2] = rising[:half], rising[half:][::-1]
        trials = (members, rising, rising[::-1], alternating)
        values = [sign * _rises(_between(point[trial], ends)).sum() for trial in trials]
        best = int(np.argmax(values))
        order[places], gain = _swapped(trials[best], point, ends, sign)
        gains[i] = values[best] - values[0] + gain
    return order, gains


def _between(levels: Floats, ends: tuple[float, float]) -> Floats:
    return np.concatenate([[ends[0]], levels, [ends[1]]])


def _rises(levels: Floats) -> Floats:
    """The squares of the rises from each place to the next."""
    return _squared_rise(levels[:-1], levels[1:])


def _squared_rise(above: Floats, below: Floats) -> Floats:
    return np.square(np.maximum(below - above, 0.0))


def _swapped(members: Orders, point: Floats, ends: tuple[float, float], sign: float) -> tuple[Orders, float]:
    """Members swapped while the sum of squared rises improves, and the gain."""
    members, gain = members.copy(), 0.0
    first, second = np.triu_indices(len(members), 1)
    next_to = second == first + 1
    a, b = first + 1, second + 1
    for _ in range(_PAIRS // len(members) ** 2):
        levels = _between(point[members], ends)
        now = _rises(levels)
        change = _squared_rise(levels[a - 1], levels[b]) + _squared_rise(levels[a], levels[b + 1]) - now[a - 1] - now[b]
        change += np.where(
            next_to,
            _squared_rise(levels[b], levels[a]) - now[a],
            _squared_rise(levels[b], levels[a + 1]) + _squared_rise(levels[b - 1], levels[a]) - now[a] - now[b - 1],
        )
        best = int(np.argmax(sign * change))
        if sign * change[best] <= _ROUNDING * now.sum():
            break
        gain += sign * float(change[best])
        i, j = first[best], second[best]
        members[i], members[j] = members[j], members[i]
    return members, gain
