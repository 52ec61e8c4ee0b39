"""The chance level: what an estimate reaches that cannot know which system is which.

There are two null hypotheses. Where there are labels, they are dealt at random to the documents of a topic
(`judging.chance`). Where there are scores alone, each topic's scores are dealt at random to the systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rankscope.averages import check_size
from rankscope.battles import BattleScores
from rankscope.coefficients import Coefficient
from rankscope.coefficients.rows import quietly
from rankscope.inference.agreement import values_of
from rankscope.inference.rank_sets import UncertainMeans
from rankscope.inference.resampled_tests import shuffled_sums
from rankscope.inference.resampling import Seed, generators, in_threads, monte_carlo_p
from rankscope.scores import Floats, ScoreMatrix

# What is dealt at random within topics: labels to documents, or scores to systems.
Null = Literal["labels", "scores"]

DEALT_SCORES = "the scores of each topic, dealt at random to the systems"


@dataclass(frozen=True, kw_only=True)
class ChanceValue:
    """A coefficient under chance: mean, standard deviation, and what 97.5 % of draws stay below.

    None where the systems all score alike in every draw.
    """

    name: str
    mean: float | None
    deviation: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True)
class ChanceLevel:
    """What chance reaches, and how it was drawn.

    `pvalue` tests that the estimate is no better: that its labels, or its scores, are as good when they are dealt at
    random within topics. None for other ways to draw.
    """

    kind: str
    values: tuple[ChanceValue, ...]
    draws: int
    pvalue: float | None

    def __getitem__(self, name: str) -> ChanceValue:
        return next(value for value in self.values if value.name == name)


@dataclass(frozen=True, kw_only=True, eq=False)
class Chance:
    """What a verdict needs of the chance level: the p of no better, and the scores that chance is expected to give.

    Scores that are dealt to the systems are expected to be the same for all systems; there is nothing to subtract, and
    `truth` and `estimate` are None. `repeats` has the expected scores of each repeat, whose mean the estimate is.
    """

    null: Null
    pvalue: float
    truth: Floats | None = None
    estimate: Floats | None = None
    repeats: Floats | None = None


def chance_pvalue(truth: Floats, estimate: Floats, dealt: Floats) -> float:
    """The p of "no better than chance": means of the truth, of the estimate, and of the estimate dealt at random.

    The statistic is the covariance over systems of the truth's means with the estimate's.
    """
    centred = truth - truth.mean()
    observed, drawn = centred @ estimate, dealt @ centred
    return monte_carlo_p(drawn >= observed - 1e-12 * np.abs(centred).sum() * max(np.abs(estimate).max(), 1.0))


def dealt_to_systems(scores: ScoreMatrix, draws: int, rng: Seed, jobs: int | None = None) -> Floats:
    """The systems' means in each draw (row) in which every topic's scores are dealt at random to the systems.

    Battles have two models each, to which a coin deals what they won.
    """
    if isinstance(scores, BattleScores):
        covariance = scores.coin_covariance
        return UncertainMeans.of_covariance(scores.means, covariance, resamples=draws, rng=rng).deviations
    check_size(scores.values)
    sums = in_threads(lambda chunk: shuffled_sums(scores.values, *chunk), list(generators(rng, draws)), jobs)
    return np.concatenate(sums) / len(scores.topics)


def chance_level(
    kind: str, truth: Floats, means: Floats, chosen: Sequence[Coefficient], pvalue: float | None
) -> ChanceLevel:
    """The agreement of every draw's means (a row) with the truth's."""
    with quietly():
        values = values_of(chosen, truth[None], means)
    return ChanceLevel(
        kind=kind,
        values=tuple(_summary(str(by), row) for by, row in zip(chosen, values, strict=True)),
        draws=len(means),
        pvalue=pvalue,
    )


def _summary(name: str, row: Floats) -> ChanceValue:
    known = row[np.isfinite(row)]
    if not len(known):
        return ChanceValue(name=name, mean=None, deviation=None, high=None)
    return ChanceValue(
        name=name,
        mean=float(known.mean()),
        deviation=float(known.std(ddof=1)) if len(known) > 1 else None,
        high=float(np.quantile(known, 0.975)),
    )
