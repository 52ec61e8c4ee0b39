"""`rankscope simulate`: new collections for the same systems, and how much they look like the original."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

import rankscope as rs
from rankscope.cli import options
from rankscope.cli.command import Work, command, refuse
from rankscope.cli.declaring import choice, option
from rankscope.cli.output import make_folder
from rankscope.cli.reading.scores import read_scores
from rankscope.cli.values import COUNT, Whole

NEW_TOPICS = option("--topics", type=Whole(1, 10**8), help="Topics per collection; by default as in SCORES.")
COLLECTIONS_OUTPUT = option(
    "-o",
    "--output",
    "place",
    type=click.Path(path_type=Path),
    help="Write one collection to a file (.csv .tsv .jsonl .parquet), several to a folder, "
    "or a chart of the diagnostics (.svg .png .pdf .html).",
)
DIAGNOSTICS_FORMAT = partial(options.FORMAT, default="table", help="The format of the diagnostics.")
# What only one of the models takes.
EFFECTS = (
    option("--normal", is_flag=True, help="effects: normal residuals; scores may leave their range."),
    option("--homoscedastic", is_flag=True, help="effects: the same variance of residuals for all systems."),
)
MARGINS = (
    choice(
        "--margin",
        choices=("auto", "beta", "normal", "kernel", "beta_binomial", "smoothed", "empirical"),
        default="auto",
        help="margins: one family for all systems, or the best one for each.",
    ),
    choice("--criterion", choices=("aic", "loglik"), default="aic", help="margins: what the best family is chosen by."),
    choice("--copula", choices=("gaussian", "vine"), default="gaussian", help="margins: the dependence of systems."),
    option("--trees", type=COUNT, default=5, help="margins: the number of trees of a vine copula."),
)
UNCORRELATED = option(
    "--uncorrelated", is_flag=True, help="Independent systems: residuals (effects), scores (margins)."
)
RANDOM_TOPICS = option(
    "--random-topics/--non-random-topics", default=True, help="Random topics, or mostly easy or mostly hard ones."
)
DISCRETE = option(
    "--discrete/--continuous", default=None, help="Keep to the values that scores take; by default if there are few."
)

# The extensions of -o that ask for a chart of the diagnostics.
_CHARTS = (".svg", ".png", ".pdf", ".html")


@command(
    *options.ONE_TABLE,
    NEW_TOPICS,
    options.COLLECTIONS,
    COLLECTIONS_OUTPUT,
    options.MODEL,
    *EFFECTS,
    UNCORRELATED,
    RANDOM_TOPICS,
    *MARGINS,
    DISCRETE,
    options.BOUNDS,
    DIAGNOSTICS_FORMAT,
    *options.TABLE_READING,
    *options.SCORE_CHOOSING,
    options.ON_MISSING,
    *options.COMPUTING,
    step="Simulating",
)
def simulate(
    work: Work,
    scores: str,
    measure: str | None,
    score_reading: dict[str, Any],
    on_missing: Any,
    place: Path | None,
    model: Any,
    **settings: Any,
) -> rs.Diagnostics:
    """New collections for the systems of SCORES, whose true means are those in SCORES.

    Prints original against simulated margins, correlations and variance components.
    """
    other, declared = ("margins", MARGINS) if model == "effects" else ("effects", EFFECTS)
    refuse(f"--model {model}", declared, f"use --model {other}")
    table = read_scores(work, "scores", scores, score_reading, measure=measure, on_missing=on_missing)
    simulation = rs.simulate(table, model=model, on_missing=on_missing, **settings)
    if place is not None and place.suffix.lower() in _CHARTS and not _is_folder(place):
        simulation.diagnostics.save(place)
    elif place is not None:
        _write(simulation, place)
    return simulation.diagnostics


def _write(simulation: rs.Simulation, place: Path) -> None:
    """Write one collection to a file, several (or one, if no extension names a format) to a folder."""
    matrices = list(simulation.matrices())
    if len(matrices) == 1 and place.suffix and not _is_folder(place):
        rs.write_scores(matrices[0], place)
        return
    make_folder(place)
    width = len(str(len(matrices)))
    for number, matrix in enumerate(matrices, start=1):
        rs.write_scores(matrix, place / f"collection-{number:0{width}d}.csv")


def _is_folder(path: Path) -> bool:
    from rankscope.files.sources import is_there

    return is_there(path) and path.is_dir()
