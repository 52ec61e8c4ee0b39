"""What measures are compared over: cells of systems × topics, or systems; and resampled samples of the same.

Collections are pooled as rows of one table, as Gupta et al. (2019) do. Resampling draws topics within each collection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeVar, get_args

import numpy as np

from rankscope.checks import check_choice
from rankscope.errors import BadParameter, MissingScores, TooFewSystems
from rankscope.inference.resampling import Counts, TopicMeans, generators, in_threads, topic_counts
from rankscope.measure_table import MeasureTable
from rankscope.scores import Floats, ScoreMatrix
from rankscope.studies.metrics.subsets import check_not_constant

By = Literal["topics", "systems"]
BY: tuple[By, ...] = get_args(By)
Unit = Literal["topics", "systems"]
T = TypeVar("T")

# Resampled cells are taken in batches of about this many numbers.
_BATCH = 1 << 22


@dataclass(frozen=True, eq=False)
class Observations:
    """Rows (cells or systems) × measures over some collections, and how to draw others like them.

    `unit` is what is drawn: topics, or systems where no collection has topics.
    """

    tables: tuple[MeasureTable, ...]
    by: By

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.tables[0].measures

    @property
    def unit(self) -> Unit:
        """What a draw draws."""
        return "topics" if all(table.by_topic is not None for table in self.tables) else "systems"

    @property
    def fewest(self) -> int:
        """The least number of units in a collection."""
        return min(len(table.topics if self.unit == "topics" else table.systems) for table in self.tables)

    def rows(self) -> Floats:
        """All observations of all collections; NaN where a measure lacks a score."""
        return np.concatenate([_rows(table, self.by) for table in self.tables])

    def shared_units(self, first: int, second: int) -> int:
        """The least number of topics, of a collection that has any, on which two measures have observations."""
        if self.by == "systems" or self.unit == "systems":
            return self.fewest
        known = [~np.isnan(_cells(table)) for table in self.tables]
        topics = [int((each[:, :, first] & each[:, :, second]).any(axis=1).sum()) for each in known]
        return min((count for count in topics if count), default=0)

    def covariance(self) -> Floats:
        """The sample covariance between measures."""
        rows = self.rows()
        centred = rows - rows.mean(axis=0)
        return np.asarray(centred.T @ centred / (len(rows) - 1))

    def resampled(self, function: Callable[[Floats], T], *, draws: int, rng: int, jobs: int | None = None) -> list[T]:
        """A function of resampled observations (batch × rows × measures), batch by batch, in order."""
        parts = in_threads(
            lambda chunk: [function(batch) for batch in self._batches(*chunk)], list(generators(rng, draws)), jobs
        )
        return [value for part in parts for value in part]

    def resampled_covariances(self, *, draws: int, rng: int, jobs: int | None = None) -> Floats:
        """The covariance in each draw, draws × measures × measures; by cells, from sums over topics alone."""
        if self.by == "topics" and self.unit == "topics":
            return np.concatenate(in_threads(self._from_sums, list(generators(rng, draws)), jobs))
        return np.concatenate(self.resampled(_covariances, draws=draws, rng=rng, jobs=jobs))

    def _counts(self, generator: np.random.Generator, draws: int) -> list[Counts]:
        units = [table.topics if self.unit == "topics" else table.systems for table in self.tables]
        return [topic_counts(generator, len(names), draws) for names in units]

    def _from_sums(self, chunk: tuple[np.random.Generator, int]) -> Floats:
        counts = self._counts(*chunk)
        centre, width = self.rows().mean(axis=0), len(self.measures)
        total, sums, products = np.zeros(chunk[1]), np.zeros((chunk[1], width)), np.zeros((chunk[1], width * width))
        for table, weights in zip(self.tables, counts, strict=True):
            cells = _cells(table) - centre
            total += weights.sum(axis=1) * len(table.systems)
            sums += weights @ cells.sum(axis=1)
            products += weights @ np.matmul(cells.transpose(0, 2, 1), cells).reshape(len(table.topics), -1)
        means = sums / total[:, None]
        central = products.reshape(-1, width, width) - total[:, None, None] * means[:, :, None] * means[:, None, :]
        return np.asarray(central / (total[:, None, None] - 1.0))

    def _batches(self, generator: np.random.Generator, draws: int) -> Iterator[Floats]:
        counts = self._counts(generator, draws)
        step = max(1, _BATCH // max(1, len(self.rows()) * len(self.measures)))
        for start in range(0, draws, step):
            pieces = [self._drawn(i, each[start : start + step]) for i, each in enumerate(counts)]
            yield np.concatenate(pieces, axis=1)

    @cached_property
    def _means(self) -> list[list[TopicMeans]]:
        """Per collection and measure, means over drawn topics in which systems that tie exactly tie in every draw."""
        return [
            [TopicMeans.of(ScoreMatrix(np.nan_to_num(cells, nan=0.0))) for cells in np.moveaxis(_cells(table), 2, 0)]
            for table in self.tables
        ]

    def _drawn(self, collection: int, counts: Counts) -> Floats:
        """Draws × rows × measures of one collection."""
        table = self.tables[collection]
        if self.unit == "systems":
            return np.asarray(table.values[_indices(counts)])
        if self.by == "systems":
            means = np.stack([means.means(counts) for means in self._means[collection]], axis=-1)
            return np.where(np.isnan(table.values), np.nan, means)
        return _cells(table)[_indices(counts)].reshape(len(counts), -1, len(table.measures))


def observe(tables: Sequence[MeasureTable], by: By | None) -> Observations:
    """The observations by topics × systems, by systems, or (None) by topics wherever there are topics; checked."""
    if by is not None:
        check_choice("by", by, BY)
    everywhere = all(table.by_topic is not None for table in tables)
    chosen: By = by or ("topics" if everywhere else "systems")
    observations = Observations(tuple(tables), chosen)
    if len(observations.measures) < 2:
        raise BadParameter(
            f"{tables[0].name}: one measure only ({observations.measures[0]}); give a table with several, or a folder "
            "of topics × systems tables, one a measure"
        )
    rows, title = observations.rows(), ", ".join(table.name for table in tables)
    if len(rows) < 3:
        raise TooFewSystems(f"{title}: {len(rows)} systems; measures correlate over three at least")
    check_not_constant(rows, observations.measures, title)
    return observations


def correlations_from(covariances: Floats) -> Floats:
    """Pearson's correlations from covariances, of any leading shape; nan beside a measure that did not vary."""
    variances = np.diagonal(covariances, axis1=-2, axis2=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.sqrt(np.where(variances > 0.0, variances, np.nan))
        correlations = covariances / (scale[..., :, None] * scale[..., None, :])
    return np.asarray(np.clip(correlations, -1.0, 1.0))


def _rows(table: MeasureTable, by: By) -> Floats:
    return table.values if by == "systems" else _cells(table).reshape(-1, len(table.measures))


def _cells(table: MeasureTable) -> Floats:
    if table.by_topic is None:
        raise MissingScores(f"{table.name} has no scores by topic; use by='systems' (--by systems)")
    return table.by_topic


def _indices(counts: Counts) -> np.ndarray[tuple[int, int], np.dtype[np.intp]]:
    """Counts as the positions they count, in order."""
    positions = np.tile(np.arange(counts.shape[1]), len(counts))
    return np.repeat(positions, counts.ravel().astype(np.intp)).reshape(len(counts), -1)


def _covariances(batch: Floats) -> Floats:
    centred = batch - batch.mean(axis=1, keepdims=True)
    return np.asarray(np.matmul(centred.transpose(0, 2, 1), centred) / (batch.shape[1] - 1))
