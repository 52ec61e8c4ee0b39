"""Which measures say the same? Correlations between all of them, with intervals, partners and groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rankscope.checks import check_level, check_resamples
from rankscope.coefficients import Coefficient
from rankscope.coefficients import coefficient as find_coefficient
from rankscope.coefficients.rows import quietly
from rankscope.defaults import FEWER_RESAMPLES, LEVEL, SEED
from rankscope.errors import BadParameter, MissingScores
from rankscope.inference.intervals import interval
from rankscope.measure_table import MeasureTable, OrPairwise, read_collections
from rankscope.results import ENDS, Interval, NoInterval, Result, Table, rows_table, stacked
from rankscope.scores import Floats
from rankscope.studies.metrics.clusters import Clusters, clusters
from rankscope.studies.metrics.observations import By, Observations, correlations_from, observe

THRESHOLD = 0.9
POOLED = "pooled"
# Measures correlate over this many observations at least.
LEAST_SHARED = 3
# Why two measures have no correlation: too few observations of both, or what the coefficient looks at is tied.
Undefined = Literal["too few", "tied"]


@dataclass(frozen=True, kw_only=True)
class MeasurePair:
    """How one measure correlates with another, over the observations that both have.

    `interval` is None where topics cannot be drawn. `undefined` says why the value is nan, if it is.
    """

    first: str
    second: str
    value: float
    interval: Interval | None
    observations: int
    undefined: Undefined | None


@dataclass(frozen=True, kw_only=True)
class Partner:
    """A measure's strongest partner, and its mean correlation with all others; None and nan where it has none."""

    measure: str
    partner: str | None
    value: float
    mean: float


@dataclass(frozen=True, kw_only=True, eq=False)
class CorrelationPart:
    """The correlations on one collection, or on all of them pooled; `least` is the measure least like the others.

    `matrix[i, j]` takes measure i as the truth and j as the estimate, which matters to coefficients that are not
    symmetric. It is nan where a pair is undefined; groups take such a pair as farthest apart.
    """

    collection: str
    observations: int
    matrix: Floats
    pairs: tuple[MeasurePair, ...]
    partners: tuple[Partner, ...]
    least: str
    clusters: Clusters


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasureCorrelations(Result):
    """Correlations between measures: one part for all collections pooled, or one for each.

    `by` says over what: cells of topics × systems, or systems. `no_interval` says why there are none, if so.
    """

    parts: tuple[CorrelationPart, ...]
    measures: tuple[str, ...]
    coefficient: str
    symbol: str
    by: By
    collections: tuple[str, ...]
    no_interval: NoInterval | None
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per pair of measures, the strongest first within each part."""
        columns = {"first": "first", "second": "second", self.coefficient: "value", **ENDS}
        columns |= {"observations": "observations", "undefined": "undefined"}
        strongest = (
            (part.collection, sorted(part.pairs, key=lambda pair: (pair.undefined is not None, -pair.value)))
            for part in self.parts
        )
        return stacked("collection", ((name, rows_table(pairs, columns)) for name, pairs in strongest))

    def tables(self) -> dict[str, Table]:
        """Every table by name, the main one first."""
        return {"pairs": self.table(), "partners": self.partner_table(), "matrix": self.matrix_table()}

    def matrix_table(self, part: int = 0) -> Table:
        """The matrix of one part, measures in the order of the clusters."""
        chosen = self.parts[part]
        order = [self.measures.index(name) for name in chosen.clusters.order]
        rows = tuple((self.measures[i], *(float(chosen.matrix[i, j]) for j in order)) for i in order)
        return Table(("measure", *(self.measures[j] for j in order)), rows, digits=2)

    def partner_table(self) -> Table:
        """One row per measure: its strongest partner and its mean correlation with the others."""
        columns = {"measure": "measure", "partner": "partner", self.coefficient: "value", "mean": "mean"}
        return stacked("collection", ((part.collection, rows_table(part.partners, columns)) for part in self.parts))


def correlate_measures(
    collections: object,
    *,
    measures: Sequence[str] | None = None,
    by: By | None = None,
    coefficient: str | Coefficient = "pearson",
    pooled: bool = True,
    threshold: float = THRESHOLD,
    resamples: int = FEWER_RESAMPLES,
    level: float = LEVEL,
    on_missing: OrPairwise = "error",
    rng: int = SEED,
    jobs: int | None = None,
) -> MeasureCorrelations:
    """Correlate all measures with each other, over cells of topics × systems or over systems.

    Parameters
    ----------
    collections : table of measures, path, or sequence of them
        Whatever `rs.read_measures` takes, or a list of such.
    measures : sequence of str, optional
        The measures to keep; all by default.
    by : {"topics", "systems"}, optional
        Whether observations are cells of topics × systems, or systems; by default cells where all collections have
        topics.
    coefficient : str or Coefficient, default "pearson"
        The correlation.
    pooled : bool, default True
        Whether the observations of all collections are rows of one table, or each collection is correlated on its own.
    threshold : float, default 0.9
        Groups join measures while their mean correlation is at least this.
    resamples : int, default 1000
        Draws of topics behind intervals; 0 for none.
    level : float, default 0.95
        The level of all intervals.
    on_missing : {"error", "intersect", "zero", "pairwise"}, default "error"
        What becomes of a system or topic that some measure does not score: an error, or it is left out, or scores 0.
        With "pairwise" every two measures are correlated over the observations that both have; by systems, a measure
        has those for which no topic is missing. Pairs with fewer than three, or with ties alone, are undefined.
    rng : int, default 0
        The seed.
    jobs : int, optional
        The number of threads, by default one per core; the numbers do not depend on it.

    Returns
    -------
    MeasureCorrelations
        The matrix, every pair with its interval, each measure's strongest partner, and groups of measures.

    Raises
    ------
    BadParameter
        Where an option is out of its range, there is one measure only, or the coefficient is undefined.
    ConstantMeasure, TooFewSystems
        Where a measure scores all alike, or there are fewer than three observations.
    MismatchedNames, MissingScores
        Where measures do not score the same and `on_missing` is "error", or no two measures share observations.

    References
    ----------
    Gupta, Kutlu, Khetan & Lease, "Correlation, Prediction and Ranking of Evaluation Metrics in Information Retrieval",
    ECIR 2019, section 4.

    Examples
    --------
    >>> table = {"AP": [0.1, 0.2, 0.3, 0.5], "nDCG": [0.2, 0.3, 0.4, 0.6], "RR": [0.5, 0.1, 0.9, 0.4]}
    >>> pooled = correlate_measures(table, resamples=0).parts[0]
    >>> pooled.partners[0].partner, pooled.least
    ('nDCG', 'RR')
    """
    check_level(level)
    if not -1.0 <= threshold <= 1.0:
        raise BadParameter(f"threshold={threshold}: a correlation between −1 and 1")
    check_resamples(resamples)
    chosen = find_coefficient(coefficient)
    tables = read_collections(collections, measures=measures, on_missing=on_missing, pairs=True)
    groups: list[tuple[str, tuple[MeasureTable, ...]]] = [(table.name, (table,)) for table in tables]
    if pooled and len(tables) > 1:
        groups = [(POOLED, tables)]
    observed = [(name, observe(group, by)) for name, group in groups]
    reason = _no_interval([observations for _, observations in observed], resamples)
    draws = resamples if reason is None else 0
    gaps = on_missing == "pairwise"
    parts = [_part(name, each, chosen, gaps, threshold, draws, level, rng, jobs) for name, each in observed]
    return MeasureCorrelations(
        parts=tuple(parts),
        measures=tables[0].measures,
        coefficient=str(chosen),
        symbol=chosen.symbol,
        by=observed[0][1].by,
        collections=tuple(table.name for table in tables),
        no_interval=reason,
        settings={
            "pooled": pooled,
            "threshold": threshold,
            "resamples": resamples,
            "level": level,
            "seed": rng,
            "on_missing": on_missing,
        },
    )


def _no_interval(observed: Sequence[Observations], resamples: int) -> NoInterval | None:
    if resamples == 0:
        return "no resamples"
    if any(observations.unit == "systems" for observations in observed):
        return "no topics"
    return "one topic" if any(observations.fewest < 2 for observations in observed) else None


def _part(
    name: str,
    observations: Observations,
    chosen: Coefficient,
    gaps: bool,
    threshold: float,
    draws: int,
    level: float,
    rng: int,
    jobs: int | None,
) -> CorrelationPart:
    rows = observations.rows()
    matrix = _matrices(rows[None], chosen)[0]
    width = len(observations.measures)
    if not gaps:
        _check_defined(matrix, observations.measures, chosen, name)
    known = ~np.isnan(rows)
    shared = known.T.astype(np.int64) @ known.astype(np.int64)
    if np.isnan(matrix[~np.eye(width, dtype=bool)]).all():
        raise MissingScores(
            f"{name}: no two measures have a correlation; those with most in common share {_most_shared(shared)} "
            f"observations, and it takes {LEAST_SHARED} that are not tied. Choose other measures, measures=[…] "
            "(--measures)"
        )
    drawn = None if not draws else _drawn(observations, chosen, draws, rng, jobs)
    ordered = [(i, j) for i in range(width) for j in range(width) if (i < j if chosen.symmetric else i != j)]
    pairs = []
    for i, j in ordered:
        ends, undefined = None, bool(np.isnan(matrix[i, j]))
        topics = observations.shared_units(i, j) if draws else 0
        if drawn is not None and topics > 1:
            ends = interval(
                drawn[:, i, j],
                float(matrix[i, j]),
                level=level,
                method="recentred",
                topics=topics,
                bounds=chosen.record.range,
            )
        pairs.append(
            MeasurePair(
                first=observations.measures[i],
                second=observations.measures[j],
                value=float(matrix[i, j]),
                interval=ends,
                observations=int(shared[i, j]),
                undefined=None if not undefined else "too few" if shared[i, j] < LEAST_SHARED else "tied",
            )
        )
    partners = _partners(matrix, observations.measures)
    return CorrelationPart(
        collection=name,
        observations=len(rows),
        matrix=matrix,
        pairs=tuple(pairs),
        partners=partners,
        least=min((own for own in partners if own.partner is not None), key=lambda own: own.mean).measure,
        clusters=clusters(matrix, observations.measures, threshold),
    )


def _check_defined(matrix: Floats, measures: Sequence[str], chosen: Coefficient, title: str) -> None:
    undefined = np.argwhere(np.isnan(matrix))
    if len(undefined):
        first, second = (measures[i] for i in undefined[0])
        raise BadParameter(
            f"{title}: {chosen} is undefined between {first} and {second}, since what it looks at is tied; choose "
            "another coefficient, or by='systems' (--by systems)"
        )


def _partners(matrix: Floats, measures: Sequence[str]) -> tuple[Partner, ...]:
    both = (matrix + matrix.T) / 2.0
    others = np.where(np.eye(len(measures), dtype=bool), np.nan, both)
    partners = []
    for measure, row in zip(measures, others, strict=True):
        if np.isnan(row).all():
            partners.append(Partner(measure=measure, partner=None, value=np.nan, mean=np.nan))
            continue
        best = int(np.nanargmax(row))
        partners.append(
            Partner(measure=measure, partner=measures[best], value=float(row[best]), mean=float(np.nanmean(row)))
        )
    return tuple(partners)


def _most_shared(shared: npt.NDArray[np.int64]) -> int:
    return int(np.where(np.eye(len(shared), dtype=bool), 0, shared).max())


def _matrices(batch: Floats, chosen: Coefficient) -> Floats:
    """Batch × rows × measures → batch × measures × measures; every pair over the rows that both have."""
    size, _, width = batch.shape
    columns = np.ascontiguousarray(batch.transpose(2, 0, 1))
    matrices = np.ones((size, width, width))
    with quietly():
        for i in range(width):
            others = range(i + 1, width) if chosen.symmetric else [j for j in range(width) if j != i]
            for j in others:
                matrices[:, i, j] = _over_shared(columns[i], columns[j], chosen)
                if chosen.symmetric:
                    matrices[:, j, i] = matrices[:, i, j]
    return matrices


def _over_shared(first: Floats, second: Floats, chosen: Coefficient) -> Floats:
    """The coefficient in each row, over the columns where neither is NaN; rows with as many go together."""
    both = ~(np.isnan(first) | np.isnan(second))
    if both.all():
        return np.asarray(chosen(first, second))
    counts = both.sum(axis=1)
    values = np.full(len(first), np.nan)
    for count in np.unique(counts[counts >= LEAST_SHARED]):
        at = np.flatnonzero(counts == count)
        sides = (side[at][both[at]].reshape(len(at), count) for side in (first, second))
        values[at] = chosen(*sides)
    return values


def _drawn(observations: Observations, chosen: Coefficient, draws: int, rng: int, jobs: int | None) -> Floats:
    """Draws × measures × measures. Pearson's needs covariances alone, which sums over topics give."""
    if str(chosen) == "pearson" and all(table.complete for table in observations.tables):
        return correlations_from(observations.resampled_covariances(draws=draws, rng=rng, jobs=jobs))
    return np.concatenate(
        observations.resampled(lambda batch: _matrices(batch, chosen), draws=draws, rng=rng, jobs=jobs)
    )
