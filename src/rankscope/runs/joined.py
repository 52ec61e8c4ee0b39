"""The judged documents in every ranking."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from rankscope.errors import ShapeMismatch, nothing_in_common
from rankscope.runs.ids import Codes, Floats, Positions, check_inside, check_starts, fixed
from rankscope.runs.judgments import Judgments
from rankscope.runs.runset import RunSet


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgedRuns:
    """The judged documents in every ranking: all that a measure needs to know of runs and judgments.

    Topics are the judged ones, also where no run has them. For topic t and system s of S, cell c = t * S + s:
    `ranks[starts[c] : starts[c + 1]]` are the ranks, from 1 and ascending, at which judged documents stand, `rows` are
    their rows in the judgments, and `retrieved[c]` is the number of documents retrieved, judged or not. `grades` has
    one grade per row of the judgments, NaN where a row counts as not judged; those of topic t are
    `grades[judgment_starts[t] : judgment_starts[t + 1]]`.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    starts: Positions
    ranks: Codes
    rows: Codes
    retrieved: Codes
    judgment_starts: Positions
    grades: Floats
    name: str | None = None

    def __post_init__(self) -> None:
        for field in ("starts", "judgment_starts"):
            object.__setattr__(self, field, fixed(getattr(self, field), np.int64))
        for field in ("ranks", "rows", "retrieved"):
            object.__setattr__(self, field, fixed(getattr(self, field), np.int32))
        object.__setattr__(self, "grades", fixed(self.grades, np.float64))
        topics, cells = len(self.topics), len(self.topics) * len(self.systems)
        if (
            self.ranks.ndim != 1
            or self.rows.shape != self.ranks.shape
            or self.retrieved.shape != (cells,)
            or self.grades.ndim != 1
        ):
            raise ShapeMismatch(
                "give one row for each rank, one number retrieved for each topic and system, and 1-D grades"
            )
        check_starts("starts", self.starts, cells, len(self.ranks))
        check_starts("judgment_starts", self.judgment_starts, topics, len(self.grades))
        check_inside("ranks", self.ranks, self.starts, 1, self.retrieved.astype(np.int64) + 1)
        if cells:
            by_topic = self.starts[:: len(self.systems)]
            check_inside("rows", self.rows, by_topic, self.judgment_starts[:-1], self.judgment_starts[1:])

    def with_grades(self, grades: npt.ArrayLike, *, name: str | None = None) -> JudgedRuns:
        """The same documents with other grades, NaN for those that count as not judged."""
        grades = np.asarray(grades, dtype=np.float64)
        if grades.shape != self.grades.shape:
            raise ShapeMismatch(f"{grades.shape} grades for {len(self.grades)} judgments; give one for each")
        other = copy.copy(self)  # what was checked once is not checked again
        object.__setattr__(other, "grades", fixed(grades, np.float64))
        object.__setattr__(other, "name", name)
        return other

    def reordered(self, places: npt.ArrayLike) -> JudgedRuns:
        """The tops of all rankings in another order: what stands at rank r of cell c moves to rank `places[c, r − 1]`.

        >>> joined = join(RunSet.of({"a": {"1": ["x", "y", "z"]}}), Judgments.of({"1": {"x": 0, "z": 1}}))
        >>> joined.ranks.tolist(), joined.reordered([[3, 2, 1]]).rows.tolist()
        ([1, 3], [1, 0])
        """
        table = np.asarray(places, dtype=np.int32)
        if table.ndim != 2 or len(table) != len(self.retrieved):
            raise ShapeMismatch(
                f"places of shape {table.shape} for {len(self.retrieved)} rankings; give a row for each"
            )
        cells = np.repeat(np.arange(len(table)), np.diff(self.starts))
        top = self.ranks <= table.shape[1]
        before, after = np.full(table.shape, -1, dtype=np.int32), np.empty(table.shape, dtype=np.int32)
        before[cells[top], self.ranks[top] - 1] = self.rows[top]
        np.put_along_axis(after, table - 1, before, axis=1)
        ranks, rows = self.ranks.copy(), self.rows.copy()
        at = np.nonzero(after >= 0)  # cell by cell and rank by rank, as the rows come
        ranks[top], rows[top] = at[1] + 1, after[at]
        return replace(self, ranks=ranks, rows=rows)


def join(runs: RunSet, judgments: Judgments) -> JudgedRuns:
    """The judged documents in every ranking; an error where runs and judgments share no topic."""
    from rankscope.kernels.pool import judged

    pool_of = pools_of(runs, judgments)
    if len(pool_of) and runs.topics and pool_of.max() < 0:
        sides = runs.name or "the runs", judgments.name or "the judgments"
        raise nothing_in_common("topic", sides, runs.topics, judgments.topics)
    codes = codes_of(runs, judgments)
    row_of = np.full(max(len(runs.ids), 1), -1, dtype=np.int32)
    retrieved_rows = np.flatnonzero(codes >= 0)
    row_of[codes[retrieved_rows]] = retrieved_rows
    starts, ranks, rows, retrieved = judged(runs.documents, runs.starts, len(runs.systems), pool_of, row_of)
    return JudgedRuns(
        systems=runs.systems,
        topics=judgments.topics,
        starts=starts,
        ranks=ranks,
        rows=rows,
        retrieved=retrieved,
        judgment_starts=judgments.starts,
        grades=judgments.grades,
        name=judgments.name,
    )


def join_all(runs: RunSet, many: Sequence[Judgments]) -> list[JudgedRuns]:
    """`join` with each of many judgments; those that judge the same documents share all but their grades."""
    joined: list[tuple[Judgments, JudgedRuns]] = []
    for judgments in many:
        like = next((known for other, known in joined if other.same_rows(judgments)), None)
        same = None if like is None else like.with_grades(judgments.grades, name=judgments.name)
        joined.append((judgments, join(runs, judgments) if same is None else same))
    return [each for _, each in joined]


def pools_of(runs: RunSet, judgments: Judgments) -> Positions:
    """The place of every judged topic among the runs' topics, −1 where no run has it."""
    place = {topic: t for t, topic in enumerate(runs.topics)}
    return np.array([place.get(topic, -1) for topic in judgments.topics], dtype=np.int64)


def codes_of(runs: RunSet, judgments: Judgments) -> Codes:
    """The code of every judged document in the runs' pools, −1 where no run retrieved it.

    >>> runs = RunSet.of({"bm25": {"301": ["d1", "d2", "d3"]}})
    >>> codes_of(runs, Judgments.of({"301": {"d3": 1, "d9": 1}})).tolist()
    [2, -1]
    """
    from rankscope.kernels.pool import find

    tables, slots = runs.index
    return find(
        runs.ids.text,
        runs.ids.starts,
        tables,
        slots,
        pools_of(runs, judgments),
        judgments.ids.text,
        judgments.ids.starts,
        judgments.starts,
    )
