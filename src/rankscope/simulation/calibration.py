"""The location of each system on the logit scale at which its mean score is exactly the original one.

The published code keeps the mean *logit*, so the mean score drifts: the logit is not linear, kernels widen the
distribution, and scores end at 0 and 1. Here the location c of a system solves E[score(c + T + R)] = mean, with T and R
the topic effect and the residual as drawn. With S(w) = P(T + R > w), integration by parts gives

    E[score(c + T + R)] = ∫ score'(y) S(y − c) dy over the logits from that of 0 to that of 1,

whose integrand is smooth; S is one integral over the topic effect's normal number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankscope.inference.resampling import in_threads
from rankscope.scores import Floats
from rankscope.simulation.logits import END, scores_of_logits, slopes
from rankscope.simulation.tabulated_margins import KNOTS, STEP, SmoothMargins

# Nodes over the logits, and table cells that share two nodes over the topic effect: to find the root, and to refine it.
_COARSE = (48, 8)
_FINE = (160, 1)
# Beyond this correlation, and without residuals, one normal number determines both.
_AS_ONE = 0.9998
# Beyond all logits and normal numbers.
_BEYOND = 60.0
_STEPS = 60


def locations_for_means(margins: SmoothMargins, with_topic: Floats, means: Floats, *, jobs: int | None) -> Floats:
    """The locations for which systems have these mean scores, to 1e-8.

    The last of `margins` is the topic effect, the others are residuals; `with_topic` is the correlation of each
    residual's normal number with the topic effect's.
    """
    topic = margins.quantiles[-1]
    coarse, fine = _Rule.of(topic, *_COARSE), _Rule.of(topic, *_FINE)

    def locate(system: int) -> float:
        residual, rho, mean = margins.quantiles[system], float(with_topic[system]), float(means[system])
        if abs(rho) > _AS_ONE or np.ptp(residual) == 0.0:
            whole = topic + (residual if rho > 0.0 else residual[::-1])
            return _root(lambda c: _mean_of_one(c, whole), mean)
        place = _root(lambda c: coarse.mean_score(c, residual, rho), mean)
        # This close to the root the mean is linear, so the fine rule is needed only once.
        step = 1e-4 * (np.ptp(topic) + np.ptp(residual))
        below, above = (coarse.mean_score(place + side * step, residual, rho) for side in (-1.0, 1.0))
        gap = fine.mean_score(place, residual, rho) - mean
        return place - gap * 2.0 * step / (above - below) if above > below else place

    return np.array(in_threads(locate, range(len(means)), jobs))


@dataclass(frozen=True, eq=False)
class _Rule:
    """Nodes and weights for the double integral: logits (on [−1, 1]) by normal numbers of the topic effect."""

    nodes: Floats
    lengths: Floats
    normals: Floats
    weights: Floats
    effects: Floats

    @classmethod
    def of(cls, topic: Floats, logit_nodes: int, cells: int) -> _Rule:
        z, weights = _nodes_between(KNOTS[::cells], 2)
        return cls(*np.polynomial.legendre.leggauss(logit_nodes), z, weights, np.interp(z, KNOTS, topic))

    def mean_score(self, location: float, residual: Floats, rho: float) -> float:
        """The mean score of a system at this location."""
        from scipy.special import ndtr

        # Nodes are needed only between the least and the greatest logit.
        low = float(np.clip(location + self.effects[0] + residual[0], -END, END))
        high = float(np.clip(location + self.effects[-1] + residual[-1], -END, END))
        half = (high - low) / 2.0
        y = low + half * (1.0 + self.nodes)
        needed = (y - location)[:, None] - self.effects
        # Where the quantile function is constant, its inverse is any of several numbers; all give the same result.
        q = np.interp(needed, residual, KNOTS, left=-_BEYOND, right=_BEYOND)
        np.subtract(rho * self.normals, q, out=q)
        q /= np.sqrt(1.0 - rho * rho)
        above = half * (self.lengths * slopes(y)) @ (ndtr(q, out=q) @ self.weights)
        return float(scores_of_logits(np.array([low]))[0] + above)


def _mean_of_one(location: float, whole: Floats) -> float:
    """The mean score where one normal number determines both effects, exact for the table."""
    corners = []
    for end in (-END - location, END - location):
        crossed = np.flatnonzero((whole[:-1] - end) * (whole[1:] - end) < 0.0)
        rise = whole[crossed + 1] - whole[crossed]
        corners.append(KNOTS[crossed] + (end - whole[crossed]) / rise * STEP)
    z, weights = _nodes_between(np.sort(np.concatenate([KNOTS, *corners])), 3)
    return float(weights @ scores_of_logits(location + np.interp(z, KNOTS, whole)))


def _nodes_between(pieces: Floats, order: int) -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes in each piece, weighted by the normal density; the weights add up to 1."""
    x, w = np.polynomial.legendre.leggauss(order)
    middle, half = (pieces[1:] + pieces[:-1]) / 2.0, np.diff(pieces) / 2.0
    z = (middle[:, None] + half[:, None] * x).reshape(-1)
    weights = (half[:, None] * w).reshape(-1) * np.exp(-0.5 * z * z)
    return z, weights / weights.sum()


def _root(mean_score: Callable[[float], float], target: float) -> float:
    """The root of the increasing mean score minus its target: a secant in a shrinking bracket (the Illinois method)."""
    low, high = -_BEYOND, _BEYOND
    at_low, at_high = -target, 1.0 - target
    side = 0
    place = float("nan")
    for _ in range(_STEPS):
        place = (low * at_high - high * at_low) / (at_high - at_low) if side else 0.0
        gap = mean_score(place) - target
        if abs(gap) < 1e-15 or high - low < 1e-14:
            break
        if gap > 0.0:
            high, at_high = place, gap
            at_low *= 0.5 if side == 1 else 1.0
            side = 1
        else:
            low, at_low = place, gap
            at_high *= 0.5 if side == -1 else 1.0
            side = -1
    return place
