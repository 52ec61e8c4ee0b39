"""Coefficients as points with intervals, beside what random labels reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair

import rankscope as rs
from rankscope.errors import BadParameter
from rankscope.report.charts import layers
from rankscope.report.charts.layers import Drawing
from rankscope.report.charts.sides import Ranges, Sides, panels, sides_of
from rankscope.report.theme import BLUE, COLUMN, GREY, PAGE, better, heading, label
from rankscope.studies.comparison_result import CoefficientValue, EstimateComparison

_STEP, _MORE = 20, 9
_DRAWN = 6


def coefficients(result: rs.Comparison) -> Drawing:
    """All coefficients of all estimates in one chart."""
    return coefficients_panel(sides_of(result))


def judged(report: rs.JudgeReport) -> Drawing:
    """A panel per judge and measure: its coefficients beside what random labels reach."""
    return panels(report, lambda sides: coefficients_panel([sides]), shared="x")


def coefficients_panel(compared: Sequence[Sides]) -> Drawing:
    """The coefficients of these comparisons, each coefficient once; the range that random labels reach is shaded."""
    names = layers.distinct([sides.estimate for sides in compared])
    estimates = [sides.comparison for sides in compared]
    folded = [c for c in estimates[0].coefficients if c.same_as is None or not _twin(c, estimates[0])]
    shown = dict(zip([c.name for c in folded], layers.distinct([c.symbol for c in folded]), strict=True))
    rows = [
        {
            "row": shown[c.name],
            "coefficient": c.name,
            "kind": name,
            "value": c.value,
            **layers.ends(c.interval),
            "looks at": c.looks_at,
        }
        for name, estimate in zip(names, estimates, strict=True)
        for c in estimate.coefficients
        if c.name in shown
    ]
    order = list(shown.values())
    several = len(names) > 1
    by: list[Any] = [altair.Tooltip("kind:N", title="by"), "coefficient:N", "looks at:N"]
    base = layers.plot(rows).encode(y=layers.row_axis(order), tooltip=[*by, *layers.numbers("value", "low", "high")])
    if several:
        base = base.encode(yOffset=layers.side_by_side(names))
    title = f"agreement with {compared[0].truth} (1 is perfect)"
    x = altair.X("value:Q", title=title, scale=altair.Scale(zero=False, nice=True))
    encoding = layers.categories(names) if several else {"color": altair.value(BLUE)}
    chance = compared[0].chance if not several else None
    intervals = any(row["low"] is not None for row in rows)
    notes = [
        f"{compared[0].level:.0%} intervals" if intervals else "",
        f"grey: {compared[0].dealt}" if chance else "",
    ]
    return altair.layer(
        *_shades(shown, chance, compared[0].dealt), *layers.interval_marks(base, x, encoding)
    ).properties(
        width=COLUMN - 100,
        height=layers.step(_STEP if not several else max(_STEP, _MORE * len(names) + 4)),
        title=heading(None if several else compared[0].title, "; ".join(filter(None, notes))),
    )


def _shades(shown: Mapping[str, str], ranges: Ranges | None, dealt: str) -> list[Drawing]:
    """The chance level: from its mean to the value that 97.5 % of the draws stay below."""
    if not ranges:
        return []
    rows = [
        {"row": shown[name], "low": low, "high": high, "what": dealt}
        for name, (low, high) in ranges.items()
        if name in shown
    ]
    bands = layers.plot(rows).mark_bar(color=GREY, opacity=0.28, height={"band": 0.9})
    return [bands.encode(x="low:Q", x2="high:Q", y="row:N", tooltip=["what:N", "low:Q", "high:Q"])]


def _twin(c: CoefficientValue, estimate: EstimateComparison) -> bool:
    """Whether the coefficient that this is another name of is among the coefficients too."""
    return any(other.name == c.same_as for other in estimate.coefficients)


def contrasts(result: rs.Comparison) -> Drawing:
    """Differences in agreement between every two estimates, with intervals: a row per pair, a panel per coefficient."""
    if not result.contrasts:
        raise BadParameter("there are no contrasts: they need at least two estimates with scores on the same topics")
    known = ("tau_b", "tau_ap_b", "tau_gap", "pearson_rank")
    chosen = [name for name in known if any(c.name == name for c in result.contrasts)] or [result.contrasts[0].name]
    symbols = {c.name: c.symbol for e in result.estimates for c in e.coefficients}
    rows = [
        {
            "row": f"{label(c.first, 24)} − {label(c.second, 24)}",
            "coefficient": c.name,
            "kind": "p ≤ 0.05" if c.adjusted is not None and c.adjusted <= 0.05 else "p > 0.05",
            "difference": c.difference,
            **layers.ends(c.interval),
            "p": c.adjusted,
        }
        for c in result.contrasts
        if c.name in chosen
    ]
    order = list(dict.fromkeys(row["row"] for row in rows))
    kinds = layers.categories(("p ≤ 0.05", "p > 0.05"), (BLUE, GREY), ("circle", "square"))
    tooltip = [altair.Tooltip("row:N", title=" "), *layers.numbers("difference", "low", "high", "p")]
    columns = []
    for place, name in enumerate(chosen):
        first = place == 0
        y = layers.row_axis(order, labels=first, ticks=first, labelLimit=300)
        base = layers.plot([row for row in rows if row["coefficient"] == name]).encode(y=y, tooltip=tooltip)
        x = altair.X("difference:Q", title=f"difference in {symbols.get(name, name)}")
        column = altair.layer(layers.line_at(x=0, style="faint"), *layers.interval_marks(base, x, kinds))
        columns.append(column.properties(width=(PAGE - 190) // len(chosen) - 20, height=altair.Step(_STEP)))
    return altair.hconcat(*columns).properties(
        title=heading(f"Which agrees more with {label(result.truth.name)}?", "p adjusted (Holm) over all pairs")
    )


def bootstrap(result: rs.Bootstrap) -> Drawing:
    """Coefficients with their intervals."""
    rows = [
        {"row": c.name, "value": c.value, **layers.ends(c.interval), "standard error": c.standard_error}
        for c in result.values
    ]
    level = f"{result.settings['level']:.0%} intervals over {result.settings['resamples']:,} draws of topics"
    return layers.interval_points(rows, "agreement with the truth (1 is perfect)").properties(
        title=heading(None, level)
    )


def by_topic(result: rs.TopicAgreement) -> Drawing:
    """Agreement by topic with its intervals."""
    rows = [{"row": c.name, "value": c.value, **layers.ends(c.interval), "groups": c.groups} for c in result.values]
    over = f"{result.systems} systems on {result.topics} topics; {result.settings['level']:.0%} intervals over topics"
    return layers.interval_points(rows, "agreement with the truth (1 is perfect)").properties(title=heading(None, over))


def swap_test(result: rs.SwapTest) -> Drawing:
    """The difference by each coefficient, beside those after random swaps."""
    rows = [{"row": v.name, "value": v.difference, "low": v.low, "high": v.high, "p": v.pvalue} for v in result.values]
    base = layers.plot(rows).encode(
        y=layers.row_axis([v.name for v in result.values]),
        tooltip=[altair.Tooltip("row:N", title=" "), *layers.numbers("value", "low", "high", "p")],
    )
    title = f"agreement of {label(result.first, 24)} less that of {label(result.second, 24)}"
    return altair.layer(
        layers.line_at(x=0, style="faint"),
        base.mark_rule(style="whisker").encode(x=altair.X("low:Q", title=title), x2="high:Q"),
        base.mark_point(filled=True, color=BLUE, size=60).encode(x="value:Q"),
    ).properties(
        width=COLUMN - 100,
        height=layers.step(_STEP),
        title=heading(None, f"lines: 95 % of the differences after {result.permutations:,} random swaps"),
    )


def bootstrap_draws(result: rs.Bootstrap) -> Drawing:
    """The draws of each coefficient, with its value."""
    return layers.concatenated(
        [
            altair.layer(
                layers.bars(layers.histogram(coefficient.draws), better(coefficient.name)),
                layers.marks([("observed", coefficient.value)]),
            ).properties(width=PAGE // 2 - 80, height=120)
            for coefficient in result.values[:_DRAWN]
        ]
    )


def permutation(result: rs.Permutation) -> Drawing:
    """The value beside the mean under chance."""
    rows = [{"row": result.name, "value": result.value, "chance": result.chance, "p": result.pvalue}]
    base = layers.plot(rows).encode(y=altair.Y("row:N", title=None), tooltip=["row:N", "value:Q", "chance:Q", "p:Q"])
    x = altair.X("value:Q", title="agreement with the truth (1 is perfect)")
    p = "" if result.pvalue is None else f"p {result.pvalue:.4f}, by {result.permutations:,} permutations"
    return altair.layer(
        base.mark_rule(style="whisker").encode(x="chance:Q", x2="value:Q"),
        base.mark_tick(thickness=2, style="ink").encode(x="chance:Q"),
        base.mark_point(filled=True, color=BLUE, size=60).encode(x=x),
    ).properties(width=COLUMN - 100, height=40, title=heading(None, f"tick: mean over permutations. {p}"))
