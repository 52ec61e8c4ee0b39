"""`rankscope metrics`: which measures say the same, which can be predicted, which few say most."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import click

import rankscope as rs
from rankscope.cli import options
from rankscope.cli.command import Work, command, refuse
from rankscope.cli.declaring import argument, choice, option
from rankscope.cli.reading.scores import table_keywords
from rankscope.cli.sources import parse_source
from rankscope.cli.values import COUNT, Real
from rankscope.defaults import FEWER_RESAMPLES

ON_MISSING_MEASURES = choice(
    "--on-missing",
    choices=("error", "intersect", "zero"),
    default="error",
    help="Scores that some measure lacks: stop, leave the system or topic out, or score it zero.",
)
ON_MISSING_PAIRWISE = choice(
    "--on-missing",
    choices=("error", "intersect", "zero", "pairwise"),
    default="error",
    help="Scores that some measure lacks: stop, leave the system or topic out, score it zero, or correlate every two "
    "measures over what both have.",
)
TABLES = argument("tables", "[TABLES]...", nargs=-1)
COLLECTION_RUNS = option(
    "--runs",
    "runs",
    nargs=2,
    multiple=True,
    metavar="RUNS QRELS",
    help="A collection from runs (a folder, file or pattern) and their judgments. Repeatable.",
)
KEPT_MEASURES = option(
    "-m",
    "--measures",
    multiple=True,
    metavar="MEASURES",
    help="Measures to keep of TABLES or to compute of runs: a comma list or the group gupta2019, which is the default "
    "for runs. Repeatable.",
)
MEASURE_TABLES = (TABLES, COLLECTION_RUNS, KEPT_MEASURES, *options.TABLE_READING)
BY = choice(
    "--by",
    choices=("topics", "systems"),
    help="Compute over cells of topics × systems or over systems; by default topics if every collection has them.",
)
POOLED = option("--pooled/--each", default=True, help="All collections together, or each on its own.")
THRESHOLD = option(
    "--threshold", type=Real(-1, 1), default=0.9, help="The lowest mean correlation within a group of measures."
)
MATRIX = choice(
    "--matrix",
    choices=("covariance", "correlation"),
    default="covariance",
    help="The covariance favours measures that vary much; the correlation puts all on one scale.",
)
METHODS = choice(
    "--method",
    "methods",
    choices=("backward", "forward", "row_sums"),
    multiple=True,
    default=("backward", "forward"),
    help="A method; row_sums is what the authors' script does instead of their Algorithm 2. Repeatable.",
)
DEVELOPMENT = option(
    "--dev",
    "development",
    multiple=True,
    metavar="TABLE",
    help="A collection to choose predictors on: a table, or the name of one from --runs. Repeatable; without it, each "
    "training collection is left out in turn.",
)
TESTS = option(
    "--test",
    "tests",
    multiple=True,
    metavar="TABLE",
    help="A collection to report on: a table, or the name of one from --runs. Repeatable.",
)
TARGETS = option(
    "-t",
    "--target",
    "targets",
    multiple=True,
    metavar="MEASURE",
    help="A measure to predict; by default each. Repeatable.",
)
PREDICTORS = option(
    "--using",
    "predictors",
    multiple=True,
    metavar="MEASURES",
    help="Measures to predict from, a comma list; by default all others. Repeatable.",
)
MAX_PREDICTORS = option(
    "--max-predictors", type=COUNT, help="The largest number of predictors; by default 3, with --by-depth any."
)
CHOOSE = choice("--choose", choices=("tau", "r2"), default="tau", help="Choose predictors by Kendall's τ or by R².")
MODELS = choice(
    "--model",
    "models",
    choices=("linear", "svr", "boosting"),
    multiple=True,
    default=("linear",),
    help="A model; svr and boosting need pip install 'rankscope[learn]'. Repeatable, to compare.",
)
SEARCH = choice(
    "--search",
    choices=("linear", "own"),
    default="linear",
    help="Whether other models take the predictors of the linear model or search their own (slow).",
)
GIVEN = option(
    "--given",
    metavar="SCORES",
    help="Scores of one system, 'P@10=0.51,RR=0.7', to predict its --target from; all collections train.",
)
BY_DEPTH = option(
    "--by-depth", is_flag=True, help="Predict deep measures from shallow ones; columns are named 30_map or 30:AP."
)
LOW = option(
    "--low",
    type=COUNT,
    multiple=True,
    metavar="DEPTH",
    help="A small depth; by default those up to 50. Repeatable.",
)
HIGH = option(
    "--high", type=COUNT, multiple=True, metavar="DEPTH", help="A large depth; by default those beyond 50. Repeatable."
)

# How predictors are chosen.
_CHOOSING = (PREDICTORS, MAX_PREDICTORS, CHOOSE, MODELS, SEARCH)
_COMMA = re.compile(r",(?![^(]*\))")


@click.group()
def metrics() -> None:
    """Which measures to report: how they correlate, which predict which, which few say most (Gupta et al. 2019).

    A collection is a table of systems × measures, a long table with topics, output of trec_eval, a folder of topics ×
    systems tables (one per measure), or runs with judgments.
    """


@metrics.add_command
@command(
    *MEASURE_TABLES,
    ON_MISSING_PAIRWISE,
    BY,
    options.COEFFICIENT,
    POOLED,
    THRESHOLD,
    options.RESAMPLES(default=FEWER_RESAMPLES),
    options.LEVEL,
    *options.WRITING,
    *options.COMPUTING,
    step="Correlating",
)
def correlate(
    work: Work, tables: tuple[str, ...], runs: Any, measures: Any, score_reading: Any, on_missing: Any, **settings: Any
) -> rs.MeasureCorrelations:
    """How do measures correlate, and which form groups?

    Prints each measure's strongest partner, groups, the measure least like the others, and all correlations. -o with
    .png, .svg or .pdf draws them as a heat map in the order of the clusters.
    """
    collections = _read(work, tables, runs, measures, score_reading, "keep" if on_missing == "pairwise" else on_missing)
    return rs.correlate_measures(collections, on_missing=on_missing, **settings)


@metrics.add_command
@command(
    *MEASURE_TABLES,
    ON_MISSING_MEASURES,
    BY,
    MATRIX,
    METHODS,
    options.TOPS,
    options.RESAMPLES(default=FEWER_RESAMPLES),
    *options.WRITING,
    *options.COMPUTING,
    step="Ranking measures",
)
def rank(
    work: Work,
    tables: tuple[str, ...],
    runs: Any,
    measures: Any,
    score_reading: Any,
    on_missing: Any,
    top: tuple[int, ...],
    **settings: Any,
) -> rs.MeasureRanking:
    """Which measures are most informative and distinctive together, by the determinant of their covariance?

    Backward removes measures one by one, forward adds them; beside both is the best set of every size, proven to be so
    for up to 30 measures. The top K are counted over resamples of topics, or of systems if there are no topics. Every
    measure must score every system and topic, or --on-missing says what becomes of the others.
    """
    collections = _read(work, tables, runs, measures, score_reading, on_missing)
    return rs.rank_measures(collections, tops=top, on_missing=on_missing, **settings)


@metrics.add_command
@command(
    *MEASURE_TABLES,
    ON_MISSING_MEASURES,
    DEVELOPMENT,
    TESTS,
    TARGETS,
    *_CHOOSING,
    GIVEN,
    BY_DEPTH,
    LOW,
    HIGH,
    options.LEVEL,
    *options.WRITING,
    options.SEED,
    options.QUIET,
    step="Predicting",
)
def predict(
    work: Work,
    tables: tuple[str, ...],
    runs: Any,
    measures: tuple[str, ...] | None,
    score_reading: Any,
    on_missing: Any,
    development: tuple[str, ...] | None,
    tests: tuple[str, ...] | None,
    targets: tuple[str, ...] | None,
    predictors: tuple[str, ...] | None,
    max_predictors: int | None,
    choose: Any,
    given: str | None,
    by_depth: bool,
    low: tuple[int, ...] | None,
    high: tuple[int, ...] | None,
    level: float,
    **settings: Any,
) -> rs.MeasurePredictions | rs.DepthPredictions | rs.MeasurePrediction:
    """Which measures can be predicted from which few others?

    TABLES and --runs are fitted on. For each target and number of predictors, the best of all subsets is chosen on
    --dev and then used on each --test. With --given, one score with its prediction interval. Every measure must score
    every system and topic, or --on-missing says what becomes of the others.
    """
    from rankscope.studies.metrics.depths import HIGH, LOW

    if given is not None and by_depth:
        raise rs.BadParameter("--given predicts one score and --by-depth a table of them; use one of the two")
    if (low or high) and not by_depth:
        raise rs.BadParameter("--low and --high are the depths of --by-depth; add it, or leave them out")
    if given is not None:
        refuse("--given", _CHOOSING, "leave out --given")
        if len(targets or ()) != 1:
            raise rs.BadParameter("--given predicts one measure; say which, once: --target AP")
    if by_depth:
        refuse("--by-depth", (PREDICTORS, MODELS, SEARCH), "leave out --by-depth")

    def read(names: Sequence[str]) -> list[rs.MeasureTable]:
        return [
            by_name[n] if n in by_name else _read(work, [n], (), measures, score_reading, on_missing)[0] for n in names
        ]

    depths = sorted({*(low or LOW), *(high or HIGH)}) if by_depth else None
    collections = _read(work, tables, runs, measures, score_reading, on_missing, depths=depths)
    # Collections from runs train, unless --dev or --test names them.
    by_name = {table.name: table for table in collections[len(tables) :]}
    elsewhere = {*(development or ()), *(tests or ())}
    train = [*collections[: len(tables)], *(table for name, table in by_name.items() if name not in elsewhere)]
    roles = {"development": read(development or ()), "tests": read(tests or ())}
    if given is not None and targets is not None:
        everything = [*train, *roles["development"], *roles["tests"]]
        return rs.predict_measure(everything, given=given, target=targets[0], level=level)
    shared: dict[str, Any] = {**roles, "targets": targets, "choose": choose, "level": level}
    if max_predictors is not None:
        shared["max_predictors"] = max_predictors
    if by_depth:
        return rs.predict_deep_measures(train, low=low, high=high, **shared)
    return rs.predict_measures(train, predictors=_names(predictors, "--using"), **shared, **settings)


def _read(
    work: Work,
    tables: Sequence[str],
    runs: Sequence[tuple[str, str]] | None,
    measures: Sequence[str] | None,
    score_reading: Mapping[str, Any],
    on_missing: Any,
    *,
    depths: Sequence[int] | None = None,
) -> list[rs.MeasureTable]:
    """All collections: tables first, then those from runs."""
    if not tables and not runs:
        raise rs.BadParameter("no collections; give score tables, or runs and judgments (--runs RUNS QRELS)")
    names = _names(measures, "--measures")
    sources = [parse_source(table) for table in tables]
    collections = [
        rs.read_measures(
            source.path,
            measures=names,
            on_missing=on_missing,
            name=source.name,
            **table_keywords(source, score_reading),
        )
        for source in sources
    ]
    collections += [rs.measure_runs(folder, qrels, names, depths=depths) for folder, qrels in runs or ()]
    for table in collections:
        if table.left_out:
            left_out = ", ".join(table.left_out)
            work.progress.remark(f"{table.name}: left out, since they have no scores by topic: {left_out}")
    return collections


def _names(given: Sequence[str] | None, flag: str) -> list[str] | None:
    """Names from comma lists, groups expanded; None if none were given."""
    if given is None:
        return None
    from rankscope.measures.registry import GROUPS

    words = [word.strip() for text in given for word in _COMMA.split(text) if word.strip()]
    if not words:
        raise rs.BadParameter(f"{flag} names no measure; give a comma list such as AP,nDCG@10, or leave it out")
    return [name for word in words for name in GROUPS.get(word, (word,))]
