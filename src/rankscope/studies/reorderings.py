"""Rankings with the same Kendall's τ and different rank distances from the truth (Carterette 2009, Figure 1)."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.checks import check_count, check_resamples, check_seed, check_share
from rankscope.coefficients import tau_a
from rankscope.coefficients.rows import quietly
from rankscope.defaults import ALPHA, FEWER_RESAMPLES, SEED
from rankscope.errors import BadParameter
from rankscope.files.checkpoints import Checkpoint
from rankscope.inference.rank_distance_baseline import Baseline, Orders, check_ridge, prepare
from rankscope.inference.rank_distance_null import rank_distance_null
from rankscope.inference.resampling import CHUNK, seeded_chunks, topic_counts
from rankscope.inputs import ScoresLike, to_matrix
from rankscope.results import Result, Table
from rankscope.scores import Floats
from rankscope.studies.blocks import Part, Progress, run_blocks
from rankscope.studies.digests import digest_of

TAU = 0.9
COUNT = 4
DRAWS = 2_000

# Topics in a direction of change: so few that it is far from the mean's own spread, and still what systems do together.
_FEW_TOPICS = 3
# The share of systems that move when few do.
_FEW_SYSTEMS = (0.2, 0.05)
# Steps in which a direction's length is found: as many as a double has digits, and some.
_STEPS = 60

Noise = Callable[[Baseline, np.random.Generator, int], Floats]


@dataclass(frozen=True, kw_only=True)
class Reordering:
    """A ranking at the τ asked for: its rank distance from the truth, and the rank it gives each system.

    `ranks` are in the order of the study's `systems`, the truth's best first; `moved` says how it was made.
    """

    distance: float
    tau: float
    pvalue: float | None
    moved: str
    ranks: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class ReorderingStudy(Result):
    """Rankings with one τ and rank distances from small to large.

    `tau` is that of all of them with the truth, in which tied systems stand by name. `distances` are those of all
    rankings that were drawn, ascending; `critical_value` is the greatest that is not significant at `alpha`.
    """

    reorderings: tuple[Reordering, ...]
    tau: float
    inversions: int
    systems: tuple[str, ...]
    means: Floats
    critical_value: float | None
    alpha: float
    distances: Floats
    measure: str | None
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per ranking, the nearest first; `farthest` is the most ranks by which a system moves."""
        home = range(1, len(self.systems) + 1)
        rows = [
            (
                ranking.tau,
                ranking.distance,
                ranking.pvalue,
                max(abs(rank - own) for rank, own in zip(ranking.ranks, home, strict=True)),
                ranking.moved,
            )
            for ranking in self.reorderings
        ]
        return Table(("tau", "d_rank", "pvalue", "farthest", "moved"), tuple(rows))


def study_reorderings(
    scores: ScoresLike,
    *,
    tau: float = TAU,
    count: int = COUNT,
    draws: int = DRAWS,
    ridge: float | None = None,
    resamples: int = FEWER_RESAMPLES,
    alpha: float = ALPHA,
    rng: int = SEED,
    jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    cluster: Any = None,
    progress: Progress | None = None,
) -> ReorderingStudy:
    """Rankings that all have the same Kendall's τ with the truth, and rank distances from small to large.

    The systems' means are moved in random directions until exactly the pairs that τ allows have changed order: as
    other topics would move them, every system on its own, and few systems alone. Of these rankings some are kept,
    evenly apart in distance from the least to the greatest.

    Parameters
    ----------
    scores : ScoresLike
        Scores by topic.
    tau : float, default 0.9
        The τ of all rankings with the truth, from 0 to less than 1.
    count : int, default 4
        The number of rankings that are kept.
    draws : int, default 2000
        The number of random directions.
    ridge : float, optional
        As in `rs.d_rank`; rankings that are impossible without one are left out.
    resamples : int, default 1000
        Draws of topics behind p-values and the critical value; 0 for none.
    alpha : float, default 0.05
        The level of the critical value.
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
    ReorderingStudy
        The rankings with their distances and p-values, and the distances of all rankings that were drawn.

    Raises
    ------
    BadParameter
        Where an option is out of its range, or no ranking has this τ.
    MissingScores
        Where there are no topics.
    TooLarge
        Where the rank distances would not fit in the memory that is free.
    MismatchedCheckpoint
        Where the folder keeps another study.
    UnreachableCluster
        Where the cluster does not answer.

    References
    ----------
    Carterette, "On Rank Correlation and the Distance Between Rankings", SIGIR 2009, Figure 1.

    Examples
    --------
    >>> from rankscope.demo import demo_scores
    >>> study = study_reorderings(demo_scores()["human"], draws=400, resamples=99)
    >>> [round(reordering.tau, 2) for reordering in study.reorderings]
    [0.9, 0.9, 0.9, 0.9]
    >>> study.reorderings[0].distance < study.reorderings[-1].distance / 3
    True
    """
    if not 0.0 <= tau < 1.0:
        raise BadParameter(f"tau={tau}: a number from 0 to less than 1, such as 0.9")
    check_count("count", count)
    check_count("draws", draws)
    check_resamples(resamples)
    check_share("alpha", alpha)
    check_seed(rng)
    check_ridge(ridge)
    table = to_matrix(scores, "a rank distance is measured in the spread over topics")
    base = prepare(table)
    pairs = len(base.systems) * (len(base.systems) - 1) // 2
    inversions = round((1.0 - tau) / 2.0 * pairs)
    if inversions < 1:
        raise BadParameter(f"tau={tau}: the {pairs} pairs of {len(base.systems)} systems allow no swap; choose less")
    chosen = base.paper_ridge if ridge is None else ridge
    blocks = [
        Part(
            name=f"draws-{number * CHUNK + 1:07d}-{number * CHUNK + size:07d}",
            shape=(size, 2 + len(base.systems)),
            function=_candidates,
            arguments=(base, inversions, chosen, seed, size, number),
        )
        for number, (seed, size) in enumerate(seeded_chunks(rng, draws))
    ]
    kept = None
    if checkpoint is not None:
        decisive = {"inversions": inversions, "ridge": chosen, "seed": int(rng), "input": digest_of(table.values)}
        kept = Checkpoint.of_study(checkpoint, "reorderings", decisive)
    rankings = np.concatenate(run_blocks(blocks, jobs=jobs, cluster=cluster, checkpoint=kept, progress=progress))
    rankings = rankings[~np.isnan(rankings[:, 0])]
    distances, orders = rankings[:, 0], rankings[:, 2:].astype(np.int64)
    kinds = [DIRECTIONS[int(number)][0] for number in rankings[:, 1]]
    if not len(distances):
        raise BadParameter(f"tau={tau}: no ranking has it in {draws} draws; draw more, or choose a higher τ")
    null = rank_distance_null(table, resamples=resamples, ridge=chosen, rng=rng, jobs=jobs) if resamples else None
    enough = null is not None and alpha * (null.resamples + 1) >= 1
    return ReorderingStudy(
        reorderings=tuple(
            Reordering(
                distance=float(distances[place]),
                tau=1.0 - 2.0 * inversions / pairs,
                pvalue=None if null is None else null.pvalue(float(distances[place])),
                moved=kinds[place],
                ranks=tuple((np.argsort(orders[place]) + 1).tolist()),
            )
            for place in _evenly(distances, count)
        ),
        tau=1.0 - 2.0 * inversions / pairs,
        inversions=inversions,
        systems=base.systems,
        means=base.sums / base.unit,
        critical_value=null.critical_value(alpha) if null is not None and enough else None,
        alpha=alpha,
        distances=np.sort(distances),
        measure=table.measure,
        settings={
            "tau": tau,
            "count": count,
            "draws": draws,
            "ridge": chosen,
            "resamples": resamples,
            "seed": int(rng),
        },
    )


def _all_topics(base: Baseline, generator: np.random.Generator, draws: int) -> Floats:
    return (topic_counts(generator, base.topics, draws) @ base.scores - base.sums) / base.unit


def _few_topics(base: Baseline, generator: np.random.Generator, draws: int) -> Floats:
    picked = generator.integers(0, base.topics, (draws, _FEW_TOPICS))
    return np.asarray((base.scores[picked].mean(axis=1) * base.topics - base.sums) / base.unit)


def _systems(base: Baseline, generator: np.random.Generator, draws: int) -> Floats:
    return generator.standard_normal((draws, len(base.systems))) * (np.ptp(base.sums) / base.unit)


def _few_systems(base: Baseline, generator: np.random.Generator, draws: int) -> Floats:
    m = len(base.systems)
    share = np.array(_FEW_SYSTEMS)[generator.integers(0, len(_FEW_SYSTEMS), draws)]
    moving = generator.random((draws, m)) < share[:, None]
    moving[np.arange(draws), generator.integers(0, m, draws)] = True
    return np.where(moving, _systems(base, generator, draws), 0.0)


DIRECTIONS: tuple[tuple[str, Noise], ...] = (
    ("as other topics would", _all_topics),
    ("as a few topics would", _few_topics),
    ("every system on its own", _systems),
    ("few systems alone", _few_systems),
)


def _candidates(
    base: Baseline, inversions: int, ridge: float, seed: np.random.SeedSequence, draws: int, number: int
) -> Floats:
    """Rankings with this many inversions, one in a row: its distance, its direction's number, and its order.

    Directions take turns. A draw that gives no ranking has a row of NaN.
    """
    generator = np.random.default_rng(seed)
    share = -(-draws // len(DIRECTIONS))
    orders, kinds = [], []
    left = draws
    for turn in range(len(DIRECTIONS)):
        kind = (number + turn) % len(DIRECTIONS)
        size = min(share, left)
        if size < 1:
            break
        left -= size
        made = orders_at(base.sums / base.unit, DIRECTIONS[kind][1](base, generator, size), inversions)
        orders.append(made)
        kinds += [kind] * len(made)
    every = np.concatenate(orders)
    rows = np.full((draws, 2 + len(base.systems)), np.nan)
    if len(every):
        distances = base.distances(every, ridge)
        possible = np.isfinite(distances)
        rows[: possible.sum()] = np.column_stack([distances, kinds, every])[possible]
    return rows


def orders_at(means: Floats, directions: Floats, inversions: int) -> Orders:
    """The orders with this number of inverted pairs that means reach along each direction; only those that reach it.

    Pairs cross one at a time along a line, so that a bisection between too few and enough inversions ends at a crossing
    that makes them exact. Means are in descending order, and those that are tied cross at once.
    """
    short, enough = np.zeros(len(directions)), np.full(len(directions), 2.0**-20)
    going = np.arange(len(directions))
    for _ in range(_STEPS):
        few = _inversions(means, directions[going], enough[going]) < inversions
        going = going[few]
        if not len(going):
            break
        enough[going] *= 2.0
    going = np.arange(len(directions))
    for _ in range(_STEPS):
        middle = (short[going] + enough[going]) / 2.0
        inverted = _inversions(means, directions[going], middle)
        few = inverted < inversions
        short[going[few]], enough[going[~few]] = middle[few], middle[~few]
        # Inversions only grow along a line: where their number is exact, a shorter way leads to the same order.
        going = going[inverted != inversions]
        if not len(going):
            break
    exact = _inversions(means, directions, enough) == inversions
    return _orders(means, directions[exact], enough[exact])


def _orders(means: Floats, directions: Floats, lengths: Floats) -> Orders:
    return np.argsort(-(means + lengths[:, None] * directions), axis=1, kind="stable")


def _inversions(means: Floats, directions: Floats, lengths: Floats) -> npt.NDArray[np.int64]:
    m = len(means)
    home = -np.arange(m, dtype=np.float64)
    ranks = np.empty((len(directions), m))
    np.put_along_axis(ranks, _orders(means, directions, lengths), np.broadcast_to(home, ranks.shape), axis=1)
    with quietly():
        tau = np.asarray(tau_a(home, ranks))
    return np.rint((1.0 - tau) / 2.0 * (m * (m - 1) // 2)).astype(np.int64)


def _evenly(distances: Floats, count: int) -> list[int]:
    """The places of distances nearest to targets evenly apart, each once, in ascending order of distance."""
    order = np.argsort(distances, kind="stable")
    targets = np.linspace(distances[order[0]], distances[order[-1]], count)
    picked = [int(order[np.argmin(np.abs(distances[order] - target))]) for target in targets]
    return sorted(dict.fromkeys(picked), key=lambda place: distances[place])
