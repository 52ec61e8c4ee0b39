"""What commands that read score tables share: which columns hold what."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

# The roles of rankscope.files.columns.COLUMN_ROLES, written out so that --help does not import the readers; a test
# holds them equal.
COLUMN_ROLES = ("topic", "system", "score", "measure")

_HELP = {
    "topic": "The column that names topics, in all files; then no other header is taken for one.",
    "system": "The column that names systems.",
    "score": "The column that holds the scores.",
    "measure": "The column that names measures.",
}


def columns(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options that name columns, given to the command as one `columns`: by role, or None where none is named."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        named = {role: kwargs.pop(f"{role}_column") for role in COLUMN_ROLES}
        given = {role: name for role, name in named.items() if name is not None}
        return command(*args, columns=given or None, **kwargs)

    wrapped: Callable[..., Any] = run
    for role in reversed(COLUMN_ROLES):
        wrapped = click.option(f"--{role}-column", metavar="NAME", help=_HELP[role])(wrapped)
    return wrapped
