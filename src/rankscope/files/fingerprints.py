"""What was read, so that a reader of the answer can tell whether theirs is the same: sizes and hashes of files."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rankscope.errors import UnreadableFile
from rankscope.files.sources import PathLike, find_files

_BYTES = 16


def fingerprint(role: str, source: PathLike | Sequence[PathLike]) -> dict[str, Any]:
    """The role that files play, their path as given, number, size and hash.

    The hash of one file is what `b2sum -l 128` gives. That of several is the same of the lines that it writes for them
    in the order of reading, with bare file names. A pipe can be read once only and has neither size nor hash.
    """
    shown = ", ".join(map(str, source)) if isinstance(source, list | tuple) else str(source)
    paths = find_files(source).paths
    known: dict[str, Any] = {"role": role, "path": shown, "files": len(paths), "bytes": None, "blake2b": None}
    if not all(path.is_file() for path in paths):
        return known
    try:
        sizes, hashes = zip(*map(_read, paths), strict=True)
    except OSError as error:
        raise UnreadableFile(shown, f"cannot be read ({error.strerror or error}); check the path") from error
    together = hashes[0]
    if len(paths) > 1:
        lines = "".join(f"{one}  {path.name}\n" for one, path in zip(hashes, paths, strict=True))
        together = hashlib.blake2b(lines.encode(errors="surrogateescape"), digest_size=_BYTES).hexdigest()
    return known | {"bytes": sum(sizes), "blake2b": together}


def _read(path: Path) -> tuple[int, str]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=_BYTES))
        return file.tell(), digest.hexdigest()
