"""Scores against scores: truth and estimate of every system, with bars, the diagonal, and swapped pairs marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankscope.report.charts.parts import Drawing, Row, categories, rows_of
from rankscope.report.theme import COLUMN, GREY, ORANGE, PAGE, VERMILION, heading, label, mean_of
from rankscope.studies.comparison_result import Comparison, EstimateComparison

# The coefficients of Gao, Bagdouri & Oard's Figure 1, by either name of τ.
_SHOWN = ("kendall", "tau_b", "tau_ap", "tau_gap", "pearson", "pearson_rank")
# Lines between swapped pairs beyond so many hide the points.
_LINES = 150
# Bars of more systems than this are drawn fainter.
_MANY = 60
_KINDS = ("no swap", "swapped", "significant swap")
_COLOURS, _SHAPES = (GREY, ORANGE, VERMILION), ("circle", "square", "triangle-up")


def scores(result: Comparison) -> Drawing:
    """A panel per estimate: reference against estimate with all coefficients (Gao, Bagdouri & Oard 2016, Figure 1)."""
    import altair

    alone = len(result.estimates) == 1
    side = COLUMN - 70 if alone else PAGE // 2 - 90
    level = result.settings["level"]
    panels = [scores_panel(e, truth_measure=result.truth.measure, level=level, side=side) for e in result.estimates]
    return panels[0] if alone else altair.concat(*panels, columns=2)


def scores_panel(
    estimate: EstimateComparison, *, truth_measure: str | None, level: float, side: int = COLUMN - 70
) -> Drawing:
    """One estimate against the truth."""
    import altair

    rows = _rows(estimate)
    kinds = _KINDS if estimate.separation is not None else _KINDS[:2]
    base = altair.Chart(rows_of(rows))
    scale = altair.Scale(zero=False, nice=True)
    x = altair.X("truth:Q", title=mean_of(truth_measure, "truth"), scale=scale)
    y = altair.Y("estimate:Q", title=mean_of(estimate.measure, "estimate"), scale=scale)
    tooltip = [
        altair.Tooltip("system:N"),
        altair.Tooltip("truth:Q", format=".4f"),
        altair.Tooltip("estimate:Q", format=".4f"),
        altair.Tooltip("truth rank:Q"),
        altair.Tooltip("estimate rank:Q"),
        altair.Tooltip("swaps:Q", title="significant swaps"),
    ]
    line = _diagonal(rows, same=truth_measure == estimate.measure)
    layers = reference_layers(base, rows, line, x, y, faint=0.2 if len(rows) > _MANY else 0.35)
    pairs = _pairs(estimate)
    if pairs:
        layers.append(
            altair.Chart(rows_of(pairs))
            .mark_rule(color=VERMILION, opacity=0.3, strokeWidth=0.7)
            .encode(
                x=altair.X("truth:Q"),
                y=altair.Y("estimate:Q"),
                x2=altair.X2("truth 2:Q"),
                y2=altair.Y2("estimate 2:Q"),
                tooltip=[altair.Tooltip("better:N"), altair.Tooltip("worse:N")],
            )
        )
    size = 42 if len(rows) <= _MANY else 24
    points = base.mark_point(filled=True, size=size).encode(
        x=x, y=y, tooltip=tooltip, **categories(kinds, _COLOURS, _SHAPES)
    )
    bars = f"; bars: {level:.0%} intervals of the mean" if any(row["truth low"] is not None for row in rows) else ""
    title = heading(estimate.name, coefficients_line(estimate), f"{len(rows)} systems{bars}")
    return altair.layer(*layers, points).properties(width=side, height=side, title=title)


def coefficients_line(estimate: EstimateComparison) -> str:
    """The values that a reader knows, in a line."""
    seen, shown = set(), []
    for name in _SHOWN:
        for one in estimate.coefficients:
            own = one.same_as or one.name
            if one.name == name and own not in seen and one.value == one.value:
                seen.add(own)
                shown.append(f"{one.symbol} {one.value:.2f}")
    return ", ".join(shown).replace("-", "−") or f"{estimate.swap_count} swaps"


def told_apart_swaps(estimate: EstimateComparison) -> dict[str, int]:
    """How many systems, that the truth tells from it, each system is swapped with."""
    counts: dict[str, int] = {}
    for swap in estimate.swaps:
        if swap.significant:
            for name in (swap.better, swap.worse):
                counts[name] = counts.get(name, 0) + 1
    return counts


def _rows(estimate: EstimateComparison) -> list[Row]:
    counts = told_apart_swaps(estimate)
    swapped = {name for swap in estimate.swaps for name in (swap.better, swap.worse)}
    return [
        {
            "system": label(s.system, 200),
            "truth": s.truth,
            "estimate": s.estimate,
            "truth rank": s.truth_rank,
            "estimate rank": s.estimate_rank,
            "truth low": s.truth_low,
            "truth high": s.truth_high,
            "estimate low": s.estimate_low,
            "estimate high": s.estimate_high,
            "swaps": counts.get(s.system, 0),
            "kind": _KINDS[2 if s.system in counts else 1 if s.system in swapped else 0],
        }
        for s in estimate.systems
    ]


def _pairs(estimate: EstimateComparison) -> list[Row]:
    place = {s.system: s for s in estimate.systems}
    pairs = [swap for swap in estimate.swaps if swap.significant][:_LINES]
    return [
        {
            "truth": place[swap.better].truth,
            "estimate": place[swap.better].estimate,
            "truth 2": place[swap.worse].truth,
            "estimate 2": place[swap.worse].estimate,
            "better": label(swap.better, 200),
            "worse": label(swap.worse, 200),
        }
        for swap in pairs
    ]


def _diagonal(rows: list[Row], *, same: bool) -> list[Row]:
    """Where both scores are the same, over what both sides span; scores of two measures have no such line."""
    if not same:
        return []
    ends = [
        (
            min(x for row in rows for x in (row[side], row[f"{side} low"]) if x is not None),
            max(x for row in rows for x in (row[side], row[f"{side} high"]) if x is not None),
        )
        for side in ("truth", "estimate")
    ]
    low, high = max(ends[0][0], ends[1][0]), min(ends[0][1], ends[1][1])
    return [{"truth": end, "estimate": end} for end in (low, high)] if low < high else []


def reference_layers(
    base: Drawing, rows: Sequence[Row], line: Sequence[Row], x: Any, y: Any, *, faint: float
) -> list[Drawing]:
    """What lies behind the points: the line on which both sides are the same, and the bars of both sides' means."""
    import altair

    layers: list[Drawing] = []
    if line:
        layers.append(
            altair.Chart(rows_of(line))
            .mark_line(style="reference")
            .encode(x=altair.X("truth:Q"), y=altair.Y("estimate:Q"))
        )
    if any(row["truth low"] is not None for row in rows):
        layers.append(
            base.mark_rule(style="whisker", opacity=faint).encode(
                x=altair.X("truth low:Q"), x2=altair.X2("truth high:Q"), y=y
            )
        )
    if any(row["estimate low"] is not None for row in rows):
        layers.append(
            base.mark_rule(style="whisker", opacity=faint).encode(
                x=x, y=altair.Y("estimate low:Q"), y2=altair.Y2("estimate high:Q")
            )
        )
    return layers
