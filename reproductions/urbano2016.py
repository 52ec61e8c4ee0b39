"""Urbano & Marrero 2016: the estimators on TREC-6 and TREC-7, their error and bias on simulated collections.

REPRODUCE_COLLECTIONS says how many collections of each size, by default the paper's 1,000, which take ten minutes on
two cores; REPRODUCE_CHECKPOINT names a folder in which finished parts are kept.
"""

from __future__ import annotations

import csv
import gzip
import os
from pathlib import Path

import numpy as np

import rankscope as rs
from rankscope.inference.expected import EstimatorName
from rankscope.studies.estimators import EstimatorError
from reproductions.page import Page, against, data_folder, needed, number, scores_by_topic

TITLE = (
    "Urbano & Marrero (2016), Toward Estimating the Rank Correlation between the Test Collection Results and the "
    "True System Performance"
)

TRACKS = ("adhoc6", "adhoc7")
# Our names, and theirs.
ESTIMATORS: dict[EstimatorName, str] = {
    "msqd": "MSQD",
    "ml": "ML",
    "res": "RES",
    "kd": "KD",
    "shw": "SHw",
    "shwo": "SHwo",
}
FILES = {"kendall": "published-tau.csv.gz", "tau_ap": "published-tauAP.csv.gz"}
SYMBOLS = {"kendall": "τ", "tau_ap": "τ_AP"}
# The authors' code on the tracks as they are: all systems, E[τ] and E[τ_AP].
WHOLE: dict[tuple[str, EstimatorName], str] = {
    ("adhoc6", "msqd"): "0.8600266, 0.816099",
    ("adhoc6", "ml"): "0.8560612, 0.8126929",
    ("adhoc7", "msqd"): "0.8891992, 0.8194832",
    ("adhoc7", "ml"): "0.8911348, 0.8232283",
}
# And without the worst quarter of systems, seed 1.
TRIMMED: dict[tuple[str, EstimatorName], str] = {
    ("adhoc6", "ml"): "0.7755, 0.7640",
    ("adhoc6", "msqd"): "0.7801, 0.7674",
    ("adhoc6", "res"): "0.7834, 0.7719",
    ("adhoc6", "kd"): "0.7778, 0.7647",
    ("adhoc6", "shw"): "0.8079, 0.8079",
    ("adhoc6", "shwo"): "0.7790, 0.7959",
    ("adhoc7", "ml"): "0.8372, 0.7778",
    ("adhoc7", "msqd"): "0.8337, 0.7728",
    ("adhoc7", "res"): "0.8426, 0.7844",
    ("adhoc7", "kd"): "0.8342, 0.7739",
    ("adhoc7", "shw"): "0.8893, 0.8333",
    ("adhoc7", "shwo"): "0.8805, 0.8206",
}


def fill(page: Page) -> None:
    """The whole page."""
    folder = data_folder("urbano2016") / "urbano2016"
    estimates(page, folder)
    study = simulated(page, folder)
    claims(page, study)


def _expected(scores: rs.ScoreMatrix, estimator: EstimatorName) -> tuple[float, ...]:
    return tuple(rs.expected_correlation(scores, name, estimator, level=0.95).estimate for name in FILES)


def estimates(page: Page, folder: Path) -> None:
    """The estimators on the tracks themselves, beside the authors' code."""
    page.text("## The estimators on the tracks themselves: E[τ], E[τ_AP]")
    page.text("The paper prints no such values; “paper” is the output of the authors' published code.")
    tables = {track: scores_by_topic(folder / f"{track}.csv") for track in TRACKS}
    rows = [
        against(
            f"{track}, all {len(tables[track].systems)} systems: {ESTIMATORS[name]}",
            code,
            _expected(tables[track], name),
        )
        for (track, name), code in WHOLE.items()
    ]
    why = {
        "res": "draws of topics",
        "kd": "draws of topics; the probability is integrated here; R's bandwidth leaves out the largest difference",
        "shw": "random draws of topics, and the curves fitted to them",
        "shwo": "random draws of topics, and the curves fitted to them",
    }
    for (track, name), code in TRIMMED.items():
        means = tables[track].system_scores()
        kept = [
            s for s, mean in zip(means.systems, means.values, strict=True) if mean >= np.quantile(means.values, 0.25)
        ]
        scores = tables[track].select(systems=kept)
        rows.append(
            against(
                f"{track}, best {len(kept)} systems: {ESTIMATORS[name]}",
                code,
                _expected(scores, name),
                why.get(name, ""),
            )
        )
    page.compare(rows)


def published(folder: Path, coefficient: str) -> dict[tuple[str, int], np.ndarray]:
    """The authors' estimates by track and size: a row per simulated collection, the actual value first."""
    rows: dict[tuple[str, int], list[list[float]]] = {}
    with gzip.open(folder / FILES[coefficient], "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            values = [float(row["actual"]), *(float(row[theirs]) for theirs in ESTIMATORS.values())]
            rows.setdefault((row["collection"], int(row["n_t"])), []).append(values)
    return {key: np.array(values) for key, values in rows.items()}


def simulated(page: Page, folder: Path) -> rs.EstimatorStudy:
    """Error and bias by number of topics, beside the authors' published estimates."""
    page.text("## Figures 1 and 2: error and bias by number of topics")
    collections = int(os.environ.get("REPRODUCE_COLLECTIONS", "4" if page.quick else "1000"))
    sizes = (10, 50) if page.quick else tuple(range(10, 101, 10))
    study = rs.study_estimators(
        [folder / f"{track}.csv" for track in TRACKS],
        sizes=sizes,
        collections=collections,
        coefficients=list(FILES),
        estimators=list(ESTIMATORS),
        checkpoint=os.environ.get("REPRODUCE_CHECKPOINT"),
    )
    page.text(
        f"{collections:,} collections of each size, without the worst quarter of systems. In parentheses are the "
        "means of the 1,000 that the authors published. TREC-8 is not in the public data. Interpretation: "
        "[estimators](../estimators.md)."
    )
    apart: dict[str, list[float]] = {"error": [], "bias": []}
    for coefficient, symbol in SYMBOLS.items():
        theirs = published(folder, coefficient)
        for what in ("error", "bias"):
            lines = []
            for track in TRACKS:
                for size in sizes:
                    off = theirs[track, size][:, 1:] - theirs[track, size][:, :1]
                    values = off if what == "bias" else np.abs(off)
                    cells = []
                    for place, name in enumerate(ESTIMATORS):
                        ours = _one(study, track, size, coefficient, name)
                        value, error = (ours.error, ours.error_se) if what == "error" else (ours.bias, ours.bias_se)
                        mean = values[:, place].mean()
                        both = np.hypot(needed(error), values[:, place].std(ddof=1) / np.sqrt(len(values)))
                        apart[what].append(float((value - mean) / both))
                        cells.append(f"{number(value, 3)} ({number(mean, 3)})")
                        page.values[track, size, coefficient, name, what] = value, mean, both
                    lines.append((track, size, *cells))
            page.text(f"### {symbol}: {what}")
            page.table(("", "topics", *ESTIMATORS.values()), lines)
    page.text(
        "Ours minus theirs in standard errors, root mean square: "
        + ", ".join(f"{what} {number(float(np.sqrt(np.mean(np.square(values)))), 2)}" for what, values in apart.items())
        + ". What is above 1 comes mostly from the published simulator, whose mean scores drift away from those taken "
        "as the truth ([simulation](../simulation.md)); ours keep them."
    )
    page.figure(study, "figure1", "Figure 1: error of the estimators", "error")
    page.figure(study, "figure2", "Figure 2: bias of the estimators", "bias")
    return study


def _one(study: rs.EstimatorStudy, track: str, size: int, coefficient: str, estimator: str) -> EstimatorError:
    return next(
        one
        for one in study.errors
        if (one.scores, one.topics, one.coefficient, one.estimator) == (track, size, coefficient, estimator)
    )


def claims(page: Page, study: rs.EstimatorStudy) -> None:
    """The numbers of section 4.3, which are means over figures' curves."""
    page.text("## Section 4.3 in numbers")
    own: tuple[EstimatorName, ...] = ("msqd", "ml", "res", "kd")

    def mean(what: str, size: int, names: tuple[str, ...]) -> float:
        return float(np.mean([getattr(_one(study, t, size, c, n), what) for t in TRACKS for c in FILES for n in names]))

    two = "two of the paper's three tracks, its reading of a figure, and exact means"
    last = study.sizes[-1]
    rows = [
        against("error with 10 topics, the four estimators", "0.065", mean("error", 10, own), two),
        against("error with 50 topics", "0.035", mean("error", 50, own), two),
    ]
    if not page.quick:
        rows += [
            against("error, plateau (100 topics)", "0.025", mean("error", last, own), two),
            against("bias, plateau (100 topics; MSQD, ML, KD)", "0.004", mean("bias", last, ("msqd", "ml", "kd")), two),
        ]
    rows.append(
        against(
            "bias of SH with replacement, all sizes",
            "0.055",
            np.mean([mean("bias", s, ("shw",)) for s in study.sizes]),
            two,
        )
    )
    page.compare(rows)

    def theirs(what: str, size: int, names: tuple[str, ...]) -> float:
        return float(np.mean([page.values[t, size, c, n, what][1] for t in TRACKS for c in FILES for n in names]))

    page.text(
        "The authors' published estimates of these two tracks, in the same means: error "
        + ", ".join(f"{number(theirs('error', size, own), 3)} with {size} topics" for size in sorted({10, 50, last}))
        + f"; bias of SH with replacement {number(np.mean([theirs('bias', s, ('shw',)) for s in study.sizes]), 3)}."
    )
    best = {size: min(own, key=lambda name: abs(mean("bias", size, (name,)))) for size in study.sizes}
    page.text(
        "Least bias of the four, by number of topics: "
        + ", ".join(f"{s}: {ESTIMATORS[n]}" for s, n in best.items())
        + "."
    )
    page.values["best"] = best
