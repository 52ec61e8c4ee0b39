"""Data frames (pandas, polars and whatever else narwhals knows) as tables."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from rankscope.errors import DuplicateScore, EmptyFile, UnrecognisedFormat, some
from rankscope.files.table import Column, Place, Table


def is_frame(data: object) -> bool:
    """Whether this is a data frame or a series of some library."""
    from narwhals.dependencies import is_into_dataframe, is_into_series

    return is_into_dataframe(data) or is_into_series(data) or _is_lazy(data)


def frame_table(data: Any, path: str = "<DataFrame>") -> Table:
    """The table in a data frame; an index that is named, or is not 0, 1, 2 …, is its first column or columns."""
    import narwhals as nw

    native = _with_index(_collected(data), path)
    try:
        frame = nw.from_native(native, eager_only=True)
    except (TypeError, ValueError, nw.exceptions.NarwhalsError) as error:
        raise UnrecognisedFormat(path, f"not a data frame that can be read ({error}); pass a plain one") from error
    columns = tuple(_column(name, frame.get_column(name)) for name in frame.columns)
    if not columns or not len(columns[0]):
        raise EmptyFile(path, "the table holds no rows")
    return Table(Place(path), columns)


def _is_lazy(data: object) -> bool:
    return type(data).__name__ == "LazyFrame" and hasattr(data, "collect")


def _collected(data: Any) -> Any:
    """A lazy frame collected, and a series as a frame of one column."""
    if _is_lazy(data):
        return data.collect()
    if hasattr(data, "to_frame") and not hasattr(data, "columns"):
        return data.to_frame() if data.name else data.to_frame("score")
    return data


def _with_index(frame: Any, path: str) -> Any:
    """A pandas frame whose headers are text and whose index, where it says something, is a column."""
    if not hasattr(frame, "reset_index"):
        return frame
    if frame.columns.nlevels > 1:
        raise UnrecognisedFormat(path, "the columns have several levels; flatten them to one name each")
    frame = frame.set_axis([str(header) for header in frame.columns], axis=1)
    names = ["" if name is None else str(name) for name in frame.index.names]
    if names == [""] and list(frame.index) == list(range(len(frame))):
        names = []
    twice = sorted(header for header, count in Counter([*names, *frame.columns]).items() if count > 1)
    if twice:
        raise DuplicateScore(path, f"the index and columns {some(twice)} share a name; rename one of each")
    return frame.reset_index(names=names) if names else frame


def _column(header: str, series: Any) -> Column:
    if series.dtype.is_numeric():
        numbers: Sequence[Any] = series.to_list()
        typed = [None if _absent(number) else _plain(number) for number in numbers]
        return Column(header, typed=typed)
    return Column(header, ["" if _absent(value) else str(value) for value in series.to_list()])


def _absent(value: Any) -> bool:
    """Whether this is None, NaN, or pandas' NA or NaT; NA cannot be compared."""
    return (
        value is None
        or type(value).__name__ in ("NAType", "NaTType")
        or (isinstance(value, float) and math.isnan(value))
    )


def _plain(number: Any) -> float:
    """Python's own number, whole where it was whole; a decimal becomes a float."""
    return number if isinstance(number, int | float) else float(number)
