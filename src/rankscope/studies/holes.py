"""How many judgments may be missing? Random parts of them kept.

Buckley & Voorhees (2004); Figure 4 of Carterette (2009).
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
from rankscope.runs import Judgments
from rankscope.scores import Floats
from rankscope.studies.blocks import Progress, run_blocks
from rankscope.studies.repeats import SPREAD, UNTESTED, RankTest, Spread, rank_tests, rows_table, spread
from rankscope.studies.variants import (
    ALPHA,
    DISTANCE,
    MEASURES,
    Ground,
    Mask,
    check_share,
    checked_count,
    checked_fractions,
    opened,
    settle,
)

FRACTIONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
REPEATS = 30
# Repeats in a block: about a second of work for a large track.
_BLOCK = 10


@dataclass(frozen=True, kw_only=True)
class HolesAgreement(Spread, RankTest):
    """Agreement with the ranking by all judgments when a fraction of them is kept, over repeats.

    `coefficient` is also `d_rank`, which alone has `pvalue` (mean) and `rejected` (share of repeats with p ≤ alpha).
    """

    fraction: float
    judgments: int
    measure: str
    coefficient: str


@dataclass(frozen=True, kw_only=True)
class Loss:
    """Where the rank distance test loses significance as judgments grow complete, under one measure.

    `significant_up_to` is the largest fraction at which the test rejects in half of the repeats or more, None where
    it does at none; `indistinguishable_from` is the next larger fraction studied, None where there is none.
    """

    measure: str
    significant_up_to: float | None
    indistinguishable_from: float | None


@dataclass(frozen=True, kw_only=True, eq=False)
class HolesStudy(Result):
    """Rankings from random parts of the judgments against that from all `judgments`."""

    agreements: tuple[HolesAgreement, ...]
    losses: tuple[Loss, ...]
    judgments: int
    systems: int
    topics: int
    measures: tuple[str, ...]
    coefficients: tuple[str, ...]
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per measure, fraction and coefficient, the rank distance among them."""
        columns = ("fraction", "judgments", "measure", "coefficient", *SPREAD, "pvalue", "rejected")
        return rows_table(self.agreements, columns)

    def loss_table(self) -> Table:
        """One row per measure: where the difference from the full ranking ceases to be significant."""
        return rows_table(self.losses, tuple(Loss.__dataclass_fields__))

    def tables(self) -> dict[str, Table]:
        """All tables by name, the main one first."""
        return {"agreements": self.table(), "losses": self.loss_table()}


def study_holes(
    runs: Any,
    judgments: Any,
    measures: Measures = MEASURES,
    *,
    fractions: Sequence[float] = FRACTIONS,
    repeats: int = REPEATS,
    coefficients: Sequence[str | Coefficient] | None = None,
    rel: float = 1,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    rng: int = 0,
    jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> HolesStudy:
    """Keep a random fraction of the judgments, rank the systems anew, and compare with all judgments.

    In each topic that fraction of its relevant documents (grades of `rel` at least) and that fraction of the others is
    kept, rounded, but one of each at least where there are some. Within a repeat the smaller fractions' judgments are
    among the larger ones'. p is that of the rank distance test, from `resamples` draws of topics (0: no test).

    With a `checkpoint` folder an interrupted study goes on where it was, also with more repeats or other fractions.

    >>> from rankscope.runs import Judgments, RunSet
    >>> runs = RunSet.of({"a": {"1": ["x", "y"], "2": ["u", "v"]}, "b": {"1": ["z", "x"], "2": ["w", "v"]}})
    >>> truth = Judgments.of({"1": {"x": 1, "y": 0, "z": 0}, "2": {"v": 1, "u": 0, "w": 0}})
    >>> study = study_holes(runs, truth, "AP", fractions=[0.5, 1], repeats=3, coefficients=["pearson"], resamples=0)
    >>> [(one.fraction, one.judgments, one.mean) for one in study.agreements if one.coefficient == "pearson"]
    [(0.5, 4, 1.0), (1.0, 6, 1.0)]
    """
    wanted = checked_fractions(fractions)
    checked_count("repeats", repeats)
    check_share("alpha", alpha)
    ground = settle(runs, judgments, measures, coefficients, resamples=resamples, rng=rng, jobs=jobs)
    settings = {
        "fractions": list(wanted), "repeats": repeats, "rel": rel, "alpha": alpha, "resamples": resamples,
        "seed": int(rng),
    }  # fmt: skip
    kept = opened(checkpoint, "holes", ground, {"rel": rel, "seed": int(rng)})
    blocks = hole_blocks(ground, wanted, repeats, rel, int(rng))
    found = run_blocks(blocks, jobs=jobs, checkpoint=kept, progress=progress)
    values = np.concatenate(found).reshape(len(wanted), repeats, len(ground.measures), -1)
    agreements = tuple(_agreements(ground, wanted, values, rel, alpha))
    return HolesStudy(
        agreements=agreements,
        losses=tuple(_losses(ground, wanted, agreements)),
        judgments=len(ground.judgments),
        systems=len(ground.runs.systems),
        topics=len(ground.judgments.topics),
        measures=ground.measures,
        coefficients=ground.statistics[:-1],
        settings=settings,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class HolesBlock:
    """Some repeats of one fraction: by measure, every coefficient and the rank distance."""

    ground: Ground
    fraction: float
    first: int
    last: int
    rel: float
    seed: int

    @property
    def name(self) -> str:
        """The block's name among all, also a file's; a fraction's digits say which it is exactly."""
        return f"fraction-{self.fraction!r}-repeats-{self.first + 1:05d}-{self.last:05d}"

    @property
    def shape(self) -> tuple[int, ...]:
        """Repeats × measures × (coefficients and rank distance)."""
        return (self.last - self.first, len(self.ground.measures), len(self.ground.statistics))

    def run(self) -> Floats:
        """The numbers."""
        judgments = self.ground.judgments
        relevant = judgments.grades >= self.rel
        kept = np.stack([
            kept_rows(judgments, relevant, self.fraction, np.random.default_rng([self.seed, number]))
            for number in range(self.first, self.last)
        ])  # fmt: skip
        return self.ground.agreements(self.ground.judged, np.where(kept, judgments.grades, np.nan))


def hole_blocks(ground: Ground, fractions: Sequence[float], repeats: int, rel: float, seed: int) -> list[HolesBlock]:
    """The blocks of a study, fraction by fraction."""
    return [
        HolesBlock(ground=ground, fraction=fraction, first=first, last=min(first + _BLOCK, repeats), rel=rel, seed=seed)
        for fraction in fractions
        for first in range(0, repeats, _BLOCK)
    ]


def kept_rows(judgments: Judgments, relevant: Mask, fraction: float, generator: np.random.Generator) -> Mask:
    """Which rows to keep: in each topic the first so many of a random order of its relevant rows, and of the others.

    The generator gives one number for each row, so that it decides the order, and the fraction how far to go in it.
    """
    stratum = 2 * judgments.topic_of + relevant
    order = np.lexsort((generator.random(len(judgments)), stratum))
    sizes = np.bincount(stratum, minlength=2 * len(judgments.topics))
    place = np.empty(len(judgments), dtype=np.int64)
    place[order] = np.arange(len(judgments)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.asarray(place < quotas(sizes, fraction)[stratum])


def quotas(sizes: Any, fraction: float) -> Any:
    """How many of each stratum are kept: the fraction, rounded half up, and one at least."""
    return np.maximum(np.floor(fraction * sizes + 0.5).astype(np.int64), 1)


def rows_kept(judgments: Judgments, fraction: float, rel: float) -> int:
    """How many rows a fraction keeps, which does not depend on chance."""
    sizes = np.bincount(2 * judgments.topic_of + (judgments.grades >= rel), minlength=2 * len(judgments.topics))
    return int(np.minimum(quotas(sizes, fraction), sizes).sum())


def _agreements(
    ground: Ground, fractions: Sequence[float], values: Floats, rel: float, alpha: float
) -> Iterator[HolesAgreement]:
    for m, (measure, stick) in enumerate(ground.yardsticks.items()):
        for fraction, part in zip(fractions, values[:, :, m], strict=True):
            kept = rows_kept(ground.judgments, fraction, rel)
            test = rank_tests(stick.pvalues(part[:, -1]), alpha)
            for name, column in zip(ground.statistics, part.T, strict=True):
                yield HolesAgreement(
                    fraction=fraction, judgments=kept, measure=measure, coefficient=name, **spread(column),
                    **(test if name == DISTANCE else UNTESTED),
                )  # fmt: skip


def _losses(ground: Ground, fractions: Sequence[float], rows: Sequence[HolesAgreement]) -> Iterator[Loss]:
    for measure, stick in ground.yardsticks.items():
        if stick.null is None:
            continue
        rejected = [one.rejected or 0.0 for one in rows if one.measure == measure and one.coefficient == DISTANCE]
        last = max((i for i, share in enumerate(rejected) if share >= 0.5), default=-1)
        yield Loss(
            measure=measure,
            significant_up_to=fractions[last] if last >= 0 else None,
            indistinguishable_from=fractions[last + 1] if last + 1 < len(fractions) else None,
        )
