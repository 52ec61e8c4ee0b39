"""Bradley–Terry scores of battles with 1,000 draws of battles, beside evalica and choix."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import rankscope as rs
from benchmarks.timing import best
from rankscope.inference.rank_sets import UncertainMeans

# Battles and models: an arena's first months, and one of its later years.
SIZES = ((26_919, 20), (1_000_000, 100))
DRAWS = 1_000
# The others are timed on this many draws, and scaled up.
FEWER = 20


def _battles(count: int, models: int) -> rs.Battles:
    rng = np.random.default_rng(0)
    strength = rng.normal(0.0, 0.6, models)
    first = rng.integers(0, models, count)
    second = (first + rng.integers(1, models, count)) % models
    chance = 1.0 / (1.0 + np.exp(strength[second] - strength[first]))
    wins = np.where(rng.random(count) < 0.3, 0.5, (rng.random(count) < chance).astype(float))
    names = [f"model {code}" for code in range(models)]
    return rs.Battles([names[code] for code in first], [names[code] for code in second], wins)


def _ours(battles: rs.Battles) -> UncertainMeans:
    scores = battles.scores()
    return UncertainMeans.of_covariance(scores.means, scores.covariance, resamples=DRAWS, topics=len(battles))


def _choix(battles: rs.Battles, draws: int) -> None:
    import choix

    rng, models = np.random.default_rng(0), len(battles.systems)
    for _ in range(draws):
        rows = rng.integers(0, len(battles), len(battles))
        first, second, wins = battles.first[rows], battles.second[rows], battles.wins[rows]
        won = np.bincount(first * models + second, wins, models**2)
        won += np.bincount(second * models + first, 1.0 - wins, models**2)
        choix.ilsr_pairwise_dense(won.astype(np.float64).reshape(models, models))


def _evalica(battles: rs.Battles, draws: int) -> Any:
    import evalica

    labels = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}
    sides = [[battles.systems[code] for code in side] for side in (battles.first, battles.second)]
    winners = [labels[win] for win in battles.wins]
    settings: dict[str, Any] = {"n_resamples": draws, "bootstrap_method": "percentile", "random_state": 0}
    return evalica.bootstrap(evalica.bradley_terry, sides[0], sides[1], winners, **settings)


def run() -> Iterator[str]:
    yield f"## Battles: Bradley–Terry scores with {DRAWS:,} draws of battles\n"
    yield f"evalica 0.4.2 (Apache 2.0, Rust) and choix 0.4.1 (MIT) are timed on {FEWER} draws and scaled up; choix gets"
    yield "resampled win matrices from us. Neither has a covariance; all three have the same scores.\n"
    yield "| battles × models | ours | choix | evalica | `rs.rank` |"
    yield "|---|---|---|---|---|"
    for count, models in SIZES:
        battles = _battles(count, models)
        rs.rank(battles, resamples=100)  # compile
        ours, whole = best(partial(_ours, battles), 2), best(partial(rs.rank, battles), 2)
        choix = best(partial(_choix, battles, FEWER), 1) * DRAWS / FEWER
        evalica = best(partial(_evalica, battles, FEWER), 1) * DRAWS / FEWER
        yield f"| {count:,} × {models} | {ours:.2f} s | {choix:.1f} s | {evalica:.0f} s | {whole:.2f} s |"
