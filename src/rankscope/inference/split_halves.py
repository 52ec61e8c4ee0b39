"""Split halves: the correlation between two subsets of topics, extrapolated to all of them; expected.py calls this.

Urbano & Marrero 2016, section 4.2.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from rankscope.errors import MissingScores
from rankscope.inference.posterior_means import discordance
from rankscope.inference.resampling import Draws, generators, in_threads
from rankscope.inference.swap_probabilities import Sample
from rankscope.scores import Floats

_SIZES = 20
FEWEST_TOPICS = 4

# Counts of topics in both halves of each draw, from a generator, the number of topics and the halves' sizes.
Split = Callable[[np.random.Generator, int, npt.NDArray[np.intp]], tuple[Floats, Floats]]


def subset_sizes(topics: int) -> list[int]:
    """Up to twenty sizes from 2 to half the topics; with four or five topics 1 and 2, since a slope needs two sizes.

    >>> subset_sizes(10), subset_sizes(4), subset_sizes(50)[-3:]
    ([2, 3, 4, 5], [1, 2], [23, 24, 25])
    """
    sizes = sorted({int(size) for size in np.rint(np.linspace(1, topics // 2, _SIZES + 1))})
    return sizes if len(sizes) <= 2 else sizes[1:]


def split_halves(sample: Sample, draws: Draws, split: Split) -> Floats:
    """E[τ] and E[τ_AP]: log(1 − (r + 1)/2), the log of discordance, is fitted on subset size and extrapolated to n.

    As in the authors' code, 1,000 resamples are 2,000 splits, at most 100 per size. Splits without discordance have no
    logarithm and are left out; if all are, the estimate is 1.
    """
    if sample.topics < FEWEST_TOPICS:
        raise MissingScores(
            f"there are {sample.topics} topics; split halves of two sizes need {FEWEST_TOPICS}; "
            "use estimator='msqd' (--estimator msqd)"
        )
    sizes = subset_sizes(sample.topics)
    trials = max(1, min(draws.resamples // 10, 2 * draws.resamples // len(sizes)))
    discordances = observed_discordances(sample, np.repeat(sizes, trials), draws, split)
    x = np.repeat(np.asarray(sizes, dtype=np.float64), trials)
    return np.array([1.0 - 2.0 * extrapolated(x, discordances[:, k], sample.topics) for k in range(2)])


def observed_discordances(sample: Sample, sizes: npt.NDArray[np.intp], draws: Draws, split: Split) -> Floats:
    """The discordance of the halves by τ and by τ_AP (columns) for a random split of each of these sizes (rows)."""
    chunks = list(generators(draws.rng, len(sizes)))
    starts = np.cumsum([0] + [size for _, size in chunks])

    def of_chunk(k: int) -> Floats:
        first, second = split(chunks[k][0], sample.topics, sizes[starts[k] : starts[k + 1]])
        return discordance(sample.sums_over(first), sample.sums_over(second))

    return np.concatenate(in_threads(of_chunk, range(len(chunks)), draws.jobs))


def extrapolated(x: Floats, discordance: Floats, topics: int) -> float:
    """The discordance at this number of topics, by least squares of its logarithm on subset size x."""
    seen = discordance > 0.0
    if not seen.any():
        return 0.0
    x, y = x[seen], np.log(discordance[seen])
    spread = np.square(x - x.mean()).sum()
    slope = ((x - x.mean()) * (y - y.mean())).sum() / spread if spread > 0.0 else 0.0
    return float(min(np.exp(y.mean() + slope * (topics - x.mean())), 1.0))


def with_replacement_counts(
    generator: np.random.Generator, topics: int, sizes: npt.NDArray[np.intp]
) -> tuple[Floats, Floats]:
    """How often each topic (column) is in the first and in the second half of each split (row)."""
    both = np.tile(sizes, 2)
    drawn = generator.integers(0, topics, size=int(both.sum())) + np.repeat(topics * np.arange(len(both)), both)
    counts = np.bincount(drawn, minlength=len(both) * topics).reshape(len(both), topics).astype(np.float64)
    return counts[: len(sizes)], counts[len(sizes) :]


def without_replacement_counts(
    generator: np.random.Generator, topics: int, sizes: npt.NDArray[np.intp]
) -> tuple[Floats, Floats]:
    """Whether each topic (column) is in the first and in the second half of each split (row)."""
    places = np.argsort(generator.random((len(sizes), topics)), axis=1).argsort(axis=1)
    limit = sizes[:, None]
    return (places < limit).astype(np.float64), ((places >= limit) & (places < 2 * limit)).astype(np.float64)
