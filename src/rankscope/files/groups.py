"""Groups of systems (teams, families) and lists of names, from small files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from rankscope.errors import DuplicateScore, EmptyFile, UnrecognisedFormat, some
from rankscope.files.columns import find, label_column
from rankscope.files.delimited import read_delimited
from rankscope.files.sources import is_there
from rankscope.files.table import Column, Table, normalise
from rankscope.files.text import decode, read_bytes

# Headers of the columns that are meant where a table has several.
_GROUP = ("group",)
_NAME = ("name", "display_name", "label", "title")


def read_groups(path: str | os.PathLike[str], column: str | None = None) -> dict[str, str]:
    r"""Read the group of each system from a table with a column of systems and one of groups.

    Systems are in the column whose header is a word for them (system, run, model, …), otherwise in the first; a table
    of two columns without such a header has no header row. Systems whose group is empty are left out.

    Parameters
    ----------
    path : path
        The table. A path may name the column of groups, too, as `leaderboard.csv:team`.
    column : str, optional
        The header of the column of groups; not needed where there are two columns, or it is `group`.

    Returns
    -------
    dict of str to str
        The group by system.

    Raises
    ------
    DuplicateScore
        If a system is in two groups.
    UnrecognisedFormat
        If there is no such column, or several might hold the groups.
    EmptyFile
        If no system has a group.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "teams.csv")
    ...     _ = path.write_text("run,score,team\nbm25,0.2,Ours\ndense,0.3,Theirs\n")
    ...     read_groups(f"{path}:team")
    {'bm25': 'Ours', 'dense': 'Theirs'}
    """
    return _column_by_system(path, column, _GROUP, "group")


def read_display_names(path: str | os.PathLike[str]) -> dict[str, str]:
    r"""The name to show for each system, from a table with a column of systems and one of names.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "systems.csv")
    ...     _ = path.write_text("system,name,group\nr1,BM25,lexical\nr2,Dense,neural\n")
    ...     read_display_names(path), read_groups(path)
    ({'r1': 'BM25', 'r2': 'Dense'}, {'r1': 'lexical', 'r2': 'neural'})
    """
    return _column_by_system(path, None, _NAME, "name")


def _column_by_system(
    path: str | os.PathLike[str], column: str | None, words: Sequence[str], what: str
) -> dict[str, str]:
    """The values of one column by system: the one named, else one under such a word, else the only other column."""
    file, named = _split(path)
    column = named if column is None else column
    table = read_delimited(decode(read_bytes(file), file), str(file))
    named_systems = find(table, "system") or label_column(table)
    systems = named_systems or table.columns[0]
    groups = _value_column(table, systems, column, words, what)
    above = []
    if named_systems is None and table.headed and len(table.columns) == 2 and column is None:
        above = [(systems.header, groups.header)]  # the first row, taken for a header
    group_of: dict[str, str] = {}
    for row, (system, group) in enumerate([*above, *zip(systems.cells, groups.cells, strict=True)], -len(above)):
        name, label = system.strip(), group.strip()
        if not name or not label:
            continue
        if group_of.setdefault(name, label) != label:
            problem = f"{name!r} has the {what}s {group_of[name]!r} and {label!r}; give it one"
            raise table.place.error(DuplicateScore, problem, row)
    if not group_of:
        raise EmptyFile(file, f"no system has a {what}")
    return group_of


def read_names(path: str | os.PathLike[str]) -> list[str]:
    r"""The names in a file, one per line; blank lines and lines that begin with # are skipped.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "pooled.txt")
    ...     _ = path.write_text("# the pooled runs\nbm25\n\ndense\n")
    ...     read_names(path)
    ['bm25', 'dense']
    """
    file = Path(path)
    lines = [line.strip() for line in decode(read_bytes(file), file).splitlines()]
    names = list(dict.fromkeys(line for line in lines if line and not line.startswith("#")))
    if not names:
        raise EmptyFile(file, "there is no name in this file; write one on each line")
    return names


def _split(path: str | os.PathLike[str]) -> tuple[Path, str | None]:
    """A path, and the column after its last colon unless that is part of a file's name."""
    file = Path(path)
    before, colon, column = os.fspath(path).rpartition(":")
    return (Path(before), column) if colon and before and column and not is_there(file) else (file, None)


def _value_column(table: Table, systems: Column, column: str | None, words: Sequence[str], what: str) -> Column:
    others = [other for other in table.columns if other is not systems]
    headers = some([other.header for other in others], most=12)
    if column is not None:
        exact = [other for other in others if other.header == column]
        alike = [other for other in others if other.word == normalise(column)]
        if not exact and not alike:
            raise UnrecognisedFormat(table.place.path, f"no column {column!r} for {what}s; there are {headers}")
        return (exact or alike)[0]
    by_word = [other for word in words for other in others if other.word == word]
    if by_word and len(others) > 1:
        return by_word[0]
    if len(others) != 1:
        there = f"there are {headers}; say which, as {table.place.path}:COLUMN" if others else "there is one column"
        raise UnrecognisedFormat(table.place.path, f"{what}s need a column of systems and one of {what}s, and {there}")
    return others[0]
