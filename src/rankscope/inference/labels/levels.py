"""Which of a judge's grades should count as relevant: the level that agrees best, chosen and scored on other topics."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.inference.intervals import interval
from rankscope.inference.labels.matching import Pairs
from rankscope.inference.labels.statistics import binary_kappa
from rankscope.inference.resampling import Seed, count_blocks, generators, seeds_of
from rankscope.results import Interval
from rankscope.scores import Floats

# A judge with more different grades than this has so many candidates, at quantiles of its grades.
MOST_LEVELS = 200
FOLDS = 10

Flags = npt.NDArray[np.bool_]
Parts = npt.NDArray[np.intp]


@dataclass(frozen=True, kw_only=True)
class BestLevel:
    """The judge's lowest grade that should count as relevant, if the truth's is `truth_rel`.

    `level` is the grade with the highest κ over all topics, and `kappa` that κ, which is too high, since the level was
    chosen for it. `cross_validated` is the κ of levels that were each chosen without the topics on which they are
    scored, in `folds` parts; `interval` resamples the topics and keeps these levels, which go from `lowest` to
    `highest`. What is not defined is None, with the `reason`.
    """

    judge: str
    truth_rel: float
    level: float | None = None
    kappa: float | None = None
    cross_validated: float | None = None
    interval: Interval | None = None
    lowest: float | None = None
    highest: float | None = None
    folds: int = 0
    reason: str | None = None


def best_level(judge: str, pairs: Pairs, truth_rel: float, *, resamples: int, level: float, rng: Seed) -> BestLevel:
    """The level at which this judge agrees best with the truth cut at `truth_rel`."""
    grades = np.unique(pairs.judge)
    relevant = pairs.truth >= truth_rel
    if len(grades) < 2:
        return BestLevel(judge=judge, truth_rel=truth_rel, reason="the judge gives every item the same grade")
    if relevant.all() or not relevant.any():
        return BestLevel(judge=judge, truth_rel=truth_rel, reason="every item, or no item, is relevant to the truth")
    cuts = candidates(pairs.judge)
    topics = len(pairs.topics)
    folds = min(topics, FOLDS)
    fold_of = parts_of(topics, folds, rng)
    counts = _counts(pairs.judge, relevant, cuts, fold_of[pairs.topic], folds)
    whole = binary_kappa(counts.sum(axis=0))
    best = int(np.nanargmax(whole))
    found = BestLevel(judge=judge, truth_rel=truth_rel, level=float(cuts[best]), kappa=float(whole[best]))
    if topics < 2:
        return BestLevel(**{**vars(found), "reason": "one topic cannot be left out"})
    chosen = np.array([_best(counts.sum(axis=0) - counts[fold], best) for fold in range(folds)])
    called = pairs.judge >= cuts[chosen[fold_of[pairs.topic]]]
    kind = 3 - called - 2 * relevant  # both, truth only, judge only, neither
    by_topic = np.bincount(pairs.topic * 4 + np.array([0, 2, 1, 3])[kind], minlength=4 * topics).reshape(topics, 4)
    held_out = by_topic.astype(np.float64)
    value = float(binary_kappa(held_out.sum(axis=0)[None])[0])
    draws = [
        binary_kappa(drawn @ held_out)
        for generator, size in (generators(rng, resamples) if resamples else ())
        for drawn in count_blocks(generator, topics, size)
    ]
    return BestLevel(
        **{
            **vars(found),
            "cross_validated": None if math.isnan(value) else value,
            "interval": interval(np.concatenate(draws), value, level=level, method="recentred", topics=topics)
            if draws
            else None,
            "lowest": float(cuts[chosen].min()),
            "highest": float(cuts[chosen].max()),
            "folds": folds,
        }
    )


def candidates(grades: Floats) -> Floats:
    """The levels at which these grades may be cut: each but the lowest, or quantiles where there are many."""
    cuts = np.unique(grades)[1:]
    if len(cuts) <= MOST_LEVELS:
        return cuts
    return np.unique(np.quantile(grades, np.linspace(0.0, 1.0, MOST_LEVELS + 1)[1:], method="nearest"))


def best_cut(grades: Floats, relevant: Flags) -> float:
    """The level at which grades agree best with what is relevant, by κ; above 0 where there is nothing to choose.

    >>> best_cut(np.array([0.0, 1.0, 2.0, 3.0]), np.array([False, False, True, True]))
    2.0
    """
    cuts = candidates(grades)
    if not len(cuts):
        return math.ulp(0.0)
    counts = _counts(grades, relevant, cuts, np.zeros(len(grades), dtype=np.intp), 1)
    return float(cuts[_best(counts[0], 0)])


def parts_of(topics: int, folds: int, rng: Seed) -> Parts:
    """The part of each topic; every topic is a part of its own where there are few."""
    if topics <= folds:
        return np.arange(topics)
    order = np.random.default_rng(seeds_of(rng, 1)[0]).permutation(topics)
    parts = np.empty(topics, dtype=np.intp)
    parts[order] = np.arange(topics) % folds
    return parts


def _counts(grades: Floats, relevant: Flags, cuts: Floats, fold: Parts, folds: int) -> Floats:
    """Pairs of each part (rows) at each cut (columns): relevant to both, judge only, truth only, neither."""
    reached = np.searchsorted(cuts, grades, side="right")  # how many cuts the grade reaches
    size = len(cuts) + 1
    yes, no = (
        np.bincount(fold[chosen] * size + reached[chosen], minlength=folds * size).reshape(folds, size)
        for chosen in (relevant, ~relevant)
    )
    # A pair is called relevant at cut c if it reaches more than c cuts.
    both, judge_only = (np.cumsum(part[:, ::-1], axis=1)[:, ::-1][:, 1:] for part in (yes, no))
    totals = yes.sum(axis=1, keepdims=True), no.sum(axis=1, keepdims=True)
    return np.stack([both, judge_only, totals[0] - both, totals[1] - judge_only], axis=2).astype(np.float64)


def _best(counts: Floats, otherwise: int) -> int:
    kappa = binary_kappa(counts)
    return otherwise if np.isnan(kappa).all() else int(np.nanargmax(kappa))
