"""Expected correlation with the true ranking: by number of topics, by estimator, and as draws."""

from __future__ import annotations

import altair

import rankscope as rs
from rankscope.coefficients import coefficient
from rankscope.report.charts import layers
from rankscope.report.charts.layers import Drawing
from rankscope.report.theme import BLUE, COLUMN, ORANGE, VERMILION, better, heading, label

_KINDS = ("τ", "τ_AP")


def topics(result: rs.Reliability) -> Drawing:
    """Expected τ and τ_AP by the number of topics, with intervals, the target, and the topics that it needs."""
    rows = []
    for count in result.counts:
        expected = ((count.tau, count.tau_interval), (count.tau_ap, count.tau_ap_interval))
        for kind, (value, interval) in zip(_KINDS, expected, strict=True):
            rows.append({"topics": count.topics, "kind": kind, "value": value, **layers.ends(interval)})
    needed, here = result.needed, result.tau.topics
    encoding = layers.categories(_KINDS, (BLUE, ORANGE), ("circle", "square"))
    x = altair.X(
        "topics:Q",
        title="topics (logarithmic)",
        scale=altair.Scale(type="log", nice=False),
        axis=altair.Axis(values=[step * 10**power for power in range(6) for step in (1, 2, 5)]),
    )
    y = altair.Y("value:Q", title="expected correlation with the true ranking", scale=altair.Scale(zero=False))
    base = layers.plot(rows).encode(x=x, tooltip=["kind:N", "topics:Q", *layers.numbers("value", "low", "high")])
    drawn = [
        layers.line_at(y=needed.target),
        layers.plot([{"topics": here}]).mark_rule(style="faint").encode(x=x),
        base.mark_area(opacity=0.16).encode(y="low:Q", y2="high:Q", color=encoding["color"]),
        base.mark_line().encode(y=y, color=encoding["color"], strokeDash=layers.dashes(_KINDS, ([1, 0], [5, 2]))),
        base.mark_point(filled=True, size=28).encode(y=y, **encoding),
    ]
    first, last = result.counts[0].topics, result.counts[-1].topics
    if needed.topics is not None and first <= needed.topics <= last:
        drawn.append(
            layers.plot([{"topics": needed.topics, "value": needed.target}])
            .mark_point(filled=True, size=110, color=VERMILION, shape="diamond", opacity=1.0)
            .encode(x=x, y=y, tooltip=["topics:Q", "value:Q"])
        )
    reach = "more than 100,000 topics, or cannot be reached"
    if needed.topics is not None:
        reach = f"{needed.topics:,} topics"
    between = "" if needed.low is None or needed.high is None else f" ({needed.low:,} to {needed.high:,})"
    name = "" if result.name is None else f"{label(result.name)}: "
    return altair.layer(*drawn).properties(
        width=COLUMN - 70,
        height=210,
        title=heading(
            f"{name}τ {result.tau.estimate:.3f} with these {here} topics",
            f"τ ≥ {needed.target:g} (dashed) needs {reach}{between}; bands: {needed.level:.0%} intervals",
        ),
    )


def estimators(result: rs.Reliability) -> Drawing:
    """Expected τ and τ_AP by every estimator; the line is the interval of the chosen estimator."""
    rows = [
        {"row": e.estimator, "label": e.label, "kind": kind, "value": value}
        for e in result.estimators
        for kind, value in zip(_KINDS, (e.tau, e.tau_ap), strict=True)
    ]
    chosen = [
        {"row": expected.estimator, "kind": kind, **layers.ends(expected.interval)}
        for kind, expected in zip(_KINDS, (result.tau, result.tau_ap), strict=True)
    ]
    y, offset = layers.row_axis([e.estimator for e in result.estimators]), layers.side_by_side(_KINDS)
    encoding = layers.categories(_KINDS, (BLUE, ORANGE), ("circle", "square"))
    x = altair.X("value:Q", title="expected correlation with the true ranking", scale=altair.Scale(zero=False))
    interval = result.tau.interval
    return altair.layer(
        layers.plot(chosen)
        .mark_rule(strokeWidth=1.6)
        .encode(x="low:Q", x2="high:Q", y=y, yOffset=offset, color=encoding["color"]),
        layers.plot(rows)
        .mark_point(filled=True)
        .encode(x=x, y=y, yOffset=offset, tooltip=["row:N", "label:N", "kind:N", *layers.numbers("value")], **encoding),
    ).properties(
        width=COLUMN - 110,
        height=layers.step(20),
        title=heading(None, f"line: {interval.level:.0%} interval of {result.tau.estimator}"),
    )


def draws(result: rs.ExpectedCorrelation) -> Drawing:
    """Draws of the correlation of this ranking with the true one, with the estimate and its interval."""
    symbol = coefficient(result.coefficient).symbol
    interval = result.interval
    name = f"{interval.level:.0%} interval"
    lines = [("estimate", result.estimate), (name, interval.low), (name, interval.high)]
    return altair.layer(
        layers.bars(layers.histogram(result.draws), better(f"{symbol} with the true ranking")),
        layers.marks(lines, (VERMILION, BLUE)),
    ).properties(
        width=COLUMN - 70,
        height=170,
        title=heading(
            f"{symbol} {result.estimate:.3f}, by {result.estimator}",
            f"{result.systems} systems on {result.topics} topics; bars: posterior draws",
        ),
    )
