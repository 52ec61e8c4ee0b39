"""Walks over the rankings within a distance of a baseline's, from many places, by moves fitted to the set.

On 110 systems the slowest change is of groups of like systems against others: moved one at a time, hundreds of
thousands of moves. So walks also push all systems a little, along the few directions in which rankings vary most,
learned while nothing is kept yet; what is kept is walked under fixed rules, as exactness demands.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

import numpy as np
import numpy.typing as npt

from rankscope.inference.distance_baseline import Baseline, Steps
from rankscope.inference.resampling import in_threads
from rankscope.scores import Floats

Ranks = npt.NDArray[np.int64]
Progress = Callable[[int, int], None]

CHAINS = 8
# Beside what is kept, what goes before: first along the baseline's own covariance, then along what that has shown.
LEARNING = (0.1, 0.15)
# Draws to which a walk gives random numbers at a time.
_CHUNK = 50
# The least and greatest length of a move of one system, beside the deviation of its ranks; to a neighbour at least.
_MOVE = (0.3, 4.0)
# Added to the deviation of a system's ranks where it decides how often it is moved: none is left alone.
_ATTENTION = 0.5
# Directions of pushes, and their least and greatest length beside the deviation of rankings along them.
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
    rng: int | np.random.Generator,
    jobs: int | None,
    progress: Progress | None,
) -> Walks:
    """At least so many draws in all; one is what as many moves as systems, and half as many pushes, lead to."""
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
        # The first of these still tell where the walks began.
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
    """Count draws of all threads, and say so one at a time."""
    lock, done = Lock(), 0

    def tell(more: int) -> None:
        nonlocal done
        with lock:
            done += more
            if progress is not None:
                progress(done, total)

    return tell


def _start(base: Baseline, ridge: float, limit: float, generator: np.random.Generator) -> Ranks:
    """The order of means pushed to the limit in a direction of its own, mostly those in which systems vary most.

    Points within the limit have allowed orders, so that walks start far apart; one that rounding or ties put beyond it
    is pushed less.
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
    """Of differences from the mean system, in variances of the systems' means, which become heights."""
    apart = base.scores - base.scores.mean(axis=1, keepdims=True)
    covariance = np.atleast_2d(np.cov(apart, rowvar=False)) * base.topics
    return np.asarray(covariance / (float(np.var(base.sums)) or float(np.trace(covariance)) or 1.0))


def _directions(covariance: Floats) -> Floats:
    """Directions × systems, those of most variance, as long as its deviation."""
    variances, axes = np.linalg.eigh(covariance)
    return np.ascontiguousarray((axes * np.sqrt(np.maximum(variances, 0.0))).T[-_DIRECTIONS:])


def _normal_scores(ranks: Ranks) -> Floats:
    """The heights at which systems at these ranks are expected, about."""
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
    found, moved, pushed = [], 0, 0
    for first in range(0, draws, _CHUNK):
        now = min(_CHUNK, draws - first)
        ranks, moves, pushes = base.walk(order, _steps(now, *habits, generator), ridge, limit)
        found.append(ranks)
        moved += moves
        pushed += pushes
        tell(now)
    return np.concatenate(found), moved, pushed


def _steps(draws: int, directions: Floats, deviations: Floats, generator: np.random.Generator) -> Steps:
    """Moves (system, ranks to fall), heights for pushes, pushes, and their chances.

    Nothing depends on where a walk is, and ways there are as likely as ways back, so that walks are fair.
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
