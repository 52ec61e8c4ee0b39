"""Margins as tabulated functions of a standard normal number: fast to draw from, with exact means.

A copula draws dependent standard normal numbers z; a margin transforms each into a score by its quantile function at
Φ(z). The table *is* the margin, so its mean is a finite sum and not an approximation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from rankscope.scores import Floats

# Φ(−6.5) is 4e-11: the constant ends of a table are practically never drawn, but are part of its mean.
LIMIT = 6.5
CELLS = 1024
STEP = 2.0 * LIMIT / CELLS
KNOTS: Floats = np.linspace(-LIMIT, LIMIT, CELLS + 1)

# Bisections of an interval of width 2 · _REACH, down to the last bit of a shift near 1.
_REACH = 16.0
_HALVINGS = 58


class Margins(Protocol):
    """Margins, one per column."""

    def at(self, normals: Floats) -> Floats:
        """The scores for normal numbers, margins in columns."""

    def means(self, shifts: Floats) -> Floats:
        """The mean of each margin if its normal numbers have this mean instead of 0; it increases with the shift."""


@dataclass(frozen=True, eq=False)
class SmoothMargins:
    """Quantiles of each margin at Φ(KNOTS), linear in z between them and constant beyond.

    >>> SmoothMargins(KNOTS[None, :]).at(np.array([[0.3]])).round(12).tolist()  # the standard normal itself
    [[0.3]]
    """

    quantiles: Floats

    def at(self, normals: Floats) -> Floats:
        """The scores for normal numbers, margins in columns."""
        position = np.clip((normals + LIMIT) * (1.0 / STEP), 0.0, float(CELLS))
        cell = np.minimum(position.astype(np.intp), CELLS - 1)
        position -= cell
        cell += np.arange(len(self.quantiles)) * (CELLS + 1)
        flat = self.quantiles.reshape(-1)
        low = flat[cell]
        cell += 1
        return np.asarray(low + position * (flat[cell] - low))

    def means(self, shifts: Floats) -> Floats:
        """The exact means: a linear piece integrates to Φ and φ at its ends."""
        from scipy.special import ndtr

        z = KNOTS - np.asarray(shifts, dtype=np.float64)[:, None]
        below, density = ndtr(z), _density(z)
        slopes = np.diff(self.quantiles, axis=1) / STEP
        # ∫ (q + b (u − z₀)) φ(u) du over a cell that starts at z₀
        inside = (self.quantiles[:, :-1] - slopes * z[:, :-1]) * np.diff(below, axis=1) - slopes * np.diff(
            density, axis=1
        )
        ends = self.quantiles[:, 0] * below[:, 0] + self.quantiles[:, -1] * ndtr(-z[:, -1])
        return np.asarray(inside.sum(axis=1) + ends)


@dataclass(frozen=True, eq=False)
class SteppedMargins:
    """Margins on a finite support: the probability of each support value, per margin.

    >>> SteppedMargins(np.array([0.0, 0.5, 1.0]), np.array([[0.25, 0.5, 0.25]])).means(np.zeros(1)).tolist()
    [0.5]
    """

    support: Floats
    probabilities: Floats

    def at(self, normals: Floats) -> Floats:
        """The scores for normal numbers, margins in columns; all are values of the support."""
        scores = np.empty_like(normals)
        for column, cuts in enumerate(self._cuts):
            scores[:, column] = self.support[np.searchsorted(cuts, normals[:, column])]
        return scores

    def means(self, shifts: Floats) -> Floats:
        """The exact means."""
        from scipy.special import ndtr

        shifts = np.asarray(shifts, dtype=np.float64)
        if not shifts.any():
            return np.asarray(self.probabilities @ self.support)
        below = ndtr(self._cuts - shifts[:, None])
        return np.asarray(self.support[-1] - below @ np.diff(self.support))

    @cached_property
    def _cuts(self) -> Floats:
        """The normal numbers at which each margin steps up."""
        from scipy.special import ndtri

        below = np.minimum(np.cumsum(self.probabilities, axis=1)[:, :-1], 1.0)
        # Rounding must not make values of probability 0 at the top possible.
        above = np.cumsum(self.probabilities[:, ::-1], axis=1)[:, ::-1][:, 1:]
        return np.asarray(ndtri(np.where(above == 0.0, 1.0, below)))


def shifts_for_means(margins: Margins, means: Floats) -> Floats:
    """The shift of each margin's normal numbers that gives it this mean, to the last bits.

    A shift in z moves probability within the support.

    >>> uniform = SteppedMargins(np.array([0.0, 1.0]), np.array([[0.5, 0.5]]))
    >>> shift = shifts_for_means(uniform, np.array([0.7]))
    >>> uniform.means(shift).round(12).tolist()
    [0.7]
    """
    return rising_roots(lambda shifts: margins.means(shifts) - means, np.full(len(means), -_REACH), _REACH * 2.0)


def rising_roots(function: Callable[[Floats], Floats], low: Floats, width: float) -> Floats:
    """The root of each component of an increasing function, by bisection of [low, low + width]."""
    low = low.copy()
    for halving in range(1, _HALVINGS + 1):
        half = width * 0.5**halving
        low += np.where(function(low + half) < 0.0, half, 0.0)
    return low


def _density(z: Floats) -> Floats:
    return np.asarray(np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi))
