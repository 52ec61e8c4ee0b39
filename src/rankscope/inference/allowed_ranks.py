"""Which ranks may a system take in rankings that count as the baseline's? (Carterette 2009, section 4.3, Figure 3)"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from rankscope.errors import BadParameter, RankscopeWarning
from rankscope.inference.allowed_ranks_agreement import effective_draws, split_rhat
from rankscope.inference.allowed_ranks_walks import CHAINS, LEARNING, Progress, Ranks, Walks, walk_within
from rankscope.inference.distance_baseline import Baseline, prepare
from rankscope.inference.rank_null import RankDistanceNull, check_same, fingerprint, rank_distance_null
from rankscope.inference.resampling import generators, in_threads
from rankscope.results import Result, Table
from rankscope.scores import Floats

By = Literal["d_rank", "tau"]

# Up to so many systems, rankings within a τ are counted exactly (O(m⁵), 5 s for 200).
_COUNTED = 200
# A distance at the critical value is allowed, whichever way it was computed.
_SAME = 1e-9
# A discordant pair that is exp(−32) times as likely is never drawn.
_RAREST = 32.0
# Walks that differ by more than this have not seen all of the allowed set.
_RHAT = 1.05


@dataclass(frozen=True, kw_only=True, eq=False)
class AllowedRanks(Result):
    """The share of allowed rankings that put each system at each rank.

    `shares[x][y]` is that of system x, from the baseline's best, at rank y + 1. `limit` is the greatest d_rank, or the
    least τ, of an allowed ranking. `exact` says that all were counted; otherwise `draws` were taken. Independent ones
    (τ) have an `ess` as great. Those of walks (d_rank) are worth `ess` independent ones, for the worst of the systems'
    ranks and the distance itself; `rhat`, the greatest rank-normalised split-R̂ of these (1 is best), and
    `chain_difference`, the farthest a share of one walk is from that of all, tell how well the walks agree. `moved`
    and `pushed` are the shares of moves of one system and of pushes of many that were made.
    """

    systems: tuple[str, ...]
    shares: Floats
    by: By
    limit: float
    exact: bool
    draws: int | None
    rhat: float | None
    ess: float | None
    chain_difference: float | None
    moved: float | None
    pushed: float | None
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per system, from the baseline's best: the share at each rank."""
        columns = ("system", *(str(rank + 1) for rank in range(len(self.systems))))
        rows = ((name, *row) for name, row in zip(self.systems, self.shares.tolist(), strict=True))
        return Table(columns, tuple(rows))


def allowed_ranks(
    scores: Any,
    *,
    by: By = "d_rank",
    level: float = 0.05,
    tau: float = 0.9,
    draws: int = 30_000,
    resamples: int = 10_000,
    rng: int | np.random.Generator = 0,
    null: RankDistanceNull | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> AllowedRanks:
    """The ranks that systems take over all rankings within the critical d_rank of `level`, or with Kendall's τ ≥ `tau`.

    Every allowed ranking counts once. For τ they are counted exactly up to 200 systems, and beyond drawn independently.
    For d_rank eight walks start far apart and move single systems, near and far, and many together, along directions
    learned before any draw is kept; as the allowed points are convex, single swaps of neighbours lead from every
    allowed ranking to every other. `draws` are kept in all, one per as many moves as there are systems, and half as
    many pushes; `null` is reused as in `rank_distance_test`, else made with `resamples`. `progress` is called with the
    number of draws made and of all, those before the first kept one included: 110 systems take minutes.

    >>> ap = [[0.283, 0.481, 0.516], [0.017, 0.399, 0.544], [0.075, 0.300, 0.277], [0.183, 0.662, 0.616]]
    >>> allowed_ranks(ap, by="tau", tau=1 / 3).shares.round(4).tolist()
    [[0.6667, 0.3333, 0.0], [0.3333, 0.3333, 0.3333], [0.0, 0.3333, 0.6667]]
    """
    if by not in get_args(By):
        raise BadParameter(f"by={by!r}: choose one of {', '.join(get_args(By))}")
    if not -1.0 <= tau <= 1.0:
        raise BadParameter(f"tau={tau}: Kendall's τ is between −1 and 1")
    if draws < 10 * CHAINS:
        raise BadParameter(f"draws={draws}: {10 * CHAINS} at least, ten for each of {CHAINS} walks")
    base = prepare(scores)
    if by == "tau":
        return _by_tau(base, tau, draws, rng, jobs)
    if null is None:
        null = rank_distance_null(scores, resamples=resamples, rng=rng, jobs=jobs)
    else:
        check_same(null, fingerprint(scores), base, None)
    limit = null.critical_value(level)
    walks = walk_within(base, null.ridge, limit * (1.0 + _SAME) + _SAME, draws, rng, jobs, progress)
    settings = {"level": level, "ridge": null.ridge, "resamples": null.resamples, "chains": CHAINS}
    return _walked(base, limit, walks, {**settings, "learning": LEARNING, "seed": _seed(rng)}, jobs)


def _seed(rng: int | np.random.Generator) -> int | None:
    return None if isinstance(rng, np.random.Generator) else int(rng)


def _walked(base: Baseline, limit: float, walks: Walks, settings: dict[str, Any], jobs: int | None) -> AllowedRanks:
    chains = list(walks.ranks)
    shares = np.stack([_shares(chain) for chain in chains])
    together = shares.mean(axis=0)
    distances = in_threads(lambda ranks: base.distances(np.argsort(ranks, axis=1), settings["ridge"]), chains, jobs)
    watched = [*np.moveaxis(walks.ranks, 2, 0).astype(np.float64), np.stack(distances)]
    rhat = max(split_rhat(values) for values in watched)
    ess = min(effective_draws(values) for values in watched)
    if rhat > _RHAT:
        warnings.warn(
            f"the walks do not agree yet (R̂ = {rhat:.2f}, above {_RHAT}; worth {ess:.0f} independent draws); "
            f"more draws make the shares better",
            RankscopeWarning,
            stacklevel=3,
        )
    return AllowedRanks(
        systems=base.systems,
        shares=together,
        by="d_rank",
        limit=limit,
        exact=False,
        draws=walks.ranks.shape[0] * walks.ranks.shape[1],
        rhat=rhat,
        ess=ess,
        chain_difference=float(np.abs(shares - together).max()),
        moved=walks.moved,
        pushed=walks.pushed,
        settings=settings,
    )


def _by_tau(base: Baseline, tau: float, draws: int, rng: int | np.random.Generator, jobs: int | None) -> AllowedRanks:
    from rankscope.kernels.walks import shares_by_inversions

    m = len(base.systems)
    most = math.floor((1.0 - tau) / 2.0 * (m * (m - 1) // 2) + _SAME)
    counted = m <= _COUNTED
    if counted:
        shares = shares_by_inversions(m, most)
    else:
        chunks = list(generators(rng, draws))
        parts = in_threads(lambda chunk: _shares(_with_few_inversions(m, most, chunk[1], chunk[0])), chunks, jobs)
        shares = np.average(parts, axis=0, weights=[size for _, size in chunks])
    return AllowedRanks(
        systems=base.systems,
        shares=shares,
        by="tau",
        limit=tau,
        exact=counted,
        draws=None if counted else draws,
        rhat=None,
        ess=None if counted else float(draws),
        chain_difference=None,
        moved=None,
        pushed=None,
        settings={"tau": tau} if counted else {"tau": tau, "seed": _seed(rng)},
    )


def _with_few_inversions(m: int, most: int, draws: int, generator: np.random.Generator) -> Ranks:
    """Independent draws of ranks (from 0) from all orders with at most so many discordant pairs, equally likely.

    System i passes over 0 to i of those before it. Were these independent, each pass a factor q less likely, all
    orders with as many discordant pairs would be equally likely; q is such that `most` are expected, and a draw with
    fewer is kept as much more rarely as it is too likely.
    """
    from rankscope.kernels.walks import ranks_by_passes

    choices = np.arange(1.0, m + 1.0)
    if most >= m * (m - 1) // 4:
        rate = 0.0
    else:
        low, high = 0.0, 1.0
        while _expected_passes(choices, high) > most and high < _RAREST:
            high *= 2.0
        for _ in range(60):
            rate = (low + high) / 2.0
            low, high = (rate, high) if _expected_passes(choices, rate) > most else (low, rate)
    kept: list[Ranks] = []
    missing = draws
    while missing > 0:
        uniform = generator.random((max(draws // 4, 16), m))
        if rate > 0.0:
            # The inverse of the distribution function of a geometric law cut off at i.
            passes = np.floor(np.log1p(uniform * np.expm1(-rate * choices)) / -rate)
        else:
            passes = np.floor(uniform * choices)
        passes = np.clip(passes, 0.0, choices - 1.0).astype(np.int64)
        fewer = most - passes.sum(axis=1)
        good = (fewer >= 0) & (generator.random(len(passes)) < np.exp(-rate * np.maximum(fewer, 0)))
        kept.append(passes[good][:missing])
        missing -= len(kept[-1])
    return ranks_by_passes(np.concatenate(kept))


def _expected_passes(choices: Floats, rate: float) -> float:
    """The expected number of discordant pairs where each is exp(−rate) times as likely."""
    if rate == 0.0:
        return math.inf
    cut = choices / np.expm1(np.minimum(rate * choices, 10.0 * _RAREST))
    return float((1.0 / np.expm1(rate) - cut).sum())


def _shares(ranks: Ranks) -> Floats:
    m = ranks.shape[1]
    cells = np.bincount((ranks + m * np.arange(m)).ravel(), minlength=m * m)
    return cells.reshape(m, m) / len(ranks)
