"""The level of tests between two estimates where they are exchangeable: `python tests/inference/swapped_judges.py`.

Two real estimates exchange cells, whole topics, whole systems or both at random, so that neither can agree better, and
every test is asked whether one does. Each repeat draws 50 topics.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np

import rankscope as rs
from rankscope.coefficients import coefficient
from rankscope.inference.agreement import draw_values, values_of
from rankscope.inference.contrasts import contrast
from rankscope.inference.resampling import Draws
from rankscope.inference.swap_tests import RECORDS, SWAPS, swapped

TOPICS = 50


def estimates(data: Path, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A truth and two estimates, topics × systems."""
    if name == "robust2004":
        ap, p10 = (rs.read_scores(data / name / f"robust2004_{m}.csv").values[:, ::5] for m in ("ap", "p10"))
        noise = np.random.default_rng(0).normal(0, 0.15, ap.shape)
        return ap, p10, ap + noise
    scores = data / "summeval" / "scores.csv.gz"
    raters = ("expert*", "gpt-3.5-turbo-0301_rts", "gpt-4-0314_rts")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [rs.read_scores(scores, measure="coherence", where={"rater": r}, on_duplicate="mean") for r in raters]
    return found[0].values, found[1].values, found[2].values


def levels(
    truth, first, second, repeats: int, permutations: int, names=("tau_b", "pearson")
) -> dict[tuple[str, str], np.ndarray]:
    """The share of repeats with p ≤ .05, by what is exchangeable, by test, for each coefficient."""
    a, b = ((side - side.mean()) / side.std() for side in (first, second))
    chosen = [coefficient(name) for name in names]
    rejected: dict[tuple[str, str], list[list[bool]]] = {}
    for repeat in range(repeats):
        rng = np.random.default_rng([1, repeat])
        rows = rng.choice(len(truth), TOPICS, replace=True)
        for null in RECORDS:
            moved = null.mask(rng, 1, TOPICS, truth.shape[1])[0]
            tables = (truth[rows], np.where(moved, b[rows], a[rows]), np.where(moved, a[rows], b[rows]))
            x, one, two = map(rs.ScoreMatrix, tables)
            for swap in SWAPS:
                tested = swapped(x, one, two, chosen, swap, Draws(permutations, repeat, 1))
                rejected.setdefault((null.name, swap), []).append(
                    [v.pvalue is not None and v.pvalue <= 0.05 for v in tested]
                )
            draws = draw_values([(x, one), (x, two)], chosen, resamples=400, topics="paired", rng=repeat, jobs=1)
            values = [values_of(chosen, x.means[None], side.means[None])[:, 0] for side in (one, two)]
            found = [
                contrast(
                    "", ("", ""), values[0][c] - values[1][c], draws[0][c] - draws[1][c], TOPICS, width=2.0, level=0.95
                )
                for c in range(len(chosen))
            ]
            rejected.setdefault((null.name, "bootstrap"), []).append(
                [c.pvalue is not None and c.pvalue <= 0.05 for c in found]
            )
    return {key: np.mean(every, axis=0) for key, every in rejected.items()}


if __name__ == "__main__":
    folder = Path(__file__).parents[3] / "shared" / "data"
    for collection in ("summeval", "robust2004"):
        for (null, test), shares in levels(*estimates(folder, collection), int(sys.argv[1]), 199).items():
            row = f"{collection}, {null} exchangeable, {test}: τ_b {shares[0]:.3f}, ρ {shares[1]:.3f}"
            sys.stdout.write(row + "\n")
