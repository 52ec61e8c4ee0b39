"""Scores in [0, 1] on the logit scale, smoothed so that the logits of 0 and 1 are finite (Urbano 2016)."""

from __future__ import annotations

import math

import numpy as np

from rankscope.scores import Floats

SMOOTHING = 0.05
# The logit of a score of 1; that of 0 is its negative. Logits beyond them are scores of 1 and 0.
END = math.log((1.0 + SMOOTHING) / SMOOTHING)


def logit(scores: Floats) -> Floats:
    """log((x + a) / (1 − x + a)), a = 0.05.

    >>> logit(np.array([0.0, 0.5, 1.0])).round(3).tolist()
    [-3.045, 0.0, 3.045]
    """
    return np.asarray(np.log((scores + SMOOTHING) / (1.0 - scores + SMOOTHING)))


def scores_of_logits(logits: Floats) -> Floats:
    """The scores with these logits; 0 and 1 beyond the ends."""
    # σ(y) = (1 + tanh(y/2)) / 2 does not overflow.
    scores = np.tanh(0.5 * logits)
    scores *= 0.5 + SMOOTHING
    scores += 0.5
    return np.asarray(np.clip(scores, 0.0, 1.0, out=scores))


def slopes(logits: Floats) -> Floats:
    """The derivative of `scores_of_logits` between the ends."""
    t = np.tanh(0.5 * logits)
    return np.asarray((0.5 + SMOOTHING) * 0.5 * (1.0 - t * t))
