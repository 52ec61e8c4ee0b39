"""How many topics are needed? Subsets of the topics against all of them, and against as many others."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.checks import check_count, check_share
from rankscope.coefficients import Coefficient
from rankscope.coefficients.rows import quietly
from rankscope.defaults import ALPHA, MEASURES, RESAMPLES, SEED
from rankscope.errors import BadParameter, MissingScores
from rankscope.inference.agreement import values_of
from rankscope.inference.resampling import resampled
from rankscope.inputs import JudgmentsLike, RunsLike
from rankscope.measures.scoring import Measures
from rankscope.results import Result
from rankscope.scores import Floats
from rankscope.studies.blocks import Progress
from rankscope.studies.judgment_reference import DISTANCE, Reference, ReferenceRanking, make_reference
from rankscope.studies.judgment_variants import (
    JudgmentStudy,
    Setting,
    Variants,
    agreement_rows,
    repeat_ranges,
    run_variants,
)

REPEATS = 200
_MOST_SIZES = 10
# Subsets in a block.
_BLOCK = 100
# Means are equal if they differ by less than this share of the largest.
_SAME = 1e-12


@dataclass(frozen=True, kw_only=True, eq=False)
class TopicsStudy(JudgmentStudy, Result):
    """Rankings by subsets of the topics; see `rs.study_topics`.

    The setting of a row of `agreements` is the number of `topics` in a subset, and what it is compared with: `against`
    "all" topics, or as many "others". The rank distance is computed against all topics only.
    """

    question = "How many topics are needed?"

    sizes: tuple[int, ...]


def study_topics(
    runs: RunsLike,
    judgments: JudgmentsLike,
    measures: Measures = MEASURES,
    *,
    sizes: Sequence[int] | None = None,
    repeats: int = REPEATS,
    coefficients: Sequence[str | Coefficient] | None = None,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    rng: int = SEED,
    jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> TopicsStudy:
    """Rank the systems by k of the n topics, drawn without replacement, and compare with all n, and with k others.

    A subset is part of all topics, so its agreement with all approaches 1 as k approaches n, whatever the topics. The
    agreement of two disjoint subsets, up to k = n/2, does not. `rs.reliability` tells how reliable all n topics are.

    Parameters
    ----------
    runs : RunsLike
        The runs to rank: a `RunSet`, or where to read it from.
    judgments : JudgmentsLike
        The judgments: a `Judgments`, or where to read it from.
    measures : Measures, default ("nDCG@10", "AP")
        The measures to rank by.
    sizes : sequence of int, optional
        The numbers of topics in a subset; None for at most ten multiples of five, or of more.
    repeats : int, default 200
        The number of subsets of each size.
    coefficients : sequence of str or Coefficient, optional
        The coefficients of agreement; None for all. The rank distance is always computed.
    alpha : float, default 0.05
        The level of the rank distance test.
    resamples : int, default 2000
        Draws of topics behind the rank distance test; 0 for no test.
    rng : int, default 0
        The seed. It decides every number.
    jobs : int, optional
        The number of threads; None for one per core. Numbers do not depend on it.
    checkpoint : path, optional
        A folder that keeps finished blocks. An interrupted study continues from it, also with more repeats or other
        sizes.
    progress : callable, optional
        Called with the number of blocks done and the number of all blocks.

    Returns
    -------
    TopicsStudy
        Agreement by number of topics, measure and coefficient.

    Raises
    ------
    BadParameter
        If an argument is out of its range.
    MissingScores
        If there are fewer than two judged topics, or no run retrieved a judged document.
    TooFewSystems
        If there are fewer than two runs.
    MismatchedCheckpoint
        If the folder belongs to another study.

    Examples
    --------
    >>> from rankscope.runs import Judgments, RunSet
    >>> topics = [str(t) for t in range(6)]
    >>> runs = RunSet.of({"a": {t: ["x", "y"] for t in topics}, "b": {t: ["y", "x"] for t in topics}})
    >>> truth = Judgments.of({t: {"x": 1, "y": 0} for t in topics})
    >>> study = study_topics(runs, truth, "AP", sizes=[2, 4], repeats=5, coefficients=["tau_b"], resamples=0)
    >>> for row in study.agreements:
    ...     print(row.setting, row.coefficient, row.value)
    {'against': 'all', 'topics': 2} tau_b 1.0
    {'against': 'all', 'topics': 2} d_rank 0.0
    {'against': 'all', 'topics': 4} tau_b 1.0
    {'against': 'all', 'topics': 4} d_rank 0.0
    {'against': 'others', 'topics': 2} tau_b 1.0
    """
    repeats = check_count("repeats", repeats)
    check_share("alpha", alpha)
    reference = make_reference(runs, judgments, measures, coefficients, resamples=resamples, rng=rng, jobs=jobs)
    n = len(reference.judgments.topics)
    if n < 2:
        raise MissingScores(f"there is {n} judged topic; subsets need two or more")
    subset_sizes = default_sizes(n) if sizes is None else _check_sizes(sizes, n)
    settings: list[Setting] = [
        *({"against": "all", "topics": size} for size in subset_sizes),
        *({"against": "others", "topics": size} for size in subset_sizes if 2 * size <= n),
    ]
    blocks = [
        Variants(
            name="{against}-topics-{topics:05d}-repeats-".format(**setting)
            + f"{numbers.start + 1:06d}-{numbers.stop:06d}",
            settings=(setting,) * len(numbers),
            shape=(len(numbers), len(reference.measures), len(reference.statistics)),
            run=functools.partial(_agreements, reference, setting, numbers, int(rng)),
        )
        for setting in settings
        for numbers in repeat_ranges(repeats, _BLOCK)
    ]
    kept = reference.checkpoint(checkpoint, "topics", {"seed": int(rng)})
    compared = run_variants(reference, blocks, checkpoint=kept, jobs=jobs, progress=progress)
    return TopicsStudy(
        agreements=tuple(
            row
            for row in agreement_rows(reference, compared, alpha=alpha)
            if row.setting["against"] == "all" or row.coefficient != DISTANCE
        ),
        sizes=subset_sizes,
        settings={
            "sizes": list(subset_sizes),
            "repeats": repeats,
            "alpha": alpha,
            "resamples": resamples,
            "seed": int(rng),
        },
        **reference.description(),
    )


def default_sizes(topics: int) -> tuple[int, ...]:
    """At most ten numbers of topics below all: multiples of five, or of more if there are many topics.

    >>> default_sizes(30), default_sizes(4), default_sizes(249)[:3]
    ((5, 10, 15, 20, 25), (1, 2, 3), (25, 50, 75))
    """
    if topics <= 5:
        return tuple(range(1, topics))
    step = 5 * -(-topics // (5 * _MOST_SIZES))
    return tuple(range(step, topics, step))


def _check_sizes(sizes: Sequence[int], topics: int) -> tuple[int, ...]:
    ordered = tuple(sorted({int(size) for size in sizes}))
    if not ordered or ordered[0] < 1 or ordered[-1] > topics:
        raise BadParameter(f"sizes={ordered}: one or more numbers of topics, each from 1 to {topics} (all)")
    return ordered


def _agreements(reference: Reference, setting: Setting, numbers: range, seed: int) -> Floats:
    """The agreement of these subsets: subsets × measures × statistics."""
    n, size = len(reference.judgments.topics), setting["topics"]
    # The same topics for all measures, and for both sides of the comparison.
    orders = np.stack([np.random.default_rng([seed, size, number]).permutation(n) for number in numbers])
    chosen = np.zeros((len(numbers), n))
    np.put_along_axis(chosen, orders[:, :size], 1.0, axis=1)
    others = None
    if setting["against"] == "others":
        others = np.zeros_like(chosen)
        np.put_along_axis(others, orders[:, size : 2 * size], 1.0, axis=1)
    by_measure = [_of_ranking(r, reference.coefficients, chosen, others) for r in reference.rankings.values()]
    return np.stack(by_measure, axis=1)


def _of_ranking(
    ranking: ReferenceRanking, coefficients: Sequence[Coefficient], chosen: Floats, others: Floats | None
) -> Floats:
    """Every coefficient and the rank distance of the means over the chosen topics, rows of 0 and 1."""
    values = np.full((len(chosen), len(coefficients) + 1), np.nan)
    topic_means = resampled(ranking.scores)
    whole = levelled(ranking.scores.means[None])
    # All topics have their own ranking, without the rounding of another way to sum.
    complete = others is None and bool(chosen.all())
    means = np.repeat(whole, len(chosen), axis=0) if complete else levelled(topic_means.means(chosen))
    with quietly():
        compared_with = whole if others is None else levelled(topic_means.means(others))
        values[:, :-1] = values_of(coefficients, compared_with, means).T
    baseline = ranking.baseline
    if baseline is not None and others is None:
        values[:, -1] = baseline.distances(baseline.orders_of_sums(chosen @ baseline.scores), baseline.paper_ridge)
    return values


def levelled(means: Floats) -> Floats:
    """Rows of means in which those that differ by rounding alone are made equal.

    >>> levelled(np.array([[0.1 + 0.2, 0.5, 0.3]])).tolist()
    [[0.3, 0.5, 0.3]]
    """
    order = np.argsort(means, axis=1)
    ranked = np.take_along_axis(means, order, axis=1)
    noise = _SAME * np.abs(ranked).max(axis=1, keepdims=True, initial=0.0)
    first = np.ones(means.shape, dtype=bool)
    first[:, 1:] = np.diff(ranked, axis=1) > noise
    # Each takes the value of the first of its group: the last place at which a group began.
    places = np.maximum.accumulate(np.where(first, np.arange(means.shape[1]), 0), axis=1)
    level = np.empty_like(means)
    np.put_along_axis(level, order, np.take_along_axis(ranked, places, axis=1), axis=1)
    return level
