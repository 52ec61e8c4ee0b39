"""The rank distance of one order of the systems by exchanging and by adding rows; see distance.pyx.

Only blocks of Σ_Δ are ever formed, from the m × m matrix `spread` with −½ Var(X_a − X_b) at (a, b). Contrasts of
systems have the same variances under it as under the covariance of systems, and contrasts of systems that hardly differ
keep their digits.
"""

from libc.math cimport fabs, INFINITY, NAN, sqrt
from libc.stdint cimport int64_t, uint8_t

# A contrast depends on earlier ones if its pivot is at most this share of its variance.
cdef const double _DEPENDENT = 1e-12
# Multipliers and slacks are zero up to this share of their natural scale, √(λ'Σλ).
cdef const double SLACK = 1e-9
# Without a ridge, a greater distance is a reversed constant difference seen through rounding.
cdef const double _IMPOSSIBLE = 1e7
cdef enum:
    # Exchanges of whole blocks without fewer wrong signs that are allowed before single rows are exchanged.
    _PATIENCE = 4
    # Exchanges of single rows that are allowed before the exchange stalls.
    _SINGLES = 20


cdef struct Workspace:
    # Arrays for one problem of m systems and k = m − 1 rows, reused for every order. Systems are numbered by their
    # place in the order, rows by the better of their two systems.
    Py_ssize_t m
    Py_ssize_t k
    double* levels  # the baseline's sums
    double* spread  # −½ Var(X_a − X_b), m × m
    double* gaps  # μ_Δ, the difference of levels in each row
    double* variances  # the diagonal of Σ_Δ
    double* multipliers  # λ
    double* theta  # θ
    double* direction  # a direction of λ
    double* block  # the contrasts' block of Σ_Δ with the right side as a further column, k × m
    double* per_system  # a number for each system or contrast, overwritten by every step
    double* target  # values by system whose differences are the right side
    int64_t* first  # the two systems of each contrast
    int64_t* second
    int64_t* link  # for each system of a run, its neighbour in the tree of contrasts so far
    int64_t* wrong  # rows of wrong sign
    uint8_t* active
    uint8_t* satisfied  # rows that depend on the active ones and are violated by rounding alone


cdef inline Py_ssize_t workspace_size(Py_ssize_t m) noexcept nogil:
    """The number of doubles that a workspace for m systems takes."""
    return 2 * m * m + 14 * m


cdef inline Workspace workspace(Py_ssize_t m, double* room) noexcept nogil:
    """The arrays for problems of m systems, in this room."""
    cdef Workspace work
    work.m, work.k = m, m - 1
    work.spread = room
    work.block = room + m * m
    room += 2 * m * m
    work.levels = room
    work.gaps = room + m
    work.variances = room + 2 * m
    work.multipliers = room + 3 * m
    work.theta = room + 4 * m
    work.direction = room + 5 * m
    work.per_system = room + 6 * m
    work.target = room + 7 * m
    work.first = <int64_t*>(room + 8 * m)
    work.second = <int64_t*>(room + 9 * m)
    work.link = <int64_t*>(room + 10 * m)
    work.wrong = <int64_t*>(room + 11 * m)
    work.active = <uint8_t*>(room + 12 * m)
    work.satisfied = <uint8_t*>(room + 13 * m)
    return work


cdef inline void set_order(
    const double* level, const double* spread, const int64_t* order, const Workspace* work
) noexcept nogil:
    """Number the systems by their place in this order, best first."""
    cdef Py_ssize_t m = work.m, i, j
    cdef const double* source
    cdef double* to
    for i in range(m):
        work.levels[i] = level[order[i]]
        source, to = spread + order[i] * m, work.spread + i * m
        for j in range(m):
            to[j] = source[order[j]]


cdef inline Py_ssize_t _contrasts(double ridge, const Workspace* work) noexcept nogil:
    """Pairs of systems whose differences span those of the active rows; returns their number.

    Neighbouring active rows form runs of systems that θ makes level. Within a run a minimum spanning tree (Prim's
    algorithm) joins the systems that vary together, so that two nearly identical ones are compared directly and not
    through a third between them. A ridge is about neighbours, which then are the contrasts.
    """
    cdef const uint8_t* active = work.active
    cdef int64_t* first = work.first
    cdef int64_t* second = work.second
    cdef int64_t* link = work.link
    cdef double* nearest = work.per_system
    cdef const double* line
    cdef Py_ssize_t k = work.k, count = 0, start = 0, end, i, best, step
    while start < k:
        end = start
        while end < k and active[end]:
            if ridge > 0.0:
                first[count], second[count] = end, end + 1
                count += 1
            end += 1
        if ridge <= 0.0 and end > start:
            line = work.spread + start * work.m
            for i in range(start + 1, end + 1):
                nearest[i], link[i] = -line[i], start
            for step in range(start, end):
                best = -1
                for i in range(start + 1, end + 1):
                    if link[i] >= 0 and (best < 0 or nearest[i] < nearest[best]):
                        best = i
                first[count], second[count] = min(best, link[best]), max(best, link[best])
                count += 1
                link[best] = -1
                line = work.spread + best * work.m
                for i in range(start + 1, end + 1):
                    if link[i] >= 0 and -line[i] < nearest[i]:
                        nearest[i], link[i] = -line[i], best
        start = end + 1
    return count


cdef inline double eliminate(
    double* block, Py_ssize_t width, Py_ssize_t count, const double* floor, bint* dependent
) noexcept nogil:
    """Solve a symmetric system given by the upper half of its rows, each with its right side in column `count`.

    The right side becomes the answer, and pivots become their inverses. Returns the product of right side and answer,
    and whether some row depends on earlier ones: its pivot is at most its floor, and its share of the answer is zero.
    Rows are `width` apart. Four are eliminated at a time, so that a later row is loaded and stored once for all four.
    """
    cdef double energy = 0.0, factor, by_p, by_q, by_r, by_s, value
    cdef Py_ssize_t start, end, i, j, c, other
    cdef bint independent
    cdef double* row
    cdef const double* p
    cdef const double* q
    cdef const double* r
    cdef const double* s
    dependent[0] = False
    for start in range(0, count, 4):
        end = min(start + 4, count)
        for j in range(start, end):
            row = block + j * width
            for other in range(start, j):
                p = block + other * width
                factor = p[j] * p[other]
                for c in range(j, count + 1):
                    row[c] -= factor * p[c]
            independent = row[j] > floor[j]
            row[j] = 1.0 / row[j] if independent else 0.0
            energy += row[count] * row[count] * row[j]
            if not independent:
                dependent[0] = True
        if end == count:
            break
        p = block + start * width
        q, r, s = p + width, p + 2 * width, p + 3 * width
        for i in range(end, count):
            row = block + i * width
            by_p, by_q = p[i] * p[start], q[i] * q[start + 1]
            by_r, by_s = r[i] * r[start + 2], s[i] * s[start + 3]
            for c in range(i, count + 1):
                row[c] -= (by_p * p[c] + by_q * q[c]) + (by_r * r[c] + by_s * s[c])
    for j in range(count - 1, -1, -1):
        row = block + j * width
        value = row[count]
        for i in range(j + 1, count):
            value -= row[i] * block[i * width + count]
        row[count] = value * row[j]
    return energy


cdef inline void _fill_block(Py_ssize_t count, double ridge, const Workspace* work) noexcept nogil:
    """The contrasts' block of Σ_Δ, and on its right what the contrasts of the target are."""
    cdef const int64_t* first = work.first
    cdef const int64_t* second = work.second
    cdef const double* line_a
    cdef const double* line_b
    cdef double* line = work.per_system
    cdef double* row
    cdef Py_ssize_t m = work.m, i, j, s
    for i in range(count):
        line_a, line_b, row = work.spread + first[i] * m, work.spread + second[i] * m, work.block + i * m
        for s in range(m):
            line[s] = line_a[s] - line_b[s]
        for j in range(i, count):
            row[j] = line[first[j]] - line[second[j]]
        row[i] += ridge
        row[count] = work.target[first[i]] - work.target[second[i]]


cdef inline double _solve_active(
    double ridge, const Workspace* work, bint* dependent, Py_ssize_t* count
) noexcept nogil:
    """The direction of λ, zero outside active rows, that changes the differences of active neighbours by the target's.

    Returns its squared length λ'Σλ; whether the active rows depend on each other, so that the target may be missed; and
    the number of contrasts, whose shares in the direction are the block's column behind them.
    """
    cdef Py_ssize_t m = work.m, n = _contrasts(ridge, work), i, j, s
    cdef const double* share = work.block + n  # every m-th
    cdef double* floor = work.per_system
    cdef double* added = work.per_system
    cdef double energy, flow
    _fill_block(n, ridge, work)
    for i in range(n):
        floor[i] = _DEPENDENT * work.block[i * m + i]
    energy = eliminate(work.block, m, n, floor, dependent)
    # λ is the sum, from the best system of a run down, of what the contrasts add to each system.
    for s in range(m):
        added[s] = 0.0
    for j in range(n):
        added[work.first[j]] += share[j * m]
        added[work.second[j]] -= share[j * m]
    flow, j = 0.0, 0
    for i in range(work.k):
        flow = flow + added[i] if work.active[i] else 0.0
        work.direction[i] = flow
        if work.active[i] and ridge > 0.0:
            work.direction[i] = share[j * m]
            j += 1
    count[0] = n
    return energy


cdef inline double _level_active(double ridge, const Workspace* work, bint* dependent) noexcept nogil:
    """Set λ so that θ of the active rows is zero, and θ; returns λ'Σλ and whether active rows are dependent."""
    cdef Py_ssize_t m = work.m, k = work.k, count, i, j, s
    cdef const double* line_a
    cdef const double* line_b
    cdef double* theta = work.theta
    cdef double energy, share
    for s in range(m):
        work.target[s] = -work.levels[s]
    energy = _solve_active(ridge, work, dependent, &count)
    for i in range(k):
        work.multipliers[i] = work.direction[i]
        theta[i] = work.gaps[i] + ridge * work.direction[i]
    for j in range(count):
        line_a, line_b = work.spread + work.first[j] * m, work.spread + work.second[j] * m
        share = work.block[j * m + count]
        for i in range(k):
            theta[i] += share * ((line_a[i] - line_b[i]) - (line_a[i + 1] - line_b[i + 1]))
    for i in range(k):
        if work.variances[i] <= 0.0:
            theta[i] = work.gaps[i]
    return energy


cdef inline double _exchange_blocks(double ridge, const Workspace* work) noexcept nogil:
    """Block principal pivoting from the active rows (Portugal, Júdice & Vicente 1994); λ'Σλ, or −1 if it stalls.

    All rows of wrong sign change sides at once. When that cycles, only the last one does (Murty's rule) until fewer are
    wrong than ever before: this leaves nearly all cycles soon, and the others late.
    """
    cdef const double* multipliers = work.multipliers
    cdef const double* theta = work.theta
    cdef uint8_t* active = work.active
    cdef int64_t* wrong = work.wrong
    cdef Py_ssize_t k = work.k, fewest = k + 1, patience = _PATIENCE, singles = _SINGLES, count, start, i, c
    cdef double energy, slack, scale
    cdef bint dependent
    while True:
        energy = _level_active(ridge, work, &dependent)
        slack = SLACK * sqrt(energy)
        count = 0
        for i in range(k):
            scale = sqrt(work.variances[i])
            if active[i] and dependent and fabs(theta[i]) > slack * scale:
                return -1.0
            if multipliers[i] * scale < -slack if active[i] else theta[i] < -slack * scale:
                wrong[count] = i
                count += 1
        if count == 0:
            return energy
        start = 0
        if count < fewest:
            fewest, patience = count, _PATIENCE
        elif patience > 0:
            patience -= 1
        elif singles > 0:
            singles -= 1
            start = count - 1
        else:
            return -1.0
        for c in range(start, count):
            active[wrong[c]] = not active[wrong[c]]


cdef inline Py_ssize_t _worst_violation(double slack, const Workspace* work) noexcept nogil:
    """The inactive row whose θ is most negative beside its standard deviation, −1 if none is."""
    cdef const double* variances = work.variances
    cdef const double* theta = work.theta
    cdef Py_ssize_t entering = -1, i
    cdef double worst = slack
    for i in range(work.k):
        if work.active[i] or work.satisfied[i] or not variances[i] > 0.0:
            continue
        if -theta[i] > worst * sqrt(variances[i]):
            worst, entering = -theta[i] / sqrt(variances[i]), i
    return entering


cdef inline double _first_to_leave(
    Py_ssize_t entering, double full, const Workspace* work, Py_ssize_t* leaving
) noexcept nogil:
    """How far λ may go along the direction, at most `full`, and the active row whose λ is then zero (−1 for none)."""
    cdef const double* variances = work.variances
    cdef const double* direction = work.direction
    cdef double step = full, room, floor = -_DEPENDENT * direction[entering] * sqrt(variances[entering])
    cdef Py_ssize_t i
    leaving[0] = -1
    for i in range(work.k):
        if i != entering and work.active[i] and direction[i] * sqrt(variances[i]) < floor:
            room = -work.multipliers[i] / direction[i]
            if room < step:
                step, leaving[0] = max(room, 0.0), i
    return step


cdef inline double _add_rows(double ridge, const Workspace* work) noexcept nogil:
    """The dual method of Goldfarb & Idnani (1983), the worst violation first; λ'Σλ, −1 if the order is impossible.

    The distance grows with every row taken in, so that the method ends; NaN if rounding keeps it from ending. Active
    rows never depend on each other: a row that depends on them replaces one of them, or shows that no point satisfies
    all constraints.
    """
    cdef uint8_t* active = work.active
    cdef uint8_t* satisfied = work.satisfied
    cdef const double* direction = work.direction
    cdef double* target = work.target
    cdef Py_ssize_t k = work.k, m = work.m, entering, leaving, count, turn, i, s
    cdef double energy, slack, short_by, full, noise, step
    cdef bint dependent
    for i in range(k):
        active[i] = satisfied[i] = False
    for turn in range(50 * k + 100):  # far above what was ever needed
        energy = _level_active(ridge, work, &dependent)
        slack = SLACK * sqrt(energy)
        entering = _worst_violation(slack, work)
        if entering < 0:
            return energy
        short_by = -work.theta[entering]
        while not active[entering] and not satisfied[entering]:
            # The change of λ that raises the entering row's θ by 1 and keeps those of the active rows.
            for s in range(m):
                target[s] = 1.0 if s <= entering else 0.0
            active[entering] = True
            _solve_active(ridge, work, &dependent, &count)
            full = short_by
            if dependent:
                # No change raises it. Exchange it for an active row, at the rates that leave every θ as it is.
                active[entering] = False
                for s in range(m):
                    target[s] = work.spread[(entering + 1) * m + s] - work.spread[entering * m + s]
                _solve_active(ridge, work, &dependent, &count)
                work.direction[entering] = 1.0
                full = INFINITY
                # Its θ is a combination of theirs, which are zero up to rounding; a smaller violation is rounding too.
                noise = 0.0
                for i in range(k):
                    noise += slack * fabs(direction[i]) * sqrt(work.variances[i])
                if short_by <= noise:
                    satisfied[entering] = True
                    continue
            step = _first_to_leave(entering, full, work, &leaving)
            if step == INFINITY:
                return -1.0
            for i in range(k):
                work.multipliers[i] += step * direction[i]
            if leaving < 0:
                for i in range(k):
                    satisfied[i] = False
            else:
                active[entering] = active[leaving] = False
                work.multipliers[leaving] = 0.0
                if full < INFINITY:
                    short_by -= step
    return NAN


cdef inline double distance_of_order(double ridge, double size, bint warm, const Workspace* work) noexcept nogil:
    """The distance √(size λ'Σλ) of the order in the workspace: by exchanges, and by adding rows where these stall.

    Exchanges start from the active rows if `warm`, otherwise from the rows that the baseline contradicts. Infinite for
    an impossible order, NaN where rounding keeps both methods from ending. Multipliers that are zero up to rounding
    become zero.
    """
    cdef double* gaps = work.gaps
    cdef double* variances = work.variances
    cdef double energy, distance
    cdef Py_ssize_t i
    for i in range(work.k):
        gaps[i] = work.levels[i] - work.levels[i + 1]
        variances[i] = ridge - 2.0 * work.spread[i * work.m + i + 1]
        if not warm:
            work.active[i] = gaps[i] < 0.0
        if gaps[i] < 0.0 and variances[i] <= 0.0:
            return INFINITY
    energy = _exchange_blocks(ridge, work)
    if energy < 0.0:
        energy = _add_rows(ridge, work)
    for i in range(work.k):
        work.multipliers[i] = max(work.multipliers[i], 0.0)
        work.active[i] = work.active[i] and work.multipliers[i] > 0.0
    distance = INFINITY if energy < 0.0 else sqrt(size * energy)
    return INFINITY if ridge == 0.0 and distance > _IMPOSSIBLE else distance
