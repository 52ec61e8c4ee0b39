"""The rankings by all judgments, against which a study of changed judgments compares every variant.

The runs are joined with the judgments once. A variant is a row of grades, NaN for a document that counts as not judged.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.averages import exact_means
from rankscope.checks import check_jobs, check_resamples, check_seed
from rankscope.coefficients import Coefficient, coefficient, default_coefficients
from rankscope.coefficients.rows import quietly
from rankscope.errors import BadParameter, MissingScores, TooFewSystems
from rankscope.files.checkpoints import Checkpoint
from rankscope.inference.agreement import bootstrap, values_of
from rankscope.inference.rank_distance_baseline import Baseline, prepare
from rankscope.inference.rank_distance_null import RankDistanceNull, rank_distance_null
from rankscope.inputs import JudgmentsLike, RunsLike, to_judgments, to_runs
from rankscope.measures import parse_measures, rescore, score
from rankscope.measures.scoring import Measures
from rankscope.runs import JudgedRuns, Judgments, RunSet, join
from rankscope.runs.runset import NEVER
from rankscope.scores import Floats, ScoreMatrix

DISTANCE = "d_rank"


@dataclass(frozen=True, kw_only=True, eq=False)
class ReferenceRanking:
    """The scores by all judgments under one measure.

    A rank distance needs means over two topics or more (`baseline` is None for others), and its test needs resamples
    (`null` is None without).
    """

    scores: ScoreMatrix
    baseline: Baseline | None
    null: RankDistanceNull | None

    @classmethod
    def of(cls, scores: ScoreMatrix, *, resamples: int, rng: int, jobs: int | None) -> ReferenceRanking:
        """The ranking by these scores, with the null distribution of the rank distance."""
        baseline = prepare(scores) if len(scores.topics) > 1 and scores.averaged else None
        null = rank_distance_null(scores, resamples=resamples, rng=rng, jobs=jobs) if baseline and resamples else None
        return cls(scores=scores, baseline=baseline, null=null)

    def agreements(self, means: Floats, coefficients: Sequence[Coefficient]) -> Floats:
        """Every coefficient, then the rank distance (NaN without one), for each row of mean scores."""
        values = np.full((len(means), len(coefficients) + 1), np.nan)
        with quietly():
            values[:, :-1] = values_of(coefficients, self.scores.means[None], means).T
        if self.baseline is not None:
            orders = self.baseline.orders(means[:, self.baseline.positions])
            values[:, -1] = self.baseline.distances(orders, self.baseline.paper_ridge)
        return values

    def pvalues(self, distances: Floats) -> Floats:
        """The p-value of each rank distance, NaN without a test."""
        if self.null is None:
            return np.full(len(distances), np.nan)
        return np.array([np.nan if np.isnan(d) else self.null.pvalue(float(d)) for d in distances])


@dataclass(frozen=True, kw_only=True, eq=False)
class Rankings:
    """The ranking under each measure, from scores of the same systems on the same topics, and the coefficients."""

    coefficients: tuple[Coefficient, ...]
    rankings: dict[str, ReferenceRanking]

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures' names."""
        return tuple(self.rankings)

    @property
    def statistics(self) -> tuple[str, ...]:
        """The coefficients' names, then that of the rank distance."""
        return (*map(str, self.coefficients), DISTANCE)

    def description(self) -> dict[str, Any]:
        """The fields that every result of a study has about its input."""
        first = next(iter(self.rankings.values())).scores
        return {
            "judgments": None,
            "systems": len(first.systems),
            "topics": len(first.topics),
            "measures": self.measures,
            "coefficients": self.statistics[:-1],
        }

    def checkpoint(
        self, folder: str | os.PathLike[str] | None, study: str, settings: Mapping[str, Any]
    ) -> Checkpoint | None:
        """The folder that keeps the blocks of this study; `settings` are those that decide a block's numbers."""
        if folder is None:
            return None
        names = {"measures": list(self.measures), "statistics": list(self.statistics)}
        return Checkpoint.of_study(folder, study, {**settings, **names, "input": self._digest()})

    def _digest(self) -> str:
        """The SHA-256 of everything that decides the numbers of a study, but its settings."""
        digest = hashlib.sha256(json.dumps([self.measures, self.statistics], ensure_ascii=True).encode())
        for ranking in self.rankings.values():
            scores = ranking.scores
            digest.update(json.dumps([scores.systems, scores.topics, scores.aggregate], ensure_ascii=True).encode())
            digest.update(np.ascontiguousarray(scores.values, dtype="<f8").tobytes())
        return digest.hexdigest()


@dataclass(frozen=True, kw_only=True, eq=False)
class Reference(Rankings):
    """Runs, all judgments, and the ranking that they give under each measure."""

    runs: RunSet
    judgments: Judgments
    judged: JudgedRuns

    def rescore(self, grades: Floats, judged: JudgedRuns | None = None) -> dict[str, Floats]:
        """Scores by each row of grades: by measure, rows × topics × systems."""
        return rescore(self.judged if judged is None else judged, self.measures, grades, jobs=1)

    def agreements(self, grades: Floats, judged: JudgedRuns | None = None) -> Floats:
        """The agreement of each row of grades: rows × measures × statistics."""
        scores = self.rescore(grades, judged)
        by_measure = [r.agreements(variant_means(scores[m]), self.coefficients) for m, r in self.rankings.items()]
        return np.stack(by_measure, axis=1)

    def agreements_with_intervals(
        self, scores: Mapping[str, Floats], *, resamples: int, level: float, rng: int
    ) -> Floats:
        """Agreement of one variant's scores by topic: measures × statistics × (value, low, high)."""
        values = np.full((len(self.measures), len(self.statistics), 3), np.nan)
        for rows, (measure, ranking) in zip(values, self.rankings.items(), strict=True):
            rows[:, 0] = ranking.agreements(exact_means(scores[measure])[None], self.coefficients)[0]
            if resamples and len(ranking.scores.topics) > 1:
                estimate = ScoreMatrix(scores[measure], ranking.scores.systems, ranking.scores.topics)
                drawn = bootstrap(
                    ranking.scores, estimate, self.coefficients, resamples=resamples, level=level, rng=rng, jobs=1
                )
                for row, value in zip(rows, drawn.values, strict=False):
                    if value.interval is not None:
                        row[1:] = value.interval.low, value.interval.high
        return values

    def contributing(self, names: Sequence[str] | None) -> list[str] | None:
        """The systems from which a pool is made, checked; None for all."""
        if names is None:
            return None
        if isinstance(names, str) or not names:
            raise BadParameter(f"contributing={names!r}: a list of one or more systems, or None for all")
        self.runs.select(systems=list(names))  # raises for unknown names
        return list(names)

    def description(self) -> dict[str, Any]:
        """The fields that every result of a study has about its input."""
        return {**super().description(), "judgments": len(self.judgments)}

    def _digest(self) -> str:
        judged = self.judged
        head = [judged.systems, judged.topics, self.measures, self.statistics]
        digest = hashlib.sha256(json.dumps(head, ensure_ascii=True).encode())
        for array in (judged.starts, judged.ranks, judged.rows, judged.retrieved, judged.judgment_starts):
            digest.update(np.ascontiguousarray(array).tobytes())
        digest.update(judged.grades.tobytes())
        return digest.hexdigest()


def make_reference(
    runs: RunsLike,
    judgments: JudgmentsLike,
    measures: Measures,
    coefficients: Sequence[str | Coefficient] | None,
    *,
    resamples: int,
    rng: int,
    jobs: int | None,
) -> Reference:
    """Score the runs with all judgments, and draw the null distribution of the rank distance for each measure."""
    seed, resamples = check_seed(rng), check_resamples(resamples)
    check_jobs(jobs)
    chosen = check_coefficients(coefficients)
    names = parse_measures(measures)
    run_set, rows = to_runs(runs, jobs=jobs), to_judgments(judgments)
    check_systems(len(run_set.systems))
    judged = join(run_set, rows)
    if not len(judged.ranks):
        raise MissingScores("no run retrieved a judged document; are these judgments of the same topics and documents?")
    rankings = {
        name: ReferenceRanking.of(scores, resamples=resamples, rng=seed, jobs=jobs)
        for name, scores in score(judged, names).items()
    }
    return Reference(runs=run_set, judgments=rows, judged=judged, coefficients=chosen, rankings=rankings)


def check_systems(number: int) -> None:
    """Raise `TooFewSystems` for fewer than two."""
    if number < 2:
        raise TooFewSystems(f"there is {number} system; a ranking needs two or more")


def variant_means(values: Floats) -> Floats:
    """Mean scores, (variants, topics, systems) → (variants, systems); equal sums give equal means."""
    return np.stack([exact_means(by_topic) for by_topic in values])


def check_coefficients(names: Sequence[str | Coefficient] | None) -> tuple[Coefficient, ...]:
    """The coefficients of these names, each once; None for all but those that are another name of the same."""
    if names is None:
        return tuple(known for known in default_coefficients() if known.record.same_as is None)
    if isinstance(names, str) or not names:
        raise BadParameter(f"coefficients={names!r}: a list of one or more names, or None for all")
    return tuple({str(chosen): chosen for chosen in map(coefficient, names)}.values())


def check_depths(depths: Iterable[int]) -> tuple[int, ...]:
    """Depths in ascending order, each once."""
    ordered = tuple(sorted({int(depth) for depth in depths}))
    if not ordered or ordered[0] < 1 or ordered[-1] >= NEVER:
        raise BadParameter(f"depths={ordered}: one or more, each a rank from 1 to {NEVER - 1:,}")
    return ordered


def check_fractions(fractions: Iterable[float], name: str = "fractions") -> tuple[float, ...]:
    """Fractions in ascending order, each once."""
    ordered = tuple(sorted({float(fraction) for fraction in fractions}))
    if not ordered or not all(0.0 <= fraction <= 1.0 for fraction in ordered):
        raise BadParameter(f"{name}={ordered}: one or more, each from 0 to 1")
    return ordered
