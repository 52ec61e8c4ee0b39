"""What a reader of a harness gives: scores with their place, and checked values of JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from rankscope.errors import BadFile, NotANumber, UnrecognisedFormat
from rankscope.files.table import is_missing, is_number

# JSON lines: the number of each line and the object in it.
Lines = Sequence[tuple[int, dict[str, Any]]]


@dataclass(frozen=True)
class HarnessScore:
    """One score; `where` is its place in the file, and `details` are further columns to choose rows by.

    Without a sample it is the score of a whole task. `error` is its standard error, NaN where unknown, and
    `lower_is_better` is what the file says of the measure.
    """

    model: str
    task: str
    measure: str
    value: float
    sample: str = ""
    error: float = math.nan
    where: str = ""
    details: Mapping[str, str] = field(default_factory=dict)
    lower_is_better: bool = False


class Harness(NamedTuple):
    """A form of file: what messages call it, the files it is found in, how it is recognised, and its scores.

    A document is the whole content of a JSON file; of JSON lines, `recognises` sees the first object and `scores` all.
    """

    name: str
    form: Literal["document", "lines"]
    recognises: Callable[[Any], bool]
    scores: Callable[[Any, Path], Iterable[HarnessScore]]
    # What becomes of the scores of all files of a source together, where that is not each as it is.
    together: Callable[[Sequence[HarnessFile]], Iterable[tuple[Path, HarnessScore]]] | None = None
    # What to do about a file without scores.
    way_out: str = "let the evaluation finish, or leave the file out"


@dataclass(frozen=True)
class HarnessFile:
    """A file that was read: its form and its scores."""

    path: Path
    harness: Harness
    scores: tuple[HarnessScore, ...]


def wrong(path: Path, where: str, problem: str, kind: type[BadFile] = UnrecognisedFormat) -> BadFile:
    """The error at a place in a file, which is a line or a path of keys."""
    if where.startswith("line "):
        return kind(path, problem, line=int(where.split()[1]))
    return kind(path, f"{where}: {problem}" if where else problem)


def has_keys(value: object, *keys: str) -> bool:
    """Whether this is an object with these keys.

    >>> has_keys({"a": 1}, "a"), has_keys([], "a")
    (True, False)
    """
    return isinstance(value, dict) and all(key in value for key in keys)


def to_object(value: object, path: Path, where: str) -> dict[str, Any]:
    """The value, if it is an object."""
    if not isinstance(value, dict):
        raise wrong(path, where, f"{_shown(value)} should be an object; the file may be damaged, so write it again")
    return value


def to_list(value: object, path: Path, where: str) -> list[Any]:
    """The value, if it is a list."""
    if not isinstance(value, list):
        raise wrong(path, where, f"{_shown(value)} should be a list; the file may be damaged, so write it again")
    return value


def to_name(value: object, path: Path, where: str) -> str:
    """A name: a text that is not empty, or a number."""
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise wrong(path, where, f"{_shown(value)} should be a name; the file may be damaged, so write it again")


def to_score(value: object, path: Path, where: str) -> float:
    """A score: NaN where it is missing; an error where it is neither a number nor missing."""
    if value is None or (isinstance(value, str) and is_missing(value)):
        return math.nan
    if isinstance(value, str) and is_number(value):
        value = float(value.strip())
    if isinstance(value, int | float):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isinf(number):
            return number
    advice = "correct it, or write null if the score is missing"
    raise wrong(path, where, f"{_shown(value)} is not a finite number; {advice}", NotANumber)


def is_score(value: object) -> bool:
    """Whether a value is a number, and not a flag."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(value: object, most: int = 40) -> str:
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]}…"
