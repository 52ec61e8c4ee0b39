"""What to expect of a plan: the width of rank sets and the pairs separated, by budget."""

from __future__ import annotations

from typing import Any

from rankscope.report.charts.layers import Drawing, concatenated, numbers, plot
from rankscope.report.numbers import number_range, percent
from rankscope.report.terminal_plan import title
from rankscope.report.theme import BLUE, COLUMN, VERMILION, heading
from rankscope.studies.plan_result import LabelPlan


def precision(result: LabelPlan) -> Drawing:
    """The mean width of rank sets and the share of separated pairs by budget, with ranges and the plan marked."""
    width = [(row.budget, row.width, row.width_range) for row in result.expected]
    separated = [(row.budget, row.separated, row.separated_range) for row in result.expected]
    panels = [
        _panel(result, "ranks in a typical rank set (mean)", width, ".2~f"),
        _panel(result, "pairs of systems separated", separated, ".1~%"),
    ]
    then = result.planned
    said = (
        f"{result.budget:,} {result.by}s in all: {then.width:.1f} ranks in a rank set "
        f"({number_range(then.width_range.low, then.width_range.high, 1)}), {percent(then.separated)} of the pairs "
        "separated; bands have nine draws in ten"
    )
    return concatenated(panels).properties(title=heading(": ".join(title(result)), said))


def _panel(result: LabelPlan, name: str, values: list[tuple[int, float, Any]], form: str) -> Drawing:
    import altair

    rows = [
        {"budget": budget, "value": value, "low": ends.low, "high": ends.high, "plan": budget == result.budget}
        for budget, value, ends in values
    ]
    x = altair.X("budget:Q", title=f"{result.by}s labelled by people, in all", scale=altair.Scale(zero=False))
    y = altair.Y("value:Q", title=name, scale=altair.Scale(zero=False), axis=altair.Axis(format=form))
    tip = ["budget:Q", *numbers("value", "low", "high", format=form)]
    base = plot(rows).encode(x=x, tooltip=tip)
    chosen = plot([row for row in rows if row["plan"]]).encode(x=x, tooltip=tip)
    layers = [
        base.mark_area(opacity=0.16, color=BLUE).encode(y=altair.Y("low:Q", title=name), y2="high:Q"),
        base.mark_line(color=BLUE).encode(y=y),
        base.mark_point(filled=True, size=28, color=BLUE).encode(y=y),
        chosen.mark_rule(style="faint").encode(),
        chosen.mark_point(filled=True, size=110, color=VERMILION, shape="diamond", opacity=1.0).encode(y=y),
    ]
    return altair.layer(*layers).properties(width=COLUMN - 70, height=210)
