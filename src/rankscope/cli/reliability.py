"""`rankscope reliability`: how close is this ranking to the true one, and how many topics would it take?"""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli import options, score_options, streams

# The names in rankscope.inference.expected.ESTIMATORS, which a test compares: importing them would load numpy.
ESTIMATORS = ("msqd", "ml", "res", "kd", "shw", "shwo", "bayes", "bayes_bootstrap")


@click.command()
@click.argument("scores", metavar="SCORES")
@click.option("-m", "--measure", help="Which measure to read, where the file holds several.")
@score_options.columns
@click.option(
    "--target",
    type=options.Real(-1, 1, min_open=True, max_open=True),
    default=0.9,
    show_default=True,
    help="How many topics would take the expected τ here?",
)
@click.option(
    "--estimator",
    type=click.Choice(ESTIMATORS),
    default="msqd",
    show_default=True,
    help="Which estimate to give an interval; all are shown. Other topic counts are by ml if that is it, else msqd.",
)
@click.option(
    "--resamples", type=click.IntRange(min=1), default=1_000, show_default=True, help="Draws behind all that is random."
)
@options.level
@options.output_format
@options.output
@options.seed
@options.jobs
@options.quiet
@options.reports_errors
def reliability(
    scores: str,
    measure: str | None,
    columns: Any,
    target: float,
    estimator: Any,
    resamples: int,
    level: float,
    style: str | None,
    output: str | None,
    seed: int,
    jobs: int | None,
    quiet: bool,
) -> None:
    """How well is the ranking by these topics expected to agree with the true one, over all topics?

    SCORES is a score table (topics × systems). The table has a row per number of topics, with intervals over samples
    of topics such as these.
    """
    from rankscope.files import read_scores
    from rankscope.studies.reliability import reliability as assess
    from rankscope.studies.reliability_words import sentences

    with options.working("Estimating", quiet=quiet):
        found = assess(
            read_scores(scores, measure=measure, columns=columns),
            target=target,
            estimator=estimator,
            level=level,
            resamples=resamples,
            rng=seed,
            jobs=jobs,
        )
    if output is None and style in (None, "table"):
        cell = found.estimator_table().cell
        by = (f"{e.estimator} {cell(e.tau)} {cell(e.tau_ap)}" for e in found.estimators)
        streams.show(*sentences(found), f"Estimates of τ and τ_AP: {', '.join(by)}.", "")
    options.write(found, style=style, output=output)
