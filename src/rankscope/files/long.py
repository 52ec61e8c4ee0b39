"""One score per row: the measure is chosen, and the rows become topics × systems or a leaderboard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote

import numpy as np
import numpy.typing as npt

from rankscope.errors import AmbiguousMeasure, DuplicateScore, MissingName, NoNumericColumn, UnknownMeasure
from rankscope.files.columns import VALUE
from rankscope.files.found import Found, is_summary
from rankscope.files.measure_names import closest_first, is_known, matching
from rankscope.files.recognise import Layout, force
from rankscope.files.table import Column, Place, Table, check_numbers, normalise
from rankscope.scores import Floats, ScoreMatrix, SystemScores

# Said of a run whose rows are names and no numbers.
ONLY_TEXT = "no scores here, only rows of text; give the output with its measures"

Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Part:
    """The rows of one file or run; measures are named in each row, or else by the headers of `values`."""

    place: Place
    systems: Sequence[str]
    topics: Sequence[str] | None
    measures: Sequence[str] | None
    values: tuple[Column, ...]

    @property
    def offered(self) -> list[str]:
        """The measures to choose from."""
        if self.measures is not None:
            return list(dict.fromkeys(self.measures))
        return [column.header for column in self.values]


@dataclass(frozen=True)
class _Rows:
    """The rows of one part under the chosen measure."""

    part: Part
    rows: Indices
    values: Floats


def long_part(table: Table, layout: Layout) -> Part:
    """A long table or a leaderboard as a part."""
    place, count = table.place, table.rows
    # Without names at all the systems are told by their order; a name that is missing here and there is an error.
    systems = [""] * count if layout.system is None else _names(layout.system, place, "system")
    topics = None if layout.topic is None else _names(layout.topic, place, "topic")
    measures = None if layout.measure is None else _names(layout.measure, place, "measure")
    return Part(
        place, systems, None if _unnamed(topics) else topics, None if _unnamed(measures) else measures, layout.values
    )


def from_parts(parts: Sequence[Part], measure: str | None, path: str) -> Found:
    """The scores of all parts under one measure."""
    chosen = [_choose(part, measure) for part in parts]
    _check_same(parts, chosen, measure)
    taken = [_take(part, name) for part, name in zip(parts, chosen, strict=True)]
    label = _label(parts[0], chosen[0], measure)
    by_topic = any(
        part.topics is not None and any(not is_summary(part.topics[row]) for row in some.rows)
        for part, some in zip(parts, taken, strict=True)
    )
    return _matrix(taken, label, path) if by_topic else _leaderboard(taken, label, path)


def _names(column: Column, place: Place, what: str) -> Sequence[str]:
    if "" in column.cells and any(column.cells):
        row = list(column.cells).index("")
        raise place.error(MissingName, f"no {what} in column {column.header!r}; name it, or leave the row out", row)
    return column.cells


def _unnamed(names: Sequence[str] | None) -> bool:
    return names is None or not any(names)


def _choose(part: Part, measure: str | None) -> str:
    offered = part.offered
    if len(offered) == 1 and (measure is None or _says_nothing(part)):
        return offered[0]
    if not offered:
        raise part.place.error(NoNumericColumn, ONLY_TEXT)
    if measure is None:
        topics = part.topics is None and part.measures is None and not any(map(is_known, offered))
        hint = f", or {force('wide-systems')} if these are topics" if topics else ""
        raise part.place.error(
            AmbiguousMeasure,
            f"{len(offered)} measures and none chosen: {_listed(offered)}; say which, {_as_option(offered[0])}{hint}",
        )
    found = matching(measure, offered)
    if len(found) == 1:
        return found[0]
    if found:
        raise part.place.error(AmbiguousMeasure, f"{measure!r} may be {_listed(found)}; write it as the file does")
    near = closest_first(measure, offered)
    raise part.place.error(
        UnknownMeasure,
        f"no measure {measure!r}; there is {_listed(near)}; say {_as_option(near[0])}",
    )


def _listed(names: Sequence[str]) -> str:
    """Names in a message of one line: those with line ends and the like as Python writes them."""
    return ", ".join(name if name.isprintable() else repr(name) for name in names)


def _as_option(name: str) -> str:
    """How to choose a measure, in Python and, if it can be typed, on the command line."""
    return f"measure={name!r}" + (f" (--measure {quote(name)})" if name.isprintable() else "")


def _says_nothing(part: Part) -> bool:
    """Whether the only value column is called "score" or the like, so that a measure's name is welcome as its label."""
    return part.measures is None and normalise(part.values[0].header) in ("", *VALUE)


def _label(part: Part, chosen: str, measure: str | None) -> str | None:
    return measure if _says_nothing(part) and len(part.values) == 1 else chosen


def _check_same(parts: Sequence[Part], chosen: Sequence[str], measure: str | None) -> None:
    """Without a choice, files with one measure each must agree on which."""
    for part, name in zip(parts, chosen, strict=True):
        if measure is None and not matching(name, [chosen[0]]):
            raise part.place.error(
                AmbiguousMeasure,
                f"the measure here is {name!r}, and {chosen[0]!r} in {parts[0].place.path}; give files of one measure, "
                f"or say {_as_option(name)}",
            )


def _take(part: Part, chosen: str) -> _Rows:
    if part.measures is None:
        column = next(column for column in part.values if column.header == chosen)
        return _Rows(part, np.arange(len(column)), check_numbers(column, part.place))
    rows = np.array([row for row, name in enumerate(part.measures) if name == chosen], dtype=np.intp)
    only = part.values[0]
    if len(rows) < len(only):
        only = Column(only.header, [only.cells[row] for row in rows])
    return _Rows(part, rows, check_numbers(only, part.place, rows))


def _matrix(taken: Sequence[_Rows], measure: str | None, path: str) -> Found:
    """Topics × systems; a system that has rows under other measures only is missing everywhere, not forgotten."""
    systems: dict[str, int] = {}
    topics: dict[str, int] = {}
    pieces: list[tuple[Indices, Indices]] = []
    for some in taken:
        part = some.part
        codes = np.array([systems.setdefault(name, len(systems)) for name in part.systems], dtype=np.intp)
        names = part.topics if part.topics is not None else [""] * len(part.systems)
        about = [names[row] for row in some.rows.tolist()]
        numbers = {topic: _code(topic, topics) for topic in dict.fromkeys(about)}
        topic_codes = np.array([numbers[topic] for topic in about], dtype=np.intp)
        pieces.append((codes[some.rows], topic_codes))
    return _pivot(taken, pieces, list(systems), list(topics), measure, path)


def _code(topic: str, codes: dict[str, int]) -> int:
    """The topic's number, or -1 for a row that is about no topic."""
    return -1 if not topic or is_summary(topic) else codes.setdefault(topic, len(codes))


def _pivot(
    taken: Sequence[_Rows],
    pieces: Sequence[tuple[Indices, Indices]],
    systems: list[str],
    topics: list[str],
    measure: str | None,
    path: str,
) -> Found:
    system_codes = np.concatenate([codes for codes, _ in pieces])
    topic_codes = np.concatenate([codes for _, codes in pieces])
    values = np.concatenate([some.values for some in taken])
    entries = np.flatnonzero(topic_codes >= 0)
    cells = topic_codes[entries] * len(systems) + system_codes[entries]
    _check_distinct(taken, entries, cells, systems, topics)
    grid = np.full(len(topics) * len(systems), np.nan)
    grid[cells] = values[entries]

    def where(topic: int, system: int) -> str:
        found = entries[cells == topic * len(systems) + system]
        return "no row" if not len(found) else _row_name(taken, int(found[0]))

    table = grid.reshape(len(topics), len(systems))
    return Found(ScoreMatrix(table, systems, topics, measure=measure), path, where)


def _leaderboard(taken: Sequence[_Rows], measure: str | None, path: str) -> Found:
    """One score per system; a system that has rows under other measures only is missing, not forgotten."""
    names = [some.part.systems[row] for some in taken for row in some.rows]
    values = np.concatenate([some.values for some in taken])
    codes: dict[str, int] = {}
    for some in taken:
        for name in some.part.systems:
            codes.setdefault(name, len(codes))
    unnamed = _unnamed(list(codes))
    cells = np.arange(len(names)) if unnamed else np.array([codes[name] for name in names], dtype=np.intp)
    _check_distinct(taken, np.arange(len(names)), cells, list(codes), [])
    scores = np.full(len(names) if unnamed else len(codes), np.nan)
    scores[cells] = values

    def where(_: int, system: int) -> str:
        found = np.flatnonzero(cells == system)
        return _row_name(taken, int(found[0])) if len(found) else "no row"

    return Found(SystemScores(scores, None if unnamed else list(codes), measure=measure), path, where)


def _check_distinct(
    taken: Sequence[_Rows], entries: Indices, cells: Indices, systems: list[str], topics: list[str]
) -> None:
    order = np.argsort(cells, kind="stable")
    again = np.flatnonzero(cells[order][1:] == cells[order][:-1]) + 1
    if not len(again):
        return
    # The repeated entry that comes first in the file, and the one it repeats.
    at = again[np.argmin(order[again])]
    cell = int(cells[order[at]])
    first, _ = _origin(taken, int(entries[order[at - 1]]))
    second, second_row = _origin(taken, int(entries[order[at]]))
    topic = f" on topic {topics[cell // len(systems)]!r}" if topics else ""
    before = _row_name(taken, int(entries[order[at - 1]]))
    file = f" of {first.path}" if first.path != second.path else ""
    raise second.error(
        DuplicateScore,
        f"{systems[cell % len(systems)]!r} has a score{topic} already, on {before}{file}; keep one of them",
        second_row,
    )


def _origin(taken: Sequence[_Rows], entry: int) -> tuple[Place, int]:
    for some in taken:
        if entry < len(some.rows):
            return some.part.place, int(some.rows[entry])
        entry -= len(some.rows)
    raise IndexError(entry)


def _row_name(taken: Sequence[_Rows], entry: int) -> str:
    place, row = _origin(taken, entry)
    return place.row(row)
