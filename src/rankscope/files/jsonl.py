"""JSON lines, one flat object per row, as a table."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

from rankscope.errors import BadFile, DuplicateScore, UnrecognisedFormat
from rankscope.files.compression import expands_suspiciously
from rankscope.files.table import Column, Place, Table

_OBJECT = re.compile(r"\s*\{\s*[\"'}]")
_CHUNK_LINES = 1_000
# The least number of bytes of a cell.
_CELL = 8


def is_json_lines(text: str) -> bool:
    """Whether a text begins with a JSON object, and not with a column that is called "{".

    >>> is_json_lines('{"system": "bm25"}'), is_json_lines("{,bm25")
    (True, False)
    """
    return _OBJECT.match(text) is not None


def read_jsonl(text: str, path: str) -> Table:
    """The table whose columns are the keys; a key that a row lacks is an empty cell, and numbers stay as written.

    >>> table = read_jsonl('{"system": "bm25", "topic": 301, "score": 0.50}', "scores.jsonl")
    >>> [list(column.cells) for column in table.columns]
    [['bm25'], ['301'], ['0.50']]
    """
    columns: dict[str, list[str]] = {}
    rows = 0
    numbered = _lines(text)
    while chunk := list(islice(numbered, _CHUNK_LINES)):
        objects = _objects(chunk, path)
        if not columns.keys() >= set().union(*objects):
            for key in (key for row in objects for key in row):
                columns.setdefault(key, [""] * rows)
        # Rows of different keys make a table that is mostly empty, and far larger than their text.
        if expands_suspiciously((rows + len(objects)) * len(columns) * _CELL, len(text)):
            problem = (
                f"{len(columns):,} different keys in the first {rows + len(objects):,} rows, as in no table of scores"
            )
            raise UnrecognisedFormat(path, f"{problem}; write rows with the same keys, such as system, topic and score")
        for key, cells in columns.items():
            new = [row.get(key, "") for row in objects]
            if any(type(cell) is not str for cell in new):
                new = [_cell(cell, key, path, number) for cell, (number, _) in zip(new, chunk, strict=True)]
            cells.extend(new)
        rows += len(objects)
    if not columns:
        raise UnrecognisedFormat(path, "the JSON objects are empty; each line is one object, such as a system's score")
    return Table(Place(path, partial(_line_of, text)), tuple(Column(key, cells) for key, cells in columns.items()))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in enumerate(io.StringIO(text), 1) if line.strip())


def _line_of(text: str, row: int) -> int:
    return next(islice(_lines(text), max(row, 0), None))[0]


def _objects(chunk: Sequence[tuple[int, str]], path: str) -> list[dict[str, Any]]:
    """The objects of these lines, decoded together; line by line where that fails, so that the error names the line."""
    try:
        together = _decode(f"[{','.join(line for _, line in chunk)}]")
    except (json.JSONDecodeError, RecursionError, _KeyTwice):
        together = ()
    if len(together) == len(chunk) and all(type(row) is dict for row in together):
        return list(together)
    return [_object(line, path, number) for number, line in chunk]


def _object(line: str, path: str, number: int) -> dict[str, Any]:
    try:
        decoded = _decode(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise _not_an_object(path, number, f" ({getattr(error, 'msg', 'nested too deeply')})") from None
    except _KeyTwice as error:
        raise DuplicateScore(path, f"the key {error} appears twice in this object; keep one", line=number) from None
    if not isinstance(decoded, dict):
        raise _not_an_object(path, number, "")
    return decoded


def _not_an_object(path: str, number: int, reason: str) -> BadFile:
    return UnrecognisedFormat(path, f"not a JSON object{reason}; each line is one object", line=number)


def _cell(value: object, key: str, path: str, number: int) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value)
    raise UnrecognisedFormat(
        path, f"{key!r} holds a list or an object; each value is one text or number, one row per line", line=number
    )


class _KeyTwice(Exception):
    """An object has the same key twice."""


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    distinct = dict(pairs)
    if len(distinct) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        raise _KeyTwice(repr(next(key for key, count in counts.items() if count > 1)))
    return distinct


def _decode(text: str) -> Any:
    # Numbers stay text, so that a topic 0301 or 1e5 keeps its name and a score all its digits.
    return json.loads(text, object_pairs_hook=_distinct, parse_int=str, parse_float=str, parse_constant=str)
