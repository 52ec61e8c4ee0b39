"""Rank-biased overlap of rankings and lists (Webber, Moffat & Zobel 2010), ties as in Corsi & Urbano (2024)."""

import numpy as np

from libc.math cimport NAN, log1p, sqrt
from libc.stdint cimport INT64_MAX, int64_t

from rankscope.kernels.sorting cimport row_of

# The tie treatments.
cpdef enum:
    A = 0
    B = 1
    W = 2

# The group of an item that a list lacks: after all others.
ABSENT = INT64_MAX


cdef struct List:
    Py_ssize_t length
    const int64_t* order  # the codes of its items by rank
    const int64_t* starts  # where its tie groups start and the last one ends
    const int64_t* group  # the group of every code


cdef void _groups(
    const double* values, const int64_t* order, Py_ssize_t m, int64_t* group, int64_t* starts
) noexcept nogil:
    """Set the tie group of every item and where each group starts."""
    cdef Py_ssize_t count = 0, i
    for i in range(m):
        starts[count] = i  # written over by the next item unless a group starts here
        count += i == 0 or values[order[i]] != values[order[i - 1]]
        group[order[i]] = count - 1
    starts[count] = m


cdef inline (int64_t, int64_t) _count(List own, Py_ssize_t here, List other, Py_ssize_t other_here) noexcept nogil:
    """The numbers of items of group `here` in earlier groups of the other ranking, and in its current group."""
    cdef int64_t before = 0, inside = 0, group
    cdef Py_ssize_t i
    for i in range(own.starts[here], own.starts[here + 1]):
        group = other.group[own.order[i]]
        before += group < other_here
        inside += group == other_here
    return before, inside


cdef inline double _agreement(
    double overlap, int treatment, Py_ssize_t depth, double x_size, double y_size
) noexcept nogil:
    """The agreement at a depth; sizes are numbers of items for w, and sums of squared shares of items for b."""
    if treatment == W:
        return 2.0 * overlap / (x_size + y_size)
    if treatment == A:
        return overlap / depth
    return overlap / sqrt(x_size * y_size)


cdef inline double _size(int treatment, Py_ssize_t start, Py_ssize_t end, double share) noexcept nogil:
    """What `_agreement` takes for the size of a list whose current group stands at start to end."""
    return end if treatment == W else start + share * share * (end - start)


cdef inline double _share(int treatment, Py_ssize_t depth, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """How much of an item of the current group is in the list's top: all for w, else the mean over tie breaks."""
    return 1.0 if treatment == W else (depth - start) / <double>(end - start)


cdef struct Met:
    # What depths 1 to s of two lists give, where s is the length of the shorter one, x.
    double total  # Σ p^(d−1) A_d
    double power  # p^s
    double agreement  # A_s
    int64_t before  # items of x in groups of y before the current one
    int64_t inside  # items of x in y's current group
    Py_ssize_t here  # y's current group


cdef Met _both(List x, List y, double p, int treatment) noexcept nogil:
    """Depths 1 to s, the length of x, which is not longer than y.

    At depth d each list has a current tie group. Four counts describe how the lists meet: items before both current
    groups, in the first and before the second, in the second and before the first, and in both. They change only where
    a group ends.
    """
    cdef Py_ssize_t x_here = -1, y_here = -1, depth, x_start, x_end, y_start, y_end
    cdef int64_t both_before = 0, x_inside = 0, y_inside = 0, both_inside = 0
    cdef double total = 0.0, power = 1.0, agreement = 0.0, x_share, y_share, shared, x_size, y_size
    for depth in range(1, x.length + 1):
        if depth > x.starts[x_here + 1]:
            both_before += x_inside
            y_inside += both_inside
            x_here += 1
            x_inside, both_inside = _count(x, x_here, y, y_here)
        if depth > y.starts[y_here + 1]:
            both_before += y_inside
            x_inside += both_inside
            y_here += 1
            y_inside, both_inside = _count(y, y_here, x, x_here)
        x_start, x_end = x.starts[x_here], x.starts[x_here + 1]
        y_start, y_end = y.starts[y_here], y.starts[y_here + 1]
        x_share, y_share = _share(treatment, depth, x_start, x_end), _share(treatment, depth, y_start, y_end)
        shared = both_before + x_share * x_inside + y_share * y_inside + x_share * y_share * both_inside
        x_size, y_size = _size(treatment, x_start, x_end, x_share), _size(treatment, y_start, y_end, y_share)
        agreement = _agreement(shared, treatment, depth, x_size, y_size)
        total += power * agreement
        power *= p
    return Met(total, power, agreement, both_before + x_inside, y_inside + both_inside, y_here)


def rbo(
    const double[:, ::1] truth,
    const double[:, ::1] estimate,
    const int64_t[:, ::1] truth_order,
    const int64_t[:, ::1] estimate_order,
    double p,
    int treatment,
):
    """Extrapolated RBO of rankings of the same m items: (1 − p) Σ p^(d−1) A_d + p^m A_m."""
    cdef Py_ssize_t rows = max(truth.shape[0], estimate.shape[0]), m = truth.shape[1], row
    cdef double[::1] out = np.empty(rows)
    cdef int64_t[:, ::1] groups = np.empty((2, m), dtype=np.int64), starts = np.empty((2, m + 1), dtype=np.int64)
    cdef List x = List(m, NULL, &starts[0, 0], &groups[0, 0]), y = List(m, NULL, &starts[1, 0], &groups[1, 0])
    cdef Met met
    with nogil:
        for row in range(rows):
            x.order, y.order = row_of(truth_order, row), row_of(estimate_order, row)
            _groups(row_of(truth, row), x.order, m, &groups[0, 0], &starts[0, 0])
            _groups(row_of(estimate, row), y.order, m, &groups[1, 0], &starts[1, 0])
            met = _both(x, y, p, treatment)
            out[row] = (1.0 - p) * met.total + met.power * met.agreement
    return out.base


cdef (double, double, double) _list_rbo(List x, List y, double p, int treatment) noexcept nogil:
    """See `list_rbo`."""
    cdef Py_ssize_t s = x.length, l = y.length, depth, start, end, i
    cdef Met met = _both(x, y, p, treatment)
    cdef int64_t before = met.before, inside = met.inside, here = met.here
    cdef int64_t others_before, others_inside, unknown, first, common
    cdef double power = met.power, ext = met.total, least = met.total, greatest = met.total
    cdef double share, overlap, most, typical, size, harmonic = 0.0, term = 1.0
    # Depths s + 1 to l: x has d − s items that are not known. At least, none of them is in y; at most, they are those
    # that come first in y of what x lacks; extrapolated, each is in y's top as often as those of x are at depth s.
    for depth in range(s + 1, l + 1):
        if depth > y.starts[here + 1]:
            before += inside
            here += 1
            inside = 0
            for i in range(y.starts[here], y.starts[here + 1]):
                inside += x.group[y.order[i]] != INT64_MAX
        start, end = y.starts[here], y.starts[here + 1]
        share = _share(treatment, depth, start, end)
        overlap = before + share * inside
        others_before, others_inside = start - before, end - start - inside
        unknown = depth - s
        first = min(unknown, others_before)
        most = first + share * min(unknown - first, others_inside)
        typical = (others_before + share * others_inside) / (others_before + others_inside)
        size = _size(treatment, start, end, share)
        least += power * _agreement(overlap, treatment, depth, depth, size)
        greatest += power * _agreement(overlap + most, treatment, depth, depth, size)
        ext += power * _agreement(overlap + unknown * met.agreement * typical, treatment, depth, depth, size)
        power *= p
    # Beyond depth l, where `power` is p^l and all X_l = `common` items that the lists share have been met.
    common = before + inside
    ext = (1.0 - p) * ext + power * (common + (l - s) * met.agreement) / l
    for depth in range(1, l + 1):  # Σ p^(d−1)/d up to l
        harmonic += term / depth
        term *= p
    least = (1.0 - p) * (least + common * max(0.0, -log1p(-p) / p - harmonic))
    for depth in range(l + 1, l + s - common + 1):
        greatest += power * (2 * depth - l - s + common) / depth
        power *= p
    greatest = (1.0 - p) * greatest + power
    # The order holds by definition; rounding must not break it.
    greatest = min(greatest, 1.0)
    ext = min(ext, greatest)
    return ext, min(least, ext), greatest


def list_rbo(
    const int64_t[::1] x_order,
    const int64_t[::1] x_starts,
    const int64_t[::1] x_group,
    const int64_t[::1] y_order,
    const int64_t[::1] y_starts,
    const int64_t[::1] y_group,
    double p,
    int treatment,
):
    """Extrapolated, least and greatest RBO of two lists, x not longer than y.

    A list has its items' codes by rank, where its tie groups start and the last one ends, and the group of every code,
    `ABSENT` for items that it lacks. What follows a list has no ties. Equations are those of Webber et al. (2010), with
    contributions of tied items as in Corsi & Urbano (2024).
    """
    return _list_rbo(
        List(x_order.shape[0], &x_order[0], &x_starts[0], &x_group[0]),
        List(y_order.shape[0], &y_order[0], &y_starts[0], &y_group[0]),
        p,
        treatment,
    )


def run_rbo(
    const int64_t[::1] documents,
    const int64_t[::1] starts,
    const int64_t[::1] pool_starts,
    Py_ssize_t systems,
    double p,
):
    """Extrapolated, least and greatest RBO of every two systems on every topic, topics × pairs × 3.

    Codes of documents and where rankings start are those of a `RunSet`. Rows where a system retrieved nothing are nan.
    """
    cdef Py_ssize_t topics = pool_starts.shape[0] - 1, topic, first, second, pair, at, i
    cdef double[:, :, ::1] out = np.full((topics, systems * (systems - 1) // 2, 3), NAN)
    # Codes are counted from the topic's first, so that the lists `group` need not be longer than its pool.
    cdef Py_ssize_t pool = np.diff(pool_starts).max(initial=0)
    cdef int64_t[::1] codes = np.empty(documents.shape[0], dtype=np.int64)
    cdef int64_t[::1] x_group = np.full(pool, ABSENT, dtype=np.int64), y_group = x_group.copy()
    cdef int64_t[::1] every = np.arange(documents.shape[0] + 1, dtype=np.int64)  # without ties, group i starts at i
    cdef List x = List(0, NULL, &every[0], &x_group[0]), y = List(0, NULL, &every[0], &y_group[0])
    with nogil:
        for topic in range(topics):
            for i in range(starts[topic * systems], starts[(topic + 1) * systems]):
                codes[i] = documents[i] - pool_starts[topic]
            pair = 0
            for first in range(systems):
                at = topic * systems + first
                x.order, x.length = &codes[starts[at]], starts[at + 1] - starts[at]
                for i in range(x.length):
                    x_group[x.order[i]] = i
                for second in range(first + 1, systems):
                    at = topic * systems + second
                    y.order, y.length = &codes[starts[at]], starts[at + 1] - starts[at]
                    for i in range(y.length):
                        y_group[y.order[i]] = i
                    if x.length and y.length:
                        out[topic, pair, 0], out[topic, pair, 1], out[topic, pair, 2] = (
                            _list_rbo(x, y, p, A) if x.length <= y.length else _list_rbo(y, x, p, A)
                        )
                    for i in range(y.length):
                        y_group[y.order[i]] = INT64_MAX
                    pair += 1
                for i in range(x.length):
                    x_group[x.order[i]] = INT64_MAX
    return out.base
