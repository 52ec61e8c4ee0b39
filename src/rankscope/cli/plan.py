"""`rankscope plan`: what people should label next, for a budget or to reach a target."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

import rankscope as rs
from rankscope import defaults
from rankscope.cli import options
from rankscope.cli.command import Work, command, refuse
from rankscope.cli.declaring import choice, option
from rankscope.cli.reading.judges import labels_reader, read_named
from rankscope.cli.reading.runs import read_runs, reading_of_runs
from rankscope.cli.reading.scores import read_scores
from rankscope.errors import BadParameter

if TYPE_CHECKING:
    from rankscope.cli.reading.judges import LabelsReader

ONE_JUDGE = option("--judge", metavar="[NAME=]FILE", help="The judge's labels of RUNS; without them, SCORES are read.")
SOME_TRUTH = partial(
    options.TRUTH, required=False, help="The human judgments so far, or the human scores where SCORES are read."
)
BUDGET = option(
    "--budget", metavar="NUMBER|SHARE%", help="What people label in total, including labels so far: 20, or 10% of all."
)
PLAN_TARGET = option(
    "--target",
    metavar="NAME=NUMBER",
    help="What to reach with the smallest budget: top=K, width=RANKS, widest=RANKS, separated=SHARE, worth=MARGIN.",
)
PLAN_BY = choice(
    "--by", choices=("topic", "document"), default="topic", help="Label whole topics, or a sample of all documents."
)
DESIGN = choice(
    "--design",
    choices=options.DESIGNS,
    help="How documents are drawn, by default by influence (docs/planning.md). Topics are always random.",
)
PLAN_OUTPUT = partial(
    options.OUTPUT,
    help="Write the file to label (.qrels), the result (.json .csv .tex .md .txt .html) or a chart (.svg .png .pdf), "
    "whole or not at all; or a bundle for a paper to a FOLDER/.",
)
PLAN_WRITING = tuple(PLAN_OUTPUT if declared is options.OUTPUT else declared for declared in options.WRITING)

_OF_SCORES = (*options.RANKED_TABLE_READING, *options.SCORE_PREPARING)
_OF_SCORES_ALONE = tuple(declared for declared in _OF_SCORES if declared not in options.EITHER_SYSTEMS)


@command(
    options.SCORES_OR_RUNS,
    ONE_JUDGE,
    SOME_TRUTH,
    PLAN_BY,
    BUDGET,
    PLAN_TARGET,
    DESIGN,
    options.MEASURE,
    *_OF_SCORES,
    options.ON_MISSING,
    *options.RANKED_RUN_READING,
    options.ON_DUPLICATE_EITHER,
    options.LEVEL,
    *PLAN_WRITING,
    *options.COMPUTING,
    step="Planning",
)
def plan(
    work: Work,
    sources: tuple[str, ...],
    judge: str | None,
    truth: str | None,
    measure: str | None,
    score_reading: dict[str, Any],
    on_missing: Any,
    reading: dict[str, Any],
    on_duplicate: Any,
    on_conflict: Any,
    jobs: int | None,
    **settings: Any,
) -> rs.LabelPlan:
    """What people should label next, beside a judge that labels everything.

    RUNS with --judge; or SCORES, the judge's table of topics and systems. --truth has the human labels (or scores) so
    far. People label whole topics, or documents drawn at random from all topics (--by document). --budget is what they
    label in all; --target finds the smallest budget that is expected to reach it: top=K, width=RANKS, widest=RANKS,
    separated=SHARE or worth=MARGIN (docs/planning.md). A larger budget with the same seed keeps what was labelled. -o
    FILE.qrels writes the file to label, with ? for grades to give.

    \b
        rankscope plan runs --judge umbrela.qrels --budget 15 -m nDCG@10 -o to-label.qrels
        rankscope plan runs --judge umbrela.qrels --truth labelled.qrels --target width=8 -o more.qrels
        rankscope correct runs --truth labelled.qrels --judge umbrela.qrels -m nDCG@10
    """  # noqa: D301 (\b is click's mark for lines that must not be wrapped)
    if judge is None:
        refuse("a plan from scores", (DESIGN, *options.RANKED_RUN_READING), "name the judge's labels: --judge FILE")
        read = partial(
            read_scores,
            work,
            reading={**score_reading, "on_duplicate": on_duplicate},
            measure=measure,
            on_missing=on_missing,
        )
        if len(sources) != 1:
            raise BadParameter("give one table, the judge's (human scores: --truth), or runs with --judge FILE")
        if settings.pop("by") != "topic":
            raise BadParameter("scores say nothing of documents: plan by topic, or give runs with --judge FILE")
        settings.pop("design")
        human = None if truth is None else read("human", truth)
        return rs.plan_topics(read("judge", sources[0]), human, on_missing=on_missing, **settings)
    refuse("a plan from runs", _OF_SCORES_ALONE, "leave --judge out to plan from score tables")
    reading = reading_of_runs(reading, score_reading, on_duplicate)

    ((name, judged),) = read_named((judge,), labels_reader(work, "judge", on_conflict)).items()
    people = None if truth is None else _people(work, truth, labels_reader(work, "human", on_conflict))
    systems = read_runs(work, sources, reading, jobs)
    output = str(click.get_current_context().params.get("output") or "")
    if output.endswith(".qrels"):
        by = "" if measure is None else f" -m {shlex.quote(measure)}"
        files = " ".join(map(shlex.quote, sources))
        command_line = f"rankscope correct {files} --truth {shlex.quote(output)} --judge {shlex.quote(judge)}{by}"
        work.say_afterwards(f"Write a grade in place of every ? in {output}; then: {command_line}")
    judged = judged.with_grades(judged.grades, name=name)
    return rs.plan(systems.runs, judged, people, measure=measure or defaults.MEASURES[0], **settings)


def _people(work: Work, truth: str, read: LabelsReader) -> rs.Judgments | rs.JudgmentSample:
    """The human labels so far: judgments, a sample with inclusion probabilities, or topics with labels to come."""
    from rankscope.files.samples import is_to_label, read_to_label

    samples = []

    def labels(name: str, path: str, grades: Mapping[str, float] | None) -> rs.Judgments:
        if not is_to_label(path):
            return read(name, path, grades)
        samples.append(work.read(f"human {name}".strip(), path, partial(read_to_label, grades=grades)))
        return samples[0].judgments

    ((name, given),) = read_named((truth,), labels).items()
    named = given.with_grades(given.grades, name=name)
    return replace(samples[0], judgments=named) if samples else named
