"""What ways to spend human labels beside a judge give, by budget: agreement, error of means, coverage of intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import altair

from rankscope.report.charts import layers
from rankscope.report.charts.layers import Drawing
from rankscope.report.numbers import percent
from rankscope.report.theme import PAGE, heading, label
from rankscope.studies.correction_study import BudgetPoint, CorrectionStudy
from rankscope.studies.correction_ways import WAYS, designs_of

# There are as many lines as colours; the table has the other ways, too.
_DRAWN = tuple(way for way in WAYS if way.name not in ("judge", "sampled"))
# The ways by which designs are compared, and what people label there.
_COMPARED = {"predicted": "random topics", "combined": "documents"}


class _Line(NamedTuple):
    """A line of a chart: its name, and the way and the design of its points."""

    text: str
    way: str
    design: str | None

    def has(self, point: BudgetPoint) -> bool:
        return (point.way, point.design) == (self.way, self.design)


def agreement(result: CorrectionStudy) -> Drawing:
    """τ_b with the ranking by all human labels."""
    return _panels(result, _ways(result), "tau", "τ_b with all human labels")


def designs(result: CorrectionStudy) -> Drawing:
    """τ_b with the ranking by all human labels, by the design of documents, and of random topics."""
    compared = [way for way in WAYS if way.name in _COMPARED]
    lines = [
        _Line(", ".join(filter(None, (_COMPARED[way.name], design))), way.name, design)
        for way in compared
        for design in designs_of(way.spent, result.settings["designs"])
    ]
    of = " and ".join(way.text for way in compared)
    return _panels(result, lines, "tau", "τ_b with all human labels", of=of)


def error(result: CorrectionStudy) -> Drawing:
    """The error of means relative to the average system."""
    return _panels(result, _ways(result), "error", "error of means")


def coverage(result: CorrectionStudy) -> Drawing:
    """How often intervals contain the mean by all human labels."""
    return _panels(result, _ways(result), "covered", "intervals that cover", at=float(result.settings["level"]))


def _ways(result: CorrectionStudy) -> list[_Line]:
    """A line for each way, by the first design that the study has of it."""
    return [_Line(way.text, way.name, designs_of(way.spent, result.settings["designs"])[0]) for way in _DRAWN]


def _panels(
    result: CorrectionStudy, lines: Sequence[_Line], field: str, title: str, at: float | None = None, of: str = ""
) -> Drawing:
    """A panel for each judge and measure with these lines; the judge alone, or the nominal level, is dashed.

    `of` says in each heading what all lines are of.
    """
    known = [point for point in result.points if getattr(point, field) is not None]
    there = [line for line in lines if any(line.has(point) for point in known)]
    kinds = [line.text for line in there]
    last = max(result.settings["budgets"])
    panels = []
    for judge in result.judges:
        for measure in result.measures:
            points = [point for point in result.of(judge, measure) if getattr(point, field) is not None]
            rows = [
                {"budget": point.budget, "value": getattr(point, field), "kind": line.text}
                for line in there
                for point in points
                if line.has(point)
            ]
            alone = next((getattr(point, field) for point in points if point.way == "judge"), at)
            axis = altair.Axis(format="%", tickCount=5)
            base = layers.plot(rows).encode(
                x=altair.X("budget:Q", title="human labels, of all", axis=axis, scale=altair.Scale(domain=[0, last])),
                tooltip=["kind:N", altair.Tooltip("budget:Q", format=".0%"), *layers.numbers("value")],
            )
            y = altair.Y("value:Q", title=title, scale=altair.Scale(zero=field == "error"))
            drawn = [] if alone is None else [layers.line_at(y=alone)]
            drawn += layers.curves(base, y, kinds, size=24)
            dashed = "the judge alone" if at is None else f"nominal {percent(at)}"
            what = heading(f"{label(judge)}, {measure}", of, f"{result.settings['repeats']} repeats; dashed: {dashed}")
            panels.append(altair.layer(*drawn).properties(width=PAGE // 2 - 90, height=200, title=what))
    return layers.concatenated(panels)
