"""Posterior draws of the true means, and the correlation of the observed ranking with each.

expected.py calls this for its interval and for the Bayesian estimators. A draw changes all systems together, with the
correlations observed over topics, so it gives one draw of the whole coefficient and not a sum over pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from rankscope.coefficients import Coefficient
from rankscope.coefficients.rows import descending, quietly
from rankscope.inference.resampling import Draws
from rankscope.inference.swap_probabilities import Sample, expected_tau_and_ap
from rankscope.scores import Floats

Posterior = Literal["t", "bootstrap"]

# The paper's coefficients: τ by Eq. 1, where a tie is not discordant, and τ_AP by Eq. 2.
PAIRWISE = ("kendall", "tau_ap")


def drawn_means(sample: Sample, generator: np.random.Generator, size: int, posterior: Posterior) -> Floats:
    """Draws of the true means, one per row, systems best first.

    "t" is the multivariate t around the observed means with their sample covariance and n − 1 degrees of freedom: each
    pair's difference is as in Eq. 5 without C_n. It is drawn through the topics, so it needs no inverse even with more
    systems than topics. "bootstrap" is the Bayesian bootstrap (Rubin 1981): topics weighted by Dirichlet(1, …, 1).
    """
    n = sample.topics
    if posterior == "bootstrap":
        weights = generator.standard_exponential((size, n))
        return sample.sums_over(weights / weights.sum(axis=1, keepdims=True)) * sample.unit
    normal = generator.standard_normal((size, n))
    wider = np.sqrt((n - 1) / generator.chisquare(n - 1, size=(size, 1)))
    noise = sample.sums_over(normal - normal.mean(axis=1, keepdims=True)) / np.sqrt(n * (n - 1))
    return np.asarray((sample.means + wider * noise) * sample.unit)


def correlation_draws(
    sample: Sample, chosen: Sequence[Coefficient], draws: Draws, posterior: Posterior = "t"
) -> list[Floats]:
    """For each coefficient, its value between the observed means and each draw of the true ones."""
    chunks = draws.each(
        lambda generator, size: correlations_with(sample, drawn_means(sample, generator, size, posterior), chosen)
    )
    return [np.concatenate([chunk[k] for chunk in chunks]) for k in range(len(chosen))]


def correlations_with(sample: Sample, truths: Floats, chosen: Sequence[Coefficient]) -> list[Floats]:
    """For each coefficient, its value between the observed means and each row of true ones, systems as in the sample.

    Systems that tie in the observed means count as half swapped by τ and τ_AP, unless they are identical.
    """
    ties = tied_discordance(sample)
    observed = (sample.means * sample.unit)[None]
    with quietly():
        return [_values(by, truths, observed, ties) for by in chosen]


def position(by: Coefficient) -> int | None:
    """0 for the paper's τ, 1 for its τ_AP, None for other coefficients."""
    return PAIRWISE.index(str(by)) if str(by) in PAIRWISE else None


def tied_discordance(sample: Sample) -> Floats:
    """The discordance of systems with tied means: half a swap per pair, unless they are identical."""
    level = sample.distinct & (sample.groups[:, None] == sample.groups[None, :])
    return np.asarray((1.0 - expected_tau_and_ap(sample, np.where(level, 0.5, 0.0))) / 2.0)


def _values(by: Coefficient, truth: Floats, observed: Floats, ties: Floats) -> Floats:
    place = position(by)
    if place is None:
        return np.asarray(by(truth, observed))
    swapped = discordance(truth, np.broadcast_to(observed, truth.shape))[:, place]
    return np.asarray(1.0 - 2.0 * (swapped + ties[place]))


def discordance(truth: Floats, estimate: Floats) -> Floats:
    """The discordance of two rankings by τ and by τ_AP (columns), row by row; a tie is not discordant."""
    from rankscope.kernels.expected import discordances

    order = descending(estimate)
    out = np.empty((len(truth), 2))
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, truth.shape[1] + 1))])
    discordances(np.take_along_axis(truth, order, 1), np.take_along_axis(estimate, order, 1), harmonic, out)
    return out
