"""The variance model behind `worth`: variance between systems, topic sampling error, and bounds on their ratio.

Scores are centred by topic; x is the truth and y the judge:

    x_ts = μ_s + e_ts,   y_ts = β μ_s + δ_s + f_ts

with K the covariance over systems of (μ, βμ + δ) and E that of (e, f) over topics. All moments follow from six sums of
products, which change in closed form when a topic or a system is left out. docs/verdict.md has the derivation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rankscope.results import Interval
from rankscope.scores import Floats

# The truth's variance between systems is at least this share of that of their means, and the judge's slope on the truth
# is at least this, with both sides on the same scale.
_LEAST_VARIANCE, _LEAST_SLOPE = 0.02, 0.001
# Below this share of the largest score, or of a sum of squares, a number is a rounding error.
_ROUNDING = 1e-14
# v_low is at least v exp(−10).
_LOWEST = 10.0


class Moments(NamedTuple):
    """S, K and E of truth x and judge y; arrays where one topic or system is left out in turn."""

    sxx: Any
    syy: Any
    kxx: Any
    kxy: Any
    kyy: Any
    exx: Any
    eyy: Any
    topics: int
    systems: int


class _Sums(NamedTuple):
    """Sums of products of system means (z) and of all centred scores (q), from which all moments follow."""

    zxx: Any
    zxy: Any
    zyy: Any
    qxx: Any
    qxy: Any
    qyy: Any


class _Sides(NamedTuple):
    """Both tables centred by topic and their system means, the judge's scaled to the truth's unit."""

    x: Floats
    y: Floats
    zx: Floats
    zy: Floats

    @classmethod
    def of(cls, truth: Floats, estimate: Floats) -> _Sides:
        """Centre both sides, and scale the judge's so that the least slope does not depend on its unit."""
        x, y = _centred(truth), _centred(estimate)
        zx, zy = x.mean(axis=0), y.mean(axis=0)
        # hypot: the squares of tiny scores are 0
        unit = math.hypot(*zx.tolist()) / math.hypot(*zy.tolist()) if zx.any() and zy.any() else 1.0
        return cls(x, y * unit, zx, zy * unit)

    def sums(self, *, paired: bool) -> _Sums:
        """The sums over all topics and systems."""
        x, y, zx, zy = self
        return _Sums(zx @ zx, zx @ zy, zy @ zy, np.vdot(x, x), np.vdot(x, y) if paired else 0.0, np.vdot(y, y))


def moments_of(truth: Floats, estimate: Floats, *, paired: bool) -> tuple[Moments, list[Moments], Moments]:
    """The moments of all data, without each topic (one entry per set of topics), and without each system."""
    sides = _Sides.of(truth, estimate)
    sums, (x, y, zx, zy) = sides.sums(paired=paired), sides
    (nx, m), ny = x.shape, len(y)
    xx, yy = (x * x).sum(axis=1), (y * y).sum(axis=1)
    # Without topic t a mean is (n z − x_t)/(n − 1); these are the products of such means, expanded.
    own_x, own_y = _left_out(sums.zxx, x @ zx, xx, nx), _left_out(sums.zyy, y @ zy, yy, ny)
    if paired:
        xy = (x * y).sum(axis=1)
        cross = (nx * nx * sums.zxy - nx * (x @ zy + y @ zx) + xy) / (nx - 1.0) ** 2
        fewer_topics = _Sums(own_x, cross, own_y, sums.qxx - xx, sums.qxy - xy, sums.qyy - yy)
        left = [_split(fewer_topics, nx - 1, ny - 1, m, paired=True)]
    else:
        cross_x, cross_y = (nx * sums.zxy - x @ zy) / (nx - 1.0), (ny * sums.zxy - y @ zx) / (ny - 1.0)
        left = [
            _split(sums._replace(zxx=own_x, zxy=cross_x, qxx=sums.qxx - xx), nx - 1, ny, m, paired=False),
            _split(sums._replace(zyy=own_y, zxy=cross_y, qyy=sums.qyy - yy), nx, ny - 1, m, paired=False),
        ]
    # Without system s the others are centred again, which removes m/(m − 1) of its products.
    without = m / (m - 1.0)
    fewer_systems = _Sums(
        sums.zxx - without * zx * zx,
        sums.zxy - without * zx * zy,
        sums.zyy - without * zy * zy,
        sums.qxx - without * (x * x).sum(axis=0),
        sums.qxy - without * (x * y).sum(axis=0) if paired else 0.0,
        sums.qyy - without * (y * y).sum(axis=0),
    )
    return _split(sums, nx, ny, m, paired=paired), left, _split(fewer_systems, nx, ny, m - 1, paired=paired)


def repeat_moments(truth: Floats, repeats: Floats) -> Moments:
    """The moments without each repeat, where the judge is the mean of repeats (repeats × topics × systems)."""
    whole = repeats.sum(axis=0)
    fewer = [moments_of(truth, (whole - own) / (len(repeats) - 1.0), paired=True)[0] for own in repeats]
    columns = {name: np.array([float(getattr(c, name)) for c in fewer]) for name in Moments._fields[:-2]}
    return Moments(**columns, topics=fewer[0].topics, systems=fewer[0].systems)


def _centred(scores: Floats) -> Floats:
    """Every topic centred over the systems; rounding errors are set to 0."""
    centred = scores - scores.mean(axis=1, keepdims=True)
    return np.where(np.abs(centred) <= _ROUNDING * np.abs(scores).max(), 0.0, centred)


def scaled_sides(truth: Floats, estimate: Floats, *, paired: bool) -> tuple[Floats, Floats] | None:
    """The truth's scores and the judge's on the truth's scale: x and y/β by topic and system, both centred by topic.

    β is the judge's slope on the truth's true values, so a judge whose scores are closer together favours nobody. None
    where either side gives all systems the same mean.
    """
    sides = _Sides.of(truth, estimate)
    if not (sides.zx.any() and sides.zy.any()):
        return None
    moments = _split(sides.sums(paired=paired), len(truth), len(estimate), truth.shape[1], paired=paired)
    if not moments.sxx > 0.0:
        return None  # differences so small that their squares are 0
    return sides.x, np.asarray(sides.y / float(_slope(moments)))


def _left_out(square: float, product: Floats, own: Floats, n: int) -> Floats:
    """‖(n z − x_t)/(n − 1)‖² for every t."""
    return np.asarray((n * n * square - 2.0 * n * product + own) / (n - 1.0) ** 2)


def _split(sums: _Sums, nx: int, ny: int, m: int, *, paired: bool) -> Moments:
    """S split into K, between systems, and E/n, topic sampling error; sides with different topics share no error."""
    exx = (sums.qxx - nx * sums.zxx) / ((nx - 1) * (m - 1))
    eyy = (sums.qyy - ny * sums.zyy) / ((ny - 1) * (m - 1))
    exy = (sums.qxy - nx * sums.zxy) / ((nx - 1) * (m - 1)) if paired else 0.0
    exx, eyy = _positive(exx, sums.qxx), _positive(eyy, sums.qyy)
    sxx, syy = sums.zxx / (m - 1), sums.zyy / (m - 1)
    return Moments(sxx, syy, sxx - exx / nx, sums.zxy / (m - 1) - exy / nx, syy - eyy / ny, exx, eyy, nx, m)


def _positive(variance: Any, squares: Any) -> Any:
    """A variance, 0 where it is a rounding error."""
    return np.where(variance > _ROUNDING * squares, variance, 0.0)


def _between(c: Moments) -> Any:
    """The truth's variance between systems, kept above 0."""
    return np.maximum(c.kxx, _LEAST_VARIANCE * c.sxx)


def _slope(c: Moments) -> Any:
    """β, the judge's slope on the truth's true values, kept above 0."""
    return np.maximum(c.kxy, _LEAST_SLOPE * _between(c)) / _between(c)


def noise_and_bias(c: Moments) -> tuple[Any, Any]:
    """a: the noise of a judged topic relative to a human one; b: the judge's errors on systems, in the same unit."""
    kxx, slope, m = _between(c), _slope(c), c.systems
    with np.errstate(divide="ignore", invalid="ignore"):
        noise = c.eyy / (slope**2 * c.exx)
        bias = (c.kyy / slope**2 - kxx) / c.exx * (m - 1) / (m - 2)
    return noise, bias


class Bounds(NamedTuple):
    """v = a/k + max(b, 0) N with bounds, and the squared half-widths by topics (A), systems (B) and repeats (C)."""

    value: float
    low: float
    high: float
    topics: float
    systems: float
    repeats: float = 0.0


def bounds(
    whole: Moments,
    topics: Sequence[Moments],
    systems: Moments,
    many: int,
    times: float,
    level: float,
    repeats: Moments | None = None,
) -> Bounds:
    """The interval of v: jackknife over topics and over systems, at least as wide as χ² for an unobserved bias.

    Where the judge is the mean of several repeats, a jackknife over these is added, for other repeats of the same
    kind. Two or three repeats have few degrees of freedom, but a small part in the variance: t has those of the sum of
    all three variances (Satterthwaite 1946), and the interval is never narrower than without them.
    """
    from scipy.special import chdtri, stdtrit

    p, m = 0.5 + level / 2.0, whole.systems

    def unclipped(c: Moments) -> Any:
        a, b = noise_and_bias(c)
        return a / times + b * many

    a, b = noise_and_bias(whole)
    a = float(a) / times
    v = a + max(float(b), 0.0) * many
    parts = [(_jackknife(left), len(left) - 1) for left in map(unclipped, topics)]
    by_topics = sum(float(stdtrit(freedom, p)) ** 2 * variance for variance, freedom in parts)
    parts.append((_jackknife(unclipped(systems)), m - 2))
    by_systems = float(stdtrit(m - 2, p)) ** 2 * parts[-1][0]
    by_repeats = 0.0
    if repeats is not None:
        left = unclipped(repeats)
        parts.append((_jackknife(left), len(left) - 1))
        every = sum(variance for variance, _ in parts)
        if every > 0.0:
            freedom = every**2 / sum(variance**2 / freedom for variance, freedom in parts)
            by_repeats = max(float(stdtrit(freedom, p)) ** 2 * every - by_topics - by_systems, 0.0)
    h = 1.0 - float(chdtri(m - 2, p)) / (m - 2)  # chdtri(ν, p) is exceeded with probability p
    spread = math.sqrt(by_topics + by_systems + by_repeats)
    high = v + spread
    if h * (high - a) > math.sqrt(by_systems):
        # y with (y − v)² = A + C + h²(y − a)²: the part of systems is the χ² bound at y itself.
        c2, c1, c0 = 1.0 - h * h, -2.0 * (v - h * h * a), v * v - by_topics - by_repeats - h * h * a * a
        high = max(high, (-c1 + math.sqrt(max(c1 * c1 - 4.0 * c2 * c0, 0.0))) / (2.0 * c2))
    low = v * math.exp(-min(spread / v, _LOWEST)) if v > 0.0 else 0.0
    return Bounds(v, low, high, by_topics, by_systems, by_repeats)


def _jackknife(values: Floats) -> float:
    """The jackknife variance of an estimate, from its values with one left out."""
    return float((len(values) - 1) / len(values) * ((values - values.mean()) ** 2).sum())


def population_tau(whole: Moments, topics: Sequence[Moments], level: float) -> tuple[float | None, Interval | None]:
    """τ of both sides over the population of topics, from the correlation of their systems' true values.

    (2/π) asin ρ, its ends from the leave-one-topic-out t interval of ρ; docs/coverage.md has its coverage.
    """
    from scipy.special import stdtrit

    def correlation(c: Moments) -> Any:
        with np.errstate(divide="ignore", invalid="ignore"):
            return c.kxy / np.sqrt(np.maximum(c.kxx, 0.0) * np.maximum(c.kyy, 0.0))

    rho = float(correlation(whole))
    if not math.isfinite(rho):
        return None, None
    spread = 0.0
    for c in topics:
        left = correlation(c)
        if not np.isfinite(left).all():
            return _tau_of(rho), None
        spread += float(stdtrit(len(left) - 1, 0.5 + level / 2.0)) ** 2 * _jackknife(left)
    half = math.sqrt(spread)
    method = "leave one topic out, t, approximate"
    return _tau_of(rho), Interval(low=_tau_of(rho - half), high=_tau_of(rho + half), level=level, method=method)


def _tau_of(rho: float) -> float:
    return 2.0 / math.pi * math.asin(min(max(rho, -1.0), 1.0))
