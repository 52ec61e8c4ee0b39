"""Judges against the truth: what a topic of each is worth, and each one's coefficients, pairs, and top."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from rankscope.results import plain
from rankscope.studies.comparison_result import Comparison, EstimateComparison
from rankscope.studies.judging.answers import JudgeAnswer, JudgeReport
from rankscope.studies.pair_certainty import PairCertainty
from rankscope.studies.verdict import LEVELS, Verdict

_STEP = 24
# From the most favourable level to the least; the one that claims nothing is grey.
LEVEL_COLOURS = dict(zip(LEVELS, (BLUE, SKY, GREEN, ORANGE, GREY, VERMILION, PURPLE), strict=True))
LEVEL_SHAPES = dict(zip(LEVELS, SHAPES, strict=False))
# Worth is drawn by its logarithm between these; what lies beyond is drawn at the edge.
_LEAST_WORTH, _MOST_WORTH = 1.0 / 64.0, 8.0
_WORTH_TICKS = (1 / 64, 1 / 16, 1 / 4, 1 / 2, 1, 2, 4, 8)


def judges(report: JudgeReport) -> Drawing:
    """What a topic of every judge is worth, a panel per measure."""
    import altair

    panels = [judges_panel(report, measure) for measure in report.measures]
    return panels[0] if len(panels) == 1 else altair.vconcat(*panels)


def judges_panel(report: JudgeReport, measure: str) -> Drawing:
    """The judges under one measure, the highest worth first."""
    answers = [a for a in report.answers if a.measure == measure]
    return worth_panel([a.verdict for a in answers], measure)


def worth(result: Comparison) -> Drawing:
    """What a topic of every estimate is worth."""
    from rankscope.errors import BadParameter

    verdicts = [e.verdict for e in result.estimates if e.verdict is not None]
    if not verdicts:
        raise BadParameter("there is no worth to draw: it takes scores by topic on both sides")
    return worth_panel(verdicts)


def worth_panel(verdicts: Sequence[Verdict], title: str | None = None) -> Drawing:
    """Worth with its interval on a logarithmic axis, the highest first, before the margins and one human topic."""
    import altair

    from rankscope.errors import BadParameter

    known = [(v, v.worth) for v in verdicts if v.worth is not None]
    if not known:
        raise BadParameter("there is no worth to draw: there are too few topics or systems, or the truth ranks nothing")
    known.sort(key=lambda pair: -pair[1].worth)
    names = distinct([v.estimate for v, _ in known], 30)
    rows: list[Row] = [
        {
            "judge": name,
            "worth": plain(w.worth),
            "low": w.interval.low,
            "high": plain(w.interval.high),
            "at": _on_axis(w.worth),
            "from": _on_axis(w.interval.low),
            "to": _on_axis(w.interval.high),
            "beyond random labels": None if v.own_worth is None else plain(v.own_worth.worth),
            "expected τ": w.tau_judge,
            "kind": v.level,
        }
        for name, (v, w) in zip(names, known, strict=True)
    ]
    scale = altair.Scale(type="log", domain=[_LEAST_WORTH, _MOST_WORTH], nice=False)
    # As fractions, which is how one thinks of a half or a quarter of a topic.
    ticks = altair.Axis(
        values=list(_WORTH_TICKS), labelExpr="datum.value < 1 ? '1/' + format(1 / datum.value, 'd') : datum.value"
    )
    x = altair.X(
        "at:Q", title=f"worth of a topic, in topics of {label(known[0][0].truth, 30)}", scale=scale, axis=ticks
    )
    y = altair.Y("judge:N", title=None, sort=None, scale=altair.Scale(domain=names))
    tips = [
        altair.Tooltip("judge:N"),
        altair.Tooltip("kind:N", title="verdict"),
        *(
            altair.Tooltip(f"{name}:Q", format=".3f")
            for name in ("worth", "low", "high", "beyond random labels", "expected τ")
        ),
    ]
    base = altair.Chart(rows_of(rows)).encode(y=y, tooltip=tips)
    rule = known[0][0].rule
    said = f"dashed: interchangeable from {rule.interchangeable:g}, substitute from {rule.substitute:g}"
    margins = rows_of([{"at": rule.interchangeable}, {"at": rule.substitute}])
    kinds = [level for level in LEVELS if any(row["kind"] == level for row in rows)]
    encoding = categories(kinds, [LEVEL_COLOURS[k] for k in kinds], [LEVEL_SHAPES[k] for k in kinds])
    return altair.layer(
        altair.Chart(rows_of([{"at": 1.0}])).mark_rule(style="faint").encode(x=altair.X("at:Q")),
        altair.Chart(margins).mark_rule(style="reference").encode(x=altair.X("at:Q")),
        base.mark_rule(strokeWidth=2).encode(x=altair.X("from:Q"), x2=altair.X2("to:Q"), color=encoding["color"]),
        base.mark_point(filled=True, size=90, opacity=1).encode(x=x, **encoding),
    ).properties(width=COLUMN, height=altair.Step(_STEP), title=heading(title, said))


def _on_axis(worth: float) -> float:
    return min(max(worth, _LEAST_WORTH), _MOST_WORTH)


def coefficients(report: JudgeReport) -> Drawing:
    """Every judge's coefficients beside what random labels reach."""
    return _panels(report, coefficients_beside_chance)


def coefficients_beside_chance(answer: JudgeAnswer) -> Drawing:
    """One judge's coefficients; grey is what random labels give, from the mean to what 97.5 % stay below."""
    chance = None
    if answer.chance is not None:
        chance = {f.name: (f.mean, f.high) for f in answer.chance.values if f.mean is not None and f.high is not None}
    return coefficients_panel([answer.agreement], chance=chance)


def ranks(report: JudgeReport) -> Drawing:
    """Every judge's ranks beside the truth's."""
    return _panels(report, lambda a: ranks_panel(a.agreement))


def discordance(report: JudgeReport) -> Drawing:
    """Which pairs each judge swaps."""
    return _panels(report, lambda a: discordance_panel(a.agreement, PAGE // 2 - 80))


_ORDERS = ("in the same order", "in opposite orders", "not significant")


def certainty(report: JudgeReport) -> Drawing:
    """Which pairs each side finds significantly different, for every judge."""

    def panel(answer: JudgeAnswer) -> Drawing | None:
        found = answer.agreement.certainty
        return None if found is None else certainty_panel(found, report.truth, answer.judge)

    return _panels(report, panel)


def certainty_panel(found: PairCertainty, truth: str, estimate: str) -> Drawing:
    """Pairs of systems by which side finds them significantly different and whether both order them alike."""
    import altair

    who_finds = ("both", f"{label(estimate, 18)} alone", f"{label(truth, 18)} alone", "neither")
    counts = (
        (who_finds[0], _ORDERS[0], found.both_alike),
        (who_finds[0], _ORDERS[1], found.both_opposite),
        (who_finds[1], _ORDERS[0], found.judge_only_alike),
        (who_finds[1], _ORDERS[1], found.judge_only_opposite),
        (who_finds[2], _ORDERS[0], found.truth_only_alike),
        (who_finds[2], _ORDERS[1], found.truth_only_opposite),
        (who_finds[3], _ORDERS[2], found.neither),
    )
    rows = [
        {"who": who, "kind": kind, "pairs": pairs, "share": pairs / max(1, found.pairs), "place": place}
        for place, (who, kind, pairs) in enumerate(counts)
    ]
    # Beyond the end of each row, how many are opposite: a thin slice is easily missed.
    notes: list[Row] = [
        {"who": who, "end": sum(n for w, _, n in counts if w == who), "text": _said(who, counts)} for who in who_finds
    ]
    y = altair.Y("who:N", title="significantly different by", sort=None, scale=altair.Scale(domain=list(who_finds)))
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
    said = heading(label(estimate), f"{found.test}, p ≤ {found.alpha:g}{how}")
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
