"""Scores as they were read, with the place of each in its file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankscope.errors import MissingScores
from rankscope.missing import MODEL_WAY_OUT, WAYS_OUT, parse_on_missing
from rankscope.scores import OnMissing, ScoreMatrix, Scores

# Missing scores stay missing.
KEEP = "keep"

_SHOWN = 3


@dataclass(frozen=True)
class LocatedScores:
    """Scores, NaN where missing, and where in `path` to look for the score of a topic and system."""

    scores: Scores
    path: str
    where: Callable[[int, int], str]

    def fill(self, on_missing: OnMissing) -> Scores:
        """The scores as a policy for missing ones leaves them; or an error with the place of the first few."""
        scores = self.scores
        if on_missing == KEEP or not scores.missing:
            return scores
        if on_missing != "error":
            return scores.fill(on_missing)
        holes = np.argwhere(np.isnan(np.atleast_2d(scores.given)))
        shown = ", ".join(self._describe(int(topic), int(system)) for topic, system in holes[:_SHOWN])
        more = f" and {len(holes) - _SHOWN} more" if len(holes) > _SHOWN else ""
        raise MissingScores(
            f"{self.path}: {len(holes)} of {scores.given.size} scores are missing: {shown}{more}; {WAYS_OUT}"
            + (f", or {MODEL_WAY_OUT}" if isinstance(scores, ScoreMatrix) else "")
        )

    def _describe(self, topic: int, system: int) -> str:
        on = f" on topic {self.scores.topics[topic]!r}" if isinstance(self.scores, ScoreMatrix) else ""
        return f"{self.scores.systems[system]!r}{on} ({self.where(topic, system)})"


def check_on_missing(on_missing: OnMissing) -> None:
    """Raise `BadParameter` unless this is a policy for missing scores, or "keep"."""
    if on_missing != KEEP:
        parse_on_missing(on_missing)
