"""Ranks side by side: where each system stands in the truth and in the estimate."""

from __future__ import annotations

from typing import Any

from rankscope.report.charts.parts import Drawing, Row, rows_of, thin_labels
from rankscope.report.charts.scores import coefficients_line, told_apart_swaps
from rankscope.report.theme import BLUE, COLUMN, GREY, VERMILION, heading, label
from rankscope.studies.comparison_result import Comparison, EstimateComparison

# Without topics to test by, systems that move by this share of the ranking stand out.
_FAR = 0.1
_ROW, _LEAST, _MOST = 13, 120, 660
_BETWEEN, _BETWEEN_MANY = COLUMN - 210, 84
# Labels nearer than this, in pixels, would overlap.
_APART = 11
_PANELS = 3
_SIDES: tuple[tuple[str, str, Any, int], ...] = (
    ("left", "truth rank", "right", -6),
    ("right", "estimate rank", "left", 6),
)
_LONGEST = 20


def ranks(result: Comparison) -> Drawing:
    """A panel per estimate; systems that swap with one that the truth tells from them stand out."""
    import altair

    alone = len(result.estimates) == 1
    panels = [ranks_panel(e, width=_BETWEEN if alone else _BETWEEN_MANY) for e in result.estimates]
    return panels[0] if alone else altair.concat(*panels, columns=min(_PANELS, len(panels)), spacing=12)


def ranks_panel(estimate: EstimateComparison, *, width: int = _BETWEEN) -> Drawing:
    """One estimate beside the truth."""
    import altair

    systems = estimate.systems
    height = min(_MOST, max(_LEAST, _ROW * len(systems)))
    apart = estimate.separation is not None
    why = "past a significantly different one" if apart else "far"
    kinds = (f"up {why}", f"down {why}", "other")
    rows = _rows(estimate, kinds)
    y = altair.Scale(domain=[0.5, len(systems) + 0.5], reverse=True, nice=False)
    across = altair.Scale(domain=[0, 1], nice=False)
    tooltip = [altair.Tooltip("system:N"), altair.Tooltip("truth rank:Q"), altair.Tooltip("estimate rank:Q")]
    base = altair.Chart(rows_of(rows))
    lines = base.mark_rule().encode(
        x=altair.X("left:Q", scale=across, axis=None),
        x2=altair.X2("right:Q"),
        y=altair.Y("truth rank:Q", scale=y, title="rank (1 is best)", axis=None),
        y2=altair.Y2("estimate rank:Q"),
        color=altair.Color(
            "kind:N",
            title=None,
            scale=altair.Scale(domain=list(kinds), range=[BLUE, VERMILION, GREY]),
            legend=altair.Legend(columns=2),  # three would be wider than a column of a paper
        ),
        strokeDash=altair.StrokeDash(
            "kind:N", title=None, scale=altair.Scale(domain=list(kinds), range=[[1, 0], [5, 2], [1, 0]])
        ),
        strokeWidth=altair.condition(f"datum.kind == {kinds[2]!r}", altair.value(0.7), altair.value(1.8)),
        opacity=altair.condition(f"datum.kind == {kinds[2]!r}", altair.value(0.6), altair.value(0.95)),
        tooltip=tooltip,
    )
    ends = [
        base.mark_point(style="ink", filled=True, size=10).encode(
            x=altair.X(f"{side}:Q", scale=across), y=altair.Y(f"{rank}:Q", scale=y), tooltip=tooltip
        )
        for side, rank in (("left", "truth rank"), ("right", "estimate rank"))
    ]
    texts = [
        altair.Chart(rows_of(_labels(rows, rank, len(systems), height)))
        .mark_text(style="label", align=align, dx=shift)
        .encode(
            x=altair.X(f"{side}:Q", scale=across),
            y=altair.Y(f"{rank}:Q", scale=y),
            text=altair.Text("text:N"),
            tooltip=tooltip,
        )
        for side, rank, align, shift in _SIDES
    ]
    heads = (
        altair.Chart(rows_of([{"x": 0, "y": 0.5, "text": "truth"}, {"x": 1, "y": 0.5, "text": "estimate"}]))
        .mark_text(style="note", dy=-8)
        .encode(x=altair.X("x:Q", scale=across), y=altair.Y("y:Q", scale=y), text=altair.Text("text:N"))
    )
    title = heading(estimate.name, coefficients_line(estimate))
    return altair.layer(lines, *ends, *texts, heads).properties(width=width, height=height, title=title)


def _rows(estimate: EstimateComparison, kinds: tuple[str, str, str]) -> list[Row]:
    counts = told_apart_swaps(estimate)
    far = max(1.0, _FAR * len(estimate.systems))
    rows = []
    for s in estimate.systems:
        steps = s.estimate_rank - s.truth_rank
        stands_out = s.system in counts if estimate.separation is not None else abs(steps) > far
        rows.append(
            {
                "system": label(s.system, 200),
                "truth rank": s.truth_rank,
                "estimate rank": s.estimate_rank,
                "left": 0,
                "right": 1,
                "kind": kinds[2] if not stands_out or steps == 0.0 else kinds[0] if steps < 0.0 else kinds[1],
                "swaps": counts.get(s.system, 0),
            }
        )
    return rows


def _labels(rows: list[Row], rank: str, systems: int, height: float) -> list[Row]:
    """As many labels as there is room for: those that move far first, then the top."""
    places = [row[rank] * height / systems for row in rows]
    moves = [abs(row["truth rank"] - row["estimate rank"]) + (systems if row[rank] == 1.0 else 0) for row in rows]
    weights = [move + 1.0 / row[rank] for move, row in zip(moves, rows, strict=True)]
    shown = thin_labels(places, weights, _APART)
    found = []
    for i in shown:
        parts = [label(rows[i]["system"], _LONGEST), f"{rows[i][rank]:g}"]
        found.append({**rows[i], "text": "  ".join(parts if rank == "truth rank" else parts[::-1])})
    return found
