"""Who wins, who moves, which judge is ahead, and what a reader should know of the input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.inference.contrasts import Contrast
from rankscope.inference.pairs import Significance
from rankscope.measures.evaluation import Evaluation
from rankscope.runs import Judgments
from rankscope.scores import ScoreMatrix
from rankscope.studies.parts import EstimateComparison

_MOVERS = 10


@dataclass(frozen=True, kw_only=True)
class Winner:
    """The best system on each side; `told_apart` says that the truth finds the judge's winner worse than its own."""

    truth: str
    judge: str
    same: bool
    told_apart: bool | None


@dataclass(frozen=True, kw_only=True)
class Mover:
    """A system and the places it moves up under the judge (down: below zero)."""

    system: str
    truth_rank: float
    judge_rank: float
    places: float


@dataclass(frozen=True, kw_only=True)
class JudgePlace:
    """A judge's place among judges under one measure, by Kendall's τ with the truth.

    `beats` and `beaten_by` are the judges whose τ differs more than the luck of the topics (paired, Holm).
    """

    place: int
    judge: str
    measure: str
    tau: float
    beats: tuple[str, ...]
    beaten_by: tuple[str, ...]


def winner(truth: ScoreMatrix, estimate: ScoreMatrix, tested: Significance) -> Winner:
    """The winners; where several tie, one that wins on both sides if there is one, else the first by name."""
    x, y = truth.means, estimate.means
    first = {truth.systems[i] for i in np.flatnonzero(x == x.max())}
    second = {estimate.systems[i] for i in np.flatnonzero(y == y.max())}
    both = sorted(first & second)
    if both:
        return Winner(truth=both[0], judge=both[0], same=True, told_apart=False)
    a, b = min(first), min(second)
    apart = bool(tested.significant[tested.systems.index(a), tested.systems.index(b)])
    return Winner(truth=a, judge=b, same=False, told_apart=apart)


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
    """Judges by τ, best first, with those that they beat by more than the luck of the topics."""
    taus = {name: found.value("tau_b") for name, found in compared.items()}
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


def remarks(
    reference: Evaluation, scored: Mapping[str, Evaluation], truth: Judgments, judges: Mapping[str, Judgments]
) -> tuple[str, ...]:
    """What a reader should know of the input."""
    found = [] if reference.coverage is None else reference.coverage.remarks()
    for name, one in judges.items():
        lacking = sum(topic not in set(one.topics) for topic in truth.topics)
        extra = sum(topic not in set(truth.topics) for topic in one.topics)
        if lacking:
            found.append(f"{name} lacks {lacking} of the truth's {len(truth.topics)} topics and ranks by the others")
        if extra:
            found.append(f"{name} judged {extra} topics that the truth has not; left out")
        provider = {p for p in scored[name].providers.values() if p != "rankscope"}
        if provider:
            found.append(f"some measures were computed by {', '.join(sorted(provider))}, without a floor")
    return tuple(dict.fromkeys(found))
