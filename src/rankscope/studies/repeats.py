"""How values vary over repeats, and rows of results as tables: what studies with repeats share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.results import Result, Table, plain
from rankscope.scores import Floats


@dataclass(frozen=True, kw_only=True)
class Spread:
    """How a value varies over repeats: of the defined ones, their number, mean, standard deviation and quantiles."""

    mean: float
    sd: float | None
    q5: float
    q25: float
    median: float
    q75: float
    q95: float
    defined: int


SPREAD = ("mean", "sd", "q5", "q25", "median", "q75", "q95", "defined")


def spread(values: Floats) -> dict[str, Any]:
    """The fields of `Spread`; infinite distances are values, NaN are not.

    >>> spread(np.array([0.5, np.nan, 1.0]))["mean"]
    0.75
    """
    there = values[~np.isnan(values)]
    if not len(there):
        return {**dict.fromkeys(SPREAD, np.nan), "sd": None, "defined": 0}
    with np.errstate(invalid="ignore"):
        five = np.quantile(there, (0.05, 0.25, 0.5, 0.75, 0.95)).tolist()
        sd = float(there.std(ddof=1)) if len(there) > 1 else None
    return dict(zip(SPREAD, (float(there.mean()), sd, *five, len(there)), strict=True))


@dataclass(frozen=True, kw_only=True)
class RankTest:
    """Rank distances tested over repeats: the mean p, and the share of repeats with p ≤ alpha; None without a test."""

    pvalue: float | None
    rejected: float | None


def rank_tests(pvalues: Floats, alpha: float) -> dict[str, Any]:
    """The fields of `RankTest`."""
    there = pvalues[~np.isnan(pvalues)]
    if not len(there):
        return {"pvalue": None, "rejected": None}
    return {"pvalue": float(there.mean()), "rejected": float((there <= alpha).mean())}


UNTESTED: dict[str, Any] = {"pvalue": None, "rejected": None}


@dataclass(frozen=True, kw_only=True)
class OneTable(Result):
    """One of a study's tables on its own, to be written as any result."""

    content: Table

    def table(self) -> Table:
        """The table."""
        return self.content

    def to_dict(self) -> dict[str, Any]:
        """Rows, each a dict by column."""
        return {"rows": [plain(dict(zip(self.content.columns, row, strict=True))) for row in self.content.rows]}


def rows_table(rows: Sequence[Any], columns: Sequence[str]) -> Table:
    """A table of these fields of the rows."""
    return Table(tuple(columns), tuple(tuple(getattr(row, name) for name in columns) for row in rows))


def none_if_nan(value: float) -> float | None:
    """None for NaN."""
    return None if np.isnan(value) else float(value)
