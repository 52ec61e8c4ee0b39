"""Rows chosen by what a column holds: `where={"rater": "expert*"}`, or `scores.csv:rater=expert*` in the shell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from rankscope.errors import BadFile, UnrecognisedFormat
from rankscope.files.columns import Columns, is_role_word
from rankscope.files.table import HEADER, Column, Place, Table, listed, normalise

# The pattern of each column by its header.
Where = Mapping[str, str]


def matching_rows(table: Table, where: Where, columns: Columns | None = None) -> Table:
    """The rows whose cells match every pattern, without the columns that were only there to choose rows.

    A pattern is what some cell holds, or has `*`, `?` and `[…]` as in names of files; `a*|b` is one of two.
    """
    if not table.headed:
        raise without_columns(table.place, where, "there is no header; add one")
    keep = list(range(table.rows))
    chosen: list[Column] = []
    for header, pattern in where.items():
        column = _column(table, header)
        chosen.append(column)
        cells = dict.fromkeys(column.cells)
        matches = {pattern} if pattern in cells else _matching(cells, pattern)
        if not matches:
            problem = f"no row has {pattern!r} in column {column.header!r}, which holds {listed(list(cells))}"
            raise table.place.error(UnrecognisedFormat, f"{problem}; choose rows by one of these, or by a pattern")
        keep = [row for row in keep if column.cells[row] in matches]
    if not keep:
        both = " and ".join(f"{header}={pattern}" for header, pattern in where.items())
        raise table.place.error(UnrecognisedFormat, f"no row has {both}, though some have each; leave one of them out")
    named = set() if columns is None else set(columns.values())
    kept = tuple(
        column
        for column in table.columns
        if column.header in named or is_role_word(column) or not any(column is used for used in chosen)
    )
    return Table(table.place, kept, table.headed).at(keep)


def rows_by_value(
    table: Table, header: str, where: Where | None = None, columns: Columns | None = None
) -> dict[str, Table]:
    """The rows of every value in a column, in the order of the file, among those that match the patterns.

    Without the columns that were only there to choose rows, as `matching_rows` leaves them out.
    """
    column = _column(table, header)
    every: Columns = {other.header: other.header for other in table.columns}  # type: ignore[misc]  # keep all columns
    among = matching_rows(table, where, every) if where else table
    values = dict.fromkeys(_column(among, header).cells)
    others = {name: pattern for name, pattern in (where or {}).items() if _column(table, name) is not column}
    return {value: matching_rows(table, {**others, header: value}, columns) for value in values}


def without_columns(place: Place, where: Where, why: str) -> BadFile:
    """The error for a source in which rows cannot be chosen by a column."""
    keys = ", ".join(f"{header}={pattern}" for header, pattern in where.items())
    return place.error(UnrecognisedFormat, f"rows cannot be chosen by {keys}: {why}, or leave that out")


def _matching(cells: Iterable[str], pattern: str) -> set[str]:
    return {cell for cell in cells if any(fnmatchcase(cell, part) for part in pattern.split("|"))}


def _column(table: Table, header: str) -> Column:
    word = normalise(header)
    exact = [column for column in table.columns if column.header == header]
    alike = exact or [column for column in table.columns if column.word == word]
    if not alike:
        problem = f"no column {header!r} to choose rows by; the columns are {listed(table.headers)}; name one of these"
        raise table.place.error(UnrecognisedFormat, problem, HEADER)
    return alike[0]
