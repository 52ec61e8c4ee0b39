"""A judge that was asked several times: its labels side by side, and its scores, which are the mean of its repeats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankscope.averages import exact_means
from rankscope.errors import BadParameter, nothing_in_common
from rankscope.inference.labels.tuning import LabelTable, looked_up
from rankscope.inputs import JudgesLike
from rankscope.results import Remark
from rankscope.runs import Judgments
from rankscope.scores import ScoreMatrix
from rankscope.studies.judging.scales import Judge, RepeatedJudges, ScaledJudges, to_labels


def to_repeated(judges: JudgesLike | ScaledJudges | RepeatedJudges, truth: Judgments, *, rng: int) -> dict[str, Judge]:
    """The judges by name, as `to_labels` makes them; a list of labels in a mapping is the repeats of one judge.

    >>> made = to_repeated({"llm": [{"1": {"d1": 1}}, {"1": {"d1": 2}}]}, Judgments.of({"1": {"d1": 1}}), rng=0)
    >>> len(made["llm"].repeats), made["llm"].judgments.grades.tolist()
    (2, [1.5])
    """
    if not isinstance(judges, Mapping) or not any(isinstance(given, list | tuple) for given in judges.values()):
        single: Any = judges
        return to_labels(single, truth, rng=rng)
    made: dict[str, Judge] = {}
    for key, given in judges.items():
        name, each = str(key), list(given) if isinstance(given, list | tuple) else [given]
        if not each:
            raise BadParameter(f"{name}: no labels; give its labels, or two repeats or more")
        several: Any = {name if len(each) == 1 else f"{name} {i}": own for i, own in enumerate(each, 1)}
        own = to_labels(several, truth, rng=rng)
        made[name] = next(iter(own.values())) if len(own) == 1 else _together(name, list(own.values()))
    return made


def _together(name: str, repeats: Sequence[Judge]) -> Judge:
    """A judge whose labels are the mean grades of its repeats, on the topics that all of them have."""
    topics = common_topics(name, repeats)

    def mean(sides: Sequence[Judgments]) -> Judgments:
        table = LabelTable.of([side.for_topics(topics) for side in sides], None)
        known = ~np.isnan(table.grades)
        sums, counts = np.where(known, table.grades, 0.0).sum(axis=1), known.sum(axis=1)
        means = np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0)
        return table.rows.with_grades(means, name=name).keep(counts > 0)

    first = repeats[0]
    return Judge(
        name=name,
        given=mean([own.given for own in repeats]),
        judgments=mean([own.judgments for own in repeats]),
        rel=first.rel,
        map=first.map,
        mapped=sum(own.mapped for own in repeats),
        repeats=tuple(repeats),
    )


def common_topics(name: str, repeats: Sequence[Judge]) -> list[str]:
    """The topics that all repeats have, in the order of the first."""
    sides = [set(own.judgments.topics) for own in repeats]
    shared = sides[0].intersection(*sides)
    topics = [topic for topic in repeats[0].judgments.topics if topic in shared]
    if not topics:
        first, last = repeats[0], repeats[-1]
        raise nothing_in_common("topic", (first.name, last.name), first.judgments.topics, last.judgments.topics)
    return topics


def mean_scores(name: str, repeats: Sequence[ScoreMatrix]) -> ScoreMatrix:
    """The mean of the scores of repeats, which have the same systems and topics."""
    first = repeats[0]
    if len(repeats) == 1:
        return first.renamed(name)
    values = np.array([own.values for own in repeats])
    means = exact_means(values.reshape(len(values), -1)).reshape(first.values.shape)
    return ScoreMatrix(means, first.systems, first.topics, measure=first.measure, name=name)


def on_same_rows(labels: Sequence[Judgments]) -> list[Judgments]:
    """Labels of the same topics with the same rows: NaN for a document that one lacks and another has."""
    first = labels[0]
    if all(first.same_rows(other) for other in labels[1:]):
        return list(labels)
    rows = LabelTable.of(labels, None).rows
    return [rows.with_grades(looked_up(rows, own), name=own.name) for own in labels]


def stacked(truth: Judgments, repeats: Sequence[Judgments]) -> tuple[Judgments, Judgments]:
    """The labels of all repeats as those of one judge, each beside the truth's: documents are told by the repeat."""

    def side(each: Sequence[Judgments]) -> Judgments:
        grades: dict[str, dict[str, float]] = {}
        for number, own in enumerate(each):
            for topic, document, grade in zip(own.topic_of.tolist(), own.ids.names(), own.grades.tolist(), strict=True):
                grades.setdefault(own.topics[topic], {})[f"{number} {document}"] = grade
        return Judgments.of(grades, name=each[0].name)

    return side([truth] * len(repeats)), side(repeats)


def repeat_remarks(judges: Mapping[str, Judge]) -> list[Remark]:
    """Whose scores are means of repeats."""
    return [
        Remark(kind="repeats", about=name, count=len(judge.repeats)) for name, judge in judges.items() if judge.repeats
    ]
