"""The format of a table and the roles of its columns, by its headers, and by its cells where headers do not tell."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from shlex import quote
from typing import Literal, get_args

from rankscope.errors import BadFile, DuplicateScore, IgnoredColumns, NoNumericColumn, UnrecognisedFormat
from rankscope.files.columns import (
    ColumnRole,
    Columns,
    companions,
    errors_of,
    find,
    is_error,
    is_identifier,
    is_label_column,
    is_rank,
    label_column,
    names_scores,
)
from rankscope.files.table import CORNER, HEADER, Column, Place, Table, is_number, listed, wrong_cell

Format = Literal["wide", "wide-systems", "long", "trec_eval", "ir_measures", "tot", "leaderboard"]
FORMATS: tuple[Format, ...] = get_args(Format)

_GLIMPSE = 100
# Lines without a header that may be meant where the first row holds scores: of three fields, and of four.
_TOT_COLUMNS = 4
_OF_LINES: tuple[tuple[Format, ...], ...] = (("trec_eval", "ir_measures"), ("tot", "ir_measures"))


@dataclass(frozen=True)
class Layout:
    """A table's format and its columns by what they hold.

    `values` are the columns of scores, and `errors` the columns of their standard errors, by the header of the scores.
    """

    format: Format
    values: tuple[Column, ...]
    system: Column | None = None
    topic: Column | None = None
    measure: Column | None = None
    errors: Mapping[str, Column] = field(default_factory=dict)


def recognise(table: Table, forced: Format | None = None, columns: Columns | None = None) -> Layout:
    """The layout of this table, recognised or forced; an error says what was seen and how to force a format.

    Where the user names columns, no header has a meaning of its own.
    """
    table = _without_empty_columns(table)
    _check_headers(table)
    roles: Columns = {role: name for role, name in (columns or {}).items() if role != "error"}
    if roles:
        layout = _by_names(table, forced, roles)
    elif forced is not None:
        if table.headed and not any(map(is_label_column, table.columns)):
            _check_header_row(table, forced=True)  # which is not to say that the first row names columns
        layout = _FORCED[forced](table)
    elif not table.headed:
        layout = _headless(table)
    elif table.columns[0].header == CORNER:
        layout = Layout("wide", table.columns[1:], topic=table.columns[0])
    else:
        layout = _by_headers(table)
    if not any(column.has_numbers for column in layout.values):
        _check_some_score(table, layout)
    return _with_errors(table, layout, (columns or {}).get("error"))


def _with_errors(table: Table, layout: Layout, named: str | None) -> Layout:
    """The layout with standard errors apart from scores; those in a column that the user named are of every score."""
    of_systems = layout.format == "leaderboard" or (layout.format == "long" and layout.topic is None)
    if named is not None:
        error = column_called(table, named)
        if not of_systems:
            problem = f"{named!r} cannot hold standard errors: this is read as {layout.format!r}, and scores by topic "
            problem += f"have errors of their own; leave the column out, or use {force('leaderboard')}"
            raise table.place.error(UnrecognisedFormat, problem)
        values = tuple(column for column in layout.values if column is not error)
        return replace(layout, values=values, errors={column.header: error for column in values})
    if layout.format not in ("leaderboard", "long"):
        return layout
    error_columns = errors_of([column for column in table.columns if column.numeric or column in layout.values])
    values = tuple(column for column in layout.values if column not in error_columns) or layout.values
    errors = {score.header: error for error, score in error_columns.items() if score in values and score is not None}
    if errors and layout.topic is not None and len(set(layout.topic.cells)) == 1:
        # The standard errors of one task tell more than one topic could.
        return replace(layout, values=values, topic=None, errors=errors)
    return replace(layout, values=values, errors=errors if of_systems else {})


def force(*formats: Format) -> str:
    """How to force one of these formats, for a message.

    >>> force("wide")
    "format='wide' (--input-format wide)"
    """
    return " or ".join(f"format={name!r} (--input-format {name})" for name in formats)


def _by_headers(table: Table) -> Layout:
    system, topic = find(table, "system"), find(table, "topic")
    measure, value = _measure_and_value(table)
    if system is not None and value is None:
        _check_names(table, system)
    if system is not None and (topic is not None or (measure is not None and value is not None)):
        return _long(table)
    if system is not None:
        return _systems_in_rows(table, system)
    if measure is not None and value is not None and (topic is not None or measure is table.columns[0]):
        return Layout("ir_measures", (value,), topic=topic, measure=measure)
    if topic is not None:
        return _wide(table, topic)
    return _without_roles(table)


def _by_names(table: Table, forced: Format | None, columns: Columns) -> Layout:
    """The layout that the user's names for columns imply."""
    if not table.headed:
        raise table.place.error(UnrecognisedFormat, "no header, so that columns cannot be named; add one")
    named = {role: column_called(table, name) for role, name in columns.items()}
    system, topic, measure = (named.get(role) for role in ("system", "topic", "measure"))
    labels = [column for column in (system, topic, measure) if column is not None]
    # Only a row index has no name, as pandas and R write it.
    others = tuple(column for column in table.columns if column.header and not any(column is label for label in labels))
    values = (named["score"],) if "score" in named else None
    if system is not None and (topic is not None or measure is not None):
        layout = Layout("long", values or _score_columns(others), system=system, topic=topic, measure=measure)
    elif system is not None and values is None and (forced == "wide-systems" or all(map(_is_numbered, others))):
        layout = Layout("wide-systems", others, system=system)
    elif system is not None:
        layout = Layout("leaderboard", values or _score_columns(others), system=system)
    elif measure is not None:
        layout = Layout("ir_measures", values or _score_columns(others), topic=topic, measure=measure)
    else:
        layout = Layout("wide", values or others, topic=topic)
    if layout.measure is not None and len(layout.values) != 1:
        raise table.place.error(
            UnrecognisedFormat,
            "a measure column, and several columns may hold the scores: "
            f"{listed([column.header for column in layout.values])}; name one (columns={{'score': …}}, --score-column)",
        )
    if forced not in (None, layout.format):
        problem = f"the columns that you name make it {layout.format!r}, and not {forced!r}; leave the format out"
        raise table.place.error(UnrecognisedFormat, problem)
    return layout


def column_called(table: Table, name: str) -> Column:
    """The column of this name; an error that lists the columns if there is none."""
    named = next((column for column in table.columns if column.header == name), None)
    if named is None:
        problem = f"no column is called {name!r}; the columns are {listed(table.headers)}; name one of these"
        raise table.place.error(UnrecognisedFormat, problem, HEADER)
    return named


def _is_numbered(column: Column) -> bool:
    return is_number(column.header)


def _without_roles(table: Table) -> Layout:
    """No header names a system or a topic: an unnamed first column may still label the rows."""
    first, others = table.columns[0], table.columns[1:]
    scores = _score_columns(others)
    if label_column(table) is not None:
        # A table of topics × systems has no text and no standard errors beside its scores.
        told = first.text and any(column.text or is_error(column.header) for column in others)
        if scores and (told or all(map(names_scores, scores))):
            return Layout("leaderboard", scores, system=first)
        return _wide(table, first)
    if first.text and scores:
        if all(map(names_scores, scores)):
            return Layout("leaderboard", scores, system=first)
        _check_header_row(table)
        raise table.place.error(
            UnrecognisedFormat,
            f"the first column, {first.header!r}, holds text that may name topics or systems; the columns are "
            f"{listed(table.headers)}; say which it is: {_naming('system', first)} or {_naming('topic', first)}",
        )
    _check_header_row(table)
    _check_ids(table)
    return Layout("wide", table.columns)


def _naming(role: ColumnRole, column: Column) -> str:
    """How to give a column a role, in Python and, if its name can be typed, on the command line."""
    name = column.header
    option = f" (--{role}-column {quote(name)})" if name.isprintable() else ""
    return f"columns={{{role!r}: {name!r}}}{option}"


def _headless(table: Table) -> Layout:
    first = table.columns[0]
    # A missing score on top of numbers is not the name of a system.
    scores = first.numeric and first.has_numbers
    if len(table.columns) == 2 and not is_number(first.cells[0]) and not scores:
        return Layout("leaderboard", table.columns[1:], system=first)
    _check_ids(table)
    return Layout("wide", table.columns)


def _systems_in_rows(table: Table, system: Column) -> Layout:
    """Systems in rows: numbers as headers are topics, other headers are measures."""
    columns = _others(table, system)
    scores = _score_columns(columns)
    if scores and all(is_number(column.header) for column in scores):
        return Layout("wide-systems", columns, system=system)
    return Layout("leaderboard", scores, system=system)


def _wide(table: Table, topic: Column | None) -> Layout:
    others = _others(table, topic)
    texts = [column for column in others if column.prose]
    if not texts or len(texts) == len(others):
        return Layout("wide", others, topic=topic)
    ignored_columns(table.place, [column.header for column in texts], "hold text")
    return Layout("wide", tuple(column for column in others if column not in texts), topic=topic)


def ignored_columns(place: Place, headers: Sequence[str], why: str) -> None:
    """Warn that these columns are left out."""
    warnings.warn(f"{place.path}: left out, since they {why}: {listed(headers)}", IgnoredColumns, stacklevel=2)


def _long(table: Table) -> Layout:
    system, topic = find(table, "system"), find(table, "topic")
    measure, value = _measure_and_value(table)
    if system is None:
        raise _misfit(table, "long", "no column names the system (system, run, model …)")
    if value is not None:
        return Layout("long", (value,), system=system, topic=topic, measure=measure)
    scores = _score_columns(_others(table, system, topic, measure))
    if measure is not None and len(scores) > 1:
        raise _misfit(table, "long", "a measure column, and no column called 'value' or 'score' beside it")
    return Layout("long", scores, system=system, topic=topic, measure=measure)


def _forced_wide(table: Table) -> Layout:
    return _wide(table, find(table, "topic") or _first_label(table))


def _forced_wide_systems(table: Table) -> Layout:
    system = find(table, "system") or _first_label(table)
    return Layout("wide-systems", _others(table, system), system=system)


def _forced_leaderboard(table: Table) -> Layout:
    system = find(table, "system") or _first_label(table)
    return Layout("leaderboard", _score_columns(_others(table, system, find(table, "topic"))), system=system)


def _forced_ir_measures(table: Table) -> Layout:
    measure, value = _measure_and_value(table)
    if measure is None or value is None:
        raise _misfit(table, "ir_measures", "it has the columns query_id, measure and value")
    return Layout("ir_measures", (value,), topic=find(table, "topic"), measure=measure)


def _forced_trec_eval(table: Table) -> Layout:
    raise _misfit(table, "trec_eval", "that is plain text, three fields a line")


def _forced_tot(table: Table) -> Layout:
    raise _misfit(table, "tot", "that is plain text without a header, lines of run, measure, topic and value")


_FORCED: dict[Format, Callable[[Table], Layout]] = {
    "wide": _forced_wide,
    "wide-systems": _forced_wide_systems,
    "long": _long,
    "trec_eval": _forced_trec_eval,
    "ir_measures": _forced_ir_measures,
    "tot": _forced_tot,
    "leaderboard": _forced_leaderboard,
}


def _measure_and_value(table: Table) -> tuple[Column | None, Column | None]:
    """The measure column and the value column; without a system column, numbers under "measure" are scores."""
    measure, value = find(table, "measure"), find(table, "value")
    if measure is not None and find(table, "system") is None and is_number(measure.cells[0]):
        measure = None
    return measure, value


def _first_label(table: Table) -> Column | None:
    first = table.columns[0]
    return first if first.text or label_column(table) is not None else None


def _others(table: Table, *labels: Column | None) -> tuple[Column, ...]:
    """The columns beside the labels, without a row index and without text under a header of a label."""
    index = label_column(table)
    kept = (column for column in table.columns if not any(column is label for label in labels))
    return tuple(
        column
        for column in kept
        if not (column is index and (column.whole or column.text))
        and not (table.headed and is_label_column(column) and column.text)
    )


def _score_columns(columns: Sequence[Column]) -> tuple[Column, ...]:
    """The columns of which at least half is numbers; another cell among them is an error when they are read."""
    possible = [
        column
        for column in columns
        if not is_rank(column) and not is_identifier(column) and column.wrong.sum() * 2 <= len(column)
    ]
    beside = companions(possible)
    possible = [column for column in possible if column not in beside]
    # Without any number, a column that says it holds scores holds missing ones.
    scores = tuple(column for column in possible if column.has_numbers or names_scores(column))
    return scores or tuple(column for column in possible if any(column.cells))


def _without_empty_columns(table: Table) -> Table:
    """The table without the nameless empty columns that a delimiter at the end of each line makes."""
    if not table.headed or table.columns[0].header == CORNER:
        return table
    kept = [table.columns[0]]
    kept += [column for column in table.columns[1:] if column.header or any(column.cells)]
    return Table(table.place, tuple(kept), table.headed)


def _check_headers(table: Table) -> None:
    if not table.headed:
        return
    headers = list(enumerate(table.headers, 1))
    if table.headers[0] == CORNER:
        headers = [] if not any(table.headers[1:]) else headers[1:]
    seen: dict[str, int] = {}
    for number, header in headers:
        if header in seen:
            raise table.place.error(
                DuplicateScore,
                f"columns {seen[header]} and {number} are both called {header!r}; rename one of them",
                HEADER,
            )
        seen[header] = number
        if number > 1 and not header:
            raise table.place.error(UnrecognisedFormat, f"column {number} has no name; name it in the header", HEADER)


def _check_names(table: Table, system: Column) -> None:
    """Raise `UnrecognisedFormat` for a "system" column of decimals, which may be a system of a wide table."""
    glimpse = system.cells[:_GLIMPSE]
    if all(is_number(cell) for cell in glimpse) and not all(cell.strip().isdecimal() for cell in glimpse):
        raise table.place.error(
            UnrecognisedFormat,
            f"the column {system.header!r} should name systems and holds decimals; rename it, or use "
            f"{force('wide', 'long', 'leaderboard')}",
        )


def _check_ids(table: Table) -> None:
    """Raise `UnrecognisedFormat` if the first column looks like topic ids: distinct whole numbers beside decimals."""
    first, others = table.columns[0], table.columns[1:]
    if table.rows < 3 or not first.whole or len(set(first.cells)) < table.rows:
        return
    if any(column.numeric and not column.whole for column in others):
        title = f" ({first.header!r})" if first.header else ""
        raise table.place.error(
            UnrecognisedFormat,
            f"the first column{title} holds {listed(first.cells[:3])} …, which look like topic ids; call it 'topic' in "
            f"the header, or use {force('wide')} if these are scores",
        )


def _check_header_row(table: Table, *, forced: bool = False) -> None:
    """Raise `UnrecognisedFormat` if the first row holds scores above a column of text: the header is missing.

    Where a format is forced, a column that is not all numbers counts as text, too, since it may be skipped.
    """
    decimals = any(is_number(header) and not header.strip().isdecimal() for header in table.headers)
    if decimals and any(column.text or (forced and not column.numeric) for column in table.columns):
        raise table.place.error(
            UnrecognisedFormat,
            f"the first row, {listed(table.headers)}, holds scores and not column names; add a header, such as "
            f"system,topic,measure,value, or use {force(*_OF_LINES[len(table.columns) == _TOT_COLUMNS])}",
            HEADER,
        )


def _check_some_score(table: Table, layout: Layout) -> None:
    if layout.values and all(column.numeric for column in layout.values):
        return  # all missing, which is said as such
    seen = f"the columns are {listed(table.headers)}" if table.headed else "there is no header"
    labels = (layout.system, layout.topic, layout.measure)
    others = [column for column in reversed(table.columns) if not any(column is label for label in labels)]
    wrong = next((column for column in (*layout.values, *others) if column.wrong.any()), None)
    reason = "all are empty or hold names" if wrong is None else wrong_cell(wrong)
    raise table.place.error(NoNumericColumn, f"no column holds scores; {seen}; {reason}")


def _misfit(table: Table, forced: Format, problem: str) -> BadFile:
    seen = f"columns {listed(table.headers)}" if table.headed else f"{len(table.columns)} columns without a header"
    return table.place.error(
        UnrecognisedFormat, f"not {forced!r} ({problem}); it has {seen}; leave format out to have it recognised"
    )
