"""`rankscope study holes`: rankings from random parts of the judgments."""

from __future__ import annotations

import click

from rankscope.cli import options, study_options
from rankscope.cli.study_options import Asked

FRACTIONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@click.command()
@study_options.inputs
@click.option(
    "--fractions",
    type=study_options.Numbers(float, "fraction"),
    default=study_options.listed(FRACTIONS),
    show_default=True,
    help="The fractions of the judgments to keep.",
)
@click.option("--repeats", type=click.IntRange(min=1), default=30, show_default=True, help="How often to draw each.")
@study_options.rel
@study_options.alpha
@options.resamples
@study_options.asked("agreements", "losses")
def holes(
    asked: Asked,
    fractions: tuple[float, ...],
    repeats: int,
    rel: float,
    alpha: float,
    resamples: int,
) -> None:
    """How many judgments may be missing?

    A random fraction of the judgments is kept, in each topic of its relevant and of its other documents alike, one of
    each at least, and RUNS are ranked with these: coefficients, rank distance and p against completeness, and where
    the difference from the full ranking ceases to be significant (Buckley & Voorhees 2004; Figure 4 of Carterette
    2009).

    \b
        rankscope study holes runs --qrels qrels.txt -m AP -m bpref --repeats 30
    """  # noqa: D301 (\b is click's mark for lines that must not be wrapped)
    from rankscope.studies.holes import study_holes

    runs, judgments = asked.read()
    asked.run(
        "Drawing judgments", study_holes, runs, judgments, fractions=fractions, repeats=repeats,
        rel=rel, alpha=alpha, resamples=resamples,
    )  # fmt: skip
