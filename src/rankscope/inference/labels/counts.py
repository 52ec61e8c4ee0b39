"""Counts by topic, from which the counts of every draw of topics follow by one matrix product."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rankscope.inference.labels.matching import Pairs
from rankscope.scores import Floats

# With more labels than this, agreement by labels is meaningless and its matrices would fill the memory.
MOST_LABELS = 1_000
# Relevant to both, to the judge only, to the truth only, to neither.
BINARY = 4

Indices = npt.NDArray[np.intp]


@dataclass(frozen=True, kw_only=True, eq=False)
class GradeCells:
    """Pairs by both grades and topic, sorted so; what grades themselves are compared by.

    Entry e is `counts[e]` pairs of topic `topic[e]` in cell `cell[e]`; cell c has the truth's grade `x[c]` and the
    judge's `y[c]`, by their places among the distinct `truth` and `judge` grades.
    """

    truth: Floats
    judge: Floats
    x: Indices
    y: Indices
    starts: Indices
    topic: Indices
    counts: Floats

    @classmethod
    def of(cls, pairs: Pairs) -> GradeCells:
        """The cells of these pairs."""
        truth, x = np.unique(pairs.truth, return_inverse=True)
        judge, y = np.unique(pairs.judge, return_inverse=True)
        topics = len(pairs.topics)
        code, counts = np.unique((x.astype(np.int64) * len(judge) + y) * topics + pairs.topic, return_counts=True)
        cell, topic = np.divmod(code, topics)
        starts = np.flatnonzero(np.diff(cell, prepend=-1))
        return cls(
            truth=truth,
            judge=judge,
            x=cell[starts] // len(judge),
            y=cell[starts] % len(judge),
            starts=starts,
            topic=topic,
            counts=counts.astype(np.float64),
        )

    def weights(self, drawn: Floats) -> Floats:
        """The pairs of each cell (column) in each draw of topics (row)."""
        return np.asarray(np.add.reduceat(drawn[:, self.topic] * self.counts, self.starts, axis=1))


@dataclass(frozen=True, kw_only=True, eq=False)
class Sample:
    """Sums over B samples of topics.

    `cells` (B, C) counts the pairs in each non-empty cell of the confusion matrix, at `rows` and `columns`; `truth` and
    `judge` (B, k) count each label; `binary` is (B, 4). `moments` (B, 5) are sums over pairs (x, y) of 1, y − x,
    (y − x)², x + y and x² + y², with grades centred and divided by `scale`. `weights` are the pairs in each of the
    `grades`' cells.
    """

    labels: Floats
    rows: Indices
    columns: Indices
    cells: Floats
    truth: Floats
    judge: Floats
    binary: Floats
    moments: Floats
    scale: float
    grades: GradeCells
    drawn: Floats | None
    truth_rel: float

    @cached_property
    def weights(self) -> Floats:
        """The pairs of each cell of grades (column) in each sample (row)."""
        return self.grades.weights(np.eye(len(self.cells)) if self.drawn is None else self.drawn)

    @property
    def pairs(self) -> Floats:
        """The number of pairs."""
        return self.moments[:, 0]


@dataclass(frozen=True, kw_only=True, eq=False)
class TopicCounts:
    """One row of counts per topic; `sample` sums them over draws of topics."""

    topics: int
    labels: Floats
    rows: Indices
    columns: Indices
    counts: Floats
    scale: float
    grades: GradeCells
    truth_rel: float

    @classmethod
    def of(cls, pairs: Pairs, truth: Floats, judge: Floats, *, truth_rel: float, judge_rel: float) -> TopicCounts:
        """Count pairs with labels `truth` and `judge`; with more than `MOST_LABELS`, labels are not counted."""
        topics, topic = len(pairs.topics), pairs.topic
        labels = np.union1d(np.unique(truth), np.unique(judge))
        if len(labels) > MOST_LABELS:
            labels, truth, judge = labels[:0], truth[:0], judge[:0]
        k = len(labels)
        x, y = np.searchsorted(labels, truth), np.searchsorted(labels, judge)
        at = topic[: len(x)]
        occurs = np.bincount(x * k + y, minlength=k * k) > 0
        cells, cell = np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[x * k + y]
        negative = BINARY - 1 - (pairs.judge >= judge_rel) - 2 * (pairs.truth >= truth_rel)
        counts = np.hstack(
            [
                _by_topic(at, cell, topics, len(cells)),
                _by_topic(at, x, topics, k),
                _by_topic(at, y, topics, k),
                _by_topic(topic, _BINARY_ORDER[negative], topics, BINARY),
            ]
        )
        moments, scale = _moments(pairs)
        return cls(
            topics=topics,
            labels=labels,
            rows=cells // max(k, 1),
            columns=cells % max(k, 1),
            counts=np.hstack([counts, moments]),
            scale=scale,
            grades=GradeCells.of(pairs),
            truth_rel=truth_rel,
        )

    def sample(self, drawn: Floats | None) -> Sample:
        """Sums over topics, weighted by each row of `drawn` (B, topics); None is each topic alone."""
        k = len(self.labels)
        ends = np.cumsum([len(self.rows), k, k, BINARY])
        sums = self.counts if drawn is None else drawn @ self.counts
        cells, truth, judge, binary, moments = np.split(sums, ends, axis=1)
        return Sample(
            labels=self.labels,
            rows=self.rows,
            columns=self.columns,
            cells=cells,
            truth=truth,
            judge=judge,
            binary=binary,
            moments=moments,
            scale=self.scale,
            grades=self.grades,
            drawn=drawn,
            truth_rel=self.truth_rel,
        )

    def confusion(self) -> npt.NDArray[np.int64]:
        """The number of pairs with each label of the truth (rows) and of the judge (columns), over all topics."""
        k = len(self.labels)
        matrix = np.zeros((k, k), dtype=np.int64)
        matrix[self.rows, self.columns] = self.counts[:, : len(self.rows)].sum(axis=0)
        return matrix


# Not relevant as a bit of each side, the truth's first: 00, 01, 10, 11 → both, truth only, judge only, neither.
_BINARY_ORDER = np.array([0, 2, 1, 3])


def _by_topic(topic: Indices, code: Indices, topics: int, codes: int) -> Floats:
    counted = np.bincount(topic * codes + code, minlength=topics * codes)
    return counted.reshape(topics, codes).astype(np.float64)


def _moments(pairs: Pairs) -> tuple[Floats, float]:
    """Sums by topic of grades around the middle of their range, in half-ranges, so that nothing overflows."""
    ends = [(float(side.min()), float(side.max())) for side in (pairs.truth, pairs.judge)]
    low, high = min(end[0] for end in ends), max(end[1] for end in ends)
    scale = (high / 2.0 - low / 2.0) or 1.0
    x, y = ((side - (low / 2.0 + high / 2.0)) / scale for side in (pairs.truth, pairs.judge))
    count = len(pairs.topics)

    def by_topic(terms: Floats) -> Floats:
        return np.asarray(np.bincount(pairs.topic, weights=terms, minlength=count), dtype=np.float64)

    # One after the other: each is as long as there are pairs.
    sums = [by_topic(np.ones(len(x))), by_topic(y - x), by_topic((y - x) ** 2), by_topic(x + y), by_topic(x**2 + y**2)]
    return np.column_stack(sums), scale
