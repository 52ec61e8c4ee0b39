"""Human judgments to a depth, and a judge's labels for all other documents: the grades, and how many of each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.errors import nothing_in_common
from rankscope.runs import Ids, JudgedRuns, Judgments, join
from rankscope.scores import Floats
from rankscope.studies.judgment_reference import Reference
from rankscope.studies.pool_depth import best_ranks


@dataclass(frozen=True, kw_only=True, eq=False)
class Mix:
    """The judgments of people to several depths, and a judge's labels (or nothing) for all other documents.

    `grades` are depths × documents; `people` and `labels` count, for each depth, who graded how many of them.
    """

    depths: tuple[int, ...]
    judged: JudgedRuns
    grades: Floats
    people: tuple[int, ...]
    labels: tuple[int, ...]

    @classmethod
    def of(
        cls, reference: Reference, judge: Judgments | None, contributing: Sequence[str] | None, depths: tuple[int, ...]
    ) -> Mix:
        """The grades at each depth of the pool."""
        if judge is None:
            documents, human = reference.judgments, reference.judgments.grades
            automatic = np.full(len(documents), np.nan)
        else:
            documents, human, automatic = union(reference.judgments, judge)
        ranks = best_ranks(reference, documents, contributing)
        people = np.stack([(ranks <= depth) & ~np.isnan(human) for depth in depths])
        return cls(
            depths=depths,
            judged=reference.judged if judge is None else join(reference.runs, documents),
            grades=np.where(people, human, automatic),
            people=tuple(people.sum(axis=1).tolist()),
            labels=tuple((~people & ~np.isnan(automatic)).sum(axis=1).tolist()),
        )

    def digest(self) -> str:
        """The grades as a name: that of a judge says little about its labels."""
        digest = hashlib.sha256(repr((self.judged.topics, self.depths)).encode())
        for array in (self.grades, self.judged.ranks, self.judged.rows):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:24]


def union(truth: Judgments, judge: Judgments) -> tuple[Judgments, Floats, Floats]:
    """All documents that either side judged for the truth's topics, and the grades of both sides, NaN for none.

    >>> rows, ours, theirs = union(Judgments.of({"1": {"x": 2}}), Judgments.of({"1": {"y": 1, "x": 0}, "2": {"z": 1}}))
    >>> rows.ids.names(), ours.tolist(), theirs.tolist()
    (['x', 'y'], [2.0, nan], [0.0, 1.0])
    """
    place = {topic: t for t, topic in enumerate(judge.topics)}
    if not any(topic in place for topic in truth.topics):
        sides = truth.name or "the judgments", judge.name or "the judge"
        raise nothing_in_common("topic", sides, truth.topics, judge.topics)
    names: list[str] = []
    starts, ours, theirs = [0], [], []
    for t, topic in enumerate(truth.topics):
        own = dict(_topic(truth, t))
        other = dict(_topic(judge, place[topic])) if topic in place else {}
        both = list({**own, **other})
        names += both
        ours += [own.get(document, np.nan) for document in both]
        theirs += [other.get(document, np.nan) for document in both]
        starts.append(len(names))
    rows = Judgments(
        topics=truth.topics, starts=np.array(starts), ids=Ids.of(names), grades=np.zeros(len(names)), name=judge.name
    )
    return rows, np.array(ours, dtype=np.float64), np.array(theirs, dtype=np.float64)


def _topic(judgments: Judgments, t: int) -> Iterator[tuple[str, float]]:
    first, last = int(judgments.starts[t]), int(judgments.starts[t + 1])
    return zip(judgments.ids.names(first, last), judgments.grades[first:last].tolist(), strict=True)
