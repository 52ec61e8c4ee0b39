"""Does an estimate favour a group of systems: a team, a family, the systems built with it?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from rankscope.averages import mean_ranks
from rankscope.inference.corrections import adjust
from rankscope.inference.resampling import Seed, generators, monte_carlo_p
from rankscope.inference.worth_model import scaled_sides
from rankscope.results import Interval
from rankscope.scores import Floats, ScoreMatrix
from rankscope.studies.tables import check_groups
from rankscope.studies.verdict import Reason

# Permutations of groups over systems.
_PERMUTATIONS = 1_999

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class GroupShift:
    """How a group of systems fares under an estimate, such as a judge.

    `shift` is the mean of estimate less truth over its systems. `advantage` is how much higher the estimate scores them
    than the other systems, its scores being set on the truth's scale by its slope on the true values, so that a judge
    who narrows the field favours nobody; with a t interval over topics, Welch's for two samples. `topic_pvalue` tests
    it over topics (t, Holm over groups), `system_pvalue` over systems (groups permuted, the largest difference over all
    groups): a judge who errs on single systems moves every group, and near-copies move together. `pvalue` is the larger
    of the two. All are None where there are no other systems, or one topic. `ranks_gained` is the mean number of ranks
    its systems move up.
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


def group_shifts(
    truth: ScoreMatrix, estimate: ScoreMatrix, groups: Mapping[str, str], *, level: float, rng: Seed, paired: bool
) -> tuple[GroupShift, ...]:
    """How each group fares; both sides have the same systems, and the same topics in the same order or two samples."""
    labels = list(check_groups(groups, truth.systems).values())
    names = list(dict.fromkeys(labels))
    inside = np.array([[label == name for label in labels] for name in names])
    gained = mean_ranks(truth.means) - mean_ranks(estimate.means)
    by_system = estimate.means - truth.means
    shifts = [
        GroupShift(
            group=name,
            systems=int(members.sum()),
            shift=float(by_system[members].mean()),
            ranks_gained=float(gained[members].mean()),
        )
        for name, members in zip(names, inside, strict=True)
    ]
    sides = scaled_sides(truth.values, estimate.values, paired=paired)
    if sides is None or len(names) < 2 or min(len(truth.topics), len(estimate.topics)) < 2:
        return tuple(shifts)
    x, y = sides
    over_topics = [_over_topics(_gaps(x, members), _gaps(y, members), level, paired) for members in inside]
    adjusted = adjust([p for _, p in over_topics if p is not None], "holm")
    over_systems = _permuted_groups(y.mean(axis=0) - x.mean(axis=0), inside, rng)
    return tuple(
        replace(
            group,
            advantage=float(_gaps(y, members).mean() - _gaps(x, members).mean()),
            interval=band,
            topic_pvalue=float(by_t),
            system_pvalue=by_permutation,
            pvalue=max(float(by_t), by_permutation),
        )
        for group, members, (band, _), by_t, by_permutation in zip(
            shifts, inside, over_topics, adjusted, over_systems, strict=True
        )
    )


def group_warnings(groups: Sequence[GroupShift], alpha: float) -> list[Reason]:
    """The groups that are favoured or disfavoured, as warnings beside a level."""
    return [
        Reason(kind="group", holds=False, value=g.advantage, limit=g.pvalue, name=g.group)
        for g in groups
        if g.pvalue is not None and g.pvalue <= alpha
    ]


def _gaps(values: Floats, members: Flags) -> Floats:
    """By topic, how much higher the members score than the others."""
    return np.asarray(values[:, members].mean(axis=1) - values[:, ~members].mean(axis=1))


def _over_topics(x: Floats, y: Floats, level: float, paired: bool) -> tuple[Interval | None, float | None]:
    """The t interval of the difference of means of y and x, and its p: paired, or Welch's for two samples."""
    if paired:
        return t_test(y - x, level)
    squares = [float(side.var(ddof=1)) / len(side) for side in (x, y)]
    error = math.sqrt(sum(squares))
    parts = sum(square**2 / (len(side) - 1) for square, side in zip(squares, (x, y), strict=True))
    return _t_interval(float(y.mean() - x.mean()), error, sum(squares) ** 2 / parts if parts > 0.0 else 1.0, level)


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


def t_test(values: Floats, level: float) -> tuple[Interval | None, float | None]:
    """The t interval of a mean over topics and the p of its being zero; None for a single topic."""
    if len(values) < 2:
        return None, None
    return _t_interval(float(values.mean()), float(values.std(ddof=1)) / math.sqrt(len(values)), len(values) - 1, level)


def _t_interval(mean: float, error: float, freedom: float, level: float) -> tuple[Interval, float]:
    from scipy.special import stdtr, stdtrit

    half = float(stdtrit(freedom, (1.0 + level) / 2.0)) * error
    # Without any spread the mean is beyond doubt, whatever it is.
    certain = 1.0 if mean == 0.0 else 0.0
    pvalue = float(2.0 * stdtr(freedom, -abs(mean) / error)) if error > 0.0 else certain
    return Interval(low=mean - half, high=mean + half, level=level, method="t over topics"), pvalue
