"""`rankscope study swaps`: what random swaps do to coefficients."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli import options, streams


@click.command()
@click.argument("scores", metavar="SCORES")
@click.option("-m", "--measure", help="Which measure to read, where the file holds several.")
@click.option(
    "-k", "--swaps", type=click.IntRange(min=1), default=5, show_default=True, help="Pairs to swap in each draw."
)
@click.option("--draws", type=click.IntRange(min=1), default=1_000, show_default=True, help="How often to draw them.")
@click.option(
    "--among",
    type=click.Choice(("significant", "others")),
    multiple=True,
    default=("significant", "others"),
    show_default=True,
    help="Pairs that differ significantly, or those that do not. May be repeated.",
)
@click.option(
    "-c",
    "--coefficient",
    "coefficients",
    multiple=True,
    metavar="NAME",
    help="A coefficient: tau_ap, 'rbo(p=0.8)', tau_gap@10. Repeatable; default all.",
)
@click.option(
    "--test",
    type=click.Choice(("t", "wilcoxon", "randomisation", "bootstrap", "tukey")),
    default="t",
    show_default=True,
    help="How pairs are tested.",
)
@click.option(
    "--correction",
    type=click.Choice(("none", "bonferroni", "holm", "bh")),
    default="none",
    show_default=True,
    help="How those many tests are corrected.",
)
@click.option(
    "--alpha",
    type=options.SHARE,
    default=0.05,
    show_default=True,
    help="At which level a pair differs significantly.",
)
@options.output_format
@options.output
@options.seed
@options.jobs
@options.quiet
@options.reports_errors
def swaps(
    scores: str,
    measure: str | None,
    swaps: int,
    draws: int,
    among: tuple[Any, ...],
    coefficients: tuple[str, ...],
    test: Any,
    correction: Any,
    alpha: float,
    style: str | None,
    output: str | None,
    seed: int,
    jobs: int | None,
    quiet: bool,
) -> None:
    """What do coefficients make of random swaps, between systems that differ significantly and between others?

    SCORES is a score table (topics × systems), whose means are the truth. In each draw some pairs of systems exchange
    their scores (Gao & Oard 2015, Figures 1 to 3).
    """
    from rankscope.files import read_scores
    from rankscope.studies.swaps import study_swaps

    with options.working("Swapping", quiet=quiet):
        found = study_swaps(
            read_scores(scores, measure=measure),
            swaps=swaps,
            draws=draws,
            among=among,
            coefficients=coefficients or None,
            test=test,
            correction=correction,
            alpha=alpha,
            rng=seed,
            jobs=jobs,
        )
    if output is None and style in (None, "table"):
        every = sum(found.pairs.values())
        differ = f"{found.pairs['significant']:,} of {every:,} pairs differ significantly ({found.share:.1%})"
        streams.show(f"{differ}; coefficients over {draws:,} draws of {swaps} swaps:\n")
    options.write(found, style=style, output=output)
