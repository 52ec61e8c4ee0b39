"""`read_judgments`: a file of relevance judgments → Judgments."""

from __future__ import annotations

import json
import os
import warnings
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.checks import check_choice
from rankscope.errors import BadParameter, ConflictingJudgments, DuplicateJudgments, NotANumber, UnrecognisedFormat
from rankscope.files.delimited import read_delimited
from rankscope.files.frames import frame_table
from rankscope.files.jsonl import is_json_lines, read_jsonl
from rankscope.files.label_table import (
    LABEL,
    LABEL_ROLES,
    ON_CONFLICT,
    LabelColumns,
    OnConflict,
    label_columns,
    mapped_labels,
    table_judgments,
)
from rankscope.files.parquet import parquet_table
from rankscope.files.row_filter import rows_by_value
from rankscope.files.sources import expanded, system_name
from rankscope.files.table import Place, Table, is_number, normalise
from rankscope.files.text import PARQUET_MAGIC, check_text, read_bytes
from rankscope.files.tool_output import recognise_lines
from rankscope.files.trec_lines import GRADE, Kind, Lines, grouped, read_lines
from rankscope.files.wrong_kind import is_run_line
from rankscope.runs import Floats, Ids, Judgments, Positions

_KIND = Kind("judgments", "judgment", "lines of topic, 0, document, grade", width=4, number=3, number_name=GRADE)
_SAMPLE, _SAMPLE_BYTES = 50, 100_000


def read_judgments(
    path: str | os.PathLike[str],
    *,
    columns: LabelColumns | None = None,
    where: Mapping[str, str] | None = None,
    grades: Mapping[str, float] | None = None,
    on_conflict: OnConflict = "error",
    name: str | None = None,
    bare: bool = False,
) -> Judgments:
    r"""Read relevance judgments: TREC qrels, or a table with a label in each row.

    Qrels are lines of topic, anything, document, grade. A table is CSV, TSV, JSON lines, a JSON array, JSON
    `{topic: {item: label}}` or Parquet; its columns are known by common headers (`query_id`, `docno`, `label`, …), or
    without a header by their number: topic, item, label. Grades are whole or real numbers, negative ones too. A line of
    qrels that is repeated with the same grade counts once, with a `DuplicateJudgments` warning.

    Parameters
    ----------
    path : path
        The file, plain or compressed (gzip, bzip2, zstd).
    columns : mapping, optional
        The names of a table's columns by what they hold: "topic", "item", "label".
    where : mapping, optional
        Which rows of a table count: column → pattern, such as `{"rater": "expert*"}` or `{"rater": "a|b"}`.
    grades : mapping, optional
        Grades by label: `{"yes": 1, "no": 0}`, or `{"1": 2}` for another scale. Other labels stay.
    on_conflict : {"error", "first", "last", "max", "mean", "majority"}, default "error"
        What becomes of a document with different grades for a topic: an error, or the first, the last, the greatest,
        the mean or the most frequent grade counts (the first of those that are equally frequent).
    name : str, optional
        What messages and reports call these judgments; by default the file's name without its endings.
    bare : bool, default False
        Whether labels may be words, and items may lack topics, for `labels`; measures need grades and topics.

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
    ...     _ = Path(folder, "labels.csv").write_text("qid,docno,rater,label\n301,d1,ann,yes\n301,d2,bob,no\n")
    ...     read_judgments(Path(folder, "qrels.txt"))
    ...     read_judgments(Path(folder, "labels.csv"), where={"rater": "ann"}, grades={"yes": 1, "no": 0})
    <Judgments: 2 of 1 topics>
    <Judgments: 1 of 1 topics>
    """
    check_choice("on_conflict", on_conflict, ON_CONFLICT)
    _check_columns(columns)
    place = expanded(path)
    data = read_bytes(place)
    name = named_by_file(str(place)) if name is None else name
    if not columns and not where and is_qrels(data):
        try:
            return _from_lines(read_lines(place, _KIND, data), grades, on_conflict, name)
        except NotANumber:
            if not bare and not grades:
                raise
    table = labels_table(data, place)
    return table_judgments(
        table, columns=columns, where=where, grades=grades, on_conflict=on_conflict, name=name, bare=bare
    )


def read_each(path: str | os.PathLike[str], each: str | None, **options: Any) -> list[Judgments]:
    """The judgments in a file, or those of every value of the column `each`, named by the value."""
    if each is None:
        return [read_judgments(path, **options)]
    place = expanded(path)
    table = labels_table(read_bytes(place), place)
    by_value = rows_by_value(table, each, options.pop("where", None), label_columns(table))
    return [table_judgments(rows, name=value, **options) for value, rows in by_value.items()]


def frame_judgments(frame: Any, *, bare: bool = False) -> Judgments:
    """Judgments from a data frame with columns of topics, documents and grades, one judgment per row.

    >>> import polars as pl
    >>> frame_judgments(pl.DataFrame({"topic": ["301", "301"], "document": ["d1", "d2"], "grade": [2, 0]}))
    <Judgments: 2 of 1 topics>
    """
    return table_judgments(frame_table(frame), bare=bare)


def _check_columns(columns: Any) -> None:
    for role in columns or {}:
        if role not in LABEL_ROLES:
            raise BadParameter(f"columns has no role {role!r}; there are {', '.join(LABEL_ROLES)}")


def is_qrels(data: bytes) -> bool:
    """Whether these are lines of qrels, or of something else that is known and no table of labels."""
    if data.startswith(PARQUET_MAGIC):
        return False
    text = data[:_SAMPLE_BYTES].decode("utf-8-sig", "replace").lstrip()
    if text.startswith(("{", "[")):
        return False
    lines = [line.split() for line in text.splitlines()[:_SAMPLE] if line.strip()]
    if not lines or all(map(is_run_line, lines)) or recognise_lines(text) is not None:
        return True
    return len(lines[0]) == _KIND.width and is_number(lines[0][_KIND.number])


def labels_table(data: bytes, path: Path) -> Table:
    """The table of labels in a file: delimited, JSON or Parquet."""
    if data.startswith(PARQUET_MAGIC):
        return parquet_table(data, str(path))[0]
    check_text(data, path, "labels")
    text = data.decode("utf-8-sig")
    if text.lstrip().startswith("[") or is_json_lines(text):
        return _json_table(text, path)
    return read_delimited(text, str(path))


def _json_table(text: str, path: Path) -> Table:
    """JSON lines, an array of objects, `{topic: {item: label}}` or `{item: label}` as a table."""
    try:
        whole = json.loads(text, parse_int=str, parse_float=str)  # digits as written, however many
    except (json.JSONDecodeError, RecursionError):
        return read_jsonl(text, str(path))  # lines, or an error that names one
    if isinstance(whole, dict) and not any(normalise(key) in LABEL for key in whole):
        nested = {topic: items for topic, items in whole.items() if isinstance(items, dict)}
        if len(nested) == len(whole):
            whole = [
                {"topic": t, "item": i, "label": label} for t, items in nested.items() for i, label in items.items()
            ]
        else:
            whole = [{"item": item, "label": label} for item, label in whole.items()]
    elif isinstance(whole, dict):
        whole = [whole]
    if not whole or not all(isinstance(row, dict) for row in whole):
        problem = 'a JSON array holds one object per label, such as {"item": …, "label": …}; write it so'
        raise UnrecognisedFormat(path, problem, line=1)
    table = read_jsonl("\n".join(json.dumps(row) for row in whole), str(path))
    return Table(Place(str(path)), table.columns)


def _from_lines(lines: Lines, map_to: Mapping[str, float] | None, on_conflict: OnConflict, name: str) -> Judgments:
    order, ends, first = grouped(lines)
    grades = lines.numbers
    if map_to:
        place = Place(lines.path, lines.line_of)
        grades = np.array([float(label) for label in mapped_labels([repr(g) for g in grades.tolist()], map_to, place)])
    if np.any(first != np.arange(len(first))):
        grades = _merged_grades(lines, grades, first, on_conflict)
        kept = first[order] == order
        order, ends = order[kept], np.concatenate([[0], np.cumsum(kept)])[ends]
    return Judgments(
        topics=lines.topics,
        starts=ends,
        ids=Ids.cut(lines.text, lines.starts[order], lines.lengths[order]),
        grades=grades[order],
        name=name,
    )


def named_by_file(path: str) -> str:
    """The name of judgments: that of their file, without its endings."""
    name = system_name(path)
    return name.removesuffix(".qrels").removesuffix(".qrel") or name


def _merged_grades(lines: Lines, grades: Floats, first: Positions, on_conflict: OnConflict) -> Floats:
    """The grade that counts of every document, at its first row."""
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
    elif on_conflict == "majority":
        for document in np.unique(first[differ]).tolist():
            merged[document] = Counter(grades[first == document].tolist()).most_common(1)[0][0]
    return merged


def _conflict(lines: Lines, row: int, first: int, documents: int) -> ConflictingJudgments:
    topic = lines.topics[lines.topic_of[row]]
    others = "" if documents == 1 else f" ({documents} documents have different grades)"
    problem = (
        f"document {lines.document(row)!r} of topic {topic!r} has grade {lines.numbers[row]:g} here and "
        f"{lines.numbers[first]:g} on line {lines.line_of(first)}{others}; keep one, or choose the first, last, max, "
        "mean or majority (on_conflict, --on-conflict)"
    )
    return ConflictingJudgments(lines.path, problem, line=lines.line_of(row))
