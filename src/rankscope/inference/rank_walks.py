"""Markov chains over the rankings within a rank distance of a baseline's; allowed_ranks.py calls this.

With 110 systems the slowest change is of groups of similar systems against others: it would take hundreds of thousands
of moves of single systems. So walks also push all systems a little, along the few directions in which rankings vary
most. The directions are learned before any draw is kept; afterwards the rules are fixed, so that the walk is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

import numpy as np
import numpy.typing as npt

from rankscope.inference.rank_distance_baseline import Baseline, Steps
from rankscope.inference.resampling import Seed, in_threads
from rankscope.scores import Floats

Ranks = npt.NDArray[np.int64]
Progress = Callable[[int, int], None]

CHAINS = 8
# The draws of the two learning rounds as shares of those kept: first along the baseline's covariance, then along what
# that round has shown.
LEARNING = (0.1, 0.15)
# Draws for which random numbers are made at a time.
_CHUNK = 50
# The least and greatest length of a move of one system, in standard deviations of its ranks; at least to a neighbour.
_MOVE = (0.3, 4.0)
# Added to the standard deviation of a system's ranks, to which the frequency of its moves is proportional.
_ATTENTION = 0.5
# Directions of pushes, and their least and greatest length in standard deviations of rankings along them.
_DIRECTIONS = 20
_PUSH = (0.03, 0.2)


@dataclass(frozen=True, kw_only=True, eq=False)
class Walks:
    """Ranks from 0 (chain, draw, system), and the shares of moves and pushes made while they were kept."""

    ranks: Ranks
    moved: float
    pushed: float


def walk_within(
    base: Baseline,
    ridge: float,
    limit: float,
    draws: int,
    rng: Seed,
    jobs: int | None,
    progress: Progress | None,
) -> Walks:
    """At least `draws` draws of all chains together; one follows as many moves as systems, and half as many pushes."""
    generators = np.random.default_rng(rng).spawn(CHAINS)
    orders = [_start(base, ridge, limit, generator) for generator in generators]
    kept = -(-draws // CHAINS)
    rounds = [max(2, math.ceil(kept * share)) for share in LEARNING] + [kept]
    told = _told(progress, sum(rounds) * CHAINS)
    m = len(base.systems)
    directions, deviations = _directions(_covariance_of_means(base)), np.full(m, m / 4.0)
    for length in rounds:
        made = in_threads(
            lambda chain, length=length, habits=(directions, deviations): _walk(  # type: ignore[misc]
                base, ridge, limit, orders[chain], generators[chain], length, habits, told
            ),
            range(CHAINS),
            jobs,
        )
        ranks = np.stack([walked for walked, _, _ in made])
        # The first half still depends on the start.
        seen = ranks[:, length // 2 :].reshape(-1, m)
        directions = _directions(np.atleast_2d(np.cov(_normal_scores(seen), rowvar=False)))
        deviations = seen.std(axis=0)
    total = CHAINS * kept
    return Walks(
        ranks=ranks,
        moved=sum(moved for _, moved, _ in made) / (total * m),
        pushed=sum(pushed for _, _, pushed in made) / (total * _pushes(m)),
    )


def _pushes(m: int) -> int:
    return -(-m // 2)


def _told(progress: Progress | None, total: int) -> Callable[[int], None]:
    """A function that counts the draws of all threads and reports them to `progress`, one call at a time."""
    lock, done = Lock(), 0

    def tell(more: int) -> None:
        nonlocal done
        with lock:
            done += more
            if progress is not None:
                progress(done, total)

    return tell


def _start(base: Baseline, ridge: float, limit: float, generator: np.random.Generator) -> Ranks:
    """The order of the means pushed to the limit in a random direction, mostly one in which systems vary much.

    Points within the limit have allowed orders, so walks start far apart. If rounding or ties put the point beyond the
    limit, it is pushed less.
    """
    centred = base.scores - base.scores.mean(axis=0)
    weights = centred @ generator.normal(size=len(base.systems))
    length = math.sqrt(float(weights @ weights))
    push = weights @ centred / length if length > 0.0 else np.zeros(len(base.systems))
    # In sums: √n standard errors, with the covariance over n − 1.
    push *= limit * math.sqrt(base.topics / (base.topics - 1.0))
    for share in (1.0, 0.99, 0.9, 0.5):
        order = base.orders(base.sums + share * push)
        if base.distances(order[None], ridge)[0] <= limit:
            return order
    return np.arange(len(base.systems))


def _covariance_of_means(base: Baseline) -> Floats:
    """The covariance of differences from the mean system, in units of the variance of the systems' means."""
    apart = base.scores - base.scores.mean(axis=1, keepdims=True)
    covariance = np.atleast_2d(np.cov(apart, rowvar=False)) * base.topics
    return np.asarray(covariance / (float(np.var(base.sums)) or float(np.trace(covariance)) or 1.0))


def _directions(covariance: Floats) -> Floats:
    """The directions (rows) of greatest variance over systems, each as long as its standard deviation."""
    variances, axes = np.linalg.eigh(covariance)
    return np.ascontiguousarray((axes * np.sqrt(np.maximum(variances, 0.0))).T[-_DIRECTIONS:])


def _normal_scores(ranks: Ranks) -> Floats:
    """Approximate normal scores of these ranks."""
    from scipy.special import ndtri

    m = ranks.shape[1]
    return np.asarray(ndtri((m - ranks - 0.5) / m))


def _walk(
    base: Baseline,
    ridge: float,
    limit: float,
    order: Ranks,
    generator: np.random.Generator,
    draws: int,
    habits: tuple[Floats, Floats],
    tell: Callable[[int], None],
) -> tuple[Ranks, int, int]:
    walked, moved, pushed = [], 0, 0
    for first in range(0, draws, _CHUNK):
        now = min(_CHUNK, draws - first)
        ranks, moves, pushes = base.walk(order, _steps(now, *habits, generator), ridge, limit)
        walked.append(ranks)
        moved += moves
        pushed += pushes
        tell(now)
    return np.concatenate(walked), moved, pushed


def _steps(draws: int, directions: Floats, deviations: Floats, generator: np.random.Generator) -> Steps:
    """Moves (system, ranks to fall), heights for pushes, pushes, and uniform random numbers to accept them.

    Proposals do not depend on the current order and are as likely as their reversal, so walks are uniform.
    """
    m = len(deviations)
    attention = deviations + _ATTENTION
    movers = generator.choice(m, (draws, m), p=attention / attention.sum())
    lengths = np.exp(generator.uniform(math.log(_MOVE[0]), math.log(_MOVE[1]), (draws, m))) * deviations[movers]
    falls = np.maximum(np.rint(lengths).astype(np.int64), 1) * generator.choice([-1, 1], (draws, m))
    moves = np.stack([movers, falls], axis=-1)
    shape = draws, _pushes(m)
    heights = -np.sort(-generator.normal(size=(*shape, m)), axis=-1)
    scales = np.exp(generator.uniform(math.log(_PUSH[0]), math.log(_PUSH[1]), (*shape, 1)))
    pushes = scales * (generator.normal(size=(*shape, len(directions))) @ directions)
    return moves, heights, pushes, generator.random(shape)
