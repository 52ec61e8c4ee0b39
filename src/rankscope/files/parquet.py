"""Parquet: tables of any origin, and files of our own, in which a note says what the columns hold."""

from __future__ import annotations

import io
import json
import os
from functools import cache
from typing import Any

import numpy as np

from rankscope.errors import BadFile, UnreadableFile, UnwritableOutput
from rankscope.files.compression import expands_suspiciously
from rankscope.files.frames import frame_table
from rankscope.files.located import LocatedScores
from rankscope.files.table import Column, Table, check_numbers
from rankscope.scores import ScoreMatrix, Scores, SystemScores

# The key under which `parquet_bytes` keeps what the columns cannot say.
_NOTE_KEY = "rankscope"
# How pandas calls an index without a name in a Parquet file, where it comes last.
_PANDAS_INDEX = "__index_level_0__"
# Bytes of a number.
_CELL = 8


def parquet_table(data: bytes, path: str) -> tuple[Table, dict[str, Any]]:
    """The table in a Parquet file, and the note of `parquet_bytes` (empty for files of other origin)."""
    pl = polars_for(path, UnreadableFile)
    try:
        rows = pl.scan_parquet(io.BytesIO(data)).select(pl.len()).collect().item()
        cells = rows * len(pl.read_parquet_schema(io.BytesIO(data)))
        # A number that is repeated takes few bytes in the file, and many in memory.
        suspicious = expands_suspiciously(cells * _CELL, len(data))
        frame = pl.DataFrame() if suspicious else pl.read_parquet(io.BytesIO(data))
        metadata = pl.read_parquet_metadata(io.BytesIO(data))
        note, pandas = (json.loads(metadata.get(key, "{}")) for key in (_NOTE_KEY, "pandas"))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, RecursionError) as error:
        raise UnreadableFile(path, f"a broken Parquet file ({_first_line(error)}); write or fetch it again") from error
    if suspicious:
        problem = f"{len(data):,} bytes that hold {cells:,} cells, far more than tables of scores do"
        raise UnreadableFile(path, f"{problem}; if it is right, write it as CSV")
    table = frame_table(frame, path)
    if isinstance(note, dict) and note:
        return table, note
    return _with_pandas_index(table, pandas if isinstance(pandas, dict) else {}), {}


def noted_scores(table: Table, note: dict[str, Any]) -> LocatedScores:
    """The scores in a Parquet file that `parquet_bytes` made: labels in the first column, scores in the others."""
    path = table.place.path
    try:
        systems_named, topics_named = bool(note["systems_named"]), bool(note["topics_named"])
        measure, by_topic = note["measure"], note["kind"] != "leaderboard"
        of_systems = 2 if note.get("standard_errors") else 1
    except KeyError as error:
        raise UnreadableFile(path, f"the note in this Parquet file lacks {error}; write it again") from None
    labels, columns = list(table.columns[0].cells), table.columns[1:]
    if (
        (measure is not None and not isinstance(measure, str))
        or not columns
        or not (by_topic or len(columns) == of_systems)
    ):
        raise UnreadableFile(path, "the note in this Parquet file does not suit its columns; write it again")
    values = np.column_stack([check_numbers(column, table.place) for column in columns])
    if not by_topic:
        errors = values[:, 1] if of_systems == 2 else None
        names = labels if systems_named else None
        leaderboard = SystemScores(values[:, 0], names, measure=measure, standard_errors=errors)
        return LocatedScores(leaderboard, path, lambda _, system: table.place.row(system))
    systems = [column.header for column in columns] if systems_named else None
    scores = ScoreMatrix(values, systems, labels if topics_named else None, measure=measure)
    return LocatedScores(scores, path, lambda topic, _: table.place.row(topic))


def parquet_bytes(scores: Scores, path: str) -> bytes:
    """Scores as a Parquet file: labels in the first column, scores in the others, and the rest in a note."""
    pl = polars_for(path, UnwritableOutput)

    corner = "topic" if isinstance(scores, ScoreMatrix) else "system"
    while isinstance(scores, ScoreMatrix) and corner in scores.systems:  # names of columns must differ
        corner += "_"
    columns: dict[str, Any] = {}
    if isinstance(scores, ScoreMatrix):
        columns[corner] = scores.topics
        columns |= {system: scores.given[:, index] for index, system in enumerate(scores.systems)}
    else:
        columns[corner] = scores.systems
        label = "score" if scores.measure in (None, corner) else str(scores.measure)
        columns[label] = scores.given
        if scores.standard_errors is not None:
            columns["standard_error" if label != "standard_error" else "error"] = scores.standard_errors
    note = {
        "kind": "topics × systems" if isinstance(scores, ScoreMatrix) else "leaderboard",
        "measure": scores.measure,
        "systems_named": scores.systems_named,
        "topics_named": scores.topics_named if isinstance(scores, ScoreMatrix) else False,
        "standard_errors": isinstance(scores, SystemScores) and scores.standard_errors is not None,
    }
    data = io.BytesIO()
    pl.DataFrame(columns).write_parquet(data, metadata={_NOTE_KEY: json.dumps(note)})
    return data.getvalue()


def polars_for(path: str, kind: type[BadFile]) -> Any:
    """The package that reads and writes Parquet; raises `kind` where it is not installed, or cannot work.

    It cannot in a process that was forked after Parquet was used, since its threads stayed in the parent.
    """
    try:
        import polars
    except ImportError:
        raise kind(path, "Parquet needs polars: pip install 'rankscope[frames]', or use CSV") from None
    if _parquet_process() != os.getpid():
        raise kind(
            path,
            "this process was forked from one that had used Parquet, and would wait forever for the threads of polars; "
            "start workers with 'spawn' or 'forkserver' (multiprocessing.get_context), or use CSV",
        )
    return polars


@cache
def _parquet_process() -> int:
    """The process that first used Parquet; one forked from it remembers the same."""
    return os.getpid()


def _with_pandas_index(table: Table, pandas: dict[str, Any]) -> Table:
    """The table with the index that pandas writes as a column without a name, or as a note if it is a range."""
    first = [Column("", column.cells) for column in table.columns if column.header == _PANDAS_INDEX]
    indices = pandas.get("index_columns")
    for index in indices if isinstance(indices, list) else ():
        if isinstance(index, dict) and index.get("kind") == "range" and (index.get("start") or index.get("name")):
            first.append(Column(str(index.get("name") or ""), _counted(index, table)))
    others = [column for column in table.columns if column.header != _PANDAS_INDEX]
    return Table(table.place, (*first, *others))


def _counted(index: dict[str, Any], table: Table) -> list[str]:
    """The numbers that pandas notes instead of writing them, one for each row."""
    ends: list[Any] = [index.get(key) for key in ("start", "stop", "step")]
    if all(type(end) is int for end in ends) and ends[2]:
        numbers = range(*ends)
        # The length of a hostile range may be too great to be asked for.
        if numbers[table.rows - 1 : table.rows] and not numbers[table.rows :]:
            return [str(number) for number in numbers]
    raise UnreadableFile(table.place.path, "pandas' note on the index does not suit the rows; write the file again")


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
