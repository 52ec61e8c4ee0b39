"""`rankscope study`: questions that take many simulated or resampled evaluations, each a command of its own.

To add one, write `cli/study_NAME.py` with the command in a function named like the command (`-` becomes `_`), and put
its name in STUDIES.
"""

from __future__ import annotations

import importlib

import click

STUDIES = (
    "depth-cost",
    "estimators",
    "gaps",
    "holes",
    "pool-depth",
    "pseudo",
    "reorderings",
    "swaps",
    "topics",
    "uniques",
    "weights",
)  # fmt: skip


class _Studies(click.Group):
    """Imports a command's module when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(STUDIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in STUDIES:
            return None
        function = cmd_name.replace("-", "_")
        command: click.Command = getattr(importlib.import_module(f"rankscope.cli.study_{function}"), function)
        return command


@click.group(cls=_Studies)
def study() -> None:
    """Questions that take many evaluations: how good are estimators, and the like."""
