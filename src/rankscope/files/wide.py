"""Topics × systems tables: one row per topic and one column per system, or the other way round."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.errors import DuplicateScore, MissingName
from rankscope.files.columns import is_summary
from rankscope.files.located import LocatedScores
from rankscope.files.recognise import Layout
from rankscope.files.table import Column, Place, Table, check_numbers
from rankscope.scores import Floats, ScoreMatrix, SystemScores


def from_wide(table: Table, layout: Layout, measure: str | None) -> LocatedScores:
    """The scores of a wide table; systems or topics without names are known by their order."""
    label = layout.topic if layout.format == "wide" else layout.system
    what = "topic" if layout.format == "wide" else "system"
    values = _values(layout.values, table.place)
    rows = None if label is None else _row_names(label, table.place, what)
    columns = _column_names(table, layout)
    if layout.format == "wide":
        return _located(values, columns, rows, measure, table.place)
    return _located(values.T, rows, columns, measure, table.place, transposed=True)


def _values(columns: Sequence[Column], place: Place) -> Floats:
    wrong = [column for column in columns if not column.numeric]
    if wrong:
        # The topmost of the wrong cells, so that a file is corrected from top to bottom.
        check_numbers(min(wrong, key=lambda column: int(np.argmax(column.wrong))), place)
    return np.column_stack([column.values for column in columns])


def _row_names(label: Column, place: Place, what: str) -> list[str] | None:
    """The names of the rows; None where the label column is empty."""
    names = list(label.cells)
    if not any(names):
        return None
    first: dict[str, int] = {}
    for row, name in enumerate(names):
        if not name:
            raise place.error(MissingName, f"no {what} in the first field; name it, or leave the row out", row)
        if name in first:
            problem = f"{what} {name!r} has a row already, on {place.row(first[name])}; keep one of them"
            raise place.error(DuplicateScore, problem, row)
        first[name] = row
    return names


def _column_names(table: Table, layout: Layout) -> list[str] | None:
    names = [column.header for column in layout.values]
    return names if table.headed and any(names) else None


def _located(
    values: Floats,
    systems: list[str] | None,
    topics: list[str] | None,
    measure: str | None,
    place: Place,
    *,
    transposed: bool = False,
) -> LocatedScores:
    kept = [row for row in range(values.shape[0]) if topics is None or not is_summary(topics[row])]

    def where(topic: int, system: int) -> str:
        return place.row(system if transposed else kept[topic] if kept else 0)

    if not kept:
        return LocatedScores(SystemScores(values[0], systems, measure=measure), place.path, where)
    names = None if topics is None else [topics[row] for row in kept]
    return LocatedScores(ScoreMatrix(values[kept], systems, names, measure=measure), place.path, where)
