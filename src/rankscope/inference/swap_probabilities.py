"""How likely is each pair of systems swapped in the true ranking? Four estimators (Urbano & Marrero 2016, section 3.1).

expected.py calls them, and topic_curve.py and worth.py for other numbers of topics. Each takes a `Sample` and returns
the m × m probabilities of discordance p_ij, i above j, in the upper triangle; `expected_tau_and_ap` turns them into
expected coefficients. Systems that are identical on every topic have no variance, so Eq. 5 is 0/0: they count as
concordant. (The authors' code drops such pairs from the sum but not from the total, which is equivalent.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from rankscope.averages import exact_means
from rankscope.inference.closed_tests import comparable, t_statistics
from rankscope.inference.resampling import Draws, generators, in_threads, topic_counts
from rankscope.scores import Floats

# Rows of the pair matrix that a thread takes at a time, so that long and short rows even out.
_ROWS = 8
# Differences of pairs that are sorted at a time: half a megabyte, which stays in the cache.
_BATCH = 65_536
# Expected correlations look at every pair of systems; of more systems than this, a random sample is used.
MOST_SYSTEMS = 700


def sampled_systems(systems: int, most: int | None = None) -> npt.NDArray[np.intp]:
    """The systems that are looked at: all, or a fixed random sample where there are more than `most`."""
    most = MOST_SYSTEMS if most is None else most
    if systems <= most:
        return np.arange(systems)
    return np.sort(np.random.default_rng(0).choice(systems, most, replace=False))


@dataclass(frozen=True, eq=False)
class Sample:
    """Scores of systems on topics, systems best first, in units in which equal sums are equal.

    `scores` are the given ones: `units` times `unit`. Systems with equal means have the same number in `groups`, best
    first; identical systems have the same number in `copies`.
    """

    scores: Floats
    units: Floats
    unit: float
    order: npt.NDArray[np.intp]
    means: Floats
    groups: npt.NDArray[np.intp]
    copies: npt.NDArray[np.intp]

    @classmethod
    def of(cls, values: Floats) -> Sample:
        """Order the systems of topics × systems scores."""
        units, _ = comparable(values)
        largest = np.abs(units).max()
        unit = float(np.abs(values).max() / largest) if largest > 0.0 else 1.0
        copies = np.unique(units, axis=1, return_inverse=True)[1].reshape(-1)
        means = exact_means(units)
        order = np.argsort(-means, kind="stable")
        means = means[order]
        groups = np.concatenate([[0], np.cumsum(means[1:] != means[:-1])])
        return cls(
            scores=np.ascontiguousarray(values[:, order]),
            units=np.ascontiguousarray(units[:, order]),
            unit=unit,
            order=order,
            means=means,
            groups=groups.astype(np.intp),
            copies=copies[order],
        )

    @property
    def topics(self) -> int:
        """The number of topics."""
        return len(self.units)

    @property
    def systems(self) -> int:
        """The number of systems."""
        return len(self.means)

    @property
    def identical_pairs(self) -> int:
        """The number of pairs of identical systems."""
        sizes = np.bincount(self.copies)
        return int((sizes * (sizes - 1) // 2).sum())

    def sums_over(self, weights: Floats) -> Floats:
        """Each system's weighted sum over topics, for each row of weights; identical systems tie in every row."""
        if not self.identical_pairs:
            return np.asarray(weights @ self.units)
        first = np.unique(self.copies, return_index=True)[1]
        return np.ascontiguousarray((weights @ self.units[:, first])[:, self.copies])

    @property
    def distinct(self) -> npt.NDArray[np.bool_]:
        """The pairs above the diagonal that are not identical."""
        return np.asarray(np.triu(self.copies[:, None] != self.copies[None, :], 1))


def expected_tau_and_ap(sample: Sample, swaps: Floats) -> Floats:
    """E[τ] and E[τ_AP] from the probabilities of discordance (Eqs. 3 and 4)."""
    m = sample.systems
    discordance = [
        swaps.sum() / (m * (m - 1) / 2.0),  # Eq. 3
        (ap_weights(sample.groups) * swaps).sum()
        / (m - 1),  # Eq. 4, whose outer sum must run to m, not m − 1 as printed
    ]
    return np.asarray(1.0 - 2.0 * np.array(discordance))


def ap_weights(groups: npt.NDArray[np.intp]) -> Floats:
    """1/(rank of j − 1) for each pair of i above j; for tied systems the mean over all their orders.

    `groups` numbers the systems best first, tied ones with the same number.

    >>> ap_weights(np.array([0, 1, 1])).tolist()
    [[0.0, 0.75, 0.75], [0.0, 0.0, 0.5], [0.0, 0.0, 0.0]]
    """
    m = len(groups)
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, m + 1))])
    sizes = np.bincount(groups)
    above = np.cumsum(sizes) - sizes
    weights = np.broadcast_to(((harmonic[above + sizes - 1] - harmonic[above - 1]) / sizes)[groups], (m, m)).copy()
    for group in np.flatnonzero(sizes > 1):
        first, size = int(above[group]), int(sizes[group])
        lower = np.arange(first + 1, first + size)  # the rank of the lower of two, minus 1
        weights[first : first + size, first : first + size] = (
            2.0 * ((lower - first) / lower).sum() / (size * size - size)
        )
    return np.triu(weights, 1)


def maximum_likelihood(sample: Sample, draws: Draws) -> Floats:
    """ML: Student's t with the unbiased standard deviation (Eqs. 5 to 7)."""
    return student_swaps(sample, likelihood_statistics(sample, draws.jobs), sample.topics)


def likelihood_statistics(sample: Sample, jobs: int | None) -> Floats:
    """Student's t of each pair, with the standard deviation of Eq. 7."""
    return t_statistics(sample.units) / unbiased_factor(sample.topics)  # Eq. 7


def quantile_deviation(sample: Sample, draws: Draws) -> Floats:
    """MSQD: Student's t with the standard deviation of minimum squared quantile deviation (Eqs. 5, 8 and 9)."""
    return student_swaps(sample, quantile_statistics(sample, draws.jobs), sample.topics)


def quantile_statistics(sample: Sample, jobs: int | None) -> Floats:
    """Student's t of each pair, with the standard deviation of Eq. 9; infinite where the gap is constant."""
    gaps = (sample.means[:, None] - sample.means[None, :]) * sample.unit
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.sqrt(sample.topics) * gaps / quantile_deviations(sample, jobs)
    return np.where(gaps == 0.0, 0.0, t)


def resampling(sample: Sample, draws: Draws) -> Floats:
    """RES: the share of resampled topic sets in which a pair is swapped (Eq. 10), the same sets for all pairs."""
    from rankscope.kernels.expected import swaps_in_draws

    swaps, observed = np.zeros((sample.systems, sample.systems)), sample.groups.astype(np.float64)

    def add(means: Floats, first: int, last: int) -> None:
        swaps_in_draws(means, observed, first, last, swaps)

    _add_up(sample, draws, add)
    return np.where(sample.distinct, swaps / draws.resamples, 0.0)  # Eq. 10


def kernel_density(sample: Sample, draws: Draws) -> Floats:
    """KD: as RES, from a Gaussian kernel density of the differences (section 3.1.4).

    A draw from it is a resampled difference plus noise with standard deviation h, so the mean has noise with standard
    deviation h/√n. The probability is integrated over that noise instead of drawn. Where the quartiles are equal there
    is no plug-in bandwidth, and ML is used, as in the authors' code.
    """
    from rankscope.kernels.expected import swaps_with_noise

    tail, noise = _normal_tail(), plug_in_bandwidths(sample, draws.jobs) / np.sqrt(sample.topics)
    swaps = np.zeros((sample.systems, sample.systems))

    def add(means: Floats, first: int, last: int) -> None:
        swaps_with_noise(means, noise, first, last, tail, swaps)

    _add_up(sample, draws, add)
    swaps /= draws.resamples
    level = sample.groups[:, None] == sample.groups[None, :]
    swaps = np.where(noise > 0.0, np.where(level, 0.5, swaps), maximum_likelihood(sample, draws))
    return np.where(sample.distinct, swaps, 0.0)


def unbiased_factor(topics: int) -> float:
    """C_n, the factor by which the sample standard deviation of normal scores is too small on average (Holtzman 1950).

    >>> round(unbiased_factor(2), 6), round(unbiased_factor(50), 6)
    (1.253314, 1.005115)
    """
    from scipy.special import gammaln

    # C_n of Eq. 7
    return float(np.sqrt((topics - 1) / 2.0) * np.exp(gammaln((topics - 1) / 2.0) - gammaln(topics / 2.0)))


def quantile_deviations(sample: Sample, jobs: int | None) -> Floats:
    """The standard deviation of each pair's differences by Eq. 9.

    Differences are of the floating-point scores, so rounding may break a tie, as in the authors' code; on adhoc6 exact
    ties would lower E[τ] by 2e-6.
    """
    from scipy.special import erfinv

    from rankscope.kernels.expected import quantile_deviations as fill

    n = sample.topics
    # Eq. 9; the kernel sums over the sorted differences.
    half_ranks = erfinv(2.0 * (1.0 + np.arange(2 * n - 1) / 2.0) / (n + 1) - 1.0)
    return _by_differences(sample.scores, jobs, lambda differences, out: fill(differences, half_ranks, out))


def plug_in_bandwidths(sample: Sample, jobs: int | None) -> Floats:
    """The plug-in bandwidth of each pair's differences (Wand & Jones 1995), in units; 0 where there is none."""
    from rankscope.kernels.expected import plug_in_bandwidths as fill

    return _by_differences(sample.units, jobs, fill)


def student_swaps(sample: Sample, t: Floats, topics: float) -> Floats:
    """The probability of discordance of each pair by Eq. 5, from its t with this number of topics."""
    from scipy.special import stdtr

    swaps = np.zeros((sample.systems, sample.systems))
    pairs = sample.distinct
    swaps[pairs] = stdtr(topics - 1, -np.abs(t[pairs]))  # Eq. 5
    return swaps


def _add_up(sample: Sample, draws: Draws, add: Callable[[Floats, int, int], None]) -> None:
    """Call `add` with means over resampled topics (systems × draws) and each range of rows of the pair matrix."""
    for generator, size in generators(draws.rng, draws.resamples):
        sums = sample.sums_over(topic_counts(generator, sample.topics, size))
        _over_rows(sample, draws.jobs, partial(add, np.ascontiguousarray(sums.T / sample.topics)))


def _normal_tail() -> Floats:
    """Φ(−z) as cubics between steps, from the value and slope at both ends."""
    from scipy.special import ndtr

    from rankscope.kernels.expected import FAR, STEPS

    z = np.arange(-FAR * STEPS, FAR * STEPS + 2) / STEPS
    value, slope = ndtr(-z), -np.exp(-z * z / 2.0) / (np.sqrt(2.0 * np.pi) * STEPS)
    rise, start, end = np.diff(value), slope[:-1], slope[1:]
    return np.stack([value[:-1], start, 3.0 * rise - 2.0 * start - end, start + end - 2.0 * rise], axis=1)


def _by_differences(values: Floats, jobs: int | None, fill: Callable[[Floats, Floats], None]) -> Floats:
    """An m × m matrix filled above its diagonal from each pair's sorted differences, a batch of pairs at a time."""
    n, m = values.shape
    columns = np.ascontiguousarray(values.T)
    higher, lower = np.triu_indices(m, 1)
    values_of_pairs = np.empty(len(higher))
    size = max(1, _BATCH // n)

    def fill_batch(start: int) -> None:
        batch = slice(start, start + size)
        differences = columns[higher[batch]]
        differences -= columns[lower[batch]]
        differences.sort(axis=1)
        fill(differences, values_of_pairs[batch])

    in_threads(fill_batch, range(0, len(higher), size), jobs)
    out = np.zeros((m, m))
    out[higher, lower] = values_of_pairs
    return out


def _over_rows(sample: Sample, jobs: int | None, fill: Callable[[int, int], None]) -> None:
    m = sample.systems
    in_threads(lambda i: fill(i, min(i + _ROWS, m)), range(0, m, _ROWS), jobs)
