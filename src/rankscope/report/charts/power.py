"""Discriminative power: of an estimate (Carterette 2009), of a measure (Sakai 2006)."""

from __future__ import annotations

import altair

from rankscope.inference.discrimination import DiscriminativePower, MeasurePower
from rankscope.report.charts.layers import Drawing, colours, line_at, numbers, plot
from rankscope.report.theme import BLUE, COLUMN, GREY, VERMILION, heading, label, spread

# A curve needs no more points than pixels.
_POINTS = 600


def pairs(result: DiscriminativePower) -> Drawing:
    """The truth's significantly different pairs: in the same order, tied, or in the opposite order in the estimate."""
    kinds = ["same order", "tied", "opposite order"]
    counts = (result.agreeing, result.tied, result.opposed)
    rows = [
        {"kind": kind, "pairs": count, "place": i} for i, (kind, count) in enumerate(zip(kinds, counts, strict=True))
    ]
    value = "–" if result.value is None else f"{result.value:.1%}"
    base = plot(rows).encode(
        y=altair.Y("kind:N", title=None, sort=None, scale=altair.Scale(domain=kinds)), tooltip=["kind:N", "pairs:Q"]
    )
    x = altair.X("pairs:Q", title="pairs that differ significantly in the truth", axis=altair.Axis(tickMinStep=1))
    colour = colours(kinds, (BLUE, GREY, VERMILION), legend=None)
    return altair.layer(
        base.mark_bar().encode(x=x, color=colour),
        base.mark_text(style="label", align="left", dx=4).encode(x=x, text=altair.Text("pairs:Q", format=",")),
    ).properties(
        width=COLUMN - 130,
        height=altair.Step(24),
        title=heading(
            f"Discriminative power {value}", f"{result.pairs:,} of {result.all_pairs:,} pairs differ significantly"
        ),
    )


def curve(result: MeasurePower) -> Drawing:
    """Achieved significance levels of all pairs in increasing order; the lower the curve, the more pairs differ."""
    levels = result.asl.tolist()
    places = spread([""] * len(levels), _POINTS)
    rows = [{"share": (i + 1) / len(levels), "level": levels[i]} for i in places]
    alpha = result.settings["alpha"]
    line = (
        plot(rows)
        .mark_line(color=BLUE, interpolate="step-after")
        .encode(
            x=altair.X(
                "share:Q", title="share of pairs", axis=altair.Axis(format="%"), scale=altair.Scale(domain=[0, 1])
            ),
            y=altair.Y("level:Q", title="achieved significance level", scale=altair.Scale(domain=[0, 1])),
            tooltip=[*numbers("share", format=".2%"), *numbers("level")],
        )
    )
    measure = "" if result.measure is None else f" of {label(result.measure)}"
    return altair.layer(
        line_at(y=alpha),
        line_at(x=result.value),
        line,
    ).properties(
        width=COLUMN - 70,
        height=190,
        title=heading(
            f"Discriminative power{measure} {result.value:.1%}",
            f"{result.significant:,} of {result.pairs:,} pairs at {alpha:g}",
            f"{result.method}; dashed: the level, and the share of pairs below it",
        ),
    )
