"""What functions accept for scores, runs and judgments, and one conversion for each.

Wherever an object is accepted, so is where to read it from: a path, a folder, a pattern or a list of paths.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from rankscope.errors import MissingScores
from rankscope.runs import Judgments, RunSet
from rankscope.scores import ScoreMatrix, Scores, SystemScores

if TYPE_CHECKING:
    import numpy.typing as npt
    from narwhals.typing import IntoDataFrame

PathLike: TypeAlias = str | os.PathLike[str]
ScoresLike: TypeAlias = (
    "ScoreMatrix | SystemScores | PathLike | Sequence[PathLike] | Mapping[str, Any] | IntoDataFrame | npt.ArrayLike"
)
RunsLike: TypeAlias = "RunSet | PathLike | Sequence[PathLike]"
JudgmentsLike: TypeAlias = "Judgments | PathLike"


def to_scores(source: ScoresLike) -> Scores:
    """Scores, read where they are not scores already; missing ones stay missing (NaN).

    >>> to_scores({"bm25": 0.2, "dense": 0.3}).systems
    ('bm25', 'dense')
    """
    if isinstance(source, ScoreMatrix | SystemScores):
        return source
    from rankscope.files import read_scores

    return read_scores(source, on_missing="keep")


def to_matrix(source: ScoresLike, why: str) -> ScoreMatrix:
    """Scores by topic; `why` they are needed ends the error that a leaderboard raises.

    >>> to_matrix([[0.2, 0.3], [0.4, 0.1]], "a paired test compares systems topic by topic")
    <ScoreMatrix: 2 topics × 2 systems>
    """
    scores = to_scores(source)
    if not isinstance(scores, ScoreMatrix):
        called = "these are" if scores.name is None else f"{scores.name}:"
        raise MissingScores(f"{called} scores without topics; {why}. Give scores by topic")
    return scores


def to_runs(source: RunsLike, *, jobs: int | None = None) -> RunSet:
    """Runs, read where they are not runs already.

    >>> to_runs(RunSet.of({"bm25": {"1": ["d1"]}})).systems
    ('bm25',)
    """
    if isinstance(source, RunSet):
        return source
    from rankscope.files import read_runs

    return read_runs(source, jobs=jobs)


def to_judgments(source: JudgmentsLike) -> Judgments:
    """Judgments, read where they are not judgments already.

    >>> to_judgments(Judgments.of({"1": {"d1": 2}})).topics
    ('1',)
    """
    if isinstance(source, Judgments):
        return source
    from rankscope.files import read_judgments

    return read_judgments(source)
