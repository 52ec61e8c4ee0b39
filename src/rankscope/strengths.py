"""Scores of models from battles between them: Bradley–Terry strengths and win rates, and what each battle adds to them.

Both estimators are given with the influence of every battle: the change of all scores by counting that battle once
more, to first order. Sums of influences over resampled battles are the bootstrap of the scores, and the sum of their
squares is the sandwich covariance, which holds whether or not the model of Bradley and Terry does.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.errors import BadParameter, NoStrengths, some
from rankscope.scores import Floats

Codes = npt.NDArray[np.int64]

# Elo's scale: 400 points are odds of 10 to 1, and the average model has 1000.
ELO_UNIT = 400.0 / math.log(10.0)
ELO_MEAN = 1000.0
# Elo points are kept to this many decimals, so that models with mirrored records tie exactly.
_DECIMALS = 9
_STEPS = 200
_CONVERGED = 1e-13


class Strengths(NamedTuple):
    """Scores of models, and what battles add to them.

    The influence of a battle is `bread[first] * first_residual + bread[second] * second_residual`.
    """

    values: Floats
    bread: Floats
    first_residuals: Floats
    second_residuals: Floats


def win_rates(first: Codes, second: Codes, wins: Floats, models: int) -> Strengths:
    """The share of its battles that each model won, ties counting half.

    >>> win_rates(np.array([0, 0]), np.array([1, 1]), np.array([1.0, 0.5]), 2).values.tolist()
    [0.75, 0.25]
    """
    won = np.bincount(first, wins, models) + np.bincount(second, 1.0 - wins, models)
    played = np.bincount(first, minlength=models) + np.bincount(second, minlength=models)
    rates = won / played
    return Strengths(rates, np.diag(1.0 / played), wins - rates[first], 1.0 - wins - rates[second])


def bradley_terry(
    first: Codes, second: Codes, wins: Floats, names: tuple[str, ...], *, prior: float = 0.0
) -> Strengths:
    """Maximum-likelihood strengths on Elo's scale, ties counting as half a win of each (Bradley & Terry 1952).

    With a prior, every model has also tied that many battles with a model of average strength.
    """
    models = len(names)
    won = np.bincount(first * models + second, wins, models * models)
    won += np.bincount(second * models + first, 1.0 - wins, models * models)
    table: Floats = won.astype(np.float64).reshape(models, models)
    check_connected(table, names, prior)
    logits = fit_logits(table, prior)
    residuals = wins - _chances(logits[first] - logits[second])
    centred = ELO_UNIT * (logits - logits.mean())
    information = _information(table + table.T, logits, prior) + _anchor(models, prior)
    bread = np.asarray(np.linalg.inv(information), dtype=np.float64)
    # Strengths are shown around their mean, which moves with them.
    bread = ELO_UNIT * (bread - bread.mean(axis=1)[:, None])
    return Strengths(np.round(ELO_MEAN + centred, _DECIMALS), bread, residuals, -residuals)


def fit_logits(won: Floats, prior: float = 0.0) -> Floats:
    """The log-odds strengths of greatest likelihood, given how often each model (row) won against each other.

    >>> fit_logits(np.array([[0.0, 3.0], [1.0, 0.0]])).round(4).tolist()
    [0.5493, -0.5493]
    """
    models, played = len(won), won + won.T
    logits = np.zeros(models)
    best = -np.inf
    step, length = np.zeros(models), 1.0
    for _ in range(_STEPS):
        tried = logits + length * step
        likelihood = _likelihood(won, tried, prior)
        if likelihood < best - 1e-12 * abs(best):
            length /= 2.0
            continue
        logits, best, length = tried, max(likelihood, best), 1.0
        chances = _chances(logits[:, None] - logits[None, :])
        gradient = (won - played * chances).sum(axis=1) + prior * (0.5 - _chances(logits))
        step = np.linalg.solve(_information(played, logits, prior) + _anchor(models, prior), gradient)
        if np.abs(step).max() <= _CONVERGED * (1.0 + np.abs(logits).max()):
            break
    return np.asarray(logits + step)


def _likelihood(won: Floats, logits: Floats, prior: float) -> float:
    gaps = logits[:, None] - logits[None, :]
    own = np.logaddexp(0.0, logits) + np.logaddexp(0.0, -logits)
    return -float((won * np.logaddexp(0.0, -gaps)).sum() + 0.5 * prior * own.sum())


def _information(played: Floats, logits: Floats, prior: float) -> Floats:
    """Fisher's information of the strengths."""
    chances = _chances(logits[:, None] - logits[None, :])
    weights = played * chances * (1.0 - chances)
    own = _chances(logits)
    return np.asarray(np.diag(weights.sum(axis=1) + prior * own * (1.0 - own)) - weights)


def _anchor(models: int, prior: float) -> Floats | float:
    """What makes the information invertible: battles tell differences alone, so that the sum is held at 0."""
    return 0.0 if prior else np.ones((models, models))


def _chances(gaps: Floats) -> Floats:
    from scipy.special import expit

    return np.asarray(expit(gaps))


def check_connected(won: Floats, names: tuple[str, ...], prior: float) -> None:
    """Raise `NoStrengths` where battles do not tell how far apart some models are (Ford 1957)."""
    from scipy.sparse.csgraph import connected_components

    count, group = connected_components(won > 0.0, connection="weak")
    if count > 1:
        groups = sorted(([names[i] for i in np.flatnonzero(group == g)] for g in range(count)), key=len)
        raise NoStrengths(
            f"the models fall into {count} groups that never met in a battle; {some(groups[0])} met nobody else. Rank "
            "each group on its own, or by win rate (score='win_rate', FILE:score=win_rate)"
        )
    if prior:
        return
    count, group = connected_components(won > 0.0, connection="strong")
    if count == 1:
        return
    lost = np.array([(won[np.ix_(group != g, group == g)] > 0.0).any() for g in range(count)])
    unbeaten = bool((~lost).any() and (group == np.flatnonzero(~lost)[0]).sum() <= len(names) / 2)
    if not unbeaten:  # the others then never won against the rest
        lost = np.array([(won[np.ix_(group == g, group != g)] > 0.0).any() for g in range(count)])
    chosen = [names[i] for i in np.flatnonzero(group == np.flatnonzero(~lost)[0])]
    did = "won" if unbeaten else "lost"
    others = " with others" if len(chosen) > 1 else ""
    raise NoStrengths(
        f"{some(chosen)} {did} every battle{others}, so that no finite strength is the most likely. Add a prior of a "
        "few ties (prior=1, FILE:prior=1), rank by win rate (score='win_rate', FILE:score=win_rate), or leave it out"
    )


def check_prior(prior: float) -> None:
    """Raise `BadParameter` unless the prior is a number of at least 0."""
    if not (math.isfinite(prior) and prior >= 0.0):
        raise BadParameter(f"prior={prior!r}: give a number of ties, at least 0")
