"""The ceiling: what a fresh sample of topics, judged as the truth is, would give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.coefficients import Coefficient
from rankscope.inference.expected import expected_correlation
from rankscope.inference.fresh_topics import FreshAgreement, fresh_agreement
from rankscope.results import Interval
from rankscope.scores import ScoreMatrix

# Draws behind the intervals of expected correlations; their estimates need none, or are averages over many halves.
_EXPECTED_DRAWS = 1_000


@dataclass(frozen=True, kw_only=True)
class EndlessAgreement:
    """The agreement to expect between the truth's ranking and that by endless topics (Urbano & Marrero 2016)."""

    name: str
    estimator: str
    estimate: float
    interval: Interval


@dataclass(frozen=True, kw_only=True)
class Ceiling:
    """What a fresh sample of topics, judged as the truth is, would give: nothing better can be asked of a judge.

    `fresh` is the agreement of the truth's ranking with that by as many fresh topics, every coefficient; `fresh_top`
    the same for the truth's best systems. `endless` is its agreement with the ranking by endless topics, and
    `split_half` that estimated from halves of the topics.
    """

    topics: int
    fresh: tuple[FreshAgreement, ...]
    fresh_top: tuple[FreshAgreement, ...]
    endless: tuple[EndlessAgreement, ...]
    split_half: tuple[EndlessAgreement, ...]

    def __getitem__(self, name: str) -> FreshAgreement:
        return next(value for value in self.fresh if value.name == name)


def ceiling_of(
    truth: ScoreMatrix,
    chosen: Sequence[Coefficient],
    *,
    top: int,
    resamples: int,
    level: float,
    rng: int,
    jobs: int | None,
) -> tuple[Ceiling | None, str | None]:
    """The ceiling, or why there is none."""
    if not resamples:
        return None, "no resamples were asked for"
    if (truth.means == truth.means[0]).all():
        return None, "the truth scores all systems alike"
    settings: Any = {"level": level, "rng": rng, "jobs": jobs}
    fresh = fresh_agreement(truth, chosen, resamples=resamples, **settings)
    best = best_systems(truth, top)
    at_top = (
        ()
        if best is None
        else fresh_agreement(truth.select(systems=best), chosen, resamples=resamples, **settings).values
    )

    def endless(estimator: Any) -> tuple[EndlessAgreement, ...]:
        found = [
            expected_correlation(truth, name, estimator, resamples=_EXPECTED_DRAWS, **settings)
            for name in ("tau", "tau_ap")
        ]
        return tuple(
            EndlessAgreement(name=f.coefficient, estimator=f.estimator, estimate=f.estimate, interval=f.interval)
            for f in found
        )

    return Ceiling(
        topics=len(truth.topics),
        fresh=fresh.values,
        fresh_top=at_top,
        endless=endless("msqd"),
        split_half=endless("shwo") if len(truth.topics) >= 4 else (),
    ), None


def best_systems(truth: ScoreMatrix, top: int) -> list[str] | None:
    """The truth's best systems, all that tie at the cut among them; None where there are no others."""
    if len(truth.systems) <= top:
        return None
    cut = np.sort(truth.means)[-top]
    best = [system for system, mean in zip(truth.systems, truth.means, strict=True) if mean >= cut]
    return best if len(best) < len(truth.systems) else None
