"""A table as it was read: columns of cells under headers, and where each row is in its file."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rankscope.errors import BadFile, NotANumber, some
from rankscope.scores import Floats

# Cells that stand for a missing score, in upper or lower case.
MISSING = ("", "na", "n/a", "nan", "null", "none", "-")

# The row above the first.
HEADER = -1

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
# The corner of a wide table that says outright: topics in rows, systems in columns.
CORNER = "topic\\system"
_NUMERAL = re.compile(r"\s*[^\w\s]*(?:[0-9]|inf|nan)", re.IGNORECASE)
_JOINED = re.compile(r"[\s.-]+")
_NAN = ("+nan", "-nan")  # as C prints it


@dataclass(frozen=True)
class Place:
    """Where rows come from; `line_of` gives the line of a row, or is None without lines (Parquet, frames).

    Where only some rows of a file are left, `rows` has the number that each had in the file.
    """

    path: str
    line_of: Callable[[int], int] | None = None
    rows: Sequence[int] | None = None

    def error(self, kind: type[BadFile], problem: str, row: int | None = None) -> BadFile:
        """An error of this kind at this row, or at the header."""
        if row is None or (row == HEADER and self.line_of is None):
            return kind(self.path, problem)
        if self.line_of is None:
            return kind(self.path, f"row {self._in_file(row) + 1}: {problem}")
        return kind(self.path, problem, line=self.line_of(self._in_file(row)))

    def row(self, row: int) -> str:
        """What messages call a row."""
        in_file = self._in_file(row)
        return f"row {in_file + 1}" if self.line_of is None else f"line {self.line_of(in_file)}"

    def at(self, rows: Sequence[int]) -> Place:
        """The place of these rows alone."""
        return Place(self.path, self.line_of, [self._in_file(row) for row in rows])

    def _in_file(self, row: int) -> int:
        return row if self.rows is None or row == HEADER else self.rows[row]


class Column:
    """One column: its header, its cells as text, and, where the file was typed, its numbers as they were.

    `word` is the header as it is compared with the words that have a meaning.
    """

    def __init__(
        self, header: str, cells: Sequence[str] | None = None, *, typed: Sequence[float | None] | None = None
    ) -> None:
        self.header = header
        self.word = normalise(header)
        self._cells = cells
        self._typed = typed

    def __len__(self) -> int:
        return len(self._cells if self._cells is not None else self._typed or ())

    @cached_property
    def cells(self) -> Sequence[str]:
        """The cells as text; a typed whole number is written without a decimal point, so that 301 names topic "301"."""
        if self._cells is not None:
            return self._cells
        return [_label(value) for value in self._typed or ()]

    def at(self, rows: Sequence[int]) -> Column:
        """These rows of the column."""
        cells, typed = self._cells, self._typed
        return Column(
            self.header,
            None if cells is None else [cells[row] for row in rows],
            typed=None if typed is None else [typed[row] for row in rows],
        )

    @cached_property
    def _parsed(self) -> tuple[Floats, npt.NDArray[np.bool_]]:
        if self._typed is None:
            return parse_numbers(self._cells or ())
        values = np.array([math.nan if value is None else value for value in self._typed], dtype=np.float64)
        return values, np.isinf(values)

    @property
    def values(self) -> Floats:
        """The numbers; NaN where a cell is missing or not a number."""
        return self._parsed[0]

    @property
    def wrong(self) -> npt.NDArray[np.bool_]:
        """Which cells are neither a finite number nor missing."""
        return self._parsed[1]

    @property
    def numeric(self) -> bool:
        """Whether every cell is a number or missing."""
        return not self.wrong.any()

    @property
    def text(self) -> bool:
        """Whether it holds text and no numbers."""
        return bool(self.wrong.any()) and not self.has_numbers

    @property
    def prose(self) -> bool:
        """Whether every cell is text that nobody wrote for a number (`45%`, `0,5` and `inf` might be)."""
        return bool(self.wrong.all()) and not any(map(_NUMERAL.match, self.cells))

    @property
    def has_numbers(self) -> bool:
        """Whether some cell is a number."""
        return bool(np.isfinite(self.values).any())

    @property
    def whole(self) -> bool:
        """Whether every cell is written as a whole number, as ids are."""
        return all(cell.strip().isdecimal() for cell in self.cells)


@dataclass(frozen=True)
class Table:
    """Columns of equal length; `headed` is False where the file had no header row and the headers are empty."""

    place: Place
    columns: tuple[Column, ...]
    headed: bool = True

    @property
    def rows(self) -> int:
        """The number of rows below the header."""
        return len(self.columns[0]) if self.columns else 0

    @cached_property
    def by_word(self) -> dict[str, Column]:
        """The columns by their header's word, the first of those that share one."""
        return {column.word: column for column in reversed(self.columns)}

    @property
    def headers(self) -> list[str]:
        """The column names as written."""
        return [column.header for column in self.columns]

    def at(self, rows: Sequence[int]) -> Table:
        """These rows of the table; messages name them by their place in the file."""
        return Table(self.place.at(rows), tuple(column.at(rows) for column in self.columns), self.headed)


def parse_together(columns: Sequence[Column]) -> None:
    """Parse the numbers of many short columns at once, which takes a fraction of the time; others are left as they are.

    >>> columns = [Column("a", ["0.5", "1"]), Column("b", ["2", "3"])]
    >>> parse_together(columns)
    >>> columns[1].values.tolist()
    [2.0, 3.0]
    """
    try:
        values, wrong = _all_numbers([cell for column in columns for cell in column._cells or ()])
    except ValueError:
        return  # some cell is not a number: each column is parsed when needed
    shape = (len(columns), -1)
    for column, numbers, flags in zip(columns, values.reshape(shape), wrong.reshape(shape), strict=True):
        column.__dict__["_parsed"] = (numbers, flags)


def parse_numbers(cells: Sequence[str]) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Cells as floats, NaN for missing, and which cells are neither a finite number nor missing.

    >>> values, wrong = parse_numbers(["0.5", "NA", "1e-04", "x"])
    >>> values.tolist(), wrong.tolist()
    ([0.5, nan, 0.0001, nan], [False, False, False, True])
    """
    try:
        return _all_numbers(cells)
    except ValueError:
        pass  # some cell needs a closer look
    values = np.array([_number(cell) for cell in cells], dtype=np.float64)
    wrong = np.array([math.isinf(value) for value in values], dtype=np.bool_)
    values[wrong] = np.nan
    return values, wrong


def _all_numbers(cells: Sequence[str]) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Cells that are all written as Python's `float` takes them; a ValueError if some are not."""
    joined = "".join(cells)
    # It also takes 1_000 and the digits of other scripts, which are not numbers in a score file.
    if "_" in joined or not joined.isascii():
        raise ValueError("a cell that only Python takes for a number")
    values = np.fromiter(map(float, cells), dtype=np.float64, count=len(cells))
    return values, np.isinf(values)


def check_numbers(column: Column, place: Place, rows: Sequence[int] | npt.NDArray[np.intp] | None = None) -> Floats:
    """The column's numbers, or an error at the first cell that is not one; `rows` are their rows in the table."""
    if column.numeric:
        return column.values
    first = int(np.flatnonzero(column.wrong)[0])
    row = first if rows is None else int(rows[first])
    raise place.error(NotANumber, wrong_cell(column), row)


def wrong_cell(column: Column) -> str:
    """What is wrong with the first cell that is not a number, and what to do about it."""
    cell = column.cells[int(np.flatnonzero(column.wrong)[0])]
    under = f" in column {column.header!r}" if column.header else ""
    return f"{_shorten(cell)!r}{under} is not {_wanted(cell)}"


def normalise(header: str) -> str:
    """A header without differences of case and of joining words: `Query ID`, `query-id` and `QUERY_ID` are one.

    >>> normalise(" Query ID")
    'query_id'
    """
    return _JOINED.sub("_", header.strip().casefold()) if header != CORNER else CORNER


def is_number(text: str) -> bool:
    """Whether the text is written as a number.

    >>> is_number("1e-04"), is_number("0301"), is_number("NaN"), is_number("1_000")
    (True, True, False, False)
    """
    return _NUMBER.fullmatch(text.strip()) is not None


def is_missing(text: str) -> bool:
    """Whether the text stands for a missing score."""
    return text.strip().lower() in MISSING


def listed(names: Sequence[str]) -> str:
    """Column names for an error message, a few at most."""
    return some([_shorten(name) for name in names], most=8)


def _number(cell: str) -> float:
    """The number, NaN for a missing one, infinity for anything else."""
    text = cell.strip()
    if _NUMBER.fullmatch(text):
        return float(text)
    return math.nan if text.lower() in (*MISSING, *_NAN) else math.inf


def _wanted(cell: str) -> str:
    text = cell.strip()
    if re.fullmatch(r"[+-]?[0-9]*,[0-9]+", text):
        return "a number; write decimals with a point"
    if text.endswith("%"):
        return "a number; write percentages as plain numbers"
    if re.fullmatch(r"[+-]?inf(inity)?", text, re.IGNORECASE):
        return "a finite number; correct it, or leave the cell empty if the score is missing"
    return "a number; correct it, or leave the cell empty (or NA) if the score is missing"


def _label(value: float | None) -> str:
    if value is None or math.isnan(value):
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)


def _shorten(text: str, most: int = 60) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
