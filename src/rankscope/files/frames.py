"""Data frames (pandas, polars and whatever else narwhals knows) and Parquet as tables."""

from __future__ import annotations

import io
import json
import math
import os
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

from rankscope.errors import BadFile, DuplicateScore, EmptyFile, UnreadableFile, UnrecognisedFormat, some
from rankscope.files.inflate import too_much
from rankscope.files.table import Column, Place, Table

# The key under which `write_scores` keeps in a Parquet file what its columns cannot say.
METADATA_KEY = "rankscope"
# How pandas calls an index without a name in a Parquet file, where it comes last.
_PANDAS_INDEX = "__index_level_0__"
# Bytes of a number.
_CELL = 8


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


def parquet_table(data: bytes, path: str) -> tuple[Table, dict[str, Any]]:
    """The table in a Parquet file, and what `write_scores` noted about it (nothing for files of other origin)."""
    import polars as pl

    check_polars_threads(path, UnreadableFile)
    try:
        rows = pl.scan_parquet(io.BytesIO(data)).select(pl.len()).collect().item()
        cells = rows * len(pl.read_parquet_schema(io.BytesIO(data)))
        # One number many times takes few bytes there, and much memory here.
        much = too_much(cells * _CELL, len(data))
        frame = pl.DataFrame() if much else pl.read_parquet(io.BytesIO(data))
        metadata = pl.read_parquet_metadata(io.BytesIO(data))
        noted, pandas = (json.loads(metadata.get(key, "{}")) for key in (METADATA_KEY, "pandas"))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, RecursionError) as error:
        raise UnreadableFile(path, f"a broken Parquet file ({_first_line(error)}); write or fetch it again") from error
    if much:
        problem = f"{len(data):,} bytes that hold {cells:,} cells, as no table of scores does"
        raise UnreadableFile(path, f"{problem}; if it is right, write it as CSV")
    table = frame_table(frame, path)
    if isinstance(noted, dict) and noted:
        return table, noted
    return _with_pandas_index(table, pandas if isinstance(pandas, dict) else {}), {}


def check_polars_threads(path: str, kind: type[BadFile]) -> None:
    """Refuse Parquet in a process that was forked after Parquet was used: the threads of polars stayed in the other."""
    if _parquet_process() != os.getpid():
        raise kind(
            path,
            "this process was forked from one that had used Parquet, and would wait forever for the threads of polars; "
            "start workers with 'spawn' or 'forkserver' (multiprocessing.get_context), or use CSV",
        )


@cache
def _parquet_process() -> int:
    """The process that first used Parquet; one forked from it remembers the same."""
    return os.getpid()


def _with_pandas_index(table: Table, pandas: dict[str, Any]) -> Table:
    """The table with the index that pandas keeps without a name, or, where it counts from other than 0, as a note."""
    first = [Column("", column.cells) for column in table.columns if column.header == _PANDAS_INDEX]
    indices = pandas.get("index_columns")
    for index in indices if isinstance(indices, list) else ():
        if isinstance(index, dict) and index.get("kind") == "range" and (index.get("start") or index.get("name")):
            first.append(Column(str(index.get("name") or ""), _counted(index, table)))
    others = [column for column in table.columns if column.header != _PANDAS_INDEX]
    return Table(table.place, (*first, *others))


def _counted(index: dict[str, Any], table: Table) -> list[str]:
    """The numbers that pandas notes instead of writing them, one for each row."""
    ends: list[Any] = [index.get(key) for key in ("start", "stop", "step")]
    if all(type(end) is int for end in ends) and ends[2]:
        numbers = range(*ends)
        # The length of a hostile range may be too great to be asked for.
        if numbers[table.rows - 1 : table.rows] and not numbers[table.rows :]:
            return [str(number) for number in numbers]
    raise UnreadableFile(table.place.path, "pandas' note on the index does not suit the rows; write the file again")


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
    """Whether this is None, NaN, or pandas' NA or NaT, of which NA refuses to be compared."""
    return (
        value is None
        or type(value).__name__ in ("NAType", "NaTType")
        or (isinstance(value, float) and math.isnan(value))
    )


def _plain(number: Any) -> float:
    """Python's own number, whole where it was whole; a decimal becomes a float."""
    return number if isinstance(number, int | float) else float(number)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
