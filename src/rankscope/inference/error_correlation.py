"""Do judges err together, and how many independent ones would be worth as much?

A judge's error is what the truth does not explain of its grades or scores, so that judges which are independent given
the truth have uncorrelated errors, on whatever scale each grades.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.results import Interval
from rankscope.scores import Floats

_MOST_GRADES = 30


@dataclass(frozen=True, kw_only=True, eq=False)
class ErrorCorrelations:
    """Correlations of judges' errors, their mean over pairs, and the effective number of judges.

    `interval` is that of the mean correlation over topics, `effective_interval` what it implies; None for errors
    without topics, with fewer than three, or where it cannot be told without one of them. A judge without errors has
    correlations nan, which the mean leaves out.
    """

    matrix: Floats
    mean: float | None
    interval: Interval | None
    effective: float | None
    effective_interval: Interval | None


def by_grade(truth: Floats) -> Floats:
    """What explains grades: a column per grade of the truth; with more than 30, a constant and the grade itself.

    >>> by_grade(np.array([0.0, 2.0, 0.0])).tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    """
    distinct, at = np.unique(truth, return_inverse=True)
    return np.eye(len(distinct))[at] if len(distinct) <= _MOST_GRADES else by_score(truth)


def by_score(truth: Floats) -> Floats:
    """What explains scores: a constant, and the truth's score."""
    return np.column_stack([np.ones(len(truth)), truth])


def effective_judges(judges: int, correlation: float) -> float:
    """The independent judges whose mean errs as little as that of judges with this mean correlation of errors.

    m/(1 + (m − 1)ρ), the effective sample size of a cluster of m (Kish 1965).

    >>> effective_judges(8, 0.0), effective_judges(8, 1.0), effective_judges(9, 0.5)
    (8.0, 1.0, 1.8)
    """
    divisor = 1.0 + (judges - 1) * correlation
    return judges / divisor if divisor > 1e-12 else math.inf


def error_correlations(
    values: Floats,
    truth: Floats,
    topic: npt.NDArray[np.intp] | None = None,
    *,
    level: float = 0.95,
) -> ErrorCorrelations:
    """Correlations of what `truth` (rows × what explains) leaves of the columns of `values`, by least squares.

    With the topic of each row there are intervals over topics; what the truth explains is estimated anew without each.

    >>> grades = np.array([[0.0, 1.0], [1.0, 2.0], [3.0, 3.0], [2.0, 2.0]])
    >>> error_correlations(grades, by_grade(np.array([0.0, 0.0, 2.0, 2.0]))).mean
    1.0
    """
    judges, explaining = values.shape[1], truth.shape[1]
    if not len(values):
        nothing = np.full((judges, judges), np.nan)
        return ErrorCorrelations(matrix=nothing, mean=None, interval=None, effective=None, effective_interval=None)
    # A column that rounding alone keeps from being explained is told by its size.
    sizes = np.maximum(np.abs(values).max(axis=0), np.finfo(float).tiny)
    both = np.column_stack([truth, values / sizes])
    matrix = _correlations((both.T @ both)[None], explaining)[0]
    mean = float(_mean(matrix[None])[0])
    if math.isnan(mean):
        return ErrorCorrelations(matrix=matrix, mean=None, interval=None, effective=None, effective_interval=None)
    band = None
    topics = 0 if topic is None else int(topic.max()) + 1
    if topic is not None and topics > 2:
        ends = np.searchsorted(np.sort(topic), np.arange(topics + 1))
        rows = both[np.argsort(topic, kind="stable")]
        parts = (rows[first:last] for first, last in itertools.pairwise(ends.tolist()))
        products = np.stack([part.T @ part for part in parts])
        without = _mean(_correlations(products.sum(axis=0) - products, explaining))
        band = _interval(mean, without, int((~np.isnan(np.diag(matrix))).sum()), level)
    effective = None
    if band is not None:
        low, high = (effective_judges(judges, end) for end in (band.high, band.low))
        effective = Interval(low=low, high=high, level=band.level, method=band.method)
    return ErrorCorrelations(
        matrix=matrix,
        mean=mean,
        interval=band,
        effective=effective_judges(judges, mean),
        effective_interval=effective,
    )


def _interval(mean: float, without: Floats, judges: int, level: float) -> Interval | None:
    """The leave-one-topic-out t interval of a mean correlation ρ, on the scale of log(1 + (m − 1)ρ).

    That is minus the logarithm of the effective number of judges, whose spread hardly depends on its value. A few
    topics may decide most of the variance, which is then estimated from few: t has the degrees of freedom
    2(n − 1)/(κ − 1), with κ the kurtosis of the estimates without each topic, at most n − 1 (Satterthwaite 1946).
    """
    from scipy.special import stdtrit

    def scale(correlation: Floats) -> Floats:
        return np.asarray(1.0 + (judges - 1) * correlation)

    inside, left = scale(np.array(mean)), scale(without)
    if not (inside > 1e-12 and (left > 1e-12).all()):
        return None
    logs, topics = np.log(left), len(left)
    squares = (logs - logs.mean()) ** 2
    spread = math.sqrt((topics - 1) / topics * squares.sum())
    kurtosis = float((squares**2).mean() / squares.mean() ** 2) if spread > 0.0 else 3.0
    freedom = (topics - 1) * min(1.0, 2.0 / (kurtosis - 1.0) if kurtosis > 1.0 else 1.0)
    half = float(stdtrit(freedom, 0.5 + level / 2.0)) * spread
    low, high = ((math.exp(math.log(float(inside)) + side * half) - 1.0) / (judges - 1) for side in (-1, 1))
    method = "leave one topic out, t on the logarithm of the effective number"
    return Interval(low=max(low, -1.0), high=min(high, 1.0), level=level, method=method)


def _correlations(products: Floats, explaining: int) -> Floats:
    """Sums of products (B, k + m, k + m) of k columns that explain and m judges to correlations of what is left."""
    k = explaining
    explained = products[:, k:, :k] @ np.linalg.pinv(products[:, :k, :k], hermitian=True) @ products[:, :k, k:]
    left = products[:, k:, k:] - explained
    sizes = np.einsum("bii->bi", left)
    # What rounding leaves of a judge that is explained fully is no error.
    sizes = np.sqrt(np.where(sizes > 1e-12 * np.einsum("bii->bi", products)[:, k:], sizes, 0.0))
    scale = sizes[:, :, None] * sizes[:, None, :]
    ratios = np.divide(left, scale, out=np.full(left.shape, np.nan), where=scale > 0.0)
    return np.asarray(np.clip(ratios, -1.0, 1.0))


def _mean(matrices: Floats) -> Floats:
    """The mean correlation of different judges that is known, nan without one."""
    off = ~np.eye(matrices.shape[1], dtype=bool)
    pairs = matrices[:, off]
    known = ~np.isnan(pairs)
    counts = known.sum(axis=1)
    sums = np.where(known, pairs, 0.0).sum(axis=1)
    return np.asarray(np.divide(sums, counts, out=np.full(len(pairs), np.nan), where=counts > 0))
