"""How sure a comparison is: intervals and p of coefficients, rank distance, pairs of systems, topics that matter."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from rankscope.alignment import Topics
from rankscope.checks import (
    check_choice,
    check_count,
    check_jobs,
    check_level,
    check_resamples,
    check_seed,
    check_share,
)
from rankscope.coefficients import Coefficient, coefficient
from rankscope.coefficients.rows import quietly
from rankscope.coefficients.ties import TieBounds, tie_bounds
from rankscope.errors import RankscopeWarning
from rankscope.inference.agreement import draw_values, known_errors, topic_intervals
from rankscope.inference.contrasts import Contrast, contrasts, topic_contrasts, with_holm
from rankscope.inference.corrections import CORRECTIONS, Correction
from rankscope.inference.discrimination import power_over
from rankscope.inference.influence import topic_influence
from rankscope.inference.intervals import METHODS, Method, kendall_interval
from rankscope.inference.pairs import Significance, error_significance, significance
from rankscope.inference.permutation import permutation_test
from rankscope.inference.rank_distance_null import RankDistanceNull, rank_distance_null, rank_distance_test
from rankscope.inference.resampling import Draws, in_threads
from rankscope.inference.swap_tests import CONTRAST_TESTS, SWAP_OF, ContrastTest, swapped
from rankscope.inference.topic_level import TopicCoefficient, TopicValue, topic_values
from rankscope.results import Interval, NoInterval
from rankscope.scores import Floats, ScoreMatrix, Scores
from rankscope.studies.chance import Chance
from rankscope.studies.comparison_result import Carrier, CoefficientValue, RankDistanceSummary, Separation, Winner
from rankscope.studies.decisiveness import Decisiveness, decisiveness
from rankscope.studies.differences import tied_pairs
from rankscope.studies.pair_certainty import PairCertainty, pair_certainty
from rankscope.studies.pair_sample import too_many
from rankscope.studies.verdict import Reason, Rule, Verdict, verdict

# The numbers of best systems whose overlap is told, and of swaps that are listed.
TOP: tuple[int, ...] = (1, 3, 5, 10)
MAX_SWAPS = 10_000
# Ties that can move a value by more than this are worth a reader's attention.
NOTABLE_TIES = 0.01
# Enough for a p of chance, which is mostly nil; topics get all the draws asked for.
PERMUTATIONS = 999
# The time of a draw of the rank distance grows with the cube of the systems: beyond this number there are fewer draws.
_NULL_SYSTEMS, _LEAST_NULL_DRAWS = 300, 99
# Bounds under ties of shorter lists are mostly the interpreter's work, which threads make slower.
_LONG_TIES = 128
# Topics listed as carrying the disagreement.
_CARRIERS = 5


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What `compare` and `judge` were asked for, checked once.

    `chosen` are the coefficients of means by the names given, `by_topic` those computed from scores by topic.
    """

    chosen: tuple[Coefficient, ...]
    by_topic: tuple[TopicCoefficient, ...] = ()
    resamples: int
    level: float
    method: Method = "recentred"
    alpha: float
    correction: Correction
    top: tuple[int, ...] = TOP
    max_swaps: int = MAX_SWAPS
    contrast_test: ContrastTest = "bootstrap"
    decisiveness: bool = False
    clusters: bool = False
    rule: Rule | None
    rng: int
    jobs: int | None

    def __post_init__(self) -> None:
        check_resamples(self.resamples)
        check_level(self.level)
        check_choice("method", self.method, METHODS)
        check_share("alpha", self.alpha)
        check_choice("correction", self.correction, CORRECTIONS)
        check_choice("contrast_test", self.contrast_test, CONTRAST_TESTS)
        for k in self.top:
            check_count("top", k)
        check_count("max_swaps", self.max_swaps, 0)
        check_seed(self.rng)
        check_jobs(self.jobs)

    @cached_property
    def computed(self) -> tuple[Coefficient, ...]:
        """The coefficients to compute: one of each, whatever it is called."""
        return tuple({str(own): own for own in map(own_name, self.chosen)}.values())


def own_name(by: Coefficient) -> Coefficient:
    """The coefficient under its own name: tau_b for kendall."""
    if by.record.same_as is None:
        return by
    return Coefficient(coefficient(by.record.same_as).record, by.parameters, by.cutoff)


def all_draws(sides: Sequence[tuple[Scores, Scores]], topics: Sequence[Topics], plan: Plan) -> list[Floats | None]:
    """The computed coefficients under draws of topics or of errors, the truth's draws being the same for all estimates.

    None where nothing tells how far the means of either side may be off.
    """
    drawn = [i for i, pair in enumerate(sides) if plan.resamples and any(map(known_errors, pair))]
    draws: list[Floats | None] = [None] * len(sides)
    if drawn:
        values = draw_values(
            [sides[i] for i in drawn],
            plan.computed,
            resamples=plan.resamples,
            topics=[topics[i] for i in drawn],
            rng=plan.rng,
            jobs=plan.jobs,
        )
        for i, each in zip(drawn, values, strict=True):
            draws[i] = each
    return draws


def coefficient_values(
    truth: Scores, estimate: Scores, topics: Topics, drawn: Floats | None, plan: Plan
) -> tuple[CoefficientValue, ...]:
    """Every coefficient with its interval, its p beyond chance, and its bounds under ties."""
    x, y = truth.means, estimate.means
    with quietly():
        values = [float(by(x, y)) for by in plan.computed]
    intervals = _intervals(values, truth, estimate, topics, drawn, plan)
    chances = _chances(x, y, plan)
    ties = _ties(x, y, plan)
    place = {str(by): i for i, by in enumerate(plan.computed)}
    results = []
    for by in plan.chosen:
        name, own = str(by), str(own_name(by))
        i = place[own]
        results.append(
            CoefficientValue(
                name=name,
                value=values[i],
                interval=intervals[i],
                pvalue=chances[i][0],
                chance=chances[i][1],
                symbol=by.symbol,
                label=by.record.label,
                looks_at=by.looks_at,
                same_as=own if own != name else None,
                ties=ties[i],
            )
        )
    return tuple(results)


def by_topic_values(
    truth: Scores, estimate: Scores, topics: Topics, plan: Plan
) -> tuple[tuple[TopicValue, ...], tuple[Floats | None, ...]]:
    """The agreement by topic that was asked for, with its draws."""
    if not plan.by_topic:
        return (), ()
    how = (plan.resamples, plan.level, plan.rng, plan.jobs)
    values, draws = zip(*topic_values(truth, estimate, plan.by_topic, topics, *how), strict=True)
    return values, draws


def _intervals(
    values: Sequence[float], truth: Scores, estimate: Scores, topics: Topics, drawn: Floats | None, plan: Plan
) -> list[Interval | None]:
    if drawn is None:  # for τ there is Kendall's interval over systems; Eq. 1 is not for the others
        taus = [by.record.name in ("tau_a", "tau_b") and by.cutoff is None for by in plan.computed]
        return [
            kendall_interval(value, len(truth.systems), level=plan.level) if is_tau and np.isfinite(value) else None
            for is_tau, value in zip(taus, values, strict=True)
        ]
    options: dict[str, Any] = {"level": plan.level, "method": plan.method, "topics": topics}
    return topic_intervals(plan.computed, values, drawn, (truth, estimate), **options)


def _chances(x: Floats, y: Floats, plan: Plan) -> list[tuple[float | None, float | None]]:
    """The p of no agreement beyond chance, and the mean under chance, of every computed coefficient."""
    if plan.resamples == 0 or too_many(len(x)):
        return [(None, None)] * len(plan.computed)
    permutations = min(plan.resamples, PERMUTATIONS)
    tests = permutation_test(x, y, plan.computed, permutations=permutations, rng=plan.rng, jobs=plan.jobs)
    return [(test.pvalue, test.chance) for test in tests]


def _ties(x: Floats, y: Floats, plan: Plan) -> list[TieBounds | None]:
    if too_many(len(x)) or (tied_pairs(x) == 0 and tied_pairs(y) == 0):
        return [None] * len(plan.computed)
    jobs = plan.jobs if len(x) >= _LONG_TIES else 1
    bounds = in_threads(lambda by: tie_bounds(by, x, y, rng=plan.rng), plan.computed, jobs)
    return [ties if ties.spread > NOTABLE_TIES else None for ties in bounds]


def estimate_contrasts(
    names: Sequence[str],
    sides: Sequence[tuple[Scores, Scores]],
    topics: Sequence[Topics],
    draws: Sequence[Floats | None],
    by_topic: Sequence[tuple[tuple[TopicValue, ...], tuple[Floats | None, ...]]],
    plan: Plan,
) -> tuple[Contrast, ...]:
    """The estimates against each other: those on the same systems and topics, whose draws are therefore the same."""
    with_topics = [all(known_errors(side) == "topics" for side in pair) for pair in sides]
    drawn = [i for i, how in enumerate(topics) if how == "paired" and with_topics[i] and draws[i] is not None]
    if not drawn:
        return ()
    alike = [i for i in drawn if sides[i][0] == sides[drawn[0]][0]]
    pairs: list[Any] = [sides[i] for i in alike]
    values: list[Any] = [draws[i] for i in alike]
    labels = [names[i] for i in alike]
    of_means = contrasts(labels, pairs, plan.computed, values, level=plan.level)
    by_both = (*of_means, *topic_contrasts(labels, len(pairs[0][0].topics), [by_topic[i] for i in alike], plan.level))
    return (
        by_both
        if plan.contrast_test == "bootstrap"
        else _by_swaps(by_both, dict(zip(labels, pairs, strict=True)), plan)
    )


def _by_swaps(
    contrasted: Sequence[Contrast], pairs: dict[str, tuple[ScoreMatrix, ScoreMatrix]], plan: Plan
) -> tuple[Contrast, ...]:
    """The same contrasts with the p-values of a test that swaps the scores of two estimates."""
    swap = SWAP_OF[plan.contrast_test]
    chosen: list[Coefficient | TopicCoefficient] = [*plan.computed, *plan.by_topic]
    pvalues: dict[tuple[str, str, str], float | None] = {}
    for first, second in dict.fromkeys((c.first, c.second) for c in contrasted):
        draws = Draws(plan.resamples, plan.rng, plan.jobs)
        tested = swapped(pairs[first][0], pairs[first][1], pairs[second][1], chosen, swap, draws)
        pvalues |= {(value.name, first, second): value.pvalue for value in tested}
    again = [replace(c, pvalue=pvalues[c.name, c.first, c.second], adjusted=None) for c in contrasted]
    return tuple(c for by in chosen for c in with_holm([c for c in again if c.name == str(by)]))


def estimate_decisiveness(truth: Scores, estimate: Scores, topics: Topics, plan: Plan) -> Decisiveness | None:
    """How an estimate's win rates depend on the truth's, where that was asked for."""
    if not plan.decisiveness or too_many(len(truth.systems)):
        return None
    options: dict[str, Any] = {"resamples": plan.resamples, "level": plan.level, "rng": plan.rng, "jobs": plan.jobs}
    return decisiveness(truth, estimate, topics, **options)


def why_no_interval(truth: Scores, estimate: Scores, plan: Plan) -> NoInterval | None:
    """Why there is no interval from topics or standard errors, or None."""
    if plan.resamples == 0:
        return "no resamples"
    if known_errors(truth) is not None or known_errors(estimate) is not None:
        return None
    return "one topic" if isinstance(truth, ScoreMatrix) or isinstance(estimate, ScoreMatrix) else "no topics"


def rank_nulls(sides: Sequence[tuple[Scores, Scores]], plan: Plan) -> list[RankDistanceNull | None]:
    """The null distribution of rank distances from each aligned truth, made once where truths are the same."""
    made: list[tuple[ScoreMatrix, RankDistanceNull]] = []
    nulls: list[RankDistanceNull | None] = []
    for truth, _ in sides:
        few = isinstance(truth, ScoreMatrix) and len(truth.topics) < 2
        if (
            not isinstance(truth, ScoreMatrix)
            or few
            or not plan.resamples
            or too_many(len(truth.systems))
            or (not truth.averaged)
        ):
            nulls.append(None)
            continue
        known = next((null for baseline, null in made if baseline == truth), None)
        if known is None:
            draws = _null_draws(len(truth.systems), plan.resamples)
            known = rank_distance_null(truth, resamples=draws, rng=plan.rng, jobs=plan.jobs)
            made.append((truth, known))
        nulls.append(known)
    return nulls


def _null_draws(systems: int, resamples: int) -> int:
    """The draws behind the test of the rank distance; a warning says where there are fewer than asked for."""
    draws = min(resamples, max(_LEAST_NULL_DRAWS, int(resamples * (_NULL_SYSTEMS / systems) ** 3)))
    if draws < resamples:
        warnings.warn(
            f"with {systems:,} systems the rank distance is tested with {draws:,} draws of topics, not {resamples:,}",
            RankscopeWarning,
            stacklevel=3,
        )
    return draws


def rank_distance(
    truth: Scores, estimate: Scores, null: RankDistanceNull | None, plan: Plan
) -> RankDistanceSummary | None:
    """The rank distance from the truth and its test, where the truth has topics and both sides rank the systems."""
    if null is None or np.ptp(truth.means) == 0.0 or np.ptp(estimate.means) == 0.0:
        return None
    test = rank_distance_test(truth, estimate.means, null=null)
    ties = test.observed.ties
    enough = plan.alpha * (null.resamples + 1) >= 1.0
    return RankDistanceSummary(
        distance=test.distance,
        pvalue=test.pvalue,
        critical_value=null.critical_value(plan.alpha) if enough else None,
        alpha=plan.alpha,
        ties_least=None if ties is None else ties.least,
        ties_greatest=None if ties is None else ties.greatest,
        ridge=test.observed.ridge,
        resamples=null.resamples,
    )


def tested_pairs(scores: Scores, plan: Plan) -> Significance | None:
    """Which pairs of systems differ significantly on a side; None without topics or standard errors to test by."""
    if known_errors(scores) is None or too_many(len(scores.systems)):
        return None
    if not isinstance(scores, ScoreMatrix):
        return error_significance(scores, correction=plan.correction, alpha=plan.alpha)
    if not scores.averaged:
        return None
    return significance(scores, test="t", correction=plan.correction, alpha=plan.alpha)


def certainty(truth: Significance | None, estimate: Significance | None) -> PairCertainty | None:
    """What both sides say of every pair; None where a side has no topics or standard errors to test by."""
    return None if truth is None or estimate is None else pair_certainty(truth, estimate)


def winner(truth: Scores, estimate: Scores, tested: Significance | None) -> Winner:
    """The winners; where several tie, one that wins on both sides if there is one, else the first by name."""
    x, y = truth.means, estimate.means
    if np.ptp(x) == 0.0 or np.ptp(y) == 0.0:
        return Winner(truth=None, estimate=None, same=None, significant=None)
    first = {truth.systems[i] for i in np.flatnonzero(x == x.max())}
    second = {truth.systems[i] for i in np.flatnonzero(y == y.max())}
    both = sorted(first & second)
    if both:
        return Winner(truth=both[0], estimate=both[0], same=True, significant=None if tested is None else False)
    a, b = min(first), min(second)
    worse = None if tested is None else bool(tested.significant[tested.systems.index(a), tested.systems.index(b)])
    return Winner(truth=a, estimate=b, same=False, significant=worse)


def estimate_verdict(
    name: str,
    truth: Scores,
    estimate: Scores,
    best: Winner,
    plan: Plan,
    chance: Chance | None,
    warnings: Sequence[Reason],
    paired: bool | None,
    repeats: Floats | None = None,
) -> Verdict | None:
    """The verdict on an estimate; None where it was not asked for, or a side has no topics."""
    if plan.rule is None or not (isinstance(truth, ScoreMatrix) and isinstance(estimate, ScoreMatrix)):
        return None
    if not (truth.averaged and estimate.averaged):
        return None
    if best.significant:
        warnings = [Reason(kind="winner", holds=False, value=None, limit=None, name=best.estimate), *warnings]
    given: dict[str, Any] = {"chance": chance, "warnings": warnings, "paired": paired, "repeats": repeats}
    return verdict(truth, estimate.renamed(name), plan.rule, **given)


def separation(tested: Significance, estimate: Scores) -> Separation:
    """How the estimate orders the pairs that differ significantly in the truth."""
    power = power_over(tested, estimate.means)
    return Separation(
        pairs=power.pairs,
        swaps=power.opposed,
        discriminative_power=power.value,
        test=tested.settings["test"],
        correction=tested.settings["correction"],
        alpha=tested.settings["alpha"],
    )


def influences(truth: Scores, estimate: Scores, topics: Topics) -> tuple[Carrier, ...]:
    """How much τ rises without each topic, the greatest rise first, where both sides have the same topics."""
    if not (isinstance(truth, ScoreMatrix) and isinstance(estimate, ScoreMatrix)) or topics == "independent":
        return ()
    if len(truth.topics) < 2 or truth.fit is not None or estimate.fit is not None:
        return ()
    with quietly():
        influence = topic_influence(truth, estimate, ["kendall"])
    rises = influence.changes[0].tolist()
    changes = [Carrier(topic=t, change=change) for t, change in zip(influence.topics, rises, strict=True)]
    return tuple(sorted((c for c in changes if math.isfinite(c.change)), key=lambda c: -c.change))


def carriers(influence: Sequence[Carrier]) -> tuple[Carrier, ...]:
    """The few topics that carry the disagreement: without them τ rises most."""
    return tuple(carrier for carrier in influence[:_CARRIERS] if carrier.change > 0.0)
