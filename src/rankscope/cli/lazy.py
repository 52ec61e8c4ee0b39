"""A group of commands that imports only the command that is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import click

from rankscope.cli.interrupts import interruptible
from rankscope.cli.streams import prepare


class LazyGroup(click.Group):
    """A group whose command NAME is `NAME` in the module rankscope.cli.NAME, in the order of `names`."""

    def __init__(self, *args: Any, names: Sequence[str], **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.names = tuple(names)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command's name."""
        return list(self.names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, or None if no command has that name."""
        if cmd_name not in self.names:
            return None
        command: click.Command = getattr(importlib.import_module(f"rankscope.cli.{cmd_name}"), cmd_name)
        return command

    def main(self, *args: Any, **settings: Any) -> Any:
        """Parse the command line and run it, with output that any terminal and pipe can take."""
        prepare()
        return super().main(*args, **settings)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; Ctrl-C ends it wherever it is."""
        with interruptible():
            return super().invoke(ctx)
