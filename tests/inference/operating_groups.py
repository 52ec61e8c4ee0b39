"""How often are groups reported that a judge does not favour, and that it does?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from operating_collections import Collection, collection
from operating_rule import error, paragraph, percent, table

from rankscope.scores import ScoreMatrix
from rankscope.studies.judging.shift import shift


@dataclass(frozen=True)
class Grouping:
    """How systems are grouped and what the judge does to them, in standard deviations of true values.

    Groups are four, of random systems, or of near-copies of four systems on which the judge errs alike by topic;
    `family` is added to one of them, `own` is the deviation of errors on single systems.
    """

    name: str
    family: float = 0.0
    own: float = 0.0
    copies: bool = False


NULLS = (
    Grouping("random groups, errors by topic only"),
    Grouping("random groups, own errors .25 sd", own=0.25),
    Grouping("random groups, own errors .5 sd", own=0.5),
    Grouping("near-copies as groups", copies=True),
)
SHIFTED = (
    Grouping("a family favoured by .25 sd", family=0.25),
    Grouping("a family favoured by .5 sd", family=0.5),
    Grouping("a family favoured by .25 sd, own errors .25 sd", family=0.25, own=0.25),
    Grouping("a family favoured by .5 sd, own errors .25 sd", family=0.5, own=0.25),
)
_GROUPS = 4


def group_tests(
    people: Collection, grouping: Grouping, *, systems: int, topics: int, runs: int, seed: int = 0
) -> tuple[float, float, float]:
    """The share of runs that report a group: by both tests, by topics alone, by systems alone.

    Any of the groups where the judge favours none, else the one that it favours.
    """
    random = np.random.default_rng([seed, systems, topics])
    deviation, noise = math.sqrt(people.between), math.sqrt(0.25 * people.within)
    member = np.arange(systems) % _GROUPS
    groups = {f"system {i}": f"group {g}" for i, g in enumerate(member)}
    result = np.zeros(3)
    for run in range(runs):
        rows = random.integers(0, len(people.scores), topics)
        columns = random.permutation(people.scores.shape[1])[: _GROUPS if grouping.copies else systems]
        x = people.scores[np.ix_(rows, columns)]
        if grouping.copies:
            x = x[:, member] + 0.1 * noise * random.standard_normal((topics, systems))
            errors = noise * random.standard_normal((topics, _GROUPS))[:, member]
            errors = errors + 0.1 * noise * random.standard_normal((topics, systems))
        else:
            errors = noise * random.standard_normal((topics, systems))
        bias = grouping.own * random.standard_normal(systems) + grouping.family * (member == 0)
        names = tuple(groups)
        truth, judge = ScoreMatrix(x, names), ScoreMatrix(x + errors + deviation * bias, names)
        tested = shift(truth, judge, groups=groups, level=0.95, resamples=0, rng=run).groups
        chosen = [g for g in tested if not grouping.family or g.group == "group 0"]
        for i, ps in enumerate(zip(*((g.pvalue, g.topic_pvalue, g.system_pvalue) for g in chosen), strict=True)):
            result[i] += min(ps) <= 0.05
    both, by_topics, by_systems = result / runs
    return float(both), float(by_topics), float(by_systems)


def group_tables(
    runs: int, *, systems: Sequence[int] = (20, 40, 60), topics: Sequence[int] = (25, 50)
) -> Iterator[str]:
    """How often a group of systems is reported as favoured."""
    people = collection("robust2004 AP")
    sizes = [(m, n) for m in systems for n in topics]
    rows = []
    for grouping in NULLS + SHIFTED:
        result = [group_tests(people, grouping, systems=m, topics=n, runs=runs, seed=80) for m, n in sizes]
        rows.append((grouping.name, *("/".join(map(percent, one)) for one in result)))
    yield "### Groups of systems"
    yield ""
    yield from paragraph(
        "Four groups of systems of robust2004 (AP) under a judge with errors by topic (a = 1.25): the percentage of "
        f"runs that report a group by both tests / by the t-test over topics alone / by permuting systems alone; "
        f"{runs:,} runs (±{error(runs):.1f} points at 5 %). The first four rows are false reports, of any group; the "
        "others are correct reports of the favoured one."
    )
    yield from table(("groups", *(f"{m} systems, {n} topics" for m, n in sizes)), rows)
