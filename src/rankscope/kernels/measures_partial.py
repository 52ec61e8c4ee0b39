"""Walks for measures that skip unjudged documents or need the whole ranking: bpref, infAP, IPrec, Compat, INST."""

import numpy as np

from rankscope.kernels.compiled import Floats, Integers, compiled
from rankscope.kernels.measures import Levels, Rankings

# trec_eval's smoothing of the precision above a document.
_EPSILON = 0.00001


@compiled
def preferences(rankings: Rankings, levels: Levels, inferred: bool) -> Floats:
    """Binary preference by cell, or inferred AP.

    bpref is the mean over the R relevant documents of 1 − (judged non-relevant above it, at most R) / min(R, N), N
    being the number of judged non-relevant documents. Inferred AP is the mean of the expected precision at each
    relevant document: documents in the pool and not judged are relevant as often as those judged above it.
    """
    starts, ranks, rows, judgment_starts = rankings.starts, rankings.ranks, rankings.rows, rankings.judgment_starts
    variants = levels.shape[0]
    topics = judgment_starts.shape[0] - 1
    cells = starts.shape[0] - 1
    systems = cells // topics if topics > 0 else 0
    out = np.zeros((variants, cells))
    for b in range(variants):
        for t in range(topics):
            relevant, judged = 0, 0
            for j in range(judgment_starts[t], judgment_starts[t + 1]):
                level = levels[b, j]
                if level == 2:
                    relevant += 1
                elif level == 1:
                    judged += 1
            if relevant == 0:
                continue
            most = min(relevant, judged)
            for c in range(t * systems, (t + 1) * systems):
                total = 0.0
                hits, wrong, pooled = 0, 0, 0
                for i in range(starts[c], starts[c + 1]):
                    level = levels[b, rows[i]]
                    if level < 0:
                        continue
                    if level == 0:
                        pooled += 1
                    elif level == 1:
                        wrong += 1
                    elif not inferred:
                        total += 1.0 - min(wrong, relevant) / most if wrong > 0 else 1.0
                    else:
                        above = np.float64(ranks[i] - 1)
                        total += 1.0 / (above + 1.0)
                        if above > 0.0:
                            in_pool = (hits + wrong + pooled) / above
                            precision = (hits + _EPSILON) / (hits + wrong + 2.0 * _EPSILON)
                            total += above / (above + 1.0) * in_pool * precision
                        hits += 1
                out[b, c] = total / relevant
    return out


@compiled
def interpolated(rankings: Rankings, levels: Levels, needed: Integers, judged_only: bool) -> Floats:
    """The greatest precision at any rank with at least `needed` relevant documents above it or at it.

    `needed` has shape (B, topics, L) for L levels of recall; where 0 are needed every rank counts. The result has
    shape (L, B, cells).
    """
    starts, ranks, rows, retrieved, judgment_starts = rankings
    variants = levels.shape[0]
    topics = judgment_starts.shape[0] - 1
    cells = retrieved.shape[0]
    systems = cells // topics if topics > 0 else 0
    targets = needed.shape[2]
    out = np.zeros((targets, variants, cells))
    deepest = 0
    for c in range(cells):
        deepest = max(deepest, starts[c + 1] - starts[c])
    precisions = np.zeros(deepest)
    for b in range(variants):
        for t in range(topics):
            for c in range(t * systems, (t + 1) * systems):
                hits, known = 0, 0
                for i in range(starts[c], starts[c + 1]):
                    level = levels[b, rows[i]]
                    if level >= 1:
                        known += 1
                    if level == 2:
                        rank = known if judged_only else int(ranks[i])
                        precisions[hits] = (hits + 1) / rank
                        hits += 1
                best = 0.0
                # From the bottom up; precision peaks at relevant documents only.
                for h in range(hits - 1, -1, -1):
                    best = max(best, precisions[h])
                    precisions[h] = best
                for k in range(targets):
                    target = needed[b, t, k]
                    if target <= hits and hits > 0:
                        out[k, b, c] = precisions[max(target, 1) - 1]
    return out


@compiled
def compatibility(rankings: Rankings, above: Integers, overlaps: Floats, weights: Floats, normalise: bool) -> Floats:
    """Rank-biased overlap of each ranking with the nearest ideal ranking.

    `above` is the number of documents with a greater grade, −1 for documents outside every ideal ranking. Documents of
    equal grade are in the ranking's order. `overlaps[d]` is Σ p^(i−1)/i over i ≤ d, and `weights[d]` is Σ p^(i−1).
    """
    starts, ranks, rows, retrieved, judgment_starts = rankings
    variants = above.shape[0]
    topics = judgment_starts.shape[0] - 1
    cells = retrieved.shape[0]
    systems = cells // topics if topics > 0 else 0
    out = np.zeros((variants, cells))
    largest = 0
    for t in range(topics):
        largest = max(largest, judgment_starts[t + 1] - judgment_starts[t])
    seen = np.zeros(largest + 1, dtype=np.int64)
    for b in range(variants):
        for t in range(topics):
            ideal = 0
            for j in range(judgment_starts[t], judgment_starts[t + 1]):
                if above[b, j] >= 0:
                    ideal += 1
            if ideal == 0:
                continue
            for c in range(t * systems, (t + 1) * systems):
                if retrieved[c] == 0:
                    continue
                for g in range(ideal + 1):
                    seen[g] = 0
                depth = max(int(retrieved[c]), ideal)
                total = 0.0
                for i in range(starts[c], starts[c + 1]):
                    better = int(above[b, rows[i]])
                    if better < 0:
                        continue
                    seen[better] += 1
                    both = max(int(ranks[i]), better + seen[better])
                    total += overlaps[depth] - overlaps[both - 1]
                best = weights[depth]
                if normalise:
                    best = weights[ideal] + ideal * (overlaps[depth] - overlaps[ideal])
                out[b, c] = total / best
    return out


@compiled
def adaptive(rankings: Rankings, gains: Floats, target: float, depth: int) -> Floats:
    """INST by cell: the expected gain per document of a reader who wants a total gain of `target`, over `depth` ranks.

    From rank i the reader continues with probability ((i + T + Tᵢ − 1) / (i + T + Tᵢ))², Tᵢ being the gain still
    wanted.
    """
    starts, ranks, rows = rankings.starts, rankings.ranks, rankings.rows
    variants = gains.shape[0]
    cells = starts.shape[0] - 1
    out = np.zeros((variants, cells))
    for b in range(variants):
        for c in range(cells):
            viewed, views, gained, wanted = 1.0, 0.0, 0.0, 2.0 * target
            i, last = starts[c], starts[c + 1]
            for rank in range(1, depth + 1):
                views += viewed
                if i < last and ranks[i] == rank:
                    gain = gains[b, rows[i]]
                    gained += viewed * gain
                    wanted -= gain
                    i += 1
                viewed *= ((rank + wanted - 1.0) / (rank + wanted)) ** 2
            out[b, c] = gained / views
    return out
