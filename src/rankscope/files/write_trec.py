"""`write_runs`, `write_judgments` and `write_sample`: files that read back as the same runs and judgments."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from rankscope.errors import UnwritableOutput
from rankscope.files.atomic import write_bytes
from rankscope.files.compression import compress, endings
from rankscope.files.trec_lines import TO_COME
from rankscope.runs import Judgments, JudgmentSample, RunSet

# Characters that would end a field, or a path.
_SPACES = " \t\n\v\f\r"
_NOT_IN_FILES = "/\\\0"
_LONGEST_FILE = 200


def write_runs(runs: RunSet, folder: str | os.PathLike[str], *, ending: str = ".run") -> None:
    """Write each run to a file of its own in `folder`, which is made if need be."""
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
    """Write judgments as lines of topic, 0, document, grade; whole grades without a point."""
    if not np.isfinite(judgments.grades).all():
        raise UnwritableOutput(path, "a grade is NaN or infinite; keep the judged rows only (Judgments.keep)")
    _write_lines(path, judgments, [""] * len(judgments))


def write_sample(sample: JudgmentSample, path: str | os.PathLike[str]) -> None:
    """Write a sample as lines of topic, 0, document, grade or ?, inclusion probability."""
    _write_lines(path, sample.judgments, [f" {p!r}" for p in sample.probabilities.tolist()])


def write_to_label(judgments: Judgments, path: str | os.PathLike[str]) -> None:
    """Write documents for people to label as lines of topic, 0, document, grade, with ? for a grade to come."""
    _write_lines(path, judgments, [""] * len(judgments))


def _write_lines(path: str | os.PathLike[str], judgments: Judgments, ends: list[str]) -> None:
    names = judgments.ids.names()
    _check_names(path, "topic", judgments.topics)
    _check_names(path, "document", names)
    rows = zip(judgments.topic_of.tolist(), names, judgments.grades.tolist(), ends, strict=True)
    lines = (f"{judgments.topics[t]} 0 {name} {_grade(grade)}{end}\n" for t, name, grade, end in rows)
    write_bytes(path, compress("".join(lines).encode(), endings(path)[1]))


def _grade(grade: float) -> str:
    """A whole grade without a point; `?` where it is to come."""
    if grade != grade:  # noqa: PLR0124  NaN
        return TO_COME
    return str(int(grade)) if grade.is_integer() else repr(grade)


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
                place, f"the {what} {name!r} cannot be written: names cannot be empty or hold white space; rename it"
            )


def _check_file(folder: Path, system: str) -> None:
    forbidden = any(letter in system for letter in _NOT_IN_FILES)
    if not system or forbidden or system.startswith(".") or len(system.encode()) > _LONGEST_FILE:
        raise UnwritableOutput(folder, f"the system {system[:60]!r} cannot be a file's name; rename it")
