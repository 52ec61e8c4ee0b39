"""`pseudo_grades`: random labels, by which random documents of the pool are relevant (Soboroff et al. 2001)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.checks import check_count
from rankscope.defaults import SEED
from rankscope.errors import MissingScores
from rankscope.inference.resampling import Seed, seeds_of
from rankscope.inputs import JudgmentsLike, RunsLike, to_judgments, to_runs
from rankscope.runs import Floats, JudgedRuns, Judgments, RunSet, join
from rankscope.runs.joined import pools_of

DEPTH = 100
DRAWS = 50

Weights = npt.NDArray[np.float64]


def pseudo_grades(
    runs: RunsLike,
    truth: JudgmentsLike,
    *,
    depth: int = DEPTH,
    draws: int = DRAWS,
    duplicates: bool = False,
    contributing: Sequence[str] | None = None,
    rel: float = 1,
    rng: Seed = SEED,
) -> tuple[JudgedRuns, Floats]:
    """Random labels of the documents in the runs' pools.

    In each draw and topic, the share of the pool that is relevant is drawn from a normal distribution with the mean and
    the standard deviation over topics of the share that is relevant to the truth. At least one document is relevant.
    The first draws do not depend on the number of draws.

    Parameters
    ----------
    runs : RunsLike
        The runs.
    truth : JudgmentsLike
        The judgments whose topics and shares of relevant documents are used.
    depth : int, default 100
        The depth of the pool of each topic.
    draws : int, default 50
        The number of draws.
    duplicates : bool, default False
        Whether a document is in the pool once for every system that retrieves it, so that popular documents are more
        likely (the first method of Soboroff et al.), or once (as in Carterette 2009).
    contributing : sequence of str or None, default None
        The systems that contribute to the pool; None is all.
    rel : float, default 1
        The least relevant grade of the truth.
    rng : int or numpy.random.Generator, default 0
        A seed or a generator.

    Returns
    -------
    JudgedRuns
        The runs joined with their pools.
    ndarray
        Grades of the pools' documents, 1 or 0, one row per draw.

    Raises
    ------
    MissingScores
        If the pool is empty, or none of its documents is relevant to the truth.
    UnknownName
        If a contributing system has no run.
    BadParameter
        If `draws` is below 1.

    References
    ----------
    I. Soboroff, C. Nicholas and P. Cahan, "Ranking retrieval systems without relevance judgments", SIGIR 2001.
    B. Carterette, "On rank correlation and the distance between rankings", SIGIR 2009.

    Examples
    --------
    >>> runs = RunSet.of({"a": {"1": ["x", "y"], "2": ["z"]}, "b": {"1": ["y", "w"], "2": ["u", "z"]}})
    >>> judged, grades = pseudo_grades(runs, Judgments.of({"1": {"x": 1, "w": 0}, "2": {"z": 1}}), draws=3)
    >>> judged.topics, grades.shape, bool((grades[:, 3:].sum(axis=1) >= 1).all())
    (('1', '2'), (3, 5), True)
    """
    check_count("draws", draws)
    pool = PseudoPool.of(
        to_runs(runs), to_judgments(truth), depth=depth, duplicates=duplicates, contributing=contributing, rel=rel
    )
    return pool.judged, pool.draw(seeds_of(rng, draws))


@dataclass(frozen=True, kw_only=True, eq=False)
class PseudoPool:
    """Pools from which relevant documents are drawn; `mean` and `sd` are those of the share that is relevant."""

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
        """Grades of the pools' documents, 1 or 0, one row per seed."""
        starts = self.judged.judgment_starts
        sizes = np.diff(starts)
        grades = np.zeros((len(seeds), len(self.log_weights)))
        for row, seed in zip(grades, seeds, strict=True):
            generator = np.random.default_rng(seed)
            shares = generator.normal(self.mean, self.sd, size=len(sizes))
            counts = np.clip(np.rint(shares * sizes), np.minimum(1, sizes), sizes).astype(np.int64)
            # Taking the greatest keys is equivalent to drawing documents one after another by weight (Efraimidis &
            # Spirakis 2006, with Gumbel noise).
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
        runs.select(systems=list(systems))  # raises for unknown names
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
    """The mean and standard deviation over topics of the share of the pool that is relevant to the truth."""
    shares = []
    for t in range(len(truth.topics)):
        first, last = truth.starts[t], truth.starts[t + 1]
        relevant = {truth.ids[int(i)] for i in range(first, last) if truth.grades[i] >= rel}
        names = pool.ids.names(int(pool.starts[t]), int(pool.starts[t + 1]))
        if names:
            shares.append(sum(name in relevant for name in names) / len(names))
    if not any(shares):
        raise MissingScores(f"no document of the pool is relevant to the truth (grade {rel:g} or more)")
    return float(np.mean(shares)), float(np.std(shares, ddof=1)) if len(shares) > 1 else 0.0
