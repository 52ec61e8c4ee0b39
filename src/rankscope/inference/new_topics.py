"""`new_topic_agreement`: how well would the ranking by new topics agree with this one, under the same judge?

A cheaper evaluation can be held to this agreement: if new topics under the same judge would change the ranking as much,
the estimate adds no more error than topic sampling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.checks import check_level
from rankscope.coefficients import Coefficient, coefficient
from rankscope.coefficients.rows import quietly
from rankscope.defaults import LEVEL, RESAMPLES, SEED
from rankscope.errors import BadParameter
from rankscope.inference.agreement import values_of
from rankscope.inference.resampling import Counts, Draws, Seed, check_topics, recorded_seed, resampled
from rankscope.inputs import ScoresLike, to_matrix
from rankscope.results import ENDS, Interval, Result, Table, rows_table
from rankscope.scores import Floats


@dataclass(frozen=True, kw_only=True)
class NewTopicValue:
    """The expected value of one coefficient between these topics' ranking and that by new ones, and its range."""

    name: str
    mean: float
    interval: Interval


@dataclass(frozen=True, kw_only=True, eq=False)
class NewTopicAgreement(Result):
    """The agreement to expect between the ranking by these topics and that by the same number of new ones.

    Attributes
    ----------
    values : tuple of NewTopicValue
        One per coefficient: the mean, and where one new sample's agreement would fall.
    systems, topics : int
        Their numbers.
    draws : ndarray
        The coefficients (rows) in each draw (column).
    settings : dict
        The options.
    """

    values: tuple[NewTopicValue, ...]
    systems: int
    topics: int
    draws: Floats
    settings: dict[str, Any]

    def __getitem__(self, name: str) -> NewTopicValue:
        wanted = str(coefficient(name))
        for value in self.values:
            if value.name == wanted:
                return value
        raise BadParameter(f"{wanted} was not computed; there are: {', '.join(v.name for v in self.values)}")

    def table(self) -> Table:
        """One row per coefficient."""
        return rows_table(self.values, {"coefficient": "name", "mean": "mean", **ENDS})


def new_topic_agreement(
    scores: ScoresLike,
    coefficients: Sequence[str | Coefficient] = ("kendall",),
    *,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    rng: Seed = SEED,
    jobs: int | None = None,
) -> NewTopicAgreement:
    """The agreement to expect between the ranking by these topics and that by the same number of new ones.

    The true means differ from the observed ones by one sampling error, and new means from the true ones by another.
    Their sum has twice the variance of a mean over n topics, which is that of means over (n − 1)/2 resampled topics.
    This assumes a flat prior: it takes the observed spread of systems as the true one, so it is too high with few
    topics or with systems that hardly differ.

    Parameters
    ----------
    scores : ScoresLike
        Scores by topic.
    coefficients : sequence of str or Coefficient, default ("kendall",)
        The coefficients.
    resamples : int, default 2000
        The number of draws of topics.
    level : float, default 0.95
        The level of the range in which one new sample's agreement would fall.
    rng : int or numpy.random.Generator, default 0
        A seed or a generator. A seed gives the same draws with any number of threads.
    jobs : int or None, default None
        The number of threads; None is one per core.

    Returns
    -------
    NewTopicAgreement
        The mean and the range for each coefficient.

    Raises
    ------
    MissingScores
        Without topics, with fewer than two, or with missing scores.

    Examples
    --------
    >>> from rankscope.demo import demo_scores
    >>> tau = new_topic_agreement(demo_scores()["human"], ["kendall"], resamples=500)["kendall"]
    >>> 0.5 < tau.interval.low < tau.mean < tau.interval.high < 1.0
    True
    """
    check_level(level)
    matrix = to_matrix(scores, "new topics are drawn like the old ones")
    check_topics(matrix, matrix.name or "the score matrix")
    chosen = [coefficient(name) for name in coefficients]
    prepared, observed = resampled(matrix), matrix.means[None]

    def of_chunk(generator: np.random.Generator, size: int) -> Floats:
        with quietly():
            return values_of(chosen, observed, prepared.means(_new_topic_counts(generator, prepared.topics, size)))

    drawn = np.concatenate(Draws(resamples, rng, jobs).each(of_chunk), axis=1)
    tail = (1.0 - level) / 2.0
    values = []
    for by, row in zip(chosen, drawn, strict=True):
        known = row[np.isfinite(row)]
        low, high = np.quantile(known, [tail, 1.0 - tail]) if len(known) else (np.nan, np.nan)
        values.append(
            NewTopicValue(
                name=str(by),
                mean=float(known.mean()) if len(known) else np.nan,
                interval=Interval(low=float(low), high=float(high), level=level, method="draws of new topics"),
            )
        )
    return NewTopicAgreement(
        values=tuple(values),
        systems=len(matrix.systems),
        topics=prepared.topics,
        draws=drawn,
        settings={"resamples": resamples, "level": level, "seed": recorded_seed(rng)},
    )


def _new_topic_counts(generator: np.random.Generator, topics: int, draws: int) -> Counts:
    """Samples of (n − 1)/2 topics, at least one; where that is not whole, of the sizes below and above in turn."""
    sizes = np.where(np.arange(draws) % 2, topics // 2, max((topics - 1) // 2, 1))
    widest = int(sizes.max())
    drawn = generator.integers(0, topics, size=(draws, widest)) + topics * np.arange(draws)[:, None]
    kept = np.arange(widest) < sizes[:, None]
    return np.bincount(drawn[kept], minlength=draws * topics).reshape(draws, topics).astype(np.float64)
