"""Scores under random labels: labels dealt within topics, and relevance drawn from the pool.

Their agreement is well above zero: a system that retrieves more of the pool scores higher whatever the labels say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from rankscope.errors import MissingScores
from rankscope.inference.resampling import Seed, generators, seeds_of
from rankscope.measures.registry import parse_measures
from rankscope.measures.scoring import expected_under_random_labels, rescore
from rankscope.runs import JudgedRuns, Judgments, RunSet, join
from rankscope.scores import Floats
from rankscope.simulation.pseudo import PseudoPool

# Numbers held at a time: grades of all draws, and scores of all draws, topics and systems.
_GRADES, _SCORES = 4_000_000, 16_000_000

# Called with what is being done.
Tell = Callable[[str], None]


def silent(_: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True, eq=False)
class DealtScores:
    """Scores under labels dealt at random within topics.

    `expected` are those of each topic and system, exact where the measure allows it. `means` are the systems' means in
    each draw, without rows where none were asked for.
    """

    expected: Floats
    means: Floats
    exact: bool


@dataclass(frozen=True, eq=False)
class JudgePart:
    """Labels of a judge, and the measures computed from them, each with its name on the judge's own scale.

    Repeats of a judge are parts of its name with the same rows of labels, `repeated`; they are dealt together.
    """

    judge: str
    labels: Judgments
    measures: Mapping[str, str]
    repeated: bool = False


def dealt_to_all(
    runs: RunSet,
    truth: Judgments,
    parts: Sequence[JudgePart],
    *,
    draws: int,
    rng: Seed,
    jobs: int | None,
    tell: Tell,
) -> dict[tuple[str, str], tuple[DealtScores, tuple[DealtScores, ...]]]:
    """Scores of the truth, and of each judge or its repeats, under labels dealt at random, by judge and measure."""
    every = list(dict.fromkeys(measure for part in parts for measure in part.measures))
    if not draws or not every:
        return {}
    tell("Dealing labels at random")
    truths = dealt_scores(join(runs, truth), every, draws, rng, means=False, jobs=jobs, tell=tell)
    pairs: dict[tuple[str, str], tuple[DealtScores, tuple[DealtScores, ...]]] = {}
    for part in parts:
        what = f"Dealing the labels of {part.judge} at random"
        scaled = list(dict.fromkeys(part.measures.values()))
        joined = join(runs, part.labels)
        how: dict[str, Any] = {"jobs": jobs, "tell": tell, "what": what, "holes": part.repeated}
        scores = dealt_scores(joined, scaled, draws, rng, means=True, **how)
        for own, scale in part.measures.items():
            _, repeats = pairs.get((part.judge, own), (None, ()))
            pairs[part.judge, own] = truths[own], (*repeats, scores[scale])
    return pairs


def dealt_scores(
    judged: JudgedRuns,
    measures: Sequence[str],
    draws: int,
    rng: Seed,
    *,
    means: bool,
    jobs: int | None,
    tell: Tell = silent,
    what: str = "Dealing labels at random",
    holes: bool = False,
) -> dict[str, DealtScores]:
    """Scores under random labels for every measure; draws are left out where `means` are neither wanted nor needed.

    With `holes`, missing labels are dealt as labels are: those that one repeat of a judge lacks, so that all labels of
    a document go to the same one.
    """
    holes = holes and bool(np.isnan(judged.grades).any())
    exact = {str(m): None if holes else expected_under_random_labels(judged, m) for m in parse_measures(measures)}
    drawn = [name for name, expected in exact.items() if means or expected is None]
    shape = len(judged.topics), len(judged.systems)
    totals = {name: np.zeros(shape) for name in drawn}
    rows: dict[str, list[Floats]] = {name: [] for name in drawn}
    done = 0
    for grades in _dealt_grades(judged, draws, rng, holes=holes) if drawn else ():
        tell(f"{what}: draw {done + 1} of {draws}")
        scores = rescore(judged, drawn, grades, jobs=jobs)
        for name in drawn:
            totals[name] += scores[name].sum(axis=0)
            rows[name].append(scores[name].mean(axis=1))
        done += len(grades)
    return {
        name: DealtScores(
            expected=totals[name] / draws if expected is None else expected,
            means=np.concatenate(rows[name]) if rows.get(name) else np.empty((0, shape[1])),
            exact=expected is not None,
        )
        for name, expected in exact.items()
    }


def _dealt_grades(judged: JudgedRuns, draws: int, rng: Seed, *, holes: bool = False) -> Iterator[Floats]:
    """Each topic's grades dealt anew to its judged documents, some draws at a time; what is not judged stays so.

    With `holes`, what is not judged is dealt, too.
    """
    grades = judged.grades
    most = _gradings_at_once(judged)
    known = np.ones(len(grades), dtype=bool) if holes else ~np.isnan(grades)
    topics = [first + np.flatnonzero(known[first:last]) for first, last in pairwise(judged.judgment_starts.tolist())]
    for generator, size in generators(rng, draws):
        for start in range(0, size, most):
            table = np.repeat(grades[None], min(most, size - start), axis=0)
            for rows in topics:
                table[:, rows] = generator.permuted(table[:, rows], axis=1)
            yield table


def _gradings_at_once(judged: JudgedRuns) -> int:
    """How many gradings, and the scores under them, are held at a time."""
    cells = len(judged.topics) * len(judged.systems)
    return max(1, min(_GRADES // max(len(judged.grades), 1), _SCORES // max(cells, 1)))


def pool_means(
    runs: RunSet,
    truth: Judgments,
    measures: Sequence[str],
    *,
    depth: int,
    draws: int,
    rng: int,
    jobs: int | None,
    tell: Tell,
) -> dict[str, Floats]:
    """The systems' means in each draw of relevance from the pool, by measure; empty where none can be drawn."""
    if not draws or not measures:
        return {}
    tell("Drawing relevance from the pool")
    try:
        pool = PseudoPool.of(runs, truth, depth=depth)
    except MissingScores:  # no run has a judged topic, or nothing is relevant: there is no share to draw
        return {}
    seeds, most = seeds_of(rng, draws), _gradings_at_once(pool.judged)
    rows: dict[str, list[Floats]] = {name: [] for name in measures}
    for start in range(0, draws, most):
        tell(f"Drawing relevance from the pool: draw {start + 1} of {draws}")
        scores = rescore(pool.judged, measures, pool.draw(seeds[start : start + most]), jobs=jobs)
        for name in measures:
            rows[name].append(scores[name].mean(axis=1))
    return {name: np.concatenate(parts) for name, parts in rows.items()}
