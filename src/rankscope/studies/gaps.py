"""What do coefficients make of gaps, when all ranks are right? Scores drawn from distributions, ranks kept.

Gao, Bagdouri & Oard (2016), section 3 and Figure 3.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope.checks import check_count, check_memory, check_name, check_seed
from rankscope.coefficients import Coefficient, coefficient
from rankscope.coefficients.rows import quietly
from rankscope.defaults import SEED
from rankscope.errors import BadParameter, TooFewSystems
from rankscope.files.checkpoints import Checkpoint
from rankscope.inference.agreement import values_of
from rankscope.results import Result, Table, rows_table
from rankscope.scores import Floats
from rankscope.studies.blocks import Part, Progress, run_blocks
from rankscope.studies.spread import SPREAD_BRIEF, SPREAD_COLUMNS, Spread, spread_of

SYSTEMS = 50
DRAWS = 100_000
COEFFICIENTS = ("pearson_rank",)

# Draws in one piece of work, each with a generator of its own.
_CHUNK = 2_000
# Lists of scores that a thread holds for each draw: both sides of three distributions, and what coefficients make.
_COPIES = 12
# Zipf's distribution as in the paper: up to here, with exponent 2.
_ZIPF_LARGEST = 2**31 - 1
# The gap between systems that tie by chance: ranks are kept, and it is too small to count.
_STEP = 1e-9


@dataclass(frozen=True, kw_only=True)
class GapDistribution:
    """A distribution of scores by its name, with the symbol it has in pictures."""

    name: str
    symbol: str
    label: str
    draw: Callable[[np.random.Generator, tuple[int, int]], Floats]


def _zipf(generator: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Zipf's distribution with exponent 2 up to its largest value, exactly, by rejection (Devroye 1986, X.6.1).

    ⌊1/U⌋ is x with probability 1/(x(x + 1)), and x is kept with probability (1 + 1/x)/2, so that it has 1/x².
    """
    drawn = np.empty(shape[0] * shape[1])
    filled = 0
    while filled < len(drawn):
        left = len(drawn) - filled
        proposed = np.floor(1.0 / (1.0 - generator.random(left)))
        kept = proposed[(2.0 * generator.random(left) <= 1.0 + 1.0 / proposed) & (proposed <= _ZIPF_LARGEST)]
        drawn[filled : filled + len(kept)] = kept
        filled += len(kept)
    return drawn.reshape(shape)


DISTRIBUTIONS: tuple[GapDistribution, ...] = (
    GapDistribution(
        name="uniform",
        symbol="U",
        label="uniform on 0 to 1",
        draw=lambda generator, shape: generator.random(shape),
    ),
    GapDistribution(
        name="normal",
        symbol="N",
        label="normal, mean 0.5 and variance 1",
        draw=lambda generator, shape: 0.5 + generator.standard_normal(shape),
    ),
    GapDistribution(
        name="zipf",
        symbol="Z",
        label=f"Zipf on 1 to {_ZIPF_LARGEST:,}, exponent 2",
        draw=_zipf,
    ),
)
# (truth, estimate): those of Figure 3, with the medians of Pearson Rank that it prints.
PUBLISHED = {
    ("uniform", "uniform"): 0.98,
    ("normal", "normal"): 0.98,
    ("normal", "uniform"): 0.97,
    ("zipf", "zipf"): 0.95,
    ("zipf", "normal"): 0.91,
    ("zipf", "uniform"): 0.87,
}
PAIRS: tuple[tuple[str, str], ...] = tuple(PUBLISHED)


@dataclass(frozen=True, kw_only=True)
class GapSpread:
    """A coefficient over all draws of scores from one distribution for the truth and one for the estimate."""

    truth: str
    estimate: str
    coefficient: str
    symbol: str
    spread: Spread


@dataclass(frozen=True, kw_only=True)
class GapExample:
    """The draw whose first coefficient is nearest to its median: both lists of scores, best first, from 0 to 1."""

    truth: str
    estimate: str
    coefficient: str
    value: float
    truth_scores: tuple[float, ...]
    estimate_scores: tuple[float, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class GapStudy(Result):
    """Coefficients between two lists that rank alike, by the distributions that their scores come from.

    `draws` has every value, coefficients × draws by (truth, estimate); it is not part of `to_dict`.
    """

    draws_in = "draws"

    spreads: tuple[GapSpread, ...]
    examples: tuple[GapExample, ...]
    coefficients: tuple[str, ...]
    systems: int
    settings: dict[str, Any]
    draws: dict[tuple[str, str], Floats]

    def table(self) -> Table:
        """One row per pair of distributions and coefficient."""
        columns = ("truth", "estimate", "coefficient", *SPREAD_COLUMNS)
        return replace(rows_table(self.spreads, columns), brief=(*columns[:3], *SPREAD_BRIEF))

    def spread(self, truth: str, estimate: str, name: str = COEFFICIENTS[0]) -> Spread:
        """The spread of a coefficient for one pair of distributions."""
        wanted = (_distribution(truth).name, _distribution(estimate).name, str(coefficient(name)))
        for each in self.spreads:
            if (each.truth, each.estimate, each.coefficient) == wanted:
                return each.spread
        raise BadParameter(f"{wanted[2]} of {wanted[0]}|{wanted[1]} was not studied")


def study_gaps(
    *,
    systems: int = SYSTEMS,
    draws: int = DRAWS,
    pairs: Sequence[tuple[str, str]] = PAIRS,
    coefficients: Sequence[str | Coefficient] = COEFFICIENTS,
    rng: int = SEED,
    jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    cluster: Any = None,
    progress: Progress | None = None,
) -> GapStudy:
    """Draw scores for truth and estimate that rank alike, and see what coefficients make of the gaps between scores.

    Each side's scores are sorted, so that systems rank alike, and scaled to 0 to 1. Most of Zipf's scores are tied:
    1e-9 from system to system keeps their ranks, so that coefficients of ranks are 1 throughout. Every distribution is
    drawn once for the truth and once for the estimate, and pairs share these draws.

    Parameters
    ----------
    systems : int, default 50
        The number of systems.
    draws : int, default 100000
        The number of draws of their scores.
    pairs : sequence of pairs of str, default the six pairs of the paper
        The distributions of the truth's and of the estimate's scores, of "uniform", "normal" and "zipf".
    coefficients : sequence of str or Coefficient, default ("pearson_rank",)
        The coefficients to compute.
    rng : int, default 0
        The seed.
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
    GapStudy
        The spread of every coefficient over draws for each pair of distributions, and a typical draw.

    Raises
    ------
    BadParameter, TooFewSystems, UnknownName
        Where an option is out of its range, or a distribution is not known.
    TooLarge
        Where the scores of some draws would not fit in the memory that is free.
    MismatchedCheckpoint
        Where the folder keeps another study.
    UnreachableCluster
        Where the cluster does not answer.

    References
    ----------
    Gao, Bagdouri & Oard, "Pearson Rank: A Head-Weighted Gap-Sensitive Score-Based Correlation Coefficient", SIGIR 2016.

    Examples
    --------
    >>> study = study_gaps(draws=500, pairs=[("uniform", "uniform"), ("zipf", "uniform")])
    >>> study.spread("zipf", "uniform").median < study.spread("uniform", "uniform").median
    True
    """
    wanted = tuple(
        dict.fromkeys((_distribution(truth).name, _distribution(estimate).name) for truth, estimate in pairs)
    )
    chosen = tuple(coefficient(name) for name in coefficients)
    if systems < 2:
        raise TooFewSystems(f"systems={systems}: a ranking needs two at least")
    check_count("draws", draws)
    if not wanted or not chosen:
        raise BadParameter("name at least one pair of distributions and one coefficient")
    check_seed(rng)
    workers = (os.cpu_count() or 1) if jobs is None else jobs
    check_memory(
        workers * _COPIES * 8.0 * min(draws, _CHUNK) * systems,
        f"drawing the scores of {systems:,} systems on {workers} threads",
        "take fewer systems, draws or threads (--jobs)",
    )
    starts = range(0, draws, _CHUNK)
    seeds = np.random.SeedSequence(rng).spawn(len(starts))
    sizes = [min(_CHUNK, draws - start) for start in starts]
    settings = {"systems": systems, "pairs": [list(pair) for pair in wanted], "seed": int(rng)}
    kept = None
    if checkpoint is not None:
        kept = Checkpoint.of_study(checkpoint, "gaps", {**settings, "coefficients": list(map(str, chosen))})
    blocks = [
        Part(
            name=f"draws-{start + 1:07d}-{start + size:07d}",
            shape=(len(wanted), len(chosen), size),
            function=_values,
            arguments=(seed, size, systems, chosen, wanted),
        )
        for start, seed, size in zip(starts, seeds, sizes, strict=True)
    ]
    drawn = np.concatenate(run_blocks(blocks, jobs=jobs, cluster=cluster, checkpoint=kept, progress=progress), axis=2)
    examples = []
    for pair, values in zip(wanted, drawn, strict=True):
        place = _median_place(values[0])
        if place is not None:
            chunk = place // _CHUNK
            truth, estimate = _Sides(seeds[chunk], sizes[chunk], systems).pair(*pair)
            examples.append(_example(pair, str(chosen[0]), values[0, place], truth, estimate, place % _CHUNK))
    return GapStudy(
        spreads=tuple(
            GapSpread(truth=pair[0], estimate=pair[1], coefficient=str(by), symbol=by.symbol, spread=spread_of(row))
            for pair, values in zip(wanted, drawn, strict=True)
            for by, row in zip(chosen, values, strict=True)
        ),
        examples=tuple(examples),
        coefficients=tuple(map(str, chosen)),
        systems=systems,
        settings={**settings, "draws": draws},
        draws=dict(zip(wanted, drawn, strict=True)),
    )


def _values(
    seed: np.random.SeedSequence,
    draws: int,
    systems: int,
    chosen: Sequence[Coefficient],
    pairs: Sequence[tuple[str, str]],
) -> Floats:
    """Every coefficient of every draw of one chunk: pairs of distributions × coefficients × draws."""
    sides = _Sides(seed, draws, systems)
    with quietly():
        return np.stack([values_of(chosen, *sides.pair(*pair)) for pair in pairs])


class _Sides:
    """The lists of scores of one chunk, each drawn on first need, from a seed of its own."""

    def __init__(self, seed: np.random.SeedSequence, draws: int, systems: int) -> None:
        # `spawn` counts what it has given, and the same chunk is drawn again for an example.
        fresh = np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key)
        self._seeds = fresh.spawn(2 * len(DISTRIBUTIONS))
        self._shape = draws, systems
        self._known: dict[int, Floats] = {}

    def pair(self, truth: str, estimate: str) -> tuple[Floats, Floats]:
        """The truth's and the estimate's scores, draws × systems, best first and from 0 to 1."""
        return self._side(truth, 0), self._side(estimate, 1)

    def _side(self, name: str, side: int) -> Floats:
        record = _distribution(name)
        place = 2 * DISTRIBUTIONS.index(record) + side
        if place not in self._known:
            drawn = record.draw(np.random.default_rng(self._seeds[place]), self._shape)
            drawn.sort(axis=1)
            drawn = drawn[:, ::-1]
            width = drawn[:, :1] - drawn[:, -1:]
            scaled = (drawn - drawn[:, -1:]) / np.where(width > 0.0, width, 1.0)
            self._known[place] = scaled + _STEP * np.arange(self._shape[1])[::-1]
        return self._known[place]


def _distribution(name: str) -> GapDistribution:
    known = {record.name: record for record in DISTRIBUTIONS}
    return known[check_name("distribution", name, known)]


def _median_place(values: Floats) -> int | None:
    if not np.isfinite(values).any():
        return None
    return int(np.nanargmin(np.abs(values - np.nanmedian(values))))


def _example(pair: tuple[str, str], name: str, value: float, truth: Floats, estimate: Floats, row: int) -> GapExample:
    return GapExample(
        truth=pair[0],
        estimate=pair[1],
        coefficient=name,
        value=float(value),
        truth_scores=tuple(truth[row].tolist()),
        estimate_scores=tuple(estimate[row].tolist()),
    )
