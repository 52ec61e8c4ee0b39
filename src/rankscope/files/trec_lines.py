"""The lines of a run or of judgments as arrays, with errors that name the line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankscope.errors import BadFile, BinaryFile, EmptyFile, NotANumber, RaggedRow, UnrecognisedFormat
from rankscope.files.text import PARQUET_MAGIC, check_text, read_bytes
from rankscope.files.wrong_kind import what_else
from rankscope.runs import Bytes, Codes, Floats, Positions

_BOM = b"\xef\xbb\xbf"
_NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_INFINITE = (b"inf", b"infinity")
# What the number of a judgment is called, and what stands for it in a file that people have yet to label.
GRADE, TO_COME = "grade", "?"
MAP_WORDS = "map labels to grades (grades={'yes': 1, 'no': 0}; FILE:map=yes>1,no>0)"


@dataclass(frozen=True)
class Kind:
    """What a line holds: the number of fields, where the number is, and what messages call them."""

    what: str
    line: str
    form: str
    width: int
    number: int
    number_name: str
    rank: int = -1
    tag: int = -1
    single: bool = False
    infinite: bool = False


@dataclass(frozen=True)
class Lines:
    """Rows of a file: topic, document and number of each; names are bytes of `text`."""

    path: str
    data: bytes
    text: Bytes
    topics: tuple[str, ...]
    topic_of: Codes
    starts: Positions
    lengths: Positions
    hashes: Positions
    numbers: Floats
    ranks: Floats
    tag: str | None

    def line_of(self, row: int) -> int:
        """The line of a row."""
        return line_at(self.data, int(self.starts[row]))

    def document(self, row: int) -> str:
        """The document of a row."""
        start = int(self.starts[row])
        return self.data[start : start + int(self.lengths[row])].decode()


def grouped(lines: Lines) -> tuple[Positions, Positions, Positions]:
    """Rows by topic, in the order of lines; where each topic's begin; and the first row of each row's document."""
    from rankscope.kernels.run_text import Names, group

    counts = np.bincount(lines.topic_of, minlength=len(lines.topics))
    ends = np.concatenate([[0], np.cumsum(counts)])
    table = np.empty(power_of_two(2 * int(counts.max(initial=2))), np.int32)
    order, first = np.empty_like(lines.starts), np.empty_like(lines.starts)
    names = Names(lines.text, lines.starts, lines.lengths, lines.hashes)
    group(names, lines.topic_of, ends, table, order, first)
    return order, ends, first


def power_of_two(least: int) -> int:
    """The smallest power of two that is at least `least`."""
    return 1 << (least - 1).bit_length()


def line_at(data: bytes, position: int) -> int:
    """The line, from 1, of a byte."""
    return data.count(b"\n", 0, position) + 1


def read_lines(path: Path, kind: Kind, data: bytes | None = None) -> Lines:
    """The rows of a file, decompressed where it is compressed; `data` is its content where it was read already."""
    from rankscope.kernels.run_text import Layout, Rows, scan

    data = read_bytes(path) if data is None else data
    if data.startswith(_BOM):
        data = data[len(_BOM) :]
    if data.startswith(PARQUET_MAGIC):
        raise BinaryFile(path, f"not {kind.what} but a Parquet table; write {kind.form}, separated by white space")
    check_text(data, path, kind.what)
    if b"\n" not in data and b"\r" in data:
        data = data.replace(b"\r", b"\n")
    text = np.frombuffer(data, dtype=np.uint8)
    lines = data.count(b"\n") + 1
    topic_of, slots = np.empty(lines, np.int32), np.full(power_of_two(2 * lines), -1, np.int32)
    starts, lengths, hashes = (np.empty(lines, np.int64) for _ in range(3))
    numbers, ranks = np.empty(lines), np.empty(lines if kind.rank >= 0 else 0)
    unsure, topics = np.empty((2 * lines, 4), np.int64), np.empty((lines, 2), np.int64)
    layout = Layout(kind.width, kind.number, kind.single, kind.rank, kind.tag)
    filled = Rows(topic_of, starts, lengths, hashes, numbers, ranks)
    rows, topic_count, unsure_count, wrong_line, wrong_fields, tag_start, tag_end, other_tag = scan(
        text, layout, filled, unsure, slots, topics
    )
    unsure = unsure[:unsure_count]
    if unsure.size:
        _read_unsure(path, data, kind, unsure, numbers, ranks)
    if wrong_line >= 0:
        raise _ragged(path, data, kind, wrong_line, wrong_fields, first=rows == 0)
    if rows == 0:
        raise EmptyFile(path, "the file is empty")
    if other_tag >= 0:
        first, second = data[tag_start:tag_end].decode(), data[other_tag:].split(None, 1)[0].decode()
        problem = f"the tag {second!r} after {first!r}: one file is one run; split it, or name systems by their files"
        raise UnrecognisedFormat(path, problem, line=line_at(data, other_tag))
    return Lines(
        path=str(path),
        data=data,
        text=text,
        topics=tuple(data[a:b].decode() for a, b in topics[:topic_count].tolist()),
        topic_of=topic_of[:rows],
        starts=starts[:rows],
        lengths=lengths[:rows],
        hashes=hashes[:rows],
        numbers=numbers[:rows],
        ranks=ranks[:rows],
        tag=None if tag_start < 0 else data[tag_start:tag_end].decode(),
    )


def _read_unsure(path: Path, data: bytes, kind: Kind, unsure: Positions, numbers: Floats, ranks: Floats) -> None:
    """Let Python read what needs more care: many digits, large exponents, infinities, and what is not a number."""
    for row, start, end, field in unsure.tolist():
        word = data[start:end]
        infinite = word.lstrip(b"+-").lower() in _INFINITE and len(word.lstrip(b"+-")) >= len(word) - 1
        value = float(word) if _NUMBER.fullmatch(word) or infinite else None
        is_rank = field == kind.rank
        if value is None or (np.isinf(value) and (is_rank or not kind.infinite)):
            raise _no_number(path, data, kind, start, word.decode(), "rank" if is_rank else kind.number_name)
        (ranks if is_rank else numbers)[row] = value


def _no_number(path: Path, data: bytes, kind: Kind, start: int, word: str, what: str) -> BadFile:
    line = line_at(data, start)
    other = what_else(data, kind.what, kind.form) if line_at(data.lstrip(), 0) == line else None
    if other is not None:
        return UnrecognisedFormat(path, other, line=line)
    if kind.number_name == GRADE and word == TO_COME:
        fields = [line.split() for line in data.splitlines() if line.strip()]
        to_come = sum(len(each) == kind.width and each[kind.number] == TO_COME.encode() for each in fields)
        return NotANumber(path, still_to_label(to_come, len(fields)), line=line)
    shown = word if len(word) <= 40 else word[:40] + "…"
    way_out = "remove the line if it is a header" if line == 1 else "correct it or remove the line"
    if kind.number_name == GRADE:
        way_out += f", or {MAP_WORDS}"
    problem = f"the {what} {shown!r} is not a number; {way_out}"
    return NotANumber(path, problem, line=line)


def still_to_label(to_come: int, total: int) -> str:
    """What is wrong with judgments of which some are still to come, and the way out."""
    return (
        f"no label yet ({TO_COME}), as {to_come:,} of {total:,} documents; label them all, or remove the topics that "
        "are not done: a document without a label would count as not relevant"
    )


def _ragged(path: Path, data: bytes, kind: Kind, position: int, fields: int, *, first: bool) -> BadFile:
    line = line_at(data, position)
    if first:
        other = what_else(data, kind.what, kind.form)
        if other is not None:
            return UnrecognisedFormat(path, other, line=line)
    count = f"{fields} field{'s' if fields != 1 else ''}"
    return RaggedRow(path, f"{count}, a {kind.line} line has {kind.width}; correct or remove the line", line=line)
