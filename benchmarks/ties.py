"""Bounds over all ways to break ties, beside random ways: 1,000 systems with means of P@10, or with one decimal."""

import time
from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy import stats

import rankscope as rs
from benchmarks.timing import best
from rankscope.coefficients.registry import MAIN

SYSTEMS, TOPICS, WAYS = 1_000, 50, 300
# The baseline is a Python loop; it is timed on this many ways and scaled up.
SAMPLE = 20


def sides() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(0)
    skill = np.clip(rng.normal(0.4, 0.06, SYSTEMS), 0.05, 0.95)
    other = np.clip(skill + rng.normal(0.0, 0.03, SYSTEMS), 0.0, 1.0)
    # Relevant documents among 10 on each topic: means are multiples of 0.1 / topics.
    found = [rng.binomial(10, s[:, None], (SYSTEMS, TOPICS)).sum(axis=1) / (10 * TOPICS) for s in (skill, other)]
    return {
        f"means of P@10 over {TOPICS} topics": (found[0], found[1]),
        "one decimal": (skill.round(1), other.round(1)),
    }


def _random_ways(x: np.ndarray, y: np.ndarray) -> None:
    """τ of random ways to break the ties of both sides."""
    rng = np.random.default_rng(0)
    for _ in range(SAMPLE):
        u, v = (np.argsort(np.lexsort((rng.random(SYSTEMS), side))) for side in (x, y))
        stats.kendalltau(u, v)


def run() -> Iterator[str]:
    yield f"## Tie bounds, {SYSTEMS:,} systems\n"
    yield "Budget: 1 s each."
    yield f"Baseline: {WAYS} random ways to break ties through scipy's `kendalltau`, which bound nothing.\n"
    yield "| scores | coefficient | seconds | times as fast as the baseline | least to greatest | exact |"
    yield "|---|---|---|---|---|---|"
    for scores, (x, y) in sides().items():
        baseline = best(partial(_random_ways, x, y), repeats=2) * WAYS / SAMPLE
        for record in [record for record in MAIN if record.same_as is None]:
            bounds = rs.tie_bounds(record.name, x, y)
            seconds = best(partial(rs.tie_bounds, record.name, x, y), repeats=3)
            spread = f"{bounds.least:.3f} to {bounds.greatest:.3f}"
            exact = "all three" if bounds.exact else "least, greatest" if record.best_in_agreement else "none"
            yield f"| {scores} | {record.name} | {seconds:.4f} | {baseline / seconds:.1f} | {spread} | {exact} |"
    yield from _rank_distance()


def _rank_distance() -> Iterator[str]:
    """Bounds of `d_rank`, with more systems than topics (and a ridge) and with fewer."""
    yield "\nThe rank distance of P@10 over topics, with all its bounds (budget 5 s each):\n"
    yield "| systems × topics | seconds | least to greatest | how |\n|---|---|---|---|"
    for systems, topics in ((SYSTEMS, TOPICS), (300, 400)):
        rng = np.random.default_rng(0)
        skill = np.clip(rng.normal(0.4, 0.06, systems), 0.05, 0.95)
        scores, other = (rng.binomial(10, skill, (topics, systems)) / 10 for _ in range(2))
        start = time.perf_counter()
        bounds = rs.d_rank(scores, other.mean(axis=0).round(6)).ties
        seconds = time.perf_counter() - start
        assert bounds is not None
        spread = f"{bounds.least:.1f} to {bounds.greatest:.1f}"
        yield f"| {systems:,} × {topics} | {seconds:.1f} | {spread} | {bounds.method} |"
