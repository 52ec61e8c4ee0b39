"""Literal twins of scores from battles: Zermelo's iteration, and influences by counting a battle a little more."""

import math


def zermelo(battles, models, prior=0.0, weights=None):
    """Bradley–Terry strengths in Elo points by Zermelo's iteration (1929), battle by battle.

    `battles` are (first, second, won by the first) with numbers of models; a prior adds ties with a model of strength
    1, which stays as it is.
    """
    weights = [1.0] * len(battles) if weights is None else weights
    strength = [1.0] * models
    for _ in range(20_000):
        won, met = [prior / 2.0] * models, [prior / (s + 1.0) for s in strength]
        for (a, b, share), weight in zip(battles, weights, strict=True):
            won[a] += weight * share
            won[b] += weight * (1.0 - share)
            for side in (a, b):
                met[side] += weight / (strength[a] + strength[b])
        new = [w / m for w, m in zip(won, met, strict=True)]
        if not prior:
            mean = math.exp(sum(map(math.log, new)) / models)
            new = [s / mean for s in new]
        change = max(abs(math.log(s / t)) for s, t in zip(new, strength, strict=True))
        strength = new
        if change < 1e-12:
            break
    logs = [400.0 * math.log10(s) for s in strength]
    return [1000.0 + value - sum(logs) / models for value in logs]


def win_rates(battles, models, weights=None):
    """The share of its battles that each model won."""
    weights = [1.0] * len(battles) if weights is None else weights
    won, played = [0.0] * models, [0.0] * models
    for (a, b, share), weight in zip(battles, weights, strict=True):
        won[a] += weight * share
        won[b] += weight * (1.0 - share)
        played[a] += weight
        played[b] += weight
    return [w / p for w, p in zip(won, played, strict=True)]


def influences(score, battles, models, step=1e-5):
    """What counting each battle a little more, and a little less, does to the scores, per battle."""
    rows = []
    for row in range(len(battles)):
        ends = []
        for sign in (1.0, -1.0):
            weights = [1.0] * len(battles)
            weights[row] += sign * step
            ends.append(score(battles, models, weights=weights))
        rows.append([(more - less) / (2.0 * step) for more, less in zip(*ends, strict=True)])
    return rows
