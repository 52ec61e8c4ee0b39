"""Scores of systems: by measure, by topic, what is covered, what fresh topics would give, how labels agree."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankscope.coefficients import coefficient
from rankscope.errors import BadParameter
from rankscope.inference.labels import LabelAgreement
from rankscope.inference.new_topics import NewTopicAgreement
from rankscope.measures import Evaluation, TopicEvaluation
from rankscope.report.charts.parts import NAMED_UP_TO, Drawing, Row, distinct, rank_ticks, rows_of
from rankscope.report.theme import BLUE, COLUMN, PAGE, heading, label
from rankscope.runs import Coverage

_PANELS = 6
# Cells of a heat map beyond which a picture is too large to be of use.
_CELLS = 40_000


def measures(result: Evaluation) -> Drawing:
    """Every system under the first measures, in the order of the first."""
    import altair

    order = result.systems
    panels = []
    for name in result.measures[:_PANELS]:
        summary = result.summaries[name]
        at = {system: float(value) for system, value in zip(summary.systems, summary.values, strict=True)}
        rows = [{"place": i, "system": label(s, 200), "value": at[s]} for i, s in enumerate(order, start=1)]
        panels.append(
            altair.Chart(rows_of(rows))
            .mark_point(filled=True, size=30 if len(rows) <= 60 else 14, color=BLUE)
            .encode(
                x=altair.X(
                    "place:Q",
                    title=f"rank by {label(result.measures[0])}",
                    scale=altair.Scale(zero=False, nice=False, padding=6),
                    axis=altair.Axis(values=rank_ticks(len(rows))),
                ),
                y=altair.Y("value:Q", title=label(name), scale=altair.Scale(zero=False)),
                tooltip=["system:N", altair.Tooltip("value:Q", format=".4f"), "place:Q"],
            )
            .properties(width=PAGE // 3 - 80 if len(result.measures) > 1 else COLUMN - 80, height=130)
        )
    more = len(result.measures) - _PANELS
    whole = altair.concat(*panels, columns=3) if len(panels) > 1 else panels[0]
    note = f"the first {_PANELS} of {len(result.measures)} measures" if more > 0 else f"{len(order)} systems"
    return whole.properties(title=heading(None, note))


def topics(result: TopicEvaluation) -> Drawing:
    """A heat map of systems and topics under the first measure, best systems and easiest topics first."""
    import altair

    found = result.evaluation
    name = found.measures[0]
    matrix = found.scores[name]
    m, n = len(matrix.systems), len(matrix.topics)
    if m * n > _CELLS:
        raise BadParameter(
            f"{m} systems × {n} topics are too many cells for a picture; score fewer, or draw 'measures'"
        )
    at = {system: i for i, system in enumerate(matrix.systems)}
    with np.errstate(invalid="ignore"):
        easy = np.argsort(-np.nan_to_num(matrix.values, nan=-np.inf).mean(axis=1), kind="stable")
    systems: list[Any] = distinct(found.systems, 24) if m <= NAMED_UP_TO else list(range(1, m + 1))
    rows = [
        {"x": systems[i], "y": t + 1, "system": label(s, 200), "topic": label(matrix.topics[topic], 60),
         "value": float(matrix.values[topic, at[s]])}
        for i, s in enumerate(found.systems)
        for t, topic in enumerate(easy.tolist())
    ]  # fmt: skip
    step = max(1.0, round(2.0 * (PAGE - 120) / m) / 2.0) if m > 60 else max(3.0, round((COLUMN - 90) / m))
    ticks: dict[str, Any] = {"labelAngle": -60} if m <= NAMED_UP_TO else {"values": rank_ticks(m), "labelAngle": 0}
    return (
        altair.Chart(rows_of(rows))
        .mark_rect(strokeWidth=0, aria=False)
        .encode(
            x=altair.X(
                "x:O", title="system, best first", sort=None, scale=altair.Scale(domain=systems, padding=0),
                axis=altair.Axis(grid=False, labelLimit=110, **ticks),
            ),
            y=altair.Y(
                "y:O", title="topic, easiest first", sort=None,
                scale=altair.Scale(domain=list(range(1, n + 1)), padding=0),
                axis=altair.Axis(grid=False, values=rank_ticks(n)),
            ),
            color=altair.Color(
                "value:Q", title=label(name), scale=altair.Scale(range="heatmap"),
                legend=altair.Legend(direction="horizontal", gradientLength=150),
            ),
            tooltip=["system:N", "topic:N", altair.Tooltip("value:Q", format=".4f")],
        )
        .properties(
            width=step * m, height=max(3, min(12, round(300 / n))) * n, title=heading(f"{m} systems on {n} topics")
        )
    )  # fmt: skip


def covered(result: Coverage) -> Drawing:
    """What runs and judgments do not share, as counts."""
    import altair

    rows = [{"what": str(what), "count": count} for what, count in result.table().rows]
    base = altair.Chart(rows_of(rows)).encode(
        y=altair.Y("what:N", title=None, sort=None, axis=altair.Axis(labelLimit=260)), tooltip=["what:N", "count:Q"]
    )
    x = altair.X("count:Q", title="count", axis=altair.Axis(tickMinStep=1))
    return altair.layer(
        base.mark_bar(color=BLUE).encode(x=x),
        base.mark_text(style="label", align="left", dx=4).encode(x=x, text=altair.Text("count:Q", format=",")),
    ).properties(width=COLUMN - 200, height=altair.Step(22), title=heading("What runs and judgments share"))


def fresh(result: NewTopicAgreement) -> Drawing:
    """The agreement to expect with as many fresh topics, with its range."""
    rows = [
        {"row": coefficient(one.name).symbol, "value": one.mean, "low": one.interval.low, "high": one.interval.high}
        for one in result.values
    ]
    title = heading(
        f"As many fresh topics: {result.topics}", f"{result.systems} systems; where one fresh sample would fall"
    )
    return _intervals(rows, "agreement with the ranking by fresh topics").properties(title=title)


def labels(result: LabelAgreement) -> Drawing:
    """Statistics of agreement document by document, with intervals over topics."""
    rows = [
        {
            "row": one.label,
            "value": one.value,
            "low": None if one.interval is None else one.interval.low,
            "high": None if one.interval is None else one.interval.high,
        }
        for one in result.values
        if one.value is not None and one.name != "mean_difference"  # which is no agreement
    ]
    if not rows:
        raise BadParameter("no statistic is defined for these labels: there is nothing to draw")
    who = f"{label(result.judge or 'judge')} against {label(result.truth or 'truth')}"
    return _intervals(rows, "agreement of labels (1 is perfect)").properties(
        title=heading(who, f"{result.coverage.pairs:,} pairs judged by both")
    )


def confusion(result: LabelAgreement) -> Drawing:
    """Which of the truth's labels the judge takes for which."""
    from rankscope.report.charts.judge_labels import confusion_panel

    drawn = confusion_panel(result)
    if drawn is None:
        raise BadParameter("labels take too many values for a table of which is taken for which; draw 'statistics'")
    return drawn


def _intervals(rows: list[Row], title: str) -> Drawing:
    import altair

    order = distinct([row["row"] for row in rows])
    data = [{**row, "row": shown} for row, shown in zip(rows, order, strict=True)]
    base = altair.Chart(rows_of(data)).encode(
        y=altair.Y("row:N", title=None, sort=None, scale=altair.Scale(domain=order), axis=altair.Axis(grid=True)),
        tooltip=["row:N", *(altair.Tooltip(f"{f}:Q", format=".4f") for f in ("value", "low", "high"))],
    )
    return altair.layer(
        base.mark_rule(strokeWidth=1.6, color=BLUE).encode(x="low:Q", x2="high:Q"),
        base.mark_point(filled=True, color=BLUE).encode(
            x=altair.X("value:Q", title=title, scale=altair.Scale(zero=False))
        ),
    ).properties(width=COLUMN - 130, height=altair.Step(20))
