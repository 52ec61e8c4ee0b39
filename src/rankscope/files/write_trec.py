"""`write_runs` and `write_judgments`: files that read back as the same runs and judgments."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from rankscope.errors import UnwritableOutput
from rankscope.files.atomic import write_bytes
from rankscope.files.compression import compress, endings
from rankscope.runs import Judgments, RunSet

# Whatever else a name may hold, these would end a field, or a path.
_SPACES = " \t\n\v\f\r"
_NOT_IN_FILES = "/\\\0"
_LONGEST_FILE = 200


def write_runs(runs: RunSet, folder: str | os.PathLike[str], *, ending: str = ".run") -> None:
    """Write each run to a file of its own in `folder`, which is made if need be; `.run.gz` compresses, as do bz2, zst.

    A file is named by its system, and so is the tag, with `_` for white space. Scores count down to 1 from the number
    of documents, so that every reader ranks them alike. Each file appears whole or not at all.

    >>> import tempfile
    >>> from rankscope.files.runs import read_runs
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_runs(RunSet.of({"bm25": {"301": ["d2", "d1"]}}), folder)
    ...     read_runs(folder).retrieved("bm25", "301")
    ['d2', 'd1']
    """
    target = Path(folder)
    _check_names(target, "topic", runs.topics)
    names = runs.ids.names()
    _check_names(target, "document", names)
    for system in runs.systems:
        _check_file(target, system)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"cannot make this folder ({error.strerror}); choose another folder"
        raise UnwritableOutput(folder, problem) from None
    for s, system in enumerate(runs.systems):
        path = target / f"{system}{ending}"
        write_bytes(path, compress("".join(_run_lines(runs, s, names)).encode(), endings(path)[1]))


def write_judgments(judgments: Judgments, path: str | os.PathLike[str]) -> None:
    """Write judgments, whole numbers without a point; a path that ends in `.gz`, `.bz2` or `.zst` compresses.

    Topics without a judgment leave no trace. The file appears whole or not at all.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_judgments(Judgments.of({"301": {"d1": 2, "d2": 0.5}}), Path(folder, "qrels.txt"))
    ...     Path(folder, "qrels.txt").read_text().splitlines()
    ['301 0 d1 2', '301 0 d2 0.5']
    """
    names = judgments.ids.names()
    _check_names(path, "topic", judgments.topics)
    _check_names(path, "document", names)
    if not np.isfinite(judgments.grades).all():
        raise UnwritableOutput(path, "a grade is NaN or infinite; keep the judged rows only (Judgments.keep)")
    rows = zip(judgments.topic_of.tolist(), names, judgments.grades.tolist(), strict=True)
    lines = (f"{judgments.topics[t]} 0 {name} {int(g) if g.is_integer() else repr(g)}\n" for t, name, g in rows)
    write_bytes(path, compress("".join(lines).encode(), endings(path)[1]))


def _run_lines(runs: RunSet, s: int, names: list[str]) -> Iterator[str]:
    tag = "".join("_" if letter in _SPACES else letter for letter in runs.systems[s])
    for t, topic in enumerate(runs.topics):
        cell = t * len(runs.systems) + s
        codes = runs.documents[runs.starts[cell] : runs.starts[cell + 1]].tolist()
        for rank, code in enumerate(codes, 1):
            yield f"{topic} Q0 {names[code]} {rank} {len(codes) - rank + 1} {tag}\n"


def _check_names(place: str | os.PathLike[str], what: str, names: Iterable[str]) -> None:
    for name in names:
        if not name or any(space in name for space in _SPACES) or "\0" in name:
            raise UnwritableOutput(
                place, f"the {what} {name!r} cannot be written: a name has no white space; rename it"
            )


def _check_file(folder: Path, system: str) -> None:
    forbidden = any(letter in system for letter in _NOT_IN_FILES)
    if not system or forbidden or system.startswith(".") or len(system.encode()) > _LONGEST_FILE:
        raise UnwritableOutput(folder, f"the system {system[:60]!r} cannot be a file's name; rename it")
