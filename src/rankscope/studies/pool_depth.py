"""Would judging fewer documents of each run have ranked the systems alike? Pools of several depths (Table 2 of
Carterette 2009).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.coefficients import Coefficient
from rankscope.inference.agreement import LEVEL, RESAMPLES
from rankscope.inference.intervals import check_level
from rankscope.measures import rescore
from rankscope.measures.scoring import Measures
from rankscope.results import Result, Table
from rankscope.runs.joined import codes_of, pools_of
from rankscope.runs.runset import NEVER
from rankscope.scores import Floats
from rankscope.studies.blocks import Progress, run_blocks
from rankscope.studies.repeats import none_if_nan, rows_table
from rankscope.studies.variants import (
    DISTANCE,
    MEASURES,
    Ground,
    checked_contributing,
    checked_depths,
    opened,
    settle,
    with_intervals,
)

DEPTHS = (1, 5, 10, 25, 50, 100)


@dataclass(frozen=True, kw_only=True)
class PoolDepth:
    """A pool: its documents, how many of them have judgments, and how many of these are relevant."""

    depth: int
    pool: int
    judgments: int
    relevant: int


@dataclass(frozen=True, kw_only=True)
class DepthAgreement:
    """Agreement of the ranking with a shallower pool's judgments with that of all judgments, under one coefficient.

    `coefficient` is also `d_rank`, which has a p and no interval.
    """

    depth: int
    judgments: int
    measure: str
    coefficient: str
    value: float
    low: float | None
    high: float | None
    pvalue: float | None


@dataclass(frozen=True, kw_only=True, eq=False)
class PoolDepthStudy(Result):
    """Rankings from pools of several depths against that from all `judgments`."""

    agreements: tuple[DepthAgreement, ...]
    pools: tuple[PoolDepth, ...]
    judgments: int
    relevant: int
    systems: int
    topics: int
    measures: tuple[str, ...]
    coefficients: tuple[str, ...]
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per measure, depth and coefficient, the rank distance among them."""
        return rows_table(self.agreements, tuple(DepthAgreement.__dataclass_fields__))

    def pool_table(self) -> Table:
        """One row per depth: the pool, and how much of it was judged."""
        return rows_table(self.pools, tuple(PoolDepth.__dataclass_fields__))

    def tables(self) -> dict[str, Table]:
        """All tables by name, the main one first."""
        return {"agreements": self.table(), "pools": self.pool_table()}


def study_pool_depth(
    runs: Any,
    judgments: Any,
    measures: Measures = MEASURES,
    *,
    depths: Sequence[int] = DEPTHS,
    contributing: Sequence[str] | None = None,
    coefficients: Sequence[str | Coefficient] | None = None,
    rel: float = 1,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    rng: int = 0,
    jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> PoolDepthStudy:
    """Rank the systems as if only the pool to each depth had been judged, and compare with all judgments.

    The pool is made from the `contributing` systems, by default all; all systems are ranked. Judgments of documents
    outside the pool are taken away. Of the pool only what was judged counts, so that a pool deeper than the judged one
    adds what happens to be judged: compare `pool` with `judgments`. Intervals are topic bootstraps, and p is that of
    the rank distance test (Carterette 2009), from `resamples` draws (0: none). `rel` is the least grade that counts as
    relevant where relevant documents are counted; a measure's own is part of its name.

    >>> from rankscope.runs import Judgments, RunSet
    >>> runs = RunSet.of({"a": {"1": ["x", "y"], "2": ["u", "v"]}, "b": {"1": ["z", "x"], "2": ["w", "v"]}})
    >>> truth = Judgments.of({"1": {"x": 1, "z": 0}, "2": {"v": 1, "u": 0}})
    >>> study = study_pool_depth(runs, truth, "AP", depths=[1, 2], coefficients=["tau_b"], resamples=0)
    >>> [(one.depth, one.judgments, one.value) for one in study.agreements if one.coefficient == "tau_b"]
    [(1, 3, 1.0), (2, 4, 1.0)]
    """
    wanted = checked_depths(depths)
    check_level(level)
    ground = settle(runs, judgments, measures, coefficients, resamples=resamples, rng=rng, jobs=jobs)
    contributing = checked_contributing(ground, contributing)
    ranks = best_ranks_of_rows(ground, contributing)
    settings = {
        "depths": list(wanted), "contributing": None if contributing is None else list(contributing), "rel": rel,
        "resamples": resamples, "level": level, "seed": int(rng),
    }  # fmt: skip
    # The depths are in the blocks' names, and so they may change between one run and the next.
    kept = opened(checkpoint, "pool-depth", ground, {k: v for k, v in settings.items() if k != "depths"})
    blocks = [
        DepthBlock(ground=ground, rows=ranks <= depth, depth=depth, resamples=resamples, level=level, seed=int(rng))
        for depth in wanted
    ]
    found = np.stack(run_blocks(blocks, jobs=jobs, checkpoint=kept, progress=progress))
    pools = tuple(_pools(ground, contributing, ranks, wanted, rel))
    return PoolDepthStudy(
        agreements=tuple(_agreements(ground, pools, found)),
        pools=pools,
        judgments=len(ground.judgments),
        relevant=int((ground.judgments.grades >= rel).sum()),
        systems=len(ground.runs.systems),
        topics=len(ground.judgments.topics),
        measures=ground.measures,
        coefficients=ground.statistics[:-1],
        settings=settings,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class DepthBlock:
    """One depth: for each measure, every coefficient and the rank distance with low and high."""

    ground: Ground
    rows: Any
    depth: int
    resamples: int
    level: float
    seed: int

    @property
    def name(self) -> str:
        """The block's name among all, also a file's."""
        return f"depth-{self.depth:06d}"

    @property
    def shape(self) -> tuple[int, ...]:
        """Measures × (coefficients and rank distance) × (value, low, high)."""
        return (len(self.ground.measures), len(self.ground.statistics), 3)

    def run(self) -> Floats:
        """The numbers."""
        ground = self.ground
        scores = rescore(
            ground.judged, ground.measures, np.where(self.rows, ground.judged.grades, np.nan)[None], jobs=1
        )
        return np.stack([
            with_intervals(
                stick, scores[m][0], ground.chosen, resamples=self.resamples, level=self.level, rng=self.seed
            )
            for m, stick in ground.yardsticks.items()
        ])  # fmt: skip


def best_ranks_of_rows(ground: Ground, contributing: Sequence[str] | None) -> Any:
    """The best rank that a contributing system gives each judged document, `NEVER` where none has it."""
    ranks = ground.runs.best_ranks(contributing)
    codes = codes_of(ground.runs, ground.judgments)
    return np.where(codes >= 0, ranks[np.maximum(codes, 0)], NEVER)


def pool_sizes(ground: Ground, contributing: Sequence[str] | None, depths: Sequence[int]) -> list[int]:
    """How many documents of the judged topics are in the pool to each depth."""
    ranks, starts = ground.runs.best_ranks(contributing), ground.runs.pool_starts
    there = [p for p in pools_of(ground.runs, ground.judgments) if p >= 0]
    judged = np.sort(np.concatenate([ranks[starts[p] : starts[p + 1]] for p in there]))
    return [int(size) for size in np.searchsorted(judged, list(depths), side="right")]


def _pools(
    ground: Ground, contributing: Sequence[str] | None, ranks: Any, depths: Sequence[int], rel: float
) -> Iterator[PoolDepth]:
    for depth, size in zip(depths, pool_sizes(ground, contributing, depths), strict=True):
        inside = ranks <= depth
        relevant = int((ground.judgments.grades[inside] >= rel).sum())
        yield PoolDepth(depth=depth, pool=size, judgments=int(inside.sum()), relevant=relevant)


def _agreements(ground: Ground, pools: Sequence[PoolDepth], found: Floats) -> Iterator[DepthAgreement]:
    for m, (measure, stick) in enumerate(ground.yardsticks.items()):
        pvalues = stick.pvalues(found[:, m, -1, 0])
        for pool, values, p in zip(pools, found[:, m], pvalues, strict=True):
            for name, (value, low, high) in zip(ground.statistics, values, strict=True):
                yield DepthAgreement(
                    depth=pool.depth, judgments=pool.judgments, measure=measure, coefficient=name, value=float(value),
                    low=none_if_nan(low), high=none_if_nan(high),
                    pvalue=none_if_nan(p) if name == DISTANCE else None,
                )  # fmt: skip
