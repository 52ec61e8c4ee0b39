"""What a judge, people and both together make of a budget of human labels: the blocks of `study_correction`.

People's labels are hidden at random, as often as there are repeats; a larger budget shows more of the same order. A
block has one judge, its repeats, and all budgets: what each way gives is compared with the means by all human labels.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.coefficients import coefficient
from rankscope.coefficients.rows import quietly
from rankscope.inference.agreement import values_of
from rankscope.inference.correction import best_linear, prediction_powered
from rankscope.inference.document_correction import RANKING_CAP, Sampled, combine, estimate, features, on_scale
from rankscope.inference.document_scores import DocumentScores
from rankscope.inference.sampling import difference_weights, inclusion_probabilities
from rankscope.measures import parse_measure, rescore
from rankscope.runs import JudgedRuns
from rankscope.scores import Floats
from rankscope.studies.correction import LEAST_FURTHER, LEAST_TOPICS
from rankscope.studies.document_correction import LEAST_DOCUMENTS

Spent = Literal["none", "topics", "top", "sample"]
# What is measured of every way, in this order.
STATISTICS = ("error", "covered", "tau", "tau_ap")
_COEFFICIENTS = ("tau_b", "tau_ap_b")


@dataclass(frozen=True)
class Way:
    """A way to spend human labels: its name, what it is, and what people label.

    They label whole topics, the top of the pool, or a sample of documents drawn by their influence.
    """

    name: str
    text: str
    spent: Spent


WAYS: tuple[Way, ...] = (
    Way("judge", "the judge alone", "none"),
    Way("people", "people alone, on some topics", "topics"),
    Way("corrected", "corrected by topic", "topics"),
    Way("predicted", "predicted by topic", "topics"),
    Way("pool", "people alone, on the top of the pool", "top"),
    Way("top", "people on the top of the pool, the judge below", "top"),
    Way("sampled", "people alone, on sampled documents", "sample"),
    Way("filled", "filled in and mapped, sampled documents", "sample"),
    Way("corrected_documents", "corrected by document", "sample"),
    Way("combined", "combined by document", "sample"),
)
TOPIC_WAYS, TOP_WAYS, SAMPLE_WAYS = (
    tuple(way for way in WAYS if way.spent == spent) for spent in ("topics", "top", "sample")
)


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
class TopBlock:
    """Repeats in which people label the top of the pool: repeats × measures × budgets × ways × statistics.

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

    @property
    def name(self) -> str:
        """Its name among the blocks, by what decides its numbers."""
        given = (self.truth, self.human, self.judge, self.depths, self.sizes, self.repeats, self.seed, self.measures)
        return f"top-{self.repeats.start}-{_digest(*given)}"

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of its numbers."""
        return len(self.repeats), len(self.measures), len(self.sizes), len(TOP_WAYS), len(STATISTICS)

    def run(self) -> Floats:
        """Its numbers."""
        values = np.full(self.shape, np.nan)
        labelled = np.flatnonzero(~np.isnan(self.human))
        for place, repeat in enumerate(self.repeats):
            generator = np.random.default_rng([self.seed, repeat])
            order = labelled[np.lexsort((generator.random(len(labelled)), self.depths[labelled]))]
            rows = np.empty((len(TOP_WAYS), len(self.sizes), len(self.human)))
            rows[0], rows[1] = np.nan, self.judge
            for at, size in enumerate(self.sizes):
                rows[:, at, order[:size]] = self.human[order[:size]]
            scores = rescore(self.judged, self.measures, rows.reshape(-1, len(self.human)), jobs=1)
            for measure, name in enumerate(self.measures):
                means = scores[name].mean(axis=1)
                found = means_statistics(self.truth[measure], means).reshape(*rows.shape[:2], -1)
                values[place, measure] = found.swapaxes(0, 1)
        return values


@dataclass(frozen=True, kw_only=True, eq=False)
class SampleBlock:
    """Repeats in which people label documents drawn by their influence: repeats × measures × sizes × ways × statistics.

    `judged` are the documents with a human label, `judge` the judge's grades of them (NaN without). Intervals are those
    of the draw of documents: the truth is the mean over these topics.
    """

    judged: JudgedRuns
    measures: tuple[str, ...]
    truth: Floats
    human: Floats
    judge: Floats
    sizes: tuple[int, ...]
    repeats: range
    seed: int
    level: float

    @property
    def name(self) -> str:
        """Its name among the blocks, by what decides its numbers."""
        given = (self.truth, self.human, self.judge, self.sizes, self.repeats, self.seed, self.measures)
        return f"sample-{self.repeats.start}-{_digest(*given)}"

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of its numbers."""
        return len(self.repeats), len(self.measures), len(self.sizes), len(SAMPLE_WAYS), len(STATISTICS)

    def run(self) -> Floats:
        """Its numbers; NaN for measures that are not made of the gains of single documents, and for tiny samples."""
        values = np.full(self.shape, np.nan)
        for at, name in enumerate(self.measures):
            drawing = Drawing.of(self.judged, name, self.human, self.judge)
            for column, size in enumerate(self.sizes):
                for place, repeat in enumerate(self.repeats):
                    drawn = None if drawing is None else drawing.draw(size, self.seed, repeat)
                    if drawn is not None:
                        values[place, at, column] = sample_statistics(drawn, self.truth[at], self.level)
        return values


class Drawn(NamedTuple):
    """What a sample of documents gives: means by people alone, filled in, corrected and combined.

    `covariance` is that of the corrected means over draws of documents, and `freedom` has the degrees of freedom of
    each system's variance.
    """

    means: Floats
    covariance: Floats
    freedom: Floats


@dataclass(frozen=True, eq=False)
class Drawing:
    """Documents to draw by their influence under a measure, with human gains and what predicts them."""

    documents: DocumentScores
    table: tuple[Floats, Floats]
    gains: Floats
    influence: Floats

    @classmethod
    def of(cls, judged: JudgedRuns, name: str, human: Floats, judge: Floats) -> Drawing | None:
        """The documents of `judged`; None for a measure that is not made of the gains of single documents."""
        measure = parse_measure(name)
        if measure.record.parts is None:
            return None
        documents = DocumentScores.of(judged, measure)
        known = judged.with_grades(np.nan_to_num(judge, nan=0.0))
        influence = np.sqrt(np.square(difference_weights(known, measure)).sum(axis=0))
        return cls(documents, features(documents, judge), documents.gains(human), influence)

    def draw(self, size: float, seed: int, repeat: int) -> Drawn | None:
        """What a sample of this expected size gives; a larger one contains it. None if it is too small."""
        chances = inclusion_probabilities(self.influence, float(size))
        rows = np.flatnonzero(np.random.default_rng([seed, repeat]).random(len(chances)) < chances)
        if len(rows) < LEAST_DOCUMENTS:
            return None
        sampled = Sampled(rows, chances[rows], self.gains[rows])
        found = estimate(self.documents, self.table, sampled)
        ranking = found
        if self.documents.form != "sum":
            ranking = estimate(self.documents, self.table, sampled, cap=RANKING_CAP)
        combined = combine(ranking.filled.mean(axis=0), ranking.corrected.mean(axis=0), ranking.covariance)
        means = [scores.mean(axis=0) for scores in (found.human, found.filled, found.corrected)]
        return Drawn(np.array([*means, on_scale(combined, means[2]).means]), found.covariance, found.freedom)


def sample_statistics(drawn: Drawn, truth: Floats, level: float) -> Floats:
    """Ways × statistics of one sample of documents; corrected means have intervals of the draw."""
    from scipy.special import stdtrit

    values = means_statistics(truth, drawn.means)
    # Above this many degrees of freedom t is normal to six digits; scipy has no t of infinitely many.
    wide = stdtrit(np.minimum(drawn.freedom, 1e9), (1.0 + level) / 2.0)
    half = wide * np.sqrt(np.maximum(np.diag(drawn.covariance), 0.0))
    values[2, 1] = float(np.mean(np.abs(drawn.means[2] - truth) <= half + 1e-12))
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
