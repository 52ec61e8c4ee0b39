"""`rankscope study uniques`: each system, or team, without what it alone brought to the judgments."""

from __future__ import annotations

import click

from rankscope.cli import options, run_options, study_options
from rankscope.cli.run_options import Reading


@click.command()
@run_options.runs_argument
@study_options.qrels
@study_options.measures
@study_options.coefficients
@click.option(
    "--groups",
    metavar="FILE[:COLUMN]",
    help="A table with the group of each system, such as its team; the column of groups where there are several. "
    "Default: each system on its own.",
)
@study_options.contributing
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    help="The depth of the pool; by default the greatest to which 99 % of the pooled runs' documents are judged.",
)
@study_options.rel
@options.resamples
@options.level
@study_options.checkpoint
@study_options.table("systems", "agreements", "contributions")
@study_options.shared
@options.reports_errors
def uniques(
    runs: tuple[str, ...],
    qrels: str,
    measures: tuple[str, ...],
    coefficients: tuple[str, ...],
    groups: str | None,
    contributing: tuple[str, ...],
    depth: int | None,
    rel: float,
    resamples: int,
    level: float,
    checkpoint: str | None,
    which: str | None,
    reading: Reading,
    style: str | None,
    output: str | None,
    seed: int,
    jobs: int | None,
    quiet: bool,
) -> None:
    """Could a system that was not pooled be judged fairly with these judgments?

    Each of the RUNS is scored without the judgments of documents that only it, or only its group, brought to the pool:
    how its score and rank change, and how the ranking by such scores agrees with that by all judgments (Gao, Bagdouri
    & Oard 2016).

    \b
        rankscope study uniques runs --qrels qrels.txt --groups leaderboard.csv:team \\
            --contributing 'leaderboard.csv:pooled=yes'
    """  # noqa: D301 (\b is click's mark for lines that must not be wrapped)
    from rankscope.files.groups import read_groups
    from rankscope.measures import parse_measures
    from rankscope.studies.uniques import study_uniques

    chosen = parse_measures(measures)
    teams = None if groups is None else read_groups(groups)
    run_set, judgments = study_options.read(reading, runs, qrels, jobs=jobs, quiet=quiet)
    study = study_options.run(
        "Leaving out", study_uniques, run_set, judgments, chosen, groups=teams,
        contributing=study_options.contributing_systems(contributing, run_set.systems), depth=depth,
        coefficients=coefficients or None, rel=rel, resamples=resamples, level=level, rng=seed, jobs=jobs,
        checkpoint=checkpoint, quiet=quiet,
    )  # fmt: skip
    study_options.write(study, which=which, style=style, output=output)
