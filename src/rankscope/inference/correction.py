"""Human scores on some topics and a judge's on more: two estimates of every system's true mean.

x are the human scores on n topics, y the judge's on the same ones, and r the judge's on further topics; all are centred
by topic, so that what makes a topic easy for all systems drops out.

- *Prediction-powered* means (Angelopoulos et al. 2023): x̄ + λ (r̄ − ȳ), with one λ for all systems. They are unbiased
  whatever the judge's errors are; random labels get λ near 0.
- *Best linear prediction* of a system's true value from (x̄, ȳ, r̄), under the variance model of `worth_model`. It has
  the smaller error, since it shrinks, and it is not unbiased: for rankings, not for claims about one system.

What ties the judge to people (the covariance of their errors, which λ is made of, and of their true values) is
estimated from few topics. Each is shrunk by its own sampling variance over topics (James & Stein 1961, positive part),
so that the chance agreement of random labels costs next to nothing and a judge that agrees clearly keeps its weight.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rankscope.fits import PRIOR_TOPICS
from rankscope.inference.rank_sets import moderated
from rankscope.scores import Floats

# The least share of the variance of means that is taken to lie between systems, as in the variance model of worth.
_LEAST_VARIANCE = 0.02
# What is added to the sampling error of means, as a share of it: a judge that repeats human errors exactly would leave
# a covariance that cannot be inverted.
_RIDGE = 0.01


@dataclass(frozen=True, eq=False)
class PoweredMeans:
    """Prediction-powered means, the judge's weight, and as many human topics as are as precise.

    `corrected` and `added` are the scores whose means add up to these.
    """

    means: Floats
    weight: float
    equivalent: float
    corrected: Floats
    added: Floats

    @cached_property
    def covariance(self) -> Floats:
        """The covariance of the means."""
        return _covariance(self.corrected) / len(self.corrected) + _covariance(self.added) / len(self.added)


@dataclass(frozen=True, eq=False)
class PredictedMeans:
    """Predicted means, and the weights of x̄, ȳ and r̄.

    `freedom` is the degrees of freedom of the covariance. `equivalent` is the number of human topics whose shrunk means
    would have the same error. `without` are predictions without each human topic, around their mean, `further` the
    judge's further scores times their weight, and `remaining` the variance that no topic reduces.
    """

    means: Floats
    freedom: float
    weights: tuple[float, float, float]
    equivalent: float
    without: Floats
    further: Floats
    remaining: float

    @cached_property
    def covariance(self) -> Floats:
        """The covariance of the errors; own variances are moderated by nine topics of average variance."""
        n, m = self.without.shape
        by_topics = (n - 1.0) / n * self.without.T @ self.without + _covariance(self.further) / len(self.further)
        return np.asarray(moderated(by_topics, n - 1.0) + self.remaining * (np.eye(m) - 1.0 / m))


def prediction_powered(human: Floats, judge: Floats, further: Floats) -> PoweredMeans:
    """Means of every system from human scores, the judge's scores of the same topics, and those of further topics.

    The weight is estimated from scores centred by topic: an error that all systems share does not change the ranking.
    """
    n, more = len(human), len(further)
    x, y, r = centred(human), centred(judge), centred(further)
    slope, kept = _slope(x, y)
    weight = kept * slope / (1.0 + n / more)
    corrected, added = human - weight * judge, weight * further
    alone, own = _total_variance(x) / n, _total_variance(x - weight * y) / n + weight**2 * _total_variance(r) / more
    return PoweredMeans(
        means=np.asarray(corrected.mean(axis=0) + added.mean(axis=0)),
        weight=weight,
        equivalent=n * alone / own if own > 0.0 else float(n),
        corrected=corrected,
        added=added,
    )


def best_linear(human: Floats, judge: Floats, further: Floats, *, allow_unseen: bool = False) -> PredictedMeans:
    """Best linear predictions of every system's mean relative to the average system.

    The error of a prediction is the jackknife variance over human topics, which contains that of the estimated weights,
    the sampling error of the further topics, and the variance of what shrinking and the judge's own errors leave. With
    `allow_unseen` the judge's own errors are taken to be one standard error larger than estimated: with many topics and
    few systems, as in battles, they decide the error of the prediction, and an estimate from few systems is often near
    0.
    """
    n, m = human.shape
    more = len(further)
    x, y, r = centred(human), centred(judge), centred(further)
    scale = unit(x, y)
    y, r = y * scale, r * scale
    zx, zy, zr = x.mean(axis=0), y.mean(axis=0), r.mean(axis=0)
    sums, kept = _sums(x, y, r), _slope(x, y)[1]
    variances = _components(sums, n, more, m, kept)
    fit = predictor(variances, n, more)
    without = [(n * z - table) / (n - 1.0) for z, table in ((zx, x), (zy, y))]
    left_out = _without_each_topic(x, y, r, sums)
    w = predictor(_components(left_out, n - 1, more, m, kept), n - 1, more).weights
    predicted = w[:, 0, None] * without[0] + w[:, 1, None] * without[1] + w[:, 2, None] * zr
    spread = predicted - predicted.mean(axis=0)
    weights = fit.weights[0]
    judged = weights[2] * r
    remaining = float(fit.remaining[0])
    if allow_unseen:
        remaining += _unseen_errors(variances, weights, n, more, m)
    # Moderating changes no sum of variances.
    error = (n - 1.0) / n * float(np.vdot(spread, spread)) + _total_variance(judged) / more + remaining * (m - 1)
    variance = float(variances.kxx[0])
    share = error / (m - 1) / variance if variance > 0.0 else 1.0
    noise = float(variances.exx[0]) / variance if variance > 0.0 else 0.0
    return PredictedMeans(
        means=np.asarray(weights @ np.array([zx, zy, zr])),
        freedom=PRIOR_TOPICS + n - 1,
        weights=(float(weights[0]), float(weights[1]) * scale, float(weights[2]) * scale),
        equivalent=max(noise * (1.0 - share) / share, 0.0) if share > 0.0 else math.inf,
        without=spread,
        further=judged,
        remaining=remaining,
    )


class _Sums(NamedTuple):
    """Products of system means (z), and sums of squares and products of all centred scores (q).

    `chance` is what chance alone gives the square of the product of people's and the judge's means.
    """

    zxx: Any
    zxy: Any
    zyy: Any
    zxr: Any
    zyr: Any
    zrr: Any
    qxx: Any
    qxy: Any
    qyy: Any
    qrr: Any
    chance: Any


class Components(NamedTuple):
    """Variances and covariances between systems (k) and of topic sampling error (e) of people x and the judge y.

    `err` is the judge's error from all of its topics. Arrays hold one value for each fit.
    """

    kxx: Any
    kxy: Any
    kyy: Any
    exx: Any
    exy: Any
    eyy: Any
    err: Any


class Predictor(NamedTuple):
    """The weights (…, 3) of x̄, ȳ and r̄ in the best linear prediction, and what they leave of the true variance."""

    weights: Floats
    remaining: Floats


def _sums(x: Floats, y: Floats, r: Floats) -> _Sums:
    others = r if len(r) else y  # without further topics, what is known of them
    zx, zy, zr = x.mean(axis=0), y.mean(axis=0), others.mean(axis=0)
    products = (zx @ zx, zx @ zy, zy @ zy, zx @ zr, zy @ zr, zr @ zr)
    squares = (np.vdot(x, x), np.vdot(x, y), np.vdot(y, y), np.vdot(r, r))
    chance = _chance(len(x)) * (x @ zr).var(ddof=1) / len(x) + (others @ zx).var(ddof=1) / len(others)
    return _Sums(*(np.array([value]) for value in (*products, *squares, chance)))


def _without_each_topic(x: Floats, y: Floats, r: Floats, sums: _Sums) -> _Sums:
    """The sums without each human topic in turn: a mean is then (n z − x_t)/(n − 1)."""
    n = len(x)
    zx, zy, zr = x.mean(axis=0), y.mean(axis=0), r.mean(axis=0)
    xx, xy, yy = (x * x).sum(axis=1), (x * y).sum(axis=1), (y * y).sum(axis=1)
    few = (n - 1.0) ** 2
    along = x @ zr
    around = np.square(along - along.mean())
    left = (n * zx - x) / (n - 1.0)
    by_people = (around.sum() - n / (n - 1.0) * around) / ((n - 2.0) * (n - 1.0))
    by_judge = ((left @ _covariance(r)) * left).sum(axis=1) / len(r)
    return sums._replace(
        zxx=(n * n * sums.zxx - 2.0 * n * (x @ zx) + xx) / few,
        zxy=(n * n * sums.zxy - n * (x @ zy + y @ zx) + xy) / few,
        zyy=(n * n * sums.zyy - 2.0 * n * (y @ zy) + yy) / few,
        zxr=(n * sums.zxr - along) / (n - 1.0),
        zyr=(n * sums.zyr - y @ zr) / (n - 1.0),
        qxx=sums.qxx - xx,
        qxy=sums.qxy - xy,
        qyy=sums.qyy - yy,
        chance=_chance(n) * np.maximum(by_people, 0.0) + by_judge,
    )


def _chance(topics: int) -> float:
    """The mean of t² by chance alone, with a variance from so many topics: 1 is that of a known variance."""
    return topics / (topics - 2.0)


def components(human: Floats, judge: Floats, further: Floats) -> Components:
    """The variance components of scores centred by topic: people's, and the judge's on the same and further topics.

    The judge's are to be on the scale of the human ones (`unit`), since a least share of variance is assumed.
    """
    sums, (_, kept) = _sums(human, judge, further), _slope(human, judge)
    return _components(sums, len(human), len(further), human.shape[1], kept)


def _components(sums: _Sums, n: int, more: int, m: int, kept: float) -> Components:
    """The components from sums; of the covariance of errors a share is `kept`, as of the slope in λ."""
    freedom = (n - 1.0) * (m - 1.0)
    exx = np.maximum(sums.qxx - n * sums.zxx, 0.0) / freedom
    exy = (sums.qxy - n * sums.zxy) / freedom
    eyy = np.maximum(sums.qyy - n * sums.zyy, 0.0) / freedom
    err = (eyy * freedom + np.maximum(sums.qrr - more * sums.zrr, 0.0)) / ((n + more - 2.0) * (m - 1.0))
    sxx = sums.zxx / (m - 1)
    kxx = np.maximum(sxx - exx / n, _LEAST_VARIANCE * sxx)
    # Half of it from means over the same topics, half from means that share no topic and so no error.
    kxy = (sums.zxy / (m - 1) - exy / n + sums.zxr / (m - 1)) / 2.0
    syy = (n * n * sums.zyy + 2.0 * n * more * sums.zyr + more * more * sums.zrr) / ((n + more) ** 2 * (m - 1.0))
    kyy = np.maximum(syy - err / (n + more), _LEAST_VARIANCE * syy)
    most = np.sqrt(kxx * kyy)
    kxy = np.clip(kxy, -most, most)
    kxy = kxy * _kept(kxy, sums.chance / (m - 1) ** 2)
    return Components(kxx, kxy, kyy, exx, kept * exy, eyy, err)


def predictor(c: Components, n: int, more: int) -> Predictor:
    """The best linear prediction from n human topics, the judge's of these, and `more` of its own; 0 is none."""
    ridge, shape = 1.0 + _RIDGE, np.shape(c.kxy)
    seen = ([0, 1] if n else []) + ([2] if more else [])
    few, rest = max(n, 1), max(more, 1)
    rows = [
        [c.kxx + ridge * c.exx / few, c.kxy + c.exy / few, c.kxy],
        [c.kxy + c.exy / few, c.kyy + ridge * c.eyy / few, c.kyy],
        [c.kxy, c.kyy, c.kyy + ridge * c.err / rest],
    ]
    observed, target = np.empty((*shape, len(seen), len(seen))), np.empty((*shape, len(seen)))
    for i, row in enumerate(seen):
        target[..., i] = (c.kxx, c.kxy, c.kxy)[row]
        for j, column in enumerate(seen):
            observed[..., i, j] = rows[row][column]
    weights = np.zeros((*shape, 3))
    weights[..., seen] = (np.linalg.pinv(observed, hermitian=True) @ target[..., None])[..., 0]
    return Predictor(weights, remaining_variance(c, weights))


def remaining_variance(c: Components, weights: Floats) -> Floats:
    """What shrinking, and the judge's errors on systems, leave of the variance of true values under any weights."""
    slope = np.divide(c.kxy, c.kxx, out=np.zeros(np.shape(c.kxy)), where=np.asarray(c.kxx) > 0.0)
    judged = weights[..., 1] + weights[..., 2]
    own_errors = np.maximum(c.kyy - slope * c.kxy, 0.0)
    return np.asarray((1.0 - weights[..., 0] - judged * slope) ** 2 * c.kxx + judged**2 * own_errors)


def _unseen_errors(c: Components, weights: Floats, n: int, more: int, m: int) -> float:
    """What the judge's own errors may add to the variance of a prediction beyond their estimate: one standard error.

    They are estimated by the variance over m systems of the judge's means less the slope times the human means.
    """
    kxx, kxy, kyy, exx, exy, _, err = (float(value[0]) for value in c)
    slope = kxy / kxx if kxx > 0.0 else 0.0
    seen = max(kyy - slope * kxy, 0.0) + slope**2 * exx / n + (err - 2.0 * slope * exy) / (n + more)
    return float((weights[1] + weights[2]) ** 2 * max(seen, 0.0) * math.sqrt(2.0 / max(m - 2.0, 1.0)))


def centred(scores: Floats) -> Floats:
    """Scores without what is common to all systems on a topic."""
    return np.asarray(scores - scores.mean(axis=1, keepdims=True))


def _kept(value: Any, variance: Any) -> Any:
    """The share of an estimate that its sampling variance alone would not give (James & Stein 1961, positive part)."""
    square = np.square(value)
    return np.maximum(1.0 - np.divide(variance, square, out=np.ones_like(square), where=square > 0.0), 0.0)


def _slope(x: Floats, y: Floats) -> tuple[float, float]:
    """The slope of centred scores x on y around their means, and the share of it to keep by its jackknife variance.

    Leaving out a topic takes n/(n − 1) of its own products from the sums, since the means change as well.
    """
    n = len(x)
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    products, squares = (x * y).sum(axis=1), (y * y).sum(axis=1)
    if squares.sum() <= 0.0:
        return 0.0, 0.0
    without = squares.sum() - n / (n - 1.0) * squares
    slopes = (products.sum() - n / (n - 1.0) * products) / np.where(without > 0.0, without, np.inf)
    slope = float(products.sum() / squares.sum())
    return slope, float(_kept(np.float64(slope), (n - 1.0) * slopes.var()))


def unit(x: Floats, y: Floats) -> float:
    """What brings the judge's scores to the scale of the human ones, so that nothing depends on its unit."""
    squares = float(np.vdot(y, y))
    return math.sqrt(float(np.vdot(x, x)) / squares) if squares > 0.0 and x.any() else 1.0


def _covariance(scores: Floats) -> Floats:
    return np.atleast_2d(np.cov(scores, rowvar=False))


def _total_variance(scores: Floats) -> float:
    """The sum over systems of the variance of their scores over topics."""
    around = scores - scores.mean(axis=0)
    return float(np.vdot(around, around)) / (len(scores) - 1.0)
