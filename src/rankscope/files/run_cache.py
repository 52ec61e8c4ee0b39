"""A cache of runs that were read, in files named by a hash of their content."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import UnwritableOutput, UnwrittenCache
from rankscope.files.atomic import replacing
from rankscope.files.secret import user_secret
from rankscope.files.sources import expanded
from rankscope.runs import Ids, RunSet

FOLDER = ".rankscope"
ENDING = ".runs"

# To be raised whenever the reader gives something else for the same files, or the form of the cache changes.
VERSION = 2

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
    """A folder of files, each of which holds runs as they were read.

    A file's name is a hash of the content of all runs, the names of systems, the options and the version of this
    reader, so that it can hold nothing else. It begins with a checksum of the rest. Both are keyed by a secret of the
    user: what somebody else put there, for instance beside runs to be downloaded, has another name or a wrong checksum.
    A file is read whole, and written whole or not at all, so that two processes may write it at once.
    """

    folder: Path
    secret: bytes
    described: tuple[Any, ...]

    @staticmethod
    def at(
        place: str | os.PathLike[str] | bool,
        files: Sequence[Path],
        names: Sequence[str] | None,
        options: Sequence[str],
    ) -> RunCache | None:
        """The cache of these files in this folder, or beside the first of them; None without a secret."""
        folder = files[0].parent / FOLDER if isinstance(place, bool) else expanded(place)
        secret = user_secret()
        if secret is None:
            _warn(folder, "there is no folder of your own for a key", "set XDG_CACHE_HOME to one that can be written")
            return None
        return RunCache(folder, secret, (VERSION, list(options), None if names is None else list(names)))

    def load(self, digests: Sequence[str], name: str | None) -> RunSet | None:
        """The runs with this content, or None where they are not cached or the file is broken."""
        try:
            data = self._path(digests).read_bytes()
        except OSError:
            return None
        try:
            return _unpacked(data, self.secret, name)
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
            return None  # cut short or changed: it is made again

    def save(self, digests: Sequence[str], runs: RunSet) -> None:
        """Cache runs with this content; a warning where that is not possible."""
        path = self._path(digests)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as temporary, temporary.open("wb") as file:
                for block in _packed(runs, self.secret):
                    file.write(block)
        except (OSError, UnwritableOutput) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            _warn(self.folder, str(reason), "choose another folder (cache, --cache)")

    def _path(self, digests: Sequence[str]) -> Path:
        key = json.dumps([*self.described, list(digests)]).encode()
        return self.folder / (hashlib.blake2b(key, digest_size=16, key=self.secret).hexdigest() + ENDING)


def _warn(folder: Path, reason: str, way_out: str) -> None:
    warnings.warn(f"{folder}: the cache cannot be written ({reason}); {way_out}", UnwrittenCache, stacklevel=5)


def _packed(runs: RunSet, secret: bytes) -> list[bytes | memoryview]:
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
    blocks: list[bytes | memoryview] = [len(header).to_bytes(8, "little"), header, *numbers]
    digest = hashlib.blake2b(digest_size=_DIGEST, key=secret)
    for block in blocks:
        digest.update(block)
    return [_MAGIC, digest.digest(), *blocks]


def _unpacked(data: bytes, secret: bytes, name: str | None) -> RunSet:
    view = memoryview(data)
    begin = len(_MAGIC) + _DIGEST
    body = view[begin:]
    digest = hashlib.blake2b(body, digest_size=_DIGEST, key=secret).digest()
    if view[: len(_MAGIC)] != _MAGIC or not hmac.compare_digest(digest, view[len(_MAGIC) : begin]):
        raise ValueError("not a whole cache")
    length = int.from_bytes(body[:8], "little")
    header = json.loads(bytes(body[8 : 8 + length]))
    position = 8 + length
    arrays = {}
    for key, kind in _ARRAYS.items():
        dtype, count = np.dtype(kind).newbyteorder("<"), header["sizes"][key]
        arrays[key] = np.frombuffer(body, dtype=dtype, count=count, offset=position)
        position += count * dtype.itemsize
    return RunSet(
        systems=tuple(header["systems"]),
        topics=tuple(header["topics"]),
        documents=arrays["documents"],
        starts=arrays["starts"],
        pool_starts=arrays["pool_starts"],
        ids=Ids(arrays["text"], arrays["text_starts"]),
        name=name,
    )
