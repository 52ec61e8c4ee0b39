"""The floor: the agreement that labels which know nothing reach with the truth's ranking.

It is well above zero: a system that retrieves more of the pool scores higher whatever the labels say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.coefficients import Coefficient
from rankscope.coefficients.rows import quietly
from rankscope.inference.agreement import values_of
from rankscope.inference.resampling import Seed, generators
from rankscope.measures.scoring import rescore
from rankscope.runs import JudgedRuns
from rankscope.scores import Floats


@dataclass(frozen=True, kw_only=True)
class FloorValue:
    """A coefficient under labels that know nothing: mean, standard deviation, and what 97.5 % of draws stay below.

    None where the systems all score alike in every draw.
    """

    name: str
    mean: float | None
    deviation: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True)
class Floor:
    """What labels that know nothing reach, and how they were drawn."""

    kind: str
    values: tuple[FloorValue, ...]
    draws: int

    def __getitem__(self, name: str) -> FloorValue:
        return next(value for value in self.values if value.name == name)


def shuffled_grades(grades: Floats, draws: int, rng: Seed) -> Floats:
    """The grades dealt anew to the judged pairs, over all topics; what is not judged (NaN) stays so."""
    table = np.repeat(grades[None], draws, axis=0)
    judged = np.flatnonzero(~np.isnan(grades))
    at = 0
    for generator, size in generators(rng, draws):
        table[at : at + size, judged] = generator.permuted(table[at : at + size, judged], axis=1)
        at += size
    return table


def floors(
    kind: str,
    judged: JudgedRuns,
    grades: Floats,
    measures: Sequence[str],
    truths: Sequence[Floats],
    chosen: Sequence[Coefficient],
    *,
    jobs: int | None,
) -> list[Floor]:
    """One floor per measure: the agreement of every grading (a row of `grades`) with the truth's means."""
    scores = rescore(judged, measures, grades, jobs=jobs)
    found = []
    for measure, truth in zip(measures, truths, strict=True):
        means = scores[measure].mean(axis=1)
        with quietly():
            values = values_of(chosen, truth[None], means)
        found.append(
            Floor(
                kind=kind,
                values=tuple(_summary(str(one), row) for one, row in zip(chosen, values, strict=True)),
                draws=len(grades),
            )
        )
    return found


def _summary(name: str, row: Floats) -> FloorValue:
    known = row[np.isfinite(row)]
    if not len(known):
        return FloorValue(name=name, mean=None, deviation=None, high=None)
    return FloorValue(
        name=name,
        mean=float(known.mean()),
        deviation=float(known.std(ddof=1)) if len(known) > 1 else None,
        high=float(np.quantile(known, 0.975)),
    )
