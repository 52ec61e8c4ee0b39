"""Rank distances of resampled rankings, 110 systems × 249 topics, beside general solvers of the same problem."""

import math
import os
import time
from collections.abc import Callable, Iterator
from typing import Literal

import numpy as np
from scipy.optimize import minimize

import rankscope as rs
from benchmarks.timing import DATA, best
from oracles_distance import by_least_squares
from rankscope.inference import rank_distance_baseline
from rankscope.inference.rank_distance_baseline import Baseline, prepare
from rankscope.inference.rank_distance_null import rank_distance_null
from rankscope.inference.rank_walks import LEARNING
from rankscope.inference.resampling import topic_counts
from rankscope.inputs import to_matrix
from rankscope.kernels import distance as kernel

RESAMPLES = 10_000
WALKED = 10_000
# General solvers take this many draws, in turn.
SAMPLE = 10
# Enough for two runs that are identical on every topic, and for Σ_Δ to be inverted at all.
RIDGE = 1e-5
# Systems and topics of random tables with more systems than topics.
WIDE = ((60, 50), (143, 30), (300, 100), (300, 20), (1000, 100), (1000, 5))


def _scores() -> rs.ScoreMatrix:
    path = DATA / "robust2004" / "robust2004_ap.csv"
    if path.exists():
        return to_matrix(path, "a rank distance needs topics")
    rng = np.random.default_rng(0)
    scores = rng.beta(1.0, 2.5, (249, 1)) + 0.1 * rng.normal(size=(249, 110)) + rng.normal(0.0, 0.05, 110)
    return rs.ScoreMatrix(scores.round(4))


def _bounded(base: Baseline, order: np.ndarray, method: Literal["L-BFGS-B", "SLSQP"]) -> float:
    """Eq. 2 as it stands: a quadratic of θ, its gradient, and bounds."""
    mean = -np.diff(base.sums[order]) / base.unit
    inverse = np.linalg.inv(base.covariance(order, RIDGE))

    def value(theta: np.ndarray) -> tuple[float, np.ndarray]:
        pull = inverse @ (theta - mean)
        return float((theta - mean) @ pull), 2.0 * pull

    start = np.maximum(mean, 0.0)
    found = minimize(
        value, start, jac=True, bounds=[(0.0, None)] * len(mean), method=method, options={"maxiter": 5_000}
    )
    return math.sqrt(base.topics * found.fun)


def run() -> Iterator[str]:
    scores = _scores()
    base = prepare(scores)
    sums = topic_counts(np.random.default_rng(0), base.topics, 500) @ base.scores
    orders = base.orders_of_sums(sums)
    base.distances(orders[:2], RIDGE)  # compile
    each = best(lambda: base.distances(orders, RIDGE)) / len(orders)
    bare = best(lambda: base.distances(orders, 0.0)) / len(orders)
    ours = base.distances(orders[:SAMPLE], RIDGE)
    m, n = len(base.systems), base.topics
    yield f"## Rank distance, {m} systems × {n} topics\n\nBudget: 100 times a general solver per draw, on one thread.\n"
    yield "| solver | ms per draw | times as fast as it | farthest from ours |\n|---|---|---|---|"
    yield f"| rankscope, ridge {RIDGE:g} | {each * 1e3:.3f} | 1 | 0 |"
    yield f"| rankscope, no ridge | {bare * 1e3:.3f} | | |"
    solvers: dict[str, Callable[[np.ndarray], float]] = {
        "scipy nnls on the scores": lambda o: by_least_squares(base.scores * n / base.unit, o.tolist(), RIDGE),
        "scipy L-BFGS-B": lambda o: _bounded(base, o, "L-BFGS-B"),
        "scipy SLSQP": lambda o: _bounded(base, o, "SLSQP"),
    }
    for name, solver in solvers.items():
        found: list[float] = []

        def solve_all(solver: Callable[[np.ndarray], float] = solver, found: list[float] = found) -> None:
            found[:] = [solver(order) for order in orders[:SAMPLE]]

        seconds = best(solve_all, repeats=2) / SAMPLE
        error = np.abs(np.array(found) - ours).max()
        yield f"| {name} | {seconds * 1e3:.1f} | {seconds / each:.0f} | {error:.1e} |"
    whole = best(lambda: rank_distance_null(scores, resamples=RESAMPLES), repeats=3)
    yield f"\n`rank_distance_null` with {RESAMPLES:,} draws on {os.cpu_count()} cores: {whole:.2f} s (budget 3 s)."
    yield from _wide()
    yield from _walk(scores)


def _wide() -> Iterator[str]:
    """Exchanges of rows, with what it takes where they stall, beside Newton's steps in topics."""
    yield (
        "\nWith more systems than topics and the paper's ridge, on one thread; steps in topics are taken where there "
        f"are more than {rank_distance_baseline._WIDE} times as many:\n"
    )
    yield "| systems × topics | ms per draw by exchanges of rows | ms by steps in topics | times as fast |"
    yield "|---|---|---|---|"
    for m, n in WIDE:
        rng = np.random.default_rng(m)
        means, topics = rng.uniform(0.0, 0.5, m), rng.normal(0.0, 0.1, (n, 1))
        base = prepare((means + topics + rng.normal(0.0, 0.15, (n, m))).clip(0.0, 1.0).round(4))
        orders = base.orders_of_sums(topic_counts(rng, n, 10) @ base.scores)
        scales = RIDGE * base._square, n * (n - 1.0)

        def rows(base: Baseline = base, orders: np.ndarray = orders, scales: tuple[float, float] = scales) -> None:
            kernel.distances(base.sums, base.spread, orders, *scales)

        def steps(base: Baseline = base, orders: np.ndarray = orders, scales: tuple[float, float] = scales) -> None:
            kernel.distances_by_topics(base.sums, base.deviations, orders, *scales)

        by_rows, by_topics = best(rows, repeats=3) / len(orders), best(steps, repeats=3) / len(orders)
        yield f"| {m:,} × {n} | {by_rows * 1e3:.2f} | {by_topics * 1e3:.2f} | {by_rows / by_topics:.1f} |"


def _walk(scores: rs.ScoreMatrix) -> Iterator[str]:
    """Allowed ranks of some of the systems: with all of them the chains take minutes (docs/inference.md)."""
    some = scores.select(systems=scores.systems[::4])
    m = len(some.systems)
    null = rank_distance_null(some, resamples=RESAMPLES)
    rs.allowed_ranks(some, null=null, draws=80)  # compile
    start = time.perf_counter()
    allowed = rs.allowed_ranks(some, null=null, draws=WALKED)
    seconds = time.perf_counter() - start
    assert allowed.draws is not None
    # Proposals of a draw: a move per system, and half as many pushes.
    proposals = allowed.draws * (1.0 + sum(LEARNING)) * (m + -(-m // 2))
    each = seconds * min(os.cpu_count() or 1, allowed.settings["chains"]) / proposals
    yield (
        f"\n`allowed_ranks` of {m} systems, {allowed.draws:,} draws on {os.cpu_count()} cores: {seconds:.0f} s, "
        f"R̂ {allowed.rhat:.3f} (budget 1.05), effective sample size {allowed.ess:.0f}; "
        f"{each * 1e6:.0f} µs of a core per proposal."
    )
