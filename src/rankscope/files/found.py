"""Scores as they were read, and what to do where some are missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from rankscope.errors import BadParameter, MissingScores
from rankscope.scores import WAYS_OUT, ScoreMatrix, Scores

OnMissingScores = Literal["error", "intersect", "zero", "keep"]
ON_MISSING_SCORES: tuple[OnMissingScores, ...] = get_args(OnMissingScores)

# How trec_eval and ir_measures, and gdeval, call the row that sums up all topics.
SUMMARIES = ("all", "amean")
_SHOWN = 3


@dataclass(frozen=True)
class Found:
    """Scores, NaN where missing, and where in `path` to look for the score of a topic and system."""

    scores: Scores
    path: str
    where: Callable[[int, int], str]


def is_summary(topic: str) -> bool:
    """Whether a row of this topic sums up the others.

    >>> is_summary("all"), is_summary("301")
    (True, False)
    """
    return topic.lower() in SUMMARIES


def check_on_missing(on_missing: str) -> None:
    """Refuse a policy that does not exist."""
    if on_missing not in ON_MISSING_SCORES:
        raise BadParameter(f"on_missing={on_missing!r}: choose one of {', '.join(ON_MISSING_SCORES)}")


def settle(found: Found, on_missing: OnMissingScores) -> Scores:
    """The scores with missing ones kept, dropped, made zero, or refused with the place of the first few."""
    scores = found.scores
    if on_missing == "keep" or not scores.missing:
        return scores
    if on_missing != "error":
        return scores.fill(on_missing)
    holes = np.argwhere(np.isnan(np.atleast_2d(scores.values)))
    shown = ", ".join(_hole(found, int(topic), int(system)) for topic, system in holes[:_SHOWN])
    more = f" and {len(holes) - _SHOWN} more" if len(holes) > _SHOWN else ""
    raise MissingScores(
        f"{found.path}: {len(holes)} of {scores.values.size} scores are missing: {shown}{more}; {WAYS_OUT}"
    )


def _hole(found: Found, topic: int, system: int) -> str:
    scores = found.scores
    on = f" on topic {scores.topics[topic]!r}" if isinstance(scores, ScoreMatrix) else ""
    return f"{scores.systems[system]!r}{on} ({found.where(topic, system)})"
