"""Means in which equal sums are equal, and ranks at which ties share their mean."""

from __future__ import annotations

import math

import numpy as np

from rankscope.aggregates import Floats
from rankscope.errors import NotFinite

# Decimal scores up to this many places are summed as integers (see `exact_means`).
_DECIMAL_PLACES = 9
# The greatest score whose square, and a sum of many such squares, is a number.
_GREATEST = 1e150
_EXACT_INTEGER = 2.0**53


def exact_means(values: Floats) -> Floats:
    """Column means in which equal sums give equal means.

    Published scores are short decimals, and 0.1 + 0.2 + 0.3 differs in its last bit from 0.3 + 0.2 + 0.1. A ranking
    must not turn on that, so decimals are summed as integers, and other scores with a correctly rounded sum, which
    does not depend on the order of the topics.

    >>> exact_means(np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.1]])).tolist()
    [0.2, 0.2]
    """
    topics = values.shape[0]
    check_size(values)
    coded = decimal_code(values)
    if coded is not None:
        integers, unit = coded
        return np.asarray(integers.sum(axis=0) / (topics * unit))
    return np.array([math.fsum(column) / topics for column in values.T])


def check_size(values: Floats) -> None:
    """Raise `NotFinite` for scores so large that their squares overflow."""
    if np.abs(values).max(initial=0.0) > _GREATEST:
        raise NotFinite(f"scores beyond {_GREATEST:g} cannot be averaged and squared; divide all scores by a constant")


def decimal_code(values: Floats) -> tuple[Floats, float] | None:
    """Scores as whole numbers of a decimal unit, `values == integers / unit`, or None where they are not decimals.

    Sums of such integers are exact in floating point, in any order, also inside a matrix product.
    """
    if values.size == 0 or not np.isfinite(values).all():
        return None
    for places in range(_DECIMAL_PLACES + 1):
        unit = 10.0**places
        integers = np.rint(values * unit)
        if np.abs(integers).max() * values.shape[0] >= _EXACT_INTEGER:
            return None
        if np.array_equal(integers / unit, values):
            return integers, unit
    return None


def mean_ranks(values: Floats) -> Floats:
    """Ranks of one list of scores, best (greatest) first, ties at their mean rank.

    >>> mean_ranks(np.array([0.5, 0.9, 0.5])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, group, size = np.unique(-values, return_inverse=True, return_counts=True)
    last = np.cumsum(size)
    return np.asarray((last - (size - 1) / 2.0)[group])
