"""What a topic is worth, beside the same computation refitted for every topic and system that is left out."""

from collections.abc import Iterator
from functools import partial

import numpy as np

import rankscope as rs
from benchmarks.timing import best
from rankscope.inference.worth_model import moments_of, noise_and_bias

SIZES = ((50, 100), (50, 40), (250, 110), (1_000, 1_000))


def _refitted(x: np.ndarray, y: np.ndarray) -> None:
    """The jackknives of the interval, a whole fit for each topic and each system."""
    for topic in range(len(x)):
        noise_and_bias(moments_of(np.delete(x, topic, 0), np.delete(y, topic, 0), paired=True)[0])
    for system in range(x.shape[1]):
        noise_and_bias(moments_of(np.delete(x, system, 1), np.delete(y, system, 1), paired=True)[0])


def run() -> Iterator[str]:
    yield "## Worth of a topic\n"
    yield "Budget: 100 systems × 50 topics under 50 ms, including expected τ and 200 splits into halves.\n"
    yield "| systems × topics | `rs.worth`, ms | without halves, ms | jackknives refitted | times as fast |"
    yield "|---|---|---|---|---|"
    rng = np.random.default_rng(0)
    for topics, systems in SIZES:
        x = rng.normal(size=systems) + rng.normal(size=(topics, systems))
        y = x + 0.5 * rng.normal(size=(topics, systems))
        truth, estimate = rs.ScoreMatrix(x), rs.ScoreMatrix(y)
        rs.worth(truth, estimate)  # compile
        whole = best(partial(rs.worth, truth, estimate))
        bare = best(partial(rs.worth, truth, estimate, splits=0))
        slow = best(partial(_refitted, x, y), repeats=1)
        yield (
            f"| {systems:,} × {topics:,} | {1e3 * whole:.1f} | {1e3 * bare:.1f} | {1e3 * slow:,.0f} ms "
            f"| {slow / bare:.0f} |"
        )
