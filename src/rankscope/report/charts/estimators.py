"""Error and bias of estimators of expected correlation (Urbano & Marrero 2016, Figures 1 and 2)."""

from __future__ import annotations

import math
from typing import Literal

import altair

from rankscope.coefficients import coefficient
from rankscope.report.charts.layers import Drawing, colours, curves, line_at, numbers, plot
from rankscope.report.theme import PAGE, better, heading, label
from rankscope.studies.estimators import EstimatorStudy

_TITLES = {"error": better("mean absolute error", higher=False), "bias": "bias (0 is best)"}


def error(result: EstimatorStudy) -> Drawing:
    """Mean absolute error by number of topics: a column per coefficient, a row per collection (Figure 1)."""
    return _curves(result, "error")


def bias(result: EstimatorStudy) -> Drawing:
    """Bias by number of topics: a column per coefficient, a row per collection (Figure 2)."""
    return _curves(result, "bias")


def _curves(result: EstimatorStudy, what: Literal["error", "bias"]) -> Drawing:
    names: list[str] = list(result.estimators)
    width = PAGE // len(result.coefficients) - 80 if len(result.coefficients) > 1 else PAGE // 2
    rows = []
    for measured in result.errors:
        value, twice = getattr(measured, what), 2.0 * (getattr(measured, f"{what}_se") or 0.0)
        rows.append(
            {
                "scores": measured.scores,
                "coefficient": measured.coefficient,
                "topics": measured.topics,
                "kind": measured.estimator,
                "value": value,
                "actual": measured.actual,
                "low": value - twice,
                "high": value + twice,
            }
        )
    values = [end for row in rows for end in (row["low"], row["high"]) if math.isfinite(end)]
    domain = [min(0.0, *values), max(0.0, *values)]
    panels = []
    for name, systems in result.systems.items():
        across = []
        for asked in result.coefficients:
            own = [row for row in rows if (row["scores"], row["coefficient"]) == (name, asked)]
            title = heading(f"{coefficient(asked).symbol}, {label(name)}, {systems} systems")
            across.append(_panel(own, names, what, domain).properties(width=width, height=150, title=title))
        panels.append(altair.hconcat(*across))
    note = f"{result.settings['collections']:,} simulated collections of each size; lines: ± 2 standard errors"
    return altair.vconcat(*panels).properties(title=heading(None, note))


def _panel(rows: list[dict[str, object]], names: list[str], what: str, domain: list[float]) -> Drawing:
    base = plot(rows).encode(
        x=altair.X("topics:Q", title="topics", scale=altair.Scale(zero=False, nice=False, padding=8)),
        tooltip=["kind:N", "topics:Q", *numbers("value", "actual")],
    )
    y = altair.Y("value:Q", title=_TITLES[what], scale=altair.Scale(domain=domain, nice=True))
    errors = base.mark_rule(opacity=0.6).encode(y="low:Q", y2="high:Q", color=colours(names))
    zero = [line_at(y=0, style="faint")] if what == "bias" else []
    return altair.layer(*zero, errors, *curves(base, y, names))
