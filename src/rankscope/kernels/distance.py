"""The rank distance of Carterette (2009, Eq. 2) as a linear complementarity problem, for many orders of the systems.

For the order of an estimate, find λ ≥ 0 with θ = μ_Δ + Σ_Δ λ ≥ 0 and λ'θ = 0; then d² = n λ'Σ_Δ λ. Row i of the
problem is the constraint that the i-th system of the order is no worse than the next. It is *active* where λ may be
positive and θ is 0.

Only blocks of Σ_Δ are ever formed, from the m × m matrix `spread` with −½ Var(X_a − X_b) at (a, b). Contrasts of
systems have the same variances under it as under the covariance of systems, and contrasts of systems that hardly differ
keep their digits.

There are three solvers. `_exchange_blocks` changes many active rows at once, and may stall. `_add_rows` takes in one
row at a time, and ends. `distances_by_topics` has as many unknowns as topics. Loops that should become vector code have
unsigned indices: numba checks signed ones for negative values, and LLVM then does not vectorise the loop.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.kernels.compiled import Floats, Integers, compiled, inlined

# A contrast depends on earlier ones if its pivot is at most this share of its variance.
_DEPENDENT = 1e-12
# Multipliers and slacks are zero up to this share of their natural scale, √(λ'Σλ).
_SLACK = 1e-9
# Without a ridge, a greater distance is a reversed constant difference seen through rounding.
_IMPOSSIBLE = 1e7
# Exchanges of whole blocks without fewer wrong signs that are allowed before single rows are exchanged.
_PATIENCE = 4
# Exchanges of single rows that are allowed before the exchange stalls.
_SINGLES = 20
# A limit on Newton's steps, far above what was ever needed.
_STEPS = 1000
# The first Newton steps use a ridge greater by this factor, which falls to a tenth after each few steps.
_EASE = 100.0
_EASED_STEPS = 3

Flags = npt.NDArray[np.bool_]


class Workspace(NamedTuple):
    """Arrays for one problem of m systems and m − 1 rows, reused for every order.

    Systems are numbered by their place in the order, rows by the better of their two systems.
    """

    levels: Floats  # the baseline's sums
    spread: Floats  # −½ Var(X_a − X_b), m × m
    gaps: Floats  # μ_Δ, the difference of levels in each row
    variances: Floats  # the diagonal of Σ_Δ
    multipliers: Floats  # λ
    theta: Floats  # θ
    direction: Floats  # a direction of λ
    active: Flags
    first: Integers  # the two systems of each contrast
    second: Integers
    link: Integers  # for each system of a run, its neighbour in the tree of contrasts so far
    wrong: Integers  # rows of wrong sign
    block: Floats  # the contrasts' block of Σ_Δ with the right side as a further column
    per_system: Floats  # a number for each system or contrast, overwritten by every step
    target: Floats  # values by system whose differences are the right side


@compiled
def difference_variances(scores: Floats, noise: float) -> Floats:
    """Var(X_a − X_b) of all pairs of rows times n²(n − 1); differences that vary by at most `noise` are constant.

    It is the sum of squares of n(x_a − x_b) − Σ(x_a − x_b): whole numbers for decimal scores, which lose no digits.
    """
    m, n = scores.shape
    out = np.zeros((m, m))
    for a in range(m):
        for b in range(a):
            total = 0.0
            for topic in range(n):
                total += scores[a, topic] - scores[b, topic]
            squares, largest = 0.0, 0.0
            for topic in range(n):
                deviation = n * (scores[a, topic] - scores[b, topic]) - total
                squares += deviation * deviation
                largest = max(largest, abs(deviation))
            if largest > noise:
                out[a, b] = squares
                out[b, a] = out[a, b]
    return out


@inlined
def workspace(m: int) -> Workspace:
    """The arrays for problems of m systems."""
    k = m - 1
    return Workspace(
        np.empty(m),
        np.empty((m, m)),
        np.empty(k),
        np.empty(k),
        np.empty(k),
        np.empty(k),
        np.empty(k),
        np.empty(k, dtype=np.bool_),
        np.empty(k, dtype=np.int64),
        np.empty(k, dtype=np.int64),
        np.empty(m, dtype=np.int64),
        np.empty(k, dtype=np.int64),
        np.empty((k, k + 1)),
        np.empty(m),
        np.empty(m),
    )


@inlined
def set_order(level: Floats, spread: Floats, order: Integers, work: Workspace) -> None:
    """Number the systems by their place in this order, best first."""
    for i in range(len(order)):
        work.levels[i] = level[order[i]]
        for j in range(len(order)):
            work.spread[i, j] = spread[order[i], order[j]]


@inlined
def _contrasts(ridge: float, work: Workspace) -> int:
    """Pairs of systems whose differences span those of the active rows; returns their number.

    Neighbouring active rows form runs of systems that θ makes level. Within a run a minimum spanning tree (Prim's
    algorithm) joins the systems that vary together, so that two nearly identical ones are compared directly and not
    through a third between them. A ridge is about neighbours, which then are the contrasts.
    """
    spread, active, first, second, link = work.spread, work.active, work.first, work.second, work.link
    nearest = work.per_system
    count, start = 0, 0
    while start < len(active):
        end = start
        while end < len(active) and active[end]:
            if ridge > 0.0:
                first[count], second[count] = end, end + 1
                count += 1
            end += 1
        if ridge <= 0.0 and end > start:
            for i in range(start + 1, end + 1):
                nearest[i], link[i] = -spread[start, i], start
            for _ in range(start, end):
                best = -1
                for i in range(start + 1, end + 1):
                    if link[i] >= 0 and (best < 0 or nearest[i] < nearest[best]):
                        best = i
                first[count], second[count] = min(best, link[best]), max(best, link[best])
                count += 1
                link[best] = -1
                for i in range(start + 1, end + 1):
                    if link[i] >= 0 and -spread[best, i] < nearest[i]:
                        nearest[i], link[i] = -spread[best, i], best
        start = end + 1
    return count


@inlined
def _eliminate(block: Floats, count: int, floor: Floats) -> tuple[float, bool]:
    """Solve a symmetric system given by the upper half of its rows, each with its right side in column `count`.

    The right side becomes the answer, and pivots become their inverses. Returns the product of right side and answer,
    and whether some row depends on earlier ones: its pivot is at most its floor, and its share of the answer is zero.
    Four rows are eliminated at a time, so that a later row is loaded and stored once for all four.
    """
    energy, dependent = 0.0, False
    for start in range(0, count, 4):
        end = min(start + 4, count)
        for j in range(start, end):
            for p in range(start, j):
                factor = block[p, j] * block[p, p]
                for c in range(np.uint64(j), np.uint64(count + 1)):
                    block[j, c] -= factor * block[p, c]
            independent = block[j, j] > floor[j]
            block[j, j] = 1.0 / block[j, j] if independent else 0.0
            energy += block[j, count] * block[j, count] * block[j, j]
            dependent = dependent or not independent
        if end == count:
            break
        p, q, r, s = start, start + 1, start + 2, start + 3
        for i in range(end, count):
            by_p, by_q = block[p, i] * block[p, p], block[q, i] * block[q, q]
            by_r, by_s = block[r, i] * block[r, r], block[s, i] * block[s, s]
            for c in range(np.uint64(i), np.uint64(count + 1)):
                block[i, c] -= (by_p * block[p, c] + by_q * block[q, c]) + (by_r * block[r, c] + by_s * block[s, c])
    for j in range(count - 1, -1, -1):
        value = block[j, count]
        for i in range(np.uint64(j + 1), np.uint64(count)):
            value -= block[j, i] * block[i, count]
        block[j, count] = value * block[j, j]
    return energy, dependent


@inlined
def _fill_block(count: int, ridge: float, work: Workspace) -> None:
    """The contrasts' block of Σ_Δ, and on its right what the contrasts of the target are."""
    spread, first, second, block, line = work.spread, work.first, work.second, work.block, work.per_system
    for i in range(count):
        a, b = first[i], second[i]
        for s in range(len(line)):
            line[s] = spread[a, s] - spread[b, s]
        for j in range(np.uint64(i), np.uint64(count)):
            block[i, j] = line[np.uint64(first[j])] - line[np.uint64(second[j])]
        block[i, i] += ridge
        block[i, count] = work.target[a] - work.target[b]


@compiled
def _solve_active(ridge: float, work: Workspace) -> tuple[float, bool, int]:
    """The direction of λ, zero outside active rows, that changes the differences of active neighbours by the target's.

    Returns its squared length λ'Σλ; whether the active rows depend on each other, so that the target may be missed; and
    the number of contrasts, whose shares in the direction are the block's column behind them.
    """
    direction, active, first, second = work.direction, work.active, work.first, work.second
    block = work.block
    count = _contrasts(ridge, work)
    _fill_block(count, ridge, work)
    floor = work.per_system
    for i in range(count):
        floor[i] = _DEPENDENT * block[i, i]
    energy, dependent = _eliminate(block, count, floor)
    # λ is the sum, from the best system of a run down, of what the contrasts add to each system.
    added = work.per_system
    for s in range(len(added)):
        added[s] = 0.0
    for j in range(count):
        added[first[j]] += block[j, count]
        added[second[j]] -= block[j, count]
    flow, j = 0.0, 0
    for i in range(len(direction)):
        flow = flow + added[i] if active[i] else 0.0
        direction[i] = flow
        if active[i] and ridge > 0.0:
            direction[i] = block[j, count]
            j += 1
    return energy, dependent, count


@inlined
def _level_active(ridge: float, work: Workspace) -> tuple[float, bool]:
    """Set λ so that θ of the active rows is zero, and θ; returns λ'Σλ and whether active rows are dependent."""
    spread, gaps, theta, block = work.spread, work.gaps, work.theta, work.block
    k = len(gaps)
    for s in range(len(work.levels)):
        work.target[s] = -work.levels[s]
    energy, dependent, count = _solve_active(ridge, work)
    for i in range(k):
        work.multipliers[i] = work.direction[i]
        theta[i] = gaps[i] + ridge * work.direction[i]
    for j in range(count):
        a, b, share = work.first[j], work.second[j], block[j, count]
        for i in range(k):
            theta[i] += share * ((spread[a, i] - spread[b, i]) - (spread[a, i + 1] - spread[b, i + 1]))
    for i in range(k):
        if work.variances[i] <= 0.0:
            theta[i] = gaps[i]
    return energy, dependent


@inlined
def _exchange_blocks(ridge: float, work: Workspace) -> float:
    """Block principal pivoting from the active rows (Portugal, Júdice & Vicente 1994); λ'Σλ, or −1 if it stalls.

    All rows of wrong sign change sides at once. When that cycles, only the last one does (Murty's rule) until fewer are
    wrong than ever before: this leaves nearly all cycles soon, and the others late.
    """
    variances, multipliers, theta, active, wrong = (
        work.variances,
        work.multipliers,
        work.theta,
        work.active,
        work.wrong,
    )
    k = len(variances)
    fewest, patience, singles = k + 1, _PATIENCE, _SINGLES
    while True:
        energy, dependent = _level_active(ridge, work)
        slack = _SLACK * np.sqrt(energy)
        count = 0
        for i in range(k):
            scale = np.sqrt(variances[i])
            if active[i] and dependent and abs(theta[i]) > slack * scale:
                return -1.0
            if (active[i] and multipliers[i] * scale < -slack) or (not active[i] and theta[i] < -slack * scale):
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


@inlined
def _worst_violation(slack: float, satisfied: Flags, work: Workspace) -> int:
    """The inactive row whose θ is most negative beside its standard deviation, −1 if none is."""
    variances, theta = work.variances, work.theta
    worst, entering = slack, -1
    for i in range(len(variances)):
        if not work.active[i] and not satisfied[i] and variances[i] > 0.0 and -theta[i] > worst * np.sqrt(variances[i]):
            worst, entering = -theta[i] / np.sqrt(variances[i]), i
    return entering


@inlined
def _first_to_leave(entering: int, full: float, work: Workspace) -> tuple[float, int]:
    """How far λ may go along the direction, at most `full`, and the active row whose λ is then zero (−1 for none)."""
    variances, multipliers, direction = work.variances, work.multipliers, work.direction
    step, leaving = full, -1
    floor = -_DEPENDENT * direction[entering] * np.sqrt(variances[entering])
    for i in range(len(variances)):
        if i != entering and work.active[i] and direction[i] * np.sqrt(variances[i]) < floor:
            room = -multipliers[i] / direction[i]
            if room < step:
                step, leaving = max(room, 0.0), i
    return step, leaving


@compiled
def _add_rows(ridge: float, work: Workspace) -> float:
    """The dual method of Goldfarb & Idnani (1983), the worst violation first; λ'Σλ, −1 if the order is impossible.

    The distance grows with every row taken in, so that the method ends; NaN if rounding keeps it from ending. Active
    rows never depend on each other: a row that depends on them replaces one of them, or shows that no point satisfies
    all constraints.
    """
    spread, variances, multipliers, theta, direction = (
        work.spread,
        work.variances,
        work.multipliers,
        work.theta,
        work.direction,
    )
    active, target = work.active, work.target
    k, m = len(variances), len(target)
    satisfied = np.zeros(k, dtype=np.bool_)  # rows that depend on the active ones and are violated by rounding alone
    for i in range(k):
        active[i] = False
    for _ in range(50 * k + 100):  # far above what was ever needed
        energy, _ = _level_active(ridge, work)
        slack = _SLACK * np.sqrt(energy)
        entering = _worst_violation(slack, satisfied, work)
        if entering < 0:
            return energy
        short = -theta[entering]
        while not active[entering] and not satisfied[entering]:
            # The change of λ that raises the entering row's θ by 1 and keeps those of the active rows.
            for s in range(m):
                target[s] = 1.0 if s <= entering else 0.0
            active[entering] = True
            _, dependent, _ = _solve_active(ridge, work)
            full = short
            if dependent:
                # No change raises it. Exchange it for an active row, at the rates that leave every θ as it is.
                active[entering] = False
                for s in range(m):
                    target[s] = spread[entering + 1, s] - spread[entering, s]
                _solve_active(ridge, work)
                direction[entering] = 1.0
                full = np.inf
                # Its θ is a combination of theirs, which are zero up to rounding; a smaller violation is rounding too.
                noise = 0.0
                for i in range(k):
                    noise += slack * abs(direction[i]) * np.sqrt(variances[i])
                if short <= noise:
                    satisfied[entering] = True
                    continue
            step, leaving = _first_to_leave(entering, full, work)
            if step == np.inf:
                return -1.0
            for i in range(k):
                multipliers[i] += step * direction[i]
            if leaving < 0:
                for i in range(k):
                    satisfied[i] = False
            else:
                active[entering] = False
                active[leaving] = False
                multipliers[leaving] = 0.0
                if full < np.inf:
                    short -= step
    return np.nan


@inlined
def distance_by_exchanges(ridge: float, size: float, warm: bool, work: Workspace) -> float:
    """The distance √(size λ'Σλ) of the order in the workspace, or −1 if the exchanges stall.

    They start from the active rows if `warm`, otherwise from the rows that the baseline contradicts.
    """
    levels, gaps, variances, active = work.levels, work.gaps, work.variances, work.active
    for i in range(len(gaps)):
        gaps[i] = levels[i] - levels[i + 1]
        variances[i] = ridge - 2.0 * work.spread[i, i + 1]
        if not warm:
            active[i] = gaps[i] < 0.0
        if gaps[i] < 0.0 and variances[i] <= 0.0:
            return np.inf
    energy = _exchange_blocks(ridge, work)
    return -1.0 if energy < 0.0 else _distance(energy, ridge, size, work)


@compiled
def distance_of_order(ridge: float, size: float, warm: bool, work: Workspace) -> float:
    """The distance √(size λ'Σλ) of the order in the workspace: by exchanges, and by adding rows where these stall."""
    distance = distance_by_exchanges(ridge, size, warm, work)
    if distance >= 0.0:
        return distance
    return _distance(_add_rows(ridge, work), ridge, size, work)


@inlined
def _distance(energy: float, ridge: float, size: float, work: Workspace) -> float:
    """The distance of λ'Σλ, infinite for an impossible order; multipliers that are zero up to rounding become zero."""
    multipliers, active = work.multipliers, work.active
    for i in range(len(multipliers)):
        multipliers[i] = max(multipliers[i], 0.0)
        active[i] = active[i] and multipliers[i] > 0.0
    distance = np.inf if energy < 0.0 else float(np.sqrt(size * energy))
    return np.inf if ridge == 0.0 and distance > _IMPOSSIBLE else distance


@compiled
def distances(
    level: Floats, spread: Floats, orders: Integers, ridge: float, size: float
) -> tuple[Floats, Floats, Floats]:
    """d_rank of every row of `orders`, systems from best to worst, and λ and θ of the last row.

    Infinite where a constant difference is reversed; −1 where exchanges stall, for `distances_with_fallback`, which is
    rarely needed and slow to compile. `spread`, `ridge` and `size`, the number of topics, may be scaled by a common
    factor.
    """
    out = np.empty(len(orders))
    work = workspace(orders.shape[1])
    for row in range(len(orders)):
        set_order(level, spread, orders[row], work)
        out[row] = distance_by_exchanges(ridge, size, False, work)
    return out, work.multipliers, work.theta


@compiled
def distances_with_fallback(
    level: Floats, spread: Floats, orders: Integers, ridge: float, size: float
) -> tuple[Floats, Floats, Floats]:
    """The same as `distances`, for orders on which exchanges stall."""
    out = np.empty(len(orders))
    work = workspace(orders.shape[1])
    for row in range(len(orders)):
        set_order(level, spread, orders[row], work)
        out[row] = distance_of_order(ridge, size, False, work)
    return out, work.multipliers, work.theta


class TopicWorkspace(NamedTuple):
    """Arrays for one problem of k rows solved in n unknowns, one per topic, reused for every order."""

    differences: Floats  # G, k × n: differences of neighbours' deviations by topic
    gaps: Floats  # μ_Δ
    scales: Floats  # the square roots of Σ_Δ's diagonal
    multipliers: Floats  # λ
    theta: Floats  # θ
    active: Flags  # the rows of negative slack at the point
    slacks: Floats  # μ_Δ + Gw at the point
    next_slacks: Floats  # the same at the end of Newton's step
    point: Floats  # w
    gram: Floats  # G'G and −G'μ_Δ over the active rows, n × (n + 1)
    block: Floats  # the same with the ridge; its last column becomes the end of Newton's step
    floor: Floats  # zeros: with a ridge no row depends on others


@inlined
def _topic_workspace(k: int, n: int) -> TopicWorkspace:
    return TopicWorkspace(
        np.empty((k, n)),
        np.empty(k),
        np.empty(k),
        np.empty(k),
        np.empty(k),
        np.empty(k, dtype=np.bool_),
        np.empty(k),
        np.empty(k),
        np.empty(n),
        np.empty((n, n + 1)),
        np.empty((n, n + 1)),
        np.zeros(n),
    )


@inlined
def _set_order_by_topics(
    level: Floats, deviations: Floats, order: Integers, ridge: float, work: TopicWorkspace
) -> None:
    """The rows of this order, and the point 0 without active rows."""
    differences, gaps = work.differences, work.gaps
    k, n = differences.shape
    for i in range(k):
        above, below = order[i], order[i + 1]
        variance = ridge
        for topic in range(n):
            differences[i, topic] = deviations[above, topic] - deviations[below, topic]
            variance += differences[i, topic] * differences[i, topic]
        gaps[i] = level[above] - level[below]
        work.slacks[i], work.scales[i], work.active[i] = gaps[i], np.sqrt(variance), False
    for a in range(n):
        for b in range(n + 1):
            work.gram[a, b] = 0.0
        work.point[a] = 0.0


@inlined
def _activate_negative(work: TopicWorkspace) -> None:
    """Make the rows of negative slack the active ones, and update the upper half of G'G and −G'μ_Δ over them."""
    differences, active, gram = work.differences, work.active, work.gram
    k, n = differences.shape
    for i in range(k):
        negative = work.slacks[i] < 0.0
        if negative != active[i]:
            active[i] = negative
            sign = 1.0 if negative else -1.0
            for a in range(n):
                signed = sign * differences[i, a]
                for b in range(np.uint64(a), np.uint64(n)):
                    gram[a, b] += signed * differences[i, b]
                gram[a, n] -= signed * work.gaps[i]


@inlined
def _solve_newton(ridge: float, work: TopicWorkspace) -> None:
    """The point at which the objective with these active rows has its minimum, into the block's last column."""
    gram, block = work.gram, work.block
    n = len(work.point)
    for a in range(n):
        for b in range(np.uint64(a), np.uint64(n + 1)):
            block[a, b] = gram[a, b]
        block[a, a] += ridge
    _eliminate(block, n, work.floor)


@inlined
def _step_length(ridge: float, start: float, length: float, slacks: Floats, next_slacks: Floats) -> float:
    """The share of a Newton step that minimises the objective: the zero of its piecewise linear slope, at most 1.

    The slope at t is ridge (`start` + t `length`) + Σ min(0, v) v', where v goes from `slacks` to `next_slacks`.
    """
    low, high, t = 0.0, 1.0, 1.0
    for _ in range(60):
        slope, bend = ridge * (start + t * length), ridge * length
        for i in range(len(slacks)):
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
        if abs(t - before) <= _SLACK * t:
            break
    return t


@inlined
def _distance_by_newton(ridge: float, size: float, work: TopicWorkspace) -> float:
    """The distance of the order in the workspace, or −1 if too many steps pass."""
    differences, multipliers, theta, point, block = (
        work.differences,
        work.multipliers,
        work.theta,
        work.point,
        work.block,
    )
    k, n = differences.shape
    ease, left = _EASE, _EASED_STEPS
    for _ in range(_STEPS):
        eased = ease * ridge
        _activate_negative(work)
        _solve_newton(eased, work)
        start, length, energy = 0.0, 0.0, 0.0
        for a in range(n):
            move = block[a, n] - point[a]
            start += point[a] * move
            length += move * move
            energy += block[a, n] * block[a, n]
        for i in range(k):
            total = work.gaps[i]
            for a in range(n):
                total += differences[i, a] * block[a, n]
            work.next_slacks[i] = total
            multipliers[i] = -total / eased if work.active[i] else 0.0
            theta[i] = 0.0 if work.active[i] else total
            energy += eased * multipliers[i] * multipliers[i]
        slack = _SLACK * np.sqrt(energy)
        wrong = 0
        for i in range(k):
            wrong += int(multipliers[i] * work.scales[i] < -slack or theta[i] < -slack * work.scales[i])
        if wrong == 0 and ease == 1.0:
            return float(np.sqrt(size * energy))
        left -= 1
        if wrong == 0 or left == 0:
            ease, left = max(ease / 10.0, 1.0), _EASED_STEPS
        t = _step_length(eased, start, length, work.slacks, work.next_slacks)
        for a in range(n):
            point[a] += t * (block[a, n] - point[a])
        for i in range(k):
            work.slacks[i] += t * (work.next_slacks[i] - work.slacks[i])
    return -1.0


@compiled
def distances_by_topics(
    level: Floats, deviations: Floats, orders: Integers, ridge: float, size: float
) -> tuple[Floats, Floats, Floats]:
    """The same as `distances`, with a ridge, in as many unknowns as topics: for many more systems than topics.

    `deviations` are the systems' from their means (systems × topics), so that Σ_Δ is GG' + ridge for the differences G
    between neighbours' rows. Then λ = −min(0, μ_Δ + Gw) / ridge, where w minimises ½w'w + ½ Σ min(0, μ_Δ + Gw)² /
    ridge. Newton's method with exact line search finds it. A few steps with a greater ridge come first, which halves
    the number of steps on 300 systems × 100 topics.
    """
    out = np.empty(len(orders))
    work = _topic_workspace(orders.shape[1] - 1, deviations.shape[1])
    for row in range(len(orders)):
        _set_order_by_topics(level, deviations, orders[row], ridge, work)
        out[row] = _distance_by_newton(ridge, size, work)
        for i in range(len(work.multipliers)):
            work.multipliers[i] = max(work.multipliers[i], 0.0)
    return out, work.multipliers, work.theta
