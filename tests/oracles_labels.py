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
        "kappa_binary": binary(grades, truth_rel, judge_rel)["kappa"],
        "mean_difference": mean_difference(grades),
    }
