"""What judged topics are worth in human topics, by their number."""

from __future__ import annotations

import math

from rankscope.inference.worth import Worth
from rankscope.report.charts.parts import Drawing, rows_of
from rankscope.report.theme import BLUE, COLUMN, GREY, heading, label


def worth(result: Worth) -> Drawing:
    """Human topics that judged topics equal, by their number, with the cap that no number of them exceeds."""
    import altair

    sizes = [max(1.0, 2.0 ** (i / 4)) for i in range(4 * 11 + 1)]
    rows = [
        {"judged": n, "human": n / (result.noise + result.bias * n) if math.isfinite(result.noise) else 0.0}
        for n in sizes
    ]
    scale = altair.Scale(type="log", domain=[1, 2048], nice=False)
    x = altair.X("judged:Q", title=f"topics of {label(result.estimate, 30)}", scale=scale)
    y = altair.Y("human:Q", title=f"as good as topics of {label(result.truth, 30)}", scale=altair.Scale(type="log"))
    shown = [row for row in rows if row["human"] > 0.0]
    here = {
        "judged": float(result.topics),
        "human": result.worth * result.topics,
        "low": result.interval.low * result.topics,
        "high": result.interval.high * result.topics if math.isfinite(result.interval.high) else None,
    }
    tips = [altair.Tooltip(f"{name}:Q", format=",.1f") for name in ("judged", "human")]
    layers = [
        altair.Chart(rows_of([{"judged": 1, "human": 1}, {"judged": 2048, "human": 2048}]))
        .mark_line(style="reference")
        .encode(x=x, y=y),
        altair.Chart(rows_of(shown)).mark_line(color=BLUE).encode(x=x, y=y, tooltip=tips),
    ]
    if 0.0 < result.worth < math.inf:
        point = altair.Chart(rows_of([here]))
        layers += [
            point.mark_rule(color=BLUE, strokeWidth=2).encode(x=x, y=altair.Y("low:Q"), y2=altair.Y2("high:Q")),
            point.mark_point(filled=True, color=BLUE, size=70).encode(x=x, y=y, tooltip=tips),
        ]
    if math.isfinite(result.cap) and result.cap > 0.0:
        layers.append(altair.Chart(rows_of([{"cap": result.cap}])).mark_rule(color=GREY).encode(y=altair.Y("cap:Q")))
    note = "dashed: a topic is worth a topic; bar: interval" + ("; grey: the cap" if math.isfinite(result.cap) else "")
    return altair.layer(*layers).properties(
        width=COLUMN - 40, height=COLUMN - 120, title=heading(label(result.estimate), note)
    )
