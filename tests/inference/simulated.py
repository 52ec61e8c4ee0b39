"""Do intervals cover and tests hold their level? Simulated from populations whose truth is known.

The slow test asks for it, and `make coverage` writes docs/coverage.md from it. A population is a set of systems with
fixed merits and any number of topics. The truth of an interval is the mean of the coefficient over samples of as many
topics, found by drawing 20,000 of them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from written_sections import DATA, DOCS, runs_asked

import rankscope as rs
from rankscope.inference.agreement import bootstrap, draw_values, values_of
from rankscope.inference.contrasts import contrasts
from rankscope.inference.intervals import Method
from rankscope.inference.permutation import permutation_test
from rankscope.results import Interval

COEFFICIENTS = (
    "kendall",
    "tau_ap",
    "tau_gap",
    "pearson_rank",
    "rbo",
    "weighted_tau",
    "fuzzy_kendall",
    "spearman",
    "pearson",
)
METHODS: tuple[Method, ...] = ("recentred", "percentile", "bca")
TOPICS = (25, 50, 250)
ROBUST = DATA / "robust2004"


class Population:
    """Systems in families, a human judge and two equally good substitutes; any number of topics."""

    def __init__(self, systems: int = 40, seed: int = 0) -> None:
        random = np.random.default_rng(seed)
        self.family = np.arange(systems) % 5
        self.merit = 0.5 * random.standard_normal(5)[self.family] + 0.35 * random.standard_normal(systems)
        self.bias = 0.15 * random.standard_normal(systems)

    def sample(self, topics: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Scores under the human judge and two exchangeable substitutes: the same biases, noise of their own."""
        systems = len(self.merit)
        shared = random.standard_normal((topics, 1)) + 0.5 * random.standard_normal((topics, 5))[:, self.family]
        human = self.merit + shared + 0.7 * random.standard_normal((topics, systems))
        judges = [human + self.bias + 0.5 * random.standard_normal((topics, systems)) for _ in range(2)]
        return tuple(1.0 / (1.0 + np.exp(-logits)) for logits in (human, *judges))


def expected(population: Population, topics: int, *, samples: int = 20_000, seed: int = 1) -> np.ndarray:
    """The mean of each coefficient over samples of this many topics."""
    random = np.random.default_rng(seed)
    chosen = [rs.coefficient(name) for name in COEFFICIENTS]
    x, y = np.empty((2, samples, len(population.merit)))
    for i in range(samples):
        human, judge, _ = population.sample(topics, random)
        x[i], y[i] = human.mean(axis=0), judge.mean(axis=0)
    means: np.ndarray = values_of(chosen, x, y).mean(axis=1)
    return means


def _holds(interval: Interval | None, value: float) -> bool:
    assert interval is not None
    return interval.low <= value <= interval.high


def _significant(pvalue: float | None) -> bool:
    assert pvalue is not None
    return pvalue <= 0.05


def coverage(
    population: Population, topics: int, *, runs: int, resamples: int = 500, seed: int = 2
) -> dict[str, np.ndarray]:
    """The share of 95 % intervals that hold the expected value, per method and coefficient."""
    truth = expected(population, topics)
    random = np.random.default_rng(seed)
    hits = {method: np.zeros(len(COEFFICIENTS)) for method in METHODS}
    for run in range(runs):
        human, judge, _ = (rs.ScoreMatrix(table) for table in population.sample(topics, random))
        for method in METHODS:
            bootstrapped = bootstrap(human, judge, COEFFICIENTS, resamples=resamples, method=method, rng=run)
            hits[method] += [_holds(v.interval, t) for v, t in zip(bootstrapped.values, truth, strict=True)]
    return {method: count / runs for method, count in hits.items()}


def level_of_contrasts(
    population: Population, topics: int, *, runs: int, resamples: int = 500, seed: int = 3
) -> np.ndarray:
    """How often two equally good judges are significantly different at 5 %, per coefficient."""
    chosen = [rs.coefficient(name) for name in COEFFICIENTS]
    random = np.random.default_rng(seed)
    rejected = np.zeros(len(chosen))
    for run in range(runs):
        human, first, second = (rs.ScoreMatrix(table) for table in population.sample(topics, random))
        sides = [(human, first), (human, second)]
        draws = draw_values(sides, chosen, resamples=resamples, topics="paired", rng=run, jobs=None)
        rejected += [_significant(c.pvalue) for c in contrasts(["a", "b"], sides, chosen, draws, level=0.95)]
    return rejected / runs


def level_of_permutations(systems: int, *, runs: int, permutations: int = 399, seed: int = 4) -> np.ndarray:
    """How often unrelated rankings are found to agree at 5 %, per coefficient."""
    random = np.random.default_rng(seed)
    rejected = np.zeros(len(COEFFICIENTS))
    for run in range(runs):
        x, y = random.random((2, systems))
        permuted = permutation_test(x, y, COEFFICIENTS, permutations=permutations, rng=run)
        rejected += [_significant(test.pvalue) for test in permuted]
    return rejected / runs


_HEAD = """# Coverage and level

Written by `make coverage`. Unless stated otherwise, each row is made from {runs} simulated evaluations of {systems}
systems in families, with a human judge and substitutes that have biases and noise of their own
(`tests/inference/simulated.py`), and 500 resamples each. Monte-Carlo error of a share near 0.95: ±{error:.3f}.
[What the verdict means](verdict.md) says how often the verdict errs.

## What the intervals are for

An interval over topics is for *the mean of the coefficient over samples of the same number of topics*. Topic sampling
error in the means mostly swaps close systems, so every coefficient is lower with fewer topics, and resampling adds that
error a second time. The percentile interval is therefore too low, but wide enough to cover here. BCa treats the shift
as a bias and corrects it; its intervals are too narrow and too high. `recentred` keeps the spread of the draws, widens
it by √(n/(n−1)) and by t instead of z, and places it around the observed value. It is the default; the others are for
those who must report them.

*Would another sample of topics give the same value?* is a question of prediction. The other sample has topic sampling
error of its own, so the interval must be √2 times as wide: see [below](#predicting-another-sample-of-topics).

The value for the population of topics is higher than both. {real}
The interval of `rs.worth` for it (`population_tau_interval`) is approximate: see
[below](#agreement-over-the-population-of-topics).

## Coverage of 95 % intervals

The share of intervals that contain the mean over samples of the same number of topics.
"""
_PREDICTION = """
## Predicting another sample of topics

The share of `recentred` 95 % intervals that contain the value in another sample of the same size, unchanged and √2
times as wide (around the observed value). Real measures: topics are drawn with replacement from the collection's.
Unchanged, the intervals contain it in {plain[0]:.2f} to {plain[1]:.2f} ({plain[2]:.2f} on average); √2 times as wide,
in {wider[0]:.2f} to {wider[1]:.2f} ({wider[2]:.2f}).
"""
_POPULATION = """
## Agreement over the population of topics

`rs.worth` estimates τ between both sides over the population of topics, and what a topic of the estimate is worth in
topics of the truth. How often do their 95 % intervals contain the value on all topics of a real collection?
"""
_LEVELS = """
## Level of 5 % tests

How often two equally good judges are found to be significantly different (contrast: paired topic bootstrap, one pair,
no correction), and how often unrelated rankings are found to agree (permutations of systems, {runs:,} pairs of
rankings, ±{error:.3f}). The p-value of a contrast does not depend on the level of the intervals.
"""
# Unrelated rankings are quickly drawn.
_MORE = 10


def rise_with_topics(samples: int = 4_000) -> str:
    """A sentence on Robust 2004, where the data are: Kendall's τ of AP and P@10 over samples of its topics."""
    if not ROBUST.is_dir():
        return "With the shared data, this page says by how much on TREC Robust 2004."
    ap, p10 = (rs.read_scores(ROBUST / f"robust2004_{measure}.csv").values for measure in ("ap", "p10"))
    random = np.random.default_rng(5)
    means = []
    for topics in TOPICS:
        counts = random.multinomial(topics, np.full(len(ap), 1.0 / len(ap)), size=samples) / topics
        means.append(f"{np.mean(rs.kendall(counts @ ap, counts @ p10)):.3f}")
    everything = rs.kendall(ap.mean(axis=0), p10.mean(axis=0))
    sizes, values = ", ".join(map(str, TOPICS)), ", ".join(means)
    return (
        f"On TREC Robust 2004, AP against P@10,\n{samples:,} samples of {sizes} topics give τ = {values} on average; "
        f"all {len(ap)} topics give {everything:.3f}."
    )


def page(runs: int = 500) -> Iterator[str]:
    import leaderboard_coverage
    import operating_pairs  # which draws from Population

    population = Population()
    error = 1.96 * (0.95 * 0.05 / runs) ** 0.5
    head = " | ".join(COEFFICIENTS) + " |\n"
    yield _HEAD.format(runs=runs, systems=len(population.merit), error=error, real=rise_with_topics())
    yield f"| topics | method | {head}|---|---|" + "---|" * len(COEFFICIENTS)
    for topics in TOPICS:
        for method, shares in coverage(population, topics, runs=runs).items():
            yield f"| {topics} | {method} | " + _row(shares)
    rows = operating_pairs.prediction_rows(runs, COEFFICIENTS)
    plain, wider = ([f(np.array([row[i] for row in rows])) for f in (np.min, np.max, np.mean)] for i in (2, 3))
    yield _PREDICTION.format(plain=plain, wider=wider)
    yield f"| scores | topics | interval | {head}|---|---|---|" + "---|" * len(COEFFICIENTS)
    for name, topics, as_it_is, widened in rows:
        yield f"| {name} | {topics} | unchanged | " + _row(as_it_is)
        yield f"| {name} | {topics} | × √2 | " + _row(widened)
    if DATA.is_dir():
        yield _POPULATION
        yield from operating_pairs.pair_tables(2 * runs)
        yield ""
        yield from leaderboard_coverage.rows(DATA / "robust2004")
        yield ""
    yield _LEVELS.format(runs=_MORE * runs, error=1.96 * (0.95 * 0.05 / (_MORE * runs)) ** 0.5).strip() + "\n"
    yield f"| test | {head}|---|" + "---|" * len(COEFFICIENTS)
    for topics in TOPICS:
        yield f"| contrast, {topics} topics | " + _row(level_of_contrasts(population, topics, runs=runs))
    for systems in (10, 40):
        yield f"| permutation, {systems} systems | " + _row(level_of_permutations(systems, runs=_MORE * runs))


def _row(shares: np.ndarray) -> str:
    return " | ".join(f"{share:.3f}" for share in shares) + " |"


if __name__ == "__main__":
    (DOCS / "coverage.md").write_text("\n".join(page(runs_asked(500))) + "\n", encoding="utf-8")
