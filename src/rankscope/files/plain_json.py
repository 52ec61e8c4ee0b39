"""One JSON object of scores: `{system: score}`, `{system: {measure: score}}`, `{topic: {system: score}}`."""

from __future__ import annotations

import math
import re
from typing import Any

from rankscope.errors import NotANumber, UnrecognisedFormat
from rankscope.files.columns import ColumnRole, Columns, is_label_word
from rankscope.files.recognise import Format, force
from rankscope.files.sources import system_name
from rankscope.files.table import Column, Place, Table, is_number
from rankscope.measure_names import is_known

_NUMBERED = re.compile(r"(?P<letters>\D*)\d+")
# What the keys of an object of objects are, outside and inside, under each format.
_KEYS: dict[Format, tuple[ColumnRole, ColumnRole]] = {
    "wide": ("topic", "system"),
    "wide-systems": ("system", "topic"),
    "leaderboard": ("system", "measure"),
    "ir_measures": ("topic", "measure"),
}


def plain_table(document: object, path: str, forced: Format | None) -> tuple[Table, Columns] | None:
    """The table in an object of scores or of objects of scores, and the roles of its columns; None for something else.

    What the keys are must be plain: names of measures and numbers of topics are known, other names are not.
    """
    if not isinstance(document, dict) or not document:
        return None
    if all(_is_score(value) for value in document.values()):
        return _flat(document, path, forced)
    if not all(isinstance(value, dict) and value for value in document.values()):
        return None
    if not all(_is_score(value) for inner in document.values() for value in inner.values()):
        return None
    outer, inner = _roles(document, path, forced)
    rows = [(first, second, value) for first, scores in document.items() for second, value in scores.items()]
    cells: dict[ColumnRole, list[str]] = {outer: [row[0] for row in rows], inner: [row[1] for row in rows]}
    if "system" not in cells:
        cells["system"] = [system_name(path)] * len(rows)
    return _table(cells, [value for _, _, value in rows], path)


def _flat(document: dict[str, Any], path: str, forced: Format | None) -> tuple[Table, Columns] | None:
    """Systems and their scores; or measures of one system, which the file names. A row of a table is left to others."""
    if any(is_label_word(key) for key in document) or forced not in (None, "leaderboard"):
        return None
    names = list(document)
    if all(is_known(name) for name in names):
        return _table({"system": [system_name(path)] * len(names), "measure": names}, list(document.values()), path)
    return _table({"system": names}, list(document.values()), path)


def _roles(document: dict[str, Any], path: str, forced: Format | None) -> tuple[ColumnRole, ColumnRole]:
    if forced is not None:
        if forced not in _KEYS:
            problem = f"an object of objects is not {forced!r}"
            raise UnrecognisedFormat(path, f"{problem}; leave format out to have it recognised")
        return _KEYS[forced]
    outer, inner = list(document), list(dict.fromkeys(key for scores in document.values() for key in scores))
    if all(map(is_known, inner)):
        if all(map(is_number, outer)):
            return _KEYS["ir_measures"]
        if not _numbered_alike(outer):
            return _KEYS["leaderboard"]
        raise UnrecognisedFormat(
            path,
            f"{outer[0]!r} may be a topic or a system, of scores by measure; use {force('ir_measures')} if these are "
            f"topics of one system, or {force('leaderboard')} if they are systems",
        )
    if all(map(is_number, inner)) and not all(map(is_number, outer)):
        return _KEYS["wide-systems"]
    complete = all(len(scores) == len(inner) for scores in document.values())
    if all(map(is_number, outer)) and not any(map(is_number, inner)) and len(outer) > 1 and complete:
        return _KEYS["wide"]
    raise UnrecognisedFormat(
        path,
        f"an object of objects, {{{outer[0]!r}: {{{inner[0]!r}: …}}}}, and it is not clear what its keys are; use "
        f"{force('wide-systems')} for {{system: {{topic: score}}}}, {force('wide')} for {{topic: {{system: score}}}}, "
        f"or {force('leaderboard')} for {{system: {{measure: score}}}}; a run or judgments of ranx, "
        "{topic: {document: score}}, hold no scores of systems: evaluate a run (rankscope evaluate RUN --qrels QRELS)",
    )


def _numbered_alike(names: list[str]) -> bool:
    """Whether names are one word with numbers, q1, q2, q3, as those of topics are."""
    matches = [_NUMBERED.fullmatch(name) for name in names]
    return len({match["letters"] if match else name for match, name in zip(matches, names, strict=True)}) == 1 and all(
        matches
    )


def _is_score(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _table(cells: dict[ColumnRole, list[str]], values: list[Any], path: str) -> tuple[Table, Columns]:
    place = Place(path)
    numbers = []
    for row, value in enumerate(values):
        number = math.nan if value is None else _to_float(value)
        if math.isinf(number):
            raise place.error(NotANumber, "a score that is not finite; correct it, or write null if it is missing", row)
        numbers.append(number)
    columns = (*(Column(header, each) for header, each in cells.items()), Column("score", typed=numbers))
    roles: dict[ColumnRole, str] = {**{header: header for header in cells}, "score": "score"}
    return Table(place, columns), roles


def _to_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
