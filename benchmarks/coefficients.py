"""Every coefficient beside scipy or its literal definition: a batch of 10,000 × 110, and one list of a million."""

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy import stats

import oracles
import rankscope as rs
from benchmarks.timing import best

ROWS, SYSTEMS, LONG = 10_000, 110, 1_000_000
# The baseline is a Python loop; it is timed on this many rows and scaled up.
SAMPLE = 50

SCIPY: dict[str, Callable[..., Any]] = {
    "kendall": stats.kendalltau,
    "tau_b": stats.kendalltau,
    "weighted_tau": stats.weightedtau,
    "spearman": stats.spearmanr,
    "pearson": stats.pearsonr,
}


def _baseline(name: str) -> tuple[str, Callable[[np.ndarray, np.ndarray], object]]:
    if name in SCIPY:
        return f"scipy {SCIPY[name].__name__}", SCIPY[name]
    literal = getattr(oracles, name)
    return "literal definition", lambda x, y: literal(x.tolist(), y.tolist())


def _row_by_row(coefficient: Callable[[np.ndarray, np.ndarray], object], truth: np.ndarray, rows: np.ndarray) -> None:
    for row in rows:
        coefficient(truth, row)


def run() -> Iterator[str]:
    rng = np.random.default_rng(0)
    truth = rng.random(SYSTEMS)
    batch = truth + 0.1 * rng.standard_normal((ROWS, SYSTEMS))
    yield f"## Coefficients, {ROWS:,} × {SYSTEMS}\n\nBudget: 50 times the same through a Python loop.\n"
    yield "| coefficient | ms | baseline | times as fast |\n|---|---|---|---|"
    for record in rs.all_coefficients():
        function = record.function
        function(truth, batch[:2])  # compile
        seconds = best(partial(function, truth, batch))
        name, baseline = _baseline(record.name)
        slow = best(partial(_row_by_row, baseline, truth, batch[:SAMPLE]), repeats=2) * ROWS / SAMPLE
        yield f"| {record.name} | {seconds * 1e3:.1f} | {name} | {slow / seconds:.0f} |"
    x = rng.random(LONG)
    y = x + 0.1 * rng.standard_normal(LONG)
    scipy_seconds = best(lambda: stats.kendalltau(x, y), repeats=2)
    yield f"\n## Coefficients, one list of {LONG:,}\n"
    yield f"Budget: within 3 times scipy's `kendalltau`, {scipy_seconds:.2f} s here.\n"
    yield "| coefficient | seconds | times scipy's kendalltau |\n|---|---|---|"
    for record in rs.all_coefficients():
        seconds = best(partial(record.function, x, y), repeats=2)
        yield f"| {record.name} | {seconds:.2f} | {seconds / scipy_seconds:.2f} |"
    with warnings.catch_warnings():
        slow = best(lambda: stats.weightedtau(x, y), repeats=1)
    yield f"\nscipy's `weightedtau` takes {slow:.1f} s for the same list."
