"""Literal twins of scores from battles: Zermelo's iteration, and influences by counting a battle a little more."""

import math

import numpy as np
from scipy.stats import chi2


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


def chatzi_rank_sets(first, second, people, judge, models, alpha=0.05, *, mended=False):
    """Rank sets of Chatzi, Straitouri, Thejaswi & Gomez-Rodriguez (2024), their Algorithms 1 to 3, model by model.

    The first len(people) battles were judged by people too. A model's score is the share of its battles that it won
    outright; a tie is no win. The judge's weight λ makes the trace of the covariance least, within 0 and 1. Two models
    are in order where their difference lies outside the confidence ellipsoid. Their released code divides the squared
    residuals of a model by the number of all battles squared; `mended` divides by that of the model's own.
    """
    n, more = len(people), len(judge) - len(people)
    human = [_outright(share) for share in people]
    own = [_outright(share) for share in judge]
    part = list(zip(first[:n], second[:n], strict=True))
    rest = list(zip(first[n:], second[n:], strict=True))

    def rates(battles, wins):
        won, met = [0.0] * models, [0] * models
        for (a, b), (by_first, by_second) in zip(battles, wins, strict=True):
            won[a] += by_first
            won[b] += by_second
            met[a] += 1
            met[b] += 1
        return [w / m for w, m in zip(won, met, strict=True)], met

    def residuals(battles, wins, rate):
        return [
            {a: by_first - rate[a], b: by_second - rate[b]}
            for (a, b), (by_first, by_second) in zip(battles, wins, strict=True)
        ]

    def covariance(rows, others, size, met):
        total = np.zeros((models, models))
        for row, other in zip(rows, others, strict=True):
            for i, left in row.items():
                for j, right in other.items():
                    total[i, j] += left * right / (met[i] * met[j] if mended else size**2)
        return total

    judged, judged_met = rates(rest, own[n:])
    by_people, met = rates(part, human)
    by_judge, _ = rates(part, own[:n])
    people_rows, judge_rows = residuals(part, human, by_people), residuals(part, own[:n], by_judge)
    rest_rows = residuals(rest, own[n:], judged)
    every = [len(rest)] * models, [n] * models
    own_met, part_met = (judged_met, met) if mended else every
    both = np.trace(covariance(people_rows, judge_rows, n, part_met)) * n
    alone = np.trace(covariance(rest_rows, rest_rows, more, own_met)) * more
    weight = min(max(both / ((1.0 + n / more) * alone), 0.0), 1.0)
    scores = [weight * r - (weight * y - x) for r, y, x in zip(judged, by_judge, by_people, strict=True)]
    rectified = [
        {model: weight * judge_row[model] - row[model] for model in row}
        for row, judge_row in zip(people_rows, judge_rows, strict=True)
    ]
    sigma = weight**2 * covariance(rest_rows, rest_rows, more, own_met)
    sigma += covariance(rectified, rectified, n, part_met)
    radius = chi2.ppf(1.0 - alpha, models)
    low, high = np.ones(models, dtype=int), np.full(models, models)
    for i in range(models):
        for j in range(models):
            variance = sigma[i, i] + sigma[j, j] - 2.0 * sigma[i, j]
            if i != j and abs(scores[i] - scores[j]) > math.sqrt(variance * radius):
                low[i] += scores[i] < scores[j]
                high[i] -= scores[i] > scores[j]
    return low, high


def _outright(share):
    return float(share == 1.0), float(share == 0.0)
