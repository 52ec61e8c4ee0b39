"""Agreement beyond chance: what a coefficient would be if the estimate's scores were dealt to the systems at random."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.coefficients import Coefficient, coefficient
from rankscope.coefficients.rows import ScoresLike, checked_pair, quietly
from rankscope.inference.agreement import RESAMPLES, values_of
from rankscope.inference.resampling import Seed, generators, in_threads, monte_carlo_p
from rankscope.results import Result
from rankscope.scores import Floats


@dataclass(frozen=True, kw_only=True)
class Permutation(Result):
    """A test of no agreement beyond chance: the estimate's scores dealt to the systems at random."""

    name: str
    value: float
    pvalue: float | None
    chance: float
    permutations: int
    settings: dict[str, Any]


def permutation_test(
    truth: ScoresLike,
    estimate: ScoresLike,
    coefficients: Sequence[str | Coefficient] = ("kendall",),
    *,
    permutations: int = RESAMPLES,
    rng: Seed = 0,
    jobs: int | None = None,
) -> tuple[Permutation, ...]:
    """How often chance alone agrees as well: one-sided p, the observed value counted, and the mean under chance.

    >>> permutation_test([5, 4, 3, 2, 1], [5, 4, 3, 1, 2], permutations=999)[0].pvalue < 0.05
    True
    """
    chosen = [coefficient(name) for name in coefficients]
    x, y = checked_pair(truth, estimate)

    def one_chunk(chunk: tuple[np.random.Generator, int]) -> Floats:
        generator, size = chunk
        shuffled = generator.permuted(np.repeat(y[None], size, axis=0), axis=1)
        with quietly():
            return values_of(chosen, x[None], shuffled)

    with quietly():
        observed = values_of(chosen, x[None], y[None])[:, 0]
    drawn = np.concatenate(in_threads(one_chunk, list(generators(rng, permutations)), jobs), axis=1)
    settings = {"seed": rng if isinstance(rng, int) else None}
    return tuple(
        Permutation(
            name=str(one),
            value=float(value),
            pvalue=monte_carlo_p(row >= value - 1e-12) if math.isfinite(value) else None,
            chance=float(np.nanmean(row)) if np.isfinite(row).any() else math.nan,
            permutations=permutations,
            settings=settings,
        )
        for one, value, row in zip(chosen, observed, drawn, strict=True)
    )
