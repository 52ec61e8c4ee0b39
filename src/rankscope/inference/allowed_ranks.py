"""Which ranks may a system take in rankings that count as the baseline's? (Carterette 2009, section 4.3, Figure 3)"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from rankscope.errors import BadParameter, RankscopeWarning
from rankscope.inference.distance_baseline import Baseline, prepare
from rankscope.inference.rank_null import RankDistanceNull, check_same, fingerprint, rank_distance_null
from rankscope.inference.resampling import in_threads
from rankscope.results import Result, Table
from rankscope.scores import Floats

By = Literal["d_rank", "tau"]
Ranks = npt.NDArray[np.int64]

_CHAINS = 4
# Of each chain, what is thrown away before it counts.
_BURN_IN = 0.2
# Up to so many systems, rankings within a τ are counted exactly (O(m⁵), 5 s for 200).
_COUNTED = 200
# A distance at the critical value is allowed, whichever way it was computed.
_SAME = 1e-9
# Chains that differ by more than this have not seen all of the allowed set (Gelman et al. 2013, section 11.5).
_RHAT = 1.1


@dataclass(frozen=True, kw_only=True, eq=False)
class AllowedRanks(Result):
    """The share of allowed rankings that put each system at each rank.

    `shares[x][y]` is that of system x, from the baseline's best, at rank y + 1. `limit` is the greatest d_rank, or the
    least τ, of an allowed ranking. `exact` says that all were counted; otherwise they were sampled by a walk, and
    `rhat` (the greatest split-R̂ of the systems' ranks, 1 is best) and `chain_difference` (the farthest a share of
    one chain is from that of all) tell how well the chains agree, and `moved` is the share of proposals accepted.
    """

    systems: tuple[str, ...]
    shares: Floats
    by: By
    limit: float
    exact: bool
    draws: int | None
    rhat: float | None
    chain_difference: float | None
    moved: float | None
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
    draws: int = 10_000,
    resamples: int = 10_000,
    rng: int | np.random.Generator = 0,
    null: RankDistanceNull | None = None,
    jobs: int | None = None,
) -> AllowedRanks:
    """The ranks that systems take over all rankings within the critical d_rank of `level`, or with Kendall's τ ≥ `tau`.

    Every allowed ranking counts once. For τ they are counted exactly, up to 200 systems. For d_rank four walks
    start at the baseline's ranking and move single systems, near and far; as the allowed points are convex, single
    swaps of neighbours lead from it to every allowed ranking. `draws` are kept in all, one per as many proposals as
    there are systems; `null` is reused as in `rank_distance_test`, else made with `resamples`.

    >>> ap = [[0.283, 0.481, 0.516], [0.017, 0.399, 0.544], [0.075, 0.300, 0.277], [0.183, 0.662, 0.616]]
    >>> allowed_ranks(ap, by="tau", tau=1 / 3).shares.round(4).tolist()
    [[0.6667, 0.3333, 0.0], [0.3333, 0.3333, 0.3333], [0.0, 0.3333, 0.6667]]
    """
    if by not in get_args(By):
        raise BadParameter(f"by={by!r}: choose one of {', '.join(get_args(By))}")
    if not -1.0 <= tau <= 1.0:
        raise BadParameter(f"tau={tau}: Kendall's τ is between −1 and 1")
    if draws < 10 * _CHAINS:
        raise BadParameter(f"draws={draws}: {10 * _CHAINS} at least, ten for each of {_CHAINS} chains")
    base = prepare(scores)
    if by == "tau":
        return _by_tau(base, tau, draws, rng, jobs)
    if null is None:
        null = rank_distance_null(scores, resamples=resamples, rng=rng, jobs=jobs)
    else:
        check_same(null, fingerprint(scores), base, None)
    return _by_distance(base, null, level, draws, rng, jobs)


def _by_distance(
    base: Baseline, null: RankDistanceNull, level: float, draws: int, rng: int | np.random.Generator, jobs: int | None
) -> AllowedRanks:
    limit = null.critical_value(level)
    walks = in_threads(
        lambda moves: base.walk(*moves, null.ridge, limit * (1.0 + _SAME) + _SAME),
        _proposals(len(base.systems), draws, rng),
        jobs,
    )
    settings = {"level": level, "ridge": null.ridge, "resamples": null.resamples, **_walk_settings(rng)}
    return _sampled(base, "d_rank", limit, walks, settings)


def _by_tau(base: Baseline, tau: float, draws: int, rng: int | np.random.Generator, jobs: int | None) -> AllowedRanks:
    from rankscope.kernels.walks import shares_by_inversions, walk_by_inversions

    m = len(base.systems)
    pairs = m * (m - 1) // 2
    most = math.floor((1.0 - tau) / 2.0 * pairs + _SAME)
    if m > _COUNTED:
        walks = in_threads(
            lambda moves: walk_by_inversions(m, moves[0], moves[1], m, most), _proposals(m, draws, rng), jobs
        )
        return _sampled(base, "tau", tau, walks, {"tau": tau, **_walk_settings(rng)})
    return AllowedRanks(
        systems=base.systems,
        shares=shares_by_inversions(m, most),
        by="tau",
        limit=tau,
        exact=True,
        draws=None,
        rhat=None,
        chain_difference=None,
        moved=None,
        settings={"tau": tau},
    )


def _walk_settings(rng: int | np.random.Generator) -> dict[str, Any]:
    return {"chains": _CHAINS, "burn_in": _BURN_IN, "seed": None if isinstance(rng, np.random.Generator) else int(rng)}


def _proposals(m: int, draws: int, rng: int | np.random.Generator) -> list[tuple[Ranks, Ranks]]:
    """For each chain, where systems are taken from and put back to; equally likely both ways, so that walks are fair.

    Half of the moves are to a neighbour, the others over distances of every order of magnitude.
    """
    generators = np.random.default_rng(rng).spawn(_CHAINS)
    kept = -(-draws // _CHAINS)
    moves = (kept + math.ceil(kept * _BURN_IN / (1.0 - _BURN_IN))) * m
    made = []
    for generator in generators:
        starts = generator.integers(0, m, moves)
        far = np.floor(float(m) ** generator.random(moves)).astype(np.int64)
        over = np.where(generator.random(moves) < 0.5, 1, far) * generator.choice([-1, 1], moves)
        ends = starts + over
        made.append((starts, np.where((ends >= 0) & (ends < m), ends, starts)))
    return made


def _sampled(
    base: Baseline, by: By, limit: float, walks: list[tuple[Ranks, int]], settings: dict[str, Any]
) -> AllowedRanks:
    m = len(base.systems)
    steps = walks[0][0].shape[0]
    ranks = np.stack([walked[int(steps * _BURN_IN) :] for walked, _ in walks])
    shares = np.stack([_shares(chain, m) for chain in ranks])
    together = shares.mean(axis=0)
    rhat = _split_rhat(ranks)
    if rhat > _RHAT:
        warnings.warn(
            f"the walks do not agree yet (R̂ = {rhat:.2f}, above {_RHAT}); more draws make the shares better",
            RankscopeWarning,
            stacklevel=4,
        )
    return AllowedRanks(
        systems=base.systems,
        shares=together,
        by=by,
        limit=limit,
        exact=False,
        draws=ranks.shape[0] * ranks.shape[1],
        rhat=rhat,
        chain_difference=float(np.abs(shares - together).max()),
        moved=sum(made for _, made in walks) / (len(walks) * steps * m),
        settings=settings,
    )


def _shares(ranks: Ranks, m: int) -> Floats:
    cells = np.bincount((ranks + m * np.arange(m)).ravel(), minlength=m * m)
    return cells.reshape(m, m) / len(ranks)


def _split_rhat(ranks: Ranks) -> float:
    """The greatest split-R̂ (Gelman et al. 2013, section 11.4) over systems; a system that never moves is settled."""
    half = ranks.shape[1] // 2
    parts = np.concatenate([ranks[:, :half], ranks[:, -half:]]).astype(np.float64)
    within = parts.var(axis=1, ddof=1).mean(axis=0)
    between = parts.mean(axis=1).var(axis=0, ddof=1)
    moving = (within > 0) | (between > 0)
    with np.errstate(divide="ignore"):
        rhat = np.sqrt((half - 1) / half + between[moving] / within[moving])
    return float(rhat.max()) if moving.any() else 1.0
