"""`rankscope study reorderings`: rankings that τ cannot tell apart, and the rank distance can."""

from __future__ import annotations

import click

from rankscope.cli import options


@click.command()
@click.argument("scores", metavar="SCORES")
@click.option("-m", "--measure", help="Which measure to read, where the file holds several.")
@click.option(
    "--tau",
    type=options.Real(0, 1, max_open=True),
    default=0.9,
    show_default=True,
    help="Kendall's τ of all rankings.",
)
@click.option("--count", type=click.IntRange(min=1), default=4, show_default=True, help="How many rankings to show.")
@click.option(
    "--draws", type=click.IntRange(min=1), default=2_000, show_default=True, help="Rankings drawn, to choose from."
)
@click.option(
    "--resamples",
    type=click.IntRange(min=0),
    default=1_000,
    show_default=True,
    help="Draws of topics behind p; 0 for none.",
)
@click.option(
    "--alpha",
    type=options.SHARE,
    default=0.05,
    show_default=True,
    help="The level of the critical value.",
)
@options.output_format
@options.output
@options.seed
@options.jobs
@options.quiet
@options.reports_errors
def reorderings(
    scores: str,
    measure: str | None,
    tau: float,
    count: int,
    draws: int,
    resamples: int,
    alpha: float,
    style: str | None,
    output: str | None,
    seed: int,
    jobs: int | None,
    quiet: bool,
) -> None:
    """How different can rankings be that all have the same Kendall's τ with the truth?

    SCORES is a score table (topics × systems). The rankings have rank distances from small to large (Carterette 2009,
    Figure 1).
    """
    from rankscope.files import read_scores
    from rankscope.studies.reorderings import study_reorderings

    with options.working("Reordering", quiet=quiet):
        found = study_reorderings(
            read_scores(scores, measure=measure),
            tau=tau,
            count=count,
            draws=draws,
            resamples=resamples,
            alpha=alpha,
            rng=seed,
            jobs=jobs,
        )
    options.write(found, style=style, output=output)
