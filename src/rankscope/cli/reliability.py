"""`rankscope reliability`: how close is this ranking to the true one, and how many topics would it take?"""

from __future__ import annotations

from typing import Any

import rankscope as rs
from rankscope.cli import options
from rankscope.cli.command import Work, command
from rankscope.cli.declaring import choice, option
from rankscope.cli.reading.scores import read_scores
from rankscope.cli.values import Real
from rankscope.defaults import FEWER_RESAMPLES

TARGET = option(
    "--target",
    type=Real(-1, 1, min_open=True, max_open=True),
    default=0.9,
    help="The expected τ for which to find the number of topics.",
)
ESTIMATOR = choice(
    "--estimator",
    choices=options.ESTIMATORS,
    default="msqd",
    help="The estimator that gets an interval (all are shown); other numbers of topics use ml if chosen, else msqd.",
)


@command(
    *options.ONE_TABLE,
    *options.ALL_TABLE_READING,
    TARGET,
    ESTIMATOR,
    options.SOME_RESAMPLES(default=FEWER_RESAMPLES),
    options.LEVEL,
    *options.WRITING,
    *options.COMPUTING,
    step="Estimating",
)
def reliability(
    work: Work, scores: str, measure: str | None, score_reading: dict[str, Any], on_missing: Any, **settings: Any
) -> rs.Reliability:
    """How well is the ranking by these topics expected to agree with the true one, over all topics?

    SCORES is a score table (topics × systems). The table has a row per number of topics, with intervals over samples
    of topics such as these.
    """
    table = read_scores(work, "scores", scores, score_reading, measure=measure, on_missing=on_missing)
    return rs.reliability(table.fill(on_missing), **settings)
