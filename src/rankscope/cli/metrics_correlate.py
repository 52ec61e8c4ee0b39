"""`rankscope metrics correlate`: which measures say the same?"""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli import options
from rankscope.cli.metrics_collections import collections, read


@click.command()
@collections
@click.option(
    "--by",
    type=click.Choice(("topics", "systems")),
    help="Over cells of topics × systems, or over systems; by default topics, where every collection has them.",
)
@click.option("-c", "--coefficient", default="pearson", show_default=True, help="Any coefficient, see compare.")
@click.option("--each", is_flag=True, help="Each collection on its own; by default all are pooled.")
@click.option(
    "--threshold",
    type=options.Real(-1, 1),
    default=0.9,
    show_default=True,
    help="Measures are grouped while their mean correlation is at least this.",
)
@click.option(
    "--resamples", type=click.IntRange(min=0), default=1_000, show_default=True, help="Draws of topics; 0 for none."
)
@options.level
@options.output_format
@options.output
@options.seed
@options.jobs
@options.quiet
@options.reports_errors
def correlate(
    tables: tuple[str, ...],
    runs: tuple[tuple[str, str], ...],
    measures: tuple[str, ...],
    on_missing: Any,
    by: Any,
    coefficient: str,
    each: bool,
    threshold: float,
    resamples: int,
    level: float,
    style: str | None,
    output: str | None,
    seed: int,
    jobs: int | None,
    quiet: bool,
) -> None:
    """How do measures correlate, and which form groups?

    Prints each measure's strongest partner, groups, the measure least like the others, and all correlations. -o with
    .png, .svg or .pdf draws them as a heat map in the order of the clusters.
    """
    from rankscope.studies.metrics.correlation import correlate_measures

    with options.working("Correlating", quiet=quiet):
        found = correlate_measures(
            read(tables, runs, measures, on_missing),
            by=by,
            coefficient=coefficient,
            pooled=not each,
            threshold=threshold,
            resamples=resamples,
            level=level,
            rng=seed,
            jobs=jobs,
        )
    options.write(found, style=style, output=output)
