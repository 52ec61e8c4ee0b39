"""`rankscope evaluate`: runs and judgments → measures per system and topic."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

import rankscope as rs
from rankscope.cli import options
from rankscope.cli.command import Work, command
from rankscope.cli.declaring import choice, option
from rankscope.cli.reading.judges import plain_reader, read_named
from rankscope.cli.reading.runs import read_runs

BY_TOPIC = option("--by-topic", is_flag=True, help="Scores of each topic, not only over all of them.")
AVERAGED_TOPICS = choice(
    "--topics",
    choices=("judged", "shared", "retrieved"),
    default="judged",
    help="Average over all judged topics, a missing one scoring 0 (trec_eval -c), over those that every system has, or "
    "over each system's own (trec_eval without -c).",
)
EVALUATION_FORMAT = partial(
    options.FORMAT,
    type=click.Choice((*options.FORMATS, "trec_eval")),
    help="The format of the result; by default that of the extension of -o, otherwise a table. With --by-topic, "
    "trec_eval is the output of `trec_eval -q`.",
)


@command(
    *options.JUDGED_RUNS,
    BY_TOPIC,
    AVERAGED_TOPICS,
    *options.RUN_READING,
    EVALUATION_FORMAT,
    *options.WRITING[1:],
    options.JOBS,
    options.QUIET,
    step="Reading and scoring",
)
def evaluate(
    work: Work,
    runs: tuple[str, ...],
    qrels: str,
    measures: tuple[str, ...],
    by_topic: bool,
    topics: Any,
    reading: dict[str, Any],
    on_conflict: Any,
    jobs: int | None,
) -> rs.Evaluation | rs.TopicEvaluation:
    """Score RUNS under judgments.

    RUNS are files, folders or patterns of TREC runs, plain or compressed. Documents are ranked as trec_eval ranks them:
    by score, then by name, both descending; the rank column is ignored. The table has the best system by the first
    measure on top.

    \b
        rankscope evaluate runs/*.gz --qrels qrels.txt -m nDCG@10 -m AP
        rankscope evaluate runs --qrels qrels.txt -m trec --by-topic --format trec_eval -o scores.eval
    """  # noqa: D301 (\b is click's mark for lines that must not be wrapped)
    chosen = rs.parse_measures(measures)  # a typo should not wait for the files to be read
    (judgments,) = read_named((qrels,), plain_reader(on_conflict)).values()
    systems = read_runs(work, runs, reading, jobs)
    evaluation = rs.evaluate(systems.runs, judgments, chosen, topics=topics)
    for remark in evaluation.remarks():
        work.remark(str(remark))
    return evaluation.by_topic() if by_topic else evaluation
