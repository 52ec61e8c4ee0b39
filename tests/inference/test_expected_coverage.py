"""Do intervals for the correlation with the truth hold it? On simulated collections, whose truth is known.

`python -m tests.inference.test_expected_coverage` prints the table of docs/reliability.md.
"""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

import rankscope as rs
from rankscope.inference.expected import expected_correlation
from rankscope.inference.posterior_means import discordance

COEFFICIENTS = ("tau", "tau_ap")


class Normal:
    """Topics without end: multivariate normal, with the means and covariance of a collection's best systems."""

    def __init__(self, values):
        self.means = values.mean(axis=0)
        self.root = (values - self.means) / np.sqrt(len(values) - 1)

    def sample(self, topics, random):
        return self.means + random.standard_normal((topics, len(self.root))) @ self.root


class Resampled:
    """The collection's own topics as all there are, drawn with replacement: scores as skewed as real ones."""

    def __init__(self, values):
        self.values, self.means = values, values.mean(axis=0)

    def sample(self, topics, random):
        return self.values[random.integers(0, len(self.values), topics)]


def best_systems(path):
    scores = rs.read_scores(path)
    return scores.values[:, scores.means >= np.quantile(scores.means, 0.25)]


def coverage(population, topics, estimator, *, runs, resamples=400, level=0.95, seed=0):
    """By coefficient, the share of intervals that hold the correlation with the truth, and their mean width."""
    random = np.random.default_rng(seed)
    held, width = np.zeros(2), np.zeros(2)
    for run in range(runs):
        values = population.sample(topics, random)
        actual = 1.0 - 2.0 * discordance(population.means[None], values.mean(axis=0)[None])[0]
        for which, name in enumerate(COEFFICIENTS):
            options = {"resamples": resamples, "level": level, "rng": run, "jobs": 1}
            expected = expected_correlation(rs.ScoreMatrix(values), name, estimator, **options).interval
            held[which] += expected.low <= actual[which] <= expected.high
            width[which] += expected.high - expected.low
    return held / runs, width / runs


@pytest.mark.slow
@pytest.mark.parametrize("population", [Normal, Resampled])
@pytest.mark.parametrize("topics", [10, 25, 50])
@pytest.mark.parametrize("estimator", ["msqd", "bayes"])
def test_intervals_hold_the_correlation_with_the_truth(data, population, topics, estimator):
    runs = 200
    values = best_systems(data / "urbano2016" / "adhoc6.csv")
    held, _ = coverage(population(values), topics, estimator, runs=runs)
    assert (held > 0.95 - 2.6 * np.sqrt(0.95 * 0.05 / runs)).all()


if __name__ == "__main__":
    folder = Path(os.environ.get("RANKSCOPE_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
    for name in ("urbano2016/adhoc6.csv", "urbano2016/adhoc7.csv", "robust2004/robust2004_ap.csv"):
        collection = best_systems(folder / name)
        for kind in (Normal, Resampled):
            for n in (10, 25, 50):
                row = [f"{Path(name).stem}, {kind.__name__.lower()}", str(n)]
                for chosen in ("msqd", "bayes"):
                    held, width = coverage(kind(collection), n, chosen, runs=int(sys.argv[1]))
                    row += [f"{share:.3f} ({w:.2f})" for share, w in zip(held, width, strict=True)]
                sys.stdout.write("| " + " | ".join(row) + " |\n")
