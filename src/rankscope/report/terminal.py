"""A result as text for a terminal: a sentence first, then compact tables; plain where it is not a terminal."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rankscope.errors import BadParameter
from rankscope.results import Result
from rankscope.studies.comparison import CoefficientValue, Comparison, EstimateComparison

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

_SWAPS_SHOWN = 10
_SYSTEMS_SHOWN = 10
_PLAIN_WIDTH = 120


def plain_text(result: Result) -> str:
    """The text without colours or boxes, for files and pipes."""
    from rich.console import Console

    out = io.StringIO()
    show(result, Console(file=out, width=_PLAIN_WIDTH, no_color=True, highlight=False))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def show(result: Result, console: Console) -> None:
    """Print a result."""
    if not isinstance(result, Comparison):
        raise BadParameter(f"there is no text of {type(result).__name__}")
    from rich.text import Text

    for estimate in result.estimates:
        # Names go through Text, never through markup: a system called [red] is a system.
        console.print(Text(headline(result, estimate), style="bold"))
        console.print(_coefficients(estimate))
        for sentence in where_they_part(estimate):
            console.print(Text(sentence))
        if estimate.swaps:
            console.print(_swaps(estimate))
        console.print(_systems(estimate))
        console.print()


def headline(result: Comparison, estimate: EstimateComparison) -> str:
    """What is compared with what."""
    topics = "" if estimate.topics is None else f" on {_count(estimate.topics, 'topic')}"
    return f"{estimate.name} against {result.truth.name} (truth): {_count(len(estimate.systems), 'system')}{topics}"


def where_they_part(estimate: EstimateComparison) -> list[str]:
    """The swaps, the ties and the tops in words."""
    share = 100.0 * estimate.swap_count / estimate.pairs
    sentences = [f"{estimate.swap_count:,} of {_count(estimate.pairs, 'pair')} change order ({share:.1f} %)."]
    if estimate.truth_ties or estimate.estimate_ties:
        sentences.append(
            f"Tied: {_count(estimate.truth_ties, 'pair')} in the truth, {estimate.estimate_ties:,} in the estimate."
        )
    if any(c.value != c.value for c in estimate.coefficients):
        sentences.append("A dash means that a side scores all systems alike, as far as the coefficient can tell.")
    if estimate.top:
        tops = ", ".join(f"top {t.k}: {t.shared}" for t in estimate.top)
        sentences.append(f"Systems of the truth's top that are in the estimate's: {tops}.")
    return sentences


def _coefficients(estimate: EstimateComparison) -> Table:
    folded = _fold(estimate.coefficients)
    ties = any(c.ties is not None for c, _ in folded)
    table = _table("", "coefficient", "value", *(["ties allow"] if ties else []), "looks at")
    for found, names in folded:
        value = "–" if found.value != found.value else f"{found.value:.4f}"
        bounds = "" if found.ties is None else f"{found.ties.least:.3f} to {found.ties.greatest:.3f}"
        table.add_row(*_cells(found.symbol, names, value, *([bounds] if ties else []), found.looks_at))
    return table


def _fold(values: tuple[CoefficientValue, ...]) -> list[tuple[CoefficientValue, str]]:
    """One row per coefficient: other names for the same stand beside it."""
    rows: dict[str, tuple[CoefficientValue, list[str]]] = {}
    for found in values:
        rows.setdefault(found.same_as or found.name, (found, []))[1].append(found.name)
    return [(found, ", ".join(names)) for found, names in rows.values()]


def _swaps(estimate: EstimateComparison) -> Table:
    shown = estimate.swaps[:_SWAPS_SHOWN]
    every = len(shown) == estimate.swap_count
    title = "Swaps" if every else f"The {len(shown)} swaps with the largest gap in the truth"
    columns = ("better in the truth", "worse", "gap in truth", "in estimate", "ranks in truth", "in estimate")
    table = _table(*columns, title=title)
    for swap in shown:
        table.add_row(
            *_cells(
                swap.better,
                swap.worse,
                f"{swap.truth_gap:.4f}",
                f"{swap.estimate_gap:.4f}",
                " ".join(f"{rank:g}" for rank in swap.truth_ranks),
                " ".join(f"{rank:g}" for rank in swap.estimate_ranks),
            )
        )
    return table


def _systems(estimate: EstimateComparison) -> Table:
    shown = estimate.systems[:_SYSTEMS_SHOWN]
    title = "Systems" if len(shown) == len(estimate.systems) else f"The truth's best {len(shown)} systems"
    table = _table("system", "truth", "estimate", "rank in truth", "in estimate", title=title)
    for s in shown:
        table.add_row(
            *_cells(s.system, f"{s.truth:.4f}", f"{s.estimate:.4f}", f"{s.truth_rank:g}", f"{s.estimate_rank:g}")
        )
    return table


def _table(*columns: str, title: str | None = None) -> Table:
    from rich import box
    from rich.table import Table as RichTable

    table = RichTable(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="", pad_edge=False)
    for name in columns:
        right = name in ("value", "truth", "estimate") or name.startswith(("gap", "in ", "rank"))
        table.add_column(name, justify="right" if right else "left")
    return table


def _cells(*texts: str) -> list[Text]:
    from rich.text import Text as RichText

    return [RichText(" ".join(text.split())) for text in texts]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
