"""How often intervals from standard errors hold: a section of docs/coverage.md.

Leaderboards are means of topics drawn with replacement from Robust 2004 (AP and P@10, random systems), with the
standard errors that these topics give. An interval should contain the mean of the coefficient over such samples.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import rankscope as rs
from narrowing import by_topic
from rankscope.coefficients.rows import quietly
from rankscope.inference.agreement import draw_values, topic_intervals, values_of
from rankscope.scores import Floats

COEFFICIENTS = ("tau_b", "tau_ap_b", "tau_gap", "pearson")
TEXT = """
## Leaderboards with standard errors

Without topics, intervals are from the standard errors of the scores (`compare`, parametric bootstrap): means are drawn
with independent normal errors. Here leaderboards are made from topics of Robust 2004, drawn with replacement (AP
against P@10, {systems} random systems), with the standard errors that these topics give; {runs} pairs of leaderboards
and {draws} draws in each row. Given are the share of 95 % intervals that contain the mean over such samples and, in
parentheses, their mean width. Systems on the same topics have errors that are positively correlated; independent errors
make intervals wider, which hold more often than they should from 50 topics on. With 25 topics standard errors are
uncertain themselves, which a leaderboard does not say, and intervals may hold too rarely.
"""
SYSTEMS, SUBSETS, REPEATS, DRAWS, MANY = 30, 6, 60, 400, 3000


def leaderboard(values: Floats) -> rs.SystemScores:
    """The means of these topics, with their standard errors."""
    return rs.SystemScores(values.mean(axis=0), standard_errors=values.std(axis=0, ddof=1) / np.sqrt(len(values)))


def covered(x: Floats, y: Floats, topics: int, *, shared: bool, seed: int) -> Floats:
    """The share of intervals that hold, and their mean width, by coefficient."""
    rng = np.random.default_rng(seed)
    chosen = [rs.coefficient(name) for name in COEFFICIENTS]
    hits, widths = np.zeros(len(chosen)), np.zeros(len(chosen))
    for _ in range(SUBSETS):
        systems = rng.choice(x.shape[1], SYSTEMS, replace=False)
        a, b = x[:, systems], y[:, systems]

        def sample(a: Floats = a, b: Floats = b) -> tuple[Floats, Floats]:
            rows = rng.integers(0, len(a), topics)
            return a[rows], b[rows if shared else rng.integers(0, len(b), topics)]

        many = [tuple(side.mean(axis=0) for side in sample()) for _ in range(MANY)]
        with quietly():
            wanted = values_of(chosen, *(np.array(side) for side in zip(*many, strict=True))).mean(axis=1)
        for repeat in range(REPEATS):
            first, second = (leaderboard(side) for side in sample())
            draws = draw_values([(first, second)], chosen, resamples=DRAWS, topics="paired", rng=repeat, jobs=1)[0]
            observed = values_of(chosen, first.means[None], second.means[None])[:, 0]
            bands = topic_intervals(
                chosen, observed, draws, (first, second), level=0.95, method="recentred", topics="paired"
            )
            for c, band in enumerate(bands):
                if band is not None:
                    hits[c] += band.low <= wanted[c] <= band.high
                    widths[c] += band.high - band.low
    return np.array([hits, widths]) / (SUBSETS * REPEATS)


def rows(data: Path) -> Iterator[str]:
    """The section of docs/coverage.md."""
    yield TEXT.format(runs=SUBSETS * REPEATS, systems=SYSTEMS, draws=DRAWS).strip() + "\n"
    yield "| topics | leaderboards of | " + " | ".join(COEFFICIENTS) + " |"
    yield "|---|---|" + "---|" * len(COEFFICIENTS)
    x, y = (by_topic(rs.read_scores(data / f"robust2004_{name}.csv")).values for name in ("ap", "p10"))
    for topics in (25, 50, 100):
        for shared in (True, False):
            held, width = covered(x, y, topics, shared=shared, seed=topics)
            cells = " | ".join(f"{h:.2f} ({w:.2f})" for h, w in zip(held, width, strict=True))
            yield f"| {topics} | {'the same topics' if shared else 'two samples'} | {cells} |"
