"""`rank_distance_null` and `rank_distance_test`: is a ranking further from the baseline's than resampled topics put it?

Carterette 2009, Algorithm 2. rank_distance_baseline.py computes the distances, rank_distance.py the observed one.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.checks import check_share
from rankscope.defaults import SEED
from rankscope.errors import BadParameter, UnrecognisedFormat
from rankscope.files.null_archive import read_null, write_null
from rankscope.inference.closed_tests import read_only
from rankscope.inference.rank_distance import RankDistance, distance_from
from rankscope.inference.rank_distance_baseline import (
    Baseline,
    baseline_scores,
    check_ridge,
    estimate_means,
    prepare,
)
from rankscope.inference.resampling import Draws, Seed, count_blocks, recorded_seed
from rankscope.inputs import ScoresLike
from rankscope.results import Result, Table, rows_table
from rankscope.scores import Floats, ScoreMatrix

VERSION = 1
# Distances this close are equal: the same one computed through two orders.
_SAME = 1e-9
# The fields that the description of a saved null must have, and their types in JSON.
_DESCRIBED: dict[str, tuple[type, ...]] = {
    "ridge": (float, int),
    "seed": (int, type(None)),
    "systems": (int,),
    "topics": (int,),
    "baseline": (str,),
}
_LEVELS = (0.5, 0.25, 0.1, 0.05, 0.025, 0.01, 0.001)


@dataclass(frozen=True, kw_only=True, eq=False)
class RankDistanceNull(Result):
    """The null distribution of the rank distance: of a baseline from itself over resampled topics.

    Attributes
    ----------
    distances : ndarray
        The distances in ascending order.
    ridge : float
        What was added to the variances of differences.
    seed : int or None
        The seed; None where a generator was given.
    systems, topics : int
        Their numbers.
    baseline : str
        The SHA-256 of the baseline's scores and names.
    """

    distances: Floats
    ridge: float
    seed: int | None
    systems: int
    topics: int
    baseline: str

    def __post_init__(self) -> None:
        # p-values search in the sorted distances and would be wrong without notice if these were not sorted.
        given = self.distances
        if given.ndim != 1 or not given.size or not given[0] >= 0.0 or not bool(np.all(given[1:] >= given[:-1])):
            raise BadParameter("distances: at least one number, 0 or more, in ascending order")
        check_ridge(self.ridge)

    @property
    def resamples(self) -> int:
        """The number of draws."""
        return len(self.distances)

    def pvalue(self, distance: float) -> float:
        """The share of draws at this distance or beyond; it counts the observed one, so it is never 0.

        >>> rank_distance_null([[0.1, 0.3], [0.2, 0.1], [0.1, 0.4]], resamples=99).pvalue(0.0)
        1.0
        """
        if math.isnan(distance) or distance < 0.0:
            raise BadParameter(f"distance={distance}: a number, 0 or more")
        threshold = distance - _SAME * max(1.0, distance) if math.isfinite(distance) else distance
        beyond = self.resamples - int(np.searchsorted(self.distances, threshold, side="left"))
        return (1 + beyond) / (self.resamples + 1)

    def critical_value(self, level: float) -> float:
        """The greatest distance that is not significant at this level: p > `level` up to here, p ≤ `level` beyond."""
        check_share("level", level)
        rank = math.floor(level * (self.resamples + 1) + 1e-9)
        if rank < 1:
            least = 1 / (self.resamples + 1)
            raise BadParameter(f"level={level}: {self.resamples} draws give no p-value below {least:.2g}; draw more")
        return float(self.distances[self.resamples - rank]) if rank <= self.resamples else 0.0

    def table(self) -> Table:
        """Critical values at the usual levels that the number of draws allows."""
        levels = [level for level in _LEVELS if level * (self.resamples + 1) >= 1]
        return Table(("level", "critical_value"), tuple((level, self.critical_value(level)) for level in levels))

    def save(self, path: str | os.PathLike[str], **settings: Any) -> None:
        """Write the null as .npz, which `load` reads, or in any format of a result with its settings."""
        if Path(path).suffix.lower() != ".npz":
            super().save(path, **settings)
            return
        described = {name: getattr(self, name) for name in ("resamples", *_DESCRIBED)}
        write_null(path, self.distances, {"version": VERSION, "statistic": "d_rank", **described})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> RankDistanceNull:
        """Read a null from .npz."""
        distances, metadata = read_null(path)
        if metadata.get("version") != VERSION or metadata.get("statistic") != "d_rank":
            raise UnrecognisedFormat(
                path, f"this null has version {metadata.get('version')}, this rankscope reads {VERSION}; make it again"
            )
        for field, kinds in _DESCRIBED.items():
            # Exactly these types: JSON's 1e999 is an infinite float, not a count.
            if type(metadata.get(field)) not in kinds:
                raise UnrecognisedFormat(path, f"the description of this null has no valid {field!r}; make it again")
        try:
            null = cls(distances=read_only(distances), **{field: metadata[field] for field in _DESCRIBED})
        except BadParameter as error:
            raise UnrecognisedFormat(path, f"this null cannot be used ({error}); make it again") from error
        if metadata.get("resamples") != null.resamples:
            raise UnrecognisedFormat(path, "the distances of this null are not those it describes; make it again")
        return null


@dataclass(frozen=True, kw_only=True, eq=False)
class RankDistanceTest(Result):
    """The test of whether an estimate's ranking differs from the baseline's by more than topic sampling error.

    Attributes
    ----------
    distance : float
        The observed rank distance.
    pvalue : float
        The share of resampled rankings of the baseline that are at least as far away.
    ties_pvalues : tuple of float or None
        The p-values at the greatest and at the least distance that the estimate's ties allow; None without ties.
    observed : RankDistance
        The observed distance in detail.
    null : RankDistanceNull
        The null distribution, which other estimates of the same baseline can reuse.
    settings : dict
        The options.
    """

    distance: float
    pvalue: float
    ties_pvalues: tuple[float, float] | None
    observed: RankDistance
    null: RankDistanceNull
    settings: dict[str, Any]

    def critical_value(self, level: float) -> float:
        """The greatest distance that is not significant at this level."""
        return self.null.critical_value(level)

    def table(self) -> Table:
        """One row: the distance, its bounds and p-value, and the options."""
        ties = {"ties_least": "observed.ties.least", "ties_greatest": "observed.ties.greatest"}
        null = {"pvalue": "pvalue", "ridge": "observed.ridge", "resamples": "null.resamples"}
        return rows_table([self], {"distance": "distance", **ties, **null})

    def tables(self) -> dict[str, Table]:
        """Every table by name, the main one first."""
        return {"test": self.table(), "neighbours": self.observed.table(), "critical": self.null.table()}


def rank_distance_null(
    scores: ScoresLike,
    *,
    resamples: int = 10_000,
    ridge: float | None = None,
    rng: Seed = SEED,
    jobs: int | None = None,
) -> RankDistanceNull:
    """The null distribution of the rank distance: the baseline's topics drawn with replacement.

    A drawn ranking never reverses a difference that all topics share, so every distance is finite without a ridge.

    Parameters
    ----------
    scores : ScoresLike
        The baseline's scores by topic.
    resamples : int, default 10000
        The number of draws.
    ridge : float or None, default None
        What is added to the variances of differences; it must be that of the distances to be tested. None is the
        paper's: 1e-5 with at least as many systems as topics, otherwise 0.
    rng : int or numpy.random.Generator, default 0
        A seed or a generator. A seed gives the same draws with any number of threads.
    jobs : int or None, default None
        The number of threads; None is one per core.

    Returns
    -------
    RankDistanceNull
        The distances in ascending order.

    Raises
    ------
    MissingScores
        Without topics, with fewer than two, or with missing scores.
    TooFewSystems
        With fewer than two systems.
    BadParameter
        If an option is out of its range.

    References
    ----------
    B. Carterette, "On rank correlation and the distance between rankings", SIGIR 2009, Algorithm 2.

    Examples
    --------
    >>> ap = [[0.283, 0.481, 0.516], [0.017, 0.399, 0.544], [0.075, 0.300, 0.277], [0.183, 0.662, 0.616]]
    >>> null = rank_distance_null(ap, resamples=999)
    >>> null.resamples, round(null.critical_value(0.05), 4)
    (999, 0.6508)
    """
    check_ridge(ridge)
    table = baseline_scores(scores)
    base = prepare(table)
    return _null(base, fingerprint(table), base.paper_ridge if ridge is None else ridge, Draws(resamples, rng, jobs))


def rank_distance_test(
    scores: ScoresLike,
    estimate: ScoresLike,
    *,
    resamples: int = 10_000,
    ridge: float | None = None,
    rng: Seed = SEED,
    null: RankDistanceNull | None = None,
    jobs: int | None = None,
) -> RankDistanceTest:
    """Test whether an estimate's ranking differs from the baseline's by more than topic sampling error.

    The null hypothesis is that the estimate's ranking is one of means drawn around the baseline's with its covariance;
    in simulations such a ranking is rejected at the 5 % level in 6 to 7 % of cases. It is not about a second sample of
    topics, whose ranking is rejected far more often. With few topics for the number of systems even the ranking by the
    population of topics is, since the covariance is itself an estimate (12 systems: 20 % with 25 topics, 12 % with 50,
    6 % with 250; 110 systems: two thirds with 249).

    Parameters
    ----------
    scores : ScoresLike
        The baseline's scores by topic.
    estimate : ScoresLike
        The scores of another measure or judge, matched by name; a plain list is in the order of the baseline's systems.
    resamples : int, default 10000
        The number of draws of topics.
    ridge : float or None, default None
        What is added to the variances of differences, as in `d_rank`.
    rng : int or numpy.random.Generator, default 0
        A seed or a generator. A seed gives the same draws with any number of threads.
    null : RankDistanceNull or None, default None
        The null distribution of this baseline, if already made; its ridge is used.
    jobs : int or None, default None
        The number of threads; None is one per core.

    Returns
    -------
    RankDistanceTest
        The distance and its p-value, which counts the observed ranking and is never 0.

    Raises
    ------
    BadParameter
        If `null` is of another baseline or has another ridge, or an option is out of its range.
    MissingScores
        If the baseline has no topics, fewer than two, or missing scores.
    MismatchedNames, ShapeMismatch
        If the sides have different systems.

    References
    ----------
    B. Carterette, "On rank correlation and the distance between rankings", SIGIR 2009, Algorithm 2.

    Examples
    --------
    >>> ap = [[0.283, 0.481, 0.516], [0.017, 0.399, 0.544], [0.075, 0.300, 0.277], [0.183, 0.662, 0.616]]
    >>> test = rank_distance_test(ap, [0.9, 0.75, 0.7], resamples=999)
    >>> round(test.distance, 4), test.pvalue
    (4.8828, 0.001)
    """
    check_ridge(ridge)
    table = baseline_scores(scores)
    base = prepare(table)
    means = estimate_means(table, estimate)[base.positions]
    key = fingerprint(table)
    if null is not None:
        check_same(null, key, base, ridge)
        ridge = null.ridge
    observed = distance_from(base, means, ridge=ridge)
    if null is None:
        null = _null(base, key, observed.ridge, Draws(resamples, rng, jobs))
    ties = observed.ties
    return RankDistanceTest(
        distance=observed.distance,
        pvalue=null.pvalue(observed.distance),
        ties_pvalues=None if ties is None else (null.pvalue(ties.greatest), null.pvalue(ties.least)),
        observed=observed,
        null=null,
        settings={"resamples": null.resamples, "ridge": observed.ridge, "seed": null.seed},
    )


def fingerprint(table: ScoreMatrix) -> str:
    """The SHA-256 of a score matrix: its scores, and the names of its systems and topics, in their order."""
    digest = hashlib.sha256()
    digest.update(json.dumps([table.systems, table.topics], ensure_ascii=True).encode())
    digest.update(np.ascontiguousarray(table.values + 0.0, dtype="<f8").tobytes())
    return digest.hexdigest()


def _null(base: Baseline, key: str, ridge: float, draws: Draws) -> RankDistanceNull:
    def of_chunk(generator: np.random.Generator, size: int) -> Floats:
        # Algorithm 2
        sums = np.concatenate([counts @ base.scores for counts in count_blocks(generator, base.topics, size)])
        return base.distances(base.orders_of_sums(sums), ridge)

    return RankDistanceNull(
        distances=read_only(np.sort(np.concatenate(draws.each(of_chunk)))),
        ridge=ridge,
        seed=recorded_seed(draws.rng),
        systems=len(base.systems),
        topics=base.topics,
        baseline=key,
    )


def check_same(null: RankDistanceNull, key: str, base: Baseline, ridge: float | None) -> None:
    """Raise `BadParameter` if a null is of another baseline or has another ridge."""
    if null.baseline != key:
        raise BadParameter(
            f"this null is of another baseline ({null.topics} topics × {null.systems} systems, SHA-256 "
            f"{null.baseline[:12]}…), these scores are {base.topics} × {len(base.systems)}, {key[:12]}…; "
            "make their own with rank_distance_null"
        )
    if ridge is not None and ridge != null.ridge:
        raise BadParameter(f"ridge={ridge}: this null was made with ridge={null.ridge}; use the same")
