"""`allowed_ranks`: which ranks do systems take in the rankings that do not differ significantly from the baseline's?

Carterette 2009, section 4.3 and Figure 3. For d_rank, rank_walks.py draws such rankings and chain_diagnostics.py tells
how well its walks agree; for τ they are counted or drawn here.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from rankscope.checks import check_choice, check_count
from rankscope.defaults import ALPHA, SEED
from rankscope.errors import BadParameter, RankscopeWarning
from rankscope.inference.chain_diagnostics import effective_draws, split_rhat
from rankscope.inference.rank_distance_baseline import Baseline, baseline_scores, prepare
from rankscope.inference.rank_distance_null import RankDistanceNull, check_same, fingerprint, rank_distance_null
from rankscope.inference.rank_walks import CHAINS, LEARNING, Progress, Ranks, Walks, walk_within
from rankscope.inference.resampling import Seed, generators, in_threads, recorded_seed
from rankscope.inputs import ScoresLike
from rankscope.results import Result, Table
from rankscope.scores import Floats

By = Literal["d_rank", "tau"]

# Up to this number of systems, rankings within a τ are counted exactly (O(m⁵), 5 s for 200).
_COUNTED = 200
# A distance this close to the critical value is allowed, since rounding depends on how it was computed.
_SAME = 1e-9
# The greatest rate of the geometric law: a discordant pair exp(−32) times as likely is never drawn.
_RAREST = 32.0
# Walks with a greater split-R̂ have not covered the allowed set.
_RHAT = 1.05


@dataclass(frozen=True, kw_only=True, eq=False)
class AllowedRanks(Result):
    """The share of allowed rankings that put each system at each rank.

    Attributes
    ----------
    systems : tuple of str
        From the baseline's best to its worst.
    shares : ndarray
        `shares[x, y]` is the share of allowed rankings with system x at rank y + 1.
    by : str
        "d_rank" or "tau".
    limit : float
        The greatest d_rank, or the least τ, of an allowed ranking.
    exact : bool
        Whether all allowed rankings were counted.
    draws : int or None
        The number of draws; None where all were counted.
    rhat : float or None
        The greatest rank-normalised split-R̂ of the systems' ranks and of the distance over the walks (1 is best).
    ess : float or None
        The least effective sample size of the same: the number of independent draws that the draws are worth.
    chain_difference : float or None
        The greatest difference between a share of one walk and that of all.
    moved, pushed : float or None
        The shares of proposed moves of one system, and of pushes of many, that were accepted.
    settings : dict
        The options.
    """

    systems: tuple[str, ...]
    shares: Floats
    by: By
    limit: float
    exact: bool
    draws: int | None
    rhat: float | None = None
    ess: float | None
    chain_difference: float | None = None
    moved: float | None = None
    pushed: float | None = None
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per system, from the baseline's best: the share at each rank."""
        columns = ("system", *(str(rank + 1) for rank in range(len(self.systems))))
        rows = ((name, *row) for name, row in zip(self.systems, self.shares.tolist(), strict=True))
        return Table(columns, tuple(rows))


def allowed_ranks(
    scores: ScoresLike,
    *,
    by: By = "d_rank",
    level: float = ALPHA,
    tau: float = 0.9,
    draws: int = 30_000,
    resamples: int = 10_000,
    rng: Seed = SEED,
    null: RankDistanceNull | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> AllowedRanks:
    """The ranks that systems take over all rankings close to the baseline's, each counted once.

    A ranking is close if its d_rank is at most the critical value, or its Kendall's τ with the baseline at least `tau`.
    For τ all rankings are counted up to 200 systems, and beyond drawn independently. For d_rank eight Markov chains
    start far apart. They move single systems and push many together, along directions learned before any draw is kept.
    The allowed points are convex, so swaps of neighbours lead from every allowed ranking to every other. 110 systems
    take minutes.

    Parameters
    ----------
    scores : ScoresLike
        The baseline's scores by topic.
    by : {"d_rank", "tau"}, default "d_rank"
        What decides whether a ranking is close.
    level : float, default 0.05
        The level of the critical d_rank.
    tau : float, default 0.9
        The least τ, for `by="tau"`.
    draws : int, default 30000
        The number of draws kept. For d_rank, one follows as many moves as there are systems, and half as many pushes.
    resamples : int, default 10000
        The draws of topics behind the critical d_rank.
    rng : int or numpy.random.Generator, default 0
        A seed or a generator.
    null : RankDistanceNull or None, default None
        The null distribution of this baseline, if already made.
    jobs : int or None, default None
        The number of threads; None is one per core.
    progress : callable or None, default None
        Called with the number of draws made and the total, learning included.

    Returns
    -------
    AllowedRanks
        The share of allowed rankings that put each system at each rank.

    Raises
    ------
    BadParameter
        If an option is out of its range, or `null` is of another baseline.
    MissingScores
        Without topics, with fewer than two, or with missing scores.

    Warns
    -----
    RankscopeWarning
        If the walks do not agree (split-R̂ above 1.05).

    References
    ----------
    B. Carterette, "On rank correlation and the distance between rankings", SIGIR 2009, section 4.3, Figure 3.
    A. Vehtari, A. Gelman, D. Simpson, B. Carpenter and P.-C. Bürkner, "Rank-normalization, folding, and localization:
    an improved R̂ for assessing convergence of MCMC", Bayesian Analysis 16, 2021.

    Examples
    --------
    >>> ap = [[0.283, 0.481, 0.516], [0.017, 0.399, 0.544], [0.075, 0.300, 0.277], [0.183, 0.662, 0.616]]
    >>> allowed_ranks(ap, by="tau", tau=1 / 3).shares.round(4).tolist()
    [[0.6667, 0.3333, 0.0], [0.3333, 0.3333, 0.3333], [0.0, 0.3333, 0.6667]]
    """
    check_choice("by", by, get_args(By))
    if not -1.0 <= tau <= 1.0:
        raise BadParameter(f"tau={tau}: a number from −1 to 1")
    check_count("draws", draws, 10 * CHAINS)
    table = baseline_scores(scores)
    base = prepare(table)
    if by == "tau":
        return _by_tau(base, tau, draws, rng, jobs)
    if null is None:
        null = rank_distance_null(table, resamples=resamples, rng=rng, jobs=jobs)
    else:
        check_same(null, fingerprint(table), base, None)
    limit = null.critical_value(level)
    walks = walk_within(base, null.ridge, limit * (1.0 + _SAME) + _SAME, draws, rng, jobs, progress)
    settings = {"level": level, "ridge": null.ridge, "resamples": null.resamples, "chains": CHAINS}
    return _walked(base, limit, walks, {**settings, "learning": LEARNING, "seed": recorded_seed(rng)}, jobs)


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
            f"the walks do not agree yet (R̂ = {rhat:.2f}, above {_RHAT}; {ess:.0f} effective draws); take more draws",
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


def _by_tau(base: Baseline, tau: float, draws: int, rng: Seed, jobs: int | None) -> AllowedRanks:
    from rankscope.kernels.walks import shares_by_inversions

    m = len(base.systems)
    most = math.floor((1.0 - tau) / 2.0 * (m * (m - 1) // 2) + _SAME)
    counted = m <= _COUNTED
    if counted:
        shares = shares_by_inversions(m, most)
    else:
        chunks = list(generators(rng, draws))
        drawn = in_threads(lambda chunk: _shares(_with_few_inversions(m, most, chunk[1], chunk[0])), chunks, jobs)
        shares = np.average(drawn, axis=0, weights=[size for _, size in chunks])
    return AllowedRanks(
        systems=base.systems,
        shares=shares,
        by="tau",
        limit=tau,
        exact=counted,
        draws=None if counted else draws,
        ess=None if counted else float(draws),
        settings={"tau": tau} if counted else {"tau": tau, "seed": recorded_seed(rng)},
    )


def _with_few_inversions(m: int, most: int, draws: int, generator: np.random.Generator) -> Ranks:
    """Independent draws of ranks (from 0), uniform over all orders with at most `most` discordant pairs.

    System i passes 0 to i of those before it. If passes are independent and each is a factor q less likely, all orders
    with the same number of discordant pairs are equally likely. q is such that `most` are expected; draws with fewer
    are accepted with a probability that makes all equally likely.
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
            # The inverse distribution function of a geometric law truncated at i.
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
