"""The files that a path, a folder, a pattern or a list of these stands for, and the system that a file's name tells."""

from __future__ import annotations

import errno
import glob
import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TypeGuard

from rankscope.errors import EmptyFile, UnreadableFile
from rankscope.files.compression import ENDINGS as COMPRESSED
from rankscope.files.fingerprints import expect

PathLike = str | os.PathLike[str]
# The files below a folder that it stands for, or None where it stands for those directly in it.
Below = Callable[[Path], tuple[Path, ...] | None]

# Only endings that cannot be part of a run's name: "bm25.k1=0.9" keeps its dots.
_ENDINGS = (
    ".txt",
    ".eval",
    ".trec",
    ".trec_eval",
    ".treceval",
    ".ir_measures",
    ".tsv",
    ".csv",
    ".jsonl",
    ".prototext",
    ".json",
    ".parquet",
    ".out",
    ".res",
    ".result",
    ".results",
    ".scores",
    ".run",
)


@dataclass(frozen=True)
class Sources:
    """The files to read, and one name for all."""

    paths: tuple[Path, ...]
    name: str


def is_paths(source: object) -> TypeGuard[PathLike | Sequence[PathLike]]:
    """Whether this is a path or a list of paths, and not data."""
    if isinstance(source, str | os.PathLike):
        return True
    return isinstance(source, list | tuple) and bool(source) and all(isinstance(p, str | os.PathLike) for p in source)


def find_files(source: PathLike | Sequence[PathLike], below: Below = lambda _: None) -> Sources:
    """The files that a path, a folder, a pattern or a list stands for, in the order of their names in a folder.

    A folder stands for the files directly in it that are not hidden, unless `below` says for which in it and its own
    folders. A text such as `runs/*.eval` is a pattern unless a file has that very name.
    """
    listed = [_expand(path, below) for path in ([source] if isinstance(source, str | os.PathLike) else source)]
    paths = tuple(path for files in listed for path in files.paths)
    expect(paths)
    name = listed[0].name if len(listed) == 1 else f"{listed[0].name} and {len(listed) - 1} more"
    return Sources(paths, name)


def system_name(path: PathLike) -> str:
    """A file's name without the endings that say what kind of file it is.

    >>> system_name("runs/bm25.k1=0.9.eval.gz")
    'bm25.k1=0.9'
    """
    # A file's name is UTF-8, as the names in tables are, also where the locale says otherwise.
    name = os.fsencode(PurePath(path).name).decode("utf-8", "surrogateescape")
    for endings in (COMPRESSED, _ENDINGS, _ENDINGS):
        ending = next((ending for ending in endings if name.lower().endswith(ending) and len(name) > len(ending)), "")
        name = name[: len(name) - len(ending)]
    return name


def is_there(path: PathLike) -> bool:
    """Whether there is a file or folder of this name; False for a name that cannot be one, such as one too long."""
    try:
        Path(path).stat()
    except (OSError, ValueError):
        return False
    return True


def expanded(path: PathLike) -> Path:
    """The path with `~` and `~user` as the home folder; an error if there is no such user."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise UnreadableFile(path, "there is no home folder of this name; check the path") from None


def _expand(source: PathLike, below: Below) -> Sources:
    text = os.fspath(source)
    path = expanded(text)
    if "\0" in text:
        raise UnreadableFile(text, "a path holds no NUL character; check it for stray characters")
    try:
        folder, present = _is_folder(path), os.path.lexists(path)
    except OSError as error:
        raise UnreadableFile(text, f"cannot be read ({error.strerror or error}); check the path") from error
    if folder:
        return Sources(below(path) or _in_folder(path), path.resolve().name)
    if present or not glob.has_magic(text):
        return Sources((path,), path.name)
    matches = map(Path, sorted(glob.glob(str(path))))  # noqa: PTH207  patterns may be absolute
    files = tuple(file for match in matches for file in ((below(match) or ()) if match.is_dir() else (match,)))
    if not files:
        raise UnreadableFile(text, "no file has this name or matches this pattern; check the path")
    return Sources(files, text)


def _is_folder(path: Path) -> bool:
    """Like Path.is_dir, which from Python 3.14 is False for a path that cannot be examined, and does not say why."""
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            return False
        raise


def _in_folder(folder: Path) -> tuple[Path, ...]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise UnreadableFile(folder, f"cannot be read ({error.strerror or error}); check its permissions") from error
    files = tuple(path for path in entries if path.is_file() and not path.name.startswith("."))
    if not files:
        raise EmptyFile(folder, "the folder holds no files; give one with score tables, one file per run")
    return files
