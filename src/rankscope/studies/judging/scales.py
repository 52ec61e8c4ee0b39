"""A judge's own scale: which of its grades are relevant, grades that stand for others, and measures it cannot have."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal, TypeAlias

import numpy as np

from rankscope.defaults import SEED
from rankscope.errors import BadParameter, nothing_in_common, some
from rankscope.inference.labels.tuning import LabelTable
from rankscope.inputs import JudgesLike, JudgmentsLike, to_judges, to_judgments
from rankscope.measures.record import Measure
from rankscope.results import Remark
from rankscope.runs import Judgments
from rankscope.scores import ScoreMatrix

# The lowest relevant grade, and grades that become others; "cv" is learned from the truth's labels of other topics.
Level: TypeAlias = 'float | Literal["measure", "cv"] | None'
GradeMap: TypeAlias = 'Mapping[float, float] | Literal["cv"] | None'


@dataclass(frozen=True)
class JudgeLabels:
    """A judge's labels, and how its grades are meant.

    Parameters
    ----------
    judgments : JudgmentsLike
        The labels, or their path.
    rel : float, "measure" or "cv", optional
        The lowest of the judge's grades that is relevant, for measures that ask which are; it takes the place of the
        measure's own level, which is then the truth's alone. "measure" takes the measure's level for real grades too, 1
        unless the measure names another. "cv" learns it: on each of ten parts of the topics, the level is the one with
        the highest κ with the truth's labels on all other parts. Measures that use the grades themselves are as before.
    map : mapping from float to float, or "cv", optional
        Grades that become others, in the labels and for all measures; those not named stay as they are. "cv" makes each
        grade the truth's mean grade of such documents, never falling with the judge's (isotonic regression), learned on
        other topics than those it is applied to; `rel` is then "cv", too, unless given.

    Examples
    --------
    >>> JudgeLabels({"301": {"d1": 1, "d2": 0}}, rel=1, map={1: 2}).rel
    1
    """

    judgments: JudgmentsLike
    rel: Level = None
    map: GradeMap = None

    def __post_init__(self) -> None:
        if isinstance(self.map, str) and self.map != "cv":
            raise BadParameter(f"map={self.map!r}: a mapping from grade to grade, or 'cv'")
        grades = (*self.map, *self.map.values()) if isinstance(self.map, Mapping) else ()
        for name, value in (("rel", self.rel), *(("map", grade) for grade in grades)):
            if value not in (None, "cv", "measure") and not (isinstance(value, int | float) and math.isfinite(value)):
                raise BadParameter(f"{name}={value}: a finite number{', measure or cv' if name == 'rel' else ''}")

    @property
    def tuned(self) -> bool:
        """Whether something is learned from the truth's labels."""
        return self.rel == "cv" or self.map == "cv"


# Judges of which some have a scale of their own.
ScaledJudges: TypeAlias = (
    "JudgeLabels | Sequence[JudgmentsLike | JudgeLabels] | Mapping[str, JudgmentsLike | JudgeLabels]"
)
# The same, and the repeats of a judge that was asked several times.
RepeatedJudges: TypeAlias = "Mapping[str, JudgmentsLike | JudgeLabels | Sequence[JudgmentsLike | JudgeLabels]]"

Why = Literal["real grades", "whole grades", "no relevant grade", "all systems alike"]


@dataclass(frozen=True, kw_only=True)
class Skipped:
    """A judge that cannot be compared under a measure, and why; `str(skipped)` says it in words, with the way out.

    "real grades": the measure asks which grades are relevant, and some are not whole numbers. "whole grades": it is
    computed elsewhere, from whole grades only. "no relevant grade": the judge's `highest` grade is below the `least`
    that counts. "all systems alike": it ranks nothing.
    """

    judge: str
    measure: str
    why: Why
    highest: float | None = None
    least: float | None = None

    def __str__(self) -> str:
        return str(importlib.import_module("rankscope.report.remarks").skipped_text(self))


@dataclass(frozen=True, kw_only=True, eq=False)
class Judge:
    """A judge's labels with grades mapped, and its own level of relevance; `mapped` counts the labels changed.

    `given` are the labels before a map is learned. `learned` gives labels of relevant or not by a level learned on
    other topics, given the truth's level. A judge that was asked several times has `repeats`; its own labels are then
    mean grades, for panels, and its scores are the mean of those of its repeats.
    """

    name: str
    given: Judgments
    judgments: Judgments
    rel: Level
    map: GradeMap
    mapped: int
    learned: Callable[[float], Judgments] | None = None
    repeats: tuple[Judge, ...] = ()

    def own(self, measure: Measure) -> Measure:
        """The measure with the judge's level of relevance, where it has both."""
        if self.rel is None or not _asks_for_level(measure):
            return measure
        asked = 1.0 if measure.rel is None else measure.rel
        level = 1.0 if self.rel == "cv" else asked if self.rel == "measure" else self.rel
        rel = int(level) if level == int(level) else level
        given: dict[str, Any] = {**dict(measure.parameters), "rel": rel}
        return Measure(measure.record, tuple(given.items()), measure.cutoff)

    def labels(self, measure: Measure) -> Judgments:
        """The labels that the measure is computed from: relevant or not, where the level is learned."""
        if self.rel != "cv" or not _asks_for_level(measure):
            return self.judgments
        return self.relevant(1.0 if measure.rel is None else measure.rel)

    def relevant(self, truth_rel: float) -> Judgments:
        """1 for documents that are relevant by a level learned on other topics, 0 for others."""
        if self.learned is None:
            raise BadParameter(f"{self.name}: rel='cv' is learned from a truth's labels; give truth=")
        if truth_rel not in self._relevant:
            self._relevant[truth_rel] = self.learned(truth_rel)
        return self._relevant[truth_rel]

    @cached_property
    def _relevant(self) -> dict[float, Judgments]:
        return {}

    def not_computed(self, measure: Measure) -> Skipped | None:
        """Why the measure cannot be computed from these grades, if so."""
        grades = self.labels(measure).grades
        known = grades[~np.isnan(grades)]
        if np.array_equal(known, np.rint(known)):
            return None
        if measure.record.function is None:
            return Skipped(judge=self.name, measure=str(measure), why="whole grades")
        if _asks_for_level(measure) and self.own(measure).rel is None:
            return Skipped(judge=self.name, measure=str(measure), why="real grades", highest=float(known.max()))
        return None

    def not_ranked(self, measure: Measure, scores: ScoreMatrix) -> Skipped | None:
        """Why these scores rank nothing, if they do not: they are the same for all systems."""
        if len(set(scores.means.tolist())) > 1:
            return None
        grades = self.labels(measure).grades
        known = grades[~np.isnan(grades)]
        highest = float(known.max()) if len(known) else None
        least = self.own(measure).rel
        asks = _asks_for_level(measure)
        if asks and least is None:
            least = 1.0
        lacking = highest is not None and (highest < least if asks and least is not None else highest <= 0.0)
        return Skipped(
            judge=self.name,
            measure=str(measure),
            why="no relevant grade" if lacking else "all systems alike",
            highest=highest if lacking else None,
            least=least if lacking else None,
        )

    def remarks(self) -> list[Remark]:
        """What was said of the judge's grades, and what a reader should know of them."""
        remarks = []
        if self.map == "cv":
            remarks.append(Remark(kind="learned map", about=self.name, count=self.mapped))
        elif isinstance(self.map, Mapping):
            changes = tuple(f"{old:g} → {new:g}" for old, new in self.map.items())
            remarks.append(Remark(kind="mapped grades", about=self.name, count=self.mapped, names=changes))
        if self.rel is not None:
            how = self.rel if isinstance(self.rel, str) else f"{self.rel:g}"
            remarks.append(Remark(kind="own level of relevance", about=self.name, how=how))
        return [*remarks, *grade_remarks(self.name, self.judgments)]


def to_labels(
    judges: JudgesLike | ScaledJudges, truth: Judgments | None = None, *, rng: int = SEED
) -> dict[str, Judge]:
    """The judges by name, grades mapped; the truth is for those whose map or level is learned.

    >>> to_labels({"llm": JudgeLabels({"1": {"d1": 1}}, map={1: 2})})["llm"].judgments.grades.tolist()
    [2.0]
    """
    return {name: judge_of(name, to_judgments(own.judgments), own, truth, rng) for name, own in named(judges).items()}


def named(judges: JudgesLike | ScaledJudges) -> dict[str, JudgeLabels]:
    """The judges by name, read, each with its scale.

    >>> named({"llm": {"1": {"d1": 1}}})["llm"].rel is None
    True
    """
    if isinstance(judges, JudgeLabels):
        judges = [judges]
    several: list[Any] = list(judges.values()) if isinstance(judges, Mapping) else []
    if isinstance(judges, list | tuple):
        several = list(judges)
    plain: Any = judges
    if several:
        bare = [each.judgments if isinstance(each, JudgeLabels) else each for each in several]
        plain = dict(zip(judges, bare, strict=True)) if isinstance(judges, Mapping) else bare
    read = to_judges(plain)
    scales = several or [None] * len(read)
    return {
        name: replace(scale, judgments=judgments) if isinstance(scale, JudgeLabels) else JudgeLabels(judgments)
        for (name, judgments), scale in zip(read.items(), scales, strict=True)
    }


class NothingRanked(BadParameter):
    """No judge can be ranked by under any of the measures; `skipped` has the reasons."""

    def __init__(self, skipped: Sequence[Skipped]) -> None:
        super().__init__("; ".join(str(reason) for reason in skipped[:3]))
        self.skipped = tuple(skipped)


def on_topics_of(name: str, judge: Judgments, truth: Judgments) -> Judgments:
    """The judge's judgments on the truth's topics, in the truth's order where it has them all."""
    known = set(judge.topics)
    shared = [topic for topic in truth.topics if topic in known]
    if not shared:
        raise nothing_in_common("topic", (name, "the truth"), judge.topics, truth.topics)
    return judge if tuple(shared) == judge.topics else judge.for_topics(shared)


def grade_remarks(name: str, judgments: Judgments) -> list[Remark]:
    """That some grades are below zero, which count as unjudged."""
    below = judgments.grades[judgments.grades < 0.0]
    if not len(below):
        return []
    values, counts = np.unique(below, return_counts=True)
    return [
        Remark(
            kind="grades below zero",
            about=name,
            count=len(below),
            total=len(judgments),
            names=tuple(f"{value:g}" for value in values),
            counts=tuple(counts.tolist()),
        )
    ]


def judge_of(name: str, judgments: Judgments, scale: JudgeLabels, truth: Judgments | None, rng: int) -> Judge:
    """A judge with its grades mapped as asked, or as learned from the truth's labels."""
    mapped, learned = 0, None
    if isinstance(scale.map, Mapping):
        grades = judgments.grades.copy()
        for old, new in scale.map.items():
            at = judgments.grades == old
            grades[at] = new
            mapped += int(at.sum())
        if not mapped:
            there = [f"{grade:g}" for grade in np.unique(judgments.grades) if not math.isnan(grade)]
            asked = ", ".join(f"{grade:g}" for grade in scale.map)
            raise BadParameter(f"{name}: map changes {asked}, and no label has this grade; there are {some(there)}")
        judgments = judgments.with_grades(grades)
    given = judgments
    if scale.tuned:
        if truth is None:
            raise BadParameter(
                f"{name}: map='cv' and rel='cv' are learned from a truth's labels, in judge and in panels with a truth"
            )
        table = LabelTable.of([given], truth, rng)
        table.check()
        if scale.map == "cv":
            judgments = given.with_grades(np.where(given.grades < 0.0, given.grades, table.mapped()))
            mapped = int((judgments.grades != given.grades).sum())
        learned = partial(_relevant, given, table)
    rel = "cv" if scale.map == "cv" and scale.rel is None else scale.rel
    return Judge(name=name, given=given, judgments=judgments, rel=rel, map=scale.map, mapped=mapped, learned=learned)


def _relevant(given: Judgments, table: LabelTable, truth_rel: float) -> Judgments:
    return given.with_grades(table.relevant(truth_rel, table.grades[:, 0]))


def _asks_for_level(measure: Measure) -> bool:
    """Whether the measure asks which grades are relevant."""
    return any(parameter.name == "rel" for parameter in measure.record.parameters)
