"""Gao, Bagdouri & Oard 2016: Table 1, the theorems by search, Figure 1's form, Figure 3."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np

import rankscope as rs
from reproductions.page import Page, against, data_folder, number

TITLE = "Gao, Bagdouri & Oard (2016), Pearson Rank: A Head-Weighted Gap-Sensitive Score-Based Correlation Coefficient"

# Table 1: interval, head weighted, symmetric. (All can be applied to ordinal scores.)
TABLE_1 = {
    "pearson": ("ρ", True, False, True),
    "tau_b": ("τ", False, False, True),
    "tau_ap": ("τ_AP", False, True, False),
    "tau_gap": ("τ_GAP", True, True, False),
    "pearson_rank": ("ρ_r", True, True, False),
}
# Figure 1: an ablation study that was not published.
FIGURE_1 = {"pearson": "0.89", "kendall": "0.74", "tau_ap": "0.64", "tau_gap": "0.91"}
# Section 3: medians and least values of Figure 3, as the text prints them.
FIGURE_3 = {("zipf", "zipf"): "0.95", ("zipf", "normal"): "0.91", ("zipf", "uniform"): "0.87"}
LEAST = {("zipf", "zipf"): "0.55", ("zipf", "uniform"): "0.51"}


def fill(page: Page) -> None:
    """The whole page."""
    folder = data_folder("covid1")
    table_1(page)
    theorems(page)
    figure_1(page, folder / "covid1")
    figure_3(page)


def table_1(page: Page) -> None:
    """Properties: measured, not only declared."""
    page.text("## Table 1: properties")
    page.text(
        "Measured on 200 random pairs of lists: *interval* if stretching the truth's gaps while keeping its order "
        "changes the value; *symmetric* if exchanging the two lists does not change it; *head weighted* if, with equal "
        "gaps, a swap of neighbours costs more the nearer it is to the head."
    )
    rng = np.random.default_rng(0)
    truths, estimates = rng.random((200, 8)), rng.random((200, 8))
    level = np.arange(9.0, 0.0, -1.0)
    rows = []
    for name, (symbol, *printed) in TABLE_1.items():
        value = rs.coefficient(name)
        plain = value(truths, estimates)
        costs = [1 - value(level, _swapped(level, place)) for place in range(len(level) - 1)]
        found = (
            bool(np.abs(value(truths**3, estimates) - plain).max() > 1e-9),
            bool(all(first > second + 1e-12 for first, second in itertools.pairwise(costs))),
            bool(np.abs(value(estimates, truths) - plain).max() < 1e-9),
        )
        page.values["table 1", name] = found == tuple(printed)
        words = [" / ".join("yes" if one else "no" for one in pair) for pair in zip(printed, found, strict=True)]
        rows.append((symbol, *words, "yes" if found == tuple(printed) else "**no**"))
    page.table(("paper / ours", "interval", "head weighted", "symmetric", "same"), rows)


def _swapped(scores: np.ndarray, place: int) -> np.ndarray:
    other = scores.copy()
    other[[place, place + 1]] = other[[place + 1, place]]
    return other


def theorems(page: Page) -> None:
    """Random search for counter-examples."""
    page.text("## Theorems 1 to 3, by search for counter-examples")
    lists = 5_000 if page.quick else 50_000
    rng = np.random.default_rng(1)
    rows = []
    # Theorem 1: bounds, and equality.
    truths, estimates = rng.random((lists, 6)), rng.random((lists, 6))
    found = rs.pearson_rank(truths, estimates)
    beyond = int((np.abs(found) > 1).sum())
    rows.append(("1: −1 ≤ ρ_r ≤ 1", number(lists, 0), number(beyond, 0), ""))
    order = np.sort(truths, axis=1)[:, ::-1]
    anywhere = order.copy()
    anywhere[:, -1] = rng.random(lists)
    ones = int(np.count_nonzero(rs.pearson_rank(order, anywhere) > 1 - 1e-12))
    example = "the last system has weight 0: 3, 2, 1, 0 and 3, 2, 1, 99 have " + number(
        float(rs.pearson_rank([3, 2, 1, 0], [3, 2, 1, 99])), 3
    )
    rows.append(("1: 1 only if Y = X (last system moved)", number(lists, 0), number(ones, 0), example))
    affine = int(np.count_nonzero(rs.pearson_rank(order, 0.2 + 0.5 * order) > 1 - 1e-12))
    rows.append(
        ("1: 1 only if Y = X (Y = 0.2 + 0.5 X)", number(lists, 0), number(affine, 0), "any increasing line gives 1")
    )
    page.values["theorem 1"] = beyond, ones, affine
    # Theorem 2: equal gaps swapped, nearer the head and farther.
    tried, against_it = _theorem_2(rng, lists)
    rows.append(
        (
            "2: of two swaps with the same gap, the one nearer the head costs more",
            number(tried, 0),
            number(against_it, 0),
            "",
        )
    )
    page.values["theorem 2"] = against_it
    # Theorem 3: a wider gap, all else being equal.
    for even in (False, True):
        tried, against_it, first = _theorem_3(rng, lists, even)
        words = "weights made equal, as the proof's last line says" if even else first
        rows.append(
            (
                "3: a larger gap costs more" + (", without weights" if even else ""),
                number(tried, 0),
                number(against_it, 0),
                words,
            )
        )
        page.values["theorem 3", even] = against_it
    page.table(("theorem", "lists tried", "counter-examples", ""), rows)
    page.text("[Theorems](../theorems.md) lists the theorems of both papers and where they fail.")


def _gaps(rng: np.random.Generator, lists: int) -> np.ndarray:
    return rng.integers(1, 21, (lists, 5)).astype(float)


def _scores(gaps: np.ndarray) -> np.ndarray:
    """Descending scores with these gaps, the last one 0."""
    return np.hstack([np.cumsum(gaps[:, ::-1], axis=1)[:, ::-1], np.zeros((len(gaps), 1))])


def _exchange(scores: np.ndarray, place: int) -> np.ndarray:
    other = scores.copy()
    other[:, [place, place + 1]] = other[:, [place + 1, place]]
    return other


def _theorem_2(rng: np.random.Generator, lists: int) -> tuple[int, int]:
    tried = failed = 0
    for head, tail in itertools.combinations(range(5), 2):
        gaps = _gaps(rng, lists // 10)
        gaps[:, tail] = gaps[:, head]
        truth = _scores(gaps)
        near, far = rs.pearson_rank(truth, _exchange(truth, head)), rs.pearson_rank(truth, _exchange(truth, tail))
        tried += len(gaps)
        failed += int(np.count_nonzero(near > far + 1e-12))
    return tried, failed


def _theorem_3(rng: np.random.Generator, lists: int, even: bool) -> tuple[int, int, str]:
    tried = failed = 0
    first = ""
    for place in range(5):
        gaps = _gaps(rng, lists // 5)
        wider = gaps.copy()
        wider[:, place] += rng.integers(1, 21, len(gaps))
        narrow, wide = _scores(gaps), _scores(wider)
        if even:  # raw scores far above their gaps all weigh the same
            narrow, wide = narrow + 2.0**40, wide + 2.0**40
        low = np.asarray(rs.pearson_rank(wide, _exchange(wide, place), scale=not even))
        high = np.asarray(rs.pearson_rank(narrow, _exchange(narrow, place), scale=not even))
        broken = low > high + 1e-9
        tried += len(gaps)
        failed += int(broken.sum())
        if broken.any() and not first:
            k = int(np.argmax(low - high))
            first = (
                f"swapping places {place + 1} and {place + 2} of {', '.join(f'{v:g}' for v in narrow[k])} gives "
                f"{number(float(high[k]), 3)}, of {', '.join(f'{v:g}' for v in wide[k])} {number(float(low[k]), 3)}"
            )
    return tried, failed, first


def figure_1(page: Page, folder: Path) -> None:
    """Scores without a team's unique documents."""
    page.text("## Figure 1's form: unique documents removed")
    page.text(
        "The study behind the figure was not published. These are the 143 runs of TREC-COVID round 1: each run is "
        "scored with all judgments (reference), and without those of documents that only its own team contributed "
        "(estimate)."
    )
    pooled = [
        name
        for name, yes in rs.read_groups(folder / "leaderboard.csv", "contributed judgments").items()
        if yes == "yes"
    ]
    measures = ["P@1", "nDCG@10", "AP"]
    study = rs.study_uniques(
        folder / "runs",
        folder / "qrels.txt",
        measures,
        groups=rs.read_groups(folder / "leaderboard.csv", "team"),
        contributing=pooled,
        coefficients=[*FIGURE_1, "pearson_rank"],
        resamples=200 if page.quick else 2_000,
    )
    values = {(a.measure, a.coefficient): a.value for a in study.agreements}
    names = [name for name in study.coefficients if name != "d_rank"]
    symbols = {record.name: record.symbol for record in rs.all_coefficients()} | {"kendall": "τ"}
    paper = {str(rs.coefficient(name)): value for name, value in FIGURE_1.items()}
    page.table(
        ("", *(symbols.get(name, name) for name in names)),
        [
            ("paper (its own study, precision at 1)", *(paper.get(name, "—") for name in names)),
            *(
                (f"covid1, {measure}", *(number(values[measure, name], 2) for name in names))
                for measure in study.measures
            ),
        ],
    )
    page.values["uniques"] = values
    page.text(
        "The table has the pattern of the figure: τ_GAP stays high where swaps are small, and Pearson Rank, which also "
        "sees gaps among the best that are not swapped, is lowest."
        if all(values[m, "pearson_rank"] == min(values[m, n] for n in names) for m in study.measures)
        else "Pearson Rank is not the lowest of the five under every measure here. The paper prints no value of it."
    )
    page.figure(study, "figure1", "Figure 1's form: scores with and without a team's unique documents, covid1")


def figure_3(page: Page) -> None:
    """Gaps drawn, ranks kept."""
    page.text("## Figure 3: gaps drawn at random, ranks kept")
    draws = 2_000 if page.quick else 100_000
    study = rs.study_gaps(draws=draws)
    zipf = (
        "its Zipf sampler is not given; most of its scores are tied, and Eq. 1 is 0/0 where all systems above are tied"
    )
    rows = [
        against(f"{name}, {truth} | {estimate}", text, getattr(study.spread(truth, estimate), name), zipf)
        for name, printed in (("median", FIGURE_3), ("least", LEAST))
        for (truth, estimate), text in printed.items()
    ]
    page.compare(rows)
    page.text(
        f"{draws:,} draws of 50 systems each; [gaps](../coefficient-studies.md#gaps) says what counting 0/0 as 0 "
        "gives. The least of this many draws also depends on chance. The paper shows the other medians only in its "
        "figure. All of ours:"
    )
    names = ("least", "q25", "median", "q75", "greatest")
    page.table(
        ("truth | estimate", "least", "lower quartile", "median", "upper quartile", "greatest"),
        [
            (f"{one.truth} | {one.estimate}", *(number(getattr(one.spread, name), 3) for name in names))
            for one in study.spreads
        ],
    )
    page.values["medians"] = {(one.truth, one.estimate): one.spread.median for one in study.spreads}
    page.figure(study, "figure3", "Figure 3: scores of the median draw of each pair of distributions")
