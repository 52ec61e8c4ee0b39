"""`rankscope metrics`: which measures say the same, which can be predicted, which few say most."""

from __future__ import annotations

import click

from rankscope.cli.lazy import LazyGroup

COMMANDS = ("correlate", "predict", "rank")


@click.group(cls=LazyGroup, names=COMMANDS, prefix="metrics_")
def metrics() -> None:
    """Which measures to report: how they correlate, which predict which, which few say most (Gupta et al. 2019).

    A collection is a table of systems × measures, a long table with topics, output of trec_eval, a folder of topics ×
    systems tables (one a measure), or runs with judgments.
    """
