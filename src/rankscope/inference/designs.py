"""Designs: which topics, or which documents with which probabilities, people label for a budget.

Designs look at runs and judge only, never at human labels, and a larger budget lowers no probability. With permanent
random numbers a larger plan therefore contains the smaller one, and its probabilities are right for all of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Literal

import numpy as np
import numpy.typing as npt

from rankscope.inference.document_correction import judge_classes
from rankscope.inference.sampling import EVEN, difference_weights, inclusion_probabilities, permanent_numbers
from rankscope.measures import Measure
from rankscope.runs import JudgedRuns, Judgments, JudgmentSample
from rankscope.scores import Floats

DocumentDesignName = Literal["influence", "close", "stratified", "shallow", "random"]
Order = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]


# ---- topics --------------------------------------------------------------------------------------------------------


def topic_order(topics: tuple[str, ...], seed: int) -> Order:
    """The random order in which people label topics, of which a plan takes the first: by the seed and their names."""
    return np.argsort(topic_numbers(topics, seed), kind="stable")


def topic_numbers(topics: tuple[str, ...], seed: int) -> Floats:
    """A number from 0 to 1 (exclusive) for each topic, from the seed and its name alone."""
    names = (name.encode("utf-8", "surrogateescape") for name in topics)
    digests = (blake2b(b"%d\0%s" % (seed, name), digest_size=8).digest() for name in names)
    return np.frombuffer(b"".join(digests), dtype="<u8") / 2.0**64


# ---- documents -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class DocumentPool:
    """The documents that people may label, and what designs know of them: all from the runs and one judge.

    Attributes
    ----------
    judgments : Judgments
        The documents, with the judge's grades.
    weights : ndarray of shape (systems, documents)
        How much a system's mean, relative to the average system, changes with a document's gain.
    depths : ndarray of shape (documents,)
        The best rank of each document in any run; the number of documents plus one where no run has it.
    scores : ndarray of shape (topics, systems)
        The scores by the judge.
    """

    judgments: Judgments
    weights: Floats
    depths: npt.NDArray[np.int64]
    scores: Floats

    @classmethod
    def of(cls, judgments: Judgments, judged: JudgedRuns, measure: Measure, scores: Floats) -> DocumentPool:
        """The pool of a judge's labels, joined with the runs (`join`) and scored by the measure."""
        depths = np.full(len(judgments), int(judged.ranks.max(initial=0)) + 1, dtype=np.int64)
        np.minimum.at(depths, judged.rows, judged.ranks)
        return cls(judgments, difference_weights(judged, measure), depths, scores)

    def __len__(self) -> int:
        return len(self.judgments)

    @cached_property
    def influence(self) -> Floats:
        """The influence of each document on all differences between systems."""
        return np.asarray(np.sqrt(np.square(self.weights).sum(axis=0)))

    def keep(self, rows: Flags) -> DocumentPool:
        """Some of the documents."""
        kept = self.judgments.keep(rows)
        return replace(self, judgments=kept, weights=self.weights[:, rows], depths=self.depths[rows])


@dataclass(frozen=True)
class DocumentDesign:
    """Inclusion probabilities of a pool's documents for an expected number of labels."""

    name: DocumentDesignName
    text: str
    function: Callable[[DocumentPool, float], Floats]


def draw_documents(
    design: DocumentDesign, pool: DocumentPool, size: float, *, seed: int = 0, labelled: Judgments | None = None
) -> JudgmentSample:
    """Draw documents for people to label, `size` in all, among them those that are labelled already.

    Labels from a smaller plan with the same design and seed stay as they are, and the larger one's probabilities hold
    for all. Labels from elsewhere (another design, seed or judge) count as certain, and the others are drawn from the
    rest with fresh numbers: given what was labelled, estimates are unbiased however it was chosen.
    """
    probabilities = design.function(pool, size)
    drawn = permanent_numbers(pool.judgments, seed) < probabilities
    known, grades = _labels(pool.judgments, labelled)
    if (known & ~drawn).any():
        left = max(size - float(known.sum()), 0.0)
        probabilities = np.ones(len(pool))
        drawn = known.copy()
        if left > 0.0 and not known.all():
            probabilities[~known] = design.function(pool.keep(~known), left)
            numbers = permanent_numbers(pool.judgments, seed + (int(known.sum()) << 32))
            drawn |= numbers < np.where(known, 0.0, probabilities)
    sample = pool.judgments.with_grades(grades, name="").keep(drawn)
    return JudgmentSample(judgments=sample, probabilities=probabilities[drawn])


def drawn_otherwise(
    design: DocumentDesign, pool: DocumentPool, size: float, *, seed: int = 0, labelled: Judgments | None = None
) -> bool:
    """Whether some labels are of documents that the design does not draw, so that all labels count as certain."""
    drawn = permanent_numbers(pool.judgments, seed) < design.function(pool, size)
    return bool((_labels(pool.judgments, labelled)[0] & ~drawn).any())


def _labels(judgments: Judgments, labelled: Judgments | None) -> tuple[Flags, Floats]:
    """Which documents have a human label, and the labels, NaN for the others."""
    grades = np.full(len(judgments), np.nan)
    if labelled is not None:
        names, own = labelled.ids.names(), labelled.topic_of.tolist()
        given = {
            (labelled.topics[t], name): grade
            for t, name, grade in zip(own, names, labelled.grades.tolist(), strict=True)
        }
        rows = zip(judgments.topic_of.tolist(), judgments.ids.names(), strict=True)
        grades = np.array([given.get((judgments.topics[t], name), np.nan) for t, name in rows], dtype=np.float64)
    return ~np.isnan(grades), grades


def _uniform(pool: DocumentPool, size: float) -> Floats:
    return inclusion_probabilities(np.ones(len(pool)), size)


def _by_influence(pool: DocumentPool, size: float) -> Floats:
    return inclusion_probabilities(pool.influence, size)


def _close_pairs(pool: DocumentPool, size: float) -> Floats:
    """Influence on differences of pairs, each weighted by the p-value of its paired t-test under the judge."""
    from scipy.special import stdtr

    topics, m = pool.scores.shape
    closeness = np.ones((m, m))
    if topics > 1:
        covariance = np.atleast_2d(np.cov(pool.scores, rowvar=False)) / topics
        own = np.diag(covariance)
        errors = np.sqrt(np.maximum(own[:, None] + own - 2.0 * covariance, 0.0))
        means = pool.scores.mean(axis=0)
        gaps = np.abs(means[:, None] - means)
        t = np.divide(gaps, errors, out=np.where(gaps > 0.0, np.inf, 0.0), where=errors > 1e-12)
        closeness = 2.0 * stdtr(topics - 1, -t)
    np.fill_diagonal(closeness, 0.0)
    # Σ c_ij (w_i − w_j)² over pairs is w′Lw, with L the Laplacian of the graph of pairs.
    laplacian = np.diag(closeness.sum(axis=1)) - closeness
    squares = (pool.weights * (laplacian @ pool.weights)).sum(axis=0)
    return inclusion_probabilities(np.sqrt(np.maximum(squares, 0.0)), size)


def _stratified(pool: DocumentPool, size: float) -> Floats:
    """One probability for all documents of the same judged grade and depth (1, 2–3, 4–7, …): their mean influence."""
    grades = judge_classes(pool.judgments.grades)
    depths = np.log2(pool.depths).astype(np.int64)
    _, strata = np.unique(grades * (depths.max(initial=0) + 1) + depths, return_inverse=True)
    means = np.bincount(strata, weights=pool.influence) / np.maximum(np.bincount(strata), 1)
    return inclusion_probabilities(means[strata], size)


def _shallow(pool: DocumentPool, size: float) -> Floats:
    """All documents down to some depth, part of the next depth, and a tenth of the labels evenly over all."""
    size = min(size, float(len(pool)))
    floor = EVEN * size / len(pool)
    if floor >= 1.0 or size >= len(pool):
        return np.ones(len(pool))
    _, depth = np.unique(pool.depths, return_inverse=True)
    counts = np.bincount(depth)
    affordable = (size - floor * len(pool)) / (1.0 - floor)
    before = np.cumsum(counts) - counts
    share = np.clip((affordable - before) / counts, 0.0, 1.0)
    return np.asarray(floor + (1.0 - floor) * share[depth])


DOCUMENT_DESIGNS: tuple[DocumentDesign, ...] = (
    DocumentDesign(
        "influence", "documents with more influence on the differences between systems are likelier", _by_influence
    ),
    DocumentDesign(
        "close",
        "as influence, on the differences between systems that the judge does not find significantly different",
        _close_pairs,
    ),
    DocumentDesign(
        "stratified", "documents of the same judged grade and depth are equally likely, by mean influence", _stratified
    ),
    DocumentDesign(
        "shallow",
        "all documents down to some depth in any run; a tenth of the labels evenly over all, for the rest's sake",
        _shallow,
    ),
    DocumentDesign("random", "all documents are equally likely", _uniform),
)
