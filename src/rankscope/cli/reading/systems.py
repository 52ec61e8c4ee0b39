"""Systems and topics by name, pattern, file or column; the names to show of systems, and their groups."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import rankscope as rs
from rankscope.cli.command import Work

# What options gather on systems: which, and under which names.
SYSTEM_KEYS = ("only", "exclude", "names", "strip_prefix")


def read_groups(work: Work, path: str | None) -> Any:
    """The group of each system, or "names" where no file is called so."""
    if path is None or (path == "names" and not Path(path).exists()):
        return path
    return work.read("groups", path, rs.read_groups)


def shown_groups(groups: Any, shown: Mapping[str, str]) -> Any:
    """The groups by the names that are shown of systems."""
    if isinstance(groups, str):
        return groups
    return None if groups is None else {shown.get(system, system): group for system, group in groups.items()}


def matching_names(option: str, given: Sequence[str], systems: Sequence[str], what: str = "system") -> list[str]:
    """The systems, or topics, that names, patterns, files and columns stand for, in the order of the systems.

    >>> matching_names("--systems", ["a*", "c"], ["a1", "a2", "b", "c"])
    ['a1', 'a2', 'c']
    """
    from rankscope.errors import some

    chosen: set[str] = set()
    for word in given:
        if word in systems:
            chosen.add(word)
            continue
        matching = [system for system in systems if fnmatch.fnmatchcase(system, word)]
        names = None if matching else _names_in_file(word)
        if names is not None:
            matching = [system for system in systems if system in names]
        if not matching:
            raise rs.BadParameter(f"{option} {word}: no {what} has this name; there are {some(list(systems))}")
        chosen.update(matching)
    return [system for system in systems if system in chosen]


def selected_systems(systems: Sequence[str], only: Sequence[str] | None, exclude: Sequence[str] | None) -> list[str]:
    """The systems that `--systems` keeps and `--exclude` does not leave out.

    >>> selected_systems(["a1", "a2", "b"], ["a*"], ["a2"])
    ['a1']
    """
    kept = list(systems) if only is None else matching_names("--systems", only, systems)
    without = set() if exclude is None else set(matching_names("--exclude", exclude, systems))
    left = [system for system in kept if system not in without]
    if not left:
        raise rs.BadParameter("--systems and --exclude leave no system; keep more, or exclude fewer")
    return left


def display_names(reading: Mapping[str, Any], systems: Sequence[str], work: Work) -> dict[str, str]:
    """The name that reports show for each system: that of `--names`, otherwise its own without `--strip-prefix`."""
    from rankscope.files.groups import read_display_names
    from rankscope.names import without_prefix

    path, prefix = reading.get("names"), reading.get("strip_prefix")
    given = {} if path is None else work.read("names", path, read_display_names)
    names = {system: given.get(system, system) for system in systems}
    if prefix:
        own = [system for system in systems if system not in given]
        taken = [name for system, name in names.items() if system in given]
        names |= dict(zip(own, without_prefix(own, prefix, taken), strict=True))
    owners: dict[str, str] = {}
    for system, name in names.items():
        if owners.setdefault(name, system) != system:
            raise rs.BadParameter(f"--names {path}: {owners[name]!r} and {system!r} would both be {name!r}; change one")
    if path is not None and not any(system in given for system in systems):
        known, there = next(iter(given)), systems[0]
        raise rs.BadParameter(f"--names {path}: none of the systems is in it; it has {known!r}, not {there!r}")
    return names


def _names_in_file(word: str) -> set[str] | None:
    """The names that a file lists, or those with a value in a column of a table; None if the word names no file."""
    from rankscope.files.groups import read_names
    from rankscope.files.sources import is_there

    if is_there(word) and Path(word).is_file():
        return set(read_names(word))
    place, equals, value = word.rpartition("=")
    if equals and is_there(place.rpartition(":")[0]):
        return {name for name, label in rs.read_groups(place).items() if label == value.strip()}
    if os.sep in word:
        return set(read_names(word))  # the path of a file that does not exist: the reader says so
    return None
