"""The types of option values that click does not have: finite numbers, lists, numbers of topics, distributions."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import click

_STEP = 10
# A number of topics is less than a hundred million, and a range must not fill the memory either.
_DIGITS = 8
_RANGE = re.compile(r"(\d{1,6})\.\.(\d{1,6})(?::(\d{1,6}))?")


class Real(click.FloatRange):
    """A finite number, within bounds if there are some; click's own type lets nan through every bound."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number", param, ctx)
        return number

    def _describe_range(self) -> str:
        """The bounds in the help; click's own describes a number without bounds as x<=None."""
        return "" if self.min is None and self.max is None else super()._describe_range()


class RealOrNone(Real):
    """A finite number, or `none`.

    >>> RealOrNone().convert("none", None, None), RealOrNone().convert("-1", None, None)
    (None, -1.0)
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number, or None."""
        return None if str(value).strip().lower() == "none" else super().convert(value, param, ctx)


class Whole(click.IntRange):
    """A whole number within bounds, called so in the help."""

    name = "integer"


# A number of something that must be there, and one that may be 0.
COUNT, COUNT_OR_NONE = Whole(min=1), Whole(min=0)

# What lies between 0 and 1, such as the level of a test.
SHARE = Real(0, 1, min_open=True, max_open=True)


class _List(click.ParamType, ABC):  # type: ignore[type-arg]  # not generic before click 8.4
    """Words between commas, each of which stands for one value or several; a tuple is taken as it is."""

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return self.name.upper()

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Any, ...]:
        if isinstance(value, tuple):
            return value
        values: list[Any] = []
        for word in str(value).split(","):
            try:
                values += self.values(word.strip())
            except ValueError as error:
                self.fail(str(error), param, ctx)
        return tuple(values)

    @abstractmethod
    def values(self, word: str) -> Sequence[Any]:
        """The values of one word; a ValueError says what is wrong with it."""


class Numbers(_List):
    """A comma list of numbers; real ones may be in per cent.

    >>> Numbers(int, "depth").convert("1,5,10", None, None), Numbers(float, "fraction").convert("0.1, 35%", None, None)
    ((1, 5, 10), (0.1, 0.35))
    """

    name = "numbers"

    def __init__(self, kind: type[int] | type[float], what: str) -> None:
        self._kind, self._what = kind, what

    def values(self, word: str) -> Sequence[float]:
        """The number."""
        try:
            if self._kind is float and word.endswith("%"):
                return (float(word.removesuffix("%")) / 100.0,)
            return (self._kind(word),)
        except ValueError:
            raise ValueError(f"{word!r} is not a {self._what}; give numbers separated by commas") from None


class Words(_List):
    """A comma list of words.

    >>> Words().convert("rank, system", None, None)
    ('rank', 'system')
    """

    name = "names"

    def values(self, word: str) -> Sequence[str]:
        """The word."""
        return (word,)


class Sizes(_List):
    """A comma list of numbers of topics and ranges of them: `10,20,50`, `10..100` (in tens), `10..100:5` (in fives).

    A range starts at its first number and may stop short of its last.

    >>> Sizes().convert("10..30,50,60..70:5", None, None)
    (10, 20, 30, 50, 60, 65, 70)
    """

    name = "sizes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Any, ...]:
        """Each number once."""
        return tuple(dict.fromkeys(super().convert(value, param, ctx)))

    def values(self, word: str) -> Sequence[int]:
        """The numbers of a range, or one number."""
        match = _RANGE.fullmatch(word)
        if match is not None:
            first, last, step = int(match[1]), int(match[2]), int(match[3] or _STEP)
            if last < first or step < 1:
                raise ValueError(f"{word!r} is an empty range; a range goes up, as 10..100 or 10..100:5")
            return range(first, last + 1, step)
        if not (word.isascii() and word.isdigit() and len(word) <= _DIGITS):
            raise ValueError(f"{word!r} is not a number of topics; give 50, 10..100 or 10..100:5, separated by commas")
        return (int(word),)


class Pair(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.4
    """Two of the given names with a colon between them: `normal:uniform`."""

    name = "pair"

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return "TRUTH:ESTIMATE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        truth, colon, estimate = str(value).partition(":")
        if not colon or truth not in self._names or estimate not in self._names:
            names = ", ".join(self._names)
            self.fail(f"{value!r} is not a pair; give two of {names} with a colon, as in normal:uniform", param, ctx)
        return truth, estimate
