"""Null distributions as files: an npz archive of the distances and of what they were made from, as JSON."""

from __future__ import annotations

import json
import os
from typing import Any

from rankscope.errors import UnreadableFile, UnrecognisedFormat
from rankscope.files.archives import BrokenArchive, numbers, read_archive, text, write_archive
from rankscope.files.atomic import replacing
from rankscope.scores import Floats

KIND = "rankscope null distribution"


def write_null(path: str | os.PathLike[str], distances: Floats, metadata: dict[str, Any]) -> None:
    """Write distances and their metadata, whole or not at all."""
    described = json.dumps({"kind": KIND, **metadata}, ensure_ascii=False, sort_keys=True)
    with replacing(path) as temporary:
        write_archive(temporary, {"distances": distances, "metadata": described}, compressed=True)


def read_null(path: str | os.PathLike[str]) -> tuple[Floats, dict[str, Any]]:
    """The distances and the metadata of a file that `write_null` wrote; nothing in it is ever executed."""
    try:
        arrays = read_archive(path, ("distances", "metadata"))
        distances = numbers(arrays["distances"])
        metadata = json.loads(text(arrays["metadata"]))
    except OSError as error:
        raise UnreadableFile(path, f"cannot be read ({error.strerror or error}); check the path") from error
    except (BrokenArchive, ValueError, RecursionError) as error:
        raise UnrecognisedFormat(path, "this is not a null distribution saved by rankscope (.npz)") from error
    if not isinstance(metadata, dict) or metadata.get("kind") != KIND or distances.ndim != 1:
        raise UnrecognisedFormat(path, "this is not a null distribution saved by rankscope (.npz)")
    return distances, metadata
