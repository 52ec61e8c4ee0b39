"""A result as text for a terminal: a sentence first, then compact tables; plain where it is not a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankscope.errors import BadParameter
from rankscope.report.bars import axis, interval_bar, quarter_below
from rankscope.report.blocks import REST, Block, Heading, counted, number_range, p_value, text_table
from rankscope.report.text_tables import TextTable, clean_lines
from rankscope.results import Result
from rankscope.studies.parts import CoefficientValue, Comparison, EstimateComparison, RankDistanceSummary, Swap

if TYPE_CHECKING:
    from rich.console import Console

_SWAPS_SHOWN = 10
_SYSTEMS_SHOWN = 10
_BAR = 16
# What is said to be beyond chance.
_CHANCE = 0.05
_STUDIES = ("PoolDepthStudy", "HolesStudy", "PseudoStudy", "UniquesStudy", "TopicsStudy", "DepthCostStudy")
_CONTRASTED = ("tau_b", "tau_ap", "tau_gap")


def plain_text(result: Result) -> str:
    """The text without colours or boxes, for files and pipes."""
    parts = []
    for block in blocks(result):
        if isinstance(block, TextTable):
            parts.append(f"\n{block.plain()}\n")
        else:
            parts.append(clean_lines(block.text if isinstance(block, Heading) else block))
    return "\n".join(parts).replace("\n\n\n", "\n\n").strip("\n") + "\n"


def show(result: Result, console: Console) -> None:
    """Print a result."""
    from rich.text import Text

    for block in blocks(result):
        if isinstance(block, TextTable):
            console.print(block.rich(console))
        elif isinstance(block, Heading):
            console.print(Text(clean_lines(block.text), style="bold"))
        else:
            console.print(Text(clean_lines(block)))


def blocks(result: Result) -> list[Block]:
    """What is said of a result, from top to bottom."""
    if type(result).__module__.startswith("rankscope.studies.metrics."):
        from rankscope.report import terminal_metrics

        return [Heading(terminal_metrics.headline(result)), *terminal_metrics.body(result)]
    if not isinstance(result, Comparison):
        return _other_blocks(result)
    found: list[Block] = []
    for estimate in result.estimates:
        found += [Heading(headline(result, estimate)), in_a_sentence(estimate)]
        found += [_coefficients(estimate), *where_they_part(estimate)]
        if estimate.swaps:
            found.append(_swaps(estimate))
        found += [_systems(estimate)]
    contrasted = _contrasts(result)
    return [*found, *([] if contrasted is None else [contrasted]), REST]


def _other_blocks(result: Result) -> list[Block]:
    """What is said of results that few commands need: loaded when they come."""
    if type(result).__name__ == "JudgeReport":
        from rankscope.report.terminal_judge import judge_blocks
        from rankscope.studies.judging.parts import JudgeReport

        if isinstance(result, JudgeReport):
            return judge_blocks(result)
    if type(result).__name__ in _STUDIES:
        from rankscope.report.terminal_studies import study_blocks

        said = study_blocks(result)
        if said is not None:
            return said
    return [_main_table(result)]


def _main_table(result: Result) -> TextTable:
    """The main table of any result."""
    if not isinstance(result, Result):
        raise BadParameter(f"there is no text of {type(result).__name__}")
    content = result.table()
    return _table(content.columns, [[content.cell(value) for value in row] for row in content.rows])


def headline(result: Comparison, estimate: EstimateComparison) -> str:
    """What is compared with what."""
    topics = "" if estimate.topics is None else f" on {counted(estimate.topics, 'topic')}"
    return f"{estimate.name} against {result.truth.name} (truth): {counted(len(estimate.systems), 'system')}{topics}"


def in_a_sentence(estimate: EstimateComparison) -> str:
    """How well they agree, beyond chance or not, and what becomes of the winner: what one would say aloud."""
    tau = next((c for c in estimate.coefficients if c.name in ("tau_b", "kendall")), estimate.coefficients[0])
    if tau.value != tau.value:
        return "There is no telling: one side scores all systems alike."
    band = "" if tau.interval is None else f" ({tau.interval.low:.2f} to {tau.interval.high:.2f})"
    chance = (
        "" if tau.pvalue is None else ", beyond chance" if tau.pvalue <= _CHANCE else ", no more than chance may give"
    )
    apart = estimate.separation
    kept = (
        ""
        if apart is None
        else f"; {apart.swaps:,} of {counted(apart.pairs, 'pair')} that the truth tells apart swapped"
    )
    first = {s.system for s in estimate.systems if s.truth_rank == min(x.truth_rank for x in estimate.systems)}
    best = min(s.estimate_rank for s in estimate.systems)
    second = [s.system for s in estimate.systems if s.estimate_rank == best]
    same = first.intersection(second)
    winner = "the winner stays" if same else f"the winner changes, from {min(first)} to {second[0]}"
    return f"Agreement: {tau.symbol} {tau.value:.2f}{band}{chance}{kept}; {winner}."


def where_they_part(estimate: EstimateComparison) -> list[str]:
    """The swaps, the ties, the distance and the tops in words."""
    share = 100.0 * estimate.swap_count / estimate.pairs
    apart = estimate.separation
    which = "" if apart is None else f", {apart.swaps:,} of them between systems that the truth tells apart"
    sentences = [f"{estimate.swap_count:,} of {counted(estimate.pairs, 'pair')} change order ({share:.1f} %){which}."]
    if apart is not None:
        corrected = "" if apart.correction == "none" else f", {apart.correction} corrected"
        power = apart.discriminative_power
        alike = "" if power is None else f"; the estimate orders {power:.1%} of them alike"
        how = f"{apart.test}, p ≤ {apart.alpha:g}{corrected}"
        sentences.append(f"The truth tells {counted(apart.pairs, 'pair')} apart ({how}){alike}.")
    if estimate.rank_distance is not None:
        sentences.append(_distance(estimate.rank_distance))
    if estimate.truth_ties or estimate.estimate_ties:
        sentences.append(
            f"Tied: {counted(estimate.truth_ties, 'pair')} in the truth, {estimate.estimate_ties:,} in the estimate."
        )
    if any(c.value != c.value for c in estimate.coefficients):
        sentences.append("A dash means that a side scores all systems alike, as far as the coefficient can tell.")
    if estimate.top:
        tops = ", ".join(f"top {t.k}: {t.shared}" for t in estimate.top)
        sentences.append(f"Systems of the truth's top that are in the estimate's: {tops}.")
    if estimate.carriers:
        carriers = ", ".join(f"{c.topic} (+{c.change:.3f})" for c in estimate.carriers)
        sentences.append(f"Topics without which τ would be higher: {carriers}.")
    if estimate.no_interval is not None:
        sentences.append(f"No interval over topics: {estimate.no_interval}.")
    return sentences


def _distance(found: RankDistanceSummary) -> str:
    further = "further than" if found.pvalue <= found.alpha else "no further than"
    ties = "" if found.ties_least is None else f" ({found.ties_least:.2f} to {found.ties_greatest:.2f} by ties)"
    value = found.critical_value
    critical = "" if value is None else f", critical value {value:.2f} at {found.alpha:g}"
    ridge = f"; ridge {found.ridge:g}" if found.ridge else ""
    what = f"Rank distance from the truth {found.distance:.2f}{ties}, p {p_value(found.pvalue)}{critical}"
    return f"{what}: {further} resampling the truth's own topics puts its ranking{ridge}."


def _contrasts(result: Comparison) -> TextTable | None:
    """The estimates against each other, on the coefficients that a reader knows."""
    shown = [c for c in result.contrasts if c.name in _CONTRASTED] or list(result.contrasts[:_SWAPS_SHOWN])
    if not shown:
        return None
    title = "Which estimate agrees more? Difference of agreement, p by Holm over all pairs of estimates"
    rows = []
    for c in shown:
        first, second = (c.first, c.second) if c.difference >= 0 else (c.second, c.first)
        low, high = (None, None) if c.interval is None else (c.interval.low, c.interval.high)
        if low is not None and high is not None and c.difference < 0:
            low, high = -high, -low
        p = "–" if c.adjusted is None else p_value(c.adjusted).removeprefix("= ")
        rows.append([c.name, first, second, f"{abs(c.difference):.4f}", number_range(low, high), p])
    return _table(("coefficient", "higher", "lower", "value", "interval", "p"), rows, title=title)


def _coefficients(estimate: EstimateComparison) -> TextTable:
    folded = _fold(estimate.coefficients)
    found_intervals = [c.interval for c, _ in folded if c.interval is not None]
    ties = any(c.ties is not None for c, _ in folded)
    chance = any(c.pvalue is not None for c, _ in folded)
    level = f"{found_intervals[0].level:.0%} interval" if found_intervals else ""
    start = quarter_below(i.low for i in found_intervals)
    bars = [axis(start, 1), level] if level else []
    columns = ["", "coefficient", "value", *bars, *(["p, chance"] if chance else [])]
    rows = []
    for found, names in folded:
        cells = [found.symbol, names, "–" if found.value != found.value else f"{found.value:.4f}"]
        if level:
            low, high = (None, None) if found.interval is None else (found.interval.low, found.interval.high)
            cells += [interval_bar(found.value, low, high, start=start, width=_BAR), number_range(low, high)]
        if chance:
            cells.append("–" if found.pvalue is None else p_value(found.pvalue).removeprefix("= "))
        if ties:
            cells.append("" if found.ties is None else number_range(found.ties.least, found.ties.greatest))
        rows.append([*cells, found.looks_at])
    # Intervals say what the bars draw, symbols which coefficient it is, and the docs what it looks at.
    spare = ["looks at", *bars[:1], "coefficient"]
    return _table([*columns, *(["ties allow"] if ties else []), "looks at"], rows, spare=spare)


def _fold(values: tuple[CoefficientValue, ...]) -> list[tuple[CoefficientValue, str]]:
    """One row per coefficient: other names for the same stand beside it."""
    rows: dict[str, tuple[CoefficientValue, list[str]]] = {}
    for found in values:
        rows.setdefault(found.same_as or found.name, (found, []))[1].append(found.name)
    return [(found, ", ".join(names)) for found, names in rows.values()]


def _swaps(estimate: EstimateComparison) -> TextTable:
    shown = estimate.swaps[:_SWAPS_SHOWN]
    every = len(shown) == estimate.swap_count
    title = "Swaps" if every else f"The {len(shown)} swaps with the largest gap in the truth"
    columns = ("better in the truth", "worse", "gap in truth", "in estimate", "ranks in truth", "in estimate")
    rows = [
        [
            swap.better,
            swap.worse,
            f"{swap.truth_gap:.4f}",
            f"{swap.estimate_gap:.4f}",
            " ".join(f"{rank:g}" for rank in swap.truth_ranks),
            " ".join(f"{rank:g}" for rank in swap.estimate_ranks),
            *_pair_p(swap),
        ]
        for swap in shown
    ]
    return _table([*columns, *(["p in truth"] if estimate.separation else [])], rows, title=title)


def _pair_p(swap: Swap) -> list[str]:
    """The truth's p for the pair, starred where it tells the two apart."""
    if swap.pvalue is None:
        return []
    return [p_value(swap.pvalue).removeprefix("= ") + (" *" if swap.significant else "")]


def _systems(estimate: EstimateComparison) -> TextTable:
    shown = estimate.systems[:_SYSTEMS_SHOWN]
    title = "Systems" if len(shown) == len(estimate.systems) else f"The truth's best {len(shown)} systems"
    rows = [
        [s.system, f"{s.truth:.4f}", f"{s.estimate:.4f}", f"{s.truth_rank:g}", f"{s.estimate_rank:g}"] for s in shown
    ]
    return _table(("system", "truth", "estimate", "rank in truth", "in estimate"), rows, title=title)


def _table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], *, title: str | None = None, spare: Sequence[str] = ()
) -> TextTable:
    right = [
        name for name in columns if name in ("value", "truth", "estimate") or name.startswith(("gap", "in ", "rank"))
    ]
    return text_table(columns, rows, right=right, title=title, spare=spare)
