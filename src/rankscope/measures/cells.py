"""Rankings and gradings as the kernels take them, with what several measures share computed once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from rankscope.errors import BadParameter
from rankscope.runs import JudgedRuns
from rankscope.runs.ids import fixed
from rankscope.scores import Floats

if TYPE_CHECKING:
    from rankscope.kernels.measures import Rankings

Levels = npt.NDArray[np.int8]
T = TypeVar("T")

# The level of a relevant judgment; see `rankscope.kernels.measures`.
RELEVANT = 2
# From this many gradings on, counting hits in all of them at once is faster than one grading after the other.
_MANY = 4


@dataclass(frozen=True, eq=False, kw_only=True)
class Hits:
    """Relevant documents of each topic, (B, T, 1), and those in the tops of the rankings, (B, T, S)."""

    relevant: Floats
    hits: Floats
    precision_sum: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class Counts(Hits):
    """All counts in the tops of the rankings: by topic, (B, T, 1), what is not relevant, the others by cell."""

    judged_not_relevant: Floats
    first_hit: Floats
    known: Floats
    shown: Floats


class Cells:
    """All rankings under B gradings of the same judgments.

    `grades` has shape (B, J); NaN is not judged, a negative grade is in the pool and not judged, as in trec_eval.
    """

    def __init__(self, judged: JudgedRuns, grades: Floats) -> None:
        self.judged = judged
        self.grades = grades
        self.topics = len(judged.topics)
        self.systems = len(judged.systems)
        self._kept: dict[Hashable, Any] = {}

    @cached_property
    def rankings(self) -> Rankings:
        """The rankings as the kernels take them."""
        from rankscope.kernels.measures import Rankings

        judged = self.judged
        return Rankings(
            fixed(judged.starts, np.int64),
            fixed(judged.ranks, np.int32),
            fixed(judged.rows, np.int32),
            fixed(judged.retrieved, np.int32),
            fixed(judged.judgment_starts, np.int64),
        )

    def kept(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value under this key, made at the first call."""
        if key not in self._kept:
            self._kept[key] = make()
        value: T = self._kept[key]
        return value

    @cached_property
    def whole(self) -> bool:
        """Whether all grades are whole numbers."""
        return bool(np.all((self.grades == np.rint(self.grades)) | np.isnan(self.grades)))

    @cached_property
    def deepest(self) -> int:
        """The length of the longest ranking, or of the longest list of judgments if that is longer."""
        judged = np.diff(self.judged.judgment_starts).max(initial=0)
        return int(max(self.judged.retrieved.max(initial=0), judged, 1))

    def levels(self, measure: str, rel: float | None) -> Levels:
        """The class of each judgment for a binary measure: see `rankscope.kernels.measures`."""
        if rel is None and not self.whole:
            where = "" if self.judged.name is None else f"{self.judged.name}: "
            raise BadParameter(
                f"{where}{measure} needs to know which grades are relevant, since some are not whole numbers; give the "
                f"lowest relevant grade, for example {_with_rel(measure)}"
            )
        threshold = 1.0 if rel is None else rel
        return self.kept(("levels", threshold), lambda: _levels(self.grades, threshold))

    @cached_property
    def known(self) -> Levels:
        """Levels for measures that use the grade itself: 1 for judged documents of any grade."""
        return _levels(self.grades, np.inf)

    def counts(self, measure: str, rel: float | None, cutoff: int = 0, *, judged_only: bool = False) -> Counts:
        """Counts down to rank `cutoff`: 0 is the whole ranking, −1 the number of relevant documents."""
        levels = self.levels(measure, rel)
        threshold = 1.0 if rel is None else rel
        return self.kept(("counts", threshold, cutoff, judged_only), lambda: self._count(levels, cutoff, judged_only))

    def _count(self, levels: Levels, cutoff: int, judged_only: bool) -> Counts:
        from rankscope.kernels.measures import counts

        top = counts(self.rankings, levels, cutoff, judged_only)
        return Counts(
            relevant=top.relevant[..., None],
            hits=self.shaped(top.hits),
            precision_sum=self.shaped(top.precision_sum),
            judged_not_relevant=top.judged_not_relevant[..., None],
            first_hit=self.shaped(top.first_hit),
            known=self.shaped(top.known),
            shown=self.shaped(top.shown),
        )

    def hits(self, measure: str, rel: float | None, cutoff: int = 0, *, judged_only: bool = False) -> Hits:
        """What `counts` says of relevant documents down to rank `cutoff`, 0 for the whole ranking."""
        if judged_only or len(self.grades) < _MANY:
            return self.counts(measure, rel, cutoff, judged_only=judged_only)
        levels = self.levels(measure, rel)
        return self.kept(("hits", 1.0 if rel is None else rel, cutoff), lambda: self._hits(levels, cutoff))

    def _hits(self, levels: Levels, cutoff: int) -> Hits:
        from rankscope.kernels.measures import hit_counts

        relevant, hits, precision_sum = hit_counts(self.rankings, levels, cutoff)
        return Hits(relevant=relevant[..., None], hits=self.shaped(hits), precision_sum=self.shaped(precision_sum))

    def discounted(
        self, gains: Floats, weights: Floats, cutoff: int = 0, *, judged_only: bool = False, ideal: Floats | None = None
    ) -> tuple[Floats, Floats]:
        """Σ gain × weight by cell, (B, T, S), and of the ideal order by topic, (B, T, 1)."""
        from rankscope.kernels.measures import discounted

        sums, ideals = discounted(
            self.rankings, self.known, gains, gains if ideal is None else ideal, weights, cutoff, judged_only
        )
        return self.shaped(sums), ideals[..., None]

    def sorted_by_topic(self, values: Floats) -> Floats:
        """Each topic's part of (B, J) values sorted, the greatest first."""
        out = np.empty_like(values)
        for first, last in pairwise(self.judged.judgment_starts.tolist()):
            out[:, first:last] = -np.sort(-values[:, first:last], axis=1)
        return out

    def topic_means(self, values: Floats) -> Floats:
        """The expected value of each judgment when its topic's (B, J) values are permuted at random."""
        out = np.zeros_like(values)
        judged = ~np.isnan(self.grades)
        for first, last in pairwise(self.judged.judgment_starts.tolist()):
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
    # Sums of comparisons, which are all false for NaN; assignments by mask take several times as long.
    judged = grades >= 0.0
    levels = (grades < 0.0).astype(np.int8) - 1
    levels += 2 * judged.view(np.int8)
    levels += (judged & (grades >= rel)).view(np.int8)
    return levels


def _with_rel(measure: str) -> str:
    base, at, cutoff = measure.partition("@")
    return (f"{base[:-1]},rel=1)" if base.endswith(")") else f"{base}(rel=1)") + at + cutoff
