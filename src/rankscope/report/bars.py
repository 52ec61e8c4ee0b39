"""Intervals drawn with characters, for tables in a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable

from rankscope.report.numbers import minus

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
    """The range of a column of bars, as its heading.

    >>> axis(0, 1)
    '0 … 1'
    """
    return minus(f"{start:g} … {stop:g}")


def quarter_below(values: Iterable[float]) -> float:
    """The greatest quarter at or below all values: where bars begin.

    >>> quarter_below([0.6, 0.9]), quarter_below([-0.1]), quarter_below([])
    (0.5, -0.25, 0.0)
    """
    least = min((value for value in values if math.isfinite(value)), default=0.0)
    return min(math.floor(least * 4.0) / 4.0, 0.75)


# Worth is drawn on a logarithmic scale, from a sixteenth to four topics, so that halving and doubling look alike.
_LEAST_WORTH, _MOST_WORTH = 1.0 / 16.0, 4.0


def worth_bar(value: float, low: float | None, high: float | None, *, width: int = WIDTH) -> str:
    """A worth and its interval on a logarithmic line from 1/16 to 4.

    >>> worth_bar(0.5, 0.25, 1.0, width=13)
    '····╶─●─╴····'
    """
    at = [None if x is None else math.log2(min(max(x, _LEAST_WORTH), _MOST_WORTH)) for x in (value, low, high)]
    return interval_bar(
        at[0] or 0.0, at[1], at[2], start=math.log2(_LEAST_WORTH), stop=math.log2(_MOST_WORTH), width=width
    )


def worth_place(worth: float) -> float:
    """Where a worth is on the line from 1/16 to 4, in percent of its length.

    >>> worth_place(0.5), worth_place(0.0), worth_place(99.0)
    (50.0, 0.0, 100.0)
    """
    least, most = math.log2(_LEAST_WORTH), math.log2(_MOST_WORTH)
    return 100.0 * (math.log2(min(max(worth, _LEAST_WORTH), _MOST_WORTH)) - least) / (most - least)


def worth_axis() -> str:
    """The range of a column of bars of worth, as its heading."""
    return "1/16 … 1 … 4"
