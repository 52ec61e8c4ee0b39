"""The chance level: what random labels reach.

It is well above zero: a system that retrieves more of the pool scores higher whatever the labels say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rankscope.coefficients import Coefficient
from rankscope.coefficients.rows import quietly
from rankscope.inference.agreement import values_of
from rankscope.inference.resampling import Seed, generators
from rankscope.measures.registry import parse_measures
from rankscope.measures.scoring import expected_under_random_labels, rescore
from rankscope.runs import JudgedRuns
from rankscope.scores import Floats

# Numbers held at a time: grades of all draws, and scores of all draws, topics and systems.
_GRADES, _SCORES = 4_000_000, 16_000_000


@dataclass(frozen=True, kw_only=True)
class ChanceValue:
    """A coefficient under random labels: mean, standard deviation, and what 97.5 % of draws stay below.

    None where the systems all score alike in every draw.
    """

    name: str
    mean: float | None
    deviation: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True)
class ChanceLevel:
    """What random labels reach, and how they were drawn.

    `pvalue` tests that the judge's labels are no better than the same labels dealt at random within topics; None for
    other ways to draw.
    """

    kind: str
    values: tuple[ChanceValue, ...]
    draws: int
    pvalue: float | None

    def __getitem__(self, name: str) -> ChanceValue:
        return next(value for value in self.values if value.name == name)


@dataclass(frozen=True, eq=False)
class DealtScores:
    """Scores under labels dealt at random within topics.

    `expected` are those of each topic and system, exact where the measure allows it; `means` those of systems in each
    draw, without rows where none were asked for.
    """

    expected: Floats
    means: Floats
    exact: bool


def dealt_scores(
    judged: JudgedRuns, measures: Sequence[str], draws: int, rng: Seed, *, means: bool, jobs: int | None
) -> dict[str, DealtScores]:
    """Scores under random labels for every measure; draws are left out where `means` are not wanted nor needed."""
    chosen = parse_measures(measures)
    exact = {str(m): expected_under_random_labels(judged, m) for m in chosen}
    drawn = [name for name, found in exact.items() if means or found is None]
    systems = len(judged.systems)
    totals = {name: np.zeros((len(judged.topics), systems)) for name in drawn}
    rows: dict[str, list[Floats]] = {name: [] for name in drawn}
    for grades in _dealt_grades(judged, draws, rng) if drawn else ():
        scores = rescore(judged, drawn, grades, jobs=jobs)
        for name in drawn:
            totals[name] += scores[name].sum(axis=0)
            rows[name].append(scores[name].mean(axis=1))
    found = {}
    for name, known in exact.items():
        expected = totals[name] / draws if known is None else known
        by_draw = np.concatenate(rows[name]) if rows.get(name) else np.empty((0, systems))
        found[name] = DealtScores(expected, by_draw, known is not None)
    return found


def _dealt_grades(judged: JudgedRuns, draws: int, rng: Seed) -> Iterator[Floats]:
    """Each topic's grades dealt anew to its judged documents, some draws at a time; what is not judged stays so."""
    grades = judged.grades
    cells = len(judged.topics) * len(judged.systems)
    most = max(1, min(_GRADES // max(len(grades), 1), _SCORES // max(cells, 1)))
    known = ~np.isnan(grades)
    bounds = judged.judgment_starts.tolist()
    topics = [first + np.flatnonzero(known[first:last]) for first, last in pairwise(bounds)]
    for generator, size in generators(rng, draws):
        for start in range(0, size, most):
            table = np.repeat(grades[None], min(most, size - start), axis=0)
            for rows in topics:
                table[:, rows] = generator.permuted(table[:, rows], axis=1)
            yield table


def chance_level(
    kind: str, truth: Floats, means: Floats, chosen: Sequence[Coefficient], pvalue: float | None
) -> ChanceLevel:
    """The agreement of every draw's means (a row) with the truth's."""
    with quietly():
        values = values_of(chosen, truth[None], means)
    return ChanceLevel(
        kind=kind,
        values=tuple(_summary(str(one), row) for one, row in zip(chosen, values, strict=True)),
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
