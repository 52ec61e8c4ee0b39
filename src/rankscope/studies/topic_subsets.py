"""How many topics does it take? Subsets of the topics against all of them, and against as many others."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rankscope.coefficients import Coefficient
from rankscope.coefficients.rows import quietly
from rankscope.errors import BadParameter, MissingScores
from rankscope.inference.agreement import RESAMPLES, values_of
from rankscope.inference.resampling import TopicMeans
from rankscope.measures.scoring import Measures
from rankscope.results import Result, Table
from rankscope.scores import Floats
from rankscope.studies.blocks import Progress, run_blocks
from rankscope.studies.repeats import SPREAD, UNTESTED, RankTest, Spread, rank_tests, rows_table, spread
from rankscope.studies.variants import (
    ALPHA,
    DISTANCE,
    MEASURES,
    Ground,
    Yardstick,
    check_share,
    checked_count,
    opened,
    settle,
)

Against = Literal["all", "others"]

REPEATS = 200
_MOST_SIZES = 10
_BLOCK = 100
# Means this close beside the largest are equal.
_SAME = 1e-12


@dataclass(frozen=True, kw_only=True)
class SubsetAgreement(Spread, RankTest):
    """Agreement of the ranking by `topics` topics, over random subsets, with that by all or by as many others.

    `coefficient` is also `d_rank`, against all topics only, which alone has `pvalue` (mean) and `rejected` (share of
    subsets with p ≤ alpha).
    """

    against: Against
    topics: int
    measure: str
    coefficient: str


@dataclass(frozen=True, kw_only=True, eq=False)
class TopicsStudy(Result):
    """Rankings by subsets of the topics."""

    agreements: tuple[SubsetAgreement, ...]
    sizes: tuple[int, ...]
    topics: int
    systems: int
    measures: tuple[str, ...]
    coefficients: tuple[str, ...]
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per measure, side, number of topics and coefficient."""
        columns = ("against", "topics", "measure", "coefficient", *SPREAD, "pvalue", "rejected")
        return rows_table(self.agreements, columns)


def study_topics(
    runs: Any,
    judgments: Any,
    measures: Measures = MEASURES,
    *,
    sizes: Sequence[int] | None = None,
    repeats: int = REPEATS,
    coefficients: Sequence[str | Coefficient] | None = None,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    rng: int = 0,
    jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> TopicsStudy:
    """Rank the systems by k of the n topics, drawn without replacement, and compare with all n, and with k others.

    A subset is part of all topics, so that agreement with all comes to 1 as k comes to n, whatever the topics; that of
    two disjoint subsets, up to k = n/2, does not. For what n topics themselves are worth see `rs.reliability`. `sizes`
    are by default ten steps or fewer, in fives or more. p is that of the rank distance test, from `resamples` draws of
    topics (0: no test).

    >>> from rankscope.runs import Judgments, RunSet
    >>> topics = [str(t) for t in range(6)]
    >>> runs = RunSet.of({"a": {t: ["x", "y"] for t in topics}, "b": {t: ["y", "x"] for t in topics}})
    >>> truth = Judgments.of({t: {"x": 1, "y": 0} for t in topics})
    >>> study = study_topics(runs, truth, "AP", sizes=[2, 4], repeats=5, coefficients=["tau_b"], resamples=0)
    >>> [(one.against, one.topics, one.mean) for one in study.agreements if one.coefficient == "tau_b"]
    [('all', 2, 1.0), ('all', 4, 1.0), ('others', 2, 1.0)]
    """
    checked_count("repeats", repeats)
    check_share("alpha", alpha)
    ground = settle(runs, judgments, measures, coefficients, resamples=resamples, rng=rng, jobs=jobs)
    n = len(ground.judgments.topics)
    if n < 2:
        raise MissingScores(f"there is {n} judged topic; subsets need two at least")
    wanted = default_sizes(n) if sizes is None else _checked_sizes(sizes, n)
    settings = {"sizes": list(wanted), "repeats": repeats, "alpha": alpha, "resamples": resamples, "seed": int(rng)}
    kept = opened(checkpoint, "topics", ground, {"seed": int(rng)})
    places: list[tuple[Against, int]] = [
        *(("all", size) for size in wanted),
        *(("others", size) for size in wanted if 2 * size <= n),
    ]
    blocks = [
        SubsetBlock(
            ground=ground, against=against, size=size, first=first, last=min(first + _BLOCK, repeats), seed=int(rng)
        )
        for against, size in places
        for first in range(0, repeats, _BLOCK)
    ]
    found = np.concatenate(run_blocks(blocks, jobs=jobs, checkpoint=kept, progress=progress))
    values = found.reshape(len(places), repeats, len(ground.measures), -1)
    return TopicsStudy(
        agreements=tuple(_agreements(ground, places, values, alpha)),
        sizes=wanted,
        topics=n,
        systems=len(ground.runs.systems),
        measures=ground.measures,
        coefficients=ground.statistics[:-1],
        settings=settings,
    )


def default_sizes(topics: int) -> tuple[int, ...]:
    """Ten numbers of topics or fewer, below all: multiples of five, or of more where there are many topics.

    >>> default_sizes(30), default_sizes(4), default_sizes(249)[:3]
    ((5, 10, 15, 20, 25), (1, 2, 3), (25, 50, 75))
    """
    if topics <= 5:
        return tuple(range(1, topics))
    step = 5 * -(-topics // (5 * _MOST_SIZES))
    return tuple(range(step, topics, step))


def _checked_sizes(sizes: Sequence[int], topics: int) -> tuple[int, ...]:
    wanted = tuple(sorted({int(size) for size in sizes}))
    if not wanted or wanted[0] < 1 or wanted[-1] > topics:
        raise BadParameter(f"sizes={wanted}: numbers of topics from 1 to {topics}, as many as there are")
    return wanted


@dataclass(frozen=True, kw_only=True, eq=False)
class SubsetBlock:
    """Some subsets of one size: by measure, every coefficient and the rank distance."""

    ground: Ground
    against: Against
    size: int
    first: int
    last: int
    seed: int

    @property
    def name(self) -> str:
        """The block's name among all, also a file's."""
        return f"{self.against}-topics-{self.size:05d}-repeats-{self.first + 1:06d}-{self.last:06d}"

    @property
    def shape(self) -> tuple[int, ...]:
        """Subsets × measures × (coefficients and rank distance)."""
        return (self.last - self.first, len(self.ground.measures), len(self.ground.statistics))

    def run(self) -> Floats:
        """The numbers."""
        n = len(self.ground.judgments.topics)
        # The same topics for all measures, and for both sides of comparison.
        orders = np.stack([
            np.random.default_rng([self.seed, self.size, number]).permutation(n)
            for number in range(self.first, self.last)
        ])  # fmt: skip
        chosen = _counts(orders[:, : self.size], n)
        others = _counts(orders[:, self.size : 2 * self.size], n) if self.against == "others" else None
        sticks = self.ground.yardsticks.values()
        return np.stack([_agreement(stick, self.ground.chosen, chosen, others) for stick in sticks], axis=1)


def _counts(drawn: Any, topics: int) -> Floats:
    counts = np.zeros((len(drawn), topics))
    np.put_along_axis(counts, drawn, 1.0, axis=1)
    return counts


def _agreement(stick: Yardstick, chosen: Sequence[Coefficient], counts: Floats, others: Floats | None) -> Floats:
    """Every coefficient and the rank distance of the means over the counted topics."""
    found = np.full((len(counts), len(chosen) + 1), np.nan)
    topic_means = TopicMeans.of(stick.scores)
    whole = levelled(stick.scores.means[None])
    everything = others is None and bool(counts.all())  # their own ranking, with no rounding of another way to sum
    means = np.repeat(whole, len(counts), axis=0) if everything else levelled(topic_means.means(counts))
    with quietly():
        reference = whole if others is None else levelled(topic_means.means(others))
        found[:, :-1] = values_of(chosen, reference, means).T
    if stick.base is not None and others is None:
        orders = stick.base.orders_of_sums(counts @ stick.base.scores)
        found[:, -1] = stick.base.distances(orders, stick.ridge)
    return found


def levelled(means: Floats) -> Floats:
    """Rows of means in which those that differ by rounding only, one way to sum and another, are equal.

    >>> levelled(np.array([[0.1 + 0.2, 0.5, 0.3]])).tolist()
    [[0.3, 0.5, 0.3]]
    """
    order = np.argsort(means, axis=1)
    ranked = np.take_along_axis(means, order, axis=1)
    noise = _SAME * np.abs(ranked).max(axis=1, keepdims=True, initial=0.0)
    first = np.ones(means.shape, dtype=bool)
    first[:, 1:] = np.diff(ranked, axis=1) > noise
    # Each takes the value of the first of its group: the last place at which a group began.
    places = np.maximum.accumulate(np.where(first, np.arange(means.shape[1]), 0), axis=1)
    found = np.empty_like(means)
    np.put_along_axis(found, order, np.take_along_axis(ranked, places, axis=1), axis=1)
    return found


def _agreements(
    ground: Ground, places: Sequence[tuple[Against, int]], values: Floats, alpha: float
) -> Iterator[SubsetAgreement]:
    for m, (measure, stick) in enumerate(ground.yardsticks.items()):
        for (against, size), part in zip(places, values[:, :, m], strict=True):
            test = rank_tests(stick.pvalues(part[:, -1]), alpha)
            for name, column in zip(ground.statistics, part.T, strict=True):
                if name == DISTANCE and against == "others":
                    continue
                yield SubsetAgreement(
                    against=against, topics=size, measure=measure, coefficient=name, **spread(column),
                    **(test if name == DISTANCE else UNTESTED),
                )  # fmt: skip
