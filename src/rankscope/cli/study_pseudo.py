"""`rankscope study pseudo`: rankings by random relevance."""

from __future__ import annotations

import click

from rankscope.cli import options, run_options, study_options
from rankscope.cli.run_options import Reading


@click.command()
@run_options.runs_argument
@study_options.qrels
@study_options.measures
@study_options.coefficients
@click.option("--depth", type=click.IntRange(min=1), default=100, show_default=True, help="The depth of the pool.")
@click.option("--draws", type=click.IntRange(min=1), default=50, show_default=True, help="How often to draw.")
@click.option(
    "--duplicates/--no-duplicates",
    default=False,
    show_default=True,
    help="Draw a document more often the more systems have it (Soboroff et al.), or all alike (Carterette).",
)
@study_options.contributing
@study_options.rel
@study_options.alpha
@options.resamples
@study_options.checkpoint
@study_options.table("agreements", "draws")
@study_options.shared
@options.reports_errors
def pseudo(
    runs: tuple[str, ...],
    qrels: str,
    measures: tuple[str, ...],
    coefficients: tuple[str, ...],
    depth: int,
    draws: int,
    duplicates: bool,
    contributing: tuple[str, ...],
    rel: float,
    alpha: float,
    resamples: int,
    checkpoint: str | None,
    which: str | None,
    reading: Reading,
    style: str | None,
    output: str | None,
    seed: int,
    jobs: int | None,
    quiet: bool,
) -> None:
    """How well does a judge rank systems that knows nothing?

    Random documents of the pool are called relevant, as many as the judgments say, and RUNS are ranked by them
    (Soboroff, Nicholas & Cahan 2001): mean and standard deviation of every coefficient and of the rank distance.

    \b
        rankscope study pseudo runs --qrels qrels.txt -m AP --draws 50
    """  # noqa: D301 (\b is click's mark for lines that must not be wrapped)
    from rankscope.measures import parse_measures
    from rankscope.studies.pseudo import study_pseudo

    chosen = parse_measures(measures)
    run_set, judgments = study_options.read(reading, runs, qrels, jobs=jobs, quiet=quiet)
    study = study_options.run(
        "Drawing relevance", study_pseudo, run_set, judgments, chosen, depth=depth, draws=draws, duplicates=duplicates,
        contributing=study_options.contributing_systems(contributing, run_set.systems),
        coefficients=coefficients or None, rel=rel, alpha=alpha, resamples=resamples, rng=seed, jobs=jobs,
        checkpoint=checkpoint, quiet=quiet,
    )  # fmt: skip
    study_options.write(study, which=which, style=style, output=output)
