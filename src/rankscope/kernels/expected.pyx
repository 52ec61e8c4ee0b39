"""Pairs of systems for expected correlations (Urbano & Marrero 2016): quantile deviations, bandwidths, swaps.

Kernels that depend on a pair's differences alone take them sorted, a row per pair: numpy sorts rows many times faster
than a compiled loop. Kernels that depend on draws of means fill the rows [first, last) of an m × m matrix above its
diagonal, so that threads can share the matrix.
"""

import numpy as np

from libc.math cimport cos, exp, M_PI, pow, sin, sqrt

# Beyond this s, exp(−s/2) is below 1e-17, and so is the rest of the sums.
cdef const double _DECAYED = 80.0
cdef const double _IQR_OF_NORMAL = 1.3489795003921634
# Φ(−6) = 1e-9: noise does not change the sign of a mean further away. The normal tail is tabulated in steps of 1/32.
cdef enum:
    _FAR = 6
    _STEPS = 32
    # Draws whose places in the table are found at a time.
    _BLOCK = 128
FAR, STEPS = _FAR, _STEPS


def quantile_deviations(const double[:, ::1] differences, const double[::1] half_ranks, double[::1] out):
    """The standard deviation of each row of sorted differences by minimum squared quantile deviation (Eq. 9).

    `half_ranks[k]` is erf⁻¹(2 R/(n + 1) − 1) at rank R = 1 + k/2: tied differences share their mean rank. With ties
    the e_i need not sum to 0, as the derivation assumes, and Eq. 9 can be negative; the least squares are then solved
    with a free mean. 0 where all differences are equal.
    """
    cdef Py_ssize_t pairs = differences.shape[0], n = differences.shape[1], pair, start, end, size
    cdef double products, sum_e, sum_x, squares, e, slope
    cdef const double* x
    with nogil:
        for pair in range(pairs):
            x = &differences[pair, 0]
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
                out[pair] = products / (sqrt(2.0) * squares)  # Eq. 9
            else:
                slope = (products - sum_x * sum_e / n) / (squares - sum_e * sum_e / n)
                out[pair] = max(slope, 0.0) / sqrt(2.0)


cdef inline double _quantile(const double* x, Py_ssize_t n, double share) noexcept nogil:
    """R's default quantile (type 7) of sorted values."""
    cdef double place = share * (n - 1)
    cdef Py_ssize_t below = <Py_ssize_t>place
    cdef Py_ssize_t above = min(below + 1, n - 1)
    return x[below] + (place - below) * (x[above] - x[below])


cdef inline double _sum(const double* x, Py_ssize_t n) noexcept nogil:
    """A sum in four strands, so that additions do not wait for each other."""
    cdef double a = 0.0, b = 0.0, c = 0.0, d = 0.0
    cdef Py_ssize_t t, whole = n - n % 4
    for t in range(0, whole, 4):
        a += x[t]
        b += x[t + 1]
        c += x[t + 2]
        d += x[t + 3]
    for t in range(whole, n):
        a += x[t]
    return (a + b) + (c + d)


cdef struct Waves:
    # exp(iωx) of each of n values x, as cosines and sines: of one step of ω, and of the steps done.
    double* turn_cos
    double* turn_sin
    double* cosines
    double* sines
    Py_ssize_t n


cdef inline void _powers(const Waves* waves, Py_ssize_t done, Py_ssize_t last, double* out) noexcept nogil:
    """|Σ exp(iωx)|² at the steps `done` to `last` of ω, by rotating each exp(iωx) by one step at a time."""
    cdef const double* turn_cos = waves.turn_cos
    cdef const double* turn_sin = waves.turn_sin
    cdef double* cosines = waves.cosines
    cdef double* sines = waves.sines
    cdef Py_ssize_t n = waves.n, k, t
    cdef double c, s, real, imaginary
    for k in range(done, last):
        for t in range(n):
            c, s = cosines[t], sines[t]
            cosines[t] = c * turn_cos[t] - s * turn_sin[t]
            sines[t] = c * turn_sin[t] + s * turn_cos[t]
        real, imaginary = _sum(cosines, n), _sum(sines, n)
        out[k] = real * real + imaginary * imaginary


cdef inline double _by_frequencies(
    int order, const double* powers, Py_ssize_t count, double step, Py_ssize_t n, double g
) noexcept nogil:
    """ψ_r as an integral over frequencies: (−1)^(r/2)/π ∫ ω^r |φ_n(ω)|² exp(−g²ω²/2) dω over ω > 0."""
    cdef double total = 0.0, s
    cdef Py_ssize_t k
    for k in range(count):
        s = step * (k + 1) * step * (k + 1)
        if g * g * s > _DECAYED:
            break
        total += (s * s * s if order == 6 else s * s) * powers[k] * exp(-0.5 * g * g * s)
    total *= step / (M_PI * n * n)
    return -total if order == 6 else total


cdef inline double _by_pairs(int order, const double* x, Py_ssize_t n, double g) noexcept nogil:
    """ψ_r = n⁻² ΣΣ φ^(r)((x_i − x_j)/g)/g^(r+1), r = 6 or 4, including the diagonal; x is sorted."""
    cdef double total = 0.0, s, poly
    cdef Py_ssize_t a, b
    for a in range(n):
        for b in range(a - 1, -1, -1):
            s = (x[a] - x[b]) * (x[a] - x[b]) / (g * g)
            if s > _DECAYED:
                break
            poly = ((s - 15.0) * s + 45.0) * s - 15.0 if order == 6 else (s - 6.0) * s + 3.0
            total += poly * exp(-0.5 * s)
    total = 2.0 * total + n * (-15.0 if order == 6 else 3.0)
    return total / (sqrt(2.0 * M_PI) * n * n * pow(g, order + 1))


cdef inline double _bandwidth(double* x, const Waves* waves, double* powers) noexcept nogil:
    """The bandwidth of sorted differences, which are standardised in place."""
    cdef Py_ssize_t n = waves.n, t, first_stage, second_stage
    cdef double reach = sqrt(_DECAYED), mean = _sum(x, n) / n, squares = 0.0, scale, g, step, psi
    for t in range(n):
        squares += (x[t] - mean) * (x[t] - mean)
    scale = min(sqrt(squares / (n - 1)), (_quantile(x, n, 0.75) - _quantile(x, n, 0.25)) / _IQR_OF_NORMAL)
    if not scale > 0.0:
        return 0.0
    for t in range(n):
        x[t] = (x[t] - mean) / scale
    g = pow(2.0 * pow(sqrt(2.0), 9.0) / (7.0 * n), 1.0 / 9.0)
    # The second pilot bandwidth is smallest where all differences are alike, and not much above the first.
    step = 2.0 * M_PI / (x[n - 1] - x[0] + 14.0 * g)
    if 8.0 * reach / (g * pow(0.4 / n, 1.0 / 7.0) * step) < n * n:
        for t in range(n):
            waves.turn_cos[t], waves.turn_sin[t] = cos(step * x[t]), sin(step * x[t])
            waves.cosines[t], waves.sines[t] = 1.0, 0.0
        first_stage = <Py_ssize_t>(reach / (g * step)) + 1
        _powers(waves, 0, first_stage, powers)
        psi = _by_frequencies(6, powers, first_stage, step, n, g)
        g = pow(-3.0 * sqrt(2.0 / M_PI) / (psi * n), 1.0 / 7.0)
        second_stage = max(<Py_ssize_t>(reach / (g * step)) + 1, first_stage)
        _powers(waves, first_stage, second_stage, powers)
        psi = _by_frequencies(4, powers, second_stage, step, n, g)
    else:
        psi = _by_pairs(6, x, n, g)
        g = pow(-3.0 * sqrt(2.0 / M_PI) / (psi * n), 1.0 / 7.0)
        psi = _by_pairs(4, x, n, g)
    return scale * pow(1.0 / (2.0 * sqrt(M_PI) * psi * n), 0.2)


def plug_in_bandwidths(double[:, ::1] differences, double[::1] out):
    """The two-stage direct plug-in bandwidth of each row of sorted differences (Wand & Jones 1995, section 3.6.1).

    The scale is the smaller of the standard deviation and the normalised interquartile range; where that is 0, so is
    the bandwidth. The two functionals are sums over pairs of topics, or equivalently integrals over frequencies. The
    integrals' trapezoidal sums are exact up to rounding if a period covers the range and the kernel's width, and take
    O(n) unless the range is extreme. The rows are standardised in place.
    """
    cdef Py_ssize_t pairs = differences.shape[0], n = differences.shape[1], pair
    cdef double[:, ::1] room = np.empty((4, n))
    cdef double[::1] powers = np.empty(n * n // 8 + 2)
    cdef Waves waves = Waves(&room[0, 0], &room[1, 0], &room[2, 0], &room[3, 0], n)
    with nogil:
        for pair in range(pairs):
            out[pair] = _bandwidth(&differences[pair, 0], &waves, &powers[0])


def swaps_in_draws(
    const double[:, ::1] means, const double[::1] observed, Py_ssize_t first, Py_ssize_t last, double[:, ::1] out
):
    """Add up the draws in which a pair is swapped; `means` is systems × draws.

    A pair that ties in the observed means has no order: half of the draws in which it does not tie count.
    """
    cdef Py_ssize_t m = means.shape[0], draws = means.shape[1], i, j, t, count
    cdef const double* x
    cdef const double* y
    with nogil:
        for i in range(first, last):
            x = &means[i, 0]
            for j in range(i + 1, m):
                y = &means[j, 0]
                count = 0
                if observed[i] == observed[j]:
                    for t in range(draws):
                        count += x[t] != y[t]
                    out[i, j] += 0.5 * count
                else:
                    for t in range(draws):
                        count += x[t] < y[t]
                    out[i, j] += count  # the sum of Eq. 10


def swaps_with_noise(
    const double[:, ::1] means,
    const double[:, ::1] noise,
    Py_ssize_t first,
    Py_ssize_t last,
    const double[:, ::1] tail,
    double[:, ::1] out,
):
    """Add up Φ(−X̄/noise) over draws: the probability that a mean with normal noise of that deviation is negative.

    `tail` has the cubic in u that approximates Φ(−z) from each step of 1/STEPS to the next, from −FAR to FAR: within
    4e-9, in a tenth of the time of erfc.
    """
    cdef Py_ssize_t m = means.shape[0], draws = means.shape[1], i, j
    with nogil:
        for i in range(first, last):
            for j in range(i + 1, m):
                if noise[i, j] > 0.0:
                    out[i, j] += _swaps_of_pair(&means[i, 0], &means[j, 0], draws, _STEPS / noise[i, j], &tail[0, 0])


cdef inline double _swaps_of_pair(
    const double* x, const double* y, Py_ssize_t draws, double inverse, const double* tail
) noexcept nogil:
    """The sum over draws, a block of them at a time.

    Places in the table are found in a loop of their own, which becomes vector code; with branches in their stead, many
    would be mispredicted.
    """
    cdef double[_BLOCK] places
    cdef const double* cubic
    cdef double total = 0.0, end = 2.0 * _FAR * _STEPS, place, u
    cdef Py_ssize_t start = 0, t
    cdef int k
    while start < draws:
        for t in range(min(_BLOCK, draws - start)):
            place = (x[start + t] - y[start + t]) * inverse + _FAR * _STEPS
            place = place if place > 0.0 else 0.0
            places[t] = place if place < end else end
        for t in range(min(_BLOCK, draws - start)):
            k = <int>places[t]
            u = places[t] - k
            cubic = tail + 4 * k
            total += cubic[0] + u * (cubic[1] + u * (cubic[2] + u * cubic[3]))
        start += _BLOCK
    return total


def discordances(truth, estimate, const double[::1] harmonic, double[:, ::1] out):
    """Per row, the share of discordant pairs, and its τ_AP weighting: lower item j counts Σ_i D_ij/(rank of j − 1).

    Rows are arranged best estimate first. Ties are not discordant; a tied item's weight is the mean over the ranks of
    its group. `harmonic[k]` is 1 + 1/2 + … + 1/k.
    """
    cdef const double[:, ::1] scores = np.ascontiguousarray(truth), estimates = np.ascontiguousarray(estimate)
    cdef Py_ssize_t rows = scores.shape[0], m = scores.shape[1], row, i, j, start, end, pairs, discordant
    cdef const double* values
    cdef double x, weighted
    with nogil:
        for row in range(rows):
            values = &scores[row, 0]
            pairs, weighted = 0, 0.0
            start = 0
            for end in range(1, m + 1):
                if end < m and estimates[row, end] == estimates[row, start]:
                    continue
                discordant = 0
                for j in range(start, end):
                    x = values[j]
                    for i in range(start):
                        discordant += values[i] < x
                pairs += discordant
                if discordant > 0:
                    weighted += discordant * (harmonic[end - 1] - harmonic[start - 1]) / (end - start)
                start = end
            out[row, 0] = pairs / (m * (m - 1) / 2.0)  # (1 − τ)/2, Eq. 1
            out[row, 1] = weighted / (m - 1)  # (1 − τ_AP)/2, Eq. 2
