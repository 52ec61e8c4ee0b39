"""Fewer, random or shared-out judgments: agreement, rank distance and its p as judgments grow complete.

Three panels as in Carterette 2009, Figure 4: a line per measure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankscope.coefficients import coefficient
from rankscope.report.charts.parts import Drawing, Row, categories, distinct, rows_of
from rankscope.report.theme import BLUE, COLUMN, DASHES, GREY, PAGE, VERMILION, heading, label
from rankscope.studies.depth_cost import DepthCostStudy
from rankscope.studies.holes import HolesStudy
from rankscope.studies.pool_depth import PoolDepthStudy
from rankscope.studies.pseudo import PseudoStudy
from rankscope.studies.topic_subsets import TopicsStudy
from rankscope.studies.uniques import UniquesStudy
from rankscope.studies.variants import DISTANCE

# The threshold that rankings are traditionally said to need (Voorhees 2000).
_ALIKE = 0.9
_SHOWN = ("tau_b", "kendall", "tau_ap", "tau_gap")
_WAYS = {"depth": "pool to a depth", "holes": "random part", "judge": "judge for the rest"}


def pool_depth(result: PoolDepthStudy) -> Drawing:
    """Agreement, rank distance and p by the depth of the pool."""
    chosen = _coefficient(result.coefficients)
    rows = [
        {
            "x": one.depth, "kind": one.measure, "coefficient": one.coefficient, "value": one.value, "low": one.low,
            "high": one.high, "p": one.pvalue, "judgments": one.judgments,
        }
        for one in result.agreements
        if one.coefficient in (chosen, DISTANCE)
    ]  # fmt: skip
    note = f"{result.systems} systems, {result.topics} topics; all {result.judgments:,} judgments are the truth"
    return _three(rows, result.measures, chosen, "depth of the pool (logarithmic)", note, log=True)


def holes(result: HolesStudy) -> Drawing:
    """Agreement, rank distance and p by the share of judgments kept (Carterette 2009, Figure 4)."""
    chosen = _coefficient(result.coefficients)
    rows = [
        {
            "x": one.fraction, "kind": one.measure, "coefficient": one.coefficient, "value": one.mean, "low": one.q5,
            "high": one.q95, "p": one.pvalue, "judgments": one.judgments,
        }
        for one in result.agreements
        if one.coefficient in (chosen, DISTANCE)
    ]  # fmt: skip
    note = (
        f"{result.systems} systems, {result.topics} topics, mean and 5 to 95 % of {result.settings['repeats']} repeats"
    )
    return _three(rows, result.measures, chosen, "share of judgments kept", note, percent=True)


def topic_subsets(result: TopicsStudy) -> Drawing:
    """Agreement with all topics, and with as many others, by the number of topics; rank distance and p."""
    chosen = _coefficient(result.coefficients)
    rows = [
        {
            "x": one.topics,
            "kind": one.measure if one.against == "all" else f"{one.measure}, against others",
            "coefficient": one.coefficient, "value": one.mean, "low": one.q5, "high": one.q95, "p": one.pvalue,
        }
        for one in result.agreements
        if one.coefficient in (chosen, DISTANCE)
    ]  # fmt: skip
    kinds = list(dict.fromkeys(str(row["kind"]) for row in rows))
    note = f"{result.systems} systems; subsets against all {result.topics} topics, mean and 5 to 95 % of subsets"
    return _three(rows, kinds, chosen, "topics", note)


def _coefficient(names: Sequence[str]) -> str:
    return next((name for name in _SHOWN if name in names), names[0] if names else DISTANCE)


def _three(
    rows: Sequence[Row],
    kinds: Sequence[str],
    chosen: str,
    x_title: str,
    note: str,
    *,
    log: bool = False,
    percent: bool = False,
) -> Drawing:
    import altair

    names = dict(zip(kinds, distinct(list(kinds)), strict=True))
    shown = [{**row, "kind": names[row["kind"]]} for row in rows]
    symbol = coefficient(chosen).symbol if chosen != DISTANCE else DISTANCE
    agreements = [row for row in shown if row["coefficient"] == chosen]
    distances = [row for row in shown if row["coefficient"] == DISTANCE]
    wanted: list[tuple[str, list[Row], str, float | None]] = [
        (f"{symbol} (1 is perfect)", agreements, "value", _ALIKE),
        ("d_rank (lower is nearer)", distances, "value", None),
        ("p of d_rank (higher is nearer)", distances, "p", 0.05),
    ]
    panels = []
    for y_title, own, field, line in wanted:
        if any(row[field] is not None for row in own):
            panels.append(_panel(own, list(names.values()), field, (x_title, y_title), line, log=log, percent=percent))
    width = (PAGE - 40) // len(panels) - 60 if len(panels) > 1 else COLUMN - 70
    whole = altair.hconcat(*(panel.properties(width=width, height=170) for panel in panels))
    return whole.properties(title=heading(None, note))


def _panel(
    rows: Sequence[Row],
    kinds: Sequence[str],
    field: str,
    titles: tuple[str, str],
    line: float | None,
    *,
    log: bool,
    percent: bool,
) -> Drawing:
    import altair

    encoding = categories(kinds)
    scale = altair.Scale(type="log", nice=False) if log else altair.Scale(zero=False, nice=False, padding=6)
    axis = altair.Axis(format="%", tickCount=5) if percent else altair.Axis(tickCount=5)
    if log:
        axis = altair.Axis(values=sorted({row["x"] for row in rows}))
    base = altair.Chart(rows_of(rows)).encode(
        x=altair.X("x:Q", title=titles[0], scale=scale, axis=axis),
        color=encoding["color"],
        tooltip=[
            "kind:N",
            "x:Q",
            *(altair.Tooltip(f"{name}:Q", format=".4f") for name in ("value", "low", "high", "p")),
        ],
    )
    domain = altair.Scale(domain=[0, 1]) if field == "p" else altair.Scale(zero=False)
    y = altair.Y(f"{field}:Q", title=titles[1], scale=domain)
    dashes = altair.Scale(domain=list(kinds), range=[DASHES[i % len(DASHES)] for i in range(len(kinds))])
    layers = [
        base.mark_line().encode(y=y, strokeDash=altair.StrokeDash("kind:N", title=None, scale=dashes)),
        base.mark_point(filled=True, size=30).encode(y=y, shape=encoding["shape"]),
    ]
    if field == "value" and any(row["low"] is not None for row in rows):
        layers.insert(0, base.mark_rule(opacity=0.55).encode(y="low:Q", y2="high:Q"))
    if line is not None:
        layers.insert(0, altair.Chart(rows_of([{"y": line}])).mark_rule(style="reference").encode(y="y:Q"))
    return altair.layer(*layers)


def pseudo(result: PseudoStudy) -> Drawing:
    """Agreement of random relevance with the judgments: 5 to 95 % as a line, quartiles as a bar, mean as a point."""
    import altair

    names = [n for n in result.coefficients if coefficient(n).record.same_as not in result.coefficients]
    shown = dict(zip(names, distinct([coefficient(name).symbol for name in names]), strict=True))
    kinds = distinct(list(result.measures))
    measure = dict(zip(result.measures, kinds, strict=True))
    rows = [
        {
            "row": shown[one.coefficient], "kind": measure[one.measure], "mean": one.mean, "median": one.median,
            "q5": one.q5, "q25": one.q25, "q75": one.q75, "q95": one.q95,
        }
        for one in result.agreements
        if one.coefficient in shown
    ]  # fmt: skip
    encoding = categories(kinds)
    base = altair.Chart(rows_of(rows)).encode(
        y=altair.Y("row:N", title=None, sort=None, scale=altair.Scale(domain=list(shown.values()))),
        yOffset=altair.YOffset("kind:N", scale=altair.Scale(domain=kinds)),
        color=encoding["color"],
        tooltip=["row:N", "kind:N", *(altair.Tooltip(f"{f}:Q", format=".4f") for f in ("mean", "q5", "median", "q95"))],
    )
    distances = [f"{measure[one.measure]} {one.mean:.1f}" for one in result.agreements if one.coefficient == DISTANCE]
    step: Any = altair.Step(max(18, 10 * len(kinds) + 4), **{"for": "position"})
    return altair.layer(
        base.mark_rule().encode(x=altair.X("q5:Q", title="agreement with the judgments (1 is perfect)"), x2="q95:Q"),
        base.mark_bar(opacity=0.45, height=5).encode(x="q25:Q", x2="q75:Q"),
        base.mark_point(filled=True, size=26).encode(x="mean:Q", shape=encoding["shape"]),
    ).properties(
        width=COLUMN - 100,
        height=step,
        title=heading(
            f"Random relevance, {result.draws:,} draws",
            "line: 5 to 95 %, bar: quartiles, point: mean",
            f"mean d_rank: {', '.join(distances)}" if distances else "",
        ),
    )


def uniques(result: UniquesStudy) -> Drawing:
    """Each system's score with all judgments and without its group's unique ones; a panel per measure."""
    import altair

    panels = []
    for measure in result.measures:
        rows = [
            {
                "system": label(one.system, 200), "group": label(one.group, 200), "with": one.score,
                "without": one.score_without, "rank": one.rank, "rank without": one.rank_without,
                "kind": "falls in rank" if one.moved > 0.0 else "keeps its rank or rises",
            }
            for one in result.changes
            if one.measure == measure
        ]  # fmt: skip
        ends = [min(row["without"] for row in rows), max(row["with"] for row in rows)]
        line = [{"with": end, "without": end} for end in ends]
        scale = altair.Scale(zero=False)
        chosen = _coefficient(result.coefficients)
        found = next((a for a in result.agreements if (a.measure, a.coefficient) == (measure, chosen)), None)
        said = "" if found is None else f"{coefficient(chosen).symbol} {found.value:.3f} with the reference"
        points = (
            altair.Chart(rows_of(rows))
            .mark_point(filled=True, size=26)
            .encode(
                x=altair.X("with:Q", title=f"{label(measure)}, all judgments (higher is better)", scale=scale),
                y=altair.Y("without:Q", title="without own unique documents", scale=scale),
                tooltip=["system:N", "group:N", "with:Q", "without:Q", "rank:Q", "rank without:Q"],
                **categories(
                    ("keeps its rank or rises", "falls in rank"), (GREY, VERMILION), ("circle", "triangle-down")
                ),
            )
        )
        panels.append(
            altair.layer(
                altair.Chart(rows_of(line)).mark_line(style="reference").encode(x="with:Q", y="without:Q"), points
            ).properties(width=PAGE // 2 - 90, height=PAGE // 2 - 90, title=heading(measure, said))
        )
    return panels[0] if len(panels) == 1 else altair.concat(*panels, columns=2)


def depth_cost(result: DepthCostStudy) -> Drawing:
    """Agreement against cost, a line per way to save judgments, the target, and the cheapest that reaches it."""
    import altair

    panels = []
    named = {way: text for way, text in _WAYS.items() if any(one.way == way for one in result.points)}
    kinds = [
        text if way != "judge" else f"{label(judge)} for the rest"
        for way, text in named.items()
        for judge in (result.judges if way == "judge" else ("",))
    ]
    for measure in result.measures:
        rows = [
            {
                "cost": one.cost, "value": one.value, "judgments": one.judgments, "depth": one.depth,
                "fraction": one.fraction,
                "kind": _WAYS[one.way] if one.way != "judge" else f"{label(one.judge or '')} for the rest",
            }
            for one in result.points
            if (one.measure, one.coefficient) == (measure, result.coefficient)
        ]  # fmt: skip
        best = [
            {"cost": one.point.cost, "value": one.point.value}
            for one in result.cheapest
            if one.measure == measure and one.overall and one.point is not None
        ]
        encoding = categories(kinds)
        base = altair.Chart(rows_of(rows)).encode(
            x=altair.X("cost:Q", title="cost, in judgments"),
            y=altair.Y(
                "value:Q",
                title=f"{coefficient(result.coefficient).symbol} with the truth (1 is perfect)",
                scale=altair.Scale(zero=False),
            ),
            color=encoding["color"],
            tooltip=[
                "kind:N",
                "cost:Q",
                "judgments:Q",
                "depth:Q",
                "fraction:Q",
                altair.Tooltip("value:Q", format=".4f"),
            ],
        )
        dashes = altair.Scale(domain=kinds, range=[DASHES[i % len(DASHES)] for i in range(len(kinds))])
        layers = [
            altair.Chart(rows_of([{"y": result.target}])).mark_rule(style="reference").encode(y="y:Q"),
            base.mark_line().encode(order="cost:Q", strokeDash=altair.StrokeDash("kind:N", title=None, scale=dashes)),
            base.mark_point(filled=True, size=28).encode(shape=encoding["shape"]),
        ]
        said = f"no way reaches {result.target:g}"
        if best:
            said = f"{result.target:g} is reached for {best[0]['cost']:,.0f} of {result.judgments:,}"
            ring = altair.Chart(rows_of(best)).mark_point(style="hollow", size=150, color=BLUE)
            layers.append(ring.encode(x="cost:Q", y="value:Q"))
        panels.append(altair.layer(*layers).properties(width=PAGE // 2 - 90, height=190, title=heading(measure, said)))
    return panels[0] if len(panels) == 1 else altair.concat(*panels, columns=2)
