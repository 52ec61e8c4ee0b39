"""Which rows of two sets of judgments are about the same topic and document."""

from __future__ import annotations

from dataclasses import dataclass

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
    """The pairs that both sides judged; NaN is not a grade. Raises `MismatchedNames` if there are none."""
    sides = {"truth": truth, "judge": judge}
    rows = {role: _rows_by_topic(side, role) for role, side in sides.items()}
    topics: list[str] = []
    topic, left, right, alone = [], [], [], []
    for name, known in rows["truth"].items():
        asked = rows["judge"].get(name, {})
        shared = [(row, asked[document]) for document, row in known.items() if document in asked]
        if not shared:
            continue
        topic += [len(topics)] * len(shared)
        topics.append(name)
        left += [row for row, _ in shared]
        right += [row for _, row in shared]
        alone.append((len(known) - len(shared), len(asked) - len(shared)))
    if not topics:
        raise MismatchedNames(_nothing_shared(rows["truth"], rows["judge"]))
    return Pairs(
        topics=tuple(topics),
        topic=np.array(topic, dtype=np.int64),
        truth=truth.grades[left],
        judge=judge.grades[right],
        truth_only=np.array([count for count, _ in alone], dtype=np.int64),
        judge_only=np.array([count for _, count in alone], dtype=np.int64),
    )


def judged_topics(judgments: Judgments) -> dict[str, int]:
    """The number of graded documents of each topic; topics without any are left out."""
    has_grade = np.concatenate([[0], np.cumsum(~np.isnan(judgments.grades))])
    counts = np.diff(has_grade[judgments.starts])
    return {topic: int(count) for topic, count in zip(judgments.topics, counts, strict=True) if count}


def _rows_by_topic(judgments: Judgments, role: str) -> dict[str, dict[bytes, int]]:
    """Topic → document → row, for the rows with a grade."""
    if np.isinf(judgments.grades).any():
        raise NotFinite(f"the {role} has infinite grades; give numbers, or NaN for a pair not judged")
    text, starts = judgments.ids.text.tobytes(), judgments.ids.starts.tolist()
    has_grade = (~np.isnan(judgments.grades)).tolist()
    by_topic: dict[str, dict[bytes, int]] = {}
    for topic, first, last in zip(judgments.topics, judgments.starts[:-1], judgments.starts[1:], strict=True):
        rows = [row for row in range(first, last) if has_grade[row]]
        by_name = {text[starts[row] : starts[row + 1]]: row for row in rows}
        if len(by_name) < len(rows):
            twice = next(row for row in rows if by_name[text[starts[row] : starts[row + 1]]] != row)
            raise BadParameter(
                f"the {role} judges document {judgments.ids[twice]!r} of topic {topic!r} twice; keep one of the rows"
            )
        if rows:
            by_topic[topic] = by_name
    return by_topic


def _nothing_shared(truth: dict[str, dict[bytes, int]], judge: dict[str, dict[bytes, int]]) -> str:
    for role, side in (("truth", truth), ("judge", judge)):
        if not side:
            return f"the {role} has no judgments, so there are no labels to compare"
    shared = [topic for topic in truth if topic in judge]
    if not shared:
        return (
            f"the truth and the judge have no topic in common: the truth's are {some(list(truth), 3)}, the judge's "
            f"{some(list(judge), 3)}; give judgments of the same topics"
        )
    known, asked = (next(iter(side[shared[0]])).decode("utf-8", "replace") for side in (truth, judge))
    return (
        f"the truth and the judge share {len(shared)} topics but judged no document in common: for topic {shared[0]!r} "
        f"the truth has {known!r}, the judge {asked!r}; give judgments of the same documents"
    )
