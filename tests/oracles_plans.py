"""Designs of plans as docs/planning.md writes them, in plain loops."""

import math
from hashlib import blake2b


def number(seed, *names):
    """The permanent random number of a name."""
    text = "\0".join([str(seed), *names]).encode()
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "little") / 2**64


def shallow(depths, size):
    """A tenth of the labels evenly; the rest document by document in order of depth, a depth's documents alike."""
    n = len(depths)
    size = min(size, n)
    floor = 0.1 * size / n
    chances = [floor] * n
    left = size - floor * n
    for depth in sorted(set(depths)):
        here = [d for d in range(n) if depths[d] == depth]
        added = min(left / len(here), 1 - floor)
        for d in here:
            chances[d] += added
        left -= added * len(here)
    return chances


def proportional(sizes, size):
    """Probabilities in proportion to sizes, nine tenths of them, plus a tenth evenly; what is above 1 becomes 1."""
    n, total = len(sizes), sum(sizes)
    mixed = [0.9 * s / total + 0.1 / n if total > 0 else 1 / n for s in sizes]
    if size >= n:
        return [1.0] * n
    certain: set[int] = set()
    while True:
        rest = sum(mixed[d] for d in range(n) if d not in certain)
        factor = (size - len(certain)) / rest
        beyond = {d for d in range(n) if d not in certain and mixed[d] * factor > 1 + 1e-12}
        if not beyond:
            return [1.0 if d in certain else min(mixed[d] * factor, 1.0) for d in range(n)]
        certain |= beyond


def influence(weights):
    return [math.sqrt(sum(row[d] ** 2 for row in weights)) for d in range(len(weights[0]))]


def close(weights, scores, tail):
    """The root of Σ p (w_i − w_j)² over pairs, p the two-sided p-value of their paired t-test under the judge."""
    n, m = len(scores), len(weights)
    sums = [0.0] * len(weights[0])
    for i in range(m):
        for j in range(i):
            gaps = [row[i] - row[j] for row in scores]
            mean = sum(gaps) / n
            variance = sum((gap - mean) ** 2 for gap in gaps) / (n - 1) / n
            if math.sqrt(variance) <= 1e-12:
                p = 1.0 if mean == 0 else 0.0
            else:
                p = 2 * tail(n - 1, abs(mean) / math.sqrt(variance))
            for d in range(len(sums)):
                sums[d] += p * (weights[i][d] - weights[j][d]) ** 2
    return [math.sqrt(s) for s in sums]


def stratified(grades, depths, influences):
    """The mean influence of the documents of the same grade and the same power of two of depth."""
    stratum = [(g, int(math.log2(d))) for g, d in zip(grades, depths, strict=True)]
    out = []
    for own in stratum:
        alike = [i for s, i in zip(stratum, influences, strict=True) if s == own]
        out.append(sum(alike) / len(alike))
    return out


def document_errors(weights, variances, chances, common, axis):
    """The combined error along an axis: sampling error of corrected means beside the bias of filled-in ones."""
    sampling = bias = 0.0
    for d, (variance, p) in enumerate(zip(variances, chances, strict=True)):
        along = sum(row[d] * a for row, a in zip(weights, axis, strict=True)) ** 2 * variance
        sampling += along * (1 - p) / p
        bias += along * (1 - p)
    bias *= common
    return sampling * bias / (sampling + bias) if sampling + bias > 0 else 0.0


def topic_errors(c, n, more, directions):
    """Error variance of the best linear prediction with n human topics of mean variance: topics, and what is left.

    The second is what it grows by where the true variance is one standard error larger: that of the mean square of
    Gaussian means along so many directions, signal and noise, less what the signal alone would have.
    """
    import numpy as np

    kxx, kxy, kyy, exx, exy, eyy, err = c
    observed = np.array(
        [
            [kxx + 1.01 * exx / n, kxy + exy / n, kxy],
            [kxy + exy / n, kyy + 1.01 * eyy / n, kyy],
            [kxy, kyy, kyy + 1.01 * err / more],
        ]
    )
    wx, wy, wr = np.linalg.solve(observed, [kxx, kxy, kxy])
    slope, judged = kxy / kxx, wy + wr
    topics = (wx**2 * exx + 2 * wx * wy * exy + wy**2 * eyy) / n + wr**2 * err / more
    both = (2 * (kxx + exx / n) ** 2 - 2 * kxx**2) / directions
    left = (1 - wx - judged * slope) ** 2 * kxx + judged**2 * max(kyy - slope * kxy, 0)
    return topics + left, (1 - wx - judged * slope) ** 2 * both**0.5
