"""Who moves, which judge is ahead, and what a reader should know of the input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankscope.inference.contrasts import Contrast
from rankscope.measures.evaluation import Evaluation
from rankscope.results import Remark
from rankscope.runs import Judgments
from rankscope.studies.comparison_result import EstimateComparison
from rankscope.studies.judging.scales import Judge, grade_remarks

_MOVERS = 10


@dataclass(frozen=True, kw_only=True)
class Mover:
    """A system and the ranks it moves up under the judge (down: below zero)."""

    system: str
    truth_rank: float
    judge_rank: float
    places: float


@dataclass(frozen=True, kw_only=True)
class JudgePlace:
    """A judge's place among judges under one measure, by Kendall's τ with the truth.

    `beats` and `beaten_by` are the judges whose τ is significantly different (paired topic bootstrap, Holm).
    """

    place: int
    judge: str
    measure: str
    tau: float
    beats: tuple[str, ...]
    beaten_by: tuple[str, ...]


def movers(agreement: EstimateComparison) -> tuple[Mover, ...]:
    """The systems that move most."""
    moved = [
        Mover(
            system=s.system,
            truth_rank=s.truth_rank,
            judge_rank=s.estimate_rank,
            places=s.truth_rank - s.estimate_rank,
        )
        for s in agreement.systems
        if s.truth_rank != s.estimate_rank
    ]
    return tuple(sorted(moved, key=lambda m: (-abs(m.places), m.truth_rank))[:_MOVERS])


def places(
    measure: str, compared: Mapping[str, EstimateComparison], contrasts: Sequence[Contrast], alpha: float
) -> list[JudgePlace]:
    """Judges by τ, best first, with those whose τ is significantly lower or higher."""
    taus = {name: agreement.value("tau_b") for name, agreement in compared.items()}
    wins: dict[str, list[str]] = {name: [] for name in taus}
    losses: dict[str, list[str]] = {name: [] for name in taus}
    for c in contrasts:
        if c.name == "tau_b" and c.adjusted is not None and c.adjusted <= alpha:
            better, worse = (c.first, c.second) if c.difference > 0 else (c.second, c.first)
            wins[better].append(worse)
            losses[worse].append(better)
    order = sorted(taus, key=lambda name: (-taus[name] if taus[name] == taus[name] else 2.0, name))
    return [
        JudgePlace(
            place=i + 1,
            judge=name,
            measure=measure,
            tau=taus[name],
            beats=tuple(wins[name]),
            beaten_by=tuple(losses[name]),
        )
        for i, name in enumerate(order)
    ]


def remarks(reference: Evaluation, truth: Judgments, judges: Mapping[str, Judge]) -> tuple[Remark, ...]:
    """What a reader should know of the input."""
    remarks = [] if reference.coverage is None else reference.coverage.remarks()
    remarks += grade_remarks(truth.name or "the truth", truth)
    known = set(truth.topics)
    for name, judge in judges.items():
        own = set(judge.judgments.topics)
        if known - own:
            remarks.append(
                Remark(kind="topics that a judge lacks", about=name, count=len(known - own), total=len(known))
            )
        if own - known:
            other = truth.name or "the truth"
            remarks.append(Remark(kind="topics of a judge alone", about=name, count=len(own - known), other=other))
        remarks += judge.remarks()
    providers = {provider for provider in reference.providers.values() if provider != "rankscope"}
    if providers:
        remarks.append(Remark(kind="no chance level", names=tuple(sorted(providers))))
    return tuple(remarks)
