"""The true means given the topics, and the correlation of the observed ranking with theirs: draws from a posterior.

Systems are kept together: a draw moves all of them, with the correlations that their topics show, so that its
correlation with the observed means is one draw of the whole coefficient and not a sum over pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from rankscope.coefficients import Coefficient
from rankscope.coefficients.rows import descending, quietly
from rankscope.inference.expected_pairs import Draws, Sample
from rankscope.inference.expected_weights import expected_tau_and_ap
from rankscope.inference.resampling import generators, in_threads
from rankscope.scores import Floats

Posterior = Literal["t", "bootstrap"]

# The coefficients of the paper: τ by Eq. 1, where a tie is no discordance, and τ_AP by Eq. 2.
PAIRWISE = ("kendall", "tau_ap")


def drawn_means(sample: Sample, generator: np.random.Generator, size: int, posterior: Posterior) -> Floats:
    """True means, a row per draw, systems best first.

    "t": multivariate t around the observed means with their sample covariance, n − 1 degrees of freedom: each pair's
    difference is as in Eq. 5 without C_n. It is drawn through the topics, so that as many systems as topics, or more,
    need no inverse. "bootstrap": the Bayesian bootstrap (Rubin 1981), topics weighted by Dirichlet(1, …, 1).
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

    def one_chunk(chunk: tuple[np.random.Generator, int]) -> list[Floats]:
        return correlations_with(sample, drawn_means(sample, *chunk, posterior), chosen)

    parts = in_threads(one_chunk, list(generators(draws.rng, draws.resamples)), draws.jobs)
    return [np.concatenate([part[k] for part in parts]) for k in range(len(chosen))]


def correlations_with(sample: Sample, truths: Floats, chosen: Sequence[Coefficient]) -> list[Floats]:
    """For each coefficient, its value between the observed means and each row of true ones, systems as in the sample.

    Systems that tie in the observed means count as half swapped by τ and τ_AP, unless they are identical.
    """
    ties = tied_discordance(sample)
    observed = (sample.means * sample.unit)[None]
    with quietly():
        return [_values(one, truths, observed, ties) for one in chosen]


def position(one: Coefficient) -> int | None:
    """0 for τ and 1 for τ_AP as the paper has them, None for all else."""
    return PAIRWISE.index(str(one)) if str(one) in PAIRWISE else None


def tied_discordance(sample: Sample) -> Floats:
    """What systems that tie in the mean add to the discordance: half a swap, unless they are identical."""
    level = sample.distinct & (sample.groups[:, None] == sample.groups[None, :])
    return np.asarray((1.0 - expected_tau_and_ap(sample, np.where(level, 0.5, 0.0))) / 2.0)


def _values(one: Coefficient, truth: Floats, observed: Floats, ties: Floats) -> Floats:
    place = position(one)
    if place is None:
        return np.asarray(one(truth, observed))
    found = discordance(truth, np.broadcast_to(observed, truth.shape))[:, place]
    return np.asarray(1.0 - 2.0 * (found + ties[place]))


def discordance(truth: Floats, estimate: Floats) -> Floats:
    """Per row, the discordance of two rankings by τ and by τ_AP (columns); a tie is none."""
    from rankscope.kernels.expected import discordances

    order = descending(estimate)
    out = np.empty((len(truth), 2))
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, truth.shape[1] + 1))])
    discordances(np.take_along_axis(truth, order, 1), np.take_along_axis(estimate, order, 1), harmonic, out)
    return out
