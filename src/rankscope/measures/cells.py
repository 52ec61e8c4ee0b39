"""Rankings and gradings as the kernels take them, with what several measures share computed once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from rankscope.errors import BadParameter
from rankscope.runs import JudgedRuns
from rankscope.scores import Floats

Levels = npt.NDArray[np.int8]
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Counts:
    """What stands in the top of the rankings: (B, T, 1) numbers by topic, (B, T, S) by cell."""

    relevant: Floats
    judged_not_relevant: Floats
    hits: Floats
    precision_sum: Floats
    first: Floats
    known: Floats
    shown: Floats


class Cells:
    """All rankings under B gradings of the same judgments.

    `grades` has shape (B, J); NaN is not judged, a negative grade is in the pool and not judged, as trec_eval has it.
    """

    def __init__(self, judged: JudgedRuns, grades: Floats) -> None:
        self.judged = judged
        self.grades = grades
        self.topics = len(judged.topics)
        self.systems = len(judged.systems)
        # Numba compiles for read-only arrays apart, so that all are made so.
        self.starts, self.ranks, self.rows, self.retrieved, self.judgment_starts = (
            _frozen(array, kind)
            for array, kind in (
                (judged.starts, np.int64),
                (judged.ranks, np.int32),
                (judged.rows, np.int32),
                (judged.retrieved, np.int32),
                (judged.judgment_starts, np.int64),
            )
        )
        self._kept: dict[Any, Any] = {}

    def kept(self, key: object, make: Callable[[], T]) -> T:
        """What was made under this key, made now if need be."""
        if key not in self._kept:
            self._kept[key] = make()
        found: T = self._kept[key]
        return found

    @cached_property
    def whole(self) -> bool:
        """Whether all grades are whole numbers."""
        return bool(np.all((self.grades == np.rint(self.grades)) | np.isnan(self.grades)))

    @cached_property
    def deepest(self) -> int:
        """The length of the longest ranking, or of the longest list of judgments if that is longer."""
        judged = np.diff(self.judgment_starts).max(initial=0)
        return int(max(self.retrieved.max(initial=0), judged, 1))

    def levels(self, measure: str, rel: float | None) -> Levels:
        """What each judgment is to a binary measure: see `rankscope.kernels.measures`."""
        if rel is None and not self.whole:
            where = "" if self.judged.name is None else f"{self.judged.name}: "
            raise BadParameter(
                f"{where}{measure} knows relevant and not relevant only, and some grades are not whole numbers; say "
                f"which are relevant: {_with_rel(measure)}"
            )
        threshold = 1.0 if rel is None else rel
        return self.kept(("levels", threshold), lambda: _levels(self.grades, threshold))

    @cached_property
    def known(self) -> Levels:
        """Levels for measures that use the grade itself: 1 for judged, whatever the grade."""
        return _levels(self.grades, np.inf)

    def counts(self, measure: str, rel: float | None, cutoff: int = 0, *, judged_only: bool = False) -> Counts:
        """What stands in the top `cutoff`: 0 for all, −1 for the number of relevant documents."""
        levels = self.levels(measure, rel)
        threshold = 1.0 if rel is None else rel
        return self.kept(("counts", threshold, cutoff, judged_only), lambda: self._count(levels, cutoff, judged_only))

    def _count(self, levels: Levels, cutoff: int, judged_only: bool) -> Counts:
        from rankscope.kernels.measures import counts

        of_topic, of_cell = counts(
            self.starts, self.ranks, self.rows, self.retrieved, self.judgment_starts, levels, cutoff, judged_only
        )
        relevant, not_relevant = of_topic[..., None]
        return Counts(relevant, not_relevant, *(self.shaped(part) for part in of_cell))

    def discounted(
        self, gains: Floats, weights: Floats, cutoff: int = 0, *, judged_only: bool = False, ideal: Floats | None = None
    ) -> tuple[Floats, Floats]:
        """Σ gain × weight by cell, (B, T, S), and of the ideal order by topic, (B, T, 1)."""
        from rankscope.kernels.measures import discounted

        sums, ideals = discounted(
            self.starts,
            self.ranks,
            self.rows,
            self.retrieved,
            self.judgment_starts,
            self.known,
            gains,
            gains if ideal is None else ideal,
            weights,
            cutoff,
            judged_only,
        )
        return self.shaped(sums), ideals[..., None]

    def sorted_by_topic(self, values: Floats) -> Floats:
        """Each topic's part of (B, J) values sorted, the greatest first."""
        out = np.empty_like(values)
        bounds = self.judgment_starts.tolist()
        for first, last in pairwise(bounds):
            out[:, first:last] = -np.sort(-values[:, first:last], axis=1)
        return out

    def topic_means(self, values: Floats) -> Floats:
        """What each judgment is expected to be worth when its topic's (B, J) values are dealt at random."""
        out = np.zeros_like(values)
        judged = ~np.isnan(self.grades)
        for first, last in pairwise(self.judgment_starts.tolist()):
            here = judged[:, first:last]
            means = ratio((values[:, first:last] * here).sum(axis=1), here.sum(axis=1))
            out[:, first:last] = np.where(here, means[:, None], 0.0)
        return out

    def shaped(self, values: Floats) -> Floats:
        """(B, cells) as (B, T, S)."""
        return values.reshape(len(self.grades), self.topics, self.systems)


def ratio(part: Floats, whole: Floats) -> Floats:
    """The part over the whole, 0 where the whole is 0."""
    part, whole = np.broadcast_arrays(part, whole)
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole != 0.0)


def _levels(grades: Floats, rel: float) -> Levels:
    levels = np.full(grades.shape, -1, dtype=np.int8)
    levels[grades < 0.0] = 0
    levels[grades >= 0.0] = 1
    levels[(grades >= rel) & (grades >= 0.0)] = 2
    return levels


def _with_rel(measure: str) -> str:
    base, at, cutoff = measure.partition("@")
    return (f"{base[:-1]},rel=1)" if base.endswith(")") else f"{base}(rel=1)") + at + cutoff


def _frozen(array: npt.NDArray[Any], kind: type) -> npt.NDArray[Any]:
    view: npt.NDArray[Any] = np.ascontiguousarray(array, dtype=kind).view()
    view.flags.writeable = False
    return view
