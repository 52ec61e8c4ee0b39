"""Expected correlations as Urbano & Marrero (2016) print them, in loops: slow, literal twins.

`scores` is a list of topics, each a list of systems' scores. Resampling is over all nⁿ samples instead of 1,000.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable, Iterator, Sequence

from scipy import stats
from scipy.special import erfinv

Scores = Sequence[Sequence[float]]
# From the differences X_1 … X_n of a pair to the probability that it is swapped.
PairEstimator = Callable[[list[float]], float]


def maximum_likelihood(x: list[float]) -> float:
    """Eqs. 5 to 7."""
    n = len(x)
    mean = sum(x) / n
    s = math.sqrt(sum((v - mean) ** 2 for v in x) / (n - 1))
    c = math.sqrt((n - 1) / 2) * math.gamma((n - 1) / 2) / math.gamma(n / 2)
    return student(mean, s * c, n)


def quantile_deviation(x: list[float]) -> float:
    """Eqs. 8 and 9; tied differences share their mean rank."""
    n = len(x)
    ranks = [sum(w < v for w in x) + (1 + sum(w == v for w in x)) / 2 for v in x]
    e = [erfinv(2 * r / (n + 1) - 1) for r in ranks]
    squares = 2 * sum(v**2 for v in e)
    sigma = math.sqrt(2) * sum(v * w for v, w in zip(x, e, strict=True)) / squares if squares else 0.0
    return student(sum(x) / n, sigma, n)


def student(mean: float, sigma: float, n: int) -> float:
    """Eq. 5; without spread, 0/0 or −∞: no swap."""
    return float(stats.t.cdf(-math.sqrt(n) * mean / sigma, n - 1)) if sigma else 0.0


def resampling(x: list[float]) -> float:
    """Eq. 10 over all samples; a pair that ties has no order."""
    means = list(sample_means(x))
    less, more = sum(v < 0 for v in means), sum(v > 0 for v in means)
    return (less if sum(x) > 0 else (less + more) / 2) / len(means)


def kernel_density(x: list[float]) -> float:
    """Section 3.1.4: the mean of n draws from the density is a mean of resampled values and noise of variance h²/n."""
    h = bandwidth(x)
    if h == 0:
        return maximum_likelihood(x)
    means = list(sample_means(x))
    return sum(statistics.NormalDist().cdf(-v * math.sqrt(len(x)) / h) for v in means) / len(means)


def sample_means(x: list[float]) -> Iterator[float]:
    for sample in itertools.product(x, repeat=len(x)):
        total = math.fsum(sample) / len(x)
        yield 0.0 if abs(total) < 1e-12 else total


def bandwidth(x: list[float]) -> float:
    """The two-stage direct plug-in (Wand & Jones 1995, section 3.6.1), scale as in KernSmooth's dpik."""
    n = len(x)
    low, _, high = statistics.quantiles(x, n=4, method="inclusive")
    scale = min(statistics.stdev(x), (high - low) / (2 * statistics.NormalDist().inv_cdf(0.75)))
    if scale <= 0:
        return 0.0
    z = [v / scale for v in x]
    psi8 = 105 / (32 * math.sqrt(math.pi))
    g = (-2 * hermite(6, 0.0) / (psi8 * n)) ** (1 / 9)
    psi6 = sum(hermite(6, (a - b) / g) for a in z for b in z) / (n**2 * g**7)
    g = (-2 * hermite(4, 0.0) / (psi6 * n)) ** (1 / 7)
    psi4 = sum(hermite(4, (a - b) / g) for a in z for b in z) / (n**2 * g**5)
    return float(scale * (1 / (2 * math.sqrt(math.pi) * psi4 * n)) ** (1 / 5))


def hermite(order: int, x: float) -> float:
    """The derivative of the normal density, 4th or 6th."""
    poly = x**6 - 15 * x**4 + 45 * x**2 - 15 if order == 6 else x**4 - 6 * x**2 + 3
    return poly * math.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


def expected(scores: Scores, estimator: PairEstimator) -> tuple[float, float]:
    """Eqs. 3 and 4, the latter up to m, over every way to order systems that tie in the mean."""
    n, m = len(scores), len(scores[0])
    sums = [round(math.fsum(topic[s] for topic in scores), 9) for s in range(m)]
    orders = [o for o in itertools.permutations(range(m)) if all(sums[a] >= sums[b] for a, b in itertools.pairwise(o))]
    taus, aps = [], []
    for order in orders:
        d = [
            [estimator([round(scores[t][a] - scores[t][b], 12) for t in range(n)]) if a != b else 0 for b in order]
            for a in order
        ]
        taus.append(1 - 4 / (m * (m - 1)) * sum(d[i][j] for i in range(m - 1) for j in range(i + 1, m)))
        aps.append(1 - 2 / (m - 1) * sum(sum(d[j][i] for j in range(i)) / i for i in range(1, m)))
    return sum(taus) / len(taus), sum(aps) / len(aps)


def discordance(truth: Sequence[float], estimate: Sequence[float]) -> tuple[float, float]:
    """(1 − τ)/2 by Eq. 1 and (1 − τ_AP)/2 by Eq. 2, over every way to order ties in the estimate."""
    m = len(truth)
    swapped = [[(truth[i] - truth[j]) * (estimate[i] - estimate[j]) < 0 for j in range(m)] for i in range(m)]
    tau = sum(swapped[i][j] for i in range(m) for j in range(i)) / (m * (m - 1) / 2)
    orders = [
        o for o in itertools.permutations(range(m)) if all(estimate[a] >= estimate[b] for a, b in itertools.pairwise(o))
    ]
    ap = [sum(sum(swapped[o[i]][o[j]] for j in range(i)) / i for i in range(1, m)) / (m - 1) for o in orders]
    return tau, sum(ap) / len(ap)
