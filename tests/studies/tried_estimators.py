"""What was tried to beat MSQD and not kept: nonparametric empirical Bayes over all pairs, and a factor 1 + c/n.

`python -m tests.studies.tried_estimators [COLLECTIONS [SIZES…]]` prints the figures of docs/reliability.md: bias and
error of τ and τ_AP on simulated collections, the spread of the true values, and the c that would remove MSQD's bias.
"""

import os
import sys
from functools import cache
from pathlib import Path

import numpy as np

import rankscope as rs
from rankscope.inference.closed_tests import t_statistics
from rankscope.inference.posterior_means import correlations_with
from rankscope.inference.resampling import Draws
from rankscope.inference.swap_probabilities import Sample, expected_tau_and_ap, quantile_deviation
from rankscope.studies.tables import best_systems

TABLES = {
    "adhoc6": "urbano2016/adhoc6.csv",
    "adhoc7": "urbano2016/adhoc7.csv",
    "trec5": "trec5/adhoc5_ap.csv",
    "web2012": "web2012/web2012_ap.csv",
    "robust2004": "robust2004/robust2004_ap.csv",
}
STEPS = (3, 10, 30, 100, 1000)
# Bins of |t|, and the true differences in standard errors that the prior may put its weight on.
EDGES = np.sinh(np.linspace(0.0, np.arcsinh(180.0), 241)) / 3.0
TRUE = np.concatenate([[0.0], np.sinh(np.linspace(np.arcsinh(0.15), np.arcsinh(120.0), 80)) / 2.0])


@cache
def likelihoods(degrees):
    """The density of t in the middle of each bin given each true difference: with its sign right, and wrong."""
    from scipy.stats import chi2

    middle = (EDGES[1:] + EDGES[:-1]) / 2.0
    deviation = np.sqrt(chi2.ppf((np.arange(40) + 0.5) / 40, degrees) / degrees)[:, None, None]

    def density(t):
        return (deviation * np.exp(-0.5 * (t[None, :, None] * deviation - TRUE) ** 2)).mean(axis=0)

    return density(middle), density(-middle)


def swaps(t, degrees, steps):
    """For each number of EM steps from a flat prior, the probability that each pair's sign is wrong."""
    right, wrong = likelihoods(degrees)
    bins = np.minimum(np.searchsorted(EDGES, np.abs(t), side="right") - 1, len(EDGES) - 2)
    shares = np.bincount(bins, minlength=len(EDGES) - 1) / len(t)
    prior = np.gradient(TRUE) / np.gradient(TRUE).sum()
    found = []
    for step in range(max(steps) + 1):
        seen = np.maximum((right + wrong) @ prior, 1e-300)
        if step in steps:
            found.append(((wrong @ prior) / seen)[bins])
        prior = prior * ((right + wrong).T @ (shares / seen))
        prior /= prior.sum()
    return found


def estimates(values, truth):
    """The actual τ and τ_AP of a collection, MSQD's, and empirical Bayes' by number of steps."""
    sample = Sample.of(values)
    chosen = [rs.coefficient("tau"), rs.coefficient("tau_ap")]
    rows = [np.array([found[0] for found in correlations_with(sample, truth[None, sample.order], chosen)])]
    rows.append(expected_tau_and_ap(sample, quantile_deviation(sample, Draws(1, 0, 1))))
    pairs = np.triu_indices(sample.systems, 1)
    for found in swaps(t_statistics(sample.units)[pairs], sample.topics - 1, STEPS):
        matrix = np.zeros((sample.systems, sample.systems))
        matrix[pairs] = found
        rows.append(expected_tau_and_ap(sample, np.where(sample.distinct, matrix, 0.0)))
    return np.array(rows)


def main(collections, sizes):
    data = Path(os.environ.get("RANKSCOPE_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
    names = ("msqd", *(f"eb {steps}" for steps in STEPS))
    for table, path in TABLES.items():
        model = rs.fit_collection(best_systems(data / path))
        for size in sizes:
            drawn = (model.draw(size, np.random.default_rng([0, size, k])) for k in range(collections))
            rows = np.array([estimates(values, model.means) for values in drawn])
            for which, coefficient in enumerate(("tau", "tau_ap")):
                actual, off = rows[:, 0, which], rows[:, 1:, which] - rows[:, :1, which]
                factor = (1.0 - actual.mean()) / (1.0 - rows[:, 1, which].mean())
                words = [
                    f"{n} {b:+.3f} {e:.3f}" for n, b, e in zip(names, off.mean(0), np.abs(off).mean(0), strict=True)
                ]
                spread = np.abs(actual - np.median(actual)).mean()
                c = (factor - 1.0) * size
                sys.stdout.write(f"{table} {size} {coefficient}: spread {spread:.3f}; {', '.join(words)}; c {c:+.1f}\n")


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(numbers[0] if numbers else 150, numbers[1:] or (10, 20, 50, 100))
