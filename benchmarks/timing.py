"""How things are timed."""

import time
from collections.abc import Callable


def best(function: Callable[[], object], repeats: int = 5) -> float:
    """The least time of several runs, in seconds: the one least disturbed by others."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)
