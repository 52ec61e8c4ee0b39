"""Does a system succeed where the others do? Its scores by topic against the mean of all other systems.

Systems find the same topics hard. One that does not, and still scores high, may please the judge by other means than
its answers, or may be broken: it is the corrected item–total correlation of test theory, of systems instead of items.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.averages import mean_ranks
from rankscope.checks import check_count, check_jobs, check_level, check_seed
from rankscope.defaults import LEVEL, SEED
from rankscope.errors import MissingScores, TooFewSystems
from rankscope.files.checkpoints import Checkpoint
from rankscope.inference.resampling import generators, monte_carlo_p
from rankscope.inputs import ScoresLike, to_matrix
from rankscope.results import ENDS, Interval, Result, Table, rows_table
from rankscope.scores import Floats
from rankscope.studies.blocks import Progress, run_blocks
from rankscope.studies.digests import digest_of

DRAWS = 999
_LEAST_TOPICS = 5


@dataclass(frozen=True, kw_only=True)
class SystemProfile:
    """A system's mean score and rank, and the correlation of its scores with the mean of the others over topics.

    `correlation` is None where the system, or the mean of the others, is the same on all topics, and `interval` where a
    single topic decides that. `adjusted` is the p-value of the hypothesis that its scores are unrelated to those of the
    others, against a correlation above 0, adjusted over all systems by their largest correlation in each permutation.
    """

    system: str
    score: float
    rank: float
    correlation: float | None
    interval: Interval | None
    adjusted: float | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class ProfilesStudy(Result):
    """How far each system succeeds where the others do; see `rs.study_profiles`.

    `profiles` begins with the lowest correlation; systems without one come last. `median` is that of all correlations.
    """

    profiles: tuple[SystemProfile, ...]
    median: float | None
    measure: str | None
    systems: int
    topics: int
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per system."""
        names = ("system", "score", "rank", "correlation")
        return rows_table(self.profiles, {**{name: name for name in names}, **ENDS, "pvalue": "adjusted"})

    def tables(self) -> dict[str, Table]:
        """All tables by name."""
        return {"systems": self.table()}


def study_profiles(
    scores: ScoresLike,
    *,
    draws: int = DRAWS,
    level: float = LEVEL,
    rng: int = SEED,
    jobs: int | None = None,
    cluster: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> ProfilesStudy:
    """Does a system succeed where the others do?

    Systems mostly find the same topics hard, so that each system's scores by topic correlate with the mean of the
    others. A low correlation at a high score is a reason to read what the system answers; at a low score, it is often
    a broken run. A permutation test tells which systems follow the others at all: their scores are shuffled over
    topics, which leaves all as it was if they are unrelated to those of the others, and the largest correlation of any
    system in each permutation is what a system must exceed (Westfall & Young 1993).

    Parameters
    ----------
    scores : ScoresLike
        Scores by topic, of three systems or more.
    draws : int, default 999
        Permutations of topics; 0 leaves out the test.
    level : float, default 0.95
        The level of the leave-one-topic-out t intervals, on Fisher's z.
    rng : int, default 0
        The seed.
    jobs : int, optional
        The number of threads; None for one per core. Numbers do not depend on it.
    cluster : str or distributed.Client, optional
        A Dask cluster to compute on.
    checkpoint : path, optional
        A folder that keeps finished blocks, from which an interrupted study continues.
    progress : callable, optional
        Called with the number of blocks done and the number of all blocks.

    Returns
    -------
    ProfilesStudy
        Each system with its correlation, the lowest first.

    Raises
    ------
    TooFewSystems
        With fewer than three systems.
    MissingScores
        With fewer than five topics, or with missing scores.
    BadParameter
        If an argument is out of its range.
    MismatchedCheckpoint
        If the folder belongs to another study.

    Examples
    --------
    >>> topics = [[0.1, 0.2, 0.6], [0.3, 0.4, 0.5], [0.5, 0.6, 0.7], [0.7, 0.7, 0.4], [0.8, 0.9, 0.5]]
    >>> study = study_profiles(topics)
    >>> [(own.system, round(own.correlation, 2)) for own in study.profiles]
    [('3', -0.39), ('1', 0.86), ('2', 0.94)]
    """
    check_level(level)
    check_jobs(jobs)
    seed, draws = check_seed(rng), check_count("draws", draws, 0)
    table = to_matrix(scores, "a system's topics are compared with those of the others")
    means = table.means  # raises and names what is missing
    topics, systems = table.values.shape
    if systems < 3:
        raise TooFewSystems(f"profiles need three systems at least, and the table has {systems}")
    if topics < _LEAST_TOPICS:
        raise MissingScores(f"profiles need {_LEAST_TOPICS} topics at least, and the table has {topics}")
    others = (table.values.sum(axis=1, keepdims=True) - table.values) / (systems - 1)
    whole, without = correlations(table.values, others)
    ranks = mean_ranks(means)
    known = np.flatnonzero(~np.isnan(whole))
    adjusted: dict[int, float] = {}
    if draws and len(known):
        sides = _unit(table.values[:, known]), _unit(others[:, known])
        blocks = [
            ProfileBlock(
                name=f"permutations-{chunk:04d}", values=sides[0], others=sides[1], draws=draws, chunk=chunk, seed=seed
            )
            for chunk in range(len(list(generators(seed, draws))))
        ]
        kept = None
        if checkpoint is not None:
            decided = {"seed": seed, "draws": draws, "input": digest_of(table.values)}
            kept = Checkpoint.of_study(checkpoint, "profiles", decided)
        highest = np.concatenate(run_blocks(blocks, jobs=jobs, cluster=cluster, checkpoint=kept, progress=progress))
        adjusted = {int(s): monte_carlo_p(highest >= whole[s] - 1e-12) for s in known}
    profiles = [
        SystemProfile(
            system=table.systems[s],
            score=float(means[s]),
            rank=float(ranks[s]),
            correlation=None if np.isnan(whole[s]) else float(whole[s]),
            interval=_interval(float(whole[s]), without[:, s], level),
            adjusted=adjusted.get(int(s)),
        )
        for s in np.argsort(whole, kind="stable")  # nan comes last
    ]
    return ProfilesStudy(
        profiles=tuple(profiles),
        median=float(np.median(whole[known])) if len(known) else None,
        measure=table.measure,
        systems=systems,
        topics=topics,
        settings={"draws": draws, "level": level, "seed": seed},
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class ProfileBlock:
    """A chunk of the permutations of topics: the highest correlation of any system with the others in each.

    `values` and `others` are centred columns of length 1.
    """

    name: str
    values: Floats
    others: Floats
    draws: int
    chunk: int
    seed: int

    @property
    def _chunk(self) -> tuple[np.random.Generator, int]:
        return list(generators(self.seed, self.draws))[self.chunk]

    @property
    def shape(self) -> tuple[int, ...]:
        """A number for each permutation."""
        return (self._chunk[1],)

    def run(self) -> Floats:
        """The highest correlations."""
        generator, size = self._chunk
        topics = len(self.values)
        orders = (generator.permutation(topics) for _ in range(size))
        return np.array([np.einsum("ts,ts->s", self.values[order], self.others).max() for order in orders])


def _unit(columns: Floats) -> Floats:
    """Columns centred, of length 1."""
    centred = columns - columns.mean(axis=0)
    return np.asarray(centred / np.sqrt((centred**2).sum(axis=0)))


def correlations(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Pearson's r of each column of x with that of y, and without each row; NaN where a side is constant."""
    n = len(x)
    a, b = x - x.mean(axis=0), y - y.mean(axis=0)
    sums = [(a * a).sum(axis=0), (b * b).sum(axis=0), (a * b).sum(axis=0)]
    # Without row i the others are centred again, which removes n/(n − 1) of its products.
    left = [total - n / (n - 1.0) * product for total, product in zip(sums, (a * a, b * b, a * b), strict=True)]
    floors = [1e-12 * (side * side).sum(axis=0) for side in (x, y)]

    def r(xx: Floats, yy: Floats, xy: Floats) -> Floats:
        varies = (xx > floors[0]) & (yy > floors[1])
        return np.where(varies, np.clip(xy / np.sqrt(np.where(varies, xx * yy, 1.0)), -1.0, 1.0), np.nan)

    return r(*sums), r(*left)


def _interval(whole: float, without: Floats, level: float) -> Interval | None:
    from scipy.special import stdtrit

    if not (abs(whole) < 1.0 and (np.abs(without) < 1.0).all()):
        return None
    left = np.arctanh(without)
    variance = (len(left) - 1) / len(left) * ((left - left.mean()) ** 2).sum()
    half = float(stdtrit(len(left) - 1, 0.5 + level / 2.0)) * math.sqrt(variance)
    low, high = (math.tanh(math.atanh(whole) + side * half) for side in (-1, 1))
    return Interval(low=low, high=high, level=level, method="leave one topic out, t on Fisher's z")
