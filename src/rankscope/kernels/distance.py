"""The rank distance of Carterette (2009) as a complementarity problem, for many orders of the same systems.

Find λ ≥ 0 with θ = μ_Δ + Σ_Δ λ ≥ 0 and λ'θ = 0; then d² = n λ'Σ_Δ λ. Only blocks of Σ_Δ are ever formed, from the m × m
matrix `spread` with −½ Var(X_a − X_b) at (a, b): contrasts of systems have the same variances under it as under the
covariance of systems, and those of systems that hardly differ keep their digits.
"""

import numpy as np
import numpy.typing as npt

from rankscope.kernels.compiled import Floats, Integers, compiled, inlined

# A contrast whose pivot is this small beside its variance depends on those before it.
_DEPENDENT = 1e-12
# Multipliers and slacks this small beside their natural scale, √(λ'Σλ), are zero.
_SLACK = 1e-9
# A distance this great without a ridge is a constant difference reversed, seen through rounding.
_IMPOSSIBLE = 1e7
# Exchanges of whole blocks that may pass without fewer wrong signs, before single rows are exchanged.
_PATIENCE = 4
# Exchanges of single rows, before constraints are taken in one by one.
_SINGLES = 20
# Newton's steps, far more than ever needed.
_STEPS = 1000
# The first of them are taken with a ridge so many times greater, and so many for each tenth of it.
_EASE = 100.0
_EASED_STEPS = 3

Flags = npt.NDArray[np.bool_]
Scratch = tuple[
    Floats, Floats, Floats, Floats, Floats, Floats, Floats, Flags, Integers, Integers, Integers, Floats, Floats, Floats
]


@compiled
def difference_variances(scores: Floats, noise: float) -> Floats:
    """Var(X_a − X_b) for all pairs of rows, times n²(n − 1); differences varying by no more than `noise` are constant.

    The sum of squares of whole numbers, n(x_a − x_b) − Σ(x_a − x_b), so that decimal scores lose nothing.
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
def scratch_for(m: int) -> Scratch:
    """Room for one problem, systems numbered by their place in its order and rows by the better of two neighbours.

    0: levels; 1: spread; 2: μ_Δ; 3: variances of rows; 4: λ; 5: θ; 6: a direction of λ; 7: active rows; 8 and 9: the
    two systems of each contrast; 10: links of a tree, then rows of wrong sign; 11: the block with its right side; 12: a
    line; 13: a target.
    """
    k = m - 1
    return (
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
        np.empty((k, k + 1)),
        np.empty(m),
        np.empty(m),
    )


@inlined
def begin(level: Floats, spread: Floats, order: Integers, scratch: Scratch) -> None:
    """Take the systems in this order."""
    levels, spreads = scratch[0], scratch[1]
    for i in range(len(order)):
        levels[i] = level[order[i]]
        for j in range(len(order)):
            spreads[i, j] = spread[order[i], order[j]]


@inlined
def _contrasts(ridge: float, scratch: Scratch) -> int:
    """Pairs of systems whose differences span those of the active rows; returns their number.

    Active neighbours form runs of systems that are to be level. Within a run a shortest tree joins the systems that
    vary together, so that two nearly identical ones are compared directly and not through a third between them. A
    ridge is about neighbours, and keeps them.
    """
    spread, active, first, second, link, nearest = (
        scratch[1],
        scratch[7],
        scratch[8],
        scratch[9],
        scratch[10],
        scratch[12],
    )
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
    """Solve a symmetric system given by the upper half of its rows, each with its right side, which becomes the answer.

    Returns right side times answer, and whether a row depends on earlier ones, its pivot being no greater than its
    floor; its share is zero. Pivots become their inverses. Four are taken at a time, so that a later row is fetched and
    stored once for all of them.
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


@compiled
def _solve(ridge: float, scratch: Scratch) -> tuple[float, bool, int]:
    """The direction of λ, zero but on active rows, that moves the differences of active neighbours as the target does.

    Returns its squared length, λ'Σλ, whether the active rows depend on each other, so that it may fail to, and the
    number of contrasts, whose share in the direction is the block's next column. Indices without a sign need no look
    at whether they count from the end, and only such loops become vector code.
    """
    spread, direction, active, first, second = scratch[1], scratch[6], scratch[7], scratch[8], scratch[9]
    block, line, target = scratch[11], scratch[12], scratch[13]
    k, m = len(direction), len(line)
    count = _contrasts(ridge, scratch)
    for i in range(count):
        a, b = first[i], second[i]
        for s in range(m):
            line[s] = spread[a, s] - spread[b, s]
        for j in range(np.uint64(i), np.uint64(count)):
            block[i, j] = line[np.uint64(first[j])] - line[np.uint64(second[j])]
        block[i, i] += ridge
        block[i, count] = target[a] - target[b]
    for i in range(count):
        line[i] = _DEPENDENT * block[i, i]
    energy, dependent = _eliminate(block, count, line)
    # What the contrasts add to each system, summed from the best system of a run down, is λ.
    for s in range(m):
        line[s] = 0.0
    for j in range(count):
        line[first[j]] += block[j, count]
        line[second[j]] -= block[j, count]
    flow, j = 0.0, 0
    for i in range(k):
        flow = flow + line[i] if active[i] else 0.0
        direction[i] = flow
        if active[i] and ridge > 0.0:
            direction[i] = block[j, count]
            j += 1
    return energy, dependent, count


@inlined
def _level_active(ridge: float, scratch: Scratch) -> tuple[float, bool]:
    """λ that makes θ of the active rows zero, and θ of all; returns λ'Σλ, and whether active rows are dependent."""
    levels, spread, q, variance, multipliers, theta, direction = scratch[:7]
    first, second, block, target = scratch[8], scratch[9], scratch[11], scratch[13]
    k = len(q)
    for s in range(len(levels)):
        target[s] = -levels[s]
    energy, dependent, count = _solve(ridge, scratch)
    for i in range(k):
        multipliers[i] = direction[i]
        theta[i] = q[i] + ridge * direction[i]
    for j in range(count):
        a, b, share = first[j], second[j], block[j, count]
        for i in range(k):
            theta[i] += share * ((spread[a, i] - spread[b, i]) - (spread[a, i + 1] - spread[b, i + 1]))
    for i in range(k):
        if variance[i] <= 0.0:
            theta[i] = q[i]
    return energy, dependent


@inlined
def _exchange_blocks(ridge: float, scratch: Scratch) -> float:
    """Block principal pivoting from the active rows (Portugal, Júdice & Vicente 1994); λ'Σλ, or −1 if it stalls.

    All rows of wrong sign change sides at once; when that goes in circles, only the last one does (Murty's rule) until
    there are fewer than ever, which leads out of nearly all circles soon, and of the others late.
    """
    variance, multipliers, theta, active, wrong = scratch[3], scratch[4], scratch[5], scratch[7], scratch[10]
    k = len(variance)
    fewest, patience, singles = k + 1, _PATIENCE, _SINGLES
    while True:
        energy, dependent = _level_active(ridge, scratch)
        slack = _SLACK * np.sqrt(energy)
        count = 0
        for i in range(k):
            scale = np.sqrt(variance[i])
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


@compiled
def _add_one_by_one(ridge: float, scratch: Scratch) -> float:
    """The dual method of Goldfarb & Idnani (1983): the worst violation first; λ'Σλ, or −1 if the order is impossible.

    The distance grows with every row taken in, so that it ends. The active rows never depend on each other: a row
    that depends on them takes the place of one of them, or shows that no point satisfies all.
    """
    spread, variance, multipliers, theta, direction = scratch[1], scratch[3], scratch[4], scratch[5], scratch[6]
    active, target = scratch[7], scratch[13]
    k, m = len(variance), len(target)
    settled = np.zeros(k, dtype=np.bool_)
    for i in range(k):
        active[i] = False
    for _ in range(50 * k + 100):  # far more than ever needed: rounding must not make it run for ever
        energy, _ = _level_active(ridge, scratch)
        slack = _SLACK * np.sqrt(energy)
        worst, entering = slack, -1
        for i in range(k):
            if not active[i] and not settled[i] and variance[i] > 0.0 and -theta[i] > worst * np.sqrt(variance[i]):
                worst, entering = -theta[i] / np.sqrt(variance[i]), i
        if entering < 0:
            return energy
        short = -theta[entering]
        while not active[entering] and not settled[entering]:
            # How λ changes when the entering row's θ rises by one and those of the active rows stay.
            for s in range(m):
                target[s] = 1.0 if s <= entering else 0.0
            active[entering] = True
            _, dependent, _ = _solve(ridge, scratch)
            full = short
            if dependent:
                # Nothing raises it; exchange it for an active row, at the rates that leave all θ as they are.
                active[entering] = False
                for s in range(m):
                    target[s] = spread[entering + 1, s] - spread[entering, s]
                _solve(ridge, scratch)
                direction[entering] = 1.0
                full = np.inf
                # Its θ is a sum of theirs, zeros but for rounding, and is not wrong by less than that.
                noise = 0.0
                for i in range(k):
                    noise += slack * abs(direction[i]) * np.sqrt(variance[i])
                if short <= noise:
                    settled[entering] = True
                    continue
            step, leaving = full, -1
            floor = -_DEPENDENT * direction[entering] * np.sqrt(variance[entering])
            for i in range(k):
                if i != entering and active[i] and direction[i] * np.sqrt(variance[i]) < floor:
                    room = -multipliers[i] / direction[i]
                    if room < step:
                        step, leaving = max(room, 0.0), i
            if step == np.inf:
                return -1.0
            for i in range(k):
                multipliers[i] += step * direction[i]
            if leaving < 0:
                for i in range(k):
                    settled[i] = False
            else:
                active[entering] = False
                active[leaving] = False
                multipliers[leaving] = 0.0
                if full < np.inf:
                    short -= step
    return np.nan


@inlined
def settle(ridge: float, size: float, warm: bool, scratch: Scratch) -> float:
    """The distance √(size λ'Σλ) of the order taken, or −1 if exchanges stall.

    From the active rows if `warm`, else from the contradicted ones.
    """
    levels, spread, q, variance = scratch[:4]
    active = scratch[7]
    for i in range(len(q)):
        q[i] = levels[i] - levels[i + 1]
        variance[i] = ridge - 2.0 * spread[i, i + 1]
        if not warm:
            active[i] = q[i] < 0.0
        if q[i] < 0.0 and variance[i] <= 0.0:
            return np.inf
    energy = _exchange_blocks(ridge, scratch)
    return -1.0 if energy < 0.0 else _distance(energy, ridge, size, scratch)


@compiled
def settle_surely(ridge: float, size: float, warm: bool, scratch: Scratch) -> float:
    """The distance √(size λ'Σλ) of the order taken, one row at a time where exchanges stall."""
    distance = settle(ridge, size, warm, scratch)
    if distance >= 0.0:
        return distance
    return _distance(_add_one_by_one(ridge, scratch), ridge, size, scratch)


@inlined
def _distance(energy: float, ridge: float, size: float, scratch: Scratch) -> float:
    """The distance of λ'Σλ, infinite where it is none; multipliers that are zero but for rounding are made so."""
    multipliers, active = scratch[4], scratch[7]
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

    Infinite where a constant difference is reversed; −1 where exchanges stall, for `distances_surely`, which is rarely
    needed and long to compile. `spread` and `ridge` may be scaled by the same factor, and `size`, the number of
    topics, by it too.
    """
    out = np.empty(len(orders))
    scratch = scratch_for(orders.shape[1])
    for row in range(len(orders)):
        begin(level, spread, orders[row], scratch)
        out[row] = settle(ridge, size, False, scratch)
    return out, scratch[4], scratch[5]


@compiled
def distances_surely(
    level: Floats, spread: Floats, orders: Integers, ridge: float, size: float
) -> tuple[Floats, Floats, Floats]:
    """The same as `distances`, for orders on which exchanges stall."""
    out = np.empty(len(orders))
    scratch = scratch_for(orders.shape[1])
    for row in range(len(orders)):
        begin(level, spread, orders[row], scratch)
        out[row] = settle_surely(ridge, size, False, scratch)
    return out, scratch[4], scratch[5]


@inlined
def _change_sides(gaps: Floats, q: Floats, value: Floats, active: Flags, gram: Floats) -> None:
    """Make active just the rows that fall short at a point, and keep the upper half of G'G and −G'μ_Δ over them."""
    k, n = gaps.shape
    for i in range(k):
        short = value[i] < 0.0
        if short != active[i]:
            active[i] = short
            sign = 1.0 if short else -1.0
            for a in range(n):
                here = sign * gaps[i, a]
                for b in range(np.uint64(a), np.uint64(n)):
                    gram[a, b] += here * gaps[i, b]
                gram[a, n] -= here * q[i]


@inlined
def _step_length(ridge: float, start: float, length: float, value: Floats, there: Floats) -> float:
    """How far towards `there` what is minimised falls: the zero of its slope, which rises in straight pieces, or 1.

    The slope at t is ridge (`start` + t `length`) + Σ min(0, v) v', where v goes from `value` to `there`.
    """
    low, high, t = 0.0, 1.0, 1.0
    for _ in range(60):
        slope, bend = ridge * (start + t * length), ridge * length
        for i in range(len(value)):
            change = there[i] - value[i]
            here = value[i] + t * change
            short = 1.0 if here < 0.0 else 0.0
            slope += short * here * change
            bend += short * change * change
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


@compiled
def distances_by_topics(
    level: Floats, deviations: Floats, orders: Integers, ridge: float, size: float
) -> tuple[Floats, Floats, Floats]:
    """The same as `distances`, with a ridge, by equations of as many unknowns as topics: for more systems than those.

    `deviations` are the systems' from their means (systems × topics), so that Σ_Δ is GG' + ridge for the differences G
    between neighbours' rows. Then λ = −min(0, μ_Δ + Gw) / ridge, where w has the least ½w'w + ½ Σ min(0, μ_Δ + Gw)² /
    ridge. Newton's steps, each as long as that falls, end at it; a few with a greater ridge come first, which takes
    half as many in all on 300 systems × 100 topics.
    """
    k, n = orders.shape[1] - 1, deviations.shape[1]
    out = np.empty(len(orders))
    gaps, gram, block = np.empty((k, n)), np.empty((n, n + 1)), np.empty((n, n + 1))
    point, floor = np.empty(n), np.zeros(n)
    q, scale, multipliers, theta = np.empty(k), np.empty(k), np.empty(k), np.empty(k)
    value, there, active = np.empty(k), np.empty(k), np.empty(k, dtype=np.bool_)
    for row in range(len(orders)):
        for i in range(k):
            above, below = orders[row, i], orders[row, i + 1]
            variance = ridge
            for topic in range(n):
                gaps[i, topic] = deviations[above, topic] - deviations[below, topic]
                variance += gaps[i, topic] * gaps[i, topic]
            q[i] = level[above] - level[below]
            value[i], scale[i], active[i] = q[i], np.sqrt(variance), False
        for a in range(n):
            for b in range(n + 1):
                gram[a, b] = 0.0
            point[a] = 0.0
        out[row] = -1.0
        ease, left = _EASE, _EASED_STEPS
        for _ in range(_STEPS):
            eased = ease * ridge
            _change_sides(gaps, q, value, active, gram)
            for a in range(n):
                for b in range(np.uint64(a), np.uint64(n + 1)):
                    block[a, b] = gram[a, b]
                block[a, a] += eased
            _eliminate(block, n, floor)
            start, length, energy = 0.0, 0.0, 0.0
            for a in range(n):
                move = block[a, n] - point[a]
                start += point[a] * move
                length += move * move
                energy += block[a, n] * block[a, n]
            for i in range(k):
                total = q[i]
                for a in range(n):
                    total += gaps[i, a] * block[a, n]
                there[i] = total
                multipliers[i] = -total / eased if active[i] else 0.0
                theta[i] = 0.0 if active[i] else total
                energy += eased * multipliers[i] * multipliers[i]
            slack = _SLACK * np.sqrt(energy)
            wrong = 0
            for i in range(k):
                wrong += int(multipliers[i] * scale[i] < -slack or theta[i] < -slack * scale[i])
            if wrong == 0 and ease == 1.0:
                out[row] = np.sqrt(size * energy)
                break
            left -= 1
            if wrong == 0 or left == 0:
                ease, left = max(ease / 10.0, 1.0), _EASED_STEPS
            t = _step_length(eased, start, length, value, there)
            for a in range(n):
                point[a] += t * (block[a, n] - point[a])
            for i in range(k):
                value[i] += t * (there[i] - value[i])
        for i in range(k):
            multipliers[i] = max(multipliers[i], 0.0)
    return out, multipliers, theta
