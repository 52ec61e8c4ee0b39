"""The truth's best systems by both sides: their rank sets, and which of them a side cannot tell from its best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.inference import rank_sets
from rankscope.inference.rank_sets import UncertainMeans
from rankscope.scores import ScoreMatrix
from rankscope.studies.certainty import Plan
from rankscope.studies.pair_sample import too_many
from rankscope.studies.ranks import RankSet


@dataclass(frozen=True, kw_only=True)
class SideRanks:
    """The truth's best systems by one side: each one's typical rank set among all systems, in the truth's order.

    `best` is the one of them that the side scores highest, and `inseparable` those that are not significantly worse
    (simultaneous over all pairs of all systems). `separated` counts the pairs among them that differ significantly.
    """

    sets: tuple[RankSet, ...]
    best: str
    inseparable: tuple[str, ...]
    separated: int

    @property
    def may_be_best(self) -> frozenset[str]:
        """The best of them and those that cannot be separated from it."""
        return frozenset((self.best, *self.inseparable))


@dataclass(frozen=True, kw_only=True)
class TopRanks:
    """The truth's best systems, best first, with their rank sets by the truth and by the judge on the same topics."""

    systems: tuple[str, ...]
    truth: SideRanks
    judge: SideRanks
    level: float

    @property
    def pairs(self) -> int:
        """The number of pairs of these systems."""
        return len(self.systems) * (len(self.systems) - 1) // 2


@dataclass(frozen=True, eq=False)
class _Ranked:
    """All systems by one side: typical rank sets, and which are significantly better than which."""

    low: rank_sets.Ranks
    high: rank_sets.Ranks
    better: rank_sets.Flags


def top_ranks(
    sides: Sequence[tuple[ScoreMatrix, ScoreMatrix]], best: Sequence[str], plan: Plan
) -> list[TopRanks | None]:
    """The rank sets of the truth's best systems, for each judge beside its truth; one call per table of scores.

    None without draws or topics to draw from, and above the number of systems that pairs are looked at for.
    """
    made: list[tuple[ScoreMatrix, _Ranked]] = []
    tops: list[TopRanks | None] = []
    for truth, judge in sides:
        if not plan.resamples or len(truth.topics) < 2 or too_many(len(truth.systems)):
            tops.append(None)
            continue
        ranked = next((known for scores, known in made if scores == truth), None)
        if ranked is None:
            ranked = _rank(truth, plan)
            made.append((truth, ranked))
        order = sorted(best, key=lambda system: -truth.means[truth.systems.index(system)])
        tops.append(
            TopRanks(
                systems=tuple(order),
                truth=_side(truth, ranked, order),
                judge=_side(judge, _rank(judge, plan), order),
                level=plan.level,
            )
        )
    return tops


def _rank(scores: ScoreMatrix, plan: Plan) -> _Ranked:
    data = UncertainMeans.of_topics(scores, resamples=plan.resamples, rng=plan.rng, jobs=plan.jobs)
    low, high = rank_sets.typical(*rank_sets.rank_bounds(data.typical_draws(plan.level)), plan.level)
    return _Ranked(low, high, rank_sets.simultaneous(data, plan.level, plan.jobs).better)


def _side(scores: ScoreMatrix, ranked: _Ranked, systems: Sequence[str]) -> SideRanks:
    at = [scores.systems.index(system) for system in systems]
    first = at[int(np.argmax(scores.means[at]))]
    better = ranked.better[np.ix_(at, at)]
    return SideRanks(
        sets=tuple(RankSet(low=int(ranked.low[j]), high=int(ranked.high[j])) for j in at),
        best=scores.systems[first],
        inseparable=tuple(scores.systems[j] for j in at if j != first and not ranked.better[first, j]),
        separated=int(better.sum()),
    )
