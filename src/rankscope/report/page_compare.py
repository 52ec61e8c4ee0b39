"""The page of a comparison of two sides: its figures, texts, tables and notes, which `judge`'s page has too."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import rankscope as rs
from rankscope.inference.topic_level import TopicValue
from rankscope.report.bars import worth_place
from rankscope.report.blocks import Sentence
from rankscope.report.charts.coefficients import coefficients_panel
from rankscope.report.charts.pairs import certainty_panel, discordance_panel
from rankscope.report.charts.ranks import ranks_panel
from rankscope.report.charts.scores import scores_panel, top_panel
from rankscope.report.charts.sides import Sides, sides_of
from rankscope.report.charts.worth import worth_panel
from rankscope.report.numbers import DASH, counted, interval_text, percent, score_digits, two, worth_number
from rankscope.report.page_method import comparison_methods, provenance
from rankscope.report.page_model import (
    NAME,
    AnswerLine,
    Column,
    Figure,
    Method,
    Number,
    Page,
    PageTable,
    Place,
    Section,
    Tabs,
    View,
)
from rankscope.report.sentences import (
    agreement_sentence,
    cluster_sentences,
    comparison_sentences,
    kendall,
    main_reason,
    reason_rows,
    topics_of,
    verdict_headline,
    verdict_sentences,
    warning_text,
)
from rankscope.report.terminal_compare import over
from rankscope.report.theme import label
from rankscope.report.units import TOPIC, in_units
from rankscope.results import Interval
from rankscope.studies.clusters import SystemCluster
from rankscope.studies.comparison_result import EstimateComparison
from rankscope.studies.decisiveness import Decisiveness
from rankscope.studies.groups import GroupShift

# The swaps on a page, of all comparisons together; further swaps are only counted.
_SWAPS, _LEAST_SWAPS = 24_000, 200
_SIDE = 420
# Names stand on both sides of the ranks; with less, they leave no room for the lines between them.
_RANKS = 300
TIES = ("Ties", "tied systems share their mean rank; each coefficient's own rule is in the method notes")
_MISSING = {
    "error": "none allowed",
    "intersect": "left out where one side lacks them",
    "zero": "scored 0 where missing",
}


def compare_page(result: rs.Comparison | rs.ComparisonByMeasure) -> Page:
    """The page of `compare`: a view per estimate, and per measure if there are several."""
    comparisons = (result,) if isinstance(result, rs.Comparison) else result.comparisons
    truth, estimates = comparisons[0].truth, comparisons[0].estimates
    every = [e for comparison in comparisons for e in comparison.estimates]
    systems, _, on = over(every).partition(" on ")
    units = {e.unit for e in every}
    unit = units.pop() if len(units) == 1 else TOPIC
    topics = in_units(f" on {on}" if on else "", unit)
    by = [c.truth.measure for c in comparisons if c.truth.measure is not None]
    measure = f", by {', '.join(by)}" if by else ""
    several = len(comparisons) > 1
    alone = len(estimates) == 1
    asked = f"Does {label(estimates[0].name)}" if alone else f"Do these {len(estimates)} estimates"
    measures = {m for m in (*by, *(e.measure for e in every)) if m is not None}
    methods = comparison_methods(every, sorted(measures), result.settings["resamples"])
    views, lines, shown = [], [], iter(page_sides(result))
    for j, comparison in enumerate(comparisons):
        for i, e in enumerate(comparison.estimates):
            at, names = ((i, j), (e.name, by[j])) if several else ((i,), (e.name,))
            view = comparison_view(next(shown), truth.name, at, comparison.estimates)
            if comparison.contrasts:
                view = replace(view, tables={**view.tables, "contrasts": _contrasts(comparison)})
            views.append(view)
            lines.append(answer_line(at, names, e, truth.name))
    if any(comparison.contrasts for comparison in comparisons):
        text = "Differences in agreement over the same draws of topics; p adjusted (Holm) over all pairs of estimates."
        methods.append(Method("Estimates against each other", text, "Holm 1979"))
    methods = [
        replace(method, text=in_units(method.text, unit), title=in_units(method.title, unit)) for method in methods
    ]
    facts = [
        ("Truth", truth.name),
        ("Estimates", ", ".join(e.name for e in estimates)),
        (in_units("Systems and topics", unit), f"{systems}{topics}{measure}"),
        TIES,
        ("Missing", _MISSING.get(str(result.settings.get("on_missing")), DASH)),
    ]
    sections = comparison_sections(more=(Section("topics", "Which topics?"),))
    return Page(
        title=f"{asked} rank {systems} as {label(truth.name)} does?",
        lead=f"{systems}{topics}{measure}.",
        tabs=(
            Tabs("estimate", "Estimate", tuple(e.name for e in estimates)),
            *([Tabs("measure", "Measure", tuple(by))] if several else []),
        ),
        sections=tuple(_section_in_units(section, unit) for section in sections),
        views=tuple(views),
        systems=tuple(label(s.system, NAME) for s in estimates[0].systems),
        answers=tuple(lines),
        remarks=tuple(dict.fromkeys(str(remark) for comparison in comparisons for remark in comparison.remarks)),
        methods=tuple(methods),
        provenance=provenance(result, facts),
        unit=unit,
    )


def _section_in_units(section: Section, unit: str) -> Section:
    places = tuple(replace(place, title=in_units(place.title, unit)) for place in section.figures)
    return replace(section, title=in_units(section.title, unit), figures=places)


def page_sides(result: rs.Comparison | rs.ComparisonByMeasure | rs.JudgeReport) -> list[Sides]:
    """The comparisons of a result, each with the swaps that a page has room for."""
    compared = sides_of(result)
    most = max(_LEAST_SWAPS, _SWAPS // len(compared))
    return [
        replace(sides, comparison=replace(sides.comparison, swaps=sides.comparison.swaps[:most])) for sides in compared
    ]


def comparison_sections(
    coefficients: str = "By which coefficient?", more: tuple[Section, ...] = ()
) -> tuple[Section, ...]:
    """The sections of a page, in the order of a reader's questions; `more` follow those on the comparison."""
    return (
        Section("worth", "What is a topic worth?", (Place("worth", "Worth of a topic", wide=True),)),
        Section(
            "agree",
            "Do they agree?",
            (Place("scores", "Scores against scores"), Place("ranks", "Ranks side by side", least=_RANKS)),
        ),
        Section("coefficients", coefficients, (Place("coefficients", "Every coefficient", wide=True),)),
        Section("top", "At the top?", (Place("top", "The best systems", wide=True),)),
        Section(
            "pairs",
            "Which pairs?",
            (
                Place("discordance", "Pairs that change order", fixed=True),
                Place("certainty", "Significantly different pairs"),
            ),
        ),
        *more,
        Section("tests", "Other tests"),
    )


def answer_line(at: tuple[int, ...], names: tuple[str, ...], e: EstimateComparison, truth: str) -> AnswerLine:
    """A comparison in a line: verdict, worth, expected τ, and what speaks against it most."""
    worth = None if e.verdict is None else e.verdict.worth
    ends = bar = None
    if worth is not None:
        ends = (worth.interval.low, worth.interval.high)
        bar = (worth_place(worth.worth), worth_place(ends[0]), worth_place(ends[1]))
    return AnswerLine(
        at=at,
        names=names,
        level="" if e.verdict is None else e.verdict.level,
        worth=DASH if worth is None else worth_number(worth.worth),
        interval="" if ends is None else f"{worth_number(ends[0])} to {worth_number(ends[1])}",
        bar=bar,
        expected=two(None if worth is None else worth.tau_judge),
        against=agreement_sentence(e, truth) if e.verdict is None else main_reason(e.verdict),
    )


def comparison_view(sides: Sides, truth: str, at: tuple[int, ...], peers: Sequence[EstimateComparison]) -> View:
    """The view of one comparison beside its peers, which are the comparisons by the same measure."""
    e = sides.comparison
    texts = _texts(e, truth)
    return View(
        at=at,
        level="" if e.verdict is None else e.verdict.level,
        sentence=agreement_sentence(e, truth) if e.verdict is None else verdict_headline(e.verdict),
        numbers=_numbers(e) if e.verdict is None else _verdict_numbers(e.verdict, e),
        reasons=() if e.verdict is None else tuple(reason_rows(e.verdict)),
        texts=texts,
        figures=_figures(sides, texts, [p.verdict for p in peers if p.verdict is not None]),
        tables=_tables(sides, peers),
    )


def texts_of(sentences: Sequence[Sentence], *kinds: str) -> list[str]:
    """The texts of the sentences of these kinds."""
    return [sentence.text for sentence in sentences if sentence.kind in kinds]


def _texts(e: EstimateComparison, truth: str) -> dict[str, list[str]]:
    said = comparison_sentences(e, truth)
    verdict = [] if e.verdict is None else verdict_sentences(e.verdict)
    return {
        "worth": texts_of(verdict, "worth", "expected", "cap", "population"),
        "agree": texts_of(said, "two samples", "agreement", "undefined", "no interval", "unknown", "left out"),
        "coefficients": texts_of(said, "chance"),
        "top": texts_of(said, "winner", "top"),
        "pairs": texts_of(said, "swaps", "significant", "certainty", "ties"),
        "topics": [*texts_of(said, "topics"), *texts_of(cluster_sentences(e), "clusters")],
        "tests": texts_of(said, "rank distance", "permutation"),
    }


def _numbers(e: EstimateComparison) -> tuple[Number, ...]:
    """The numbers at the top without topics, where worth is unknown."""
    tau = kendall(e)
    return (
        Number(
            f"{tau.symbol}, agreement of the rankings",
            two(tau.value),
            "no interval" if tau.interval is None else interval_text(tau.interval),
        ),
        Number(
            "pairs that change order",
            percent(e.swap_count / e.pairs) if e.pairs else DASH,
            f"{e.swap_count:,} of {e.pairs:,}",
        ),
        Number(
            "winner",
            {True: "same", False: "other", None: DASH}[e.winner.same],
            "a side scores all systems alike" if e.winner.estimate is None else label(e.winner.estimate),
        ),
    )


def _verdict_numbers(verdict: rs.Verdict, e: EstimateComparison) -> tuple[Number, ...]:
    """The numbers at the top: worth, expected τ with the true ranking, agreement."""
    worth, tau = verdict.worth, kendall(e)
    truth, estimate = label(verdict.truth, 24), label(verdict.estimate, 24)
    note = "no interval" if tau.interval is None else interval_text(tau.interval)
    numbers = (
        Number(
            f"{topics_of(verdict.truth, 2.0).removeprefix('2 ')} that a topic of {estimate} is worth",
            worth_number(None if worth is None else worth.worth),
            "too little data to tell" if worth is None else interval_text(worth.interval, number="worth"),
        ),
        Number(
            f"expected τ of {estimate} with the true ranking",
            two(None if worth is None else worth.tau_judge),
            "" if worth is None else f"{truth}: {two(worth.tau_human)}, both by {counted(worth.topics, 'topic')}",
        ),
        Number(
            f"{tau.symbol}, agreement with {truth}{'' if e.paired is False else ' on these topics'}",
            two(tau.value),
            note if math.isfinite(tau.value) else "a side scores all systems alike",
        ),
    )
    unit, names = verdict.unit, (truth, estimate)
    return tuple(
        replace(one, label=in_units(one.label, unit, names), note=in_units(one.note, unit, names)) for one in numbers
    )


def _figures(sides: Sides, texts: dict[str, list[str]], verdicts: Sequence[rs.Verdict]) -> dict[str, Figure]:
    e, truth, estimate, level = sides.comparison, sides.truth, sides.estimate, percent(sides.level)
    numbers = "The numbers are in the table of all systems."
    intervals = f", with {level} intervals" if any(s.truth_low is not None for s in e.systems) else ""
    equal = "; on the dashed line both are equal" if e.measure == sides.truth_measure else ""
    colour = "Colour and shape are the group." if sides.groups else "Colour and shape say whether a system is swapped."
    lines = f" Red lines join swapped pairs that {truth} finds significantly different."
    emphasised = "cross that of a significantly different system"
    if e.separation is None:
        lines, emphasised = "", "move by more than a tenth of the ranking"
    bars = f", with {level} intervals" if any(c.interval is not None for c in e.coefficients) else ""
    over = " for the mean over samples of the same number of topics" if bars and e.paired else ""
    random = f"Grey: {sides.dealt}, from their mean to the value that 97.5 % of the draws stay below."
    figures = {
        "scores": Figure(
            scores_panel(sides, _SIDE),
            f"Each system's mean {label(e.measure or 'score')} by {truth} and by {estimate}{intervals}{equal}. {colour}"
            f"{lines}",
            f"Scatter plot of {len(e.systems)} systems, {truth} against {estimate}: {' '.join(texts['agree'][:1])} "
            f"{numbers}",
        ),
        "ranks": Figure(
            ranks_panel(sides),
            f"Ranks by {truth} (left) and by {estimate} (right), 1 is best. Strong lines {emphasised}.",
            f"Ranks of {len(e.systems)} systems on both sides. {numbers}",
        ),
        "coefficients": Figure(
            coefficients_panel([sides]),
            f"Agreement with {truth} by every coefficient{bars}{over}. {random if sides.chance else ''}".strip(),
            f"Coefficients of {estimate} with {truth}. The numbers are in the table of every coefficient.",
        ),
        "top": Figure(
            top_panel(sides),
            f"Systems among the best {sides.top} of either side, in the order of {truth}; beside each name its rank by "
            f"{truth} → by {estimate}. Scores of different scales are drawn in standard deviations.",
            f"Mean scores of the best systems on either side. {' '.join(texts['top'])} {numbers}",
        ),
        "discordance": Figure(
            discordance_panel(sides, _SIDE),
            "Every cell is a pair of systems; marked cells change order."
            + ("" if len(e.swaps) == e.swap_count else f" The {len(e.swaps):,} with the largest gap are shown."),
            f"Square of pairs of systems: {e.swap_count} of {e.pairs} change order. They are in the table of swapped "
            "pairs.",
        ),
    }
    certainty = certainty_panel(sides)
    if certainty is not None:
        figures["certainty"] = Figure(
            certainty,
            "Pairs of systems by the side that finds them significantly different, and whether both order them alike.",
            f"Bars. {' '.join(texts['pairs'])}",
        )
    if any(verdict.worth is not None for verdict in verdicts):
        figures["worth"] = Figure(
            worth_panel(verdicts),
            f"Worth of a topic in topics of {truth}, with {level} bounds; 1 is as good. Dashed: the margins of the "
            "rule. Colour and shape are the verdict.",
            "Worth of a topic with bounds. The numbers are in the table of verdicts.",
        )
    return {
        name: replace(figure, caption=in_units(figure.caption, e.unit, (truth, estimate)))
        for name, figure in figures.items()
    }


def ends(interval: Interval | None) -> tuple[float, float] | None:
    """The ends of an interval, as a cell of a table."""
    return None if interval is None else (interval.low, interval.high)


def _span(low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (low, high)


def _tables(sides: Sides, peers: Sequence[EstimateComparison]) -> dict[str, PageTable]:
    e, counts, groups = sides.comparison, sides.significant_swaps(), sides.groups
    truth, estimate = label(sides.truth, 20), label(sides.estimate, 20)
    first, second = score_digits(s.truth for s in e.systems), score_digits(s.estimate for s in e.systems)
    return {
        **({"groups": group_table(e.groups, sides)} if e.groups else {}),
        **({"clusters": _cluster_table(e.clusters, sides)} if e.clusters else {}),
        "verdicts": _verdicts(peers),
        "systems": PageTable(
            "All systems",
            e.systems,
            (
                Column("System", lambda s: s.system, "system"),
                Column("Group", lambda s: groups.get(s.system)),
                Column(f"Rank, {truth}", lambda s: s.truth_rank, "rank"),
                Column(f"Rank, {estimate}", lambda s: s.estimate_rank, "rank"),
                Column("Ranks gained", lambda s: s.truth_rank - s.estimate_rank, "steps"),
                Column(f"Mean, {truth}", lambda s: s.truth, "number", first),
                Column("Interval", lambda s: _span(s.truth_low, s.truth_high), "interval", first),
                Column(f"Mean, {estimate}", lambda s: s.estimate, "number", second),
                Column("Interval", lambda s: _span(s.estimate_low, s.estimate_high), "interval", second),
                Column("Significant swaps", lambda s: counts.get(s.system, 0), "count"),
            ),
            shown=40,
        ),
        "swaps": PageTable(
            f"Swapped pairs, the largest gap by {truth} first",
            e.swaps,
            (
                Column(f"Better by {truth}", lambda s: s.better, "system"),
                Column(f"Better by {estimate}", lambda s: s.worse, "system"),
                Column(f"Gap, {truth}", lambda s: s.truth_gap, "number", first),
                Column(f"Gap, {estimate}", lambda s: s.estimate_gap, "number", second),
                Column(f"p, {truth}", lambda s: s.pvalue, "p"),
                Column("Significant", lambda s: s.significant, "yes"),
            ),
            total=e.swap_count,
        ),
        "topics": PageTable(
            "Topics, those that lower the agreement most first",
            e.influence,
            (
                Column("Topic", lambda c: c.topic),
                Column(f"{kendall(e).symbol} rises without it by", lambda c: c.change, "signed"),
            ),
        ),
        "doubtful": PageTable(
            f"Significantly different by {estimate}, in the other order or not significantly by {truth}",
            () if e.certainty is None else e.certainty.doubtful,
            (
                Column(f"{estimate} prefers", lambda d: d.preferred, "system"),
                Column("to", lambda d: d.other, "system"),
                Column(f"Gap, {estimate}", lambda d: d.judge_gap, "number", second),
                Column(f"Gap, {truth}", lambda d: d.truth_gap, "signed", first),
                Column(f"p, {estimate}", lambda d: d.judge_pvalue, "p"),
                Column(f"p, {truth}", lambda d: d.truth_pvalue, "p"),
                Column("Reversed", lambda d: d.reversed, "yes"),
            ),
            total=None if e.certainty is None else e.certainty.doubtful_pairs,
        ),
        "coefficients": PageTable(
            "Every coefficient",
            e.coefficients,
            (
                Column("Symbol", lambda c: c.symbol),
                Column("Coefficient", lambda c: c.label),
                Column("Value", lambda c: c.value, "number", 3),
                Column("Interval", lambda c: ends(c.interval), "interval", 3),
                Column(sides.dealt.capitalize(), lambda c: (sides.chance or {}).get(c.name, (None,))[0], "number", 3),
                Column("Looks at", lambda c: c.looks_at),
            ),
        ),
        **({"by_topic": _by_topic(e.by_topic)} if e.by_topic else {}),
        **({"bias": _bias(e.decisiveness)} if e.decisiveness is not None else {}),
    }


def _bias(decisiveness: Decisiveness) -> PageTable:
    """The systems that an estimate favours, by win rates."""
    band = decisiveness.interval
    ends_of = "" if band is None else f", {band.level:.0%} interval {two(band.low)} to {two(band.high)}"
    return PageTable(
        f"Bias in win rates (decisiveness α {two(decisiveness.alpha)}{ends_of})",
        decisiveness.systems,
        (
            Column("System", lambda s: s.system, "system"),
            Column("Bias", lambda s: s.bias, "signed", 3),
            Column("Interval", lambda s: ends(s.interval), "interval", 3),
            Column("p, adjusted (Holm)", lambda s: s.adjusted, "p"),
            Column("Without the fit", lambda s: s.raw, "signed", 3),
        ),
    )


def _by_topic(values: Sequence[TopicValue]) -> PageTable:
    """Agreement that only scores by topic can tell."""
    return PageTable(
        "Agreement by topic",
        values,
        (
            Column("Symbol", lambda v: v.symbol),
            Column("Coefficient", lambda v: v.name),
            Column("Value", lambda v: v.value, "number", 3),
            Column("Interval", lambda v: ends(v.interval), "interval", 3),
            Column("Mean over", lambda v: v.groups, "count"),
            Column("Undefined", lambda v: v.undefined, "count"),
            Column("ε", lambda v: v.epsilon, "number", 3),
            Column("Looks at", lambda v: v.looks_at),
        ),
    )


def group_table(groups: Sequence[GroupShift], sides: Sides) -> PageTable:
    """How groups of systems fare under an estimate."""
    return PageTable(
        "Groups of systems",
        groups,
        (
            Column("Group", lambda g: g.group),
            Column("Systems", lambda g: g.systems, "count"),
            Column("Shift", lambda g: g.shift, "signed"),
            Column(f"Advantage, on the scale of {label(sides.truth, 20)}", lambda g: g.advantage, "signed"),
            Column("Interval", lambda g: ends(g.interval), "interval"),
            Column("p over topics (t, Holm)", lambda g: g.topic_pvalue, "p"),
            Column("p over systems (permutation)", lambda g: g.system_pvalue, "p"),
            Column("Ranks gained", lambda g: g.ranks_gained, "signed", 1),
        ),
    )


def _cluster_table(clusters: Sequence[SystemCluster], sides: Sides) -> PageTable:
    """The systems that an estimate moves together."""
    return PageTable(
        "Systems that move together",
        clusters,
        (
            Column("Systems", lambda c: ", ".join(label(system, 40) for system in c.systems)),
            Column("Correlation of residuals", lambda c: c.correlation, "number", 2),
            Column("p (permuted residuals)", lambda c: c.joined_pvalue, "p"),
            Column(f"Advantage, on the scale of {label(sides.truth, 20)}", lambda c: c.shift.advantage, "signed"),
            Column("Interval", lambda c: ends(c.shift.interval), "interval"),
            Column("p over topics (t, Holm)", lambda c: c.shift.topic_pvalue, "p"),
            Column("p over systems (permutation)", lambda c: c.shift.system_pvalue, "p"),
            Column("Ranks gained", lambda c: c.shift.ranks_gained, "signed", 1),
        ),
    )


def _verdicts(compared: Sequence[EstimateComparison]) -> PageTable:
    rows = [(e, e.verdict, e.verdict.worth) for e in compared if e.verdict is not None]
    unit = compared[0].unit
    return PageTable(
        "Verdicts",
        rows,
        (
            Column("Name", lambda r: r[0].name, "tab"),
            Column("Verdict", lambda r: r[1].level),
            Column(f"Worth of a {unit}", lambda r: r[2] and r[2].worth, "number", 2),
            Column("Interval", lambda r: r[2] and ends(r[2].interval), "interval", 2),
            Column("Beyond random labels", lambda r: r[1].own_worth and r[1].own_worth.worth, "number", 2),
            Column(f"Cap, {unit}s", lambda r: r[2] and r[2].cap, "number", 0),
            Column("Expected τ", lambda r: r[2] and r[2].tau_judge, "number", 3),
            Column(kendall(compared[0]).symbol, lambda r: kendall(r[0]).value, "number", 3),
            Column("p, chance", lambda r: _chance_pvalue(r[1]), "p"),
            Column("Warnings", lambda r: " ".join(warning_text(reason, r[1]) for reason in r[1].warnings) or DASH),
        ),
    )


def _chance_pvalue(verdict: rs.Verdict) -> float | None:
    dealt = ("random labels", "random scores")
    return next((reason.value for reason in verdict.reasons if reason.kind in dealt), None)


def _contrasts(result: rs.Comparison) -> PageTable:
    return PageTable(
        "Estimates against each other: difference in agreement",
        result.contrasts,
        (
            Column("Coefficient", lambda c: c.name),
            Column("Estimate", lambda c: c.first),
            Column("minus", lambda c: c.second),
            Column("Difference", lambda c: c.difference, "signed", 3),
            Column("Interval", lambda c: ends(c.interval), "interval", 3),
            Column("p, adjusted (Holm)", lambda c: c.adjusted, "p"),
        ),
    )
