"""Discriminative power: of an estimate (`discriminative_power`) and of a measure (`sakai_discriminative_power`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from rankscope.alignment import align_alike
from rankscope.defaults import ALPHA, SEED
from rankscope.errors import ShapeMismatch
from rankscope.inference.closed_tests import read_only
from rankscope.inference.corrections import Correction
from rankscope.inference.pairs import Significance, Test, significance
from rankscope.inference.resampling import Seed
from rankscope.inputs import ScoresLike, to_matrix, to_scores
from rankscope.results import Result, Table, rows_table
from rankscope.scores import Floats, ScoreMatrix, SystemScores


@dataclass(frozen=True, kw_only=True)
class DiscriminativePower(Result):
    """The share of significantly different pairs of systems that an estimate ranks the same way.

    Attributes
    ----------
    value : float or None
        (agreeing + ½ tied)/pairs; None where no pair differs significantly.
    pairs : int
        The pairs that differ significantly under the truth; those with equal means have no order and are left out.
    agreeing, tied, opposed : int
        How the estimate orders them.
    all_pairs : int
        All pairs of systems.
    settings : dict
        The options.
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
        return rows_table([self], ("value", "pairs", "agreeing", "tied", "opposed", "all_pairs"))


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasurePower(Result):
    """The share of pairs that differ significantly by a measure, and its curve of achieved significance levels.

    Attributes
    ----------
    value : float
        significant/pairs.
    significant, pairs : int
        The significantly different pairs, and all pairs.
    asl : ndarray
        The (adjusted) p-value of every pair in ascending order. A measure whose curve is lower finds more pairs
        significantly different at any level.
    measure : str or None
        The measure.
    method : str
        How p-values were computed.
    settings : dict
        The options.
    """

    value: float
    significant: int
    pairs: int
    asl: Floats
    measure: str | None
    method: str
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per pair: its position on the curve, the share of pairs up to it, and its level."""
        rows = [(i + 1, (i + 1) / self.pairs, level) for i, level in enumerate(self.asl.tolist())]
        return Table(("place", "share", "asl"), tuple(rows))


def discriminative_power(
    scores: ScoresLike,
    estimate: ScoresLike,
    *,
    alpha: float = ALPHA,
    test: Test = "t",
    correction: Correction = "none",
    resamples: int = 10_000,
    rng: Seed = SEED,
    jobs: int | None = None,
) -> DiscriminativePower:
    """The share of significantly different pairs of systems that an estimate ranks the same way.

    From 0 (all reversed) to 1. A pair that is tied in the estimate counts ½.

    Parameters
    ----------
    scores : ScoresLike
        The truth's scores by topic, which are tested.
    estimate : ScoresLike
        The estimate's scores, matched by name; a plain list is in the order of the truth's systems.
    alpha : float, default 0.05
        The level of the test.
    test : {"t", "wilcoxon", "randomisation", "bootstrap", "tukey"}, default "t"
        The test of each pair, as in `significance`.
    correction : {"none", "bonferroni", "holm", "bh"}, default "none"
        The correction for multiple tests.
    resamples : int, default 10000
        The number of draws of tests that resample.
    rng : int or numpy.random.Generator, default 0
        A seed or a generator.
    jobs : int or None, default None
        The number of threads; None is one per core.

    Returns
    -------
    DiscriminativePower
        The share, and the counts behind it.

    Raises
    ------
    MissingScores
        If the truth has no topics, or scores are missing.
    ShapeMismatch
        If a plain list has another number of systems.
    BadParameter
        If an option is unknown or out of its range.

    References
    ----------
    B. Carterette, "On rank correlation and the distance between rankings", SIGIR 2009, section 3.1 ("dsc pow").

    Examples
    --------
    >>> table = ScoreMatrix([[0.2, 0.5, 0.3], [0.4, 0.6, 0.3], [0.3, 0.7, 0.2], [0.1, 0.5, 0.3]], ["a", "b", "c"])
    >>> discriminative_power(table, [0.3, 0.3, 0.1]).value
    0.75
    """
    truth, means = _aligned(scores, estimate)
    tested = significance(truth, test=test, correction=correction, alpha=alpha, resamples=resamples, rng=rng, jobs=jobs)
    return power_over(tested, means)


def power_over(tested: Significance, means: Floats) -> DiscriminativePower:
    """Discriminative power over tested pairs; `means` are the estimate's, in the order of `tested.systems`."""
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
    scores: ScoresLike,
    *,
    alpha: float = ALPHA,
    test: Test = "bootstrap",
    correction: Correction = "none",
    resamples: int = 10_000,
    rng: Seed = SEED,
    jobs: int | None = None,
) -> MeasurePower:
    """The share of pairs of systems that differ significantly by a measure, and its ASL curve.

    From 0 to 1; higher is more discriminative. It does not tell whether the measure is right.

    Parameters
    ----------
    scores : ScoresLike
        Scores by topic under the measure.
    alpha : float, default 0.05
        The level of the test.
    test : {"t", "wilcoxon", "randomisation", "bootstrap", "tukey"}, default "bootstrap"
        The test of each pair, as in `significance`.
    correction : {"none", "bonferroni", "holm", "bh"}, default "none"
        The correction for multiple tests.
    resamples : int, default 10000
        The number of draws of tests that resample.
    rng : int or numpy.random.Generator, default 0
        A seed or a generator.
    jobs : int or None, default None
        The number of threads; None is one per core.

    Returns
    -------
    MeasurePower
        The share, and the achieved significance level of every pair.

    Raises
    ------
    MissingScores
        Without topics, or with missing scores.
    BadParameter
        If an option is unknown or out of its range.

    References
    ----------
    T. Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006.

    Examples
    --------
    >>> table = ScoreMatrix([[0.2, 0.5, 0.3], [0.4, 0.6, 0.3], [0.3, 0.7, 0.2], [0.1, 0.5, 0.3]], ["a", "b", "c"])
    >>> power = sakai_discriminative_power(table, test="t")
    >>> power.significant, power.asl.round(4).tolist()
    (2, [0.0065, 0.024, 0.7608])
    """
    tested = significance(
        scores, test=test, correction=correction, alpha=alpha, resamples=resamples, rng=rng, jobs=jobs
    )
    levels = read_only(np.sort(tested.adjusted[np.triu_indices(len(tested.systems), 1)]))
    return MeasurePower(
        value=tested.share,
        significant=int((levels <= alpha).sum()),
        pairs=tested.pairs,
        asl=levels,
        measure=tested.measure,
        method=tested.method,
        settings=tested.settings,
    )


def _aligned(scores: ScoresLike, estimate: ScoresLike) -> tuple[ScoreMatrix, Floats]:
    """The truth's matrix, and the estimate's means in the order of its systems."""
    truth, other = to_matrix(scores, "a paired test compares systems topic by topic"), to_scores(estimate)
    if isinstance(other, SystemScores) and not other.systems_named:
        if len(other.systems) != len(truth.systems):
            raise ShapeMismatch(
                f"the estimate scores {len(other.systems)} systems and the truth {len(truth.systems)}; both must be "
                "the same systems in the same order, or named"
            )
        return truth, other.means
    matched, estimated = align_alike(truth, other)
    return cast("ScoreMatrix", matched), estimated.means
