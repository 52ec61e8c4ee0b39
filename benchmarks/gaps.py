"""The simulation of Gao, Bagdouri & Oard's Figure 3, beside numpy's draws and Eq. 1 as a Python loop over systems."""

from collections.abc import Iterator

import numpy as np

import rankscope as rs
from benchmarks.timing import best

DRAWS, SYSTEMS = 100_000, 50
# The baseline is timed on this many draws and scaled up.
SAMPLE = 500


def _literal(draws: int) -> list[float]:
    rng = np.random.default_rng(0)
    found = []
    for _ in range(draws):
        x, y = (np.sort(rng.random(SYSTEMS))[::-1] for _ in range(2))
        x, y = ((side - side[-1]) / (side[0] - side[-1]) for side in (x, y))
        terms = []
        for i in range(1, SYSTEMS):
            a, b = x[:i] - x[i], y[:i] - y[i]
            terms.append(x[i] * (a @ b) / np.sqrt((a @ a) * (b @ b)))
        found.append(sum(terms) / x[1:].sum())
    return found


def run() -> Iterator[str]:
    one = [("uniform", "uniform")]
    rs.study_gaps(draws=500)  # compile
    yield f"## Gaps, {DRAWS:,} draws of {SYSTEMS} systems\n"
    yield "Budget: one pair of distributions under 5 s. The baseline is timed on a few draws and scaled up.\n"
    yield "| what | s | baseline | times as fast |\n|---|---|---|---|"
    seconds = best(lambda: rs.study_gaps(draws=DRAWS, systems=SYSTEMS, pairs=one), repeats=3)
    slow = best(lambda: _literal(SAMPLE), repeats=2) * DRAWS / SAMPLE
    yield f"| uniform, uniform | {seconds:.2f} | Eq. 1 in numpy, one draw at a time | {slow / seconds:.0f} |"
    seconds = best(lambda: rs.study_gaps(draws=DRAWS, systems=SYSTEMS), repeats=3)
    yield f"| all six pairs of Figure 3 | {seconds:.2f} | | |"
