"""Shift: do scores under a judge run higher or lower than under the truth, evenly, or more for some systems?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from rankscope.inference.corrections import adjust
from rankscope.inference.intervals import interval
from rankscope.inference.resampling import Seed, count_blocks, generators, monte_carlo_p
from rankscope.inference.worth_model import scaled_differences
from rankscope.results import Interval
from rankscope.scores import Floats, ScoreMatrix, mean_ranks
from rankscope.studies.tables import check_groups

# Permutations of groups over systems.
_PERMUTATIONS = 1_999


@dataclass(frozen=True, kw_only=True)
class GroupShift:
    """How a group of systems fares under the judge.

    `shift` is the mean of judge less truth over its systems. `advantage` is how much higher the judge scores them than
    the other systems, its scores being set on the truth's scale by its slope on the true values, so that a judge who
    narrows the field favours nobody; with a t interval over topics. `topic_pvalue` tests it over topics (t, Holm over
    groups), `system_pvalue` over systems (groups permuted, the largest difference over all groups): a judge who errs on
    single systems moves every group, and near-copies move together. `pvalue` is the larger of the two. All are None
    where there are no other systems, or one topic. `ranks_gained` is the mean number of ranks its systems move up.
    """

    group: str
    systems: int
    shift: float
    advantage: float | None = None
    interval: Interval | None = None
    topic_pvalue: float | None = None
    system_pvalue: float | None = None
    pvalue: float | None = None
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
        groups=() if groups is None else _groups(truth, judge, differences, groups, level, rng),
        topics=len(truth.topics),
    )


def _groups(
    truth: ScoreMatrix, judge: ScoreMatrix, differences: Floats, groups: Mapping[str, str], level: float, rng: Seed
) -> tuple[GroupShift, ...]:
    labels = list(check_groups(groups, truth.systems).values())
    names = list(dict.fromkeys(labels))
    inside = np.array([[label == name for label in labels] for name in names])
    gained = mean_ranks(truth.means) - mean_ranks(judge.means)
    shifts = [
        GroupShift(
            group=name,
            systems=int(members.sum()),
            shift=float(differences[:, members].mean()),
            ranks_gained=float(gained[members].mean()),
        )
        for name, members in zip(names, inside, strict=True)
    ]
    residuals = scaled_differences(truth.values, judge.values)
    if residuals is None or len(names) < 2 or len(truth.topics) < 2:
        return tuple(shifts)
    advantages = [residuals[:, members].mean(axis=1) - residuals[:, ~members].mean(axis=1) for members in inside]
    over_topics = [_t_interval(by_topic, level) for by_topic in advantages]
    adjusted = adjust([p for _, p in over_topics if p is not None], "holm")
    over_systems = _permuted_groups(residuals.mean(axis=0), inside, rng)
    return tuple(
        replace(
            group,
            advantage=float(by_topic.mean()),
            interval=band,
            topic_pvalue=float(by_t),
            system_pvalue=by_system,
            pvalue=max(float(by_t), by_system),
        )
        for group, by_topic, (band, _), by_t, by_system in zip(
            shifts, advantages, over_topics, adjusted, over_systems, strict=True
        )
    )


def _permuted_groups(residuals: Floats, inside: npt.NDArray[np.bool_], rng: Seed) -> list[float]:
    """The p of each group's difference, groups permuted over systems; corrected for their number by the largest."""
    sizes = inside.sum(axis=1)
    scale = np.sqrt(1.0 / sizes + 1.0 / (len(residuals) - sizes))
    weights = inside / sizes[:, None] - ~inside / (len(residuals) - sizes)[:, None]
    observed = np.abs(weights @ residuals) / scale
    largest = []
    for generator, draws in generators(rng, _PERMUTATIONS):
        order = generator.permuted(np.repeat(residuals[None], draws, axis=0), axis=1)
        largest.append((np.abs(order @ weights.T) / scale).max(axis=1))
    drawn = np.concatenate(largest)
    return [monte_carlo_p(drawn >= value * (1.0 - 1e-12)) for value in observed]


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
