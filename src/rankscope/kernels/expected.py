"""Pairs of systems for expected correlations (Urbano & Marrero 2016): quantile deviations, bandwidths, swaps.

Kernels that depend on a pair's differences alone take them sorted, a row per pair: numpy sorts rows many times faster
than a compiled loop. Kernels that depend on draws of means fill the rows [first, last) of an m × m matrix above its
diagonal, so that threads can share the matrix.
"""

import math

import numpy as np

from rankscope.kernels.compiled import Floats, compiled

# Beyond this s, exp(−s/2) is below 1e-17, and so is the rest of the sums.
_DECAYED = 80.0
_IQR_OF_NORMAL = 1.3489795003921634
# Φ(−6) = 1e-9: noise does not change the sign of a mean further away. The normal tail is tabulated in steps of 1/32.
FAR, STEPS = 6, 32


@compiled
def quantile_deviations(differences: Floats, half_ranks: Floats, out: Floats) -> None:
    """The standard deviation of each row of sorted differences by minimum squared quantile deviation (Eq. 9).

    `half_ranks[k]` is erf⁻¹(2 R/(n + 1) − 1) at rank R = 1 + k/2: tied differences share their mean rank. With ties
    the e_i need not sum to 0, as the derivation assumes, and Eq. 9 can be negative; the least squares are then solved
    with a free mean. 0 where all differences are equal.
    """
    pairs, n = differences.shape
    for pair in range(pairs):
        x = differences[pair]
        products, sum_e, sum_x, squares = 0.0, 0.0, 0.0, 0.0
        start = 0
        while start < n:
            end = start + 1
            while end < n and x[end] == x[start]:
                end += 1
            e = half_ranks[start + end - 1]
            size = end - start
            products += size * e * x[start]
            sum_e += size * e
            sum_x += size * x[start]
            squares += size * e * e
            start = end
        if x[0] == x[n - 1] or squares == 0.0:
            out[pair] = 0.0
        elif products > 0.0:
            out[pair] = products / (math.sqrt(2.0) * squares)  # Eq. 9
        else:
            slope = (products - sum_x * sum_e / n) / (squares - sum_e * sum_e / n)
            out[pair] = max(slope, 0.0) / math.sqrt(2.0)


@compiled
def _quantile(x: Floats, share: float) -> float:
    """R's default quantile (type 7) of sorted values."""
    place = share * (len(x) - 1)
    below = int(place)
    above = min(below + 1, len(x) - 1)
    return float(x[below] + (place - below) * (x[above] - x[below]))


@compiled
def _sum(x: Floats) -> float:
    """A sum in four strands, so that additions do not wait for each other."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = len(x) - len(x) % 4
    for t in range(0, whole, 4):
        a += x[t]
        b += x[t + 1]
        c += x[t + 2]
        d += x[t + 3]
    for t in range(whole, len(x)):
        a += x[t]
    return (a + b) + (c + d)


@compiled
def _powers(turns: Floats, phases: Floats, done: int, last: int, out: Floats) -> None:
    """|Σ exp(iωx)|² at the steps `done` to `last` of ω, by rotating each exp(iωx) by one step at a time.

    The rows of `turns` and `phases` are cosines and sines: of one step, and of the steps done.
    """
    n = phases.shape[1]
    for k in range(done, last):
        for t in range(n):
            c, s = phases[0, t], phases[1, t]
            phases[0, t] = c * turns[0, t] - s * turns[1, t]
            phases[1, t] = c * turns[1, t] + s * turns[0, t]
        real, imaginary = _sum(phases[0]), _sum(phases[1])
        out[k] = real * real + imaginary * imaginary


@compiled
def _by_frequencies(order: int, powers: Floats, step: float, n: int, g: float) -> float:
    """ψ_r as an integral over frequencies: (−1)^(r/2)/π ∫ ω^r |φ_n(ω)|² exp(−g²ω²/2) dω over ω > 0."""
    total = 0.0
    for k in range(len(powers)):
        s = step * (k + 1) * step * (k + 1)
        if g * g * s > _DECAYED:
            break
        total += (s * s * s if order == 6 else s * s) * powers[k] * math.exp(-0.5 * g * g * s)
    total *= step / (math.pi * n * n)
    return -total if order == 6 else total


@compiled
def _by_pairs(order: int, x: Floats, g: float) -> float:
    """ψ_r = n⁻² ΣΣ φ^(r)((x_i − x_j)/g)/g^(r+1), r = 6 or 4, including the diagonal; x is sorted."""
    n = len(x)
    total = 0.0
    for a in range(n):
        for b in range(a - 1, -1, -1):
            s = (x[a] - x[b]) * (x[a] - x[b]) / (g * g)
            if s > _DECAYED:
                break
            poly = ((s - 15.0) * s + 45.0) * s - 15.0 if order == 6 else (s - 6.0) * s + 3.0
            total += poly * math.exp(-0.5 * s)
    total = 2.0 * total + n * (-15.0 if order == 6 else 3.0)
    return float(total / (math.sqrt(2.0 * math.pi) * n * n * g ** (order + 1)))


@compiled
def plug_in_bandwidths(differences: Floats, out: Floats) -> None:
    """The two-stage direct plug-in bandwidth of each row of sorted differences (Wand & Jones 1995, section 3.6.1).

    The scale is the smaller of the standard deviation and the normalised interquartile range; where that is 0, so is
    the bandwidth. The two functionals are sums over pairs of topics, or equivalently integrals over frequencies. The
    integrals' trapezoidal sums are exact up to rounding if a period covers the range and the kernel's width, and take
    O(n) unless the range is extreme. The rows are standardised in place.
    """
    pairs, n = differences.shape
    turns, phases, powers = np.empty((2, n)), np.empty((2, n)), np.empty(n * n // 8 + 2)
    reach = math.sqrt(_DECAYED)
    for pair in range(pairs):
        x = differences[pair]
        mean = _sum(x) / n
        squares = 0.0
        for t in range(n):
            squares += (x[t] - mean) * (x[t] - mean)
        deviation = math.sqrt(squares / (n - 1))
        scale = min(deviation, (_quantile(x, 0.75) - _quantile(x, 0.25)) / _IQR_OF_NORMAL)
        if not scale > 0.0:
            out[pair] = 0.0
            continue
        for t in range(n):
            x[t] = (x[t] - mean) / scale
        g = (2.0 * math.sqrt(2.0) ** 9 / (7.0 * n)) ** (1.0 / 9.0)
        # The second pilot bandwidth is smallest where all differences are alike, and not much above the first.
        step = 2.0 * math.pi / (x[n - 1] - x[0] + 14.0 * g)
        if 8.0 * reach / (g * (0.4 / n) ** (1.0 / 7.0) * step) < n * n:
            for t in range(n):
                turns[0, t], turns[1, t] = math.cos(step * x[t]), math.sin(step * x[t])
                phases[0, t], phases[1, t] = 1.0, 0.0
            first_stage = int(reach / (g * step)) + 1
            _powers(turns, phases, 0, first_stage, powers)
            psi = _by_frequencies(6, powers[:first_stage], step, n, g)
            g = (-3.0 * math.sqrt(2.0 / math.pi) / (psi * n)) ** (1.0 / 7.0)
            second_stage = max(int(reach / (g * step)) + 1, first_stage)
            _powers(turns, phases, first_stage, second_stage, powers)
            psi = _by_frequencies(4, powers[:second_stage], step, n, g)
        else:
            psi = _by_pairs(6, x, g)
            g = (-3.0 * math.sqrt(2.0 / math.pi) / (psi * n)) ** (1.0 / 7.0)
            psi = _by_pairs(4, x, g)
        out[pair] = scale * (1.0 / (2.0 * math.sqrt(math.pi) * psi * n)) ** 0.2


@compiled
def swaps_in_draws(means: Floats, observed: Floats, first: int, last: int, out: Floats) -> None:
    """Add up the draws in which a pair is swapped; `means` is systems × draws.

    A pair that ties in the observed means has no order: half of the draws in which it does not tie count.
    """
    m, draws = means.shape
    for i in range(first, last):
        for j in range(i + 1, m):
            less, level = 0, 0
            for t in range(draws):
                less += int(means[i, t] < means[j, t])
            if observed[i] == observed[j]:
                for t in range(draws):
                    level += int(means[i, t] == means[j, t])
                out[i, j] += 0.5 * (draws - level)
            else:
                out[i, j] += less  # the sum of Eq. 10


@compiled
def swaps_with_noise(means: Floats, noise: Floats, first: int, last: int, tail: Floats, out: Floats) -> None:
    """Add up Φ(−X̄/noise) over draws: the probability that a mean with normal noise of that deviation is negative.

    `tail` has the cubic in u that approximates Φ(−z) from each step of 1/STEPS to the next, from −FAR to FAR: within
    4e-9, in a tenth of the time of erfc.
    """
    m, draws = means.shape
    for i in range(first, last):
        for j in range(i + 1, m):
            if not noise[i, j] > 0.0:
                continue
            inverse = STEPS / noise[i, j]
            total = 0.0
            for t in range(draws):
                place = (means[i, t] - means[j, t]) * inverse + FAR * STEPS
                place = min(max(place, 0.0), 2.0 * FAR * STEPS)
                k = int(place)
                u = place - k
                total += tail[k, 0] + u * (tail[k, 1] + u * (tail[k, 2] + u * tail[k, 3]))
            out[i, j] += total


@compiled
def discordances(truth: Floats, estimate: Floats, harmonic: Floats, out: Floats) -> None:
    """Per row, the share of discordant pairs, and its τ_AP weighting: lower item j counts Σ_i D_ij/(rank of j − 1).

    Rows are arranged best estimate first. Ties are not discordant; a tied item's weight is the mean over the ranks of
    its group. `harmonic[k]` is 1 + 1/2 + … + 1/k.
    """
    rows, m = truth.shape
    for row in range(rows):
        pairs, weighted = 0, 0.0
        start = 0
        for end in range(1, m + 1):
            if end < m and estimate[row, end] == estimate[row, start]:
                continue
            discordant = 0
            for j in range(start, end):
                x = truth[row, j]
                for i in range(start):
                    discordant += int(truth[row, i] < x)
            pairs += discordant
            if discordant > 0:
                weighted += discordant * (harmonic[end - 1] - harmonic[start - 1]) / (end - start)
            start = end
        out[row, 0] = pairs / (m * (m - 1) / 2.0)  # (1 − τ)/2, Eq. 1
        out[row, 1] = weighted / (m - 1)  # (1 − τ_AP)/2, Eq. 2
