"""Simulated scores against the original ones, a point per system."""

from __future__ import annotations

import altair

from rankscope.report.charts.layers import Drawing, Row, diagonal, numbers, plot
from rankscope.report.theme import BLUE, PAGE, heading, label
from rankscope.simulation.collections import Simulation
from rankscope.simulation.diagnostics import Diagnostics, Discrepancy

_SIDE = PAGE // 3 - 75


def simulation(result: Simulation) -> Drawing:
    """The diagnostics of a simulation."""
    return systems(result.diagnostics)


def systems(result: Diagnostics) -> Drawing:
    """Mean, variance and the quantiles of every system's scores, original against simulated."""
    middle = len(result.levels) // 2
    wanted = {"mean": [m.mean for m in result.margins], "variance": [m.variance for m in result.margins]}
    for i in dict.fromkeys((0, middle, len(result.levels) - 1)):
        wanted[f"quantile {result.levels[i]:g}"] = [m.quantiles[i] for m in result.margins]
    panels = []
    for name, contrasts in wanted.items():
        rows = [_row(m.system, contrast, m.ks) for m, contrast in zip(result.margins, contrasts, strict=True)]
        panels.append(_panel(rows, name))
    distances = [{"system": label(m.system, 200), "ks": m.ks, "place": i + 1} for i, m in enumerate(result.margins)]
    panels.append(_distances(distances))
    settings = result.settings
    note = (
        f"{settings['topics']:,} original topics against {settings['simulated_topics']:,} simulated ones; dashed: equal"
    )
    return altair.concat(*panels, columns=3).properties(title=heading(None, note))


def _row(system: str, contrast: Discrepancy, ks: float) -> Row:
    return {"system": label(system, 200), "original": contrast.original, "simulated": contrast.simulated, "ks": ks}


def _panel(rows: list[Row], name: str) -> Drawing:
    values = [row[side] for row in rows for side in ("original", "simulated")]
    scale = altair.Scale(zero=False, nice=True)
    points = (
        plot(rows)
        .mark_point(filled=True, size=20, color=BLUE, opacity=0.7)
        .encode(
            x=altair.X("original:Q", title="original", scale=scale, axis=altair.Axis(tickCount=4)),
            y=altair.Y("simulated:Q", title="simulated", scale=scale, axis=altair.Axis(tickCount=4)),
            tooltip=["system:N", *numbers("original", "simulated", "ks")],
        )
    )
    line = diagonal("original", "simulated", (min(values), max(values)))
    return altair.layer(line, points).properties(width=_SIDE, height=_SIDE, title=heading(name))


def _distances(rows: list[Row]) -> Drawing:
    return (
        plot(rows)
        .mark_bar(style="bar")
        .encode(
            x=altair.X("ks:Q", bin=altair.Bin(maxbins=15), title="Kolmogorov–Smirnov distance (0 is equal)"),
            y=altair.Y("count():Q", title="systems", axis=altair.Axis(tickMinStep=1, tickCount=4)),
        )
        .properties(width=_SIDE, height=_SIDE, title=heading("distance of the distributions"))
    )
