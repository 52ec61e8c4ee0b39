"""`rankscope simulate`: new collections for the same systems, and how much they look like the original."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rankscope as rs
from rankscope.cli import options
from rankscope.cli.command import Work, command, refuse
from rankscope.cli.output import make_folder
from rankscope.cli.reading import read_scores

# The extensions of -o that ask for a chart of the diagnostics.
_CHARTS = (".svg", ".png", ".pdf", ".html")


@command(
    *options.ONE_TABLE,
    options.NEW_TOPICS,
    options.COLLECTIONS,
    options.COLLECTIONS_OUTPUT,
    options.MODEL,
    *options.EFFECTS,
    options.UNCORRELATED,
    options.RANDOM_TOPICS,
    *options.MARGINS,
    options.DISCRETE,
    options.BOUNDS,
    options.DIAGNOSTICS_FORMAT,
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
    other, declared = ("margins", options.MARGINS) if model == "effects" else ("effects", options.EFFECTS)
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
