"""Shift: do scores under a judge run higher or lower than under the truth, evenly, or more for some systems?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rankscope.inference.intervals import interval
from rankscope.inference.resampling import Seed, count_blocks, generators
from rankscope.results import Interval
from rankscope.scores import Floats, ScoreMatrix
from rankscope.studies.groups import GroupShift, group_shifts, t_test


@dataclass(frozen=True, kw_only=True)
class Shift:
    """Judge less truth, on the topics that both have.

    `mean` is over systems, its interval over topics. `spread` is the standard deviation of systems' shifts: 0 is even.
    `slope` says how the shift grows with a system's score (difference against mean): below 0 the judge narrows the
    field, above 0 it widens it. `systems` has each system's shift.
    """

    mean: float
    interval: Interval | None
    spread: float
    slope: float | None
    slope_interval: Interval | None
    systems: dict[str, float]
    groups: tuple[GroupShift, ...]
    topics: int


def shift(
    truth: ScoreMatrix,
    judge: ScoreMatrix,
    *,
    groups: Mapping[str, str] | None,
    level: float,
    resamples: int,
    rng: Seed,
) -> Shift:
    """How the judge's scores differ from the truth's; both have the same systems and topics in the same order."""
    differences = judge.values - truth.values
    by_system = judge.means - truth.means
    overall = differences.mean(axis=1)
    slope, slope_interval = _slope(truth, judge, level=level, resamples=resamples, rng=rng)
    return Shift(
        mean=float(by_system.mean()),
        interval=t_test(overall, level)[0],
        spread=float(by_system.std()),
        slope=slope,
        slope_interval=slope_interval,
        systems=dict(zip(truth.systems, by_system.tolist(), strict=True)),
        groups=() if groups is None else group_shifts(truth, judge, groups, level=level, rng=rng, paired=True),
        topics=len(truth.topics),
    )


def _slope(
    truth: ScoreMatrix, judge: ScoreMatrix, *, level: float, resamples: int, rng: Seed
) -> tuple[float | None, Interval | None]:
    """The slope of the difference on the mean over systems; with an interval from resampled topics."""
    observed = float(_slopes(truth.means[None], judge.means[None])[0])
    if not math.isfinite(observed):
        return None, None
    topics = len(truth.topics)
    if topics < 2 or not resamples:
        return observed, None
    drawn = []
    for generator, size in generators(rng, resamples):
        for counts in count_blocks(generator, topics, size):
            drawn.append(_slopes(counts @ truth.values / topics, counts @ judge.values / topics))
    band = interval(
        np.concatenate(drawn), observed, level=level, method="recentred", topics=topics, bounds=(-math.inf, math.inf)
    )
    return observed, band


def _slopes(x: Floats, y: Floats) -> Floats:
    """Rows of means to slopes of y − x on their middle; nan where all systems score alike."""
    middle, gap = (x + y) / 2.0, y - x
    middle = middle - middle.mean(axis=1, keepdims=True)
    squares = (middle**2).sum(axis=1)
    enough = squares > 1e-24 * np.maximum((x**2).sum(axis=1), (y**2).sum(axis=1))
    return np.where(enough, (middle * gap).sum(axis=1) / np.where(enough, squares, 1.0), np.nan)
