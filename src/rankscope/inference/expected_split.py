"""Split halves: the correlation of two sets of topics, extrapolated to all of them (Urbano & Marrero 2016, 4.2)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankscope.errors import MissingScores
from rankscope.inference.expected_bayes import discordance
from rankscope.inference.expected_pairs import Draws, Sample
from rankscope.inference.resampling import generators, in_threads
from rankscope.scores import Floats

_SIZES = 20
FEWEST_TOPICS = 4


def subset_sizes(topics: int) -> list[int]:
    """Up to twenty sizes from 2 to half the topics; where that is 2, also 1, since a slope needs two.

    >>> subset_sizes(10), subset_sizes(4), subset_sizes(50)[-3:]
    ([2, 3, 4, 5], [1, 2], [23, 24, 25])
    """
    sizes = sorted({int(size) for size in np.rint(np.linspace(1, topics // 2, _SIZES + 1))})
    return sizes if len(sizes) <= 2 else sizes[1:]


def with_replacement(sample: Sample, draws: Draws) -> Floats:
    """SH(w): both halves drawn from all topics."""
    return split_halves(sample, draws, replace=True)


def without_replacement(sample: Sample, draws: Draws) -> Floats:
    """SH(w/o): halves that share no topic."""
    return split_halves(sample, draws, replace=False)


def split_halves(sample: Sample, draws: Draws, *, replace: bool) -> Floats:
    """E[τ] and E[τ_AP]: log(1 − (r + 1)/2), the log of discordance, fitted on subset size and read off at n.

    As the authors' code has it: 2,000 splits for 1,000 resamples, at most 100 a size; splits without discordance have
    no logarithm and are left out. Where none is left, no discordance was seen, and the estimate is 1.
    """
    if sample.topics < FEWEST_TOPICS:
        raise MissingScores(
            f"there are {sample.topics} topics; split halves of two sizes need {FEWEST_TOPICS}: "
            "use estimator='msqd' (--estimator msqd)"
        )
    sizes = subset_sizes(sample.topics)
    trials = max(1, min(draws.resamples // 10, 2 * draws.resamples // len(sizes)))
    found = observed_discordances(sample, np.repeat(sizes, trials), draws, replace=replace)
    x = np.repeat(np.asarray(sizes, dtype=np.float64), trials)
    return np.array([1.0 - 2.0 * extrapolated(x, found[:, k], sample.topics) for k in range(2)])


def observed_discordances(sample: Sample, sizes: npt.NDArray[np.intp], draws: Draws, *, replace: bool) -> Floats:
    """For a split of each of these sizes, the discordance of its halves by τ and by τ_AP (columns)."""
    chunks = list(generators(draws.rng, len(sizes)))
    starts = np.cumsum([0] + [size for _, size in chunks])

    def one_chunk(k: int) -> Floats:
        generator, chosen = chunks[k][0], sizes[starts[k] : starts[k + 1]]
        split = with_replacement_counts if replace else without_replacement_counts
        first, second = split(generator, sample.topics, chosen)
        return discordance(sample.sums_over(first), sample.sums_over(second))

    return np.concatenate(in_threads(one_chunk, range(len(chunks)), draws.jobs))


def extrapolated(x: Floats, discordance: Floats, topics: int) -> float:
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
    both = np.tile(sizes, 2)
    drawn = generator.integers(0, topics, size=int(both.sum())) + np.repeat(topics * np.arange(len(both)), both)
    counts = np.bincount(drawn, minlength=len(both) * topics).reshape(len(both), topics).astype(np.float64)
    return counts[: len(sizes)], counts[len(sizes) :]


def without_replacement_counts(
    generator: np.random.Generator, topics: int, sizes: npt.NDArray[np.intp]
) -> tuple[Floats, Floats]:
    places = np.argsort(generator.random((len(sizes), topics)), axis=1).argsort(axis=1)
    limit = sizes[:, None]
    return (places < limit).astype(np.float64), ((places >= limit) & (places < 2 * limit)).astype(np.float64)
