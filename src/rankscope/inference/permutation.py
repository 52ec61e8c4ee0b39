"""`permutation_test`: is the agreement beyond chance, given the estimate's scores in any order of the systems?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.checks import check_count
from rankscope.coefficients import Coefficient, coefficient
from rankscope.coefficients.rows import checked_pair, quietly
from rankscope.defaults import RESAMPLES, SEED
from rankscope.inference.agreement import values_of
from rankscope.inference.resampling import Draws, Seed, monte_carlo_p, recorded_seed
from rankscope.inputs import ScoresLike, to_scores
from rankscope.results import Result, Table, rows_table
from rankscope.scores import Floats


@dataclass(frozen=True, kw_only=True)
class Permutation(Result):
    """A test of the hypothesis that two rankings do not agree beyond chance.

    Attributes
    ----------
    name : str
        The coefficient.
    value : float
        Its observed value.
    pvalue : float or None
        The one-sided p-value; None where the coefficient is not defined.
    chance : float
        The mean over permutations.
    permutations : int
        Their number.
    settings : dict
        The options.
    """

    name: str
    value: float
    pvalue: float | None
    chance: float
    permutations: int
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row."""
        others = {name: name for name in ("value", "pvalue", "chance", "permutations")}
        return rows_table([self], {"coefficient": "name", **others})


def permutation_test(
    truth: ScoresLike,
    estimate: ScoresLike,
    coefficients: Sequence[str | Coefficient] = ("kendall",),
    *,
    permutations: int = RESAMPLES,
    rng: Seed = SEED,
    jobs: int | None = None,
) -> tuple[Permutation, ...]:
    """Test whether two rankings agree beyond chance, by permuting the estimate's scores among the systems.

    The p-value is one-sided: the share of permutations that agree at least as well, the observed one included.

    Parameters
    ----------
    truth, estimate : ScoresLike
        Scores of the same systems, by topic or one each.
    coefficients : sequence of str or Coefficient, default ("kendall",)
        The coefficients.
    permutations : int, default 2000
        The number of random permutations.
    rng : int or numpy.random.Generator, default 0
        A seed or a generator.
    jobs : int or None, default None
        The number of threads; None is one per core.

    Returns
    -------
    tuple of Permutation
        One test per coefficient, all from the same permutations.

    Raises
    ------
    BadParameter
        If `permutations` is below 1.
    TooFewSystems
        With fewer than two systems.

    Examples
    --------
    >>> permutation_test([5, 4, 3, 2, 1], [5, 4, 3, 1, 2], permutations=999)[0].pvalue < 0.05
    True
    """
    check_count("permutations", permutations)
    chosen = [coefficient(name) for name in coefficients]
    x, y = checked_pair(to_scores(truth), to_scores(estimate))

    def of_chunk(generator: np.random.Generator, size: int) -> Floats:
        shuffled = generator.permuted(np.repeat(y[None], size, axis=0), axis=1)
        with quietly():
            return values_of(chosen, x[None], shuffled)

    with quietly():
        observed = values_of(chosen, x[None], y[None])[:, 0]
    drawn = np.concatenate(Draws(permutations, rng, jobs).each(of_chunk), axis=1)
    settings = {"seed": recorded_seed(rng)}
    return tuple(
        Permutation(
            name=str(by),
            value=float(value),
            pvalue=monte_carlo_p(row >= value - 1e-12) if math.isfinite(value) else None,
            chance=float(np.nanmean(row)) if np.isfinite(row).any() else math.nan,
            permutations=permutations,
            settings=settings,
        )
        for by, value, row in zip(chosen, observed, drawn, strict=True)
    )
