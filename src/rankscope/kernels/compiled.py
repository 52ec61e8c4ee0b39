"""How kernels are compiled: on first call, without the GIL, and kept on disk for the next process."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt

from rankscope.kernels.kept import KernelCache

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile with numba, 0/0 being nan as in numpy; threads come from the caller, so that loops stay sequential."""
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy")(function)
    dispatcher._cache = KernelCache(function)  # where numba's `cache=True` puts its own
    return cast("Callable[P, R]", dispatcher)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile as a part of whoever calls it: for steps of one kernel, which would be optimised again at every level."""
    return cast("Callable[P, R]", numba.njit(inline="always", nogil=True, error_model="numpy")(function))
