"""`read_judgments`: a file of relevance judgments → Judgments."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from rankscope.checks import check_choice
from rankscope.errors import ConflictingJudgments, DuplicateJudgments, MissingName, UnrecognisedFormat
from rankscope.files.columns import TOPIC
from rankscope.files.frames import frame_table
from rankscope.files.sources import expanded, system_name
from rankscope.files.table import Column, Table, check_numbers, listed
from rankscope.files.trec_lines import Kind, Lines, grouped, read_lines
from rankscope.runs import Floats, Ids, Judgments, Positions

OnConflict = Literal["error", "first", "last", "max", "mean"]
ON_CONFLICT: tuple[OnConflict, ...] = get_args(OnConflict)

# Headers in a data frame.
_DOCUMENT = ("document", "document_id", "doc", "doc_id", "docid", "docno")
_GRADE = ("grade", "relevance", "rel", "label")

_KIND = Kind("judgments", "judgment", "lines of topic, 0, document, grade", width=4, number=3, number_name="grade")


def read_judgments(
    path: str | os.PathLike[str], *, on_conflict: OnConflict = "error", name: str | None = None
) -> Judgments:
    r"""Read relevance judgments: lines of topic, anything, document, grade.

    Grades are whole or real numbers, negative ones too. A judgment that is repeated with the same grade counts once,
    with a `DuplicateJudgments` warning.

    Parameters
    ----------
    path : path
        The file, plain or compressed (gzip, bzip2, zstd).
    on_conflict : {"error", "first", "last", "max", "mean"}, default "error"
        What becomes of a document with different grades for a topic: an error, or the first, the last, the greatest
        or the mean grade counts.
    name : str, optional
        What messages and reports call these judgments; by default the file's name without its endings.

    Returns
    -------
    Judgments
        The judgments, with topics and documents in the order of the file.

    Raises
    ------
    ConflictingJudgments
        If a document has different grades for a topic and `on_conflict` is "error".
    BadFile
        If the file cannot be read or understood; its subclasses name the cause, and messages the line.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "qrels.txt").write_text("301 0 d1 2\n301 0 d2 0\n")
    ...     read_judgments(Path(folder, "qrels.txt"))
    <Judgments: 2 of 1 topics>
    """
    check_choice("on_conflict", on_conflict, ON_CONFLICT)
    lines = read_lines(expanded(path), _KIND)
    order, ends, first = grouped(lines)
    grades = lines.numbers
    if np.any(first != np.arange(len(first))):
        grades = _merged_grades(lines, first, on_conflict)
        kept = first[order] == order
        order, ends = order[kept], np.concatenate([[0], np.cumsum(kept)])[ends]
    return Judgments(
        topics=lines.topics,
        starts=ends,
        ids=Ids.cut(lines.text, lines.starts[order], lines.lengths[order]),
        grades=grades[order],
        name=_name(lines.path) if name is None else name,
    )


def frame_judgments(frame: Any) -> Judgments:
    """Judgments from a data frame with columns of topics, documents and grades, one judgment per row.

    >>> import polars as pl
    >>> frame_judgments(pl.DataFrame({"topic": ["301", "301"], "document": ["d1", "d2"], "grade": [2, 0]}))
    <Judgments: 2 of 1 topics>
    """
    table = frame_table(frame)
    columns = [_column(table, words) for words in (TOPIC, _DOCUMENT, _GRADE)]
    grades = check_numbers(columns[2], table.place)
    rows: dict[str, dict[str, float]] = {}
    for row, (topic, document, grade) in enumerate(zip(columns[0].cells, columns[1].cells, grades, strict=True)):
        if not topic or not document or np.isnan(grade):
            raise table.place.error(MissingName, "a topic, document or grade is missing; leave the row out", row)
        known = rows.setdefault(topic, {}).setdefault(document, float(grade))
        if known != grade:
            problem = (
                f"document {document!r} of topic {topic!r} has grade {grade:g} here and {known:g} before; keep one"
            )
            raise table.place.error(ConflictingJudgments, problem, row)
    return Judgments.of(rows)


def _column(table: Table, words: Sequence[str]) -> Column:
    for word in words:
        if word in table.by_word:
            return table.by_word[word]
    problem = f"no column {words[0]!r}; judgments have columns topic, document and grade, not {listed(table.headers)}"
    raise table.place.error(UnrecognisedFormat, problem)


def _name(path: str) -> str:
    name = system_name(path)
    return name.removesuffix(".qrels").removesuffix(".qrel") or name


def _merged_grades(lines: Lines, first: Positions, on_conflict: OnConflict) -> Floats:
    """The grade that counts of every document, at its first row."""
    grades = lines.numbers
    again = np.flatnonzero(first != np.arange(len(first)))
    differ = again[grades[again] != grades[first[again]]]
    if len(differ) and on_conflict == "error":
        raise _conflict(lines, int(differ[0]), int(first[differ[0]]), len(np.unique(first[differ])))
    agreed = again[~np.isin(first[again], first[differ])]
    if len(agreed):
        warnings.warn(
            f"{lines.path}:{lines.line_of(int(agreed[0]))}: {len(agreed)} rows repeat a judgment with the same grade; "
            "each judgment counts once",
            DuplicateJudgments,
            stacklevel=3,
        )
    merged = grades.copy()
    if on_conflict == "last":
        merged[first] = grades  # rows come in the order of lines, and the last one stays
    elif on_conflict == "max":
        np.maximum.at(merged, first, grades)
    elif on_conflict == "mean":
        counts, sums = np.bincount(first), np.bincount(first, weights=grades)
        several = counts > 1
        merged[: len(counts)][several] = sums[several] / counts[several]
    return merged


def _conflict(lines: Lines, row: int, first: int, documents: int) -> ConflictingJudgments:
    topic = lines.topics[lines.topic_of[row]]
    others = "" if documents == 1 else f" ({documents} documents have different grades)"
    problem = (
        f"document {lines.document(row)!r} of topic {topic!r} has grade {lines.numbers[row]:g} here and "
        f"{lines.numbers[first]:g} on line {lines.line_of(first)}{others}; keep one, or choose the first, last, max or "
        "mean (on_conflict, --on-conflict)"
    )
    return ConflictingJudgments(lines.path, problem, line=lines.line_of(row))
