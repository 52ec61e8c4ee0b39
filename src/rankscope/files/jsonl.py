"""JSON lines and arrays, one flat object per row, as a table."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
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
    numbered = _lines(text)
    chunks = (_objects(chunk, path) for chunk in iter(lambda: list(islice(numbered, _CHUNK_LINES)), []))
    return _table(chunks, Place(path, partial(_line_of, text)), len(text))


def read_records(text: str, path: str) -> Table:
    """The table in a JSON array of flat objects, as JSON lines are read.

    >>> table = read_records('[{"system": "bm25", "score": 0.50}, {"system": "dense", "score": 0.6}]', "scores.json")
    >>> [list(column.cells) for column in table.columns]
    [['bm25', 'dense'], ['0.50', '0.6']]
    """
    place = Place(path)
    records = _decode(text)
    for row, record in enumerate(records):
        if not isinstance(record, dict):
            raise place.error(UnrecognisedFormat, "not an object; each element of the array is one, with a score", row)
    parts = (records[begin : begin + _CHUNK_LINES] for begin in range(0, len(records), _CHUNK_LINES))
    return _table(parts, place, len(text))


def _table(chunks: Iterable[Sequence[dict[str, Any]]], place: Place, size: int) -> Table:
    """The table of these objects, which were a text of this size."""
    columns: dict[str, list[str]] = {}
    rows = 0
    for objects in chunks:
        if not columns.keys() >= set().union(*objects):
            for key in (key for row in objects for key in row):
                columns.setdefault(key, [""] * rows)
        # Rows of different keys make a table that is mostly empty, and far larger than their text.
        if expands_suspiciously((rows + len(objects)) * len(columns) * _CELL, size):
            problem = (
                f"{len(columns):,} different keys in the first {rows + len(objects):,} rows, as in no table of scores; "
                "write rows with the same keys, such as system, topic and score"
            )
            raise place.error(UnrecognisedFormat, problem)
        for key, cells in columns.items():
            new = [row.get(key, "") for row in objects]
            if any(type(cell) is not str for cell in new):
                new = [_cell(cell, key, place, rows + row) for row, cell in enumerate(new)]
            cells.extend(new)
        rows += len(objects)
    if not columns:
        raise place.error(UnrecognisedFormat, "the JSON objects are empty; each is one row, such as a system's score")
    return Table(place, tuple(Column(key, cells) for key, cells in columns.items()))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in enumerate(io.StringIO(text), 1) if line.strip())


def _line_of(text: str, row: int) -> int:
    return next(islice(_lines(text), max(row, 0), None))[0]


def _objects(chunk: Sequence[tuple[int, str]], path: str) -> list[dict[str, Any]]:
    """The objects of these lines, decoded together; line by line where that fails, so that the error names the line."""
    try:
        together = _decode(f"[{','.join(line for _, line in chunk)}]")
    except (json.JSONDecodeError, RecursionError, KeyTwice):
        together = ()
    if len(together) == len(chunk) and all(type(row) is dict for row in together):
        return list(together)
    return [_object(line, path, number) for number, line in chunk]


def _object(line: str, path: str, number: int) -> dict[str, Any]:
    try:
        decoded = _decode(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise _not_an_object(path, number, f" ({getattr(error, 'msg', 'nested too deeply')})") from None
    except KeyTwice as error:
        raise DuplicateScore(path, f"the key {error} appears twice in this object; keep one", line=number) from None
    if not isinstance(decoded, dict):
        raise _not_an_object(path, number, "")
    return decoded


def _not_an_object(path: str, number: int, reason: str) -> BadFile:
    return UnrecognisedFormat(path, f"not a JSON object{reason}; each line is one object", line=number)


def _cell(value: object, key: str, place: Place, row: int) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value)
    problem = f"{key!r} holds a list or an object; each value is one text or number, and each object one row"
    raise place.error(UnrecognisedFormat, problem, row)


class KeyTwice(Exception):
    """An object has the same key twice."""


def distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object for `json.loads`; raises `KeyTwice`, with the key, where one appears twice."""
    distinct = dict(pairs)
    if len(distinct) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        raise KeyTwice(repr(next(key for key, count in counts.items() if count > 1)))
    return distinct


def _decode(text: str) -> Any:
    # Numbers stay text, so that a topic 0301 or 1e5 keeps its name and a score all its digits.
    return json.loads(text, object_pairs_hook=distinct_keys, parse_int=str, parse_float=str, parse_constant=str)
