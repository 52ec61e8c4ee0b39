"""Do an estimate's scores rank the systems as the truth's do, how sure is that, and where do they part?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.checks import check_level
from rankscope.coefficients import Coefficient, coefficient, default_coefficients
from rankscope.defaults import LEVEL, RESAMPLES
from rankscope.errors import BadParameter, TooFewSystems, some
from rankscope.files import read_scores
from rankscope.inference.contrasts import Contrast
from rankscope.inference.corrections import Correction
from rankscope.inference.intervals import METHODS, Method
from rankscope.inference.rank_distance_null import RankDistanceNull
from rankscope.inference.resampling import side_by_side
from rankscope.inference.worth import TIMES
from rankscope.scores import Floats, OnMissing, ScoreMatrix, Scores, Topics, align, mean_ranks
from rankscope.studies.certainty import (
    Plan,
    carriers,
    certainty,
    coefficient_values,
    estimate_contrasts,
    estimate_verdict,
    left_out,
    rank_distance,
    rank_nulls,
    separation,
    tested_pairs,
    topic_draws,
    why_no_interval,
    winner,
)
from rankscope.studies.differences import shared_top, swapped_pairs, tied_pairs
from rankscope.studies.mean_ranges import mean_ranges
from rankscope.studies.parts import (
    Comparison,
    EstimateComparison,
    Swap,
    SystemComparison,
    TopOverlap,
    TruthSide,
)
from rankscope.studies.verdict import INTERCHANGEABLE, LEAST, SUBSTITUTE, RandomLabels, Reason, rule_of

TOP = (1, 3, 5, 10)
MAX_SWAPS = 10_000
ALPHA = 0.05


def compare(
    truth: Any,
    *estimates: Any,
    coefficients: Sequence[str | Coefficient] | None = None,
    on_missing: OnMissing = "error",
    topics: Topics = "paired",
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    method: Method = "recentred",
    alpha: float = ALPHA,
    correction: Correction = "bh",
    top: Sequence[int] = TOP,
    max_swaps: int = MAX_SWAPS,
    margins: tuple[float, float] = (INTERCHANGEABLE, SUBSTITUTE),
    times: float = TIMES,
    least_topics: float = LEAST,
    judged_topics: int | None = None,
    rng: int = 0,
    jobs: int | None = None,
) -> Comparison:
    """Compare estimates with a truth: score tables or leaderboards, as data, frames or paths.

    Systems, and topics where both sides have them, are matched by name; `topics="independent"` takes the sides' topics
    for two samples. With topics on both sides there is a verdict for each estimate: what one of its topics is worth in
    topics of the truth, and what that allows. `margins` are the least worth to be interchangeable and to be a
    substitute, `times` how many times as many topics the estimate may have for that, `least_topics` the truth's topics
    that clear differences take, and `judged_topics` how many topics the estimate will be used with (docs/verdict.md).

    `coefficients` are names such as `tau_ap`, `rbo(p=0.8)` or `tau_gap@10`; without, all are computed. Intervals,
    p-values, rank distance and the test between estimates come from `resamples` draws (0: none), at `level`;
    significantly different pairs from paired t-tests at `alpha`, corrected. Of the swaps, the `max_swaps` with the
    largest gap in the truth are kept, and all are counted.

    >>> result = compare({"a": 0.9, "b": 0.5, "c": 0.4}, {"a": 0.8, "b": 0.3, "c": 0.6})
    >>> result.estimates[0].value("kendall"), result.estimates[0].swaps[0].better
    (0.3333333333333333, 'b')
    """
    plan = Plan(
        chosen=default_coefficients() if coefficients is None else tuple(coefficient(name) for name in coefficients),
        resamples=resamples,
        level=level,
        method=method,
        topics=topics,
        alpha=alpha,
        correction=correction,
        top=tuple(top),
        max_swaps=max_swaps,
        rule=rule_of(margins, times, least_topics, judged_topics, level),
        rng=rng,
        jobs=jobs,
    )
    _check(plan, estimates)
    keep_missing: Any = "keep"  # settled below, for both sides together
    reference = read_scores(truth, on_missing=keep_missing)
    others = [read_scores(estimate, on_missing=keep_missing) for estimate in estimates]
    titled, names = _names(reference, others)
    sides = [align(reference, scores, on_missing=on_missing, topics=topics) for scores in others]
    for x, _ in sides:
        if len(x.systems) < 2:
            shared = f"both sides share {len(x.systems)}: {some(x.systems)}"
            raise TooFewSystems(f"a ranking needs two systems at least, and {shared}")
    compared, contrasts = compare_sides(
        [Side(name, x.renamed(titled), y) for name, (x, y) in zip(names, sides, strict=True)], plan
    )
    return Comparison(
        truth=TruthSide(
            name=titled,
            measure=reference.measure,
            systems=len(reference.systems),
            topics=len(reference.topics) if isinstance(reference, ScoreMatrix) else None,
        ),
        estimates=compared,
        contrasts=contrasts,
        settings={
            "coefficients": [str(c) for c in plan.chosen],
            "on_missing": on_missing,
            "topics": topics,
            "resamples": resamples,
            "level": level,
            "method": method,
            "alpha": alpha,
            "correction": correction,
            "top": list(top),
            "max_swaps": max_swaps,
            "margins": list(margins),
            "times": times,
            "least_topics": least_topics,
            "judged_topics": judged_topics,
            "seed": rng,
        },
    )


@dataclass(frozen=True, eq=False)
class Side:
    """An estimate aligned with its truth, and what only labels can tell of it: chance level, warnings."""

    name: str
    truth: Scores
    estimate: Scores
    random: RandomLabels | None = None
    warnings: tuple[Reason, ...] = ()


def compare_sides(sides: Sequence[Side], plan: Plan) -> tuple[tuple[EstimateComparison, ...], tuple[Contrast, ...]]:
    """Compare each estimate with its truth, and those on the same topics with each other."""
    pairs = [(side.truth, side.estimate) for side in sides]
    draws, nulls = topic_draws(pairs, plan), rank_nulls(pairs, plan)
    compared = tuple(
        _compare_one(side, drawn, null, plan) for side, drawn, null in zip(sides, draws, nulls, strict=True)
    )
    return compared, estimate_contrasts([side.name for side in sides], pairs, draws, plan)


def _check(plan: Plan, estimates: Sequence[Any]) -> None:
    if not estimates:
        raise BadParameter("there is nothing to compare the truth with; give one estimate at least")
    if plan.max_swaps < 0 or any(k < 1 for k in plan.top):
        raise BadParameter("max_swaps is 0 or more, and the k of top overlaps are 1 or more")
    if plan.resamples < 0:
        raise BadParameter(f"resamples={plan.resamples}: 0 for none, or more")
    if plan.method not in METHODS:
        raise BadParameter(f"method={plan.method!r}: choose one of {', '.join(METHODS)}")
    if not 0.0 < plan.alpha < 1.0:
        raise BadParameter(f"alpha={plan.alpha}: a share between 0 and 1, such as 0.05")
    check_level(plan.level)


def _compare_one(side: Side, drawn: Floats | None, null: RankDistanceNull | None, plan: Plan) -> EstimateComparison:
    truth, estimate = side.truth, side.estimate
    x, y = truth.means, estimate.means
    m = len(truth.systems)
    x_ranks, y_ranks = mean_ranks(x), mean_ranks(y)
    x_range, y_range = mean_ranges(truth, plan.level), mean_ranges(estimate, plan.level)
    tested, tested_too = tested_pairs(truth, plan), tested_pairs(estimate, plan)
    best = winner(truth, estimate, tested)
    count, pairs = swapped_pairs(x, y, plan.max_swaps)
    swaps = [
        Swap(
            better=truth.systems[a],
            worse=truth.systems[b],
            truth_gap=float(x[a] - x[b]),
            estimate_gap=float(y[b] - y[a]),
            truth_ranks=(float(x_ranks[a]), float(x_ranks[b])),
            estimate_ranks=(float(y_ranks[a]), float(y_ranks[b])),
            pvalue=None if tested is None else float(tested.adjusted[a, b]),
            significant=None if tested is None else bool(tested.significant[a, b]),
        )
        for a, b in pairs
    ]
    systems = [
        SystemComparison(
            system=truth.systems[i],
            truth=float(x[i]),
            estimate=float(y[i]),
            truth_rank=float(x_ranks[i]),
            estimate_rank=float(y_ranks[i]),
            truth_low=None if x_range is None else float(x_range[0][i]),
            truth_high=None if x_range is None else float(x_range[1][i]),
            estimate_low=None if y_range is None else float(y_range[0][i]),
            estimate_high=None if y_range is None else float(y_range[1][i]),
        )
        for i in np.argsort(-x, kind="stable")
    ]
    values, distance = side_by_side(
        lambda: coefficient_values(truth, estimate, drawn, plan),
        lambda: rank_distance(truth, estimate, null, plan),
        plan.jobs,
    )
    return EstimateComparison(
        name=side.name,
        measure=estimate.measure,
        topics=len(estimate.topics) if isinstance(estimate, ScoreMatrix) else None,
        verdict=estimate_verdict(side.name, truth, estimate, best, plan, side.random, side.warnings),
        coefficients=values,
        no_interval=why_no_interval(truth, estimate, plan),
        most_systems=left_out(truth),
        rank_distance=distance,
        pairs=m * (m - 1) // 2,
        swap_count=count,
        truth_ties=tied_pairs(x),
        estimate_ties=tied_pairs(y),
        separation=None if tested is None else separation(tested, estimate),
        certainty=certainty(tested, tested_too),
        winner=best,
        swaps=tuple(swaps),
        top=tuple(_overlap(x, y, k) for k in plan.top if k < m),
        carriers=carriers(truth, estimate, plan),
        systems=tuple(systems),
    )


def _overlap(x: Floats, y: Floats, k: int) -> TopOverlap:
    shared, share = shared_top(x, y, k)
    return TopOverlap(k=k, shared=shared, share=share)


def _name(scores: Scores, default: str) -> str:
    return scores.name or scores.measure or default


def _names(truth: Scores, estimates: Sequence[Scores]) -> tuple[str, list[str]]:
    """What the sides are called: by their measures where one file or judge has several, else by their names."""
    own, names = _name(truth, "truth"), [_name(scores, f"estimate {i + 1}") for i, scores in enumerate(estimates)]
    alike = [name == own and scores.measure != truth.measure for name, scores in zip(names, estimates, strict=True)]
    if any(alike) and truth.measure:
        names = [s.measure or name if same else name for s, name, same in zip(estimates, names, alike, strict=True)]
        own = truth.measure
    return own, _distinct(names)


def _distinct(names: list[str]) -> list[str]:
    """Names made distinct by numbering those that recur."""
    seen: dict[str, int] = {}
    out = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        out.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return out
