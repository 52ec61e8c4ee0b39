"""`rankscope study pool-depth`: rankings from shallower pools."""

from __future__ import annotations

import click

from rankscope.cli import options, run_options, study_options
from rankscope.cli.run_options import Reading

DEPTHS = (1, 5, 10, 25, 50, 100)


@click.command(name="pool-depth")
@run_options.runs_argument
@study_options.qrels
@study_options.measures
@study_options.coefficients
@click.option(
    "--depths",
    type=study_options.Numbers(int, "depth"),
    default=study_options.listed(DEPTHS),
    show_default=True,
    help="The depths of the pools.",
)
@study_options.contributing
@study_options.rel
@options.resamples
@options.level
@study_options.checkpoint
@study_options.table("agreements", "pools")
@study_options.shared
@options.reports_errors
def pool_depth(
    runs: tuple[str, ...],
    qrels: str,
    measures: tuple[str, ...],
    coefficients: tuple[str, ...],
    depths: tuple[int, ...],
    contributing: tuple[str, ...],
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
    """Would judging fewer documents of each run have ranked the systems alike?

    RUNS are ranked with the judgments of a pool to each depth only, and compared with all judgments: number of
    judgments, every coefficient with its interval over topics, rank distance with p (Table 2 of Carterette 2009).

    \b
        rankscope study pool-depth runs --qrels qrels.txt -m AP --depths 1,5,10,25,50
    """  # noqa: D301 (\b is click's mark for lines that must not be wrapped)
    from rankscope.measures import parse_measures
    from rankscope.studies.pool_depth import study_pool_depth

    chosen = parse_measures(measures)
    run_set, judgments = study_options.read(reading, runs, qrels, jobs=jobs, quiet=quiet)
    study = study_options.run(
        "Pooling", study_pool_depth, run_set, judgments, chosen, depths=depths,
        contributing=study_options.contributing_systems(contributing, run_set.systems),
        coefficients=coefficients or None, rel=rel, resamples=resamples, level=level, rng=seed, jobs=jobs,
        checkpoint=checkpoint, quiet=quiet,
    )  # fmt: skip
    study_options.write(study, which=which, style=style, output=output)
