"""Walks over the judged documents of every ranking: counts, discounted sums and cascades, for many gradings at once.

A cell is a topic and a system. Each kernel takes (B, J) numbers per judgment, for B gradings of the same J judgments,
and returns (B, cells) or (B, topics) numbers.

`levels` classify judgments: 2 is relevant, 1 is judged and not relevant, 0 is in the pool and not judged (a negative
grade), −1 is absent. With `judged_only`, unjudged documents are removed from the ranking before ranks are counted.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.kernels.compiled import Floats, Integers, compiled

Levels = npt.NDArray[np.int8]
Codes = npt.NDArray[np.int32]

# Deeper than any ranking.
_BOTTOM = 2**62


class Rankings(NamedTuple):
    """The judged documents of all cells, as in `rankscope.runs.JudgedRuns`; cells of a topic are adjacent.

    The judged documents of cell c are at `starts[c]:starts[c + 1]`: `ranks` has their ranks, from 1 and ascending,
    and `rows` their rows in the judgments. `retrieved[c]` is the number of documents retrieved, judged or not. The
    judgments of topic t are the rows `judgment_starts[t]:judgment_starts[t + 1]`.
    """

    starts: Integers
    ranks: Codes
    rows: Codes
    retrieved: Codes
    judgment_starts: Integers


class TopCounts(NamedTuple):
    """Counts in the tops of the rankings: the first two by topic, (B, topics), the others by cell, (B, cells)."""

    relevant: Floats
    judged_not_relevant: Floats
    hits: Floats
    precision_sum: Floats
    first_hit: Floats
    known: Floats
    shown: Floats


@compiled
def counts(rankings: Rankings, levels: Levels, cutoff: int, judged_only: bool) -> TopCounts:
    """Counts down to rank `cutoff`: 0 is the whole ranking, −1 the topic's number of relevant documents.

    `precision_sum` sums the precision at each relevant document (a hit), `first_hit` is the rank of the first (0
    without any), `known` counts documents with a row in the judgments, and `shown` all documents.
    """
    starts, ranks, rows, retrieved, judgment_starts = rankings
    variants = levels.shape[0]
    topics = judgment_starts.shape[0] - 1
    cells = retrieved.shape[0]
    systems = cells // topics if topics > 0 else 0
    by_topic, by_cell = (variants, topics), (variants, cells)
    out = TopCounts(
        np.zeros(by_topic),
        np.zeros(by_topic),
        np.zeros(by_cell),
        np.zeros(by_cell),
        np.zeros(by_cell),
        np.zeros(by_cell),
        np.zeros(by_cell),
    )
    for b in range(variants):
        for t in range(topics):
            relevant, judged = 0, 0
            for j in range(judgment_starts[t], judgment_starts[t + 1]):
                level = levels[b, j]
                if level == 2:
                    relevant += 1
                elif level == 1:
                    judged += 1
            out.relevant[b, t] = relevant
            out.judged_not_relevant[b, t] = judged
            depth = cutoff
            if cutoff == 0:
                depth = _BOTTOM
            elif cutoff < 0:
                depth = relevant
            for c in range(t * systems, (t + 1) * systems):
                hits, known, first_hit = 0, 0, 0
                precision_sum = 0.0
                for i in range(starts[c], starts[c + 1]):
                    level = levels[b, rows[i]]
                    rank = int(ranks[i])
                    if judged_only:
                        if level < 1:
                            continue
                        rank = known + 1
                    if rank > depth:
                        break
                    if level >= 0:
                        known += 1
                    if level == 2:
                        hits += 1
                        precision_sum += hits / rank
                        if hits == 1:
                            first_hit = rank
                out.hits[b, c] = hits
                out.precision_sum[b, c] = precision_sum
                out.first_hit[b, c] = first_hit
                out.known[b, c] = known
                out.shown[b, c] = known if judged_only else min(int(retrieved[c]), depth)
    return out


@compiled
def discounted(
    rankings: Rankings,
    levels: Levels,
    gains: Floats,
    ideal_gains: Floats,
    weights: Floats,
    cutoff: int,
    judged_only: bool,
) -> tuple[Floats, Floats]:
    """Σ gain × weight of the rank by cell, and by topic the same sum for the ideal order.

    `weights[r]` is the weight of rank r + 1; ranks beyond its end and beyond `cutoff` (0 for none) do not count. Each
    topic's `ideal_gains` are sorted in descending order, so that a perfect ranking has exactly the ideal's sum.
    """
    starts, ranks, rows, retrieved, judgment_starts = rankings
    variants = gains.shape[0]
    topics = judgment_starts.shape[0] - 1
    cells = retrieved.shape[0]
    systems = cells // topics if topics > 0 else 0
    depth = min(cutoff, weights.shape[0]) if cutoff > 0 else weights.shape[0]
    sums = np.zeros((variants, cells))
    ideals = np.zeros((variants, topics))
    for b in range(variants):
        for t in range(topics):
            first = judgment_starts[t]
            total = 0.0
            for j in range(min(judgment_starts[t + 1] - first, depth)):
                total += ideal_gains[b, first + j] * weights[j]
            ideals[b, t] = total
            for c in range(t * systems, (t + 1) * systems):
                total = 0.0
                known = 0
                for i in range(starts[c], starts[c + 1]):
                    row = rows[i]
                    rank = int(ranks[i])
                    if judged_only:
                        if levels[b, row] < 1:
                            continue
                        known += 1
                        rank = known
                    if rank > depth:
                        break
                    total += gains[b, row] * weights[rank - 1]
                sums[b, c] = total
    return sums, ideals


@compiled
def cascade(rankings: Rankings, stops: Floats, cutoff: int) -> Floats:
    """Σ P(the reader stops at rank r) / r, by cell; a document satisfies the reader with probability `stops`."""
    starts, ranks, rows = rankings.starts, rankings.ranks, rankings.rows
    variants = stops.shape[0]
    cells = starts.shape[0] - 1
    out = np.zeros((variants, cells))
    for b in range(variants):
        for c in range(cells):
            total, reading = 0.0, 1.0
            for i in range(starts[c], starts[c + 1]):
                rank = ranks[i]
                if cutoff > 0 and rank > cutoff:
                    break
                stop = stops[b, rows[i]]
                total += reading * stop / rank
                reading *= 1.0 - stop
            out[b, c] = total
    return out
