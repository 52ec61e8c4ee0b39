"""Charts of the studies of measures, each a pure function of a result."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import altair

import rankscope as rs
from rankscope.report.charts.layers import distinct, finite
from rankscope.report.terminal import heading_of
from rankscope.report.terminal_metrics import short_names
from rankscope.report.theme import BLUE, PALETTE, SHAPES, VERMILION, heading, label, title_text
from rankscope.results import Result
from rankscope.studies.metrics.correlation import CorrelationPart
from rankscope.studies.metrics.ranking import MeasureOrder

_CELL = 26
_LABELS_UP_TO = 30
# Lower R² are drawn at this value; they would squeeze all others together.
_LEAST_R2 = -1.0
_TALL = 260


def correlation_chart(result: rs.MeasureCorrelations) -> altair.VConcatChart:
    """A heat map in the order of the clusters, groups framed, beside the tree of merges."""
    panels = [_heat_map(result, part) for part in result.parts]
    return altair.vconcat(*panels).properties(title=_title(result))


def _heat_map(result: rs.MeasureCorrelations, part: CorrelationPart) -> altair.HConcatChart:
    names = _labels(result.measures)
    at = {names[name]: result.measures.index(name) for name in part.clusters.order}
    order = list(at)
    values = [
        {"row": row, "column": column, "value": finite(part.matrix[at[row], at[column]])}
        for row in order
        for column in order
    ]
    side = max(180, _CELL * len(order))
    least = min(0.0, *(cell["value"] for cell in values if cell["value"] is not None))
    base = altair.Chart({"values": values})
    # The order is the domain's: Vega would escape a list of names to sort by as it does field names.
    rows = altair.Y("row:N", title=None, scale=altair.Scale(domain=order), axis=altair.Axis(labelLimit=160))
    columns = altair.X(
        "column:N", title=None, scale=altair.Scale(domain=order), axis=altair.Axis(labelAngle=-60, labelLimit=160)
    )
    colour = altair.Color(
        "value:Q", title=result.symbol, scale=altair.Scale(scheme="viridis", domain=[least, 1.0], clamp=True)
    )
    tip = ["row:N", "column:N", altair.Tooltip("value:Q", format=".3f", title=result.coefficient)]
    layers = [base.mark_rect().encode(x=columns, y=rows, color=colour, tooltip=tip)]
    if len(order) <= _LABELS_UP_TO:
        dark = altair.condition("datum.value > 0.6", altair.value("black"), altair.value("white"))
        text = base.transform_calculate(text="format(datum.value * 100, '.0f')")
        layers.append(text.mark_text(fontSize=9).encode(x=columns, y=rows, text="text:N", color=dark))
    frames = [{"first": names[g[0]], "last": names[g[-1]]} for g in part.clusters.groups if len(g) > 1]
    if frames:
        framed = altair.Chart({"values": frames}).mark_rect(fillOpacity=0, stroke="white", strokeWidth=2.5)
        layers.append(
            framed.encode(
                x=altair.X("first:N", bandPosition=0),
                x2=altair.X2("last:N", bandPosition=1),
                y=altair.Y("first:N", bandPosition=0),
                y2=altair.Y2("last:N", bandPosition=1),
            )
        )
    heat = altair.layer(*layers).properties(width=side, height=side)
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
        altair.Chart({"values": lines})
        .mark_rule(style="ink")
        .encode(
            x=altair.X("x:Q", title="merged at", scale=across, axis=altair.Axis(tickCount=3, grid=False)),
            x2="x2:Q",
            y=altair.Y("y:Q", scale=scale, axis=None),
            y2="y2:Q",
        )
    )
    cut = (
        altair.Chart({"values": [{"x": part.clusters.threshold}]})
        .mark_rule(style="reference", color=VERMILION)
        .encode(x="x:Q")
    )
    layers = [rules, cut] if part.clusters.threshold >= lowest else [rules]
    return altair.layer(*layers).properties(width=90, height=height)


def prediction_chart(result: rs.MeasurePredictions) -> altair.HConcatChart:
    """τ and R² of every target and number of predictors, a point per collection: Table 1 as dots."""
    names = distinct(short_names([result.chosen_on, *result.tests]))
    several = len({model.model for model in result.models}) > 1
    rows: list[dict[str, Any]] = []
    for m in result.models:
        predictors = label(" + ".join(m.predictors), 60) + (f" ({m.model})" if several else "")
        fits = [(m.tau, m.r2), *((test.tau, test.r2) for test in m.tests)]
        for name, (tau, r2) in zip(names, fits, strict=True):
            row = {"row": f"{label(m.target)} ← {predictors}", "target": label(m.target), "predictors": predictors}
            rows.append({**row, "collection": name, **_fit(tau, r2)})
    order = list(dict.fromkeys(row["row"] for row in rows))
    shared = {
        "color": altair.Color("collection:N", scale=_scale(names, PALETTE), title=None),
        "shape": altair.Shape("collection:N", scale=_scale(names, SHAPES), title=None),
        "tooltip": ["target:N", "predictors:N", "collection:N", *_fit_tips()],
    }
    base = altair.Chart({"values": rows}).mark_point(filled=True, size=55, opacity=0.9)
    y = altair.Y("row:N", scale=altair.Scale(domain=order), title=None, axis=altair.Axis(labelLimit=420, grid=True))
    bare = altair.Y("row:N", scale=altair.Scale(domain=order), title=None, axis=altair.Axis(labels=False, grid=True))
    low = min((row["τ"] for row in rows if row["τ"] is not None), default=0.0)
    across = altair.X("τ:Q", scale=altair.Scale(domain=[min(0.5, low), 1.0], zero=False))
    left = base.encode(x=across, y=y, **shared)
    mark = altair.Chart({"values": [{"τ": 0.9}]}).mark_rule(style="reference").encode(x=across)
    clipped = any(row["R²"] is not None and row["R²"] < _LEAST_R2 for row in rows)
    title = "R²" + (f" (lower ones drawn at {_LEAST_R2:g})".replace("-", "−") if clipped else "")
    lowest = min((row["R² drawn"] for row in rows if row["R² drawn"] is not None), default=0.0)
    right = base.encode(
        x=altair.X("R² drawn:Q", title=title, scale=altair.Scale(domain=[min(0.0, lowest), 1.0])), y=bare, **shared
    )
    height = max(80, 20 * len(order))
    panels = [altair.layer(mark, left), right]
    return altair.hconcat(*(p.properties(width=260, height=height) for p in panels)).properties(title=_title(result))


def depth_chart(result: rs.DepthPredictions) -> altair.VConcatChart:
    """τ and R² by judging depth, a line per deep measure and a column per collection (Figure 2)."""
    names = distinct(short_names([result.chosen_on, *result.tests]))
    rows: list[dict[str, Any]] = []
    for p in result.predictions:
        fits = [(p.model.tau, p.model.r2), *((test.tau, test.r2) for test in p.model.tests)]
        predictors = label(" + ".join(p.model.predictors), 90)
        for name, (tau, r2) in zip(names, fits, strict=True):
            row = {"target": label(p.target), "high": p.high, "depth": p.low, "predictors": predictors}
            rows.append({**row, "collection": name, **_fit(tau, r2)})
    targets = list(dict.fromkeys(row["target"] for row in rows))
    depths = sorted({row["depth"] for row in rows})
    lowest = {"τ": min([0.0, *(row["τ"] for row in rows if row["τ"] is not None)]), "R² drawn": _LEAST_R2}
    panels = []
    for high in dict.fromkeys(row["high"] for row in rows):
        for field, title in (("τ", "τ"), ("R² drawn", "R² (lower drawn at −1)")):
            across = [
                _depth_panel(
                    [row for row in rows if row["high"] == high and row["collection"] == name],
                    field,
                    title,
                    f"{name}, measures at depth {high:,}" if field == "τ" else None,
                    targets,
                    depths,
                    lowest[field],
                )
                for name in names
            ]
            panels.append(altair.hconcat(*across))
    return altair.vconcat(*panels).properties(title=_title(result))


def _depth_panel(
    rows: Sequence[dict[str, Any]],
    field: str,
    title: str,
    title_above: str | None,
    targets: Sequence[str],
    depths: Sequence[int],
    least: float,
) -> Any:
    below = None if field == "τ" else "judged to depth"
    base = altair.Chart({"values": list(rows)}).encode(
        x=altair.X("depth:Q", title=below, axis=altair.Axis(values=list(depths))),
        y=altair.Y(f"{field}:Q", title=title, scale=altair.Scale(domain=[least, 1.0], nice=True)),
        color=altair.Color("target:N", title=None, scale=_scale(targets, PALETTE)),
        shape=altair.Shape("target:N", title=None, scale=_scale(targets, SHAPES)),
        tooltip=["target:N", "predictors:N", *_fit_tips()],
    )
    layers = [base.mark_line(), base.mark_point(filled=True, size=45)]
    if field == "τ":
        rule = altair.Chart({"values": [{"y": 0.9}]}).mark_rule(style="reference").encode(y="y:Q")
        layers.insert(0, rule)
    panel = altair.layer(*layers).properties(width=200, height=150)
    return panel if title_above is None else panel.properties(title=heading(title_above))


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
    tip: list[Any] = [
        "rank:Q",
        "measure:N",
        altair.Tooltip("log det:Q", format=".3f"),
        altair.Tooltip("below:Q", format=".3f"),
    ]
    base = altair.Chart({"values": rows}).encode(tooltip=tip)
    axis = altair.Axis(labelAngle=-60, labelLimit=160)
    upper = (
        base.mark_line(point={"color": BLUE, "filled": True}, color=BLUE)
        .encode(
            x=altair.X("measure:N", scale=altair.Scale(domain=domain), title=None, axis=altair.Axis(labels=False)),
            y=altair.Y("log det:Q", title="log det of the measures so far"),
        )
        .properties(width=side, height=_TALL, title=heading(f"{order.label}: measures added from left to right"))
    )
    lower = (
        base.mark_bar(color=VERMILION)
        .encode(
            x=altair.X("measure:N", scale=altair.Scale(domain=domain), title=None, axis=axis),
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
    rows = [
        {"what": what, "low": interval.low, "high": interval.high, "value": result.value} for what, interval in ends
    ]
    base = altair.Chart({"values": rows}).encode(
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


def _scale(domain: Sequence[str], values: Sequence[str]) -> altair.Scale:
    return altair.Scale(domain=list(domain), range=[values[i % len(values)] for i in range(len(domain))])


def _title(result: Result) -> Any:
    title = heading_of(result)
    return heading(title.what, title.over)


def _labels(measures: Sequence[str]) -> dict[str, str]:
    """Each measure as a chart shows it."""
    return dict(zip(measures, distinct(measures), strict=True))


def _fit(tau: float, r2: float) -> dict[str, Any]:
    """How well a measure is predicted, as fields of a row."""
    return {"τ": finite(tau), "R²": finite(r2), "R² drawn": None if math.isnan(r2) else max(float(r2), _LEAST_R2)}


def _fit_tips() -> list[Any]:
    return [altair.Tooltip(f"{name}:Q", format=".3f") for name in ("τ", "R²")]
