"""Intervals from bootstrap draws, and Kendall's interval over systems.

docs/coverage.md has the coverage of each method.
"""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

import numpy as np

from rankscope.checks import check_level
from rankscope.defaults import LEVEL
from rankscope.errors import BadParameter, TooFewSystems
from rankscope.results import Interval
from rankscope.scores import Floats

Method = Literal["recentred", "percentile", "bca"]
METHODS: tuple[Method, ...] = get_args(Method)


def interval(
    draws: Floats,
    observed: float,
    *,
    level: float,
    method: Method,
    topics: int | None,
    jackknife: Floats | None = None,
    bounds: tuple[float, float] = (-1.0, 1.0),
) -> Interval | None:
    """The interval of an observed value from its draws; None with fewer than two finite draws.

    `topics` is the number that was drawn; None where errors of known size were, which need no allowance for few topics.
    """
    check_level(level)
    draws = draws[np.isfinite(draws)]
    if len(draws) < 2 or not math.isfinite(observed):
        return None
    low, high = _bca(draws, observed, level, jackknife) if method == "bca" else _quantiles(draws, level)
    if method == "recentred":
        centre, wider = float(draws.mean()), 1.0 if topics is None else float(expansion(topics, level))
        low, high = observed + wider * (low - centre), observed + wider * (high - centre)
    return Interval(
        low=min(max(low, bounds[0]), bounds[1]),
        high=min(max(high, bounds[0]), bounds[1]),
        level=level,
        method=f"{'parametric' if topics is None else 'topic'} bootstrap, {method}",
    )


def expansion(topics: int, level: Any, *, freedom: int | None = None) -> Any:
    """The factor that widens an interval: the draws' variance is (n − 1)/n too small, and t is wider than z."""
    from scipy.special import ndtri, stdtrit

    tail = (1.0 + level) / 2.0
    return math.sqrt(topics / (topics - 1.0)) * stdtrit(freedom or topics - 1, tail) / ndtri(tail)


def _bca(draws: Floats, observed: float, level: float, jackknife: Floats | None) -> tuple[float, float]:
    """Bias-corrected and accelerated (Efron 1987); draws that equal the observed value count half."""
    from scipy.special import ndtr, ndtri

    if jackknife is None:
        raise BadParameter("a BCa interval needs the values with each topic left out")
    below = (draws < observed).sum() + (draws == observed).sum() / 2.0
    bias = ndtri((below + 0.5) / (len(draws) + 1.0))
    left_out = jackknife[np.isfinite(jackknife)]
    deviation = left_out.mean() - left_out if len(left_out) else np.zeros(1)
    spread = (deviation**2).sum() ** 1.5
    acceleration = (deviation**3).sum() / (6.0 * spread) if spread > 0.0 else 0.0
    tails = ndtri(np.array([(1.0 - level) / 2.0, (1.0 + level) / 2.0]))
    shares = ndtr(bias + (bias + tails) / (1.0 - acceleration * (bias + tails)))
    low, high = np.quantile(draws, np.sort(shares))
    return float(low), float(high)


def _quantiles(draws: Floats, level: float) -> tuple[float, float]:
    low, high = np.quantile(draws, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return float(low), float(high)


def kendall_interval(tau: float, systems: int, *, level: float = LEVEL) -> Interval:
    """Kendall's interval for τ over a sample of systems.

    It assumes that the systems are drawn independently, which they are not, and is wide. Two leaderboards have no
    other: resampling needs topics.

    Parameters
    ----------
    tau : float
        Kendall's τ between two rankings.
    systems : int
        The number of systems ranked, at least 2.
    level : float, default 0.95
        The level of the interval.

    Returns
    -------
    Interval
        The interval, clipped to [−1, 1].

    Raises
    ------
    BadParameter
        If `tau` is outside [−1, 1] or `level` outside (0, 1).
    TooFewSystems
        With fewer than two systems.

    References
    ----------
    B. Carterette, "On rank correlation and the distance between rankings", SIGIR 2009, Eq. 1.

    Examples
    --------
    >>> interval = kendall_interval(0.9, 25)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.389, 0.987)
    """
    from scipy.special import ndtri

    check_level(level)
    if systems < 2:
        raise TooFewSystems(f"an interval for τ needs at least two systems, there is {systems}")
    if not -1.0 <= tau <= 1.0:
        raise BadParameter(f"tau={tau}: a number from −1 to 1")
    z = float(ndtri((1.0 + level) / 2.0))
    # Eq. 1
    widening = 2.0 * z * z / systems
    half = z * math.sqrt(2.0 / systems) * math.sqrt(1.0 + widening - tau * tau)
    return Interval(
        low=max(-1.0, (tau - half) / (1.0 + widening)),
        high=min(1.0, (tau + half) / (1.0 + widening)),
        level=level,
        method="Kendall's, over systems (Carterette 2009, Eq. 1)",
    )


def share_interval(count: int, total: int, level: float = LEVEL) -> Interval:
    """Wilson's score interval of a share (1927), which stays within 0 and 1.

    >>> band = share_interval(9, 10)
    >>> round(band.low, 4), round(band.high, 4)
    (0.5958, 0.9821)
    """
    from scipy.special import ndtri

    check_level(level)
    z = float(ndtri((1.0 + level) / 2.0))
    share, shrunk = count / total, 1.0 + z * z / total
    centre = (share + z * z / (2.0 * total)) / shrunk
    half = z / shrunk * math.sqrt(share * (1.0 - share) / total + z * z / (4.0 * total * total))
    # At 0 and 1 the end is exact, and what is left is rounding.
    low, high = (0.0 if count == 0 else centre - half), (1.0 if count == total else centre + half)
    return Interval(low=low, high=high, level=level, method="Wilson")
