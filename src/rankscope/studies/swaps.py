"""What do random swaps do to coefficients, between systems that differ significantly and between others?

Gao & Oard (2015), section 4.1: five pairs are swapped at random, many times over.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from rankscope.averages import mean_ranks
from rankscope.checks import check_count, check_seed
from rankscope.coefficients import Coefficient, coefficient, default_coefficients
from rankscope.coefficients.rows import quietly
from rankscope.defaults import ALPHA, SEED
from rankscope.errors import BadParameter
from rankscope.files.checkpoints import Checkpoint
from rankscope.inference.agreement import values_of
from rankscope.inference.corrections import Correction
from rankscope.inference.pairs import Test, significance
from rankscope.inference.resampling import CHUNK, seeded_chunks
from rankscope.inputs import ScoresLike, to_matrix
from rankscope.results import Result, Table, rows_table
from rankscope.scores import Floats
from rankscope.studies.blocks import Part, Progress, run_blocks
from rankscope.studies.digests import digest_of
from rankscope.studies.pair_sample import systems_to_pair
from rankscope.studies.spread import SPREAD_BRIEF, SPREAD_COLUMNS, Spread, spread_of

Among = Literal["significant", "others"]
AMONG: tuple[Among, ...] = get_args(Among)

SWAPS = 5
DRAWS = 1_000

Pairs = npt.NDArray[np.intp]


@dataclass(frozen=True, kw_only=True)
class SwapSpread:
    """A coefficient between the truth and the truth with pairs of one kind swapped."""

    among: Among
    coefficient: str
    symbol: str
    spread: Spread


@dataclass(frozen=True, kw_only=True)
class SwappedRanks:
    """One draw, as a picture shows it: the pairs that were swapped, in turn, and every system's ranks.

    `truth_ranks` and `estimate_ranks` are in the order of `systems`, the truth's best first.
    """

    among: Among
    pairs: tuple[tuple[str, str], ...]
    systems: tuple[str, ...]
    truth_ranks: tuple[float, ...]
    estimate_ranks: tuple[float, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class SwapStudy(Result):
    """Coefficients after random swaps, by the kind of pairs that were swapped.

    `share` is the share of significant pairs, `pairs` how many of each kind there were to choose from, `examples` the
    first draw of each kind. `sampled` is the number of systems whose pairs stand for all, None where all were tested.
    `draws` has every value, coefficients × draws by kind; it is not part of `to_dict`.
    """

    draws_in = "draws"

    spreads: tuple[SwapSpread, ...]
    examples: tuple[SwappedRanks, ...]
    share: float
    pairs: dict[str, int]
    sampled: int | None
    coefficients: tuple[str, ...]
    measure: str | None
    settings: dict[str, Any]
    draws: dict[str, Floats]

    def table(self) -> Table:
        """One row per kind of pairs and coefficient."""
        columns = ("among", "coefficient", *SPREAD_COLUMNS)
        return replace(rows_table(self.spreads, columns), brief=(*columns[:2], *SPREAD_BRIEF))

    def spread(self, among: Among, name: str) -> Spread:
        """The spread of a coefficient after swaps among one kind of pairs."""
        wanted = (among, str(coefficient(name)))
        for each in self.spreads:
            if (each.among, each.coefficient) == wanted:
                return each.spread
        raise BadParameter(f"{wanted[1]} after swaps among {among!r} was not studied")


def study_swaps(
    scores: ScoresLike,
    *,
    swaps: int = SWAPS,
    draws: int = DRAWS,
    among: Among | Sequence[Among] = AMONG,
    coefficients: Sequence[str | Coefficient] | None = None,
    test: Test = "t",
    correction: Correction = "none",
    alpha: float = ALPHA,
    rng: int = SEED,
    jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    cluster: Any = None,
    progress: Progress | None = None,
) -> SwapStudy:
    """Swap pairs of systems drawn at random, many times over, and see what coefficients make of it.

    Pairs are drawn without replacement and their scores are exchanged in turn; a system may be in several. The truth
    is the systems' means. The two kinds of pairs have draws of their own, which do not depend on whether the other kind
    is asked for. With more than 2,000 systems the pairs of a random sample of them are tested and drawn from, and
    swapped in the ranking of all; `sampled` of the result and a warning say so.

    Parameters
    ----------
    scores : ScoresLike
        Scores by topic.
    swaps : int, default 5
        The number of pairs that are swapped in each draw.
    draws : int, default 1000
        The number of draws.
    among : str or sequence of str, default ("significant", "others")
        Which pairs are drawn: those that differ significantly, or the others.
    coefficients : sequence of str or Coefficient, optional
        The coefficients to compute; all by default.
    test : str, default "t"
        The test of each pair, as in `rs.significance`.
    correction : str, default "none"
        How these tests are corrected for their number.
    alpha : float, default 0.05
        The level of these tests.
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
    SwapStudy
        The spread of every coefficient over draws, for each kind of pairs.

    Raises
    ------
    BadParameter
        Where an option is out of its range, or there are fewer pairs of a kind than swaps.
    MissingScores
        Where there are no topics to test by.
    MismatchedCheckpoint
        Where the folder keeps another study.
    UnreachableCluster
        Where the cluster does not answer.

    References
    ----------
    Gao & Oard, "A Head-Weighted Gap-Sensitive Correlation Coefficient", SIGIR 2015, section 4.1.

    Examples
    --------
    >>> from rankscope.demo import demo_scores
    >>> study = study_swaps(demo_scores()["human"], draws=200, coefficients=["tau_ap", "tau_gap"])
    >>> study.spread("significant", "tau_gap").mean < study.spread("others", "tau_gap").mean
    True
    """
    chosen = default_coefficients() if coefficients is None else tuple(coefficient(name) for name in coefficients)
    if not chosen:
        raise BadParameter("coefficients=[]: name at least one, or None for all")
    check_count("swaps", swaps)
    check_count("draws", draws)
    check_seed(rng)
    kinds = _kinds(among)
    table = to_matrix(scores, "which pairs differ significantly is tested over topics")
    order = np.argsort(-table.means, kind="stable")
    truth, systems = table.means[order], tuple(table.systems[i] for i in order)
    looked_at, sampled = systems_to_pair(len(systems))
    if sampled is not None:
        table = table.select(systems=[systems[place] for place in looked_at])
    tested = significance(table, test=test, correction=correction, alpha=alpha, rng=rng, jobs=jobs).by_mean()
    every = np.column_stack(np.triu_indices(len(looked_at), 1))
    different = tested.significant[every[:, 0], every[:, 1]]
    pairs = {"significant": looked_at[every[different]], "others": looked_at[every[~different]]}
    seeds = dict(zip(AMONG, np.random.SeedSequence(rng).spawn(len(AMONG)), strict=True))
    for kind in kinds:
        _check_enough(kind, len(pairs[kind]), swaps, alpha)
    chunks = {kind: seeded_chunks(np.random.default_rng(seeds[kind]), draws) for kind in kinds}
    blocks = [
        Part(
            name=f"{kind}-{number * CHUNK + 1:07d}-{number * CHUNK + size:07d}",
            shape=(len(chosen), size),
            function=_swapped,
            arguments=(truth, pairs[kind], chosen, swaps, seed, size),
        )
        for kind in kinds
        for number, (seed, size) in enumerate(chunks[kind])
    ]
    kept = None
    if checkpoint is not None:
        scores_read = digest_of(truth, *(pairs[kind] for kind in AMONG))
        decisive = {"swaps": swaps, "coefficients": list(map(str, chosen)), "seed": int(rng), "input": scores_read}
        kept = Checkpoint.of_study(checkpoint, "swaps", decisive)
    computed = iter(run_blocks(blocks, jobs=jobs, cluster=cluster, checkpoint=kept, progress=progress))
    values: dict[str, Floats] = {kind: np.concatenate([next(computed) for _ in chunks[kind]], axis=1) for kind in kinds}
    examples = []
    for kind in kinds:
        seed, size = chunks[kind][0]
        picked, estimates = swapped_scores(truth, pairs[kind], swaps, np.random.default_rng(seed), size)
        examples.append(_example(kind, systems, truth, picked[0], estimates[0]))
    return SwapStudy(
        spreads=tuple(
            SwapSpread(among=kind, coefficient=str(by), symbol=by.symbol, spread=spread_of(row))
            for kind in kinds
            for by, row in zip(chosen, values[kind], strict=True)
        ),
        examples=tuple(examples),
        share=tested.share,
        pairs={kind: len(of_kind) for kind, of_kind in pairs.items()},
        sampled=sampled,
        coefficients=tuple(map(str, chosen)),
        measure=tested.measure,
        settings={"swaps": swaps, "draws": draws, "among": list(kinds), **tested.settings, "seed": rng},
        draws=values,
    )


def _kinds(among: Among | Sequence[Among]) -> tuple[Among, ...]:
    kinds = (among,) if isinstance(among, str) else tuple(among)
    if not kinds or any(kind not in AMONG for kind in kinds):
        raise BadParameter(f"among={among!r}: choose from {', '.join(AMONG)}")
    return tuple(kind for kind in AMONG if kind in kinds)


def _check_enough(kind: Among, available: int, swaps: int, alpha: float) -> None:
    if available < swaps:
        which = "differ" if kind == "significant" else "do not differ"
        other = AMONG[1 - AMONG.index(kind)]
        raise BadParameter(
            f"{available} pairs {which} significantly at alpha={alpha:g}, too few for {swaps} swaps; swap fewer, use "
            f"another alpha, or swap among the {other!r} only"
        )


def _swapped(
    truth: Floats, pairs: Pairs, chosen: Sequence[Coefficient], swaps: int, seed: np.random.SeedSequence, draws: int
) -> Floats:
    """Every coefficient (row) after each draw of swaps (column) of one chunk."""
    _, estimates = swapped_scores(truth, pairs, swaps, np.random.default_rng(seed), draws)
    with quietly():
        return values_of(chosen, truth[None], estimates)


def swapped_scores(
    truth: Floats, pairs: Pairs, swaps: int, generator: np.random.Generator, draws: int
) -> tuple[Pairs, Floats]:
    """For each draw, the pairs picked (draws × swaps × 2), and the truth's scores once they are exchanged in turn."""
    picked = pairs[np.stack([generator.choice(len(pairs), swaps, replace=False) for _ in range(draws)])]
    scores = np.repeat(truth[None], draws, axis=0)
    row = np.arange(draws)
    for turn in range(swaps):
        a, b = picked[:, turn, 0], picked[:, turn, 1]
        scores[row, a], scores[row, b] = scores[row, b], scores[row, a]
    return picked, scores


def _example(kind: Among, systems: Sequence[str], truth: Floats, picked: Pairs, estimate: Floats) -> SwappedRanks:
    return SwappedRanks(
        among=kind,
        pairs=tuple((systems[a], systems[b]) for a, b in picked.tolist()),
        systems=tuple(systems),
        truth_ranks=tuple(mean_ranks(truth).tolist()),
        estimate_ranks=tuple(mean_ranks(estimate).tolist()),
    )
