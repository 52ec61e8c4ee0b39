"""What every result shares: intervals, tables, and the only way to dicts, JSON, CSV and frames.

Results are frozen, keyword-only dataclasses with no rounding, text or drawing inside; what does not exist is `None`.
"""

from __future__ import annotations

import csv
import dataclasses
import importlib
import io
import json
import math
import os
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np

from rankscope.checks import check_extra
from rankscope.errors import BadParameter

# The form of JSON files. Raise it where a field changes its meaning; missing and unknown fields are noticed anyway.
SCHEMA = 1
# The key under which a file says what it is.
HEADER = "rankscope"

# JSON numbers are read as doubles by most; a larger integer would silently change.
LARGEST_JSON_INTEGER = 2**53

# Decimals of a number in a table as text.
_DIGITS = 4

# A spreadsheet takes text that begins with one of these for a formula.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


# How tables for people show an interval: 0.83 [0.75, 0.89], 0.83 ± 0.07, or in columns of its ends.
IntervalForm = Literal["brackets", "plusminus", "columns"]
INTERVAL_FORMS: tuple[IntervalForm, ...] = get_args(IntervalForm)

# Why there is no interval over topics.
NoInterval = Literal["no resamples", "no topics", "one topic"]


@dataclass(frozen=True, kw_only=True)
class Interval:
    """An interval with the level it is meant to cover and the method that made it."""

    low: float
    high: float
    level: float
    method: str


RemarkKind = Literal[
    "topics without runs",
    "topics without judgments",
    "topics that systems lack",
    "systems without judged documents",
    "topics that a judge lacks",
    "topics of a judge alone",
    "no chance level",
    "measure computed elsewhere",
    "grades in bins",
    "grades that are not whole",
    "one label",
    "one topic",
    "mapped grades",
    "learned map",
    "panel",
    "repeats",
    "own level of relevance",
    "grades below zero",
    "systems left out",
    "failed labels",
    "items of one side",
    "topics left out",
    "topics labelled in part",
    "labels drawn otherwise",
    "scores missing",
    "not a mean",
]


@dataclass(frozen=True, kw_only=True)
class Remark:
    """Something a reader should know of the input, as data; `str(remark)` puts it in words.

    `about` is the side, judge or measure that it is about, and `other` the one that it is compared with; `count` of
    `total` are concerned, `names` with their `counts` where each has one. `how` says what was done about it.
    """

    kind: RemarkKind
    about: str | None = None
    other: str | None = None
    count: int | None = None
    total: int | None = None
    names: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()
    how: str | None = None

    def __str__(self) -> str:
        return str(importlib.import_module("rankscope.report.remarks").remark_text(self))


@dataclass(frozen=True)
class Table:
    """Columns and rows of a result, as they go to CSV or a frame; the rest is for LaTeX, Markdown and HTML.

    `digits` are the decimals of numbers, by default as many as suit each column. `brief` are the columns that a wide
    table shows unless others are asked for, `names` the headings that are names of the user's, and `intervals` is how
    the ends of an interval are shown.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    digits: int | None = None
    brief: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    intervals: IntervalForm = "brackets"

    def shown(
        self,
        columns: Sequence[str] | None = None,
        digits: int | None = None,
        intervals: IntervalForm | None = None,
        rows: int | None = None,
    ) -> Table:
        """The table with these columns alone, in this order, this many decimals, and the first `rows` rows.

        >>> Table(("name", "value"), (("a", 0.5), ("b", 0.4))).shown(["value"], 2, rows=1).rows
        ((0.5,),)
        """
        chosen = self.columns if columns is None else tuple(columns)
        for name in chosen:
            if name not in self.columns:
                raise BadParameter(f"there is no column {name!r}; there are: {', '.join(self.columns)}")
        places = [self.columns.index(name) for name in chosen]
        return replace(
            self,
            columns=chosen,
            rows=tuple(tuple(row[place] for place in places) for row in self.rows[:rows]),
            digits=self.digits if digits is None else digits,
            brief=self.brief if columns is None else chosen,
            names={name: label for name, label in self.names.items() if name in chosen},
            intervals=self.intervals if intervals is None else intervals,
        )

    def to_csv(self, *, safe: bool = False) -> str:
        r"""The table as CSV, numbers in full; `safe` puts ' before names that a spreadsheet would take for formulas.

        >>> Table(("name", "value"), (("a,b", 0.5),)).to_csv()
        'name,value\n"a,b",0.5\n'
        >>> Table(("name", "value"), (("=1+1", -0.5),)).to_csv(safe=True)
        "name,value\n'=1+1,-0.5\n"
        """
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        for row in (self.columns, *self.rows):
            cells = ("" if cell is None else cell for cell in map(plain, row))
            writer.writerow(map(_no_formula, cells) if safe else cells)
        return out.getvalue()

    def to_latex(self) -> str:
        """The table as a booktabs `tabular`, ready for a paper: numbers rounded, symbols as math, names escaped."""
        return str(_tables().latex(self))

    def to_markdown(self) -> str:
        """The table as Markdown."""
        return str(_tables().markdown(self))

    def to_html(self, most: int | None = None) -> str:
        """The table as HTML, without a page around it; of more rows than `most`, the first, and a remark."""
        return str(_tables().html_table(self, most))

    def to_frame(self) -> Any:
        """The table as a data frame: polars', or pandas' where polars is not installed."""
        return data_frame({name: [plain(row[i]) for row in self.rows] for i, name in enumerate(self.columns)})

    def cell(self, value: Any) -> str:
        """A cell as a person reads it: numbers rounded, with a minus sign that is not a hyphen.

        >>> Table((), ()).cell(-0.25), Table((), ()).cell(0.00001), Table((), ()).cell(None)
        ('−0.2500', '1.0e−05', '–')
        """
        value = plain(value)
        if value is None:
            return "–"
        if isinstance(value, str | bool):
            return str(value)
        if isinstance(value, float):
            digits = _DIGITS if self.digits is None else self.digits
            small = 0.0 < abs(value) < 0.5 * 10.0**-digits  # would be shown as zero, which it is not
            value = f"{value:.1e}" if small else f"{value:.{digits}f}"
        return str(value).replace("-", "−")


def data_frame(columns: Mapping[str, Any]) -> Any:
    """Columns as a polars frame, or as a pandas frame where polars is not installed.

    >>> data_frame({"system": ["bm25"], "score": [0.31]}).shape
    (1, 2)
    """
    if find_spec("polars") is not None:
        import polars

        return polars.DataFrame(columns, strict=False)
    pandas = check_extra("pandas", "a data frame needs polars or pandas: pip install 'rankscope[frames]'")
    return pandas.DataFrame(dict(columns))


# Columns of the ends of an interval, for `rows_table`.
ENDS = {"low": "interval.low", "high": "interval.high"}


def rows_table(
    rows: Iterable[Any], columns: type | Sequence[str] | Mapping[str, str], digits: int | None = None
) -> Table:
    """A table of attributes of the rows: those of a dataclass, those named, or a mapping from columns to attributes.

    `interval.low` is the attribute of an attribute, None without it; its column is called `low` unless named.

    >>> rows_table([Interval(low=0.0, high=1.0, level=0.95, method="t")], {"from": "low", "to": "high"}).rows
    ((0.0, 1.0),)
    """
    if isinstance(columns, type):
        columns = [field.name for field in dataclasses.fields(columns)]
    if not isinstance(columns, Mapping):
        columns = {path.rpartition(".")[2]: path for path in columns}
    cells = (tuple(_attribute(row, path) for path in columns.values()) for row in rows)
    return Table(tuple(columns), tuple(cells), digits)


def stacked(column: str, tables: Iterable[tuple[str, Table]]) -> Table:
    """Tables of the same columns below each other, the name of each in a first column."""
    named = list(tables)
    first = named[0][1]
    rows = tuple((name, *row) for name, table in named for row in table.rows)
    brief = (column, *first.brief) if first.brief else ()
    return replace(first, columns=(column, *first.columns), rows=rows, brief=brief)


class Result:
    """The base of results: dicts, JSON, tables, charts, files; `draws_in` is a field that is too large for dicts."""

    draws_in: ClassVar[str | None] = None

    def table(self) -> Table:
        """The result's main table; unless it has another, its fields that are single values."""
        fields = ((name, plain(value)) for name, value in _fields(self).items())
        return Table(("field", "value"), tuple(row for row in fields if not isinstance(row[1], dict | list)))

    def tables(self) -> dict[str, Table]:
        """Every table of the result by name, the main one first."""
        return {"main": self.table()}

    def only(
        self,
        name: str | None = None,
        *,
        columns: Sequence[str] | None = None,
        digits: int | None = None,
        intervals: IntervalForm | None = None,
        rows: int | None = None,
    ) -> OneTable:
        """One of the tables on its own, which can be printed and written like any result; the main one by default.

        `columns` are those to keep, in this order; `rows` is how many to keep, from the first. `digits` are the
        decimals of numbers as text, LaTeX, Markdown or HTML, and `intervals` is how the last three show intervals:
        "brackets", "plusminus" or "columns".
        """
        name, table = self._table(name)
        return OneTable(name=name, cells=table.shown(columns, digits, intervals, rows))

    def _chosen(self, name: str | None) -> Table:
        return self.table() if name is None else self._table(name)[1]

    def _table(self, name: str | None) -> tuple[str, Table]:
        """The table of this name, or the main one, and its name."""
        tables = self.tables()
        if name is None:
            name = next(iter(tables))
        if name not in tables:
            lacks = self.draws_in is not None and not getattr(self, self.draws_in)
            way_out = " (single draws are not kept in JSON: for tables of them run the study again)" if lacks else ""
            raise BadParameter(f"{type(self).__name__} has no table {name!r}; it has: {', '.join(tables)}{way_out}")
        return name, tables[name]

    def to_dict(self) -> dict[str, Any]:
        """Everything in the result, but single draws, as plain dicts, lists, strings and numbers."""
        return {key: plain(value) for key, value in self.content().items()}

    def content(self) -> dict[str, Any]:
        """What dicts and JSON have of the result, as it is: its fields, but single draws."""
        return {key: value for key, value in _fields(self).items() if key != self.draws_in}

    @property
    def versions(self) -> dict[str, str]:
        """The versions of rankscope, Python and numpy that made the result; of a loaded one, those in its file."""
        kept: dict[str, str] | None = self.__dict__.get("_versions")
        return _versions() if kept is None else kept

    def to_json(self) -> str:
        """Everything in the result, but single draws, as JSON, which `rs.load` reads; what is nan or absent is null.

        Under "rankscope" it says what it is: the result's class, the schema of the file, the versions that made it, and
        which of its nulls are numbers that JSON does not have, by their places.
        """
        header = {"schema": SCHEMA, "result": type(self).__name__, "versions": self.versions}
        numbers = dict(_not_finite(self, ""))
        if numbers:
            header["not_finite"] = numbers
        return json.dumps({HEADER: header, **self.to_dict()}, ensure_ascii=False, indent=2, allow_nan=False) + "\n"

    # Without a name, the main table; `tables()` has the names.

    def to_csv(self, table: str | None = None, *, safe: bool = False) -> str:
        """A table as CSV, numbers in full; `safe` puts ' before names that a spreadsheet would take for formulas."""
        return self._chosen(table).to_csv(safe=safe)

    def to_latex(self, table: str | None = None) -> str:
        """A table as LaTeX, ready for a paper."""
        return self._chosen(table).to_latex()

    def to_markdown(self, table: str | None = None) -> str:
        """A table as Markdown."""
        return self._chosen(table).to_markdown()

    def to_html(self, table: str | None = None) -> str:
        """A table as HTML, without a page around it."""
        return self._chosen(table).to_html()

    def to_frame(self, table: str | None = None) -> Any:
        """A table as a polars frame, numbers in full."""
        return self._chosen(table).to_frame()

    # Text, charts and files are the report's business, which stands above every result. These, and tables for papers,
    # reach up by name, at the moment of the call, so that nothing below imports it.

    def __str__(self) -> str:
        return str(importlib.import_module("rankscope.report.terminal").plain_text(self)).rstrip("\n")

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # what IPython shows, and notebooks keep beside HTML
        printer.text(str(self))

    def _repr_html_(self) -> str:
        return str(importlib.import_module("rankscope.report.notebook").display(self))

    def chart(self, name: str | None = None, *, theme: str = "light") -> Any:
        """The result as an Altair chart: its first, or the one of this name (docs/charts.md), light or dark."""
        return importlib.import_module("rankscope.report").chart(self, name, theme=theme)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        chart: str | None = None,
        theme: str = "light",
        width: str | None = None,
    ) -> None:
        """Write the result in the format of the path's extension; a picture is of `chart`, by default the first.

        `width` is that of a picture in a paper: "one" column, "two", or such as "8.5cm" or "3.4in".
        """
        importlib.import_module("rankscope.report").save(self, path, chart=chart, theme=theme, width=width)


@dataclass(frozen=True, kw_only=True)
class OneTable(Result):
    """One of a result's tables on its own."""

    name: str
    cells: Table

    def table(self) -> Table:
        """The table."""
        return self.cells

    def tables(self) -> dict[str, Table]:
        """The table by its name."""
        return {self.name: self.cells}

    def content(self) -> dict[str, Any]:
        """The table's name and columns, how it is shown, and its rows, each a dict by column."""
        given = _fields(self.cells)
        rows = [dict(zip(self.cells.columns, row, strict=True)) for row in given.pop("rows")]
        return {"name": self.name, **given, "rows": rows}

    @classmethod
    def from_content(
        cls,
        *,
        name: str,
        columns: tuple[str, ...],
        digits: int | None,
        brief: tuple[str, ...],
        names: dict[str, str],
        intervals: IntervalForm,
        rows: tuple[dict[str, Any], ...],
    ) -> Self:
        """The table from what its JSON has."""
        for i, row in enumerate(rows):
            if set(row) != set(columns):
                raise BadParameter(f"rows/{i} has other columns than {', '.join(columns)}")
        cells = tuple(tuple(row[column] for column in columns) for row in rows)
        return cls(name=name, cells=Table(columns, cells, digits, brief, names, intervals))


def plain(value: Any) -> Any:
    """A value as JSON knows it: nan and infinities are None, arrays are lists, results are dicts.

    >>> plain({"a": float("nan"), "b": (np.float64(0.5), np.int64(2))})
    {'a': None, 'b': [0.5, 2]}
    """
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, np.generic | np.ndarray):
        return plain(value.tolist())
    if isinstance(value, int):
        return value if abs(value) <= LARGEST_JSON_INTEGER else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return [plain(inner) for inner in value]
    if isinstance(value, Result):
        return value.to_dict()
    if dataclasses.is_dataclass(value):
        return {key: plain(inner) for key, inner in _fields(value).items()}
    return str(value)


def _not_finite(value: Any, place: str) -> Iterator[tuple[str, str]]:
    """The places (JSON pointers, RFC 6901) of numbers for which JSON has null; nan in arrays goes without saying.

    >>> dict(_not_finite({"a/b": [1.0, float("inf")], "c": np.array([float("nan"), float("-inf")])}, ""))
    {'/a~1b/1': 'inf', '/c/1': '-inf'}
    """
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f":
            for index in np.argwhere(np.isinf(value)).tolist():
                yield place + "".join(f"/{i}" for i in index), str(float(value[tuple(index)]))
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield place, str(float(value))
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _not_finite(inner, f"{place}/{str(key).replace('~', '~0').replace('/', '~1')}")
    elif isinstance(value, tuple | list):
        for i, inner in enumerate(value):
            yield from _not_finite(inner, f"{place}/{i}")
    elif isinstance(value, Result):
        yield from _not_finite(value.content(), place)
    elif dataclasses.is_dataclass(value):
        yield from _not_finite(_fields(value), place)


def _tables() -> Any:
    return importlib.import_module("rankscope.report.tables")


def _versions() -> dict[str, str]:
    from rankscope import __version__

    return {"rankscope": __version__, "Python": platform.python_version(), "numpy": np.__version__}


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def _attribute(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = None if value is None else getattr(value, name)
    return value


def _no_formula(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULAS) else cell
