"""A folder of files that belong together, written whole, without replacing what somebody else wrote."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path

from rankscope.errors import UnwritableOutput
from rankscope.files.atomic import write_bytes
from rankscope.files.sources import is_there

# The file that says which files we wrote, each with its hash.
LIST = "bundle.json"


def write_folder(folder: str | os.PathLike[str], contents: Mapping[str, bytes]) -> None:
    """Write files, by their paths below a folder, and a list of them with their hashes.

    A new folder appears whole or not at all. In one that exists, files are replaced if they are as we wrote them;
    any other is an error, before anything is written. Files of an earlier list that are not among the new ones are
    removed unless they were changed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as parent:
    ...     write_folder(f"{parent}/made", {"a/b.txt": b"1"})
    ...     Path(parent, "made", "a", "b.txt").read_text()
    '1'
    """
    folder = Path(folder)
    earlier = _listed(folder)
    hashes = {name: _hash(data) for name, data in contents.items()}
    for name, data in contents.items():
        path = folder / name
        if is_there(path) and (not path.is_file() or _hash(path.read_bytes()) not in (earlier.get(name), _hash(data))):
            raise UnwritableOutput(
                path, "this file was there before, or was changed since; move it, or choose another folder"
            )
    listed = json.dumps({"rankscope": "files of a bundle, with BLAKE2b hashes", "files": hashes}, indent=2) + "\n"
    every = {**contents, LIST: listed.encode()}
    try:
        if is_there(folder):
            _replace(folder, every, earlier)
        else:
            _make(folder, every)
    except OSError as error:
        problem = f"cannot be written ({error.strerror or error}); choose another place for the output"
        raise UnwritableOutput(folder, problem) from error


def _make(folder: Path, contents: Mapping[str, bytes]) -> None:
    """A new folder, under another name until it is whole."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = folder.with_name(f".rankscope-{secrets.token_hex(6)}.partial")
    try:
        for name, data in contents.items():
            path = temporary / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        temporary.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _replace(folder: Path, contents: Mapping[str, bytes], earlier: Mapping[str, str]) -> None:
    """Files in a folder that exists; the list comes last, so that the same command mends what was cut short."""
    for name, data in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, data)
    for name, known in earlier.items():
        path = folder / name
        if name not in contents and path.is_file() and _hash(path.read_bytes()) == known:
            path.unlink()


def _listed(folder: Path) -> dict[str, str]:
    """The files that we wrote here before, with their hashes; paths that lead elsewhere do not count."""
    try:
        files = json.loads((folder / LIST).read_text(encoding="utf-8"))["files"]
        return {
            name: known
            for name, known in files.items()
            if isinstance(known, str) and (folder / name).resolve().is_relative_to(folder.resolve())
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
