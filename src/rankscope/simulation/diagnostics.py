"""`diagnose`: do simulated scores look like the original ones, by margins, correlations and variance components?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ShapeMismatch
from rankscope.inputs import ScoresLike, to_matrix
from rankscope.results import Remark, Result, Table
from rankscope.scores import Floats
from rankscope.simulation.copulas import correlations_of

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, kw_only=True)
class Discrepancy:
    """A quantity of the original scores, of the simulated ones, and simulated minus original."""

    original: float
    simulated: float
    difference: float


@dataclass(frozen=True, kw_only=True)
class MarginDiagnosis:
    """One system's scores: their mean (with its Monte-Carlo standard error), variance, quantiles and KS distance."""

    system: str
    mean: Discrepancy
    standard_error: float
    variance: Discrepancy
    quantiles: tuple[Discrepancy, ...]
    ks: float


@dataclass(frozen=True, kw_only=True)
class CorrelationDiagnosis:
    """Pearson's correlations between pairs of systems: their mean, and the differences of single ones."""

    mean: Discrepancy
    root_mean_square: float
    largest: float
    pairs: int


@dataclass(frozen=True, kw_only=True)
class VarianceDiagnosis:
    """Variance components of scores = system + topic + residual, all random effects."""

    systems: Discrepancy
    topics: Discrepancy
    residual: Discrepancy


@dataclass(frozen=True, kw_only=True)
class Diagnostics(Result):
    """The original scores against all simulated topics together.

    Attributes
    ----------
    margins : tuple of MarginDiagnosis
        Mean, variance, quantiles and Kolmogorov-Smirnov distance of each system.
    correlations : CorrelationDiagnosis or None
        Correlations between systems; None for one system.
    components : VarianceDiagnosis or None
        Variance components; None for one system.
    levels : tuple of float
        The levels of the quantiles.
    remarks : tuple of Remark
        What was left out of the original scores.
    settings : dict
        The numbers of topics.
    """

    margins: tuple[MarginDiagnosis, ...]
    correlations: CorrelationDiagnosis | None
    components: VarianceDiagnosis | None
    levels: tuple[float, ...]
    remarks: tuple[Remark, ...] = ()
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per quantity: the mean over systems, and the largest difference of one system."""
        rows: list[tuple[Any, ...]] = [
            _row("mean", [m.mean for m in self.margins]),
            _row("variance", [m.variance for m in self.margins]),
            *(
                _row(f"quantile {level:g}", [m.quantiles[i] for m in self.margins])
                for i, level in enumerate(self.levels)
            ),
        ]
        distances = [m.ks for m in self.margins]
        rows.append(("KS distance", None, None, float(np.mean(distances)), max(distances)))
        if self.correlations is not None:
            c = self.correlations
            rows.append(("correlation of systems", c.mean.original, c.mean.simulated, c.mean.difference, c.largest))
        if self.components is not None:
            for name in ("systems", "topics", "residual"):
                component: Discrepancy = getattr(self.components, name)
                values = component.original, component.simulated, component.difference
                rows.append((f"variance of {name}", *values, None))
        return Table(("quantity", "original", "simulated", "difference", "largest_difference"), tuple(rows))

    def tables(self) -> dict[str, Table]:
        """Every table by name, the main one first."""
        return {"quantities": self.table(), "systems": self.systems_table()}

    def systems_table(self) -> Table:
        """One row per system."""
        columns = ["system"]
        for quantity in ("mean", "variance", *(f"quantile_{level:g}" for level in self.levels)):
            columns += [f"{quantity}_original", f"{quantity}_simulated", f"{quantity}_difference"]
        rows = [
            (
                m.system,
                *(x for c in (m.mean, m.variance, *m.quantiles) for x in (c.original, c.simulated, c.difference)),
                m.standard_error,
                m.ks,
            )
            for m in self.margins
        ]
        brief = ("system", "mean_original", "mean_simulated", "mean_difference", "ks")
        return Table((*columns, "standard_error", "ks"), tuple(rows), brief=brief)


def diagnose(original: ScoresLike, simulated: npt.ArrayLike, *, levels: tuple[float, ...] = LEVELS) -> Diagnostics:
    """Compare simulated scores with the original ones.

    Parameters
    ----------
    original : ScoresLike
        The original scores by topic.
    simulated : array-like
        Simulated scores, topics × systems or collections × topics × systems, with systems in the original order.
    levels : tuple of float, default (0.05, 0.25, 0.5, 0.75, 0.95)
        The levels of the quantiles compared.

    Returns
    -------
    Diagnostics
        Margins, correlations and variance components of both.

    Raises
    ------
    ShapeMismatch
        If the simulated scores have another number of systems or dimensions.
    MissingScores
        If the original has no topics, or missing scores.

    Examples
    --------
    >>> scores = [[0.2, 0.4], [0.6, 0.5], [0.1, 0.3]]
    >>> diagnose(scores, scores).margins[0].ks
    0.0
    """
    matrix = to_matrix(original, "simulated topics are compared with the original ones")
    drawn = np.asarray(simulated, dtype=np.float64)
    if drawn.ndim not in (2, 3) or drawn.shape[-1] != len(matrix.systems) or drawn.shape[-2] < 1:
        raise ShapeMismatch(
            f"simulated scores have shape {drawn.shape}; give (collections ×) topics × {len(matrix.systems)} systems"
        )
    pooled = drawn.reshape(-1, drawn.shape[-1])
    x, means = matrix.values, matrix.means
    quantiles = np.quantile(x, levels, axis=0), np.quantile(pooled, levels, axis=0)
    variances = x.var(axis=0, ddof=1), pooled.var(axis=0, ddof=min(1, len(pooled) - 1))
    drawn_means, errors = pooled.mean(axis=0), np.sqrt(variances[1] / len(pooled))
    margins = tuple(
        MarginDiagnosis(
            system=system,
            mean=_discrepancy(means[s], drawn_means[s]),
            standard_error=float(errors[s]),
            variance=_discrepancy(variances[0][s], variances[1][s]),
            quantiles=tuple(_discrepancy(a, b) for a, b in zip(quantiles[0][:, s], quantiles[1][:, s], strict=True)),
            ks=ks_distance(x[:, s], pooled[:, s]),
        )
        for s, system in enumerate(matrix.systems)
    )
    several = len(matrix.systems) > 1 and len(pooled) > 1
    return Diagnostics(
        margins=margins,
        correlations=_correlations(x, pooled) if several else None,
        components=_components(x, pooled) if several else None,
        levels=levels,
        remarks=matrix.left_out,
        settings={"topics": len(x), "simulated_topics": len(pooled)},
    )


def ks_distance(x: Floats, y: Floats) -> float:
    """The largest difference of two empirical distribution functions.

    >>> ks_distance(np.array([0.0, 1.0]), np.array([0.0, 0.0]))
    0.5
    """
    places = np.unique(np.concatenate([x, y]))
    below = [np.searchsorted(np.sort(sample), places, side="right") / len(sample) for sample in (x, y)]
    return float(np.abs(below[0] - below[1]).max())


def variance_components(values: Floats) -> tuple[float, float, float]:
    """The variances of system effects, topic effects and residuals, from mean squares; negative ones are 0.

    >>> variance_components(np.array([[0.1, 0.3], [0.2, 0.4]]))[2]
    0.0
    """
    n, m = values.shape
    grand, rows, columns = values.mean(), values.mean(axis=1), values.mean(axis=0)
    residuals = values - rows[:, None] - columns + grand
    residual = float((residuals**2).sum() / ((n - 1) * (m - 1)))
    residual = residual if residual > 1e-28 * float((values**2).sum()) else 0.0
    systems = max(float(columns.var(ddof=1)) - residual / n, 0.0)
    topics = max(float(rows.var(ddof=1)) - residual / m, 0.0)
    return systems, topics, residual


def _correlations(x: Floats, y: Floats) -> CorrelationDiagnosis | None:
    varies = np.flatnonzero((np.ptp(x, axis=0) > 0.0) & (np.ptp(y, axis=0) > 0.0))
    if len(varies) < 2:
        return None
    pairs = np.triu_indices(len(varies), 1)
    before, after = correlations_of(x[:, varies])[pairs], correlations_of(y[:, varies])[pairs]
    return CorrelationDiagnosis(
        mean=_discrepancy(before.mean(), after.mean()),
        root_mean_square=float(np.sqrt(((after - before) ** 2).mean())),
        largest=float(np.abs(after - before).max()),
        pairs=len(before),
    )


def _components(x: Floats, y: Floats) -> VarianceDiagnosis:
    systems, topics, residual = map(_discrepancy, variance_components(x), variance_components(y))
    return VarianceDiagnosis(systems=systems, topics=topics, residual=residual)


def _discrepancy(original: float, simulated: float) -> Discrepancy:
    return Discrepancy(original=float(original), simulated=float(simulated), difference=float(simulated - original))


def _row(name: str, discrepancies: list[Discrepancy]) -> tuple[Any, ...]:
    original, simulated = (
        float(np.mean([getattr(c, side) for c in discrepancies])) for side in ("original", "simulated")
    )
    return name, original, simulated, simulated - original, max(abs(c.difference) for c in discrepancies)
