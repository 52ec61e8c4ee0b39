"""Labels of a judge against the truth's: which are taken for which, and on which topics."""

from __future__ import annotations

from collections.abc import Sequence

from rankscope.inference.labels.results import LabelAgreement
from rankscope.report.charts.judge import _panels
from rankscope.report.charts.parts import Drawing, categories, rows_of
from rankscope.report.theme import BLUE, COLUMN, GREY, VERMILION, heading, label
from rankscope.studies.comparison_result import Carrier
from rankscope.studies.judging.answers import JudgeAnswer, JudgeReport

_CELL = 52
# Statistics of a topic, the first that is defined anywhere is shown.
_STATISTICS = {
    "kappa": "Cohen's κ of labels",
    "alpha_ordinal": "Krippendorff's α, ordinal",
    "equal": "share of equal labels",
}


def confusion(report: JudgeReport) -> Drawing:
    """Which of the truth's labels each judge takes for which."""
    first = report.measures[0]

    def draw(answer: JudgeAnswer) -> Drawing | None:
        labels = report.labels[answer.judge]
        return None if labels is None or answer.measure != first else confusion_panel(labels)

    return _panels(report, draw)


def confusion_panel(found: LabelAgreement) -> Drawing | None:
    """Documents by both labels; shade is the share of the truth's label. None if labels are too many."""
    import altair

    if found.labels is None or found.confusion is None:
        return None
    names = [f"{value:g}" for value in found.labels]
    rows = []
    for name, counts in zip(names, found.confusion.tolist(), strict=True):
        total = sum(counts)
        rows += [
            {"truth": name, "judge": other, "pairs": count, "share": count / total if total else 0.0}
            for other, count in zip(names, counts, strict=True)
        ]
    base = altair.Chart(rows_of(rows)).encode(
        x=altair.X("judge:O", title="label by the judge", sort=names, axis=altair.Axis(labelAngle=0)),
        y=altair.Y("truth:O", title="label by the truth", sort=names[::-1]),
        tooltip=[
            altair.Tooltip("truth:O", title="label by the truth"),
            altair.Tooltip("judge:O", title="by the judge"),
            altair.Tooltip("pairs:Q", format=","),
            altair.Tooltip("share:Q", title="of the truth's label", format=".1%"),
        ],
    )
    cells = base.mark_rect(color=BLUE, stroke=GREY, strokeWidth=0.5).encode(
        fillOpacity=altair.FillOpacity("share:Q", scale=altair.Scale(domain=[0, 1], range=[0.03, 1]), legend=None)
    )
    few = (
        base.transform_filter("datum.share <= 0.85")
        .mark_text(style="label")
        .encode(text=altair.Text("pairs:Q", format=","))
    )
    many = (
        base.transform_filter("datum.share > 0.85")
        .mark_text(style="label", color="white")
        .encode(text=altair.Text("pairs:Q", format=","))
    )
    size = _CELL if len(names) <= 6 else 30
    return altair.layer(cells, few, many).properties(
        width=altair.Step(size), height=altair.Step(size), title=heading(label(found.judge or "judge"))
    )


def topics(report: JudgeReport) -> Drawing:
    """Agreement of labels on each topic, for every judge."""

    def draw(answer: JudgeAnswer) -> Drawing | None:
        labels = report.labels[answer.judge]
        return None if labels is None else topics_panel(labels, answer.agreement.carriers)

    return _panels(report, draw)


def topics_panel(found: LabelAgreement, carriers: Sequence[Carrier]) -> Drawing:
    """A point per topic: how alike labels are, and how much higher the judge's; those that carry disagreement named."""
    import altair

    shown = next(
        (name for name in _STATISTICS if any(getattr(topic, name) is not None for topic in found.topics)), "equal"
    )
    carry = {carrier.topic: carrier.change for carrier in carriers}
    kinds = ("other topics", "without it τ would be higher")
    rows = [
        {
            "topic": label(topic.topic, 60),
            "difference": topic.mean_difference,
            "agreement": getattr(topic, shown),
            "equal": topic.equal,
            "pairs": topic.pairs,
            "change": carry.get(topic.topic),
            "kind": kinds[1 if topic.topic in carry else 0],
        }
        for topic in found.topics
    ]
    base = altair.Chart(rows_of(rows)).encode(
        x=altair.X("difference:Q", title="mean label, judge less truth", scale=altair.Scale(zero=True, padding=24)),
        y=altair.Y("agreement:Q", title=_STATISTICS[shown], scale=altair.Scale(zero=True)),
        tooltip=[
            altair.Tooltip("topic:N"),
            altair.Tooltip("agreement:Q", title=_STATISTICS[shown], format=".3f"),
            altair.Tooltip("difference:Q", title="mean difference of labels", format="+.3f"),
            altair.Tooltip("equal:Q", title="equal labels", format=".1%"),
            altair.Tooltip("pairs:Q", title="documents", format=","),
            altair.Tooltip("change:Q", title="τ rises without it by", format=".4f"),
        ],
    )
    named = base.transform_filter("datum.change !== null").mark_text(style="label", align="left", dx=7, dy=-1)
    zero = altair.Chart(rows_of([{"at": 0.0}])).mark_rule(style="faint")
    return altair.layer(
        zero.encode(x=altair.X("at:Q")),
        zero.encode(y=altair.Y("at:Q")),
        base.mark_point(filled=True, size=50).encode(**categories(kinds, (GREY, VERMILION), ("circle", "diamond"))),
        named.encode(text=altair.Text("topic:N")),
    ).properties(width=COLUMN, height=COLUMN - 90, title=heading(label(found.judge or "judge")))
