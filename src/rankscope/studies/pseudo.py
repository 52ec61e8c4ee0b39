"""How well do random labels rank the systems? Relevant documents are drawn at random from the pool.

Soboroff, Nicholas & Cahan (2001); section 4.5 of Carterette (2009).
"""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rankscope.checks import check_count, check_share
from rankscope.coefficients import Coefficient
from rankscope.defaults import ALPHA, MEASURES, RESAMPLES, SEED
from rankscope.inference.resampling import seeds_of
from rankscope.inputs import JudgmentsLike, RunsLike
from rankscope.measures.scoring import Measures
from rankscope.results import Result, Table
from rankscope.scores import Floats
from rankscope.simulation.pseudo import DEPTH, DRAWS, PseudoPool
from rankscope.studies.blocks import Progress
from rankscope.studies.judgment_reference import DISTANCE, make_reference
from rankscope.studies.judgment_variants import (
    JudgmentStudy,
    agreement_rows,
    graded_variants,
    repeat_ranges,
    run_variants,
)

# Draws in a block: the grades of a deep pool are large.
_BLOCK = 5


@dataclass(frozen=True, kw_only=True, eq=False)
class PseudoStudy(JudgmentStudy, Result):
    """Rankings by random labels against the ranking by the judgments; see `rs.study_pseudo`.

    The rows of `agreements` have no setting. `pool` is the number of documents to draw from, `share` and `share_sd` the
    mean and standard deviation over topics of the share of the pool that is relevant by the judgments. `values` has
    every draw: draws × coefficients and d_rank, by measure.
    """

    question = "How well do random labels rank the systems?"

    pool: int
    share: float
    share_sd: float
    draws: int
    values: dict[str, Floats]

    def draw_table(self) -> Table:
        """One row per measure, draw and coefficient."""
        names = (*self.coefficients, DISTANCE)
        rows = [
            (measure, draw, name, value)
            for measure, values in self.values.items()
            for draw, row in enumerate(values.tolist(), start=1)
            for name, value in zip(names, row, strict=True)
        ]
        return Table(("measure", "draw", "coefficient", "value"), tuple(rows))

    def tables(self) -> dict[str, Table]:
        """All tables by name, the main table first."""
        return {"agreements": self.table(), "draws": self.draw_table()}


def study_pseudo(
    runs: RunsLike,
    judgments: JudgmentsLike,
    measures: Measures = MEASURES,
    *,
    depth: int = DEPTH,
    draws: int = DRAWS,
    duplicates: bool = False,
    contributing: Sequence[str] | None = None,
    coefficients: Sequence[str | Coefficient] | None = None,
    rel: float = 1,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    rng: int = SEED,
    jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    cluster: Any = None,
    progress: Progress | None = None,
) -> PseudoStudy:
    """Call random documents of the pool relevant, rank the systems by them, and compare with the judgments' ranking.

    `rs.pseudo_grades` describes how documents are drawn. Agreement is high without any knowledge of relevance, because
    systems that retrieve what others retrieve do well both ways. A judge adds information only beyond it.

    Parameters
    ----------
    runs : RunsLike
        The runs to rank: a `RunSet`, or where to read it from.
    judgments : JudgmentsLike
        The judgments: a `Judgments`, or where to read it from.
    measures : Measures, default ("nDCG@10", "AP")
        The measures to rank by.
    depth : int, default 100
        The depth of the pool from which documents are drawn.
    draws : int, default 50
        The number of random labellings.
    duplicates : bool, default False
        Whether a document is in the pool once for every system that has it, so that popular documents are more likely.
    contributing : sequence of str, optional
        The systems from which the pool is made; None for all.
    coefficients : sequence of str or Coefficient, optional
        The coefficients of agreement; None for all. The rank distance is always computed.
    rel : float, default 1
        The least grade that counts as relevant when the share of relevant documents is taken from the judgments. A
        measure's own is part of its name.
    alpha : float, default 0.05
        The level of the rank distance test.
    resamples : int, default 2000
        Draws of topics behind the rank distance test; 0 for no test.
    rng : int, default 0
        The seed. It decides every number.
    jobs : int, optional
        The number of threads; None for one per core. Numbers do not depend on it.
    checkpoint : path, optional
        A folder that keeps finished blocks. An interrupted study continues from it, also with more draws.
    cluster : str or distributed.Client, optional
        The address of a Dask scheduler, or a client of it.
    progress : callable, optional
        Called with the number of blocks done and the number of all blocks.

    Returns
    -------
    PseudoStudy
        Agreement by measure and coefficient over the draws, and every draw.

    Raises
    ------
    BadParameter
        If an argument is out of its range.
    UnknownName
        If a contributing system is not among the runs.
    MissingScores
        If no run retrieved a judged document, or no document of the pool is relevant.
    TooFewSystems
        If there are fewer than two runs.
    MismatchedCheckpoint
        If the folder belongs to another study.
    UnreachableCluster
        If the cluster does not answer.

    References
    ----------
    Soboroff, Nicholas & Cahan, Ranking retrieval systems without relevance judgments, SIGIR 2001.
    Carterette, On rank correlation and the distance between rankings, SIGIR 2009, section 4.5.

    Examples
    --------
    >>> from rankscope.runs import Judgments, RunSet
    >>> runs = RunSet.of({"a": {"1": ["x", "y"], "2": ["z"]}, "b": {"1": ["y", "w"], "2": ["u", "z"]}})
    >>> truth = Judgments.of({"1": {"x": 1, "w": 0}, "2": {"z": 1}})
    >>> study = study_pseudo(runs, truth, "AP", draws=4, coefficients=["tau_b"], resamples=0)
    >>> study.pool, study.values["AP"].shape
    (5, (4, 2))
    """
    draws = check_count("draws", draws)
    check_share("alpha", alpha)
    reference = make_reference(runs, judgments, measures, coefficients, resamples=resamples, rng=rng, jobs=jobs)
    pooled = reference.contributing(contributing)
    pool = PseudoPool.of(
        reference.runs, reference.judgments, depth=depth, duplicates=duplicates, contributing=pooled, rel=rel
    )
    decisive = {"depth": depth, "duplicates": duplicates, "rel": rel, "seed": int(rng), "contributing": pooled}
    blocks = [
        graded_variants(
            reference,
            f"draws-{numbers.start + 1:05d}-{numbers.stop:05d}",
            [{}] * len(numbers),
            functools.partial(_grades, pool, numbers, int(rng)),
            pool.judged,
        )
        for numbers in repeat_ranges(draws, _BLOCK)
    ]
    kept = reference.checkpoint(checkpoint, "pseudo", decisive)
    compared = run_variants(reference, blocks, jobs=jobs, cluster=cluster, checkpoint=kept, progress=progress)
    values = compared[0][1][..., 0]
    return PseudoStudy(
        agreements=tuple(agreement_rows(reference, compared, alpha=alpha)),
        pool=len(pool.log_weights),
        share=pool.mean,
        share_sd=pool.sd,
        draws=draws,
        settings={**decisive, "alpha": alpha, "resamples": resamples},
        values={measure: values[:, m] for m, measure in enumerate(reference.measures)},
        **reference.description(),
    )


def _grades(pool: PseudoPool, numbers: range, seed: int) -> Floats:
    """The random grades of these draws."""
    return pool.draw(seeds_of(seed, numbers.stop)[numbers.start :])
