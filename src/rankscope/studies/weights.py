"""How much does each pair of systems weigh in a coefficient? (Gao & Oard 2015, section 4.2, Figures 4 to 6)"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.coefficients import Coefficient, coefficient
from rankscope.coefficients.rows import quietly
from rankscope.errors import BadParameter, TooFewSystems
from rankscope.files import read_scores
from rankscope.inference.agreement import values_of
from rankscope.inference.resampling import in_threads
from rankscope.results import Result, Table
from rankscope.scores import Floats

COEFFICIENTS = ("pearson", "tau_ap", "tau_gap")
_COLUMNS = ("coefficient", "rank", "other_rank", "system", "other", "loss", "weight")
# Scores in one piece of work: bounds memory, as there is a list of scores for every pair.
_CHUNK = 1 << 20


@dataclass(frozen=True, kw_only=True)
class CoefficientWeights:
    """What swapping one pair alone costs a coefficient: systems × systems, symmetric, nothing on the diagonal (nan).

    `losses` are 1 − coefficient, `weights` the same from 0 for the least of all pairs to 1 for the greatest; where all
    pairs cost the same, they weigh 1.
    """

    coefficient: str
    symbol: str
    losses: Floats
    weights: Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class PairWeights(Result):
    """The weight of every pair of systems in each coefficient; `systems` and `means` from the truth's best."""

    coefficients: tuple[CoefficientWeights, ...]
    systems: tuple[str, ...]
    means: Floats
    measure: str | None
    settings: dict[str, Any]

    def __getitem__(self, name: str) -> CoefficientWeights:
        wanted = str(coefficient(name))
        for one in self.coefficients:
            if one.coefficient == wanted:
                return one
        raise BadParameter(
            f"{wanted} was not studied; there are: {', '.join(c.coefficient for c in self.coefficients)}"
        )

    def table(self) -> Table:
        """One row per coefficient and pair, the better system first."""
        first, second = np.triu_indices(len(self.systems), 1)
        rows = [
            (one.coefficient, i + 1, j + 1, self.systems[i], self.systems[j], loss, weight)
            for one in self.coefficients
            for i, j, loss, weight in zip(
                first.tolist(), second.tolist(), one.losses[first, second].tolist(),
                one.weights[first, second].tolist(), strict=True,
            )
        ]  # fmt: skip
        return Table(_COLUMNS, tuple(rows))

    def tables(self) -> dict[str, Table]:
        """Every table by name, the main one first."""
        return {"pairs": self.table(), "heaviest": self.heaviest()}

    def heaviest(self, most: int = 10) -> Table:
        """The pairs that weigh most in each coefficient."""
        table = self.table()
        rows: list[tuple[Any, ...]] = []
        for one in self.coefficients:
            own = [row for row in table.rows if row[0] == one.coefficient]
            rows += sorted(own, key=lambda row: -row[-1])[:most]
        return Table(_COLUMNS, tuple(rows))


def study_weights(
    scores: Any,
    *,
    coefficients: Sequence[str | Coefficient] = COEFFICIENTS,
    jobs: int | None = None,
) -> PairWeights:
    """Swap each pair of systems alone and see what that costs every coefficient.

    `scores` are by topic, or a leaderboard: the means are the truth, and the estimate is the same with the scores of
    two systems exchanged. Systems level in the truth cost nothing. Systems are in the truth's order, those level in the
    order given.

    >>> found = study_weights([0.9, 0.5, 0.4], coefficients=["tau_a"])
    >>> found["tau_a"].losses[0].round(4).tolist(), found["tau_a"].weights[0].tolist()
    ([nan, 0.6667, 2.0], [nan, 0.0, 1.0])
    """
    chosen = [coefficient(name) for name in coefficients]
    if not chosen:
        raise BadParameter("coefficients=[]: one at least")
    table = read_scores(scores)
    if len(table.systems) < 2:
        raise TooFewSystems(f"a pair needs two systems, there is {len(table.systems)}")
    order = np.argsort(-table.means, kind="stable")
    truth = table.means[order]
    found = _values(truth, chosen, jobs)
    return PairWeights(
        coefficients=tuple(_weights(one, row, len(truth)) for one, row in zip(chosen, found, strict=True)),
        systems=tuple(table.systems[i] for i in order),
        means=truth,
        measure=table.measure,
        settings={"coefficients": [str(one) for one in chosen]},
    )


def _values(truth: Floats, chosen: Sequence[Coefficient], jobs: int | None) -> Floats:
    """Every coefficient (row) after the swap of each pair (column), pairs as `triu_indices` has them."""
    first, second = np.triu_indices(len(truth), 1)

    def one_chunk(places: slice) -> Floats:
        a, b = first[places], second[places]
        row = np.arange(len(a))
        estimates = np.repeat(truth[None], len(a), axis=0)
        estimates[row, a], estimates[row, b] = truth[b], truth[a]
        with quietly():
            return values_of(chosen, truth[None], estimates)

    step = max(1, _CHUNK // len(truth))
    chunks = [slice(start, start + step) for start in range(0, len(first), step)]
    return np.concatenate(in_threads(one_chunk, chunks, jobs), axis=1)


def _weights(one: Coefficient, values: Floats, systems: int) -> CoefficientWeights:
    losses = 1.0 - values
    least, greatest = losses.min(), losses.max()
    weights = (losses - least) / (greatest - least) if greatest > least else losses * 0.0 + 1.0
    return CoefficientWeights(
        coefficient=str(one),
        symbol=one.symbol,
        losses=_square(losses, systems),
        weights=_square(weights, systems),
    )


def _square(of_pairs: Floats, systems: int) -> Floats:
    first, second = np.triu_indices(systems, 1)
    square = np.full((systems, systems), np.nan)
    square[first, second] = square[second, first] = of_pairs
    square.flags.writeable = False
    return square
