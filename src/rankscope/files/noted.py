"""Parquet files of our own: the columns hold the scores, and a note in the file says what they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankscope.errors import UnreadableFile
from rankscope.files.found import Found
from rankscope.files.table import Table, check_numbers
from rankscope.scores import ScoreMatrix, Scores, SystemScores


def note(scores: Scores) -> dict[str, Any]:
    """What the columns of a Parquet file cannot say about these scores."""
    matrix = isinstance(scores, ScoreMatrix)
    return {
        "kind": "topics × systems" if matrix else "leaderboard",
        "measure": scores.measure,
        "systems_named": scores.systems_named,
        "topics_named": scores.topics_named if isinstance(scores, ScoreMatrix) else False,
    }


def from_notes(table: Table, notes: dict[str, Any]) -> Found:
    """The scores in a Parquet file that `write_scores` wrote: labels in the first column, scores in the others."""
    path = table.place.path
    try:
        named = bool(notes["systems_named"]), bool(notes["topics_named"])
        measure, matrix = notes["measure"], notes["kind"] != "leaderboard"
    except KeyError as error:
        raise UnreadableFile(path, f"the note in this Parquet file lacks {error}; write it again") from None
    labels, columns = list(table.columns[0].cells), table.columns[1:]
    if (measure is not None and not isinstance(measure, str)) or not columns or (len(columns) > 1 and not matrix):
        raise UnreadableFile(path, "the note in this Parquet file does not suit its columns; write it again")
    values = np.column_stack([check_numbers(column, table.place) for column in columns])
    if not matrix:
        leaderboard = SystemScores(values[:, 0], labels if named[0] else None, measure=measure)
        return Found(leaderboard, path, lambda _, system: table.place.row(system))
    systems = [column.header for column in columns] if named[0] else None
    scores = ScoreMatrix(values, systems, labels if named[1] else None, measure=measure)
    return Found(scores, path, lambda topic, _: table.place.row(topic))
