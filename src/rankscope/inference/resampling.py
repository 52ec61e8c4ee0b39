"""Resampling over topics: the sample that matters (Carterette 2009, section 2).

Randomness is spawned per chunk of fixed size, so that a seed gives the same draws whatever the number of workers.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from rankscope.averages import decimal_code
from rankscope.checks import check_count, check_jobs
from rankscope.errors import BadParameter, MissingScores
from rankscope.fits import IncompleteScores
from rankscope.kernels.medians import weighted_medians
from rankscope.scores import Floats, ScoreMatrix

Seed = int | np.random.Generator
Counts = npt.NDArray[np.float64]
T = TypeVar("T")
U = TypeVar("U")

CHUNK = 500
# Counts held at a time, so that memory grows with topics and not with topics × draws.
_COUNTS = 4_000_000


def seeds_of(rng: Seed, count: int) -> list[np.random.SeedSequence]:
    """Independent seeds; the first ones do not depend on their number."""
    sequence = rng.bit_generator.seed_seq if isinstance(rng, np.random.Generator) else np.random.SeedSequence(rng)
    children: list[np.random.SeedSequence] = sequence.spawn(count)  # type: ignore[attr-defined]
    return children


def recorded_seed(rng: Seed) -> int | None:
    """The seed as a result records it; None for a generator."""
    return None if isinstance(rng, np.random.Generator) else int(rng)


def generators(rng: Seed, draws: int) -> Iterator[tuple[np.random.Generator, int]]:
    """For each chunk of draws, its own generator and its size."""
    for seed, size in seeded_chunks(rng, draws):
        yield np.random.default_rng(seed), size


def seeded_chunks(rng: Seed, draws: int) -> list[tuple[np.random.SeedSequence, int]]:
    """For each chunk of draws, its own seed and its size."""
    check_count("resamples", draws)
    sizes = [min(CHUNK, draws - start) for start in range(0, draws, CHUNK)]
    return list(zip(seeds_of(rng, len(sizes)), sizes, strict=True))


@dataclass(frozen=True)
class Draws:
    """The number of resamples, their randomness, and the number of threads (None: one per core)."""

    resamples: int
    rng: Seed
    jobs: int | None

    @property
    def least(self) -> float:
        """The smallest possible p-value: the observed draw counts."""
        return 1.0 / (1 + self.resamples)

    def pvalues(self, counts: npt.NDArray[np.integer[Any]]) -> Floats:
        """The p-values, given the number of draws at least as extreme as the observation."""
        return np.asarray((1 + counts) / (1 + self.resamples))

    def each(self, work: Callable[[np.random.Generator, int], T]) -> list[T]:
        """The results of `work(generator, draws)` for all chunks, in order."""
        chunks = list(generators(self.rng, self.resamples))
        return in_threads(lambda chunk: work(*chunk), chunks, self.jobs)


def topic_counts(generator: np.random.Generator, topics: int, draws: int) -> Counts:
    """How often each draw with replacement has each topic."""
    drawn = generator.integers(0, topics, size=(draws, topics)) + topics * np.arange(draws)[:, None]
    return np.bincount(drawn.ravel(), minlength=draws * topics).reshape(draws, topics).astype(np.float64)


def count_blocks(generator: np.random.Generator, topics: int, draws: int, *, smooth: bool = False) -> Iterator[Counts]:
    """The counts of `topic_counts`, a block of draws at a time; the numbers do not depend on the block's size.

    Smooth ones are weights of topics that are never 0, as in the Bayesian bootstrap (Rubin 1981).
    """
    step = max(1, _COUNTS // topics)
    for start in range(0, draws, step):
        size = min(step, draws - start)
        yield generator.standard_exponential((size, topics)) if smooth else topic_counts(generator, topics, size)


def row_blocks(rows: int, columns: int) -> Iterator[slice]:
    """The rows of a wide table in blocks of bounded size."""
    step = max(1, _COUNTS // max(columns, 1))
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))


@dataclass(frozen=True)
class TopicMeans:
    """Means of systems over resampled topics; systems that tie exactly tie in every draw.

    Decimal scores are integer multiples of a unit, so their sums are exact. The sums of other scores could differ in
    the last bit between columns of a matrix product, so identical systems share one column.
    """

    values: Floats
    unit: float
    columns: npt.NDArray[np.intp]

    @classmethod
    def of(cls, scores: ScoreMatrix) -> TopicMeans:
        """Prepare a score matrix without missing scores."""
        _ = scores.means  # raises and names what is missing
        coded = decimal_code(scores.values)
        if coded is not None:
            return cls(coded[0], coded[1], np.arange(len(scores.systems)))
        distinct, columns = np.unique(scores.values, axis=1, return_inverse=True)
        return cls(np.ascontiguousarray(distinct), 1.0, columns.reshape(-1))

    smooth: ClassVar[bool] = False

    @property
    def topics(self) -> int:
        """The number of topics."""
        return len(self.values)

    def means(self, counts: Counts, generator: np.random.Generator | None = None) -> Floats:
        """The means for each row of counts."""
        sums = counts @ self.values
        means = sums / (counts.sum(axis=1, keepdims=True) * self.unit)
        return np.ascontiguousarray(means[:, self.columns])

    def without_each(self, left_out: slice) -> Floats:
        """The means without each of these topics."""
        sums = self.values.sum(axis=0) - self.values[left_out]
        means = sums / ((self.topics - 1) * self.unit)
        return np.ascontiguousarray(means[:, self.columns])


@dataclass(frozen=True)
class TopicMedians:
    """Medians of systems over resampled topics."""

    values: Floats
    order: npt.NDArray[np.int64]
    smooth: ClassVar[bool] = False

    @property
    def topics(self) -> int:
        """The number of topics."""
        return len(self.values)

    def means(self, counts: Counts, generator: np.random.Generator | None = None) -> Floats:
        """The medians for each row of counts."""
        return weighted_medians(self.values, self.order, counts)

    def without_each(self, left_out: slice) -> Floats:
        """The medians without each of these topics."""
        return self.means(_without_each(self.topics, left_out))


@dataclass(frozen=True)
class TopicFits:
    """Scores of systems with missing ones, fitted anew to every draw of topics.

    Topics have weights that are never 0, so that every draw compares all systems.
    """

    table: IncompleteScores
    smooth: ClassVar[bool] = True

    @property
    def topics(self) -> int:
        """The number of topics."""
        return self.table.topics

    def means(self, counts: Counts, generator: np.random.Generator | None = None) -> Floats:
        """The scores for each row of weights; a generator adds the errors that draws of few topics do not show."""
        fitted = self.table.means(counts)
        if generator is None:
            return fitted
        return np.asarray(fitted + self.table.extra_errors * generator.standard_normal(fitted.shape))

    def without_each(self, left_out: slice) -> Floats:
        """An error: without one of its topics, a system may have none that others share."""
        raise BadParameter(
            "topics are left out in turn where no score is missing; use method='recentred' (--interval recentred), or "
            "on_missing='intersect' (--on-missing intersect)"
        )


Resampled = TopicMeans | TopicMedians | TopicFits


def resampled(scores: ScoreMatrix) -> Resampled:
    """The scores of systems under draws of topics, by the aggregate of the table."""
    _ = scores.means  # raises and names what is missing
    if scores.fit is not None:
        return TopicFits(scores.incomplete())
    if scores.aggregate == "median":
        return TopicMedians(scores.values, np.argsort(scores.values.T, axis=1, kind="stable"))
    return TopicMeans.of(scores)


def check_averaged(scores: ScoreMatrix, what: str) -> None:
    """Raise `BadParameter` for scores that are no means over the same topics, which `what` needs."""
    if not scores.averaged:
        if scores.fit is None:
            by, way_out = f"these are {scores.how.label}s", "use the mean, aggregate='mean' (--aggregate mean)"
        else:
            by = f"on_missing={scores.fit!r} keeps incomplete topics"
            way_out = "leave them out: on_missing='intersect' (--on-missing intersect), or drop-systems=SHARE"
        raise BadParameter(f"{what} needs means over the same topics, and {by}; {way_out}")


def check_plain_mean(scores: ScoreMatrix, what: str) -> None:
    """Raise `BadParameter` for scores that are no means of the scores themselves, as geometric means are."""
    check_averaged(scores, what)
    if scores.aggregate != "mean":
        raise BadParameter(
            f"{what} is of means, and these are {scores.how.label}s; use the mean, aggregate='mean' (--aggregate mean)"
        )


def _without_each(topics: int, left_out: slice) -> Counts:
    rows = np.arange(topics)[left_out]
    counts = np.ones((len(rows), topics))
    counts[np.arange(len(rows)), rows] = 0.0
    return counts


def monte_carlo_p(at_least: npt.NDArray[np.bool_]) -> float:
    """The Monte-Carlo p-value, given which draws are at least as extreme; it counts the observed one and is never 0."""
    return float((1 + np.count_nonzero(at_least)) / (1 + len(at_least)))


def check_topics(scores: ScoreMatrix, role: str) -> None:
    """Raise `MissingScores` unless there are at least two topics."""
    if len(scores.topics) < 2:
        raise MissingScores(f"{role} has {len(scores.topics)} topic; resampling needs at least two")


def in_threads(function: Callable[[T], U], items: Sequence[T], jobs: int | None) -> list[U]:
    """Apply a function that releases the interpreter's lock, as compiled kernels do; results in order."""
    workers = check_jobs(jobs) or os.cpu_count() or 1
    if workers == 1 or len(items) < 2:
        return [function(item) for item in items]
    with ThreadPoolExecutor(workers) as pool:
        try:
            return list(pool.map(function, items))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)  # an interrupt waits for running items only
            raise


_LIMIT = threading.Lock()
_limited: list[Any] = []


@contextlib.contextmanager
def one_blas_thread() -> Generator[None, None, None]:
    """One BLAS thread for the whole process meanwhile: more would fight with ours, and may change the last bits.

    It may be entered from several threads at once; the last to leave restores what was.
    """
    from threadpoolctl import threadpool_limits

    with _LIMIT:
        _limited.append(threadpool_limits(1, user_api="blas") if not _limited else None)
    try:
        yield
    finally:
        with _LIMIT:
            # The first entry holds what was, whoever made it: it is the last to go.
            limit = _limited.pop()
            if limit is not None:
                limit.restore_original_limits()


def side_by_side(first: Callable[[], T], second: Callable[[], U], jobs: int | None) -> tuple[T, U]:
    """Both results; unless jobs is 1, the second is computed in its own thread."""
    if jobs == 1:
        return first(), second()
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(second)
        return first(), other.result()
