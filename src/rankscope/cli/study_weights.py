"""`rankscope study weights`: how much each pair of systems weighs in a coefficient."""

from __future__ import annotations

import click

from rankscope.cli import options, streams

# Pairs of each coefficient in the terminal; files have all.
_SHOWN = 10


@click.command()
@click.argument("scores", metavar="SCORES")
@click.option("-m", "--measure", help="Which measure to read, where the file holds several.")
@click.option(
    "-c",
    "--coefficient",
    "coefficients",
    multiple=True,
    metavar="NAME",
    default=("pearson", "tau_ap", "tau_gap"),
    show_default=True,
    help="A coefficient: tau_ap, 'rbo(p=0.8)', tau_gap@10. Repeatable.",
)
@options.output_format
@options.output
@options.jobs
@options.quiet
@options.reports_errors
def weights(
    scores: str,
    measure: str | None,
    coefficients: tuple[str, ...],
    style: str | None,
    output: str | None,
    jobs: int | None,
    quiet: bool,
) -> None:
    """How much does each pair of systems weigh in a coefficient: what does it cost to swap that pair alone?

    SCORES is a score table (topics × systems) or a leaderboard. A loss is 1 − coefficient after the swap, a weight the
    same from 0 to 1 over all pairs (Gao & Oard 2015, Figures 4 to 6).
    """
    from rankscope.files import read_scores
    from rankscope.studies.weights import study_weights

    with options.working("Swapping", quiet=quiet):
        found = study_weights(read_scores(scores, measure=measure), coefficients=coefficients, jobs=jobs)
    if output is not None or style not in (None, "table"):
        options.write(found, style=style, output=output)
        return
    from rankscope.report.text_tables import TextTable

    heaviest = found.heaviest(_SHOWN)
    rows = tuple(tuple(map(heaviest.cell, row)) for row in heaviest.rows)
    streams.show(
        f"The pairs that weigh most, of {len(found.table().rows) // len(found.coefficients):,}\n",
        TextTable(columns=heaviest.columns, rows=rows, right=frozenset({1, 2, 5, 6})),
        "\nAll pairs: --format csv, or a picture: -o weights.svg",
    )
