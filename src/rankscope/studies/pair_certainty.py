"""Pairs of systems that one side finds significantly different and the other does not, or in the opposite order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.inference.pairs import Significance

# Pairs listed by name; all are counted.
LISTED = 20


@dataclass(frozen=True, kw_only=True)
class DoubtfulPair:
    """A pair that the judge finds significantly different, and the truth in the other order or not at all.

    `preferred` is the judge's choice; gaps are preferred less other, so that a negative `truth_gap` contradicts.
    """

    preferred: str
    other: str
    judge_gap: float
    truth_gap: float
    judge_pvalue: float
    truth_pvalue: float
    reversed: bool


@dataclass(frozen=True, kw_only=True)
class PairCertainty:
    """All pairs of systems by the side that finds them significantly different, and whether both order them alike.

    Ties count as alike. `both_opposite` are significantly different on both sides, in opposite orders.
    """

    pairs: int
    both_alike: int
    both_opposite: int
    judge_only_alike: int
    judge_only_opposite: int
    truth_only_alike: int
    truth_only_opposite: int
    neither: int
    doubtful: tuple[DoubtfulPair, ...]

    @property
    def doubtful_pairs(self) -> int:
        """The number of all doubtful pairs, of which `doubtful` has some."""
        return self.both_opposite + self.judge_only_alike + self.judge_only_opposite

    test: str
    correction: str
    alpha: float

    @property
    def both(self) -> int:
        """Pairs that both sides find significantly different."""
        return self.both_alike + self.both_opposite


def pair_certainty(truth: Significance, judge: Significance) -> PairCertainty:
    """Which side finds which pairs significantly different; both have the same systems in the same order."""
    first, second = np.triu_indices(len(truth.systems), 1)
    x, y = truth.differences[first, second], judge.differences[first, second]
    by_truth, by_judge = truth.significant[first, second], judge.significant[first, second]
    opposite = x * y < 0.0

    def count(mask: npt.NDArray[np.bool_]) -> int:
        return int(np.count_nonzero(mask))

    suspects = np.flatnonzero(by_judge & (opposite | ~by_truth))
    # Certain reversals first, then other reversals, then the rest; within these by the judge's gap.
    order = np.lexsort((-np.abs(y[suspects]), ~opposite[suspects], ~(opposite & by_truth)[suspects]))
    doubtful = []
    for i in suspects[order][:LISTED]:
        a, b = (first[i], second[i]) if y[i] > 0.0 else (second[i], first[i])
        doubtful.append(
            DoubtfulPair(
                preferred=truth.systems[a],
                other=truth.systems[b],
                judge_gap=float(judge.differences[a, b]),
                truth_gap=float(truth.differences[a, b]),
                judge_pvalue=float(judge.adjusted[a, b]),
                truth_pvalue=float(truth.adjusted[a, b]),
                reversed=bool(opposite[i]),
            )
        )
    return PairCertainty(
        pairs=len(first),
        both_alike=count(by_truth & by_judge & ~opposite),
        both_opposite=count(by_truth & by_judge & opposite),
        judge_only_alike=count(~by_truth & by_judge & ~opposite),
        judge_only_opposite=count(~by_truth & by_judge & opposite),
        truth_only_alike=count(by_truth & ~by_judge & ~opposite),
        truth_only_opposite=count(by_truth & ~by_judge & opposite),
        neither=count(~by_truth & ~by_judge),
        doubtful=tuple(doubtful),
        test=str(truth.settings["test"]),
        correction=str(truth.settings["correction"]),
        alpha=float(truth.settings["alpha"]),
    )
