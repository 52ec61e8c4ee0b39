"""`rankscope study estimators`: error and bias of estimators of the correlation with the true ranking."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from rankscope.cli import options, streams
from rankscope.cli.interrupts import interruptible
from rankscope.cli.progress import Progress
from rankscope.cli.reliability import ESTIMATORS
from rankscope.cli.sizes import Sizes

if TYPE_CHECKING:
    from rankscope.report.text_tables import TextTable
    from rankscope.studies.estimators import EstimatorStudy

# Those that know more coefficients than the paper's two are not the paper's.
PUBLISHED = tuple(name for name in ESTIMATORS if not name.startswith("bayes"))


@click.command()
@click.argument("scores", nargs=-1, required=True, metavar="SCORES...")
@click.option("-m", "--measure", help="Which measure to read, where files hold several.")
@click.option(
    "--sizes",
    type=Sizes(),
    default="10..100",
    show_default=True,
    help="Topics per simulated collection: a comma list of numbers and ranges, 10..100 in tens, 10..100:5 in fives.",
)
@click.option(
    "--collections", type=click.IntRange(min=1), default=1_000, show_default=True, help="Collections of each size."
)
@click.option(
    "-c",
    "--coefficient",
    "coefficients",
    multiple=True,
    default=("tau", "tau_ap"),
    show_default=True,
    help="May be repeated. Others than these two are for the Bayesian estimators only.",
)
@click.option(
    "--estimator",
    "estimators",
    type=click.Choice(ESTIMATORS),
    multiple=True,
    default=PUBLISHED,
    help="May be repeated; by default the six of Urbano & Marrero (2016).",
)
@click.option(
    "--drop",
    type=options.Real(0, 1, max_open=True),
    default=0.25,
    show_default=True,
    help="The share of systems, the worst, to leave out first.",
)
@click.option(
    "--model",
    type=click.Choice(("effects", "margins")),
    default="effects",
    show_default=True,
    help="How to simulate, see rankscope simulate.",
)
@click.option(
    "--bounds", type=options.Real(), nargs=2, default=(0.0, 1.0), show_default=True, help="The range of the scores."
)
@click.option(
    "--resamples", type=click.IntRange(min=1), default=1_000, show_default=True, help="Draws behind random estimators."
)
@click.option(
    "--checkpoint",
    type=click.Path(file_okay=False),
    help="Keep finished parts in this folder; the same command goes on from there.",
)
@click.option("--cluster", metavar="ADDRESS", help="Compute on the Dask cluster whose scheduler is there (tcp://…).")
@click.option(
    "--each", type=click.Path(dir_okay=False), help="Also write every collection's actual value and estimates, as CSV."
)
@click.option(
    "--on-missing",
    type=click.Choice(("error", "intersect", "zero")),
    default="error",
    show_default=True,
    help="A score that is missing: stop, leave its topic out, or take it as zero.",
)
@options.output_format
@options.output
@options.seed
@options.jobs
@options.quiet
@options.reports_errors
def estimators(
    scores: tuple[str, ...],
    measure: str | None,
    sizes: tuple[int, ...],
    collections: int,
    coefficients: tuple[str, ...],
    estimators: tuple[Any, ...],
    drop: float,
    model: Any,
    bounds: tuple[float, float],
    resamples: int,
    checkpoint: str | None,
    cluster: str | None,
    each: str | None,
    on_missing: Any,
    style: str | None,
    output: str | None,
    seed: int,
    jobs: int | None,
    quiet: bool,
) -> None:
    """How far off are estimates of the correlation with the true ranking, by number of topics?

    From each of the SCORES (tables topics × systems, or folders of them) new collections are simulated, for which the
    truth is known: mean absolute error and bias of every estimator, as in Figures 1 and 2 of Urbano & Marrero (2016).
    Beside them stand the mean actual correlation, and its spread: the error of the best constant.
    """
    from rankscope.files import read_scores, write_text
    from rankscope.studies.estimators import study_estimators
    from rankscope.studies.tables import named_tables

    named = named_tables([str(path) for path in options.files_in(scores)])
    tables = {name: read_scores(path, measure=measure, on_missing=on_missing) for name, path in named.items()}
    progress = Progress("Simulating", quiet=quiet)
    try:
        with interruptible():
            study = study_estimators(
                tables, sizes=sizes, collections=collections, coefficients=coefficients, estimators=estimators,
                drop=drop, model=model, bounds=bounds, resamples=resamples, rng=seed, jobs=jobs, checkpoint=checkpoint,
                cluster=cluster, progress=progress,
            )  # fmt: skip
    except KeyboardInterrupt:
        progress.close()
        kept = (
            "nothing is kept without --checkpoint"
            if checkpoint is None
            else f"finished parts are in {checkpoint}, and the same command goes on from there"
        )
        streams.remark(f"rankscope: interrupted; {kept}")
        sys.exit(130)
    progress.close()
    if each is not None:
        write_text(each, study.collection_table().to_csv(safe=options.csv_safe()))
    if output is None and style in (None, "table"):
        streams.show(*_tables(study))
    else:
        options.write(study, style=style, output=output)


def _tables(study: EstimatorStudy) -> Iterator[str | TextTable]:
    """Curves as tables: a person compares estimators along a row."""
    from rankscope.coefficients import coefficient

    for name, systems in study.systems.items():
        for one in study.coefficients:
            symbol = coefficient(one).record.symbol
            for what, meaning in (("error", "mean absolute error"), ("bias", "bias, estimate less actual")):
                title = f"{name}, {systems} systems, {symbol}: {meaning}, ± its standard error"
                yield from (_table(study, name, one, what, title), "")


def _table(study: EstimatorStudy, name: str, coefficient: str, what: str, title: str) -> TextTable:
    from rankscope.report.text_tables import TextTable

    found = {
        (one.topics, one.estimator): (getattr(one, what), getattr(one, f"{what}_se"), one)
        for one in study.errors
        if (one.scores, one.coefficient) == (name, coefficient)
    }
    columns = ("topics", "actual", "spread", *study.estimators)
    rows = []
    for size in study.sizes:
        cells = [found[size, estimator] for estimator in study.estimators]
        numbers = (f"{value:.4f}" + ("" if se is None else f" ±{se:.4f}") for value, se, _ in cells)
        actual = cells[0][2]
        rows.append((str(size), f"{actual.actual:.4f}", f"{actual.spread:.4f}", *numbers))
    return TextTable(columns=columns, rows=tuple(rows), right=frozenset(range(len(columns))), title=title)
