"""Systems that an estimate moves together: clusters of its residuals over topics, with a permutation test.

The residual of a system on a topic is the estimate's score less the truth's, on the truth's scale, less the topic's
median and in units of the topic's root mean square. Systems whose residuals rise and fall together over topics are
joined by average linkage of correlations, as long as the join is stronger than chance: where residuals are dealt anew
to the systems within each topic, and where each system's are shuffled over topics, even the two closest systems are
rarely as close. The first keeps topics of different spread, the second systems of different spread; the larger p
counts. So the level holds over all pairs and clusters at once. Columns are centred, so that mean residuals hardly
matter for the correlations, and a test of a cluster's mean is not biased by the search for clusters (docs/clusters.md
has its level).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.inference.resampling import Seed, generators, monte_carlo_p
from rankscope.scores import Floats

PERMUTATIONS = 999
# With fewer topics or systems nothing can move together, or apart.
LEAST = 3
# Above this number of systems a permutation costs too much.
MOST_SYSTEMS = 500


@dataclass(frozen=True, kw_only=True)
class JoinedSystems:
    """The places of systems that were joined, the mean correlation at which the last of them joined, and its p."""

    systems: tuple[int, ...]
    correlation: float
    pvalue: float


def joined_systems(
    residuals: Floats, *, alpha: float, rng: Seed, permutations: int = PERMUTATIONS
) -> tuple[JoinedSystems, ...]:
    """The clusters of columns of a table, topics × systems, that are significant; the largest first.

    >>> rng = np.random.default_rng(0)
    >>> table = rng.standard_normal((40, 12))
    >>> table[:, 3:6] += 2.0 * rng.standard_normal((40, 1))
    >>> [cluster.systems for cluster in joined_systems(table, alpha=0.05, rng=0)]
    [(3, 4, 5)]
    """
    from scipy.cluster.hierarchy import linkage

    systems = residuals.shape[1]
    scaled = _scaled(residuals)
    observed = _correlations(scaled)
    dealt, shuffled = np.concatenate(
        [_highest(residuals, generator, draws) for generator, draws in generators(rng, permutations)], axis=1
    )
    tree = linkage(np.clip(1.0 - observed[np.triu_indices(systems, 1)], 0.0, 2.0), method="average")
    members: list[tuple[int, ...]] = [(i,) for i in range(systems)]
    joined: dict[tuple[int, ...], JoinedSystems] = {}
    for left, right, distance, _ in tree:
        first, second = members[int(left)], members[int(right)]
        own = tuple(sorted(first + second))
        members.append(own)
        p = max(monte_carlo_p(highest >= (1.0 - distance) - 1e-12) for highest in (dealt, shuffled))
        if p <= alpha:
            joined.pop(first, None)
            joined.pop(second, None)
            joined[own] = JoinedSystems(systems=own, correlation=float(1.0 - distance), pvalue=p)
    return tuple(sorted(joined.values(), key=lambda cluster: (-len(cluster.systems), cluster.systems)))


def _correlations(residuals: Floats) -> Floats:
    """Correlations of columns; −1 with a column that does not vary, so that what is unknown never joins."""
    columns = residuals - residuals.mean(axis=0)
    sizes = np.sqrt((columns**2).sum(axis=0))
    known = sizes > 1e-12 * max(float(sizes.max()), np.finfo(float).tiny)
    scaled = np.where(known, columns / np.where(known, sizes, 1.0), 0.0)
    return np.where(known[:, None] & known[None], scaled.T @ scaled, -1.0)


def _scaled(residuals: Floats) -> Floats:
    """Each topic less its median, in units of its root mean square."""
    # Centred by means, all others would move together against a cluster that moves far.
    centred = residuals - np.median(residuals, axis=1, keepdims=True)
    # Of equal size on all topics, so that a few topics do not decide; systems may still be exchanged within each.
    sizes = np.sqrt((centred**2).mean(axis=1, keepdims=True))
    return np.asarray(centred / np.where(sizes > 0.0, sizes, 1.0))


def _highest(residuals: Floats, generator: np.random.Generator, draws: int) -> Floats:
    """The highest correlation of two columns in each draw: scaled rows dealt anew, and columns shuffled, then scaled.

    Scaling follows the shuffling, as it does the data: the median of a topic is part of all its scaled residuals, and
    so moves systems together that hardly vary.
    """
    above = np.triu_indices(residuals.shape[1], 1)
    scaled = _scaled(residuals)
    found = np.empty((2, draws))
    for draw in range(draws):
        dealt, shuffled = generator.permuted(scaled, axis=1), _scaled(generator.permuted(residuals, axis=0))
        found[:, draw] = [_correlations(table)[above].max() for table in (dealt, shuffled)]
    return found
