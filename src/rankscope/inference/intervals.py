"""Intervals from draws, and Kendall's own.

Which method to trust is a matter of coverage: docs/coverage.md has the table.
"""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

import numpy as np

from rankscope.errors import BadParameter, TooFewSystems
from rankscope.results import Interval
from rankscope.scores import Floats

Method = Literal["recentred", "percentile", "bca"]
METHODS: tuple[Method, ...] = get_args(Method)


def check_level(level: float) -> None:
    """Raise `BadParameter` unless the level is a share from 0.001 to 0.9999."""
    if not 0.001 <= level <= 0.9999:  # beyond, quantiles are lost in rounding
        raise BadParameter(f"level={level}: a share from 0.001 to 0.9999, such as 0.95")


def interval(
    draws: Floats,
    observed: float,
    *,
    level: float,
    method: Method,
    topics: int,
    jackknife: Floats | None = None,
    bounds: tuple[float, float] = (-1.0, 1.0),
) -> Interval | None:
    """The interval that draws around an observed value give; None where there is nothing to judge from."""
    check_level(level)
    draws = draws[np.isfinite(draws)]
    if len(draws) < 2 or not math.isfinite(observed):
        return None
    low, high = {"recentred": _recentred, "percentile": _percentile, "bca": _bca}[method](
        draws, observed, level, topics, jackknife
    )
    return Interval(
        low=min(max(low, bounds[0]), bounds[1]),
        high=min(max(high, bounds[0]), bounds[1]),
        level=level,
        method=f"topic bootstrap, {method}",
    )


def expansion(topics: int, level: Any) -> Any:
    """How much wider than the draws an interval must be: they vary by (n − 1)/n too little, and t is wider than z."""
    from scipy.special import ndtri, stdtrit

    tail = (1.0 + level) / 2.0
    return math.sqrt(topics / (topics - 1.0)) * stdtrit(topics - 1, tail) / ndtri(tail)


def _recentred(
    draws: Floats, observed: float, level: float, topics: int, jackknife: Floats | None
) -> tuple[float, float]:
    low, high = _quantiles(draws, level)
    centre, wider = float(draws.mean()), float(expansion(topics, level))
    return observed + wider * (low - centre), observed + wider * (high - centre)


def _percentile(
    draws: Floats, observed: float, level: float, topics: int, jackknife: Floats | None
) -> tuple[float, float]:
    return _quantiles(draws, level)


def _bca(draws: Floats, observed: float, level: float, topics: int, jackknife: Floats | None) -> tuple[float, float]:
    """Bias-corrected and accelerated (Efron 1987); draws equal to the observed value count half."""
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


def kendall_interval(tau: float, systems: int, *, level: float = 0.95) -> Interval:
    """Kendall's interval for τ over a sample of systems (Carterette 2009, Eq. 1).

    It takes systems for independent draws, which they are not, and is as wide as that makes it.

    >>> found = kendall_interval(0.9, 25)
    >>> round(found.low, 3), round(found.high, 3)
    (0.389, 0.987)
    """
    from scipy.special import ndtri

    check_level(level)
    if systems < 2:
        raise TooFewSystems(f"an interval for τ needs two systems at least, there is {systems}")
    if not -1.0 <= tau <= 1.0:
        raise BadParameter(f"tau={tau}: between −1 and 1")
    z = float(ndtri((1.0 + level) / 2.0))
    widening = 2.0 * z * z / systems
    half = z * math.sqrt(2.0 / systems) * math.sqrt(1.0 + widening - tau * tau)
    return Interval(
        low=max(-1.0, (tau - half) / (1.0 + widening)),
        high=min(1.0, (tau + half) / (1.0 + widening)),
        level=level,
        method="Kendall's, over systems (Carterette 2009, Eq. 1)",
    )
