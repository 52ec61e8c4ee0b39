"""`rankscope rank`: a leaderboard with the ranks that each system may have."""

from __future__ import annotations

from functools import partial
from typing import Any

import rankscope as rs
from rankscope.cli import options
from rankscope.cli.command import Work, command, refuse
from rankscope.cli.declaring import choice, option
from rankscope.cli.reading.judges import labels_reader, read_named
from rankscope.cli.reading.runs import read_runs, reading_of_runs
from rankscope.cli.reading.scores import read_scores
from rankscope.cli.values import COUNT
from rankscope.errors import BadParameter

KIND = choice(
    "--kind",
    choices=("typical", "marginal", "simultaneous"),
    default="typical",
    help="The rank sets to show: right for most systems on average, guaranteed for any one, or for all at once. JSON "
    "and CSV have all.",
)
RANKED_TOP = option("--top", type=COUNT, default=10, help="The size of the top whose possible members are marked.")

_OF_SCORES = (*options.RANKED_TABLE_READING, options.ERROR_COLUMN, *options.SCORE_PREPARING, options.ON_MISSING)
_OF_SCORES_ALONE = tuple(declared for declared in _OF_SCORES if declared not in options.EITHER_SYSTEMS)


@command(
    options.SCORES_OR_RUNS,
    options.RANKED_QRELS,
    options.RANKED_MEASURES,
    KIND,
    RANKED_TOP,
    *_OF_SCORES,
    *options.RANKED_RUN_READING,
    options.ON_DUPLICATE_EITHER,
    options.SOME_RESAMPLES,
    options.LEVEL,
    *options.WRITING,
    *options.COMPUTING,
    step="Ranking",
)
def rank(
    work: Work,
    sources: tuple[str, ...],
    qrels: str | None,
    measures: tuple[str, ...] | None,
    score_reading: dict[str, Any],
    on_missing: Any,
    reading: dict[str, Any],
    on_duplicate: Any,
    on_conflict: Any,
    jobs: int | None,
    **settings: Any,
) -> rs.Ranking:
    """Which ranks are certain? Every system with its score, its rank, and the ranks that it may have.

    SCORES are score tables (topics × systems), or leaderboards with columns of standard errors; with --qrels, RUNS
    are scored first. Several tables or measures are ranked side by side. Typical rank sets contain the true rank of
    95 % of the systems on average; marginal and simultaneous ones are guaranteed (docs/ranks.md).

    Battles (model_a, model_b, winner) are ranked by their Bradley–Terry scores; keys after a colon say how to read
    them (docs/formats.md).

    \b
        rankscope rank scores.csv -o leaderboard.svg
        rankscope rank runs/*.gz --qrels qrels.txt -m nDCG@10 -m AP
        rankscope rank battles.csv:winner=winner_gpt4
        rankscope rank leaderboard.csv --score-column accuracy --error-column spread --kind simultaneous
    """  # noqa: D301 (\b is click's mark for lines that must not be wrapped)
    if qrels is not None:
        refuse("a ranking of runs", _OF_SCORES_ALONE, "leave --qrels out to rank score tables")
        reading = reading_of_runs(reading, score_reading, on_duplicate)
        chosen = None if measures is None else rs.parse_measures(measures)  # a typo should not wait for the files
        (judgments,) = read_named((qrels,), labels_reader(work, "judgments", on_conflict)).values()
        systems = read_runs(work, sources, reading, jobs)
        runs = systems.runs
        evaluation = rs.evaluate(runs, judgments) if chosen is None else rs.evaluate(runs, judgments, chosen)
        for remark in evaluation.remarks():
            work.remark(str(remark))
        return rs.rank(*(evaluation.scores[measure] for measure in evaluation.measures), jobs=jobs, **settings)
    refuse("a ranking of scores", options.RANKED_RUN_READING, "name the judgments of runs: --qrels FILE")
    if "error_column" in score_reading and len(measures or ()) > 1:
        raise BadParameter("--error-column belongs to one measure; rank the others on their own")
    read = partial(read_scores, work, "scores", on_missing=on_missing)
    score_reading = {**score_reading, "on_duplicate": on_duplicate}
    tables = [read(source, score_reading, measure=measure) for source in sources for measure in measures or (None,)]
    return rs.rank(*tables, on_missing=on_missing, jobs=jobs, **settings)
