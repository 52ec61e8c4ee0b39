"""`rankscope nulls`: null distributions of rank distances, made once and kept."""

from __future__ import annotations

from pathlib import Path

import click

from rankscope.cli import options


@click.command()
@click.argument("baselines", nargs=-1, required=True, metavar="SCORES...")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Also keep each null here as NAME.npz, for rs.rank_distance_test(…, null=RankDistanceNull.load(path)).",
)
@click.option(
    "--resamples", type=click.IntRange(min=1), default=10_000, show_default=True, help="Draws of topics per baseline."
)
@options.output_format
@options.output
@options.seed
@options.jobs
@options.quiet
@options.reports_errors
def nulls(
    baselines: tuple[str, ...],
    folder: Path | None,
    resamples: int,
    style: str | None,
    output: str | None,
    seed: int,
    jobs: int | None,
    quiet: bool,
) -> None:
    """How far does resampling its topics put each baseline's own ranking? Critical values of the rank distance.

    SCORES are score tables (topics × systems), or folders of them.
    """
    from rankscope.studies.nulls import null_table

    with options.working("Resampling topics", quiet=quiet):
        made = null_table(options.files_in(baselines), resamples=resamples, rng=seed, jobs=jobs)
        if folder is not None:
            options.make_folder(folder)
            made.save_all(folder)
    options.write(made, style=style, output=output)
