"""Comma, tab, semicolon and white space separated text as a table."""

from __future__ import annotations

import io
import re
from collections import Counter, deque
from collections.abc import Iterator
from functools import partial
from itertools import islice

from rankscope.errors import BadFile, EmptyFile, RaggedRow, UnrecognisedFormat
from rankscope.files.columns import is_label_word
from rankscope.files.table import Column, Place, Table, is_missing, is_number, parse_together

DELIMITERS = ("\t", ";", ",")

_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_QUOTED_SPACE = re.compile(r' "(?=[,;\t\r\n]|$)')
_TRAILING_SPACE = re.compile(r" (?=[,;\t\r\n]|$)")
_SAMPLE_CHARACTERS = 1_000_000
_SAMPLE_LINES = 50
# Rows become columns in chunks: short ones keep the garbage collector quiet.
_CHUNK_CELLS, _CHUNK_ROWS = 4_000, 200
_NARROW, _DISTINCT = 12, 50_000
# Columns are parsed together, not one by one, where there are this many times as many of them as rows.
_MANY = 20
_MOST_COLUMNS = 2_000_000


def read_delimited(text: str, path: str, *, headed: bool = False) -> Table:
    r"""The table in this text; every cell stays text. With `headed` the first row is a header in any case.

    >>> table = read_delimited("topic;bm25\n0301;0.5\n", "scores.csv")
    >>> table.headers, list(table.columns[0].cells)
    (['topic', 'bm25'], ['0301'])
    """
    outside = _outside_quotes(text)
    if not outside:
        raise EmptyFile(path, "the file is empty")
    delimiter = _delimiter(outside)
    head = [record for _, record in islice(_records(text, delimiter, path), 2)]
    if not head:
        raise EmptyFile(path, "the file is empty")
    width = len(head[0])
    if width > _MOST_COLUMNS:
        problem = (
            f"{width:,} columns, and a table may have {_MOST_COLUMNS:,}; write one score per row (system,topic,score)"
        )
        raise UnrecognisedFormat(path, problem, line=1)
    headed = headed or _has_header(head, outside[0], delimiter)
    if headed and len(head) == 1:
        raise EmptyFile(path, "a header and no rows below it")
    place = Place(path, partial(_line_of, text, delimiter, path, int(headed)))
    columns = _columns(_chunks(text, delimiter, path, width), width, headed, place)
    headers = head[0] if headed else [""] * width
    if _strips(text):
        headers = [header.rstrip(" ") for header in headers]
        columns = [[cell.rstrip(" ") for cell in column] for column in columns]
    named = tuple(Column(header, cells) for header, cells in zip(headers, columns, strict=True))
    if len(columns) > _MANY * len(columns[0]):
        parse_together(named[1:])
    return Table(place, named, headed)


def _outside_quotes(text: str) -> list[str]:
    """The first lines without what is quoted, so that delimiters can be counted."""
    emptied = _QUOTED.sub('""', text[:_SAMPLE_CHARACTERS])
    return [line for line in re.split(r"\r\n|\r|\n", emptied) if line.strip()][:_SAMPLE_LINES]


def _delimiter(lines: list[str]) -> str | None:
    """The delimiter of the first line, the one with a constant count if there are several; None is white space."""
    present = [delimiter for delimiter in DELIMITERS if delimiter in lines[0].strip(" ")]
    steady = [delimiter for delimiter in present if len({line.count(delimiter) for line in lines}) == 1]
    if present:
        return (steady or present)[0]
    # Below the header, since the name of a lone column may hold a space.
    widths = Counter(len(line.split()) for line in lines[1:] or lines)
    return "," if '"' in lines[0] or widths.most_common(1)[0][0] == 1 else None


def _reader(text: str, delimiter: str | None) -> Iterator[list[str]]:
    """Every record, blank ones too, so that they can be counted."""
    import csv

    lines = io.StringIO(text, newline="")
    if delimiter is None:
        return (line.split() for line in lines)
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)


def _is_blank(record: list[str]) -> bool:
    return not record or record == [""]


def _records(text: str, delimiter: str | None, path: str) -> Iterator[tuple[int, list[str]]]:
    """Each record that is not blank, with the line on which it begins; slow, for the first lines and for errors."""
    import csv

    reader = _reader(text, delimiter)
    begin = 1
    try:
        for number, record in enumerate(reader, 1):
            if not _is_blank(record):
                yield begin, record
            # The csv reader counts lines, since a quoted name may hold some; white space knows no quotes.
            begin = getattr(reader, "line_num", number) + 1
    except csv.Error as error:
        # Where the record begins, not where the reader gave up: an open quote runs to the end of the file.
        problem = f"the quotes of this record may not match ({error}); close each, and double those inside names"
        raise UnrecognisedFormat(path, problem, line=begin) from None


def _line_of(text: str, delimiter: str | None, path: str, skipped: int, row: int) -> int:
    """The line on which a row begins; a second pass, for errors only."""
    return next(islice(_records(text, delimiter, path), row + skipped, None))[0]


def _chunks(text: str, delimiter: str | None, path: str, width: int) -> Iterator[list[list[str]]]:
    """The records that are not blank, many at a time."""
    import csv

    reader = _reader(text, delimiter)
    size = max(_CHUNK_ROWS, _CHUNK_CELLS // width)
    try:
        while chunk := list(islice(reader, size)):
            yield [record for record in chunk if record and record != [""]]
    except csv.Error:
        deque(_records(text, delimiter, path), maxlen=0)  # raises the same error, with its line
        raise


def _columns(chunks: Iterator[list[list[str]]], width: int, headed: bool, place: Place) -> list[list[str]]:
    columns: list[list[str]] = [[] for _ in range(width)]
    known: list[dict[str, str]] | None = [{} for _ in range(width)] if width <= _NARROW else None
    header_left = headed
    for chunk in chunks:
        rows = chunk[1:] if header_left else chunk
        header_left = header_left and not chunk
        if any(len(record) != width for record in rows):
            raise _ragged(rows, len(columns[0]), width, headed, place)
        for i, cells in enumerate(zip(*rows, strict=True)):
            # Names repeat in a long table: one string for each keeps it small.
            seen = None if known is None or len(known[i]) > _DISTINCT else known[i]
            columns[i].extend(cells if seen is None else [seen.setdefault(cell, cell) for cell in cells])
    return columns


def _ragged(chunk: list[list[str]], before: int, width: int, headed: bool, place: Place) -> BadFile:
    at = next(index for index, record in enumerate(chunk) if len(record) != width)
    fields = len(chunk[at])
    others = "the header has" if headed else "the first row has"
    problem = f"{fields} field{'s' if fields != 1 else ''}, {others} {width}; {_ragged_hint(fields, width)}"
    return place.error(RaggedRow, problem, before + at)


def _ragged_hint(fields: int, width: int) -> str:
    if fields == width + 1:
        return "quote names that hold the delimiter, or name the first column if it has no header"
    return "quote names that hold the delimiter" if fields > width else "leave missing cells empty, but keep them"


def _has_header(head: list[list[str]], first_line: str, delimiter: str | None) -> bool:
    """Whether the first record names columns: it is quoted, or starts with an empty corner, or is not all numbers."""
    first = head[0]
    if all(field.strip() == '""' for field in first_line.split(delimiter)):
        return True
    if not first[0].strip():
        return True
    if all(is_number(field) or is_missing(field) for field in first):
        return _counts(first)
    named_score = len(first) == 2 and is_number(first[1]) and not is_label_word(first[0])
    return not (named_score and (len(head) == 1 or not is_number(head[1][0])))


def _counts(fields: list[str]) -> bool:
    """Whether the fields count 0, 1, 2 … or 1, 2, 3 …, as the columns of an unnamed frame do."""
    return len(fields) > 2 and any(
        [field.strip() for field in fields] == [str(i + start) for i in range(len(fields))] for start in (0, 1)
    )


def _strips(text: str) -> bool:
    """Whether to strip spaces at the end of cells; not where a quoted name ends with one, which is meant."""
    return _TRAILING_SPACE.search(text) is not None and _QUOTED_SPACE.search(text) is None
