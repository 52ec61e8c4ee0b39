"""model="effects": system and topic effects on the logit scale, kernel margins, a Gaussian copula over residuals.

J. Urbano, "Test collection reliability: a study of bias and robustness to statistical assumptions via stochastic
simulation", Information Retrieval Journal 19, 2016; Urbano & Marrero (SIGIR 2016) simulate with it. The logit of a
score is a grand mean, a system effect, a topic effect and a residual. New topics draw a topic effect and residuals with
the observed margins and correlations, which are transformed back into scores. models.py calls this.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.scores import Floats
from rankscope.simulation.calibration import locations_for_means
from rankscope.simulation.copulas import Copula, GaussianCopula
from rankscope.simulation.logits import logit, scores_of_logits
from rankscope.simulation.smoothing import kernel_quantiles, plug_in_bandwidth
from rankscope.simulation.tabulated_margins import KNOTS, SmoothMargins

# Topics drawn at a time, which stay in the cache.
_BLOCK = 2_048


@dataclass(frozen=True, eq=False)
class EffectsSampler:
    """Draws new topics; `margins` and `copula` have a column per system's residual and the topic effect last."""

    copula: Copula
    margins: SmoothMargins
    locations: Floats
    on_logits: bool

    def draw(self, generator: np.random.Generator, topics: int) -> tuple[Floats, Floats]:
        """Scores, topics × systems, and the ease of each topic: its effect."""
        scores, ease = np.empty((topics, len(self.locations))), np.empty(topics)
        for start in range(0, topics, _BLOCK):
            here = slice(start, min(start + _BLOCK, topics))
            effects = self.margins.at(self.copula.normals(generator, here.stop - start))
            ease[here] = effects[:, -1]
            scores[here] = effects[:, :-1]
            scores[here] += effects[:, -1:]
            scores[here] += self.locations
            if self.on_logits:
                scores[here] = scores_of_logits(scores[here])
        return scores, ease


def fit_effects(
    values: Floats,
    columns: Floats,
    means: Floats,
    *,
    normal: bool,
    homoscedastic: bool,
    uncorrelated: bool,
    jobs: int | None,
) -> EffectsSampler:
    """Fit to all systems' `values` in [0, 1], for the distinct systems in `columns` with true means `means`.

    With `normal`, residuals are normal on the scale of the scores, which may then leave [0, 1].
    """
    scale = values if normal else logit(values)
    topic_effects = scale.mean(axis=1) - scale.mean()
    own = columns if normal else logit(columns)
    residuals = own - own.mean(axis=0) - topic_effects[:, None]
    deviations = residuals.std(axis=0, ddof=1)
    negligible = deviations < 1e-12 * max(float(np.abs(own).max()), 1.0)  # one system, or all parallel
    residuals = np.where(negligible, 0.0, residuals)
    if homoscedastic:
        pooled = np.sqrt((deviations**2).mean())
        residuals *= np.where(negligible, 1.0, pooled / np.where(negligible, 1.0, deviations))
    effects = np.column_stack([residuals, topic_effects])
    copula = GaussianCopula(np.eye(effects.shape[1])) if uncorrelated else GaussianCopula.of_columns(effects)
    quantiles = [
        kernel_quantiles(effect, plug_in_bandwidth(effect))
        if column == len(own.T) or not normal
        else KNOTS * np.std(effect, ddof=1)
        for column, effect in enumerate(effects.T)
    ]
    margins = SmoothMargins(np.array(quantiles))
    if normal:
        drift = margins.means(np.zeros(len(quantiles)))
        locations = means - drift[:-1] - drift[-1]
    else:
        with_topic = copula.factor[:-1] @ copula.factor[-1]
        locations = locations_for_means(margins, with_topic, means, jobs=jobs)
    return EffectsSampler(copula, margins, locations, on_logits=not normal)
