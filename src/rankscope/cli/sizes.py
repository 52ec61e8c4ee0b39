"""Numbers of topics as an option: `10,20,50`, `10..100` (in tens), `10..100:5` (in fives)."""

from __future__ import annotations

import re
from typing import Any

import click

_STEP = 10
# A number of topics is less than a hundred million, and a range does not fill the memory either.
_DIGITS = 8
_RANGE = re.compile(r"(\d{1,6})\.\.(\d{1,6})(?::(\d{1,6}))?")


class Sizes(click.ParamType):  # type: ignore[type-arg]  # generic in late clicks only
    """A comma list of numbers and ranges; a range starts at its first number and may stop short of its last.

    >>> Sizes().convert("10..30,50,60..70:5", None, None)
    (10, 20, 30, 50, 60, 65, 70)
    """

    name = "sizes"

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return "SIZES"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        found: list[int] = []
        for part in str(value).split(","):
            word = part.strip()
            match = _RANGE.fullmatch(word)
            if match is not None:
                first, last, step = int(match[1]), int(match[2]), int(match[3] or _STEP)
                if last < first or step < 1:
                    self.fail(f"{word!r} holds no number; a range goes up, as 10..100 or 10..100:5", param, ctx)
                found += range(first, last + 1, step)
            elif word.isascii() and word.isdigit() and len(word) <= _DIGITS:
                found.append(int(word))
            else:
                self.fail(f"{word!r} is no number of topics; write 50, 10..100 or 10..100:5, with commas", param, ctx)
        return tuple(dict.fromkeys(found))
