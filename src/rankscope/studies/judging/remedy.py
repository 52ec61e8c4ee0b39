"""What people on part of the topics would make of a judge that alone will not do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.averages import exact_means
from rankscope.coefficients import coefficient
from rankscope.coefficients.rows import quietly
from rankscope.inference.agreement import values_of
from rankscope.inference.correction import best_linear
from rankscope.scores import ScoreMatrix
from rankscope.studies.certainty import Plan
from rankscope.studies.correction import LEAST_FURTHER, LEAST_SYSTEMS, LEAST_TOPICS, correct
from rankscope.studies.correction_result import CorrectedLeaderboard
from rankscope.studies.verdict import Verdict

# What needs no people any more, and what people had better replace.
_NOT_CORRECTED = ("interchangeable", "substitute", "no better than random labels", "no better than random scores")
HALVES = 50
_RESAMPLES = 500


@dataclass(frozen=True, kw_only=True)
class HiddenHalves:
    """How well people on half of the topics and the judge on all rank, over random halves.

    Attributes
    ----------
    draws : int
        The number of random halves.
    tau_people, tau_judge, tau_predicted : float or None
        Mean τ_b with the ranking by people on all topics: by people on the half alone, by the judge alone, and by the
        predictions from both.
    predicted_topics : float
        The number of human topics that rank as well as the predictions, the median over the halves.
    """

    draws: int
    tau_people: float | None
    tau_judge: float | None
    tau_predicted: float | None
    predicted_topics: float


@dataclass(frozen=True, kw_only=True)
class JudgeCorrection:
    """People and a judge together, where the judge alone will not do; see `rs.correct`.

    `leaderboard` is from all topics that people labelled and the further ones that the judge did. Where it labelled no
    further ones, the labels of people on a random half of the topics are set aside, and `halves` tells how well that
    ranks over many such halves. `topics` are those whose human labels were used.
    """

    topics: tuple[str, ...]
    leaderboard: CorrectedLeaderboard
    halves: HiddenHalves | None


def remedy(
    truth: ScoreMatrix, scores: ScoreMatrix, further: ScoreMatrix | None, verdict: Verdict, plan: Plan
) -> JudgeCorrection | None:
    """The correction of a judge by people; None where it is not needed or there are too few data for it."""
    enough = len(truth.topics) >= LEAST_TOPICS and len(truth.systems) >= LEAST_SYSTEMS
    if verdict.level in _NOT_CORRECTED or not enough:
        return None
    resamples = min(_RESAMPLES, plan.resamples) or _RESAMPLES
    settings: dict[str, Any] = {"resamples": resamples, "level": plan.level, "rng": plan.rng, "jobs": plan.jobs}
    if further is not None and len(further.topics) >= LEAST_FURTHER:
        values = np.concatenate([scores.values, further.values])
        every = ScoreMatrix(values, scores.systems, (*scores.topics, *further.topics), name=scores.name)
        board = correct(truth, every, **settings).leaderboards[0]
        return JudgeCorrection(topics=truth.topics, leaderboard=board, halves=None)
    half = (len(truth.topics) + 1) // 2
    if half < LEAST_TOPICS or len(truth.topics) - half < LEAST_FURTHER:
        return None
    generator = np.random.default_rng([int(plan.rng), len(truth.topics)])
    orders = [generator.permutation(len(truth.topics)) for _ in range(HALVES)]
    first = truth.select(topics=[truth.topics[t] for t in sorted(orders[0][:half])])
    board = correct(first, scores, **settings).leaderboards[0]
    return JudgeCorrection(topics=first.topics, leaderboard=board, halves=_halves(truth, scores, half, orders))


def _halves(truth: ScoreMatrix, scores: ScoreMatrix, half: int, orders: list[npt.NDArray[np.int64]]) -> HiddenHalves:
    x, y = truth.values, scores.values
    people, predicted, equivalents = [], [], []
    for order in orders:
        shown, hidden = order[:half], order[half:]
        linear = best_linear(x[shown], y[shown], y[hidden])
        people.append(exact_means(x[shown]))
        predicted.append(linear.means)
        equivalents.append(linear.equivalent)
    with quietly():
        taus = [
            values_of([coefficient("tau_b")], truth.means[None], np.array(rows))[0]
            for rows in (people, [scores.means], predicted)
        ]
    by_people, by_judge, by_predicted = (float(values.mean()) if np.isfinite(values).all() else None for values in taus)
    return HiddenHalves(
        draws=len(orders),
        tau_people=by_people,
        tau_judge=by_judge,
        tau_predicted=by_predicted,
        predicted_topics=float(np.median(equivalents)),
    )
