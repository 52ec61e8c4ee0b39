"""How commands declare arguments and options.

A declaration has the name of the library's keyword, so that commands pass values on as they come. Calling it makes the
option, with another default or another type where a command differs. Choices and defaults are written out, since
importing the library would make `--help` slow; `tests/cli/test_options.py` compares them with its signatures.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import click

Declared = Callable[..., click.Parameter]


def argument(name: str, metavar: str, **settings: Any) -> Declared:
    """Declare an argument."""
    return partial(click.Argument, [name], metavar=metavar, **settings)


def option(*names: str, into: str | None = None, key: str | None = None, **settings: Any) -> Declared:
    """Declare an option; its value is None where it may be repeated, has no default and is not given.

    With `into`, the command gets one mapping of that name, with the values of all such options that were given.
    """
    if into is not None:
        settings |= _gathering(into, key)
    elif settings.get("multiple") and not settings.get("required"):
        settings |= {"callback": lambda ctx, param, value: value or None}
    return partial(_Option, names, **{"show_default": True, **settings})


class _Option(click.Option):
    """An option that is refused if it is given twice, unless it is repeatable; click would take the last silently."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Watch how often the parser meets it."""
        super().add_to_parser(parser, ctx)
        if self.multiple or self.is_flag or self.count:
            return
        for known in (parser._long_opt, parser._short_opt):
            for name in known.keys() & set(self.opts):
                known[name].process = partial(self._process_once, known[name].process)

    def _process_once(self, process: Callable[[str, Any], None], value: str, state: Any) -> None:
        if self.name in state.opts:
            given = f"{state.opts[self.name]!r} and {value!r}"
            raise click.UsageError(
                f"{self.opts[-1]} is given twice ({given}) and takes one value; run it once for each."
            )
        process(value, state)


def choice(*names: str, choices: Sequence[str], **settings: Any) -> Declared:
    """Declare an option with a closed set of values."""
    return option(*names, type=click.Choice(choices), **settings)


def gathered(declared: Declared, into: str, key: str) -> Declared:
    """The same option as part of the mapping `into`, under this key."""
    return partial(declared, **_gathering(into, key))


def _gathering(into: str, key: str | None) -> dict[str, Any]:
    return {"expose_value": False, "callback": partial(_gather, into, key)}


def _gather(into: str, key: str | None, ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    values = ctx.params.setdefault(into, {})
    if value is not None:
        values[key or param.name] = value
    return value
