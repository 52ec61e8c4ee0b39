"""Blocks of the study of repeats: exchanged repeats, agreement of labels, and agreement of subsets with the truth."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankscope.coefficients import Coefficient
from rankscope.coefficients import coefficient as find
from rankscope.coefficients.rows import quietly
from rankscope.errors import MismatchedNames
from rankscope.inference.agreement import values_of
from rankscope.inference.labels import label_agreement
from rankscope.inference.repeats import exchanges
from rankscope.inference.resampling import generators
from rankscope.runs import Judgments
from rankscope.scores import Floats, ScoreMatrix
from rankscope.studies.blocks import Block

# Subsets of the repeats whose agreement with the truth is averaged.
_SUBSETS = 50
_LABELS = ("equal", "kappa", "alpha_ordinal")


@dataclass(frozen=True, kw_only=True, eq=False)
class RepeatTables:
    """The scores of a judge's repeats, of the truth, and the repeats' labels if they have any."""

    judge: str
    measure: str
    scores: tuple[ScoreMatrix, ...]
    truth: ScoreMatrix | None
    labels: tuple[Judgments, ...]

    @cached_property
    def values(self) -> Floats:
        """Repeats × topics × systems."""
        return np.array([own.values for own in self.scores])


@dataclass(frozen=True, kw_only=True, eq=False)
class ExchangeBlock:
    """A chunk of the draws in which repeats exchange their places: how many differ as much as the repeats do."""

    name: str
    values: Floats
    draws: int
    chunk: int
    seed: int

    @property
    def shape(self) -> tuple[int, ...]:
        """One number."""
        return (1,)

    def run(self) -> Floats:
        """The number of such draws."""
        generator, size = list(generators(self.seed, self.draws))[self.chunk]
        return np.array([float(exchanges(self.values, generator, size))])


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelBlock:
    """The agreement of the labels of two repeats; NaN where a statistic is not defined."""

    name: str
    first: Judgments
    second: Judgments

    @property
    def shape(self) -> tuple[int, ...]:
        """One number for each statistic."""
        return (len(_LABELS),)

    def run(self) -> Floats:
        """The statistics."""
        try:
            agreement = label_agreement(self.first, self.second, resamples=0)
        except MismatchedNames as error:
            names = f"{self.first.name or 'one repeat'} and {self.second.name or 'another'}"
            raise MismatchedNames(f"{names} are not labels of the same documents by one judge: {error}") from None
        values = (agreement.value(name) for name in _LABELS)
        return np.array([np.nan if value is None else value for value in values])


@dataclass(frozen=True, kw_only=True, eq=False)
class SubsetBlock:
    """The mean coefficient with the truth over subsets of k repeats: all of them, or random ones if there are many."""

    name: str
    truth: Floats
    values: Floats
    coefficient: str
    k: int
    seed: int

    @property
    def shape(self) -> tuple[int, ...]:
        """One number."""
        return (1,)

    def run(self) -> Floats:
        """The mean; NaN where the coefficient is not defined."""
        repeats, k = len(self.values), self.k
        if math.comb(repeats, k) <= _SUBSETS:
            subsets = [list(subset) for subset in itertools.combinations(range(repeats), k)]
        else:
            rng = np.random.default_rng([self.seed, k])
            subsets = [rng.permutation(repeats)[:k].tolist() for _ in range(_SUBSETS)]
        means = np.array([self.values[subset].mean(axis=(0, 1)) for subset in subsets])
        with quietly():
            values = values_of([find(self.coefficient)], np.tile(self.truth, (len(means), 1)), means)[0]
        known = values[~np.isnan(values)]
        return np.array([known.mean() if len(known) else np.nan])


def counts_shown(repeats: int) -> list[int]:
    """The numbers of repeats that are told of, up to those there are.

    >>> counts_shown(7)
    [1, 2, 3, 4, 5, 7]
    """
    return sorted({k for k in (1, 2, 3, 4, 5, 10, 20, repeats) if k <= repeats})


def repeat_blocks(name: str, table: RepeatTables, chosen: Coefficient, *, draws: int, seed: int) -> Iterator[Block]:
    """All that takes long of one judge and measure, under the name by which `RepeatNumbers` finds it."""
    chunks = len(list(generators(seed, draws))) if draws else 0
    for chunk in range(chunks):
        yield ExchangeBlock(
            name=f"{name}-exchanges-{chunk:04d}", values=table.values, draws=draws, chunk=chunk, seed=seed
        )
    for a, b in itertools.combinations(range(len(table.labels)), 2):
        yield LabelBlock(name=f"{name}-labels-{a}-{b}", first=table.labels[a], second=table.labels[b])
    if table.truth is not None:
        for k in counts_shown(len(table.scores)):
            yield SubsetBlock(
                name=f"{name}-subsets-{k}",
                truth=table.truth.means,
                values=table.values,
                coefficient=str(chosen),
                k=k,
                seed=seed,
            )


@dataclass(frozen=True)
class RepeatNumbers:
    """The numbers of the blocks of one judge and measure."""

    name: str
    by_block: Mapping[str, Floats]

    def pvalue(self, draws: int) -> float | None:
        """That of the permutation test; None without draws."""
        if not draws:
            return None
        own = [values[0] for name, values in self.by_block.items() if name.startswith(f"{self.name}-exchanges-")]
        return float(1.0 + sum(own)) / (draws + 1)

    def labels(self, a: int, b: int) -> tuple[float | None, float | None, float | None]:
        """Equal labels, κ and α of two repeats; None where there are no labels, or none is defined."""
        values = self.by_block.get(f"{self.name}-labels-{a}-{b}")
        if values is None:
            return None, None, None
        equal, kappa, alpha = (None if np.isnan(value) else float(value) for value in values)
        return equal, kappa, alpha

    def agreement(self, k: int) -> float | None:
        """The mean coefficient of k repeats with the truth; None without one."""
        values = self.by_block.get(f"{self.name}-subsets-{k}")
        return None if values is None or np.isnan(values[0]) else float(values[0])
