"""How the scores of a system on topics become one: the registry of aggregates.

Most are means of scores that were changed topic by topic (`by_topic`), so that every test and interval for means holds
for them. The median is none. Scores are given with higher ones better; NaN is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from rankscope.errors import BadParameter

Floats = npt.NDArray[np.float64]
AggregateName = Literal["mean", "median", "geometric", "normalised", "borda", "win_rate"]
AGGREGATE_NAMES: tuple[AggregateName, ...] = get_args(AggregateName)


@dataclass(frozen=True)
class Aggregate:
    """A way to make one score of a system from its scores on topics.

    Attributes
    ----------
    name : str
        Its name in options and results.
    label : str
        What tables and axes call it.
    explanation : str
        What it is, for the documentation.
    by_topic : function, optional
        What scores (topics × systems) become before they are averaged; None leaves them as they are.
    back : function, optional
        From the average to what is shown.
    is_mean : bool
        Whether it is a mean over topics, as t-tests, the worth of a topic and variance components assume.
    own_scale : bool
        Whether it is on the scale of the scores; the others have a scale of their own, on which higher is better.
    """

    name: AggregateName
    label: str
    explanation: str
    by_topic: Callable[[Floats], Floats] | None = None
    back: Callable[[Floats], Floats] | None = None
    is_mean: bool = True
    own_scale: bool = True


def logarithms(values: Floats) -> Floats:
    """Natural logarithms, for the geometric mean; an error where a score is not positive."""
    wrong = np.count_nonzero(values <= 0.0)
    if wrong:
        raise BadParameter(
            f"a geometric mean needs scores above 0, and {wrong:,} of {values.size:,} are not; leave out topics "
            "with such scores (--exclude-topics PATTERN), or take the median (aggregate='median', --aggregate median)"
        )
    return np.log(values)


def borda_points(values: Floats) -> Floats:
    """For each topic, the number of systems that a system beats; a tie counts one half (Borda 1781).

    >>> borda_points(np.array([[0.3, 0.1, 0.1]])).tolist()
    [[2.0, 0.5, 0.5]]
    """
    order = np.argsort(values, axis=1, kind="stable")
    ascending = np.take_along_axis(values, order, axis=1)
    places = np.arange(values.shape[1], dtype=np.float64)
    starts = np.ones(values.shape, bool)
    starts[:, 1:] = ascending[:, 1:] > ascending[:, :-1]
    ends = np.ones(values.shape, bool)
    ends[:, :-1] = starts[:, 1:]
    first = np.maximum.accumulate(np.where(starts, places, 0.0), axis=1)
    last = np.minimum.accumulate(np.where(ends, places, np.inf)[:, ::-1], axis=1)[:, ::-1]
    points = np.empty_like(values)
    np.put_along_axis(points, order, (first + last) / 2.0, axis=1)
    return points


def win_rates(values: Floats) -> Floats:
    """For each topic, the share of the other systems that a system beats; a tie counts one half.

    >>> win_rates(np.array([[0.3, 0.1, 0.1]])).tolist()
    [[1.0, 0.25, 0.25]]
    """
    return np.asarray(borda_points(values) / max(values.shape[1] - 1, 1))


def standard_scores(values: Floats) -> Floats:
    """Scores less their topic's mean, in its standard deviations; 0 where all systems of a topic score the same.

    >>> standard_scores(np.array([[0.0, 2.0], [5.0, 5.0]])).round(4).tolist()
    [[-0.7071, 0.7071], [0.0, 0.0]]
    """
    if values.shape[1] < 2:
        return np.zeros_like(values)
    varies = np.ptp(values, axis=1, keepdims=True) > 0.0
    centred = values - values.mean(axis=1, keepdims=True)
    spread = values.std(axis=1, ddof=1, keepdims=True)
    return np.asarray(np.divide(centred, spread, out=np.zeros_like(values), where=varies & (spread > 0.0)))


AGGREGATES: dict[AggregateName, Aggregate] = {
    record.name: record
    for record in (
        Aggregate("mean", "mean", "the mean over topics"),
        Aggregate("median", "median", "the median over topics", is_mean=False),
        Aggregate("geometric", "geometric mean", "the geometric mean over topics", logarithms, np.exp),
        Aggregate(
            "normalised",
            "normalised mean",
            "the mean of standardised scores: less the topic's mean, in standard deviations over the systems "
            "(Webber, Moffat & Zobel 2008)",
            standard_scores,
            own_scale=False,
        ),
        Aggregate(
            "borda",
            "mean Borda points",
            "the number of systems beaten, a tie as one half, on average over topics",
            borda_points,
            own_scale=False,
        ),
        Aggregate(
            "win_rate",
            "mean win rate",
            "the share of the other systems beaten, a tie as one half, on average over topics",
            win_rates,
            own_scale=False,
        ),
    )
}
