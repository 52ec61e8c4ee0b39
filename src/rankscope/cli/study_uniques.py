"""`rankscope study uniques`: each system, or team, without what it alone brought to the judgments."""

from __future__ import annotations

import click

from rankscope.cli import options, study_options
from rankscope.cli.study_options import Asked


@click.command()
@study_options.inputs
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
@study_options.asked("systems", "agreements", "contributions")
def uniques(
    asked: Asked,
    groups: str | None,
    contributing: tuple[str, ...],
    depth: int | None,
    rel: float,
    resamples: int,
    level: float,
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
    from rankscope.studies.uniques import study_uniques

    teams = None if groups is None else read_groups(groups)
    runs, judgments = asked.read()
    asked.run(
        "Leaving out", study_uniques, runs, judgments, groups=teams,
        contributing=study_options.contributing_systems(contributing, runs.systems), depth=depth,
        rel=rel, resamples=resamples, level=level,
    )  # fmt: skip
