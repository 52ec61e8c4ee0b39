"""`bootstrap`: intervals of coefficients over topics, all from the same draws; and the draws for other functions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast

import numpy as np

from rankscope.alignment import Topics, align
from rankscope.checks import check_choice, check_level
from rankscope.coefficients import Coefficient, coefficient
from rankscope.coefficients.rows import quietly, sharing
from rankscope.defaults import LEVEL, RESAMPLES, SEED
from rankscope.errors import BadParameter
from rankscope.inference.intervals import METHODS, Method, interval
from rankscope.inference.resampling import (
    Draws,
    Resampled,
    Seed,
    check_topics,
    count_blocks,
    recorded_seed,
    resampled,
    row_blocks,
)
from rankscope.inputs import ScoresLike, to_matrix
from rankscope.results import ENDS, Interval, Result, Table, rows_table
from rankscope.scores import Floats, OnMissing, ScoreMatrix, Scores, SystemScores

# What tells how far a side's means may be off.
Errors = Literal["topics", "standard errors"]

# Roughly the copies of its input that a coefficient holds: orders, ranks, sums.
_COPIES = 8
# Scores that coefficients look at together, each with several numbers of its own: bounds memory.
_SCORES = 1 << 18


@dataclass(frozen=True, kw_only=True)
class BootstrapValue:
    """A coefficient with its topic-bootstrap interval.

    Attributes
    ----------
    name : str
        The coefficient.
    value : float
        Its value between the observed means.
    interval : Interval or None
        Its interval over topics; None where it is not defined.
    standard_error : float
        The standard error over topics.
    undefined : int
        The number of draws in which a side was constant.
    draws : ndarray
        The value in each draw.
    """

    name: str
    value: float
    interval: Interval | None
    standard_error: float
    undefined: int
    draws: Floats


@dataclass(frozen=True, kw_only=True)
class Bootstrap(Result):
    """Coefficients between two score matrices, each with an interval from the same draws of topics.

    An interval is for the mean over samples of the same number of topics. The value for the population of topics is
    higher where systems are close, since noise in the means mostly adds swaps.

    Attributes
    ----------
    values : tuple of BootstrapValue
        One per coefficient.
    topics : str
        "paired" or "independent".
    settings : dict
        The options.
    """

    values: tuple[BootstrapValue, ...]
    topics: str
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per coefficient."""
        columns = {"coefficient": "name", "value": "value", **ENDS, "standard_error": "standard_error"}
        return rows_table(self.values, columns)


def bootstrap(
    truth: ScoresLike,
    estimate: ScoresLike,
    coefficients: Sequence[str | Coefficient] = ("kendall",),
    *,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    method: Method = "recentred",
    topics: Topics = "paired",
    on_missing: OnMissing = "error",
    rng: Seed = SEED,
    jobs: int | None = None,
) -> Bootstrap:
    """Intervals of coefficients over topics, all from the same draws.

    Topics are drawn with replacement, and each coefficient is computed between the two sides' means over every draw.

    Parameters
    ----------
    truth, estimate : ScoresLike
        Scores by topic of the same systems.
    coefficients : sequence of str or Coefficient, default ("kendall",)
        The coefficients.
    resamples : int, default 2000
        The number of draws.
    level : float, default 0.95
        The level of the intervals.
    method : {"recentred", "percentile", "bca"}, default "recentred"
        "recentred" places the spread of the draws around the observed value and covers as it should. "percentile" and
        "bca" do not: docs/coverage.md has the figures.
    topics : {"paired", "independent"}, default "paired"
        Whether both sides have the same topics, which are drawn jointly, or each side has its own sample.
    on_missing : str, default "error"
        What becomes of missing scores, and of systems and topics that only one side has: "error", "intersect", "zero",
        "additive", "pairwise", "drop-systems=SHARE", "drop-topics=SHARE" or "connected", as in `align`.
    rng : int or numpy.random.Generator, default 0
        A seed or a generator. A seed gives the same draws with any number of threads.
    jobs : int or None, default None
        The number of threads; None is one per core.

    Returns
    -------
    Bootstrap
        One value with its interval and draws per coefficient.

    Raises
    ------
    MissingScores
        If a side has no topics, fewer than two, or missing scores.
    BadParameter
        If an option is out of its range, or "bca" is combined with independent topics.

    References
    ----------
    B. Efron, "Better bootstrap confidence intervals", Journal of the American Statistical Association 82, 1987, for
    BCa.

    Examples
    --------
    >>> from rankscope.demo import demo_scores
    >>> tables = demo_scores()
    >>> tau_ap = bootstrap(tables["human"], tables["careful"], ["tau_ap"], resamples=500).values[0]
    >>> tau_ap.interval.low < tau_ap.value < tau_ap.interval.high
    True
    """
    check_level(level)
    check_choice("method", method, METHODS)
    chosen = [coefficient(name) for name in coefficients]
    x, y = with_topics(truth, estimate, topics, on_missing)
    draws = draw_values([(x, y)], chosen, resamples=resamples, topics=topics, rng=rng, jobs=jobs)[0]
    observed = values_of(chosen, x.means[None], y.means[None])[:, 0]
    intervals = topic_intervals(chosen, observed, draws, (x, y), level=level, method=method, topics=topics)
    fewest = min(len(x.topics), len(y.topics))
    values = [
        BootstrapValue(
            name=str(by),
            value=float(value),
            interval=band,
            standard_error=_standard_error(drawn, fewest),
            undefined=int(np.isnan(drawn).sum()),
            draws=drawn,
        )
        for by, value, drawn, band in zip(chosen, observed, draws, intervals, strict=True)
    ]
    settings = {
        "resamples": resamples,
        "level": level,
        "method": method,
        "on_missing": on_missing,
        "seed": recorded_seed(rng),
    }
    return Bootstrap(values=tuple(values), topics=topics, settings=settings)


def draw_values(
    sides: Sequence[tuple[Scores, Scores]],
    chosen: Sequence[Coefficient],
    *,
    resamples: int,
    topics: Topics | Sequence[Topics],
    rng: Seed,
    jobs: int | None,
) -> list[Floats]:
    """For each (truth, estimate), the coefficients (rows) in draws of both sides' means (columns).

    Means are drawn by topics, or by the standard errors of a leaderboard. Truths share their draws, and paired
    estimates share the topics of their truth. `topics` says for each pair whether it is paired.
    """
    distinct = {id(side): side for side in itertools.chain(*sides)}
    sources = {key: _source(side) for key, side in distinct.items()}
    means = [(sources[id(x)], sources[id(y)]) for x, y in sides]
    pairings = [topics] * len(sides) if isinstance(topics, str) else topics
    paired = [how == "paired" and x.topics > 0 and y.topics > 0 for how, (x, y) in zip(pairings, means, strict=True)]

    def of_chunk(generator: np.random.Generator, size: int) -> list[Floats]:
        drawn: list[tuple[Floats, Floats]] = [(np.empty(0), np.empty(0))] * len(means)
        # Sides with the same number of topics share a draw, so that estimates can be compared on it.
        for n in dict.fromkeys(x.topics for x, _ in means):
            alike = [i for i, (x, _) in enumerate(means) if x.topics == n]
            together = [i for i in alike if paired[i]]
            both = _drawn_means(generator, [means[i][0] for i in alike] + [means[i][1] for i in together], size)
            ys = dict(zip(together, both[len(alike) :], strict=True))
            for i, x in zip(alike, both, strict=False):
                drawn[i] = x, ys[i] if i in ys else _drawn_means(generator, [means[i][1]], size)[0]
        with quietly():
            return [_by_rows(chosen, x, y) for x, y in drawn]

    chunks = Draws(resamples, rng, jobs).each(of_chunk)
    return [np.concatenate([chunk[i] for chunk in chunks], axis=1) for i in range(len(sides))]


def _by_rows(chosen: Sequence[Coefficient], x: Floats, y: Floats) -> Floats:
    """The values of many rows, in blocks where rows are long: coefficients hold several copies of each."""
    blocks = [values_of(chosen, x[rows], y[rows]) for rows in row_blocks(len(x), _COPIES * x.shape[1])]
    return blocks[0] if len(blocks) == 1 else np.concatenate(blocks, axis=1)


@dataclass(frozen=True)
class _NormalMeans:
    """Means with independent normal errors, which may be 0."""

    values: Floats
    errors: Floats
    topics: ClassVar[int] = 0


def _source(scores: Scores) -> Resampled | _NormalMeans:
    """What draws of a side's means are made from; means whose errors are not known stay as they are."""
    if isinstance(scores, ScoreMatrix) and len(scores.topics) > 1:
        return resampled(scores)
    errors = scores.standard_errors if isinstance(scores, SystemScores) and known_errors(scores) else None
    return _NormalMeans(scores.means, np.zeros(len(scores.systems)) if errors is None else errors)


def known_errors(scores: Scores) -> Errors | None:
    """What tells how far a side's means may be off: two topics or more, the standard errors of all systems, or None."""
    if isinstance(scores, ScoreMatrix):
        return "topics" if len(scores.topics) > 1 else None
    errors = scores.standard_errors
    return "standard errors" if errors is not None and bool(np.isfinite(errors).all()) else None


def _drawn_means(generator: np.random.Generator, sides: Sequence[Resampled | _NormalMeans], draws: int) -> list[Floats]:
    """Means over the same draws of topics for sides that have the same number of them, or with the same errors."""
    normal = [side for side in sides if isinstance(side, _NormalMeans)]
    if normal:
        sizes = dict.fromkeys(len(side.values) for side in normal)
        deviates = {size: generator.standard_normal((draws, size)) for size in sizes}
        return [side.values + side.errors * deviates[len(side.values)] for side in normal]
    return _topic_means(generator, [side for side in sides if not isinstance(side, _NormalMeans)], draws)


def _topic_means(generator: np.random.Generator, sides: Sequence[Resampled], draws: int) -> list[Floats]:
    blocks: list[list[Floats]] = [[] for _ in sides]
    smooth = any(side.smooth for side in sides)
    for counts in count_blocks(generator, sides[0].topics, draws, smooth=smooth):
        for means, side in zip(blocks, sides, strict=True):
            means.append(side.means(counts, generator))
    return [means[0] if len(means) == 1 else np.concatenate(means) for means in blocks]


def with_topics(
    truth: ScoresLike, estimate: ScoresLike, topics: Topics, on_missing: OnMissing
) -> tuple[ScoreMatrix, ScoreMatrix]:
    """Both sides as aligned score matrices with at least two topics."""
    why = "resampling draws topics"
    aligned = align(to_matrix(truth, why), to_matrix(estimate, why), on_missing=on_missing, topics=topics)
    x, y = cast("tuple[ScoreMatrix, ScoreMatrix]", aligned)
    check_topics(x, "the truth")
    check_topics(y, "the estimate")
    return x, y


def values_of(chosen: Sequence[Coefficient], x: Floats, y: Floats) -> Floats:
    """Each coefficient (row) of each pair of mean vectors (column).

    Some pairs are looked at at a time, since what coefficients share is held for all of them.
    """
    pairs, step = max(len(x), len(y)), max(1, _SCORES // x.shape[1])
    parts = []
    for start in range(0, max(pairs, 1), step):
        # Made contiguous here and not per coefficient, so that coefficients share their intermediate results.
        first, second = (
            np.ascontiguousarray(side if len(side) == 1 else side[start : start + step]) for side in (x, y)
        )
        with sharing():
            parts.append(np.stack([np.atleast_1d(by(first, second)) for by in chosen]))
    return np.concatenate(parts, axis=1)


def topic_intervals(
    chosen: Sequence[Coefficient],
    values: Iterable[float],
    draws: Floats,
    sides: tuple[Scores, Scores],
    *,
    level: float,
    method: Method,
    topics: Topics,
) -> list[Interval | None]:
    """The interval of each coefficient's value from its draws of both sides' means (a row)."""
    left_out: Sequence[Floats | None] = [None] * len(chosen)
    by_topic = [side for side in sides if isinstance(side, ScoreMatrix) and len(side.topics) > 1]
    if method == "bca":
        if topics == "independent" or len(by_topic) < 2:
            problem = "method='bca' leaves the same topic out of both sides, which are independent"
            raise BadParameter(f"{problem}; use method='recentred' (--interval recentred)")
        left_out = list(left_out_values(chosen, by_topic[0], by_topic[1]))
    fewest = min((len(side.topics) for side in by_topic), default=None)
    options: dict[str, Any] = {"level": level, "method": method, "topics": fewest}
    return [
        interval(drawn, float(value), jackknife=rest, bounds=by.record.range, **options)
        for by, value, drawn, rest in zip(chosen, values, draws, left_out, strict=True)
    ]


def left_out_values(chosen: Sequence[Coefficient], x: ScoreMatrix, y: ScoreMatrix) -> Floats:
    """Each coefficient (row) with each topic (column) left out."""
    sides = resampled(x), resampled(y)
    with quietly():
        blocks = [
            values_of(chosen, *(side.without_each(rows) for side in sides))
            for rows in row_blocks(len(x.topics), len(x.systems))
        ]
    return np.concatenate(blocks, axis=1)


def _standard_error(drawn: Floats, topics: int) -> float:
    drawn = drawn[np.isfinite(drawn)]
    return float(drawn.std(ddof=1) * math.sqrt(topics / (topics - 1.0))) if len(drawn) > 1 else math.nan
