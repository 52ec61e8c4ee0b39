"""The shift of scores between a judge and the truth, by score and by group of systems."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import altair
import numpy as np

from rankscope.report.charts.layers import Drawing, Row, categories, line_at, plot
from rankscope.report.charts.sides import Sides, panels
from rankscope.report.theme import BLUE, COLUMN, heading, label, title_text
from rankscope.studies.judging.shift import Shift

if TYPE_CHECKING:
    from rankscope.studies.judging.answers import JudgeReport

# With more systems than this, points are smaller.
_MANY = 60


def shift(report: JudgeReport) -> Drawing:
    """A panel per judge and measure: how its scores differ from the truth's, by score and by group."""
    shifts = {id(answer.agreement): answer.shift for answer in report.answers}
    return panels(report, lambda sides: shift_panel(sides, shifts[id(sides.comparison)]), shared="xy")


def shift_panel(sides: Sides, shift: Shift) -> Drawing:
    """Differences against means of the two sides (Bland & Altman 1986), with the mean ± 1.96 standard deviations."""
    rows: list[Row] = [
        {
            "system": label(s.system, 200),
            # Over the topics that both sides have, which may be fewer than those of the truth's own mean.
            "middle": s.estimate - shift.systems[s.system] / 2.0,
            "difference": shift.systems[s.system],
            "kind": sides.groups.get(s.system, "systems"),
            "ranks gained": s.truth_rank - s.estimate_rank,
        }
        for s in sides.comparison.systems
        if s.system in shift.systems
    ]
    spread = float(np.std([row["difference"] for row in rows]))
    lines = [
        {"at": shift.mean, "what": "mean shift"},
        {"at": shift.mean - 1.96 * spread, "what": "mean − 1.96 standard deviations"},
        {"at": shift.mean + 1.96 * spread, "what": "mean + 1.96 standard deviations"},
    ]
    difference = f"{sides.estimate} − {sides.truth}"
    what = title_text(sides.comparison.measure or "score")
    x = altair.X("middle:Q", title=f"mean {what} of the two sides", scale=altair.Scale(zero=False))
    y = altair.Y("difference:Q", title=difference, scale=altair.Scale(zero=True))
    tip = [altair.Tooltip("what:N", title=" "), altair.Tooltip("at:Q", title="shift", format="+.4f")]
    layers: list[Any] = [
        line_at(y=0.0, style="faint"),
        plot(lines).mark_rule(style="reference").encode(y="at:Q", tooltip=tip),
    ]
    trend = _trend(rows, shift)
    if trend:
        layers.append(plot(trend).mark_line(style="ink", opacity=0.6).encode(x="middle:Q", y="difference:Q"))
    points = plot(rows).mark_point(filled=True, size=60 if len(rows) <= _MANY else 36)
    tips: list[Any] = [
        "system:N",
        *([altair.Tooltip("kind:N", title="group")] if sides.groups else []),
        altair.Tooltip("middle:Q", title="mean of the two sides", format=".4f"),
        altair.Tooltip("difference:Q", title=difference, format="+.4f"),
        altair.Tooltip("ranks gained:Q", format="+"),
    ]
    encoding = categories(sorted(set(sides.groups.values()))) if sides.groups else {"color": altair.value(BLUE)}
    layers.append(points.encode(x=x, y=y, tooltip=tips, **encoding))
    note = f"dashed: mean shift ± 1.96 standard deviations{'; line: slope' if trend else ''}"
    return altair.layer(*layers).properties(width=COLUMN, height=COLUMN - 90, title=heading(sides.title, note))


def _trend(rows: list[Row], shift: Shift) -> list[Row]:
    """The regression line through the mean of all points."""
    if shift.slope is None or not math.isfinite(shift.slope):
        return []
    at = [row["middle"] for row in rows]
    centre = sum(at) / len(at)
    return [{"middle": x, "difference": shift.mean + shift.slope * (x - centre)} for x in (min(at), max(at))]
