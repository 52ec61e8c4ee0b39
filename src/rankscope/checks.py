"""Checks of arguments that many functions take, and of the memory that they need.

Each check of an argument returns the value it was given, or raises `BadParameter` with the argument's name, its value
and what is allowed.
"""

from __future__ import annotations

import difflib
import importlib
import math
import operator
import os
from collections.abc import Collection
from typing import Any

from rankscope.errors import BadParameter, TooLarge, UnknownName

# Beyond these, the quantiles of an interval are lost in rounding.
LEAST_LEVEL, GREATEST_LEVEL = 0.001, 0.9999


def check_level(level: float) -> float:
    """The level of an interval.

    >>> check_level(0.95)
    0.95
    """
    if not LEAST_LEVEL <= level <= GREATEST_LEVEL:
        raise BadParameter(f"level={level}: a number from {LEAST_LEVEL} to {GREATEST_LEVEL}, such as 0.95")
    return level


def check_share(name: str, value: float, example: float = 0.05) -> float:
    """A share strictly between 0 and 1, such as the level of a test.

    >>> check_share("alpha", 0.01)
    0.01
    """
    if not 0.0 < value < 1.0:
        raise BadParameter(f"{name}={value}: a number between 0 and 1, such as {example:g}")
    return value


def check_count(name: str, value: int, least: int = 1) -> int:
    """A whole number of at least `least`.

    >>> check_count("draws", 300)
    300
    """
    number = _whole(value)
    if number is None or number < least:
        raise BadParameter(f"{name}={value}: a whole number, {least:,} or more")
    return number


def check_resamples(resamples: int) -> int:
    """The number of draws behind intervals and p-values; 0 asks for neither.

    >>> check_resamples(0)
    0
    """
    return check_count("resamples", resamples, 0)


def check_seed(rng: int) -> int:
    """A seed, where a study needs one that can be written down and not a generator.

    >>> check_seed(7)
    7
    """
    return check_count("rng", rng, 0)


def check_jobs(jobs: int | None) -> int | None:
    """A number of threads or worker processes; None is one per core.

    >>> check_jobs(None), check_jobs(2)
    (None, 2)
    """
    if jobs is not None and (_whole(jobs) or 0) < 1:
        raise BadParameter(f"jobs={jobs}: a whole number, 1 or more, or None for one per core")
    return jobs


def check_choice(name: str, value: Any, choices: Collection[str]) -> Any:
    """One of the names that there are.

    >>> check_choice("topics", "paired", ("paired", "independent"))
    'paired'
    """
    if value not in choices:
        raise BadParameter(f"{name}={value!r}: one of {', '.join(choices)}")
    return value


def check_name(what: str, name: Any, known: Collection[str]) -> str:
    """A name that there is; raises `UnknownName` with the closest otherwise.

    >>> check_name("estimator", "ml", ("ml", "msqd"))
    'ml'
    """
    if name not in known:
        close = difflib.get_close_matches(str(name), known, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]}? There are: " if close else "there are: "
        raise UnknownName(f"no {what} is called {name!r}; {hint}{', '.join(known)}")
    return str(name)


def check_extra(module: str, problem: str) -> Any:
    """A module of an optional package; raises `BadParameter` with the problem where it is not installed.

    >>> check_extra("math", "there is always math").pi > 3
    True
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        raise BadParameter(problem) from None


def check_memory(needed: float, what: str, way_out: str) -> None:
    """Raise `TooLarge` if a computation needs more bytes of memory than are free.

    >>> check_memory(8.0, "one number", "take none")
    """
    try:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not every platform tells
        return
    if needed > free:
        raise TooLarge(f"{what} takes about {needed / 1e9:,.1f} GB, and {free / 1e9:,.1f} GB are free; {way_out}")


def _whole(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return int(value) if isinstance(value, float) and math.isfinite(value) and value == int(value) else None
