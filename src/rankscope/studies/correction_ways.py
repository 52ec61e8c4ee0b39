"""What a judge, people and both together make of a budget of human labels: the blocks of `study_correction`.

People's labels are hidden at random, as often as there are repeats; a larger budget shows more of the same order. A
block has one judge, one design, its repeats, and all budgets: what each way gives is compared with the means by all
human labels.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.coefficients import coefficient
from rankscope.coefficients.rows import quietly
from rankscope.inference.agreement import values_of
from rankscope.inference.correction import best_linear, prediction_powered
from rankscope.inference.designs import DOCUMENT_DESIGNS, DocumentDesign, DocumentPool
from rankscope.inference.document_correction import Sampled, estimate, features
from rankscope.inference.document_scores import DocumentScores
from rankscope.measures import parse_measure, rescore, score
from rankscope.runs import JudgedRuns, Judgments
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

    They label random topics, the top of the pool, or a sample of documents, which a design draws.
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


def ways_of(spent: Spent) -> tuple[Way, ...]:
    """The ways in which people label the same."""
    return tuple(way for way in WAYS if way.spent == spent)


def designs_of(spent: Spent, chosen: Sequence[str]) -> Sequence[str | None]:
    """The chosen designs of what people label, in the order of their registry; None for what is not drawn by one."""
    return [design.name for design in DOCUMENT_DESIGNS if design.name in chosen] if spent == "sample" else [None]


@dataclass(frozen=True, kw_only=True, eq=False)
class WayBlock(ABC):
    """Repeats of what people label, with numbers for repeats × measures × sizes × ways × statistics.

    `truth` are the means by all human labels, measures × systems.
    """

    spent: ClassVar[Spent]
    truth: Floats
    sizes: tuple[int, ...]
    repeats: range
    seed: int

    @property
    def design_name(self) -> str | None:
        """The name of its design, if it has one."""
        design = getattr(self, "design", None)
        return None if design is None else str(design.name)

    @property
    def name(self) -> str:
        """Its name among the blocks, by what decides its numbers."""
        digest = hashlib.sha256()
        for field in fields(self):
            given = getattr(self, field.name)
            if isinstance(given, np.ndarray):
                digest.update(np.ascontiguousarray(given).tobytes())
            elif not isinstance(given, JudgedRuns | Judgments):  # they are the study's, which its folder knows
                digest.update(repr(getattr(given, "name", given)).encode())
        return f"{self.spent}-{self.repeats.start}-{digest.hexdigest()[:24]}"

    @abstractmethod
    def run(self) -> Floats:
        """Its numbers."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of its numbers."""
        return len(self.repeats), len(self.truth), len(self.sizes), len(ways_of(self.spent)), len(STATISTICS)


@dataclass(frozen=True, kw_only=True, eq=False)
class TopicBlock(WayBlock):
    """Repeats in which people label some topics; `human` and `judge` are measures × topics × systems."""

    spent = "topics"
    human: Floats
    judge: Floats
    level: float

    def run(self) -> Floats:
        """Its numbers; NaN where there are too few topics for a correction."""
        values = np.full(self.shape, np.nan)
        topics = len(self.human[0])
        for place, repeat in enumerate(self.repeats):
            order = np.argsort(np.random.default_rng([self.seed, repeat]).random(topics), kind="stable")
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
        means, covered = means * len(ways_of("topics")), covered * len(ways_of("topics"))  # nothing is left to correct
    elif n >= LEAST_TOPICS and len(hidden) >= LEAST_FURTHER:
        parts = x[shown], y[shown], y[hidden]
        powered, predicted = prediction_powered(*parts), best_linear(*parts)
        half = float(stdtrit(n - 1, tail)) * np.sqrt(np.diag(powered.covariance))
        own = float(stdtrit(predicted.freedom, tail)) * np.sqrt(np.diag(predicted.covariance))
        means += [powered.means, predicted.means]
        covered.append(float(np.mean(np.abs(powered.means - truth) <= half + 1e-12)))
        covered.append(float(np.mean(np.abs(predicted.means - (truth - truth.mean())) <= own + 1e-12)))
    values = np.full((len(ways_of("topics")), len(STATISTICS)), np.nan)
    values[: len(means)] = means_statistics(truth, np.array(means))
    values[: len(means), 1] = covered
    return values


@dataclass(frozen=True, kw_only=True, eq=False)
class TopBlock(WayBlock):
    """Repeats in which people label the top of the pool; `depths` has the best rank of each document in any run.

    People label the documents of least depth, in random order among those of the same.
    """

    spent = "top"
    judged: JudgedRuns
    measures: tuple[str, ...]
    human: Floats
    judge: Floats
    depths: npt.NDArray[np.int64]

    def run(self) -> Floats:
        """Its numbers."""
        values = np.full(self.shape, np.nan)
        labelled = np.flatnonzero(~np.isnan(self.human))
        for place, repeat in enumerate(self.repeats):
            generator = np.random.default_rng([self.seed, repeat])
            order = labelled[np.lexsort((generator.random(len(labelled)), self.depths[labelled]))]
            rows = np.empty((len(ways_of(self.spent)), len(self.sizes), len(self.human)))
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
class SampleBlock(WayBlock):
    """Repeats in which people label documents drawn by a design.

    `documents` and `judged` are those with a human label, `judge` the judge's grades of them (NaN without). Intervals
    are those of the draw of documents: the truth is the mean over these topics.
    """

    spent = "sample"
    documents: Judgments
    judged: JudgedRuns
    measures: tuple[str, ...]
    human: Floats
    judge: Floats
    design: DocumentDesign
    level: float

    def run(self) -> Floats:
        """Its numbers; NaN for measures that are not made of the gains of single documents, and for tiny samples."""
        values = np.full(self.shape, np.nan)
        for at, name in enumerate(self.measures):
            drawing = Drawing.of(self.documents, self.judged, name, self.human, self.judge)
            for column, size in enumerate(self.sizes):
                for place, repeat in enumerate(self.repeats):
                    drawn = None if drawing is None else drawing.draw(self.design, size, self.seed, repeat)
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
    """Documents to draw under a measure, with human gains and what predicts them."""

    documents: DocumentScores
    table: tuple[Floats, Floats]
    gains: Floats
    pool: DocumentPool

    @classmethod
    def of(cls, judgments: Judgments, judged: JudgedRuns, name: str, human: Floats, judge: Floats) -> Drawing | None:
        """The documents of `judged`; None for a measure that is not made of the gains of single documents."""
        measure = parse_measure(name)
        if measure.record.parts is None:
            return None
        documents = DocumentScores.of(judged, measure)
        known = np.nan_to_num(judge, nan=0.0)
        labelled = judged.with_grades(known)
        scores = score(labelled, [measure])[str(measure)].values
        pool = DocumentPool.of(judgments.with_grades(known), labelled, measure, scores)
        return cls(documents, features(documents, judge), documents.gains(human), pool)

    def draw(self, design: DocumentDesign, size: float, seed: int, repeat: int) -> Drawn | None:
        """What a sample of this expected size gives; a larger one contains it. None if it is too small."""
        chances = design.function(self.pool, float(size))
        rows = np.flatnonzero(np.random.default_rng([seed, repeat]).random(len(chances)) < chances)
        if len(rows) < LEAST_DOCUMENTS:
            return None
        found = estimate(self.documents, self.table, Sampled(rows, chances[rows], self.gains[rows]))
        means = [scores.mean(axis=0) for scores in (found.human, found.filled, found.corrected)]
        return Drawn(np.array([*means, found.combined.means]), found.covariance, found.freedom)


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
