"""A group of commands of which only the one that is asked for is imported."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import click

from rankscope.cli.interrupts import interruptible
from rankscope.cli.streams import prepare


class LazyGroup(click.Group):
    """Finds the command `a-name` as `a_name` in the module rankscope.cli.PREFIXa_name, in the order of `names`."""

    def __init__(self, *args: Any, names: Sequence[str], prefix: str = "", **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.names, self.prefix = tuple(names), prefix

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command's name."""
        return list(self.names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, or None if there is none of that name."""
        if cmd_name not in self.names:
            return None
        function = cmd_name.replace("-", "_")
        command: click.Command = getattr(importlib.import_module(f"rankscope.cli.{self.prefix}{function}"), function)
        return command

    def main(self, *args: Any, **settings: Any) -> Any:
        """Read the command line and run it, with output that any terminal and pipe can take."""
        prepare()
        return super().main(*args, **settings)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was asked for; Ctrl-C ends it wherever it is."""
        with interruptible():
            return super().invoke(ctx)
