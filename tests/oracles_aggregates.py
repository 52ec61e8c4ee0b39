"""Literal twins of the aggregates, and of the estimators that take missing scores."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import numpy as np

Rows = Sequence[Sequence[float]]


def aggregated(values: Rows, name: str) -> list[float]:
    """The score of each system (column), by the definition of the aggregate."""
    columns = list(zip(*values, strict=True))
    if name == "mean":
        return [statistics.fmean(column) for column in columns]
    if name == "median":
        return [statistics.median(column) for column in columns]
    if name == "geometric":
        return [float(np.prod(np.array(column, dtype=np.longdouble) ** (1 / len(column)))) for column in columns]
    changed = [[_by_topic(row, place, name) for place in range(len(row))] for row in values]
    return [statistics.fmean(column) for column in zip(*changed, strict=True)]


def _by_topic(row: Sequence[float], place: int, name: str) -> float:
    others = [score for other, score in enumerate(row) if other != place]
    if name == "normalised":
        spread = statistics.stdev(row) if len(row) > 1 else 0.0
        return 0.0 if len(set(row)) == 1 else (row[place] - statistics.fmean(row)) / spread
    points = sum(1.0 if row[place] > score else 0.5 if row[place] == score else 0.0 for score in others)
    return points if name == "borda" else points / max(len(others), 1)


def additive(values: np.ndarray, weights: Sequence[float]) -> np.ndarray:
    """Least squares of one equation per score: an effect of its system and one of its topic, weighted by topic.

    The value of a system is its effect and the weighted mean of the effects of all topics that have a score.
    """
    topics, systems = values.shape
    rows, right = [], []
    for t in range(topics):
        for s in range(systems):
            if not np.isnan(values[t, s]):
                row = np.zeros(systems + topics)
                row[s] = row[systems + t] = np.sqrt(weights[t])
                rows.append(row)
                right.append(np.sqrt(weights[t]) * values[t, s])
    fitted = np.linalg.lstsq(np.array(rows), np.array(right), rcond=None)[0]
    known = [t for t in range(topics) if not np.isnan(values[t]).all()]
    level = sum(weights[t] * fitted[systems + t] for t in known) / sum(weights[t] for t in known)
    return np.asarray(fitted[:systems] + level)


def pairwise(values: np.ndarray, weights: Sequence[float]) -> np.ndarray:
    """The mean over all systems of the difference on the topics that both have, and the mean score of topics."""
    topics, systems = values.shape
    out = np.zeros(systems)
    for j in range(systems):
        for k in range(systems):
            both = [t for t in range(topics) if not np.isnan(values[t, [j, k]]).any()]
            out[j] += sum(weights[t] * (values[t, j] - values[t, k]) for t in both) / sum(weights[t] for t in both)
    known = [t for t in range(topics) if not np.isnan(values[t]).all()]
    level = sum(weights[t] * np.nanmean(values[t]) for t in known) / sum(weights[t] for t in known)
    return np.asarray(out / systems + level)


def weighted_median(values: Sequence[float], counts: Sequence[float]) -> float:
    """The median of a list in which each value stands as often as it counts."""
    return statistics.median([value for value, count in zip(values, counts, strict=True) for _ in range(int(count))])
