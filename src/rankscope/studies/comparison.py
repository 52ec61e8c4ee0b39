"""Do an estimate's scores rank the systems as the truth's do, and where do they part?"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.coefficients import Coefficient, coefficient, default_coefficients
from rankscope.coefficients.ties import TieBounds, tie_bounds
from rankscope.errors import BadParameter, ConstantInput, TooFewSystems, some
from rankscope.files import read_scores
from rankscope.names import Name
from rankscope.results import Result, Table
from rankscope.scores import Floats, OnMissing, ScoreMatrix, Scores, align, mean_ranks

TOP = (1, 3, 5, 10)
MAX_SWAPS = 10_000

# Ties that can move a value by more than this are worth a reader's attention.
NOTABLE_TIES = 0.01
# Pairs looked at in one block when swaps are listed: bounds memory for long leaderboards.
_BLOCK = 4_000_000


@dataclass(frozen=True, kw_only=True)
class CoefficientValue:
    """One coefficient between the truth and an estimate.

    `value` is nan where a side scores all systems alike. `ties` is there where ties could move the value by more than
    0.01. `same_as` names the coefficient of which this is another name.
    """

    name: str
    value: float
    symbol: str
    label: str
    looks_at: str
    same_as: str | None
    ties: TieBounds | None


@dataclass(frozen=True, kw_only=True)
class SystemComparison:
    """A system's means and ranks on both sides; tied systems share their mean rank."""

    system: str
    truth: float
    estimate: float
    truth_rank: float
    estimate_rank: float


@dataclass(frozen=True, kw_only=True)
class Swap:
    """Two systems in the opposite order on the two sides; `better` is the one that the truth prefers."""

    better: str
    worse: str
    truth_gap: float
    estimate_gap: float
    truth_ranks: tuple[float, float]
    estimate_ranks: tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class TopOverlap:
    """How many of the truth's top k are in the estimate's; systems tied at the cut are all in."""

    k: int
    shared: int
    share: float


@dataclass(frozen=True, kw_only=True)
class EstimateComparison:
    """One estimate against the truth, on the systems, and topics where both have them, that they share."""

    name: str
    measure: str | None
    topics: int | None
    coefficients: tuple[CoefficientValue, ...]
    pairs: int
    swap_count: int
    truth_ties: int
    estimate_ties: int
    swaps: tuple[Swap, ...]
    top: tuple[TopOverlap, ...]
    systems: tuple[SystemComparison, ...]

    def value(self, name: str) -> float:
        """The value of the coefficient of this name."""
        wanted = str(coefficient(name))
        for found in self.coefficients:
            if found.name == wanted:
                return found.value
        raise BadParameter(f"{wanted} was not computed; there are: {', '.join(c.name for c in self.coefficients)}")


@dataclass(frozen=True, kw_only=True)
class TruthSide:
    """The truth, as far as a comparison needs to tell."""

    name: str
    measure: str | None
    systems: int
    topics: int | None


@dataclass(frozen=True, kw_only=True)
class Comparison(Result):
    """One truth and its estimates: coefficients, means and ranks, swaps, and the overlap of the tops."""

    truth: TruthSide
    estimates: tuple[EstimateComparison, ...]
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per estimate and coefficient."""
        columns = ("estimate", "coefficient", "value", "ties_least", "ties_greatest", "looks_at")
        rows = [
            (
                estimate.name,
                found.name,
                found.value,
                None if found.ties is None else found.ties.least,
                None if found.ties is None else found.ties.greatest,
                found.looks_at,
            )
            for estimate in self.estimates
            for found in estimate.coefficients
        ]
        return Table(columns, tuple(rows))

    def swap_table(self) -> Table:
        """One row per estimate and swap, the largest gap in the truth first."""
        columns = ("estimate", "better", "worse", "truth_gap", "estimate_gap")
        rows = [
            (estimate.name, swap.better, swap.worse, swap.truth_gap, swap.estimate_gap)
            for estimate in self.estimates
            for swap in estimate.swaps
        ]
        return Table(columns, tuple(rows))


def compare(
    truth: Any,
    *estimates: Any,
    coefficients: Sequence[str | Coefficient] | None = None,
    on_missing: OnMissing = "error",
    top: Sequence[int] = TOP,
    max_swaps: int = MAX_SWAPS,
    rng: int | np.random.Generator = 0,
) -> Comparison:
    """Compare estimates with a truth: score tables or leaderboards, as data, frames or paths.

    Systems, and topics where both sides have them, are matched by name. `coefficients` are names such as
    `tau_ap`, `rbo(p=0.8)` or `tau_gap@10`; without, all are computed. Of the swaps, the `max_swaps` with the largest
    gap in the truth are kept, and all are counted. `rng` seeds the search for the bounds under ties.

    >>> result = compare({"a": 0.9, "b": 0.5, "c": 0.4}, {"a": 0.8, "b": 0.3, "c": 0.6})
    >>> result.estimates[0].value("kendall"), result.estimates[0].swaps[0].better
    (0.3333333333333333, 'b')
    """
    if not estimates:
        raise BadParameter("there is nothing to compare the truth with; give one estimate at least")
    if max_swaps < 0 or any(k < 1 for k in top):
        raise BadParameter("max_swaps is 0 or more, and the k of top overlaps are 1 or more")
    chosen = default_coefficients() if coefficients is None else tuple(coefficient(name) for name in coefficients)
    keep_missing: Any = "keep"  # settled below, for both sides together
    reference = read_scores(truth, on_missing=keep_missing)
    others = [read_scores(estimate, on_missing=keep_missing) for estimate in estimates]
    names = _distinct([_name(scores, f"estimate {i + 1}") for i, scores in enumerate(others)])
    pairs = [align(reference, scores, on_missing=on_missing) for scores in others]
    compared = tuple(
        _compare_one(name, *pair, chosen, tuple(top), max_swaps, rng) for name, pair in zip(names, pairs, strict=True)
    )
    return Comparison(
        truth=TruthSide(
            name=_name(reference, "truth"),
            measure=reference.measure,
            systems=len(reference.systems),
            topics=len(reference.topics) if isinstance(reference, ScoreMatrix) else None,
        ),
        estimates=compared,
        settings={
            "coefficients": [str(c) for c in chosen],
            "on_missing": on_missing,
            "top": list(top),
            "max_swaps": max_swaps,
            "seed": rng if isinstance(rng, int) else None,
        },
    )


def _compare_one(
    name: str,
    truth: Scores,
    estimate: Scores,
    chosen: tuple[Coefficient, ...],
    top: tuple[int, ...],
    max_swaps: int,
    rng: int | np.random.Generator,
) -> EstimateComparison:
    x, y = truth.means, estimate.means
    m = len(truth.systems)
    if m < 2:
        raise TooFewSystems(f"a ranking needs two systems at least, and both sides share {m}: {some(truth.systems)}")
    x_ranks, y_ranks = mean_ranks(x), mean_ranks(y)
    count, first, second = _discordant(x, y, max_swaps)
    return EstimateComparison(
        name=name,
        measure=estimate.measure,
        topics=len(estimate.topics) if isinstance(estimate, ScoreMatrix) else None,
        coefficients=_values(chosen, x, y, rng),
        pairs=m * (m - 1) // 2,
        swap_count=count,
        truth_ties=_tied_pairs(x),
        estimate_ties=_tied_pairs(y),
        swaps=tuple(
            Swap(
                better=truth.systems[a],
                worse=truth.systems[b],
                truth_gap=float(x[a] - x[b]),
                estimate_gap=float(y[b] - y[a]),
                truth_ranks=(float(x_ranks[a]), float(x_ranks[b])),
                estimate_ranks=(float(y_ranks[a]), float(y_ranks[b])),
            )
            for a, b in zip(first, second, strict=True)
        ),
        top=tuple(_overlap(x, y, k) for k in top if k < m),
        systems=tuple(
            SystemComparison(
                system=truth.systems[i],
                truth=float(x[i]),
                estimate=float(y[i]),
                truth_rank=float(x_ranks[i]),
                estimate_rank=float(y_ranks[i]),
            )
            for i in np.argsort(-x, kind="stable")
        ),
    )


def _values(
    chosen: tuple[Coefficient, ...], x: Floats, y: Floats, rng: int | np.random.Generator
) -> tuple[CoefficientValue, ...]:
    tied = _tied_pairs(x) > 0 or _tied_pairs(y) > 0
    known: dict[str, tuple[float, TieBounds | None]] = {}
    values = []
    for one in chosen:
        # Another name for the same coefficient is not computed twice.
        key = str(Name(one.record.same_as or one.record.name, one.parameters, one.cutoff))
        if key not in known:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConstantInput)  # the value is nan, and the reader is told there
                value = float(one(x, y))
            bounds = tie_bounds(one, x, y, rng=rng) if tied else None
            known[key] = value, bounds if bounds is not None and bounds.spread > NOTABLE_TIES else None
        value, bounds = known[key]
        values.append(
            CoefficientValue(
                name=str(one),
                value=value,
                symbol=one.symbol,
                label=one.record.label,
                looks_at=one.looks_at,
                same_as=key if key != str(one) else None,
                ties=bounds,
            )
        )
    return tuple(values)


def _discordant(x: Floats, y: Floats, most: int) -> tuple[int, list[int], list[int]]:
    """The number of discordant pairs, and those with the largest gap in x (then in y), the better by x first."""
    m = len(x)
    order = np.argsort(-x, kind="stable")
    xs, ys = x[order], y[order]
    count = 0
    kept = np.empty((0, 2), dtype=np.intp)
    step = max(1, _BLOCK // m)
    for start in range(0, m, step):
        rows = slice(start, min(start + step, m))
        a, b = np.nonzero((xs[rows, None] > xs[None, :]) & (ys[rows, None] < ys[None, :]))
        count += len(a)
        kept = np.concatenate([kept, np.column_stack([a + start, b])])
        kept = kept[np.lexsort((kept[:, 0], ys[kept[:, 0]] - ys[kept[:, 1]], xs[kept[:, 1]] - xs[kept[:, 0]]))][:most]
    return count, order[kept[:, 0]].tolist(), order[kept[:, 1]].tolist()


def _tied_pairs(scores: Floats) -> int:
    _, sizes = np.unique(scores, return_counts=True)
    return int((sizes * (sizes - 1) // 2).sum())


def _overlap(x: Floats, y: Floats, k: int) -> TopOverlap:
    x_top, y_top = (scores >= np.sort(scores)[-k] for scores in (x, y))
    shared = int((x_top & y_top).sum())
    return TopOverlap(k=k, shared=shared, share=shared / max(int(x_top.sum()), int(y_top.sum())))


def _name(scores: Scores, default: str) -> str:
    return scores.name or scores.measure or default


def _distinct(names: list[str]) -> list[str]:
    """Names made distinct by numbering those that recur."""
    seen: dict[str, int] = {}
    out = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        out.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return out
