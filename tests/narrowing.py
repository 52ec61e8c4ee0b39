"""What a test knows of a result though its type does not say so."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

import rankscope as rs

T = TypeVar("T")


def known(value: T | None) -> T:
    """The value, which is not None."""
    assert value is not None
    return value


def by_topic(scores: rs.ScoreMatrix | rs.SystemScores) -> rs.ScoreMatrix:
    """The scores, which have topics."""
    assert isinstance(scores, rs.ScoreMatrix)
    return scores


def errors_of(scores: rs.ScoreMatrix | rs.SystemScores) -> np.ndarray[Any, Any]:
    """The standard errors of a leaderboard, which has some."""
    assert isinstance(scores, rs.SystemScores)
    return known(scores.standard_errors)


def number(value: float | np.ndarray[Any, Any]) -> float:
    """The coefficient of two lists, which is no array."""
    assert isinstance(value, float)
    return value
