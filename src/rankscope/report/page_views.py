"""What a page consists of: views that tabs choose between, their figures and tables, and all of it packed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from rankscope.report.page_pack import Store, common_part
from rankscope.report.page_specs import Drawing, drawing, page_config

Kind = Literal["text", "system", "number", "signed", "interval", "tab", "p", "rank", "steps", "count", "share", "yes"]


@dataclass(frozen=True)
class Column:
    """A column of a table: the field of its rows, its heading, and how its cells read; an interval ends at `to`."""

    name: str
    title: str
    kind: Kind = "text"
    digits: int = 4
    to: str = ""


@dataclass(frozen=True)
class TableForm:
    """A table that every view fills: its columns, and how many rows are shown before a reader asks for all."""

    name: str
    title: str
    columns: tuple[Column, ...]
    shown: int = 25


@dataclass(frozen=True)
class FigureForm:
    """A place for a chart: `wide` takes the whole width, `fixed` keeps the chart's own."""

    name: str
    title: str
    wide: bool = False
    fixed: bool = False


@dataclass(frozen=True)
class SectionForm:
    """A question, and the figures and tables that answer it."""

    name: str
    title: str
    figures: tuple[FigureForm, ...] = ()
    tables: tuple[TableForm, ...] = ()


@dataclass(frozen=True)
class Figure:
    """A chart with what is said below it, and instead of it."""

    chart: Any
    caption: str
    alternative: str


@dataclass(frozen=True)
class Number:
    """One of the numbers at the top: what it is, the number, and what surrounds it."""

    label: str
    value: str
    note: str


@dataclass(frozen=True)
class View:
    """What one choice of tabs shows; a figure or table that it has not is left out."""

    at: tuple[int, ...]
    level: str
    sentence: str
    numbers: tuple[Number, ...]
    reasons: tuple[tuple[bool | None, str, str], ...] = ()
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    figures: Mapping[str, Figure] = field(default_factory=dict)
    tables: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Tabs:
    """Something to choose by tabs."""

    name: str
    title: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Method:
    """A method that was used: its name, its formula as MathML, what it does, and where it comes from."""

    title: str
    formula: str
    text: str
    reference: str


@dataclass(frozen=True)
class Page:
    """Everything on a page but its looks."""

    title: str
    lead: str
    tabs: tuple[Tabs, ...]
    sections: tuple[SectionForm, ...]
    views: tuple[View, ...]
    systems: tuple[str, ...]
    overview: tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]
    remarks: tuple[str, ...]
    methods: tuple[Method, ...]
    references: tuple[str, ...]
    provenance: tuple[tuple[str, str], ...]


def packed(page: Page) -> dict[str, Any]:
    """What `page.js` draws from."""
    store = Store()
    drawings: list[dict[str, Drawing]] = [
        {name: drawing(figure.chart) for name, figure in view.figures.items()} for view in page.views
    ]
    shared: dict[str, tuple[int, list[list[Any]]]] = {}
    for form in (figure for section in page.sections for figure in section.figures):
        specs = [found[form.name].spec for found in drawings if form.name in found]
        if specs:
            common, fillings = common_part([_untitled(spec) for spec in specs])
            shared[form.name] = (store.spec(common), fillings)
    views = []
    taken = dict.fromkeys(shared, 0)
    for view, found in zip(page.views, drawings, strict=True):
        figures = {}
        for name, figure in view.figures.items():
            place, fillings = shared[name]
            figures[name] = {
                "spec": place,
                "filling": fillings[taken[name]],
                "data": [store.rows(rows) for rows in found[name].data],
                "caption": figure.caption,
                "alternative": figure.alternative,
            }
            taken[name] += 1
        views.append(
            {
                "at": view.at,
                "level": view.level,
                "sentence": view.sentence,
                "numbers": [vars(number) for number in view.numbers],
                "reasons": view.reasons,
                "texts": dict(view.texts),
                "figures": figures,
                "tables": {name: store.rows(rows) for name, rows in view.tables.items()},
            }
        )
    return {
        "tabs": [vars(tabs) for tabs in page.tabs],
        "views": views,
        "systems": page.systems,
        "tables": {
            table.name: {
                "title": table.title,
                "shown": table.shown,
                "columns": [vars(column) for column in table.columns],
            }
            for section in page.sections
            for table in section.tables
        },
        "figures": {f.name: {"fixed": f.fixed} for section in page.sections for f in section.figures},
        "config": page_config()[0],
        "store": store.to_dict(),
    }


def _untitled(spec: dict[str, Any]) -> dict[str, Any]:
    """Without the title, which stands above the figure in the page."""
    return {key: value for key, value in spec.items() if key != "title"}
