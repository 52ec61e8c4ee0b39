"""The ranking to expect of people's labels on a sample of the documents, beside a judge's on all.

For the topics at hand, with w the weights of a document's gain in the systems' means, p its probability, and e² the
variance of human gains around what the judge's grade lets expect:

- corrected means have the sampling error D = Σ w w′ e² (1 − p)/p over documents;
- means with expected gains filled in have the error γ F, with F = Σ w w′ e² (1 − p) if the judge's errors on documents
  were independent, and γ for what they have in common beyond a factor of all differences, which changes no rank;
- the combined estimate has ((γF)⁻¹ + D⁻¹)⁻¹, taken along the axes of F without labels.

To these comes the error of topics, which no number of labels reduces: it is that of the judge's scores, on the scale of
the believed means.
"""

from __future__ import annotations

import math

import numpy as np

from rankscope.inference.correction import centred
from rankscope.inference.designs import DocumentDesign, DocumentPool, Flags
from rankscope.inference.document_correction import judge_classes
from rankscope.inference.planning import DRAWS, Beliefs, Outlook, student_factor
from rankscope.measures.record import Form
from rankscope.scores import Floats

# Without human labels: the standard deviation of human gains around what the judge's grade lets expect, in that of the
# judge's own gains. Judges of dl19 who do not grade by yes or no have .47 to .96 by nDCG@10, and .81 to 1.14 by AP.
ASSUMED_RESIDUAL = (0.5, 1.25)
# γ without human labels, by the form of the measure. The eight judges have 1 to 14 by nDCG@10, and 7 to 54 by AP.
ASSUMED_COMMON: dict[Form, tuple[float, float]] = {"sum": (1.0, 15.0), "ideal": (1.0, 15.0), "pairs": (5.0, 60.0)}
# γ where human labels tell of it.
POSSIBLE_COMMON = (1.0, 100.0)
# With fewer labelled documents the assumptions hold.
FEWEST = 20
# How many γ are tried, and documents of average variance that each grade gets.
_TRIED, _PRIOR_DOCUMENTS = 400, 5.0
# The most by which corrected means may be further apart than filled-in ones, or closer together.
_MOST_SCALE = 2.0


class DocumentOutlook(Outlook):
    """The ranking to expect of a design's documents; `gains` are by the judge, `human` by people (NaN: no label).

    `form` is how a score is made of gains.
    """

    def __init__(
        self,
        pool: DocumentPool,
        design: DocumentDesign,
        gains: Floats,
        human: Floats,
        *,
        form: Form,
        level: float,
        top: int,
        seed: int = 0,
        draws: int = DRAWS,
    ) -> None:
        self.level, self.top, self.seed = level, top, seed
        self._pool, self._design = pool, design
        known = ~np.isnan(human)
        self.labelled = int(known.sum())
        generator = np.random.default_rng([seed, 1])
        means = pool.scores.mean(axis=0)
        means = means - means.mean()
        if self.labelled < FEWEST:
            share = generator.uniform(*ASSUMED_RESIDUAL, draws)
            self._residuals = np.full(len(pool), float(gains.var()))
            self._sizes = np.square(share)
            self._common = _log_uniform(generator, ASSUMED_COMMON[form], draws)
        else:
            expected, self._residuals = _by_grade(pool.judgments.grades, known, human)
            filled = np.where(known, human, expected)
            means = means + pool.weights @ (filled - gains)
            squares = np.square(human[known] - expected[known])
            rows = generator.integers(0, len(squares), (draws, len(squares)))
            self._sizes = squares[rows].mean(axis=1) / squares.mean() if squares.any() else np.ones(draws)
            self._common, slope = self._likely(generator, known, human - expected, means, draws)
            means = means * slope
        self._means = np.broadcast_to(means, (draws, len(means)))
        self._topic_axes, self._topic_errors = self._over_topics(means)
        bias = self._error(self._chances(0), corrected=False)
        # The axis of all systems alike gets the greatest value, and is left out.
        self._axes = np.linalg.eigh(bias + (2.0 * float(np.trace(bias)) / len(bias) or 1.0))[1][:, :-1]

    def beliefs(self, budget: int) -> Beliefs:
        """Along the axes of F without labels, the same for every budget."""
        axes = self._axes
        now, then = self._combined(self._chances(self.labelled), axes), self._combined(self._chances(budget), axes)
        every = np.hstack([axes, self._topic_axes])
        topics = np.broadcast_to(self._topic_errors, (len(then), len(self._topic_errors)))
        return Beliefs(
            self._means,
            axes,
            np.sqrt(np.maximum(now - then, 0.0)),
            every,
            np.hstack([np.sqrt(then), topics]) * student_factor(len(self._pool.scores) - 1, self.level),
            np.zeros(len(then)),
        )

    def _over_topics(self, means: Floats) -> tuple[Floats, Floats]:
        """Axes and standard deviations of the error of topics."""
        scores = centred(self._pool.scores)
        judged = scores.mean(axis=0)
        squares = float(judged @ judged)
        scale = abs(float(means @ judged)) / squares if squares > 0.0 else 1.0
        values, axes = np.linalg.eigh(np.cov(scores, rowvar=False) / len(scores))
        return np.asarray(axes), scale * np.sqrt(np.maximum(values, 0.0))

    def _chances(self, budget: int) -> Floats:
        return np.asarray(self._design.function(self._pool, float(budget)) if budget else np.zeros(len(self._pool)))

    def _error(self, chances: Floats, *, corrected: bool) -> Floats:
        """D, or F: systems × systems."""
        left = self._residuals * (1.0 - chances)
        scaled = self._pool.weights * np.sqrt(left / np.maximum(chances, 1e-12) if corrected else left)
        return np.asarray(scaled @ scaled.T)

    def _combined(self, chances: Floats, axes: Floats) -> Floats:
        """Error variances of the combined means, draws × axes."""
        d, f = (
            self._sizes[:, None]
            * np.maximum(((axes.T @ self._error(chances, corrected=which)) * axes.T).sum(axis=1), 0)
            for which in (True, False)
        )
        f = self._common[:, None] * f
        return np.asarray(np.divide(f * d, f + d, out=np.zeros_like(d), where=(f + d) > 0.0))

    def _likely(
        self, generator: np.random.Generator, known: Flags, residuals: Floats, means: Floats, draws: int
    ) -> tuple[Floats, float]:
        """Draws of γ by how likely it makes the differences of corrected from filled-in means, and the means' scale.

        The scale is that of corrected means on filled-in ones, which are often closer to each other.
        """
        tried = _log_uniform(generator, POSSIBLE_COMMON, _TRIED)
        every = self._chances(self.labelled)
        chances = every[known]
        weights = self._pool.weights[:, known] * (residuals[known] * (1.0 - chances) / chances)
        moved = weights.sum(axis=1)
        squares = float(means @ means)
        slope = float(moved @ means) / squares if squares > 0.0 else 0.0
        moved = moved - slope * means
        scale = min(max(1.0 + slope, 1.0 / _MOST_SCALE), _MOST_SCALE)
        noise = weights * np.sqrt(1.0 - chances)
        values, axes = np.linalg.eigh(noise @ noise.T)
        bias = ((axes.T @ self._error(every, corrected=False)) * axes.T).sum(axis=1)
        seen = values > 1e-9 * max(float(values[-1]), 1e-300)
        if not seen.any():
            return tried[:draws], scale
        total = values[seen] + tried[:, None] * np.maximum(bias[seen], 0.0)
        likelihoods = -0.5 * (np.log(total) + np.square(axes.T @ moved)[seen] / total).sum(axis=1)
        belief = np.exp(likelihoods - likelihoods.max())
        return np.asarray(generator.choice(tried, draws, p=belief / belief.sum())), scale


def _by_grade(grades: Floats, known: Flags, human: Floats) -> tuple[Floats, Floats]:
    """For each document the mean human gain of labelled ones with the judge's grade, and the variance around it."""
    classes = judge_classes(grades)
    count = int(classes.max(initial=0)) + 1
    own, gains = classes[known], human[known]

    def moderated(values: Floats) -> Floats:
        sums, numbers = np.bincount(own, values, count), np.bincount(own, minlength=count)
        return np.asarray((sums + _PRIOR_DOCUMENTS * values.mean()) / (numbers + _PRIOR_DOCUMENTS))

    expected = moderated(gains)[classes]
    return expected, moderated(np.square(gains - expected[known]))[classes]


def _log_uniform(generator: np.random.Generator, ends: tuple[float, float], draws: int) -> Floats:
    return np.asarray(np.exp(generator.uniform(math.log(ends[0]), math.log(ends[1]), draws)))
