"""A table as it goes on paper: the columns to show, their headings, numbers as text, and intervals in one cell."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope.report.numbers import DASH, decimals
from rankscope.report.tables.columns import WORDS, heading, measure_name, written
from rankscope.results import IntervalForm, Table

# A column of values, with the columns of the ends of its interval where it has one; or the two ends alone.
Part = tuple[str | None, str | None, str | None]
# Columns that tell rows of one part from those of another; where all rows are of one part, a caption can say so.
_KEYS = ("scores", "estimate", "judge", "measure", "collection", "corrected_by", "coefficient", "against")
# Columns beside which numbers are of coefficients, not scores.
_COEFFICIENTS = {"coefficient", "estimator", "statistic"}


@dataclass(frozen=True)
class Cell:
    """The text of a cell or heading; `own` are our words and numbers, otherwise it is a name of the user's."""

    text: str
    own: bool = True


@dataclass(frozen=True)
class Layout:
    """Headings and rows of cells; columns in `right` are numbers.

    `same` are the keys that have one value in all rows, with it: they are not among the columns.
    """

    columns: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    right: frozenset[int]
    same: tuple[tuple[Cell, Cell], ...]


def layout(table: Table, most: int | None = None) -> Layout:
    """The table on paper; of more rows than `most`, the first."""
    if table.digits is None and _COEFFICIENTS & set(table.columns):
        table = replace(table, digits=3)
    shown = table.brief or table.columns
    place = {name: i for i, name in enumerate(table.columns)}
    values = {name: [_value(row[place[name]]) for row in table.rows[:most]] for name in shown}
    asked = table.brief == table.columns  # each of these columns was asked for by name
    same = [] if asked else _same(shown, values)
    empty = {name for name in shown[1:] if values[name] and not asked and set(values[name]) == {None}}
    left = [name for name in shown if name not in same and name not in empty]
    columns: list[Cell] = []
    cells: list[list[Cell]] = []
    right: set[int] = set()
    numbers = {name for name in left if not any(isinstance(cell, str | bool) for cell in values[name])}
    for value, low, high in _parts(left, numbers, table.intervals):
        main = low if value is None else value
        if main in numbers:
            right.add(len(columns))
        columns.append(_heading(table, main or "", stem=value is None))
        cells.append(_cells(table, values, value, low, high))
    return Layout(
        tuple(columns),
        tuple(zip(*cells, strict=True)),
        frozenset(right),
        tuple((_heading(table, name), _cells(table, values, name, None, None)[0]) for name in same),
    )


def _value(value: Any) -> Any:
    """A cell's value as Python has it, None for nan; infinity stays."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and np.isnan(value):
        return None
    return value if value is None or isinstance(value, str | bool | int | float) else _listed(value)


def _listed(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, Iterable) else str(value)


def _same(shown: Sequence[str], values: dict[str, list[Any]]) -> list[str]:
    """The keys among the first columns that are the same in all rows."""
    keys = itertools.takewhile(_KEYS.__contains__, shown[:-1])
    return [name for name in keys if len(values[name]) > 1 and len(set(values[name])) == 1 and values[name][0]]


def _parts(shown: Sequence[str], numbers: set[str], form: IntervalForm) -> list[Part]:
    """The columns to show, each with the columns of its ends; a range has ends alone.

    >>> ends = ("low", "high", "set_low", "set_high")
    >>> _parts(("system", "score", *ends), {"score", *ends}, "brackets")
    [('system', None, None), ('score', 'low', 'high'), (None, 'set_low', 'set_high')]
    """
    if form == "columns":
        return [(name, None, None) for name in shown]
    parts: list[Part] = []
    names = list(shown)
    while names:
        name = names.pop(0)
        low, high = (names + [""] * 2)[:2]
        if {name, low, high} <= numbers and _are_ends(low, high) and low.removesuffix("low").rstrip("_") in ("", name):
            parts.append((name, low, high))
            del names[:2]
        elif "_" in name and {name, low} <= numbers and _are_ends(name, low):
            parts.append((None, name, low))
            del names[:1]
        else:
            parts.append((name, None, None))
    return parts


def _are_ends(low: str, high: str) -> bool:
    return low != high and any(
        a in low.split("_") and low.replace(a, b) == high for a, b in (("low", "high"), ("least", "greatest"))
    )


def _heading(table: Table, column: str, *, stem: bool = False) -> Cell:
    if column in table.names:
        name = table.names[column]
        return Cell(name[0].upper() + name[1:] if name.startswith(("rank by ", "gap by ")) else name, own=False)
    if stem:
        column = "_".join(part for part in column.split("_") if part not in ("low", "least"))
    words = heading(column)
    return Cell(measure_name(column), own=False) if words is None else Cell(words)


def _cells(
    table: Table, values: dict[str, list[Any]], value: str | None, low: str | None, high: str | None
) -> list[Cell]:
    """The cells of a column with those of its ends."""
    if low is not None and high is not None:
        main = low if value is None else value
        both = written(main, [*values[main], *values[low], *values[high]], table.digits)  # the same decimals for all
        count = len(values[main])
        texts = both[:count], both[count : 2 * count], both[2 * count :]
        if value is None:
            whole = all(isinstance(v, int | None) for v in (*values[low], *values[high]))
            return [Cell(_range(a, b, whole=whole)) for _, a, b in zip(*texts, strict=True)]
        if table.intervals == "brackets":
            return [Cell(v if DASH in (a, b) else f"{v} [{a}, {b}]") for v, a, b in zip(*texts, strict=True)]
        return _plus_minus(texts[0], values[value], values[low], values[high])
    column, numbers = value or "", values[value or ""]
    if not any(isinstance(v, str | bool) for v in numbers):
        return [Cell(text) for text in written(column, numbers, table.digits)]
    return [_text(column, v, table.digits) for v in numbers]


def _text(column: str, value: Any, digits: int | None) -> Cell:
    if isinstance(value, bool):
        return Cell("yes" if value else "no")
    if isinstance(value, str) and column == "measure":
        return Cell(measure_name(value), own=False)
    if isinstance(value, str):
        return Cell(WORDS[column](value)) if column in WORDS else Cell(value, own=False)
    return Cell(written(column, [value], digits)[0])


def _range(low: str, high: str, *, whole: bool) -> str:
    if DASH in (low, high):
        return DASH
    return (low if low == high else f"{low}–{high}") if whole else f"[{low}, {high}]"


def _plus_minus(texts: list[str], values: list[Any], lows: list[Any], highs: list[Any]) -> list[Cell]:
    """Value and half width where all intervals are symmetric, otherwise how far each end is."""
    digits = max((len(text.partition(".")[2]) for text in texts), default=0)
    ends = [
        None if None in (v, a, b) else (decimals(v - a, digits), decimals(b - v, digits))
        for v, a, b in zip(values, lows, highs, strict=True)
    ]
    even = all(end is None or end[0] == end[1] for end in ends)
    return [
        Cell(text if end is None else f"{text} ± {end[0]}" if even else f"{text} +{end[1]}/−{end[0]}")
        for text, end in zip(texts, ends, strict=True)
    ]
