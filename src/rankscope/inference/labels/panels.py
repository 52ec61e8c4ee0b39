"""Several judges' labels as one: ways to combine them, each a record.

All take rows × judges of grades on one scale from 0 to `top`, NaN where a judge has no label, and give a grade per row,
NaN where no judge has one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankscope.scores import Floats

# EM stops where no probability moves by more than this, or after so many steps.
_TOLERANCE, _STEPS = 1e-6, 500
# A label that a judge never gave to a class is still possible.
_LEAST = 1e-10


@dataclass(frozen=True, kw_only=True)
class Combination:
    """A way to combine judges; `function` is None where weights are learned from the truth, on other topics."""

    name: str
    label: str
    explanation: str
    reference: str
    function: Callable[[Floats, float], Floats] | None


def mean(grades: Floats, top: float = np.inf) -> Floats:
    """The mean grade of the judges that have one.

    >>> mean(np.array([[0.0, 3.0], [1.0, np.nan]])).tolist()
    [1.5, 1.0]
    """
    known = ~np.isnan(grades)
    count = known.sum(axis=1)
    sums = np.where(known, grades, 0.0).sum(axis=1)
    return np.asarray(np.divide(sums, count, out=np.full(len(grades), np.nan), where=count > 0))


def median(grades: Floats, top: float = np.inf) -> Floats:
    """The median grade; midway between the middle two of an even number.

    >>> median(np.array([[0.0, 3.0, 1.0], [1.0, np.nan, 2.0]])).tolist()
    [1.0, 1.5]
    """
    out = np.full(len(grades), np.nan)
    some = ~np.isnan(grades).all(axis=1)
    out[some] = np.nanmedian(grades[some], axis=1)
    return out


def majority(grades: Floats, top: float) -> Floats:
    """The most frequent grade, rounded to whole ones; the lowest of those that are equally frequent.

    >>> majority(np.array([[0.0, 3.0, 2.9], [1.0, np.nan, 2.0]]), 3).tolist()
    [3.0, 1.0]
    """
    votes = _votes(grades, top).sum(axis=1)
    return np.where(votes.any(axis=1), votes.argmax(axis=1).astype(np.float64), np.nan)


def dawid_skene(grades: Floats, top: float) -> Floats:
    """The expected grade when each judge confuses grades in its own way (Dawid & Skene 1979), without a truth.

    A document's class is a whole grade, its probabilities begin as shares of votes, and EM alternates between the
    judges' confusion matrices and these probabilities.

    >>> dawid_skene(np.array([[0.0, 0.0, 0.0], [3.0, 3.0, 0.0], [3.0, 3.0, 3.0], [0.0, 0.0, 3.0]]), 3).round(2).tolist()
    [0.0, 3.0, 3.0, 0.0]
    """
    votes = _votes(grades, top)
    rows, judges, classes = votes.shape
    flat = votes.reshape(rows, judges * classes)
    given = flat.any(axis=1)
    flat = flat[given]
    out = np.full(rows, np.nan)
    if not len(flat):
        return out
    share = flat.reshape(-1, judges, classes).sum(axis=1)
    probability = share / share.sum(axis=1, keepdims=True)
    for _ in range(_STEPS):
        prior = np.maximum(probability.mean(axis=0), _LEAST)
        errors = np.maximum((probability.T @ flat).reshape(classes, judges, classes), _LEAST)
        errors /= errors.sum(axis=2, keepdims=True)
        likelihood = np.log(prior) + flat @ np.log(errors).reshape(classes, -1).T
        likelihood = np.exp(likelihood - likelihood.max(axis=1, keepdims=True))
        before, probability = probability, likelihood / likelihood.sum(axis=1, keepdims=True)
        if np.abs(probability - before).max() <= _TOLERANCE:
            break
    out[given] = probability @ np.arange(classes)
    return out


def weights(grades: Floats, truth: Floats) -> tuple[float, Floats, Floats]:
    """The truth's mean, the judges' means, and weights of at least 0 by which grades predict the truth's.

    Least squares (Breiman 1996) over labelled rows; a judge without a grade counts as the mean of the others there.

    >>> of_truth, of_judges, weight = weights(np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]]), np.array([0.0, 1.0, 2.0]))
    >>> of_truth, weight.round(6).tolist()
    (1.0, [1.0, 0.0])
    """
    from scipy.optimize import nnls

    filled = _filled(grades)
    known = ~np.isnan(filled).any(axis=1)
    x, y = filled[known], truth[known]
    centre, level = x.mean(axis=0), float(y.mean())
    # The triangular factor has the same normal equations as all rows, in as many rows as judges.
    factor = np.asarray(np.linalg.qr(np.column_stack([x - centre, y - level]), mode="r"))
    return level, centre, np.asarray(nnls(factor[:, :-1], factor[:, -1])[0])


def weighted(grades: Floats, learned: tuple[float, Floats, Floats], top: float) -> Floats:
    """The truth's grades that learned weights predict, from 0 to `top`."""
    level, centre, weight = learned
    return np.clip(level + (_filled(grades) - centre) @ weight, 0.0, top)


COMBINATIONS: tuple[Combination, ...] = (
    Combination(
        name="mean",
        label="mean",
        explanation="the mean grade",
        reference="",
        function=mean,
    ),
    Combination(
        name="median",
        label="median",
        explanation="the median grade, midway between the middle two of an even number",
        reference="",
        function=median,
    ),
    Combination(
        name="majority",
        label="majority",
        explanation="the most frequent whole grade, the lowest of those that are equally frequent",
        reference="",
        function=majority,
    ),
    Combination(
        name="dawid-skene",
        label="Dawid–Skene",
        explanation="the expected grade when each judge confuses grades in its own way, estimated without the truth",
        reference="Dawid & Skene 1979",
        function=dawid_skene,
    ),
    Combination(
        name="weighted",
        label="weighted",
        explanation="the truth's grade that weights of at least 0 predict, learned on other topics",
        reference="Breiman 1996",
        function=None,
    ),
)
BY_NAME = {combination.name: combination for combination in COMBINATIONS}


def _filled(grades: Floats) -> Floats:
    return np.where(np.isnan(grades), mean(grades)[:, None], grades)


def _votes(grades: Floats, top: float) -> Floats:
    """Rows × judges × whole grades: 1 for the grade that the judge's is nearest to (the higher of two), else 0."""
    classes = int(np.ceil(top)) + 1
    nearest = np.floor(grades + 0.5)
    return np.asarray(nearest[:, :, None] == np.arange(classes)).astype(np.float64)
