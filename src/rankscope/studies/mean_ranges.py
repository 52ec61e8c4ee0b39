"""How far a system's mean may be off, given its spread over topics."""

from __future__ import annotations

import math

import numpy as np

from rankscope.inference.agreement import known_errors
from rankscope.scores import Floats, ScoreMatrix, Scores


def mean_ranges(scores: Scores, level: float) -> tuple[Floats, Floats] | None:
    """The low and high ends of every system's mean at this level; None without topics or standard errors to tell by.

    The standard error of a mean under resampled topics needs no draws: it is the scores' own spread over √n. Student's
    t makes up for few topics, as it does in the intervals of coefficients.

    >>> low, high = mean_ranges(ScoreMatrix([[0.1, 0.5], [0.3, 0.5], [0.2, 0.5]]), 0.9)
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0314, 0.5], [0.3686, 0.5])
    """
    known = known_errors(scores)
    if known is None or not scores.averaged:
        return None
    from scipy.special import ndtri, stdtrit

    if not isinstance(scores, ScoreMatrix):
        half = float(ndtri((1.0 + level) / 2.0)) * np.asarray(scores.standard_errors)
        return _shown_ends(scores, half)
    topics = len(scores.topics)
    times = float(stdtrit(topics - 1, (1.0 + level) / 2.0)) / math.sqrt(topics)
    # A system that scores alike on every topic has no range, whatever rounding makes of its spread.
    varies = np.ptp(scores.values, axis=0) > 0.0
    half = np.where(varies, times * scores.values.std(axis=0, ddof=1), 0.0)
    return _shown_ends(scores, half)


def _shown_ends(scores: Scores, half: Floats) -> tuple[Floats, Floats]:
    ends = scores.shown(scores.means - half), scores.shown(scores.means + half)
    return (ends[1], ends[0]) if scores.shown_lower else ends
