"""`rank_contour`: the data of a picture of the rank distance between three systems (Carterette 2009, Figure 2)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.checks import check_share
from rankscope.errors import BadParameter
from rankscope.inference.rank_distance import distance_from
from rankscope.inference.rank_distance_baseline import baseline_scores, check_ridge, estimate_means, prepare
from rankscope.inputs import ScoresLike
from rankscope.results import Result, Table

LEVELS = (0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975)
_POINTS = 120

Point = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Contour:
    """The ellipse of points at one T² from the mean; `level` is the share of the normal distribution inside."""

    level: float
    t_squared: float
    points: tuple[Point, ...]


@dataclass(frozen=True, kw_only=True)
class OrderDistance:
    """One of the six orders, best first, and its rank distance."""

    order: tuple[str, ...]
    distance: float


@dataclass(frozen=True, kw_only=True)
class RankContour(Result):
    """Differences of three systems as points in a plane; the estimate's order is the first quadrant.

    Attributes
    ----------
    axes : tuple of str
        With the estimate's order best, middle, worst: middle − worst and best − middle, as in the paper.
    mean : tuple of float
        The baseline's point.
    covariance : tuple of tuple of float
        Σ_Δ.
    estimate : tuple of float
        The estimate's point.
    nearest : tuple of float
        The point of least distance that keeps the estimate's order.
    distance : float
        d_rank of the estimate's order.
    estimate_t_squared : float
        T² = n(x − mean)'Σ_Δ⁻¹(x − mean) of the estimate's point.
    contours : tuple of Contour
        Ellipses of equal T².
    orders : tuple of OrderDistance
        The six orders and their distances.
    topics : int
        Their number.
    ridge : float
        What was added to the variances of differences.
    """

    axes: tuple[str, str]
    mean: Point
    covariance: tuple[Point, Point]
    estimate: Point
    nearest: Point
    distance: float
    estimate_t_squared: float
    contours: tuple[Contour, ...]
    orders: tuple[OrderDistance, ...]
    topics: int
    ridge: float

    def table(self) -> Table:
        """One row per point of a contour."""
        rows = ((c.level, c.t_squared, *point) for c in self.contours for point in c.points)
        return Table(("level", "t_squared", *self.axes), tuple(rows))


def rank_contour(
    scores: ScoresLike, estimate: ScoresLike, *, ridge: float | None = None, levels: Sequence[float] = LEVELS
) -> RankContour:
    """The data of a picture of three systems: contours of their mean differences, and the nearest point of an order.

    Parameters
    ----------
    scores : ScoresLike
        The baseline's scores of three systems by topic.
    estimate : ScoresLike
        The scores of another measure or judge, matched by name; a plain list is in the order of the baseline's systems.
    ridge : float or None, default None
        What is added to the variances of differences, as in `d_rank`.
    levels : sequence of float, default (0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975)
        The share of the bivariate normal distribution of the mean inside each contour.

    Returns
    -------
    RankContour
        Contours, points, and the distances of all six orders.

    Raises
    ------
    BadParameter
        Unless there are three systems, levels between 0 and 1, and a ridge with which the order is possible.
    MissingScores
        If the baseline has no topics, fewer than two, or missing scores.

    References
    ----------
    B. Carterette, "On rank correlation and the distance between rankings", SIGIR 2009, Figure 2.

    Examples
    --------
    >>> ap = [[0.283, 0.481, 0.516], [0.017, 0.399, 0.544], [0.075, 0.300, 0.277], [0.183, 0.662, 0.616]]
    >>> picture = rank_contour(ap, [0.5, 0.75, 0.7])
    >>> [round(x, 4) for x in (*picture.mean, *picture.nearest, picture.distance)]
    [0.3488, -0.0278, 0.3217, 0.0, 0.6508]
    """
    check_ridge(ridge)
    table = baseline_scores(scores)
    base = prepare(table)
    if len(base.systems) != 3:
        raise BadParameter(f"a contour is a picture of three systems, these are {len(base.systems)}; select three")
    if not levels:
        raise BadParameter("levels: at least one number between 0 and 1")
    for level in levels:
        check_share("levels", level, 0.95)
    means = estimate_means(table, estimate)[base.positions]
    observed = distance_from(base, means, ridge=ridge)
    if observed.theta is None:
        raise BadParameter(f"ridge={ridge}: the order is impossible without a ridge; leave it out, or set it above 0")
    order = base.orders(means)
    covariance = base.covariance(order, observed.ridge)[::-1, ::-1]
    mean = np.array(observed.differences[::-1])
    point = -np.diff(means[order])[::-1]
    # The symmetric square root, which a singular covariance has too.
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    turn = np.linspace(0.0, 2.0 * math.pi, _POINTS + 1)
    circle = root @ np.stack([np.cos(turn), np.sin(turn)]) / math.sqrt(base.topics)
    gap = point - mean
    best, middle, worst = observed.order
    orders = np.array(list(itertools.permutations(range(3))))
    return RankContour(
        axes=(f"{middle} − {worst}", f"{best} − {middle}"),
        mean=_point(mean),
        covariance=(_point(covariance[0]), _point(covariance[1])),
        estimate=_point(point),
        nearest=_point(np.array(observed.theta[::-1])),
        distance=observed.distance,
        estimate_t_squared=float(base.topics * gap @ np.linalg.pinv(covariance, hermitian=True) @ gap),
        contours=tuple(
            Contour(
                level=level,
                t_squared=-2.0 * math.log1p(-level),  # the χ² quantile with two degrees of freedom
                points=tuple(_point(p) for p in (mean[:, None] + math.sqrt(-2.0 * math.log1p(-level)) * circle).T),
            )
            for level in levels
        ),
        orders=tuple(
            OrderDistance(order=tuple(base.systems[i] for i in order), distance=float(distance))
            for order, distance in zip(orders, base.distances(orders, observed.ridge), strict=True)
        ),
        topics=base.topics,
        ridge=observed.ridge,
    )


def _point(values: Any) -> Point:
    return float(values[0]), float(values[1])
