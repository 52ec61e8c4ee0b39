"""From the caller's scores to rows, through a row function, and back: check, compute, wrap.

A row function takes `truth` (1 or B, m) and `estimate` (1 or B, m) and returns B values. It may assume finite scores
and at least two systems; rows with a constant side become `nan` here, for every coefficient.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from rankscope.alignment import align_alike
from rankscope.checks import check_count
from rankscope.errors import ConstantInput, NotFinite, ShapeMismatch, TooFewSystems
from rankscope.inputs import ScoresLike, to_scores
from rankscope.scores import Floats, ScoreMatrix, SystemScores

RowFunction = Callable[[Floats, Floats], Floats]
T = TypeVar("T")

# Rows are taken in chunks of about this many scores, so that memory does not grow with the batch.
_CHUNK = 1 << 21
# Up to this many systems, vector loops over all pairs beat the merge sorts (`make bench`).
ALL_PAIRS = 256
_QUIET = ContextVar("quiet", default=False)
_SHARED: ContextVar[dict[Any, Any] | None] = ContextVar("shared", default=None)


def evaluate(
    function: RowFunction,
    truth: ScoresLike,
    estimate: ScoresLike,
    *,
    k: int | None = None,
    symmetric: bool = False,
) -> float | Floats:
    """Apply a row function to every pair of score lists, broadcasting leading dimensions."""
    if k is not None:
        k = check_count("k", k)
    x, y = _arrays(truth, estimate)
    shape = _batch(x, y)
    values = _by_chunks(both_ways(function) if symmetric else function, _rows(x, shape), _rows(y, shape), k)
    undefined = int(np.isnan(values).sum())
    if undefined and not _QUIET.get():
        rows = "" if values.size == 1 else f" in {undefined} of {values.size} comparisons"
        warnings.warn(
            f"there is nothing to compare{rows}: a side scores all systems alike, or no pair is left that the "
            "coefficient counts; its value is nan",
            ConstantInput,
            stacklevel=3,
        )
    if shape == ():
        return float(values[0])
    if values.size == math.prod(shape):
        return values.reshape(shape)
    return np.broadcast_to(values, (math.prod(shape),)).reshape(shape).copy()


@contextmanager
def quietly() -> Iterator[None]:
    """No ConstantInput warnings inside, for callers that report it themselves. Safe in threads, unlike filters."""
    token = _QUIET.set(True)
    try:
        yield
    finally:
        _QUIET.reset(token)


@contextmanager
def sharing() -> Iterator[None]:
    """Inside, functions of the same rows are computed once: orders, pair counts, directions of coefficients.

    For callers that want many coefficients of the same lists, which must not change inside.
    """
    token = _SHARED.set({})
    try:
        yield
    finally:
        _SHARED.reset(token)


def shared(function: Callable[..., T], *arrays: Floats) -> T:
    """The function of these arrays, remembered while `sharing`."""
    cache = _SHARED.get()
    if cache is None:
        return function(*arrays)
    identity = (function.func, tuple(function.keywords.items())) if isinstance(function, partial) else function
    key = (identity, *((array.__array_interface__["data"][0], array.shape) for array in arrays))
    if key not in cache:
        cache[key] = (function(*arrays), arrays)  # the arrays are held, so that their addresses are not reused
    value: T = cache[key][0]
    return value


def both_ways(function: RowFunction) -> RowFunction:
    """The mean of both directions."""
    return lambda x, y: (shared(function, x, y) + shared(function, y, x)) / 2.0


def checked_pair(truth: ScoresLike, estimate: ScoresLike) -> tuple[Floats, Floats]:
    """One list of scores on each side, or an error."""
    x, y = _arrays(truth, estimate)
    if x.ndim != 1 or y.ndim != 1:
        raise ShapeMismatch(f"each side must be one list of scores; these have shapes {x.shape} and {y.shape}")
    return x, y


def descending(rows: Floats) -> npt.NDArray[np.int64]:
    """For each row, the order of its scores from best to worst; ties in any order."""
    return shared(_descending, rows)


def _descending(rows: Floats) -> npt.NDArray[np.int64]:
    return np.argsort(-rows, axis=-1).astype(np.int64, copy=False)


def arranged(key: Floats, other: Floats) -> tuple[Floats, Floats]:
    """Rows of both sides from best to worst by `key`, then by `other`; kernels do not change them."""
    return shared(_arranged, key, other)


def _arranged(key: Floats, other: Floats) -> tuple[Floats, Floats]:
    from rankscope.kernels.sorting import arrange

    return arrange(key, other, descending(key))


def few(rows: Floats) -> bool:
    """Whether the lists are short enough to look at every pair."""
    return bool(rows.shape[1] <= ALL_PAIRS)


def tame(rows: Floats) -> Floats:
    """Rows scaled near 1 by a power of two where squares or sums would overflow or vanish; ratios do not change."""
    return shared(_tame, rows)


def _tame(rows: Floats) -> Floats:
    largest = np.abs(rows).max(axis=-1, keepdims=True)
    if np.all((largest < 1e100) & ((largest > 1e-100) | (largest == 0.0))):
        return rows
    # In two steps: one factor of 2^1074 would itself overflow.
    exponent = -np.frexp(largest)[1]
    half = exponent // 2
    return np.asarray(np.ldexp(np.ldexp(rows, half), exponent - half))


def _arrays(truth: ScoresLike, estimate: ScoresLike) -> tuple[Floats, Floats]:
    named = [_has_names(side) for side in (truth, estimate)]
    if all(named):
        truth, estimate = (side.means for side in align_alike(to_scores(truth), to_scores(estimate)))
    elif any(named):
        raise ShapeMismatch(
            "one side has named systems and the other is a plain array; give both as ScoreMatrix or SystemScores, "
            "or both as arrays (scores.means)"
        )
    x, y = _array(truth, "truth"), _array(estimate, "estimate")
    if x.shape[-1] != y.shape[-1]:
        raise ShapeMismatch(
            f"truth scores {x.shape[-1]} systems and estimate {y.shape[-1]}; the last dimension of both must be the "
            "same systems in the same order"
        )
    if x.shape[-1] < 2:
        raise TooFewSystems(f"a ranking needs at least two systems; there is {x.shape[-1]}")
    try:
        _batch(x, y)
    except ValueError:
        raise ShapeMismatch(
            f"shapes {x.shape} and {y.shape} do not broadcast; leading dimensions must be equal or 1"
        ) from None
    return x, y


def _batch(x: Floats, y: Floats) -> tuple[int, ...]:
    """The shape of the batch, by numpy's rule, which takes long for the shapes that are common."""
    first, second = x.shape[:-1], y.shape[:-1]
    if first == second or second in ((), (1,)):
        return first or second
    if first in ((), (1,)):
        return second
    return np.broadcast_shapes(first, second)


def _has_names(side: object) -> bool:
    """Whether a side names its systems: scores, a mapping, a data frame, or where to read them from."""
    if isinstance(side, ScoreMatrix | SystemScores | str | os.PathLike | Mapping) or hasattr(side, "columns"):
        return True
    return isinstance(side, list | tuple) and len(side) > 0 and isinstance(side[0], str | os.PathLike)


def _array(side: object, role: str) -> Floats:
    try:
        array = np.asarray(side, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ShapeMismatch(f"{role} must be an array of numbers ({error})") from None
    if array.ndim == 0:
        raise ShapeMismatch(f"{role} is a single number; give the scores of all systems")
    if not shared(_finite, array):
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        where = ", ".join(map(str, place))
        raise NotFinite(f"{role}[{where}] is {array[place]}: a ranking needs finite scores; drop or fill it first")
    return array


def _finite(array: Floats) -> bool:
    return bool(np.isfinite(array).all())


def _rows(array: Floats, shape: tuple[int, ...]) -> Floats:
    """One row if it is the same for the whole batch, otherwise one row for each place of the batch; contiguous."""
    m = array.shape[-1]
    rows = array.reshape(1, m) if array.size == m else np.broadcast_to(array, (*shape, m)).reshape(-1, m)
    return np.ascontiguousarray(rows)


def _by_chunks(function: RowFunction, x: Floats, y: Floats, k: int | None) -> Floats:
    rows, m = max(len(x), len(y)), x.shape[1]
    step = max(1, _CHUNK // m)
    if rows <= step:
        return _chunk(function, x, y, k)
    parts = [
        _chunk(function, x if len(x) == 1 else x[i : i + step], y if len(y) == 1 else y[i : i + step], k)
        for i in range(0, rows, step)
    ]
    return np.concatenate(parts)


def _chunk(function: RowFunction, x: Floats, y: Floats, k: int | None) -> Floats:
    if k is not None and k < x.shape[1]:
        return _top(function, x, y, k)
    if x.shape[1] < 2 or len(x) == 0 or len(y) == 0:
        return np.full(min(len(x), len(y)) and max(len(x), len(y)), np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = shared(function, x, y)
    return np.where(shared(_constant, x) | shared(_constant, y), np.nan, values)


def _constant(rows: Floats) -> npt.NDArray[np.bool_]:
    """Which rows have the same score for all systems."""
    return np.asarray((rows == rows[:, :1]).all(axis=1))


def _top(function: RowFunction, x: Floats, y: Floats, k: int) -> Floats:
    """Each row restricted to the truth's top k; all ties at the cut are kept, so that input order does not matter."""
    rows, m = max(len(x), len(y)), x.shape[1]
    cut = np.partition(x, m - k, axis=1)[:, m - k, None]
    kept = x >= cut
    sizes = kept.sum(axis=1)
    values = np.empty(rows)
    for size in np.unique(sizes):
        chosen = np.flatnonzero(sizes == size)
        columns = np.nonzero(kept[chosen])[1].reshape(len(chosen), size)
        x_top = np.take_along_axis(x[chosen], columns, axis=1)
        if len(x) == 1:  # one truth for all: the same columns of every estimate
            return _chunk(function, x_top, np.ascontiguousarray(y[:, columns[0]]), None)
        y_top = np.take_along_axis(np.broadcast_to(y, x.shape)[chosen], columns, axis=1)
        values[chosen] = _chunk(function, x_top, y_top, None)
    return values
