"""Agreement of labels as its authors define it, in loops over exact fractions: slow, literal twins.

`pairs` are (truth, judge) of the pairs that both sides judged; grades are read as the decimals they print as. What is
not defined is None.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

Pair = tuple[float, float]
Grades = Mapping[str, Mapping[str, float]]


def exact(number: float) -> Fraction:
    return Fraction(repr(float(number)))


def shared(truth: Grades, judge: Grades) -> dict[str, list[Pair]]:
    """Topic → pairs that both sides gave a grade."""
    result = {}
    for topic in truth:
        pairs = [
            (grade, judge[topic][document])
            for document, grade in truth[topic].items()
            if topic in judge and document in judge[topic]
            if not math.isnan(grade) and not math.isnan(judge[topic][document])
        ]
        if pairs:
            result[topic] = pairs
    return result


def truncated(grade: float) -> int:
    return int(grade)


def rounded(grade: float) -> int:
    return math.floor(exact(grade) + Fraction(1, 2))


def binned(bounds: Sequence[float]) -> Callable[[float], int]:
    return lambda grade: sum(grade >= bound for bound in bounds)


def labelled(pairs: Sequence[Pair], truth: Callable[[float], float], judge: Callable[[float], float]) -> list[Pair]:
    return [(truth(x), judge(y)) for x, y in pairs]


def equal(pairs: Sequence[Pair]) -> float:
    return sum(x == y for x, y in pairs) / len(pairs)


def kappa(pairs: Sequence[Pair]) -> float | None:
    """Cohen (1960): (p_o − p_e)/(1 − p_e)."""
    n = len(pairs)
    observed = Fraction(sum(x == y for x, y in pairs), n)
    rows, columns = Counter(x for x, _ in pairs), Counter(y for _, y in pairs)
    expected = sum((Fraction(rows[label] * columns[label], n * n) for label in rows), Fraction(0))
    return None if expected == 1 else float((observed - expected) / (1 - expected))


def kappa_weighted(pairs: Sequence[Pair], power: int) -> float | None:
    """Cohen (1968): 1 − Σ v p_o / Σ v p_e, with disagreement weights v = |i − j|^power."""
    n = len(pairs)
    rows, columns = Counter(x for x, _ in pairs), Counter(y for _, y in pairs)
    observed = sum((abs(exact(x) - exact(y)) ** power / n for x, y in pairs), Fraction(0))
    expected = sum(
        (abs(exact(x) - exact(y)) ** power * Fraction(rows[x] * columns[y], n * n) for x in rows for y in columns),
        Fraction(0),
    )
    return None if expected == 0 else float(1 - observed / expected)


def coincidences(pairs: Sequence[Pair]) -> dict[Pair, Fraction]:
    """Krippendorff's coincidence matrix: a unit of m values adds 1/(m − 1) for each ordered pair of its values."""
    matrix: dict[Pair, Fraction] = {}
    for unit in pairs:
        for i in range(2):
            for j in range(2):
                if i != j:
                    matrix[unit[i], unit[j]] = matrix.get((unit[i], unit[j]), Fraction(0)) + Fraction(1, len(unit) - 1)
    return matrix


def alpha(pairs: Sequence[Pair], metric: str) -> float | None:
    """Krippendorff (2004): 1 − D_o/D_e over coincidences o_ck with margins n_c and δ² nominal, ordinal or interval."""
    matrix = coincidences(pairs)
    values = sorted({value for pair in pairs for value in pair})
    margin = {c: sum((matrix.get((c, k), Fraction(0)) for k in values), Fraction(0)) for c in values}
    n = sum(margin.values())

    def delta(c: float, k: float) -> Fraction:
        if metric == "nominal":
            return Fraction(c != k)
        if metric == "interval":
            return (exact(c) - exact(k)) ** 2
        low, high = min(c, k), max(c, k)
        return (sum(margin[g] for g in values if low <= g <= high) - (margin[c] + margin[k]) / 2) ** 2

    observed = sum(((matrix.get((c, k), Fraction(0)) / n) * delta(c, k) for c in values for k in values), Fraction(0))
    expected = sum((margin[c] * margin[k] / (n * (n - 1)) * delta(c, k) for c in values for k in values), Fraction(0))
    return None if expected == 0 else float(1 - observed / expected)


def mean_difference(pairs: Sequence[Pair]) -> float:
    return float(sum((exact(y) - exact(x) for x, y in pairs), Fraction(0)) / len(pairs))


def binary(pairs: Sequence[Pair], truth_rel: float, judge_rel: float) -> dict[str, float | None]:
    cut = [(float(x >= truth_rel), float(y >= judge_rel)) for x, y in pairs]
    called, known = [x for x, y in cut if y], [y for x, y in cut if x]
    precision = sum(called) / len(called) if called else None
    recall = sum(known) / len(known) if known else None
    f1 = 2 * sum(called) / (len(called) + len(known)) if called or known else None
    return {"precision": precision, "recall": recall, "f1": f1, "kappa": kappa(cut)}


def ac1(pairs: Sequence[Pair]) -> float | None:
    """Gwet (2008): (p_o − p_e)/(1 − p_e) with p_e = Σ π_k (1 − π_k)/(K − 1), π_k the mean share of label k."""
    n, labels = len(pairs), {value for pair in pairs for value in pair}
    if len(labels) == 1:
        return None
    shares = [Fraction(sum((x == k) + (y == k) for x, y in pairs), 2 * n) for k in labels]
    expected = sum((share * (1 - share) for share in shares), Fraction(0)) / (len(labels) - 1)
    observed = Fraction(sum(x == y for x, y in pairs), n)
    return float((observed - expected) / (1 - expected))


def auc(pairs: Sequence[Pair], rel: float) -> float | None:
    """The share of pairs of a relevant and another item in which the relevant one has the higher grade, ties half."""
    relevant, others = [y for x, y in pairs if x >= rel], [y for x, y in pairs if x < rel]
    if not relevant or not others:
        return None
    won = sum(2 * (a > b) + (a == b) for a in relevant for b in others)
    return won / (2 * len(relevant) * len(others))


def tau_b(pairs: Sequence[Pair]) -> float | None:
    """Kendall (1945): Σ sign sign / √(Σ sign² Σ sign²) over all ordered pairs of items."""

    def sign(a: float, b: float) -> int:
        return (a > b) - (a < b)

    both = sum(sign(p[0], q[0]) * sign(p[1], q[1]) for p in pairs for q in pairs)
    sides = [sum(sign(p[side], q[side]) ** 2 for p in pairs for q in pairs) for side in (0, 1)]
    return None if 0 in sides else both / math.sqrt(sides[0] * sides[1])


def spearman(pairs: Sequence[Pair]) -> float | None:
    """Spearman (1904): Pearson's correlation of mean ranks."""
    columns = list(zip(*pairs, strict=True))
    ranks = [[sum(b < a for b in side) + Fraction(sum(b == a for b in side) + 1, 2) for a in side] for side in columns]
    means = [sum(side, Fraction(0)) / len(side) for side in ranks]
    x, y = ([rank - mean for rank in side] for side, mean in zip(ranks, means, strict=True))
    squares = [sum(d * d for d in side) for side in (x, y)]
    product = float(sum(a * b for a, b in zip(x, y, strict=True)))
    return None if 0 in squares else product / math.sqrt(squares[0] * squares[1])


def relevant_difference(pairs: Sequence[Pair], truth_rel: float, judge_rel: float) -> float:
    return (sum(y >= judge_rel for _, y in pairs) - sum(x >= truth_rel for x, _ in pairs)) / len(pairs)


def best_level(topics: Sequence[Sequence[Pair]], rel: float, parts: Sequence[int]) -> tuple[float, float | None]:
    """The grade with the highest κ, and the κ of labels cut at the grades chosen without each part of the topics."""
    grades = sorted({y for topic in topics for _, y in topic})[1:]

    def chosen(own: Sequence[Pair], otherwise: float) -> float:
        values = {cut: binary(own, rel, cut)["kappa"] for cut in grades} if own else {}
        known = {cut: value for cut, value in values.items() if value is not None}
        return max(known, key=lambda cut: known[cut]) if known else otherwise

    best = chosen([pair for topic in topics for pair in topic], math.nan)
    held = []
    for topic, part in zip(topics, parts, strict=True):
        others = [pair for other, its in zip(topics, parts, strict=True) if its != part for pair in other]
        cut = chosen(others, best)
        held += [(float(x >= rel), float(y >= cut)) for x, y in topic]
    return best, kappa(held)


def statistics(labels: Sequence[Pair], grades: Sequence[Pair], truth_rel: float, judge_rel: float) -> dict[str, Any]:
    """Every statistic by its name."""
    return {
        "equal": equal(labels),
        "kappa": kappa(labels),
        "kappa_linear": kappa_weighted(labels, 1),
        "kappa_quadratic": kappa_weighted(labels, 2),
        "alpha_nominal": alpha(labels, "nominal"),
        "alpha_ordinal": alpha(labels, "ordinal"),
        "alpha_interval": alpha(grades, "interval"),
        "ac1": ac1(labels),
        "auc": auc(grades, truth_rel),
        "spearman": spearman(grades),
        "tau_b": tau_b(grades),
        "relevant_difference": relevant_difference(grades, truth_rel, judge_rel),
        "kappa_binary": binary(grades, truth_rel, judge_rel)["kappa"],
        "mean_difference": mean_difference(grades),
    }
