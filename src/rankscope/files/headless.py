"""Lines without a header whose columns are known: leaderboards of TREC AutoJudge, and scores of the WMT metrics task.

They become tables under the headers that they lack, so that columns choose rows and name themselves in errors.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import Literal

from rankscope.errors import RaggedRow, UnrecognisedFormat
from rankscope.files.columns import is_summary
from rankscope.files.recognise import Format
from rankscope.files.table import Column, Place, Table, is_number, listed
from rankscope.files.tool_output import is_score, line_of, numbered_fields
from rankscope.files.wrong_kind import is_judgment_line
from rankscope.measure_names import is_known

Headless = Literal["tot", "ir_measures", "wmt_systems", "wmt_segments"]

_SAMPLE = 200
_MOST = 100  # fields of a line, more than any layout has
# WMT numbers the segments of each document anew: document and segment together are a topic.
_HEADERS: dict[Headless, tuple[str, ...]] = {
    "tot": ("system", "measure", "topic", "value"),
    "ir_measures": ("system", "topic", "measure", "value"),
    "wmt_systems": ("metric", "lang_pair", "test_set", "reference", "system", "score"),
    "wmt_segments": ("metric", "lang_pair", "test_set", "reference", "system", "document", "segment", "score"),
}
# What only one of may be ranked together.
_ONE_OF = ("lang_pair", "test_set", "reference")
_LANGUAGES = re.compile(r"[a-z]{2,3}(?:_[A-Za-z]{2,4})?-[a-z]{2,3}(?:_[A-Za-z]{2,4})?")


def recognise_headless(text: str, forced: Format | None = None) -> Headless | None:
    r"""What lines of names and a score at the end are, by the place of topics and measures; None if that is not clear.

    >>> recognise_headless("bm25\tAP\t301\t0.5\nbm25\tAP\tall\t0.5"), recognise_headless("bm25 301 AP 0.5")
    ('tot', 'ir_measures')
    >>> recognise_headless("run1 leaf CLARITY 0.5") is None
    True
    """
    sample = [fields for _, fields in islice(numbered_fields(text, _MOST), _SAMPLE)]
    width = len(sample[0])
    if forced in ("tot", "ir_measures"):
        # ir_measures itself has no column of systems.
        return forced if width == len(_HEADERS[forced]) and is_score(sample[0][-1]) else None
    if forced is not None or any(len(fields) != width or not is_score(fields[-1]) for fields in sample):
        return None
    if width in (6, 8) and all(_LANGUAGES.fullmatch(fields[1]) for fields in sample):
        return "wmt_systems" if width == 6 else "wmt_segments"
    return _autojudge(sample) if width == 4 else None


def headless_table(text: str, path: str, kind: Headless) -> Table:
    """The table in these lines."""
    headers = _HEADERS[kind]
    rows = []
    for number, fields in numbered_fields(text, _MOST):
        if len(fields) != len(headers):
            count = f"{len(fields)} field{'s' if len(fields) != 1 else ''}"
            problem = f"{count}, and other lines have {len(headers)} ({', '.join(headers)}); correct or remove the line"
            raise RaggedRow(path, problem, line=number)
        rows.append(fields)
    cells = dict(zip(headers, zip(*rows, strict=True), strict=True))
    if kind == "wmt_segments":
        cells["topic"] = tuple(map(":".join, zip(cells["document"], cells["segment"], strict=True)))
    columns = tuple(Column(header, column) for header, column in cells.items())
    return Table(Place(path, partial(line_of, text)), columns)


def check_one_ranking(table: Table, kept: Sequence[int] | None) -> None:
    """Raise `UnrecognisedFormat` if the rows that are kept have several language pairs, test sets or references."""
    for column in table.columns:
        if column.header in _ONE_OF:
            values = list(dict.fromkeys(column.cells if kept is None else (column.cells[row] for row in kept)))
            if len(values) > 1:
                what = column.header.replace("_", " ")
                raise table.place.error(
                    UnrecognisedFormat,
                    f"scores with {len(values)} values of {what} ({listed(values)}), which are not ranked together; "
                    f"choose one: where={{{column.header!r}: {values[0]!r}}} (FILE:{column.header}={values[0]})",
                )


def _autojudge(sample: Sequence[Sequence[str]]) -> Headless | None:
    """The layout that the topic `all`, names of measures or numbers of topics tell, in this order."""
    if all(is_number(fields[0]) for fields in sample):
        return None
    second, third = ([fields[position] for fields in sample] for position in (1, 2))
    judged = all(is_judgment_line(list(fields)) for fields in sample)
    summaries = [any(map(is_summary, names)) for names in (second, third)]
    known = [all(map(is_known, names)) for names in (second, third)]
    if summaries == [True, False] or (summaries[0] == summaries[1] and known == [False, True]):
        return "ir_measures"
    if judged:
        return None  # numbers in the second column are those of judgments, too
    numbered = all(name.isdecimal() for name in third) and not any(map(is_number, second))
    if summaries == [False, True] or (summaries[0] == summaries[1] and (known == [True, False] or numbered)):
        return "tot"
    return None
