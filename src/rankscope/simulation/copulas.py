"""Copulas: the dependence between columns, as dependent standard normal numbers; margins are in other modules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

import numpy as np

from rankscope.averages import mean_ranks
from rankscope.checks import check_extra
from rankscope.scores import Floats
from rankscope.simulation.tabulated_margins import Margins

CopulaName = Literal["gaussian", "vine"]
COPULAS: tuple[CopulaName, ...] = get_args(CopulaName)

_EXTRA = "a vine copula needs pyvinecopulib: pip install 'rankscope[vines]', or use copula='gaussian'"
_HERMITE_TERMS = 40
# Beyond this many columns there is no matrix of all their correlations, whose decomposition takes the cube of the time.
MOST_COLUMNS = 2_000
_PROJECTIONS = 20


class Copula(Protocol):
    """Draws dependent standard normal numbers."""

    def normals(self, generator: np.random.Generator, topics: int) -> Floats:
        """Dependent standard normal numbers, topics × columns."""


@dataclass(frozen=True, eq=False)
class GaussianCopula:
    """Normal numbers with a given correlation: independent ones times `factor`, columns × rank."""

    factor: Floats

    @classmethod
    def of(cls, correlations: Floats) -> GaussianCopula:
        """The copula of a correlation matrix, or of the nearest one where it is not positive semidefinite."""
        values, vectors = np.linalg.eigh(nearest_correlation(correlations))
        keep = values > 1e-10 * values[-1]
        factor = vectors[:, keep] * np.sqrt(values[keep])
        return cls(factor / np.linalg.norm(factor, axis=1, keepdims=True))

    @classmethod
    def of_columns(cls, values: Floats) -> GaussianCopula:
        """The copula of the correlations between columns; a constant column is independent of all others.

        With more than `MOST_COLUMNS` columns the factor comes from the columns themselves: the same correlations, and
        memory and time linear in columns.
        """
        if values.shape[1] <= MOST_COLUMNS:
            return cls.of(correlations_of(values))
        unit = _standardised(values)
        _, singular, right = np.linalg.svd(unit, full_matrices=False)
        keep = singular**2 > 1e-10 * singular[0] ** 2
        constant = np.flatnonzero(~unit.any(axis=0))
        alone = np.zeros((values.shape[1], len(constant)))
        alone[constant, np.arange(len(constant))] = 1.0
        factor = np.hstack([right[keep].T * singular[keep], alone])
        return cls(factor / np.linalg.norm(factor, axis=1, keepdims=True))

    def normals(self, generator: np.random.Generator, topics: int) -> Floats:
        """Dependent standard normal numbers, topics × columns."""
        return np.asarray(generator.standard_normal((topics, self.factor.shape[1])) @ self.factor.T)


@dataclass(frozen=True, eq=False)
class VineCopula:
    """A regular vine of pair copulas (pyvinecopulib), truncated after a number of trees."""

    vine: Any

    @classmethod
    def of(cls, values: Floats, *, trees: int) -> VineCopula:
        """Fit a vine to topics × columns; ties share their mean rank."""
        package = check_extra("pyvinecopulib", _EXTRA)
        uniforms = np.column_stack([mean_ranks(-column) for column in values.T]) / (len(values) + 1.0)
        families = getattr(package, "families", package).parametric  # they moved in pyvinecopulib 1
        controls = package.FitControlsVinecop(family_set=families, trunc_lvl=trees)
        return cls(package.Vinecop.from_data(uniforms, controls=controls))

    def normals(self, generator: np.random.Generator, topics: int) -> Floats:
        """Dependent standard normal numbers, topics × columns."""
        from scipy.special import ndtri

        seeds = generator.integers(0, 2**31 - 1, size=5).tolist()
        sample = getattr(self.vine, "sample", None) or self.vine.simulate  # its name before pyvinecopulib 1
        uniforms = sample(topics, seeds=seeds)
        return np.asarray(ndtri(np.clip(uniforms, 1e-15, 1.0 - 1e-15)))


def correlations_of(values: Floats) -> Floats:
    """Pearson's correlations between columns; those of a constant column are 0.

    >>> correlations_of(np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 5.0]])).round(12).tolist()
    [[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    unit = _standardised(values)
    correlations: Floats = np.clip(unit.T @ unit, -1.0, 1.0)
    np.fill_diagonal(correlations, 1.0)
    return correlations


def _standardised(values: Floats) -> Floats:
    """Columns less their means, of length 1; a constant column is 0."""
    centred = values - values.mean(axis=0)
    norms = np.sqrt((centred * centred).sum(axis=0))
    varies = norms > 1e-12 * max(float(np.abs(values).max(initial=0.0)), 1e-300) * np.sqrt(len(values))
    return np.where(varies, centred / np.where(varies, norms, 1.0), 0.0)


def nearest_correlation(matrix: Floats) -> Floats:
    """The nearest correlation matrix, by alternating projections (Higham 2002); the matrix itself if it is one.

    >>> bad = np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]])
    >>> nearest_correlation(bad).round(4).tolist()[0]
    [1.0, 0.5, -0.5]
    """
    if np.linalg.eigvalsh(matrix)[0] > -1e-9:
        return matrix
    nearest, correction = matrix, np.zeros_like(matrix)
    for _ in range(_PROJECTIONS):
        corrected = nearest - correction  # with Dykstra's correction the limit is the nearest matrix
        values, vectors = np.linalg.eigh(corrected)
        positive = (vectors * np.maximum(values, 0.0)) @ vectors.T
        correction = positive - corrected
        nearest = positive.copy()
        np.fill_diagonal(nearest, 1.0)
        if np.abs(nearest - positive).max() < 1e-5:
            break
    return nearest


def matched_correlations(margins: Margins, shifts: Floats, target: Floats) -> Floats:
    """The correlations of normal numbers for which scores drawn through the margins have the target correlations.

    By Mehler's formula the covariance of two margins is Σ aₖ bₖ ρᵏ, with a and b their Hermite coefficients. It
    increases with ρ, since quantile functions increase.
    """
    z = np.linspace(-8.0, 8.0, 8_001)
    weights = np.exp(-0.5 * z * z)
    weights /= weights.sum()
    drawn = margins.at(z[:, None] + shifts)
    # Correlations do not depend on scale, and squares of tiny scores would underflow.
    largest = np.abs(drawn).max(axis=0)
    drawn = drawn / np.where(largest > 0.0, largest, 1.0)
    coefficients = np.empty((_HERMITE_TERMS, len(shifts)))
    before, polynomial = np.zeros_like(z), np.ones_like(z)
    deviations = np.sqrt(weights @ (drawn - weights @ drawn) ** 2)
    for k in range(_HERMITE_TERMS):
        # The normalised polynomials: √(k+1) heₖ₊₁ = z heₖ − √k heₖ₋₁
        before, polynomial = polynomial, (z * polynomial - np.sqrt(k) * before) / np.sqrt(k + 1.0)
        coefficients[k] = (weights * polynomial) @ drawn / deviations
    low, high = np.full_like(target, -1.0), np.full_like(target, 1.0)
    products = coefficients[:, :, None] * coefficients[:, None, :]
    for _ in range(40):
        middle = (low + high) / 2.0
        correlations = np.zeros_like(target)
        for term in products[::-1]:
            correlations = (correlations + term) * middle
        below = correlations < target
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    matched = (low + high) / 2.0
    np.fill_diagonal(matched, 1.0)
    return matched
