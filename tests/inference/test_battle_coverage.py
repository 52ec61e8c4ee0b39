"""Rank sets from battles cover as they promise: arenas simulated from Bradley–Terry strengths, with ties."""

import numpy as np
import pytest

import rankscope as rs
from rankscope.inference import rank_sets
from rankscope.inference.rank_sets import UncertainMeans


def _arena(models, battles, rng):
    """Battles of random pairs; a tie has a chance of 30 % between equals, and less between unequals."""
    strength = rng.normal(0.0, 0.7, models)
    first = rng.integers(0, models, battles)
    second = (first + rng.integers(1, models, battles)) % models
    chance = 1.0 / (1.0 + np.exp(strength[second] - strength[first]))
    tie, drawn = 0.3 * 4.0 * chance * (1.0 - chance), rng.random(battles)
    wins = np.where(drawn < tie, 0.5, np.where(drawn < tie / 2.0 + chance, 1.0, 0.0))
    names = [str(code) for code in range(models)]
    return strength, rs.Battles([names[code] for code in first], [names[code] for code in second], wins)


@pytest.mark.slow
@pytest.mark.parametrize(("models", "battles"), [(5, 100), (10, 300), (20, 500), (20, 5_000)])
def test_rank_sets_of_battles_cover(models, battles):
    rng = np.random.default_rng(1)
    typical, together = [], []
    for seed in range(200):
        strength, arena = _arena(models, battles, rng)
        scores = arena.scores(prior=1.0)
        true = strength[[int(name) for name in scores.systems]]
        rank = 1 + (true[None, :] > true[:, None]).sum(axis=1)
        data = UncertainMeans.of_covariance(
            scores.means, scores.covariance, resamples=1_000, rng=seed, topics=len(scores.topics)
        )
        low, high = rank_sets.typical(*rank_sets.rank_bounds(data.typical_draws(0.95)), 0.95)
        typical.append(np.mean((low <= rank) & (rank <= high)))
        every = rank_sets.simultaneous(data, 0.95)
        together.append(bool(np.all((every.low <= rank) & (rank <= every.high))))
    assert np.mean(typical) >= 0.94
    assert np.mean(together) >= 0.92  # .95, and twice the Monte-Carlo error of 200 arenas
