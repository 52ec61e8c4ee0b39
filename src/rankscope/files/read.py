"""`read_scores`: from any source of scores to the model."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.errors import BadParameter, EmptyFile, UnknownMeasure, UnrecognisedFormat
from rankscope.files.columns import COLUMN_ROLES, Columns
from rankscope.files.delimited import read_delimited
from rankscope.files.found import Found, OnMissingScores, check_on_missing, settle
from rankscope.files.frames import frame_table, is_frame, parquet_table
from rankscope.files.jsonl import is_json_lines, read_jsonl
from rankscope.files.long import from_parts, long_part
from rankscope.files.measure_names import matching
from rankscope.files.not_scores import check_not_trec
from rankscope.files.noted import from_notes
from rankscope.files.per_run import Run, named_parts
from rankscope.files.recognise import FORMATS, Format, Layout, force, recognise
from rankscope.files.sources import PathLike, find_files, is_paths
from rankscope.files.table import Table
from rankscope.files.text import PARQUET_MAGIC, decode, read_bytes
from rankscope.files.trec_eval import has_header, read_ir_measures, read_trec_eval, recognise_lines, run_table
from rankscope.files.wide import from_wide
from rankscope.scores import ScoreMatrix, Scores, SystemScores, as_scores


@dataclass(frozen=True)
class _Piece:
    """One file, recognised: a table and its layout, or runs of an evaluation tool, or scores that were noted so."""

    path: str
    format: Format
    table: Table | None = None
    layout: Layout | None = None
    runs: tuple[Run, ...] = ()
    found: Found | None = None


def read_scores(
    source: object,
    *,
    format: Format | None = None,  # noqa: A002  the word the user knows
    measure: str | None = None,
    columns: Columns | None = None,
    on_missing: OnMissingScores = "error",
    name: str | None = None,
) -> Scores:
    """Scores from files or from data in memory: a `ScoreMatrix`, or `SystemScores` where there are no topics.

    `source` is a path, a folder, a pattern such as `runs/*.eval`, or a list of paths; or an array, a mapping, a data
    frame of pandas or polars, or scores already. Formats are recognised by content (docs/formats.md); `format` forces
    one. `columns` names columns by their role, such as `{"topic": "item", "system": "tag", "score": "acc"}`, where
    headers would be misread; no other header has a meaning then. `measure` chooses where there are several, in any
    common spelling, and labels scores that have none. Missing scores are an error, or the topics that lack one are
    dropped ("intersect"), or they are zero ("zero") or NaN ("keep"). `name` is what messages and reports call these
    scores, by default the name of the file or folder.

    >>> read_scores({"bm25": {"301": 0.2, "302": 0.4}, "dense": {"301": 0.3, "302": 0.1}}, measure="AP")
    <ScoreMatrix of AP: 2 topics × 2 systems>
    """
    _check_format(format)
    _check_columns(columns)
    check_on_missing(on_missing)
    if is_paths(source):
        return _from_files(source, format, measure, columns, on_missing, name)
    if _is_plain(source):
        return _from_memory(source, format, measure, columns, on_missing, name)
    table = frame_table(source)
    piece = _recognised(table, format, columns)
    return settle(_combine([piece], measure, table.place.path), on_missing).renamed(name)


def _from_files(
    source: PathLike | Sequence[PathLike],
    format: Format | None,  # noqa: A002
    measure: str | None,
    columns: Columns | None,
    on_missing: OnMissingScores,
    name: str | None,
) -> Scores:
    files = find_files(source)
    pieces = [_read_piece(path, format, columns) for path in files.paths]
    _check_alike(pieces)
    place = str(files.paths[0]) if len(files.paths) == 1 else _together(source, files.name)
    return settle(_combine(pieces, measure, place), on_missing).renamed(files.name if name is None else name)


def _from_memory(
    data: object,
    format: Format | None,  # noqa: A002
    measure: str | None,
    columns: Columns | None,
    on_missing: OnMissingScores,
    name: str | None,
) -> Scores:
    if columns is not None:
        raise BadParameter("columns are of files and data frames; arrays and mappings have one form each")
    if format is not None:
        raise BadParameter(f"format={format!r} is for files and data frames; arrays and mappings have one form each")
    if isinstance(data, list | tuple) and not data:
        raise BadParameter("an empty list holds no scores and no paths; give at least one")
    scores = as_scores(data, measure=measure, name=name)
    if isinstance(data, ScoreMatrix | SystemScores):
        scores = _labelled(scores, measure)
    return scores if on_missing == "keep" else scores.fill(on_missing)


def _is_plain(source: object) -> bool:
    """Whether `as_scores` takes it; a frame is asked about last, because that needs another import."""
    if isinstance(source, ScoreMatrix | SystemScores | Mapping | list | tuple | np.ndarray):
        return True
    return not is_frame(source)


def _labelled(scores: Scores, measure: str | None) -> Scores:
    """Scores in memory: a measure must be theirs, or names them if they have none."""
    if measure is None or (scores.measure is not None and matching(measure, [scores.measure])):
        return scores
    if scores.measure is not None:
        title = scores.name or f"<{type(scores).__name__}>"
        raise UnknownMeasure(title, f"no measure {measure!r}; these are scores of {scores.measure!r}")
    systems = scores.systems if scores.systems_named else None
    if isinstance(scores, SystemScores):
        return SystemScores(scores.values, systems, measure=measure, name=scores.name)
    topics = scores.topics if scores.topics_named else None
    return ScoreMatrix(scores.values, systems, topics, measure=measure, name=scores.name)


def _read_piece(path: Path, forced: Format | None, columns: Columns | None) -> _Piece:
    data = read_bytes(path)
    if data.startswith(PARQUET_MAGIC):
        table, notes = parquet_table(data, str(path))
        if notes and forced is None and columns is None:
            found = from_notes(table, notes)
            return _Piece(str(path), "wide" if isinstance(found.scores, ScoreMatrix) else "leaderboard", found=found)
        return _recognised(table, forced, columns)
    return _text_piece(decode(data, path), str(path), forced, columns)


def _text_piece(text: str, path: str, forced: Format | None, columns: Columns | None = None) -> _Piece:
    if not text.strip():
        raise EmptyFile(path, "the file is empty")
    if is_json_lines(text):
        return _recognised(read_jsonl(text, path), forced, columns)
    if re.match(r"\s*\[\s*[\[{]", text):
        raise UnrecognisedFormat(path, "a JSON array; write JSON lines, one object per line", line=1)
    if columns is not None:
        return _recognised(read_delimited(text, path, headed=True), forced, columns)
    tool = recognise_lines(text) if forced is None else forced
    if tool == "trec_eval":
        return _Piece(path, tool, runs=tuple(read_trec_eval(text, path)))
    if tool == "ir_measures" and not has_header(text):
        return _Piece(path, tool, runs=tuple(read_ir_measures(text, path)))
    if forced is None:
        check_not_trec(text, path)
    return _recognised(read_delimited(text, path), forced)


def _recognised(table: Table, forced: Format | None, columns: Columns | None = None) -> _Piece:
    layout = recognise(table, forced, columns)
    return _Piece(table.place.path, layout.format, table=table, layout=layout)


def _combine(pieces: Sequence[_Piece], measure: str | None, path: str) -> Found:
    """The scores of all pieces; wide tables come alone."""
    first = pieces[0]
    if first.found is not None and len(pieces) == 1:
        return Found(_labelled(first.found.scores, measure), first.found.path, first.found.where)
    if first.format in ("wide", "wide-systems"):
        if len(pieces) > 1:
            raise UnrecognisedFormat(
                pieces[1].path,
                f"a second wide table beside {first.path}; several files are read together when they are long tables "
                "or output of trec_eval or ir_measures, so read these one at a time",
            )
        table, layout = _table(first)
        return from_wide(table, layout, measure)
    if first.format in ("trec_eval", "ir_measures"):
        return from_parts(named_parts([run for piece in pieces for run in _runs(piece)]), measure, path)
    return from_parts([long_part(*_table(piece)) for piece in pieces], measure, path)


def _table(piece: _Piece) -> tuple[Table, Layout]:
    if piece.table is None or piece.layout is None:
        raise UnrecognisedFormat(piece.path, "this file can only be read alone; write it as a long table")
    return piece.table, piece.layout


def _runs(piece: _Piece) -> Sequence[Run]:
    return piece.runs or run_table(*_table(piece))


def _check_alike(pieces: Sequence[_Piece]) -> None:
    for piece in pieces[1:]:
        if piece.format != pieces[0].format:
            raise UnrecognisedFormat(
                piece.path,
                f"this looks like {piece.format!r} and {pieces[0].path} like {pieces[0].format!r}; give files of one "
                f"format, or force it: {force(pieces[0].format)}",
            )


def _check_format(format: Any) -> None:  # noqa: A002
    if format is not None and format not in FORMATS:
        raise BadParameter(f"format={format!r}: choose one of {', '.join(FORMATS)}, or leave it out")


def _check_columns(columns: Any) -> None:
    if columns is None:
        return
    if not isinstance(columns, Mapping) or not columns or not all(isinstance(name, str) for name in columns.values()):
        raise BadParameter(f"columns={columns!r}: give column names by role, such as {{'topic': 'item'}}")
    unknown = [role for role in columns if role not in COLUMN_ROLES]
    if unknown:
        raise BadParameter(f"columns has no role {unknown[0]!r}; there are {', '.join(COLUMN_ROLES)}")
    if len(set(columns.values())) < len(columns):
        raise BadParameter(f"columns={dict(columns)}: one column has two roles; name each column once")
    if "topic" not in columns and "system" not in columns:
        raise BadParameter("columns: name the column of topics or of systems too (--topic-column, --system-column)")


def _together(source: PathLike | Sequence[PathLike], name: str) -> str:
    return os.fspath(source) if isinstance(source, str | os.PathLike) else name
