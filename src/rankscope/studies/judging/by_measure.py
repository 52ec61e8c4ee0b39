"""All judges under one measure: each side by side with the truth, compared, and what only labels can tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankscope.errors import MissingScores
from rankscope.inference.contrasts import Contrast
from rankscope.inference.labels import LabelAgreement
from rankscope.scores import Floats, ScoreMatrix
from rankscope.studies.certainty import Plan
from rankscope.studies.chance import Chance, ChanceLevel, chance_level, chance_pvalue
from rankscope.studies.comparison import Side, compare_sides
from rankscope.studies.comparison_result import EstimateComparison
from rankscope.studies.groups import GroupShift, group_warnings
from rankscope.studies.judging.answers import BestJudge, JudgeAnswer
from rankscope.studies.judging.chance import DealtScores
from rankscope.studies.judging.findings import JudgePlace, movers, places
from rankscope.studies.judging.remedy import remedy
from rankscope.studies.judging.shift import Shift, shift
from rankscope.studies.judging.top_ranks import TopRanks, top_ranks
from rankscope.studies.repeats import RepeatedJudge
from rankscope.studies.verdict import COVERED, Reason, verdict

_DEALT = "the judge's labels, dealt at random within topics"
_POOL = "relevance drawn from the pool (Soboroff et al. 2001)"


@dataclass(frozen=True, kw_only=True)
class MeasureAnswers:
    """What all judges are worth under one measure, in the judges' order."""

    answers: list[JudgeAnswer]
    places: list[JudgePlace]
    contrasts: tuple[Contrast, ...]
    best: BestJudge | None


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgeScores:
    """A judge's scores under one measure, and what its labels say.

    `dealt` are the scores of the truth and of the judge, or of its repeats, under random labels, None where none were
    dealt; `labels` the agreement of labels, and `further` the judge's scores on topics that the truth lacks, if any.
    `repeats` are the scores of a judge's repeats, whose mean are `scores`, and `varying` is how much they differ.
    """

    scores: ScoreMatrix
    dealt: tuple[DealtScores, tuple[DealtScores, ...]] | None
    labels: LabelAgreement
    further: ScoreMatrix | None
    repeats: tuple[ScoreMatrix, ...] = ()
    varying: RepeatedJudge | None = None


def answers_under(
    measure: str,
    truth: ScoreMatrix,
    judges: Sequence[JudgeScores],
    pool: Floats | None,
    *,
    groups: Mapping[str, str] | None,
    top: int,
    plan: Plan,
) -> MeasureAnswers:
    """Compare every judge with the truth under one measure.

    `pool` are the systems' means under relevance drawn from the pool, a row for each draw.
    """
    asked = [_asked(truth, judge, groups, plan) for judge in judges]
    sides = [ask.side for ask in asked]
    compared, contrasts = compare_sides(sides, plan)
    best = _best_systems(truth, top)
    tops = _tops(truth, sides, best, plan)
    ranks = top_ranks([(ask.truth, ask.scores) for ask in asked], best, plan)
    pseudo = None if pool is None else chance_level(_POOL, truth.means, pool, plan.chosen, None)
    return MeasureAnswers(
        answers=[
            _answer(measure, ask, agreement, of_best, pseudo, sets, plan)
            for ask, agreement, of_best, sets in zip(asked, compared, tops, ranks, strict=True)
        ],
        places=places(measure, {each.name: each for each in compared}, contrasts, plan.alpha),
        contrasts=contrasts,
        best=_best(measure, sides, compared, plan) if len(sides) > 1 else None,
    )


@dataclass(frozen=True, eq=False)
class _Asked:
    """A judge's side of the comparison, and what only labels can tell."""

    side: Side
    truth: ScoreMatrix
    scores: ScoreMatrix
    shift: Shift
    further: ScoreMatrix | None
    varying: RepeatedJudge | None


def _asked(truth: ScoreMatrix, judge: JudgeScores, groups: Mapping[str, str] | None, plan: Plan) -> _Asked:
    """A judge on the topics that both sides have."""
    judged = set(judge.scores.topics)
    shared = tuple(topic for topic in truth.topics if topic in judged)
    x, y = truth.select(topics=shared), judge.scores.select(topics=shared)
    shifted = shift(x, y, groups=groups, level=plan.level, resamples=plan.resamples, rng=plan.rng)
    random = chance = None
    if judge.dealt is not None:
        own, others = judge.dealt
        means = np.mean([other.means for other in others], axis=0)
        expected = np.array([_rows(other.expected, judge.scores.topics, shared) for other in others])
        p = chance_pvalue(x.means, y.means, means)
        random = Chance(
            null="labels",
            pvalue=p,
            truth=_rows(own.expected, truth.topics, shared),
            estimate=expected.mean(axis=0),
            repeats=expected if judge.repeats else None,
        )
        chance = chance_level(_DEALT, x.means, means, plan.chosen, p)
    warnings = _warnings(shifted.groups, judge.labels, plan.alpha)
    repeats = np.array([own.select(topics=shared).values for own in judge.repeats]) if judge.repeats else None
    name = judge.scores.name or "judge"
    side = Side(name, x, y, chance=random, level=chance, warnings=warnings, repeats=repeats)
    return _Asked(side, x, y, shifted, judge.further, judge.varying)


def _rows(values: Floats, topics: Sequence[str], wanted: Sequence[str]) -> Floats:
    """The rows of these topics."""
    place = {topic: i for i, topic in enumerate(topics)}
    return values[[place[topic] for topic in wanted]]


def _warnings(groups: Sequence[GroupShift], labels: LabelAgreement, alpha: float) -> tuple[Reason, ...]:
    """What stands beside the level: groups that are favoured, and judgments that are not covered."""
    warnings = group_warnings(groups, alpha)
    covered = _covered(labels)
    if covered is not None and covered < COVERED:
        warnings.append(Reason(kind="coverage", holds=False, value=covered, limit=COVERED))
    return tuple(warnings)


def _covered(labels: LabelAgreement) -> float | None:
    """The share of the truth's judgments that the judge has too."""
    pairs = labels.coverage.pairs + labels.coverage.truth_only
    return labels.coverage.pairs / pairs if pairs else None


def _best_systems(truth: ScoreMatrix, top: int) -> Sequence[str]:
    """The truth's best systems, all that tie at the cut among them."""
    if len(truth.systems) <= top:
        return truth.systems
    cut = np.sort(truth.means)[-top]
    return [system for system, mean in zip(truth.systems, truth.means, strict=True) if mean >= cut]


def _tops(
    truth: ScoreMatrix, sides: Sequence[Side], best: Sequence[str], plan: Plan
) -> Sequence[EstimateComparison] | list[None]:
    """The truth's best systems on their own; None where there are no others."""
    if len(best) == len(truth.systems):
        return [None] * len(sides)
    # Judges on the same topics share the truth, and so what is known of it.
    truths = {id(side.truth): side.truth for side in sides}
    tops = {key: scores.select(systems=best) for key, scores in truths.items()}
    chosen = [Side(side.name, tops[id(side.truth)], side.estimate.select(systems=best)) for side in sides]
    return compare_sides(chosen, replace(plan, rule=None, by_topic=(), decisiveness=False, clusters=False))[0]


def _answer(
    measure: str,
    asked: _Asked,
    agreement: EstimateComparison,
    top: EstimateComparison | None,
    pseudo: ChanceLevel | None,
    ranks: TopRanks | None,
    plan: Plan,
) -> JudgeAnswer:
    if agreement.verdict is None:
        raise MissingScores(f"{agreement.name} has no topics to judge by")
    return JudgeAnswer(
        judge=agreement.name,
        measure=measure,
        verdict=agreement.verdict,
        agreement=agreement,
        top=top,
        ranks=ranks,
        pseudo=pseudo,
        shift=asked.shift,
        movers=movers(agreement),
        topics=len(asked.truth.topics),
        correction=remedy(asked.truth, asked.scores, asked.further, agreement.verdict, plan),
        repeats=asked.varying,
    )


def _best(measure: str, sides: Sequence[Side], compared: Sequence[EstimateComparison], plan: Plan) -> BestJudge | None:
    """The judge of highest worth, and its level at a confidence that allows for the choice among all judges."""
    worths = [
        (each.verdict.worth.worth, side)
        for each, side in zip(compared, sides, strict=True)
        if each.verdict is not None and each.verdict.worth is not None
    ]
    if not worths or plan.rule is None:
        return None
    worth, side = max(worths, key=lambda pair: pair[0])
    if not (isinstance(side.truth, ScoreMatrix) and isinstance(side.estimate, ScoreMatrix)):
        return None
    confidence = 1.0 - (1.0 - plan.level) / len(sides)
    rule = replace(plan.rule, level=confidence)
    proven = verdict(side.truth, side.estimate, rule, chance=side.chance, repeats=side.repeats)
    return BestJudge(measure=measure, judge=side.name, worth=worth, level=proven.level, confidence=confidence)
