"""Carterette 2009: section 3.1 in full, Tables 1 and 2, Figures 1 to 4, pseudo-judgments, critical values."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

import rankscope as rs
from rankscope.inference.allowed_ranks import By
from reproductions.page import Page, against, data_folder, needed, number, printed, scores_by_topic

T = TypeVar("T")

TITLE = "Carterette (2009), On Rank Correlation and the Distance Between Rankings"

AP = np.array([[0.283, 0.481, 0.516], [0.017, 0.399, 0.544], [0.075, 0.300, 0.277], [0.183, 0.662, 0.616]])
P10 = np.array([[0.8, 0.8, 0.8], [0.2, 0.7, 0.5], [0.3, 0.5, 0.5], [0.7, 1.0, 1.0]])
# The table that ends section 3.1: ranking, best first; τ; discriminative power; d_rank.
ORDERS = {
    "ABC": ("-1.00", "0.0", "4.88"),
    "ACB": ("-0.33", "0.0", "4.88"),
    "BAC": ("-0.33", "0.5", "4.88"),
    "CAB": ("0.33", "0.5", "4.88"),
    "BCA": ("0.33", "1.0", "0.65"),
    "CBA": ("1.00", "1.0", "0.00"),
}
# Table 2 on Robust 2004: depth; judgments; τ with Kendall's interval; d_rank and p.
TABLE_2 = {
    1: ("4,789", "0.67 (0.43, 0.82)", "24.31, p=0.00"),
    5: ("16,478", "0.83 (0.62, 0.93)", "14.81, p=0.00"),
    10: ("28,569", "0.89 (0.70, 0.96)", "11.57, p=0.00"),
    25: ("60,099", "0.96 (0.80, 0.99)", "5.65, p=0.49"),
    50: ("101,626", "0.98 (0.83, 1.00)", "1.76, p=1.00"),
}
# Table 1(a), 110 systems: τ with its interval. Of the measures only P@10 and MAP have public scores.
TABLE_1A = {
    "P10 and P30": "0.84 (0.64, 0.93)",
    "P10 and R-prec": "0.81 (0.60, 0.92)",
    "P10 and MAP": "0.80 (0.59, 0.91)",
    "P10 and MRR": "0.73 (0.50, 0.86)",
    "P10 and bpref": "0.80 (0.59, 0.91)",
    "P30 and R-prec": "0.90 (0.72, 0.97)",
    "P30 and MAP": "0.89 (0.70, 0.96)",
    "P30 and MRR": "0.63 (0.39, 0.79)",
    "P30 and bpref": "0.89 (0.70, 0.96)",
    "R-prec and MAP": "0.92 (0.74, 0.98)",
    "R-prec and MRR": "0.61 (0.36, 0.78)",
    "R-prec and bpref": "0.93 (0.76, 0.98)",
    "MAP and MRR": "0.58 (0.33, 0.75)",
    "MAP and bpref": "0.96 (0.80, 0.99)",
    "MRR and bpref": "0.60 (0.35, 0.77)",
}
TRACKS = (("covid1", "qrels.txt"), ("dl19", "qrels.human.txt"))
NEITHER = "Robust 2004's runs are not public; covid1 (143 runs, 30 topics) and dl19 (37 runs, 43 topics) replace them."


def fill(page: Page) -> None:
    """The whole page."""
    folder = data_folder("robust2004", "trec5", "web2012", "urbano2016", "covid1", "dl19")
    interval(page)
    example(page)
    figure_1(page, folder)
    baselines = read_baselines(folder)
    nulls = {name: rs.rank_distance_null(scores, resamples=_resamples(page)) for name, scores in baselines.items()}
    figure_3(page, baselines["Robust 2004 AP"], nulls["Robust 2004 AP"])
    table_1(page, baselines, nulls)
    runs = {
        name: (rs.read_runs(folder / name / "runs"), rs.read_judgments(folder / name / qrels)) for name, qrels in TRACKS
    }
    table_2(page, runs)
    figure_4(page, runs)
    pseudo(page, runs)
    critical_values(page, nulls)


def _resamples(page: Page) -> int:
    return 1_000 if page.quick else 10_000


def interval(page: Page) -> None:
    """Equation 1."""
    page.text("## Equation 1: Kendall's interval")
    found = rs.kendall_interval(0.9, 25)
    page.compare([against("τ = 0.9 over 25 systems", "0.389 to 0.987", (found.low, found.high))])
    page.text("Every interval that the paper prints for Robust 2004's 110 systems, from the τ printed beside it:")
    rows = []
    for where, cells in (
        ("Table 1(a)", TABLE_1A),
        ("Table 2", {f"depth {depth}": cell for depth, (_, cell, _) in TABLE_2.items()}),
    ):
        for what, cell in cells.items():
            tau = printed(cell)[0][0]
            near = rs.kendall_interval(tau, 110)
            rows.append(against(f"{where}, {what}", cell, (tau, near.low, near.high), "τ is printed rounded"))
    page.compare(rows)


def example(page: Page) -> None:
    """Section 3.1: three systems, four topics."""
    page.text("## Section 3.1: three systems, four topics")
    picture = rs.rank_contour(rs.ScoreMatrix(AP, tuple("ABC")), dict(zip("ABC", P10.mean(axis=0), strict=True)))
    others = rs.rank_contour(P10, P10.mean(axis=0))
    order = np.argsort(P10.mean(axis=0))
    ap_gaps, p10_gaps = np.diff(AP[:, order]), np.diff(P10[:, order])
    misprint = "a misprint: 0.5 − 0.2 is 0.3, and the printed mean 0.2 and covariance 0.02 need 0.3"
    means = rs.read_scores(AP).system_scores().values, rs.read_scores(P10).system_scores().values
    rows = [
        against("MAP of A, B, C", "0.140, 0.461, 0.488", means[0], "0.1395 and 0.4605 rounded up"),
        against("mean P@10 of A, B, C", "0.50, 0.75, 0.70", means[1]),
        against("AP_Δ, C − A", "0.233, 0.527, 0.202, 0.433", ap_gaps[:, 0]),
        against("AP_Δ, B − C", "-0.035, -0.145, 0.023, 0.046", ap_gaps[:, 1]),
        against("P@10_Δ, C − A", "0.0, 0.5, 0.2, 0.3", p10_gaps[:, 0], misprint),
        against("P@10_Δ, B − C", "0.0, 0.2, 0.0, 0.0", p10_gaps[:, 1]),
        against("MAP_Δ", "0.349, -0.028", picture.mean, "0.34875 and −0.02775"),
        against("mean P@10_Δ", "0.20, 0.05", picture.estimate),
        against("covariance of AP_Δ", "0.0246, -0.0071, 0.0073", _triangle(picture.covariance)),
        against("covariance of P@10_Δ", "0.02, 0.01, 0.01", _triangle(others.covariance)),
        against("θ, the nearest point that keeps the ranking (ε is 0)", "0.322, 0", picture.nearest),
        against("d_rank of the ranking by P@10", "0.65", picture.distance),
    ]
    at_zero = "the distance at θ = 0; the minimum is smaller"
    pairs = rs.significance(AP).pvalues
    rows += [
        against("A and B differ, A and C differ (p < 0.05)", "1, 1", (pairs[0, 1] < 0.05, pairs[0, 2] < 0.05)),
        against("B and C do not (p < 0.05)", "0", float(pairs[1, 2] < 0.05)),
        against(
            "neither pair by P@10", "0, 0", tuple(float(rs.significance(P10).pvalues[0, k] < 0.05) for k in (1, 2))
        ),
    ]
    for name, (tau, power, distance) in ORDERS.items():
        scores = [3.0 - name.index(system) for system in "ABC"]
        found = rs.d_rank(AP, scores).distance
        rows += [
            against(f"{name}: τ", tau, float(rs.tau_b(means[0], scores))),
            against(f"{name}: discriminative power", power, rs.discriminative_power(AP, scores).value),
            against(f"{name}: d_rank", distance, found, at_zero),
        ]
    null = rs.rank_distance_null(AP, resamples=10_000)
    zero = float((null.distances < 0.3).mean())
    swapped = float((np.abs(null.distances - picture.distance) < 0.01).mean())
    chance = "10,000 draws, ± 0.004 each"
    rows += [
        against("bootstrap: P(d = 0.65)", "0.21", swapped, chance),
        against("bootstrap: P(d = 0)", "0.79", zero, chance),
    ]
    page.compare(rows)
    page.values["orders"] = {name: rs.d_rank(AP, [3.0 - name.index(s) for s in "ABC"]).distance for name in ORDERS}
    exact = ", ".join(f"{name} {number(value, 4)}" for name, value in page.values["orders"].items())
    page.text(f"To four decimals: {exact}.")
    page.figure(picture, "figure2", "Figure 2: contours of the differences, the ranking's nearest point")


def _triangle(matrix: tuple[tuple[float, float], tuple[float, float]]) -> tuple[float, float, float]:
    return matrix[0][0], matrix[0][1], matrix[1][1]


def figure_1(page: Page, folder: Path) -> None:
    """Rankings with the same τ, near and far."""
    page.text("## Figure 1's form: the same τ, four distances")
    page.text(
        "The Million Query runs of the figure are not public. These are the 61 systems of TREC-5 (AP, 50 topics)."
    )
    scores = folder / "trec5" / "adhoc5_ap.csv"
    study = _quietly(lambda: rs.study_reorderings(scores, draws=200 if page.quick else 2_000))
    page.table(
        ("τ", "d_rank", "p"),
        [(number(one.tau, 2), number(one.distance, 2), number(one.pvalue, 3)) for one in study.reorderings],
    )
    page.figure(study, "figure1", "Figure 1's form: four rankings with τ = 0.9, TREC-5")
    low = _quietly(lambda: rs.study_reorderings(scores, tau=0.8, draws=200 if page.quick else 2_000))
    rejected = float((study.distances > needed(study.critical_value)).mean())
    least = low.reorderings[0]
    page.values["rejected at 0.9"], page.values["least at 0.8"] = rejected, (least.distance, least.pvalue)
    page.text(
        "Section 4.3, on the Million Query runs: over 25 % of the rankings with τ > 0.9 are significantly different, "
        "and rankings with τ as low as 0.8 can be indistinguishable. Here, of the random rankings with τ = 0.9, "
        f"{rejected:.0%} are significantly different (another way to draw rankings gives another share); the nearest "
        f"ranking with τ = 0.8 has d_rank {number(least.distance, 2)}, p = {number(least.pvalue, 2)}."
    )


def read_baselines(folder: Path) -> dict[str, rs.ScoreMatrix]:
    """All score tables: each can be the baseline of a rank distance."""
    places = {
        "Robust 2004": ("robust2004/robust2004", ("ap", "p10")),
        "TREC-5": ("trec5/adhoc5", ("ap", "p10", "rr")),
        "Web 2012": ("web2012/web2012", ("ap", "err20", "ndcg20", "p10", "p20", "rr")),
    }
    found = {
        f"{name} {measure.upper()}": scores_by_topic(folder / f"{start}_{measure}.csv")
        for name, (start, measures) in places.items()
        for measure in measures
    }
    found |= {f"TREC-{k} AP": scores_by_topic(folder / "urbano2016" / f"adhoc{k}.csv") for k in (6, 7)}
    return found


def figure_3(page: Page, scores: rs.ScoreMatrix, null: rs.RankDistanceNull) -> None:
    """Allowed ranks, by τ and by rank distance."""
    page.text("## Figure 3's form: the ranks that systems may take")
    draws = 400 if page.quick else 30_000
    page.text(
        "On Robust 2004 (110 systems, AP) instead of the 24 Million Query runs: the share of all rankings with "
        "τ ≥ 0.9, and of those within the critical distance, that put a system at a rank."
    )
    rows = []
    bounds: tuple[By, ...] = ("tau", "d_rank")
    for by in bounds:
        of_distances = null if by == "d_rank" else None
        found = _quietly(partial(rs.allowed_ranks, scores, by=by, draws=draws, null=of_distances))
        reach = (found.shares > 0.01).sum(axis=1)
        kept = found.shares.max(axis=1)
        trust = (
            "counted"
            if found.exact
            else f"{found.draws:,} draws, R̂ {number(found.rhat, 2)}, effective sample size {number(found.ess, 0)}"
        )
        rows.append(
            (
                "τ ≥ 0.9" if by == "tau" else f"d_rank ≤ {number(found.limit, 2)}",
                f"{number(float(np.median(reach)), 0)} ({reach.min()} to {reach.max()})",
                f"{number(float(kept.min()), 2)} to {number(float(kept.max()), 2)}",
                trust,
            )
        )
        page.values["allowed", by] = reach
        page.figure(found, f"figure3-{by}", f"Figure 3's form on Robust 2004, by {by}")
    page.table(
        (
            "rankings with",
            "ranks that a system takes in at least 1 %: median (least to most)",
            "greatest share",
            "known from",
        ),
        rows,
    )
    page.text(
        "As in the paper, τ gives all systems much the same freedom, while the rank distance keeps some nearly at "
        "their rank and lets others move far. (R̂ above 1.05 would mean that the chains have not mixed fully.)"
    )


def table_1(page: Page, baselines: dict[str, rs.ScoreMatrix], nulls: dict[str, rs.RankDistanceNull]) -> None:
    """P@10 and MAP on Robust 2004."""
    page.text("## Table 1 on Robust 2004: P@10 and MAP")
    page.text("The other four measures of the table have no public scores.")
    ap, p10 = baselines["Robust 2004 AP"], baselines["Robust 2004 P10"]
    ap_means, p10_means = ap.system_scores(), p10.system_scores()
    tau = float(rs.tau_b(p10_means.values, ap_means.values))
    between = rs.kendall_interval(tau, len(ap.systems))
    low = rs.kendall_interval(0.80, len(ap.systems)).low
    rounded = (
        f"the interval of τ = 0.80, rounded first, begins at {number(low, 3)}; "
        f"that of {number(tau, 3)} at {number(between.low, 3)}"
    )
    from_p10 = rs.rank_distance_test(p10, ap_means, null=nulls["Robust 2004 P10"])
    from_ap = rs.rank_distance_test(ap, p10_means, null=nulls["Robust 2004 AP"])
    ties = from_ap.observed.ties
    why = ""
    if ties is not None:
        tied = len(p10.systems) - len(np.unique(p10_means.values.round(9)))
        why = (
            f"mean P@10 ties {tied} times: {number(ties.least, 2)} to {number(ties.greatest, 2)}, depending on "
            "how ties are broken; ours breaks them in the baseline's favour, since a tie contradicts no order"
        )
        page.values["ties"] = (ties.least, ties.greatest)
    page.compare(
        [
            against("τ of P@10 and MAP", "0.80 (0.59, 0.91)", (tau, between.low, between.high), rounded),
            against("d_rank from P@10 to MAP", "14.11, p=0.00", (from_p10.distance, from_p10.pvalue)),
            against("d_rank from MAP to P@10", "25.44, p=0.00", (from_ap.distance, from_ap.pvalue), why),
        ]
    )


def table_2(page: Page, runs: dict[str, tuple[rs.RunSet, rs.Judgments]]) -> None:
    """Shallow pools."""
    page.text("## Table 2's form: shallow pools")
    page.text(
        f"{NEITHER} MAP with the judgments of a pool of all runs to a depth, compared with MAP with all judgments."
    )
    lines: dict[int, list[str]] = {depth: [str(depth), " · ".join(cells)] for depth, cells in TABLE_2.items()}
    for name, (run_set, judgments) in runs.items():
        study = _quietly(
            partial(
                rs.study_pool_depth,
                run_set,
                judgments,
                ["AP"],
                depths=tuple(TABLE_2),
                coefficients=["kendall"],
                resamples=_few(page),
            )
        )
        for depth in TABLE_2:
            tau, distance = (
                next(
                    a
                    for a in study.agreements
                    if a.setting["depth"] == depth and (a.coefficient == "d_rank") is is_distance
                )
                for is_distance in (False, True)
            )
            near = rs.kendall_interval(tau.value, study.systems)
            lines[depth].append(
                f"{number(tau.setting['judgments'], 0)} · "
                f"{number(tau.value, 2)} ({number(near.low, 2)}, {number(near.high, 2)}) · "
                f"{number(distance.value, 2)}, p={number(distance.pvalue, 2)}"
            )
            page.values["depth", name, depth] = tau.value, distance.value, distance.pvalue
    page.table(("depth", "paper, Robust 2004: judgments · τ · d_rank", *runs), list(lines.values()))
    for name in runs:
        first = next((depth for depth in TABLE_2 if page.values["depth", name, depth][2] > 0.05), None)
        there = next((page.values["depth", name, depth][0] for depth in TABLE_2 if depth == first), float("nan"))
        page.text(
            f"{name}: indistinguishable at 0.05 from depth {first} on, where τ is {number(there, 2)}. "
            "(Paper: from 25 on, 0.96.)"
        )
    page.text("Beyond the depth to which a track was pooled, the study sees only what happened to be judged.")


def _few(page: Page) -> int:
    return 200 if page.quick else 2_000


def figure_4(page: Page, runs: dict[str, tuple[rs.RunSet, rs.Judgments]]) -> None:
    """Random holes in the judgments."""
    page.text("## Figure 4's form: holes in the judgments")
    page.text(
        f"{NEITHER} A random part of each topic's judgments is kept. The paper concludes from its figure: bpref is "
        "most robust, R-precision least; bpref loses significance at about 30 %, the other three between 40 and 70 %."
    )
    measures = ("bpref", "AP", "Rprec", "P@10")
    lines = []
    for name, (run_set, judgments) in runs.items():
        study = _quietly(
            partial(
                rs.study_holes,
                run_set,
                judgments,
                list(measures),
                coefficients=["kendall"],
                repeats=2 if page.quick else 30,
                resamples=_few(page),
            )
        )
        shown = (0.1, 0.3, 0.5, 0.7, 0.9)
        for loss in study.losses:
            taus = [
                next(
                    a.value
                    for a in study.agreements
                    if a.measure == loss.measure and a.coefficient != "d_rank" and a.setting["fraction"] == fraction
                )
                for fraction in shown
            ]
            lost = "never" if loss.indistinguishable_from is None else f"{loss.indistinguishable_from:g}"
            lines.append((name, loss.measure, *(number(tau, 2) for tau in taus), lost))
            page.values["holes", name, loss.measure] = taus, loss.indistinguishable_from
        page.figure(study, f"figure4-{name}", f"Figure 4's form on {name}")
    page.table(("", "measure", *(f"τ at {f:g}" for f in shown), "not significant from"), lines)
    for name in runs:
        at_tenth = {measure: page.values["holes", name, measure][0][0] for _, _, measure in _keys(page, "holes", name)}
        order = sorted(at_tenth, key=at_tenth.__getitem__, reverse=True)
        page.text(f"{name}, by τ with a tenth of the judgments, most robust first: {', '.join(order)}.")


def _keys(page: Page, *start: str) -> list[tuple[str, ...]]:
    return [key for key in page.values if isinstance(key, tuple) and key[: len(start)] == start]


def pseudo(page: Page, runs: dict[str, tuple[rs.RunSet, rs.Judgments]]) -> None:
    """No judgments at all."""
    page.text("## No relevance judgments")
    page.text(f"{NEITHER} MAP with 50 random sets of documents of the pool, without duplicates, called relevant.")
    lines = [("paper, Robust 2004", "0.656 ± 0.021", "26.99 ± 1.58", "all")]
    for name, (run_set, judgments) in runs.items():
        study = _quietly(
            partial(
                rs.study_pseudo,
                run_set,
                judgments,
                ["AP"],
                draws=5 if page.quick else 50,
                coefficients=["kendall"],
                resamples=_few(page),
            )
        )
        distance = next(a for a in study.agreements if a.coefficient == "d_rank")
        tau = next(a for a in study.agreements if a.coefficient != "d_rank")
        tau_sd, distance_sd = (needed(agreement.spread).sd for agreement in (tau, distance))
        rejected = "all" if distance.rejected == 1 else f"{distance.rejected:.0%}"
        lines.append(
            (
                name,
                f"{number(tau.value, 3)} ± {number(tau_sd, 3)}",
                f"{number(distance.value, 2)} ± {number(distance_sd, 2)}",
                rejected,
            )
        )
        page.values["pseudo", name] = tau.value, distance.value, distance.rejected, tau_sd
    page.table(("", "τ", "d_rank", "rejected at 0.05"), lines)
    above = [name for name in runs if page.values["pseudo", name][0] > 2 * page.values["pseudo", name][3]]
    page.text(
        "The test rejects random relevance as the paper says. τ is clearly positive on "
        f"{' and '.join(above) or 'neither'} (more than two standard deviations above 0). Distances of different "
        "tracks cannot be compared: with more systems than topics, as on covid1, they are far larger."
    )


def critical_values(page: Page, nulls: dict[str, rs.RankDistanceNull]) -> None:
    """What a distance must exceed, for every baseline."""
    page.text("## Critical values")
    page.text(
        "The paper put them on a web site and prints one: 2.62 at 0.05 for the Million Query runs. For each baseline "
        f"here, {_resamples(page):,} bootstrap samples of its topics; a distance *above* the value is significant."
    )
    page.table(
        ("baseline", "systems", "topics", "0.10", "0.05", "0.01", "ridge"),
        [
            (
                name,
                null.systems,
                null.topics,
                *(number(null.critical_value(a), 2) for a in (0.1, 0.05, 0.01)),
                f"{null.ridge:g}",
            )
            for name, null in nulls.items()
        ],
    )
    page.values["critical"] = {name: null.critical_value(0.05) for name, null in nulls.items()}


def _quietly(compute: Callable[[], T]) -> T:
    """A study without warnings: the page says that chains mix slowly, and where a ridge was needed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.RankscopeWarning)
        return compute()
