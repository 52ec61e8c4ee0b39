"""The views of a page in little space: each column once, each specification once with what differs between views.

A page of 8 judges under 2 measures has some 200 charts. Their specifications differ in a title or a domain, and their
data share columns (the truth's scores, the systems' names). `page.js` restores a chart when it draws it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from rankscope.report.page_model import NAME, Page, PageTable
from rankscope.report.page_specs import drawing, page_config
from rankscope.report.theme import VERDICT_MARKS, config, label
from rankscope.results import plain

# The significant digits of a number in a chart; the JSON of a result has all digits.
_DIGITS = 5
# Cells are rounded once, to the decimals that the page shows: those of the column, or by its kind. A share is shown in
# per cent with one decimal; a small p-value keeps what tells it from 0.0001.
_WITH_DIGITS = frozenset({"number", "signed", "interval"})
_DECIMALS = {"share": 3, "p": 8}
_HOLE = "$hole"


def packed(page: Page) -> dict[str, Any]:
    """The data that `page.js` draws from."""
    store = Store()
    drawings = [{name: drawing(figure.chart) for name, figure in view.figures.items()} for view in page.views]
    figures: list[dict[str, Any]] = [{} for _ in page.views]
    places = [place for section in page.sections for place in section.figures]
    for place in places:
        shown = [i for i, drawn in enumerate(drawings) if place.name in drawn]
        specs = [drawings[i][place.name].spec for i in shown]
        if place.title:  # which the page shows above the figure
            specs = [{key: value for key, value in spec.items() if key != "title"} for spec in specs]
        common, fillings = common_part(specs) if specs else (None, [])
        for i, filling in zip(shown, fillings, strict=True):
            figure = page.views[i].figures[place.name]
            figures[i][place.name] = {
                "spec": store.spec(common),
                "filling": filling,
                "data": [store.rows(rows) for rows in drawings[i][place.name].data],
                "caption": figure.caption,
                "alternative": figure.alternative,
            }
    return {
        "tabs": [vars(tabs) for tabs in page.tabs],
        "views": [
            {
                "at": view.at,
                "level": view.level,
                "sentence": view.sentence,
                "numbers": [vars(number) for number in view.numbers],
                "reasons": view.reasons,
                "texts": dict(view.texts),
                "figures": drawn,
                "tables": {name: _table(table, store) for name, table in view.tables.items() if table.rows},
            }
            for view, drawn in zip(page.views, figures, strict=True)
        ],
        "systems": page.systems,
        "signs": {level: [sign, tone] for level, (tone, sign, _) in VERDICT_MARKS.items()},
        "figures": {
            place.name: {"fixed": place.fixed, "least": place.least, "saved": page.theme is not None}
            for place in places
        },
        "config": page_config()[0] if page.theme is None else config(page.theme),
        "store": store.to_dict(),
    }


def _table(table: PageTable, store: Store) -> dict[str, Any]:
    """A table by columns; an interval has a column for each end."""
    columns = []
    for column in table.columns:
        values = [column.value(row) for row in table.rows]
        if all(value is None for value in values):
            continue
        form = {"title": column.title, "kind": column.kind, "digits": column.digits}
        decimals = column.digits if column.kind in _WITH_DIGITS else _DECIMALS.get(column.kind)
        if column.kind == "interval":
            low, high = zip(*((None, None) if ends is None else ends for ends in values), strict=True)
            columns.append({**form, "values": store.column(low, decimals), "to": store.column(high, decimals)})
        else:
            named = [label(value, NAME) for value in values] if column.kind == "system" else values
            columns.append({**form, "values": store.column(named, decimals)})
    form = {"title": table.title, "n": len(table.rows), "shown": table.shown, "columns": columns}
    return form if table.total is None else {**form, "total": table.total}


class Store:
    """Words, columns and specifications, each kept once, in the order of their first use."""

    def __init__(self) -> None:
        self._words: dict[str, int] = {}
        self._columns: dict[str, int] = {}
        self._specs: dict[str, int] = {}

    def word(self, text: str) -> int:
        """The index of a text."""
        return self._words.setdefault(text, len(self._words))

    def column(self, values: Sequence[Any], decimals: int | None = None) -> int:
        """The index of a column: texts by their indices among the words, numbers rounded, other values as they are."""
        given = [plain(value) for value in values]
        if given and all(value is None or isinstance(value, str) for value in given):
            packed: Any = {"w": [None if value is None else self.word(value) for value in given]}
        else:
            packed = {"v": [rounded(value, decimals) for value in given]}
        return self._columns.setdefault(compact(packed), len(self._columns))

    def rows(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Rows as columns; null where a row lacks a field."""
        names = list(dict.fromkeys(name for row in rows for name in row))
        return {
            "n": len(rows),
            "names": names,
            "columns": [self.column([row.get(name) for row in rows]) for name in names],
        }

    def spec(self, common: Any) -> int:
        """The index of the common part of specifications."""
        return self._specs.setdefault(compact(common), len(self._specs))

    def to_dict(self) -> dict[str, Any]:
        """Everything kept."""
        return {
            "words": list(self._words),
            "columns": [json.loads(text) for text in self._columns],
            "specs": [json.loads(text) for text in self._specs],
        }


def common_part(specs: Sequence[Any]) -> tuple[Any, list[list[Any]]]:
    """The common part of all specifications, with holes, and for each specification what fills the holes.

    >>> common_part([{"mark": "bar", "title": "a"}, {"mark": "bar", "title": "b"}])
    ({'mark': 'bar', 'title': {'$hole': 0}}, [['a'], ['b']])
    """
    fillings: list[list[Any]] = [[] for _ in specs]
    return _common(list(specs), fillings), fillings


def _common(values: list[Any], fillings: list[list[Any]]) -> Any:
    first = values[0]
    if all(_same(value, first) for value in values):
        return first
    if all(isinstance(value, dict) and value.keys() == first.keys() for value in values):
        return {key: _common([value[key] for value in values], fillings) for key in first}
    if all(isinstance(value, list) and len(value) == len(first) for value in values):
        return [_common([value[i] for value in values], fillings) for i in range(len(first))]
    for filling, value in zip(fillings, values, strict=True):
        filling.append(value)
    return {_HOLE: len(fillings[0]) - 1}


def rounded(value: Any, decimals: int | None = None) -> Any:
    """A number with these decimals, or with the digits that a chart needs; whole numbers as integers.

    >>> rounded(0.234549, 4), rounded(0.234549), rounded(2.0)
    (0.2345, 0.23455, 2)
    """
    if not isinstance(value, float):
        return value
    short = float(f"{value:.{_DIGITS}g}") if decimals is None else round(value, decimals)
    if not math.isfinite(short):
        return value  # rounding went beyond the largest float
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def compact(value: Any) -> str:
    """JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


# Characters that could end a script element, a comment or a line inside it.
_ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def script_json(value: Any) -> str:
    r"""JSON that is safe inside a script element, whatever it contains.

    >>> print(script_json("</script>"))
    "\u003c/script\u003e"
    """
    return compact(value).translate(_ESCAPES)


def _same(a: Any, b: Any) -> bool:
    """Whether two values are equal as JSON, where 1, 1.0 and true differ."""
    return a == b and compact(a) == compact(b)
