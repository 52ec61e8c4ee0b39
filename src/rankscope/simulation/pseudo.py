"""Random labels: documents of the pool called relevant at random (Soboroff et al. 2001)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.errors import BadParameter, MissingScores
from rankscope.runs import Floats, JudgedRuns, Judgments, RunSet, join
from rankscope.runs.joined import pools_of

DEPTH = 100
DRAWS = 50

Weights = npt.NDArray[np.float64]


def pseudo_grades(
    runs: RunSet,
    truth: Judgments,
    *,
    depth: int = DEPTH,
    draws: int = DRAWS,
    duplicates: bool = False,
    contributing: Sequence[str] | None = None,
    rel: float = 1,
    rng: int | np.random.Generator = 0,
) -> tuple[JudgedRuns, Floats]:
    """The runs joined with their pools, and random grades of the pools' documents: 1 or 0, one row per draw.

    The pool of each judged topic is what the contributing systems (by default all) have within `depth`. In each draw
    and topic, the share of the pool that becomes relevant is drawn from a normal distribution, with the mean and
    the standard deviation over topics of the share that the truth calls relevant (a grade of `rel` at least); one
    document at least, and the pool at most. Without `duplicates` every document of the pool is as likely as any other
    (as in Carterette 2009); with them a document is in the pool once for every system that has it, so that popular
    documents are more likely (the first method of Soboroff et al.). Draw i does not depend on how many are made.

    >>> runs = RunSet.of({"a": {"1": ["x", "y"], "2": ["z"]}, "b": {"1": ["y", "w"], "2": ["u", "z"]}})
    >>> judged, grades = pseudo_grades(runs, Judgments.of({"1": {"x": 1, "w": 0}, "2": {"z": 1}}), draws=3)
    >>> judged.topics, grades.shape, bool((grades[:, 3:].sum(axis=1) >= 1).all())
    (('1', '2'), (3, 5), True)
    """
    if draws < 1:
        raise BadParameter(f"draws={draws}: one at least")
    pool = PseudoPool.of(runs, truth, depth=depth, duplicates=duplicates, contributing=contributing, rel=rel)
    return pool.judged, pool.draw(seeds_of(rng, draws))


def seeds_of(rng: int | np.random.Generator, draws: int) -> list[np.random.SeedSequence]:
    """A seed for each draw, the first of many being those of few."""
    sequence = rng.bit_generator.seed_seq if isinstance(rng, np.random.Generator) else np.random.SeedSequence(rng)
    children: list[np.random.SeedSequence] = sequence.spawn(draws)  # type: ignore[attr-defined]
    return children


@dataclass(frozen=True, kw_only=True, eq=False)
class PseudoPool:
    """Pools from which relevant documents are drawn, so many as the mean and standard deviation of shares say."""

    judged: JudgedRuns
    log_weights: Weights
    mean: float
    sd: float

    @classmethod
    def of(
        cls,
        runs: RunSet,
        truth: Judgments,
        *,
        depth: int = DEPTH,
        duplicates: bool = False,
        contributing: Sequence[str] | None = None,
        rel: float = 1,
    ) -> PseudoPool:
        """The pools of the truth's topics; see `pseudo_grades`."""
        pool, weights = pool_to_judge(runs, truth, depth, contributing)
        mean, sd = relevant_share(pool, truth, rel)
        log_weights = np.log(weights) if duplicates else np.zeros(len(pool))
        return cls(judged=join(runs, pool), log_weights=log_weights, mean=mean, sd=sd)

    def draw(self, seeds: Sequence[np.random.SeedSequence]) -> Floats:
        """Grades of the pools' documents, 1 or 0, a row for each seed."""
        starts = self.judged.judgment_starts
        sizes = np.diff(starts)
        grades = np.zeros((len(seeds), len(self.log_weights)))
        for row, seed in zip(grades, seeds, strict=True):
            generator = np.random.default_rng(seed)
            shares = generator.normal(self.mean, self.sd, size=len(sizes))
            counts = np.clip(np.rint(shares * sizes), np.minimum(1, sizes), sizes).astype(np.int64)
            # The documents with the greatest of these keys are what drawing one after another, by weight, would give
            # (Efraimidis & Spirakis 2006, as Gumbel noise).
            keys = self.log_weights + generator.gumbel(size=len(row))
            for first, last, count in zip(starts[:-1], starts[1:], counts, strict=True):
                if count:
                    row[first + np.argpartition(-keys[first:last], count - 1)[:count]] = 1.0
        return grades


def pool_to_judge(
    runs: RunSet, truth: Judgments, depth: int, contributing: Sequence[str] | None = None
) -> tuple[Judgments, Weights]:
    """The pools of the truth's topics as judgments with grade 0, and how many contributing systems have each row."""
    systems = None if contributing is None else set(contributing)
    groups = None if systems is None else [s if s in systems else None for s in runs.systems]
    if systems is not None:
        runs.select(systems=list(systems))  # unknown names are an error
    counts = runs.contributors(depth, groups)
    codes, starts = [], [0]
    for pool in pools_of(runs, truth):
        if pool >= 0:
            first, last = runs.pool_starts[pool], runs.pool_starts[pool + 1]
            codes.append(first + np.flatnonzero(counts[first:last]))
        starts.append(starts[-1] + (len(codes[-1]) if pool >= 0 else 0))
    rows = np.concatenate(codes) if codes else np.zeros(0, dtype=np.int64)
    if not len(rows):
        raise MissingScores("the pool is empty: no contributing run has a document for a judged topic")
    pool_rows = Judgments(
        topics=truth.topics,
        starts=np.array(starts),
        ids=runs.ids.take(rows),
        grades=np.zeros(len(rows)),
        name="pool",
    )
    return pool_rows, counts[rows].astype(np.float64)


def relevant_share(pool: Judgments, truth: Judgments, rel: float = 1) -> tuple[float, float]:
    """Mean and standard deviation over topics of the share of the pool that the truth calls relevant."""
    shares = []
    for t in range(len(truth.topics)):
        first, last = truth.starts[t], truth.starts[t + 1]
        relevant = {truth.ids[int(i)] for i in range(first, last) if truth.grades[i] >= rel}
        names = pool.ids.names(int(pool.starts[t]), int(pool.starts[t + 1]))
        if names:
            shares.append(sum(name in relevant for name in names) / len(names))
    if not any(shares):
        raise MissingScores(f"no document of the pool is relevant by the truth (grade {rel:g} or more)")
    return float(np.mean(shares)), float(np.std(shares, ddof=1)) if len(shares) > 1 else 0.0
