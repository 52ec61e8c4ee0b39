"""Blocks on their way to the workers of a cluster: their arrays travel apart, and once to each worker.

A block is pickled without its arrays, which leaves a few hundred bytes. Arrays that a block brings along for the first
time are one *bundle*. Arrays are known by their content, and blocks that have the same ones, as most blocks of a study
do, name the same bundle. Nothing of this is needed for threads of one process: they share the arrays as they are.
"""

from __future__ import annotations

import hashlib
import importlib
import io
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

# Bytes from which on an array travels apart; the place of one in a bundle takes about 30.
LEAST = 256

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class RawArray:
    """An array as plain bytes, with what pickling would lose: the order of axes, and whether it may be written to.

    Kernels and matrix products may depend on both.
    """

    data: bytes
    kind: str
    shape: tuple[int, ...]
    columns_first: bool
    writeable: bool

    @classmethod
    def of(cls, array: Array) -> RawArray:
        """The bytes of an array."""
        columns_first = array.flags.f_contiguous and not array.flags.c_contiguous
        data = array.tobytes("F" if columns_first else "C")
        return cls(data, array.dtype.str, array.shape, columns_first, bool(array.flags.writeable))

    @cached_property
    def digest(self) -> bytes:
        """The SHA-256 of everything."""
        head = repr((self.kind, self.shape, self.columns_first, self.writeable)).encode()
        return hashlib.sha256(head + b"\n" + self.data).digest()

    def array(self) -> Array:
        """The array again; one that must not be written to is not copied."""
        flat = np.frombuffer(self.data, dtype=np.dtype(self.kind))
        shaped = flat.reshape(self.shape, order="F" if self.columns_first else "C")
        return shaped.copy(order="K") if self.writeable else shaped


@dataclass(frozen=True, eq=False)
class Bundle:
    """Arrays that travel together, made once by whoever unpacks it."""

    raw: tuple[RawArray, ...]

    @cached_property
    def key(self) -> str:
        """The SHA-256 of its arrays: equal arrays are one bundle, whoever sends them."""
        return hashlib.sha256(b"".join(one.digest for one in self.raw)).hexdigest()

    @cached_property
    def arrays(self) -> tuple[Array, ...]:
        """The arrays, which all blocks on this worker share."""
        return tuple(one.array() for one in self.raw)

    @property
    def size(self) -> int:
        """The bytes of its arrays."""
        return sum(len(one.data) for one in self.raw)

    def __reduce__(self) -> tuple[Any, ...]:
        return Bundle, (self.raw,)


@dataclass(frozen=True, eq=False)
class Packed:
    """A call without its arrays, the keys of the bundles that have them, and the bundle that was made for it."""

    data: bytes
    keys: tuple[str, ...]
    new: Bundle | None


class _Place(NamedTuple):
    """Where an array travels: in which bundle, None for the new one, and at which place there."""

    key: str | None
    number: int


class Packer:
    """Packs calls, and knows which arrays are in which bundle."""

    def __init__(self) -> None:
        self._by_content: dict[bytes, _Place] = {}
        # By identity, with the array: an identity is one as long as its object lives.
        self._known: dict[int, tuple[Array, bytes]] = {}

    def pack(self, call: Any) -> Packed:
        """The call without its arrays; those that are not in a bundle yet are put into a new one."""
        new: list[RawArray] = []
        used: list[str | None] = []

        def place_of(value: Any) -> tuple[int, int] | None:
            if not _travels_apart(value):
                return None
            if id(value) not in self._known:
                raw = RawArray.of(value)
                self._known[id(value)] = value, raw.digest
                if raw.digest not in self._by_content:
                    self._by_content[raw.digest] = _Place(None, len(new))
                    new.append(raw)
            key, number = self._by_content[self._known[id(value)][1]]
            if key not in used:
                used.append(key)
            return used.index(key), number

        data = _pickled(call, place_of)
        if not new:
            return Packed(data, tuple(key for key in used if key is not None), None)
        bundle = Bundle(tuple(new))
        self._by_content.update((raw.digest, _Place(bundle.key, number)) for number, raw in enumerate(new))
        return Packed(data, tuple(bundle.key if key is None else key for key in used), bundle)

    def forget(self, key: str) -> None:
        """Take the arrays of a bundle for new when they come again."""
        self._by_content = {digest: place for digest, place in self._by_content.items() if place.key != key}
        self._known = {name: known for name, known in self._known.items() if known[1] in self._by_content}


def unpacked(data: bytes, bundles: Sequence[Bundle]) -> Any:
    """A packed call, with the arrays of its bundles."""

    class Unpickler(pickle.Unpickler):
        def persistent_load(self, pid: Any) -> Any:
            bundle, place = pid
            return bundles[bundle].arrays[place]

    return Unpickler(io.BytesIO(data)).load()


def _travels_apart(value: Any) -> bool:
    return type(value) is np.ndarray and value.nbytes >= LEAST and not value.dtype.hasobject


def _pickled(value: Any, name_of: Any) -> bytes:
    """The bytes of a value, of which what has a name is left out; functions that no module has are sent whole."""
    pickler: Any = importlib.import_module("cloudpickle").Pickler  # it comes with Dask

    class Pickler(pickler):  # type: ignore[misc]
        def persistent_id(self, obj: Any) -> Any:
            return name_of(obj)

    buffer = io.BytesIO()
    Pickler(buffer, protocol=pickle.HIGHEST_PROTOCOL).dump(value)
    return buffer.getvalue()
