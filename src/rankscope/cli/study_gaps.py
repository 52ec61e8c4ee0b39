"""`rankscope study gaps`: what coefficients make of gaps when all ranks are right."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli import options

# The names in rankscope.studies.gaps.DISTRIBUTIONS, which a test compares: importing them would load numpy.
DISTRIBUTIONS = ("uniform", "normal", "zipf")


class _Pair(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic from click 8.2 on
    """Two distributions with a colon between: `normal:uniform`."""

    name = "pair"

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return "TRUTH:ESTIMATE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        parts = str(value).split(":")
        if len(parts) != 2 or not all(part in DISTRIBUTIONS for part in parts):
            self.fail(f"{value!r}: two of {', '.join(DISTRIBUTIONS)} with a colon, as in normal:uniform", param, ctx)
        return parts[0], parts[1]


@click.command()
@click.option(
    "--systems", type=click.IntRange(min=2), default=50, show_default=True, help="How many systems to simulate."
)
@click.option(
    "--draws", type=click.IntRange(min=1), default=100_000, show_default=True, help="How often to draw their scores."
)
@click.option(
    "--pair",
    "pairs",
    type=_Pair(),
    multiple=True,
    help=f"The distributions of the truth's and of the estimate's scores, of {', '.join(DISTRIBUTIONS)}. Repeatable; "
    "by default the six pairs of the paper.",
)
@click.option(
    "-c",
    "--coefficient",
    "coefficients",
    multiple=True,
    metavar="NAME",
    default=("pearson_rank",),
    show_default=True,
    help="A coefficient: pearson_rank, pearson, 'pearson_rank(symmetric=true)'. Repeatable.",
)
@options.output_format
@options.output
@options.seed
@options.jobs
@options.quiet
@options.reports_errors
def gaps(
    systems: int,
    draws: int,
    pairs: tuple[tuple[str, str], ...],
    coefficients: tuple[str, ...],
    style: str | None,
    output: str | None,
    seed: int,
    jobs: int | None,
    quiet: bool,
) -> None:
    """What do coefficients make of gaps between scores when all ranks are right?

    Scores of truth and estimate are drawn from a distribution each and sorted, so that systems rank alike (Gao,
    Bagdouri & Oard 2016, Figure 3).
    """
    from rankscope.studies.gaps import PAIRS, study_gaps

    with options.working("Drawing", quiet=quiet):
        found = study_gaps(
            systems=systems, draws=draws, pairs=pairs or PAIRS, coefficients=coefficients, rng=seed, jobs=jobs
        )
    options.write(found, style=style, output=output)
