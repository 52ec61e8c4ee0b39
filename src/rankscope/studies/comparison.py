"""Do an estimate's scores rank the systems as the truth's do, how sure is that, and where do they part?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankscope.alignment import AnyTopics, Topics, align, pairing
from rankscope.averages import mean_ranks
from rankscope.coefficients import Coefficient, coefficient, default_coefficients
from rankscope.defaults import ALPHA, CORRECTION, LEVEL, RESAMPLES, SEED
from rankscope.errors import BadParameter, MissingScores, TooFewSystems, some
from rankscope.inference.agreement import known_errors
from rankscope.inference.contrasts import Contrast
from rankscope.inference.corrections import Correction
from rankscope.inference.intervals import Method
from rankscope.inference.pairs import Significance
from rankscope.inference.rank_distance_null import RankDistanceNull
from rankscope.inference.resampling import check_averaged, side_by_side
from rankscope.inference.swap_tests import ContrastTest
from rankscope.inference.topic_level import TopicCoefficient, asked_for
from rankscope.inference.worth import TIMES
from rankscope.inputs import ScoresLike, one_named, to_named_scores
from rankscope.results import Remark
from rankscope.scores import Floats, OnMissing, ScoreMatrix, Scores
from rankscope.studies.battle_labels import battle_agreement
from rankscope.studies.certainty import (
    MAX_SWAPS,
    PERMUTATIONS,
    TOP,
    Plan,
    all_draws,
    by_topic_values,
    carriers,
    certainty,
    coefficient_values,
    estimate_contrasts,
    estimate_decisiveness,
    estimate_verdict,
    influences,
    rank_distance,
    rank_nulls,
    separation,
    tested_pairs,
    why_no_interval,
    winner,
)
from rankscope.studies.chance import (
    DEALT_SCORES,
    Chance,
    ChanceLevel,
    chance_level,
    chance_pvalue,
    dealt_to_systems,
)
from rankscope.studies.clusters import system_clusters
from rankscope.studies.comparison_result import (
    Comparison,
    EstimateComparison,
    Swap,
    SystemComparison,
    TopOverlap,
    TruthSide,
)
from rankscope.studies.differences import shared_top, swapped_pairs, tied_pairs
from rankscope.studies.families import Groups, to_groups
from rankscope.studies.groups import GroupShift, group_shifts, group_warnings
from rankscope.studies.mean_ranges import mean_ranges
from rankscope.studies.pair_sample import too_many
from rankscope.studies.score_panels import ScorePanel, check_score_panels, score_panel, score_panel_remark
from rankscope.studies.verdict import INTERCHANGEABLE, LEAST, SUBSTITUTE, Reason, rule_of, unit_of


def compare(
    truth: ScoresLike,
    *estimates: ScoresLike,
    measure: str | None = None,
    coefficients: Sequence[str | Coefficient | TopicCoefficient] | None = None,
    on_missing: OnMissing = "error",
    topics: AnyTopics = "auto",
    groups: Groups | None = None,
    clusters: bool = False,
    panels: Sequence[ScorePanel] = (),
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    method: Method = "recentred",
    alpha: float = ALPHA,
    correction: Correction = CORRECTION,
    top: Sequence[int] = TOP,
    max_swaps: int = MAX_SWAPS,
    contrast_test: ContrastTest = "bootstrap",
    decisiveness: bool = False,
    margins: tuple[float, float] = (INTERCHANGEABLE, SUBSTITUTE),
    times: float = TIMES,
    least_topics: float = LEAST,
    judged_topics: int | None = None,
    rng: int = SEED,
    jobs: int | None = None,
) -> Comparison:
    """Compare estimates with a truth: score tables or leaderboards, as data, frames or paths.

    Systems, and topics where both sides have them, are matched by name. With topics on both sides there is a verdict
    for each estimate: what one of its topics is worth in topics of the truth, and what that allows. Leaderboards with
    standard errors have intervals and tests from these, errors being taken as independent; what a topic is worth cannot
    be known from them. Above 2,000 systems
    whatever looks at every pair of systems is left out; the result says so.

    Parameters
    ----------
    truth : ScoresLike
        The scores that are trusted: by topic, or a leaderboard; `{"human": scores}` gives them a name.
    *estimates : ScoresLike
        The scores that might replace them, at least one; `{"umbrela": scores, "gpt": others}` gives them names.
    measure : str, optional
        The measure to read where a file or frame has several.
    coefficients : sequence of str or Coefficient, optional
        Names such as `tau_ap`, `rbo(p=0.8)` or `tau_gap@10`; by default all but `pairwise_accuracy`. Also those of
        scores by topic, `spa`, `acc_eq` and `kendall(by=topic)`, as in `topic_agreement`; alone, they come with τ_b.
    on_missing : str, default "error"
        What becomes of missing scores and of systems or topics that only one side has: "error"; "intersect" leaves them
        out; "zero" scores them 0; and what `read_scores` has for missing scores.
    topics : {"auto", "paired", "independent"}, default "auto"
        Whether the sides' topics are the same, matched by name, or two samples. "auto" takes them as two samples where
        none is in common.
    groups : mapping from str to str, or "names", optional
        The group (team, family) of each system, to see whether an estimate favours one (`read_groups`); "names" takes
        families from the systems' names (`name_families`).
    clusters : bool, default False
        Whether to look for systems that an estimate moves together from topic to topic (docs/clusters.md).
    panels : sequence of {"mean", "median"}, optional
        Panels of the estimates, each as one more estimate: the mean or median of their standardised scores
        (docs/panels.md).
    resamples : int, default 2000
        Draws behind intervals, p-values, the rank distance and the test between estimates; 0 for none.
    level : float, default 0.95
        The level of all intervals.
    method : str, default "recentred"
        How intervals are made from the draws; docs/coverage.md compares the methods.
    alpha : float, default 0.05
        The level of the paired t-tests between systems.
    correction : str, default "bh"
        How these tests are corrected for their number.
    top : sequence of int, default (1, 3, 5, 10)
        The numbers of best systems whose overlap is told.
    max_swaps : int, default 10000
        The number of swaps that are listed, those with the largest gap in the truth; all are counted.
    contrast_test : str, default "bootstrap"
        The test between two estimates: by resampled topics, or by swapping their scores, "perm-both", "perm-topics",
        "perm-systems" or "perm-cells" (`swap_test`).
    decisiveness : bool, default False
        Whether to tell how decisive each estimate is and which systems it favours, by win rates of all pairs.
    margins : pair of float, default (0.8, 0.5)
        The least worth of a topic of the estimate to be interchangeable, and to be a substitute.
    times : float, default 4.0
        How many times as many topics the estimate may have to be a substitute with more topics.
    least_topics : float, default 10.0
        The topics of the truth whose ranking an estimate must equal for clear differences.
    judged_topics : int, optional
        The number of topics the estimate will be used with; by default as many as the truth has, at least 50.
    rng : int, default 0
        The seed.
    jobs : int, optional
        The number of threads, by default one per core; the numbers do not depend on it.

    Returns
    -------
    Comparison
        For each estimate a verdict, coefficients with intervals and p-values, swaps, significantly different pairs,
        the rank distance, overlaps of the best systems, and the topics that matter most.

    Raises
    ------
    BadParameter
        Where an option is out of its range, or there is no estimate.
    MismatchedNames, MissingScores
        Where the sides have different systems or topics and `on_missing` is "error".
    TooFewSystems
        Where the sides share fewer than two systems.

    References
    ----------
    docs/verdict.md has the rule of the verdict, docs/coefficients.md the coefficients' papers.

    Examples
    --------
    >>> result = compare({"a": 0.9, "b": 0.5, "c": 0.4}, {"a": 0.8, "b": 0.3, "c": 0.6})
    >>> result.estimates[0].value("kendall"), result.estimates[0].swaps[0].better
    (0.3333333333333333, 'b')
    >>> compare({"a": 0.9, "b": 0.5}, {"llm": {"a": 0.8, "b": 0.3}}).estimates[0].name
    'llm'
    """
    if not estimates:
        raise BadParameter("there is nothing to compare the truth with; give at least one estimate")
    asked = default_coefficients() if coefficients is None else tuple(asked_for(coefficients))
    of_means = tuple(by for by in asked if isinstance(by, Coefficient))
    plan = Plan(
        chosen=of_means or (coefficient("tau_b"),),
        by_topic=tuple(by for by in asked if not isinstance(by, Coefficient)),
        resamples=resamples,
        level=level,
        method=method,
        alpha=alpha,
        correction=correction,
        top=tuple(top),
        max_swaps=max_swaps,
        contrast_test=contrast_test,
        decisiveness=decisiveness,
        clusters=clusters,
        rule=rule_of(margins, times, least_topics, judged_topics, level),
        rng=rng,
        jobs=jobs,
    )
    reference = one_named(truth, measure=measure)
    others = to_named_scores(estimates, measure=measure, systems=reference.systems)
    titled, names = _names(reference, others)
    named = None if groups is None else to_groups(groups, reference.systems)
    combined = check_score_panels(panels, len(others))

    def side(name: str, scores: Scores) -> Side:
        how = pairing(reference, scores, topics)
        x, y = align(reference, scores, on_missing=on_missing, topics=how)
        if len(x.systems) < 2:
            shared = f"both sides share {len(x.systems)}: {some(x.systems)}"
            raise TooFewSystems(f"a ranking needs two systems at least, and {shared}")
        return _side(name, x.renamed(titled), y, how, named, plan)

    sides = [side(name, scores) for name, scores in zip(names, others, strict=True)]
    members = {own.name: own.estimate for own in sides}
    called = _distinct([titled, *names, *(f"panel-{how}" for how in combined)])[len(names) + 1 :]
    made = dict(zip(called, combined, strict=True))
    sides += [side(name, score_panel(how, members, name)) for name, how in made.items()]
    compared, contrasts = compare_sides(sides, plan)
    return Comparison(
        truth=TruthSide(
            name=titled,
            measure=reference.measure,
            systems=len(reference.systems),
            topics=len(reference.topics) if isinstance(reference, ScoreMatrix) else None,
            aggregate=reference.aggregate,
            lower_is_better=reference.shown_lower,
        ),
        estimates=compared,
        contrasts=contrasts,
        groups=None if named is None else {s: str(named[s]) for s in reference.systems if s in named},
        remarks=(*_remarks(sides), *(score_panel_remark(how, names, name) for name, how in made.items())),
        settings={
            "coefficients": [str(c) for c in (*plan.chosen, *plan.by_topic)],
            "on_missing": on_missing,
            "topics": topics,
            "resamples": resamples,
            "level": level,
            "method": method,
            "alpha": alpha,
            "correction": correction,
            "top": list(top),
            "max_swaps": max_swaps,
            "clusters": clusters,
            "panels": {name: {"how": how, "estimates": names} for name, how in made.items()},
            "contrast_test": contrast_test,
            "decisiveness": decisiveness,
            "margins": list(margins),
            "times": times,
            "least_topics": least_topics,
            "judged_topics": judged_topics,
            "seed": rng,
        },
    )


@dataclass(frozen=True, eq=False)
class Side:
    """An estimate aligned with its truth: the same systems, and paired topics or two samples.

    Means are drawn from topics, or from the standard errors of a leaderboard (`agreement.draw_values`). `chance` and
    `level` are the chance level, from labels or scores dealt at random; `groups` what it does to groups of systems.
    `repeats` are those whose mean the estimate is, repeats × topics × systems; None for an estimate that was made once.
    """

    name: str
    truth: Scores
    estimate: Scores
    topics: Topics = "paired"
    chance: Chance | None = None
    level: ChanceLevel | None = None
    groups: tuple[GroupShift, ...] = ()
    warnings: tuple[Reason, ...] = ()
    repeats: Floats | None = None


def _side(
    name: str, truth: Scores, estimate: Scores, topics: Topics, groups: Mapping[str, str] | None, plan: Plan
) -> Side:
    """A side of scores alone, whose chance level deals each topic's scores to the systems."""
    if not (isinstance(truth, ScoreMatrix) and isinstance(estimate, ScoreMatrix)):
        if groups is not None:
            raise MissingScores("groups are compared over topics, which both sides must have; leave groups out")
        return Side(name, truth, estimate, topics)
    if not (truth.averaged and estimate.averaged):
        if groups is not None:
            check_averaged(truth, "a comparison of groups")
            check_averaged(estimate, "a comparison of groups")
        return Side(name, truth, estimate, topics)
    chance = level = None
    if plan.resamples and not too_many(len(truth.systems)):
        dealt = dealt_to_systems(estimate, min(plan.resamples, PERMUTATIONS), plan.rng, plan.jobs)
        chance = Chance(null="scores", pvalue=chance_pvalue(truth.means, estimate.means, dealt))
        level = chance_level(DEALT_SCORES, truth.means, dealt, plan.chosen, chance.pvalue)
    shifts: tuple[GroupShift, ...] = ()
    if groups is not None:
        shifts = group_shifts(truth, estimate, groups, level=plan.level, rng=plan.rng, paired=topics == "paired")
    return Side(name, truth, estimate, topics, chance, level, shifts, tuple(group_warnings(shifts, plan.alpha)))


def compare_sides(sides: Sequence[Side], plan: Plan) -> tuple[tuple[EstimateComparison, ...], tuple[Contrast, ...]]:
    """Compare each estimate with its truth, and those on the same topics with each other."""
    pairs = [(side.truth, side.estimate) for side in sides]
    topics = [side.topics for side in sides]
    draws, nulls = all_draws(pairs, topics, plan), rank_nulls(pairs, plan)
    # Estimates often share a truth, whose pairs are tested once.
    truths = {id(side.truth): side.truth for side in sides}
    tested = {key: tested_pairs(truth, plan) for key, truth in truths.items()}
    compared = tuple(
        _compare_side(side, tested[id(side.truth)], drawn, null, plan)
        for side, drawn, null in zip(sides, draws, nulls, strict=True)
    )
    by_topic = [by_topic_values(side.truth, side.estimate, side.topics, plan) for side in sides]
    compared = tuple(
        replace(own, by_topic=values, decisiveness=estimate_decisiveness(side.truth, side.estimate, side.topics, plan))
        for own, side, (values, _) in zip(compared, sides, by_topic, strict=True)
    )
    return compared, estimate_contrasts([side.name for side in sides], pairs, topics, draws, by_topic, plan)


def _compare_side(
    side: Side, tested: Significance | None, drawn: Floats | None, null: RankDistanceNull | None, plan: Plan
) -> EstimateComparison:
    """An estimate and its truth, whose pairs were `tested`."""
    truth, estimate = side.truth, side.estimate
    x, y = truth.means, estimate.means
    shown_x, shown_y = truth.shown(x), estimate.shown(y)
    m = len(truth.systems)
    x_ranks, y_ranks = mean_ranks(x), mean_ranks(y)
    x_range, y_range = mean_ranges(truth, plan.level), mean_ranges(estimate, plan.level)
    tested_too = tested_pairs(estimate, plan)
    best = winner(truth, estimate, tested)
    count, pairs = swapped_pairs(x, y, plan.max_swaps)
    swaps = [
        Swap(
            better=truth.systems[a],
            worse=truth.systems[b],
            truth_gap=float(abs(shown_x[a] - shown_x[b])),
            estimate_gap=float(abs(shown_y[b] - shown_y[a])),
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
            truth=float(shown_x[i]),
            estimate=float(shown_y[i]),
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
        lambda: coefficient_values(truth, estimate, side.topics, drawn, plan),
        lambda: rank_distance(truth, estimate, null, plan),
        plan.jobs,
    )
    by_topic = isinstance(truth, ScoreMatrix) and isinstance(estimate, ScoreMatrix)
    paired = side.topics == "paired" if by_topic else None
    influence = influences(truth, estimate, side.topics)
    clusters = None
    if plan.clusters:
        same = paired is True
        clusters = system_clusters(truth, estimate, paired=same, alpha=plan.alpha, level=plan.level, rng=plan.rng)
    return EstimateComparison(
        name=side.name,
        measure=estimate.measure,
        topics=len(estimate.topics) if isinstance(estimate, ScoreMatrix) else None,
        truth_topics=len(truth.topics) if isinstance(truth, ScoreMatrix) else None,
        paired=paired,
        truth_errors=known_errors(truth),
        estimate_errors=known_errors(estimate),
        aggregate=estimate.aggregate,
        lower_is_better=estimate.shown_lower,
        verdict=estimate_verdict(
            side.name, truth, estimate, best, plan, side.chance, side.warnings, paired, side.repeats
        ),
        chance=side.level,
        coefficients=values,
        no_interval=why_no_interval(truth, estimate, plan),
        most_systems=too_many(len(truth.systems)),
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
        carriers=carriers(influence),
        influence=influence,
        groups=side.groups,
        clusters=None if isinstance(clusters, str) else clusters,
        no_clusters=clusters if isinstance(clusters, str) else None,
        systems=tuple(systems),
        unit=unit_of(truth, estimate),
        battles=battle_agreement(truth, estimate, side.name, plan.level) if paired else None,
    )


# What is left out of a comparison of scores that are no means over the same topics.
_OF_MEANS = ("verdict", "worth of a topic", "chance level", "tests of pairs of systems", "rank distance")


def _remarks(sides: Sequence[Side]) -> tuple[Remark, ...]:
    """What was left out of each side, and what cannot be told of scores that are no means."""
    both = [scores for side in sides for scores in (side.truth, side.estimate)]
    remarks = [remark for scores in both for remark in scores.left_out]
    remarks += [
        Remark(kind="not a mean", about=scores.name, names=_OF_MEANS, how=scores.fit or scores.aggregate)
        for scores in both
        if not scores.averaged
    ]
    return tuple(dict.fromkeys(remarks))


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
    own, *names = _distinct([own, *names])
    return own, names


def _distinct(names: list[str]) -> list[str]:
    """Names made distinct by numbering those that recur."""
    seen: dict[str, int] = {}
    out = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        out.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return out
