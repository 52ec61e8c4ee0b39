"""The bounds of a coefficient under ties: its least, mean and greatest value over all ways to break them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from rankscope.checks import check_count
from rankscope.coefficients.gaps import pearson_rank_in_order
from rankscope.coefficients.pearson_rank_ties import extreme_ranks
from rankscope.coefficients.record import Coefficient
from rankscope.coefficients.registry import coefficient as find
from rankscope.coefficients.rows import checked_pair, quietly
from rankscope.defaults import SEED
from rankscope.inputs import ScoresLike
from rankscope.scores import Floats

# The search: random ways to break ties, and the most steps of climbing from them.
_DRAWS = 300
_STEPS = 200
# Scores compared at once: bounds time and memory for long lists.
_STEP_SCORES = 2_000_000
_RANDOM = f"{_DRAWS} random ways"
_BY_AGREEMENT = "least and greatest: ties broken to disagree and to agree"

Positions = npt.NDArray[np.intp]
Breaks = tuple[Floats, Floats]  # strict ranks (1 is best) of the truth and of the estimate, a row per way


@dataclass(frozen=True, kw_only=True)
class TieBounds:
    """The least, mean and greatest value of a coefficient over all ways to break ties.

    `value` is that of the coefficient's own tie rule, `ways` the number of ways to break the ties of the systems that
    are compared. `exact` is true if all three numbers are exact; otherwise `method` says which are searched for, or are
    over random ways.
    """

    least: float
    mean: float
    greatest: float
    value: float
    exact: bool
    ways: int
    method: str
    coefficient: str

    @property
    def spread(self) -> float:
        """The greatest minus the least value."""
        return self.greatest - self.least


def tie_bounds(
    coefficient: str | Coefficient,
    truth: ScoresLike,
    estimate: ScoresLike,
    *,
    limit: int = 5_000,
    rng: int | np.random.Generator = SEED,
) -> TieBounds:
    """The bounds of a coefficient over all ways to break ties.

    Only ties that leave the definition open are broken: on both sides for coefficients of order, in the estimate for
    τ_GAP and the fuzzy τ, which keep the truth's gaps, in the truth for Pearson Rank, and none for Pearson's ρ.

    All but Pearson Rank are greatest where ties are broken to agree and least where they are broken to disagree, and
    all but Pearson Rank and τ_GAP have their mean in closed form, so that these numbers are always exact. The others
    are exact up to `limit` ways, and for Pearson Rank wherever the truth's tie groups have up to `limit` subsets (12
    systems). Beyond that the mean is over 300 random ways, and Pearson Rank's extremes are searched for, by swapping
    neighbours inside tie groups until nothing improves. With a cutoff inside a tie group of a truth whose ties are
    broken, all coefficients are exact up to `limit` ways and are searched for beyond it.

    Parameters
    ----------
    coefficient : str | Coefficient
        A name such as "tau_ap" or "rbo(p=0.8)@10", or a coefficient.
    truth, estimate : ScoresLike
        One list of scores each, of the same systems; higher is better.
    limit : int, default 5000
        The greatest number of ways that are all tried.
    rng : int | Generator, default 0
        The seed of random ways and of the search.

    Returns
    -------
    TieBounds
        The least, mean and greatest value, the coefficient's own value, and whether the bounds are exact.

    Raises
    ------
    UnknownName, BadParameter
        If there is no such coefficient, or `limit` is below 1.
    ShapeMismatch, TooFewSystems, NotFinite
        If the two sides are not one list each of finite scores of the same two or more systems.

    Examples
    --------
    >>> bounds = tie_bounds("tau_ap", [3, 2, 1], [0.5, 0.5, 0.1])
    >>> bounds.least, bounds.mean, bounds.greatest, bounds.ways
    (0.0, 0.5, 1.0, 2)
    """
    chosen = find(coefficient)
    check_count("limit", limit)
    x, y = checked_pair(truth, estimate)
    with quietly():
        value = float(chosen(x, y))
    problem = Problem.of(chosen, x, y)
    least, mean, greatest, exact, method = (
        (value, value, value, True, "one side is constant")
        if math.isnan(value)
        else _bounds(problem, value, limit, np.random.default_rng(rng))
    )
    return TieBounds(
        least=least,
        mean=mean,
        greatest=greatest,
        value=value,
        exact=exact,
        ways=problem.ways,
        method=method,
        coefficient=str(chosen),
    )


@dataclass(frozen=True)
class Problem:
    """A coefficient, the systems that any way to break ties compares, and the tie groups to break on each side."""

    chosen: Coefficient
    x: Floats
    y: Floats
    sides: list[list[Positions]]

    @classmethod
    def of(cls, chosen: Coefficient, x: Floats, y: Floats) -> Self:
        """The problem of these scores, without the systems that are never in the truth's top k.

        A cutoff is left only where it falls inside a tie group of a truth whose ties are broken.
        """
        broken = _sides_to_break(chosen)
        if chosen.cutoff is not None:
            kept = x >= np.sort(x)[-min(chosen.cutoff, len(x))]
            x, y = x[kept], y[kept]
            if not broken[0] or len(x) <= chosen.cutoff:
                chosen = replace(chosen, cutoff=None)
        sides = [tie_groups(side) if breaks else [] for side, breaks in zip((x, y), broken, strict=True)]
        return cls(chosen, x, y, sides)

    @property
    def ways(self) -> int:
        return math.prod(math.factorial(len(group)) for groups in self.sides for group in groups)

    @property
    def base(self) -> Floats:
        """Strict ranks of both sides: one way to break ties."""
        return np.stack([strict_ranks(self.x), strict_ranks(self.y)])

    def values(self, breaks: Breaks) -> Floats:
        """The coefficient's values with ties broken by the ranks in each row of `breaks`."""
        return _values(self.chosen, self.x, self.y, breaks)


def _bounds(
    problem: Problem, value: float, limit: int, rng: np.random.Generator
) -> tuple[float, float, float, bool, str]:
    """The least, mean and greatest value, whether all are exact, and how they were found."""
    chosen, x, y, record = problem.chosen, problem.x, problem.y, problem.chosen.record
    ordered = record.best_in_agreement and chosen.cutoff is None
    if problem.ways == 1:
        return value, value, value, True, "no ties to break"
    if ordered and record.mean_over_ties is not None:
        least, greatest = problem.values(_opposed_and_agreeing(x, y)).tolist()
        with quietly():
            mean = float(np.float64(record.mean_over_ties(x, y, **dict(chosen.parameters))))
        return least, mean, greatest, True, f"{_BY_AGREEMENT}; mean: closed form"
    if problem.ways <= limit:
        values = problem.values(all_ways(problem.base, problem.sides))
        method = f"all {problem.ways} ways to break ties"
        return float(values.min()), float(values.mean()), float(values.max()), True, method
    if ordered:
        least, greatest = problem.values(_opposed_and_agreeing(x, y)).tolist()
        mean = float(_by_steps(problem.values, random_ways(problem.base, problem.sides, rng, _DRAWS)).mean())
        return least, mean, greatest, False, f"{_BY_AGREEMENT}; mean: {_RANDOM}"
    if record.breaks == "truth" and chosen.cutoff is None:
        return _pearson_rank_bounds(problem, limit, rng)
    least, mean, greatest = search_ways(problem.values, problem.base, problem.sides, x, y, rng)
    return least, mean, greatest, False, f"search: {_RANDOM} to break ties, then swaps inside tie groups"


def _opposed_and_agreeing(x: Floats, y: Floats) -> Breaks:
    """Both sides' ties broken to disagree with the other side in the first row, and to agree in the second.

    The truth has systems that tie on both sides in the order of the list, the estimate in the reverse and in the same.
    """
    place = np.arange(len(x))
    truths = [np.lexsort((place, y, -x)), np.lexsort((place, -y, -x))]
    estimates = [np.lexsort((-place, x, -y)), np.lexsort((place, -x, -y))]
    return np.stack([*map(ranks_in_order, truths)]), np.stack([*map(ranks_in_order, estimates)])


def _pearson_rank_bounds(
    problem: Problem, limit: int, rng: np.random.Generator
) -> tuple[float, float, float, bool, str]:
    """The bounds of Pearson Rank: each direction's ties are those of its own truth."""
    chosen, x, y = problem.chosen, problem.x, problem.y
    scale = bool(chosen.settings["scale"])
    draws = random_ways(problem.base, problem.sides, rng, _DRAWS)
    sampled = _by_steps(problem.values, draws)
    found = [np.stack([strict_ranks(side)] * 2) for side in (x, y)]
    mean, searched = 0.0, 0
    directions = ((0, x, y), (1, y, x)) if chosen.settings["symmetric"] else ((0, x, y),)
    for side, truth, estimate in directions:
        starts = np.stack(
            [ranks_in_order(np.lexsort((sign * estimate, -truth))) for sign in (-1, 1)]
            + [draws[side][i] for i in (sampled.argmin(), sampled.argmax())]
        )
        extremes = extreme_ranks(truth, estimate, starts, scale=scale, limit=limit)
        found[side] = np.stack([extremes.least, extremes.greatest])
        mean += (extremes.mean or 0.0) / len(directions)
        searched += extremes.searched
    least, greatest = problem.values((found[0], found[1])).tolist()
    if not searched:
        return least, mean, greatest, True, "all orders of every tie group"
    method = f"search: swaps inside tie groups ({searched} of them), all orders of smaller ones; mean: {_RANDOM}"
    return least, float(sampled.mean()), greatest, False, method


def _sides_to_break(chosen: Coefficient) -> tuple[bool, bool]:
    breaks = chosen.record.breaks
    both = breaks == "both" or (breaks != "none" and bool(chosen.settings.get("symmetric", False)))
    return both or breaks == "truth", both or breaks == "estimate"


def tie_groups(scores: Floats) -> list[Positions]:
    """The positions of each group of equal scores that has more than one member."""
    _, group, size = np.unique(scores, return_inverse=True, return_counts=True)
    order = np.argsort(group, kind="stable")
    return [part for part in np.split(order, np.cumsum(size)[:-1]) if len(part) > 1]


def strict_ranks(scores: Floats) -> Floats:
    """Ranks without ties (1 is best): equal scores in their order in the list."""
    return ranks_in_order(np.argsort(-scores, kind="stable"))


def ranks_in_order(order: Positions) -> Floats:
    """The ranks (1 is best) of systems that are in this order."""
    ranks = np.empty(len(order))
    ranks[order] = np.arange(1, len(order) + 1)
    return ranks


def _values(chosen: Coefficient, x: Floats, y: Floats, breaks: Breaks) -> Floats:
    """The coefficient's values with ties broken by the ranks in each row of `breaks`."""
    x_ranks, y_ranks = breaks
    xs, ys = np.broadcast_to(x, x_ranks.shape), np.broadcast_to(y, y_ranks.shape)
    if chosen.cutoff is not None and chosen.cutoff < len(x):
        kept = _top(chosen, x, x_ranks)
        xs, ys, x_ranks, y_ranks = (np.take_along_axis(a, kept, axis=-1) for a in (xs, ys, x_ranks, y_ranks))
    values = _in_direction(chosen, xs, ys, x_ranks, y_ranks)
    if chosen.settings.get("symmetric", False):
        values = (values + _in_direction(chosen, ys, xs, y_ranks, x_ranks)) / 2.0
    return values


def _top(chosen: Coefficient, x: Floats, x_ranks: Floats) -> Positions:
    """The truth's top k in each row: exactly k if the truth's ties are broken, otherwise with all tied at the cut."""
    order = np.argsort(x_ranks, axis=-1)
    if _sides_to_break(chosen)[0]:
        return order[:, : chosen.cutoff]
    return order[:, : int((x >= np.sort(x)[-(chosen.cutoff or len(x))]).sum())]


def _in_direction(chosen: Coefficient, x: Floats, y: Floats, x_ranks: Floats, y_ranks: Floats) -> Floats:
    """The coefficient's values in one direction; ranks stand in for the scores of a side whose ties are broken."""
    if chosen.record.breaks == "truth":
        return pearson_rank_in_order(x, y, x_ranks, scale=bool(chosen.settings["scale"]))
    directed = Coefficient(chosen.record, tuple(p for p in chosen.parameters if p[0] != "symmetric"))
    with quietly():
        return np.atleast_1d(directed(-x_ranks if chosen.record.breaks == "both" else x, -y_ranks))


def all_ways(base: Floats, sides: list[list[Positions]]) -> Breaks:
    """Every way to break the ties of both sides, from the strict ranks `base`."""
    truths, estimates = (_ways_of(ranks, groups) for ranks, groups in zip(base, sides, strict=True))
    return np.repeat(truths, len(estimates), axis=0), np.tile(estimates, (len(truths), 1))


def _ways_of(ranks: Floats, groups: list[Positions]) -> Floats:
    """Every way to deal the ranks of each group to its members, those of the last group changing fastest."""
    ways = ranks[None]
    for group in groups:
        orders = np.array(list(itertools.permutations(ranks[group])))
        before = len(ways)
        ways = np.repeat(ways, len(orders), axis=0)
        ways[:, group] = np.tile(orders, (before, 1))
    return ways


def random_ways(base: Floats, sides: list[list[Positions]], rng: np.random.Generator, count: int) -> Breaks:
    """Random ways to break the ties of both sides, from the strict ranks `base`."""
    truths, estimates = (np.repeat(ranks[None], count, axis=0) for ranks in base)
    for rows, groups in zip((truths, estimates), sides, strict=True):
        for group in groups:
            rows[:, group] = rng.permuted(rows[:, group], axis=1)
    return truths, estimates


def _by_steps(evaluate: Callable[[Breaks], Floats], breaks: Breaks) -> Floats:
    """The values of many ways, some at a time."""
    count, m = breaks[0].shape
    step = max(1, _STEP_SCORES // m)
    parts = [evaluate((breaks[0][i : i + step], breaks[1][i : i + step])) for i in range(0, count, step)]
    return np.concatenate(parts)


def search_ways(
    evaluate: Callable[[Breaks], Floats],
    base: Floats,
    sides: list[list[Positions]],
    x: Floats,
    y: Floats,
    rng: np.random.Generator,
    *,
    count: int = _DRAWS,
) -> tuple[float, float, float]:
    """The least, mean and greatest value over random ways to break ties, improved by climbing."""
    draws = random_ways(base, sides, rng, count)
    values = _by_steps(evaluate, draws)
    extremes = []
    for sign, start in ((-1.0, int(values.argmin())), (1.0, int(values.argmax()))):
        starts = [np.stack([draws[0][start], draws[1][start]]), _guided(base, sides, x, y, sign)]
        extremes.append(max((_climb(evaluate, way, sides, sign, rng) for way in starts), key=lambda v: sign * v))
    return extremes[0], float(values.mean()), extremes[1]


def _guided(base: Floats, sides: list[list[Positions]], x: Floats, y: Floats, sign: float) -> Floats:
    """Each side's ties broken to agree (sign 1) or to disagree (sign −1) with the other side's scores."""
    way = base.copy()
    for ranks, groups, other in zip(way, sides, (y, x), strict=True):
        for group in groups:
            ranks[group[np.argsort(-sign * other[group], kind="stable")]] = np.sort(ranks[group])
    return way


def _climb(
    evaluate: Callable[[Breaks], Floats],
    way: Floats,
    sides: list[list[Positions]],
    sign: float,
    rng: np.random.Generator,
) -> float:
    """The best value reached by swapping neighbours inside tie groups, in all groups at once where that is better."""
    best = float(evaluate((way[:1], way[1:]))[0])
    most = max(16, _STEP_SCORES // way.shape[1])
    for _ in range(_STEPS):
        swaps = _neighbours(way, sides)
        if len(swaps) > most:
            swaps = swaps[rng.choice(len(swaps), most, replace=False)]
        side, _, first, second = swaps.T
        rows, each = np.repeat(way[None], len(swaps), axis=0), np.arange(len(swaps))
        rows[each, side, first], rows[each, side, second] = way[side, second], way[side, first]
        values = sign * _evaluated(evaluate, rows)
        order_of_gain = np.argsort(-values, kind="stable")
        if values[order_of_gain[0]] <= sign * best:
            break
        gains = [swaps[i].tolist() for i in reversed(order_of_gain) if values[i] > sign * best]
        together = way[None].copy()
        for (i, _), (a, b) in {(i, group): (a, b) for i, group, a, b in gains}.items():
            together[0, i, a], together[0, i, b] = together[0, i, b], together[0, i, a]
        joint = float(sign * _evaluated(evaluate, together)[0])
        step = int(order_of_gain[0])
        best, way = (sign * joint, together[0]) if joint > values[step] else (float(sign * values[step]), rows[step])
    return best


def _neighbours(way: Floats, sides: list[list[Positions]]) -> Positions:
    """Swaps of two members of a tie group with successive ranks: side, group and both positions, a row for each."""
    swaps = []
    for side, groups in enumerate(sides):
        if groups:
            members, group = np.concatenate(groups), np.repeat(np.arange(len(groups)), [len(own) for own in groups])
            order = np.lexsort((way[side, members], group))
            members = members[order]
            first = np.flatnonzero(group[1:] == group[:-1])
            swaps.append(
                np.stack([np.full(len(first), side), group[first], members[first], members[first + 1]], axis=1)
            )
    return np.concatenate(swaps)


def _evaluated(evaluate: Callable[[Breaks], Floats], rows: Floats) -> Floats:
    return evaluate((np.ascontiguousarray(rows[:, 0]), np.ascontiguousarray(rows[:, 1])))
