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

The variance model looks at all pairs of systems, of which most differ so much that any judge orders them as people do.
What the judge's means add to the order of the others is regressed on left-out topics (`_confirmed`), and a prediction
gives them no more weight than that.
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
# The numbers that are held at once, topics × pairs of systems.
_CHUNK = 1 << 20


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
    would have the same error, by variances as they are estimated. `without` are predictions without each human topic,
    around their mean, `further` the judge's further scores times their weight, and `remaining` the variance that no
    topic reduces. `uncertain` is what it grows by where true values vary by one standard error more than estimated.
    """

    means: Floats
    freedom: float
    weights: tuple[float, float, float]
    equivalent: float
    without: Floats
    further: Floats
    remaining: float
    uncertain: float

    @cached_property
    def ranking_covariance(self) -> Floats:
        """The covariance of the errors that change ranks: how far all means are shrunk together changes none.

        Own variances are moderated by nine topics of average variance.
        """
        n, m = self.without.shape
        by_topics = (n - 1.0) / n * self.without.T @ self.without + _covariance(self.further) / len(self.further)
        return np.asarray(moderated(by_topics, n - 1.0) + self.remaining * (np.eye(m) - 1.0 / m))

    @cached_property
    def covariance(self) -> Floats:
        """The covariance of the errors of means and their differences."""
        m = len(self.means)
        return self.ranking_covariance + self.uncertain * (np.eye(m) - 1.0 / m)


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
    the sampling error of the further topics, and the variance of what shrinking and the judge's own errors leave. For
    what shrinking leaves, the variance of true values is taken to be one standard error larger than estimated: few
    topics tell it poorly, and where it seems small, everything is shrunk to the average and seems certain. With
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
    sums, (slope, kept) = _sums(x, y, r), _slope(x, y)
    variances = _components(sums, n, more, m, kept)
    confirmed, each = _confirmed(x, y, r, kept * slope / (1.0 + n / more))
    fit = limited(predictor(variances, n, more), variances, n, more, confirmed)
    without = [(n * z - table) / (n - 1.0) for z, table in ((zx, x), (zy, y))]
    left_out = _without_each_topic(x, y, r, sums)
    fewer = _components(left_out, n - 1, more, m, kept)
    w = limited(predictor(fewer, n - 1, more), fewer, n - 1, more, each).weights
    predicted = w[:, 0, None] * without[0] + w[:, 1, None] * without[1] + w[:, 2, None] * zr
    spread = predicted - predicted.mean(axis=0)
    weights = fit.weights[0]
    judged = weights[2] * r
    remaining = float(fit.remaining[0])
    if allow_unseen:
        remaining += _unseen_errors(variances, weights, n, more, m)
    # Moderating changes no sum of variances.
    error = (n - 1.0) / n * float(np.vdot(spread, spread)) + _total_variance(judged) / more + remaining * (m - 1)
    shrinking = 1.0 - float(mean_slope(variances, fit.weights)[0])
    uncertain = shrinking**2 * math.sqrt((n - 1.0) * float(_true_variance(left_out, n - 1, m).var()))
    variance = float(variances.kxx[0])
    share = error / (m - 1) / variance if variance > 0.0 else 1.0
    noise = float(variances.exx[0]) / variance if variance > 0.0 else 0.0
    return PredictedMeans(
        means=np.asarray(weights @ np.array([zx, zy, zr])),
        freedom=min(PRIOR_TOPICS + n - 1.0, _freedom(spread)),
        weights=(float(weights[0]), float(weights[1]) * scale, float(weights[2]) * scale),
        equivalent=max(noise * (1.0 - share) / share, 0.0) if share > 0.0 else math.inf,
        without=spread,
        further=judged,
        remaining=remaining,
        uncertain=uncertain,
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
    exx = _error_variance(sums, n, m)
    exy = (sums.qxy - n * sums.zxy) / freedom
    eyy = np.maximum(sums.qyy - n * sums.zyy, 0.0) / freedom
    err = (eyy * freedom + np.maximum(sums.qrr - more * sums.zrr, 0.0)) / ((n + more - 2.0) * (m - 1.0))
    sxx = sums.zxx / (m - 1)
    kxx = np.maximum(_true_variance(sums, n, m), _LEAST_VARIANCE * sxx)
    # Half of it from means over the same topics, half from means that share no topic and so no error.
    kxy = (sums.zxy / (m - 1) - exy / n + sums.zxr / (m - 1)) / 2.0
    syy = (n * n * sums.zyy + 2.0 * n * more * sums.zyr + more * more * sums.zrr) / ((n + more) ** 2 * (m - 1.0))
    kyy = np.maximum(syy - err / (n + more), _LEAST_VARIANCE * syy)
    most = np.sqrt(kxx * kyy)
    kxy = np.clip(kxy, -most, most)
    kxy = kxy * _kept(kxy, sums.chance / (m - 1) ** 2)
    return Components(kxx, kxy, kyy, exx, kept * exy, eyy, err)


def _true_variance(sums: _Sums, n: int, m: int) -> Floats:
    """The variance of true values between systems, unbiased: it may be negative."""
    return np.asarray(sums.zxx / (m - 1.0) - _error_variance(sums, n, m) / n)


def _error_variance(sums: _Sums, n: int, m: int) -> Floats:
    """The variance of people's scores of a system over topics."""
    return np.asarray(np.maximum(sums.qxx - n * sums.zxx, 0.0) / ((n - 1.0) * (m - 1.0)))


def predictor(c: Components, n: int, more: int) -> Predictor:
    """The best linear prediction from n human topics, the judge's of these, and `more` of its own; 0 is none."""
    seen = ([0, 1] if n else []) + ([2] if more else [])
    observed, target = _means_covariance(c, n, more)
    weights = np.zeros(target.shape)
    inverse = np.linalg.pinv(observed[..., seen, :][..., seen], hermitian=True)
    weights[..., seen] = (inverse @ target[..., seen, None])[..., 0]
    return Predictor(weights, remaining_variance(c, weights))


def limited(fit: Predictor, c: Components, n: int, more: int, most: Any) -> Predictor:
    """The best linear prediction that gives the judge's own means no more weight than was confirmed (`most`).

    As in `_confirmed`, that weight is an angle between people's means (0) and the judge's over all topics (±π/2).
    """
    angle = np.arctan2(fit.weights[..., 1] + fit.weights[..., 2], np.maximum(fit.weights[..., 0], 0.0))
    angle = np.clip(angle, np.minimum(most, 0.0), np.maximum(most, 0.0))
    judged = np.sin(angle) / (n + more)
    mixed = np.stack([np.cos(angle), n * judged, more * judged], axis=-1)
    rows = np.stack([mixed, np.broadcast_to([0.0, -1.0, 1.0], mixed.shape)], axis=-2)
    observed, target = _means_covariance(c, n, more)
    inverse = np.linalg.pinv(rows @ observed @ rows.swapaxes(-1, -2), hermitian=True)
    weights = (rows.swapaxes(-1, -2) @ inverse @ rows @ target[..., None])[..., 0]
    return Predictor(weights, remaining_variance(c, weights))


def _means_covariance(c: Components, n: int, more: int) -> tuple[Floats, Floats]:
    """The covariance (…, 3, 3) of x̄, ȳ and r̄, and that of each with the true values, (…, 3)."""
    ridge, few, rest = 1.0 + _RIDGE, max(n, 1), max(more, 1)
    rows = [
        [c.kxx + ridge * c.exx / few, c.kxy + c.exy / few, c.kxy],
        [c.kxy + c.exy / few, c.kyy + ridge * c.eyy / few, c.kyy],
        [c.kxy, c.kyy, c.kyy + ridge * c.err / rest],
    ]
    observed = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    return observed, np.stack([c.kxx, c.kxy, c.kxy], axis=-1)


def _confirmed(x: Floats, y: Floats, r: Floats, weight: float) -> tuple[float, Floats]:
    """How much weight people's scores of left-out topics give to the judge's means, and the same without each topic.

    Each topic's human scores are regressed on the corrected means of the other topics and on the judge's means over the
    other topics. The ratio of the coefficients is an angle: 0 for the corrected means alone, ±π/2 for the judge's. As
    elsewhere, its sampling variance shrinks it.

    Pairs of systems count by how likely their corrected means are to be equal, exp(−z²/2). A judge that knows the weak
    systems, but not the order of the strong ones, predicts well on average over all pairs, and ranks badly.
    """
    n, more, m = len(x), len(r), x.shape[1]
    sx, sy, sr = x.sum(axis=0), y.sum(axis=0), r.sum(axis=0)
    corrected = (sx - x) / (n - 1.0) + weight * (sr / more - (sy - y) / (n - 1.0))
    judged = (sy - y + sr) / (n - 1.0 + more)
    variance = (_total_variance(x - weight * y) / n + weight**2 * _total_variance(r) / more) / (m - 1.0)
    products = np.zeros((n, 2, 3))
    step = max(_CHUNK // m**2, 1)
    for first in range(0, n, step):
        some = slice(first, first + step)
        sides = np.stack([corrected[some], judged[some], x[some]], axis=1)
        gaps = corrected[some, :, None] - corrected[some, None, :]
        close = np.exp(np.square(gaps) / (-4.0 * variance)) if variance > 0.0 else np.ones_like(gaps)
        close[:, range(m), range(m)] = 0.0
        near, others = close.sum(axis=2), sides.swapaxes(1, 2)
        # Σ c_ij (a_i − a_j)(b_i − b_j)/2 over all pairs, for each two lists a and b
        of_pairs = (sides[:, :2] * near[:, None, :]) @ others - sides[:, :2] @ close @ others
        pairs = near.sum(axis=1)
        products[some] = of_pairs / np.where(pairs > 0.0, pairs, np.inf)[:, None, None]
    total = products.sum(axis=0)
    angle, angles = float(_angle(total)), _angle(total - products)
    share = float(_kept(np.float64(angle), _chance(n) * (n - 1.0) * angles.var()))
    return share * angle, share * angles


def _angle(products: Floats) -> Floats:
    """The angle of the two coefficients of a regression, from products (…, 2, 3) of the regressors with all three."""
    least = 1e-9 * (products[..., 0, 0] + products[..., 1, 1])
    first, second = products[..., 0, 0] + least, products[..., 1, 1] + least
    both, x_first, x_second = products[..., 0, 1], products[..., 0, 2], products[..., 1, 2]
    return np.arctan2(first * x_second - both * x_first, np.maximum(second * x_first - both * x_second, 0.0))


def remaining_variance(c: Components, weights: Floats) -> Floats:
    """What shrinking, and the judge's errors on systems, leave of the variance of true values under any weights."""
    judged = weights[..., 1] + weights[..., 2]
    own_errors = np.maximum(c.kyy - _judge_slope(c) * c.kxy, 0.0)
    return np.asarray((1.0 - mean_slope(c, weights)) ** 2 * c.kxx + judged**2 * own_errors)


def mean_slope(c: Components, weights: Floats) -> Floats:
    """How much a prediction by these weights grows with the true value, on average: 1 is without shrinkage."""
    return np.asarray(weights[..., 0] + (weights[..., 1] + weights[..., 2]) * _judge_slope(c))


def _judge_slope(c: Components) -> Floats:
    """How much the judge's means grow with the true values."""
    return np.asarray(np.divide(c.kxy, c.kxx, out=np.zeros(np.shape(c.kxy)), where=np.asarray(c.kxx) > 0.0))


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


def _freedom(errors: Floats) -> float:
    """The degrees of freedom of the variance of errors, topics × systems, averaged over systems (Box 1954).

    Systems are relatives: their variances err together, so that few topics do not tell the average, either.
    """
    products = errors @ errors.T if len(errors) < errors.shape[1] else errors.T @ errors
    total, squares = float(np.trace(products)) ** 2, float(np.vdot(products, products))
    return (len(errors) - 1.0) * (total / squares if squares > 0.0 else 1.0)


def _total_variance(scores: Floats) -> float:
    """The sum over systems of the variance of their scores over topics."""
    around = scores - scores.mean(axis=0)
    return float(np.vdot(around, around)) / (len(scores) - 1.0)
