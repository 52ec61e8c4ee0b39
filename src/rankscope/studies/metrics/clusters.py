"""Measures that say the same: average linkage on 1 − r, leaves in the order that puts like beside like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.scores import Floats


@dataclass(frozen=True, kw_only=True)
class Merge:
    """Two clusters become one: where they join on the way from 1 − r = 0, and the measures on each side."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    correlation: float


@dataclass(frozen=True, kw_only=True)
class Clusters:
    """The order of leaves, the merges from the closest to the last, and the groups at a threshold of mean r."""

    order: tuple[str, ...]
    merges: tuple[Merge, ...]
    groups: tuple[tuple[str, ...], ...]
    threshold: float


def clusters(correlations: Floats, measures: Sequence[str], threshold: float) -> Clusters:
    """Cluster measures by their correlations; a matrix that is not symmetric is averaged with its transpose.

    A correlation that is nan counts as −1, so that what is unknown never joins measures.

    >>> clustered = clusters(np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, 1.0]]), ["a", "b", "c"], 0.8)
    >>> clustered.groups, round(clustered.merges[-1].correlation, 6)
    ((('a', 'b'), ('c',)), 0.15)
    """
    from scipy.cluster.hierarchy import linkage

    both = np.nan_to_num((correlations + correlations.T) / 2.0, nan=-1.0)
    distances = np.clip(1.0 - both, 0.0, 2.0)  # rounding can put r a hair above 1
    tree = linkage(distances[np.triu_indices(len(measures), 1)], method="average")
    members: list[tuple[int, ...]] = [(i,) for i in range(len(measures))]
    orders = [_Branch(i) for i in range(len(measures))]
    merges, parts = [], set(members)
    for left, right, distance, _ in tree:
        first, second = members[int(left)], members[int(right)]
        members.append(first + second)
        orders.append(_Branch.joined(orders[int(left)], orders[int(right)], distances))
        if 1.0 - distance >= threshold - 1e-12:
            parts = (parts - {first, second}) | {first + second}
        merges.append(
            Merge(
                first=tuple(measures[i] for i in first),
                second=tuple(measures[i] for i in second),
                correlation=float(1.0 - distance),
            )
        )
    # An order of leaves is as good read from its end: the end whose measure comes first in the table goes first.
    order = orders[-1].shortest()
    order = order if order[0] < order[-1] else order[::-1]
    place = {leaf: position for position, leaf in enumerate(order)}
    groups = sorted(parts, key=lambda part: min(place[leaf] for leaf in part))
    return Clusters(
        order=tuple(measures[i] for i in order),
        merges=tuple(merges),
        groups=tuple(tuple(measures[i] for i in sorted(group, key=place.__getitem__)) for group in groups),
        threshold=threshold,
    )


class _Branch:
    """A subtree and the shortest path through its leaves for each pair of end leaves (Bar-Joseph et al. 2001).

    scipy has a function for this; its paths are not always the shortest.
    """

    def __init__(self, leaf: int) -> None:
        self.leaves = [leaf]
        self.lengths: Floats = np.zeros((1, 1))
        self.parts: tuple[_Branch, _Branch] | None = None
        self.inner: npt.NDArray[np.intp] = np.zeros((1, 1, 2), dtype=np.intp)

    @staticmethod
    def joined(left: _Branch, right: _Branch, distances: Floats) -> _Branch:
        """Both subtrees one after the other: ends (u, w), and the two leaves (m, k) that meet in between."""
        node = _Branch(-1)
        node.leaves = left.leaves + right.leaves
        node.parts = (left, right)
        a, b = len(left.leaves), len(right.leaves)
        step = left.lengths[:, :, None] + distances[np.ix_(left.leaves, right.leaves)][None]  # u, m, k
        m = np.argmin(step, axis=1)
        over = np.take_along_axis(step, m[:, None, :], axis=1)[:, 0, :, None] + right.lengths[None]  # u, k, w
        k = np.argmin(over, axis=1)
        across = np.take_along_axis(over, k[:, None, :], axis=1)[:, 0, :]
        node.lengths = np.full((a + b, a + b), np.inf)
        node.lengths[:a, a:], node.lengths[a:, :a] = across, across.T
        node.inner = np.zeros((a + b, a + b, 2), dtype=np.intp)
        node.inner[:a, a:, 0], node.inner[:a, a:, 1] = np.take_along_axis(m, k, axis=1), k
        return node

    def shortest(self) -> tuple[int, ...]:
        """The leaves along the shortest path of all."""
        if self.parts is None:
            return tuple(self.leaves)
        a = len(self.parts[0].leaves)
        u, w = np.unravel_index(int(np.argmin(self.lengths[:a, a:])), (a, len(self.leaves) - a))
        return self._path(int(u), a + int(w))

    def _path(self, u: int, w: int) -> tuple[int, ...]:
        if self.parts is None:
            return tuple(self.leaves)
        a = len(self.parts[0].leaves)
        if u >= a:
            return self._path(w, u)[::-1]
        m, k = (int(i) for i in self.inner[u, w])
        return self.parts[0]._path(u, m) + self.parts[1]._path(k, w - a)
