"""What the text of a result is made of: headings, sentences and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rankscope.report.text_tables import TextTable
from rankscope.results import Table, plain


@dataclass(frozen=True)
class Heading:
    """A line that stands out: what was asked, and over which data; charts have the two on lines of their own."""

    what: str
    over: str = ""

    @property
    def text(self) -> str:
        """The whole line; a question keeps its mark, without a colon."""
        if not self.over:
            return self.what
        return f"{self.what} {self.over}" if self.what.endswith("?") else f"{self.what}: {self.over}"


@dataclass(frozen=True)
class Sentence:
    """A statement about a result: its kind, by which it is chosen and placed, its text, and the numbers in it."""

    kind: str
    text: str
    numbers: Mapping[str, Any] = field(default_factory=dict)


# Plain text is for what is not a statement about the result, such as where the rest can be found.
Block = Heading | Sentence | TextTable | str

REST = "All of it: --format json; as a page: -o report.html; as a chart: -o figure.svg."


def text_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[str] = (),
    title: str | None = None,
    spare: Sequence[str] = (),
) -> TextTable:
    """A table; columns in `right` are aligned to the right, those in `spare` are left out where there is no room."""
    at = frozenset(i for i, name in enumerate(columns) if name in right)
    first = tuple(columns.index(name) for name in spare if name in columns)
    return TextTable(columns=tuple(columns), rows=tuple(map(tuple, rows)), right=at, title=title, spare=first)


def data_table(content: Table, *, title: str | None = None, most: int | None = None) -> TextTable:
    """A table of data as text, numbers aligned to the right; of more rows than `most` the first, which is said."""
    total = len(content.rows)
    if most is not None and total > most:
        title = f"{title or 'The table'} (the first {most} of {total:,} rows)"
    rows = content.rows[:most]
    numeric = frozenset(
        i
        for i in range(len(content.columns))
        if all(isinstance(plain(row[i]), int | float | None) and not isinstance(row[i], bool) for row in rows)
    )
    cells = tuple(tuple(map(content.cell, row)) for row in rows)
    return TextTable(columns=content.columns, rows=cells, right=numeric, title=title)
