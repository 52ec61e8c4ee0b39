"""Worth in human topics: of one comparison by its number of topics, and of several comparisons with the margins."""

from __future__ import annotations

import math
from collections.abc import Sequence

import altair

import rankscope as rs
from rankscope.errors import BadParameter
from rankscope.report.charts.layers import (
    Drawing,
    Row,
    categories,
    concatenated,
    diagonal,
    distinct,
    line_at,
    numbers,
    plot,
)
from rankscope.report.theme import (
    BLUE,
    COLUMN,
    GREY,
    TONES,
    VERDICT_MARKS,
    heading,
    label,
    title_text,
)
from rankscope.results import plain
from rankscope.studies.verdict import LEVELS

_STEP = 24
# The ends of the logarithmic axis of worth; values beyond them are drawn at the edge.
_LEAST_WORTH, _MOST_WORTH = 1.0 / 64.0, 8.0
_WORTH_TICKS = (1 / 64, 1 / 16, 1 / 4, 1 / 2, 1, 2, 4, 8)


def worth(result: rs.Worth) -> Drawing:
    """The worth of judged topics in human topics by their number, with the cap that no number of topics exceeds."""
    sizes = [max(1.0, 2.0 ** (i / 4)) for i in range(4 * 11 + 1)]
    rows = [
        {"judged": n, "human": n / (result.noise + result.bias * n) if math.isfinite(result.noise) else 0.0}
        for n in sizes
    ]
    scale = altair.Scale(type="log", domain=[1, 2048], nice=False)
    x = altair.X("judged:Q", title=f"topics of {title_text(result.estimate, 30)}", scale=scale)
    y = altair.Y(
        "human:Q", title=f"as good as topics of {title_text(result.truth, 30)}", scale=altair.Scale(type="log")
    )
    shown = [row for row in rows if row["human"] > 0.0]
    here = {
        "judged": float(result.topics),
        "human": result.worth * result.topics,
        "low": result.interval.low * result.topics,
        "high": result.interval.high * result.topics if math.isfinite(result.interval.high) else None,
    }
    tips = numbers("judged", "human", format=",.1f")
    layers = [
        diagonal("judged", "human", (1, 2048)),
        plot(shown).mark_line(color=BLUE).encode(x=x, y=y, tooltip=tips),
    ]
    if 0.0 < result.worth < math.inf:
        point = plot([here])
        layers += [
            point.mark_rule(color=BLUE, strokeWidth=2).encode(x=x, y="low:Q", y2="high:Q"),
            point.mark_point(filled=True, color=BLUE, size=70).encode(x=x, y=y, tooltip=tips),
        ]
    if math.isfinite(result.cap) and result.cap > 0.0:
        layers.append(plot([{"cap": result.cap}]).mark_rule(color=GREY).encode(y="cap:Q"))
    note = "dashed: worth 1; bar: interval" + ("; grey: the cap" if math.isfinite(result.cap) else "")
    return altair.layer(*layers).properties(
        width=COLUMN - 40, height=COLUMN - 120, title=heading(label(result.estimate), note)
    )


def estimates(result: rs.Comparison) -> Drawing:
    """The worth of a topic of every estimate."""
    return worth_panel([e.verdict for e in result.estimates if e.verdict is not None])


def estimates_by_measure(result: rs.ComparisonByMeasure) -> Drawing:
    """The worth of a topic of every estimate, a panel per measure."""
    drawn = [
        worth_panel([e.verdict for e in comparison.estimates if e.verdict is not None], measure)
        for measure, comparison in zip(result.measures, result.comparisons, strict=True)
    ]
    return concatenated(drawn, columns=1)


def judges(report: rs.JudgeReport) -> Drawing:
    """The worth of a topic of every judge, a panel per measure."""
    drawn = [
        worth_panel([a.verdict for a in report.answers if a.measure == measure], measure) for measure in report.measures
    ]
    return concatenated(drawn, columns=1)


def worth_panel(verdicts: Sequence[rs.Verdict], title: str | None = None) -> Drawing:
    """Worth with its interval on a logarithmic axis, the highest first, with the margins of the rule."""
    known = [(v, v.worth) for v in verdicts if v.worth is not None]
    if not known:
        raise BadParameter(
            "there is no worth to draw: it needs scores by topic on both sides, enough topics and systems, and a truth "
            "that orders the systems"
        )
    known.sort(key=lambda pair: -pair[1].worth)
    names = distinct([v.estimate for v, _ in known], 30)
    rows: list[Row] = [
        {
            "name": name,
            "worth": plain(w.worth),
            "low": w.interval.low,
            "high": plain(w.interval.high),
            "at": on_axis(w.worth),
            "from": on_axis(w.interval.low),
            "to": on_axis(w.interval.high),
            "beyond random labels": None if v.own_worth is None else plain(v.own_worth.worth),
            "expected τ": w.tau_judge,
            "kind": v.level,
        }
        for name, (v, w) in zip(names, known, strict=True)
    ]
    unit = known[0][0].unit
    title_x = f"worth of a {unit}, in {unit}s of {title_text(known[0][0].truth, 30)}"
    x = worth_x("at", title_x)
    y = altair.Y("name:N", title=None, sort=None, scale=altair.Scale(domain=names))
    tips = [
        altair.Tooltip("name:N", title=" "),
        altair.Tooltip("kind:N", title="verdict"),
        *numbers("worth", "low", "high", "beyond random labels", "expected τ", format=".3f"),
    ]
    base = plot(rows).encode(y=y, tooltip=tips)
    rule = known[0][0].rule
    note = f"dashed: interchangeable from {rule.interchangeable:g}, substitute from {rule.substitute:g}"
    kinds = [level for level in LEVELS if any(row["kind"] == level for row in rows)]
    marks = [VERDICT_MARKS[kind] for kind in kinds]
    encoding = categories(kinds, [TONES[tone] for tone, _, _ in marks], [shape for _, _, shape in marks])
    return altair.layer(
        line_at(x=1.0, style="faint"),
        line_at(x=rule.interchangeable),
        line_at(x=rule.substitute),
        base.mark_rule(strokeWidth=2).encode(x="from:Q", x2="to:Q", color=encoding["color"]),
        base.mark_point(filled=True, size=90, opacity=1).encode(x=x, **encoding),
    ).properties(width=COLUMN, height=altair.Step(_STEP), title=heading(title, note))


def worth_x(field: str, title: str) -> altair.X:
    """The logarithmic axis of worth; values below 1 are labelled as fractions, such as 1/2 of a topic."""
    ticks = altair.Axis(
        values=list(_WORTH_TICKS), labelExpr="datum.value < 1 ? '1/' + format(1 / datum.value, 'd') : datum.value"
    )
    scale = altair.Scale(type="log", domain=[_LEAST_WORTH, _MOST_WORTH], nice=False)
    return altair.X(f"{field}:Q", title=title, scale=scale, axis=ticks)


def on_axis(worth: float) -> float:
    """A worth, or the end of the axis that it is beyond."""
    return min(max(worth, _LEAST_WORTH), _MOST_WORTH)
