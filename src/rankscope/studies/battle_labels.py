"""Two judges of the same battles, winner by winner: how often they agree, and whether each prefers a position."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankscope.battles import Battles, BattleScores
from rankscope.inference.intervals import share_interval
from rankscope.results import Interval
from rankscope.scores import Floats, Scores


@dataclass(frozen=True, kw_only=True)
class JudgeOfBattles:
    """How often a judge says that the model shown first, or second, won, or that they tie.

    Attributes
    ----------
    judge : str
        Its name.
    first, second, ties : int
        The battles with each winner.
    first_share : float or None
        The share of the first model among battles with a winner; one half where position does not matter and models
        are placed at random. None where all are ties.
    first_interval : Interval or None
        The interval of that share (Wilson).
    """

    judge: str
    first: int
    second: int
    ties: int
    first_share: float | None
    first_interval: Interval | None


@dataclass(frozen=True, kw_only=True)
class BattleAgreement:
    """Two judges' winners of the same battles.

    Attributes
    ----------
    battles : int
        The battles that both judged.
    truth, estimate : JudgeOfBattles
        What each of them says.
    same : float
        The share of battles with the same outcome: first, second or tie.
    kappa : float or None
        Cohen's κ of the three outcomes; None where both always say the same one.
    decided : int
        The battles in which both see a winner.
    same_winner : float or None
        The share of these with the same winner.
    """

    battles: int
    truth: JudgeOfBattles
    estimate: JudgeOfBattles
    same: float
    kappa: float | None
    decided: int
    same_winner: float | None


def battle_agreement(truth: Scores, estimate: Scores, name: str, level: float) -> BattleAgreement | None:
    """How two judges agree battle by battle; None unless both judged the same battles, aligned."""
    if not (isinstance(truth, BattleScores) and isinstance(estimate, BattleScores)):
        return None
    x, y = truth.battles, estimate.battles
    if x.units[0] != y.units[0] or len(x) != len(y) or not _same_models(x, y):
        return None
    first, second = outcomes(x), outcomes(y)
    counts = np.array([[np.sum((first == a) & (second == b)) for b in (1, -1, 0)] for a in (1, -1, 0)], dtype=float)
    total = counts.sum()
    decided = counts[:2, :2]
    return BattleAgreement(
        battles=len(x),
        truth=judge_of_battles(x, truth.name or "truth", level),
        estimate=judge_of_battles(y, name, level),
        same=float(np.trace(counts) / total),
        kappa=_kappa(counts),
        decided=int(decided.sum()),
        same_winner=float(np.trace(decided) / decided.sum()) if decided.sum() else None,
    )


def judge_of_battles(battles: Battles, name: str, level: float) -> JudgeOfBattles:
    """What a judge says, by position."""
    won = outcomes(battles)
    first, second = int((won > 0).sum()), int((won < 0).sum())
    decided = first + second
    return JudgeOfBattles(
        judge=name,
        first=first,
        second=second,
        ties=len(won) - decided,
        first_share=first / decided if decided else None,
        first_interval=share_interval(first, decided, level) if decided else None,
    )


def outcomes(battles: Battles) -> Floats:
    """1 where the first model won, −1 where the second did, 0 for a tie; a preference counts for the model it favours.

    >>> outcomes(Battles(["a", "a", "a"], ["b", "b", "b"], [0.7, 0.0, 0.5])).tolist()
    [1.0, -1.0, 0.0]
    """
    return np.asarray(np.sign(battles.wins - 0.5))


def _same_models(x: Battles, y: Battles) -> bool:
    """Whether row by row the same two models meet, in the same places."""
    if x.systems != y.systems:
        code = {name: number for number, name in enumerate(x.systems)}
        if set(y.systems) != set(code):
            return False
        recoded = np.array([code[name] for name in y.systems])
        return np.array_equal(x.first, recoded[y.first]) and np.array_equal(x.second, recoded[y.second])
    return np.array_equal(x.first, y.first) and np.array_equal(x.second, y.second)


def _kappa(counts: Floats) -> float | None:
    total = counts.sum()
    chance = float(counts.sum(axis=0) @ counts.sum(axis=1) / total**2)
    return None if math.isclose(chance, 1.0) else (float(np.trace(counts) / total) - chance) / (1.0 - chance)
