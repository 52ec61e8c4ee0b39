"""`read_sample`: a file of sampled judgments with inclusion probabilities → JudgmentSample."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from rankscope.errors import BadFile, EmptyFile, NotANumber, RaggedRow, UnrecognisedFormat
from rankscope.files.judgments import is_qrels, labels_table, named_by_file
from rankscope.files.label_table import PROBABILITY, LabelColumns, chosen_rows, sample_judgments
from rankscope.files.sources import expanded
from rankscope.files.table import Column, Place, Table, is_number, listed
from rankscope.files.text import PARQUET_MAGIC, check_text, read_bytes
from rankscope.runs import JudgmentSample

# What stands for the grade of a document that people have yet to label.
UNLABELLED = "?"
_FIELDS = ("topic", "iteration", "document", "grade", "probability")
_SNIFFED = 100_000
_NO_PROBABILITIES = (
    "no inclusion probabilities; lines have a fifth field (topic, 0, document, grade, probability), tables a column "
    "'probability'. Judgments without them are for read_judgments"
)


def read_sample(
    path: str | os.PathLike[str],
    *,
    columns: LabelColumns | None = None,
    where: Mapping[str, str] | None = None,
    grades: Mapping[str, float] | None = None,
    name: str | None = None,
) -> JudgmentSample:
    r"""Read a probability sample of judgments: documents drawn for people to label, with inclusion probabilities.

    Lines are those of TREC qrels with a fifth field: topic, anything, document, grade, inclusion probability; `?` is
    the grade of a document that has no label yet. A table (CSV, TSV, JSON lines, Parquet) has a column `probability`
    beside those of `read_judgments`; there an empty label is one to come, too.

    Parameters
    ----------
    path : path
        The file, plain or compressed (gzip, bzip2, zstd).
    columns : mapping, optional
        The names of a table's columns by what they hold: "topic", "item", "label".
    where : mapping, optional
        Which rows of a table count: column → pattern, as in `read_judgments`.
    grades : mapping, optional
        Grades by label: `{"yes": 1, "no": 0}`. Other labels stay.
    name : str, optional
        What messages and reports call the sample; by default the file's name without its endings.

    Returns
    -------
    JudgmentSample
        The documents in the order of the file, with NaN for grades to come.

    Raises
    ------
    ConflictingJudgments
        If a document has different grades or probabilities for a topic.
    BadFile
        If the file cannot be read or understood, or a probability is not above 0 and at most 1; messages name the line.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "sample.qrels").write_text("301 0 d1 2 0.5\n301 0 d2 ? 0.1\n")
    ...     read_sample(Path(folder, "sample.qrels"))
    <JudgmentSample: 2 documents of 1 topics, 1 labelled>
    """
    place = expanded(path)
    data = read_bytes(place)
    if not _is_lines(data) and is_qrels(data):
        raise UnrecognisedFormat(place, f"four fields: {_NO_PROBABILITIES}")
    table = _lines_table(data, place) if _is_lines(data) else labels_table(data, place)
    if where:
        table = chosen_rows(table, where)
    chances = next((table.by_word[word] for word in PROBABILITY if word in table.by_word), None)
    if chances is None:
        raise table.place.error(UnrecognisedFormat, f"columns {listed(table.headers)}: {_NO_PROBABILITIES}")
    _check_probabilities(chances, table.place)
    named = named_by_file(str(place)) if name is None else name
    judgments = sample_judgments(_blank(table), columns=columns, grades=grades, name=named)
    other = {**(columns or {}), "label": chances.header}
    probabilities = sample_judgments(table, columns=other, grades=None, name=named)
    return JudgmentSample(judgments=judgments, probabilities=probabilities.grades)


def is_sample(path: str | os.PathLike[str]) -> bool:
    """Whether a file holds judgments with inclusion probabilities: a fifth field, or a column of that name."""
    place = expanded(path)
    data = read_bytes(place)
    if _is_lines(data) or is_qrels(data):
        return _is_lines(data)
    try:
        table = labels_table(data, place)
    except BadFile:  # the reader of judgments says what is wrong
        return False
    return any(word in table.by_word for word in PROBABILITY)


def _is_lines(data: bytes) -> bool:
    """Whether the first line has five fields, of which the last is a number and the fourth a grade or `?`."""
    if data.startswith(PARQUET_MAGIC):
        return False
    lines = (line.split() for line in data[:_SNIFFED].decode("utf-8-sig", "replace").splitlines())
    first = next((fields for fields in lines if fields), [])
    return len(first) == len(_FIELDS) and is_number(first[4]) and (first[3] == UNLABELLED or is_number(first[3]))


def _lines_table(data: bytes, path: Path) -> Table:
    """Lines of five fields as a table."""
    check_text(data, path, "a sample of judgments")
    lines = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    rows, numbers = [], []
    for number, line in enumerate(lines, 1):
        fields = [field.decode() for field in line.split()]
        if not fields:
            continue
        if len(fields) != len(_FIELDS):
            problem = f"{len(fields)} fields, a line of a sample has {len(_FIELDS)} ({', '.join(_FIELDS)}); correct it"
            raise RaggedRow(path, problem, line=number)
        rows.append(fields)
        numbers.append(number)
    if not rows:
        raise EmptyFile(path, "the file is empty")
    columns = (Column(name, list(cells)) for name, cells in zip(_FIELDS, zip(*rows, strict=True), strict=True))
    return Table(Place(str(path), lambda row: numbers[row]), tuple(columns))


def _blank(table: Table) -> Table:
    """The table with empty cells for labels to come."""
    columns = (
        Column(column.header, ["" if cell.strip() == UNLABELLED else cell for cell in column.cells])
        for column in table.columns
    )
    return Table(table.place, tuple(columns), table.headed)


def _check_probabilities(column: Column, place: Place) -> None:
    wrong = np.flatnonzero(column.wrong | ~((column.values > 0.0) & (column.values <= 1.0)))
    if len(wrong):
        row = int(wrong[0])
        problem = f"the inclusion probability {column.cells[row]!r} is not a number above 0 and at most 1; correct it"
        raise place.error(NotANumber, problem, row)
