"""How well do random labels rank the systems? Relevant documents drawn at random from the pool.

Soboroff, Nicholas & Cahan (2001); section 4.5 of Carterette (2009).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.coefficients import Coefficient
from rankscope.inference.agreement import RESAMPLES
from rankscope.measures.scoring import Measures
from rankscope.results import Result, Table
from rankscope.scores import Floats
from rankscope.simulation.pseudo import DEPTH, DRAWS, PseudoPool, seeds_of
from rankscope.studies.blocks import Progress, run_blocks
from rankscope.studies.repeats import SPREAD, UNTESTED, RankTest, Spread, rank_tests, rows_table, spread
from rankscope.studies.variants import (
    ALPHA,
    DISTANCE,
    MEASURES,
    Ground,
    check_share,
    checked_contributing,
    checked_count,
    opened,
    settle,
)

# Draws in a block: the grades of a deep pool are large.
_BLOCK = 5


@dataclass(frozen=True, kw_only=True)
class PseudoAgreement(Spread, RankTest):
    """Agreement of the rankings by random relevance with that of the judgments, over draws.

    `coefficient` is also `d_rank`, which alone has `pvalue` (mean) and `rejected` (share of draws with p ≤ alpha).
    """

    measure: str
    coefficient: str


@dataclass(frozen=True, kw_only=True, eq=False)
class PseudoStudy(Result):
    """Rankings by random relevance against that of the judgments.

    `pool` is how many documents there were to draw from, `share` and `share_sd` what part of a topic's pool is
    relevant by the judgments, and `values` every draw's numbers: draws × coefficients and d_rank, by measure.
    """

    agreements: tuple[PseudoAgreement, ...]
    pool: int
    share: float
    share_sd: float
    draws: int
    systems: int
    topics: int
    measures: tuple[str, ...]
    coefficients: tuple[str, ...]
    settings: dict[str, Any]
    values: dict[str, Floats]

    def table(self) -> Table:
        """One row per measure and coefficient, the rank distance among them."""
        return rows_table(self.agreements, ("measure", "coefficient", *SPREAD, "pvalue", "rejected"))

    def draw_table(self) -> Table:
        """One row per measure, draw and coefficient."""
        names = (*self.coefficients, DISTANCE)
        rows = [
            (measure, draw + 1, name, value)
            for measure, part in self.values.items()
            for draw, row in enumerate(part.tolist())
            for name, value in zip(names, row, strict=True)
        ]
        return Table(("measure", "draw", "coefficient", "value"), tuple(rows))

    def tables(self) -> dict[str, Table]:
        """All tables by name, the main one first."""
        return {"agreements": self.table(), "draws": self.draw_table()}


def study_pseudo(
    runs: Any,
    judgments: Any,
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
    rng: int = 0,
    jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> PseudoStudy:
    """Call random documents of the pool relevant, rank the systems by them, and compare with the judgments' ranking.

    How documents are drawn is told at `rankscope.simulation.pseudo.pseudo_grades`. Agreement is high without any
    knowledge of relevance, because systems that find what others find do well both ways: a judge is worth something
    only beyond it. p is that of the rank distance test, from `resamples` draws of topics (0: no test).

    >>> from rankscope.runs import Judgments, RunSet
    >>> runs = RunSet.of({"a": {"1": ["x", "y"], "2": ["z"]}, "b": {"1": ["y", "w"], "2": ["u", "z"]}})
    >>> truth = Judgments.of({"1": {"x": 1, "w": 0}, "2": {"z": 1}})
    >>> study = study_pseudo(runs, truth, "AP", draws=4, coefficients=["tau_b"], resamples=0)
    >>> study.pool, study.values["AP"].shape
    (5, (4, 2))
    """
    checked_count("draws", draws)
    check_share("alpha", alpha)
    ground = settle(runs, judgments, measures, coefficients, resamples=resamples, rng=rng, jobs=jobs)
    contributing = checked_contributing(ground, contributing)
    pool = PseudoPool.of(
        ground.runs, ground.judgments, depth=depth, duplicates=duplicates, contributing=contributing, rel=rel
    )
    settings = {
        "depth": depth, "duplicates": duplicates, "rel": rel, "seed": int(rng),
        "contributing": None if contributing is None else list(contributing),
    }  # fmt: skip
    kept = opened(checkpoint, "pseudo", ground, settings)
    blocks = [
        PseudoBlock(ground=ground, pool=pool, first=first, last=min(first + _BLOCK, draws), seed=int(rng))
        for first in range(0, draws, _BLOCK)
    ]
    found = np.concatenate(run_blocks(blocks, jobs=jobs, checkpoint=kept, progress=progress))
    return PseudoStudy(
        agreements=tuple(_agreements(ground, found, alpha)),
        pool=len(pool.log_weights),
        share=pool.mean,
        share_sd=pool.sd,
        draws=draws,
        systems=len(ground.runs.systems),
        topics=len(ground.judgments.topics),
        measures=ground.measures,
        coefficients=ground.statistics[:-1],
        settings={**settings, "alpha": alpha, "resamples": resamples},
        values={measure: found[:, m] for m, measure in enumerate(ground.measures)},
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class PseudoBlock:
    """Some draws: by measure, every coefficient and the rank distance."""

    ground: Ground
    pool: PseudoPool
    first: int
    last: int
    seed: int

    @property
    def name(self) -> str:
        """The block's name among all, also a file's."""
        return f"draws-{self.first + 1:05d}-{self.last:05d}"

    @property
    def shape(self) -> tuple[int, ...]:
        """Draws × measures × (coefficients and rank distance)."""
        return (self.last - self.first, len(self.ground.measures), len(self.ground.statistics))

    def run(self) -> Floats:
        """The numbers."""
        grades = self.pool.draw(seeds_of(self.seed, self.last)[self.first :])
        return self.ground.agreements(self.pool.judged, grades)


def _agreements(ground: Ground, values: Floats, alpha: float) -> Iterator[PseudoAgreement]:
    for m, (measure, stick) in enumerate(ground.yardsticks.items()):
        test = rank_tests(stick.pvalues(values[:, m, -1]), alpha)
        for name, column in zip(ground.statistics, values[:, m].T, strict=True):
            yield PseudoAgreement(
                measure=measure, coefficient=name, **spread(column), **(test if name == DISTANCE else UNTESTED)
            )
