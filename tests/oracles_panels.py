"""Panels, grade maps and levels of relevance in loops, as their authors define them: slow, literal twins.

A label that is missing is NaN; tables are lists of rows, a grade for each judge.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Sequence

Rows = Sequence[Sequence[float]]


def given(row: Sequence[float]) -> list[float]:
    return [grade for grade in row if not math.isnan(grade)]


def mean(row: Sequence[float]) -> float:
    known = given(row)
    return sum(known) / len(known) if known else math.nan


def median(row: Sequence[float]) -> float:
    known = sorted(given(row))
    if not known:
        return math.nan
    half = len(known) // 2
    return known[half] if len(known) % 2 else (known[half - 1] + known[half]) / 2


def majority(row: Sequence[float]) -> float:
    votes = Counter(math.floor(grade + 0.5) for grade in given(row))
    if not votes:
        return math.nan
    return min(grade for grade in votes if votes[grade] == max(votes.values()))


def dawid_skene(rows: Rows, top: int, steps: int) -> list[float]:
    """Dawid & Skene (1979), EM from shares of votes: (2.3) and (2.4) for the parameters, (2.5) for the classes."""
    classes, judges = range(top + 1), range(len(rows[0]))
    votes = [[None if math.isnan(g) else math.floor(g + 0.5) for g in row] for row in rows]
    voted = [row for row in votes if any(vote is not None for vote in row)]
    known = [[vote for vote in row if vote is not None] for row in voted]
    probability = [[row.count(k) / len(row) for k in classes] for row in known]
    for _ in range(steps):
        prior = [max(sum(p[k] for p in probability) / len(probability), 1e-10) for k in classes]
        errors: dict[tuple[int, int, int | None], float] = {}
        for j in judges:
            for k in classes:
                counts = [
                    max(sum(p[k] for p, row in zip(probability, voted, strict=True) if row[j] == label), 1e-10)
                    for label in classes
                ]
                for label in classes:
                    errors[j, k, label] = counts[label] / sum(counts)
        updated = []
        for row in voted:
            likelihood = [
                prior[k] * math.prod(errors[j, k, row[j]] for j in judges if row[j] is not None) for k in classes
            ]
            updated.append([value / sum(likelihood) for value in likelihood])
        change = max(abs(a - b) for p, q in zip(probability, updated, strict=True) for a, b in zip(p, q, strict=True))
        probability = updated
        if change <= 1e-6:
            break
    expected = iter(sum(k * p[k] for k in classes) for p in probability)
    return [next(expected) if any(vote is not None for vote in row) else math.nan for row in votes]


def isotonic(grades: Sequence[float], truth: Sequence[float]) -> dict[float, float]:
    """The truth's mean at each grade under the constraint that it never falls: the max–min formula of means."""
    knots = sorted(set(grades))

    def average(first: int, last: int) -> float:
        inside = [t for g, t in zip(grades, truth, strict=True) if knots[first] <= g <= knots[last]]
        return sum(inside) / len(inside)

    return {
        grade: max(min(average(a, b) for b in range(i, len(knots))) for a in range(i + 1))
        for i, grade in enumerate(knots)
    }


def kappa(called: Sequence[bool], relevant: Sequence[bool]) -> float:
    n = len(called)
    observed = sum(a == b for a, b in zip(called, relevant, strict=True)) / n
    yes = sum(called) / n * sum(relevant) / n
    chance = yes + (1 - sum(called) / n) * (1 - sum(relevant) / n)
    return math.nan if chance == 1.0 else (observed - chance) / (1.0 - chance)


def best_level_kappa(grades: Sequence[float], relevant: Sequence[bool]) -> float:
    """The highest κ of any level above the lowest grade."""
    return max(kappa([g >= cut for g in grades], relevant) for cut in sorted(set(grades))[1:])


def squared_error(rows: Rows, truth: Sequence[float], weights: Sequence[float]) -> float:
    """The squared error of weighted, centred grades; a missing grade is the mean of the others."""
    filled = [[mean(row) if math.isnan(g) else g for g in row] for row in rows]
    kept = [(row, t) for row, t in zip(filled, truth, strict=True) if not any(map(math.isnan, row))]
    means = [sum(row[j] for row, _ in kept) / len(kept) for j in range(len(weights))]
    level = sum(t for _, t in kept) / len(kept)
    return sum(
        (t - level - sum(w * (g - m) for w, g, m in zip(weights, row, means, strict=True))) ** 2 for row, t in kept
    )


def grade_errors(grades: Sequence[float], truth: Sequence[float]) -> list[float]:
    """Each grade less the mean of those with the same grade by the truth."""
    return [
        g - mean([other for other, same in zip(grades, truth, strict=True) if same == t])
        for g, t in zip(grades, truth, strict=True)
    ]


def correlation(first: Sequence[float], second: Sequence[float]) -> float:
    """Of errors, whose mean is 0."""
    products = [
        math.fsum(a * b for a, b in zip(x, y, strict=True))
        for x, y in ((first, second), (first, first), (second, second))
    ]
    scale = math.sqrt(products[1]) * math.sqrt(products[2])
    return products[0] / scale if scale else math.nan


def residuals(scores: Sequence[float], truth: Sequence[float]) -> list[float]:
    """Of the least-squares line of scores on the truth's."""
    n = len(truth)
    x, y = sum(truth) / n, sum(scores) / n
    square = sum((t - x) ** 2 for t in truth)
    slope = sum((t - x) * (s - y) for t, s in zip(truth, scores, strict=True)) / square if square else 0.0
    return [s - y - slope * (t - x) for t, s in zip(truth, scores, strict=True)]


def error_correlation_interval(
    judges: Rows, truth: Sequence[float], topic: Sequence[int], level: float
) -> tuple[float, float]:
    """Of the mean correlation of errors of scores: every topic left out in turn, on the scale of log(1 + (m − 1)ρ)."""
    from scipy.stats import kurtosis, t

    def scale(left_out: int | None) -> float:
        kept = [i for i, own in enumerate(topic) if own != left_out]
        errors = [residuals([judge[i] for i in kept], [truth[i] for i in kept]) for judge in judges]
        pairs = [correlation(errors[i], errors[j]) for i in range(len(judges)) for j in range(i)]
        return math.log(1.0 + (len(judges) - 1) * mean(pairs))

    topics = sorted(set(topic))
    n, whole, left = len(topics), scale(None), [scale(own) for own in topics]
    spread = math.sqrt((n - 1) / n * sum((value - mean(left)) ** 2 for value in left))
    freedom = min(n - 1.0, 2.0 * (n - 1) / (float(kurtosis(left, fisher=False)) - 1.0))
    half = float(t.ppf(0.5 + level / 2.0, freedom)) * spread
    low, high = ((math.exp(end) - 1.0) / (len(judges) - 1) for end in (whole - half, whole + half))
    return max(low, -1.0), min(high, 1.0)


def average_linkage(correlations: Rows, height: float) -> set[frozenset[int]]:
    """Clusters of two or more: the closest two are joined as long as their mean correlation is above a height."""
    parts = [frozenset([i]) for i in range(len(correlations))]
    while len(parts) > 1:
        pairs = [(a, b) for n, a in enumerate(parts) for b in parts[:n]]
        best = max(pairs, key=lambda pair: mean([correlations[i][j] for i in pair[0] for j in pair[1]]))
        if mean([correlations[i][j] for i in best[0] for j in best[1]]) <= height:
            break
        parts = [part for part in parts if part not in best] + [best[0] | best[1]]
    return {part for part in parts if len(part) > 1}


def score_panel(tables, how):
    """Each table (rows are topics) less its topics' means, over its root mean square; then the mean or median."""
    scaled = []
    for table in tables:
        rows = [[value - sum(row) / len(row) for value in row] for row in table]
        cells = [value for row in rows for value in row]
        size = math.sqrt(sum(value * value for value in cells) / len(cells))
        scaled.append([[value / size if size > 0 else 0.0 for value in row] for row in rows])
    of = statistics.fmean if how == "mean" else statistics.median
    return [[of([table[t][s] for table in scaled]) for s in range(len(tables[0][0]))] for t in range(len(tables[0]))]
