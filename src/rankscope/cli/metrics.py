"""`rankscope metrics`: which measures say the same, which can be predicted, which few say most."""

from __future__ import annotations

import importlib

import click

COMMANDS = ("correlate", "predict", "rank")


class _Metrics(click.Group):
    """Imports a command's module when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(importlib.import_module(f"rankscope.cli.metrics_{cmd_name}"), cmd_name)
        return command


@click.group(cls=_Metrics)
def metrics() -> None:
    """Which measures to report: how they correlate, which predict which, which few say most (Gupta et al. 2019).

    A collection is a table of systems × measures, a long table with topics, output of trec_eval, a folder of topics ×
    systems tables (one a measure), or runs with judgments.
    """
