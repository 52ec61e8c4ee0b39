"""Expected correlations: every estimator, both coefficients, and what a large collection takes."""

import resource
import time
from collections.abc import Iterator
from functools import partial

import numpy as np

import rankscope as rs
from benchmarks.timing import best
from rankscope.inference.expected import ESTIMATORS, checked_sample, expected_values
from rankscope.inference.resampling import Draws
from rankscope.studies.reliability import reliability

SYSTEMS, TOPICS, LARGE = 97, 50, 1_000
# Systems of TREC 6, 7 and 8 ad hoc without the worst quarter (adhoc8 had 129), and collections timed of each size.
TRACKS, SAMPLE = (55, 77, 97), 8
# The authors' R code on adhoc7's 77 systems, one core, seconds (FACTS): for both coefficients, as here.
AUTHORS = {"ml": 0.05, "msqd": 0.14, "res": 19.6, "kd": 36.8, "shw": 16.4, "shwo": 15.6}


def collection(topics: int, systems: int, seed: int = 0) -> rs.ScoreMatrix:
    random = np.random.default_rng(seed)
    logits = 0.5 * random.standard_normal(systems) + random.standard_normal((topics, 1))
    return rs.ScoreMatrix((1 / (1 + np.exp(-logits - 0.8 * random.standard_normal((topics, systems))))).round(4))


def run() -> Iterator[str]:
    chosen = [rs.coefficient("tau"), rs.coefficient("tau_ap")]
    scores = collection(TOPICS, SYSTEMS)
    sample, draws = checked_sample(scores), Draws(1_000, 0, None)
    yield f"## Expected correlation, {SYSTEMS} systems × {TOPICS} topics, τ and τ_AP, 1,000 resamples\n"
    yield "Budget: the six published estimators in 0.5 s. The authors' code had 77 systems.\n"
    yield "| estimator | ms | the authors' R, ms |\n|---|---|---|"
    total = 0.0
    for one in ESTIMATORS:
        expected_values(sample, one.name, chosen, draws)  # compile
        seconds = best(partial(expected_values, sample, one.name, chosen, draws))
        total += 0.0 if one.any_coefficient else seconds
        theirs = f"{AUTHORS[one.name] * 1e3:,.0f}" if one.name in AUTHORS else "–"
        yield f"| {one.name} | {seconds * 1e3:.1f} | {theirs} |"
    whole = best(lambda: reliability(scores), 3)
    yield f"\nThe six together: {total:.2f} s. All of `rs.reliability`: {whole:.2f} s."
    large = checked_sample(collection(LARGE, LARGE))
    yield f"\n## Expected correlation, {LARGE:,} systems × {LARGE:,} topics\n\n| estimator | seconds |\n|---|---|"
    for one in ESTIMATORS:
        start = time.perf_counter()
        expected_values(large, one.name, chosen, draws)
        yield f"| {one.name} | {time.perf_counter() - start:.1f} |"
    yield from study()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yield f"\nPeak memory of the process: {peak:,.0f} MB."


def study() -> Iterator[str]:
    """The study of Urbano & Marrero (2016) on a sample: 30,000 collections of three sizes of track."""
    yield f"\n## The whole study of estimators, from {SAMPLE} collections of each size\n"
    yield "Ten sizes (10 to 100 topics), 1,000 collections each, six estimators, τ and τ_AP. Budget: 30 min, 2 cores.\n"
    yield "| systems | CPU ms per collection | CPU s for 10,000 | wall s for 10,000, all cores |\n|---|---|---|---|"
    cpus, walls = 0.0, 0.0
    for systems in TRACKS:
        scores = collection(TOPICS, systems, seed=systems)
        rs.study_estimators(scores, drop=0.0, collections=1)  # fit and compile
        cpu, wall = time.process_time(), time.perf_counter()
        found = rs.study_estimators(scores, drop=0.0, collections=SAMPLE, rng=1)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        count = len(found.sizes) * SAMPLE
        cpus, walls = cpus + cpu / count * 1e4, walls + wall / count * 1e4
        yield f"| {systems} | {cpu / count * 1e3:.1f} | {cpu / count * 1e4:.0f} | {wall / count * 1e4:.0f} |"
    yield f"\nAll 30,000 collections: {cpus / 60:.1f} min of CPU, {walls / 60:.1f} min of wall time."
