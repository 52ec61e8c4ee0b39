"""Plans by document: which documents of all topics people label, with which inclusion probabilities."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from rankscope.errors import BadParameter
from rankscope.inference.designs import DocumentDesign, DocumentPool, draw_documents, drawn_otherwise
from rankscope.inference.document_planning import FEWEST, DocumentOutlook
from rankscope.inference.document_scores import DocumentScores
from rankscope.measures import Measure
from rankscope.results import Remark
from rankscope.runs import JudgedRuns, Judgments
from rankscope.scores import ScoreMatrix
from rankscope.studies.document_correction import LEAST_DOCUMENTS
from rankscope.studies.plan_result import (
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


def plan_documents(
    pool: DocumentPool,
    design: DocumentDesign,
    people: Judgments | None,
    scores: ScoreMatrix,
    judged: JudgedRuns,
    measure: Measure,
    *,
    budget: int | str | None,
    target: str | None,
    level: float,
    rng: int,
) -> LabelPlan:
    """The plan of a design for the pool's documents, given people's labels so far; `judged` are the joined runs."""
    goal = find_goal(budget, target)
    if goal is not None and goal[0].name == "worth":
        raise BadParameter("target worth: the worth of a judged topic shows on whole topics; plan by topic for it")
    total, m, given = len(pool), len(scores.systems), labels_of(people)
    top = top_of(goal, m)
    keys = keys_of(pool.judgments)
    grades = np.array([given.get(key, math.nan) for key in keys])
    n = int((~np.isnan(grades)).sum())
    of = DocumentScores.of(judged, measure)
    human = np.where(np.isnan(grades), math.nan, of.gains(np.where(np.isnan(grades), judged.grades, grades)))
    outlook = DocumentOutlook(
        pool, design, of.gains(judged.grades), human, form=of.form, level=level, top=top, seed=rng
    )

    def expected(size: int) -> ExpectedRanking:
        return expect(outlook, size)

    needed = min(LEAST_DOCUMENTS, total)

    chosen = find_size(
        goal, counted_budget(budget, total), expected, labelled=n, needed=needed, total=total, what="documents"
    )
    sample = draw_documents(design, pool, float(chosen), seed=rng, labelled=people)
    documents = [
        PlannedDocument(topic=topic, document=name, grade=None if math.isnan(grade) else grade, probability=chance)
        for (topic, name), grade, chance in zip(
            keys_of(sample.judgments), sample.judgments.grades.tolist(), sample.probabilities.tolist(), strict=True
        )
    ]
    counts = Counter(row.topic for row in documents)
    known = {row.topic for row in documents if row.grade is None}
    topics = [
        PlannedTopic(topic=topic, place=place, labelled=topic not in known, documents=counts[topic])
        for place, topic in enumerate(pool.judgments.topics, 1)
        if counts[topic]
    ]
    name = None if people is None else people.name or "human"
    alone = len(given) - n
    remarks = [Remark(kind="items of one side", about=name, other=scores.name, count=alone)] if alone else []
    if drawn_otherwise(design, pool, float(chosen), seed=rng, labelled=people):
        remarks.append(Remark(kind="labels drawn otherwise", about=name, count=n))
    least = max(n, -(-total // 100), needed)
    return LabelPlan(
        by="document",
        design=design.name,
        budget=chosen,
        labelled=n,
        total=total,
        target=target,
        topics=tuple(topics),
        documents=tuple(documents),
        expected=tuple(map(expected, sorted({*budgets(least, max(chosen, least), total), chosen}))),
        assumed=n < FEWEST,
        judge=scores.name or "judge",
        human=name,
        measure=scores.measure,
        systems=m,
        top=top,
        remarks=tuple(remarks),
        settings={
            **{"budget": budget, "target": target, "design": design.name, "level": level, "seed": rng},
            "measure": str(measure),
        },
    )


def keys_of(judgments: Judgments) -> list[tuple[str, str]]:
    """Topic and name of each document."""
    topics = (judgments.topics[t] for t in judgments.topic_of.tolist())
    return list(zip(topics, judgments.ids.names(), strict=True))


def labels_of(labelled: Judgments | None) -> dict[tuple[str, str], float]:
    """The human grade of each labelled document by topic and name."""
    if labelled is None:
        return {}
    labels = zip(keys_of(labelled), labelled.grades.tolist(), strict=True)
    return {key: grade for key, grade in labels if not math.isnan(grade)}
