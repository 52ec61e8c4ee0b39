"""Is a ranking further from the baseline's than other topics would put it? (Carterette 2009, Algorithm 2)"""

from __future__ import annotations

import hashlib
import json
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.errors import BadParameter, UnrecognisedFormat
from rankscope.files.nulls import read_null, write_null
from rankscope.inference.distance_baseline import Baseline, checked_ridge, estimate_means, prepare
from rankscope.inference.rank_distance import RankDistance, distance_from
from rankscope.inference.resampling import count_blocks, generators, in_threads
from rankscope.results import Result, Table
from rankscope.scores import Floats, ScoreMatrix, as_scores

VERSION = 1
# Distances this close are the same one, met through two orders.
_SAME = 1e-9
# What the description of a kept null must say besides, and as which types of JSON.
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
    """The rank distances of a baseline from itself over resampled topics, in ascending order.

    `baseline` is the SHA-256 of the baseline's scores and names; `seed` is None where a generator was given.
    """

    distances: Floats
    ridge: float
    seed: int | None
    systems: int
    topics: int
    baseline: str

    def __post_init__(self) -> None:
        # p-values search among the distances, and would be wrong without a word if these were not in order.
        given = self.distances
        if given.ndim != 1 or not given.size or not given[0] >= 0.0 or not bool(np.all(given[1:] >= given[:-1])):
            raise BadParameter("distances: give one at least, each 0 or more, in ascending order")
        checked_ridge(self.ridge)

    @property
    def resamples(self) -> int:
        """The number of draws."""
        return len(self.distances)

    def pvalue(self, distance: float) -> float:
        """The share of draws at this distance or beyond, the observed one among them: never 0.

        >>> rank_distance_null([[0.1, 0.3], [0.2, 0.1], [0.1, 0.4]], resamples=99).pvalue(0.0)
        1.0
        """
        if math.isnan(distance) or distance < 0.0:
            raise BadParameter(f"distance={distance}: a distance is 0 or more")
        threshold = distance - _SAME * max(1.0, distance) if math.isfinite(distance) else distance
        beyond = self.resamples - int(np.searchsorted(self.distances, threshold, side="left"))
        return (1 + beyond) / (self.resamples + 1)

    def critical_value(self, level: float) -> float:
        """The greatest distance that is not significant at this level: p > `level` up to here, p ≤ `level` beyond."""
        if not 0.0 < level < 1.0:
            raise BadParameter(f"level={level}: a level is between 0 and 1")
        rank = math.floor(level * (self.resamples + 1) + 1e-9)
        if rank < 1:
            raise BadParameter(
                f"level={level}: {self.resamples} draws give no p below {1 / (self.resamples + 1):.2g}; draw more"
            )
        return float(self.distances[self.resamples - rank]) if rank <= self.resamples else 0.0

    def table(self) -> Table:
        """Critical values at the usual levels, as far as the number of draws allows."""
        levels = [level for level in _LEVELS if level * (self.resamples + 1) >= 1]
        return Table(("level", "critical_value"), tuple((level, self.critical_value(level)) for level in levels))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the null: as .npz, which `load` reads back, or in one of the formats of every result."""
        if Path(path).suffix.lower() != ".npz":
            super().save(path)
            return
        metadata = {
            "version": VERSION,
            "statistic": "d_rank",
            "resamples": self.resamples,
            "ridge": self.ridge,
            "seed": self.seed,
            "systems": self.systems,
            "topics": self.topics,
            "baseline": self.baseline,
        }
        write_null(path, self.distances, metadata)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> RankDistanceNull:
        """Read a null back from .npz."""
        distances, metadata = read_null(path)
        if metadata.get("version") != VERSION or metadata.get("statistic") != "d_rank":
            raise UnrecognisedFormat(
                path, f"this null has version {metadata.get('version')}, this rankscope reads {VERSION}; make it anew"
            )
        for field, kinds in _DESCRIBED.items():
            # Of exactly these types: JSON has no others, and its 1e999 is an infinite float, not a count.
            if type(metadata.get(field)) not in kinds:
                raise UnrecognisedFormat(path, f"the description of this null has no valid {field!r}; make it anew")
        try:
            null = cls(distances=_read_only(distances), **{field: metadata[field] for field in _DESCRIBED})
        except BadParameter as error:
            raise UnrecognisedFormat(path, f"this null cannot be used ({error}); make it anew") from error
        if metadata.get("resamples") != null.resamples:
            raise UnrecognisedFormat(path, "the distances of this null are not those it describes; make it anew")
        return null


@dataclass(frozen=True, kw_only=True, eq=False)
class RankDistanceTest(Result):
    """The test that an estimate ranks the systems as the baseline would over all topics.

    A small `pvalue` says that samples of topics rarely put the baseline's own ranking so far away. `ties_pvalues` are
    the p-values at the greatest and at the least distance that the estimate's ties allow, None without ties.
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
        """One row: the distance, its p-value, and what they rest on."""
        ties = self.observed.ties
        columns = ("distance", "ties_least", "ties_greatest", "pvalue", "ridge", "resamples")
        bounds = (None, None) if ties is None else (ties.least, ties.greatest)
        row = (self.distance, *bounds, self.pvalue, self.observed.ridge, self.null.resamples)
        return Table(columns, (row,))


def rank_distance_null(
    scores: Any,
    *,
    resamples: int = 10_000,
    ridge: float | None = None,
    rng: int | np.random.Generator = 0,
    jobs: int | None = None,
) -> RankDistanceNull:
    """The null distribution of rank distances: the baseline's topics drawn anew with replacement (Algorithm 2).

    A drawn ranking never reverses a difference that all topics share, so that no ridge is needed but the one that
    distances are to be compared under; None is the paper's, 1e-5 where there are as many systems as topics or more.
    The same for any number of threads (`jobs`; None: one per core).

    >>> ap = [[0.283, 0.481, 0.516], [0.017, 0.399, 0.544], [0.075, 0.300, 0.277], [0.183, 0.662, 0.616]]
    >>> null = rank_distance_null(ap, resamples=999)
    >>> null.resamples, round(null.critical_value(0.05), 4)
    (999, 0.6508)
    """
    chosen = checked_ridge(ridge)
    base = prepare(scores)
    return _null(base, fingerprint(scores), base.paper_ridge if chosen is None else chosen, resamples, rng, jobs)


def rank_distance_test(
    scores: Any,
    estimate: Any,
    *,
    resamples: int = 10_000,
    ridge: float | None = None,
    rng: int | np.random.Generator = 0,
    null: RankDistanceNull | None = None,
    jobs: int | None = None,
) -> RankDistanceTest:
    """Test whether an estimate's ranking differs from the baseline's by more than the choice of topics explains.

    `scores`, `estimate` and `ridge` as in `d_rank`. p is the share of resamples, the observed ranking counted as one,
    whose distance is no less; it is never 0. A `null` made once (`rank_distance_null`, or `.null` of another test) is
    reused, with its ridge, for every estimate of the same baseline, and refused for another.

    The draws vary about the baseline's own means under its own covariance, which is what p is about: in simulations
    a ranking by means so drawn is rejected at 5 % in 6 to 7 % of cases. It is not about a second sample of topics, and
    with few topics for the systems the ranking by the population of topics is rejected too often as well, as the
    covariance is itself an estimate (12 systems: 20 % with 25 topics, 12 % with 50, 6 % with 250; 110 systems: two
    thirds with 249).

    >>> ap = [[0.283, 0.481, 0.516], [0.017, 0.399, 0.544], [0.075, 0.300, 0.277], [0.183, 0.662, 0.616]]
    >>> test = rank_distance_test(ap, [0.9, 0.75, 0.7], resamples=999)
    >>> round(test.distance, 4), test.pvalue
    (4.8828, 0.001)
    """
    checked_ridge(ridge)
    base = prepare(scores)
    means = estimate_means(scores, estimate)[base.positions]
    key = fingerprint(scores)
    if null is not None:
        check_same(null, key, base, ridge)
        ridge = null.ridge
    observed = distance_from(base, means, ridge=ridge, limit=5_000, rng=0)
    if null is None:
        null = _null(base, key, observed.ridge, resamples, rng, jobs)
    ties = observed.ties
    return RankDistanceTest(
        distance=observed.distance,
        pvalue=null.pvalue(observed.distance),
        ties_pvalues=None if ties is None else (null.pvalue(ties.greatest), null.pvalue(ties.least)),
        observed=observed,
        null=null,
        settings={"resamples": null.resamples, "ridge": observed.ridge, "seed": null.seed},
    )


def fingerprint(scores: Any) -> str:
    """The SHA-256 of a score matrix: its scores, and the names of its systems and topics, in their order."""
    table = as_scores(scores)
    digest = hashlib.sha256()
    topics = table.topics if isinstance(table, ScoreMatrix) else ()
    digest.update(json.dumps([table.systems, topics], ensure_ascii=True).encode())
    digest.update(np.ascontiguousarray(table.values + 0.0, dtype="<f8").tobytes())
    return digest.hexdigest()


def _null(
    base: Baseline, key: str, ridge: float, resamples: int, rng: int | np.random.Generator, jobs: int | None
) -> RankDistanceNull:
    def drawn(chunk: tuple[np.random.Generator, int]) -> Floats:
        generator, size = chunk
        sums = np.concatenate([counts @ base.scores for counts in count_blocks(generator, base.topics, size)])
        return base.distances(base.orders_of_sums(sums), ridge)

    found = np.concatenate(in_threads(drawn, list(generators(rng, resamples)), jobs))
    return RankDistanceNull(
        distances=_read_only(np.sort(found)),
        ridge=ridge,
        seed=int(rng) if not isinstance(rng, np.random.Generator) else None,
        systems=len(base.systems),
        topics=base.topics,
        baseline=key,
    )


def check_same(null: RankDistanceNull, key: str, base: Baseline, ridge: float | None) -> None:
    """Refuse a null that was made from another baseline, or with another ridge."""
    if null.baseline != key:
        raise BadParameter(
            f"this null is of another baseline ({null.topics} topics × {null.systems} systems, SHA-256 "
            f"{null.baseline[:12]}…) than these scores ({base.topics} × {len(base.systems)}, {key[:12]}…); "
            "make one from them with rank_distance_null"
        )
    if ridge is not None and ridge != null.ridge:
        raise BadParameter(f"ridge={ridge}: this null was made with ridge={null.ridge}; distances would not compare")


def _read_only(distances: Floats) -> Floats:
    distances.flags.writeable = False
    return distances
