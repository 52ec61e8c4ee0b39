"""Topics × systems tables: one row per topic and one column per system, or the other way round."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.errors import DuplicateScore, MissingName
from rankscope.files.columns import is_summary
from rankscope.files.duplicates import Combining, combined
from rankscope.files.located import LocatedScores
from rankscope.files.recognise import Layout
from rankscope.files.table import Column, Place, Table, check_numbers
from rankscope.scores import Floats, ScoreMatrix, SystemScores


def from_wide(table: Table, layout: Layout, measure: str | None, on_duplicate: Combining = "error") -> LocatedScores:
    """The scores of a wide table; systems or topics without names are known by their order."""
    label = layout.topic if layout.format == "wide" else layout.system
    what = "topic" if layout.format == "wide" else "system"
    values = _values(layout.values, table.place)
    rows = None if label is None else _row_names(label, table.place, what, on_duplicate)
    columns = _column_names(table, layout)
    place = table.place
    if rows is not None and len(set(rows)) < len(rows):
        values, rows, place = _once(values, rows, place, on_duplicate)
    if layout.format == "wide":
        return _located(values, columns, rows, measure, place)
    return _located(values.T, rows, columns, measure, place, transposed=True)


def _once(values: Floats, rows: list[str], place: Place, on_duplicate: Combining) -> tuple[Floats, list[str], Place]:
    """One row of each name, and where the first of that name is."""
    first: dict[str, int] = {}
    codes: dict[str, int] = {}
    for row, name in enumerate(rows):
        first.setdefault(name, row)
        codes.setdefault(name, len(codes))
    width = values.shape[1]
    cells = np.array([codes[name] for name in rows], dtype=np.intp)[:, None] * width + np.arange(width)
    once = combined(values.ravel(), cells.ravel(), len(codes) * width, on_duplicate, place.path)
    return once.reshape(-1, width), list(codes), place.at(list(first.values()))


def _values(columns: Sequence[Column], place: Place) -> Floats:
    wrong = [column for column in columns if not column.numeric]
    if wrong:
        # The topmost of the wrong cells, so that a file is corrected from top to bottom.
        check_numbers(min(wrong, key=lambda column: int(np.argmax(column.wrong))), place)
    return np.column_stack([column.values for column in columns])


def _row_names(label: Column, place: Place, what: str, on_duplicate: Combining) -> list[str] | None:
    """The names of the rows; None where the label column is empty."""
    names = list(label.cells)
    if not any(names):
        return None
    first: dict[str, int] = {}
    for row, name in enumerate(names):
        if not name:
            raise place.error(MissingName, f"no {what} in the first field; name it, or leave the row out", row)
        if name in first and on_duplicate == "error":
            problem = (
                f"{what} {name!r} has a row already, on {place.row(first[name])}; keep one of them, or combine them: "
                "on_duplicate='mean' (--on-duplicate mean)"
            )
            raise place.error(DuplicateScore, problem, row)
        first.setdefault(name, row)
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
