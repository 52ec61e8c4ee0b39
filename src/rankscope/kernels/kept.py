"""Compiled kernels kept on disk for the next process.

numba's own cache raises an error at every call if its folder cannot be written, the disk is full or one of its files
is damaged, and it keeps a kernel whose callee in another file has changed. This one has a file for each kernel and
types of its arguments, named by a hash of everything that decides the machine code. The file begins with a checksum of
the rest; a damaged file counts as absent and is written again. All folders are read; the first that can be written gets
new kernels.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import secrets
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import compiler, serialize

from rankscope import __version__
from rankscope.errors import UnkeptKernels
from rankscope.folders import is_own, make_own, own_folders, temporary_folder
from rankscope.kernels.compiling import listeners

# numba's own conversion of a compiled function to something that can be pickled, and back; it has no type hints.
_compiler: Any = compiler
_serialize: Any = serialize

_DIGEST = 32
_HERE = Path(__file__).parent


class KernelCache:
    """The compiled forms of one kernel: numba asks for one before it compiles, and hands over what it compiled."""

    def __init__(self, kernel: Callable[..., Any]) -> None:
        self._name = f"{kernel.__module__.rpartition('.')[2]}.{kernel.__qualname__}"

    @property
    def cache_path(self) -> str:
        """The first folder."""
        return str(_shelf().folders[0])

    def flush(self) -> None:
        """Do nothing: a kernel that changes gets another file."""

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The kernel for these types, or None if no folder has an intact file of it and it has to be compiled."""
        context.refresh()
        data = _shelf().load(self._file(signature, context.codegen()))
        if data is not None:
            return _compiler.CompileResult._rebuild(context, *pickle.loads(data))
        for tell in listeners:
            tell()
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep a kernel, unless it holds addresses of this process."""
        if not result.library.has_dynamic_globals:
            _shelf().save(self._file(signature, result.codegen), _serialize.dumps(result._reduce()))

    def _file(self, signature: Any, codegen: Any) -> str:
        described = (_sources(), numba.__version__, sys.implementation.cache_tag, str(signature), codegen.magic_tuple())
        key = hashlib.blake2b(repr(described).encode(), digest_size=16).hexdigest()
        return f"{self._name}-{key}.nbc"


class _Shelf:
    """The folders that hold kernels: the one named by the user, the one beside the sources, and the user's own."""

    def __init__(self) -> None:
        named = os.environ.get("NUMBA_CACHE_DIR")
        self.named = Path(named) if named else None
        self.own = own_folders()
        # The first two belong to whoever installed or started the program, and are trusted as the program is.
        self.folders = [*([self.named] if self.named else []), _HERE / "__pycache__", *self.own]
        self.refused: dict[Path, str] = {}
        self.told = False

    def load(self, file: str) -> bytes | None:
        """The contents of a file, from the first folder that has it intact."""
        for folder in self.folders:
            if folder in self.own and not is_own(folder):
                continue  # somebody else may have put machine code there
            try:
                data = (folder / file).read_bytes()
            except OSError:
                continue
            if hashlib.blake2b(data[_DIGEST:], digest_size=_DIGEST).digest() == data[:_DIGEST]:
                return data[_DIGEST:]
        return None

    def save(self, file: str, data: bytes) -> None:
        """Write a file to the first folder that can be written; warn once if there is none, or only a temporary one."""
        whole = hashlib.blake2b(data, digest_size=_DIGEST).digest() + data
        kept = None
        for folder in [folder for folder in self.folders if folder not in self.refused]:
            try:
                if folder in self.own:
                    make_own(folder)
                else:
                    folder.mkdir(parents=True, exist_ok=True)
                _replace(folder / file, whole)
            except OSError as error:
                self.refused[folder] = error.strerror or str(error)
            else:
                kept = folder
                break
        if not self.told and (kept in (None, temporary_folder()) or self.named in self.refused):
            self.told = True
            refused = " or ".join(f"{folder} ({reason})" for folder, reason in self.refused.items())
            instead = "every start compiles it again" if kept is None else f"it is kept in {kept}"
            warnings.warn(
                f"compiled code cannot be kept in {refused}; {instead}; set NUMBA_CACHE_DIR to a folder that can be "
                "written",
                UnkeptKernels,
                stacklevel=2,
            )


@functools.cache
def _shelf() -> _Shelf:
    return _Shelf()


@functools.cache
def _sources() -> str:
    """A hash of the code of all kernels, since a kernel that calls another holds a copy of its machine code."""
    digest = hashlib.blake2b(__version__.encode())
    for path in sorted(_HERE.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _replace(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    temporary = path.with_name(f".rankscope-{secrets.token_hex(6)}.partial")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
