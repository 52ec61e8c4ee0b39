"""`read_scores` and `read_every_measure`: from any source of scores to the model.

Both recognise every file by the same steps; one then chooses a measure, the other takes all.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankscope.aggregates import AggregateName
from rankscope.checks import check_choice
from rankscope.errors import BadParameter, DuplicateScore, EmptyFile, UnknownMeasure, UnrecognisedFormat
from rankscope.files.battles import is_battles, may_be_battles, table_battles, text_table
from rankscope.files.columns import COLUMN_ROLES, Columns
from rankscope.files.delimited import read_delimited
from rankscope.files.duplicates import ON_DUPLICATE_SCORES, Combining, OnDuplicateScores
from rankscope.files.frames import frame_table, is_frame
from rankscope.files.harness.documents import HARNESSES, check_some_score, first_line, parse_document, read_harness
from rankscope.files.harness.folders import read_folder
from rankscope.files.harness.record import HarnessFile
from rankscope.files.harness.table import harness_table, merged_columns
from rankscope.files.headless import Headless, check_one_ranking, headless_table, recognise_headless
from rankscope.files.jsonl import is_json_lines, read_jsonl, read_records
from rankscope.files.located import KEEP, LocatedScores, check_on_missing
from rankscope.files.long import ScoreRows, every_measure, long_rows, one_measure
from rankscope.files.parquet import noted_scores, parquet_table
from rankscope.files.plain_json import plain_table
from rankscope.files.recognise import FORMATS, Format, Layout, force, recognise
from rankscope.files.row_filter import Where, matching_rows, rows_by_value, without_columns
from rankscope.files.sources import find_files, is_paths, system_name
from rankscope.files.table import Place, Table, check_numbers, listed
from rankscope.files.text import PARQUET_MAGIC, decode, read_bytes
from rankscope.files.tool_output import (
    Run,
    has_header,
    read_ir_measures,
    read_trec_eval,
    recognise_lines,
    rows_by_system,
    run_table,
)
from rankscope.files.wide import from_wide
from rankscope.files.wrong_kind import check_not_other_text, check_not_trec
from rankscope.in_memory import as_scores
from rankscope.measure_names import is_measure, label_of_file, matching, measure_label
from rankscope.names import without_common_start
from rankscope.scores import OnMissing, ScoreMatrix, Scores, SystemScores

_TOOLS = ("trec_eval", "ir_measures")
_WIDE = ("wide", "wide-systems")


@dataclass(frozen=True)
class _Content:
    """A recognised file: a table and its layout, or runs of an evaluation tool, or scores of a Parquet file of ours.

    `parts` has the content of the rows of every value in a column, where a file is read so. `lower` are the measures
    whose lower scores are better by what the file says.
    """

    path: str
    format: Format
    table: Table | None = None
    layout: Layout | None = None
    runs: tuple[Run, ...] = ()
    scores: LocatedScores | None = None
    parts: Mapping[str, _Content] | None = None
    lower: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Reading:
    """How files are to be read: a forced format, the columns by role, the rows to keep, and the column to part by."""

    format: Format | None = None
    columns: Columns | None = None
    where: Where | None = None
    each: str | None = None


class _Source(NamedTuple):
    """All files of a source, the place that errors name, and the name of the source, if it has one."""

    contents: list[_Content]
    place: str
    name: str | None


def read_scores(
    source: object,
    *,
    format: Format | None = None,  # noqa: A002  the word the user knows
    measure: str | None = None,
    columns: Columns | None = None,
    where: Where | None = None,
    on_duplicate: OnDuplicateScores = "error",
    on_missing: OnMissing = "error",
    aggregate: AggregateName = "mean",
    lower_is_better: bool = False,
    name: str | None = None,
) -> Scores:
    """Read scores from files or from data in memory.

    The result is a `ScoreMatrix`, or `SystemScores` where there are no topics. Formats are recognised by content
    (docs/formats.md).

    Parameters
    ----------
    source : ScoresLike
        A path, a folder, a pattern such as `runs/*.eval`, or a list of paths; or an array, a mapping, a data frame of
        pandas or polars, or scores already.
    format : {"wide", "wide-systems", "long", "trec_eval", "ir_measures", "tot", "leaderboard"}, optional
        Forces a format where the content would be misread.
    measure : str, optional
        Chooses a measure where there are several, in any common spelling, and labels scores that have none.
    columns : mapping of str to str, optional
        The header of each column by its role ("topic", "system", "score", "measure", "error"), where headers would be
        misread: `{"topic": "item", "system": "tag", "score": "acc"}`. Of the others only names of standard errors have
        a meaning then. "error" alone, the standard errors of a leaderboard, leaves all other headers their meaning.
    where : mapping of str to str, optional
        Only the rows whose cells match: a pattern such as `expert*` for each column, by its header.
    on_duplicate : {"error", "first", "last", "mean", "best"}, default "error"
        What becomes of several scores of a system on a topic: an error, or one of them or their mean is used, and a
        `RepeatedScores` warning says of how many. Best is the highest.
    on_missing : str, default "error"
        What becomes of missing scores: "error"; "intersect" leaves out the topics that lack one; "zero"; "additive" and
        "pairwise" do without them; "drop-systems=SHARE" and "drop-topics=SHARE" leave out those that lack more than a
        share, and "connected" all but the largest connected part, before the step that follows after a comma
        (docs/aggregates.md); "keep" leaves them missing.
    aggregate : {"mean", "median", "geometric", "normalised", "borda", "win_rate"}, default "mean"
        How a system's scores on topics become one (docs/aggregates.md).
    lower_is_better : bool, default False
        Whether lower scores are better (error rates, latency).
    name : str, optional
        What messages and reports call these scores; by default the name of the file or folder, with what `where` says.

    Returns
    -------
    ScoreMatrix or SystemScores
        The scores, with the systems and topics in the order of the source.

    Raises
    ------
    BadFile
        If a file cannot be read or understood; its subclasses name the cause, and messages the file and line.
    MissingScores
        If some system has no score on some topic and `on_missing` is "error".
    BadParameter
        If an option is not one of its choices or does not suit the source.

    Examples
    --------
    >>> read_scores({"bm25": {"301": 0.2, "302": 0.4}, "dense": {"301": 0.3, "302": 0.1}}, measure="AP")
    <ScoreMatrix of AP: 2 topics × 2 systems>
    """
    check_on_missing(on_missing)
    reading = _reading(format, columns, where, on_duplicate)
    if not is_paths(source) and _is_plain(source):
        scores = _from_memory(source, reading, measure, on_missing, name)
        # Scores that carry these already keep them.
        plain = aggregate == "mean" and not lower_is_better
        return scores if plain else scores.scored(aggregate, lower_is_better=lower_is_better)
    contents, place, own_name = _read(source, reading)
    _check_alike(contents)
    duplicates: Combining = "lowest" if on_duplicate == "best" and lower_is_better else on_duplicate
    scores = _choose(contents, measure, place, duplicates).fill(on_missing)
    scores = scores.renamed(own_name if name is None else name)
    return scores.scored(aggregate, lower_is_better=lower_is_better or scores.lower_is_better)


def read_scores_each(
    source: object,
    each: str,
    *,
    format: Format | None = None,  # noqa: A002  the word the user knows
    measure: str | None = None,
    columns: Columns | None = None,
    where: Where | None = None,
    on_duplicate: OnDuplicateScores = "error",
    on_missing: OnMissing = "error",
) -> list[Scores]:
    """The scores of every value in the column `each`, named by the value; other keywords are those of `read_scores`."""
    reading = replace(_reading(format, columns, where, on_duplicate), each=each)
    contents, place, _ = _read(source, reading)
    by_value: dict[str, list[_Content]] = {}
    for content in contents:
        if content.parts is None:
            raise without_columns(Place(content.path), {"each": each}, "there are no columns with headers; add some")
        for value, part in content.parts.items():
            by_value.setdefault(value, []).append(part)
    for parts in by_value.values():
        _check_alike(parts)
    return [
        _choose(parts, measure, place, on_duplicate).fill(on_missing).renamed(value)
        for value, parts in by_value.items()
    ]


def read_every_measure(
    source: object,
    *,
    format: Format | None = None,  # noqa: A002  the word the user knows
    columns: Columns | None = None,
    where: Where | None = None,
    on_duplicate: OnDuplicateScores = "error",
) -> dict[str, Scores]:
    """Every measure in files or a data frame, by its label: topics × systems, or one score per system.

    Output of trec_eval or ir_measures, long tables and leaderboards name their measures. In a table with neither a
    system nor a topic column, headers that are names of measures stand over the scores of systems, one per row. A table
    of topics × systems holds one measure, which the file's name tells; a folder may have one such file per measure.
    Keywords are those of `read_scores`.
    """
    contents, place, _ = _read(source, _reading(format, columns, where, on_duplicate))
    together = len(contents) == 1 or all(content.format in _TOOLS for content in contents)
    groups = [contents] if together else [[content] for content in contents]
    stems = without_common_start([system_name(group[0].path) for group in groups])
    by_label: dict[str, Scores] = {}
    origin: dict[str, tuple[str, str | None]] = {}
    for group, stem in zip(groups, stems, strict=True):
        path = group[0].path
        for name, scores in _every_measure(group, place, on_duplicate):
            label = label_of_file(stem) if name is None else measure_label(name)
            if label in by_label and origin[label][0] == path:
                raise DuplicateScore(path, f"{origin[label][1]!r} and {name!r} are both {label}; keep one of them")
            if label in by_label:
                raise DuplicateScore(path, f"{label!r} was read from another file already; give one file per measure")
            by_label[label], origin[label] = scores, (path, name)
    return by_label


def _read(source: object, reading: Reading) -> _Source:
    """The content of every file, or of a data frame."""
    if not is_paths(source):
        table = frame_table(source)
        return _Source([_recognised(table, reading)], table.place.path, None)
    outputs: dict[Path, HarnessFile] = {}

    def below(folder: Path) -> tuple[Path, ...] | None:
        files = read_folder(folder)
        outputs.update({file.path: file for file in files or ()})
        return tuple(file.path for file in files) if files else None

    files = find_files(source, below)
    contents = _contents(files.paths, outputs, reading)
    chosen = ",".join(f"{header}={pattern}" for header, pattern in (reading.where or {}).items())
    name = f"{files.name}:{chosen}" if chosen else files.name
    if len(files.paths) == 1:
        return _Source(contents, str(files.paths[0]), name)
    return _Source(contents, os.fspath(source) if isinstance(source, str | os.PathLike) else files.name, name)


def _contents(paths: Sequence[Path], outputs: Mapping[Path, HarnessFile], reading: Reading) -> list[_Content]:
    """The contents of files; outputs of harnesses, some of them read with their folder, are one table together."""
    contents: list[_Content] = []
    together: list[HarnessFile] = []
    for path in paths:
        data = b"" if path in outputs else read_bytes(path)
        output = outputs.get(path) or read_harness(data, path)
        if output is None:
            contents.append(_file_content(data, path, reading))
        else:
            check_some_score(output)
            together.append(output)
    if not together:
        return contents
    if reading.format is not None:
        problem = f"not {reading.format!r} but {together[0].harness.name}; leave format out to have it read so"
        raise UnrecognisedFormat(together[0].path, problem)
    place = together[0].path if len(together) == 1 else together[0].path.parent
    table, own = harness_table(together, str(place))
    content = _recognised(table, replace(reading, columns=merged_columns(own, reading.columns)))
    return [replace(content, lower=_lower_measures(together)), *contents]


def _lower_measures(outputs: Sequence[HarnessFile]) -> frozenset[str]:
    """The measures of which the files say, wherever they have them, that lower scores are better."""
    scores = [score for output in outputs for score in output.scores]
    higher = {score.measure for score in scores if not score.lower_is_better}
    return frozenset(score.measure for score in scores) - higher


def _file_content(data: bytes, path: Path, reading: Reading) -> _Content:
    if not data.startswith(PARQUET_MAGIC):
        return text_content(decode(data, path), str(path), reading)
    table, note = parquet_table(data, str(path))
    if not note or reading != Reading():
        return _recognised(table, reading)
    located = noted_scores(table, note)
    layout: Format = "wide" if isinstance(located.scores, ScoreMatrix) else "leaderboard"
    return _Content(str(path), layout, scores=located)


def text_content(text: str, path: str, reading: Reading) -> _Content:
    """What a text holds, recognised."""
    if not text.strip():
        raise EmptyFile(path, "the file is empty")
    if reading.format is None and reading.columns is None and may_be_battles(text):
        return _recognised(text_table(text, path), reading)
    if is_json_lines(text):
        return _object_content(text, path, reading)
    if re.match(r"\s*\[\s*\{", text):
        return _recognised(read_records(text, path), reading)
    if re.match(r"\s*\[\s*\[", text):
        raise UnrecognisedFormat(path, "a JSON array of arrays; write objects, such as a system and its score", line=1)
    if reading.columns is not None:
        return _recognised(read_delimited(text, path, headed=True), reading)
    headless = recognise_headless(text, reading.format)
    if headless is not None:
        return _headless_content(text, path, headless, reading)
    tool = recognise_lines(text) if reading.format is None else reading.format
    if tool == "trec_eval":
        return _tool_content(read_trec_eval(text, path), tool, path, reading)
    if tool == "ir_measures" and not has_header(text):
        return _tool_content(read_ir_measures(text, path), tool, path, reading)
    if reading.format is None:
        check_not_trec(text, path)
        check_not_other_text(text, path)
    return _recognised(read_delimited(text, path), reading)


def _object_content(text: str, path: str, reading: Reading) -> _Content:
    """JSON lines, or one object, which may be a row, or scores by system, or by system and measure or topic."""
    document = None if first_line(text) is not None else parse_document(text, Path(path))
    plain = plain_table(document, path, reading.format) if reading.columns is None else None
    if plain is not None:
        table, own = plain
        return _recognised(table, replace(reading, format=None, columns=own))
    if not isinstance(document, dict):
        return _recognised(read_jsonl(text, path), reading)
    if any(isinstance(value, dict | list) for value in document.values()):
        problem = f"JSON of an unknown form, with the keys {listed(list(document))}"
        known = ", ".join(dict.fromkeys(form.name for form in HARNESSES))
        raise UnrecognisedFormat(path, f"{problem}; write one object per score, or give one of these: {known}")
    return _recognised(read_records(f"[{text}]", path), reading)


def _headless_content(text: str, path: str, kind: Headless, reading: Reading) -> _Content:
    table = headless_table(text, path, kind)
    content = _recognised(table, Reading(where=reading.where))
    check_one_ranking(table, None if content.table is None else content.table.place.rows)
    return replace(content, format="tot") if kind == "tot" else content


def _tool_content(runs: Sequence[Run], tool: Format, path: str, reading: Reading) -> _Content:
    if reading.where:
        raise without_columns(Place(path), reading.where, f"output of {tool} has no headers; add some")
    return _Content(path, tool, runs=tuple(runs))


def _recognised(table: Table, reading: Reading) -> _Content:
    if reading.each is not None:
        alone = replace(reading, each=None, where=None)
        by_value = rows_by_value(table, reading.each, reading.where, reading.columns)
        parts = {value: _recognised(rows, alone) for value, rows in by_value.items()}
        return _Content(table.place.path, next(iter(parts.values())).format, parts=parts)
    if reading.where:
        table = matching_rows(table, reading.where, reading.columns)
    if reading.format is None and reading.columns is None and is_battles(table):
        battles = table_battles(table, system_name(table.place.path)).scores()
        return _Content(table.place.path, "wide", scores=LocatedScores(battles, table.place.path, lambda *_: ""))
    layout = recognise(table, reading.format, reading.columns)
    return _Content(table.place.path, layout.format, table=table, layout=layout)


def _choose(contents: Sequence[_Content], measure: str | None, place: str, on_duplicate: Combining) -> LocatedScores:
    """The scores of all files under one measure, in the direction that the files give; a wide table comes alone."""
    first = contents[0]
    if first.lower:
        located = one_measure(_score_rows(contents), measure, place, on_duplicate)
        if located.scores.measure in first.lower:
            if on_duplicate == "best":
                located = one_measure(_score_rows(contents), measure, place, "lowest")
            located = LocatedScores(located.scores.scored(lower_is_better=True), located.path, located.where)
        return located
    if first.scores is not None and len(contents) == 1:
        return LocatedScores(_labelled(first.scores.scores, measure), first.scores.path, first.scores.where)
    if first.format not in _WIDE:
        return one_measure(_score_rows(contents), measure, place, on_duplicate)
    if len(contents) > 1:
        raise UnrecognisedFormat(
            contents[1].path,
            f"a second wide table beside {first.path}; several files are read together when they are long tables "
            "or output of trec_eval or ir_measures, so read these one at a time",
        )
    return from_wide(*_table(first), measure, on_duplicate)


def _every_measure(
    contents: Sequence[_Content], place: str, on_duplicate: OnDuplicateScores
) -> Iterable[tuple[str | None, Scores]]:
    """The scores under each measure by its name; None is a measure that the file's name tells."""
    first = contents[0]
    if first.scores is not None:
        scores = first.scores.scores
        return [(scores.measure, scores)]
    if first.format not in _WIDE:
        return every_measure(_score_rows(contents), place, on_duplicate).items()
    table, layout = _table(first)
    headers = [column.header for column in layout.values]
    unlabelled = layout.topic is None and layout.system is None
    if unlabelled and table.headed and sum(map(is_measure, headers)) * 2 > len(headers):
        return [
            (column.header, SystemScores(check_numbers(column, table.place), measure=column.header))
            for column in layout.values
        ]
    return [(None, from_wide(table, layout, None, on_duplicate).scores)]


def _score_rows(contents: Sequence[_Content]) -> list[ScoreRows]:
    """The rows of long tables and leaderboards, or those of tools' runs under their systems' names."""
    if contents[0].format in _TOOLS:
        return rows_by_system([run for content in contents for run in content.runs or run_table(*_table(content))])
    return [long_rows(*_table(content)) for content in contents]


def _table(content: _Content) -> tuple[Table, Layout]:
    if content.table is None or content.layout is None:
        raise UnrecognisedFormat(content.path, "this file can only be read alone; write it as a long table")
    return content.table, content.layout


def _from_memory(
    data: object, reading: Reading, measure: str | None, on_missing: OnMissing, name: str | None
) -> Scores:
    if reading.columns is not None or reading.where is not None:
        raise BadParameter("columns are of files and data frames; arrays and mappings have one form each")
    if reading.format is not None:
        problem = f"format={reading.format!r} is for files and data frames"
        raise BadParameter(f"{problem}; arrays and mappings have one form each")
    if isinstance(data, list | tuple) and not data:
        raise BadParameter("an empty list holds no scores and no paths; give at least one")
    scores = as_scores(data, measure=measure, name=name)
    if isinstance(data, ScoreMatrix | SystemScores):
        scores = _labelled(scores, measure)
    return scores if on_missing == KEEP else scores.fill(on_missing)


def _is_plain(source: object) -> bool:
    """Whether `as_scores` takes it; whether it is a frame is checked last, since that needs another import."""
    if isinstance(source, ScoreMatrix | SystemScores | Mapping | list | tuple | np.ndarray):
        return True
    return not is_frame(source)


def _labelled(scores: Scores, measure: str | None) -> Scores:
    """Scores with this measure as their label, if they have none; an error if they have another."""
    if measure is None or (scores.measure is not None and matching(measure, [scores.measure])):
        return scores
    if scores.measure is not None:
        title = scores.name or f"<{type(scores).__name__}>"
        raise UnknownMeasure(title, f"no measure {measure!r}; these are scores of {scores.measure!r}")
    return scores.labelled(measure)


def _check_alike(contents: Sequence[_Content]) -> None:
    first = contents[0]
    for content in contents[1:]:
        if content.format != first.format:
            raise UnrecognisedFormat(
                content.path,
                f"this looks like {content.format!r} and {first.path} like {first.format!r}; give files of one "
                f"format, or force it: {force(first.format)}",
            )


def _reading(format: Any, columns: Any, where: Any, on_duplicate: Any) -> Reading:  # noqa: A002
    """How files are to be read, checked."""
    if format is not None:
        check_choice("format", format, FORMATS)
    _check_columns(columns)
    check_choice("on_duplicate", on_duplicate, ON_DUPLICATE_SCORES)
    texts = isinstance(where, Mapping) and all(isinstance(word, str) for pair in where.items() for word in pair)
    if where is not None and not (texts and where):
        raise BadParameter(f"where={where!r}: give a pattern by column, such as {{'rater': 'expert*'}}")
    return Reading(format, columns, where)


def _check_columns(columns: Any) -> None:
    if columns is None:
        return
    if not isinstance(columns, Mapping) or not columns or not all(isinstance(name, str) for name in columns.values()):
        raise BadParameter(f"columns={columns!r}: give column names by role, such as {{'topic': 'item'}}")
    unknown = [role for role in columns if role not in COLUMN_ROLES]
    if unknown:
        raise BadParameter(f"columns has no role {unknown[0]!r}; there are {', '.join(COLUMN_ROLES)}")
    if len(set(columns.values())) < len(columns):
        raise BadParameter(f"columns={dict(columns)}: one column has two roles; name each column once")
    if "topic" not in columns and "system" not in columns and set(columns) != {"error"}:
        raise BadParameter("columns: name the column of topics or of systems too (--topic-column, --system-column)")
