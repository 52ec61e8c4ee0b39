"""One score per row: a measure is chosen, and its rows become topics × systems or a leaderboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from shlex import quote

import numpy as np
import numpy.typing as npt

from rankscope.errors import (
    AmbiguousMeasure,
    DuplicateScore,
    MissingName,
    NoNumericColumn,
    NotANumber,
    UnknownMeasure,
)
from rankscope.files.columns import SUMMARIES, VALUE, is_summary
from rankscope.files.duplicates import Combining, combined
from rankscope.files.located import LocatedScores
from rankscope.files.recognise import Layout, force, ignored_columns
from rankscope.files.table import Column, Place, Table, check_numbers, normalise
from rankscope.measure_names import closest_first, is_known, is_score, matching
from rankscope.scores import Floats, ScoreMatrix, Scores, SystemScores

# The way of combining two scores that messages advise.
_COMBINED: Combining = "mean"
# Of a run whose rows are names and no numbers.
_ONLY_TEXT = "no scores here, only rows of text; give the output with its measures"

Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class ScoreRows:
    """The rows of one file or run; measures are named in each row, or by the headers of `values`.

    `errors` are the columns of standard errors, by the header of their scores.
    `others` are columns that are not used; they may tell why a system has two scores.
    """

    place: Place
    systems: Sequence[str]
    topics: Sequence[str] | None
    measures: Sequence[str] | None
    values: tuple[Column, ...]
    errors: Mapping[str, Column] = field(default_factory=dict)
    others: tuple[Column, ...] = ()

    @property
    def offered(self) -> list[str]:
        """The measures to choose from."""
        if self.measures is not None:
            return list(dict.fromkeys(self.measures))
        return [column.header for column in self.values]


@dataclass(frozen=True)
class _MeasureRows:
    """The rows of one source under the chosen measure."""

    source: ScoreRows
    positions: Indices
    values: Floats
    errors: Floats


def long_rows(table: Table, layout: Layout) -> ScoreRows:
    """The rows of a long table or a leaderboard."""
    place, count = table.place, table.rows
    # Systems without any names are known by their order; a name that is missing here and there is an error.
    systems = [""] * count if layout.system is None else _names(layout.system, place, "system")
    topics = None if layout.topic is None else _names(layout.topic, place, "topic")
    measures = None if layout.measure is None else _names(layout.measure, place, "measure")
    used = (layout.system, layout.topic, layout.measure, *layout.values, *layout.errors.values())
    return ScoreRows(
        place,
        systems,
        None if _unnamed(topics) else topics,
        None if _unnamed(measures) else measures,
        layout.values,
        layout.errors,
        tuple(column for column in table.columns if not any(column is other for other in used)),
    )


def one_measure(
    sources: Sequence[ScoreRows], measure: str | None, path: str, on_duplicate: Combining = "error"
) -> LocatedScores:
    """The scores of all files or runs under one measure."""
    chosen = [_choose(source, measure) for source in sources]
    for source in sources:
        if measure is None and source.measures is None:  # an empty column may have been meant as a measure
            _say_empty(source)
    _check_same(sources, chosen, measure)
    taken = [_take(source, name) for source, name in zip(sources, chosen, strict=True)]
    label = _label(sources[0], chosen[0], measure)
    by_topic = any(
        source.topics is not None and any(not is_summary(source.topics[row]) for row in rows.positions)
        for source, rows in zip(sources, taken, strict=True)
    )
    assemble = _matrix if by_topic else _leaderboard
    return assemble(taken, label, path, on_duplicate)


def every_measure(sources: Sequence[ScoreRows], path: str, on_duplicate: Combining = "error") -> dict[str, Scores]:
    """The scores of all files or runs under each measure that any has; a system that lacks one is missing there."""
    names = dict.fromkeys(name for source in sources for name in source.offered if is_score(name))
    if not names:
        raise NoNumericColumn(path, "no measures here; give score tables with a column or row per measure")
    for source in sources:
        if not source.systems:
            raise source.place.error(NoNumericColumn, _ONLY_TEXT)
        _say_empty(source)
    scores = {}
    for name in names:
        having = [source if name in source.offered else _without_scores(source, name) for source in sources]
        scores[name] = one_measure(having, name, path, on_duplicate).scores
    return scores


def _say_empty(source: ScoreRows) -> None:
    """Warn of columns with a name and no value."""
    empty = [column.header for column in source.others if column.header and not any(column.cells)]
    if empty:
        ignored_columns(source.place, empty, "are empty")


def _without_scores(source: ScoreRows, name: str) -> ScoreRows:
    """A run that lacks a measure: a row of no topic keeps its system in the table."""
    return ScoreRows(source.place, source.systems[:1], [SUMMARIES[0]], [name], (Column(name, [""]),))


def _names(column: Column, place: Place, what: str) -> Sequence[str]:
    if "" in column.cells and any(column.cells):
        row = list(column.cells).index("")
        raise place.error(MissingName, f"no {what} in column {column.header!r}; name it, or leave the row out", row)
    return column.cells


def _unnamed(names: Sequence[str] | None) -> bool:
    return names is None or not any(names)


def _choose(source: ScoreRows, measure: str | None) -> str:
    offered = source.offered
    if len(offered) == 1 and (measure is None or _says_nothing(source)):
        return offered[0]
    if not offered:
        raise source.place.error(NoNumericColumn, _ONLY_TEXT)
    if measure is None:
        topics = source.topics is None and source.measures is None and not any(map(is_known, offered))
        hint = f", or {force('wide-systems')} if these are topics" if topics else ""
        raise source.place.error(
            AmbiguousMeasure,
            f"{len(offered)} measures and none chosen: {_listed(offered)}; say which, {_as_option(offered[0])}{hint}",
        )
    matches = matching(measure, offered)
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise source.place.error(AmbiguousMeasure, f"{measure!r} may be {_listed(matches)}; write it as the file does")
    near = closest_first(measure, offered)
    if any(column.header == measure for column in source.others):
        problem = f"column {measure!r} does not hold scores; there is {_listed(near)}; say {_as_option(near[0])}"
        raise source.place.error(UnknownMeasure, problem)
    raise source.place.error(
        UnknownMeasure,
        f"no measure {measure!r}; there is {_listed(near)}; say {_as_option(near[0])}",
    )


def _listed(names: Sequence[str]) -> str:
    """Names in a message of one line: those with line ends and the like as Python writes them."""
    return ", ".join(name if name.isprintable() else repr(name) for name in names)


def _as_option(name: str) -> str:
    """How to choose a measure, in Python and, if it can be typed, on the command line."""
    return f"measure={name!r}" + (f" (--measure {quote(name)})" if name.isprintable() else "")


def _says_nothing(source: ScoreRows) -> bool:
    """Whether the only value column is called "score" or the like, so that a given measure labels it."""
    return source.measures is None and normalise(source.values[0].header) in ("", *VALUE)


def _label(source: ScoreRows, chosen: str, measure: str | None) -> str | None:
    return measure if _says_nothing(source) and len(source.values) == 1 else chosen


def _check_same(sources: Sequence[ScoreRows], chosen: Sequence[str], measure: str | None) -> None:
    """Without a choice, files with one measure each must agree on which."""
    for source, name in zip(sources, chosen, strict=True):
        if measure is None and not matching(name, [chosen[0]]):
            raise source.place.error(
                AmbiguousMeasure,
                f"the measure here is {name!r}, and {chosen[0]!r} in {sources[0].place.path}; "
                f"give files of one measure, or say {_as_option(name)}",
            )


def _take(source: ScoreRows, chosen: str) -> _MeasureRows:
    if source.measures is None:
        column = next(column for column in source.values if column.header == chosen)
        every: Indices = np.arange(len(column))
        return _MeasureRows(source, every, check_numbers(column, source.place), _errors(source, column, every))
    rows = np.array([row for row, name in enumerate(source.measures) if name == chosen], dtype=np.intp)
    only = source.values[0]
    errors = _errors(source, only, rows)
    if len(rows) < len(only):
        only = Column(only.header, [only.cells[row] for row in rows])
    return _MeasureRows(source, rows, check_numbers(only, source.place, rows), errors)


def _errors(source: ScoreRows, scores: Column, rows: Indices) -> Floats:
    """The standard errors of these rows' scores; NaN where they are unknown."""
    column = source.errors.get(scores.header)
    if column is None:
        return np.full(len(rows), np.nan)
    errors = check_numbers(column, source.place)
    negative = [row for row in rows.tolist() if errors[row] < 0.0]
    if negative:
        problem = f"{errors[negative[0]]:g} in column {column.header!r} is not a standard error; it cannot be negative"
        raise source.place.error(NotANumber, problem, negative[0])
    return errors[rows]


def _matrix(taken: Sequence[_MeasureRows], measure: str | None, path: str, on_duplicate: Combining) -> LocatedScores:
    """Topics × systems; a system that has rows under other measures only is missing everywhere, not forgotten."""
    systems: dict[str, int] = {}
    topics: dict[str, int] = {}
    pieces: list[tuple[Indices, Indices]] = []
    for rows in taken:
        source = rows.source
        codes = np.array([systems.setdefault(name, len(systems)) for name in source.systems], dtype=np.intp)
        names = source.topics if source.topics is not None else [""] * len(source.systems)
        about = [names[row] for row in rows.positions.tolist()]
        numbers = {topic: _code(topic, topics) for topic in dict.fromkeys(about)}
        topic_codes = np.array([numbers[topic] for topic in about], dtype=np.intp)
        pieces.append((codes[rows.positions], topic_codes))
    return _pivot(taken, pieces, list(systems), list(topics), measure, path, on_duplicate)


def _code(topic: str, codes: dict[str, int]) -> int:
    """The topic's number, or -1 for a row that is about no topic."""
    return -1 if not topic or is_summary(topic) else codes.setdefault(topic, len(codes))


def _pivot(
    taken: Sequence[_MeasureRows],
    pieces: Sequence[tuple[Indices, Indices]],
    systems: list[str],
    topics: list[str],
    measure: str | None,
    path: str,
    on_duplicate: Combining,
) -> LocatedScores:
    system_codes = np.concatenate([codes for codes, _ in pieces])
    topic_codes = np.concatenate([codes for _, codes in pieces])
    values = np.concatenate([rows.values for rows in taken])
    entries = np.flatnonzero(topic_codes >= 0)
    cells = topic_codes[entries] * len(systems) + system_codes[entries]
    if on_duplicate == "error":
        _check_distinct(taken, entries, cells, systems, topics)
    grid = combined(values[entries], cells, len(topics) * len(systems), on_duplicate, path)

    def where(topic: int, system: int) -> str:
        here = entries[cells == topic * len(systems) + system]
        return _row_name(taken, int(here[0])) if len(here) else "no row"

    table = grid.reshape(len(topics), len(systems))
    return LocatedScores(ScoreMatrix(table, systems, topics, measure=measure), path, where)


def _leaderboard(
    taken: Sequence[_MeasureRows], measure: str | None, path: str, on_duplicate: Combining
) -> LocatedScores:
    """One score per system; a system that has rows under other measures only is missing, not forgotten."""
    names = [rows.source.systems[row] for rows in taken for row in rows.positions]
    values = np.concatenate([rows.values for rows in taken])
    codes: dict[str, int] = {}
    for rows in taken:
        for name in rows.source.systems:
            codes.setdefault(name, len(codes))
    unnamed = _unnamed(list(codes))
    cells = np.arange(len(names)) if unnamed else np.array([codes[name] for name in names], dtype=np.intp)
    if on_duplicate == "error":
        _check_distinct(taken, np.arange(len(names)), cells, list(codes), [])
    scores = combined(values, cells, len(names) if unnamed else len(codes), on_duplicate, path)
    errors = np.full(len(scores), np.nan)
    errors[cells] = np.concatenate([rows.errors for rows in taken])
    errors[np.bincount(cells, minlength=len(scores)) > 1] = np.nan  # that of several scores together is unknown

    def where(_: int, system: int) -> str:
        here = np.flatnonzero(cells == system)
        return _row_name(taken, int(here[0])) if len(here) else "no row"

    board = SystemScores(
        scores,
        None if unnamed else list(codes),
        measure=measure,
        standard_errors=None if np.isnan(errors).all() else errors,
    )
    return LocatedScores(board, path, where)


def _check_distinct(
    taken: Sequence[_MeasureRows], entries: Indices, cells: Indices, systems: list[str], topics: list[str]
) -> None:
    order = np.argsort(cells, kind="stable")
    again = np.flatnonzero(cells[order][1:] == cells[order][:-1]) + 1
    if not len(again):
        return
    # The repeated entry that comes first in the file, and the one it repeats.
    at = again[np.argmin(order[again])]
    cell = int(cells[order[at]])
    first, first_row = _origin(taken, int(entries[order[at - 1]]))
    second, second_row = _origin(taken, int(entries[order[at]]))
    topic = f" on topic {topics[cell // len(systems)]!r}" if topics else ""
    file = f" of {first.place.path}" if first.place.path != second.place.path else ""
    raise second.place.error(
        DuplicateScore,
        f"{systems[cell % len(systems)]!r} has a score{topic} already, on {first.place.row(first_row)}{file}; "
        f"{_ways_out(first, first_row, second, second_row)}",
        second_row,
    )


def _ways_out(first: ScoreRows, first_row: int, second: ScoreRows, second_row: int) -> str:
    """What to do about two scores in one place; columns in which their rows differ may tell which scores are meant."""
    keep = f"keep one of them, or combine them: on_duplicate={_COMBINED!r} (--on-duplicate {_COMBINED})"
    differing = [
        (column.header, column.cells[second_row])
        for column in second.others
        if first is second and column.header and column.cells[first_row] != column.cells[second_row]
    ]
    if not differing:
        return keep
    header, value = differing[0]
    where = f"where={{{header!r}: {value!r}}}" + (
        f" (FILE:{header}={value})" if f"{header}{value}".isprintable() else ""
    )
    names = ", ".join(repr(header) for header, _ in differing)
    return f"the rows differ in {names}: choose some by that column, {where}, or {keep}"


def _origin(taken: Sequence[_MeasureRows], entry: int) -> tuple[ScoreRows, int]:
    for rows in taken:
        if entry < len(rows.positions):
            return rows.source, int(rows.positions[entry])
        entry -= len(rows.positions)
    raise IndexError(entry)


def _row_name(taken: Sequence[_MeasureRows], entry: int) -> str:
    source, row = _origin(taken, entry)
    return source.place.row(row)
