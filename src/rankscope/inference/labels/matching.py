"""Which rows of two sets of judgments are about the same topic and document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from rankscope.errors import BadParameter, MismatchedNames, NotFinite, some
from rankscope.runs import Judgments, Positions
from rankscope.scores import Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class Pairs:
    """What both sides judged: pair i is of topic `topics[topic[i]]` and has the grades `truth[i]` and `judge[i]`.

    `topics` are those with such a pair, in the truth's order, as are `truth_only` and `judge_only`, the numbers of
    documents of a topic that one side judged; `rows` are the places of the pairs in the truth. Where labels are words,
    grades are their places in `words`. `by_item` is True where neither side has topics, so that every item is one of
    its own.
    """

    topics: tuple[str, ...]
    topic: Positions
    truth: Floats
    judge: Floats
    truth_only: Positions
    judge_only: Positions
    rows: Positions
    words: tuple[str, ...] | None = None
    by_item: bool = False


def comparable(truth: Judgments, judge: Judgments) -> tuple[Judgments, Judgments]:
    """Both sides with the same words at the same places, and with topics where one of them has some.

    Raises `MismatchedNames` where one side has words and the other numbers, or no word is shared.
    """
    if truth.words is not None or judge.words is not None:
        truth, judge = _same_words(truth, judge)
    own = truth.without_topics, judge.without_topics
    if own == (True, False):
        return with_topics(truth, judge, "the truth", "the judge"), judge
    return truth, with_topics(judge, truth, "the judge", "the truth") if own == (False, True) else judge


def _same_words(truth: Judgments, judge: Judgments) -> tuple[Judgments, Judgments]:
    if truth.words is None or judge.words is None:
        shown = [some(list(side.words or map("{:g}".format, np.unique(side.grades))), 3) for side in (truth, judge)]
        raise MismatchedNames(
            f"one side has words and the other numbers: the truth's labels are {shown[0]}, the judge's {shown[1]}; map "
            "the words to grades (grades={'yes': 1, 'no': 0}; FILE:map=yes>1,no>0)"
        )
    if not set(truth.words) & set(judge.words):
        raise MismatchedNames(
            f"the sides share no label: the truth's are {some(truth.words, 3)}, the judge's {some(judge.words, 3)}; "
            "map one to the other (grades={'yes': 1, 'no': 0}; FILE:map=yes>1,no>0)"
        )
    words = (*truth.words, *(word for word in judge.words if word not in truth.words))
    return replace(truth, words=words), with_words(judge, words)


def with_words(judgments: Judgments, words: Sequence[str]) -> Judgments:
    """The same labels, as places among other words, which include theirs."""
    place = {word: float(i) for i, word in enumerate(words)}
    codes = np.array([*(place[word] for word in judgments.words or ()), np.nan])
    coded = codes[np.nan_to_num(judgments.grades, nan=len(codes) - 1).astype(np.int64)]
    return replace(judgments, grades=coded, words=tuple(words))


def with_topics(bare: Judgments, other: Judgments, role: str, other_role: str) -> Judgments:
    """Labels of items without topics, under the topics that the items have on the other side."""
    topic_of: dict[str, str] = {}
    own = set(bare.topics)
    for topic, item in zip(other.topic_of.tolist(), other.ids.names(), strict=True):
        known = topic_of.setdefault(item, other.topics[topic])
        if known != other.topics[topic] and item in own:
            raise MismatchedNames(
                f"{role} has no topics, and {other_role} has {item!r} under topics {known!r} and "
                f"{other.topics[topic]!r}, so that labels cannot be matched; give topics on both sides"
            )
    by_topic: dict[str, dict[str, float]] = {}
    for item, grade in zip(bare.ids.names(), bare.grades.tolist(), strict=True):
        by_topic.setdefault(topic_of.get(item, item), {})[item] = grade
    return replace(Judgments.of(by_topic, name=bare.name), words=bare.words)


def match(truth: Judgments, judge: Judgments) -> Pairs:
    """The pairs that both sides judged; NaN is not a grade. Raises `MismatchedNames` if there are none.

    Names are looked up topic by topic, so that memory holds those of one topic at a time.
    """
    truth, judge = comparable(truth, judge)
    for role, side in (("truth", truth), ("judge", judge)):
        if np.isinf(side.grades).any():
            raise NotFinite(f"the {role} has infinite grades; give numbers, or NaN for a pair not judged")
    place = {name: t for t, name in enumerate(judge.topics)}
    topics: list[str] = []
    left, right, alone, places = [], [], [], []
    for t, name in enumerate(truth.topics):
        known = rows_of(truth, t, "truth")
        asked = rows_of(judge, place.pop(name), "judge") if name in place else {}
        shared = [(row, asked[document]) for document, row in known.items() if document in asked]
        if shared:
            topics.append(name)
            rows = np.array(shared, dtype=np.int64)
            places.append(rows[:, 0])
            left.append(truth.grades[rows[:, 0]])
            right.append(judge.grades[rows[:, 1]])
            alone.append((len(known) - len(shared), len(asked) - len(shared)))
    for t in place.values():
        rows_of(judge, t, "judge")  # a document judged twice is an error, also on a topic that the truth lacks
    if not topics:
        raise MismatchedNames(_nothing_shared(truth, judge))
    return Pairs(
        topics=tuple(topics),
        topic=np.repeat(np.arange(len(topics)), [len(grades) for grades in left]),
        truth=np.concatenate(left),
        judge=np.concatenate(right),
        truth_only=np.array([count for count, _ in alone], dtype=np.int64),
        judge_only=np.array([count for _, count in alone], dtype=np.int64),
        rows=np.concatenate(places),
        words=truth.words,
        by_item=truth.without_topics and judge.without_topics,
    )


def judged_topics(judgments: Judgments) -> dict[str, int]:
    """The number of graded documents of each topic; topics without any are left out."""
    has_grade = np.concatenate([[0], np.cumsum(~np.isnan(judgments.grades))])
    counts = np.diff(has_grade[judgments.starts])
    return {topic: int(count) for topic, count in zip(judgments.topics, counts, strict=True) if count}


def rows_of(judgments: Judgments, t: int, role: str) -> dict[bytes, int]:
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
    if truth.without_topics and judge.without_topics:
        return (
            f"the truth and the judge have no item in common: the truth's are {some(list(known), 3)}, the judge's "
            f"{some(list(asked), 3)}; give labels of the same items"
        )
    if not shared:
        return (
            f"the truth and the judge have no topic in common: the truth's are {some(list(known), 3)}, the judge's "
            f"{some(list(asked), 3)}; give judgments of the same topics"
        )
    first, second = (
        next(iter(rows_of(side, side.topics.index(shared[0]), role))).decode("utf-8", "replace")
        for role, side in (("truth", truth), ("judge", judge))
    )
    return (
        f"the truth and the judge share {len(shared)} topics but judged no document in common: for topic {shared[0]!r} "
        f"the truth has {first!r}, the judge {second!r}; give judgments of the same documents"
    )
