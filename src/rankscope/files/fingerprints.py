"""Sizes and hashes of the files that were read, by which a reader of a result can check their own.

Hashes are taken of the very bytes that were parsed, on their way from the file: a file that is replaced afterwards
leaves no wrong hash behind. `text.raw_bytes` notes what it reads, and `recording` collects the notes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

_BYTES = 16


class Recorded:
    """The files that were read during a recording, in the order of reading, each with its size and hash."""

    def __init__(self) -> None:
        self._read: dict[Path, tuple[int, str] | None] = {}

    def expect(self, paths: Iterable[Path]) -> None:
        """Record the order of files that are about to be read, since threads may finish in another."""
        for path in paths:
            self._read.setdefault(path, None)

    def note(self, path: Path, size: int, digest: str) -> None:
        """Record a file that was read; of one that is read again, the last reading counts."""
        self._read[path] = (size, digest)

    def digests(self, paths: Sequence[Path]) -> list[str]:
        """The hashes of these files as they were read."""
        return [known[1] for path in paths if (known := self._read.get(path)) is not None]

    def fingerprint(self, role: str, source: object) -> dict[str, Any]:
        """The role that files play, their path as given (`paths`, where several were), number, size and hash.

        The hash of one file is what `b2sum -l 128` gives. That of several is the same of the lines that it writes for
        them in the order of reading, with bare file names.
        """
        given = list(map(str, source)) if isinstance(source, list | tuple) else [str(source)]
        read = {path: known for path, known in self._read.items() if known is not None}
        digests = [digest for _, digest in read.values()]
        lines = "".join(f"{digest}  {path.name}\n" for path, (_, digest) in read.items())
        together = _hash(lines.encode(errors="surrogateescape"))
        return {
            "role": role,
            "path": ", ".join(given),
            **({"paths": given} if len(given) > 1 else {}),
            "files": len(read),
            "bytes": sum(size for size, _ in read.values()),
            "blake2b": digests[0] if len(digests) == 1 else together,
        }


def as_given(fingerprint: Mapping[str, Any]) -> str:
    """The path of an input with the grades of its labels, as the command line takes it.

    >>> as_given({"path": "human.qrels", "map": {"yes": 1.0, "no": 0.0}})
    'human.qrels:map=yes>1,no>0'
    """
    grades = fingerprint.get("map", {})
    written = ",".join(f"{label}>{grade:g}" for label, grade in grades.items())
    return f"{fingerprint['path']}:map={written}" if written else str(fingerprint["path"])


_LISTENING: ContextVar[tuple[Recorded, ...]] = ContextVar("listening", default=())


@contextmanager
def recording() -> Iterator[Recorded]:
    r"""Collect what is read in this block, also by threads that run in a copy of its context.

    >>> import tempfile
    >>> from rankscope.files import read_scores
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "scores.csv")
    ...     _ = path.write_text("system,score\na,1\nb,2\n")
    ...     with recording() as read:
    ...         scores = read_scores(path)
    >>> read.fingerprint("truth", "scores.csv")["bytes"]
    21
    """
    recorded = Recorded()
    token = _LISTENING.set((*_LISTENING.get(), recorded))
    try:
        yield recorded
    finally:
        _LISTENING.reset(token)


def expect(paths: Iterable[Path]) -> None:
    """Note in which order files will be read."""
    for recorded in _LISTENING.get():
        recorded.expect(paths)


def note(path: Path, data: bytes) -> None:
    """Note the bytes that were read of a file."""
    if listening := _LISTENING.get():
        digest = _hash(data)
        for recorded in listening:
            recorded.note(path, len(data), digest)


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=_BYTES).hexdigest()
