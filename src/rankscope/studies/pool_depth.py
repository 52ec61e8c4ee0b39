"""Would judging fewer documents of each run have ranked the systems alike? Pools of several depths.

Table 2 of Carterette (2009).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.checks import check_level
from rankscope.coefficients import Coefficient
from rankscope.defaults import LEVEL, MEASURES, RESAMPLES, SEED
from rankscope.inputs import JudgmentsLike, RunsLike
from rankscope.measures.scoring import Measures
from rankscope.results import Result, Table
from rankscope.runs import Judgments
from rankscope.runs.joined import codes_of, pools_of
from rankscope.runs.runset import NEVER
from rankscope.studies.blocks import Progress
from rankscope.studies.judgment_reference import Reference, check_depths, make_reference
from rankscope.studies.judgment_variants import (
    RESAMPLED,
    JudgmentStudy,
    agreement_rows,
    resampled_variant,
    run_variants,
)

DEPTHS = (1, 5, 10, 25, 50, 100)


@dataclass(frozen=True, kw_only=True, eq=False)
class PoolDepthStudy(JudgmentStudy, Result):
    """Rankings by pools of several depths against the ranking by all `judgments`; see `rs.study_pool_depth`.

    The setting of a row of `agreements` is the `depth`, the number of documents in the `pool`, how many of these have
    `judgments`, and how many of the judged ones are `relevant`. Of all judgments, `relevant` are relevant.
    """

    question = "Would judging fewer documents of each run have ranked the systems alike?"
    columns = RESAMPLED

    relevant: int

    def pool_table(self) -> Table:
        """One row per depth: the documents in the pool, the judged ones, and the relevant ones."""
        settings = self.variant_settings()
        return Table(tuple(settings[0]), tuple(tuple(setting.values()) for setting in settings))

    def tables(self) -> dict[str, Table]:
        """All tables by name, the main table first."""
        return {"agreements": self.table(), "pools": self.pool_table()}


def study_pool_depth(
    runs: RunsLike,
    judgments: JudgmentsLike,
    measures: Measures = MEASURES,
    *,
    depths: Sequence[int] = DEPTHS,
    contributing: Sequence[str] | None = None,
    coefficients: Sequence[str | Coefficient] | None = None,
    rel: float = 1,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    rng: int = SEED,
    jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    cluster: Any = None,
    progress: Progress | None = None,
) -> PoolDepthStudy:
    """Rank the systems as if only the pool to each depth had been judged, and compare with all judgments.

    All systems are ranked, with the judgments of documents in the pool. A pool deeper than the judged one adds the
    documents that happen to be judged: compare `pool` with `judgments` in the settings of the rows.

    Parameters
    ----------
    runs : RunsLike
        The runs to rank: a `RunSet`, or where to read it from.
    judgments : JudgmentsLike
        All judgments: a `Judgments`, or where to read it from.
    measures : Measures, default ("nDCG@10", "AP")
        The measures to rank by.
    depths : sequence of int, default (1, 5, 10, 25, 50, 100)
        The depths of the pools.
    contributing : sequence of str, optional
        The systems from which the pool is made; None for all.
    coefficients : sequence of str or Coefficient, optional
        The coefficients of agreement; None for all. The rank distance is always computed.
    rel : float, default 1
        The least grade that counts as relevant when relevant documents are counted. A measure's own is part of its
        name.
    resamples : int, default 2000
        Draws of topics behind intervals and the rank distance test; 0 for neither.
    level : float, default 0.95
        The level of the topic-bootstrap intervals.
    rng : int, default 0
        The seed. It decides every number.
    jobs : int, optional
        The number of threads; None for one per core. Numbers do not depend on it.
    checkpoint : path, optional
        A folder that keeps finished blocks. An interrupted study continues from it, also with other depths.
    cluster : str or distributed.Client, optional
        The address of a Dask scheduler, or a client of it.
    progress : callable, optional
        Called with the number of blocks done and the number of all blocks.

    Returns
    -------
    PoolDepthStudy
        Agreement by depth, measure and coefficient, and the sizes of the pools.

    Raises
    ------
    BadParameter
        If an argument is out of its range.
    UnknownName
        If a contributing system is not among the runs.
    MissingScores
        If no run retrieved a judged document.
    TooFewSystems
        If there are fewer than two runs.
    MismatchedCheckpoint
        If the folder belongs to another study.
    UnreachableCluster
        If the cluster does not answer.

    References
    ----------
    Carterette, On rank correlation and the distance between rankings, SIGIR 2009, Table 2.

    Examples
    --------
    >>> from rankscope.runs import Judgments, RunSet
    >>> runs = RunSet.of({"a": {"1": ["x", "y"], "2": ["u", "v"]}, "b": {"1": ["z", "x"], "2": ["w", "v"]}})
    >>> truth = Judgments.of({"1": {"x": 1, "z": 0}, "2": {"v": 1, "u": 0}})
    >>> study = study_pool_depth(runs, truth, "AP", depths=[1, 2], coefficients=["tau_b"], resamples=0)
    >>> for row in study.agreements:
    ...     print(row.setting, row.coefficient, row.value)
    {'depth': 1, 'pool': 4, 'judgments': 3, 'relevant': 1} tau_b 1.0
    {'depth': 1, 'pool': 4, 'judgments': 3, 'relevant': 1} d_rank 0.0
    {'depth': 2, 'pool': 6, 'judgments': 4, 'relevant': 2} tau_b 1.0
    {'depth': 2, 'pool': 6, 'judgments': 4, 'relevant': 2} d_rank 0.0
    """
    pool_depths = check_depths(depths)
    check_level(level)
    reference = make_reference(runs, judgments, measures, coefficients, resamples=resamples, rng=rng, jobs=jobs)
    pooled = reference.contributing(contributing)
    ranks = best_ranks(reference, reference.judgments, pooled)
    grades = reference.judgments.grades
    blocks = []
    for depth, pool in zip(pool_depths, pool_sizes(reference, pooled, pool_depths), strict=True):
        inside = ranks <= depth
        relevant = int((grades[inside] >= rel).sum())
        setting = {"depth": depth, "pool": pool, "judgments": int(inside.sum()), "relevant": relevant}
        kept_grades = np.where(inside, grades, np.nan)
        name = f"depth-{depth:06d}"
        blocks.append(
            resampled_variant(reference, name, setting, kept_grades, resamples=resamples, level=level, rng=int(rng))
        )
    # The depths are in the blocks' names, so that they may change from one call to the next.
    decisive = {"contributing": pooled, "rel": rel, "resamples": resamples, "level": level, "seed": int(rng)}
    kept = reference.checkpoint(checkpoint, "pool-depth", decisive)
    compared = run_variants(reference, blocks, jobs=jobs, cluster=cluster, checkpoint=kept, progress=progress)
    return PoolDepthStudy(
        agreements=tuple(agreement_rows(reference, compared, level=level)),
        relevant=int((grades >= rel).sum()),
        settings={"depths": list(pool_depths), **decisive},
        **reference.description(),
    )


def best_ranks(reference: Reference, judgments: Judgments, contributing: Sequence[str] | None) -> npt.NDArray[np.int64]:
    """The best rank that a contributing system gives each document of `judgments`; `NEVER` for one that none has."""
    ranks, codes = reference.runs.best_ranks(contributing), codes_of(reference.runs, judgments)
    return np.where(codes >= 0, ranks[np.maximum(codes, 0)], NEVER)


def pool_sizes(reference: Reference, contributing: Sequence[str] | None, depths: Sequence[int]) -> list[int]:
    """How many documents of the judged topics are in the pool to each depth."""
    ranks, starts = reference.runs.best_ranks(contributing), reference.runs.pool_starts
    pools = [pool for pool in pools_of(reference.runs, reference.judgments) if pool >= 0]
    ordered = np.sort(np.concatenate([ranks[starts[pool] : starts[pool + 1]] for pool in pools]))
    return [int(size) for size in np.searchsorted(ordered, list(depths), side="right")]
