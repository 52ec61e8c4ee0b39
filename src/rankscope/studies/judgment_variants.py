"""The engine of the studies of changed judgments.

A study declares blocks of variants: rows of grades (or subsets of topics), each with its setting, such as the depth of
the pool. The engine scores them, compares their rankings with the reference, keeps finished blocks, and gives one row
of agreement for each setting, measure and coefficient. docs/extending.md shows a whole study.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankscope.defaults import LEVEL
from rankscope.files.checkpoints import Checkpoint
from rankscope.results import Interval, Table
from rankscope.runs import JudgedRuns
from rankscope.scores import Floats
from rankscope.studies.blocks import Progress, run_blocks
from rankscope.studies.judgment_reference import DISTANCE, Rankings, Reference
from rankscope.studies.spread import SPREAD, Spread, spread_of

Setting = dict[str, Any]

# Columns of a table of agreement after setting, measure and coefficient: of variants drawn repeatedly, and of variants
# that are not drawn and have intervals over topics.
REPEATED = ("value", *SPREAD[1:], "pvalue", "rejected")
RESAMPLED: tuple[str, ...] = ("value", "low", "high", "pvalue")
# What a table of few columns leaves out.
_DETAILS = ("least", "q5", "q25", "q75", "q95", "greatest", "draws", "undefined", "pool", "relevant")


@dataclass(frozen=True, kw_only=True, eq=False)
class Variants:
    """A block of variants that are computed together and kept under one name.

    `settings` has the setting of each variant. `run` gives variants × measures × statistics, or for a single variant
    with intervals measures × statistics × (value, low, high); `shape` says which.
    """

    name: str
    settings: tuple[Setting, ...]
    shape: tuple[int, ...]
    run: Callable[[], Floats]


def graded_variants(
    reference: Reference,
    name: str,
    settings: Sequence[Setting],
    grades: Callable[[], Floats],
    judged: JudgedRuns | None = None,
) -> Variants:
    """Variants that are rows of grades, of the reference's judgments or of other `judged` documents."""
    return Variants(
        name=name,
        settings=tuple(settings),
        shape=(len(settings), len(reference.measures), len(reference.statistics)),
        run=lambda: reference.agreements(grades(), judged),
    )


def resampled_variant(
    reference: Reference, name: str, setting: Setting, grades: Floats, *, resamples: int, level: float, rng: int
) -> Variants:
    """A variant that is one row of grades, with topic-bootstrap intervals of its agreement."""

    def run() -> Floats:
        scores = {measure: rows[0] for measure, rows in reference.rescore(grades[None]).items()}
        return reference.agreements_with_intervals(scores, resamples=resamples, level=level, rng=rng)

    shape = (len(reference.measures), len(reference.statistics), 3)
    return Variants(name=name, settings=(setting,), shape=shape, run=run)


def repeat_ranges(repeats: int, size: int) -> list[range]:
    """The numbers of the repeats in each block of this size.

    >>> repeat_ranges(5, 2)
    [range(0, 2), range(2, 4), range(4, 5)]
    """
    return [range(first, min(first + size, repeats)) for first in range(0, repeats, size)]


@dataclass(frozen=True, kw_only=True)
class VariantAgreement:
    """Agreement of the variants of one setting with the reference, under one measure and coefficient.

    `coefficient` may also be `d_rank`, the rank distance. `value` is the mean over the variants, and `spread` how they
    vary (None for a single variant). `interval` is a topic bootstrap's, in studies that resample topics. `pvalue` (the
    mean) and `rejected` (the share of variants with p ≤ alpha) are those of the rank distance test, and None for
    coefficients.
    """

    setting: Setting
    measure: str
    coefficient: str
    value: float
    spread: Spread | None
    interval: Interval | None
    pvalue: float | None
    rejected: float | None

    @property
    def ends(self) -> tuple[float, float] | None:
        """The ends of the interval, otherwise the 5 % and 95 % quantiles of the variants; None without either."""
        if self.interval is not None:
            return self.interval.low, self.interval.high
        return None if self.spread is None else (self.spread.q5, self.spread.q95)


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgmentStudy:
    """What the results of all studies of changed judgments have: rows of agreement, and the size of the input.

    `judgments` is None where scores are studied.
    """

    question: ClassVar[str]
    columns: ClassVar[tuple[str, ...]] = REPEATED

    agreements: tuple[VariantAgreement, ...]
    judgments: int | None
    systems: int
    topics: int
    measures: tuple[str, ...]
    coefficients: tuple[str, ...]
    settings: dict[str, Any]

    def variant_settings(self) -> list[Setting]:
        """Every setting studied, once."""
        return [
            row.setting
            for row in self.agreements
            if (row.measure, row.coefficient) == (self.measures[0], self.agreements[0].coefficient)
        ]

    def agreement_table(self) -> Table:
        """One row per measure, setting and coefficient, the rank distance among them."""
        columns = (*self.agreements[0].setting, "measure", "coefficient", *self.columns)
        rows = tuple(tuple(_cell(row, name) for name in columns) for row in self.agreements)
        return Table(columns, rows, brief=tuple(name for name in columns if name not in _DETAILS))

    def table(self) -> Table:
        """The main table."""
        return self.agreement_table()

    def tables(self) -> dict[str, Table]:
        """All tables by name, the main table first."""
        return {"agreements": self.table()}


def _cell(row: VariantAgreement, name: str) -> Any:
    """A column of a row of agreement: a part of its setting, or its own, its spread's or its interval's field."""
    if name in row.setting:
        return row.setting[name]
    part = next((part for part in (row, row.spread, row.interval) if hasattr(part, name)), None)
    return None if part is None else getattr(part, name)


def run_variants(
    reference: Rankings,
    blocks: Sequence[Variants],
    *,
    jobs: int | None,
    cluster: Any = None,
    checkpoint: Checkpoint | None = None,
    progress: Progress | None = None,
) -> list[tuple[Setting, Floats]]:
    """The numbers of each setting, in order: variants × measures × statistics × (value, or value, low and high)."""
    numbers = run_blocks(blocks, jobs=jobs, cluster=cluster, checkpoint=checkpoint, progress=progress)
    size = (len(reference.measures), len(reference.statistics), -1)
    settings = [setting for block in blocks for setting in block.settings]
    values = np.concatenate(
        [part.reshape(len(block.settings), *size) for block, part in zip(blocks, numbers, strict=True)]
    )
    starts = [0, *(i for i, (a, b) in enumerate(itertools.pairwise(settings), start=1) if a != b)]
    return [(settings[i], part) for i, part in zip(starts, np.split(values, starts[1:]), strict=True)]


def agreement_rows(
    reference: Rankings,
    compared: Sequence[tuple[Setting, Floats]],
    *,
    alpha: float | None = None,
    level: float = LEVEL,
) -> Iterator[VariantAgreement]:
    """One row for each measure, setting and statistic, from what `run_variants` gives."""
    for m, (measure, ranking) in enumerate(reference.rankings.items()):
        for setting, values in compared:
            pvalues = ranking.pvalues(values[:, m, -1, 0])
            for s, name in enumerate(reference.statistics):
                spread = spread_of(values[:, m, s, 0])
                low, high = values[0, m, s, 1:] if values.shape[-1] == 3 else (np.nan, np.nan)
                tested = pvalues[~np.isnan(pvalues)] if name == DISTANCE else pvalues[:0]
                yield VariantAgreement(
                    setting=setting,
                    measure=measure,
                    coefficient=name,
                    value=spread.mean,
                    spread=spread if len(values) > 1 else None,
                    interval=None if np.isnan(low) else _interval(low, high, level),
                    pvalue=float(np.mean(tested)) if len(tested) else None,
                    rejected=float(np.mean(tested <= alpha)) if len(tested) and alpha is not None else None,
                )


def _interval(low: float, high: float, level: float) -> Interval:
    return Interval(low=float(low), high=float(high), level=level, method="topic bootstrap, recentred")
