"""`rankscope study depth-cost`: judgments made against agreement reached."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from rankscope.cli import options, study_options
from rankscope.cli.study_options import Asked

if TYPE_CHECKING:
    from rankscope.runs import Judgments

DEPTHS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100)
FRACTIONS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@click.command(name="depth-cost")
@study_options.inputs
@click.option(
    "--judge",
    "judges",
    multiple=True,
    metavar="FILE",
    help="A judge's labels, which fill in below the depth that people judge. Repeatable.",
)
@click.option("--target", type=options.Real(), default=0.9, show_default=True, help="The value to reach.")
@click.option(
    "--target-coefficient",
    default="tau_b",
    show_default=True,
    metavar="NAME",
    help="The coefficient that is to reach it.",
)
@click.option(
    "--price",
    type=options.Real(min=0),
    default=0.0,
    show_default=True,
    help="What a judge's label costs, where a judgment costs 1.",
)
@click.option(
    "--depths",
    type=study_options.Numbers(int, "depth"),
    default=study_options.listed(DEPTHS),
    show_default=True,
    help="The depths of the pools.",
)
@click.option(
    "--fractions",
    type=study_options.Numbers(float, "fraction"),
    default=study_options.listed(FRACTIONS),
    show_default=True,
    help="The fractions of the judgments to keep at random.",
)
@click.option("--repeats", type=click.IntRange(min=1), default=10, show_default=True, help="How often to draw each.")
@study_options.contributing
@study_options.rel
@study_options.asked("points", "cheapest")
def depth_cost(
    asked: Asked,
    judges: tuple[str, ...],
    target: float,
    target_coefficient: str,
    price: float,
    depths: tuple[int, ...],
    fractions: tuple[float, ...],
    repeats: int,
    contributing: tuple[str, ...],
    rel: float,
) -> None:
    """What do judgments cost, and what do they buy?

    RUNS are ranked with shallower pools, with random parts of the judgments, and with people's judgments to a depth and
    a judge's labels below it: the number of judgments against the agreement with the ranking by all, and the cheapest
    mix that reaches a target.

    \b
        rankscope study depth-cost runs --qrels human.qrels --judge llm.qrels -m nDCG@10 --target 0.9
    """  # noqa: D301 (\b is click's mark for lines that must not be wrapped)
    from rankscope.studies.cost_mixes import named_judges
    from rankscope.studies.depth_cost import study_depth_cost

    runs, judgments = asked.read()
    named = named_judges({path: asked.reading.judgments(path) for path in judges})
    if not asked.quiet:
        _say_scales(judgments, named)
    asked.run(
        "Judging less", study_depth_cost, runs, judgments, judges=named, target=target,
        coefficient=target_coefficient, price=price, depths=depths, fractions=fractions, repeats=repeats,
        contributing=study_options.contributing_systems(contributing, runs.systems), rel=rel,
    )  # fmt: skip


def _say_scales(people: Judgments, judges: Mapping[str, Judgments]) -> None:
    """Grades are mixed as they are: say so where they end at different ones."""
    most = people.grades.max(initial=0.0)
    for name, judge in judges.items():
        if len(judge) and judge.grades.max() != most:
            options.remark(
                f"{name} grades up to {judge.grades.max():g} and people up to {most:g}; they are mixed as they are"
            )
