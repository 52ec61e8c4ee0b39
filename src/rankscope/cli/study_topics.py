"""`rankscope study topics`: rankings by subsets of the topics."""

from __future__ import annotations

import click

from rankscope.cli import options, study_options
from rankscope.cli.sizes import Sizes
from rankscope.cli.study_options import Asked


@click.command()
@study_options.inputs
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
@study_options.asked()
def topics(
    asked: Asked,
    sizes: tuple[int, ...] | None,
    repeats: int,
    alpha: float,
    resamples: int,
) -> None:
    """How many topics does it take?

    RUNS are ranked by random subsets of the judged topics, and compared with the ranking by all of them, and by as
    many others.

    \b
        rankscope study topics runs --qrels qrels.txt -m nDCG@10 --sizes 5..40:5
    """  # noqa: D301 (\b is click's mark for lines that must not be wrapped)
    from rankscope.studies.topic_subsets import study_topics

    runs, judgments = asked.read()
    asked.run(
        "Drawing topics", study_topics, runs, judgments, sizes=sizes, repeats=repeats,
        alpha=alpha, resamples=resamples,
    )  # fmt: skip
