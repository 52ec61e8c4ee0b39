"""What is learned of judges' grades from the truth's: always on other topics than those it is applied to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.errors import BadParameter, nothing_in_common
from rankscope.inference.labels.levels import FOLDS, Flags, Parts, best_cut, parts_of
from rankscope.inference.labels.matching import rows_of
from rankscope.inference.resampling import Seed
from rankscope.runs import Judgments
from rankscope.scores import Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelTable:
    """Labels of one or more judges side by side.

    Row i is of one topic and document of `rows`, whose grades are the truth's; `grades[i, j]` is that of judge j. NaN
    is no label, nor is a grade below zero. `part` is the part that the topic of a row belongs to, −1 where the truth
    has no label of that topic.
    """

    rows: Judgments
    grades: Floats
    part: Parts

    @staticmethod
    def of(judges: Sequence[Judgments], truth: Judgments | None, rng: Seed = 0) -> LabelTable:
        """What any of the judges labelled, in the first judge's order, and the truth's labels of the same documents."""
        first = judges[0]
        if all(first.same_rows(other) for other in judges[1:]):
            rows, columns = first, [judge.grades for judge in judges]
        else:
            rows, columns = _side_by_side(judges)
        columns = [np.where(column >= 0.0, column, np.nan) for column in columns]
        known = np.full(len(rows), np.nan)
        if truth is not None:
            known = truth.grades if rows.same_rows(truth) else looked_up(rows, truth)
            known = np.where(known >= 0.0, known, np.nan)
        grades = np.column_stack(columns)
        topics = np.unique(rows.topic_of[~np.isnan(known) & ~np.isnan(grades).all(axis=1)])
        part = np.full(len(rows.topics), -1, dtype=np.intp)
        part[topics] = parts_of(len(topics), min(len(topics), FOLDS), rng)
        return LabelTable(rows=rows.with_grades(known), grades=grades, part=part[rows.topic_of])

    @property
    def truth(self) -> Floats:
        """The truth's grades."""
        return self.rows.grades

    def parts(self) -> Iterator[tuple[Flags, Flags]]:
        """For each part of the topics, the rows to learn from, which are of other topics, and those to apply it to."""
        known = ~np.isnan(self.truth)
        for part in np.unique(self.part).tolist():
            own = self.part == part
            yield known & ~own & (self.part >= 0), own

    def cross_fitted(self, apply: Callable[[Flags, Flags], Floats]) -> Floats:
        """A number for each row, by `apply(learn, own)` for each part of the topics."""
        self.check()
        values = np.full(len(self.rows), np.nan)
        for learn, own in self.parts():
            values[own] = apply(learn, own)
        return values

    def check(self) -> None:
        """Raise `BadParameter` unless there are two topics to tune on and to score."""
        topics = len(np.unique(self.rows.topic_of[self.part >= 0]))
        if topics < 2:
            raise BadParameter(
                f"tuning on some topics for others needs two topics with labels of both sides, and there are {topics}; "
                "leave out map=cv, rel=cv and weighted panels (name others: --panel mean)"
            )

    def mapped(self, judge: int = 0) -> Floats:
        """The judge's grades as expected grades of the truth, by the mean grade of other topics (`grade_map`)."""
        return self.cross_fitted(lambda learn, own: self.map_of(judge, learn)(self.grades[own, judge]))

    def map_of(self, judge: int, learn: Flags) -> Callable[[Floats], Floats]:
        """The map from the judge's grades to the truth's that these rows give."""
        both = learn & ~np.isnan(self.grades[:, judge])
        return grade_map(self.grades[both, judge], self.truth[both])

    def relevant(self, truth_rel: float, grades: Floats) -> Floats:
        """1 where a grade reaches the level with the highest κ on other topics, else 0; NaN is no grade."""

        def apply(learn: Flags, own: Flags) -> Floats:
            return self.cut(grades, learn, own, truth_rel)

        return self.cross_fitted(apply)

    def cut(self, grades: Floats, learn: Flags, own: Flags, truth_rel: float) -> Floats:
        """Grades of some rows as 1 or 0, by the level with the highest κ on others."""
        both = learn & ~np.isnan(grades)
        level = best_cut(grades[both], self.truth[both] >= truth_rel)
        return np.where(np.isnan(grades[own]), np.nan, (grades[own] >= level).astype(np.float64))


def grade_map(grades: Floats, truth: Floats) -> Callable[[Floats], Floats]:
    """The truth's mean grade for each of the judge's, never falling (isotonic regression); straight lines in between.

    Grades outside those seen become the nearest one's. Without any pair, grades stay as they are.

    >>> grade_map(np.array([0.0, 0.0, 1.0, 2.0]), np.array([0.0, 1.0, 2.0, 1.0]))(np.array([0.0, 0.5, 2.0])).tolist()
    [0.5, 1.0, 1.5]
    """
    from scipy.optimize import isotonic_regression

    if not len(grades):
        return lambda asked: asked
    knots, at, counts = np.unique(grades, return_inverse=True, return_counts=True)
    means = np.bincount(at, weights=truth) / counts
    values = isotonic_regression(means, weights=counts.astype(np.float64)).x
    return lambda asked: np.interp(asked, knots, values)


def _side_by_side(judges: Sequence[Judgments]) -> tuple[Judgments, list[Floats]]:
    """The documents of all judges by topic, in the order in which they come, and each judge's grades of them."""
    documents: dict[str, dict[str, list[float]]] = {}
    for j, judge in enumerate(judges):
        for t, topic in enumerate(judge.topics):
            own = documents.setdefault(topic, {})
            for document, row in rows_of(judge, t, f"judge {judge.name or j + 1}").items():
                name = document.decode("utf-8", "surrogateescape")
                own.setdefault(name, [np.nan] * len(judges))[j] = float(judge.grades[row])
    rows = Judgments.of({topic: dict.fromkeys(own, np.nan) for topic, own in documents.items()})
    table = np.array([grades for own in documents.values() for grades in own.values()], dtype=np.float64)
    return rows, list(table.reshape(-1, len(judges)).T)


def looked_up(rows: Judgments, truth: Judgments) -> Floats:
    """The truth's grades of these documents, NaN where it has none; an error where it has none of them."""
    place = {topic: t for t, topic in enumerate(truth.topics)}
    shared = [topic for topic in rows.topics if topic in place]
    if not shared:
        raise nothing_in_common("topic", ("the judges", "the truth"), rows.topics, truth.topics)
    grades = np.full(len(rows), np.nan)
    for t, topic in enumerate(rows.topics):
        known = rows_of(truth, place[topic], "truth") if topic in place else {}
        if known:
            first, last = int(rows.starts[t]), int(rows.starts[t + 1])
            for i, name in enumerate(rows.ids.names(first, last), first):
                row = known.get(name.encode("utf-8", "surrogateescape"))
                if row is not None:
                    grades[i] = truth.grades[row]
    return grades
