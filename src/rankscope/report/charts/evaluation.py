"""Scores of systems by measure and by topic, what runs share, and what new topics would give."""

from __future__ import annotations

import altair
import numpy as np

import rankscope as rs
from rankscope.coefficients import coefficient
from rankscope.errors import BadParameter
from rankscope.report.charts import layers
from rankscope.report.charts.layers import Drawing
from rankscope.report.theme import BLUE, COLUMN, PAGE, heading, label, title_text

_PANELS = 6
# A heat map with more cells than this is too large to be useful.
_CELLS = 40_000


def measures(result: rs.Evaluation) -> Drawing:
    """Every system under the first measures, in the order of the first."""
    order = result.systems
    panels = []
    for name in result.measures[:_PANELS]:
        summary = result.summaries[name]
        at = {system: float(value) for system, value in zip(summary.systems, summary.values, strict=True)}
        rows = [{"place": i, "system": label(s, 200), "value": at[s]} for i, s in enumerate(order, start=1)]
        panels.append(
            layers.plot(rows)
            .mark_point(filled=True, size=30 if len(rows) <= 60 else 14, color=BLUE)
            .encode(
                x=altair.X(
                    "place:Q",
                    title=f"rank by {title_text(result.measures[0])}",
                    scale=altair.Scale(zero=False, nice=False, padding=6),
                    axis=altair.Axis(values=layers.rank_ticks(len(rows))),
                ),
                y=altair.Y("value:Q", title=title_text(name), scale=altair.Scale(zero=False)),
                tooltip=["system:N", *layers.numbers("value"), "place:Q"],
            )
            .properties(width=PAGE // 3 - 80 if len(result.measures) > 1 else COLUMN - 80, height=130)
        )
    more = len(result.measures) - _PANELS
    note = f"the first {_PANELS} of {len(result.measures)} measures" if more > 0 else f"{len(order)} systems"
    return layers.concatenated(panels, columns=3).properties(title=heading(None, note))


def topics(result: rs.TopicEvaluation) -> Drawing:
    """A heat map of systems and topics under the first measure, best systems and easiest topics first."""
    evaluation = result.evaluation
    name = evaluation.measures[0]
    matrix = evaluation.scores[name]
    m, n = len(matrix.systems), len(matrix.topics)
    if m * n > _CELLS:
        raise BadParameter(
            f"{m} systems × {n} topics are too many cells for a picture; score fewer, or draw 'measures'"
        )
    at = {system: i for i, system in enumerate(matrix.systems)}
    with np.errstate(invalid="ignore"):
        easy = np.argsort(-np.nan_to_num(matrix.values, nan=-np.inf).mean(axis=1), kind="stable")
    systems = layers.system_keys(evaluation.systems)
    rows = [
        {
            "x": systems[i],
            "y": t + 1,
            "system": label(s, 200),
            "topic": label(matrix.topics[topic], 60),
            "value": float(matrix.values[topic, at[s]]),
        }
        for i, s in enumerate(evaluation.systems)
        for t, topic in enumerate(easy.tolist())
    ]
    step = max(1.0, round(2.0 * (PAGE - 120) / m) / 2.0) if m > 60 else max(3.0, round((COLUMN - 90) / m))
    return (
        layers.plot(rows)
        .mark_rect(strokeWidth=0, aria=False)
        .encode(
            x=layers.cells_across("x", systems, "system, best first"),
            y=layers.cells_down("y", list(range(1, n + 1)), "topic, easiest first"),
            color=altair.Color(
                "value:Q",
                title=title_text(name),
                scale=altair.Scale(range="heatmap"),
                legend=altair.Legend(direction="horizontal", gradientLength=150),
            ),
            tooltip=["system:N", "topic:N", *layers.numbers("value")],
        )
        .properties(
            width=step * m, height=max(3, min(12, round(300 / n))) * n, title=heading(f"{m} systems on {n} topics")
        )
    )


def covered(result: rs.Coverage) -> Drawing:
    """Counts of what the runs and the judgments share, and of what only one of them has."""
    rows = [{"what": str(what), "count": count} for what, count in result.table().rows]
    base = layers.plot(rows).encode(
        y=altair.Y("what:N", title=None, sort=None, axis=altair.Axis(labelLimit=260)), tooltip=["what:N", "count:Q"]
    )
    x = altair.X("count:Q", title="count", axis=altair.Axis(tickMinStep=1))
    return altair.layer(
        base.mark_bar(color=BLUE).encode(x=x),
        base.mark_text(style="label", align="left", dx=4).encode(x=x, text=altair.Text("count:Q", format=",")),
    ).properties(width=COLUMN - 200, height=altair.Step(22), title=heading("What runs and judgments share"))


def new_topics(result: rs.NewTopicAgreement) -> Drawing:
    """The agreement to expect with as many new topics, with its range."""
    rows = [
        {"row": coefficient(expected.name).symbol, "value": expected.mean, **layers.ends(expected.interval)}
        for expected in result.values
    ]
    title = heading(
        f"{result.topics} new topics", f"{result.systems} systems; bars: where the value of one new sample would fall"
    )
    return layers.interval_points(rows, "agreement with the ranking by new topics").properties(title=title)


def run_overlaps(result: rs.RunOverlap) -> Drawing:
    """The extrapolated RBO of every two runs as a heat map."""
    values, topics = [pair.ext for pair in result.pairs], [pair.topics for pair in result.pairs]
    within = "" if result.depth is None else f", first {result.depth} documents"
    return layers.pair_matrix(result.systems, values, topics, "topics", "run").properties(
        title=heading("Rank-biased overlap of every two runs", f"means over topics, p = {result.p:g}{within}")
    )
