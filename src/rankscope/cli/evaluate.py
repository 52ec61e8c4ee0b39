"""`rankscope evaluate`: runs and judgments → measures per system and topic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rankscope.cli import options, run_options, streams
from rankscope.cli.run_options import Reading

if TYPE_CHECKING:
    from rankscope.measures import Evaluation, TopicEvaluation

# The choices of rankscope.measures, which a test compares: importing them would load numpy.
TOPICS = ("judged", "shared", "retrieved")
DEFAULT = ("nDCG@10", "AP")
FORMATS = (*options.OUTPUT_FORMATS, "trec_eval")

_MISSING = {"judged": "count as 0", "shared": "are left out for all", "retrieved": "are left out for it"}


@click.command()
@run_options.runs_argument
@click.option("--qrels", required=True, metavar="FILE", help="The judgments: lines of topic, 0, document, grade.")
@click.option(
    "-m",
    "--measure",
    "--measures",
    "measures",
    multiple=True,
    metavar="NAME",
    help="A measure (nDCG@10, 'AP(rel=2)', map), or a group: trec, gupta2019. Repeatable; by default nDCG@10 and AP.",
)
@click.option("--by-topic", is_flag=True, help="Scores of each topic, not only over all of them.")
@click.option(
    "--topics",
    type=click.Choice(TOPICS),
    default="judged",
    show_default=True,
    help="Average over all judged topics, a missing one scoring 0 (trec_eval -c); over those that every system has; "
    "or over each system's own (trec_eval without -c).",
)
@run_options.reading
@click.option(
    "--format",
    "style",
    type=click.Choice(FORMATS),
    help="How to write the result; by default as -o's extension says, else a table. trec_eval is `trec_eval -q` with "
    "--by-topic.",
)
@options.output
@options.jobs
@click.option("-q", "--quiet", is_flag=True, help="No progress, and no remarks on what one side lacks, on stderr.")
@options.reports_errors
def evaluate(
    runs: tuple[str, ...],
    qrels: str,
    measures: tuple[str, ...],
    by_topic: bool,
    topics: Any,
    reading: Reading,
    style: str | None,
    output: str | None,
    jobs: int | None,
    quiet: bool,
) -> None:
    """Score RUNS under judgments.

    RUNS are files, folders or patterns of TREC runs, plain or compressed. Documents are ranked as trec_eval ranks them:
    by score, then by name, both descending; the rank column is ignored. The table has the best system by the first
    measure on top.

    \b
        rankscope evaluate runs/*.gz --qrels qrels.txt -m nDCG@10 -m AP
        rankscope evaluate runs --qrels qrels.txt -m trec --by-topic --format trec_eval -o scores.eval
    """  # noqa: D301 (\b is click's mark for lines that must not be wrapped)
    from rankscope.measures import evaluate as score_runs
    from rankscope.measures import parse_measures

    chosen = parse_measures(measures or DEFAULT)  # a typo should not wait for the files to be read
    with options.working("Reading and scoring", quiet=quiet):
        judgments = reading.judgments(qrels)
        found = score_runs(reading.runs(runs, jobs=jobs), judgments, chosen, topics=topics)
    if not quiet:
        _say(found, _MISSING[topics])
    _write(found.by_topic() if by_topic else found, style, output)


def _say(found: Evaluation, missing: str) -> None:
    if found.coverage is not None:
        for text in found.coverage.remarks(missing=missing):
            options.remark(text)
    for measure, provider in found.providers.items():
        if provider != "rankscope":
            options.remark(f"{measure} is computed through {provider}")


def _write(found: Evaluation | TopicEvaluation, style: str | None, output: str | None) -> None:
    if style != "trec_eval":
        options.write(found, style=style, output=output)
    elif output is None:
        streams.send(found.to_trec_eval())
    else:
        from rankscope.files.atomic import write_text

        write_text(output, found.to_trec_eval())
