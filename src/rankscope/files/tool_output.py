"""Output of trec_eval (`measure topic value`) and of ir_measures (`topic measure value`, or `measure value`).

There is one run per file, or several in one; files or `runid` rows name the systems.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, pairwise
from pathlib import PurePath
from typing import Literal

from rankscope.errors import DuplicateScore, MissingName, RaggedRow, UnrecognisedFormat
from rankscope.files.columns import SUMMARIES, SYSTEM, TOPIC, is_label_word, is_summary
from rankscope.files.long import ScoreRows
from rankscope.files.recognise import Layout
from rankscope.files.sources import system_name
from rankscope.files.table import Column, Place, Table, is_missing, is_number, normalise
from rankscope.measure_names import is_known

_SAMPLE = 200
_WAY_OUT = "leave format out to have it recognised"
# Rows of trec_eval that hold text.
_RUN_NAME = "runid"
_TEXTS = (_RUN_NAME, "relstring")


@dataclass(frozen=True)
class Run:
    """The scores of one run, and the name that it gives itself, if any; `first_row` is where it begins in its file."""

    place: Place
    measures: Sequence[str]
    topics: Sequence[str] | None
    values: Column
    tag: str | None = None
    first_row: int = 0


def recognise_lines(text: str) -> Literal["trec_eval", "ir_measures"] | None:
    r"""Which tool printed these lines, by the column of the names of measures; None if neither did.

    >>> recognise_lines("map                   \tall\t0.2812\n")
    'trec_eval'
    >>> recognise_lines("301\tnDCG@10\t0.5\n"), recognise_lines("AP\t0.3\n"), recognise_lines("bm25\t0.3\n")
    ('ir_measures', 'ir_measures', None)
    """
    # Examples in manuals are cut with dots, which is said when the lines are read.
    sample = [fields for _, fields in islice(numbered_fields(text), _SAMPLE) if fields != ["..."]]
    if not sample or has_header(text) or _begins_a_header(sample[0]):
        return None
    widths = {len(fields) for fields in sample}
    if widths == {2} and all(is_known(name) and is_score(value) for name, value in sample):
        return "ir_measures"
    if widths != {3} or not any(is_score(fields[2]) for fields in sample):
        return None
    first, second = ([is_known(fields[position]) for fields in sample] for position in (0, 1))
    if any(first) and (not any(second) or (all(first) and not all(second))):
        return "trec_eval"
    if any(second) and (not any(first) or (all(second) and not all(first))):
        return "ir_measures"
    return None


def _begins_a_header(fields: Sequence[str]) -> bool:
    """Whether a line begins with a word for systems or topics, as a header does, and is not trec_eval's own `runid`."""
    own = fields[0] == _RUN_NAME and len(fields) > 1 and is_summary(fields[1])
    return normalise(fields[0]) in (*SYSTEM, *TOPIC) and not own


def has_header(text: str) -> bool:
    r"""Whether the first line names columns, so that this is a table.

    >>> has_header("query_id,measure,value\n301,AP,0.5\n")
    True
    """
    first = text.lstrip().split("\n", 1)[0]
    return all(is_label_word(field.strip('" \r')) for field in re.split(r"[\t,;]| +", first.strip()))


def read_trec_eval(text: str, path: str) -> list[Run]:
    """The runs in the output of `trec_eval` or `trec_eval -q`, one or several after each other."""
    place = Place(path, partial(line_of, text))
    line, first = next(numbered_fields(text))
    if len(first) != 3:
        raise UnrecognisedFormat(
            path, f"not 'trec_eval', whose lines are measure, topic and value; {_WAY_OUT}", line=line
        )
    rows = [(measure, topic, value) for measure, topic, value in _checked(text, path, "trec_eval", 3)]
    runs: list[Run] = []
    for begin, end in _blocks(rows):
        block = rows[begin:end]
        tag = next((value for measure, topic, value in block if measure == _RUN_NAME and is_summary(topic)), None)
        runs.append(_run(place, block, tag, begin))
    return runs


def read_ir_measures(text: str, path: str) -> list[Run]:
    """The one run in the output of `ir_measures` or `ir_measures --by_query`."""
    place = Place(path, partial(line_of, text))
    line, first = next(numbered_fields(text))
    width = len(first)
    if width not in (2, 3):
        problem = f"not 'ir_measures', whose lines are topic (with --by_query), measure and value; {_WAY_OUT}"
        raise UnrecognisedFormat(path, problem, line=line)
    rows = _checked(text, path, "ir_measures", width)
    triples = [(row[-2], row[0] if width == 3 else SUMMARIES[0], row[-1]) for row in rows]
    return [_run(place, triples, None, 0)]


def run_table(table: Table, layout: Layout) -> list[Run]:
    """The one run in a table of topics, measures and values, as `ir_measures --output_format jsonl` writes it."""
    if layout.measure is None:
        raise table.place.error(UnrecognisedFormat, "no measure column; name it 'measure' in the header")
    topics = None if layout.topic is None else layout.topic.cells
    return [Run(table.place, layout.measure.cells, topics, layout.values[0])]


def rows_by_system(runs: Sequence[Run]) -> list[ScoreRows]:
    """The rows of each run under its system's name.

    Names come from the runs' own `runid` rows if every run has one and no two are alike, otherwise all from the
    files' names: names of two kinds side by side would not match those of another folder.
    """
    tags = [run.tag for run in runs if run.tag is not None]
    names = tags if len(set(tags)) == len(runs) else _file_names(runs)
    return [_score_rows(run, name) for run, name in zip(runs, names, strict=True)]


def _run(place: Place, rows: list[tuple[str, str, str]], tag: str | None, first_row: int) -> Run:
    # Rows of text keep their place, so that line numbers stay right, but are not measures to choose from.
    measures, topics, values = (list(column) for column in zip(*rows, strict=True))
    run = Run(place, measures, topics, Column("", values), tag, first_row)
    if any(measure in _TEXTS for measure in measures):
        return _without_texts(run)
    return run


def _without_texts(run: Run) -> Run:
    kept = [row for row, measure in enumerate(run.measures) if measure not in _TEXTS]
    line_of, first = run.place.line_of, run.first_row
    # An error about a run of nothing but text names its first line.
    rows = kept or [0]
    place = run.place if line_of is None else Place(run.place.path, lambda row: line_of(rows[row] + first))
    return replace(
        run,
        place=place,
        measures=[run.measures[row] for row in kept],
        topics=None if run.topics is None else [run.topics[row] for row in kept],
        values=Column("", [run.values.cells[row] for row in kept]),
        first_row=0,
    )


def _blocks(rows: list[tuple[str, str, str]]) -> Iterator[tuple[int, int]]:
    """Where each run begins and ends.

    trec_eval prints topics first and the summary last, so a topic after a summary is another run's; so is a measure
    and topic that this run has had already (summaries only, or `-n`, topics only).
    """
    begin, summed = 0, False
    seen: set[tuple[str, str]] = set()
    for row, (measure, topic, _) in enumerate(rows):
        summary = is_summary(topic)
        if (summed and not summary) or (measure, topic) in seen:
            yield begin, row
            begin, summed = row, False
            seen.clear()
        summed = summed or summary
        seen.add((measure, topic))
    yield begin, len(rows)


def numbered_fields(text: str, most: int = 3) -> Iterator[tuple[int, list[str]]]:
    """The fields of each line that is not blank, with its number; at most `most` where white space separates them."""
    for number, line in enumerate(io.StringIO(text), 1):
        if line.strip():
            fields = line.split("\t") if "\t" in line else line.split(None, most - 1)
            yield number, [field.strip() for field in fields]


def _checked(text: str, path: str, tool: str, width: int) -> list[list[str]]:
    rows = []
    for number, fields in numbered_fields(text):
        if len(fields) != width:
            count = f"{len(fields)} field{'s' if len(fields) != 1 else ''}"
            raise RaggedRow(path, f"{count}, a line of {tool} has {width}; remove the line", line=number)
        if not all(fields[:-1]):
            raise MissingName(path, "no topic or no measure in this line; name it, or remove the line", line=number)
        rows.append(fields)
    return rows


def line_of(text: str, row: int) -> int:
    """The line of a row, blank lines counted; that of the first for a header that is not there."""
    return next(islice(numbered_fields(text), max(row, 0), None))[0]


def is_score(text: str) -> bool:
    """Whether a field is a number or stands for a missing one."""
    return is_number(text) or is_missing(text)


def _score_rows(run: Run, name: str) -> ScoreRows:
    place = run.place
    if run.first_row and place.line_of is not None:
        line_of, first = place.line_of, run.first_row
        place = Place(place.path, lambda row: line_of(row + first))
    return ScoreRows(place, [name] * len(run.measures), run.topics, run.measures, (run.values,))


def _file_names(runs: Sequence[Run]) -> list[str]:
    paths = [run.place.path for run in runs]
    for previous, run in pairwise(runs):
        if previous.place.path == run.place.path:
            raise run.place.error(
                DuplicateScore,
                "a second run begins here, and the runs of this file do not name themselves with a different 'runid' "
                "row each; put each run in its own file, or correct the repeated line if it is one run",
                run.first_row,
            )
    names = [system_name(path) for path in paths]
    if max(Counter(names).values()) == 1:
        return names
    files = [PurePath(path).name for path in paths]
    return files if max(Counter(files).values()) == 1 else paths
