"""Families of margins for one system's scores, and the choice between them by likelihood.

After Urbano & Nagler (SIGIR 2018): Beta, truncated normal and truncated kernel for continuous measures; beta-binomial
and smoothed frequencies for those with few values. Scores are in [0, 1]. In likelihoods, 0 and 1 are moved inside by
half a unit of the last decimal, since a density may not be finite there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from rankscope.errors import BadParameter
from rankscope.scores import Floats
from rankscope.simulation.smoothing import kernel_density, kernel_quantiles, plug_in_bandwidth
from rankscope.simulation.tabulated_margins import KNOTS

MarginName = Literal["auto", "beta", "normal", "kernel", "beta_binomial", "smoothed", "empirical"]
Criterion = Literal["aic", "loglik"]
MARGINS: tuple[MarginName, ...] = get_args(MarginName)
CRITERIA: tuple[Criterion, ...] = get_args(Criterion)

EDGE = 5e-5
# Decay of the discrete kernel from a value to its neighbours.
_DECAYS = np.linspace(0.05, 0.9, 18)
# Bounds of the search for parameters, beyond which the shape hardly changes.
_WIDEST = 3.0


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted margin: quantiles at Φ(KNOTS) or probabilities on the support, log-likelihood, number of parameters."""

    family: str
    shape: Floats
    loglik: float
    parameters: float

    def merit(self, criterion: Criterion) -> float:
        """The log-likelihood, minus the number of parameters for AIC (−AIC/2); the greatest is chosen."""
        return self.loglik - (self.parameters if criterion == "aic" else 0.0)


@dataclass(frozen=True)
class Family:
    """A family: its name in the options, and the function that fits it to scores (continuous) or counts (discrete)."""

    name: MarginName
    fit: Callable[[Floats], Fitted]


def fit_beta(x: Floats) -> Fitted:
    """The maximum-likelihood Beta distribution, by Newton's method; the log-likelihood is concave."""
    from scipy.special import betaincinv, betaln, ndtr, polygamma, psi

    x = _inside(x)
    logs = np.array([np.log(x).mean(), np.log1p(-x).mean()])
    mean, variance = float(x.mean()), float(x.var())
    shape = np.maximum(np.array([mean, 1.0 - mean]) * (mean * (1.0 - mean) / variance - 1.0), 0.05)
    for _ in range(100):
        total = shape.sum()
        gradient = logs - psi(shape) + psi(total)
        curvature = np.diag(-polygamma(1, shape)) + polygamma(1, total)
        step = np.linalg.solve(curvature, gradient)
        shape = np.clip(shape - step, shape / 4.0, shape * 4.0)
        if np.abs(step).max() < 1e-12 * total:
            break
    loglik = len(x) * float((shape - 1.0) @ logs - betaln(shape[0], shape[1]))
    low = betaincinv(shape[0], shape[1], ndtr(KNOTS))
    high = 1.0 - betaincinv(shape[1], shape[0], ndtr(-KNOTS))
    return Fitted("beta", np.maximum.accumulate(np.where(KNOTS < 0.0, low, high)), loglik, 2.0)


def fit_normal(x: Floats) -> Fitted:
    """The maximum-likelihood normal distribution truncated to [0, 1]."""
    from scipy.special import log_ndtr, ndtri_exp

    x = _inside(x)
    mirrored = x.mean() > 0.5  # so that the mass is at the left, whose tail is summed without cancellation
    u = 1.0 - x if mirrored else x
    first, second = float(u.mean()), float((u * u).mean())

    def ends(centre: float, spread: float) -> tuple[float, float]:
        """The logarithms of the probabilities above 0 and above 1."""
        return float(log_ndtr(centre / spread)), float(log_ndtr((centre - 1.0) / spread))

    def cost(parameters: Floats) -> float:
        centre, spread = float(parameters[0]), float(np.exp(parameters[1]))
        above_0, above_1 = ends(centre, spread)
        inside = above_0 + np.log(-np.expm1(min(above_1 - above_0, -1e-12)))
        squares = second - 2.0 * centre * first + centre * centre
        return float(parameters[1] + inside + squares / (2.0 * spread * spread) + 0.5 * np.log(2.0 * np.pi))

    start = np.array([first, np.log(u.std())])
    bounds = [(-_WIDEST, 1.0), (np.log(1e-3), np.log(_WIDEST))]
    fitted = _least(cost, start, bounds)
    centre, spread = float(fitted[0]), float(np.exp(fitted[1]))
    above_0, above_1 = ends(centre, spread)
    log_above = log_ndtr(-KNOTS) + np.log(-np.expm1(above_1 - above_0)) + above_0
    quantiles = np.clip(centre - spread * ndtri_exp(np.logaddexp(log_above, above_1)), 0.0, 1.0)
    shape = 1.0 - quantiles[::-1] if mirrored else quantiles
    return Fitted("truncated normal", np.maximum.accumulate(shape), -len(x) * cost(fitted), 2.0)


def fit_kernel(x: Floats) -> Fitted:
    """A Gaussian kernel on each score, truncated to [0, 1].

    Its number of parameters is the trace of the smoother, minus one: the sum over scores of the share of a score's
    density that comes from its own kernel.
    """
    x = _inside(x)
    bandwidth = plug_in_bandwidth(x)
    density = kernel_density(x, bandwidth, 0.0, 1.0)
    own = 1.0 / (np.sqrt(2.0 * np.pi) * bandwidth * len(x))
    quantiles = kernel_quantiles(x, bandwidth, 0.0, 1.0)
    return Fitted("truncated kernel", quantiles, float(np.log(density).sum()), float((own / density).sum() - 1.0))


def fit_beta_binomial(counts: Floats) -> Fitted:
    """The maximum-likelihood beta-binomial over equally spaced values."""
    from scipy.special import betaln, gammaln

    k, size = np.arange(len(counts)), len(counts) - 1.0
    ways = gammaln(size + 1.0) - gammaln(k + 1.0) - gammaln(size - k + 1.0)

    def log_probabilities(parameters: Floats) -> Floats:
        a, b = np.exp(parameters)
        return np.asarray(ways + betaln(k + a, size - k + b) - betaln(a, b))

    share = float(counts @ k / (counts.sum() * size))
    start = np.log([max(2.0 * share, 0.05), max(2.0 * (1.0 - share), 0.05)])
    fitted = _least(lambda p: -float(counts @ log_probabilities(p)), start, [(-6.0, 8.0)] * 2)
    probabilities = np.exp(log_probabilities(fitted))
    loglik = float(counts @ log_probabilities(fitted))
    return Fitted("beta-binomial", probabilities / probabilities.sum(), loglik, 2.0)


def fit_smoothed(counts: Floats) -> Fitted:
    """Frequencies smoothed over neighbouring values with geometric decay; the decay with the best AIC."""
    seen = counts > 0.0
    fits = [fit_empirical(counts)]
    for decay in _DECAYS:
        kernel = _kernel(len(counts), float(decay))
        probabilities = counts @ kernel / counts.sum()
        loglik = float(counts[seen] @ np.log(probabilities[seen]))
        own = counts * np.diag(kernel) / counts.sum()
        parameters = float((own[seen] / probabilities[seen]).sum()) - 1.0
        fits.append(Fitted("smoothed frequencies", probabilities, loglik, parameters))
    return max(fits, key=lambda fitted: fitted.merit("aic"))


@lru_cache(maxsize=2 * len(_DECAYS))
def _kernel(size: int, decay: float) -> Floats:
    """The share of a value's frequency (row) that goes to each value; the same for all systems."""
    apart = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    kernel = np.where(apart == 0, 1.0, 0.5 * decay**apart)
    kernel /= kernel.sum(axis=1, keepdims=True)
    kernel.flags.writeable = False
    return kernel


def fit_empirical(counts: Floats) -> Fitted:
    """The observed frequencies."""
    shares = counts[counts > 0.0] / counts.sum()
    return Fitted(
        "frequencies", counts / counts.sum(), float(counts.sum() * (shares @ np.log(shares))), len(shares) - 1.0
    )


CONTINUOUS = (
    Family("beta", fit_beta),
    Family("normal", fit_normal),
    Family("kernel", fit_kernel),
)
DISCRETE = (
    Family("beta_binomial", fit_beta_binomial),
    Family("smoothed", fit_smoothed),
    Family("empirical", fit_empirical),
)


def best_fit(data: Floats, margin: MarginName, criterion: Criterion, *, discrete: bool, spaced: bool) -> Fitted:
    """The chosen margin, or the best one for "auto"; `spaced` says whether the support is equally spaced."""
    families = DISCRETE if discrete else CONTINUOUS
    chosen = [family for family in families if margin in ("auto", family.name)]
    if not chosen:
        kind = "few values" if discrete else "continuous scores"
        known = ", ".join(family.name for family in families)
        raise BadParameter(f"margin={margin!r} is not for {kind}: use auto, {known}, or set discrete={not discrete}")
    if not spaced:
        if margin == "beta_binomial":
            raise BadParameter("margin='beta_binomial' needs equally spaced values, as of P@10; use 'smoothed'")
        chosen = [family for family in chosen if family.name != "beta_binomial"]
    fits = [family.fit(data) for family in chosen]
    usable = [fitted for fitted in fits if np.isfinite(fitted.loglik) and np.isfinite(fitted.shape).all()]
    if not usable:
        raise BadParameter(f"margin={margin!r} does not fit the scores of a system; use margin='auto' or 'kernel'")
    return max(usable, key=lambda fitted: fitted.merit(criterion))


def _least(cost: Callable[[Floats], float], start: Floats, bounds: list[tuple[float, float]]) -> Floats:
    """The minimum of a cost of two parameters, without derivatives, and so without calls of a threaded BLAS."""
    from scipy.optimize import minimize

    start = np.clip(start, *np.transpose(bounds))
    minimum = minimize(cost, start, method="Nelder-Mead", bounds=bounds, options={"xatol": 1e-5, "fatol": 1e-9})
    return np.asarray(minimum.x)


def _inside(x: Floats) -> Floats:
    """Scores moved off 0 and 1 by half a unit of the fourth decimal, or by less where other scores are closer."""
    apart = np.concatenate([x[x > 0.0], 1.0 - x[x < 1.0], [2.0 * EDGE]])
    edge = float(apart.min()) / 2.0
    return np.asarray(np.clip(x, edge, 1.0 - edge))


def support_counts(values: Floats, support: Floats) -> npt.NDArray[np.float64]:
    """How often each system (row) has each value of the support (column)."""
    places = np.searchsorted(support, values)
    counts = [np.bincount(column, minlength=len(support)) for column in places.T]
    return np.array(counts, dtype=np.float64)
