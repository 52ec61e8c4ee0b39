"""Gao & Oard 2015: Figures 1 to 6 on TREC-5, and the two swap experiments."""

from __future__ import annotations

import numpy as np

import rankscope as rs
from rankscope.studies.swaps import Among
from reproductions.page import Page, against, data_folder, number, scores_by_topic

TITLE = "Gao & Oard (2015), A Head-Weighted Gap-Sensitive Correlation Coefficient"

# Section 4.1: means of ρ, τ_AP and τ_GAP over 50 draws of five swaps.
SWAPS: dict[Among, tuple[str, str, str]] = {"significant": ("0.70", "0.68", "0.65"), "others": ("0.99", "0.92", "0.97")}
COEFFICIENTS = {"pearson": "ρ", "tau_ap": "τ_AP", "tau_gap": "τ_GAP"}


def fill(page: Page) -> None:
    """The whole page."""
    scores = scores_by_topic(data_folder("trec5") / "trec5" / "adhoc5_ap.csv")
    figure_1(page, scores)
    swaps(page, scores)
    weights(page, scores)
    page.text("[Theorems](../theorems.md) lists the theorems and where they fail.")


def figure_1(page: Page, scores: rs.ScoreMatrix) -> None:
    """Which pairs differ."""
    page.text("## Figure 1: significance of the differences in MAP on TREC-5")
    found = rs.significance(scores)
    swapped = "the paper's text confuses the two colours: 63 % *do* differ, as section 4.2 says"
    cut = f"{number(100 * found.share, 1)} % differ, which the paper truncates to 63; it rounds to 64"
    page.compare(
        [
            against("systems", "61", len(found.systems)),
            against("topics", "50", found.topics),
            against("pairs with p < 0.05, %", "37", 100 * found.share, swapped),
            against("pairs with p ≥ 0.05, %", "63", 100 - 100 * found.share, swapped),
            against("“the 37% non-significant system pairs” (section 4.2)", "37", 100 - 100 * found.share, cut),
        ]
    )
    page.values["share"] = found.share
    page.figure(found, "figure1", "Figure 1: which pairs of the 61 systems of TREC-5 differ significantly")


def swaps(page: Page, scores: rs.ScoreMatrix) -> None:
    """Five random swaps, among pairs that differ and among the others."""
    page.text("## Figures 2 and 3: five random swaps")
    draws = 1_000
    study = rs.study_swaps(scores, draws=draws, coefficients=list(COEFFICIENTS))
    rows = []
    for among, printed in SWAPS.items():
        for (name, symbol), value in zip(COEFFICIENTS.items(), printed, strict=True):
            spread = study.spread(among, name)
            error = spread.sd / np.sqrt(50)
            why = f"the mean of 50 draws there, with a standard error of {number(error, 3)}"
            if abs(spread.mean - float(value)) > 3 * error:
                why += "; more than chance: the paper does not say fully how pairs were drawn"
            rows.append(against(f"{among}: {symbol}", value, spread.mean, why))
    page.compare(rows)
    means = {among: [row.values[0] for row in rows if row.what.startswith(among)] for among in SWAPS}
    page.values["swaps"] = means
    holds = means["significant"][2] < means["significant"][1] and means["others"][2] > means["others"][1]
    page.values["claim"] = holds
    page.text(
        f"Means over {draws:,} draws. The claim, τ_GAP below τ_AP for large gaps and above it for small ones, "
        f"**{'holds' if holds else 'does not hold'}**."
    )
    page.figure(study, "figure2-3", "Figures 2 and 3: ranks before and after one draw of swaps", "ranks")


def weights(page: Page, scores: rs.ScoreMatrix) -> None:
    """The weight of each pair."""
    page.text("## Figures 4 to 6: the weights of pairs")
    study = rs.study_weights(scores, coefficients=list(COEFFICIENTS))
    rows = []
    for one in study.coefficients:
        # Systems are in the order of their means, so that corner and diagonal are those of the figures.
        order = np.argsort(-study.means, kind="stable")
        weight = one.weights[np.ix_(order, order)]
        near = np.mean([weight[k, k + 1] for k in range(len(order) - 1)])
        ends, top, last = weight[0, -1], weight[0, 1], weight[-2, -1]
        rows.append((one.symbol, *(number(float(value), 3) for value in (ends, top, last, near))))
        page.values["weights", one.coefficient] = (ends, top, last, near)
    page.table(("", "first with last", "1st with 2nd", "last two", "neighbours, mean"), rows)
    page.text(
        "The paper prints no numbers. The table confirms what it says of the figures: ρ is dominated by pairs of high "
        "and low rank; τ_AP gives neighbours at the head more weight than those at the end; τ_GAP gives neighbours "
        "less weight than τ_AP does."
    )
    page.figure(study, "figure4-6", "Figures 4 to 6: how much each pair weighs in ρ, τ_AP and τ_GAP")
