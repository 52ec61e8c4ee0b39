"""Walks for measures that skip unjudged documents or need the whole ranking: bpref, infAP, IPrec, Compat, INST.

Rankings and levels are those of `rankscope.kernels.measures`.
"""

import numpy as np

from libc.stdint cimport int8_t, int32_t, int64_t

# trec_eval's smoothing of the precision above a document.
cdef const double _EPSILON = 0.00001


def preferences(rankings, const int8_t[:, ::1] levels, bint inferred):
    """Binary preference by cell, or inferred AP.

    bpref is the mean over the R relevant documents of 1 − (judged non-relevant above it, at most R) / min(R, N), N
    being the number of judged non-relevant documents. Inferred AP is the mean of the expected precision at each
    relevant document: documents in the pool and not judged are relevant as often as those judged above it.
    """
    cdef const int64_t[::1] starts = rankings.starts, judgment_starts = rankings.judgment_starts
    cdef const int32_t[::1] ranks = rankings.ranks, rows = rankings.rows
    cdef Py_ssize_t variants = levels.shape[0], topics = judgment_starts.shape[0] - 1, cells = starts.shape[0] - 1
    cdef Py_ssize_t systems = cells // topics if topics > 0 else 0
    values = np.zeros((variants, cells))
    cdef double[:, ::1] out = values
    cdef Py_ssize_t b, t, c, i, j
    cdef int64_t relevant, judged, hits, wrong, pooled
    cdef const int8_t* level_of
    cdef int8_t level
    cdef double most, total, above, in_pool, precision
    with nogil:
        for b in range(variants):
            level_of = &levels[b, 0]
            for t in range(topics):
                relevant, judged = 0, 0
                for j in range(judgment_starts[t], judgment_starts[t + 1]):
                    relevant += level_of[j] == 2
                    judged += level_of[j] == 1
                if relevant == 0:
                    continue
                most = min(relevant, judged)
                for c in range(t * systems, (t + 1) * systems):
                    total = 0.0
                    hits, wrong, pooled = 0, 0, 0
                    for i in range(starts[c], starts[c + 1]):
                        level = level_of[rows[i]]
                        if level < 0:
                            continue
                        if level == 0:
                            pooled += 1
                        elif level == 1:
                            wrong += 1
                        elif not inferred:
                            total += 1.0 - min(wrong, relevant) / most if wrong > 0 else 1.0
                        else:
                            above = ranks[i] - 1
                            total += 1.0 / (above + 1.0)
                            if above > 0.0:
                                in_pool = (hits + wrong + pooled) / above
                                precision = (hits + _EPSILON) / (hits + wrong + 2.0 * _EPSILON)
                                total += above / (above + 1.0) * in_pool * precision
                            hits += 1
                    out[b, c] = total / relevant
    return values


def interpolated(rankings, const int8_t[:, ::1] levels, const int64_t[:, :, :] needed, bint judged_only):
    """The greatest precision at any rank with at least `needed` relevant documents above it or at it.

    `needed` has shape (B, topics, L) for L levels of recall; where 0 are needed every rank counts. The result has
    shape (L, B, cells).
    """
    cdef const int64_t[::1] starts = rankings.starts
    cdef const int32_t[::1] ranks = rankings.ranks, rows = rankings.rows
    cdef Py_ssize_t variants = levels.shape[0], topics = needed.shape[1], cells = starts.shape[0] - 1
    cdef Py_ssize_t systems = cells // topics if topics > 0 else 0, targets = needed.shape[2]
    values = np.zeros((targets, variants, cells))
    cdef double[:, :, ::1] out = values
    cdef double[::1] precisions = np.zeros(np.diff(rankings.starts).max(initial=0))
    cdef Py_ssize_t b, t, c, i, h, k
    cdef int64_t hits, known, target
    cdef const int8_t* level_of
    cdef int8_t level
    cdef double best
    with nogil:
        for b in range(variants):
            level_of = &levels[b, 0]
            for t in range(topics):
                for c in range(t * systems, (t + 1) * systems):
                    hits, known = 0, 0
                    for i in range(starts[c], starts[c + 1]):
                        level = level_of[rows[i]]
                        known += level >= 1
                        if level == 2:
                            precisions[hits] = <double>(hits + 1) / <double>(known if judged_only else ranks[i])
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
    return values


def compatibility(
    rankings, const int64_t[:, ::1] above, const double[::1] overlaps, const double[::1] weights, bint normalise
):
    """Rank-biased overlap of each ranking with the nearest ideal ranking.

    `above` is the number of documents with a greater grade, −1 for documents outside every ideal ranking. Documents of
    equal grade are in the ranking's order. `overlaps[d]` is Σ p^(i−1)/i over i ≤ d, and `weights[d]` is Σ p^(i−1).
    """
    cdef const int64_t[::1] starts = rankings.starts, judgment_starts = rankings.judgment_starts
    cdef const int32_t[::1] ranks = rankings.ranks, rows = rankings.rows, retrieved = rankings.retrieved
    cdef Py_ssize_t variants = above.shape[0], topics = judgment_starts.shape[0] - 1, cells = retrieved.shape[0]
    cdef Py_ssize_t systems = cells // topics if topics > 0 else 0
    values = np.zeros((variants, cells))
    cdef double[:, ::1] out = values
    cdef int64_t[::1] seen = np.zeros(np.diff(rankings.judgment_starts).max(initial=0) + 1, np.int64)
    cdef Py_ssize_t b, t, c, i, j
    cdef int64_t ideal, depth, better, both
    cdef double total, best
    with nogil:
        for b in range(variants):
            for t in range(topics):
                ideal = 0
                for j in range(judgment_starts[t], judgment_starts[t + 1]):
                    ideal += above[b, j] >= 0
                if ideal == 0:
                    continue
                for c in range(t * systems, (t + 1) * systems):
                    if retrieved[c] == 0:
                        continue
                    for j in range(ideal + 1):
                        seen[j] = 0
                    depth = max(<int64_t>retrieved[c], ideal)
                    total = 0.0
                    for i in range(starts[c], starts[c + 1]):
                        better = above[b, rows[i]]
                        if better < 0:
                            continue
                        seen[better] += 1
                        both = max(<int64_t>ranks[i], better + seen[better])
                        total += overlaps[depth] - overlaps[both - 1]
                    best = weights[depth]
                    if normalise:
                        best = weights[ideal] + ideal * (overlaps[depth] - overlaps[ideal])
                    out[b, c] = total / best
    return values


def adaptive(rankings, const double[:, ::1] gains, double target, int64_t depth):
    """INST by cell: the expected gain per document of a reader who wants a total gain of `target`, over `depth` ranks.

    From rank i the reader continues with probability ((i + T + Tᵢ − 1) / (i + T + Tᵢ))², Tᵢ being the gain still
    wanted.
    """
    cdef const int64_t[::1] starts = rankings.starts
    cdef const int32_t[::1] ranks = rankings.ranks, rows = rankings.rows
    cdef Py_ssize_t variants = gains.shape[0], cells = starts.shape[0] - 1
    values = np.zeros((variants, cells))
    cdef double[:, ::1] out = values
    cdef Py_ssize_t b, c, i, last
    cdef int64_t rank
    cdef double viewed, views, gained, wanted, gain, continues
    with nogil:
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
                    continues = (rank + wanted - 1.0) / (rank + wanted)
                    viewed *= continues * continues
                out[b, c] = gained / views
    return values
