"""`plan`: which topics, or which documents with which probabilities, people should label next."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

import numpy as np

from rankscope.alignment import align
from rankscope.checks import check_choice, check_level, check_seed
from rankscope.defaults import LEVEL, MEASURES, SEED
from rankscope.errors import BadParameter, ConstantMeasure, MissingScores, TooFewSystems
from rankscope.files.samples import is_to_label, read_to_label
from rankscope.inference.designs import (
    DOCUMENT_DESIGNS,
    DocumentDesignName,
    DocumentPool,
    topic_order,
)
from rankscope.inference.planning import TopicOutlook
from rankscope.inference.resampling import check_averaged, check_plain_mean
from rankscope.inference.worth import Worth, measure_worth
from rankscope.inputs import JudgmentsLike, RunsLike, ScoresLike, to_judgments, to_matrix, to_runs
from rankscope.measures import Measure, evaluate, parse_measure
from rankscope.results import Interval, Remark
from rankscope.runs import Judgments, JudgmentSample, join
from rankscope.scores import OnMissing, ScoreMatrix
from rankscope.studies.correction import LEAST_FURTHER, LEAST_SYSTEMS, LEAST_TOPICS
from rankscope.studies.plan_documents import keys_of, labels_of, plan_documents
from rankscope.studies.plan_result import (
    By,
    ExpectedRanking,
    LabelPlan,
    PlannedDocument,
    PlannedTopic,
    budgets,
    counted_budget,
    expect,
    find_goal,
    find_size,
    top_of,
)

# Below this number of human topics, `judge` decides nothing.
_LEAST_FOR_WORTH = 5
_WHY = "a plan needs to know how scores vary over topics"


# ---- by topic --------------------------------------------------------------------------------------------------------


def plan_topics(
    judge: ScoresLike,
    human: ScoresLike | None = None,
    *,
    budget: int | str | None = None,
    target: str | None = None,
    on_missing: OnMissing = "error",
    level: float = LEVEL,
    rng: int = SEED,
) -> LabelPlan:
    """Which topics people should label next, from a judge's scores and human scores so far.

    `plan` does the same from runs and labels, and writes the file to label.

    Parameters
    ----------
    judge : ScoresLike
        The judge's scores by topic: all topics that people may label.
    human : ScoresLike, optional
        Human scores of the same systems on some of these topics, at least three. Without them it is assumed how the
        judge follows people, and expectations are wide.
    budget : int or str, optional
        The number of topics that people label in all, those so far included; "10%" is a share of the judge's.
    target : str, optional
        What to reach in place of a budget: "top=5", "width=3", "widest=4", "separated=0.8" or "worth=0.8".
    on_missing : str, default "error"
        What to do about missing scores, and systems that only one side has; the policies of `read_scores`. Topics of
        people alone are left out, and said.
    level : float, default 0.95
        The level of rank sets and separated pairs.
    rng : int, default 0
        The seed. The same seed gives the same order, so that a larger budget keeps what was labelled.

    Returns
    -------
    LabelPlan
        The topics, and what to expect of `correct` then.

    Raises
    ------
    BadParameter
        If there is not one of budget and target, an option is out of its range, or no budget reaches the target.
    MissingScores
        If a side has no topics or lacks scores, people have fewer than three topics, or topics that the judge lacks.
    TooFewSystems
        If there are fewer than four systems.
    ConstantMeasure
        If the judge scores all systems alike on every topic.
    MismatchedNames
        If the sides have different systems.

    Examples
    --------
    >>> from rankscope.demo import demo_scores
    >>> tables = demo_scores()
    >>> first = plan_topics(tables["careful"], budget=10)
    >>> labelled = tables["human"].select(topics=[row.topic for row in first.topics])
    >>> more = plan_topics(tables["careful"], labelled, budget=20)
    >>> more.labelled, {row.topic for row in first.topics} < {row.topic for row in more.topics}
    (10, True)
    """
    check_level(level)
    check_seed(rng)
    goal = find_goal(budget, target)
    judged, people, alone = _sides(
        to_matrix(judge, _WHY), None if human is None else to_matrix(human, _WHY), on_missing
    )
    n, total, m = 0 if people is None else len(people.topics), len(judged.topics), len(judged.systems)
    top = top_of(goal, m)
    known = set() if people is None else set(people.topics)
    same = judged.select(topics=[t for t in judged.topics if t in known])
    further = judged.select(topics=[t for t in judged.topics if t not in known])
    of_people = judged.values[:0] if people is None else people.select(topics=same.topics).values
    outlook = TopicOutlook(of_people, same.values, further.values, level=level, top=top, seed=rng)
    worth = None
    if people is not None and n >= _LEAST_FOR_WORTH:
        worth = _worth(people.select(topics=same.topics), same, level)
    if goal is not None and goal[0].name == "worth" and worth is None:
        raise MissingScores(
            f"{n} topics have human labels, and what a judged topic is worth shows from {_LEAST_FOR_WORTH} on: label "
            f"some first (budget={2 * _LEAST_FOR_WORTH}), then plan again"
        )

    def expected(size: int) -> ExpectedRanking:
        return replace(expect(outlook, size), worth=None if worth is None else _worth_with(worth, size, level))

    least = max(n, LEAST_TOPICS)
    chosen = find_size(
        goal, counted_budget(budget, total), expected, labelled=n, needed=LEAST_TOPICS, total=total, what="topics"
    )
    ranked = [judged.topics[place] for place in topic_order(judged.topics, rng)]
    fresh = [topic for topic in ranked if topic not in known][: chosen - n]
    planned = [
        PlannedTopic(topic=topic, place=place, labelled=topic in known, documents=0)
        for place, topic in enumerate(ranked, 1)
        if topic in known or topic in set(fresh)
    ]
    remarks = list(judged.left_out if people is None else (*judged.left_out, *people.left_out))
    if alone:
        remarks.append(_left_out(people, alone))
    return LabelPlan(
        by="topic",
        design="random",
        budget=chosen,
        labelled=n,
        total=total,
        target=target,
        topics=tuple(planned),
        documents=(),
        expected=tuple(map(expected, budgets(least, chosen, total))),
        assumed=people is None,
        judge=judged.name or "judge",
        human=None if people is None else people.name or "human",
        measure=judged.measure,
        systems=m,
        top=top,
        remarks=tuple(dict.fromkeys(remarks)),
        settings={"budget": budget, "target": target, "level": level, "seed": rng},
    )


def _worth(human: ScoreMatrix, judge: ScoreMatrix, level: float) -> Worth | None:
    try:
        return measure_worth(human, judge, level=level, splits=0)
    except ConstantMeasure:
        return None


def _worth_with(now: Worth, topics: int, level: float) -> Interval:
    """The interval of worth with more human topics, whose part of the error shrinks with their number."""
    if now.worth <= 0.0:
        return now.interval
    v = 1.0 / now.worth
    half = math.hypot(now.topic_error * math.sqrt(now.truth_topics / topics), now.system_error)
    return Interval(
        low=1.0 / (v + half),
        high=1.0 / (v * math.exp(-min(half / v, 10.0))),
        level=level,
        method="leave one topic and one system out, t, topics scaled",
    )


def _sides(
    judge: ScoreMatrix, human: ScoreMatrix | None, on_missing: OnMissing = "error"
) -> tuple[ScoreMatrix, ScoreMatrix | None, list[str]]:
    """The judge's scores, the human ones of the same systems and topics, and the topics of people alone."""
    judge = judge.fill(on_missing)
    named = judge.name or "the judge"
    check_plain_mean(judge, f"{named}: a plan")
    check_averaged(judge, "a plan")
    _ = judge.means  # raises and names what is missing
    if len(judge.systems) < LEAST_SYSTEMS:
        raise TooFewSystems(f"a plan needs at least {LEAST_SYSTEMS} systems, there are {len(judge.systems)}")
    if len(judge.topics) < LEAST_TOPICS + LEAST_FURTHER:
        raise MissingScores(
            f"{named} has {len(judge.topics)} topics; to correct a part by the rest, it needs at least "
            f"{LEAST_TOPICS + LEAST_FURTHER}"
        )
    if not np.ptp(judge.values, axis=1).any():
        raise ConstantMeasure(f"{named} scores all systems alike on every topic, so that nothing can be planned")
    if human is None:
        return judge, None, []
    people, aligned = align(human, judge, on_missing=on_missing, topics="independent")
    if not (isinstance(aligned, ScoreMatrix) and isinstance(people, ScoreMatrix)):  # align keeps what it is given
        raise MissingScores(f"{named}: {_WHY}")
    check_averaged(people, "a plan")
    judged = set(aligned.topics)
    shared = [topic for topic in people.topics if topic in judged]
    alone = [topic for topic in people.topics if topic not in judged]
    if len(shared) < LEAST_TOPICS:
        raise MissingScores(
            f"people scored {len(shared)} of the topics of {named}; a plan needs at least {LEAST_TOPICS} of them, or "
            "no human scores at all"
        )
    return aligned, people.select(topics=shared), alone


def _left_out(people: ScoreMatrix | None, alone: Sequence[str]) -> Remark:
    about = None if people is None else people.name
    total = len(alone) + (0 if people is None else len(people.topics))
    return Remark(
        kind="topics left out", about=about, count=len(alone), total=total, names=tuple(alone), how="one side only"
    )


# ---- from runs -------------------------------------------------------------------------------------------------------


def plan(
    runs: RunsLike,
    judge: JudgmentsLike,
    truth: JudgmentsLike | JudgmentSample | None = None,
    *,
    by: By = "topic",
    budget: int | str | None = None,
    target: str | None = None,
    design: DocumentDesignName | None = None,
    measure: str | Measure = MEASURES[0],
    level: float = LEVEL,
    rng: int = SEED,
) -> LabelPlan:
    """What people should label next, given runs, a judge's labels and human ones so far.

    People label some topics, or a random sample of the documents, and `correct` combines their labels with the judge's.
    `save` with a path that ends in .qrels writes the file to label.

    Parameters
    ----------
    runs : RunsLike
        The rankings.
    judge : JudgmentsLike
        The judge's labels: all topics and documents that people may label.
    truth : JudgmentsLike or JudgmentSample, optional
        The human labels so far: judgments, or a sample with inclusion probabilities (a fifth field of qrels). Without
        them it is assumed how the judge follows people, and expectations are rough.
    by : {"topic", "document"}, default "topic"
        Whether people label whole topics, or a sample of the documents of all topics.
    budget : int or str, optional
        The number of topics or documents that people label in all, those so far included; "10%" is a share of the
        judge's. Documents are drawn independently, so that their number varies around it.
    target : str, optional
        What to reach in place of a budget: "top=5", "width=3", "widest=4", "separated=0.8" or "worth=0.8", the last by
        topic only.
    design : str, optional
        How documents are drawn: "influence" (the default), "close", "stratified", "shallow" or "random"
        (docs/planning.md). Topics are always random.
    measure : str or Measure, default "nDCG@10"
        The measure that ranks the systems.
    level : float, default 0.95
        The level of rank sets and separated pairs.
    rng : int, default 0
        The seed. With the same seed, a larger budget keeps what was labelled.

    Returns
    -------
    LabelPlan
        What to label, and what to expect of `correct` then.

    Raises
    ------
    BadParameter
        If there is not one of budget and target, an option is out of its range, no budget reaches the target, or
        documents are planned for a measure that is not made of the gains of single documents.
    MissingScores
        If human labels cover fewer than three of the judge's topics.
    TooFewSystems
        If there are fewer than four systems.
    ConstantMeasure
        If the judge scores all systems alike on every topic.
    MismatchedNames
        If runs and labels share no topic.

    Examples
    --------
    >>> import rankscope as rs
    >>> track = rs.simulate_track(8, 12, depth=20, rng=1)
    >>> first = plan(track.runs, track.judges["careful"], budget=5)
    >>> labelled = track.truth.for_topics([row.topic for row in first.topics])
    >>> more = plan(track.runs, track.judges["careful"], labelled, budget=8)
    >>> more.labelled, sum(not row.labelled for row in more.topics)
    (5, 3)
    >>> more.to_label()
    <Judgments: 703 of 8 topics>
    """
    check_level(level)
    check_seed(rng)
    check_choice("by", by, get_args(By))
    names = [known.name for known in DOCUMENT_DESIGNS]
    check_choice("design", design or names[0], names)
    if by == "topic" and design not in (None, "random"):
        raise BadParameter(f"design={design!r} draws documents (by='document'); topics are always random")
    ranked, labels, chosen = to_runs(runs), to_judgments(judge), parse_measure(measure)
    so_far, people = _labelled(truth, by)

    def scored(own: Judgments, name: str) -> ScoreMatrix:
        return evaluate(ranked, own, [chosen]).scores[str(chosen)].renamed(own.name or name)

    asked: dict[str, Any] = {"budget": budget, "target": target, "level": level, "rng": rng}
    scores = scored(labels, "judge")
    if by == "document":
        judged = join(ranked, labels)
        pool = DocumentPool.of(labels, judged, chosen, _sides(scores, None)[0].values)
        record = next(known for known in DOCUMENT_DESIGNS if known.name == (design or names[0]))
        return plan_documents(pool, record, so_far, scores, judged, chosen, **asked)
    of_people = None if people is None else scored(people, "human")
    made = plan_topics(scores, of_people, **asked)
    given = labels.for_topics([row.topic for row in made.topics])
    grades = labels_of(so_far)
    documents = tuple(
        PlannedDocument(topic=topic, document=name, grade=grades.get((topic, name)), probability=None)
        for topic, name in keys_of(given)
    )
    counts = dict(zip(given.topics, np.diff(given.starts).tolist(), strict=True))
    topics = tuple(replace(row, documents=counts[row.topic]) for row in made.topics)
    remarks = (*made.remarks, *_in_part(so_far, people))
    settings = {**made.settings, "measure": str(chosen)}
    return replace(made, topics=topics, documents=documents, remarks=remarks, settings=settings)


def _in_part(so_far: Judgments | None, whole: Judgments | None) -> list[Remark]:
    """The topics that people have labelled in part."""
    if so_far is None:
        return []
    done = () if whole is None else whole.topics
    begun = [t for t, n in zip(so_far.topics, np.diff(so_far.starts).tolist(), strict=True) if n and t not in done]
    remark = Remark(kind="topics labelled in part", about=so_far.name, count=len(begun), names=tuple(begun))
    return [remark] if begun else []


def _labelled(truth: JudgmentsLike | JudgmentSample | None, by: By) -> tuple[Judgments | None, Judgments | None]:
    """The human labels so far, and those of whole topics; None where there are none.

    A topic that is labelled in part would be scored as if the rest were not relevant, and counts as not labelled.
    """
    if truth is None:
        return None, None
    if isinstance(truth, str | os.PathLike) and is_to_label(truth):
        truth = read_to_label(truth)
    if not isinstance(truth, JudgmentSample):
        whole = to_judgments(truth)
        return whole, whole
    if by == "topic" and (truth.probabilities < 1.0).any():
        raise BadParameter(
            "the human labels are a sample of documents, which does not score whole topics; plan by document"
        )
    so_far, judgments = truth.judgments.keep(truth.labelled), truth.judgments
    open_ = {judgments.topics[t] for t in judgments.topic_of[~truth.labelled].tolist()}
    done = [topic for topic in judgments.topics if topic not in open_]
    return so_far, so_far.for_topics(done) if done else None
