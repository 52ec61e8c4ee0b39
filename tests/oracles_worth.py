"""What a judged topic is worth, as docs/verdict.md defines it, refitted for all that is left out: slow and literal.

`x` and `y` are lists of topics, each a list of systems' scores.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

from scipy import stats

Scores = Sequence[Sequence[float]]
T = TypeVar("T")


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def product(a: Sequence[float], b: Sequence[float]) -> float:
    return math.fsum(u * v for u, v in zip(a, b, strict=True))


def centred(scores: Scores) -> list[list[float]]:
    return [[v - mean(row) for v in row] for row in scores]


def system_means(scores: Scores) -> list[float]:
    return [mean([row[s] for row in scores]) for s in range(len(scores[0]))]


def moments(x: Scores, y: Scores, paired: bool) -> dict[str, float]:
    """S, K and E."""
    m = len(x[0])
    x, y = centred(x), centred(y)
    zx, zy = system_means(x), system_means(y)

    def residual_products(a: Scores, za: Sequence[float], b: Scores, zb: Sequence[float]) -> float:
        return math.fsum(
            (u - p) * (v - q)
            for row, other in zip(a, b, strict=True)
            for u, p, v, q in zip(row, za, other, zb, strict=True)
        )

    exx = residual_products(x, zx, x, zx) / ((len(x) - 1) * (m - 1))
    eyy = residual_products(y, zy, y, zy) / ((len(y) - 1) * (m - 1))
    exy = residual_products(x, zx, y, zy) / ((len(x) - 1) * (m - 1)) if paired else 0.0
    sxx, sxy, syy = (product(a, b) / (m - 1) for a, b in ((zx, zx), (zx, zy), (zy, zy)))
    return {
        "sxx": sxx,
        "kxx": sxx - exx / len(x),
        "kxy": sxy - exy / len(x),
        "kyy": syy - eyy / len(y),
        "exx": exx,
        "eyy": eyy,
    }


def in_unit_of(x: Scores, y: Scores) -> list[list[float]]:
    """The judge's scores in the truth's unit: with means that vary as much over systems."""
    zx, zy = system_means(centred(x)), system_means(centred(y))
    unit = math.sqrt(product(zx, zx) / product(zy, zy))
    return [[v * unit for v in row] for row in y]


def noise_and_bias(x: Scores, y: Scores, paired: bool) -> tuple[float, float]:
    c, m = moments(x, y, paired), len(x[0])
    kxx = max(c["kxx"], 0.02 * c["sxx"])
    beta = max(c["kxy"], 0.001 * kxx) / kxx
    a = c["eyy"] / (beta**2 * c["exx"])
    b = (c["kyy"] / beta**2 - kxx) / c["exx"] * (m - 1) / (m - 2)
    return a, b


def mean_of(tables: Sequence[Scores]) -> list[list[float]]:
    """The mean of tables, cell by cell."""
    return [[mean(cells) for cells in zip(*rows, strict=True)] for rows in zip(*tables, strict=True)]


def worth(
    x: Scores,
    y: Scores,
    many: int,
    times: float = 1.0,
    level: float = 0.95,
    paired: bool = True,
    repeats: Sequence[Scores] = (),
):
    """v and its bounds, (v, low, high); with repeats, y is their mean, and leaving out each is a third jackknife."""
    n, m, p = len(x), len(x[0]), 0.5 + level / 2.0
    y = in_unit_of(x, y)

    def unclipped(x: Scores, y: Scores) -> float:
        a, b = noise_and_bias(x, y, paired)
        return a / times + b * many

    def jackknife(values: list[float]) -> float:
        centre = mean(values)
        return (len(values) - 1) / len(values) * math.fsum((v - centre) ** 2 for v in values)

    def without(rows: Sequence[T], i: int) -> list[T]:
        return [row for j, row in enumerate(rows) if j != i]

    if paired:
        by_topic = [([unclipped(without(x, i), without(y, i)) for i in range(n)], n)]
    else:
        by_topic = [
            ([unclipped(without(x, i), y) for i in range(n)], n),
            ([unclipped(x, without(y, i)) for i in range(len(y))], len(y)),
        ]
    by_system = [unclipped([without(row, s) for row in x], [without(row, s) for row in y]) for s in range(m)]
    topics = sum(stats.t.ppf(p, c - 1) ** 2 * jackknife(values) for values, c in by_topic)
    systems = stats.t.ppf(p, m - 2) ** 2 * jackknife(by_system)
    third = 0.0
    if repeats:
        own = [unclipped(x, in_unit_of(x, mean_of(without(repeats, r)))) for r in range(len(repeats))]
        parts = [*((jackknife(values), c - 1) for values, c in by_topic), (jackknife(by_system), m - 2)]
        parts.append((jackknife(own), len(own) - 1))
        every = sum(variance for variance, _ in parts)
        freedom = every**2 / sum(variance**2 / df for variance, df in parts)
        third = max(stats.t.ppf(p, freedom) ** 2 * every - topics - systems, 0.0)
    a, b = noise_and_bias(x, y, paired)
    a /= times
    v = a + max(b, 0.0) * many
    h = 1.0 - stats.chi2.ppf(1.0 - p, m - 2) / (m - 2)
    high = v + math.sqrt(topics + systems + third)
    if h * (high - a) > math.sqrt(systems):
        c2, c1, c0 = 1 - h * h, -2 * (v - h * h * a), v * v - topics - third - h * h * a * a
        high = max(high, (-c1 + math.sqrt(max(c1 * c1 - 4 * c2 * c0, 0.0))) / (2 * c2))
    low = v * math.exp(-min(math.sqrt(topics + systems + third) / v, 10.0)) if v > 0 else 0.0
    return v, low, high
