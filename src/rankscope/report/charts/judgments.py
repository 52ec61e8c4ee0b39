"""The studies of changed judgments: agreement, rank distance and p-value by setting or by coefficient.

Three panels as in Carterette (2009), Figure 4, with a line per measure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import altair

import rankscope as rs
from rankscope.coefficients import coefficient
from rankscope.defaults import ALPHA
from rankscope.report.charts import layers
from rankscope.report.charts.layers import Drawing, Row
from rankscope.report.terminal_studies import shown_setting, size_words, spread_words, symbol
from rankscope.report.theme import BLUE, COLUMN, GREY, PAGE, VERMILION, heading, label
from rankscope.studies.judgment_reference import DISTANCE
from rankscope.studies.judgment_variants import JudgmentStudy, VariantAgreement

# The agreement that rankings are traditionally said to need (Voorhees 2000).
_ALIKE = 0.9
_FAMILIAR = ("tau_b", "kendall", "tau_ap", "tau_gap")


@dataclass(frozen=True, kw_only=True)
class _Axis:
    """The horizontal axis of a part of the settings."""

    name: str
    title: str
    log: bool = False
    percent: bool = False


_AXES = (
    _Axis(name="fraction", title="share of judgments kept", percent=True),
    _Axis(name="depth", title="depth of the pool (logarithmic)", log=True),
    _Axis(name="topics", title="topics"),
)


def topics(result: rs.TopicsStudy) -> Drawing:
    """The same by number of topics, with the expected correlation with the true ranking."""
    return by_setting(result, limit=result.target, expected=_expected(result))


def _expected(result: rs.TopicsStudy) -> list[Row]:
    """Points of the expected correlation, if it is of the coefficient that the chart shows."""
    chosen = _coefficient(result.coefficients)
    field = "tau_ap" if chosen == "tau_ap" else "tau"
    if chosen not in ("tau_b", "kendall", "tau", "tau_ap"):
        return []
    points = []
    for measure, expected in result.expected.items():
        for count in expected.counts:
            interval = getattr(count, f"{field}_interval")
            low, high = (None, None) if interval is None else (interval.low, interval.high)
            kind = f"{measure}, expected with the true ranking"
            value = {"value": getattr(count, field), "low": low, "high": high, "p": None}
            points.append({"x": count.topics, "kind": kind, "coefficient": chosen, **value})
    return points


def by_setting(result: JudgmentStudy, *, limit: float = _ALIKE, expected: Sequence[Row] = ()) -> Drawing:
    """Agreement, rank distance and p-value by a number in the settings, a line per measure."""
    chosen = _coefficient(result.coefficients)
    setting = result.agreements[0].setting
    first = next(name for name, value in setting.items() if not isinstance(value, str))
    axis = next((axis for axis in _AXES if axis.name in setting), _Axis(name=first, title=first))
    own = [
        replace(row, setting=shown_setting(result, row.setting))
        for row in result.agreements
        if row.coefficient in (chosen, DISTANCE)
    ]
    lines = list(dict.fromkeys((*map(_line, own), *(point["kind"] for point in expected))))
    names = dict(zip(lines, layers.distinct(lines), strict=True))
    agreements, distances = (
        [_point(row, axis, names) for row in own if row.coefficient == c] for c in (chosen, DISTANCE)
    )
    agreements += [{**point, "kind": names[point["kind"]]} for point in expected]
    wanted: list[tuple[str, list[Row], str, float | None]] = [
        (f"{symbol(chosen)} (1 is perfect)", agreements, "value", limit),
        ("d_rank (lower is closer)", distances, "value", None),
        ("p of d_rank (higher is closer)", distances, "p", result.settings.get("alpha", ALPHA)),
    ]
    panels = [
        _panel(rows, list(names.values()), field, axis, title, line)
        for title, rows, field, line in wanted
        if any(row[field] is not None for row in rows)
    ]
    width = (PAGE - 40) // len(panels) - 60 if len(panels) > 1 else COLUMN - 70
    tested = f" and p {result.settings.get('alpha', ALPHA):g}" if any(row["p"] is not None for row in distances) else ""
    dashed = f"dashed: {symbol(chosen)} {limit:g}{tested}"
    note = "; ".join(filter(None, (size_words(result), spread_words(result), dashed)))
    whole = altair.hconcat(*(panel.properties(width=width, height=170) for panel in panels))
    return whole.properties(title=heading(None, note))


def _line(row: VariantAgreement) -> str:
    """The line that a row is on: its measure, and the words of its setting."""
    return ", ".join((row.measure, *(f"{key} {value}" for key, value in row.setting.items() if isinstance(value, str))))


def _point(row: VariantAgreement, axis: _Axis, names: dict[str, str]) -> Row:
    low, high = row.ends or (None, None)
    return {
        "x": row.setting[axis.name],
        "kind": names[_line(row)],
        "coefficient": row.coefficient,
        "value": row.value,
        "low": low,
        "high": high,
        "p": row.pvalue,
    }


def _coefficient(names: Sequence[str]) -> str:
    return next((name for name in _FAMILIAR if name in names), names[0] if names else DISTANCE)


def _panel(
    rows: Sequence[Row], kinds: Sequence[str], field: str, axis: _Axis, title: str, line: float | None
) -> Drawing:
    scale = altair.Scale(type="log", nice=False) if axis.log else altair.Scale(zero=False, nice=False, padding=6)
    ticks = altair.Axis(format="%", tickCount=5) if axis.percent else altair.Axis(tickCount=5)
    if axis.log:
        ticks = altair.Axis(values=sorted({row["x"] for row in rows}))
    base = layers.plot(rows).encode(
        x=altair.X("x:Q", title=axis.title, scale=scale, axis=ticks),
        tooltip=["kind:N", "x:Q", *layers.numbers("value", "low", "high", "p")],
    )
    domain = altair.Scale(domain=[0, 1]) if field == "p" else altair.Scale(zero=False)
    drawn = layers.curves(base, altair.Y(f"{field}:Q", title=title, scale=domain), kinds)
    if field == "value" and any(row["low"] is not None for row in rows):
        drawn.insert(0, base.mark_rule(opacity=0.55).encode(y="low:Q", y2="high:Q", color=layers.colours(kinds)))
    if line is not None:
        drawn.insert(0, layers.line_at(y=line))
    return altair.layer(*drawn)


def pseudo(result: rs.PseudoStudy) -> Drawing:
    """Agreement of random labels with the judgments: 5 to 95 % as a line, quartiles as a bar, the mean as a point."""
    names = [n for n in result.coefficients if coefficient(n).record.same_as not in result.coefficients]
    shown = dict(zip(names, layers.distinct([coefficient(name).symbol for name in names]), strict=True))
    kinds = layers.distinct(list(result.measures))
    measure = dict(zip(result.measures, kinds, strict=True))
    quantiles = ("q5", "q25", "median", "q75", "q95")
    rows = [
        {
            "row": shown[row.coefficient],
            "kind": measure[row.measure],
            "mean": row.value,
            **{name: getattr(row.spread, name, row.value) for name in quantiles},
        }
        for row in result.agreements
        if row.coefficient in shown
    ]
    encoding = layers.categories(kinds)
    base = layers.plot(rows).encode(
        y=layers.row_axis(list(shown.values()), grid=False),
        yOffset=layers.side_by_side(kinds),
        color=encoding["color"],
        tooltip=["row:N", "kind:N", *layers.numbers("mean", "q5", "median", "q95")],
    )
    distances = [f"{measure[row.measure]} {row.value:.1f}" for row in result.agreements if row.coefficient == DISTANCE]
    return altair.layer(
        base.mark_rule().encode(x=altair.X("q5:Q", title="agreement with the judgments (1 is perfect)"), x2="q95:Q"),
        base.mark_bar(opacity=0.45, height=5).encode(x="q25:Q", x2="q75:Q"),
        base.mark_point(filled=True, size=26).encode(x="mean:Q", shape=encoding["shape"]),
    ).properties(
        width=COLUMN - 100,
        height=layers.step(max(18, 10 * len(kinds) + 4)),
        title=heading(
            f"Random labels, {result.draws:,} draws",
            "line: 5 to 95 %, bar: quartiles, point: mean",
            f"mean d_rank: {', '.join(distances)}" if distances else "",
        ),
    )


def uniques(result: rs.UniquesStudy) -> Drawing:
    """Each system's score with all judgments and without its group's unique ones; a panel per measure."""
    kinds = ("keeps its rank or rises", "falls in rank")
    chosen = _coefficient(result.coefficients)
    panels = []
    for measure in result.measures:
        rows: list[Row] = [
            {
                "system": label(change.system, 200),
                "group": label(change.group, 200),
                "with": change.score,
                "without": change.score_without,
                "rank": change.rank,
                "rank without": change.rank_without,
                "kind": kinds[change.moved > 0.0],
            }
            for change in result.changes
            if change.measure == measure
        ]
        ends = min(row["without"] for row in rows), max(row["with"] for row in rows)
        values = [row.value for row in result.agreements if (row.measure, row.coefficient) == (measure, chosen)]
        note = f"{symbol(chosen)} {values[0]:.3f} with the reference" if values else ""
        scale = altair.Scale(zero=False)
        points = (
            layers.plot(rows)
            .mark_point(filled=True, size=26)
            .encode(
                x=altair.X("with:Q", title=f"{label(measure)}, all judgments (higher is better)", scale=scale),
                y=altair.Y("without:Q", title="without own unique documents", scale=scale),
                tooltip=["system:N", "group:N", "with:Q", "without:Q", "rank:Q", "rank without:Q"],
                **layers.categories(kinds, (GREY, VERMILION), ("circle", "triangle-down")),
            )
        )
        side = PAGE // 2 - 90
        panel = altair.layer(layers.diagonal("with", "without", ends), points)
        panels.append(panel.properties(width=side, height=side, title=heading(measure, f"{note}; dashed: equal")))
    return layers.concatenated(panels)


def depth_cost(result: rs.DepthCostStudy) -> Drawing:
    """Agreement against cost, a line per way to save judgments, the target, and the cheapest that reaches it."""
    ways: dict[tuple[str, str | None], str] = {("depth", None): "pool to a depth", ("holes", None): "random part"}
    made = {"judge": "as it is for the rest", "filled": "mapped for the rest"}
    made |= {way: way for way in ("corrected", "combined")}
    there = {(row.setting["way"], row.setting["judge"]) for row in result.agreements}
    ways |= {
        (way, judge): f"{label(judge)} {text}"
        for judge in result.judges
        for way, text in made.items()
        if (way, judge) in there
    }
    kinds = list(ways.values())
    panels = []
    for measure in result.measures:
        rows = [
            {
                **{name: row.setting[name] for name in ("cost", "judgments", "depth", "fraction")},
                "value": row.value,
                "kind": ways[row.setting["way"], row.setting["judge"]],
            }
            for row in result.agreements
            if (row.measure, row.coefficient) == (measure, result.coefficient)
        ]
        best = [
            {"cost": best.point.setting["cost"], "value": best.point.value}
            for best in result.cheapest
            if best.measure == measure and best.overall and best.point is not None
        ]
        base = layers.plot(rows).encode(
            x=altair.X("cost:Q", title="cost, in judgments"),
            tooltip=["kind:N", "cost:Q", "judgments:Q", "depth:Q", "fraction:Q", *layers.numbers("value")],
        )
        title = f"{symbol(result.coefficient)} with all judgments (1 is perfect)"
        y = altair.Y("value:Q", title=title, scale=altair.Scale(zero=False))
        drawn = [layers.line_at(y=result.target), *layers.curves(base, y, kinds, size=28, order="cost:Q")]
        note = f"no way reaches {result.target:g}"
        if best:
            note = f"{result.target:g} is reached for {best[0]['cost']:,.0f} of {result.judgments:,}"
            ring = layers.plot(best).mark_point(style="hollow", size=150, color=BLUE)
            drawn.append(ring.encode(x="cost:Q", y="value:Q"))
        panels.append(
            altair.layer(*drawn).properties(
                width=PAGE // 2 - 90, height=190, title=heading(measure, f"{note}; dashed: the target")
            )
        )
    return layers.concatenated(panels)
