"""Resampling over topics: the sample that matters (Carterette 2009, section 2).

Randomness is spawned per chunk of fixed size, so that a seed gives the same draws whatever the number of workers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from rankscope.errors import BadParameter, MissingScores
from rankscope.scores import Floats, ScoreMatrix, decimal_code

Seed = int | np.random.Generator
Counts = npt.NDArray[np.float64]
T = TypeVar("T")
U = TypeVar("U")

CHUNK = 500
# Counts held at a time, so that memory grows with topics and not with topics × draws.
_COUNTS = 4_000_000


def generators(rng: Seed, draws: int) -> Iterator[tuple[np.random.Generator, int]]:
    """A generator of its own, and the number of draws, for each chunk."""
    if draws < 1:
        raise BadParameter(f"resamples={draws}: one at least")
    sequence = rng.bit_generator.seed_seq if isinstance(rng, np.random.Generator) else np.random.SeedSequence(rng)
    sizes = [min(CHUNK, draws - start) for start in range(0, draws, CHUNK)]
    children: list[np.random.SeedSequence] = sequence.spawn(len(sizes))  # type: ignore[attr-defined]
    for child, size in zip(children, sizes, strict=True):
        yield np.random.default_rng(child), size


def topic_counts(generator: np.random.Generator, topics: int, draws: int) -> Counts:
    """How often each topic is in each of the draws with replacement."""
    drawn = generator.integers(0, topics, size=(draws, topics)) + topics * np.arange(draws)[:, None]
    return np.bincount(drawn.ravel(), minlength=draws * topics).reshape(draws, topics).astype(np.float64)


def count_blocks(generator: np.random.Generator, topics: int, draws: int) -> Iterator[Counts]:
    """The counts of `topic_counts`, some draws at a time: the same numbers however many that are."""
    step = max(1, _COUNTS // topics)
    for start in range(0, draws, step):
        yield topic_counts(generator, topics, min(step, draws - start))


def row_blocks(rows: int, columns: int) -> Iterator[slice]:
    """Rows of a table of so many columns, some at a time."""
    step = max(1, _COUNTS // max(columns, 1))
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))


@dataclass(frozen=True)
class TopicMeans:
    """Means of systems over resampled topics, in which systems that tie exactly tie in every draw.

    Decimal scores are whole numbers of a unit, and their sums are exact; other scores could differ in the last bit
    from column to column of a matrix product, so identical systems share one column.
    """

    values: Floats
    unit: float
    columns: npt.NDArray[np.intp]

    @classmethod
    def of(cls, scores: ScoreMatrix) -> TopicMeans:
        """Prepare a score matrix; all its scores must be there."""
        _ = scores.means  # raises, and says what is missing
        coded = decimal_code(scores.values)
        if coded is not None:
            return cls(coded[0], coded[1], np.arange(len(scores.systems)))
        distinct, columns = np.unique(scores.values, axis=1, return_inverse=True)
        return cls(np.ascontiguousarray(distinct), 1.0, columns.reshape(-1))

    @property
    def topics(self) -> int:
        """The number of topics."""
        return len(self.values)

    def means(self, counts: Counts) -> Floats:
        """The means for each row of counts."""
        sums = counts @ self.values
        means = sums / (counts.sum(axis=1, keepdims=True) * self.unit)
        return np.ascontiguousarray(means[:, self.columns])

    def without_each(self, left_out: slice) -> Floats:
        """The means without each of these topics."""
        sums = self.values.sum(axis=0) - self.values[left_out]
        means = sums / ((self.topics - 1) * self.unit)
        return np.ascontiguousarray(means[:, self.columns])


def monte_carlo_p(at_least: npt.NDArray[np.bool_]) -> float:
    """A Monte-Carlo p-value from which draws are at least as extreme; the observed one is counted, so it is never 0."""
    return float((1 + np.count_nonzero(at_least)) / (1 + len(at_least)))


def check_topics(scores: ScoreMatrix, role: str) -> None:
    """Refuse a single topic, which has no spread."""
    if len(scores.topics) < 2:
        raise MissingScores(f"{role} has {len(scores.topics)} topic; resampling needs two at least")


def in_threads(function: Callable[[T], U], items: Sequence[T], jobs: int | None) -> list[U]:
    """Apply a function that leaves the interpreter's lock (compiled kernels do) to all items, results in order."""
    workers = os.cpu_count() or 1 if jobs is None else jobs
    if workers < 1:
        raise BadParameter(f"jobs={jobs}: one at least")
    if workers == 1 or len(items) < 2:
        return [function(item) for item in items]
    with ThreadPoolExecutor(workers) as pool:
        try:
            return list(pool.map(function, items))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)  # an interrupt ends what is running, not all that waits
            raise


def side_by_side(first: Callable[[], T], second: Callable[[], U], jobs: int | None) -> tuple[T, U]:
    """Both results, the second computed in a thread of its own unless one job is all there is."""
    if jobs == 1:
        return first(), second()
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(second)
        return first(), other.result()
