"""How far is a ranking from the baseline's, given how the systems vary together over topics? (Carterette 2009)"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.coefficients.ties import Breaks, TieBounds, all_ways, search_ways, strict_ranks, tie_groups
from rankscope.errors import BadParameter
from rankscope.inference.distance_baseline import Baseline, Orders, checked_ridge, estimate_means, prepare
from rankscope.results import Result, Table
from rankscope.scores import Floats

# A distance is dear, and it is the climbing that finds the extremes.
_RANDOM_WAYS = 50
_SEARCH = f"search: {_RANDOM_WAYS} random ways to break ties, then swaps inside tie groups"


@dataclass(frozen=True, kw_only=True)
class RankDistance(Result):
    """The rank distance d_rank of an estimate's ranking from a baseline, and the point that attains it.

    `order` is the estimate's, best first, ties in the baseline's favour; the other lists are about its pairs of
    neighbours, the better minus the worse: `differences` are the baseline's means (μ_Δ), `theta` the closest
    differences that keep the order (θ), `multipliers` what each pair contributes (λ), and `active` the pairs that hold
    θ at zero. `condition` is that of the block of Σ_Δ of the active pairs, the only one solved. `ties` bounds the
    distance over all ways to break the estimate's ties.

    `consistent` is False where the order reverses a difference that is the same on every topic: the distance is
    infinite without a ridge, and with one is as large as the ridge is small. `theta` and `multipliers` are None where
    the distance is infinite.
    """

    distance: float
    ties: TieBounds | None
    order: tuple[str, ...]
    differences: tuple[float, ...]
    theta: tuple[float, ...] | None
    multipliers: tuple[float, ...] | None
    active: tuple[bool, ...]
    ridge: float
    consistent: bool
    condition: float | None
    systems: int
    topics: int
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per pair of neighbours in the estimate's order."""
        columns = ("better", "worse", "difference", "theta", "multiplier", "active")
        nothing = (None,) * len(self.active)
        rows = zip(
            self.order[:-1],
            self.order[1:],
            self.differences,
            self.theta or nothing,
            self.multipliers or nothing,
            self.active,
            strict=True,
        )
        return Table(columns, tuple(rows))


def d_rank(
    scores: Any,
    estimate: Any,
    *,
    ridge: float | None = None,
    limit: int = 5_000,
    rng: int | np.random.Generator = 0,
) -> RankDistance:
    """The rank distance of an estimate's ranking from a baseline: 0 for the same ranking, and without upper bound.

    `scores` are the baseline's, topics × systems; `estimate` the means of another measure or judge, matched by name
    (arrays by position). The distance is that of the baseline's means from the nearest means that the estimate's
    ranking allows, in standard errors over topics, all systems at once (Algorithm 1, solved exactly). It is not
    symmetric. A tie in the estimate contradicts nothing: `.distance` breaks it in the baseline's favour, and `.ties`
    bounds the distance over all ways, exactly up to `limit` ways, else by a search seeded with `rng`.

    `ridge` is added to the variances of differences. None: the paper's 1e-5 where there are as many systems as topics
    or more; else none, unless the order is impossible without: then the least that is numerically sound, 1e-8 of the
    largest variance of a difference.

    >>> ap = [[0.283, 0.481, 0.516], [0.017, 0.399, 0.544], [0.075, 0.300, 0.277], [0.183, 0.662, 0.616]]
    >>> result = d_rank(ap, [0.5, 0.75, 0.7])
    >>> round(result.distance, 4), result.order, result.active
    (0.6508, ('2', '3', '1'), (True, False))
    """
    checked_ridge(ridge)
    if limit < 1:
        raise BadParameter(f"limit={limit}: the number of ways to try is 1 or more")
    base = prepare(scores)
    means = estimate_means(scores, estimate)[base.positions]
    result = distance_from(base, means, ridge=ridge, limit=limit, rng=rng)
    return result


def distance_from(
    base: Baseline, means: Floats, *, ridge: float | None, limit: int, rng: int | np.random.Generator
) -> RankDistance:
    """The rank distance of means in the baseline's own order of systems."""
    order = base.orders(means)
    consistent = bool(np.isfinite(base.distances(order[None], 0.0)[0]))
    chosen = ridge
    if chosen is None:
        chosen = base.paper_ridge or (0.0 if consistent else base.least_ridge)
    distance, multipliers, theta = base.distance_and_point(order, chosen)
    finite = math.isfinite(distance)
    active = multipliers > 0.0 if finite else np.zeros(len(order) - 1, dtype=bool)
    return RankDistance(
        distance=distance,
        ties=_tie_bounds(base, means, chosen, distance, limit, rng),
        order=tuple(base.systems[i] for i in order),
        differences=tuple((-np.diff(base.sums[order]) / base.unit).tolist()),
        theta=tuple(theta.tolist()) if finite else None,
        multipliers=tuple(multipliers.tolist()) if finite else None,
        active=tuple(active.tolist()),
        ridge=chosen,
        consistent=consistent,
        condition=_condition(base, order, chosen, np.flatnonzero(active)),
        systems=len(order),
        topics=base.topics,
        settings={"ridge": ridge, "limit": limit, "seed": rng if isinstance(rng, int) else None},
    )


def _condition(base: Baseline, order: Orders, ridge: float, active: Orders) -> float | None:
    if not len(active):
        return None
    return float(np.linalg.cond(base.covariance(order, ridge)[np.ix_(active, active)]))


def _tie_bounds(
    base: Baseline, means: Floats, ridge: float, value: float, limit: int, rng: int | np.random.Generator
) -> TieBounds | None:
    groups = tie_groups(means)
    if not groups:
        return None
    ways = math.prod(math.factorial(len(group)) for group in groups)
    # The search looks for agreement, the opposite of distance.
    sides, ranks = [[], groups], np.stack([strict_ranks(base.sums), strict_ranks(means)])
    if ways <= limit:
        found = _agreements(base, ridge, all_ways(ranks, sides))
        extremes = float(found.min()), float(found.mean()), float(found.max())
    else:
        extremes = search_ways(
            lambda breaks: _agreements(base, ridge, breaks),
            ranks,
            sides,
            base.sums,
            means,
            np.random.default_rng(rng),
            count=_RANDOM_WAYS,
        )
    exact = ways <= limit
    return TieBounds(
        least=0.0 - extremes[2],
        mean=0.0 - extremes[1],
        greatest=0.0 - extremes[0],
        value=value,
        exact=exact,
        ways=ways,
        method=f"all {ways} ways to break ties" if exact else _SEARCH,
        coefficient="d_rank",
    )


def _agreements(base: Baseline, ridge: float, breaks: Breaks) -> Floats:
    return -base.distances(np.argsort(breaks[1], axis=1), ridge)
