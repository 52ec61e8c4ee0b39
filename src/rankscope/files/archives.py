"""npz archives that may be damaged or hostile: arrays that can be trusted, or one error."""

from __future__ import annotations

import math
import os
import re
import struct
import sys
import tokenize
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.files.compression import expands_suspiciously

# What numpy and zipfile raise over a file that is not what it should be: cut, changed, encrypted, compressed in another
# way, a header that does not parse, nested without end, or that asks for more memory than there is.
BROKEN = (
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    EOFError,
    IndexError,
    OverflowError,
    MemoryError,
    RecursionError,
    RuntimeError,
    SyntaxError,
    struct.error,
    zlib.error,
    zipfile.BadZipFile,
    tokenize.TokenError,
)

# The header as numpy writes it for numbers and texts. Its reader accepts more: old names of types, with a warning,
# types of several fields, and other Python literals.
_HEADER = re.compile(
    rb"\{'descr': '(?P<kind>[<>|](?:f[248]|[iu][1248]|U[0-9]{1,9}))', 'fortran_order': (?:False|True), "
    rb"'shape': \((?P<shape>[0-9, ]*)\), \} *\n"
)


class BrokenArchive(Exception):
    """The file is not an npz archive with these arrays."""


def read_archive(path: str | os.PathLike[str], names: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    """The arrays of these names; nothing in the file is ever executed. Raises OSError where it cannot be opened."""
    with Path(path).open("rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                size = os.fstat(file.fileno()).st_size
                return {name: _array(archive, name, size) for name in names}
        except OSError as error:
            # A seek to where a damaged directory points; not the disk's fault.
            raise BrokenArchive(str(error)) from error
        except BROKEN as error:
            raise BrokenArchive(str(error)) from error


def write_archive(path: str | os.PathLike[str], arrays: Mapping[str, npt.ArrayLike], compressed: bool = False) -> None:
    """Write arrays as numpy's `savez`, which before numpy 2 left an archive open where the disk was full."""
    method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with Path(path).open("wb") as file, zipfile.ZipFile(file, "w", method) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as data:
                np.lib.format.write_array(data, np.asarray(array), allow_pickle=False)


def _array(archive: zipfile.ZipFile, name: str, size: int) -> npt.NDArray[Any]:
    member = archive.getinfo(f"{name}.npy")
    if expands_suspiciously(member.file_size, size):
        raise BrokenArchive(f"{name} would take more memory than a file of this size may ask for")
    with archive.open(member) as data:
        if np.lib.format.read_magic(data) != (1, 0):
            raise BrokenArchive(f"{name} is not as numpy writes numbers and texts")
        header = _HEADER.fullmatch(data.read(int.from_bytes(data.read(2), "little")))
    if header is None:
        raise BrokenArchive(f"{name} is not as numpy writes numbers and texts")
    count = math.prod(int(length) for length in header["shape"].replace(b",", b" ").split())
    # numpy would reserve what the header asks for before it sees that the data are fewer.
    if count * np.dtype(header["kind"].decode()).itemsize > member.file_size:
        raise BrokenArchive(f"{name} does not hold what its header says")
    with archive.open(member) as data:
        return np.asarray(np.lib.format.read_array(data, allow_pickle=False))


def numbers(array: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """An array of numbers as floats; numpy would also read texts as numbers."""
    if array.dtype.kind not in "fiu":
        raise BrokenArchive("not numbers")
    return np.asarray(array, dtype=np.float64)


def text(array: npt.NDArray[Any]) -> str:
    """The one text that an array holds; the bytes of a damaged one may not be characters."""
    if array.dtype.kind != "U" or array.ndim or not array.dtype.isnative:
        raise BrokenArchive("not a text")
    if np.frombuffer(array.tobytes(), np.uint32).max(initial=0) > sys.maxunicode:
        raise BrokenArchive("not characters")
    return str(array)
