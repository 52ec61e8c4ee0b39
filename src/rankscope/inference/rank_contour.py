"""The numbers behind the picture of a rank distance between three systems (Carterette 2009, Figure 2)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.errors import BadParameter
from rankscope.inference.distance_baseline import estimate_means, prepare
from rankscope.inference.rank_distance import distance_from
from rankscope.results import Result, Table

LEVELS = (0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975)
_POINTS = 120

Point = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Contour:
    """The ellipse of points at one T² from the mean, which holds this share of the normal distribution's mass."""

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
    """Three systems as points in a plane, the estimate's order being the first quadrant.

    With the estimate's order best, middle, worst, `axes` are the differences middle − worst and best − middle, as in
    the paper. `mean` is the baseline's point, `covariance` Σ_Δ, `estimate` the estimate's own point, and `nearest` the
    point of least distance that keeps the estimate's order. T² = n(x − mean)'Σ_Δ⁻¹(x − mean).
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
    scores: Any, estimate: Any, *, ridge: float | None = None, levels: Sequence[float] = LEVELS
) -> RankContour:
    """Where three systems' mean differences probably lie, and how far the estimate's order is (Figure 2).

    `levels` are the shares of the bivariate normal distribution of the mean inside each contour.

    >>> ap = [[0.283, 0.481, 0.516], [0.017, 0.399, 0.544], [0.075, 0.300, 0.277], [0.183, 0.662, 0.616]]
    >>> picture = rank_contour(ap, [0.5, 0.75, 0.7])
    >>> [round(x, 4) for x in (*picture.mean, *picture.nearest, picture.distance)]
    [0.3488, -0.0278, 0.3217, 0.0, 0.6508]
    """
    base = prepare(scores)
    if len(base.systems) != 3:
        raise BadParameter(f"a contour is a picture of three systems, these are {len(base.systems)}; select three")
    if not levels or not all(0.0 < level < 1.0 for level in levels):
        raise BadParameter("levels are shares between 0 and 1, one at least")
    means = estimate_means(scores, estimate)[base.positions]
    found = distance_from(base, means, ridge=ridge, limit=5_000, rng=0)
    if found.theta is None:
        raise BadParameter(f"ridge={ridge}: the order is impossible without a ridge; leave it out, or set it above 0")
    order = base.orders(means)
    covariance = base.covariance(order, found.ridge)[::-1, ::-1]
    mean = np.array(found.differences[::-1])
    point = -np.diff(means[order])[::-1]
    # The symmetric square root, which a flat distribution has too.
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    turn = np.linspace(0.0, 2.0 * math.pi, _POINTS + 1)
    circle = root @ np.stack([np.cos(turn), np.sin(turn)]) / math.sqrt(base.topics)
    gap = point - mean
    best, middle, worst = found.order
    every = np.array(list(itertools.permutations(range(3))))
    return RankContour(
        axes=(f"{middle} − {worst}", f"{best} − {middle}"),
        mean=_point(mean),
        covariance=(_point(covariance[0]), _point(covariance[1])),
        estimate=_point(point),
        nearest=_point(np.array(found.theta[::-1])),
        distance=found.distance,
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
            OrderDistance(order=tuple(base.systems[i] for i in one), distance=float(distance))
            for one, distance in zip(every, base.distances(every, found.ridge), strict=True)
        ),
        topics=base.topics,
        ridge=found.ridge,
    )


def _point(values: Any) -> Point:
    return float(values[0]), float(values[1])
