"""`rankscope simulate`: new collections for the same systems, and how much they look like the old one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankscope.cli import options, score_options

if TYPE_CHECKING:
    from rankscope.scores import OnMissing
    from rankscope.simulation import Simulation
    from rankscope.simulation.copulas import CopulaName
    from rankscope.simulation.margin_families import Criterion, MarginName
    from rankscope.simulation.models import ModelName


# What -o takes for a picture, and not for a folder of that name.
_CHARTS = (".svg", ".png", ".pdf", ".html")


@click.command()
@click.argument("scores", metavar="SCORES")
@click.option("--topics", type=click.IntRange(1, 10**8), help="Topics per collection; by default as many as in SCORES.")
@click.option("--collections", type=click.IntRange(min=1), default=1, show_default=True, help="How many collections.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Write the collections here: a file (.csv .tsv .jsonl .parquet) for one, a folder for several; or the "
    "diagnostics as a chart: .svg .png .pdf .html.",
)
@click.option(
    "--model",
    type=click.Choice(("effects", "margins")),
    default="effects",
    show_default=True,
    help="Effects on the logit scale (Urbano 2016), or a fitted margin per system (Urbano & Nagler 2018).",
)
@click.option("--normal", is_flag=True, help="effects: normal residuals; scores may leave their range.")
@click.option("--homoscedastic", is_flag=True, help="effects: residuals equally spread for all systems.")
@click.option("--uncorrelated", is_flag=True, help="Residuals (margins: scores) of systems independent.")
@click.option("--non-random-topics", is_flag=True, help="Topics that lean to easy or to hard ones.")
@click.option(
    "--margin",
    type=click.Choice(("auto", "beta", "normal", "kernel", "beta_binomial", "smoothed", "empirical")),
    default="auto",
    show_default=True,
    help="margins: one family for all systems, or for each the best.",
)
@click.option(
    "--criterion", type=click.Choice(("aic", "loglik")), default="aic", show_default=True, help="The best by."
)
@click.option(
    "--copula",
    type=click.Choice(("gaussian", "vine")),
    default="gaussian",
    show_default=True,
    help="margins: dependence.",
)
@click.option("--trees", type=click.IntRange(min=1), default=5, show_default=True, help="Trees of the vine.")
@click.option("--discrete/--continuous", default=None, help="Keep the few values that scores take; by default as seen.")
@click.option(
    "--bounds", type=options.Real(), nargs=2, default=(0.0, 1.0), show_default=True, help="The range of the scores."
)
@click.option(
    "--format",
    "style",
    type=click.Choice(options.OUTPUT_FORMATS),
    default="table",
    show_default=True,
    help="How to print the diagnostics.",
)
@score_options.columns
@click.option(
    "--on-missing",
    type=click.Choice(("error", "intersect", "zero")),
    default="error",
    show_default=True,
    help="A score that is missing: stop, leave its topic out, or take it as zero.",
)
@options.seed
@options.jobs
@options.quiet
@options.reports_errors
def simulate(
    scores: str,
    topics: int | None,
    collections: int,
    output: Path | None,
    model: ModelName,
    normal: bool,
    homoscedastic: bool,
    uncorrelated: bool,
    non_random_topics: bool,
    margin: MarginName,
    criterion: Criterion,
    copula: CopulaName,
    trees: int,
    discrete: bool | None,
    bounds: tuple[float, float],
    style: str,
    columns: Any,
    on_missing: OnMissing,
    seed: int,
    jobs: int | None,
    quiet: bool,
) -> None:
    """New collections for the systems of SCORES, whose true means are those in SCORES.

    Prints original against simulated margins, correlations and variance components.
    """
    from rankscope.files import read_scores
    from rankscope.simulation import simulate as simulated

    with options.working("Simulating", quiet=quiet):
        made = simulated(
            read_scores(scores, columns=columns, on_missing="keep"), topics=topics, collections=collections, rng=seed,
            model=model, normal=normal, homoscedastic=homoscedastic, uncorrelated=uncorrelated,
            random_topics=not non_random_topics, margin=margin, criterion=criterion, copula=copula, trees=trees,
            discrete=discrete, bounds=bounds, on_missing=on_missing, jobs=jobs,
        )  # fmt: skip
        if output is not None and output.suffix.lower() in _CHARTS and not _is_folder(output):
            made.diagnostics.save(output)
        elif output is not None:
            _write(made, output)
    options.write(made.diagnostics, style=style, output=None)


def _write(made: Simulation, output: Path) -> None:
    """One collection to a file, several (or one, where no ending says a format) to a folder."""
    from rankscope.files import write_scores

    matrices = list(made.matrices())
    if len(matrices) == 1 and output.suffix and not _is_folder(output):
        write_scores(matrices[0], output)
        return
    options.make_folder(output)
    width = len(str(len(matrices)))
    for number, matrix in enumerate(matrices, start=1):
        write_scores(matrix, output / f"collection-{number:0{width}d}.csv")


def _is_folder(path: Path) -> bool:
    from rankscope.files.sources import is_there

    return is_there(path) and path.is_dir()
