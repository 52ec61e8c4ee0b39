"""`rankscope metrics predict`: a measure from few others, on collections that the model has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from rankscope.cli import options
from rankscope.cli.metrics_collections import collections, measure_names, read

if TYPE_CHECKING:
    from rankscope.measure_table import MeasureTable
    from rankscope.results import Result

# The names in rankscope.studies.metrics.nonlinear.MODELS, which a test compares: importing them would load numpy.
MODELS = ("linear", "svr", "boosting")


@click.command()
@collections
@click.option(
    "--dev",
    "development",
    multiple=True,
    metavar="TABLE",
    help="Choose predictors on this collection: a table, or the name of one from --runs. Repeatable. Without it, by "
    "leaving each training collection out in turn.",
)
@click.option(
    "--test", "tests", multiple=True, metavar="TABLE", help="Report on this collection too, likewise. Repeatable."
)
@click.option(
    "-t", "--target", "targets", multiple=True, metavar="MEASURE", help="Predict this; by default each. Repeatable."
)
@click.option(
    "--using",
    "predictors",
    multiple=True,
    metavar="MEASURES",
    help="Predict from these, a comma list; by default all others.",
)
@click.option(
    "--max-predictors", type=click.IntRange(min=1), help="How many at most; by default 3, by depth any number."
)
@click.option(
    "--choose",
    type=click.Choice(("tau", "r2")),
    default="tau",
    show_default=True,
    help="The best predictors by Kendall's τ, or by R².",
)
@click.option(
    "--model",
    "models",
    type=click.Choice(MODELS),
    multiple=True,
    default=("linear",),
    show_default=True,
    help="May be repeated, to compare. Support vectors and boosted trees need pip install 'rankscope[learn]'.",
)
@click.option(
    "--search",
    type=click.Choice(("linear", "own")),
    default="linear",
    show_default=True,
    help="Do other models take the linear model's predictors, or look for their own (slow)?",
)
@click.option(
    "--given",
    metavar="SCORES",
    help="Predict one system's --target from these scores: 'P@10=0.51,RR=0.7'. All collections train.",
)
@click.option("--by-depth", is_flag=True, help="Deep measures from shallow ones; columns are called 30_map or 30:AP.")
@click.option(
    "--low",
    type=click.IntRange(min=1),
    multiple=True,
    metavar="DEPTH",
    help="A shallow depth; by default those up to 50. Repeatable.",
)
@click.option(
    "--high",
    type=click.IntRange(min=1),
    multiple=True,
    metavar="DEPTH",
    help="A deep one; by default those beyond 50. Repeatable.",
)
@options.level
@options.output_format
@options.output
@options.seed
@options.quiet
@options.reports_errors
def predict(
    tables: tuple[str, ...],
    runs: tuple[tuple[str, str], ...],
    measures: tuple[str, ...],
    on_missing: Any,
    development: tuple[str, ...],
    tests: tuple[str, ...],
    targets: tuple[str, ...],
    predictors: tuple[str, ...],
    max_predictors: int | None,
    choose: Any,
    models: tuple[Any, ...],
    search: Any,
    given: str | None,
    by_depth: bool,
    low: tuple[int, ...],
    high: tuple[int, ...],
    level: float,
    style: str | None,
    output: str | None,
    seed: int,
    quiet: bool,
) -> None:
    """Which measures can be predicted from which few others?

    TABLES and --runs are fitted on. For each target and number of predictors, the best of all subsets is chosen on
    --dev and then used on each --test. With --given, one score with its prediction interval.
    """
    from rankscope.errors import BadParameter
    from rankscope.studies.metrics.depths import HIGH, LOW, predict_deep_measures
    from rankscope.studies.metrics.given import predict_measure
    from rankscope.studies.metrics.prediction import MAX_PREDICTORS, predict_measures

    if given is not None and by_depth:
        raise BadParameter("--given predicts one score and --by-depth a table of them; use one of the two")
    if (low or high) and not by_depth:
        raise BadParameter("--low and --high say which depths --by-depth compares; add it, or leave them out")
    if given is not None and len(targets) != 1:
        raise BadParameter("--given predicts one measure; say which, once: --target AP")
    with options.working("Predicting", quiet=quiet):
        depths = sorted({*(low or LOW), *(high or HIGH)}) if by_depth else None
        everything = read(tables, runs, measures, on_missing, depths=depths)
        train, dev, test = _roles(everything, len(tables), development, tests, measures, on_missing)
        found: Result
        if given is not None:
            found = predict_measure([*train, *dev, *test], given=given, target=targets[0], level=level)
        elif by_depth:
            found = predict_deep_measures(
                train,
                development=dev,
                tests=test,
                targets=targets or None,
                low=low or None,
                high=high or None,
                max_predictors=max_predictors,
                choose=choose,
                level=level,
            )
        else:
            found = predict_measures(
                train,
                development=dev,
                tests=test,
                targets=targets or None,
                predictors=measure_names(predictors),
                max_predictors=MAX_PREDICTORS if max_predictors is None else max_predictors,
                choose=choose,
                models=models,
                search=search,
                level=level,
                rng=seed,
            )
    options.write(found, style=style, output=output)


def _roles(
    everything: Sequence[MeasureTable],
    from_tables: int,
    development: Sequence[str],
    tests: Sequence[str],
    measures: Sequence[str],
    on_missing: Any,
) -> tuple[list[MeasureTable], list[MeasureTable], list[MeasureTable]]:
    """Training, development and test collections; those from runs train unless --dev or --test names them."""
    named = {table.name: table for table in everything[from_tables:]}
    train = [*everything[:from_tables], *(t for n, t in named.items() if n not in (*development, *tests))]

    def found(names: Sequence[str]) -> list[MeasureTable]:
        return [named[n] if n in named else read([n], (), measures, on_missing)[0] for n in names]

    return train, found(development), found(tests)
