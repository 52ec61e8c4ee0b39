"""Labels of two sides: how they agree, which are taken for which, and on which topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

import altair

from rankscope.errors import BadParameter
from rankscope.inference.labels.results import LabelAgreement
from rankscope.report.charts.layers import (
    Drawing,
    categories,
    concatenated,
    distinct,
    ends,
    interval_points,
    line_at,
    numbers,
    pair_matrix,
    plot,
    row_axis,
)
from rankscope.report.charts.sides import shown_names
from rankscope.report.theme import BLUE, COLUMN, GREY, VERMILION, heading, label
from rankscope.studies.comparison_result import Carrier

if TYPE_CHECKING:
    from rankscope.studies.judging.answers import JudgeAnswer, JudgeReport
    from rankscope.studies.labels import LabelReport

_CELL = 52
# The statistics of a topic; the first that any topic has is shown.
_STATISTICS = {
    "kappa": "Cohen's κ of labels",
    "alpha_ordinal": "Krippendorff's α, ordinal",
    "equal": "share of equal labels",
}


def statistics(result: LabelAgreement) -> Drawing:
    """Statistics of the agreement of labels, with intervals over topics."""
    rows = [
        {"row": statistic.label, "value": statistic.value, **ends(statistic.interval)}
        for statistic in result.values
        if statistic.value is not None and not statistic.name.endswith("_difference")  # which do not measure agreement
    ]
    if not rows:
        raise BadParameter("there is nothing to draw: no statistic is defined for these labels")
    truth, judge = _names(result)
    return interval_points(rows, "agreement of labels (1 is perfect)").properties(
        title=heading(f"{judge} against {truth}", f"{result.coverage.pairs:,} documents labelled by both")
    )


def confusion(result: LabelAgreement) -> Drawing:
    """The confusion matrix of the labels."""
    drawn = confusion_panel(result)
    if drawn is None:
        raise BadParameter("the labels take too many values for a confusion matrix; draw 'statistics'")
    return drawn


def _names(labels: LabelAgreement) -> tuple[str, str]:
    return shown_names(labels.truth or "truth", labels.judge or "judge")


def confusions(report: JudgeReport) -> Drawing:
    """The confusion matrix of every judge's labels."""
    answers = [answer for answer in report.answers if answer.measure == report.measures[0]]
    return _by_judge(answers, report, lambda labels, _: confusion_panel(labels))


def topics(report: JudgeReport) -> Drawing:
    """The agreement of labels on each topic, for every judge."""
    return _by_judge(
        report.answers, report, lambda labels, answer: topics_panel(labels, answer.agreement.carriers), shared="xy"
    )


def _by_judge(
    answers: Sequence[JudgeAnswer],
    report: JudgeReport,
    draw: Callable[[LabelAgreement, JudgeAnswer], Drawing | None],
    shared: str = "",
) -> Drawing:
    drawn = [panel for answer in answers if (panel := draw(report.labels[answer.judge], answer)) is not None]
    if not drawn:
        raise BadParameter("there is nothing to draw: no judge has labels for this chart")
    return concatenated(drawn, shared=shared)


def judges(report: LabelReport) -> Drawing:
    """The statistic of every judge, best first, with its interval."""
    return _by_value(
        report, report.statistic, f"{symbol(report)} (1 is perfect)", f"Agreement with {label(report.truth)}"
    )


def bias(report: LabelReport) -> Drawing:
    """The mean difference of grades, judge minus truth, with its interval."""
    drawn = _by_value(
        report,
        "mean_difference",
        f"mean grade, judge − {label(report.truth)}",
        f"Lenient (+) or strict (−) beside {label(report.truth)}",
    )
    # Altair has moved the data of the layers to the chart that is taken apart here.
    return altair.layer(line_at(x=0.0, style="faint"), *drawn.layer, data=drawn.data).properties(
        width=drawn.width, height=drawn.height, title=drawn.title
    )


def symbol(report: LabelReport) -> str:
    """The symbol of the statistic by which judges are compared."""
    return next(iter(report.agreements.values()))[report.statistic].symbol


def _by_value(report: LabelReport, statistic: str, axis: str, title: str) -> Drawing:
    agreements = [(judge, agreement[statistic]) for judge, agreement in report.agreements.items()]
    rows = [
        {"row": judge, "value": value.value, **ends(value.interval)}
        for judge, value in sorted(agreements, key=lambda pair: -(pair[1].value or 0.0))
        if value.value is not None
    ]
    if not rows:
        raise BadParameter(f"there is nothing to draw: {statistic} is not defined for any judge")
    unit = next(iter(report.agreements.values())).unit
    over = f"{report.settings['level']:.0%} intervals over {unit}s"
    return interval_points(rows, axis).properties(title=heading(title, over))


def judge_confusions(report: LabelReport) -> Drawing:
    """The confusion matrix of every judge."""
    drawn = [panel for agreement in report.agreements.values() if (panel := confusion_panel(agreement)) is not None]
    if not drawn:
        raise BadParameter("the labels take too many values for a confusion matrix; draw 'agreement'")
    return concatenated(drawn, columns=3)


def judge_topics(report: LabelReport) -> Drawing:
    """The agreement of every judge on each topic, a tick per topic, and over all of them, a point."""
    shown = next(
        (
            name
            for name in (report.statistic, *_STATISTICS)
            if any(getattr(t, name, None) is not None for a in report.agreements.values() for t in a.topics)
        ),
        None,
    )
    if shown is None:
        raise BadParameter("there is nothing to draw: the items have no topics")
    order = sorted(report.agreements, key=lambda judge: -(report[judge].value(shown) or 0.0))
    keys = dict(zip(order, distinct(order), strict=True))
    rows = [
        {"row": keys[judge], "topic": label(topic.topic, 60), "value": getattr(topic, shown), "items": topic.pairs}
        for judge in order
        for topic in report[judge].topics
    ]
    whole = [{"row": keys[judge], "value": report[judge].value(shown)} for judge in order]
    axis = row_axis(list(keys.values()))
    x = altair.X("value:Q", title=report[order[0]][shown].label)
    tooltip = ["row:N", "topic:N", *numbers("value", format=".3f"), *numbers("items", format=",")]
    return altair.layer(
        line_at(x=0.0, style="faint"),
        plot(rows).mark_tick(color=BLUE, opacity=0.6, thickness=1.5).encode(x=x, y=axis, tooltip=tooltip),
        plot(whole).mark_point(filled=True, color=VERMILION, shape="diamond", size=70, opacity=1).encode(x=x, y=axis),
    ).properties(
        width=COLUMN - 115,
        height=altair.Step(20),
        title=heading("Agreement by topic", "tick: a topic; diamond: all topics together"),
    )


def matrix(report: LabelReport) -> Drawing:
    """The statistic of every two sides as a heat map, the truth first."""
    sides = [report.truth, *report.judges]
    values, items = [pair.value for pair in report.matrix], [pair.items for pair in report.matrix]
    return pair_matrix(sides, values, items, "items", "labels by").properties(
        title=heading(f"{symbol(report)} of every two sides", "on the items that both labelled")
    )


def confusion_panel(labels: LabelAgreement) -> Drawing | None:
    """Documents by both labels, shaded by the share of the truth's label; None if labels take too many values."""
    if labels.labels is None or labels.confusion is None:
        return None
    truth, judge = _names(labels)
    grades = list(labels.label_names)
    rows = []
    for grade, counts in zip(grades, labels.confusion.tolist(), strict=True):
        total = sum(counts)
        rows += [
            {"truth": grade, "judge": other, "documents": count, "share": count / total if total else 0.0}
            for other, count in zip(grades, counts, strict=True)
        ]
    base = plot(rows).encode(
        x=altair.X("judge:O", title=f"label by {judge}", sort=grades, axis=altair.Axis(labelAngle=0)),
        y=altair.Y("truth:O", title=f"label by {truth}", sort=grades[::-1]),
        tooltip=[
            altair.Tooltip("truth:O", title=f"label by {truth}"),
            altair.Tooltip("judge:O", title=f"label by {judge}"),
            *numbers("documents", format=","),
            altair.Tooltip("share:Q", title=f"share of the label by {truth}", format=".1%"),
        ],
    )
    cells = base.mark_rect(color=BLUE, stroke=GREY, strokeWidth=0.5).encode(
        fillOpacity=altair.FillOpacity("share:Q", scale=altair.Scale(domain=[0, 1], range=[0.03, 1]), legend=None)
    )
    counts_text = altair.Text("documents:Q", format=",")
    on_pale = base.transform_filter("datum.share <= 0.85").mark_text(style="label")
    on_dark = base.transform_filter("datum.share > 0.85").mark_text(style="label", color="white")
    size = _CELL if len(grades) <= 6 else 30
    return altair.layer(cells, on_pale.encode(text=counts_text), on_dark.encode(text=counts_text)).properties(
        width=altair.Step(size), height=altair.Step(size), title=heading(judge)
    )


def topics_panel(labels: LabelAgreement, carriers: Sequence[Carrier]) -> Drawing:
    """A point per topic: agreement and mean difference of labels; topics without which τ would be higher are named."""
    shown = next(
        (name for name in _STATISTICS if any(getattr(topic, name) is not None for topic in labels.topics)), "equal"
    )
    truth, judge = _names(labels)
    carry = {carrier.topic: carrier.change for carrier in carriers}
    kinds = ("other topics", "without it τ would be higher")
    rows = [
        {
            "topic": label(topic.topic, 60),
            "difference": topic.mean_difference,
            "agreement": getattr(topic, shown),
            "equal": topic.equal,
            "documents": topic.pairs,
            "change": carry.get(topic.topic),
            "kind": kinds[1 if topic.topic in carry else 0],
        }
        for topic in labels.topics
    ]
    base = plot(rows).encode(
        x=altair.X("difference:Q", title=f"mean label, {judge} − {truth}", scale=altair.Scale(zero=True, padding=24)),
        y=altair.Y("agreement:Q", title=_STATISTICS[shown], scale=altair.Scale(zero=True)),
        tooltip=[
            "topic:N",
            altair.Tooltip("agreement:Q", title=_STATISTICS[shown], format=".3f"),
            altair.Tooltip("difference:Q", title="mean difference of labels", format="+.3f"),
            altair.Tooltip("equal:Q", title="equal labels", format=".1%"),
            *numbers("documents", format=","),
            altair.Tooltip("change:Q", title="τ rises without it by", format=".4f"),
        ],
    )
    # Names stand towards the middle, so that none leaves the chart.
    differences = [row["difference"] for row in rows if row["difference"] is not None]
    middle = (max(differences, default=0.0) + min(differences, default=0.0)) / 2.0
    sides: tuple[tuple[str, Literal["left", "right"], int], ...] = (("<=", "left", 7), (">", "right", -7))
    named = [
        base.transform_filter(f"datum.change !== null && datum.difference {side} {middle}")
        .mark_text(style="label", align=align, dx=shift, dy=-1)
        .encode(text="topic:N")
        for side, align, shift in sides
    ]
    return altair.layer(
        line_at(x=0.0, style="faint"),
        line_at(y=0.0, style="faint"),
        base.mark_point(filled=True, size=50).encode(**categories(kinds, (GREY, VERMILION), ("circle", "diamond"))),
        *named,
    ).properties(width=COLUMN, height=COLUMN - 90, title=heading(judge))
