"""Scores as they were read, with the place of each in its file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from rankscope.errors import MissingScores
from rankscope.scores import WAYS_OUT, ScoreMatrix, Scores

OnMissingScores = Literal["error", "intersect", "zero", "keep"]
ON_MISSING_SCORES: tuple[OnMissingScores, ...] = get_args(OnMissingScores)

_SHOWN = 3


@dataclass(frozen=True)
class LocatedScores:
    """Scores, NaN where missing, and where in `path` to look for the score of a topic and system."""

    scores: Scores
    path: str
    where: Callable[[int, int], str]

    def fill(self, on_missing: OnMissingScores) -> Scores:
        """The scores with missing ones kept, dropped, or set to zero; or an error with the place of the first few."""
        scores = self.scores
        if on_missing == "keep" or not scores.missing:
            return scores
        if on_missing != "error":
            return scores.fill(on_missing)
        holes = np.argwhere(np.isnan(np.atleast_2d(scores.values)))
        shown = ", ".join(self._describe(int(topic), int(system)) for topic, system in holes[:_SHOWN])
        more = f" and {len(holes) - _SHOWN} more" if len(holes) > _SHOWN else ""
        raise MissingScores(
            f"{self.path}: {len(holes)} of {scores.values.size} scores are missing: {shown}{more}; {WAYS_OUT}"
        )

    def _describe(self, topic: int, system: int) -> str:
        on = f" on topic {self.scores.topics[topic]!r}" if isinstance(self.scores, ScoreMatrix) else ""
        return f"{self.scores.systems[system]!r}{on} ({self.where(topic, system)})"
