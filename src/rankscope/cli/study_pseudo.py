"""`rankscope study pseudo`: rankings by random relevance."""

from __future__ import annotations

import click

from rankscope.cli import options, study_options
from rankscope.cli.study_options import Asked


@click.command()
@study_options.inputs
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
@study_options.asked("agreements", "draws")
def pseudo(
    asked: Asked,
    depth: int,
    draws: int,
    duplicates: bool,
    contributing: tuple[str, ...],
    rel: float,
    alpha: float,
    resamples: int,
) -> None:
    """How well do random labels rank the systems?

    Random documents of the pool are called relevant, as many as the judgments say, and RUNS are ranked by them
    (Soboroff, Nicholas & Cahan 2001): mean and standard deviation of every coefficient and of the rank distance.

    \b
        rankscope study pseudo runs --qrels qrels.txt -m AP --draws 50
    """  # noqa: D301 (\b is click's mark for lines that must not be wrapped)
    from rankscope.studies.pseudo import study_pseudo

    runs, judgments = asked.read()
    asked.run(
        "Drawing relevance", study_pseudo, runs, judgments, depth=depth, draws=draws, duplicates=duplicates,
        contributing=study_options.contributing_systems(contributing, runs.systems),
        rel=rel, alpha=alpha, resamples=resamples,
    )  # fmt: skip
