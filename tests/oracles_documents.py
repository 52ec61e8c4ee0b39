"""Literal forms of scores as functions of documents' gains, and of their estimates from a sample."""

from __future__ import annotations

import math


def additive(ranking, gains, weights):
    """Σ gain × weight of the rank."""
    return sum(gains.get(d, 0.0) * w for d, w in zip(ranking, weights, strict=False))


def average_precision(ranking, gains, depth=None):
    """AP of gains between 0 and 1: Σ gain / rank × (1 + the gains above), over the sum of all gains."""
    total = sum(gains.values())
    top = ranking[:depth]
    parts = [
        gains.get(d, 0.0) / (i + 1) * (1.0 + sum(gains.get(above, 0.0) for above in top[:i])) for i, d in enumerate(top)
    ]
    return sum(parts) / total if total else 0.0


def discounts(depth):
    """The weights of ranks in DCG."""
    return [1.0 / math.log2(rank + 1) for rank in range(1, depth + 1)]


def influence(runs, gains, score, step=1e-6):
    """√Σ_s (w_sd − w̄_d)² by small changes of one gain after the other; scores are means over topics."""
    out = []
    for topic, documents in gains.items():
        for document in documents:
            more = {**documents, document: documents[document] + step}
            weights = [
                (score(run.get(topic, []), more) - score(run.get(topic, []), documents)) / step for run in runs.values()
            ]
            mean = sum(weights) / len(weights)
            out.append(math.sqrt(sum((w - mean) ** 2 for w in weights)) / len(gains))
    return out
