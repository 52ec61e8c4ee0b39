"""What was read of runs, kept in a file under a key of their content."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import UnwritableOutput, UnwrittenCache
from rankscope.files.atomic import replacing
from rankscope.files.sources import expanded
from rankscope.files.text import raw_bytes
from rankscope.runs import Ids, RunSet

FOLDER = ".rankscope"
ENDING = ".runs"

# To be raised whenever the same files would be read to something else, or be written in another form.
VERSION = 1

_MAGIC = b"rankscope runs\n"
_DIGEST = 32
_ARRAYS = {
    "documents": np.int32,
    "starts": np.int64,
    "pool_starts": np.int64,
    "text": np.uint8,
    "text_starts": np.int64,
}


@dataclass(frozen=True)
class RunCache:
    """A file that holds, or will hold, what was read.

    Its name is a hash of the content of all files, the names of systems, the options and the version of this reader, so
    that it can hold nothing else. It is read whole, and believed only if its own checksum is right; it is written whole
    or not at all, so that two processes may write it at once.
    """

    path: Path

    @staticmethod
    def at(
        place: str | os.PathLike[str] | bool,
        files: Sequence[Path],
        names: Sequence[str] | None,
        options: Sequence[str],
        workers: int,
    ) -> RunCache:
        """The cache of these files in this folder, or beside the first of them."""
        folder = files[0].parent / FOLDER if isinstance(place, bool) else expanded(place)
        with ThreadPoolExecutor(workers) as pool:
            digests = list(pool.map(lambda path: hashlib.blake2b(raw_bytes(path), digest_size=32).hexdigest(), files))
        key = json.dumps([VERSION, list(options), digests, None if names is None else list(names)])
        return RunCache(folder / (hashlib.blake2b(key.encode(), digest_size=16).hexdigest() + ENDING))

    def load(self, name: str | None) -> RunSet | None:
        """What the cache holds, or None if there is none or it is broken."""
        try:
            data = self.path.read_bytes()
        except OSError:
            return None
        try:
            return _unpacked(data, name)
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
            return None  # cut short or changed: it is made again

    def save(self, runs: RunSet) -> None:
        """Keep what was read; a warning if that cannot be."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(self.path) as temporary, temporary.open("wb") as file:
                for part in _packed(runs):
                    file.write(part)
        except (OSError, UnwritableOutput) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            warnings.warn(
                f"{self.path.parent}: the cache cannot be written ({reason}); choose another folder (cache, --cache)",
                UnwrittenCache,
                stacklevel=4,
            )


def _packed(runs: RunSet) -> list[bytes | memoryview]:
    """A magic word, a checksum of all that follows, the length of the header, the header, and the arrays."""
    arrays: dict[str, npt.NDArray[Any]] = {
        "documents": runs.documents,
        "starts": runs.starts,
        "pool_starts": runs.pool_starts,
        "text": runs.ids.text,
        "text_starts": runs.ids.starts,
    }
    header = json.dumps(
        {"systems": runs.systems, "topics": runs.topics, "sizes": {key: len(a) for key, a in arrays.items()}}
    ).encode()
    # Little-endian everywhere, should a folder be shared between machines; nothing is copied where it is so already.
    numbers = [a.astype(np.dtype(_ARRAYS[key]).newbyteorder("<"), copy=False).data for key, a in arrays.items()]
    parts: list[bytes | memoryview] = [len(header).to_bytes(8, "little"), header, *numbers]
    digest = hashlib.blake2b(digest_size=_DIGEST)
    for part in parts:
        digest.update(part)
    return [_MAGIC, digest.digest(), *parts]


def _unpacked(data: bytes, name: str | None) -> RunSet:
    view = memoryview(data)
    begin = len(_MAGIC) + _DIGEST
    body = view[begin:]
    if (
        view[: len(_MAGIC)] != _MAGIC
        or hashlib.blake2b(body, digest_size=_DIGEST).digest() != view[len(_MAGIC) : begin]
    ):
        raise ValueError("not a whole cache")
    length = int.from_bytes(body[:8], "little")
    header = json.loads(bytes(body[8 : 8 + length]))
    position = 8 + length
    found = {}
    for key, kind in _ARRAYS.items():
        dtype, count = np.dtype(kind).newbyteorder("<"), header["sizes"][key]
        found[key] = np.frombuffer(body, dtype=dtype, count=count, offset=position)
        position += count * dtype.itemsize
    return RunSet(
        systems=tuple(header["systems"]),
        topics=tuple(header["topics"]),
        documents=found["documents"],
        starts=found["starts"],
        pool_starts=found["pool_starts"],
        ids=Ids(found["text"], found["text_starts"]),
        name=name,
    )
