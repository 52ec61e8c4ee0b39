"""Walks over the judged documents of every ranking: counts, discounted sums and cascades, for many gradings at once.

A cell is a topic and a system; `starts`, `ranks` and `rows` are those of `rankscope.runs.JudgedRuns`. Each kernel takes
(B, J) numbers per judgment, for B gradings of the same J judgments, and gives (B, cells) or (B, topics) numbers.

`levels` say what a judgment is: 2 relevant, 1 judged and not relevant, 0 in the pool and not judged (a negative grade),
−1 not there at all. With `judged_only`, what is not judged is taken out of the ranking before ranks are counted.
"""

import numpy as np
import numpy.typing as npt

from rankscope.kernels.compiled import Floats, Integers, compiled

Levels = npt.NDArray[np.int8]
Codes = npt.NDArray[np.int32]

# No ranking is as deep.
_BOTTOM = 2**62


@compiled
def counts(
    starts: Integers,
    ranks: Codes,
    rows: Codes,
    retrieved: Codes,
    judgment_starts: Integers,
    levels: Levels,
    cutoff: int,
    judged_only: bool,
) -> tuple[Floats, Floats]:
    """What stands in the top of every ranking, down to `cutoff`: 0 for all of it, −1 for the number of relevant ones.

    The first array has (relevant, judged not relevant) by topic; the second, by cell, the relevant ones, the sum of
    precision at each, the rank of the first (0 for none), those with a row in the judgments, and the documents shown.
    """
    variants = levels.shape[0]
    topics = judgment_starts.shape[0] - 1
    cells = retrieved.shape[0]
    systems = cells // topics if topics > 0 else 0
    of_topic = np.zeros((2, variants, topics))
    out = np.zeros((5, variants, cells))
    for b in range(variants):
        for t in range(topics):
            relevant, judged = 0, 0
            for j in range(judgment_starts[t], judgment_starts[t + 1]):
                level = levels[b, j]
                if level == 2:
                    relevant += 1
                elif level == 1:
                    judged += 1
            of_topic[0, b, t] = relevant
            of_topic[1, b, t] = judged
            depth = cutoff
            if cutoff == 0:
                depth = _BOTTOM
            elif cutoff < 0:
                depth = relevant
            for c in range(t * systems, (t + 1) * systems):
                hits, known, first = 0, 0, 0
                total = 0.0
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
                        total += hits / rank
                        if hits == 1:
                            first = rank
                out[0, b, c] = hits
                out[1, b, c] = total
                out[2, b, c] = first
                out[3, b, c] = known
                out[4, b, c] = known if judged_only else min(int(retrieved[c]), depth)
    return of_topic, out


@compiled
def discounted(
    starts: Integers,
    ranks: Codes,
    rows: Codes,
    retrieved: Codes,
    judgment_starts: Integers,
    levels: Levels,
    gains: Floats,
    ideal_gains: Floats,
    weights: Floats,
    cutoff: int,
    judged_only: bool,
) -> tuple[Floats, Floats]:
    """Σ gain × weight of the rank, by cell, and the same by topic for the best order there is.

    `weights[r]` is the weight of rank r + 1; beyond its end and beyond `cutoff` (0 for none) nothing counts. Each
    topic's part of `ideal_gains` is sorted, the greatest first, so that a perfect ranking has the ideal's very sum.
    """
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
def cascade(starts: Integers, ranks: Codes, rows: Codes, stops: Floats, cutoff: int) -> Floats:
    """Σ P(the reader stops at r) / r, by cell, when a document satisfies the reader with probability `stops`."""
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
