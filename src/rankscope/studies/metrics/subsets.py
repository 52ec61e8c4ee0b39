"""Linear regression of every measure on every subset of others, by normal equations solved for many subsets at once.

Columns are centred and scaled first, so that the equations hold correlations, and one factorisation of a subset's
matrix serves all targets. Subsets whose predictors are linearly dependent are solved with the least norm and flagged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt

from rankscope.errors import BadParameter, ConstantMeasure, TooFewSystems, some
from rankscope.scores import Floats

Indices = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]

# Below this the smallest eigenvalue of a correlation matrix is rounding: the predictors are dependent.
DEPENDENT = 1e-10
# Predictions are made for about this many numbers at a time.
_CHUNK = 1 << 22


def check_enough_systems(systems: int, predictors: int, title: str) -> None:
    """Raise `TooFewSystems` where there are too few to fit predictors and an intercept."""
    if systems < predictors + 2:
        raise TooFewSystems(
            f"{title}: {systems} systems to fit {predictors} predictors and an intercept; it takes {predictors + 2} at "
            "least, so give more systems or fewer predictors"
        )


def check_not_constant(rows: Floats, measures: Sequence[str], title: str) -> None:
    """Raise `ConstantMeasure` where a measure (a column) scores all systems alike."""
    # Not by the variance: rounding in the mean leaves that of a constant column a hair from zero.
    known = {measure: column[~np.isnan(column)] for measure, column in zip(measures, rows.T, strict=True)}
    constant = [measure for measure, column in known.items() if len(column) and np.ptp(column) == 0.0]
    if constant:
        raise ConstantMeasure(
            f"{title}: {some(constant)} scores all systems alike, so that it neither correlates nor predicts; leave it "
            "out (--measures names those to keep)"
        )


@dataclass(frozen=True, eq=False)
class Training:
    """Training rows, centred and scaled: what all regressions on them need."""

    centre: Floats
    scale: Floats
    correlations: Floats
    rows: int

    @classmethod
    def of(cls, values: Floats, measures: Sequence[str], most: int, title: str) -> Training:
        """Prepare rows × measures for regressions on up to `most` predictors."""
        check_enough_systems(len(values), most, title)
        centre = values.mean(axis=0)
        centred = values - centre
        scale = np.sqrt((centred**2).sum(axis=0))
        check_not_constant(values, measures, title)
        scaled = centred / scale
        return cls(centre, scale, scaled.T @ scaled, len(values))

    def scaled(self, values: Floats) -> Floats:
        """Other rows in the units of the training rows."""
        return np.asarray((values - self.centre) / self.scale)


@dataclass(frozen=True, eq=False)
class Subsets:
    """Every subset of one size, with the slopes (subsets × size × targets) in scaled units.

    A target that is among the predictors, or not wanted, has slopes all the same; `open_to` says which are of use.
    """

    members: Indices
    slopes: Floats
    open_to: Flags

    @property
    def size(self) -> int:
        """How many predictors."""
        return int(self.members.shape[1])


def subsets(training: Training, candidates: Sequence[int], targets: Sequence[int], size: int) -> Subsets:
    """The regressions of all targets on all subsets of this size of the candidates."""
    if size > len(candidates):
        raise BadParameter(f"{size} predictors out of {len(candidates)}; choose fewer, or more measures")
    members = np.array(list(combinations(candidates, size)), dtype=np.intp).reshape(-1, size)
    return solved(training, members, targets)


def solved(training: Training, members: Indices, targets: Sequence[int]) -> Subsets:
    """The regressions of all targets on these subsets, one a row."""
    matrices = training.correlations[members[:, :, None], members[:, None, :]]
    right = training.correlations[members][:, :, list(targets)]
    dependent = np.linalg.eigvalsh(matrices)[:, 0] < DEPENDENT
    slopes = np.empty_like(right)
    if not dependent.all():
        slopes[~dependent] = np.linalg.solve(matrices[~dependent], right[~dependent])
    for at in np.flatnonzero(dependent):
        slopes[at] = np.linalg.pinv(matrices[at], rcond=DEPENDENT, hermitian=True) @ right[at]
    open_to = ~(members[:, :, None] == np.asarray(targets)[None, None, :]).any(axis=1)
    return Subsets(members, slopes, open_to)


def predictions(
    training: Training, fits: Subsets, targets: Sequence[int], values: Floats
) -> Iterator[tuple[slice, Floats]]:
    """What the regressions say of other rows: slices of subsets, and subsets × targets × rows.

    Sums go term by term, so that rows with equal predictors get equal predictions.
    """
    scaled = training.scaled(values).T
    centre, scale = training.centre[list(targets)], training.scale[list(targets)]
    step = max(1, _CHUNK // max(1, len(targets) * scaled.shape[1]))
    for start in range(0, len(fits.members), step):
        part = slice(start, start + step)
        sums = np.zeros((len(fits.members[part]), len(targets), scaled.shape[1]))
        for k in range(fits.size):
            sums += fits.slopes[part, k, :, None] * scaled[fits.members[part, k], None, :]
        yield part, centre[:, None] + scale[:, None] * sums


def count_subsets(candidates: int, sizes: Sequence[int]) -> int:
    """How many subsets of these sizes there are."""
    return sum(comb(candidates, size) for size in sizes)


def r_squared(truth: Floats, predicted: Floats) -> Floats:
    """1 − residual over total sum of squares, along the last axis; below 0 where the mean would have done better."""
    residual = np.square(truth - predicted).sum(axis=-1)
    total = np.square(truth - truth.mean(axis=-1, keepdims=True)).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(total > 0.0, 1.0 - residual / total, np.nan))
