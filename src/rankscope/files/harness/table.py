"""The files of a source as one long table, so that measures, rows and columns are chosen as in any other."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rankscope.errors import BadFile, SkippedFile
from rankscope.files.columns import ColumnRole, Columns, is_summary
from rankscope.files.harness.record import HarnessFile, HarnessScore
from rankscope.files.table import HEADER, Column, Place, Table


@dataclass(frozen=True)
class ScorePlace(Place):
    """Where each row comes from: its file, and its place in it."""

    origins: Sequence[tuple[str, str]] = ()

    def error(self, kind: type[BadFile], problem: str, row: int | None = None) -> BadFile:
        """An error of this kind at this row."""
        if row is None or row == HEADER:
            return kind(self.path, problem)
        path, where = self.origins[row]
        return kind(path, f"{where}: {problem}" if where else problem)

    def row(self, row: int) -> str:
        """What messages call a row."""
        path, where = self.origins[row]
        return f"{path}: {where}" if where else path

    def at(self, rows: Sequence[int]) -> ScorePlace:
        """The place of these rows alone."""
        return ScorePlace(self.path, origins=[self.origins[row] for row in rows])


def harness_table(files: Sequence[HarnessFile], place: str) -> tuple[Table, Columns]:
    """One table of all files, and the roles of its columns.

    Scores of samples make samples the topics, named with their task where there are several; scores of whole tasks
    beside them are the same scores once more. Without samples, tasks are the topics, and one task alone is none.
    """
    placed = _without_totals(_placed(files))
    scores = [score for _, score in placed]
    columns = {
        "model": [score.model for score in scores],
        "task": [score.task for score in scores],
        "sample": [score.sample for score in scores],
        "measure": [score.measure for score in scores],
    }
    topic = _topic_column(scores, columns)
    details = dict.fromkeys(key for score in scores for key in score.details)
    for key in details:
        columns[key] = [score.details.get(key, "") for score in scores]
    origins = [(str(path), score.where) for path, score in placed]
    table = Table(
        ScorePlace(place, origins=origins),
        (
            *(Column(header, cells) for header, cells in columns.items() if any(cells)),
            Column("score", typed=[score.value for score in scores]),
            *_errors(scores),
        ),
    )
    roles: dict[ColumnRole, str] = {"system": "model", "measure": "measure", "score": "score"}
    if topic is not None:
        roles["topic"] = topic
    return table, roles


def merged_columns(own: Columns, given: Columns | None) -> Columns:
    """The roles of a table's columns with those that the user gives, which come first."""
    if given is None:
        return own
    taken = set(given.values())
    return {**{role: column for role, column in own.items() if column not in taken}, **given}


def _placed(files: Sequence[HarnessFile]) -> list[tuple[Path, HarnessScore]]:
    placed: list[tuple[Path, HarnessScore]] = []
    for form in dict.fromkeys(file.harness for file in files):
        own = [file for file in files if file.harness is form]
        if form.together is not None:
            placed += form.together(own)
        else:
            placed += [(file.path, score) for file in own for score in file.scores]
    return placed


def _without_totals(placed: list[tuple[Path, HarnessScore]]) -> list[tuple[Path, HarnessScore]]:
    """Scores of samples alone, where there are some; a model that has none is named in a warning."""
    sampled = {score.model for _, score in placed if score.sample}
    if not sampled:
        return placed
    lost = dict.fromkeys(str(path) for path, score in placed if not score.sample and score.model not in sampled)
    if lost:
        warn_ignored(lost, "holds scores of whole tasks, and others those of samples")
    return [(path, score) for path, score in placed if score.sample]


def _topic_column(scores: Iterable[HarnessScore], columns: dict[str, list[str]]) -> str | None:
    if not any(columns["sample"]):
        return "task" if len(set(columns["task"])) > 1 else None
    if len({task for task in columns["task"] if task}) < 2:
        return "sample"
    columns["topic"] = [
        f"{score.task}/{score.sample}" if score.task and not is_summary(score.sample) else score.sample
        for score in scores
    ]
    return "topic"


def _errors(scores: Sequence[HarnessScore]) -> list[Column]:
    if all(math.isnan(score.error) for score in scores):
        return []
    return [Column("stderr", typed=[score.error for score in scores])]


def warn_ignored(paths: Iterable[str], why: str) -> None:
    """Warn of files that were left out."""
    names = list(paths)
    more = f" (and {len(names) - 1} more)" if len(names) > 1 else ""
    warnings.warn(f"{names[0]}{more}: left out, since it {why}", SkippedFile, stacklevel=2)
