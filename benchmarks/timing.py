"""How things are timed, and where real data are."""

import os
import time
from collections.abc import Callable
from pathlib import Path

DATA = Path(os.environ.get("RANKSCOPE_DATA", Path(__file__).parents[1] / ".." / "shared" / "data")).resolve()


def best(function: Callable[[], object], repeats: int = 5) -> float:
    """The least time of several runs, in seconds: the one least disturbed by others."""
    return min(times(function, repeats))


def times(function: Callable[[], object], repeats: int = 5) -> list[float]:
    """The times of several runs, in seconds."""
    found = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        found.append(time.perf_counter() - start)
    return found
