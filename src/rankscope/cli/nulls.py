"""`rankscope nulls`: null distributions of rank distances, made once and kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankscope.cli import options
from rankscope.cli.command import Work, command
from rankscope.cli.declaring import argument, option
from rankscope.cli.output import make_folder
from rankscope.cli.reading.scores import read_tables

if TYPE_CHECKING:
    from rankscope.results import Result

BASELINES = argument("baselines", "SCORES...", nargs=-1, required=True)
NULLS_FOLDER = option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Also keep each null here as NAME.npz, for rs.rank_distance_test(…, null=RankDistanceNull.load(path)).",
)


@command(
    BASELINES,
    options.MEASURE,
    *options.ALL_TABLE_READING,
    NULLS_FOLDER,
    options.SOME_RESAMPLES(default=10_000),
    *options.WRITING,
    *options.COMPUTING,
    step="Resampling topics",
)
def nulls(
    work: Work,
    baselines: tuple[str, ...],
    measure: str | None,
    score_reading: dict[str, Any],
    on_missing: Any,
    folder: Path | None,
    **settings: Any,
) -> Result:
    """How far is each baseline's ranking from its own under resampled topics? Critical values of the rank distance.

    SCORES are score tables (topics × systems), or folders of them.
    """
    from rankscope.studies.null_table import null_table

    tables = read_tables(work, baselines, score_reading, measure=measure, on_missing=on_missing)
    scores = {name: table.fill(on_missing) for name, table in tables.items()}
    table = null_table(scores, **settings)
    if folder is not None:
        make_folder(folder)
        table.save_all(folder)
    return table
