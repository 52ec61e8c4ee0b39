"""Mean differences of three systems in a plane, and the nearest point with the estimate's order."""

from __future__ import annotations

import altair

from rankscope.inference.rank_contour import RankContour
from rankscope.report.charts.layers import Drawing, Row, categories, line_at, numbers, plot
from rankscope.report.theme import BLUE, COLUMN, GREEN, VERMILION, heading, title_text


def contour(result: RankContour) -> Drawing:
    """Contours of the distribution of the means, the estimate, and the nearest point θ (Carterette 2009, Figure 2)."""
    rings: list[Row] = [
        {"x": x, "y": y, "order": i, "level": f"{ring.level:g}"}
        for ring in result.contours
        for i, (x, y) in enumerate(ring.points)
    ]
    kinds = ("baseline's mean", "nearest point θ", "estimate")
    points: list[Row] = [
        {"kind": kind, "x": x, "y": y}
        for kind, (x, y) in zip(kinds, (result.mean, result.nearest, result.estimate), strict=True)
    ]
    reach = [{"x": result.mean[0], "y": result.mean[1], "x2": result.nearest[0], "y2": result.nearest[1]}]
    xs, ys = ([row[axis] for row in (*rings, *points)] for axis in ("x", "y"))
    pad_x, pad_y = 0.06 * (max(xs) - min(xs)), 0.06 * (max(ys) - min(ys))
    across = altair.Scale(domain=[min(*xs, 0.0) - pad_x, max(*xs, 0.0) + pad_x], nice=False, zero=False)
    up = altair.Scale(domain=[min(*ys, 0.0) - pad_y, max(*ys, 0.0) + pad_y], nice=False, zero=False)
    x = altair.X("x:Q", title=f"{title_text(result.axes[0], 60)} (difference of means)", scale=across)
    y = altair.Y("y:Q", title=f"{title_text(result.axes[1], 60)} (difference of means)", scale=up)
    corner = [{"x": 0.0, "y": 0.0, "x2": max(*xs, 0.0) + pad_x, "y2": max(*ys, 0.0) + pad_y}]
    tops = [
        {"x": top[0], "y": top[1], "text": f"{ring.level:.1%}".replace(".0%", "%")}
        for ring in result.contours
        for top in [max(ring.points, key=lambda point: point[1])]
    ]
    return altair.layer(
        plot(corner).mark_rect(style="band").encode(x=x, x2="x2:Q", y=y, y2="y2:Q"),
        line_at(x=0.0, style="faint"),
        line_at(y=0.0, style="faint"),
        plot(rings)
        .mark_line(style="faint", interpolate="linear-closed", filled=False)
        .encode(x=x, y=y, detail="level:N", order="order:Q", tooltip=[altair.Tooltip("level:N", title="share inside")]),
        plot(tops).mark_text(style="note", dy=-4, fontSize=8).encode(x=x, y=y, text="text:N"),
        plot(reach).mark_rule(style="ink").encode(x=x, y=y, x2="x2:Q", y2="y2:Q"),
        plot(points)
        .mark_point(filled=True, size=70, opacity=1.0)
        .encode(
            x=x,
            y=y,
            tooltip=["kind:N", *numbers("x", "y")],
            **categories(kinds, (BLUE, GREEN, VERMILION), ("circle", "diamond", "triangle-up")),
        ),
    ).properties(
        width=COLUMN - 70,
        height=COLUMN - 110,
        title=heading(
            f"d_rank {result.distance:.2f}",
            "contours: share of the distribution of the means inside",
            "shaded: the estimate's order",
        ),
    )
