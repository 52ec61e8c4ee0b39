"""A judge of a simulated track as its docstring defines it, document by document: slow, literal twins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

STANDARD = NormalDist()


def probabilities(noise: float, leniency: float, highest: int) -> list[list[float]]:
    """P(label | true grade): the nearest grade to true + leniency + error, halves upwards, the ends taking the rest."""
    table = []
    for grade in range(highest + 1):
        perceived = grade + leniency

        def reaches(bound: float, perceived: float = perceived) -> float:
            if noise == 0.0:
                return float(perceived >= bound)
            return 1.0 - NormalDist(perceived, noise).cdf(bound)

        row = []
        for label in range(highest + 1):
            at_least = 1.0 if label == 0 else reaches(label - 0.5)
            above = 0.0 if label == highest else reaches(label + 0.5)
            row.append(at_least - above)
        table.append(row)
    return table


def normal_scores(values: Sequence[float], groups: Sequence[int]) -> list[float]:
    """The normal quantile of (rank − ½)/n within the group, ranks from the smallest; equal values by their place."""
    scores = []
    for i, (value, group) in enumerate(zip(values, groups, strict=True)):
        others = [(v, j) for j, (v, g) in enumerate(zip(values, groups, strict=True)) if g == group]
        rank = 1 + sum(other < (value, i) for other in others)
        scores.append(STANDARD.inv_cdf((rank - 0.5) / len(others)))
    return scores


def labels(
    table: Sequence[Sequence[float]],
    names: Sequence[float],
    grades: Sequence[int],
    topics: Sequence[int],
    own: Sequence[float],
    shared: Sequence[float],
    seen: Sequence[float] | None,
    bias: float,
    by_topic: float,
) -> list[float]:
    """Labels from standard normal errors of documents and topics."""
    view = normal_scores(seen, grades) if seen is not None else [0.0] * len(grades)
    result = []
    for i, grade in enumerate(grades):
        error = (
            math.sqrt(1.0 - by_topic - bias * bias) * own[i] + math.sqrt(by_topic) * shared[topics[i]] + bias * view[i]
        )
        quantile, below, column = STANDARD.cdf(error), table[grade][0], 0
        while quantile > below and column < len(table[grade]) - 1:
            column += 1
            below += table[grade][column]
        result.append(names[column])
    return result
