"""Document names in one block of bytes, read-only arrays, and checks of the offsets that kernels trust."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import BadParameter, ShapeMismatch, UnknownName, some

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]
Positions = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]


def fixed(array: npt.ArrayLike, kind: type[np.generic]) -> npt.NDArray[Any]:
    """The same numbers, contiguous and read-only, as kernels take them."""
    result = np.ascontiguousarray(array, dtype=kind)
    if result.flags.writeable:
        result = result.view()
        result.flags.writeable = False
    return result


def check_starts(name: str, starts: Positions, stretches: int, end: int) -> None:
    """Raise an error unless offsets divide `end` places into this number of stretches: kernels trust them."""
    if starts.shape != (stretches + 1,):
        raise ShapeMismatch(f"{name} has shape {starts.shape}; give {stretches + 1:,} offsets, one more than stretches")
    if starts[0] != 0 or starts[-1] != end or bool(np.any(starts[1:] < starts[:-1])):
        raise BadParameter(f"{name} must not decrease, from 0 to {end:,}; it goes from {starts[0]} to {starts[-1]}")


def check_inside(
    name: str, values: Codes, starts: Positions, low: npt.NDArray[Any] | int, high: npt.NDArray[Any]
) -> None:
    """Raise `BadParameter` for values outside `low` to `high` (exclusive) of their stretch: kernels trust them."""
    filled = np.flatnonzero(starts[1:] > starts[:-1])
    if not len(filled):
        return
    least = np.minimum.reduceat(values, starts[filled])
    greatest = np.maximum.reduceat(values, starts[filled])
    lows, highs = np.broadcast_to(low, len(starts) - 1)[filled], high[filled]
    wrong = np.flatnonzero((least < lows) | (greatest >= highs))
    if len(wrong):
        i = wrong[0]
        raise BadParameter(
            f"{name}[{starts[filled[i]]}:{starts[filled[i] + 1]}] hold {least[i]} to {greatest[i]}; give numbers from "
            f"{lows[i]} to {highs[i] - 1}"
        )


def places(kind: str, names: Sequence[str], chosen: Sequence[str]) -> npt.NDArray[np.int64]:
    """Where the chosen names are among all."""
    if isinstance(chosen, str):
        raise BadParameter(f"{kind}s={chosen!r}: give a list of names")
    place = {name: i for i, name in enumerate(names)}
    missing = [name for name in chosen if name not in place]
    if missing:
        raise UnknownName(f"no {kind} {some(missing)}; there are {some(list(names))}")
    if len(set(chosen)) != len(chosen):
        raise BadParameter(f"a {kind} is chosen twice among {some(list(chosen))}; name each once")
    return np.array([place[name] for name in chosen], dtype=np.int64)


def stretches(starts: Positions, lengths: Positions) -> tuple[Positions, Positions]:
    """All places of stretches one after another, and where each begins there."""
    ends = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=ends[1:])
    return np.arange(ends[-1]) + np.repeat(starts - ends[:-1], lengths), ends


@dataclass(frozen=True, eq=False)
class Ids:
    """Many document names in one block of UTF-8.

    >>> ids = Ids.of(["d1", "δ2"])
    >>> ids[1], len(ids)
    ('δ2', 2)
    """

    text: Bytes
    starts: Positions

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", fixed(self.text, np.uint8))
        object.__setattr__(self, "starts", fixed(self.starts, np.int64))
        if self.text.ndim != 1:
            raise ShapeMismatch(f"text has shape {self.text.shape}; give one dimension of bytes")
        check_starts("starts", self.starts, max(self.starts.size - 1, 0), len(self.text))

    @staticmethod
    def of(names: Iterable[str]) -> Ids:
        """Pack names."""
        encoded = [name.encode("utf-8", "surrogateescape") for name in names]
        starts = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum([len(name) for name in encoded], out=starts[1:])
        return Ids(np.frombuffer(b"".join(encoded), dtype=np.uint8), starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, i: int) -> str:
        return self.text[self.starts[i] : self.starts[i + 1]].tobytes().decode("utf-8", "surrogateescape")

    def names(self, first: int = 0, last: int | None = None) -> list[str]:
        """The names from `first` up to `last`."""
        ends = self.starts[first : len(self) + 1 if last is None else last + 1]
        if len(ends) < 2:
            return []
        block = self.text[ends[0] : ends[-1]].tobytes()
        bounds = (ends - ends[0]).tolist()
        return [block[a:b].decode("utf-8", "surrogateescape") for a, b in pairwise(bounds)]

    def take(self, rows: npt.NDArray[np.integer[Any]]) -> Ids:
        """The names at these rows, in their order."""
        begins = self.starts[:-1][rows]
        return Ids.cut(self.text, begins, self.starts[1:][rows] - begins)

    @staticmethod
    def cut(text: Bytes, begins: Positions, lengths: Positions) -> Ids:
        """The names that begin at these bytes of a text and have these lengths."""
        from rankscope.kernels.pool import copy_names

        starts = np.zeros(len(begins) + 1, dtype=np.int64)
        np.cumsum(lengths, out=starts[1:])
        names = np.empty(starts[-1], dtype=np.uint8)
        copy_names(fixed(text, np.uint8), begins, starts, names)
        return Ids(names, starts)

    def same(self, other: Ids) -> bool:
        """Whether both hold the same names in the same order."""
        return self is other or (np.array_equal(self.starts, other.starts) and np.array_equal(self.text, other.text))
