"""How sure a coefficient is: the topic bootstrap, for all coefficients at once from the same draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.coefficients import Coefficient, coefficient
from rankscope.coefficients.rows import owned, quietly, sharing
from rankscope.errors import BadParameter, MissingScores
from rankscope.inference.intervals import METHODS, Method, check_level, interval
from rankscope.inference.resampling import (
    Seed,
    TopicMeans,
    check_topics,
    count_blocks,
    generators,
    in_threads,
    row_blocks,
)
from rankscope.results import Interval, Result, Table
from rankscope.scores import Floats, OnMissing, ScoreMatrix, Scores, Topics, align

RESAMPLES = 2_000
LEVEL = 0.95
# Copies of its input that a coefficient may hold, roughly: orders, ranks, sums.
_COPIES = 8


@dataclass(frozen=True, kw_only=True)
class BootstrapValue:
    """A coefficient with its topic-bootstrap interval; `undefined` counts the draws in which a side was constant."""

    name: str
    value: float
    interval: Interval | None
    standard_error: float
    undefined: int
    draws: Floats


@dataclass(frozen=True, kw_only=True)
class Bootstrap(Result):
    """Coefficients between two score matrices, each with an interval from the same draws of topics.

    The interval is for the mean over samples of as many topics. The value for the population of topics is higher where
    systems lie close, since noise in the means mostly adds swaps.
    """

    values: tuple[BootstrapValue, ...]
    topics: str
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per coefficient."""
        rows = [
            (v.name, v.value, v.interval and v.interval.low, v.interval and v.interval.high, v.standard_error)
            for v in self.values
        ]
        return Table(("coefficient", "value", "low", "high", "standard_error"), tuple(rows))


def bootstrap(
    truth: ScoreMatrix,
    estimate: ScoreMatrix,
    coefficients: Sequence[str | Coefficient] = ("kendall",),
    *,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    method: Method = "recentred",
    topics: Topics = "paired",
    on_missing: OnMissing = "error",
    rng: Seed = 0,
    jobs: int | None = None,
) -> Bootstrap:
    """Resample topics and see how each coefficient varies: all from the same draws.

    With `topics="paired"` both sides have the same topics, which are drawn jointly; with "independent" each side's
    own topics are drawn on their own. Methods: `recentred` (the draws' spread around the observed value), which
    holds its level; `percentile` and `bca`, which docs/coverage.md shows not to.

    >>> from rankscope.demo import demo_scores
    >>> tables = demo_scores()
    >>> found = bootstrap(tables["human"], tables["careful"], ["tau_ap"], resamples=500).values[0]
    >>> found.interval.low < found.value < found.interval.high
    True
    """
    check_level(level)
    if method not in METHODS:
        raise BadParameter(f"method={method!r}: choose one of {', '.join(METHODS)}")
    chosen = [coefficient(name) for name in coefficients]
    x, y = with_topics(truth, estimate, topics, on_missing)
    draws = draw_values([(x, y)], chosen, resamples=resamples, topics=topics, rng=rng, jobs=jobs)[0]
    observed = values_of(chosen, x.means[None], y.means[None])[:, 0]
    jackknife = _jackknife(chosen, x, y, topics) if method == "bca" else [None] * len(chosen)
    fewest = min(len(x.topics), len(y.topics))
    values = [
        BootstrapValue(
            name=str(one),
            value=float(value),
            interval=interval(
                drawn,
                float(value),
                level=level,
                method=method,
                topics=fewest,
                jackknife=left_out,
                bounds=one.record.range,
            ),
            standard_error=_standard_error(drawn, fewest),
            undefined=int(np.isnan(drawn).sum()),
            draws=drawn,
        )
        for one, value, drawn, left_out in zip(chosen, observed, draws, jackknife, strict=True)
    ]
    settings = {
        "resamples": resamples,
        "level": level,
        "method": method,
        "on_missing": on_missing,
        "seed": rng if isinstance(rng, int) else None,
    }
    return Bootstrap(values=tuple(values), topics=topics, settings=settings)


def draw_values(
    sides: Sequence[tuple[ScoreMatrix, ScoreMatrix]],
    chosen: Sequence[Coefficient],
    *,
    resamples: int,
    topics: Topics,
    rng: Seed,
    jobs: int | None,
) -> list[Floats]:
    """For each (truth, estimate), the coefficients (rows) in draws of topics (columns); the pairs share the draws."""
    means = [(TopicMeans.of(x), TopicMeans.of(y)) for x, y in sides]
    chunks = list(generators(rng, resamples))

    def one_chunk(chunk: tuple[np.random.Generator, int]) -> list[Floats]:
        generator, size = chunk
        drawn: list[tuple[Floats, Floats]] = [(np.empty(0), np.empty(0))] * len(means)
        # As many topics, the same draw: pairs of estimates are compared on it.
        for n in dict.fromkeys(x.topics for x, _ in means):
            alike = [i for i, (x, _) in enumerate(means) if x.topics == n]
            truths = [means[i][0] for i in alike]
            if topics == "independent":
                xs = _drawn_means(generator, truths, size)
                ys = [_drawn_means(generator, [means[i][1]], size)[0] for i in alike]
            else:
                both = _drawn_means(generator, [*truths, *(means[i][1] for i in alike)], size)
                xs, ys = both[: len(alike)], both[len(alike) :]
            for i, x, y in zip(alike, xs, ys, strict=True):
                drawn[i] = x, y
        with quietly():
            return [_by_rows(chosen, x, y) for x, y in drawn]

    parts = in_threads(one_chunk, chunks, jobs)
    return [np.concatenate([part[i] for part in parts], axis=1) for i in range(len(sides))]


def _by_rows(chosen: Sequence[Coefficient], x: Floats, y: Floats) -> Floats:
    """The values of many rows, some at a time where rows are long: coefficients keep several copies of each."""
    parts = [values_of(chosen, x[rows], y[rows]) for rows in row_blocks(len(x), _COPIES * x.shape[1])]
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def _drawn_means(generator: np.random.Generator, sides: Sequence[TopicMeans], draws: int) -> list[Floats]:
    """Means of every side, which have as many topics, over the same draws of them."""
    parts: list[list[Floats]] = [[] for _ in sides]
    for counts in count_blocks(generator, sides[0].topics, draws):
        for found, side in zip(parts, sides, strict=True):
            found.append(side.means(counts))
    return [found[0] if len(found) == 1 else np.concatenate(found) for found in parts]


def with_topics(
    truth: Scores, estimate: Scores, topics: Topics, on_missing: OnMissing
) -> tuple[ScoreMatrix, ScoreMatrix]:
    """Both sides aligned, with topics to resample, or an error."""
    x, y = align(truth, estimate, on_missing=on_missing, topics=topics)
    for scores, role in ((x, "the truth"), (y, "the estimate")):
        if not isinstance(scores, ScoreMatrix):
            raise MissingScores("a leaderboard has no topics to resample; give scores by topic on both sides")
        check_topics(scores, role)
    return x, y  # type: ignore[return-value]


def values_of(chosen: Sequence[Coefficient], x: Floats, y: Floats) -> Floats:
    """Each coefficient (row) of each pair of mean vectors (column)."""
    x, y = owned(x), owned(y)  # here rather than once per coefficient, so that what they have in common is shared
    with sharing():
        return np.stack([np.atleast_1d(one(x, y)) for one in chosen])


def _jackknife(chosen: Sequence[Coefficient], x: ScoreMatrix, y: ScoreMatrix, topics: Topics) -> list[Floats]:
    if topics == "independent":
        raise BadParameter(
            "a BCa interval leaves out one topic of both sides; with independent topics use another method"
        )
    return list(left_out_values(chosen, x, y))


def left_out_values(chosen: Sequence[Coefficient], x: ScoreMatrix, y: ScoreMatrix) -> Floats:
    """Each coefficient (row) with each topic (column) left out."""
    sides = TopicMeans.of(x), TopicMeans.of(y)
    with quietly():
        parts = [
            values_of(chosen, *(side.without_each(rows) for side in sides))
            for rows in row_blocks(len(x.topics), len(x.systems))
        ]
    return np.concatenate(parts, axis=1)


def _standard_error(drawn: Floats, topics: int) -> float:
    drawn = drawn[np.isfinite(drawn)]
    return float(drawn.std(ddof=1) * math.sqrt(topics / (topics - 1.0))) if len(drawn) > 1 else math.nan
