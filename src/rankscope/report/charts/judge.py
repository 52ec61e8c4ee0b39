"""Judges against the truth: all at a glance, and each one's coefficients between floor and ceiling, pairs, and top."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rankscope.report.charts.coefficients import coefficients_panel
from rankscope.report.charts.pairs import discordance_panel
from rankscope.report.charts.parts import Drawing, Row, categories, distinct, rows_of
from rankscope.report.charts.ranks import ranks_panel
from rankscope.report.theme import (
    BLUE,
    COLUMN,
    GREEN,
    GREY,
    ORANGE,
    PAGE,
    PALETTE,
    PURPLE,
    SHAPES,
    SKY,
    VERMILION,
    heading,
    label,
    mean_of,
)
from rankscope.studies.judging.ceiling import Ceiling
from rankscope.studies.judging.certainty import PairCertainty
from rankscope.studies.judging.parts import JudgeAnswer, JudgeReport
from rankscope.studies.judging.verdict import LEVELS
from rankscope.studies.parts import EstimateComparison

_STEP = 24
# From the best verdict to the worst, and the one that says nothing.
LEVEL_COLOURS = dict(zip(LEVELS, (BLUE, SKY, ORANGE, VERMILION, PURPLE, GREY), strict=True))
LEVEL_SHAPES = dict(zip(LEVELS, SHAPES, strict=False))


def judges(report: JudgeReport) -> Drawing:
    """τ of every judge with its interval, before what fresh topics give and what shuffled labels give."""
    import altair

    panels = [judges_panel(report, measure) for measure in report.measures]
    return panels[0] if len(panels) == 1 else altair.vconcat(*panels)


def judges_panel(report: JudgeReport, measure: str) -> Drawing:
    """The judges under one measure, the best first."""
    import altair

    answers = {a.judge: a for a in report.answers if a.measure == measure}
    order = [place.judge for place in report.places if place.measure == measure]
    shown = dict(zip(order, distinct(order, 30), strict=True))
    rows: list[Row] = []
    for judge, text in shown.items():
        a = answers[judge]
        tau = a.agreement["tau_b"]
        floor = None if a.floor is None else a.floor["tau_b"]
        rows.append(
            {
                "judge": text,
                "τ": tau.value,
                "low": None if tau.interval is None else tau.interval.low,
                "high": None if tau.interval is None else tau.interval.high,
                "shuffled": None if floor is None else floor.mean,
                "shuffled high": None if floor is None else floor.high,
                "kind": a.verdict.level,
            }
        )
    x = altair.X("τ:Q", title="Kendall's τ with the truth (1 is perfect)", scale=altair.Scale(zero=False, nice=True))
    y = altair.Y("judge:N", title=None, sort=None, scale=altair.Scale(domain=list(shown.values())))
    tips = [
        altair.Tooltip("judge:N"),
        altair.Tooltip("kind:N", title="verdict"),
        *(altair.Tooltip(f"{name}:Q", format=".3f") for name in ("τ", "low", "high", "shuffled", "shuffled high")),
    ]
    base = altair.Chart(rows_of(rows)).encode(y=y, tooltip=tips)
    layers: list[Any] = []
    fresh = _fresh(report, measure)
    if fresh is not None:
        band = rows_of([{"low": fresh.interval.low, "high": fresh.interval.high, "mean": fresh.mean}])
        tip = [
            altair.Tooltip(f"{name}:Q", title=f"fresh topics, {name}", format=".3f") for name in ("mean", "low", "high")
        ]
        layers.append(
            altair.Chart(band)
            .mark_rect(color=GREEN, opacity=0.22)
            .encode(x=altair.X("low:Q"), x2=altair.X2("high:Q"), tooltip=tip)
        )
        layers.append(
            altair.Chart(band).mark_rule(color=GREEN, strokeWidth=1.5).encode(x=altair.X("mean:Q"), tooltip=tip)
        )
    kinds = [level for level in LEVELS if any(row["kind"] == level for row in rows)]
    encoding = categories(kinds, [LEVEL_COLOURS[k] for k in kinds], [LEVEL_SHAPES[k] for k in kinds])
    layers += [
        base.mark_bar(color=GREY, opacity=0.35, height=6).encode(
            x=altair.X("shuffled:Q"), x2=altair.X2("shuffled high:Q")
        ),
        base.mark_rule(strokeWidth=2).encode(x=altair.X("low:Q"), x2=altair.X2("high:Q"), color=encoding["color"]),
        base.mark_point(filled=True, size=90, opacity=1).encode(x=x, **encoding),
    ]
    note = "" if fresh is None else "green: what fresh topics give; "
    title = heading(measure, f"{note}grey: what shuffled labels give, from the mean to 97.5 %")
    return altair.layer(*layers).properties(width=COLUMN, height=altair.Step(_STEP), title=title)


def _fresh(report: JudgeReport, measure: str) -> Any:
    ceiling = report.truth_under(measure).ceiling
    found = None if ceiling is None else ceiling["tau_b"]
    return None if found is None or found.mean != found.mean else found


def coefficients(report: JudgeReport) -> Drawing:
    """Every judge's coefficients between floor and ceiling."""
    return _panels(report, lambda a: bounded_coefficients(a, report.truth_under(a.measure).ceiling))


def bounded_coefficients(answer: JudgeAnswer, ceiling: Ceiling | None) -> Drawing:
    """One judge's coefficients: green is the range that fresh topics give, grey what shuffled labels give."""
    upper = None
    if ceiling is not None:
        upper = {f.name: (f.interval.low, f.interval.high) for f in ceiling.fresh if f.mean == f.mean}
    lower = None
    if answer.floor is not None:
        lower = {f.name: (f.mean, f.high) for f in answer.floor.values if f.mean is not None and f.high is not None}
    return coefficients_panel([answer.agreement], ceiling=upper, floor=lower)


def ranks(report: JudgeReport) -> Drawing:
    """Every judge's ranks beside the truth's."""
    return _panels(report, lambda a: ranks_panel(a.agreement))


def discordance(report: JudgeReport) -> Drawing:
    """Which pairs each judge swaps."""
    return _panels(report, lambda a: discordance_panel(a.agreement, PAGE // 2 - 80))


_WHO = ("both", "the judge alone", "the truth alone", "neither")
_ORDERS = ("in the same order", "in opposite orders", "not told apart")


def certainty(report: JudgeReport) -> Drawing:
    """Who tells which pairs apart, for every judge."""
    return _panels(report, lambda a: None if a.certainty is None else certainty_panel(a.certainty, label(a.judge)))


def certainty_panel(found: PairCertainty, title: str | None = None) -> Drawing:
    """Pairs of systems by who tells them apart and whether the two sides order them alike."""
    import altair

    counts = (
        (_WHO[0], _ORDERS[0], found.both_alike),
        (_WHO[0], _ORDERS[1], found.both_opposite),
        (_WHO[1], _ORDERS[0], found.judge_only_alike),
        (_WHO[1], _ORDERS[1], found.judge_only_opposite),
        (_WHO[2], _ORDERS[0], found.truth_only_alike),
        (_WHO[2], _ORDERS[1], found.truth_only_opposite),
        (_WHO[3], _ORDERS[2], found.neither),
    )
    rows = [
        {"who": who, "kind": kind, "pairs": pairs, "share": pairs / max(1, found.pairs), "place": place}
        for place, (who, kind, pairs) in enumerate(counts)
    ]
    # Beyond the end of each row, how many are opposite: a thin slice is easily missed.
    notes: list[Row] = [
        {"who": who, "end": sum(n for w, _, n in counts if w == who), "text": _said(who, counts)} for who in _WHO
    ]
    y = altair.Y("who:N", title="told apart by", sort=None, scale=altair.Scale(domain=list(_WHO)))
    colours = altair.Scale(domain=list(_ORDERS), range=[BLUE, VERMILION, GREY])
    longest = max(row["end"] for row in notes)
    bars = (
        altair.Chart(rows_of(rows))
        .mark_bar(opacity=0.9)
        .encode(
            y=y,
            x=altair.X("pairs:Q", title="pairs of systems", scale=altair.Scale(domain=[0, 1.3 * longest], nice=False)),
            order=altair.Order("place:Q"),
            color=altair.Color("kind:N", title=None, scale=colours),
            tooltip=[
                altair.Tooltip("who:N"),
                altair.Tooltip("kind:N"),
                altair.Tooltip("pairs:Q", format=","),
                altair.Tooltip("share:Q", format=".1%"),
            ],
        )
    )
    texts = (
        altair.Chart(rows_of(notes))
        .mark_text(style="label", align="left", dx=4)
        .encode(y=y, x=altair.X("end:Q"), text=altair.Text("text:N"))
    )
    how = "" if found.correction == "none" else f", {found.correction} corrected"
    said = heading(title, f"{found.test}, p ≤ {found.alpha:g}{how}")
    return altair.layer(bars, texts).properties(width=COLUMN, height=altair.Step(30), title=said)


def _said(who: str, counts: Any) -> str:
    here = [(kind, pairs) for name, kind, pairs in counts if name == who]
    opposite = sum(pairs for kind, pairs in here if kind == _ORDERS[1])
    total = sum(pairs for _, pairs in here)
    return f"{total:,}" + (f", {opposite:,} opposite" if opposite else "")


def top(report: JudgeReport) -> Drawing:
    """The best systems on either side, for every judge."""
    return _panels(report, lambda a: top_panel(a.agreement, report.settings["top"]))


def top_panel(estimate: EstimateComparison, k: int) -> Drawing:
    """The systems that are among the best k on either side, in the truth's order, with both means and their bars."""
    import altair

    best = [s for s in estimate.systems if min(s.truth_rank, s.estimate_rank) <= k][: 3 * k]
    best.sort(key=lambda s: (s.truth_rank, s.estimate_rank, s.system))
    names = distinct([f"{label(s.system, 24)}  {s.truth_rank:g} → {s.estimate_rank:g}" for s in best], 60)
    kinds = ("truth", "estimate")
    rows = [
        {
            "row": name,
            "system": label(s.system, 200),
            "kind": kind,
            "mean": getattr(s, kind),
            "low": getattr(s, f"{kind}_low"),
            "high": getattr(s, f"{kind}_high"),
            "rank": getattr(s, f"{kind}_rank"),
        }
        for name, s in zip(names, best, strict=True)
        for kind in kinds
    ]
    base = altair.Chart(rows_of(rows)).encode(
        y=altair.Y(
            "row:N",
            title=None,
            sort=None,
            scale=altair.Scale(domain=names),
            axis=altair.Axis(grid=True, labelLimit=230),
        ),
        yOffset=altair.YOffset("kind:N", scale=altair.Scale(domain=list(kinds), paddingOuter=0.5)),
        tooltip=[
            altair.Tooltip("system:N"),
            altair.Tooltip("kind:N"),
            *(altair.Tooltip(f"{f}:Q", format=".4f") for f in ("mean", "low", "high")),
            altair.Tooltip("rank:Q"),
        ],
    )
    encoding = categories(kinds, (BLUE, ORANGE), ("circle", "square"))
    x = altair.X("mean:Q", title=mean_of(estimate.measure), scale=altair.Scale(zero=False))
    title = heading(label(estimate.name), f"the best {k} on either side, ranks in the truth → in the estimate")
    layers = [base.mark_point(filled=True, size=55).encode(x=x, **encoding)]
    if any(row["low"] is not None for row in rows):
        layers.insert(
            0,
            base.mark_rule(strokeWidth=1.6).encode(
                x=altair.X("low:Q"), x2=altair.X2("high:Q"), color=encoding["color"]
            ),
        )
    step: Any = altair.Step(22, **{"for": "position"})
    return altair.layer(*layers).properties(width=COLUMN - 60, height=step, title=title)


def _panels(report: JudgeReport, draw: Callable[[JudgeAnswer], Any]) -> Drawing:
    """A panel per judge and measure that has one, two in a row."""
    import altair

    from rankscope.errors import BadParameter

    panels = []
    for answer in report.answers:
        panel = draw(answer)
        if panel is not None:
            said = (
                label(answer.judge) if len(report.measures) == 1 else f"{label(answer.judge)}, {label(answer.measure)}"
            )
            panels.append(panel.properties(title=heading(said)))
    if not panels:
        raise BadParameter("there is nothing to draw: no judge has what this chart shows")
    return panels[0] if len(panels) == 1 else altair.concat(*panels, columns=2)


def group_kinds(groups: dict[str, str] | None) -> dict[str, str]:
    """Groups by system as a chart shows them: those beyond what colours can tell apart are one."""
    if groups is None:
        return {}
    sizes: dict[str, int] = {}
    for group in groups.values():
        sizes[group] = sizes.get(group, 0) + 1
    most = len(PALETTE)
    order = sorted(sizes, key=lambda g: (-sizes[g], g))
    kept = order if len(order) <= most else order[: most - 1]
    shown = dict(zip(kept, distinct(kept, 24), strict=True))
    return {system: shown.get(group, "other groups") for system, group in groups.items()}
