"""Files of another kind, given by mistake: runs or judgments for scores, and the other way round."""

from __future__ import annotations

import re
from itertools import pairwise

from rankscope.errors import UnrecognisedFormat
from rankscope.files.recognise import force
from rankscope.files.table import is_number
from rankscope.files.tool_output import recognise_lines

_SAMPLE = 50
_SAMPLE_BYTES = 100_000
# A key and its value, a list's item, or an indented line.
_YAML_KEY = re.compile(r"(?:- )?[A-Za-z_][\w.-]*:(?:\s|$)")
_YAML = re.compile(rf"{_YAML_KEY.pattern}|\s*- |\s+\S")


def check_not_trec(text: str, path: str) -> None:
    """Raise `UnrecognisedFormat` for a TREC run (six columns) or judgments (four columns)."""
    sample = [line.split() for line in text.split("\n", _SAMPLE)[:_SAMPLE] if line.strip()]
    if all(is_run_line(fields) for fields in sample):
        raise UnrecognisedFormat(path, "this is a run, not scores; evaluate it against judgments first", line=1)
    if all(is_judgment_line(fields) for fields in sample):
        raise UnrecognisedFormat(
            path,
            "these look like relevance judgments, not scores; evaluate runs against them first, or use "
            f"{force('wide')} or, for lines of run, topic, measure, value, {force('ir_measures')} if they are scores",
            line=1,
        )


def check_not_other_text(text: str, path: str) -> None:
    """Raise `UnrecognisedFormat` for a data frame as it is printed, and for settings in YAML."""
    lines = [line for line in text.split("\n", _SAMPLE)[:_SAMPLE] if line.strip()]
    if len(lines) > 1 and _is_printed_frame(lines):
        raise UnrecognisedFormat(
            path,
            "this looks like a data frame as it is printed, in which names may be cut; write it to a file instead, "
            "with frame.to_csv('scores.csv')",
            line=1,
        )
    written = [line for line in lines if not line.startswith("#")]
    if written and _YAML_KEY.match(written[0]) and all(_YAML.match(line) for line in written):
        raise UnrecognisedFormat(path, "this looks like YAML, not scores; give the file with the scores", line=1)


def _is_printed_frame(lines: list[str]) -> bool:
    """Whether the header begins with spaces over rows that are counted from 0, or goes on below."""
    rows = [line.split() for line in lines[1:]]
    counted = all(row[0] == str(number) or row[0].startswith("[") for number, row in enumerate(rows[:2]))
    indexed = counted and len(rows[0]) != len(lines[0].split())
    wrapped = lines[0].rstrip().endswith("\\")
    return lines[0].startswith("  ") and (indexed or wrapped) and "\t" not in lines[0] and "," not in lines[0]


def what_else(data: bytes, what: str, form: str) -> str | None:
    """What a file that is not `what` ("a run", "judgments") seems to be, and where it belongs; None if unknown.

    `form` says how `what` is written.
    """
    text = data[:_SAMPLE_BYTES].decode(errors="replace")
    lines = [line for line in text.splitlines()[:_SAMPLE] if line.strip()]
    if len(data) > _SAMPLE_BYTES:
        lines = lines[:-1] or lines  # the last may be cut
    words = [line.split() for line in lines]
    if what != "a run" and all(map(is_run_line, words)):
        return "this is a run, not judgments; give it as a run, and the judgments (topic, 0, document, grade) here"
    if what != "judgments" and all(map(is_judgment_line, words)):
        return "these look like relevance judgments, not a run; give them as the judgments (--qrels)"
    if text.lstrip().startswith(("{", "[")):
        return f"JSON, not {what}; write {form}, separated by white space"
    if recognise_lines(text) is not None:
        return f"this looks like the output of trec_eval or ir_measures: scores, not {what}; `read_scores` reads them"
    for delimiter, name in ((",", "commas"), (";", "semicolons")):
        fields = [line.split(delimiter) for line in lines]
        even = all(len(row) == len(fields[0]) > 1 for row in fields)
        if even and all(len(line) == 1 for line in words[1:]):
            wanted = 6 if what == "a run" else 4
            if len(fields[0]) == wanted:
                return f"the fields are separated by {name}; write {form}, separated by white space"
            return f"a table separated by {name}, not {what}; `read_scores` reads tables of scores"
    return None


def is_no_run(data: bytes) -> bool:
    """Whether a file that cannot be read as a run is none, rather than a damaged one: no line is like one of a run."""
    lines = data[:_SAMPLE_BYTES].decode(errors="replace").splitlines()[:_SAMPLE]
    return not any(_resembles_run(line.split(sign)) for line in lines for sign in (None, ",", ";"))


def _resembles_run(fields: list[str]) -> bool:
    """Whether these are about as many fields as a run has, with a rank and a score side by side."""
    numbers = [is_number(field.strip()) for field in fields]
    return 5 <= len(fields) <= 7 and any(a and b for a, b in pairwise(numbers[2:]))


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
