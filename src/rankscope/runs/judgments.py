"""Grades of documents: who judged what, and how relevant it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ShapeMismatch
from rankscope.results import data_frame
from rankscope.runs.ids import Floats, Ids, Positions, check_starts, fixed, places, stretches


@dataclass(frozen=True, kw_only=True, eq=False)
class Judgments:
    """Grades of documents for topics, rows in the order of their topics.

    Rows `starts[t]` to `starts[t + 1]` are those of topic t. A grade is a real number; above zero is relevant.
    `Judgments.of` makes them from a mapping. Labels that are words have `words`, and a grade is the place of its word
    there. Items `without_topics` are topics of their own.

    Examples
    --------
    >>> Judgments.of({"301": {"d1": 2, "d3": 0}}).grades.tolist()
    [2.0, 0.0]
    """

    topics: tuple[str, ...]
    starts: Positions
    ids: Ids
    grades: Floats
    name: str | None = None
    words: tuple[str, ...] | None = None
    without_topics: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "starts", fixed(self.starts, np.int64))
        object.__setattr__(self, "grades", fixed(self.grades, np.float64))
        check_starts("starts", self.starts, len(self.topics), len(self.ids))
        if self.grades.shape != (len(self.ids),):
            raise ShapeMismatch(f"{self.grades.shape} grades for {len(self.ids)} documents; give one for each")

    def __repr__(self) -> str:
        return f"<Judgments: {len(self)} of {len(self.topics)} topics>"

    @staticmethod
    def of(grades: Mapping[str, Mapping[str, float]], *, name: str | None = None) -> Judgments:
        """Judgments from a mapping of topic → document → grade."""
        starts = np.zeros(len(grades) + 1, dtype=np.int64)
        np.cumsum([len(rows) for rows in grades.values()], out=starts[1:])
        return Judgments(
            topics=tuple(str(topic) for topic in grades),
            starts=starts,
            ids=Ids.of(str(document) for rows in grades.values() for document in rows),
            grades=np.array([grade for rows in grades.values() for grade in rows.values()], dtype=np.float64),
            name=name,
        )

    def __len__(self) -> int:
        return len(self.grades)

    @property
    def topic_of(self) -> Positions:
        """Which topic, by its place among `topics`, every row belongs to."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.starts))

    @property
    def whole(self) -> bool:
        """Whether all grades are whole numbers."""
        return bool(np.all(self.grades == np.rint(self.grades)))

    def keep(self, rows: npt.ArrayLike) -> Judgments:
        """Some rows only, given one truth value for each; topics stay, also without rows.

        >>> judgments = Judgments.of({"301": {"d1": 2, "d3": 0}})
        >>> judgments.keep(judgments.grades > 0).ids.names()
        ['d1']
        """
        mask = np.asarray(rows)
        if mask.shape != self.grades.shape or mask.dtype != np.bool_:
            raise ShapeMismatch(f"{mask.shape} of {mask.dtype} for {len(self)} judgments; give a truth value for each")
        counts = np.concatenate([[0], np.cumsum(mask)])
        return replace(
            self, starts=counts[self.starts], ids=self.ids.take(np.flatnonzero(mask)), grades=self.grades[mask]
        )

    def with_grades(self, grades: npt.ArrayLike, *, name: str | None = None) -> Judgments:
        """The same documents with other grades."""
        grades = np.asarray(grades, dtype=np.float64)
        if grades.shape != self.grades.shape:
            raise ShapeMismatch(f"{grades.shape} grades for {len(self)} judgments; give one for each")
        return replace(self, grades=grades, name=self.name if name is None else name, words=None)

    def binary(self, rel: float = 1) -> Judgments:
        """Grades of at least `rel` as 1, the others as 0.

        >>> Judgments.of({"301": {"d1": 2, "d2": 1, "d3": -2}}).binary(rel=2).grades.tolist()
        [1.0, 0.0, 0.0]
        """
        return self.with_grades(self.grades >= rel)

    def for_topics(self, topics: Sequence[str]) -> Judgments:
        """The judgments of these topics, in their order.

        >>> Judgments.of({"301": {"d1": 2}, "302": {"d1": 0}}).for_topics(["302"]).grades.tolist()
        [0.0]
        """
        t = places("topic", self.topics, topics)
        rows, starts = stretches(self.starts[:-1][t], np.diff(self.starts)[t])
        return replace(self, topics=tuple(topics), starts=starts, ids=self.ids.take(rows), grades=self.grades[rows])

    def same_rows(self, other: Judgments) -> bool:
        """Whether the other judges the same documents of the same topics in the same order, whatever the grades."""
        return self.topics == other.topics and np.array_equal(self.starts, other.starts) and self.ids.same(other.ids)

    def sharing(self, other: Judgments) -> Judgments:
        """The same judgments, in the memory of another's documents where these are the same in the same order.

        >>> human, judge = Judgments.of({"301": {"d1": 2}}), Judgments.of({"301": {"d1": 0}})
        >>> judge.sharing(human).ids is human.ids
        True
        """
        if not self.same_rows(other):
            return self
        return replace(self, topics=other.topics, starts=other.starts, ids=other.ids)

    def to_frame(self) -> Any:
        """One row per judgment: topic, document, grade."""
        return data_frame(self.columns())

    def columns(self) -> dict[str, Sequence[str] | Floats]:
        """The columns topic, document and grade, with an item for each judgment."""
        topics = [self.topics[t] for t in self.topic_of.tolist()]
        return {"topic": topics, "document": self.ids.names(), "grade": self.grades}
