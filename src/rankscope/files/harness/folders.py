"""The outputs of harnesses in a folder and the folders below it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from rankscope.errors import BadFile
from rankscope.files.compression import endings
from rankscope.files.harness import helm
from rankscope.files.harness.documents import ZIP, read_harness
from rankscope.files.harness.record import HarnessFile
from rankscope.files.harness.table import warn_ignored
from rankscope.files.text import read_bytes

_ENDINGS = (".json", ".jsonl", ".eval", ".prototext")
# Files about scores, not of scores.
_ABOUT = ("readme", "licen", "notice", "citation", "changelog")
_ABOUT_ENDINGS = (".md", ".rst", ".yml", ".yaml", ".toml", ".html", ".log", ".png", ".svg", ".pdf", ".py", ".sh")
# Written beside results, and read with them where they are needed.
_BESIDE = ("model_meta.json", helm.SPEC)


def read_folder(folder: Path) -> list[HarnessFile] | None:
    """The outputs of harnesses in a folder and below; None where there are none, or where it holds other tables.

    Other files are named in a warning.
    """
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return None  # which is said where the folder is read
    if any(path.is_file() and not _may_be(path) and not _is_about(path) for path in entries):
        return None
    candidates = list(_candidates(folder))
    files: list[HarnessFile] = []
    others: list[Path] = []
    broken: BadFile | None = None
    for path in candidates:
        try:
            read = read_harness(read_bytes(path), path)
        except BadFile as error:
            broken = broken or error
            continue
        if read is None or not read.scores:
            others.append(path)
        else:
            files.append(read)
    if not files:
        return None
    if broken is not None:
        raise broken
    others += [path for path in entries if path.is_file() and _is_about(path) and not path.name.startswith(".")]
    if others:
        warn_ignored(map(str, others), "holds no scores that can be read here")
    return files


def _candidates(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        chosen = (Path(place, name) for name in _chosen(sorted(names)))
        yield from (path for path in chosen if _may_be(path))


def _chosen(names: Sequence[str]) -> list[str]:
    """The files that may hold scores; of a run of HELM the statistics of its instances, or else of the run."""
    if helm.SPEC in names:
        return [next((name for name in (helm.PER_INSTANCE, helm.OVERALL) if name in names), helm.SPEC)]
    return [name for name in names if name not in _BESIDE]


def _may_be(path: Path) -> bool:
    """Whether a file may be the output of a harness; `.eval` is also what many call the output of trec_eval."""
    ending, compression = endings(path)
    if path.name.startswith(".") or ending not in _ENDINGS:
        return False
    return ending != ".eval" or (not compression and _is_zip(path))


def _is_zip(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(ZIP)) == ZIP
    except OSError:
        return False  # which is said where the file is read


def _is_about(path: Path) -> bool:
    name = path.name.lower()
    return name.startswith((".", *_ABOUT)) or name.endswith(_ABOUT_ENDINGS)
