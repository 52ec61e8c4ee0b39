"""Gupta, Kutlu, Khetan & Lease 2019: Table 1, the findings of Figure 1, Figure 2's form, Table 3's form."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import rankscope as rs
from reproductions.page import Page, Row, against, data_folder, number

TITLE = "Gupta, Kutlu, Khetan & Lease (2019), Correlation, Prediction and Ranking of Evaluation Metrics in IR"

# Table 1 as printed: target; predictors; τ and R² on WT2012, WT2013, WT2014.
TABLE_1 = """
bpref | nDCG | 0.805 -0.693 0.885 0.079 0.915 -1.174
bpref | nDCG, Rprec | 0.872 -0.202 0.850 0.094 0.824 -0.989
bpref | nDCG, Rprec, R@100 | 0.906 0.284 0.844 0.645 0.866 0.390
ERR | RR | 0.764 -1.874 0.734 0.293 0.704 -1.004
ERR | RR, RBP(p=0.8) | 0.790 -1.809 0.777 0.392 0.714 -0.686
ERR | RR, RBP(p=0.8), R@100 | 0.796 -1.728 0.741 0.478 0.704 -0.473
GMAP | bpref | 0.729 -1.216 0.704 -2.982 0.739 -1.034
GMAP | nDCG, RBP(p=0.5) | 0.817 0.877 0.777 0.600 0.767 0.818
GMAP | nDCG, RBP(p=0.95), RR | 0.817 0.882 0.748 0.514 0.794 0.854
MAP | Rprec | 0.885 0.754 0.824 0.667 0.952 0.819
MAP | Rprec, nDCG | 0.904 0.894 0.905 0.760 0.958 0.897
MAP | Rprec, nDCG, RR | 0.924 0.916 0.901 0.779 0.947 0.922
nDCG | bpref | 0.805 -2.101 0.885 -0.217 0.915 -2.008
nDCG | bpref, GMAP | 0.803 -0.079 0.809 0.574 0.872 0.024
nDCG | bpref, GMAP, RBP(p=0.95) | 0.794 -0.113 0.801 0.556 0.850 -0.032
P@10 | RBP(p=0.8) | 0.884 0.942 0.832 0.895 0.866 0.893
P@10 | RBP(p=0.8), RBP(p=0.5) | 0.941 0.994 0.882 0.966 0.914 0.988
P@10 | RBP(p=0.8), RBP(p=0.5), RR | 0.946 0.994 0.885 0.968 0.914 0.987
RBP(p=0.95) | Rprec | 0.824 0.346 0.651 -0.786 0.607 -2.401
RBP(p=0.95) | bpref, P@10 | 0.911 0.952 0.718 0.873 0.728 0.591
RBP(p=0.95) | bpref, P@10, RBP(p=0.8) | 0.911 0.967 0.720 0.868 0.744 0.639
Rprec | R@100 | 0.899 0.708 0.871 0.624 0.935 0.019
Rprec | R@100, RBP(p=0.95) | 0.909 0.952 0.820 0.882 0.820 0.759
Rprec | R@100, RBP(p=0.95), GMAP | 0.924 0.970 0.833 0.914 0.841 0.825
RR | RBP(p=0.5) | 0.782 0.904 0.806 0.927 0.810 0.878
RR | RBP(p=0.5), RBP(p=0.8) | 0.869 0.918 0.809 0.919 0.820 0.942
RR | RBP(p=0.5), RBP(p=0.8), ERR | 0.876 0.437 0.818 0.924 0.915 0.824
R@100 | Rprec | 0.899 0.423 0.871 0.232 0.935 -1.075
R@100 | Rprec, GMAP | 0.899 0.433 0.871 0.238 0.940 -1.077
R@100 | Rprec, RR, ERR | 0.881 -0.104 0.823 0.355 0.935 -1.187
"""
# The public files' columns that come nearest to the paper's: there MAP and nDCG are cut at 1,000 documents.
PUBLIC = {"MAP": "AP@1000", "nDCG": "nDCG@1000"}
ELEVEN = (
    "Rprec",
    "bpref",
    "RR",
    "ERR",
    "AP@1000",
    "nDCG@1000",
    "P@10",
    "R@100",
    "RBP(p=0.5)",
    "RBP(p=0.8)",
    "RBP(p=0.95)",
)
# Table 3 as printed.
BACKWARD = (
    "AP@1000",
    "P@1000",
    "nDCG@1000",
    "RBP(p=0.95)",
    "ERR",
    "Rprec",
    "R@1000",
    "bpref",
    "AP@100",
    "P@100",
    "nDCG@100",
    "RBP(p=0.8)",
    "R@100",
    "AP@20",
    "P@20",
    "nDCG@20",
    "RBP(p=0.5)",
    "R@20",
    "AP@10",
    "P@10",
    "nDCG@10",
    "R@10",
    "RR",
)
FORWARD = (
    "AP@1000",
    "P@1000",
    "nDCG@1000",
    "RBP(p=0.95)",
    "ERR",
    "Rprec",
    "bpref",
    "R@1000",
    "AP@100",
    "P@100",
    "RBP(p=0.8)",
    "nDCG@100",
    "R@100",
    "AP@20",
    "P@20",
    "RBP(p=0.5)",
    "nDCG@20",
    "R@20",
    "P@10",
    "AP@10",
    "nDCG@10",
    "R@10",
    "RR",
)
# Sheffield's covariance in the authors' repository, the upper triangle by rows.
SHEFFIELD = (
    (53.32, 27.41, 35.74, 5.86, 36.04, 33.56, 7.77),
    (17.01, 21.35, 11.36, 29.35, 21.29, 4.13),
    (31.66, 20.01, 46.46, 31.03, 6.69),
    (131.71, 131.64, 38.14, 8.26),
    (210.83, 86.25, 19.10),
    (50.01, 11.51),
    (9.80,),
)


def fill(page: Page) -> None:
    """The whole page."""
    folder = data_folder("gupta2019", "covid1", "dl19")
    table_1(page, folder / "gupta2019")
    tables = _cells(folder)
    figure_1(page, tables)
    figure_2(page, folder / "gupta2019")
    table_3(page, folder / "gupta2019", tables)


@cache
def _cells(folder: Path) -> tuple[rs.MeasureTable, ...]:
    """The 23 measures of every topic and system of two other tracks."""
    return tuple(
        rs.measure_runs(folder / name / "runs", folder / name / qrels)
        for name, qrels in (("covid1", "qrels.txt"), ("dl19", "qrels.human.txt"))
    )


def table_1(page: Page, folder: Path) -> None:
    """Every printed row whose measures are public, with the printed predictors; and which we would have chosen."""
    page.text("## Table 1: one measure from others")
    page.text(
        "Linear regression on the 428 systems of the published training file. Ours are the values of the *printed* "
        "predictors."
    )
    split: dict[str, Any] = {
        "development": folder / "result_wt2012.csv",
        "tests": [folder / f"result_wt{year}.csv" for year in (2013, 2014)],
    }
    train = folder / "train_regress.csv"
    chosen = {
        (model.target, len(model.predictors)): set(model.predictors)
        for model in rs.predict_measures(train, **split, measures=ELEVEN).models
    }
    rows, lines = [], []
    for line in TABLE_1.strip().splitlines():
        target, printed, values = (part.strip() for part in line.split("|"))
        name = f"{target} from {printed}"
        names = [PUBLIC.get(measure, measure) for measure in (target, *printed.split(", "))]
        if "GMAP" in names:
            lines.append((name, values, "GMAP is not in the published files"))
            continue
        found = rs.predict_measures(
            train, **split, measures=names, targets=names[:1], predictors=names[1:], max_predictors=len(names) - 1
        ).models[-1]
        ours = [found.tau, found.r2, *(value for fit in found.tests for value in (fit.tau, fit.r2))]
        cut = set(names) & set(PUBLIC.values())
        best = chosen[names[0], len(names) - 1]
        why = "MAP and nDCG are cut at 1,000 documents in the published files" if cut else ""
        rows.append(against(name, values.replace(" ", ", "), ours, why))
        page.values[name] = best == set(names[1:])
        if best != set(names[1:]):
            lines.append((name, values, "best here on WT2012: " + ", ".join(m for m in ELEVEN if m in best)))
    page.compare(rows)
    same = sum(row.same for row in rows)
    both = sum(row.same and page.values[row.what] for row in rows)
    page.values["same"], page.values["same and chosen"] = same, both
    page.text(
        f"τ and R² on WT2012, WT2013 and WT2014. **{same} of the 30 printed rows agree to all three decimals, "
        f"{both} of them with the same predictors chosen.** Rows that are missing above, or for which other predictors "
        "are chosen:"
    )
    page.table(("row", "paper", "why"), lines)


def figure_1(page: Page, tables: tuple[rs.MeasureTable, ...]) -> None:
    """The findings of section 4, one by one, on other tracks."""
    page.text("## Figure 1: which measures say the same")
    page.text(
        "The paper's topic-wise scores are not public. TREC-COVID round 1 and TREC DL 2019 replace them: Pearson's "
        "correlation of the 23 measures over all topics and runs, pooled. The paper prints only two coefficients as "
        "numbers."
    )
    found = rs.correlate_measures(list(tables), resamples=0 if page.quick else 1_000)
    part = found.parts[0]
    r = {(a, b): part.matrix[i, j] for i, a in enumerate(found.measures) for j, b in enumerate(found.measures)}
    partner = {one.measure: one.partner for one in part.partners}
    other = "other tracks"
    page.compare(
        [
            against("P@10 with RBP(0.8)", "0.97", r["P@10", "RBP(p=0.8)"], other),
            against("P@20 with RBP(0.95)", "0.98", r["P@20", "RBP(p=0.95)"], other),
        ]
    )

    def all_of(first: str, *seconds: str) -> list[float]:
        return [float(r[first, second]) for second in seconds]

    cutoffs = (10, 20, 100, 1000)
    reciprocal = all_of("RR", "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)")
    recall = all_of("nDCG@1000", *(f"R@{k}" for k in cutoffs))
    persistent = all_of("RBP(p=0.5)", *(f"nDCG@{k}" for k in cutoffs))
    high = all_of("Rprec", "bpref", "AP@1000", "nDCG@100")
    gain = all_of("nDCG@1000", "AP@1000", "Rprec")
    least = next(one.mean for one in part.partners if one.measure == part.least)
    findings = [
        ("R-Prec is close to bpref, MAP and nDCG@100", high, min(high) > 0.85),
        (
            "RR is close to RBP(0.5), less with greater p",
            reciprocal,
            partner["RR"] == "RBP(p=0.5)" and reciprocal == sorted(reciprocal, reverse=True),
        ),
        ("nDCG@20 is close to RBP(0.8)", all_of("nDCG@20", "RBP(p=0.8)"), r["nDCG@20", "RBP(p=0.8)"] > 0.9),
        ("nDCG is close to MAP and R-Prec", gain, min(gain) > 0.85),
        ("nDCG with R@K increases with K (10, 20, 100, 1000)", recall, recall == sorted(recall)),
        (
            "P@10 is closest to RBP(0.8), P@20 to RBP(0.95)",
            all_of("P@10", "RBP(p=0.8)") + all_of("P@20", "RBP(p=0.95)"),
            (partner["P@10"], partner["P@20"]) == ("RBP(p=0.8)", "RBP(p=0.95)"),
        ),
        (
            "RBP(0.5) with nDCG@K is greatest at K = 10, then falls",
            persistent,
            persistent == sorted(persistent, reverse=True),
        ),
        (f"P@1000 is least correlated with the others (here: {part.least})", [least], part.least == "P@1000"),
    ]
    page.values["findings"] = [holds for _, _, holds in findings]
    page.table(
        ("finding", "here", "holds"),
        [
            (words, ", ".join(number(v, 2) for v in values), "yes" if holds else "**no**")
            for words, values, holds in findings
        ],
    )
    page.figure(found, "figure1", "Figure 1's form: correlations of 23 measures, TREC-COVID round 1 and DL 2019")


def figure_2(page: Page, folder: Path) -> None:
    """Deep measures from shallow ones: the published scores, fitted and chosen on WT2012."""
    page.text("## Figure 2: deep measures from shallow ones")
    page.text(
        "The training table behind the figure is not public. Here WT2012 is used both for fitting and for choosing, "
        "and WT2013 and WT2014 are predicted: the figure's form, not its numbers. The paper says that τ is above 0.9 "
        "for RBP in all cases from depth 30 on, that precision is least predictable, and that depth 100 is easier than "
        "1,000."
    )
    wt = {year: folder / f"result_web{year}_low_to_high.csv" for year in (2012, 2013, 2014)}
    found = rs.predict_deep_measures(wt[2012], development=wt[2012], tests=[wt[2013], wt[2014]])
    depths = sorted({one.low for one in found.predictions})
    lines = []
    means: dict[tuple[str, int], list[float]] = {}
    for target, high in sorted(
        {(one.target, one.high) for one in found.predictions}, key=lambda pair: (pair[1], pair[0])
    ):
        cells = []
        for low in depths:
            one = next(p for p in found.predictions if (p.target, p.high, p.low) == (target, high, low))
            taus = [fit.tau for fit in one.model.tests]
            means.setdefault((target, high), []).append(float(np.mean(taus)))
            cells.append(", ".join(number(tau, 3) for tau in taus))
        lines.append((target.partition("@")[0], high, *cells))
    page.table(("τ on WT2013, WT2014", "at depth", *(f"from {low}" for low in depths)), lines)
    page.values["figure 2"] = means
    for high in (100, 1000):
        of_rbp = [p for p in found.predictions if p.high == high and p.target.startswith("RBP")]
        short = [p.low for p in of_rbp if min(fit.tau for fit in p.model.tests) <= 0.9]
        enough = min((low for low in depths if low > max(short, default=0)), default=None)
        order = sorted((np.mean(taus), target.partition("@")[0]) for (target, at), taus in means.items() if at == high)
        page.values["figure 2", high] = enough, [target for _, target in order]
        page.text(
            f"At depth {high:,}: RBP is above 0.9 on both from depth {enough} on; by mean τ, least predictable first: "
            + ", ".join(f"{target} {number(mean, 2)}" for mean, target in order)
            + "."
        )
    page.figure(found, "figure2", "Figure 2's form: deep measures predicted from shallow ones")


def table_3(page: Page, folder: Path, tables: tuple[rs.MeasureTable, ...]) -> None:
    """Orders of measures: Sheffield's matrix, the published scores, and other tracks' cells."""
    page.text("## Table 3 and Figure 3: which few measures say most")
    page.text(
        "The topic-wise scores behind Table 3 are not public. The table shows its printed orders beside those of the "
        "561 published systems (means over topics) and of the cells of two other tracks, and τ of each order with the "
        "printed one. Neither reproduces the printed order; without its scores nobody can say why."
    )
    files = ("train_regress", "result_wt2012", "result_wt2013", "result_wt2014")
    resamples = 0 if page.quick else 1_000
    published = rs.rank_measures([folder / f"{name}.csv" for name in files], resamples=resamples)
    cells = rs.rank_measures(list(tables), resamples=resamples)
    printed = {"backward": BACKWARD, "forward": FORWARD}
    orders: dict[tuple[str, str], list[str]] = {}
    for label, found in (("published systems", published), ("covid1 and dl19", cells)):
        for order in found.orders:
            orders[label, order.method] = [one.measure.replace("ERR@20", "ERR") for one in order.ranked]
    columns = [(method, where) for method in printed for where in ("paper", "published systems", "covid1 and dl19")]
    lines = []
    for rank in range(len(BACKWARD)):
        lines.append((rank + 1, *(printed[m][rank] if w == "paper" else orders[w, m][rank] for m, w in columns)))
    page.table(("", *(f"{method}: {where}" for method, where in columns)), lines)
    near = {
        key: rs.tau_b([-printed[key[1]].index(name) for name in order], list(range(len(order), 0, -1)))
        for key, order in orders.items()
    }
    page.table(
        ("order", "τ with the printed one"),
        [(f"{method}, {where}", number(tau, 2)) for (where, method), tau in near.items()],
    )
    for label, found in (("published systems", published), ("covid1 and dl19", cells)):
        backward = next(order for order in found.orders if order.method == "backward")
        short = [
            best.size
            for best in found.optimum
            if best.log_det > next(one.log_det for one in backward.ranked if one.rank == best.size) + 1e-6
        ]
        page.values["not optimal", label] = short
        page.text(
            f"“It always returns the optimal set” (section 6.1), on {label}: backward is the proven optimum at "
            f"{len(found.optimum) - len(short)} of {len(found.optimum)} sizes"
            + (f", and not at {', '.join(map(str, short))}." if short else ".")
        )
    page.compare([_sheffield()])
    page.figure(published, "figure3", "Figure 3's form: paths of selection on the published scores")


def _sheffield() -> Row:
    """Algorithm 1 on Sheffield's matrix, by scores whose covariance it is."""
    covariance = np.zeros((7, 7))
    covariance[np.triu_indices(7)] = np.concatenate(SHEFFIELD)
    covariance += np.triu(covariance, 1).T
    root = np.linalg.cholesky(covariance)
    # Columns of ±√7/… that are orthogonal, with mean 0 and variance 1, times the root: the covariance exactly.
    basis = np.vstack([np.eye(7), -np.eye(7)]) * np.sqrt((14 - 1) / 2)
    names = [f"P@{band}" for band in range(1, 8)]
    scores = {name: dict(enumerate_systems(column)) for name, column in zip(names, (basis @ root.T).T, strict=True)}
    found = rs.rank_measures(scores, resamples=0, methods=("backward",))
    order = [int(one.measure[2:]) for one in found.orders[0].ranked]
    return against(
        "Algorithm 1 on Sheffield's matrix (the order the authors' repository states)", "5, 4, 1, 7, 6, 3, 2", order
    )


def enumerate_systems(column: np.ndarray) -> list[tuple[str, float]]:
    """A column's values by the names of its systems."""
    return [(f"s{number}", float(value)) for number, value in enumerate(column)]
