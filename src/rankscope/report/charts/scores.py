"""Scores of systems on two sides: scores against scores, and the best systems."""

from __future__ import annotations

import statistics
from collections.abc import Callable

import altair

import rankscope as rs
from rankscope.aggregates import AGGREGATES
from rankscope.report.charts import layers
from rankscope.report.charts.layers import Drawing, Row
from rankscope.report.charts.sides import Sides, alone, panels
from rankscope.report.theme import BLUE, COLUMN, GREY, ORANGE, PAGE, VERMILION, heading, label, mean_of
from rankscope.studies.comparison_result import EstimateComparison

# The coefficients of Gao, Bagdouri & Oard's Figure 1, by either name of τ; all are 1 for a ranking with itself.
_SHOWN = ("kendall", "tau_b", "tau_ap_b", "tau_gap", "pearson", "pearson_rank")
# Lines between more swapped pairs than this would hide the points.
_LINES = 150
# With more systems than this, points are smaller and bars fainter.
_MANY = 60
_KINDS = ("no swap", "swapped", "significant swap")
_SIDES = ("truth", "estimate")
# Scores of both sides share an axis where their ranges overlap, and one is at most this many times as wide.
_SAME_SCALE = 5.0
Scale = Callable[[float | None], float | None]


def scores(result: rs.Comparison | rs.ComparisonByMeasure | rs.JudgeReport) -> Drawing:
    """A panel per comparison: scores on one side against the other (Gao, Bagdouri & Oard 2016, Figure 1)."""
    side = COLUMN - 70 if alone(result) else PAGE // 2 - 90
    return panels(result, lambda sides: scores_panel(sides, side), shared="xy")


def scores_panel(sides: Sides, side: int) -> Drawing:
    """Every system's mean on both sides with intervals; lines join significantly different pairs that are swapped.

    Colour and shape are the system's group or, without groups, whether it is swapped.
    """
    comparison = sides.comparison
    rows = _rows(sides)
    many = len(rows) > _MANY
    base = layers.plot(rows)
    # The best systems are at the top right, also where lower scores are better.
    lower = sides.truth_lower, comparison.lower_is_better
    same_scale = sides.truth_measure == comparison.measure and sides.truth_aggregate == comparison.aggregate
    spans = _spans(rows)
    overlapping = same_scale and max(low for low, _ in spans) < min(high for _, high in spans)
    both = [min(low for low, _ in spans), max(high for _, high in spans)]
    scales = [
        altair.Scale(
            zero=False,
            nice=True,
            reverse=True if low else altair.Undefined,
            domain=both if overlapping else altair.Undefined,
        )
        for low in lower
    ]
    hows = [AGGREGATES[name].label for name in (sides.truth_aggregate, comparison.aggregate)]
    x_title = mean_of(sides.truth_measure, sides.truth, sides.truth_aggregate, lower_is_better=lower[0])
    y_title = mean_of(comparison.measure, sides.estimate, comparison.aggregate, lower_is_better=lower[1])
    x = altair.X("truth:Q", title=x_title, scale=scales[0])
    y = altair.Y("estimate:Q", title=y_title, scale=scales[1])
    drawn: list[Drawing] = []
    if overlapping:
        drawn.append(layers.diagonal("truth", "estimate", both))
    whiskers = base.mark_rule(style="whisker", opacity=0.22 if many else 0.38)
    if any(row["truth low"] is not None for row in rows):
        drawn.append(whiskers.encode(x="truth low:Q", x2="truth high:Q", y=y))
    if any(row["estimate low"] is not None for row in rows):
        drawn.append(whiskers.encode(x=x, y="estimate low:Q", y2="estimate high:Q"))
    pairs = _pairs(comparison)
    if pairs:
        drawn.append(
            layers.plot(pairs)
            .mark_rule(color=VERMILION, opacity=0.35, strokeWidth=0.8)
            .encode(
                x="truth:Q",
                y="estimate:Q",
                x2="truth 2:Q",
                y2="estimate 2:Q",
                tooltip=[
                    altair.Tooltip("system:N", title=f"better by {sides.truth}"),
                    altair.Tooltip("other:N", title="worse"),
                ],
            )
        )
    if sides.groups:
        encoding = layers.categories(sorted(set(sides.groups.values())))
    else:
        kinds = _KINDS if comparison.separation is not None else _KINDS[:2]
        encoding = layers.categories(kinds, (GREY, ORANGE, VERMILION), ("circle", "square", "triangle-up"))
    points = base.mark_point(filled=True, size=28 if many else 48).encode(
        x=x,
        y=y,
        tooltip=[
            "system:N",
            *([altair.Tooltip("kind:N", title="group")] if sides.groups else []),
            altair.Tooltip("truth:Q", title=f"{hows[0]}, {sides.truth}", format=".4f"),
            altair.Tooltip("estimate:Q", title=f"{hows[1]}, {sides.estimate}", format=".4f"),
            altair.Tooltip("truth rank:Q", title=f"rank, {sides.truth}"),
            altair.Tooltip("estimate rank:Q", title=f"rank, {sides.estimate}"),
            altair.Tooltip("swaps:Q", title="significant swaps"),
        ],
        **encoding,
    )
    what = "mean" if set(hows) == {"mean"} else "score"
    intervals = any(row["truth low"] is not None for row in rows)
    bars = f"; bars: {sides.level:.0%} intervals of the {what}" if intervals else ""
    dashed = "; dashed: equal scores" if overlapping else ""
    joined = f"lines: swapped, significantly different by {sides.truth}" if pairs else ""
    title = heading(sides.title, coefficients_line(comparison), f"{len(rows)} systems{bars}{dashed}", joined)
    return altair.layer(*drawn, points).properties(width=side, height=side, title=title)


def coefficients_line(comparison: EstimateComparison) -> str:
    """The best-known coefficients in a line."""
    seen, shown = set(), []
    for name in _SHOWN:
        for coefficient in comparison.coefficients:
            own = coefficient.same_as or coefficient.name
            if coefficient.name == name and own not in seen and coefficient.value == coefficient.value:
                seen.add(own)
                shown.append(f"{coefficient.symbol} {coefficient.value:.2f}")
    return ", ".join(shown).replace("-", "−") or f"{comparison.swap_count} swaps"


def _rows(sides: Sides) -> list[Row]:
    counts = sides.significant_swaps()
    swapped = {name for swap in sides.comparison.swaps for name in (swap.better, swap.worse)}
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
            "kind": sides.groups.get(s.system, "other groups")
            if sides.groups
            else _KINDS[2 if s.system in counts else 1 if s.system in swapped else 0],
        }
        for s in sides.comparison.systems
    ]


def _pairs(comparison: EstimateComparison) -> list[Row]:
    of = {s.system: s for s in comparison.systems}
    return [
        {
            "truth": of[swap.better].truth,
            "estimate": of[swap.better].estimate,
            "truth 2": of[swap.worse].truth,
            "estimate 2": of[swap.worse].estimate,
            "system": label(swap.better, 200),
            "other": label(swap.worse, 200),
        }
        for swap in [swap for swap in comparison.swaps if swap.significant][:_LINES]
    ]


def _spans(rows: list[Row]) -> list[tuple[float, float]]:
    """The range of scores on each side, intervals included."""
    spans = []
    for side in _SIDES:
        values = [row[f] for row in rows for f in (side, f"{side} low", f"{side} high") if row[f] is not None]
        spans.append((min(values), max(values)))
    return spans


def top(result: rs.Comparison | rs.ComparisonByMeasure | rs.JudgeReport) -> Drawing:
    """A panel per comparison: the best systems on either side."""
    return panels(result, top_panel, shared="x", own_legends=True)


def top_panel(sides: Sides) -> Drawing:
    """The systems among the best on either side, in the truth's order, with both means and their intervals."""
    k = sides.top
    best = [s for s in sides.comparison.systems if min(s.truth_rank, s.estimate_rank) <= k][: 3 * k]
    best.sort(key=lambda s: (s.truth_rank, s.estimate_rank, s.system))
    names = layers.distinct([f"{label(s.system, 24)}  {s.truth_rank:g} → {s.estimate_rank:g}" for s in best], 60)
    kinds = (sides.truth, sides.estimate)
    scales = _scales(sides)
    rows = [
        {
            "row": name,
            "system": label(s.system, 200),
            "kind": kind,
            "score": getattr(s, side),
            "place": scale(getattr(s, side)),
            "low": scale(getattr(s, f"{side}_low")),
            "high": scale(getattr(s, f"{side}_high")),
            "rank": getattr(s, f"{side}_rank"),
        }
        for name, s in zip(names, best, strict=True)
        for kind, side, scale in zip(kinds, _SIDES, scales or (_as_it_is, _as_it_is), strict=True)
    ]
    by = altair.Tooltip("kind:N", title="by")
    base = layers.plot(rows).encode(
        y=layers.row_axis(names, labelLimit=230),
        yOffset=layers.side_by_side(kinds, paddingOuter=0.5),
        tooltip=["system:N", by, *layers.numbers("score", *(("low", "high") if scales is None else ())), "rank:Q"],
    )
    encoding = layers.categories(kinds, (BLUE, ORANGE), ("circle", "square"))
    comparison = sides.comparison
    x_title = mean_of(comparison.measure, None, comparison.aggregate, lower_is_better=comparison.lower_is_better)
    reverse = True if comparison.lower_is_better else altair.Undefined
    if scales is not None:
        x_title, reverse = "standard deviations better than the mean of all systems", altair.Undefined
    x = altair.X("place:Q", title=x_title, scale=altair.Scale(zero=False, reverse=reverse))
    title = heading(sides.title, f"the best {k} on either side; ranks by {sides.truth} → by {sides.estimate}")
    bars, points = layers.interval_marks(base, x, encoding, size=55)
    drawn = [bars, points] if any(row["low"] is not None for row in rows) else [points]
    return altair.layer(*drawn).properties(width=COLUMN - 60, height=layers.step(22), title=title)


def _scales(sides: Sides) -> tuple[Scale, Scale] | None:
    """What sets the scores of either side on one axis, if they are not of one scale: standard deviations."""
    values = [[getattr(s, side) for s in sides.comparison.systems] for side in _SIDES]
    (low, high), (low_2, high_2) = [(min(side), max(side)) for side in values]
    widths = sorted((high - low, high_2 - low_2))
    if max(low, low_2) <= min(high, high_2) and widths[1] <= _SAME_SCALE * widths[0]:
        return None
    lower = sides.truth_lower, sides.comparison.lower_is_better
    first, second = (_standardiser(side, -1.0 if low else 1.0) for side, low in zip(values, lower, strict=True))
    return first, second


def _standardiser(values: list[float], sign: float) -> Scale:
    mean, deviation = statistics.fmean(values), statistics.pstdev(values) or 1.0
    return lambda value: None if value is None else sign * (value - mean) / deviation


def _as_it_is(value: float | None) -> float | None:
    return value
