"""`d_rank`: how far is a ranking from the baseline's, given how the systems vary together over topics?

rank_distance_baseline.py computes distances, rank_distance_ties.py their bounds under ties; rank_distance_null.py tests
them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.checks import check_count
from rankscope.coefficients.ties import TieBounds
from rankscope.defaults import SEED
from rankscope.inference.rank_distance_baseline import (
    Baseline,
    Orders,
    baseline_scores,
    check_ridge,
    estimate_means,
    prepare,
)
from rankscope.inference.rank_distance_ties import bounds_of_ties
from rankscope.inference.resampling import Seed, recorded_seed
from rankscope.inputs import ScoresLike
from rankscope.results import Result, Table
from rankscope.scores import Floats

# Ways to break ties that are all tried.
TIE_LIMIT = 5_000


@dataclass(frozen=True, kw_only=True)
class RankDistance(Result):
    """The rank distance d_rank of an estimate's ranking from a baseline, and the point that attains it.

    Lists of differences are about neighbours in the estimate's order, the better minus the worse.

    Attributes
    ----------
    distance : float
        d_rank, with the estimate's ties broken in the baseline's favour.
    ties : TieBounds or None
        Bounds over all ways to break the estimate's ties; None without ties.
    order : tuple of str
        The estimate's order, best first.
    differences : tuple of float
        The baseline's differences of means (μ_Δ).
    theta : tuple of float or None
        The closest differences that keep the order (θ); None where the distance is infinite.
    multipliers : tuple of float or None
        The contribution of each pair of neighbours (λ); None where the distance is infinite.
    active : tuple of bool
        The pairs whose θ is held at zero.
    ridge : float
        What was added to the variances of differences.
    consistent : bool
        False where the order reverses a difference that is the same on every topic. The distance is then infinite
        without a ridge, and grows as the ridge shrinks.
    condition : float or None
        The condition number of the block of Σ_Δ of the active pairs, the only one that is solved.
    systems, topics : int
        Their numbers.
    settings : dict
        The options.
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
    scores: ScoresLike,
    estimate: ScoresLike,
    *,
    ridge: float | None = None,
    limit: int = TIE_LIMIT,
    rng: Seed = SEED,
) -> RankDistance:
    """The rank distance of an estimate's ranking from a baseline's.

    It is the distance of the baseline's means from the nearest means that the estimate's ranking allows, in standard
    errors over topics, all systems at once. It is 0 for the same ranking, without upper bound, and not symmetric. A tie
    in the estimate contradicts nothing: it is broken in the baseline's favour.

    Parameters
    ----------
    scores : ScoresLike
        The baseline's scores by topic.
    estimate : ScoresLike
        The scores of another measure or judge, matched by name; a plain list is in the order of the baseline's systems.
    ridge : float or None, default None
        What is added to the variances of differences. None is the paper's 1e-5 with at least as many systems as topics,
        and otherwise 0. If the order is impossible then, it is the least that is numerically sound: 1e-8 of the largest
        variance of a difference.
    limit : int, default 5000
        Up to this number of ways to break the estimate's ties, the bounds over all ways are exact. Beyond, the least is
        exact without a ridge in nearly all cases, and the greatest comes from a search; `ties.method` says which.
    rng : int or numpy.random.Generator, default 0
        A seed or a generator for that search.

    Returns
    -------
    RankDistance
        The distance and the point that attains it.

    Raises
    ------
    MissingScores
        If the baseline has no topics, fewer than two, or missing scores.
    TooFewSystems
        With fewer than two systems.
    MismatchedNames, ShapeMismatch
        If the sides have different systems.
    BadParameter
        If an option is out of its range.

    References
    ----------
    B. Carterette, "On rank correlation and the distance between rankings", SIGIR 2009, Algorithm 1, solved exactly.

    Examples
    --------
    >>> ap = [[0.283, 0.481, 0.516], [0.017, 0.399, 0.544], [0.075, 0.300, 0.277], [0.183, 0.662, 0.616]]
    >>> result = d_rank(ap, [0.5, 0.75, 0.7])
    >>> round(result.distance, 4), result.order, result.active
    (0.6508, ('2', '3', '1'), (True, False))
    """
    check_ridge(ridge)
    check_count("limit", limit)
    table = baseline_scores(scores)
    base = prepare(table)
    means = estimate_means(table, estimate)[base.positions]
    return distance_from(base, means, ridge=ridge, limit=limit, rng=rng)


def distance_from(
    base: Baseline, means: Floats, *, ridge: float | None, limit: int = TIE_LIMIT, rng: Seed = SEED
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
        ties=bounds_of_ties(base, means, chosen, distance, limit, rng),
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
        settings={"ridge": ridge, "limit": limit, "seed": recorded_seed(rng)},
    )


def _condition(base: Baseline, order: Orders, ridge: float, active: Orders) -> float | None:
    if not len(active):
        return None
    return float(np.linalg.cond(base.covariance(order, ridge)[np.ix_(active, active)]))
