"""`read_sample`: a file of sampled judgments with inclusion probabilities → JudgmentSample."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from rankscope.errors import BadFile, DuplicateJudgments, EmptyFile, NotANumber, RaggedRow, UnrecognisedFormat
from rankscope.files.judgments import is_qrels, labels_table, named_by_file
from rankscope.files.label_table import PROBABILITY, LabelColumns, chosen_rows, sample_judgments
from rankscope.files.sources import expanded
from rankscope.files.table import Column, Place, Table, is_number, listed
from rankscope.files.text import PARQUET_MAGIC, check_text, read_bytes
from rankscope.files.trec_lines import TO_COME
from rankscope.runs import JudgmentSample

_FIELDS = ("topic", "iteration", "document", "grade", "probability")
_SNIFFED, _LINES = 100_000, 50
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
    if table.rows > len(judgments):
        repeats = table.rows - len(judgments)
        problem = f"{place}: rows that repeat a document of the sample: {repeats}; each document counts once"
        warnings.warn(problem, DuplicateJudgments, stacklevel=2)
    return JudgmentSample(judgments=judgments, probabilities=probabilities.grades)


def read_to_label(path: str | os.PathLike[str], *, grades: Mapping[str, float] | None = None) -> JudgmentSample:
    """A file that people have yet to label, in part or as a whole: a sample, or all documents of some topics.

    The latter are lines of qrels, with `?` for labels to come; their probabilities are 1.
    """
    place = expanded(path)
    data = read_bytes(place)
    if not _is_topics_to_label(data):
        return read_sample(place, grades=grades)
    table = _lines_table(data, place, _FIELDS[:-1])
    judgments = sample_judgments(_blank(table), columns=None, grades=grades, name=named_by_file(str(place)))
    return JudgmentSample(judgments=judgments, probabilities=np.ones(len(judgments)))


def is_to_label(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a sample, or has whole topics with labels to come."""
    return _is_topics_to_label(read_bytes(expanded(path))) or is_sample(path)


def _is_topics_to_label(data: bytes) -> bool:
    """Whether these are lines of qrels of which some have a label to come."""
    lines = (line.split() for line in data.splitlines())
    to_come, width = TO_COME.encode(), len(_FIELDS) - 1
    return not data.startswith(PARQUET_MAGIC) and any(len(line) == width and line[3] == to_come for line in lines)


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
    """Whether most of the first lines are of a sample, so that what is wrong with the others can be told.

    Such a line has five fields, the last a number, if only by a decimal comma. The fourth is a grade or `?`, or where
    the second is 0, as in qrels, any word.
    """
    if data.startswith(PARQUET_MAGIC):
        return False
    text = data[:_SNIFFED].decode("utf-8-sig", "replace")
    lines = [line.split() for line in text.splitlines() if line.strip()][:_LINES]
    if not lines or any(field.casefold() in PROBABILITY for field in lines[0]):
        return False  # a header
    return 2 * sum(map(_is_sampled, lines)) > len(lines)


def _is_sampled(fields: list[str]) -> bool:
    if len(fields) != len(_FIELDS):
        return False
    labelled = fields[3] == TO_COME or is_number(fields[3]) or fields[1] in ("0", "Q0")
    return labelled and is_number(fields[4].replace(",", "."))


def _lines_table(data: bytes, path: Path, names: tuple[str, ...] = _FIELDS) -> Table:
    """Lines of these fields as a table."""
    check_text(data, path, "a sample of judgments")
    lines = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    rows, numbers = [], []
    for number, line in enumerate(lines, 1):
        fields = [field.decode() for field in line.split()]
        if not fields:
            continue
        if len(fields) != len(names):
            problem = f"{len(fields)} fields, a line of a sample has {len(names)} ({', '.join(names)}); correct it"
            raise RaggedRow(path, problem, line=number)
        rows.append(fields)
        numbers.append(number)
    if not rows:
        raise EmptyFile(path, "the file is empty")
    columns = (Column(name, list(cells)) for name, cells in zip(names, zip(*rows, strict=True), strict=True))
    return Table(Place(str(path), lambda row: numbers[row]), tuple(columns))


def _blank(table: Table) -> Table:
    """The table with empty cells for labels to come."""
    columns = (
        Column(column.header, ["" if cell.strip() == TO_COME else cell for cell in column.cells])
        for column in table.columns
    )
    return Table(table.place, tuple(columns), table.headed)


def _check_probabilities(column: Column, place: Place) -> None:
    wrong = np.flatnonzero(column.wrong | ~((column.values > 0.0) & (column.values <= 1.0)))
    if len(wrong):
        row = int(wrong[0])
        problem = f"the inclusion probability {column.cells[row]!r} is not a number above 0 and at most 1; correct it"
        raise place.error(NotANumber, problem, row)
