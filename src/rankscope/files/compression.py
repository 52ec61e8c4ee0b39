"""gzip, bzip2 and zstd. They are read step by step, so that a small file cannot fill the memory."""

from __future__ import annotations

import bz2
import gzip
import importlib
import os
import re
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from rankscope.errors import UnreadableFile

# Runs and tables shrink to a fifth or a tenth. A file that expands to more than `MOST` bytes, and to more than `RATIO`
# times its size, was made to fill the memory, or is damaged.
MOST, RATIO = 1 << 28, 200

ENDINGS = (".gz", ".bz2", ".zst")

_GZIP, _BZ2, _ZSTD = b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd"
# Bytes at a time: at the greatest ratio of each, a step gives less than 100 MB.
_STEPS = {_GZIP: 1 << 16, _BZ2: 1 << 6, _ZSTD: 1 << 11}
_ZEROS = re.compile(rb"\0*")


def decompress(data: bytes, path: Path) -> bytes:
    """The data, decompressed if their first bytes say so; the file's name does not matter."""
    try:
        if data.startswith(_GZIP):
            return _inflated(data, _GZIP, lambda: zlib.decompressobj(zlib.MAX_WBITS | 16))
        if data.startswith(_BZ2) and data[4:10] in (b"1AY&SY", b"\x17rE8P\x90"):
            return _inflated(data, _BZ2, bz2.BZ2Decompressor)
        if data.startswith(_ZSTD):
            return _unzstd(data)
    except _SuspiciousExpansion as error:
        problem = (
            f"{len(data):,} bytes that grow to more than {error} MB when decompressed, far more than runs and tables do"
        )
        raise UnreadableFile(path, f"{problem}; if it is right, decompress it first and give the plain file") from None
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise UnreadableFile(path, f"its compression is broken ({error}); fetch or compress it again") from error
    return data


def compress(data: bytes, compression: str) -> bytes:
    """The data, compressed as this ending says: .gz, .bz2, .zst, or not at all."""
    if compression == ".gz":
        return gzip.compress(data, mtime=0)  # no time stamp: the same scores give the same file
    if compression == ".bz2":
        return bz2.compress(data)
    if compression == ".zst":
        return bytes(_zstd().compress(data))
    return data


def endings(path: str | os.PathLike[str]) -> tuple[str, str]:
    """The ending of a path before that of its compression, and the ending of its compression."""
    target = Path(path)
    compression = target.suffix.lower() if target.suffix.lower() in ENDINGS else ""
    return (target.with_suffix("").suffix if compression else target.suffix).lower(), compression


def expands_suspiciously(size: int, compressed: int) -> bool:
    """Whether a compressed file expands suspiciously (to more than 200 times its size, and 256 MB)."""
    return size > MOST and size > RATIO * compressed


class _SuspiciousExpansion(Exception):
    """The file expands to more than one of its size should hold."""


def _inflated(data: bytes, magic: bytes, begin: Callable[[], Any]) -> bytes:
    """All streams of a file, one after the other."""
    view, blocks, size, position = memoryview(data), [], 0, 0
    while position < len(data):
        stream = begin()
        while not stream.eof:
            piece = view[position : position + _STEPS[magic]]
            if not piece:
                raise EOFError("it ends early")
            block = stream.decompress(piece)
            position += len(piece) - len(stream.unused_data)
            blocks.append(block)
            size += len(block)
            if expands_suspiciously(size, len(data)):
                raise _SuspiciousExpansion(f"{size >> 20:,}")
        position = _next(data, position, magic)
    return b"".join(blocks)


def _next(data: bytes, position: int, magic: bytes) -> int:
    """Where the next stream begins: zeros may follow one of gzip, and anything one of bzip2."""
    if magic == _GZIP:
        return _ZEROS.match(data, position).end()  # type: ignore[union-attr]  # it matches nothing, too
    if magic == _BZ2 and not data.startswith(_BZ2, position):
        return len(data)
    return position


def _unzstd(data: bytes) -> bytes:
    zstd = _zstd()
    try:
        return _inflated(data, _ZSTD, zstd.ZstdDecompressor)
    except zstd.ZstdError as error:
        raise ValueError(str(error)) from error


def _zstd() -> ModuleType:
    """Python's own module, or its backport before Python 3.14."""
    return importlib.import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
