"""How much does each pair of systems weigh in a coefficient? (Gao & Oard 2015, section 4.2, Figures 4 to 6)"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.checks import check_jobs
from rankscope.coefficients import Coefficient, coefficient
from rankscope.coefficients.rows import quietly
from rankscope.errors import BadParameter, TooFewSystems
from rankscope.files.checkpoints import Checkpoint
from rankscope.inference.agreement import values_of
from rankscope.inference.closed_tests import read_only, symmetric
from rankscope.inputs import ScoresLike, to_scores
from rankscope.results import Result, Table
from rankscope.scores import Floats
from rankscope.studies.blocks import Part, Progress, run_blocks
from rankscope.studies.digests import digest_of
from rankscope.studies.pair_sample import systems_to_pair

COEFFICIENTS = ("pearson", "tau_ap", "tau_gap")
_COLUMNS = ("coefficient", "rank", "other_rank", "system", "other", "loss", "weight")
# Scores in one piece of work: bounds memory, as there is a list of scores for every pair.
_CHUNK = 1 << 20
# Up to this many systems all pairs are swapped, which takes the cube of their number; beyond, those of a sample, of
# which there are as many as keep the scores over all pairs below the second number.
ALL_PAIRS, MOST_SCORES = 1_000, 250_000_000

Places = npt.NDArray[np.intp]


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
    """The weight of every pair of systems in each coefficient; `systems`, `means` and `ranks` from the truth's best.

    `sampled` is the number of systems whose pairs stand for all, None where all were looked at.
    """

    coefficients: tuple[CoefficientWeights, ...]
    systems: tuple[str, ...]
    means: Floats
    ranks: tuple[int, ...]
    sampled: int | None
    measure: str | None
    settings: dict[str, Any]

    def __getitem__(self, name: str) -> CoefficientWeights:
        wanted = str(coefficient(name))
        for weights in self.coefficients:
            if weights.coefficient == wanted:
                return weights
        raise BadParameter(
            f"{wanted} was not studied; there are: {', '.join(c.coefficient for c in self.coefficients)}"
        )

    def table(self) -> Table:
        """One row per coefficient and pair, the better system first."""
        return self.heaviest(None)

    def tables(self) -> dict[str, Table]:
        """Every table by name, the main one first."""
        return {"pairs": self.table(), "heaviest": self.heaviest()}

    def heaviest(self, most: int | None = 10) -> Table:
        """The pairs that weigh most in each coefficient; None for all pairs, in the order of ranks."""
        first, second = np.triu_indices(len(self.systems), 1)
        rows: list[tuple[Any, ...]] = []
        for of in self.coefficients:
            losses, weights = of.losses[first, second], of.weights[first, second]
            chosen = np.arange(len(first)) if most is None else np.argsort(-weights, kind="stable")[:most]
            rows += [
                (of.coefficient, self.ranks[i], self.ranks[j], self.systems[i], self.systems[j], loss, weight)
                for i, j, loss, weight in zip(
                    *(array[chosen].tolist() for array in (first, second, losses, weights)), strict=True
                )
            ]
        return Table(_COLUMNS, tuple(rows))


def study_weights(
    scores: ScoresLike,
    *,
    coefficients: Sequence[str | Coefficient] = COEFFICIENTS,
    jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    cluster: Any = None,
    progress: Progress | None = None,
) -> PairWeights:
    """Swap each pair of systems alone and see what that costs every coefficient.

    The systems' means are the truth, and the estimate is the same with the scores of two systems exchanged. Tied
    systems cost nothing, and stand in the order given. With more than 1,000 systems the pairs of a random sample of
    them are swapped, in the ranking of all; `sampled` of the result and a warning say so.

    Parameters
    ----------
    scores : ScoresLike
        Scores by topic, or a leaderboard.
    coefficients : sequence of str or Coefficient, default ("pearson", "tau_ap", "tau_gap")
        The coefficients to look at.
    jobs : int, optional
        The number of threads, by default one per core; the numbers do not depend on it.
    checkpoint : path, optional
        A folder that keeps finished blocks, from which an interrupted study continues.
    cluster : str or distributed.Client, optional
        The address of a Dask scheduler, or a client of it.
    progress : callable, optional
        Called with the number of blocks done and the number of all blocks.

    Returns
    -------
    PairWeights
        Loss and weight of every pair, systems × systems, for each coefficient.

    Raises
    ------
    BadParameter
        Where no coefficient is named.
    TooFewSystems
        Where there is only one system.
    MismatchedCheckpoint
        Where the folder keeps another study.
    UnreachableCluster
        Where the cluster does not answer.

    References
    ----------
    Gao & Oard, "A Head-Weighted Gap-Sensitive Correlation Coefficient", SIGIR 2015, section 4.2.

    Examples
    --------
    >>> study = study_weights([0.9, 0.5, 0.4], coefficients=["tau_a"])
    >>> study["tau_a"].losses[0].round(4).tolist(), study["tau_a"].weights[0].tolist()
    ([nan, 0.6667, 2.0], [nan, 0.0, 1.0])
    """
    chosen = [coefficient(name) for name in coefficients]
    if not chosen:
        raise BadParameter("coefficients=[]: name at least one")
    check_jobs(jobs)
    table = to_scores(scores)
    m = len(table.systems)
    if m < 2:
        raise TooFewSystems(f"a pair needs two systems, there is {m}")
    order = np.argsort(-table.means, kind="stable")
    truth = table.means[order]
    places, sampled = systems_to_pair(m, m if m <= ALL_PAIRS else max(2, int((2 * MOST_SCORES / m) ** 0.5)))
    first, second = np.triu_indices(len(places), 1)
    names = [str(by) for by in chosen]
    step = max(1, _CHUNK // len(truth))
    pairs = np.column_stack([places[first], places[second]])
    blocks = [
        Part(
            name=f"pairs-{start + 1:09d}-{stop:09d}",
            shape=(len(chosen), stop - start),
            function=_swapped,
            arguments=(truth, pairs, start, stop, chosen),
        )
        for start, stop in ((at, min(at + step, len(pairs))) for at in range(0, len(pairs), step))
    ]
    kept = None
    if checkpoint is not None:
        decisive = {"coefficients": names, "input": digest_of(truth, places)}
        kept = Checkpoint.of_study(checkpoint, "weights", decisive)
    values = np.concatenate(run_blocks(blocks, jobs=jobs, cluster=cluster, checkpoint=kept, progress=progress), axis=1)
    return PairWeights(
        coefficients=tuple(_weights(by, row, len(places)) for by, row in zip(chosen, values, strict=True)),
        systems=tuple(table.systems[i] for i in order[places]),
        means=truth[places],
        ranks=tuple((places + 1).tolist()),
        sampled=sampled,
        measure=table.measure,
        settings={"coefficients": names},
    )


def _swapped(truth: Floats, pairs: Places, start: int, stop: int, chosen: Sequence[Coefficient]) -> Floats:
    """Every coefficient (row) after the swap of each of some pairs (column)."""
    a, b = pairs[start:stop].T
    row = np.arange(len(a))
    estimates = np.repeat(truth[None], len(a), axis=0)
    estimates[row, a], estimates[row, b] = truth[b], truth[a]
    with quietly():
        return values_of(chosen, truth[None], estimates)


def _weights(by: Coefficient, values: Floats, systems: int) -> CoefficientWeights:
    losses = 1.0 - values
    least, greatest = losses.min(), losses.max()
    weights = (losses - least) / (greatest - least) if greatest > least else losses * 0.0 + 1.0
    return CoefficientWeights(
        coefficient=str(by),
        symbol=by.symbol,
        losses=read_only(symmetric(systems, losses, np.nan)),
        weights=read_only(symmetric(systems, weights, np.nan)),
    )
