"""Significance of all pairs of 110 systems on 249 topics, beside a Python loop over scipy's function."""

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy import stats

import rankscope as rs
from benchmarks.timing import best
from rankscope.inference.closed_tests import paired_t
from rankscope.inference.pairs import TESTS, significance

TOPICS, SYSTEMS, RESAMPLES = 249, 110, 10_000
# The baseline is a Python loop; it is timed on this many pairs and scaled up.
SAMPLE = {"t": 100, "wilcoxon": 100, "randomisation": 2, "bootstrap": 2}


def _scipy_randomisation(x: np.ndarray, y: np.ndarray) -> object:
    return stats.permutation_test(
        (x - y,), np.mean, permutation_type="samples", n_resamples=RESAMPLES, vectorized=True, rng=0
    )


def _studentised(d: np.ndarray, axis: int = -1) -> Any:
    return d.mean(axis=axis) / (d.std(axis=axis, ddof=1) / np.sqrt(d.shape[axis]))


def _pair_by_pair(test: Callable[[np.ndarray, np.ndarray], object], table: np.ndarray, pairs: int) -> None:
    for other in range(pairs):
        test(table[:, 0], table[:, other + 1])


def _scipy_bootstrap(x: np.ndarray, y: np.ndarray) -> object:
    d = x - y
    return stats.bootstrap((d - d.mean(),), _studentised, n_resamples=RESAMPLES, method="percentile", rng=0)


BASELINES: dict[str, tuple[str, Callable[[np.ndarray, np.ndarray], object]]] = {
    "t": ("scipy ttest_rel", stats.ttest_rel),
    "wilcoxon": ("scipy wilcoxon", stats.wilcoxon),
    "randomisation": ("scipy permutation_test", _scipy_randomisation),
    "bootstrap": ("scipy bootstrap", _scipy_bootstrap),
}


def _numpy_tukey(table: np.ndarray) -> np.ndarray:
    """What a careful user would write: numpy's own shuffle, a draw at a time (there is no such test in scipy)."""
    rng = np.random.default_rng(0)
    sums = (rng.permuted(table, axis=1).sum(axis=0) for _ in range(RESAMPLES // 50))
    return np.array([row.max() - row.min() for row in sums])


def run() -> Iterator[str]:
    rng = np.random.default_rng(0)
    table = np.clip(rng.beta(1.0, 3.0, (TOPICS, 1)) + 0.1 * rng.standard_normal((TOPICS, SYSTEMS)), 0.0, 1.0).round(4)
    scores = rs.ScoreMatrix(table)
    pairs = SYSTEMS * (SYSTEMS - 1) // 2
    yield f"## Pairs, {TOPICS} topics × {SYSTEMS} systems ({pairs:,} pairs), {RESAMPLES:,} resamples\n"
    yield "Budget: t and Wilcoxon under 1 s. The baseline is timed on a few pairs and scaled up.\n"
    yield "| test | ms | baseline | times as fast |\n|---|---|---|---|"
    seconds = best(lambda: paired_t(table).pvalues)
    yield f"| t, p-values only | {seconds * 1e3:.1f} | | |"
    for record in TESTS:
        name = record.name
        significance(scores, test=name, resamples=50)  # compile
        seconds = best(partial(significance, scores, test=name, resamples=RESAMPLES), repeats=3)
        if name in BASELINES:
            title, baseline = BASELINES[name]
            some = SAMPLE[name]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                loop = best(partial(_pair_by_pair, baseline, table, some), repeats=2)
            slow = loop * pairs / some
        else:
            title, slow = "numpy permuted, one draw at a time", best(lambda: _numpy_tukey(table), repeats=2) * 50
        yield f"| {name} | {seconds * 1e3:.1f} | {title} | {slow / seconds:.0f} |"
