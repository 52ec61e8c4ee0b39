"""Small tables of text: boxed and coloured by rich at a terminal, plain columns in files and pipes.

Plain text is laid out here, since loading rich takes longer than the table is worth.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.table import Table

_GAP = "   "
# No table is readable whose columns are wider than a screen; files have names in full.
_LONGEST = 100
# Wider than any table: how wide it would like to be.
_WIDEST = 10_000
# Cells that a narrow terminal shows whole: numbers, ranges of them, short names.
_SHORT = 16
_WITHOUT_END = re.compile(rf"\S{{{_LONGEST + 1},}}")
# What text becomes before it is laid out: a stream that cannot take every character shows others in their place.
ADAPTED: ContextVar[Callable[[str], str]] = ContextVar("adapted", default=str)


@dataclass(frozen=True, kw_only=True)
class TextTable:
    """Columns and rows of text; columns in `right` are aligned to the right.

    A narrow terminal leaves out the columns in `spare`, one after the other, before it wraps long cells. Where short
    cells would still not fit, it leaves out the last columns and says which.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()
    title: str | None = None
    spare: tuple[int, ...] = ()

    def plain(self) -> str:
        """The table as lines of text.

        >>> print(TextTable(columns=("name", "value"), rows=(("a", "1.5"),), right=frozenset({1})).plain())
        name   value
        ────────────
        a        1.5
        """
        cells = [[clean(text) for text in row] for row in (self.columns, *self.rows)]
        widths = [max(width(row[i]) for row in cells) for i in range(len(self.columns))]
        lines = [_GAP.join(self._padded(row, widths)).rstrip() for row in cells]
        lines.insert(1, ADAPTED.get()("─") * (sum(widths) + len(_GAP) * (len(widths) - 1)))
        return "\n".join([*([clean(self.title)] if self.title else []), *lines])

    def _padded(self, row: list[str], widths: list[int]) -> list[str]:
        blanks = [" " * (w - width(text)) for text, w in zip(row, widths, strict=True)]
        return [b + text if i in self.right else text + b for i, (text, b) in enumerate(zip(row, blanks, strict=True))]

    def rich(self, console: Console) -> Table:
        """The table for a terminal. Names go through Text, never through markup: a system called [red] is a system."""
        unbound = console.options.update(width=_WIDEST)
        left = list(range(len(self.columns)))
        for spared in (None, *self.spare):
            left = [i for i in left if i != spared]
            table = self._rich(left)
            if console.measure(table, options=unbound).maximum <= console.width:
                return table
        for last in range(len(left), 1, -1):
            table = self._rich(left[:last], narrow=True, without=left[last:])
            if console.measure(table, options=unbound).minimum <= console.width:
                return table
        return self._rich(left)

    def _rich(self, columns: Sequence[int], *, narrow: bool = False, without: Sequence[int] = ()) -> Table:
        """These columns; `narrow` wraps headings and long cells, and keeps short ones whole."""
        from rich import box
        from rich.table import Table as RichTable
        from rich.text import Text

        title = None if self.title is None else Text(clean(self.title))
        table = RichTable(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="", pad_edge=False)
        if without:
            names = ", ".join(clean(self.columns[i]) for i in without)
            table.caption = Text(f"No room for: {names}")
            table.caption_justify = "left"
        for i in columns:
            justify = "right" if i in self.right else "left"
            cell = max((width(clean(row[i])) for row in self.rows), default=0)
            least = cell if narrow and cell <= _SHORT else None
            table.add_column(Text(clean(self.columns[i])), justify=justify, overflow="fold", min_width=least)  # type: ignore[arg-type]
        for row in self.rows:
            table.add_row(*(Text(clean(row[i])) for i in columns))
        return table


def clean(text: str) -> str:
    r"""Text on one line, without characters that would drive a terminal; a very long word is cut.

    >>> clean("a\nb"), clean("\x1b[31mred")
    ('a b', '�[31mred')
    """
    return clean_lines(" ".join("".join(c if c.isprintable() or c.isspace() else "�" for c in text).split()))


def clean_lines(text: str) -> str:
    """The same where lines and spaces stay as they are."""
    return ADAPTED.get()(_WITHOUT_END.sub(lambda word: f"{word[0][: _LONGEST - 1]}…", printable(text)))


def printable(text: str) -> str:
    """Text without characters that would drive a terminal; lines stay."""
    return "".join(c if c.isprintable() or c == "\n" else "�" for c in text)


def width(text: str) -> int:
    """The columns that text takes in a terminal.

    >>> width("a"), width("系统"), width("e\u0301")
    (1, 4, 1)
    """
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)
