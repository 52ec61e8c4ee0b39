"""`rankscope study topics`: rankings by subsets of the topics."""

from __future__ import annotations

import click

from rankscope.cli import options, run_options, study_options
from rankscope.cli.run_options import Reading
from rankscope.cli.sizes import Sizes


@click.command()
@run_options.runs_argument
@study_options.qrels
@study_options.measures
@study_options.coefficients
@click.option(
    "--sizes",
    type=Sizes(),
    help="Numbers of topics: 5,10,20, 10..50 (in tens), 5..25:5; by default ten steps or fewer, below all topics.",
)
@click.option(
    "--repeats", type=click.IntRange(min=1), default=200, show_default=True, help="How many subsets of each size."
)
@study_options.alpha
@options.resamples
@study_options.checkpoint
@study_options.shared
@options.reports_errors
def topics(
    runs: tuple[str, ...],
    qrels: str,
    measures: tuple[str, ...],
    coefficients: tuple[str, ...],
    sizes: tuple[int, ...] | None,
    repeats: int,
    alpha: float,
    resamples: int,
    checkpoint: str | None,
    reading: Reading,
    style: str | None,
    output: str | None,
    seed: int,
    jobs: int | None,
    quiet: bool,
) -> None:
    """How many topics does it take?

    RUNS are ranked by random subsets of the judged topics, and compared with the ranking by all of them, and by as
    many others.

    \b
        rankscope study topics runs --qrels qrels.txt -m nDCG@10 --sizes 5..40:5
    """  # noqa: D301 (\b is click's mark for lines that must not be wrapped)
    from rankscope.measures import parse_measures
    from rankscope.studies.topic_subsets import study_topics

    chosen = parse_measures(measures)
    run_set, judgments = study_options.read(reading, runs, qrels, jobs=jobs, quiet=quiet)
    study = study_options.run(
        "Drawing topics", study_topics, run_set, judgments, chosen, sizes=sizes, repeats=repeats,
        coefficients=coefficients or None, alpha=alpha, resamples=resamples, rng=seed, jobs=jobs,
        checkpoint=checkpoint, quiet=quiet,
    )  # fmt: skip
    study_options.write(study, which=None, style=style, output=output)
