"""Scores from data in memory: arrays, lists and mappings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankscope.errors import ShapeMismatch
from rankscope.scores import ScoreMatrix, Scores, SystemScores


def as_scores(data: object, *, measure: str | None = None, name: str | None = None) -> Scores:
    """Scores from data in memory: an array or list (one dimension: systems; two: topics × systems), or a mapping.

    A mapping is `{system: score}` or `{system: {topic: score}}`; a topic that a system lacks is missing (NaN).

    >>> as_scores({"bm25": {"q1": 0.2, "q2": 0.4}, "dense": {"q1": 0.3, "q2": 0.1}})
    <ScoreMatrix: 2 topics × 2 systems>
    """
    if isinstance(data, ScoreMatrix | SystemScores):
        return data if name is None else data.renamed(name)
    if isinstance(data, Mapping):
        return _from_mapping(data, measure, name)
    try:
        values = np.asarray(data, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ShapeMismatch(f"scores must be numbers in one or two dimensions ({error})") from None
    if values.ndim == 1:
        return SystemScores(values, measure=measure, name=name)
    return ScoreMatrix(values, measure=measure, name=name)


def _from_mapping(data: Mapping[Any, Any], measure: str | None, name: str | None) -> Scores:
    systems = [str(system) for system in data]
    nested = [isinstance(inner, Mapping) for inner in data.values()]
    if not any(nested):
        return SystemScores(np.array([_number(v) for v in data.values()]), systems, measure=measure, name=name)
    if not all(nested):
        raise ShapeMismatch("a mapping holds one score per system, or one mapping of topics per system, not both")
    rows: dict[str, int] = {}
    for inner in data.values():
        for topic in inner:
            rows.setdefault(str(topic), len(rows))
    values = np.full((len(rows), len(systems)), np.nan)
    for column, inner in enumerate(data.values()):
        for topic, value in inner.items():
            values[rows[str(topic)], column] = _number(value)
    return ScoreMatrix(values, systems, list(rows), measure=measure, name=name)


def _number(value: Any) -> float:
    try:
        return float("nan") if value is None else float(value)
    except (TypeError, ValueError):
        raise ShapeMismatch(f"{value!r} is not a score; scores are numbers") from None
