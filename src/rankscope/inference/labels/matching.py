"""Which rows of two sets of judgments are about the same topic and document."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rankscope.errors import BadParameter, MismatchedNames, NotFinite, some
from rankscope.runs import Judgments, Positions
from rankscope.scores import Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class Pairs:
    """What both sides judged: pair i is of topic `topics[topic[i]]` and has the grades `truth[i]` and `judge[i]`.

    `topics` are those with such a pair, in the truth's order, as are `truth_only` and `judge_only`, the numbers of
    documents of a topic that one side judged.
    """

    topics: tuple[str, ...]
    topic: Positions
    truth: Floats
    judge: Floats
    truth_only: Positions
    judge_only: Positions


def match(truth: Judgments, judge: Judgments) -> Pairs:
    """The pairs that both sides judged; NaN is not a grade. Raises `MismatchedNames` if there are none.

    Names are looked up topic by topic, so that memory holds those of one topic at a time.
    """
    for role, side in (("truth", truth), ("judge", judge)):
        if np.isinf(side.grades).any():
            raise NotFinite(f"the {role} has infinite grades; give numbers, or NaN for a pair not judged")
    place = {name: t for t, name in enumerate(judge.topics)}
    topics: list[str] = []
    left, right, alone = [], [], []
    for t, name in enumerate(truth.topics):
        known = _rows(truth, t, "truth")
        asked = _rows(judge, place.pop(name), "judge") if name in place else {}
        shared = [(row, asked[document]) for document, row in known.items() if document in asked]
        if shared:
            topics.append(name)
            rows = np.array(shared, dtype=np.int64)
            left.append(truth.grades[rows[:, 0]])
            right.append(judge.grades[rows[:, 1]])
            alone.append((len(known) - len(shared), len(asked) - len(shared)))
    for t in place.values():
        _rows(judge, t, "judge")  # a document judged twice is an error, also on a topic that the truth lacks
    if not topics:
        raise MismatchedNames(_nothing_shared(truth, judge))
    return Pairs(
        topics=tuple(topics),
        topic=np.repeat(np.arange(len(topics)), [len(grades) for grades in left]),
        truth=np.concatenate(left),
        judge=np.concatenate(right),
        truth_only=np.array([count for count, _ in alone], dtype=np.int64),
        judge_only=np.array([count for _, count in alone], dtype=np.int64),
    )


def judged_topics(judgments: Judgments) -> dict[str, int]:
    """The number of graded documents of each topic; topics without any are left out."""
    has_grade = np.concatenate([[0], np.cumsum(~np.isnan(judgments.grades))])
    counts = np.diff(has_grade[judgments.starts])
    return {topic: int(count) for topic, count in zip(judgments.topics, counts, strict=True) if count}


def _rows(judgments: Judgments, t: int, role: str) -> dict[bytes, int]:
    """Document → row, for the rows of topic t with a grade."""
    first, last = int(judgments.starts[t]), int(judgments.starts[t + 1])
    bounds = judgments.ids.starts[first : last + 1]
    text = judgments.ids.text[bounds[0] : bounds[-1]].tobytes()
    names = [text[a:b] for a, b in pairwise((bounds - bounds[0]).tolist())]
    known = np.flatnonzero(~np.isnan(judgments.grades[first:last])).tolist()
    rows = {names[i]: first + i for i in known}
    if len(rows) < len(known):
        twice = judgments.ids[first + next(i for i in known if rows[names[i]] != first + i)]
        topic = judgments.topics[t]
        raise BadParameter(f"the {role} judges document {twice!r} of topic {topic!r} twice; keep one of the rows")
    return rows


def _nothing_shared(truth: Judgments, judge: Judgments) -> str:
    known, asked = judged_topics(truth), judged_topics(judge)
    for role, topics in (("truth", known), ("judge", asked)):
        if not topics:
            return f"the {role} has no judgments, so there are no labels to compare"
    shared = [topic for topic in known if topic in asked]
    if not shared:
        return (
            f"the truth and the judge have no topic in common: the truth's are {some(list(known), 3)}, the judge's "
            f"{some(list(asked), 3)}; give judgments of the same topics"
        )
    first, second = (
        next(iter(_rows(side, side.topics.index(shared[0]), role))).decode("utf-8", "replace")
        for role, side in (("truth", truth), ("judge", judge))
    )
    return (
        f"the truth and the judge share {len(shared)} topics but judged no document in common: for topic {shared[0]!r} "
        f"the truth has {first!r}, the judge {second!r}; give judgments of the same documents"
    )
