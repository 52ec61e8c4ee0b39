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
    """Compile with numba; 0/0 is nan as in numpy. Loops stay sequential, since threads come from the caller."""
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy")(function)
    dispatcher._cache = KernelCache(function)  # where numba's `cache=True` puts its own cache
    return cast("Callable[P, R]", dispatcher)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile into its callers: for steps of one kernel, which would be optimised again at every level of calls."""
    return cast("Callable[P, R]", numba.njit(inline="always", nogil=True, error_model="numpy")(function))
