"""Charts of the studies of measures, each a pure function of a result."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import altair

import rankscope as rs
from rankscope.report.charts import layers
from rankscope.report.charts.layers import Row
from rankscope.report.terminal import heading_of
from rankscope.report.terminal_metrics import short_names
from rankscope.report.theme import BLUE, GREY, VERMILION, heading, label, title_text
from rankscope.results import Result
from rankscope.studies.metrics.correlation import CorrelationPart
from rankscope.studies.metrics.models import PredictionModel
from rankscope.studies.metrics.ranking import MeasureOrder

_CELL = 26
_LABELS_UP_TO = 30
# Lower R² are drawn at this value; they would squeeze all others together.
_LEAST_R2 = -1.0
_TALL = 260


def correlation_chart(result: rs.MeasureCorrelations) -> altair.VConcatChart:
    """A heat map in the order of the clusters, groups framed, beside the tree of merges."""
    panels = [_heat_map(result, part) for part in result.parts]
    return altair.vconcat(*panels).properties(title=_title(result, "dashed: the threshold of clusters"))


def _heat_map(result: rs.MeasureCorrelations, part: CorrelationPart) -> altair.HConcatChart:
    names = _labels(result.measures)
    at = {names[name]: result.measures.index(name) for name in part.clusters.order}
    order = list(at)
    shared = {(p.first, p.second): p.observations for p in part.pairs}
    shared |= {(second, first): count for (first, second), count in shared.items()}
    values = [
        {
            "row": row,
            "column": column,
            "value": layers.finite(part.matrix[at[row], at[column]]),
            "observations": shared.get((result.measures[at[row]], result.measures[at[column]]), part.observations),
        }
        for row in order
        for column in order
    ]
    side = max(180, _CELL * len(order))
    least = min(0.0, *(cell["value"] for cell in values if cell["value"] is not None))
    base = layers.plot(values)
    # The order is the domain's: Vega would escape a list of names to sort by as it does field names.
    scale = altair.Scale(domain=order)
    rows = altair.Y("row:N", title=None, scale=scale, axis=altair.Axis(labelLimit=160))
    columns = altair.X("column:N", title=None, scale=scale, axis=altair.Axis(labelAngle=-60, labelLimit=160))
    colour = altair.Color(
        "value:Q", title=result.symbol, scale=altair.Scale(scheme="viridis", domain=[least, 1.0], clamp=True)
    )
    tip = ["row:N", "column:N", altair.Tooltip("value:Q", format=".3f", title=result.coefficient)]
    tip.append(altair.Tooltip("observations:Q", format=","))
    # A pair without a correlation is a grey cell, not one of 0.
    empty = base.transform_filter("!isValid(datum.value)").mark_rect(color=GREY, opacity=0.25)
    base = base.transform_filter("isValid(datum.value)")
    drawn = [base.mark_rect().encode(x=columns, y=rows, color=colour, tooltip=tip)]
    if any(cell["value"] is None for cell in values):
        drawn.append(empty.encode(x=columns, y=rows, tooltip=["row:N", "column:N", tip[-1]]))
    if len(order) <= _LABELS_UP_TO:
        dark = altair.condition("datum.value > 0.6", altair.value("black"), altair.value("white"))
        text = base.transform_calculate(text="format(datum.value * 100, '.0f')")
        drawn.append(text.mark_text(fontSize=9).encode(x=columns, y=rows, text="text:N", color=dark))
    frames = [{"first": names[g[0]], "last": names[g[-1]]} for g in part.clusters.groups if len(g) > 1]
    if frames:
        framed = layers.plot(frames).mark_rect(fillOpacity=0, stroke="white", strokeWidth=2.5)
        drawn.append(
            framed.encode(
                x=altair.X("first:N", bandPosition=0),
                x2=altair.X2("last:N", bandPosition=1),
                y=altair.Y("first:N", bandPosition=0),
                y2=altair.Y2("last:N", bandPosition=1),
            )
        )
    heat = altair.layer(*drawn).properties(width=side, height=side)
    if len(result.parts) > 1:
        heat = heat.properties(title=heading(f"{part.collection}, {part.observations:,} observations"))
    return altair.hconcat(_tree(part, side), heat, spacing=4)


def _tree(part: CorrelationPart, height: int) -> Any:
    """The tree of clusters from right to left: a bracket at the correlation at which two clusters merge."""
    place = {name: float(i) for i, name in enumerate(part.clusters.order)}
    centre: dict[frozenset[str], tuple[float, float]] = {frozenset([n]): (p, 1.0) for n, p in place.items()}
    lines = []
    for merge in part.clusters.merges:
        ends = [centre[frozenset(side)] for side in (merge.first, merge.second)]
        for position, start in ends:
            lines.append({"x": start, "x2": merge.correlation, "y": position, "y2": position})
        lines.append({"x": merge.correlation, "x2": merge.correlation, "y": ends[0][0], "y2": ends[1][0]})
        centre[frozenset(merge.first + merge.second)] = ((ends[0][0] + ends[1][0]) / 2.0, merge.correlation)
    scale = altair.Scale(domain=[-0.5, len(place) - 0.5], reverse=True, nice=False)
    lowest = min(0.9, *(merge.correlation for merge in part.clusters.merges)) - 0.02
    across = altair.Scale(domain=[lowest, 1.0], nice=False)
    rules = (
        layers.plot(lines)
        .mark_rule(style="ink")
        .encode(
            x=altair.X("x:Q", title="merged at", scale=across, axis=altair.Axis(tickCount=3, grid=False)),
            x2="x2:Q",
            y=altair.Y("y:Q", scale=scale, axis=None),
            y2="y2:Q",
        )
    )
    cut = layers.plot([{"x": part.clusters.threshold}]).mark_rule(style="reference", color=VERMILION).encode(x="x:Q")
    drawn = [rules, cut] if part.clusters.threshold >= lowest else [rules]
    return altair.layer(*drawn).properties(width=90, height=height)


def prediction_chart(result: rs.MeasurePredictions) -> altair.HConcatChart:
    """τ and R² of every target and number of predictors, a point per collection: Table 1 as dots."""
    names = layers.distinct(short_names([result.chosen_on, *result.tests]))
    several = len({model.model for model in result.models}) > 1
    rows: list[Row] = []
    for m in result.models:
        predictors = label(" + ".join(m.predictors), 60) + (f" ({m.model})" if several else "")
        row = {"row": f"{label(m.target)} ← {predictors}", "target": label(m.target), "predictors": predictors}
        rows += [{**row, "kind": name, **fit} for name, fit in zip(names, _fits(m), strict=True)]
    order = list(dict.fromkeys(row["row"] for row in rows))
    collection = altair.Tooltip("kind:N", title="collection")
    tooltip: list[Any] = ["target:N", "predictors:N", collection, *layers.numbers("τ", "R²", format=".3f")]
    base = layers.plot(rows).mark_point(filled=True, size=55, opacity=0.9)
    base = base.encode(tooltip=tooltip, **layers.categories(names))
    low = min((row["τ"] for row in rows if row["τ"] is not None), default=0.0)
    across = altair.X("τ:Q", title="τ", scale=altair.Scale(domain=[min(0.5, low), 1.0], zero=False))
    left = base.encode(x=across, y=layers.row_axis(order, labelLimit=420))
    clipped = any(row["R²"] is not None and row["R²"] < _LEAST_R2 for row in rows)
    title = "R²" + (f" (lower ones drawn at {_LEAST_R2:g})".replace("-", "−") if clipped else "")
    lowest = min((row["R² drawn"] for row in rows if row["R² drawn"] is not None), default=0.0)
    x = altair.X("R² drawn:Q", title=title, scale=altair.Scale(domain=[min(0.0, lowest), 1.0]))
    right = base.encode(x=x, y=layers.row_axis(order, labels=False))
    height = max(80, 20 * len(order))
    panels = [altair.layer(layers.line_at(x=0.9), left), right]
    return altair.hconcat(*(p.properties(width=260, height=height) for p in panels)).properties(
        title=_title(result, "dashed: τ 0.9")
    )


def depth_chart(result: rs.DepthPredictions) -> altair.VConcatChart:
    """τ and R² by judging depth, a line per deep measure and a column per collection (Figure 2)."""
    names = layers.distinct(short_names([result.chosen_on, *result.tests]))
    rows: list[Row] = []
    for p in result.predictions:
        row = {"kind": label(p.target), "high": p.high, "depth": p.low}
        row |= {"predictors": label(" + ".join(p.model.predictors), 90)}
        rows += [{**row, "collection": name, **fit} for name, fit in zip(names, _fits(p.model), strict=True)]
    targets = list(dict.fromkeys(row["kind"] for row in rows))
    depths = altair.Axis(values=sorted({row["depth"] for row in rows}))
    target = altair.Tooltip("kind:N", title="target")
    tooltip: list[Any] = [target, "predictors:N", *layers.numbers("τ", "R²", format=".3f")]
    least = min([0.0, *(row["τ"] for row in rows if row["τ"] is not None)])
    upper, lower = (
        altair.Y(f"{field}:Q", title=title, scale=altair.Scale(domain=[lowest, 1.0], nice=True))
        for field, title, lowest in (("τ", "τ", least), ("R² drawn", "R² (lower drawn at −1)", _LEAST_R2))
    )
    panels = []
    for high in dict.fromkeys(row["high"] for row in rows):
        taus, fits = [], []
        for name in names:
            own = [row for row in rows if (row["high"], row["collection"]) == (high, name)]
            base = layers.plot(own).encode(tooltip=tooltip, **layers.categories(targets))
            lines, points = base.mark_line(), base.mark_point(filled=True, size=45)
            x = altair.X("depth:Q", title=None, axis=depths)
            tau = altair.layer(layers.line_at(y=0.9), *(mark.encode(x=x, y=upper) for mark in (lines, points)))
            taus.append(tau.properties(width=200, height=150, title=heading(f"{name}, measures at depth {high:,}")))
            x = altair.X("depth:Q", title="judged to depth", axis=depths)
            fit = altair.layer(*(mark.encode(x=x, y=lower) for mark in (lines, points)))
            fits.append(fit.properties(width=200, height=150))
        panels += [altair.hconcat(*taus), altair.hconcat(*fits)]
    return altair.vconcat(*panels).properties(title=_title(result, "dashed: τ 0.9"))


def ranking_chart(result: rs.MeasureRanking) -> altair.HConcatChart:
    """The path of each method: the log determinant of the measures so far, and its gap to the optimum (Figure 3)."""
    gaps = [
        best.log_det - chosen.log_det
        for order in result.orders
        for chosen, best in zip(order.ranked, result.optimum, strict=True)
    ]
    panels = [_path(result, order, max(1.0, *gaps)) for order in result.orders]
    return altair.hconcat(*panels).properties(title=_title(result))


def _path(result: rs.MeasureRanking, order: MeasureOrder, most: float) -> altair.VConcatChart:
    names = _labels(result.measures)
    rows = [
        {
            "measure": names[chosen.measure],
            "rank": chosen.rank,
            "log det": chosen.log_det,
            "below": max(0.0, best.log_det - chosen.log_det),
            "optimal set": ", ".join(best.measures),
        }
        for chosen, best in zip(order.ranked, result.optimum, strict=True)
    ]
    domain = [names[name] for name in order.measures]
    side = max(160, 20 * len(domain))
    tooltip: list[Any] = ["rank:Q", "measure:N", *layers.numbers("log det", "below", format=".3f")]
    base = layers.plot(rows).encode(tooltip=tooltip)
    scale = altair.Scale(domain=domain)
    axis = altair.Axis(labelAngle=-60, labelLimit=160)
    upper = (
        base.mark_line(point={"color": BLUE, "filled": True}, color=BLUE)
        .encode(
            x=altair.X("measure:N", scale=scale, title=None, axis=altair.Axis(labels=False)),
            y=altair.Y("log det:Q", title="log det of the measures so far"),
        )
        .properties(width=side, height=_TALL, title=heading(f"{order.label}: measures added from left to right"))
    )
    lower = (
        base.mark_bar(color=VERMILION)
        .encode(
            x=altair.X("measure:N", scale=scale, title=None, axis=axis),
            y=altair.Y("below:Q", title="below the optimum", scale=altair.Scale(domain=[0, most], nice=True)),
        )
        .properties(width=side, height=80)
    )
    return altair.vconcat(upper, lower, spacing=6)


def given_chart(result: rs.MeasurePrediction) -> Any:
    """The prediction and its intervals on one line."""
    ends = [("systems like those of the fit", result.interval)]
    if result.elsewhere is not None:
        ends.append(("on another collection", result.elsewhere))
    rows = [{"what": what, **layers.ends(interval), "value": result.value} for what, interval in ends]
    base = layers.plot(rows).encode(
        y=altair.Y("what:N", title=None, scale=altair.Scale(domain=[what for what, _ in ends]))
    )
    lines = base.mark_rule(strokeWidth=3, color=BLUE).encode(
        x=altair.X("low:Q", title=f"{title_text(result.target)}, {result.interval.level:.0%} prediction interval"),
        x2="high:Q",
    )
    points = base.mark_point(filled=True, size=80, style="ink", opacity=1.0).encode(
        x="value:Q", tooltip=["what:N", "low:Q", "value:Q", "high:Q"]
    )
    return altair.layer(lines, points).properties(width=420, height=60 * len(ends), title=_title(result))


def _title(result: Result, *notes: str) -> Any:
    title = heading_of(result)
    return heading(title.what, title.over, *notes)


def _labels(measures: Sequence[str]) -> dict[str, str]:
    """Each measure as a chart shows it."""
    return dict(zip(measures, layers.distinct(measures), strict=True))


def _fits(model: PredictionModel) -> list[Row]:
    """How well a measure is predicted on each collection, as fields of a row."""
    return [
        {"τ": tau, "R²": r2, "R² drawn": None if math.isnan(r2) else max(float(r2), _LEAST_R2)}
        for tau, r2 in ((model.tau, model.r2), *((test.tau, test.r2) for test in model.tests))
    ]
