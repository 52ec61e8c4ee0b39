"""Runs and judgments, which are handed over for scores by mistake often enough to be told by name."""

from __future__ import annotations

from rankscope.errors import UnrecognisedFormat
from rankscope.files.recognise import force
from rankscope.files.table import is_number

_SAMPLE = 50


def check_not_trec(text: str, path: str) -> None:
    """Refuse a TREC run (six columns) or judgments (four columns): they are scored first."""
    sample = [line.split() for line in text.split("\n", _SAMPLE)[:_SAMPLE] if line.strip()]
    if all(is_run_line(fields) for fields in sample):
        raise UnrecognisedFormat(path, "this is a run, not scores; evaluate it against judgments first", line=1)
    if all(is_judgment_line(fields) for fields in sample):
        raise UnrecognisedFormat(
            path,
            "these look like relevance judgments, not scores; evaluate runs against them first, or use "
            f"{force('wide')} if they are scores",
            line=1,
        )


def is_run_line(fields: list[str]) -> bool:
    """Whether these are the six fields of a run."""
    return len(fields) == 6 and is_number(fields[3]) and is_number(fields[4]) and not _is_decimal(fields[0])


def is_judgment_line(fields: list[str]) -> bool:
    """Whether these are the four fields of a judgment."""
    if len(fields) != 4 or not is_number(fields[3]) or _is_decimal(fields[0]):
        return False
    return fields[1] == "Q0" or (is_number(fields[1]) and not _is_decimal(fields[2]))


def _is_decimal(text: str) -> bool:
    return is_number(text) and not text.isdecimal()
