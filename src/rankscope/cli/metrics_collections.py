"""What the commands on measures share: the collections they take, from tables and from runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from rankscope.cli import streams
from rankscope.cli.options import Command
from rankscope.errors import BadParameter

if TYPE_CHECKING:
    from rankscope.measure_table import MeasureTable

_COMMA = re.compile(r",(?![^(]*\))")


def collections(command: Command) -> Command:
    """Arguments and options that name collections and their measures."""
    for option in (
        click.option(
            "--on-missing",
            type=click.Choice(("error", "intersect", "zero")),
            default="error",
            show_default=True,
            help="A system or topic that some measure does not score: stop, leave it out, or score it zero.",
        ),
        click.option(
            "-m",
            "--measures",
            multiple=True,
            metavar="MEASURES",
            help="Keep these measures of TABLES, compute these of runs: a comma list, repeatable, or the group "
            "gupta2019 (the default for runs).",
        ),
        click.option(
            "--runs",
            "runs",
            nargs=2,
            multiple=True,
            metavar="RUNS QRELS",
            help="A collection from a folder (file, pattern) of runs and its judgments. Repeatable.",
        ),
        click.argument("tables", nargs=-1, metavar="[TABLES]..."),
    ):
        command = option(command)
    return command


def measure_names(given: Sequence[str]) -> list[str] | None:
    """Names from comma lists, groups expanded; None where none are given."""
    if not given:
        return None
    from rankscope.measures.registry import GROUPS

    words = [word.strip() for text in given for word in _COMMA.split(text) if word.strip()]
    if not words:
        raise BadParameter("--measures names no measure; give a comma list such as AP,nDCG@10, or leave it out")
    return [name for word in words for name in GROUPS.get(word, (word,))]


def read(
    tables: Sequence[str],
    runs: Sequence[tuple[str, str]],
    measures: Sequence[str],
    on_missing: Any,
    *,
    depths: Sequence[int] | None = None,
) -> list[MeasureTable]:
    """All collections: tables first, then those from runs."""
    from rankscope.measure_table import read_measures
    from rankscope.studies.metrics.from_runs import measure_runs

    if not tables and not runs:
        raise BadParameter("no collections; give score tables, or runs and judgments (--runs RUNS QRELS)")
    names = measure_names(measures)
    found = [read_measures(table, measures=names, on_missing=on_missing) for table in tables]
    found += [measure_runs(folder, qrels, names, depths=depths) for folder, qrels in runs]
    for table in found:
        if table.left_out:
            left_out = ", ".join(table.left_out)
            streams.remark(f"{table.name}: left out, since they have no scores by topic: {left_out}")
    return found
