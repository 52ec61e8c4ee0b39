"""`rankscope correct`: a leaderboard from human labels on some topics or documents and a judge's on more."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import rankscope as rs
from rankscope import defaults
from rankscope.cli import options
from rankscope.cli.command import Work, command, refuse
from rankscope.cli.declaring import choice
from rankscope.cli.reading.judges import given_grades, labels_reader, read_named
from rankscope.cli.reading.runs import read_runs, reading_of_runs
from rankscope.cli.reading.scores import read_scores
from rankscope.cli.sources import parse_source
from rankscope.errors import BadParameter

HUMAN_QRELS = partial(
    options.TRUTH,
    required=False,
    help="The human judgments, which correct the judge's: of some topics, or of a sample of documents with inclusion "
    "probabilities (a fifth field).",
)
ON_UNLABELLED = choice(
    "--on-unlabelled",
    choices=("error", "random"),
    default="error",
    help="Drawn documents without a label: stop, or take them as missing at random, so that the others stand for them.",
)

_OF_SCORES = (*options.RANKED_TABLE_READING, *options.SCORE_PREPARING)
_WITHOUT_SAMPLE = "it is about a sample of documents, which has inclusion probabilities (a fifth field of --truth)"
_OF_SCORES_ALONE = tuple(declared for declared in _OF_SCORES if declared not in options.EITHER_SYSTEMS)


@command(
    options.SCORES_OR_RUNS,
    HUMAN_QRELS,
    options.JUDGES(),
    options.MEASURE,
    *_OF_SCORES,
    options.ON_MISSING,
    ON_UNLABELLED,
    *options.RANKED_RUN_READING,
    options.ON_DUPLICATE_EITHER,
    options.SOME_RESAMPLES,
    options.LEVEL,
    *options.WRITING,
    *options.COMPUTING,
    step="Correcting",
)
def correct(
    work: Work,
    sources: tuple[str, ...],
    truth: str | None,
    judges: tuple[str, ...] | None,
    measure: str | None,
    score_reading: dict[str, Any],
    on_missing: Any,
    on_unlabelled: Any,
    reading: dict[str, Any],
    on_duplicate: Any,
    on_conflict: Any,
    **settings: Any,
) -> rs.Correction:
    """Human labels on some topics, a judge's on more: one leaderboard from both.

    The first table of SCORES is by people, each other one by a judge that scored the same topics and more, or judged
    the same battles and more; with --truth and --judge, RUNS are scored first. Corrected means are unbiased whatever
    errors the judge makes; predicted means rank best (docs/correction.md).

    \b
        rankscope correct human.csv umbrela.csv -o corrected.svg
        rankscope correct runs --truth human.qrels --judge umbrela.qrels -m nDCG@10
        rankscope correct runs --truth sample.qrels --judge umbrela.qrels -m AP
        rankscope correct people=people.csv:winner=human gpt4=battles.csv:winner=gpt4
    """  # noqa: D301 (\b is click's mark for lines that must not be wrapped)
    if truth is not None or judges is not None:
        refuse("a correction of runs", _OF_SCORES_ALONE, "leave --truth and --judge out to correct score tables")
        if truth is None or judges is None:
            raise BadParameter("runs are scored under both: name the human judgments (--truth) and a judge's (--judge)")
        reading = reading_of_runs(reading, score_reading, on_duplicate)
        from rankscope.files import is_sample

        (chosen,) = rs.parse_measures((measure or defaults.MEASURES[0],))

        source = parse_source(truth)
        if is_sample(source.path):
            refuse("a correction by document", (options.ON_MISSING,), "leave it out")
            source.refuse_options(("map",))
            how = partial(rs.read_sample, grades=given_grades(source))
            sample = work.read(f"human {source.name or ''}".strip(), source.path, how)
            named = replace(sample.judgments, name=source.name or sample.name)
            labels = read_named(judges, labels_reader(work, "judge", on_conflict))
            runs = read_runs(work, sources, reading, settings["jobs"])
            return rs.correct(
                replace(sample, judgments=named),
                *labels.values(),
                runs=runs.runs,
                measure=chosen,
                on_unlabelled=on_unlabelled,
                **settings,
            )
        refuse("a correction by topic", (ON_UNLABELLED,), _WITHOUT_SAMPLE)
        sides = [
            *read_named((truth,), labels_reader(work, "human", on_conflict)).items(),
            *read_named(judges, labels_reader(work, "judge", on_conflict)).items(),  # may have the name of the truth
        ]
        systems = read_runs(work, sources, reading, settings["jobs"])
        scored = [(name, rs.evaluate(systems.runs, own, [chosen]).scores[str(chosen)]) for name, own in sides]
        tables: list[Any] = [scores.renamed(name) for name, scores in scored]
    else:
        refuse("a correction of scores", options.RANKED_RUN_READING, "name the judgments: --truth FILE --judge FILE")
        refuse("a correction of scores", (ON_UNLABELLED,), _WITHOUT_SAMPLE)
        if len(sources) < 2:
            raise BadParameter("give two tables at least: the human scores, and a judge's of the same topics and more")
        read_table = partial(
            read_scores,
            work,
            reading={**score_reading, "on_duplicate": on_duplicate},
            measure=measure,
            on_missing=on_missing,
        )
        tables = [read_table("judge" if place else "human", source) for place, source in enumerate(sources)]
    return rs.correct(*tables, on_missing=on_missing, **settings)
