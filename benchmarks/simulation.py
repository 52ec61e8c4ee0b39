"""Simulated collections: 97 systems, 1,000 topics, beside inverting each kernel's distribution by root finding."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy import optimize, special

import rankscope as rs
from benchmarks.timing import best
from rankscope.simulation import fit_collection
from rankscope.simulation.logits import logit
from rankscope.simulation.smoothing import plug_in_bandwidth

TOPICS, SYSTEMS, NEW = 50, 97, 1_000
# The baseline finds a root per score; it is timed on this many scores and scaled up.
SAMPLE = 300
MODELS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("effects (2016)", {}, "ap"),
    ("effects, normal", {"normal": True}, "ap"),
    ("margins (2018)", {"model": "margins"}, "ap"),
    ("few values", {}, "p10"),
    ("few values, margins", {"model": "margins"}, "p10"),
)


def _scores() -> dict[str, rs.ScoreMatrix]:
    rng = np.random.default_rng(0)
    logits = rng.normal(-1.2, 1.0, (TOPICS, 1)) + rng.normal(0, 0.4, SYSTEMS) + rng.normal(0, 0.8, (TOPICS, SYSTEMS))
    ap = special.expit(logits)
    return {"ap": rs.ScoreMatrix(ap.round(4)), "p10": rs.ScoreMatrix(ap.round(1))}


def _by_roots(scores: np.ndarray) -> float:
    """Seconds for the same number of scores by `brentq` on each kernel's distribution, as the published code does."""
    residuals = logit(scores) - logit(scores).mean(axis=0)
    bandwidths = [plug_in_bandwidth(column) for column in residuals.T]
    uniforms = np.random.default_rng(1).uniform(0.001, 0.999, SAMPLE)

    def draw() -> list[float]:
        return [
            optimize.brentq(
                lambda x, i=i, u=u: special.ndtr((x - residuals[:, i % SYSTEMS]) / bandwidths[i % SYSTEMS]).mean() - u,
                -15.0,
                15.0,
            )
            for i, u in enumerate(uniforms)
        ]

    return best(draw, repeats=2) * SYSTEMS * NEW / SAMPLE


def run() -> Iterator[str]:
    tables = _scores()
    slow = _by_roots(tables["ap"].values)
    yield f"## Simulation, {SYSTEMS} systems fitted on {TOPICS} topics, {NEW:,} topics drawn\n"
    yield "Budget: a draw in well under 50 ms once fitted. The baseline inverts each kernel's distribution function by"
    yield f"root finding, a score at a time: {slow:.1f} s for the same draw (timed on {SAMPLE} scores and scaled up).\n"
    yield "| model | fit, ms | draw, ms | times as fast |\n|---|---|---|---|"
    for name, options, table in MODELS:
        fit = best(partial(fit_collection, tables[table], **options), repeats=2)
        model = fit_collection(tables[table], **options)
        draw = best(partial(model.draw, NEW, 1))
        yield f"| {name} | {fit * 1e3:.0f} | {draw * 1e3:.1f} | {slow / draw:.0f} |"
