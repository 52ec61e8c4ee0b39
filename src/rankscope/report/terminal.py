"""A result as text for a terminal: a sentence first, then compact tables; plain where it is not a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankscope.errors import BadParameter
from rankscope.report.bars import axis, interval_bar, quarter_below
from rankscope.report.blocks import REST, Block, Heading, counted, number_range, p_value, text_table
from rankscope.report.sentences import claim, comparison_sentences, population_sentence, verdict_sentences
from rankscope.report.text_tables import TextTable, clean_lines
from rankscope.report.theme import label
from rankscope.results import Result
from rankscope.studies.comparison_result import CoefficientValue, Comparison, EstimateComparison, Swap
from rankscope.studies.verdict import Verdict

if TYPE_CHECKING:
    from rich.console import Console

_SWAPS_SHOWN = 10
_SYSTEMS_SHOWN = 10
_BAR = 16
_CONTRASTED = ("tau_b", "tau_ap", "tau_gap")
# Which sentences stand before the table of coefficients, after it, and at the end.
_FIRST = ("agreement", "significant", "winner")
_WHERE = ("swaps", "certainty", "top", "topics", "ties", "undefined", "no interval", "left out")
_OTHER_TESTS = ("rank distance", "permutation")


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
        found += [Heading(headline(result, estimate)), *_answer(result, estimate), _coefficients(estimate)]
        found += _said(result, estimate, _WHERE)
        if estimate.swaps:
            found.append(_swaps(result, estimate))
        found += [_systems(result, estimate), *_said(result, estimate, _OTHER_TESTS)]
    contrasted = _contrasts(result)
    return [*found, *([] if contrasted is None else [contrasted]), REST]


def _answer(result: Comparison, estimate: EstimateComparison) -> list[Block]:
    """The verdict where there is one, then how the rankings agree: what one would say aloud."""
    found: list[Block] = []
    if estimate.verdict is not None:
        found.append(verdict_line(estimate.verdict))
        found.append(" ".join(s.text for s in verdict_sentences(estimate.verdict)[1:]))
        found.append(population_sentence(estimate.verdict) or "")
    return [*(one for one in found if one), *_said(result, estimate, _FIRST)]


def verdict_line(verdict: Verdict) -> str:
    """The level and what it allows."""
    return f"{verdict.level.upper()}. {claim(verdict)}"


def _said(result: Comparison, estimate: EstimateComparison, kinds: Sequence[str]) -> list[Block]:
    said = comparison_sentences(estimate, result.truth.name)
    return [sentence.text for sentence in said if sentence.kind in kinds]


def _other_blocks(result: Result) -> list[Block]:
    """What is said of results that few commands need: loaded when they come."""
    if type(result).__name__ == "JudgeReport":
        from rankscope.report.terminal_judge import judge_blocks
        from rankscope.studies.judging.answers import JudgeReport

        if isinstance(result, JudgeReport):
            return judge_blocks(result)
    if "JudgmentStudy" in (kind.__name__ for kind in type(result).__mro__):
        from rankscope.report.terminal_studies import study_blocks
        from rankscope.studies.judgment_variants import JudgmentStudy

        if isinstance(result, JudgmentStudy):
            return study_blocks(result)
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
    return f"{estimate.name} instead of {result.truth.name}: {counted(len(estimate.systems), 'system')}{topics}"


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
    level = f"{found_intervals[0].level:.0%} interval" if found_intervals else ""
    start = quarter_below(i.low for i in found_intervals)
    bars = [axis(start, 1), level] if level else []
    columns = ["", "coefficient", "value", *bars]
    rows = []
    for found, names in folded:
        cells = [found.symbol, names, "–" if found.value != found.value else f"{found.value:.4f}"]
        if level:
            low, high = (None, None) if found.interval is None else (found.interval.low, found.interval.high)
            cells += [interval_bar(found.value, low, high, start=start, width=_BAR), number_range(low, high)]
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


def _swaps(result: Comparison, estimate: EstimateComparison) -> TextTable:
    shown = estimate.swaps[:_SWAPS_SHOWN]
    every = len(shown) == estimate.swap_count
    truth, other = label(result.truth.name, 20), label(estimate.name, 20)
    title = "Swaps" if every else f"The {len(shown)} swaps with the largest gap by {truth}"
    columns = (f"better by {truth}", f"better by {other}", f"gap, {truth}", f"gap, {other}", "ranks", "ranks ")
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
    return _table([*columns, *([f"p, {truth}"] if estimate.separation else [])], rows, title=title)


def _pair_p(swap: Swap) -> list[str]:
    """The truth's p for the pair, adjusted, with a star where the two differ significantly."""
    if swap.pvalue is None:
        return []
    return [p_value(swap.pvalue).removeprefix("= ") + (" *" if swap.significant else "")]


def _systems(result: Comparison, estimate: EstimateComparison) -> TextTable:
    shown = estimate.systems[:_SYSTEMS_SHOWN]
    truth, other = label(result.truth.name, 20), label(estimate.name, 20)
    title = "Systems" if len(shown) == len(estimate.systems) else f"The best {len(shown)} systems by {truth}"
    rows = [
        [s.system, f"{s.truth:.4f}", f"{s.estimate:.4f}", f"{s.truth_rank:g}", f"{s.estimate_rank:g}"] for s in shown
    ]
    columns = ("system", f"score, {truth}", f"score, {other}", f"rank, {truth}", f"rank, {other}")
    return _table(columns, rows, title=title)


def _table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], *, title: str | None = None, spare: Sequence[str] = ()
) -> TextTable:
    right = [name for name in columns if name == "value" or name.startswith(("gap", "score", "rank"))]
    return text_table(columns, rows, right=right, title=title, spare=spare)
