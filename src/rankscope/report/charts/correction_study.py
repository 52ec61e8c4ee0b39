"""What ways to spend human labels beside a judge give, by budget: agreement, error of means, coverage of intervals."""

from __future__ import annotations

import altair

from rankscope.report.charts import layers
from rankscope.report.charts.layers import Drawing
from rankscope.report.numbers import percent
from rankscope.report.theme import PAGE, heading, label
from rankscope.studies.correction_study import CorrectionStudy
from rankscope.studies.correction_ways import WAYS

# There are as many lines as colours; the table has the other ways, too.
_DRAWN = tuple(way for way in WAYS if way.name not in ("judge", "sampled"))


def agreement(result: CorrectionStudy) -> Drawing:
    """τ_b with the ranking by all human labels."""
    return _panels(result, "tau", "τ_b with all human labels")


def error(result: CorrectionStudy) -> Drawing:
    """The error of means relative to the average system."""
    return _panels(result, "error", "error of means")


def coverage(result: CorrectionStudy) -> Drawing:
    """How often intervals contain the mean by all human labels."""
    return _panels(result, "covered", "intervals that cover", at=float(result.settings["level"]))


def _panels(result: CorrectionStudy, field: str, title: str, at: float | None = None) -> Drawing:
    """A panel for each judge and measure, a line for each way; the judge alone, or the nominal level, is dashed."""
    there = [way for way in _DRAWN if any(p.way == way.name and getattr(p, field) is not None for p in result.points)]
    kinds = [way.text for way in there]
    last = max(result.settings["budgets"])
    panels = []
    for judge in result.judges:
        for measure in result.measures:
            points = [point for point in result.of(judge, measure) if getattr(point, field) is not None]
            rows = [
                {"budget": point.budget, "value": getattr(point, field), "kind": way.text}
                for way in there
                for point in points
                if point.way == way.name
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
            what = heading(f"{label(judge)}, {measure}", f"{result.settings['repeats']} repeats; dashed: {dashed}")
            panels.append(altair.layer(*drawn).properties(width=PAGE // 2 - 90, height=200, title=what))
    return layers.concatenated(panels)
