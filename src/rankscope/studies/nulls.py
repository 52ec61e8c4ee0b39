"""Null distributions of rank distances for many baselines, to be kept and reused (Carterette 2009, section 3.3)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankscope.errors import BadParameter, MissingScores
from rankscope.files import read_scores
from rankscope.inference.rank_distance_null import RankDistanceNull, rank_distance_null
from rankscope.results import Result, Table
from rankscope.scores import ScoreMatrix

LEVELS = (0.10, 0.05, 0.01)


@dataclass(frozen=True, kw_only=True)
class NullTable(Result):
    """The null of each baseline by its name, and the levels at which their critical values are told."""

    nulls: Mapping[str, RankDistanceNull]
    levels: tuple[float, ...]
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
    baselines: Mapping[str, Any] | Sequence[str | os.PathLike[str]],
    *,
    resamples: int = 10_000,
    levels: Sequence[float] = LEVELS,
    rng: int = 0,
    jobs: int | None = None,
) -> NullTable:
    """The null distribution of rank distances from each baseline: score tables by name, or files, named by their stems.

    >>> from rankscope.demo import demo_scores
    >>> made = null_table({"human": demo_scores()["human"]}, resamples=199)
    >>> made.table().columns[:4]
    ('baseline', 'systems', 'topics', 'critical_0.1')
    """
    named = baselines if isinstance(baselines, Mapping) else _by_stem(baselines)
    if not named:
        raise BadParameter("there is no baseline; give one score table at least")
    nulls = {}
    for name, source in named.items():
        scores = read_scores(source)
        if not isinstance(scores, ScoreMatrix):
            raise MissingScores(
                f"{name} is a leaderboard, and a null is made by resampling topics; give scores by topic"
            )
        nulls[name] = rank_distance_null(scores, resamples=resamples, rng=rng, jobs=jobs)
    settings = {"resamples": resamples, "levels": list(levels), "seed": rng}
    return NullTable(nulls=nulls, levels=tuple(levels), settings=settings)


def _by_stem(paths: Sequence[str | os.PathLike[str]]) -> dict[str, Path]:
    named: dict[str, Path] = {}
    for path in map(Path, paths):
        stem = path.name.split(".")[0]
        if stem in named:
            raise BadParameter(f"{named[stem]} and {path} would both be called {stem!r}; rename one, or pass a mapping")
        named[stem] = path
    return named
