"""Ranks side by side: the rank of every system on the two sides."""

from __future__ import annotations

from typing import Any

import altair

import rankscope as rs
from rankscope.report.charts.layers import Drawing, Row, colours, dashes, plot, thin_labels
from rankscope.report.charts.scores import coefficients_line
from rankscope.report.charts.sides import Sides, alone, panels
from rankscope.report.theme import BLUE, COLUMN, GREY, VERMILION, heading, label

# Without topics to test by, systems that move by more than this share of the ranking are emphasised.
_FAR = 0.1
_ROW, _LEAST, _MOST = 13, 120, 660
_BETWEEN, _BETWEEN_MANY = COLUMN - 210, 84
# Labels closer than this, in pixels, would overlap.
_APART = 11
_PANELS = 3
_SIDES: tuple[tuple[str, str, Any, int], ...] = (
    ("left", "truth rank", "right", -6),
    ("right", "estimate rank", "left", 6),
)
_LONGEST = 20


def ranks(result: rs.Comparison | rs.ComparisonByMeasure | rs.JudgeReport) -> Drawing:
    """A panel per comparison; systems swapped with a significantly different one are emphasised."""
    width = _BETWEEN if alone(result) else _BETWEEN_MANY
    return panels(result, lambda sides: ranks_panel(sides, width=width), columns=_PANELS)


def ranks_panel(sides: Sides, *, width: int = _BETWEEN) -> Drawing:
    """The ranks of one comparison."""
    estimate = sides.comparison
    systems = estimate.systems
    height = min(_MOST, max(_LEAST, _ROW * len(systems)))
    tested = estimate.separation is not None
    kinds = ("up, significant swap", "down, significant swap", "other") if tested else ("far up", "far down", "other")
    rows = _rows(sides, kinds)
    y = altair.Scale(domain=[0.5, len(systems) + 0.5], reverse=True, nice=False)
    across = altair.Scale(domain=[0, 1], nice=False)
    sides_tips = [("truth rank", sides.truth), ("estimate rank", sides.estimate)]
    tooltip = ["system:N", *(altair.Tooltip(f"{rank}:Q", title=f"rank, {name}") for rank, name in sides_tips)]
    base = plot(rows)
    lines = base.mark_rule().encode(
        x=altair.X("left:Q", scale=across, axis=None),
        x2="right:Q",
        y=altair.Y("truth rank:Q", scale=y, title="rank (1 is best)", axis=None),
        y2="estimate rank:Q",
        # A wider legend would be cut off on a narrow screen.
        color=colours(kinds, (BLUE, VERMILION, GREY), legend=altair.Legend(columns=1)),
        strokeDash=dashes(kinds, ([1, 0], [5, 2], [1, 0])),
        strokeWidth=altair.condition(f"datum.kind == {kinds[2]!r}", altair.value(0.7), altair.value(1.8)),
        opacity=altair.condition(f"datum.kind == {kinds[2]!r}", altair.value(0.6), altair.value(0.95)),
        tooltip=tooltip,
    )
    ends = [
        base.mark_point(style="ink", filled=True, size=10).encode(
            x=altair.X(f"{side}:Q", scale=across), y=altair.Y(f"{rank}:Q", scale=y), tooltip=tooltip
        )
        for side, rank, _, _ in _SIDES
    ]
    texts = [
        plot(_labels(rows, rank, len(systems), height))
        # Where there is little room a name is cut on its outer side, and the rank beside it stays.
        .mark_text(style="label", align=align, dx=shift, dir="rtl" if align == "right" else "ltr")
        .encode(
            x=altair.X(f"{side}:Q", scale=across),
            y=altair.Y(f"{rank}:Q", scale=y),
            text="text:N",
            tooltip=tooltip,
        )
        for side, rank, align, shift in _SIDES
    ]
    heads = [
        plot([{"x": x, "y": 0.5, "text": label(name, _LONGEST)}])
        .mark_text(style="note", align=align, dx=shift, dy=-8)
        .encode(x=altair.X("x:Q", scale=across), y=altair.Y("y:Q", scale=y), text="text:N")
        for x, name, (_, _, align, shift) in zip((0, 1), (sides.truth, sides.estimate), _SIDES, strict=True)
    ]
    title = heading(sides.title, coefficients_line(estimate))
    return altair.layer(lines, *ends, *texts, *heads).properties(width=width, height=height, title=title)


def _rows(sides: Sides, kinds: tuple[str, str, str]) -> list[Row]:
    estimate, counts = sides.comparison, sides.significant_swaps()
    far = max(1.0, _FAR * len(estimate.systems))
    rows = []
    for s in estimate.systems:
        steps = s.estimate_rank - s.truth_rank
        emphasised = s.system in counts if estimate.separation is not None else abs(steps) > far
        rows.append(
            {
                "system": label(s.system, 200),
                "truth rank": s.truth_rank,
                "estimate rank": s.estimate_rank,
                "left": 0,
                "right": 1,
                "kind": kinds[2] if not emphasised or steps == 0.0 else kinds[0] if steps < 0.0 else kinds[1],
                "swaps": counts.get(s.system, 0),
            }
        )
    return rows


def _labels(rows: list[Row], rank: str, systems: int, height: float) -> list[Row]:
    """The labels that there is room for: systems that move far have priority, then the best."""
    places = [row[rank] * height / systems for row in rows]
    moves = [abs(row["truth rank"] - row["estimate rank"]) + (systems if row[rank] == 1.0 else 0) for row in rows]
    weights = [move + 1.0 / row[rank] for move, row in zip(moves, rows, strict=True)]
    shown = thin_labels(places, weights, _APART)
    labelled = []
    for i in shown:
        words = [label(rows[i]["system"], _LONGEST), f"{rows[i][rank]:g}"]
        labelled.append({**rows[i], "text": "  ".join(words if rank == "truth rank" else words[::-1])})
    return labelled
