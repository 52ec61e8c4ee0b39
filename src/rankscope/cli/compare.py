"""`rankscope compare`: score tables or leaderboards against a truth."""

from __future__ import annotations

from typing import Any

import rankscope as rs
from rankscope.cli import options
from rankscope.cli.command import Work, command


@command(
    options.TRUTH_SCORES,
    options.ESTIMATES,
    options.COEFFICIENTS,
    options.MEASURE,
    options.TRUTH_MEASURE,
    options.ESTIMATE_MEASURE,
    options.INPUT_FORMAT,
    *options.COLUMN.values(),
    options.ERROR_COLUMN,
    options.ON_MISSING,
    options.TOPICS,
    *options.RULE,
    options.RESAMPLES,
    options.LEVEL,
    options.INTERVAL,
    options.ALPHA,
    options.CORRECTION,
    options.TOPS,
    options.MAX_SWAPS,
    *options.WRITING,
    *options.COMPUTING,
    step="Comparing",
)
def compare(
    work: Work,
    truth: str,
    estimates: tuple[str, ...],
    coefficients: tuple[str, ...] | None,
    measure: str | None,
    truth_measure: str | None,
    estimate_measure: str | None,
    input_format: Any,
    columns: dict[Any, str],
    on_missing: Any,
    **settings: Any,
) -> rs.Comparison:
    """Does each ESTIMATE rank the systems as TRUTH does, and what is one of its topics worth?

    Files are score tables (topics × systems), long tables, trec_eval or ir_measures output (a folder, one file per
    run), or leaderboards; CSV, TSV, JSONL or Parquet, plain or compressed, recognised by their content. To compare two
    measures of one file, name it twice:

    \b
        rankscope compare scores.csv scores.csv --truth-measure AP --estimate-measure P@10
    """  # noqa: D301 (\b is click's mark for lines that must not be wrapped)
    chosen = None if coefficients is None else [rs.coefficient(name) for name in coefficients]  # a typo ends it here
    # A gap in a file is an error where file and line are known; the rest is left to the alignment.
    gaps: Any = "error" if on_missing == "error" else "keep"

    def read(path: str, only: str | None) -> Any:
        return rs.read_scores(
            path, format=input_format, measure=only or measure, columns=columns or None, on_missing=gaps
        )

    scores = [work.read("truth", truth, lambda path: read(path, truth_measure))]
    scores += [work.read("estimate", path, lambda path: read(path, estimate_measure)) for path in estimates]
    return rs.compare(*scores, coefficients=chosen, on_missing=on_missing, **settings)
