"""What a page consists of: views to choose between by tabs, with figures, tables and texts, and notes below them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Literal

from rankscope.report.own_text import unbroken
from rankscope.report.theme import Theme

# A name of a system as charts and tables show it, by which they find each other's systems.
NAME = 200
# For fields that stay as they are: names, by which things are found, and what is no text.
_KEPT = {"kept": True}
CellKind = Literal[
    "text", "system", "number", "signed", "interval", "tab", "p", "rank", "steps", "count", "share", "yes"
]


@dataclass(frozen=True)
class Column:
    """A column of a table: its heading, its value for a row, and how the value is written.

    The value of an interval is its two ends, or None. A column without any value is left out of the table.
    """

    title: str
    value: Callable[[Any], Any] = field(metadata=_KEPT)
    kind: CellKind = "text"
    digits: int = 4


@dataclass(frozen=True)
class PageTable:
    """A table: what its rows are about, its columns, the number of rows shown at first, and that of all there are.

    `total` is more than the rows where the page has some of them only.
    """

    title: str
    rows: Sequence[Any] = field(metadata=_KEPT)
    columns: tuple[Column, ...]
    shown: int = 25
    total: int | None = None


@dataclass(frozen=True)
class Place:
    """A place for a figure in a section: `wide` takes the whole width, `fixed` keeps the chart's own size.

    A chart is at least `least` pixels wide; on a narrower screen the reader scrolls it.
    """

    name: str
    title: str
    wide: bool = False
    fixed: bool = False
    least: int = 0


@dataclass(frozen=True)
class Section:
    """A question, and the figures that answer it."""

    name: str
    title: str
    figures: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Figure:
    """A chart with its caption and its text alternative."""

    chart: Any = field(metadata=_KEPT)
    caption: str
    alternative: str


@dataclass(frozen=True)
class Number:
    """A number at the top of a view: what it is, the number, and its interval or other note."""

    label: str
    value: str
    note: str


@dataclass(frozen=True)
class View:
    """What one choice of tabs shows: figures by the name of their place, texts by section, tables in their order."""

    at: tuple[int, ...] = ()
    level: str = ""
    sentence: str = ""
    numbers: tuple[Number, ...] = ()
    reasons: tuple[tuple[bool | None, str, str], ...] = ()
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    figures: Mapping[str, Figure] = field(default_factory=dict)
    tables: Mapping[str, PageTable] = field(default_factory=dict)


@dataclass(frozen=True)
class AnswerLine:
    """An answer in a line, which stands first on a page of several: what it is about, and what was found.

    `at` chooses its view. `bar` has worth and the ends of its interval as percentages of a line; None without worth.
    """

    at: tuple[int, ...]
    names: tuple[str, ...] = field(metadata=_KEPT)
    level: str
    worth: str
    interval: str
    bar: tuple[float, float, float] | None
    expected: str
    against: str


@dataclass(frozen=True)
class Tabs:
    """The values to choose from by one row of tabs."""

    name: str
    title: str
    values: tuple[str, ...] = field(metadata=_KEPT)


@dataclass(frozen=True)
class Method:
    """A method that was used: its name, what it does, where it comes from, and its formula as MathML."""

    title: str
    text: str
    reference: str = ""
    formula: str = ""


@dataclass(frozen=True)
class Page:
    """Everything on a page except its looks; `theme` fixes what the reader's screen decides otherwise,
    and `unit` is what scores are over: topics, or battles.

    `words` is HTML, every name in it escaped. A page without views has no script.
    """

    title: str
    lead: str = ""
    tabs: tuple[Tabs, ...] = ()
    sections: tuple[Section, ...] = ()
    views: tuple[View, ...] = ()
    systems: tuple[str, ...] = field(default=(), metadata=_KEPT)
    words: str = ""
    answers: tuple[AnswerLine, ...] = ()
    overview: tuple[tuple[str, ...], tuple[tuple[str, ...], ...]] = ((), ())
    remarks: tuple[str, ...] = ()
    methods: tuple[Method, ...] = ()
    provenance: tuple[tuple[str, str], ...] = field(default=(), metadata=_KEPT)
    theme: Theme | None = None
    unit: str = "topic"


def with_unbroken_texts(part: Any) -> Any:
    """A page, or a part of one, in which no line ends within 95 % or p = 0.05; names are kept."""
    if isinstance(part, str):
        return unbroken(part)
    if isinstance(part, tuple | list):
        return tuple(map(with_unbroken_texts, part))
    if isinstance(part, Mapping):
        return {key: with_unbroken_texts(value) for key, value in part.items()}
    if not is_dataclass(part) or isinstance(part, type):
        return part
    texts = {f.name: with_unbroken_texts(getattr(part, f.name)) for f in fields(part) if not f.metadata.get("kept")}
    if isinstance(part, Column) and part.kind == "text":
        texts["value"] = lambda row: with_unbroken_texts(part.value(row))
    return replace(part, **texts)
