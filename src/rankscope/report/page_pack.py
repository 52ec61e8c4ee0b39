"""Charts and tables of many answers in little space: each column once, each specification once with what differs.

A page of 8 judges under 2 measures has some 200 charts. Their specifications differ in a title or a domain, their data
share columns (the truth's scores, the systems' names). `page.js` puts them together again when a chart is drawn.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from rankscope.results import plain

# Digits of a number in the page; the JSON of a result has them all.
_DIGITS = 5
_HOLE = "$hole"


class Store:
    """Words, columns and specifications, each kept once, in the order in which they first came."""

    def __init__(self) -> None:
        self._words: dict[str, int] = {}
        self._columns: dict[str, int] = {}
        self._specs: dict[str, int] = {}

    def word(self, text: str) -> int:
        """The place of a text."""
        return self._words.setdefault(text, len(self._words))

    def column(self, values: Sequence[Any]) -> int:
        """The place of a column: texts by their places among words, numbers rounded, anything else as it is."""
        given = [plain(value) for value in values]
        if given and all(value is None or isinstance(value, str) for value in given):
            packed: Any = {"w": [None if value is None else self.word(value) for value in given]}
        else:
            packed = {"v": [rounded(value) for value in given]}
        return self._columns.setdefault(compact(packed), len(self._columns))

    def rows(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Rows as columns; a name that some row lacks is null there."""
        names = list(dict.fromkeys(name for row in rows for name in row))
        return {
            "n": len(rows),
            "names": names,
            "columns": [self.column([row.get(name) for row in rows]) for name in names],
        }

    def spec(self, common: Any) -> int:
        """The place of what specifications have in common."""
        return self._specs.setdefault(compact(common), len(self._specs))

    def to_dict(self) -> dict[str, Any]:
        """Everything kept."""
        return {
            "words": list(self._words),
            "columns": [json.loads(text) for text in self._columns],
            "specs": [json.loads(text) for text in self._specs],
        }


def common_part(specs: Sequence[Any]) -> tuple[Any, list[list[Any]]]:
    """What all specifications have in common, with holes, and what each has in the holes.

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


def filled(common: Any, filling: Sequence[Any]) -> Any:
    """The specification again; `page.js` does the same.

    >>> filled({"mark": "bar", "title": {"$hole": 0}}, ["a"])
    {'mark': 'bar', 'title': 'a'}
    """
    if isinstance(common, dict):
        if common.keys() == {_HOLE}:
            return filling[common[_HOLE]]
        return {key: filled(value, filling) for key, value in common.items()}
    return [filled(value, filling) for value in common] if isinstance(common, list) else common


def unpacked(store: Mapping[str, Any], rows: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows again; `page.js` does the same."""
    columns = []
    for place in rows["columns"]:
        column = store["columns"][place]
        if "w" in column:
            columns.append([None if i is None else store["words"][i] for i in column["w"]])
        else:
            columns.append(column["v"])
    return [{name: column[i] for name, column in zip(rows["names"], columns, strict=True)} for i in range(rows["n"])]


def rounded(value: Any) -> Any:
    """A number with as many digits as a page needs; whole numbers without a point."""
    if not isinstance(value, float):
        return value
    short = float(f"{value:.{_DIGITS}g}")
    if not math.isfinite(short):
        return value  # next to the largest number there is
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def compact(value: Any) -> str:
    """JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


# What could end a script element or a comment in it, or break a line of a script.
_ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def script_json(value: Any) -> str:
    r"""JSON that may stand inside a script element, whatever is in it.

    >>> print(script_json("</script>"))
    "\u003c/script\u003e"
    """
    return compact(value).translate(_ESCAPES)


def _same(a: Any, b: Any) -> bool:
    """Equal, and not merely by 1 == True or 1 == 1.0."""
    return a == b and compact(a) == compact(b)
