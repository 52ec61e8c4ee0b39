"""Null distributions of rank distances for many baselines, to be kept and reused (Carterette 2009, section 3.3)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankscope.checks import check_share
from rankscope.defaults import SEED
from rankscope.inference.rank_distance_null import RankDistanceNull, rank_distance_null
from rankscope.inputs import PathLike, ScoresLike, to_matrix
from rankscope.results import Remark, Result, Table
from rankscope.studies.tables import named_tables

LEVELS = (0.10, 0.05, 0.01)


@dataclass(frozen=True, kw_only=True)
class NullTable(Result):
    """The null of each baseline by its name, and the levels at which their critical values are told.

    `remarks` tell what was left out.
    """

    nulls: Mapping[str, RankDistanceNull]
    levels: tuple[float, ...]
    remarks: tuple[Remark, ...] = ()
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per baseline: its size and its critical values."""
        columns = (
            "baseline",
            "systems",
            "topics",
            *(f"critical_{level:g}" for level in self.levels),
            "ridge",
            "resamples",
        )
        rows = [
            (
                name,
                null.systems,
                null.topics,
                *(null.critical_value(level) for level in self.levels),
                null.ridge,
                null.resamples,
            )
            for name, null in self.nulls.items()
        ]
        return Table(columns, tuple(rows))

    def save_all(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write every null to the folder as NAME.npz; returns the paths."""
        paths = [Path(folder) / f"{name}.npz" for name in self.nulls]
        for path, null in zip(paths, self.nulls.values(), strict=True):
            null.save(path)
        return paths


def null_table(
    baselines: Mapping[str, ScoresLike] | Sequence[PathLike],
    *,
    resamples: int = 10_000,
    levels: Sequence[float] = LEVELS,
    rng: int = SEED,
    jobs: int | None = None,
) -> NullTable:
    """The null distribution of rank distances from each baseline, to be kept and reused.

    Parameters
    ----------
    baselines : mapping from str to ScoresLike, or sequence of paths
        Score tables by name, or files, which are named by their stems.
    resamples : int, default 10000
        Draws of topics.
    levels : sequence of float, default (0.1, 0.05, 0.01)
        The levels whose critical values are told.
    rng : int, default 0
        The seed.
    jobs : int, optional
        The number of threads, by default one per core; the numbers do not depend on it.

    Returns
    -------
    NullTable
        The null distribution of each baseline; `save_all` writes them.

    Raises
    ------
    BadParameter
        Where an option is out of its range, there is no baseline, or two files have the same stem.
    MissingScores
        Where a baseline has no topics.

    References
    ----------
    Carterette, "On Rank Correlation and the Distance Between Rankings", SIGIR 2009, section 3.3.

    Examples
    --------
    >>> from rankscope.demo import demo_scores
    >>> made = null_table({"human": demo_scores()["human"]}, resamples=199)
    >>> made.table().columns[:4]
    ('baseline', 'systems', 'topics', 'critical_0.1')
    """
    named = named_tables(baselines)
    for level in levels:
        check_share("levels", level)
    nulls = {}
    remarks: list[Remark] = []
    for name, source in named.items():
        scores = to_matrix(source, f"the null of {name} is made by resampling topics")
        remarks += scores.left_out
        nulls[name] = rank_distance_null(scores, resamples=resamples, rng=rng, jobs=jobs)
    settings = {"resamples": resamples, "levels": list(levels), "seed": rng}
    return NullTable(nulls=nulls, levels=tuple(levels), remarks=tuple(remarks), settings=settings)
