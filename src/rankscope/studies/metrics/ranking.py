"""Which few measures say most? Orders of measures by the determinant of their covariance, and how stable they are."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from rankscope.checks import check_choice, check_resamples
from rankscope.defaults import FEWER_RESAMPLES, SEED
from rankscope.errors import BadParameter, DifferentScales
from rankscope.measure_table import IfMissing, read_collections
from rankscope.results import Result, Table
from rankscope.scores import Floats
from rankscope.studies.metrics.observations import By, Observations, Unit, correlations_from, observe
from rankscope.studies.metrics.selection import (
    METHOD_LABELS,
    RIDGE,
    SINGULAR,
    Method,
    Regular,
    backward_batch,
    best_sets,
    log_dets,
    order_by,
    regular,
)

MatrixName = Literal["covariance", "correlation"]
MATRICES: tuple[MatrixName, ...] = get_args(MatrixName)
TOPS = (1, 3, 5, 10)
# Measures this much correlated are called alike where the matrix is singular.
_ALIKE = 1.0 - 1e-6

# How many times as much as the median measure one may spread before its scale decides.
WIDEST = 100.0


@dataclass(frozen=True, kw_only=True)
class RankedMeasure:
    """A measure's place; `log_det` is of the set of measures down to it, `criterion` what the method chose it by."""

    rank: int
    measure: str
    log_det: float
    criterion: float


@dataclass(frozen=True, kw_only=True)
class MeasureOrder:
    """The order by one method."""

    method: Method
    label: str
    ranked: tuple[RankedMeasure, ...]

    @property
    def measures(self) -> tuple[str, ...]:
        """From the most informative to the least."""
        return tuple(ranked.measure for ranked in self.ranked)


@dataclass(frozen=True, kw_only=True)
class BestSet:
    """The set of one size with the greatest log determinant; `exact` if it is proven so, else the best found."""

    size: int
    measures: tuple[str, ...]
    log_det: float
    exact: bool


@dataclass(frozen=True, kw_only=True)
class MeasureStability:
    """How a measure's backward rank varies over draws: its mean, and how often it is in each top."""

    measure: str
    mean_rank: float
    in_top: dict[str, float]


@dataclass(frozen=True, kw_only=True)
class MeasureRanking(Result):
    """Measures from the most informative and distinctive to the least, by each method, with the optimum of every size.

    `drawn` is what was resampled for stability: topics, or systems where there are no topics. `smallest` is the
    smallest eigenvalue of the correlations; where it is nearly 0, `ridge` was added to the variances, as a share of
    them, and `alike` names the measures that made it so.
    """

    orders: tuple[MeasureOrder, ...]
    optimum: tuple[BestSet, ...]
    stability: tuple[MeasureStability, ...]
    measures: tuple[str, ...]
    matrix: MatrixName
    by: By
    drawn: Unit
    collections: tuple[str, ...]
    observations: int
    smallest: float
    ridge: float
    alike: tuple[tuple[str, ...], ...]
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per rank: each method's measure and log determinant, and the greatest there is at that size."""
        columns = ["rank"]
        for order in self.orders:
            columns += [order.method, f"{order.method} log det"]
        rows = []
        for i, best in enumerate(self.optimum):
            cells = [cell for order in self.orders for cell in (order.ranked[i].measure, order.ranked[i].log_det)]
            rows.append((i + 1, *cells, best.log_det, ", ".join(best.measures)))
        return Table((*columns, "optimum log det", "optimal set"), tuple(rows), digits=2)

    def tables(self) -> dict[str, Table]:
        """Every table by name, the main one first."""
        return {"ranks": self.table(), "stability": self.stability_table()}

    def stability_table(self) -> Table:
        """One row per measure: mean rank and the share of draws in each top."""
        tops = list(self.stability[0].in_top) if self.stability else []
        rows = tuple((s.measure, s.mean_rank, *(s.in_top[top] for top in tops)) for s in self.stability)
        return Table(("measure", "mean rank", *(f"in top {top}" for top in tops)), rows, digits=2)


def rank_measures(
    collections: object,
    *,
    measures: Sequence[str] | None = None,
    by: By | None = None,
    matrix: MatrixName = "covariance",
    methods: Sequence[Method] = ("backward", "forward"),
    tops: Sequence[int] = TOPS,
    resamples: int = FEWER_RESAMPLES,
    on_missing: IfMissing = "error",
    rng: int = SEED,
    jobs: int | None = None,
) -> MeasureRanking:
    """Rank measures by how much they add to the determinant of their covariance.

    Parameters
    ----------
    collections : table of measures, path, or sequence of them
        Whatever `rs.read_measures` takes, or a list of such.
    measures : sequence of str, optional
        The measures to keep; all by default.
    by : {"topics", "systems"}, optional
        Whether observations are cells of topics × systems, or systems; by default cells where all collections have
        topics.
    matrix : {"covariance", "correlation"}, default "covariance"
        Covariance favours measures that vary much, whatever their scale; correlation puts all on one scale.
    methods : sequence of str, default ("backward", "forward")
        How measures are ordered: "backward", "forward" or "row_sums".
    tops : sequence of int, default (1, 3, 5, 10)
        The numbers of first measures whose stability is told.
    resamples : int, default 1000
        Draws of topics, or of systems where there are no topics, for the stability of the backward order; 0 for none.
    on_missing : {"error", "intersect", "zero"}, default "error"
        What becomes of a system or topic that some measure does not score.
    rng : int, default 0
        The seed.
    jobs : int, optional
        The number of threads, by default one per core; the numbers do not depend on it.

    Returns
    -------
    MeasureRanking
        The order by each method, the best set of every size, and how stable the order is.

    Raises
    ------
    BadParameter
        Where an option is out of its range, or there is one measure only.
    ConstantMeasure, TooFewSystems
        Where a measure scores all alike, or there are fewer than three observations.

    References
    ----------
    Gupta, Kutlu, Khetan & Lease, ECIR 2019, section 6. Sheffield, "Selecting Variables in Regression Analysis", 1985.

    Examples
    --------
    >>> table = {"AP": [0.1, 0.2, 0.3, 0.5], "nDCG": [0.21, 0.3, 0.4, 0.6], "RR": [0.5, 0.1, 0.9, 0.4]}
    >>> ranking = rank_measures(table, resamples=0)
    >>> ranking.orders[0].measures, ranking.optimum[1].measures
    (('RR', 'AP', 'nDCG'), ('AP', 'RR'))
    """
    check_choice("matrix", matrix, MATRICES)
    check_resamples(resamples)
    if not methods:
        raise BadParameter("methods=[]: name at least one")
    tables = read_collections(collections, measures=measures, on_missing=on_missing)
    observations = observe(tables, by)
    base = regular(_as_chosen(observations.covariance(), matrix))
    names = observations.measures
    if matrix == "covariance":
        _warn_of_scales(observations.covariance(), names)
    orders = [_order(base.matrix, method, names) for method in dict.fromkeys(methods)]
    optimum = [
        BestSet(
            size=len(best.positions),
            measures=tuple(names[i] for i in best.positions),
            log_det=best.log_det,
            exact=best.exact,
        )
        for best in best_sets(base.matrix, rng=rng)
    ]
    return MeasureRanking(
        orders=tuple(orders),
        optimum=tuple(optimum),
        stability=_stability(observations, matrix, base, tops, resamples, rng, jobs),
        measures=names,
        matrix=matrix,
        by=observations.by,
        drawn=observations.unit,
        collections=tuple(table.name for table in tables),
        observations=len(observations.rows()),
        smallest=base.smallest,
        ridge=base.ridge,
        alike=_alike(observations.covariance(), names) if base.ridge else (),
        settings={
            "methods": list(methods),
            "tops": list(tops),
            "resamples": resamples,
            "seed": rng,
            "on_missing": on_missing,
        },
    )


def _warn_of_scales(covariances: Floats, names: Sequence[str]) -> None:
    """Warn where one measure spreads far more than the others do, such as Elo beside scores from 0 to 1."""
    spread = np.sqrt(np.diag(covariances))
    widest, usual = int(spread.argmax()), float(np.median(spread))
    if usual > 0.0 and spread[widest] > WIDEST * usual:
        warnings.warn(
            f"{names[widest]} spreads {spread[widest] / usual:,.0f} times as much as the median measure, so that the "
            "covariance ranks it first whatever it says; put measures on one scale with matrix='correlation' "
            "(--matrix correlation)",
            DifferentScales,
            stacklevel=3,
        )


def _as_chosen(covariances: Floats, matrix: MatrixName) -> Floats:
    return covariances if matrix == "covariance" else correlations_from(covariances)


def _order(matrix: Floats, method: Method, names: Sequence[str]) -> MeasureOrder:
    order = order_by(matrix, method)
    ranked = [
        RankedMeasure(rank=i + 1, measure=names[position], log_det=float(log_det), criterion=float(criterion))
        for i, (position, log_det, criterion) in enumerate(
            zip(order.positions, log_dets(matrix, order.positions), order.criterion, strict=True)
        )
    ]
    return MeasureOrder(method=method, label=METHOD_LABELS[method], ranked=tuple(ranked))


def _stability(
    observations: Observations,
    matrix: MatrixName,
    base: Regular,
    tops: Sequence[int],
    resamples: int,
    rng: int,
    jobs: int | None,
) -> tuple[MeasureStability, ...]:
    """How the backward order varies over draws; draws in which some measure is constant are left out."""
    if not resamples or observations.fewest < 2:
        return ()
    covariances = observations.resampled_covariances(draws=resamples, rng=rng, jobs=jobs)
    variances = np.diagonal(covariances, axis1=1, axis2=2)
    least = 1e-12 * np.diagonal(observations.covariance())
    usable = _as_chosen(covariances[(variances > least).all(axis=1)], matrix)
    if not len(usable):
        return ()
    # A resampled matrix can be singular where the sample's is not: few topics, few systems.
    smallest = np.linalg.eigvalsh(correlations_from(usable))[:, 0]
    ridges = np.where(smallest < SINGULAR, RIDGE, base.ridge)
    usable = usable + ridges[:, None, None] * np.einsum("bii,ij->bij", usable, np.eye(usable.shape[1]))
    ranks = _ranks(backward_batch(usable))
    return tuple(
        MeasureStability(
            measure=name,
            mean_rank=float(ranks[:, i].mean()),
            in_top={str(top): float((ranks[:, i] <= top).mean()) for top in tops if top < len(observations.measures)},
        )
        for i, name in enumerate(observations.measures)
    )


def _ranks(orders: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Orders as ranks from 1."""
    ranks = np.empty_like(orders)
    np.put_along_axis(ranks, orders, np.arange(1, orders.shape[1] + 1)[None, :], axis=1)
    return ranks


def _alike(covariances: Floats, names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Groups of measures that correlate at ±1; where there is none, those in the direction that does not vary."""
    correlations = correlations_from(covariances)
    groups: list[set[int]] = []
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            if abs(correlations[i, j]) > _ALIKE:
                touching = [group for group in groups if i in group or j in group]
                groups = [group for group in groups if group not in touching]
                groups.append({i, j}.union(*touching))
    if not groups:
        weights = np.abs(np.linalg.eigh(correlations)[1][:, 0])
        groups = [set(np.flatnonzero(weights > 0.1 * weights.max()).tolist())]
    return tuple(tuple(names[i] for i in sorted(group)) for group in groups)
