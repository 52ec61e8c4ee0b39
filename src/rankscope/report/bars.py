"""Intervals drawn with characters, for tables in a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable

WIDTH = 20


def interval_bar(
    value: float, low: float | None, high: float | None, *, start: float = 0.0, stop: float = 1.0, width: int = WIDTH
) -> str:
    """A value and its interval on a line from `start` to `stop`; what lies outside is drawn at the edge.

    >>> interval_bar(0.5, 0.25, 0.75, width=9)
    '··╶─●─╴··'
    >>> interval_bar(0.9, None, None, width=9)
    '·······●·'
    """
    if not math.isfinite(value):
        return ""
    cells = ["·"] * width

    def at(x: float) -> int:
        return round((width - 1) * min(max((x - start) / (stop - start), 0.0), 1.0))

    if low is not None and high is not None:
        first, last = at(low), at(high)
        cells[first : last + 1] = "─" * (last - first + 1)
        cells[first] = "╶"
        cells[last] = "╴"
    cells[at(value)] = "●"
    return "".join(cells)


def axis(start: float, stop: float) -> str:
    """What a column of bars is drawn over.

    >>> axis(0, 1)
    '0 … 1'
    """
    return f"{start:g} … {stop:g}".replace("-", "−")


def quarter_below(values: Iterable[float]) -> float:
    """Where bars begin so that all values are on them: at a quarter.

    >>> quarter_below([0.6, 0.9]), quarter_below([-0.1]), quarter_below([])
    (0.5, -0.25, 0.0)
    """
    least = min((value for value in values if math.isfinite(value)), default=0.0)
    return min(math.floor(least * 4.0) / 4.0, 0.75)
