"""Does an estimate exaggerate differences between systems, and which systems does it favour? (JuStRank, Gera et al.)

Every pair of systems has a win rate on each side: the share that the first wins of the topics (or battles) in which the
two do not tie.
The estimate's are fitted by those of the truth through the distribution function of Beta(α, α). What is left of a
system's win rates is its bias.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from rankscope.alignment import Topics
from rankscope.battles import BattleScores
from rankscope.checks import check_memory
from rankscope.inference.contrasts import two_sided
from rankscope.inference.corrections import adjust
from rankscope.inference.intervals import interval
from rankscope.inference.resampling import Draws, topic_counts
from rankscope.results import ENDS, Interval
from rankscope.scores import Floats, ScoreMatrix, Scores

Places = npt.NDArray[np.intp]

# α is looked for between these, on a scale of logarithms.
LEAST, MOST = 0.01, 1000.0
_STEPS = 161
# Win rates in draws are rounded to this many steps, since it is their spread that matters.
_RATES = 1000
BIAS_COLUMNS = {"system": "system", "bias": "bias", **ENDS, "pvalue": "adjusted", "without_fit": "raw"}


@dataclass(frozen=True, kw_only=True)
class PairRates:
    """How often the first of two systems wins, by the truth and by the estimate; `expected` is the fitted rate."""

    first: str
    second: str
    truth: float
    estimate: float
    expected: float


@dataclass(frozen=True, kw_only=True)
class SystemBias:
    """A system's mean win rate by the estimate less that expected from the truth's through the fit.

    `raw` is the same without the fit, `interval` over topics, `adjusted` the p-value of no bias, adjusted by Holm over
    all systems.
    """

    system: str
    bias: float
    raw: float
    interval: Interval | None
    adjusted: float | None


@dataclass(frozen=True, kw_only=True)
class Decisiveness:
    """How an estimate's win rates depend on those of the truth.

    Attributes
    ----------
    alpha : float
        The decisiveness: above 1 the estimate is surer of the winner of a pair than the truth, below 1 less sure.
    interval : Interval or None
        That of α over topics.
    spread : float
        The standard deviation of the systems' biases, JuStRank's δ.
    systems : tuple of SystemBias
        The most favoured first.
    pairs : tuple of PairRates
        Every pair of systems once, if both sides prefer one of the two on any topic or in any battle.
    """

    alpha: float
    interval: Interval | None
    spread: float
    systems: tuple[SystemBias, ...]
    pairs: tuple[PairRates, ...]


def decisiveness(
    truth: Scores, estimate: Scores, topics: Topics, *, resamples: int, level: float, rng: int, jobs: int | None
) -> Decisiveness | None:
    """The fit and the biases of two aligned sides; None without topics, or where no pair is decided on both sides."""
    if not (isinstance(truth, ScoreMatrix) and isinstance(estimate, ScoreMatrix)):
        return None
    m = len(truth.systems)
    i, j = np.triu_indices(m, 1)
    sides = [_rates(side) for side in (truth, estimate)]
    x, y = (rates(np.ones((1, rows)))[0] for rates, rows in sides)
    met = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    if not len(met) or (x[met] == 0.5).all():
        return None
    i, j, x, y = i[met], j[met], x[met], y[met]
    alpha = fitted_alpha(x, y)
    expected = beta_cdf(x, alpha)
    biases, raw = _biases(y - expected, i, j, m), _biases(y - x, i, j, m)
    drawn = _drawn(sides, met, (i, j, m), topics, Draws(resamples, rng, jobs)) if resamples else None
    fewest = min(rows for _, rows in sides)
    bands: list[Interval | None] = [None] * (m + 1)
    adjusted: Sequence[float | None] = [None] * m
    if drawn is not None and fewest > 1:
        observed = [math.log(alpha), *biases]
        wide = [(math.log(LEAST), math.log(MOST)), *[(-1.0, 1.0)] * m]
        bands = [
            interval(row, value, level=level, method="recentred", topics=fewest, bounds=bounds)
            for row, value, bounds in zip(drawn, observed, wide, strict=True)
        ]
        pvalues = [two_sided(row, float(b), fewest) for row, b in zip(drawn[1:], biases, strict=True)]
        if all(p is not None for p in pvalues):
            adjusted = list(map(float, adjust([p for p in pvalues if p is not None], "holm")))
    logs, *of_systems = bands
    systems = [
        SystemBias(
            system=truth.systems[s],
            bias=float(biases[s]),
            raw=float(raw[s]),
            interval=of_systems[s],
            adjusted=adjusted[s],
        )
        for s in np.argsort(-biases, kind="stable")
    ]
    names = truth.systems
    return Decisiveness(
        alpha=alpha,
        interval=None
        if logs is None
        else Interval(low=math.exp(logs.low), high=math.exp(logs.high), level=level, method=logs.method),
        spread=float(np.std(biases)),
        systems=tuple(systems),
        pairs=tuple(
            PairRates(first=names[a], second=names[b], truth=float(u), estimate=float(v), expected=float(e))
            for a, b, u, v, e in zip(i, j, x, y, expected, strict=True)
        ),
    )


def beta_cdf(x: Floats, alpha: float) -> Floats:
    """The distribution function of Beta(α, α)."""
    from scipy.special import betainc

    return np.asarray(betainc(alpha, alpha, x))


def fitted_alpha(x: Floats, y: Floats) -> float:
    """The α of least squares between LEAST and MOST."""
    from scipy.optimize import minimize_scalar

    def squares(log: float) -> float:
        return float(((y - beta_cdf(x, math.exp(log))) ** 2).sum())

    logs = _grid()[0][::4]
    at = int(np.argmin([squares(log) for log in logs]))
    ends = logs[max(at - 1, 0)], logs[min(at + 1, len(logs) - 1)]
    least = minimize_scalar(squares, bounds=ends, method="bounded", options={"xatol": 1e-9})
    return math.exp(min((float(least.x), *ends), key=squares))


@cache
def _grid() -> tuple[Floats, Floats]:
    """Logarithms of α, and the distribution function at every win rate (row) for every α (column)."""
    logs = np.linspace(math.log(LEAST), math.log(MOST), _STEPS)
    rates = np.linspace(0.0, 1.0, _RATES + 1)
    return logs, np.stack([beta_cdf(rates, math.exp(log)) for log in logs], axis=1)


def _rates(side: ScoreMatrix) -> tuple[Callable[[Floats], Floats], int]:
    """A function from how often topics (or battles) are drawn to the win rates of all pairs, and their number."""
    m = len(side.systems)
    i, j = np.triu_indices(m, 1)
    if isinstance(side, BattleScores):
        return _battle_rates(side), len(side.topics)
    values = side.values
    check_memory(8.0 * len(values) * len(i), "win rates of all pairs by topic", "take fewer systems")
    differences = values[:, i] - values[:, j]
    wins, losses = (differences > 0.0).astype(np.float64), (differences < 0.0).astype(np.float64)

    def rates(counts: Floats) -> Floats:
        won, lost = counts @ wins, counts @ losses
        with np.errstate(invalid="ignore"):
            return np.asarray(won / (won + lost))

    return rates, len(values)


def _battle_rates(side: BattleScores) -> Callable[[Floats], Floats]:
    m, own = len(side.systems), side.battles
    code = np.full(len(own.systems), -1)
    for column, name in enumerate(side.systems):
        code[own.systems.index(name)] = column
    first, second, unit = code[own.first], code[own.second], own.units[1]
    kept = (first >= 0) & (second >= 0) & (own.wins != 0.5)
    first, second, unit, wins = first[kept], second[kept], unit[kept], own.wins[kept]
    low, high = np.minimum(first, second), np.maximum(first, second)
    won = np.where(first < second, wins, 1.0 - wins)
    place = np.zeros((m, m), dtype=np.intp)
    place[np.triu_indices(m, 1)] = np.arange(m * (m - 1) // 2)
    pair, total = place[low, high], m * (m - 1) // 2

    def rates(counts: Floats) -> Floats:
        rows = []
        for row in counts:
            weight = row[unit]
            with np.errstate(invalid="ignore"):
                rows.append(np.bincount(pair, weight * won, total) / np.bincount(pair, weight, total))
        return np.array(rows)

    return rates


def _biases(residuals: Floats, i: Places, j: Places, m: int) -> Floats:
    """For each system, the mean residual of its pairs; what one wins too often, the other wins too rarely."""
    sums = np.bincount(i, residuals, m) - np.bincount(j, residuals, m)
    return np.asarray(sums / np.maximum(np.bincount(i, minlength=m) + np.bincount(j, minlength=m), 1))


def _drawn(
    sides: Sequence[tuple[Callable[[Floats], Floats], int]],
    met: Places,
    pairs: tuple[Places, Places, int],
    topics: Topics,
    draws: Draws,
) -> Floats:
    """In each draw of topics, log α (the first row) and the bias of every system."""
    (first, n), (second, k) = sides
    logs, table = _grid()

    def of_chunk(generator: np.random.Generator, size: int) -> Floats:
        counts = topic_counts(generator, n, size)
        other = counts if topics == "paired" else topic_counts(generator, k, size)
        x, y = first(counts)[:, met], second(other)[:, met]
        numbers = np.empty((1 + pairs[2], size))
        for d in range(size):
            there = np.isfinite(x[d]) & np.isfinite(y[d])
            at = np.rint(x[d, there] * _RATES).astype(np.intp)
            own = y[d, there]
            sums, number = np.bincount(at, own, _RATES + 1), np.bincount(at, minlength=_RATES + 1)
            squares = number @ (table * table) - 2.0 * (sums @ table)
            best = int(np.argmin(squares))
            numbers[0, d] = _vertex(logs, squares, best)
            expected = beta_cdf(x[d, there], math.exp(numbers[0, d]))
            numbers[1:, d] = _biases(own - expected, pairs[0][there], pairs[1][there], pairs[2])
        return numbers

    return np.concatenate(draws.each(of_chunk), axis=1)


def _vertex(places: Floats, values: Floats, at: int) -> float:
    """Where the parabola through the least value and its neighbours is least."""
    if not 0 < at < len(places) - 1:
        return float(places[at])
    left, middle, right = values[at - 1 : at + 2]
    bend = left - 2.0 * middle + right
    step = float(places[1] - places[0])
    return float(places[at] + (0.5 * step * (left - right) / bend if bend > 0.0 else 0.0))
