"""How often do intervals hold the values of real pairs of measures, and those of another sample?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from operating_collections import collection
from operating_rule import error, judged_topics, paragraph, table, without_expected_tau
from simulated import Population
from written_sections import DATA

import rankscope as rs
from rankscope.inference.agreement import bootstrap
from rankscope.inference.worth import measure_worth
from rankscope.scores import Floats, ScoreMatrix

PAIRS = (
    ("robust2004 AP", "robust2004 P@10"),
    ("trec5 AP", "trec5 P@10"),
    ("trec5 AP", "trec5 RR"),
    ("web2012 AP", "web2012 nDCG@20"),
    ("web2012 nDCG@20", "web2012 ERR@20"),
    ("web2012 AP", "web2012 P@10"),
)


def population_worth(x: Floats, y: Floats, many: int) -> float:
    """Worth where these topics are all there are: K = S, since nothing of it is topic sampling error."""
    x, y = (side - side.mean(axis=1, keepdims=True) for side in (x, y))
    zx, zy = x.mean(axis=0), y.mean(axis=0)
    slope = float(zx @ zy / (zx @ zx))
    noise = float(((y - zy) ** 2).sum() / slope**2 / ((x - zx) ** 2).sum())
    bias = float((zy @ zy / slope**2 - zx @ zx) / ((x - zx) ** 2).sum() * len(x))
    bias *= (x.shape[1] - 1) / (x.shape[1] - 2)
    return float(1.0 / (noise + max(bias, 0.0) * many))


@dataclass(frozen=True)
class PairCoverage:
    """How often intervals of a pair of real measures held the value on all topics.

    `tau_given` is the share of samples that have an interval for τ, `tau_covered` how many of these hold it. Worth is
    that of all systems, and `low_of_few` and `high_of_few` are for a few systems drawn at random.
    """

    pair: tuple[str, str]
    topics: int
    tau: float
    tau_given: float
    tau_covered: float
    worth: float
    median: float
    low: float
    high: float
    low_of_few: float
    high_of_few: float


def pair_coverage(pair: tuple[str, str], topics: int, *, runs: int, systems: int = 20, seed: int = 0) -> PairCoverage:
    """Coverage of τ over the population of topics and of worth, over samples of topics drawn with replacement."""
    x, y = (collection(name).scores for name in pair)
    random = np.random.default_rng([seed, topics])
    many = judged_topics(topics)
    tau, value = rs.kendall(x.mean(axis=0), y.mean(axis=0)), population_worth(x, y, many)
    held, worths = np.zeros(6), []
    with without_expected_tau():
        for _ in range(runs):
            rows = random.integers(0, len(x), topics)
            worth = measure_worth(ScoreMatrix(x[rows]), ScoreMatrix(y[rows]))
            at = np.ix_(rows, random.permutation(x.shape[1])[:systems])
            few = measure_worth(ScoreMatrix(x[at]), ScoreMatrix(y[at]))
            around = worth.population_tau_interval
            worths.append(worth.worth)
            held += (
                around is not None,
                around is not None and around.low <= float(tau) <= around.high,
                worth.interval.low <= value,
                worth.interval.high >= value,
                few.interval.low <= value,
                few.interval.high >= value,
            )
    given, covered, *ends = (held / runs).tolist()
    share = covered / given if given else math.nan
    return PairCoverage(pair, topics, float(tau), given, share, value, float(np.median(worths)), *ends)


Draw = Callable[[int, np.random.Generator], tuple[Floats, Floats]]


def prediction(
    sample: Draw, topics: int, coefficients: Sequence[str], *, runs: int, resamples: int = 500, seed: int = 0
) -> tuple[Floats, Floats]:
    """How often the interval holds the coefficient in another sample of as many topics: as it is, and √2 times as wide.

    `sample(topics, random)` draws scores of both sides.
    """
    random = np.random.default_rng([seed, topics])
    plain, wider = np.zeros((2, len(coefficients)))
    for run in range(runs):
        (x, y), other = (sample(topics, random) for _ in range(2))
        bootstrapped = bootstrap(ScoreMatrix(x), ScoreMatrix(y), coefficients, resamples=resamples, rng=run)
        for i, observed in enumerate(bootstrapped.values):
            value = float(rs.coefficient(observed.name)(other[0].mean(axis=0), other[1].mean(axis=0)))
            assert observed.interval is not None
            low, high = observed.interval.low, observed.interval.high
            plain[i] += low <= value <= high
            # An end at the limit of the coefficient's range stays there.
            low, high = (
                end if abs(end) >= 1.0 else observed.value + math.sqrt(2.0) * (end - observed.value)
                for end in (low, high)
            )
            wider[i] += low <= value <= high
    return plain / runs, wider / runs


def sample_of_pair(pair: tuple[str, str]) -> Draw:
    """Draws topics, with replacement, from a pair of real measures."""
    x, y = (collection(name).scores for name in pair)

    def draw(topics: int, random: np.random.Generator) -> tuple[Floats, Floats]:
        rows = random.integers(0, len(x), topics)
        return x[rows], y[rows]

    return draw


def sample_of_population(population: Population) -> Draw:
    """Draws topics of the simulated population: the human judge and a substitute."""

    def draw(topics: int, random: np.random.Generator) -> tuple[Floats, Floats]:
        return population.sample(topics, random)[:2]

    return draw


def pair_tables(runs: int, *, pairs: Sequence[tuple[str, str]] = PAIRS) -> Iterator[str]:
    """Coverage of τ over the population of topics, and of worth, for pairs of real measures."""
    result = [pair_coverage(pair, topics, runs=runs) for pair in pairs for topics in (10, 25, 50)]
    shares = [row.tau_covered for row in result]
    ends = [(row.low, row.low_of_few, row.high, row.high_of_few) for row in result]
    lows, highs = [end for row in ends for end in row[:2]], [end for row in ends for end in row[2:]]
    yield from paragraph(
        f"Topics are drawn with replacement from those of the collection, which are the population; {runs:,} runs "
        f"(±{error(runs) / 100.0:.3f} at .95). The interval of τ covers in {min(shares):.2f} to {max(shares):.2f} of "
        f"the runs, {np.mean(shares):.2f} on average. It rests on a relation between τ and a correlation that holds "
        "for normal scores, so more topics do not improve it. *Given*: the share of samples that have an interval; "
        "there is none where systems vary no more than topic sampling error explains."
    )
    yield from paragraph(
        "With few topics the estimate of worth is too high on average. The ends of its interval, each nominally .975, "
        f"were checked for all systems and for 20 drawn at random: the low end held in {min(lows):.2f} to "
        f"{max(lows):.2f} of the runs, the high end in {min(highs):.2f} to {max(highs):.2f}."
    )
    yield from table(
        (
            "truth, estimate",
            "topics",
            "τ on all topics",
            "given",
            "covers",
            "worth on all topics",
            "median estimate",
            "low end held",
            "high end held",
            "20 systems: low",
            "high",
        ),
        (
            (
                ", ".join(row.pair),
                row.topics,
                f"{row.tau:.3f}",
                f"{row.tau_given:.3f}",
                f"{row.tau_covered:.3f}",
                f"{row.worth:.3f}",
                f"{row.median:.3f}",
                f"{row.low:.3f}",
                f"{row.high:.3f}",
                f"{row.low_of_few:.3f}",
                f"{row.high_of_few:.3f}",
            )
            for row in result
        ),
    )


def prediction_rows(runs: int, coefficients: Sequence[str]) -> list[tuple[str, int, Floats, Floats]]:
    """How often intervals hold the value in another sample of topics, by source of topics and number of them."""
    sources = [("simulated", sample_of_population(Population()), n) for n in (25, 50, 250)]
    if DATA.is_dir():
        sources += [(", ".join(pair), sample_of_pair(pair), 25) for pair in (PAIRS[0], PAIRS[1], PAIRS[4])]
    return [(name, n, *prediction(draw, n, coefficients, runs=runs)) for name, draw, n in sources]
