"""`rankscope study pool-depth`: rankings from shallower pools."""

from __future__ import annotations

import click

from rankscope.cli import options, study_options
from rankscope.cli.study_options import Asked

DEPTHS = (1, 5, 10, 25, 50, 100)


@click.command(name="pool-depth")
@study_options.inputs
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
@study_options.asked("agreements", "pools")
def pool_depth(
    asked: Asked,
    depths: tuple[int, ...],
    contributing: tuple[str, ...],
    rel: float,
    resamples: int,
    level: float,
) -> None:
    """Would judging fewer documents of each run have ranked the systems alike?

    RUNS are ranked with the judgments of a pool to each depth only, and compared with all judgments: number of
    judgments, every coefficient with its interval over topics, rank distance with p (Table 2 of Carterette 2009).

    \b
        rankscope study pool-depth runs --qrels qrels.txt -m AP --depths 1,5,10,25,50
    """  # noqa: D301 (\b is click's mark for lines that must not be wrapped)
    from rankscope.studies.pool_depth import study_pool_depth

    runs, judgments = asked.read()
    asked.run(
        "Pooling", study_pool_depth, runs, judgments, depths=depths,
        contributing=study_options.contributing_systems(contributing, runs.systems),
        rel=rel, resamples=resamples, level=level,
    )  # fmt: skip
