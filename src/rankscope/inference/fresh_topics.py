"""How well would the ranking by fresh topics agree with this one, the judge being the same?

The agreement that a cheaper evaluation may be held to: if new topics under the same judge would shuffle the systems as
much, the estimate is no worse than the luck of the topics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.coefficients import Coefficient, coefficient
from rankscope.coefficients.rows import quietly
from rankscope.errors import BadParameter, MissingScores
from rankscope.inference.agreement import LEVEL, RESAMPLES, values_of
from rankscope.inference.intervals import check_level
from rankscope.inference.resampling import Counts, Seed, TopicMeans, check_topics, generators, in_threads
from rankscope.results import Interval, Result, Table
from rankscope.scores import Floats, ScoreMatrix, Scores


@dataclass(frozen=True, kw_only=True)
class FreshAgreement:
    """The agreement to expect between these topics' ranking and that by as many fresh ones, and its range."""

    name: str
    mean: float
    interval: Interval


@dataclass(frozen=True, kw_only=True, eq=False)
class FreshTopics(Result):
    """What fresh topics would give, for each coefficient; `draws` has a row for each."""

    values: tuple[FreshAgreement, ...]
    systems: int
    topics: int
    draws: Floats
    settings: dict[str, Any]

    def __getitem__(self, name: str) -> FreshAgreement:
        wanted = str(coefficient(name))
        for found in self.values:
            if found.name == wanted:
                return found
        raise BadParameter(f"{wanted} was not computed; there are: {', '.join(v.name for v in self.values)}")

    def table(self) -> Table:
        """One row per coefficient."""
        rows = [(v.name, v.mean, v.interval.low, v.interval.high) for v in self.values]
        return Table(("coefficient", "mean", "low", "high"), tuple(rows))


def fresh_agreement(
    scores: Scores,
    coefficients: Sequence[str | Coefficient] = ("kendall",),
    *,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    rng: Seed = 0,
    jobs: int | None = None,
) -> FreshTopics:
    """The agreement to expect between the ranking by these topics and that by as many fresh ones.

    The true means lie about the observed ones by one sampling error, and fresh means about the true ones by another:
    twice the variance of a mean over n topics, which means over (n − 1)/2 resampled topics have. With a flat prior this
    takes the observed spread of systems at its word, so that it is too high with few topics or systems that hardly
    differ. The interval is where one fresh sample's agreement would fall.

    >>> from rankscope.demo import demo_scores
    >>> fresh = fresh_agreement(demo_scores()["human"], ["kendall"], resamples=500)
    >>> 0.5 < fresh["kendall"].interval.low < fresh["kendall"].mean < fresh["kendall"].interval.high < 1.0
    True
    """
    check_level(level)
    if not isinstance(scores, ScoreMatrix):
        raise MissingScores("a leaderboard has no topics, and what fresh ones would change cannot be told from it")
    check_topics(scores, scores.name or "the score matrix")
    chosen = [coefficient(name) for name in coefficients]
    prepared, observed = TopicMeans.of(scores), scores.means[None]

    def one_chunk(chunk: tuple[np.random.Generator, int]) -> Floats:
        with quietly():
            return values_of(chosen, observed, prepared.means(_fresh_counts(chunk[0], prepared.topics, chunk[1])))

    drawn = np.concatenate(in_threads(one_chunk, list(generators(rng, resamples)), jobs), axis=1)
    tail = (1.0 - level) / 2.0
    method = "draws of fresh topics"
    values = []
    for one, row in zip(chosen, drawn, strict=True):
        known = row[np.isfinite(row)]
        low, high = np.quantile(known, [tail, 1.0 - tail]) if len(known) else (np.nan, np.nan)
        values.append(
            FreshAgreement(
                name=str(one),
                mean=float(known.mean()) if len(known) else np.nan,
                interval=Interval(low=float(low), high=float(high), level=level, method=method),
            )
        )
    return FreshTopics(
        values=tuple(values),
        systems=len(scores.systems),
        topics=prepared.topics,
        draws=drawn,
        settings={"resamples": resamples, "level": level, "seed": rng if isinstance(rng, int) else None},
    )


def _fresh_counts(generator: np.random.Generator, topics: int, draws: int) -> Counts:
    """Samples of (n − 1)/2 topics; where that is no whole number, of the two next to it by turns; never of none."""
    sizes = np.where(np.arange(draws) % 2, topics // 2, max((topics - 1) // 2, 1))
    widest = int(sizes.max())
    drawn = generator.integers(0, topics, size=(draws, widest)) + topics * np.arange(draws)[:, None]
    kept = np.arange(widest) < sizes[:, None]
    return np.bincount(drawn[kept], minlength=draws * topics).reshape(draws, topics).astype(np.float64)
