"""What a judge, people and both together make of a budget of human labels: the blocks of `study_correction`.

People's labels are hidden at random, as often as there are repeats; a larger budget shows more of the same order. A
block has one judge, its repeats, and all budgets: what each way gives is compared with the means by all human labels.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rankscope.coefficients import coefficient
from rankscope.coefficients.rows import quietly
from rankscope.inference.agreement import values_of
from rankscope.inference.correction import best_linear, prediction_powered
from rankscope.measures import rescore
from rankscope.runs import JudgedRuns
from rankscope.scores import Floats
from rankscope.studies.correction import LEAST_FURTHER, LEAST_TOPICS

Spent = Literal["none", "topics", "documents"]
# What is measured of every way, in this order.
STATISTICS = ("error", "covered", "tau", "tau_ap")
_COEFFICIENTS = ("tau_b", "tau_ap_b")


@dataclass(frozen=True)
class Way:
    """A way to spend human labels: its name, what it is, and whether people label whole topics or single documents."""

    name: str
    text: str
    spent: Spent


WAYS: tuple[Way, ...] = (
    Way("judge", "the judge alone", "none"),
    Way("people", "people alone, on some topics", "topics"),
    Way("corrected", "corrected by topic", "topics"),
    Way("predicted", "predicted by topic", "topics"),
    Way("pool", "people alone, on the top of the pool", "documents"),
    Way("top", "people on the top of the pool, the judge below", "documents"),
)
TOPIC_WAYS = tuple(way for way in WAYS if way.spent == "topics")
DOCUMENT_WAYS = tuple(way for way in WAYS if way.spent == "documents")


@dataclass(frozen=True, kw_only=True, eq=False)
class TopicBlock:
    """Repeats in which people label some topics: repeats × measures × sizes × ways × statistics.

    `human` and `judge` are measures × topics × systems.
    """

    human: Floats
    judge: Floats
    sizes: tuple[int, ...]
    repeats: range
    seed: int
    level: float

    @property
    def name(self) -> str:
        """Its name among the blocks, by what decides its numbers."""
        return f"topics-{self.repeats.start}-{_digest(self.human, self.judge, self.sizes, self.repeats, self.seed)}"

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of its numbers."""
        return len(self.repeats), len(self.human), len(self.sizes), len(TOPIC_WAYS), len(STATISTICS)

    def run(self) -> Floats:
        """Its numbers; NaN where there are too few topics for a correction."""
        values = np.full(self.shape, np.nan)
        for place, repeat in enumerate(self.repeats):
            order = np.random.default_rng([self.seed, repeat]).permutation(self.human.shape[1])
            for measure, (x, y) in enumerate(zip(self.human, self.judge, strict=True)):
                for at, size in enumerate(self.sizes):
                    values[place, measure, at] = topic_statistics(x, y, order[:size], order[size:], self.level)
        return values


def topic_statistics(x: Floats, y: Floats, shown: Any, hidden: Any, level: float) -> Floats:
    """Ways × statistics, with human scores on the topics `shown` and the judge's on all."""
    from scipy.special import stdtrit

    truth, n, tail = x.mean(axis=0), len(shown), (1.0 + level) / 2.0
    means, covered = [x[shown].mean(axis=0)], [np.nan]
    if n > 1:
        half = float(stdtrit(n - 1, tail)) * x[shown].std(axis=0, ddof=1) / np.sqrt(n)
        covered[0] = float(np.mean(np.abs(means[0] - truth) <= half + 1e-12))
    if not len(hidden):
        means, covered = means * 3, covered * 3  # nothing is left to correct
    elif n >= LEAST_TOPICS and len(hidden) >= LEAST_FURTHER:
        parts = x[shown], y[shown], y[hidden]
        powered, predicted = prediction_powered(*parts), best_linear(*parts)
        half = float(stdtrit(n - 1, tail)) * np.sqrt(np.diag(powered.covariance))
        own = float(stdtrit(predicted.freedom, tail)) * np.sqrt(np.diag(predicted.covariance))
        means += [powered.means, predicted.means]
        covered.append(float(np.mean(np.abs(powered.means - truth) <= half + 1e-12)))
        covered.append(float(np.mean(np.abs(predicted.means - (truth - truth.mean())) <= own + 1e-12)))
    values = np.full((len(TOPIC_WAYS), len(STATISTICS)), np.nan)
    values[: len(means)] = means_statistics(truth, np.array(means))
    values[: len(means), 1] = covered
    return values


@dataclass(frozen=True, kw_only=True, eq=False)
class DocumentBlock:
    """Repeats in which people label some documents: repeats × measures × budgets × ways × statistics.

    `truth` are the means by all human labels, measures × systems; `depths` the best rank of each document in any run.
    People label the documents of least depth, in random order among those of the same.
    """

    judged: JudgedRuns
    measures: tuple[str, ...]
    truth: Floats
    human: Floats
    judge: Floats
    depths: npt.NDArray[np.int64]
    sizes: tuple[int, ...]
    repeats: range
    seed: int
    ways: tuple[str, ...] = field(default=tuple(way.name for way in DOCUMENT_WAYS))

    @property
    def name(self) -> str:
        """Its name among the blocks, by what decides its numbers."""
        given = (self.truth, self.human, self.judge, self.depths, self.sizes, self.repeats, self.seed, self.measures)
        return f"documents-{self.repeats.start}-{_digest(*given)}"

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of its numbers."""
        return len(self.repeats), len(self.measures), len(self.sizes), len(self.ways), len(STATISTICS)

    def run(self) -> Floats:
        """Its numbers."""
        values = np.full(self.shape, np.nan)
        labelled = np.flatnonzero(~np.isnan(self.human))
        for place, repeat in enumerate(self.repeats):
            generator = np.random.default_rng([self.seed, repeat])
            order = labelled[np.lexsort((generator.random(len(labelled)), self.depths[labelled]))]
            rows = np.empty((len(self.ways), len(self.sizes), len(self.human)))
            rows[0], rows[1] = np.nan, self.judge
            for at, size in enumerate(self.sizes):
                rows[:, at, order[:size]] = self.human[order[:size]]
            scores = rescore(self.judged, self.measures, rows.reshape(-1, len(self.human)), jobs=1)
            for measure, name in enumerate(self.measures):
                means = scores[name].mean(axis=1)
                found = means_statistics(self.truth[measure], means).reshape(*rows.shape[:2], -1)
                values[place, measure] = found.swapaxes(0, 1)
        return values


def means_statistics(truth: Floats, means: Floats) -> Floats:
    """Statistics of each row of means: the error relative to the average system, no coverage, τ_b and τ_AP,b."""
    errors = (means - means.mean(axis=1, keepdims=True)) - (truth - truth.mean())
    values = np.full((len(means), len(STATISTICS)), np.nan)
    values[:, 0] = np.sqrt(np.square(errors).mean(axis=1))
    with quietly():
        values[:, 2:] = values_of([coefficient(name) for name in _COEFFICIENTS], truth[None], means).T
    return values


def _digest(*given: Any) -> str:
    digest = hashlib.sha256()
    for part in given:
        digest.update(np.ascontiguousarray(part).tobytes() if isinstance(part, np.ndarray) else repr(part).encode())
    return digest.hexdigest()[:24]
