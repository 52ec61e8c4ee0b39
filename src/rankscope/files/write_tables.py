"""`write_scores`: scores as files that read back as the same scores."""

from __future__ import annotations

import io
import json
import math
import os
from collections.abc import Iterable, Sequence
from typing import Literal, get_args

import numpy as np

from rankscope.checks import check_choice
from rankscope.errors import UnwritableOutput, some
from rankscope.files.atomic import write_bytes
from rankscope.files.columns import VALUE, is_error, is_label_word, is_summary
from rankscope.files.compression import compress, endings
from rankscope.files.parquet import parquet_bytes
from rankscope.files.table import CORNER, is_number
from rankscope.scores import ScoreMatrix, Scores, SystemScores

WriteFormat = Literal["wide", "long", "leaderboard", "parquet"]
WRITE_FORMATS: tuple[WriteFormat, ...] = get_args(WriteFormat)

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
# The csv module reads no longer field.
_LONGEST_NAME = 131_072

Record = Sequence[str | float]


def write_scores(
    scores: Scores,
    path: str | os.PathLike[str],
    *,
    format: WriteFormat | None = None,  # noqa: A002  the word the user knows
) -> None:
    """Write scores so that `read_scores(path, on_missing="keep")` gives them back exactly."""
    ending, compression = endings(path)
    chosen = _check_format(scores, path, ending, format)
    _check_content(scores, path)
    if chosen == "parquet":
        data = parquet_bytes(scores, os.fspath(path))
    elif ending == ".jsonl":
        data = _jsonl(_long(scores, path))
    else:
        data = _delimited(_records(scores, chosen, path), _DELIMITERS[ending])
    write_bytes(path, compress(data, compression))


def _check_format(scores: Scores, path: str | os.PathLike[str], ending: str, chosen: str | None) -> WriteFormat:
    """The form to write, if it exists, suits the scores and suits the ending."""
    if chosen is not None:
        check_choice("format", chosen, WRITE_FORMATS)
    tables: tuple[WriteFormat, ...] = ("wide", "long") if isinstance(scores, ScoreMatrix) else ("leaderboard", "long")
    by_ending: dict[str, tuple[WriteFormat, ...]] = {
        ".csv": tables,
        ".tsv": tables,
        ".jsonl": ("long",),
        ".parquet": ("parquet",),
    }
    possible = by_ending.get(ending)
    if possible is None:
        raise UnwritableOutput(path, f"the ending {ending!r} says no format; use {', '.join(by_ending)}")
    for form in possible:
        if chosen in (form, None):
            return form
    kind = "scores by topic" if isinstance(scores, ScoreMatrix) else "a leaderboard"
    raise UnwritableOutput(path, f"{kind} as {ending} cannot be {chosen!r}; use format={possible[0]!r}")


def _check_content(scores: Scores, path: str | os.PathLike[str]) -> None:
    """Raise `UnwritableOutput` for names that would not read back as they are."""
    if not scores.given.size:
        raise UnwritableOutput(path, "there are no scores to write")
    topics = scores.topics if isinstance(scores, ScoreMatrix) and scores.topics_named else ()
    summaries = [topic for topic in topics if is_summary(topic)]
    if summaries:
        raise UnwritableOutput(
            path, f"the topic {summaries[0]!r} would be read as the summary of the others; rename it"
        )
    names = [*scores.systems, *topics, *([] if scores.measure is None else [scores.measure])]
    bad = [name for name in names if not _can_be_written(name)]
    if bad:
        shown = some([name[:60] for name in bad], 3)
        raise UnwritableOutput(
            path, f"{shown} cannot be written as a name (empty, a NUL, half a character, or too long)"
        )


def _can_be_written(name: str) -> bool:
    return 0 < len(name) <= _LONGEST_NAME and "\0" not in name and name.encode(errors="replace").decode() == name


def _records(scores: Scores, chosen: WriteFormat, path: str | os.PathLike[str]) -> Iterable[Record]:
    if chosen == "long":
        return _long(scores, path)
    return _wide(scores) if isinstance(scores, ScoreMatrix) else _leaderboard(scores)


def _wide(scores: ScoreMatrix) -> Iterable[Record]:
    """Topics in rows; the corner says so outright where a system's name would mislead, or systems have no names."""
    rows: list[list[float]] = scores.given.tolist()
    if not scores.systems_named and not scores.topics_named:
        return rows
    labels = scores.topics if scores.topics_named else [""] * len(rows)
    misleading = not scores.systems_named or any(is_label_word(system) for system in scores.systems)
    if not scores.topics_named and not misleading:
        return [scores.systems, *rows]
    header = [
        CORNER if misleading else "topic",
        *(scores.systems if scores.systems_named else [""] * len(scores.systems)),
    ]
    return [header, *([label, *row] for label, row in zip(labels, rows, strict=True))]


def _leaderboard(scores: SystemScores) -> Iterable[Record]:
    """System and score under the measure's name; a long table where that name would be misread."""
    measure = scores.measure
    labels = scores.systems if scores.systems_named else [""] * len(scores.systems)
    under, numbers = _numbers(scores)
    unclear = measure is not None and (is_label_word(measure) or is_number(measure) or is_error(measure))
    if measure is not None and (unclear or all(is_number(system) for system in scores.systems)):
        rows: list[Record] = [(s, measure, *row) for s, row in zip(labels, numbers, strict=True)]
        return [("system", "measure", "value", *under), *rows]
    rows = [(s, *row) for s, row in zip(labels, numbers, strict=True)]
    return [("system", VALUE[1] if measure is None else measure, *under), *rows]


def _numbers(scores: SystemScores) -> tuple[tuple[str, ...], list[list[float]]]:
    """The header after that of the scores, and the numbers of each system: its score and, if known, its error."""
    if scores.standard_errors is None:
        return (), [[value] for value in scores.given.tolist()]
    both: list[list[float]] = np.column_stack([scores.given, scores.standard_errors]).tolist()
    return ("standard_error",), both


def _long(scores: Scores, path: str | os.PathLike[str]) -> Iterable[Record]:
    """One row per score, a system's scores together."""
    _check_named(scores, path)
    measure = () if scores.measure is None else (scores.measure,)
    under = ("measure",) if measure else ()
    if isinstance(scores, SystemScores):
        errors, numbers = _numbers(scores)
        yield ("system", *under, "value", *errors)
        yield from ((s, *measure, *row) for s, row in zip(scores.systems, numbers, strict=True))
        return
    yield ("system", "topic", *under, "value")
    for system, column in zip(scores.systems, scores.given.T.tolist(), strict=True):
        yield from ((system, topic, *measure, value) for topic, value in zip(scores.topics, column, strict=True))


def _check_named(scores: Scores, path: str | os.PathLike[str]) -> None:
    without = "" if scores.systems_named else "systems"
    if isinstance(scores, ScoreMatrix) and not scores.topics_named:
        without = without or "topics"
    if without:
        raise UnwritableOutput(path, f"a long table needs names and these {without} have none; write .csv or .parquet")


def _delimited(records: Iterable[Record], delimiter: str) -> bytes:
    import csv

    text = io.StringIO(newline="")
    # Text is quoted and numbers are not: so a header of numbers is a header, and spaces around a name are its own.
    csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n").writerows(records)
    return text.getvalue().encode()


def _jsonl(records: Iterable[Record]) -> bytes:
    header, *rows = records
    keys = [json.dumps(key) for key in header]
    # Names repeat, and each is escaped once.
    names = {name for row in rows for name in row if isinstance(name, str)}
    escaped = {name: json.dumps(name, ensure_ascii=False) for name in names}
    lines = (", ".join(f"{key}: {_json(cell, escaped)}" for key, cell in zip(keys, row, strict=True)) for row in rows)
    return "".join(f"{{{line}}}\n" for line in lines).encode()


def _json(cell: str | float, escaped: dict[str, str]) -> str:
    """A cell in JSON, which has no NaN."""
    if isinstance(cell, str):
        return escaped[cell]
    return "null" if math.isnan(cell) else repr(cell)
