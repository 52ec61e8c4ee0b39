"""`rankscope metrics rank`: which few measures say most?"""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli import options
from rankscope.cli.metrics_collections import collections, read

# The names in rankscope.studies.metrics.selection.METHODS, which a test compares: importing them would load numpy.
METHODS = ("backward", "forward", "row_sums")


@click.command()
@collections
@click.option(
    "--by",
    type=click.Choice(("topics", "systems")),
    help="Over cells of topics × systems, or over systems; by default topics, where every collection has them.",
)
@click.option(
    "--matrix",
    type=click.Choice(("covariance", "correlation")),
    default="covariance",
    show_default=True,
    help="Covariance favours measures that vary much; correlation puts all on one scale.",
)
@click.option(
    "--method",
    "methods",
    type=click.Choice(METHODS),
    multiple=True,
    default=("backward", "forward"),
    show_default=True,
    help="May be repeated. Row sums are what the authors' script does in place of their Algorithm 2.",
)
@click.option("--top", "tops", type=click.IntRange(min=1), multiple=True, default=(1, 3, 5, 10), show_default=True,
              metavar="K", help="How often is a measure in the top K? Repeatable.")  # fmt: skip
@click.option(
    "--resamples",
    type=click.IntRange(min=0),
    default=1_000,
    show_default=True,
    help="Draws of topics (of systems, where there are no topics) behind that; 0 for none.",
)
@options.output_format
@options.output
@options.seed
@options.jobs
@options.quiet
@options.reports_errors
def rank(
    tables: tuple[str, ...],
    runs: tuple[tuple[str, str], ...],
    measures: tuple[str, ...],
    on_missing: Any,
    by: Any,
    matrix: Any,
    methods: tuple[Any, ...],
    tops: tuple[int, ...],
    resamples: int,
    style: str | None,
    output: str | None,
    seed: int,
    jobs: int | None,
    quiet: bool,
) -> None:
    """Which measures are most informative and distinctive together, by the determinant of their covariance?

    Backward removes measures one by one, forward takes them in; beside both stands the best set of every size, proven
    so for up to 30 measures.
    """
    from rankscope.studies.metrics.ranking import rank_measures

    with options.working("Ranking measures", quiet=quiet):
        found = rank_measures(
            read(tables, runs, measures, on_missing),
            by=by,
            matrix=matrix,
            methods=methods,
            tops=tops,
            resamples=resamples,
            rng=seed,
            jobs=jobs,
        )
    options.write(found, style=style, output=output)
