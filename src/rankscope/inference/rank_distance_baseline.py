"""`Baseline`: scores prepared for rank distances, and the distances themselves (Carterette 2009, Algorithm 1).

rank_distance.py, rank_distance_null.py, rank_contour.py and rank_walks.py all compute with it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rankscope.alignment import align
from rankscope.averages import decimal_code
from rankscope.checks import check_memory
from rankscope.errors import BadParameter, NotFinite, ShapeMismatch, TooFewSystems
from rankscope.inference.resampling import check_averaged, check_topics
from rankscope.inputs import ScoresLike, to_matrix, to_scores
from rankscope.scores import Floats, ScoreMatrix, SystemScores

Orders = npt.NDArray[np.int64]
# Moves, heights, pushes and uniform random numbers of a walk's draws.
Steps = tuple[Orders, Floats, Floats, Floats]

# λ of Algorithm 1, which the paper adds to the variances where m ≥ n.
PAPER_RIDGE = 1e-5
# The least ridge that keeps half of the digits of a solution, as a share of the largest variance of a difference.
_LEAST_RIDGE = 1e-8
# Sums of scores that are not decimals are equal within this share of the largest.
_SAME_SUM = 1e-12
# With a ridge and this many times more systems than topics, Newton's method in topics is faster (`make bench`).
_WIDE = 2
# A residual of least squares below this is rounding error: no point satisfies the constraints.
_NOTHING_LEFT = 1e-12


@dataclass(frozen=True, kw_only=True, eq=False)
class Baseline:
    """A score matrix prepared for rank distances, systems from best to worst.

    A mean score is `sums`/`unit`. The variance of a difference, times n − 1 and in units², is −2 `spread`. Both are
    integers for decimal scores, so that equal means tie and differences lose no digits. An order is a row of column
    numbers, best first.
    """

    systems: tuple[str, ...]
    positions: npt.NDArray[np.intp]
    scores: Floats
    sums: Floats
    spread: Floats
    unit: float
    exact: bool

    @property
    def topics(self) -> int:
        """The number of topics, n."""
        return len(self.scores)

    @property
    def paper_ridge(self) -> float:
        """The paper's ridge: 1e-5 with at least as many systems as topics, otherwise 0 (Algorithm 1, line 4)."""
        return PAPER_RIDGE if len(self.systems) >= self.topics else 0.0

    @property
    def least_ridge(self) -> float:
        """The least ridge with which every order has a finite distance and half of its digits."""
        return float(-2.0 * self.spread.min() / self._square) * _LEAST_RIDGE or PAPER_RIDGE

    @cached_property
    def deviations(self) -> Floats:
        """The systems' deviations from their means, systems × topics, in the unit of sums."""
        return np.ascontiguousarray((self.topics * self.scores - self.sums).T)

    @property
    def _square(self) -> float:
        """A variance of scores in the unit of `spread`."""
        return (self.topics - 1) * self.unit**2

    def orders(self, estimates: Floats) -> Orders:
        """The order of each row of scores, best first; exact ties are broken in the baseline's favour."""
        return np.argsort(-estimates, axis=-1, kind="stable")

    def orders_of_sums(self, sums: Floats) -> Orders:
        """The order of each row of sums over topics; those of scores that are not decimals tie within rounding."""
        orders = self.orders(sums)
        if self.exact:
            return orders
        ranked = np.take_along_axis(sums, orders, axis=1)
        noise = _SAME_SUM * np.abs(self.sums).max()
        group = np.zeros(orders.shape, dtype=np.int64)
        np.cumsum(ranked[:, :-1] - ranked[:, 1:] > noise, axis=1, out=group[:, 1:])
        return np.take_along_axis(orders, np.argsort(group * orders.shape[1] + orders, axis=1), axis=1)

    def distances(self, orders: Orders, ridge: float) -> Floats:
        """The d_rank of each order; infinite where an order is impossible without a ridge."""
        return self._solved(orders, ridge)[0]

    def distance_and_point(self, order: Orders, ridge: float) -> tuple[float, Floats, Floats]:
        """The d_rank of one order, its multipliers λ and its point θ, in units of scores."""
        distances, multipliers, theta = self._solved(order[None], ridge)
        return float(distances[0]), multipliers * (self._square / self.unit), theta / self.unit

    def by_topics(self, ridge: float) -> bool:
        """Whether distances are solved in as many unknowns as topics."""
        return ridge > 0.0 and len(self.systems) >= _WIDE * self.topics

    def point(self, order: Orders, multipliers: Floats) -> Floats:
        """The systems' means at the point of these multipliers, up to a constant and without the ridge."""
        pushes = np.empty(len(order))
        pushes[order] = np.diff(multipliers, prepend=0.0, append=0.0)
        return self.sums / self.unit + self.spread @ pushes / self._square

    def variances(self, systems: Orders) -> Floats:
        """The variances of the differences of all pairs of some systems."""
        return -2.0 * self.spread[np.ix_(systems, systems)] / self._square

    def shift(self, up: int, down: int) -> Floats:
        """How the point moves with a multiplier of 1 that pushes one system up and another down, up to a constant."""
        return np.asarray((self.spread[up] - self.spread[down]) / self._square)

    def _solved(self, orders: Orders, ridge: float) -> tuple[Floats, Floats, Floats]:
        """The distances of all orders, and λ and θ of the last: the minimum of Algorithm 1."""
        from rankscope.kernels import distance as kernel

        scales = ridge * self._square, self.topics * (self.topics - 1.0)
        if self.by_topics(ridge):
            distances, multipliers, theta = kernel.distances_by_topics(self.sums, self.deviations, orders, *scales)
            stalled = np.flatnonzero(distances < 0.0)
            if len(stalled):
                distances[stalled], *last = kernel.distances(self.sums, self.spread, orders[stalled], *scales)
                if stalled[-1] == len(orders) - 1:
                    multipliers, theta = last
        else:
            distances, multipliers, theta = kernel.distances(self.sums, self.spread, orders, *scales)
        for row in np.flatnonzero(np.isnan(distances)):
            distances[row], *point = self._by_least_squares(orders[row], ridge)
            if row == len(orders) - 1:
                multipliers, theta = point
        return distances, multipliers, theta

    def _by_least_squares(self, order: Orders, ridge: float) -> tuple[float, Floats, Floats]:
        """The distance by scipy's non-negative least squares, where exchanges cycle (many more systems than topics).

        It is a least-distance problem (Lawson & Hanson 1974, chapter 23): min ‖x‖ where Gx ≥ −μ_Δ, GG' = Σ_Δ.
        """
        from scipy.optimize import nnls

        differences = -np.diff(self.scores[:, order], axis=1) * (self.topics / self.unit)
        means = differences.mean(axis=0)
        factor = (differences - means) / math.sqrt(self.topics - 1)
        factor[:, self.spread[order[:-1], order[1:]] == 0.0] = 0.0  # a constant difference, but for rounding
        if ridge:
            factor = np.vstack([factor, math.sqrt(ridge) * np.eye(len(means))])
        # nnls has absolute tolerances, so every constraint and all means are scaled to about 1.
        norms = np.linalg.norm(factor, axis=0)
        norms[norms == 0.0] = 1.0
        size = max(float(np.abs(means / norms).max()), 1e-300)
        scaled, bounds = factor / norms, means / norms / size
        shares, _ = nnls(np.vstack([scaled, -bounds]), np.append(np.zeros(len(scaled)), 1.0), maxiter=100 * len(means))
        left = 1.0 + float(bounds @ shares)
        if left < _NOTHING_LEFT:  # no point satisfies all
            return math.inf, np.zeros(len(means)), means * self.unit
        multipliers = size / left * shares / norms
        theta = means + factor.T @ (factor @ multipliers)
        distance = math.sqrt(self.topics) * float(np.linalg.norm(factor @ multipliers))
        return distance, multipliers * (self.unit / self._square), np.maximum(theta, 0.0) * self.unit

    def walk(self, order: Orders, steps: Steps, ridge: float, limit: float) -> tuple[Orders, int, int]:
        """Ranks of systems (from 0) in a walk within the limit, and the moves and pushes made; `order` is updated."""
        from rankscope.kernels.walks import Model, walk_by_distance

        model = Model(self.sums, self.spread, ridge * self._square, self.topics * (self.topics - 1.0), limit)
        return walk_by_distance(model, order, *steps)

    def covariance(self, order: Orders, ridge: float = 0.0) -> Floats:
        """Σ_Δ of one order: the covariance of the differences of neighbours, with the ridge on its diagonal."""
        above, below = order[:-1], order[1:]
        rows = (self.spread[above] - self.spread[below]) / self._square
        return np.asarray(rows[:, above] - rows[:, below] + ridge * np.eye(len(above)))


def prepare(scores: ScoresLike) -> Baseline:
    """The baseline of scores by topic without missing ones."""
    table = baseline_scores(scores)
    topics, systems = table.values.shape
    if systems < 2:
        raise TooFewSystems(f"a ranking needs at least two systems, the baseline has {systems}")
    check_memory(4 * 8.0 * systems**2, f"the rank distance of {systems:,} systems", "select fewer systems")
    means = table.means  # raises and names what is missing
    check_averaged(table, "the rank distance")
    check_topics(table, "the baseline")
    from rankscope.kernels.distance import difference_variances

    coded = decimal_code(table.values)
    values, scale = (table.values, 1.0) if coded is None else coded
    sums = np.array([math.fsum(column) for column in values.T])
    # Systems level in the baseline stand by name, so that the order of columns does not count.
    names = np.array(table.systems) if table.systems_named else np.arange(systems)
    positions = np.lexsort((names, -means))
    values = np.ascontiguousarray(values[:, positions])
    noise = 0.0 if coded is not None else 8.0 * np.finfo(float).eps * topics * float(np.abs(values).max())
    return Baseline(
        systems=tuple(table.systems[p] for p in positions),
        positions=positions,
        scores=values,
        sums=sums[positions],
        spread=-0.5 * difference_variances(np.ascontiguousarray(values.T), noise),
        unit=topics * scale,
        exact=coded is not None,
    )


def baseline_scores(scores: ScoresLike) -> ScoreMatrix:
    """The baseline's scores by topic."""
    return to_matrix(scores, "a rank distance needs the variances of differences over topics")


def estimate_means(table: ScoreMatrix, estimate: ScoresLike) -> Floats:
    """The estimate's mean for every system of the baseline, in its order: by name, plain arrays by position."""
    other = to_scores(estimate)
    if isinstance(estimate, ScoreMatrix | SystemScores) or other.systems_named:
        return align(table.system_scores(), other.system_scores())[1].means
    if len(other.systems) != len(table.systems):
        raise ShapeMismatch(f"the estimate has {len(other.systems)} means, the baseline {len(table.systems)} systems")
    if np.isnan(other.values).any():
        raise NotFinite("the estimate has NaN; a ranking needs a number for every system")
    return other.means


def check_ridge(ridge: float | None) -> float | None:
    """The ridge; raises `BadParameter` unless it is None or a finite number of at least 0."""
    if ridge is not None and not (0.0 <= ridge < math.inf):
        raise BadParameter(f"ridge={ridge}: a finite number, 0 or more, or None")
    return ridge
