"""Runs re-sorted by a judge's labels: their scores by truth and judge, and what becomes of the ranking.

A run's score depends on that run alone, so whoever uses the judge, the scores are columns of two tables: those of the
runs as they are, and those of the runs re-sorted. Measures see the ranks of judged documents only, so a run is
re-sorted by giving these documents other ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.averages import exact_means, mean_ranks
from rankscope.coefficients import coefficient
from rankscope.coefficients.rows import quietly
from rankscope.inference.agreement import values_of
from rankscope.inference.worth import FEWEST_JUDGED, LEAST_SYSTEMS, LEAST_TOPICS
from rankscope.inference.worth_model import moments_of, noise_and_bias
from rankscope.measures import score
from rankscope.runs import JudgedRuns, RunSet
from rankscope.runs.joined import join
from rankscope.runs.judgments import Judgments
from rankscope.scores import Floats

Masks = npt.NDArray[np.bool_]
Places = npt.NDArray[np.int32]


class Scored(NamedTuple):
    """Scores by truth and by judge, topics × systems, and their means."""

    truth: Floats
    judge: Floats
    truth_means: Floats
    judge_means: Floats

    @classmethod
    def of(cls, truth: Floats, judge: Floats) -> Scored:
        """The tables with their means."""
        return cls(truth, judge, exact_means(truth), exact_means(judge))


@dataclass(frozen=True, kw_only=True, eq=False)
class Setup:
    """What all blocks of one judge share: the judged documents by both sides, which have the same topics and systems.

    `measures` has each measure's name for the truth and, with its own level of relevance, for the judge; `grades` those
    that the judge scores by, which differ from the labels that runs are sorted by where a level is learned. `users` has
    a row of truth values for every set of systems that use the judge.
    """

    truth: JudgedRuns
    judge: JudgedRuns
    measures: tuple[tuple[str, str], ...]
    grades: tuple[Floats, ...]
    coefficients: tuple[str, ...]
    users: Masks
    depth: int

    @cached_property
    def labels(self) -> Floats:
        """What a system sees of each document in its top: the judge's grade, NaN without a label, −1 past the end."""
        judge = self.judge
        width = int(min(self.depth, judge.retrieved.max(initial=0)))
        seen = np.full((len(judge.retrieved), width), np.nan)
        seen[np.arange(width) >= judge.retrieved[:, None]] = -1.0
        cells = np.repeat(np.arange(len(judge.retrieved)), np.diff(judge.starts))
        top = judge.ranks <= width
        seen[cells[top], judge.ranks[top] - 1] = np.maximum(judge.grades[judge.rows[top]], 0.0)
        return seen

    def scored(self, places: Places | None = None) -> list[Scored]:
        """Scores by measure: of the runs as they are, or with the documents of their tops at these places."""
        truth, judge = self.truth, self.judge
        if places is not None:
            truth, judge = truth.reordered(places), judge.reordered(places)
        by_truth = score(truth, [t for t, _ in self.measures])
        by_judge = [score(judge.with_grades(g), j)[j] for (_, j), g in zip(self.measures, self.grades, strict=True)]
        return [Scored.of(by_truth[t].values, y.values) for (t, _), y in zip(self.measures, by_judge, strict=True)]

    @property
    def statistics(self) -> int:
        """The number of statistics of an outcome."""
        return len(self.coefficients) + 3

    def outcomes(self, before: Scored, after: Scored, users: Masks) -> Floats:
        """For every row of users the coefficients, the judge's worth, and the truth's rank and lost score of its best.

        Whoever uses the judge has the columns of `after`, the others those of `before`.
        """
        truths = np.where(users, after.truth_means, before.truth_means)
        judges = np.where(users, after.judge_means, before.judge_means)
        out = np.empty((len(users), self.statistics))
        with quietly():
            out[:, :-3] = values_of([coefficient(name) for name in self.coefficients], truths, judges).T
        for row, own, truth, judge in zip(out, users, truths, judges, strict=True):
            best = judge == judge.max()
            tables = np.where(own, after.truth, before.truth), np.where(own, after.judge, before.judge)
            row[-3:] = worth_of(*tables), mean_ranks(truth)[best].mean(), truth.max() - truth[best].mean()
        return out


def worth_of(truth: Floats, judge: Floats) -> float:
    """The worth of a judged topic, as `rs.worth` has it, for as many topics as there are, at least 50.

    NaN with too little data, or where the truth scores all systems alike.
    """
    topics, systems = truth.shape
    if topics < LEAST_TOPICS or systems < LEAST_SYSTEMS:
        return np.nan
    moments = moments_of(truth, judge, paired=True)[0]
    if not moments.sxx > 0.0 or not moments.exx > 0.0:
        return np.nan
    if not moments.syy > 0.0:
        return 0.0
    noise, bias = noise_and_bias(moments)
    variance = float(noise) + max(float(bias), 0.0) * max(topics, FEWEST_JUDGED)
    return 1.0 / variance if variance > 0.0 else np.inf


@dataclass(frozen=True, kw_only=True, eq=False)
class CircularityBlock:
    """Some repeats of one judge with some noise.

    Each gives by measure: the means of all re-sorted runs by truth and by judge; for every set of users the mean gain
    by truth and by judge on each topic, and the outcome; and the mean outcome of systems that use the judge alone.
    """

    name: str
    setup: Setup
    noise: float
    numbers: range
    seed: int

    @property
    def shape(self) -> tuple[int, ...]:
        """Repeats × measures × numbers."""
        setup = self.setup
        systems, topics = len(setup.truth.systems), len(setup.truth.topics)
        sets = len(setup.users)
        width = 2 * systems + sets * 2 * topics + (sets + 1) * setup.statistics
        return (len(self.numbers), len(setup.measures), width)

    def run(self) -> Floats:
        """The numbers."""
        before = self.setup.scored()
        return np.stack([self._repeat(number, before) for number in self.numbers])

    def _repeat(self, number: int, before: Sequence[Scored]) -> Floats:
        setup = self.setup
        # The seed depends on the noise and the repeat's number, not on what else is studied.
        key = (round(self.noise * 1_000_000), number)
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))
        after = setup.scored(places_by(noisy(setup.labels, setup.judge, self.noise, rng)))
        return np.stack([self._numbers(b, a) for b, a in zip(before, after, strict=True)])

    def _numbers(self, before: Scored, after: Scored) -> Floats:
        setup = self.setup
        parts = [after.truth_means, after.judge_means]
        for users in setup.users:
            parts += [(a - b)[:, users].mean(axis=1) for b, a in zip(before[:2], after[:2], strict=True)]
        alone = setup.outcomes(before, after, np.eye(len(setup.truth.systems), dtype=bool))
        parts += [setup.outcomes(before, after, setup.users).ravel(), alone.mean(axis=0)]
        return np.concatenate(parts)


def noisy(labels: Floats, judge: JudgedRuns, noise: float, rng: np.random.Generator) -> Floats:
    """The labels with a share of them replaced by random ones of the judge's for the topic, for every run anew."""
    if not noise:
        return labels
    replaced = (labels >= 0.0) & (rng.random(labels.shape) < noise)
    counts = np.diff(judge.judgment_starts)
    topic = np.repeat(np.arange(len(counts)), len(judge.systems))
    drawn = (
        np.floor(rng.random(labels.shape) * counts[topic, None]).astype(np.int64) + judge.judgment_starts[topic, None]
    )
    other = np.maximum(judge.grades[np.minimum(drawn, len(judge.grades) - 1)], 0.0)
    return np.where(replaced, other, labels)


def places_by(labels: Floats) -> Places:
    """The rank that each document of a top gets, sorted by label; ties keep their order, no label counts as grade 0."""
    order = np.argsort(-np.nan_to_num(labels), axis=1, kind="stable")
    places = np.empty(labels.shape, dtype=np.int32)
    np.put_along_axis(places, order, np.arange(1, labels.shape[1] + 1, dtype=np.int32)[None], axis=1)
    return places


def ranking_of(judge: Judgments, draws: int, rng: np.random.Generator) -> RunSet:
    """The judge's own ranking of all that it labelled, best first, `draws` times with ties in random order."""
    topic = judge.topic_of
    orders = [np.lexsort((rng.random(len(judge)), -judge.grades, topic)) for _ in range(draws)]
    documents = [
        order[first:last] for first, last in zip(judge.starts, judge.starts[1:], strict=False) for order in orders
    ]
    return RunSet(
        systems=tuple(map(str, range(draws))),
        topics=judge.topics,
        documents=np.concatenate([np.zeros(0, dtype=np.int32), *documents]).astype(np.int32),
        starts=np.concatenate([[0], np.cumsum([len(part) for part in documents])]),
        pool_starts=judge.starts,
        ids=judge.ids,
    )


def score_of(run: RunSet, judgments: Judgments, measure: str) -> float:
    """The mean score over topics and systems of these runs."""
    return float(score(join(run, judgments), measure)[measure].values.mean())
