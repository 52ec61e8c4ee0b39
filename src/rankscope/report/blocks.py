"""What texts of results are made of: headings, sentences and tables; and how numbers are written in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankscope.report.text_tables import TextTable


@dataclass(frozen=True)
class Heading:
    """A line that stands out."""

    text: str


Block = Heading | TextTable | str

REST = "All of it: --format json; as a page: -o report.html; as a chart: -o figure.svg."


def text_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[str] = (),
    title: str | None = None,
    spare: Sequence[str] = (),
) -> TextTable:
    """A table, columns named in `right` aligned to the right, and those in `spare` left out where there is no room."""
    at = frozenset(i for i, name in enumerate(columns) if name in right)
    first = tuple(columns.index(name) for name in spare if name in columns)
    return TextTable(columns=tuple(columns), rows=tuple(map(tuple, rows)), right=at, title=title, spare=first)


def counted(number: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "topic"), counted(1200, "pair")
    ('1 topic', '1,200 pairs')
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def p_value(value: float) -> str:
    """A p-value, never as zero.

    >>> p_value(0.00001), p_value(0.25)
    ('< 0.0001', '= 0.2500')
    """
    return "< 0.0001" if value < 0.0001 else f"= {value:.4f}"


def number_range(low: float | None, high: float | None) -> str:
    """An interval in words; nothing where there is none."""
    return "" if low is None or high is None else f"{low:.3f} to {high:.3f}"
