"""The verdict on an estimate: the highest claim that the data prove, with its reasons; docs/verdict.md says why.

The rule looks at nothing but numbers of the answer, and holds no text: `rankscope.report.sentences` puts it in words.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from rankscope.battles import BattleScores
from rankscope.checks import check_count, check_level
from rankscope.defaults import LEVEL
from rankscope.errors import BadParameter, ConstantMeasure, MissingScores, TooFewSystems
from rankscope.inference.worth import TIMES, Worth, measure_worth
from rankscope.scores import Floats, ScoreMatrix, Scores
from rankscope.studies.chance import Chance

# From the most favourable to the least; the level over several measures is the last that any of them has.
Level = Literal[
    "interchangeable",
    "substitute",
    "substitute with more topics",
    "clear differences only",
    "undecided",
    "not a substitute",
    "no better than random labels",
    "no better than random scores",
]
LEVELS: tuple[Level, ...] = get_args(Level)

Kind = Literal[
    "topics",
    "systems",
    "truth",
    "random labels",
    "random scores",
    "interchangeable",
    "substitute",
    "more topics",
    "clear differences",
    "not a substitute",
    "winner",
    "group",
    "coverage",
]

INTERCHANGEABLE, SUBSTITUTE, LEAST = 0.8, 0.5, 10.0
# Claims need this many topics and systems; below FEW only the numbers are given.
ENOUGH, FEW = 10, 5
# The truth must be this reliable before anything is said against an estimate.
RELIABLE = 0.5
RANDOM = 0.05
# A judge must have labelled this share of the truth's pairs to go without a warning.
COVERED = 0.95


@dataclass(frozen=True, kw_only=True)
class Rule:
    """What the claims ask for: see docs/verdict.md.

    `interchangeable` and `substitute` are the least worth of a judged topic, `times` how many times as many topics the
    judge may label, `least` how many human topics clear differences take, `topics` how many the judge will label
    (None: as many as the truth has, at least 50), and `level` that of the bounds.
    """

    interchangeable: float = INTERCHANGEABLE
    substitute: float = SUBSTITUTE
    times: float = TIMES
    least: float = LEAST
    topics: int | None = None
    level: float = LEVEL

    def __post_init__(self) -> None:
        check_level(self.level)
        if not 0.0 < self.substitute <= self.interchangeable:
            raise BadParameter(
                f"margins {self.interchangeable:g} and {self.substitute:g}: two shares above 0, the greater one first"
            )
        if not self.times >= 1.0 or not self.least > 0.0:
            raise BadParameter(f"times={self.times:g}, least={self.least:g}: 1 or more, and more than 0")
        if self.topics is not None:
            check_count("judged_topics", self.topics)


def rule_of(
    margins: tuple[float, float], times: float, least_topics: float, judged_topics: int | None, level: float
) -> Rule:
    """The rule from the options of `compare` and `judge`."""
    return Rule(
        interchangeable=margins[0],
        substitute=margins[1],
        times=times,
        least=least_topics,
        topics=judged_topics,
        level=level,
    )


@dataclass(frozen=True, kw_only=True)
class Reason:
    """One thing that was asked: whether it holds (None: it cannot be told), the number found and the one asked for.

    `name` is whom it is about, where that is a group or a system.
    """

    kind: Kind
    holds: bool | None
    value: float | None
    limit: float | None
    name: str | None = None


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The highest level that is proven, what a judged topic is worth, and the reasons.

    `worth` is by the scores as they are, `own_worth` by what they say beyond random labels (None without labels); a
    claim must hold for both. Both are None where there is too little to tell. `warnings` stand beside the level and do
    not decide it. `unit` is what a topic is: a battle, where the scores are from battles. `str(verdict)` says it in
    words.
    """

    level: Level
    truth: str
    estimate: str
    measure: str | None
    worth: Worth | None
    own_worth: Worth | None
    reasons: tuple[Reason, ...]
    warnings: tuple[Reason, ...]
    rule: Rule = field(repr=False)
    unit: str = "topic"

    def __str__(self) -> str:
        return str(importlib.import_module("rankscope.report.sentences").verdict_text(self))


def verdict(
    truth: ScoreMatrix,
    estimate: ScoreMatrix,
    rule: Rule,
    *,
    chance: Chance | None = None,
    warnings: Sequence[Reason] = (),
    paired: bool | None = None,
    repeats: Floats | None = None,
) -> Verdict:
    """Apply the rule to aligned tables: the same systems, and either the same topics or two samples of them.

    Topics are paired if they are the same, unless `paired` says. `repeats` are those whose mean the estimate is.
    """
    n, m = min(len(truth.topics), len(estimate.topics)), len(truth.systems)
    worth, lacking = _worth(truth, estimate, rule, paired, repeats)
    own = None
    with_labels = chance is not None and chance.null == "labels"
    if worth is not None and chance is not None and chance.truth is not None and chance.estimate is not None:
        beyond = None if repeats is None or chance.repeats is None else repeats - chance.repeats
        own, _ = _worth(_less(truth, chance.truth), _less(estimate, chance.estimate), rule, paired, beyond)
    # With labels a claim must hold for both; where what lies beyond random labels is unknown, no claim holds.
    both = [each for each in (worth, own) if each is not None] if not with_labels or own is not None else []
    reasons = [
        Reason(kind="topics", holds=n >= ENOUGH, value=float(n), limit=float(ENOUGH)),
        Reason(kind="systems", holds=m >= ENOUGH, value=float(m), limit=float(ENOUGH)),
    ]
    pvalue = None if chance is None else chance.pvalue
    better = None if pvalue is None else pvalue <= RANDOM
    null: Kind = "random scores" if chance is not None and not with_labels else "random labels"
    reasons.append(Reason(kind=null, holds=better, value=pvalue, limit=RANDOM))
    if lacking is not None:
        reasons.append(lacking)
    claims = _claims(both, rule)
    reasons += claims
    refuted = any(w.interval.high < rule.substitute and w.reliability >= RELIABLE for w in both)
    worst = min((w.interval.high for w in both), default=None)
    reasons.append(Reason(kind="not a substitute", holds=refuted if both else None, value=worst, limit=rule.substitute))
    level: Level = "undecided"
    enough = n >= ENOUGH and m >= ENOUGH
    proven = next((LEVELS[i] for i, claim in enumerate(claims) if claim.holds), None)
    if enough and better is False:
        level = "no better than random labels" if with_labels else "no better than random scores"
    elif enough and proven is not None and better is not False:
        level = proven
    elif refuted and min(n, m) >= FEW:
        level = "not a substitute"
    return Verdict(
        level=level,
        truth=truth.name or "truth",
        estimate=estimate.name or "estimate",
        measure=estimate.measure or truth.measure,
        worth=worth,
        own_worth=own,
        reasons=tuple(reasons),
        warnings=tuple(warnings),
        rule=rule,
        unit=unit_of(truth, estimate),
    )


def unit_of(truth: Scores, estimate: Scores) -> str:
    """What a row of both sides is: a topic, or a battle or question where both are from battles."""
    units = {side.unit if isinstance(side, BattleScores) else "topic" for side in (truth, estimate)}
    return units.pop() if len(units) == 1 else "topic"


def _claims(both: Sequence[Worth], rule: Rule) -> list[Reason]:
    """The four claims, the highest first: each a lower bound that must hold by the scores and beyond random labels."""
    once = min((w.interval.low for w in both), default=None)
    more = min((w.with_more.low for w in both), default=None)
    human = min((w.interval.low * w.topics for w in both), default=None)
    asked: tuple[tuple[Kind, float | None, float], ...] = (
        ("interchangeable", once, rule.interchangeable),
        ("substitute", once, rule.substitute),
        ("more topics", more, rule.substitute),
        ("clear differences", human, rule.least),
    )
    return [
        Reason(kind=kind, holds=None if value is None else value >= limit, value=value, limit=limit)
        for kind, value, limit in asked
    ]


def _worth(
    truth: ScoreMatrix, estimate: ScoreMatrix, rule: Rule, paired: bool | None, repeats: Floats | None
) -> tuple[Worth | None, Reason | None]:
    """What a judged topic is worth, or why that cannot be told."""
    try:
        asked: dict[str, Any] = {"topics": rule.topics, "times": rule.times, "level": rule.level}
        worth = measure_worth(truth, estimate, **asked, paired=paired, repeats=repeats)
    except (TooFewSystems, MissingScores):
        return None, None  # the numbers of systems and topics say why
    except ConstantMeasure:
        spread = float(np.ptp(truth.means)) if len(set(truth.means.tolist())) > 1 else 0.0
        return None, Reason(kind="truth", holds=False, value=spread, limit=None)
    return worth, None


def _less(scores: ScoreMatrix, expected: Floats) -> ScoreMatrix:
    """The scores beyond those of random labels."""
    values = np.asarray(scores.values - expected)
    return ScoreMatrix(values, scores.systems, scores.topics, measure=scores.measure, name=scores.name)


def lowest(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict with the lowest level, the first of them: that of several measures together."""
    return max(verdicts, key=lambda verdict: LEVELS.index(verdict.level))
