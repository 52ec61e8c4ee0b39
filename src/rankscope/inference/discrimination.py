"""Discriminative power: of an estimate (Carterette 2009) and of a measure (Sakai 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.errors import ShapeMismatch
from rankscope.files import read_scores
from rankscope.inference.corrections import Correction
from rankscope.inference.pairs import Significance, Test, significance
from rankscope.inference.resampling import Seed
from rankscope.results import Result, Table
from rankscope.scores import Floats, ScoreMatrix, Scores, SystemScores, align


@dataclass(frozen=True, kw_only=True)
class DiscriminativePower(Result):
    """The share of the truth's significant pairs that an estimate ranks the same way.

    `value` is (agreeing + ½ tied)/pairs, and None where no pair differs significantly: there is nothing to
    reproduce. `pairs` counts the significant pairs; those whose means are equal under the truth have no order and are
    left out.
    """

    value: float | None
    pairs: int
    agreeing: int
    tied: int
    opposed: int
    all_pairs: int
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row."""
        columns = ("value", "pairs", "agreeing", "tied", "opposed", "all_pairs")
        return Table(columns, ((self.value, self.pairs, self.agreeing, self.tied, self.opposed, self.all_pairs),))


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasurePower(Result):
    """The share of pairs that differ significantly by a measure, and its curve of achieved significance levels.

    `asl` holds the p-value of every pair, adjusted if so asked, least first. A measure whose curve lies lower tells
    more pairs apart at any level.
    """

    value: float
    significant: int
    pairs: int
    asl: Floats
    measure: str | None
    method: str
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per pair: its place on the curve, the share of pairs up to it, and its level."""
        rows = [(i + 1, (i + 1) / self.pairs, level) for i, level in enumerate(self.asl.tolist())]
        return Table(("place", "share", "asl"), tuple(rows))


def discriminative_power(
    scores: Any,
    estimate: Any,
    *,
    alpha: float = 0.05,
    test: Test = "t",
    correction: Correction = "none",
    resamples: int = 10_000,
    rng: Seed = 0,
    jobs: int | None = None,
) -> DiscriminativePower:
    """The share of the pairs that differ significantly under `scores` which `estimate` ranks the same way.

    From 0 (all reversed) to 1; a pair tied in the estimate is neither right nor wrong and counts ½ ("dsc pow" in
    Carterette 2009, section 3.1). `estimate` is a list of scores in the order of the matrix's systems, or scores with
    names, which are aligned. The other options are those of `significance`.

    >>> table = ScoreMatrix([[0.2, 0.5, 0.3], [0.4, 0.6, 0.3], [0.3, 0.7, 0.2], [0.1, 0.5, 0.3]], ["a", "b", "c"])
    >>> discriminative_power(table, [0.3, 0.3, 0.1]).value
    0.75
    """
    truth, means = _aligned(scores, estimate)
    tested = significance(truth, test=test, correction=correction, alpha=alpha, resamples=resamples, rng=rng, jobs=jobs)
    return power_over(tested, means)


def power_over(tested: Significance, means: Floats) -> DiscriminativePower:
    """Discriminative power over pairs already tested; `means` are the estimate's, in the order of `tested.systems`."""
    upper = np.triu_indices(len(tested.systems), 1)
    direction = np.sign(tested.differences[upper])
    counted = tested.significant[upper] & (direction != 0.0)
    product = (direction * np.sign(means[:, None] - means[None, :])[upper])[counted]
    pairs, agreeing, tied = len(product), int((product > 0.0).sum()), int((product == 0.0).sum())
    return DiscriminativePower(
        value=(agreeing + tied / 2.0) / pairs if pairs else None,
        pairs=pairs,
        agreeing=agreeing,
        tied=tied,
        opposed=pairs - agreeing - tied,
        all_pairs=tested.pairs,
        settings=tested.settings,
    )


def sakai_discriminative_power(
    scores: Any,
    *,
    alpha: float = 0.05,
    test: Test = "bootstrap",
    correction: Correction = "none",
    resamples: int = 10_000,
    rng: Seed = 0,
    jobs: int | None = None,
) -> MeasurePower:
    """The share of pairs that differ significantly at `alpha` by the measure behind `scores`, and its ASL curve.

    From 0 to 1, higher is more discriminative; it says nothing on whether the measure is right (Sakai 2006). The
    options are those of `significance`.

    >>> table = ScoreMatrix([[0.2, 0.5, 0.3], [0.4, 0.6, 0.3], [0.3, 0.7, 0.2], [0.1, 0.5, 0.3]], ["a", "b", "c"])
    >>> power = sakai_discriminative_power(table, test="t")
    >>> power.significant, power.asl.round(4).tolist()
    (2, [0.0065, 0.024, 0.7608])
    """
    tested = significance(
        scores, test=test, correction=correction, alpha=alpha, resamples=resamples, rng=rng, jobs=jobs
    )
    levels = np.sort(tested.adjusted[np.triu_indices(len(tested.systems), 1)])
    levels.flags.writeable = False
    return MeasurePower(
        value=tested.share,
        significant=int((levels <= alpha).sum()),
        pairs=tested.pairs,
        asl=levels,
        measure=tested.measure,
        method=tested.method,
        settings=tested.settings,
    )


def _aligned(scores: Any, estimate: Any) -> tuple[ScoreMatrix, Floats]:
    """The truth's matrix, and the estimate's means in the order of its systems."""
    truth, other = read_scores(scores), read_scores(estimate)
    if not isinstance(truth, ScoreMatrix):
        raise ShapeMismatch("the truth has one score for each system; a paired test needs its scores on each topic")
    both: tuple[Scores, Scores]
    if isinstance(other, SystemScores) and not other.systems_named:
        if len(other.systems) != len(truth.systems):
            raise ShapeMismatch(
                f"the estimate scores {len(other.systems)} systems and the truth {len(truth.systems)}; both must be "
                "the same systems in the same order, or named"
            )
        return truth, other.means
    both = align(truth, other)
    matched = both[0] if isinstance(both[0], ScoreMatrix) else truth
    return matched, both[1].means
