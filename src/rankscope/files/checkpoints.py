"""Checkpoints: a folder of finished blocks of a long study, which can go on from there after an interruption.

`study.json` says which study it is, and each block is an npz archive that says it too. Both are written whole or not at
all, and nothing read back is ever executed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.errors import MismatchedCheckpoint, UnreadableFile, UnrecognisedFormat, UnwritableOutput
from rankscope.files.archives import BrokenArchive, numbers, read_archive, text, write_archive
from rankscope.files.atomic import replacing, write_text
from rankscope.results import plain
from rankscope.scores import Floats

KIND = "rankscope checkpoint"
_HEAD = "study.json"
_ANOTHER = "give another folder, or the same settings"


@dataclass(frozen=True)
class Checkpoint:
    """A folder of blocks that belong to one study; `fingerprint` is of the settings that decide their numbers."""

    folder: Path
    fingerprint: str

    @classmethod
    def open(cls, folder: str | os.PathLike[str], settings: Mapping[str, Any]) -> Checkpoint:
        """The folder for a study with these settings, made if need be; an error where it holds another study.

        >>> import tempfile
        >>> import numpy as np
        >>> with tempfile.TemporaryDirectory() as place:
        ...     kept = Checkpoint.open(Path(place, "kept"), {"seed": 1})
        ...     kept.save("first", np.array([0.5]))
        ...     print(Checkpoint.open(Path(place, "kept"), {"seed": 1}).load("first", (1,)), kept.load("second", (1,)))
        [0.5] None
        """
        here = plain(dict(settings))
        described = json.dumps(here, ensure_ascii=False, sort_keys=True)
        opened = cls(Path(folder), hashlib.sha256(described.encode()).hexdigest())
        head = opened.folder / _HEAD
        try:
            opened.folder.mkdir(parents=True, exist_ok=True)
            others = [entry.name for entry in opened.folder.iterdir() if not entry.name.startswith(".")]
        except OSError as error:
            problem = f"cannot be a folder for checkpoints ({error.strerror}); choose another"
            raise UnwritableOutput(folder, problem) from None
        # Another process may write the head, and then blocks, while the folder is listed.
        if _HEAD in others or (others and head.exists()):
            _check_same(head, _read_head(head), here)
        elif others:
            raise MismatchedCheckpoint(
                folder, f"this folder holds other things ({others[0]!r}) and no study; give an empty or new one"
            )
        else:
            write_text(head, json.dumps({"kind": KIND, "settings": here}, ensure_ascii=False, indent=2) + "\n")
        return opened

    @classmethod
    def of_study(cls, folder: str | os.PathLike[str], study: str, settings: Mapping[str, Any]) -> Checkpoint:
        """The folder of a study, which is another one where other versions compute it."""
        from rankscope import __version__

        return cls.open(folder, {"study": study, "rankscope": __version__, "numpy": np.__version__, **settings})

    def load(self, name: str, shape: tuple[int, ...]) -> Floats | None:
        """The block of this name; None where it is not there, or was damaged and must be made again.

        A whole block of another shape was not written by this study, and raises `MismatchedCheckpoint`.
        """
        try:
            arrays = read_archive(self._path(name), ("values", "fingerprint"))
            if text(arrays["fingerprint"]) != self.fingerprint:
                return None
            values = numbers(arrays["values"])
        except (OSError, BrokenArchive):
            return None
        if values.shape != shape:
            problem = f"this block has shape {values.shape}, and the study's has {shape}"
            raise MismatchedCheckpoint(self._path(name), f"{problem}; remove the file, or give another folder")
        return values

    def save(self, name: str, values: Floats) -> None:
        """Keep a block."""
        with replacing(self._path(name)) as temporary:
            write_archive(temporary, {"values": values, "fingerprint": self.fingerprint})

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.npz"


def _read_head(path: Path) -> dict[str, Any]:
    try:
        head = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnreadableFile(path, f"cannot be read ({error.strerror or error})") from error
    except (ValueError, RecursionError):
        head = None
    settings = head.get("settings") if isinstance(head, dict) and head.get("kind") == KIND else None
    if not isinstance(settings, dict):
        raise UnrecognisedFormat(path, f"this is not a checkpoint of rankscope; {_ANOTHER}")
    return settings


def _check_same(path: Path, there: dict[str, Any], here: dict[str, Any]) -> None:
    for key in {**here, **there}:
        if there.get(key) != here.get(key):
            before, now = (_short(settings.get(key)) for settings in (there, here))
            problem = f"these are parts of another study: {key} was {before} and is now {now}; {_ANOTHER}"
            raise MismatchedCheckpoint(path, problem)


def _short(value: Any, most: int = 120) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= most else text[: most - 1] + "…"
