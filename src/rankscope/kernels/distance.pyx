"""The rank distance of Carterette (2009, Eq. 2) as a linear complementarity problem, for many orders of the systems.

For the order of an estimate, find λ ≥ 0 with θ = μ_Δ + Σ_Δ λ ≥ 0 and λ'θ = 0; then d² = n λ'Σ_Δ λ. Row i of the
problem is the constraint that the i-th system of the order is no worse than the next. It is *active* where λ may be
positive and θ is 0.

There are three solvers. Two are in distance.pxd, for the walks too: `_exchange_blocks` changes many active rows at
once, and may stall; `_add_rows` takes in one row at a time, and ends. The third, `distances_by_topics`, has as many
unknowns as topics.
"""

import numpy as np

from libc.math cimport fabs, sqrt
from libc.stdint cimport int64_t, uint8_t

from rankscope.kernels.distance cimport (
    SLACK, Workspace, distance_of_order, eliminate, set_order, workspace, workspace_size
)

cdef enum:
    # A limit on Newton's steps, far above what was ever needed.
    _STEPS = 1000
    _EASED_STEPS = 3
# The first Newton steps use a ridge greater by this factor, which falls to a tenth after each few steps.
cdef const double _EASE = 100.0


def difference_variances(const double[:, ::1] scores, double noise):
    """Var(X_a − X_b) of all pairs of rows times n²(n − 1); differences that vary by at most `noise` are constant.

    It is the sum of squares of n(x_a − x_b) − Σ(x_a − x_b): whole numbers for decimal scores, which lose no digits.
    """
    cdef Py_ssize_t m = scores.shape[0], n = scores.shape[1], a, b, topic
    variances = np.zeros((m, m))
    cdef double[:, ::1] out = variances
    cdef const double* x
    cdef const double* y
    cdef double total, squares, largest, deviation
    with nogil:
        for a in range(m):
            x = &scores[a, 0]
            for b in range(a):
                y = &scores[b, 0]
                total = 0.0
                for topic in range(n):
                    total += x[topic] - y[topic]
                squares, largest = 0.0, 0.0
                for topic in range(n):
                    deviation = n * (x[topic] - y[topic]) - total
                    squares += deviation * deviation
                    largest = max(largest, fabs(deviation))
                if largest > noise:
                    out[a, b] = out[b, a] = squares
    return variances


def distances(const double[::1] level, const double[:, ::1] spread, orders, double ridge, double size):
    """d_rank of every row of `orders`, systems from best to worst, and λ and θ of the last row.

    Infinite where a constant difference is reversed; NaN where rounding keeps the solvers from ending. `spread`,
    `ridge` and `size`, the number of topics, may be scaled by a common factor.
    """
    cdef const int64_t[:, ::1] rows = np.ascontiguousarray(orders, np.int64)
    cdef Py_ssize_t count = rows.shape[0], m = rows.shape[1], row
    found, multipliers, theta = np.empty(count), np.empty(m - 1), np.empty(m - 1)
    cdef double[::1] out = found, room = np.empty(workspace_size(m))
    cdef Workspace work = workspace(m, &room[0])
    with nogil:
        for row in range(count):
            set_order(&level[0], &spread[0, 0], &rows[row, 0], &work)
            out[row] = distance_of_order(ridge, size, False, &work)
    _copy(work.multipliers, multipliers)
    _copy(work.theta, theta)
    return found, multipliers, theta


cdef void _copy(const double* values, double[::1] to):
    cdef Py_ssize_t i
    for i in range(to.shape[0]):
        to[i] = values[i]


cdef struct TopicWorkspace:
    # Arrays for one problem of k rows solved in n unknowns, one per topic, reused for every order.
    Py_ssize_t k
    Py_ssize_t n
    double* differences  # G, k × n: differences of neighbours' deviations by topic
    double* gram  # G'G and −G'μ_Δ over the active rows, n × (n + 1)
    double* block  # the same with the ridge; its last column becomes the end of Newton's step
    double* gaps  # μ_Δ
    double* scales  # the square roots of Σ_Δ's diagonal
    double* multipliers  # λ
    double* theta  # θ
    double* slacks  # μ_Δ + Gw at the point
    double* next_slacks  # the same at the end of Newton's step
    uint8_t* active  # the rows of negative slack at the point
    double* point  # w
    double* newton  # the end of Newton's step
    double* floor  # zeros: with a ridge no row depends on others


cdef Py_ssize_t _topic_workspace_size(Py_ssize_t k, Py_ssize_t n) noexcept nogil:
    return k * n + 2 * n * (n + 1) + 7 * k + 3 * n


cdef TopicWorkspace _topic_workspace(Py_ssize_t k, Py_ssize_t n, double* room) noexcept nogil:
    cdef TopicWorkspace work
    cdef Py_ssize_t a
    work.k, work.n = k, n
    work.differences = room
    work.gram = work.differences + k * n
    work.block = work.gram + n * (n + 1)
    room = work.block + n * (n + 1)
    work.gaps = room
    work.scales = room + k
    work.multipliers = room + 2 * k
    work.theta = room + 3 * k
    work.slacks = room + 4 * k
    work.next_slacks = room + 5 * k
    work.active = <uint8_t*>(room + 6 * k)
    work.point = room + 7 * k
    work.newton = work.point + n
    work.floor = work.newton + n
    for a in range(n):
        work.floor[a] = 0.0
    return work


cdef void _set_order_by_topics(
    const double* level, const double* deviations, const int64_t* order, double ridge, const TopicWorkspace* work
) noexcept nogil:
    """The rows of this order, and the point 0 without active rows."""
    cdef Py_ssize_t n = work.n, i, topic
    cdef const double* above
    cdef const double* below
    cdef double* difference
    cdef double variance
    for i in range(work.k):
        above, below = deviations + order[i] * n, deviations + order[i + 1] * n
        difference = work.differences + i * n
        variance = ridge
        for topic in range(n):
            difference[topic] = above[topic] - below[topic]
            variance += difference[topic] * difference[topic]
        work.gaps[i] = level[order[i]] - level[order[i + 1]]
        work.slacks[i], work.scales[i], work.active[i] = work.gaps[i], sqrt(variance), False
    for i in range(n * (n + 1)):
        work.gram[i] = 0.0
    for i in range(n):
        work.point[i] = 0.0


cdef void _activate_negative(const TopicWorkspace* work) noexcept nogil:
    """Make the rows of negative slack the active ones, and update the upper half of G'G and −G'μ_Δ over them."""
    cdef Py_ssize_t n = work.n, i, a, b
    cdef const double* difference
    cdef double* row
    cdef double sign, signed_difference
    cdef bint negative
    for i in range(work.k):
        negative = work.slacks[i] < 0.0
        if negative != work.active[i]:
            work.active[i] = negative
            sign = 1.0 if negative else -1.0
            difference = work.differences + i * n
            for a in range(n):
                signed_difference = sign * difference[a]
                row = work.gram + a * (n + 1)
                for b in range(a, n):
                    row[b] += signed_difference * difference[b]
                row[n] -= signed_difference * work.gaps[i]


cdef void _solve_newton(double ridge, const TopicWorkspace* work) noexcept nogil:
    """The point at which the objective with these active rows has its minimum."""
    cdef Py_ssize_t n = work.n, a, b
    cdef const double* gram = work.gram
    cdef double* block = work.block
    cdef bint dependent
    for a in range(n):
        for b in range(a * (n + 1) + a, a * (n + 1) + n + 1):
            block[b] = gram[b]
        block[a * (n + 1) + a] += ridge
    eliminate(block, n + 1, n, work.floor, &dependent)
    for a in range(n):
        work.newton[a] = block[a * (n + 1) + n]


cdef double _step_length(double ridge, double start, double length, const TopicWorkspace* work) noexcept nogil:
    """The share of a Newton step that minimises the objective: the zero of its piecewise linear slope, at most 1.

    The slope at t is ridge (`start` + t `length`) + Σ min(0, v) v', where v goes from `slacks` to `next_slacks`.
    """
    cdef const double* slacks = work.slacks
    cdef const double* next_slacks = work.next_slacks
    cdef Py_ssize_t i, turn
    cdef double low = 0.0, high = 1.0, t = 1.0, slope, bend, change, here, negative, before
    for turn in range(60):
        slope, bend = ridge * (start + t * length), ridge * length
        for i in range(work.k):
            change = next_slacks[i] - slacks[i]
            here = slacks[i] + t * change
            negative = 1.0 if here < 0.0 else 0.0
            slope += negative * here * change
            bend += negative * change * change
        if slope > 0.0:
            high = t
        else:
            low = t
        if low == 1.0:
            break
        before, t = t, t - slope / bend
        if not low < t < high:
            t = (low + high) / 2.0
        if fabs(t - before) <= SLACK * t:
            break
    return t


cdef double _distance_by_newton(double ridge, double size, const TopicWorkspace* work) noexcept nogil:
    """The distance of the order in the workspace, or −1 if too many steps pass."""
    cdef Py_ssize_t k = work.k, n = work.n, wrong, left = _EASED_STEPS, step, i, a
    cdef const double* newton = work.newton
    cdef const double* difference
    cdef double* point = work.point
    cdef double* multipliers = work.multipliers
    cdef double* theta = work.theta
    cdef double ease = _EASE, eased, start, length, energy, move, total, slack, t
    for step in range(_STEPS):
        eased = ease * ridge
        _activate_negative(work)
        _solve_newton(eased, work)
        start, length, energy = 0.0, 0.0, 0.0
        for a in range(n):
            move = newton[a] - point[a]
            start += point[a] * move
            length += move * move
            energy += newton[a] * newton[a]
        for i in range(k):
            difference = work.differences + i * n
            total = work.gaps[i]
            for a in range(n):
                total += difference[a] * newton[a]
            work.next_slacks[i] = total
            multipliers[i] = -total / eased if work.active[i] else 0.0
            theta[i] = 0.0 if work.active[i] else total
            energy += eased * multipliers[i] * multipliers[i]
        slack = SLACK * sqrt(energy)
        wrong = 0
        for i in range(k):
            wrong += multipliers[i] * work.scales[i] < -slack or theta[i] < -slack * work.scales[i]
        if wrong == 0 and ease == 1.0:
            return sqrt(size * energy)
        left -= 1
        if wrong == 0 or left == 0:
            ease, left = max(ease / 10.0, 1.0), _EASED_STEPS
        t = _step_length(eased, start, length, work)
        for a in range(n):
            point[a] += t * (newton[a] - point[a])
        for i in range(k):
            work.slacks[i] += t * (work.next_slacks[i] - work.slacks[i])
    return -1.0


def distances_by_topics(const double[::1] level, const double[:, ::1] deviations, orders, double ridge, double size):
    """The same as `distances`, with a ridge, in as many unknowns as topics: for many more systems than topics.

    −1 where too many steps pass. `deviations` are the systems' from their means (systems × topics), so that Σ_Δ is
    GG' + ridge for the differences G between neighbours' rows. Then λ = −min(0, μ_Δ + Gw) / ridge, where w minimises
    ½w'w + ½ Σ min(0, μ_Δ + Gw)² / ridge. Newton's method with exact line search finds it. A few steps with a greater
    ridge come first, which halves the number of steps on 300 systems × 100 topics.
    """
    cdef const int64_t[:, ::1] rows = np.ascontiguousarray(orders, np.int64)
    cdef Py_ssize_t count = rows.shape[0], k = rows.shape[1] - 1, n = deviations.shape[1], row
    found, multipliers, theta = np.empty(count), np.empty(k), np.empty(k)
    cdef double[::1] out = found, room = np.empty(_topic_workspace_size(k, n))
    cdef TopicWorkspace work = _topic_workspace(k, n, &room[0])
    with nogil:
        for row in range(count):
            _set_order_by_topics(&level[0], &deviations[0, 0], &rows[row, 0], ridge, &work)
            out[row] = _distance_by_newton(ridge, size, &work)
    _copy(work.multipliers, multipliers)
    _copy(work.theta, theta)
    return found, np.maximum(multipliers, 0.0), theta
