"""Pairwise accuracy with tie calibration (Deutsch, Foster & Freitag 2023): arrays in and out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from rankscope.checks import check_memory
from rankscope.inference.resampling import row_blocks
from rankscope.scores import Floats

# Differences this near to each other are the same: 0.3 − 0.2 and 0.2 − 0.1.
_ALIKE = 1e-9
# The most gains, of topics up to gaps, that are held in a table.
_FEW = 10_000_000
# Bytes for each pair: its gap, gain, weight and two topics, sorted.
_BYTES = 100


@dataclass(frozen=True)
class TiedPairs:
    """Pairs of cells within groups, by their difference in the estimate, and what it gains to tie each of them.

    `right` and `right_topics` are the pairs that are right at ε = 0 (or at the ε given) and their weights. `gains` are
    1 for a pair that the truth ties and the estimate does not, −1 for one ordered alike; others gain nothing. They are
    sorted by `gaps`, and `last` marks the last of those with the same gap. Weights of all pairs sum to 1.
    """

    right: Floats
    right_topics: npt.NDArray[np.intp]
    gaps: Floats
    gains: Floats
    gain_topics: npt.NDArray[np.intp]
    last: npt.NDArray[np.bool_]
    groups: int
    undefined: int
    topics: int
    products: bool
    own: float

    def best(self) -> tuple[float, float]:
        """The greatest accuracy, and the least ε that gives it."""
        sums = np.cumsum(self.gains)
        at = np.flatnonzero(self.last)
        base = float(self.right.sum())
        if not len(at) or sums[at].max() <= 1e-15:
            return base, 0.0
        where = at[int(np.argmax(sums[at] > sums[at].max() - 1e-12))]
        return base + float(sums[where]), float(self.gaps[where])

    def drawn(self, counts: Floats) -> Floats:
        """The greatest accuracy in each draw of topics."""
        right = self._per_topics(self.right, self.right_topics)
        table = self._by_gap()
        wide = 2 * len(self.gains) if table is None else table.shape[1]
        values = []
        for rows in row_blocks(len(counts), max(1, wide)):
            drawn = counts[rows]
            base = self._weighted(drawn, *right)
            if self.products:  # pairs of a cell with its own copies tie on both sides
                base = base + self.own * (drawn * (drawn - 1.0)).sum(axis=1)
            if table is not None:
                base = base + np.maximum((drawn @ table).max(axis=1, initial=0.0), 0.0)
            elif len(self.gains):
                sums = np.cumsum(self._factors(drawn, self.gain_topics) * self.gains, axis=1)
                base = base + np.maximum(sums[:, self.last].max(axis=1), 0.0)
            values.append(base)
        return np.concatenate(values)

    def _by_gap(self) -> Floats | None:
        """What each topic (row) gains up to each gap (column), where pairs are of one topic and there are few gaps."""
        gaps = int(self.last.sum())
        if self.products or gaps * self.topics > _FEW:
            return None
        gap = np.concatenate([np.zeros(min(len(self.gains), 1), dtype=np.intp), np.cumsum(self.last[:-1])])
        sums = np.bincount(self.gain_topics[0] * gaps + gap, self.gains, self.topics * gaps)
        return np.asarray(np.cumsum(sums.reshape(self.topics, gaps), axis=1))

    def _factors(self, counts: Floats, topics: npt.NDArray[np.intp]) -> Floats:
        """How often each pair is drawn: with its topic, or with both."""
        first = counts[:, topics[0]]
        return np.asarray(first * counts[:, topics[1]] if self.products else first)

    def _per_topics(self, weights: Floats, topics: npt.NDArray[np.intp]) -> tuple[Floats, npt.NDArray[np.intp]]:
        """Weights summed over pairs of the same topics."""
        code = topics[0] * self.topics + topics[1]
        sums = np.bincount(code, weights, self.topics**2)
        used = np.flatnonzero(sums)
        return sums[used].astype(np.float64), np.stack(np.divmod(used, self.topics))

    def _weighted(self, counts: Floats, weights: Floats, topics: npt.NDArray[np.intp]) -> Floats:
        return np.asarray(self._factors(counts, topics) @ weights)


def tied_pairs(
    truth: Floats, estimate: Floats, by: Literal["topic", "system", "none"], epsilon: float | None
) -> TiedPairs:
    """The pairs of two tables (topics × systems) within topics, within systems, or among all cells.

    Cells that a side lacks (nan) have no pairs, and every group weighs the same; with an ε, nothing is left to gain.
    """
    n, m = truth.shape
    x, y = _grouped(truth, by), _grouped(estimate, by)
    topic = _grouped(np.broadcast_to(np.arange(n, dtype=np.float64)[:, None], truth.shape), by)
    groups, size = x.shape
    count = groups * (size * (size - 1) // 2)
    check_memory(_BYTES * count, f"tie calibration of {count:,} pairs", "take by=topic, or fewer topics")
    i, j = np.triu_indices(size, 1)
    first, second = x[:, i] - x[:, j], y[:, i] - y[:, j]
    there = np.isfinite(first) & np.isfinite(second)
    per_group = there.sum(axis=1)
    used = max(int((per_group > 0).sum()), 1)
    weights = np.broadcast_to(1.0 / (used * np.maximum(per_group, 1.0))[:, None], first.shape)[there]
    topics = np.stack([topic[:, i][there], topic[:, j][there]]).astype(np.intp)
    first, second = np.sign(first[there]), second[there]
    gaps = np.abs(second)
    tied = first == 0.0
    if epsilon is not None:
        second = np.where(gaps <= epsilon * (1.0 + _ALIKE), 0.0, second)
    right = first == np.sign(second)
    gains = weights * (tied.astype(np.float64) - right)
    some = np.flatnonzero((gains != 0.0) & (second != 0.0) & (epsilon is None))
    # Beyond the last pair that gains, ε only loses.
    some = some[gaps[some] <= gaps[some[gains[some] > 0.0]].max(initial=-1.0) * (1.0 + _ALIKE)]
    some = some[np.argsort(gaps[some], kind="stable")]
    ordered = gaps[some]
    return TiedPairs(
        right=weights[right],
        right_topics=topics[:, right],
        gaps=ordered,
        gains=gains[some],
        gain_topics=topics[:, some],
        last=np.append(ordered[1:] > ordered[:-1] * (1.0 + _ALIKE), np.ones(min(len(ordered), 1), dtype=bool)),
        groups=used,
        undefined=groups - used,
        topics=n,
        products=by != "topic",
        own=0.0 if by == "topic" else 0.5 * m / max(count, 1),
    )


def _grouped(cells: Floats, by: Literal["topic", "system", "none"]) -> Floats:
    """A group in each row."""
    return cells.reshape(1, -1) if by == "none" else cells.T if by == "system" else cells
