"""Labels of two sides: how they agree, which are taken for which, and on which topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import altair

from rankscope.errors import BadParameter
from rankscope.inference.labels.results import LabelAgreement
from rankscope.report.charts.layers import (
    Drawing,
    categories,
    concatenated,
    ends,
    interval_points,
    line_at,
    numbers,
    plot,
)
from rankscope.report.charts.sides import shown_names
from rankscope.report.theme import BLUE, COLUMN, GREY, VERMILION, heading, label
from rankscope.studies.comparison_result import Carrier

if TYPE_CHECKING:
    from rankscope.studies.judging.answers import JudgeAnswer, JudgeReport

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
        if statistic.value is not None and statistic.name != "mean_difference"  # which does not measure agreement
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
    return _by_judge(report.answers, report, lambda labels, answer: topics_panel(labels, answer.agreement.carriers))


def _by_judge(
    answers: Sequence[JudgeAnswer],
    report: JudgeReport,
    draw: Callable[[LabelAgreement, JudgeAnswer], Drawing | None],
) -> Drawing:
    drawn = [panel for answer in answers if (panel := draw(report.labels[answer.judge], answer)) is not None]
    if not drawn:
        raise BadParameter("there is nothing to draw: no judge has labels for this chart")
    return concatenated(drawn)


def confusion_panel(labels: LabelAgreement) -> Drawing | None:
    """Documents by both labels, shaded by the share of the truth's label; None if labels take too many values."""
    if labels.labels is None or labels.confusion is None:
        return None
    truth, judge = _names(labels)
    grades = [f"{value:g}" for value in labels.labels]
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
    named = base.transform_filter("datum.change !== null").mark_text(style="label", align="left", dx=7, dy=-1)
    return altair.layer(
        line_at(x=0.0, style="faint"),
        line_at(y=0.0, style="faint"),
        base.mark_point(filled=True, size=50).encode(**categories(kinds, (GREY, VERMILION), ("circle", "diamond"))),
        named.encode(text="topic:N"),
    ).properties(width=COLUMN, height=COLUMN - 90, title=heading(judge))
