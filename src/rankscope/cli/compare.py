"""`rankscope compare`: score tables or leaderboards against a truth."""

from __future__ import annotations

from functools import partial
from typing import Any

import rankscope as rs
from rankscope.cli import options
from rankscope.cli.command import Work, command
from rankscope.cli.declaring import argument, choice, option
from rankscope.cli.reading.scores import read_scores, read_sides
from rankscope.cli.reading.systems import display_names, read_groups, shown_groups
from rankscope.cli.values import COUNT_OR_NONE

TRUTH_SCORES = argument("truth", "TRUTH")
ESTIMATES = argument("estimates", "ESTIMATE...", nargs=-1, required=True)
ESTIMATE_MEASURE = option("--estimate-measure", help="The measure to read for the estimates alone.")
SCORE_PANELS = choice(
    "--panel",
    "panels",
    multiple=True,
    choices=("mean", "median"),
    help="A panel of the estimates as one more estimate: the mean or median of their standardised scores "
    "(docs/panels.md). Repeatable.",
)
TOPICS = choice(
    "--topics",
    choices=("auto", "paired", "independent"),
    default="auto",
    help="Whether both sides are scored on the same topics or on two samples; auto: two samples where none is shared.",
)
MAX_SWAPS = option(
    "--max-swaps",
    type=COUNT_OR_NONE,
    default=10_000,
    help="The number of swaps to list, those with the largest gap in the truth; all are counted.",
)
CONTRAST_TEST = choice(
    "--contrast-test",
    choices=("bootstrap", "perm-both", "perm-topics", "perm-systems", "perm-cells"),
    default="bootstrap",
    help="The test between two estimates: resampled topics, or swapped scores (Perm-Both of Deutsch et al. 2021).",
)
COMPARED_MEASURES = partial(
    options.MEASURES,
    default=None,
    help="The measure to read if a file has several. Repeatable; the sides are compared by each on its own.",
)


@command(
    TRUTH_SCORES,
    ESTIMATES,
    options.COEFFICIENTS,
    COMPARED_MEASURES,
    options.TRUTH_MEASURE,
    ESTIMATE_MEASURE,
    *options.ALL_TABLE_READING,
    options.ERROR_COLUMN,
    TOPICS,
    options.GROUPS,
    options.CLUSTERS,
    SCORE_PANELS,
    *options.RULE,
    options.RESAMPLES,
    options.LEVEL,
    options.INTERVAL,
    options.ALPHA,
    options.CORRECTION,
    options.TOPS,
    MAX_SWAPS,
    CONTRAST_TEST,
    options.DECISIVENESS,
    *options.WRITING,
    *options.COMPUTING,
    step="Comparing",
)
def compare(
    work: Work,
    truth: str,
    estimates: tuple[str, ...],
    coefficients: tuple[str, ...] | None,
    measures: tuple[str, ...] | None,
    truth_measure: str | None,
    estimate_measure: str | None,
    score_reading: dict[str, Any],
    on_missing: Any,
    groups: str | None,
    panels: tuple[Any, ...] | None,
    **settings: Any,
) -> rs.Comparison | rs.ComparisonByMeasure:
    """Does each ESTIMATE rank the systems as TRUTH does, and what is one of its topics worth?

    Files are score tables (topics × systems), long tables, trec_eval or ir_measures output (a folder, one file per
    run), or leaderboards; CSV, TSV, JSONL or Parquet, plain or compressed, recognised by their content. To compare two
    measures of one file, name it twice:

    \b
        rankscope compare scores.csv scores.csv --truth-measure AP --estimate-measure P@10

    Both sides may also be rows of one long table, chosen by a column and a pattern, with a name of their own:

    \b
        rankscope compare experts=scores.csv:rater=expert* llm=scores.csv:rater=gpt-4* --on-duplicate mean

    `each` makes an estimate of every value in a column; several measures are compared one by one:

    \b
        rankscope compare experts=scores.csv:rater=expert* scores.csv:each=rater -m fluency -m coherence

    Or they are groups of topics, which are then two samples:

    \b
        rankscope compare scores.csv:topics=*Retrieval scores.csv:topics=*Classification --on-missing intersect
    """  # noqa: D301 (\b is click's mark for lines that must not be wrapped)
    from rankscope.inference.topic_level import asked_for

    chosen = None if coefficients is None else asked_for(coefficients)  # a typo ends it here
    if measures is not None and len(measures) > 1 and (truth_measure or estimate_measure):
        raise rs.BadParameter("--truth-measure and --estimate-measure name one measure each; leave out the other -m")
    by_system = read_groups(work, groups)
    shown = {} if isinstance(by_system, str) else display_names(score_reading, list(by_system or ()), work)
    by_system = shown_groups(by_system, shown)

    def by(measure: str | None) -> rs.Comparison:
        scores = [read("truth", truth, score_reading, measure=truth_measure or measure, on_missing=on_missing)]
        for source in estimates:
            scores += sides(source, score_reading, measure=estimate_measure or measure, on_missing=on_missing)
        asked = {**settings, "panels": panels or ()}
        return rs.compare(*scores, coefficients=chosen, on_missing=on_missing, groups=by_system, **asked)

    read, sides = partial(read_scores, work), partial(read_sides, work)
    compared = tuple(by(measure) for measure in measures or (None,))
    return compared[0] if len(compared) == 1 else rs.ComparisonByMeasure.of(compared)
