"""Literal twins of the readers of runs and judgments, and of what is asked of runs: dicts, lists and sorted()."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence

import numpy as np

Rankings = dict[str, list[str]]


def literal_run(text: bytes, *, ties: str = "id", on_duplicate: str = "error") -> Rankings:
    """Topic → documents, best first, as trec_eval orders them: (float) score descending, then strcmp descending."""
    topics: dict[str, list[tuple[np.float32, float, bytes]]] = {}
    for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        fields = line.split()
        if not fields:
            continue
        topic, _, document, rank, score, _ = fields
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # too great for single precision is infinite
            single = np.float32(float(score))
        rows = topics.setdefault(topic.decode(), [])
        rows.append((single, float(rank) if ties == "rank" else 0.0, document))
    return {topic: _ranked(rows, on_duplicate) for topic, rows in topics.items()}


def _ranked(rows: list[tuple[np.float32, float, bytes]], on_duplicate: str) -> list[str]:
    if on_duplicate == "first":
        rows = list({document: (score, rank, document) for score, rank, document in reversed(rows)}.values())
    rows = sorted(rows, key=lambda row: row[2], reverse=True)
    rows = sorted(rows, key=lambda row: row[1])
    rows = sorted(rows, key=lambda row: row[0], reverse=True)
    documents = [document for _, _, document in rows]
    if on_duplicate == "error":
        assert len(set(documents)) == len(documents)
    return [document.decode() for document in dict.fromkeys(documents)]


def literal_judgments(text: bytes, *, on_conflict: str = "error") -> dict[str, dict[str, float]]:
    """Topic → document → grade."""
    found: dict[str, dict[str, list[float]]] = {}
    for line in text.split(b"\n"):
        if line.split():
            topic, _, document, grade = (field.decode() for field in line.split())
            found.setdefault(topic, {}).setdefault(document, []).append(float(grade))
    grade_of: dict[str, Callable[[list[float]], float]] = {
        "error": lambda grades: grades[0],
        "first": lambda grades: grades[0],
        "last": lambda grades: grades[-1],
        "max": max,
        "mean": lambda grades: sum(grades) / len(grades) if len(set(grades)) > 1 else grades[0],
    }
    decide = grade_of[on_conflict]
    return {topic: {document: decide(g) for document, g in rows.items()} for topic, rows in found.items()}


def literal_join(
    runs: Mapping[str, Mapping[str, Sequence[str]]], grades: Mapping[str, Mapping[str, float]]
) -> dict[tuple[str, str], list[tuple[int, float]]]:
    """(topic, system) → (rank, grade) of judged documents, for every judged topic."""
    return {
        (topic, system): [
            (rank, judged[document]) for rank, document in enumerate(ranking.get(topic, ()), 1) if document in judged
        ]
        for topic, judged in grades.items()
        for system, ranking in runs.items()
    }


def literal_contributors(
    runs: Mapping[str, Mapping[str, Sequence[str]]], depth: int, group: Mapping[str, object]
) -> dict[tuple[str, str], set[object]]:
    """(topic, document) → the groups that have it within depth."""
    found: dict[tuple[str, str], set[object]] = {}
    for system, ranking in runs.items():
        for topic, documents in ranking.items():
            for document in documents[:depth]:
                found.setdefault((topic, document), set()).add(group[system])
    return found
