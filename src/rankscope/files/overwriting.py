"""A command never overwrites its input. Files are identified by device and inode, not by path."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from rankscope.errors import UnwritableOutput

PathLike = str | os.PathLike[str]
_Identity = tuple[int, int]


class _Used:
    """The input and output files of a command, by identity, each with the path it was named by."""

    def __init__(self) -> None:
        self.read: dict[_Identity, str] = {}
        self.written: dict[_Identity, str] = {}


_USED: ContextVar[_Used | None] = ContextVar("used", default=None)


@contextmanager
def inputs_kept(outputs: Iterable[PathLike] = ()) -> Iterator[None]:
    """Within this context, reading one of `outputs` or writing a file that was read is an error.

    The outputs that are known in advance are given here, so that a mistake costs no computing.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "scores.csv")
    ...     path.touch()
    ...     with inputs_kept():
    ...         note_input(path)
    ...         try:
    ...             check_output(path)
    ...         except UnwritableOutput as error:
    ...             error.problem
    'this is an input, which the output would overwrite; choose another file for the output'
    """
    used = _Used()
    for path in outputs:
        identity = _identity(path)
        if identity is not None:
            used.written[identity] = os.fspath(path)
    token = _USED.set(used)
    try:
        yield
    finally:
        _USED.reset(token)


def note_input(path: PathLike) -> None:
    """Remember that this file is read; an error if it is to be written."""
    used = _USED.get()
    identity = None if used is None else _identity(path)
    if used is None or identity is None:
        return
    used.read[identity] = os.fspath(path)
    if identity in used.written:
        raise _overwritten(used.written[identity], os.fspath(path))


def check_output(path: PathLike) -> None:
    """Raise `UnwritableOutput` if this file was read."""
    used = _USED.get()
    identity = None if used is None else _identity(path)
    if used is not None and identity in used.read:
        raise _overwritten(os.fspath(path), used.read[identity])


def _overwritten(output: str, source: str) -> UnwritableOutput:
    name = "an input" if output == source else f"the input {source}"
    return UnwritableOutput(
        output, f"this is {name}, which the output would overwrite; choose another file for the output"
    )


def _identity(path: PathLike) -> _Identity | None:
    """Device and inode of a regular file; None for a device, a pipe, a folder, or nothing."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
