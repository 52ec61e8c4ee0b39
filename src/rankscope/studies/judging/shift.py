"""Shift: do scores under a judge run higher or lower than under the truth, evenly, or more for some systems?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from rankscope.errors import MismatchedNames, some
from rankscope.inference.corrections import adjust
from rankscope.inference.intervals import interval
from rankscope.inference.resampling import Seed, generators, topic_counts
from rankscope.results import Interval
from rankscope.scores import Floats, ScoreMatrix, mean_ranks


@dataclass(frozen=True, kw_only=True)
class GroupShift:
    """How a group of systems fares under the judge.

    `shift` is the mean of judge less truth over its systems. `advantage` is how much higher the judge scores them than
    other systems that the truth scores alike: the groups' difference once the judge's scores are set against the
    truth's by a common slope (analysis of covariance), so that a judge who squeezes all scores together favours
    nobody. It has a t interval over topics and a p, `adjusted` by Holm over groups; None where there are no others or
    one topic. `ranks_gained` is the mean number of places its systems move up.
    """

    group: str
    systems: int
    shift: float
    advantage: float | None
    interval: Interval | None
    pvalue: float | None
    adjusted: float | None
    ranks_gained: float


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
        interval=_t_interval(overall, level)[0],
        spread=float(by_system.std()),
        slope=slope,
        slope_interval=slope_interval,
        systems=dict(zip(truth.systems, by_system.tolist(), strict=True)),
        groups=() if groups is None else _groups(truth, judge, differences, groups, level),
        topics=len(truth.topics),
    )


def _groups(
    truth: ScoreMatrix, judge: ScoreMatrix, differences: Floats, groups: Mapping[str, str], level: float
) -> tuple[GroupShift, ...]:
    lost = [system for system in truth.systems if system not in groups]
    if lost:
        raise MismatchedNames(
            f"{len(lost)} systems have no group: {some(lost)}; name a group for every system, 'other' for instance"
        )
    labels = np.array([groups[system] for system in truth.systems])
    gained = mean_ranks(truth.means) - mean_ranks(judge.means)
    beyond = judge.values - _common_slope(truth.means, judge.means, labels) * truth.values
    found = []
    for group in dict.fromkeys(labels.tolist()):
        inside = labels == group
        advantage = band = pvalue = None
        if not inside.all():
            by_topic = beyond[:, inside].mean(axis=1) - beyond[:, ~inside].mean(axis=1)
            advantage = float(by_topic.mean())
            band, pvalue = _t_interval(by_topic, level)
        found.append(
            GroupShift(
                group=group,
                systems=int(inside.sum()),
                shift=float(differences[:, inside].mean()),
                advantage=advantage,
                interval=band,
                pvalue=pvalue,
                adjusted=None,
                ranks_gained=float(gained[inside].mean()),
            )
        )
    tested = {i: one.pvalue for i, one in enumerate(found) if one.pvalue is not None}
    for i, p in zip(tested, adjust(list(tested.values()), "holm"), strict=True) if tested else ():
        found[i] = replace(found[i], adjusted=float(p))
    return tuple(found)


def _common_slope(x: Floats, y: Floats, labels: npt.NDArray[np.str_]) -> float:
    """The slope of the judge's means on the truth's inside groups; 1 where no group has systems that differ."""
    inside_x, inside_y = x.copy(), y.copy()
    for group in np.unique(labels):
        at = labels == group
        inside_x[at] -= x[at].mean()
        inside_y[at] -= y[at].mean()
    squares = float((inside_x**2).sum())
    return float((inside_x * inside_y).sum()) / squares if squares > 1e-24 * float((x**2).sum()) else 1.0


def _t_interval(values: Floats, level: float) -> tuple[Interval | None, float | None]:
    """The t interval of a mean over topics and the p of its being zero; None for a single topic."""
    from scipy.special import stdtr, stdtrit

    if len(values) < 2:
        return None, None
    mean, error = float(values.mean()), float(values.std(ddof=1)) / math.sqrt(len(values))
    half = float(stdtrit(len(values) - 1, (1.0 + level) / 2.0)) * error
    # Without any spread the mean is beyond doubt, whatever it is.
    certain = 1.0 if mean == 0.0 else 0.0
    pvalue = float(2.0 * stdtr(len(values) - 1, -abs(mean) / error)) if error > 0.0 else certain
    return Interval(low=mean - half, high=mean + half, level=level, method="t over topics"), pvalue


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
        counts = topic_counts(generator, topics, size) / topics
        drawn.append(_slopes(counts @ truth.values, counts @ judge.values))
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
