"""Scores drawn directly through margins and a copula: model="margins", and measures with few values under both models.

J. Urbano and T. Nagler, "Stochastic simulation of test collections: evaluation scores", SIGIR 2018. Each system has a
margin, whose mean is corrected by a shift of its normal numbers, which keeps its support; one copula joins all systems.
models.py calls this; effects.py has the other model.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.scores import Floats
from rankscope.simulation.copulas import (
    Copula,
    CopulaName,
    GaussianCopula,
    VineCopula,
    correlations_of,
    matched_correlations,
)
from rankscope.simulation.margin_families import Criterion, MarginName, best_fit, support_counts
from rankscope.simulation.tabulated_margins import Margins, SmoothMargins, SteppedMargins, shifts_for_means


@dataclass(frozen=True, eq=False)
class DirectSampler:
    """Draws new topics: a margin per system, one copula for all."""

    copula: Copula
    margins: Margins
    shifts: Floats

    def draw(self, generator: np.random.Generator, topics: int) -> tuple[Floats, Floats]:
        """Scores, topics × systems, and the ease of each topic: its mean score."""
        scores = self.margins.at(self.copula.normals(generator, topics) + self.shifts)
        return scores, scores.mean(axis=1)


def fit_direct(
    columns: Floats,
    means: Floats,
    *,
    discrete: bool,
    margin: MarginName,
    criterion: Criterion,
    copula: CopulaName,
    trees: int,
    uncorrelated: bool,
    support: Floats,
) -> tuple[DirectSampler, tuple[str, ...]]:
    """Fit to distinct systems in columns with true means `means`; also returns the family of each margin.

    `support` has the values of a discrete measure.
    """
    spaced = len(support) > 1 and bool(np.allclose(np.diff(support), np.ptp(support) / (len(support) - 1), rtol=1e-6))
    data = support_counts(columns, support) if discrete else columns.T
    fits = [best_fit(system, margin, criterion, discrete=discrete, spaced=spaced) for system in data]
    shapes = np.array([fitted.shape for fitted in fits])
    margins: Margins = SteppedMargins(support, shapes) if discrete else SmoothMargins(shapes)
    off = np.abs(margins.means(np.zeros(len(means))) - means) > 1e-13
    shifts = np.where(off, shifts_for_means(margins, means), 0.0) if off.any() else np.zeros(len(means))
    names = tuple(fitted.family for fitted in fits)
    if uncorrelated:
        return DirectSampler(GaussianCopula(np.eye(len(means))), margins, shifts), names
    if copula == "vine" and len(means) > 1:
        return DirectSampler(VineCopula.of(columns, trees=trees), margins, shifts), names
    matched = matched_correlations(margins, shifts, correlations_of(columns))
    return DirectSampler(GaussianCopula.of(matched), margins, shifts), names
