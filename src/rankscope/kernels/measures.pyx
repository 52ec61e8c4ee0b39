"""Walks over the judged documents of every ranking: counts, discounted sums and cascades, for many gradings at once.

A cell is a topic and a system. Each kernel takes (B, J) numbers per judgment, for B gradings of the same J judgments,
and returns (B, cells) or (B, topics) numbers.

`levels` classify judgments: 2 is relevant, 1 is judged and not relevant, 0 is in the pool and not judged (a negative
grade), −1 is absent. With `judged_only`, unjudged documents are removed from the ranking before ranks are counted.
"""

from typing import NamedTuple

import numpy as np

from libc.stdint cimport int8_t, int32_t, int64_t

# Deeper than any ranking.
cdef const int64_t _BOTTOM = 1 << 62
# Gradings that `hit_counts` takes at a time, one in each lane of its vector loops.
cdef enum:
    _LANES = 16


class Rankings(NamedTuple):
    """The judged documents of all cells, as in `rankscope.runs.JudgedRuns`; cells of a topic are adjacent.

    The judged documents of cell c are at `starts[c]:starts[c + 1]`: `ranks` has their ranks, from 1 and ascending,
    and `rows` their rows in the judgments. `retrieved[c]` is the number of documents retrieved, judged or not. The
    judgments of topic t are the rows `judgment_starts[t]:judgment_starts[t + 1]`.
    """

    starts: np.ndarray
    ranks: np.ndarray
    rows: np.ndarray
    retrieved: np.ndarray
    judgment_starts: np.ndarray


class TopCounts(NamedTuple):
    """Counts in the tops of the rankings: the first two by topic, (B, topics), the others by cell, (B, cells)."""

    relevant: np.ndarray
    judged_not_relevant: np.ndarray
    hits: np.ndarray
    precision_sum: np.ndarray
    first_hit: np.ndarray
    known: np.ndarray
    shown: np.ndarray


def counts(rankings, const int8_t[:, ::1] levels, int64_t cutoff, bint judged_only):
    """Counts down to rank `cutoff`: 0 is the whole ranking, −1 the topic's number of relevant documents.

    `precision_sum` sums the precision at each relevant document (a hit), `first_hit` is the rank of the first (0
    without any), `known` counts documents with a row in the judgments, and `shown` all documents.
    """
    cdef const int64_t[::1] starts = rankings.starts, judgment_starts = rankings.judgment_starts
    cdef const int32_t[::1] ranks = rankings.ranks, rows = rankings.rows, retrieved = rankings.retrieved
    cdef Py_ssize_t variants = levels.shape[0], topics = judgment_starts.shape[0] - 1, cells = retrieved.shape[0]
    cdef Py_ssize_t systems = cells // topics if topics > 0 else 0
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
    cdef double[:, ::1] all_relevant = out.relevant, all_judged = out.judged_not_relevant, all_hits = out.hits
    cdef double[:, ::1] precision_sums = out.precision_sum, first_hits = out.first_hit
    cdef double[:, ::1] all_known = out.known, all_shown = out.shown
    cdef Py_ssize_t b, t, c, i, j
    cdef int64_t relevant, judged, depth, hits, known, rank
    cdef const int8_t* level_of
    cdef int8_t level
    cdef double precision_sum
    cdef double[::1] room = np.empty(1 + np.diff(rankings.starts).max(initial=0))
    cdef double* hit_ranks = &room[0]
    with nogil:
        for b in range(variants):
            level_of = &levels[b, 0]
            for t in range(topics):
                relevant, judged = 0, 0
                for j in range(judgment_starts[t], judgment_starts[t + 1]):
                    relevant += level_of[j] == 2
                    judged += level_of[j] == 1
                all_relevant[b, t] = relevant
                all_judged[b, t] = judged
                depth = cutoff
                if cutoff == 0:
                    depth = _BOTTOM
                elif cutoff < 0:
                    depth = relevant
                for c in range(t * systems, (t + 1) * systems):
                    hits, known = 0, 0
                    for i in range(starts[c], starts[c + 1]):
                        level = level_of[rows[i]]
                        rank = ranks[i]
                        if judged_only:
                            if level < 1:
                                continue
                            rank = known + 1
                        if rank > depth:
                            break
                        # Without branches, which would be mispredicted: a rank stays only if it is that of a hit.
                        hit_ranks[hits] = rank
                        hits += level == 2
                        known += level >= 0
                    precision_sum = 0.0
                    for i in range(hits):
                        precision_sum += <double>(i + 1) / hit_ranks[i]
                    all_hits[b, c] = hits
                    precision_sums[b, c] = precision_sum
                    first_hits[b, c] = hit_ranks[0] if hits > 0 else 0.0
                    all_known[b, c] = known
                    all_shown[b, c] = known if judged_only else min(<int64_t>retrieved[c], depth)
    return out


def hit_counts(rankings, const int8_t[:, ::1] levels, int64_t cutoff):
    """`relevant`, `hits` and `precision_sum` as `counts` gives them, for many gradings; `cutoff` is not negative.

    The gradings of a document are adjacent numbers here, so that loops over gradings become vector code.
    """
    cdef const int64_t[::1] starts = rankings.starts, judgment_starts = rankings.judgment_starts
    cdef const int32_t[::1] ranks = rankings.ranks, rows = rankings.rows
    cdef Py_ssize_t variants = levels.shape[0], topics = judgment_starts.shape[0] - 1, cells = starts.shape[0] - 1
    cdef Py_ssize_t systems = cells // topics if topics > 0 else 0
    relevant_out = np.zeros((variants, topics))
    hits_out, sums_out = np.zeros((variants, cells)), np.zeros((variants, cells))
    cdef double[:, ::1] all_relevant = relevant_out, all_hits = hits_out, all_sums = sums_out
    cdef int64_t depth = cutoff if cutoff > 0 else _BOTTOM
    cdef double[::1] room = np.empty(_LANES * (1 + np.diff(rankings.judgment_starts).max(initial=0)))
    cdef double* is_hit = &room[0]
    cdef const double* here
    cdef double[_LANES] relevant, hits, sums
    cdef Py_ssize_t block, b, t, c, i, j, v, first, width
    cdef double rank
    with nogil:
        for block in range((variants + _LANES - 1) // _LANES):
            b = block * _LANES
            width = min(<Py_ssize_t>_LANES, variants - b)
            for t in range(topics):
                first = judgment_starts[t]
                for v in range(width):
                    relevant[v] = 0.0
                for j in range(judgment_starts[t + 1] - first):
                    for v in range(width):
                        is_hit[j * _LANES + v] = levels[b + v, first + j] == 2
                        relevant[v] += is_hit[j * _LANES + v]
                for v in range(width):
                    all_relevant[b + v, t] = relevant[v]
                for c in range(t * systems, (t + 1) * systems):
                    for v in range(width):
                        hits[v] = 0.0
                        sums[v] = 0.0
                    for i in range(starts[c], starts[c + 1]):
                        if ranks[i] > depth:
                            break
                        rank = ranks[i]
                        here = is_hit + (rows[i] - first) * _LANES
                        # What is no hit adds 0 to the sum of its grading, which leaves it as it is.
                        for v in range(width):
                            hits[v] += here[v]
                            sums[v] += here[v] * hits[v] / rank
                    for v in range(width):
                        all_hits[b + v, c] = hits[v]
                        all_sums[b + v, c] = sums[v]
    return relevant_out, hits_out, sums_out


def discounted(
    rankings,
    const int8_t[:, ::1] levels,
    const double[:, ::1] gains,
    const double[:, ::1] ideal_gains,
    const double[::1] weights,
    int64_t cutoff,
    bint judged_only,
):
    """Σ gain × weight of the rank by cell, and by topic the same sum for the ideal order.

    `weights[r]` is the weight of rank r + 1; ranks beyond its end and beyond `cutoff` (0 for none) do not count. Each
    topic's `ideal_gains` are sorted in descending order, so that a perfect ranking has exactly the ideal's sum.
    """
    cdef const int64_t[::1] starts = rankings.starts, judgment_starts = rankings.judgment_starts
    cdef const int32_t[::1] ranks = rankings.ranks, rows = rankings.rows
    cdef Py_ssize_t variants = gains.shape[0], topics = judgment_starts.shape[0] - 1, cells = starts.shape[0] - 1
    cdef Py_ssize_t systems = cells // topics if topics > 0 else 0
    cdef int64_t depth = min(cutoff, weights.shape[0]) if cutoff > 0 else weights.shape[0]
    sums_out, ideals_out = np.zeros((variants, cells)), np.zeros((variants, topics))
    cdef double[:, ::1] sums = sums_out, ideals = ideals_out
    cdef Py_ssize_t b, t, c, i, j, first
    cdef int64_t known, rank
    cdef const int8_t* level_of
    cdef const double* gain_of
    cdef double total
    with nogil:
        for b in range(variants):
            level_of, gain_of = &levels[b, 0], &gains[b, 0]
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
                        rank = ranks[i]
                        if judged_only:
                            if level_of[rows[i]] < 1:
                                continue
                            known += 1
                            rank = known
                        if rank > depth:
                            break
                        total += gain_of[rows[i]] * weights[rank - 1]
                    sums[b, c] = total
    return sums_out, ideals_out


def cascade(rankings, const double[:, ::1] stops, int64_t cutoff):
    """Σ P(the reader stops at rank r) / r, by cell; a document satisfies the reader with probability `stops`."""
    cdef const int64_t[::1] starts = rankings.starts
    cdef const int32_t[::1] ranks = rankings.ranks, rows = rankings.rows
    cdef Py_ssize_t variants = stops.shape[0], cells = starts.shape[0] - 1
    sums = np.zeros((variants, cells))
    cdef double[:, ::1] out = sums
    cdef Py_ssize_t b, c, i
    cdef const double* stop_of
    cdef double total, reading, stop
    with nogil:
        for b in range(variants):
            stop_of = &stops[b, 0]
            for c in range(cells):
                total, reading = 0.0, 1.0
                for i in range(starts[c], starts[c + 1]):
                    if cutoff > 0 and ranks[i] > cutoff:
                        break
                    stop = stop_of[rows[i]]
                    total += reading * stop / ranks[i]
                    reading *= 1.0 - stop
                out[b, c] = total
    return sums
