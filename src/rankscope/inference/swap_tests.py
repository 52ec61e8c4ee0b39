"""`swap_test`: does one estimate agree better than another, if who gave which scores were chance (Perm-Both)?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from rankscope.battles import BattleScores
from rankscope.checks import check_choice, check_count
from rankscope.coefficients import Coefficient
from rankscope.coefficients.rows import quietly
from rankscope.defaults import RESAMPLES, SEED
from rankscope.errors import BadParameter
from rankscope.inference.agreement import values_of, with_topics
from rankscope.inference.resampling import (
    Draws,
    Seed,
    check_averaged,
    monte_carlo_p,
    one_blas_thread,
    recorded_seed,
    row_blocks,
)
from rankscope.inference.topic_level import TopicCoefficient, asked_for
from rankscope.inputs import ScoresLike
from rankscope.results import Result, Table, rows_table
from rankscope.scores import Floats, OnMissing, ScoreMatrix

Mask = npt.NDArray[np.bool_]
Swap = Literal["both", "topics", "systems", "cells"]
SWAPS: tuple[Swap, ...] = get_args(Swap)
# The tests between two estimates that a comparison offers.
ContrastTest = Literal["bootstrap", "perm-both", "perm-topics", "perm-systems", "perm-cells"]
CONTRAST_TESTS: tuple[ContrastTest, ...] = get_args(ContrastTest)
SWAP_OF: dict[str, Swap] = {f"perm-{swap}": swap for swap in SWAPS}


@dataclass(frozen=True, kw_only=True)
class SwapRecord:
    """A way to swap the scores of two estimates: its name, what its null hypothesis is, and which scores change sides.

    `mask` gives for a number of draws, topics and systems the scores that are swapped.
    """

    name: Swap
    label: str
    hypothesis: str
    reference: str
    mask: Callable[[np.random.Generator, int, int, int], Mask]


def _systems(rng: np.random.Generator, draws: int, topics: int, systems: int) -> Mask:
    return np.broadcast_to(rng.random((draws, 1, systems)) < 0.5, (draws, topics, systems))


def _topics(rng: np.random.Generator, draws: int, topics: int, systems: int) -> Mask:
    return np.broadcast_to(rng.random((draws, topics, 1)) < 0.5, (draws, topics, systems))


def _both(rng: np.random.Generator, draws: int, topics: int, systems: int) -> Mask:
    return np.asarray(_systems(rng, draws, topics, systems) ^ _topics(rng, draws, topics, systems))


def _cells(rng: np.random.Generator, draws: int, topics: int, systems: int) -> Mask:
    return np.asarray(rng.random((draws, topics, systems)) < 0.5)


RECORDS: tuple[SwapRecord, ...] = (
    SwapRecord(
        name="both",
        label="Perm-Both",
        hypothesis="the two estimates could change places on any systems and on any topics",
        reference="Deutsch, Dror & Roth 2021",
        mask=_both,
    ),
    SwapRecord(
        name="topics",
        label="Perm-Inputs",
        hypothesis="the two estimates could change places on any topics, for all systems at once",
        reference="Deutsch, Dror & Roth 2021",
        mask=_topics,
    ),
    SwapRecord(
        name="systems",
        label="Perm-Systems",
        hypothesis="the two estimates could change places on any systems, for all topics at once",
        reference="Deutsch, Dror & Roth 2021",
        mask=_systems,
    ),
    SwapRecord(
        name="cells",
        label="Perm-Both as in mt-metrics-eval",
        hypothesis="the two estimates could change places on any score by itself",
        reference="mt-metrics-eval, PermutationSigDiff",
        mask=_cells,
    ),
)
_BY_NAME = {record.name: record for record in RECORDS}


@dataclass(frozen=True, kw_only=True)
class SwapValue:
    """The difference of two estimates in their agreement with the truth, first less second, and its p-value.

    `pvalue` is two-sided; None where the coefficient is not defined. Of the differences after
    swaps, 95 % are between `low` and `high`.
    """

    name: str
    difference: float
    pvalue: float | None
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class SwapTest(Result):
    """Two estimates against one truth, tested by swapping their scores.

    Attributes
    ----------
    first, second : str
        The estimates.
    values : tuple of SwapValue
        One per coefficient.
    swap : str
        What was swapped: "both", "topics", "systems" or "cells".
    hypothesis : str
        The null hypothesis.
    permutations : int
        The number of random swaps.
    settings : dict
        The options.
    """

    first: str
    second: str
    values: tuple[SwapValue, ...]
    swap: Swap
    hypothesis: str
    permutations: int
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per coefficient."""
        return rows_table(
            self.values, {"coefficient": "name", **{name: name for name in ("difference", "pvalue", "low", "high")}}
        )


def swap_test(
    truth: ScoresLike,
    first: ScoresLike,
    second: ScoresLike,
    coefficients: Sequence[str] = ("kendall",),
    *,
    swap: Swap = "both",
    permutations: int = RESAMPLES,
    on_missing: OnMissing = "error",
    rng: Seed = SEED,
    jobs: int | None = None,
) -> SwapTest:
    """Test whether one estimate agrees with the truth better than another, by swapping their scores (Perm-Both).

    Both estimates are standardised over all of their scores. Then some of the scores change sides at random, and the
    difference of the two agreements is computed again. The p-value is two-sided and counts the observed difference.
    What is swapped is what the null hypothesis calls exchangeable; docs/inference.md has the level of each.

    Parameters
    ----------
    truth, first, second : ScoresLike
        Scores by topic of the same systems on the same topics.
    coefficients : sequence of str, default ("kendall",)
        Coefficients of means, and those of scores by topic (`spa`, `kendall(by=topic)`).
    swap : {"both", "topics", "systems", "cells"}, default "both"
        Whole topics and whole systems; whole topics; whole systems; or every score by itself, as mt-metrics-eval does
        under the name of Perm-Both.
    permutations : int, default 2000
        The number of random swaps.
    on_missing : str, default "error"
        What becomes of missing scores, and of systems and topics that not all have, as in `compare`.
    rng : int or numpy.random.Generator, default 0
        A seed or a generator.
    jobs : int or None, default None
        The number of threads; None is one per core.

    Returns
    -------
    SwapTest
        The difference and its p-value for each coefficient.

    Raises
    ------
    BadParameter
        If an option is out of its range, or the scores are no means over the same topics.
    MismatchedNames, MissingScores
        If the three do not have the same systems and topics, and `on_missing` is "error".

    References
    ----------
    D. Deutsch, R. Dror, D. Roth, "A statistical analysis of summarization evaluation metrics using resampling methods",
    Transactions of the Association for Computational Linguistics 9, 2021.

    Examples
    --------
    >>> from rankscope.demo import demo_scores
    >>> human, careful, partial, *_ = demo_scores().values()
    >>> swap_test(human, careful, partial, ["kendall"], permutations=200).values[0].pvalue < 0.05
    True
    """
    check_choice("swap", swap, SWAPS)
    check_count("permutations", permutations)
    x, b = with_topics(truth, second, "paired", on_missing)
    x, a = with_topics(x, first, "paired", on_missing)
    x, b = with_topics(x, b, "paired", on_missing)
    chosen = asked_for(coefficients)
    values = swapped(x, a, b, chosen, swap, Draws(permutations, rng, jobs))
    return SwapTest(
        first=a.name or "first",
        second=b.name or "second",
        values=tuple(values),
        swap=swap,
        hypothesis=_BY_NAME[swap].hypothesis,
        permutations=permutations,
        settings={"on_missing": on_missing, "seed": recorded_seed(rng)},
    )


def swapped(
    truth: ScoreMatrix,
    first: ScoreMatrix,
    second: ScoreMatrix,
    chosen: Sequence[Coefficient | TopicCoefficient],
    swap: Swap,
    draws: Draws,
) -> list[SwapValue]:
    """For each coefficient, the difference of two aligned estimates and its p-value."""
    for side in (truth, first, second):
        check_averaged(side, "a test that swaps scores")
        if isinstance(side, BattleScores):
            raise BadParameter("scores are swapped topic by topic, and battles have none; use the bootstrap")
    a, b = _standardised(first.values), _standardised(second.values)
    n, m = a.shape
    mask = _BY_NAME[swap].mask

    def differences(one: Floats, other: Floats) -> Floats:
        """Of each coefficient (row) in each pair of tables (draws × topics × systems)."""
        of_means = [by for by in chosen if isinstance(by, Coefficient)]
        means: list[Floats] = []
        if of_means:
            both = [values_of(of_means, truth.means[None], side.mean(axis=1)) for side in (one, other)]
            means = list(both[0] - both[1])
        rows = []
        for by in chosen:
            if isinstance(by, Coefficient):
                rows.append(means.pop(0))
            else:
                pairs = zip(one, other, strict=True)
                rows.append(np.array([by.statistic(truth.values, p) - by.statistic(truth.values, q) for p, q in pairs]))
        return np.array(rows)

    def of_chunk(generator: np.random.Generator, size: int) -> Floats:
        parts = []
        for block in row_blocks(size, n * m):
            moved = mask(generator, block.stop - block.start, n, m)
            with quietly():
                parts.append(differences(np.where(moved, b, a), np.where(moved, a, b)))
        return np.concatenate(parts, axis=1)

    with quietly():
        observed = differences(a[None], b[None])[:, 0]
    with one_blas_thread():
        drawn = np.concatenate(draws.each(of_chunk), axis=1)
    values = []
    for by, value, row in zip(chosen, observed, drawn, strict=True):
        p = monte_carlo_p(np.abs(row) >= abs(value) - 1e-12) if math.isfinite(value) else None
        low, high = np.quantile(row, [0.025, 0.975])
        values.append(SwapValue(name=str(by), difference=float(value), pvalue=p, low=float(low), high=float(high)))
    return values


def _standardised(values: Floats) -> Floats:
    spread = values.std()
    return np.asarray((values - values.mean()) / (spread if spread > 0.0 else 1.0))
