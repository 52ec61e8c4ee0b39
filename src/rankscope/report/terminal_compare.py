"""A comparison as text: the verdict and how the rankings agree first, then compact tables."""

from __future__ import annotations

from collections.abc import Sequence

from rankscope.coefficients.registry import MAIN, default_coefficients
from rankscope.inference.swap_tests import SwapTest
from rankscope.inference.topic_level import TopicAgreement, TopicValue
from rankscope.report.bars import axis, interval_bar, quarter_below
from rankscope.report.blocks import REST, Block, Heading, Sentence, text_table
from rankscope.report.numbers import (
    DASH,
    counted,
    decimals,
    number_range,
    p_cell,
    percent,
    score_digits,
    two,
    worth_number,
)
from rankscope.report.remarks import remark_sentences
from rankscope.report.sentences import cluster_sentences, comparison_sentences, verdict_line, verdict_sentences
from rankscope.report.text_tables import TextTable
from rankscope.report.theme import label
from rankscope.studies.battle_labels import BattleAgreement
from rankscope.studies.clusters import SystemCluster
from rankscope.studies.comparison_result import (
    CoefficientValue,
    Comparison,
    ComparisonByMeasure,
    EstimateComparison,
    Swap,
)
from rankscope.studies.decisiveness import Decisiveness
from rankscope.studies.groups import GroupShift

_SWAPS_SHOWN = 10
_SYSTEMS_SHOWN = 10
# Systems of a cluster that are named.
_CLUSTER_SHOWN = 4
_BAR = 16
_CONTRASTED = ("tau_b", "tau_ap_b", "tau_gap")
# Which sentences stand before the table of coefficients, after it, and at the end.
_FIRST = ("two samples", "agreement", "chance", "significant", "winner")
_LAST = ("rank distance", "permutation")


def comparison_blocks(result: Comparison) -> list[Block]:
    """Each estimate against the truth, then the estimates against each other."""
    said: list[Block] = []
    for estimate in result.estimates:
        said.append(_heading(result, estimate))
        if estimate.verdict is not None:
            said += [verdict_line(estimate.verdict), *verdict_sentences(estimate.verdict)[1:]]
        sentences = comparison_sentences(estimate, result.truth.name)
        said += [sentence for sentence in sentences if sentence.kind in _FIRST]
        said += _coefficients(result, estimate)
        if estimate.by_topic:
            said += by_topic_blocks(estimate.by_topic)
        said += [sentence for sentence in sentences if sentence.kind not in (*_FIRST, *_LAST)]
        if estimate.swaps:
            said.append(_swaps(result, estimate))
        said.append(_systems(result, estimate))
        if estimate.groups:
            said.append(group_table(estimate.groups, label(result.truth.name, 20)))
        if estimate.decisiveness is not None:
            said += decisiveness_blocks(result.truth.name, estimate.name, estimate.decisiveness)
        said += cluster_blocks(estimate, label(result.truth.name, 20))
        if estimate.battles is not None:
            said.append(_battles(estimate.battles))
        said += [sentence for sentence in sentences if sentence.kind in _LAST]
    contrasted = _contrasts(result)
    return [*said, *([] if contrasted is None else [contrasted]), *remark_sentences(result.remarks), REST]


def by_measure_blocks(result: ComparisonByMeasure) -> list[Block]:
    """A table of all estimates for each measure."""
    first = result.comparisons[0]
    said: list[Block] = []
    if len(first.estimates) == 1:
        said.append(_heading(first, first.estimates[0]))
    else:
        said.append(Heading(f"{len(first.estimates)} estimates instead of {first.truth.name}", over(first.estimates)))
    said += [_overview(c, measure) for measure, c in zip(result.measures, result.comparisons, strict=True)]
    remarks = tuple(dict.fromkeys(remark for c in result.comparisons for remark in c.remarks))
    return [*said, *remark_sentences(remarks), f"Coefficients, swaps and systems: compare by one measure. {REST}"]


def over(estimates: Sequence[EstimateComparison]) -> str:
    """The systems and topics that were compared on: topics of both sides, or of each where they are two samples."""
    sizes = sorted({len(e.systems) for e in estimates})
    systems = counted(sizes[0], "system") if len(sizes) == 1 else f"{sizes[0]:,} to {counted(sizes[-1], 'system')}"
    topics = sorted(
        {n for e in estimates for n in (e.truth_topics, e.topics) if n is not None and e.paired is not None}
    )
    if not topics:
        return systems
    if len(topics) == 1:
        return f"{systems} on {counted(topics[0], 'topic')}"
    between = "and" if len(estimates) == 1 else "to"
    return f"{systems} on {topics[0]:,} {between} {topics[-1]:,} topics"


def _overview(comparison: Comparison, measure: str) -> TextTable:
    """Every estimate in a row: verdict, worth, agreement and chance."""
    rows = []
    for e in comparison.estimates:
        worth = None if e.verdict is None else e.verdict.worth
        tau = next((c for c in e.coefficients if c.name == "tau_b"), None)
        band = None if tau is None else tau.interval
        ends = (None, None) if worth is None else (worth.interval.low, worth.interval.high)
        rows.append(
            [
                e.name,
                DASH if e.verdict is None else e.verdict.level,
                worth_number(None if worth is None else worth.worth),
                "" if worth is None else f"{worth_number(ends[0])} to {worth_number(ends[1])}",
                two(None if worth is None else worth.tau_judge),
                DASH if tau is None else decimals(tau.value, 2),
                "" if band is None else number_range(band.low, band.high, 2),
                DASH if e.chance is None else p_cell(e.chance.pvalue),
                DASH if e.separation is None else f"{e.separation.swaps} of {e.separation.pairs}",
            ]
        )
    numbers = ("worth", "expected τ", "τ_b", "p by chance", "swaps")
    columns = (
        *("estimate", "verdict", "worth", "interval of worth", "expected τ"),
        *("τ_b", "interval of τ_b", "p by chance", "swaps"),
    )
    title = f"By {measure}; swaps are of pairs that {label(comparison.truth.name, 20)} finds significantly different"
    return text_table(columns, rows, right=numbers, title=title, spare=["expected τ", "p by chance", "interval of τ_b"])


def _heading(result: Comparison, estimate: EstimateComparison) -> Heading:
    """What is compared with what."""
    topics = "" if estimate.topics is None else f" on {counted(estimate.topics, estimate.unit)}"
    if estimate.paired is False:
        topics = f" on {estimate.truth_topics:,} and {counted(estimate.topics or 0, estimate.unit)}"
    over = f"{counted(len(estimate.systems), 'system')}{topics}"
    return Heading(f"{estimate.name} instead of {result.truth.name}", over)


def topic_agreement(result: TopicAgreement) -> list[Block]:
    """The text of `topic_agreement`."""
    over = f"{counted(result.systems, 'system')} on {counted(result.topics, 'topic')}"
    return [Heading("Agreement by topic", over), *by_topic_blocks(result.values)]


def decisiveness_blocks(truth: str, estimate: str, decisiveness: Decisiveness) -> list[Block]:
    """How sure the estimate is of pairs, and the systems that it favours or disfavours most."""
    band = decisiveness.interval
    ends = "" if band is None else f" ({percent(band.level)} interval {two(band.low)} to {two(band.high)})"
    sure = "surer" if decisiveness.alpha > 1.0 else "less sure"
    text = f"Decisiveness α {two(decisiveness.alpha)}{ends}: {estimate} is {sure} of the winners of pairs than "
    text += f"{truth}. Its biases towards systems have a standard deviation of {decimals(decisiveness.spread)}."
    shown = sorted(decisiveness.systems, key=lambda s: -abs(s.bias))[:_SYSTEMS_SHOWN]
    rows = [
        [
            s.system,
            decimals(s.bias, 3, sign=True),
            "" if s.interval is None else number_range(s.interval.low, s.interval.high),
            p_cell(s.adjusted),
            decimals(s.raw, 3, sign=True),
        ]
        for s in sorted(shown, key=lambda s: -s.bias)
    ]
    largest = "" if len(shown) == len(decisiveness.systems) else ", largest biases"
    title = f"Win rate beyond what the fit expects{largest}"
    columns = ("system", "bias", "interval", "p", "without fit")
    table = text_table(columns, rows, right=("bias", "p", "without fit"), title=f"{title}; p by Holm over all systems")
    numbers = {"alpha": decisiveness.alpha, "spread": decisiveness.spread}
    return [Sentence("decisiveness", text, numbers), table]


def swap_test(result: SwapTest) -> list[Block]:
    """The text of `swap_test`."""
    rows = [[v.name, decimals(v.difference, 4, sign=True), p_cell(v.pvalue)] for v in result.values]
    said = f"p is the probability of a difference at least as large if {result.hypothesis}."
    return [
        Heading(f"{result.first} against {result.second}", f"{result.permutations:,} random swaps"),
        text_table(("coefficient", "difference", "p"), rows, right=("difference", "p")),
        Sentence("hypothesis", said),
    ]


def _battles(agreement: BattleAgreement) -> TextTable:
    """What both judges say of the same battles, and how often they say the same."""
    rows = []
    for judge in (agreement.truth, agreement.estimate):
        share, band = judge.first_share, judge.first_interval
        first = "" if band is None else f"{decimals(share)} ({number_range(band.low, band.high)})"
        rows.append([judge.judge, f"{judge.first:,}", f"{judge.second:,}", f"{judge.ties:,}", first])
    title = f"Winners of {counted(agreement.battles, 'battle')}: the same outcome in {percent(agreement.same)}"
    title += "" if agreement.kappa is None else f" (κ {decimals(agreement.kappa, 2)})"
    if agreement.same_winner is not None:
        title += f"; the same winner in {percent(agreement.same_winner)} of {agreement.decided:,} that both decide"
    columns = ("judge", "first", "second", "ties", "first of decided")
    return text_table(columns, rows, right=columns[1:4], title=title)


def group_table(groups: Sequence[GroupShift], truth: str) -> TextTable:
    """How groups of systems fare under an estimate."""
    rows = [
        [
            g.group,
            str(g.systems),
            decimals(g.shift, 4, sign=True),
            decimals(g.advantage, 4, sign=True),
            p_cell(g.topic_pvalue),
            p_cell(g.system_pvalue),
            decimals(g.ranks_gained, 1, sign=True),
        ]
        for g in groups
    ]
    numbers = ("systems", "shift", "advantage", "p, topics", "p, systems", "ranks gained")
    title = f"Groups: advantage on the scale of {truth}; favoured only where both p are small"
    return text_table(("group", *numbers), rows, right=numbers, title=title)


def cluster_blocks(estimate: EstimateComparison, truth: str) -> list[Block]:
    """The systems that an estimate moves together, and which of these clusters it favours; none if not asked for."""
    said: list[Block] = [*cluster_sentences(estimate)]
    if estimate.clusters:
        rows = [
            [
                cluster_names(c),
                two(c.correlation),
                p_cell(c.joined_pvalue),
                decimals(c.shift.advantage, 4, sign=True),
                p_cell(c.shift.topic_pvalue),
                p_cell(c.shift.system_pvalue),
                decimals(c.shift.ranks_gained, 1, sign=True),
            ]
            for c in estimate.clusters
        ]
        numbers = ("correlation", "p", "advantage", "p, topics", "p, systems", "ranks gained")
        title = (
            "Systems that move together (p: permuted residuals, highest correlation of any two); advantage on the scale"
        )
        title += f" of {truth}; favoured where both last p are small"
        said.append(text_table(("systems", *numbers), rows, right=numbers, title=title))
    return said


def cluster_names(cluster: SystemCluster) -> str:
    """The first systems of a cluster, and how many more there are."""
    shown = ", ".join(label(system, 24) for system in cluster.systems[:_CLUSTER_SHOWN])
    more = len(cluster.systems) - _CLUSTER_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def _contrasts(result: Comparison) -> TextTable | None:
    """The estimates against each other, on the coefficients that a reader knows."""
    known = {*_CONTRASTED, *(value.name for estimate in result.estimates for value in estimate.by_topic)}
    shown = [c for c in result.contrasts if c.name in known] or list(result.contrasts[:_SWAPS_SHOWN])
    if not shown:
        return None
    test = result.settings.get("contrast_test", "bootstrap")
    by = "" if test == "bootstrap" else f" by {test},"
    title = f"Which estimate agrees more? Difference of agreement, p{by} by Holm over all pairs of estimates"
    rows = []
    for c in shown:
        first, second = (c.first, c.second) if c.difference >= 0 else (c.second, c.first)
        low, high = (None, None) if c.interval is None else (c.interval.low, c.interval.high)
        if low is not None and high is not None and c.difference < 0:
            low, high = -high, -low
        cells = [c.name, first, second, decimals(abs(c.difference), 4), number_range(low, high), p_cell(c.adjusted)]
        rows.append(cells)
    columns = ("coefficient", "higher", "lower", "value", "interval", "p")
    return text_table(columns, rows, right=("value", "p"), title=title)


def main_values(result: Comparison, estimate: EstimateComparison) -> tuple[CoefficientValue, ...]:
    """The coefficients that were chosen, or the main ones of all where nobody chose."""
    if result.settings["coefficients"] != [str(known) for known in default_coefficients()]:
        return estimate.coefficients
    shown = [record.name for record in MAIN]
    return tuple(value for value in estimate.coefficients if value.name in shown)


def _coefficients(result: Comparison, estimate: EstimateComparison) -> list[Block]:
    """A table of coefficients, and where there are more, how to see them."""
    shown = main_values(result, estimate)
    hidden = len(_fold(estimate.coefficients)) - len(_fold(shown))
    more = f"{hidden} more coefficients and symmetric forms: --table coefficients, or -c NAME for one of them."
    return [_coefficient_table(shown, estimate), *([more] if hidden else [])]


def _coefficient_table(values: tuple[CoefficientValue, ...], estimate: EstimateComparison) -> TextTable:
    folded = _fold(values)
    intervals = [value.interval for value, _ in folded if value.interval is not None]
    ties = any(value.ties is not None for value, _ in folded)
    level = f"{percent(intervals[0].level)} interval" if intervals else ""
    start = quarter_below(interval.low for interval in intervals)
    bars = [axis(start, 1), level] if level else []
    columns = ["", "coefficient", "value", *bars]
    rows = []
    for value, names in folded:
        cells = [_symbol(value, estimate), names, decimals(value.value, 4)]
        if level:
            low, high = (None, None) if value.interval is None else (value.interval.low, value.interval.high)
            cells += [interval_bar(value.value, low, high, start=start, width=_BAR), number_range(low, high)]
        if ties:
            cells.append("" if value.ties is None else number_range(value.ties.least, value.ties.greatest))
        rows.append([*cells, value.looks_at])
    # Intervals say what the bars draw, symbols which coefficient it is, and the docs what it looks at.
    spare = ["looks at", *bars[:1], "coefficient"]
    columns += [*(["ties allow"] if ties else []), "looks at"]
    return text_table(columns, rows, right=("value",), spare=spare)


def by_topic_blocks(values: Sequence[TopicValue]) -> list[Block]:
    """Agreement by topic, and that a calibrated ε flatters the estimate."""
    intervals = [value.interval for value in values if value.interval is not None]
    level = f"{percent(intervals[0].level)} interval" if intervals else "interval"
    rows = [
        [
            value.symbol,
            value.name,
            decimals(value.value, 4),
            "" if value.interval is None else number_range(value.interval.low, value.interval.high),
            f"{value.groups:,}",
            f"{value.undefined:,}" if value.undefined else "",
            "" if value.epsilon is None else f"{value.epsilon:g}",
            value.looks_at,
        ]
        for value in values
    ]
    columns = ("", "coefficient", "value", level, "groups", "undefined", "ε", "looks at")
    used = [i for i, column in enumerate(columns) if column not in ("undefined", "ε") or any(row[i] for row in rows)]
    rows = [[row[i] for i in used] for row in rows]
    right = ("value", "groups", "undefined", "ε")
    title = "Agreement by topic"
    said: list[Block] = [
        text_table([columns[i] for i in used], rows, right=right, title=title, spare=["looks at", "groups"])
    ]
    tuned = [value for value in values if value.symbol == "acc*_eq" and value.epsilon]
    if tuned:
        text = "ε was chosen on these topics, so that accuracy with it is optimistic: choose it on others and give it, "
        said.append(Sentence("calibrated", text + f"acc_eq(epsilon={tuned[0].epsilon:g})."))
    return said


def _symbol(value: CoefficientValue, estimate: EstimateComparison) -> str:
    """The symbol; where there are ties, that of the form: τ_AP is then τ_AP,a, which is below 1 for equal rankings."""
    ties = estimate.truth_ties or estimate.estimate_ties
    return "τ_AP,a" if ties and value.symbol == "τ_AP" else value.symbol


def _fold(values: tuple[CoefficientValue, ...]) -> list[tuple[CoefficientValue, str]]:
    """One row per coefficient: other names for the same stand beside it."""
    rows: dict[str, tuple[CoefficientValue, list[str]]] = {}
    for value in values:
        rows.setdefault(value.same_as or value.name, (value, []))[1].append(value.name)
    return [(value, ", ".join(names)) for value, names in rows.values()]


def _swaps(result: Comparison, estimate: EstimateComparison) -> TextTable:
    shown = estimate.swaps[:_SWAPS_SHOWN]
    every = len(shown) == estimate.swap_count
    truth, other = label(result.truth.name, 20), label(estimate.name, 20)
    title = "Swaps" if every else f"The {len(shown)} swaps with the largest gap by {truth}"
    first, second = _digits(estimate)
    columns = (
        *(f"better by {truth}", f"better by {other}", f"gap, {truth}", f"gap, {other}"),
        *(f"ranks, {truth}", f"ranks, {other}"),
    )
    rows = [
        [
            swap.better,
            swap.worse,
            decimals(swap.truth_gap, first),
            decimals(swap.estimate_gap, second),
            " ".join(f"{rank:g}" for rank in swap.truth_ranks),
            " ".join(f"{rank:g}" for rank in swap.estimate_ranks),
            *_pair_p(swap),
        ]
        for swap in shown
    ]
    tested = [f"p, {truth}"] if estimate.separation else []
    spare = [*columns[:3:-1], columns[3]]
    return text_table([*columns, *tested], rows, right=columns[2:], title=title, spare=spare)


def _pair_p(swap: Swap) -> list[str]:
    """The truth's p for the pair, adjusted, with a star where the two differ significantly."""
    if swap.pvalue is None:
        return []
    return [p_cell(swap.pvalue) + (" *" if swap.significant else "")]


def _digits(estimate: EstimateComparison) -> tuple[int, int]:
    """The decimals of scores on either side."""
    return score_digits(s.truth for s in estimate.systems), score_digits(s.estimate for s in estimate.systems)


def _systems(result: Comparison, estimate: EstimateComparison) -> TextTable:
    first, second = _digits(estimate)
    shown = estimate.systems[:_SYSTEMS_SHOWN]
    truth, other = label(result.truth.name, 20), label(estimate.name, 20)
    title = "Systems" if len(shown) == len(estimate.systems) else f"The best {len(shown)} systems by {truth}"
    rows = [
        [s.system, decimals(s.truth, first), decimals(s.estimate, second), f"{s.truth_rank:g}", f"{s.estimate_rank:g}"]
        for s in shown
    ]
    columns = ("system", f"score, {truth}", f"score, {other}", f"rank, {truth}", f"rank, {other}")
    return text_table(columns, rows, right=columns[1:], title=title)
