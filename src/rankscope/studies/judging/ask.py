"""`judge`: runs and two or more sets of judgments in, an answer out."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankscope.coefficients import default_coefficients
from rankscope.defaults import LEVEL, RESAMPLES
from rankscope.errors import (
    BadParameter,
    MismatchedNames,
    MissingScores,
    RankscopeError,
    TooFewSystems,
    nothing_in_common,
    some,
)
from rankscope.inference.contrasts import Contrast
from rankscope.inference.corrections import Correction
from rankscope.inference.labels import LabelAgreement, label_agreement
from rankscope.inference.resampling import check_topics
from rankscope.inference.worth import TIMES
from rankscope.measures.evaluation import evaluate
from rankscope.measures.registry import parse_measures
from rankscope.measures.scoring import Measures, rescore
from rankscope.runs import Judgments, RunSet, join
from rankscope.scores import Floats, ScoreMatrix
from rankscope.simulation.pseudo import pseudo_grades
from rankscope.studies.certainty import Plan, own_name
from rankscope.studies.comparison import ALPHA, MAX_SWAPS, Side, compare_sides
from rankscope.studies.comparison import TOP as OVERLAPS
from rankscope.studies.judging.chance import ChanceLevel, DealtScores, chance_level, dealt_scores
from rankscope.studies.judging.findings import movers, places, remarks
from rankscope.studies.judging.parts import BestJudge, JudgeAnswer, JudgeLevel, JudgeReport
from rankscope.studies.judging.shift import GroupShift, Shift, shift
from rankscope.studies.parts import EstimateComparison
from rankscope.studies.verdict import (
    COVERED,
    INTERCHANGEABLE,
    LEAST,
    SUBSTITUTE,
    RandomLabels,
    Reason,
    lowest,
    random_labels_pvalue,
    rule_of,
    verdict,
)

Path = str | os.PathLike[str]
Progress = Callable[[str], None]

MEASURES = ("nDCG@10", "AP")
TOP = 10
RANDOM_DRAWS = 300
PSEUDO_DRAWS = 50
_DEALT = "the judge's labels, dealt at random within topics"
_PSEUDO = "relevance drawn from the pool (Soboroff et al. 2001)"


def judge(
    runs: RunSet | Path | Sequence[Path],
    truth: Judgments | Path,
    judges: Mapping[str, Judgments | Path] | Sequence[Judgments | Path],
    measures: Measures = MEASURES,
    *,
    groups: Mapping[str, str] | None = None,
    top: int = TOP,
    margins: tuple[float, float] = (INTERCHANGEABLE, SUBSTITUTE),
    times: float = TIMES,
    least_topics: float = LEAST,
    judged_topics: int | None = None,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    alpha: float = ALPHA,
    correction: Correction = "bh",
    random_draws: int = RANDOM_DRAWS,
    pseudo_draws: int = PSEUDO_DRAWS,
    pool_depth: int = 100,
    rng: int = 0,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> JudgeReport:
    """May systems be ranked with these judgments instead of the truth's?

    Averages are over all judged topics; a system that retrieved nothing scores 0. A judge that lacks some of the
    truth's topics is compared on those that both have.

    Parameters
    ----------
    runs
        The systems' runs, or paths to them.
    truth
        The judgments that are trusted, or their path.
    judges
        The judgments that might replace them, or their paths, by name or in a list.
    measures
        Measures to score by; each gets a verdict.
    groups
        The group of each system: does the judge favour one?
    top
        How many of the truth's best systems to look at on their own.
    margins
        The least worth of a judged topic to be interchangeable, and to be a substitute.
    times
        How many times as many topics the judge may label to be a substitute with more topics.
    least_topics
        The human topics whose ranking a judge must equal for clear differences.
    judged_topics
        How many topics the judge will label; by default as many as the truth has, at least 50.
    resamples, level
        Draws of topics for intervals (0: none), and the level of all intervals.
    alpha, correction
        When a pair of systems is significantly different: paired t-tests, corrected for their number.
    random_draws
        Draws of random labels for the chance level, at least 1; 0 leaves it out, and the verdict without it.
    pseudo_draws, pool_depth
        Draws of relevance from a pool of this depth (Soboroff et al. 2001).
    rng, jobs
        A seed, and the number of threads; the answer does not depend on the latter.
    progress
        Called with what is being done.

    Returns
    -------
    JudgeReport
        For each judge and measure a verdict with its reasons, what a judged topic is worth, agreement, the chance
        level, significantly different pairs, the shift of scores by group, and agreement of labels.

    Raises
    ------
    BadParameter, MismatchedNames, TooFewSystems
        Where options, names or the number of systems leave nothing to compare.

    References
    ----------
    docs/verdict.md for the rule and how often it errs.

    Examples
    --------
    >>> from rankscope.simulation.tracks import simulate_track
    >>> track = simulate_track(systems=12, topics=20, rng=1)
    >>> report = judge(track.runs, track.truth, {"the truth": track.truth}, "nDCG@10", resamples=200)
    >>> report.answers[0].verdict.level
    'interchangeable'
    """
    tell = progress or (lambda _: None)
    if not isinstance(runs, RunSet):
        from rankscope.files import read_runs

        tell("Reading runs")
        runs = read_runs(runs)
    human = _judgments(truth)
    others = _named(judges)
    names = tuple(map(str, parse_measures(measures)))
    plan = Plan(
        chosen=tuple({str(own): own for own in map(own_name, default_coefficients())}.values()),
        resamples=resamples,
        level=level,
        method="recentred",
        topics="paired",
        alpha=alpha,
        correction=correction,
        top=OVERLAPS,
        max_swaps=MAX_SWAPS,
        rule=rule_of(margins, times, least_topics, judged_topics, level),
        rng=rng,
        jobs=jobs,
    )
    _check(runs, groups, top, random_draws, pseudo_draws)
    tell("Scoring")
    reference = evaluate(runs, human, names)
    for measure in names:
        check_topics(reference.scores[measure], human.name or "the truth")
    scored = {name: evaluate(runs, _matched(name, one, human), names) for name, one in others.items()}
    tell("Comparing labels")
    labels = {name: _labels(human, one, plan) for name, one in others.items()}
    native = [str(m) for m in parse_measures(names) if m.record.function is not None]
    dealt = _dealt(runs, human, others, native, random_draws, plan, tell)
    pseudo = _pseudo(runs, human, native, pool_depth, pseudo_draws, plan, tell)
    answers: list[JudgeAnswer] = []
    ranked, contrasts, best = [], {}, []
    for measure in names:
        tell(f"Comparing rankings under {measure}")
        x = reference.scores[measure].renamed(human.name or "truth")
        asked = [
            _asked(x, found.scores[measure].renamed(name), dealt.get((name, measure)), labels[name], groups, plan)
            for name, found in scored.items()
        ]
        sides = [one.side for one in asked]
        compared, contrasts[measure] = _compared(sides, plan)
        tops = _tops(x, sides, top, plan)
        relevance = None
        if measure in pseudo:
            relevance = chance_level(_PSEUDO, x.means, pseudo[measure].mean(axis=1), plan.chosen, None)
        answers += [_answer(measure, one, compared, tops, relevance) for one in asked]
        ranked += places(measure, compared, contrasts[measure], plan.alpha)
        if len(sides) > 1:
            best += _best(measure, sides, compared, plan)
    order = {name: i for i, name in enumerate(others)}
    return JudgeReport(
        truth=human.name or "truth",
        judges=tuple(others),
        measures=names,
        systems=runs.systems,
        topics=human.topics,
        levels=tuple(_over_measures(name, answers) for name in others),
        best=tuple(best),
        answers=tuple(sorted(answers, key=lambda a: (order[a.judge], names.index(a.measure)))),
        labels=labels,
        places=tuple(ranked),
        contrasts=contrasts,
        groups=None if groups is None else {system: groups[system] for system in runs.systems},
        remarks=remarks(reference, scored, human, others),
        settings={
            "margins": list(margins),
            "times": times,
            "least_topics": least_topics,
            "judged_topics": judged_topics,
            "resamples": resamples,
            "level": level,
            "alpha": alpha,
            "correction": correction,
            "top": top,
            "random_draws": random_draws,
            "pseudo_draws": pseudo_draws,
            "pool_depth": pool_depth,
            "seed": rng,
            "providers": dict(reference.providers),
        },
    )


def _check(runs: RunSet, groups: Mapping[str, str] | None, top: int, random_draws: int, pseudo_draws: int) -> None:
    if len(runs.systems) < 2:
        raise TooFewSystems(f"a ranking needs two systems at least, there is {len(runs.systems)}: {some(runs.systems)}")
    if top < 2:
        raise BadParameter(f"top={top}: a ranking needs two systems at least")
    if random_draws < 0 or pseudo_draws < 0:
        raise BadParameter("random_draws and pseudo_draws are 0 for none, or more")
    lost = [system for system in runs.systems if groups is not None and system not in groups]
    if lost:
        raise MismatchedNames(f"{len(lost)} systems have no group: {some(lost)}; name one for every system")


@dataclass(frozen=True, eq=False)
class _Asked:
    """One judge under one measure: its side of the comparison, and what only labels can tell."""

    side: Side
    shift: Shift
    chance: ChanceLevel | None
    topics: int


def _asked(
    truth: ScoreMatrix,
    estimate: ScoreMatrix,
    dealt: tuple[DealtScores, DealtScores] | None,
    labels: LabelAgreement | None,
    groups: Mapping[str, str] | None,
    plan: Plan,
) -> _Asked:
    """A judge on the topics that both sides have; `dealt` are the scores of both under random labels."""
    judged = set(estimate.topics)
    shared = [topic for topic in truth.topics if topic in judged]
    x, y = truth.select(topics=shared), estimate.select(topics=shared)
    moved = shift(x, y, groups=groups, level=plan.level, resamples=plan.resamples, rng=plan.rng)
    random = chance = None
    if dealt is not None:
        p = random_labels_pvalue(x.means, y.means, dealt[1].means)
        random = RandomLabels(
            _rows(dealt[0].expected, truth.topics, shared), _rows(dealt[1].expected, estimate.topics, shared), p
        )
        chance = chance_level(_DEALT, x.means, dealt[1].means, plan.chosen, p)
    side = Side(estimate.name or "judge", x, y, random, _warnings(moved.groups, labels, plan.alpha))
    return _Asked(side, moved, chance, len(shared))


def _answer(
    measure: str,
    asked: _Asked,
    compared: Mapping[str, EstimateComparison],
    tops: Mapping[str, EstimateComparison],
    pseudo: ChanceLevel | None,
) -> JudgeAnswer:
    name = asked.side.name
    agreement = compared[name]
    if agreement.verdict is None:
        raise MissingScores(f"{name} has no topics to judge by")
    return JudgeAnswer(
        judge=name,
        measure=measure,
        verdict=agreement.verdict,
        agreement=agreement,
        top=tops.get(name),
        chance=asked.chance,
        pseudo=pseudo,
        shift=asked.shift,
        movers=movers(agreement),
        topics=asked.topics,
    )


def _rows(values: Floats, topics: Sequence[str], wanted: Sequence[str]) -> Floats:
    """The rows of these topics."""
    place = {topic: i for i, topic in enumerate(topics)}
    return values[[place[topic] for topic in wanted]]


def _dealt(
    runs: RunSet,
    truth: Judgments,
    judges: Mapping[str, Judgments],
    measures: Sequence[str],
    draws: int,
    plan: Plan,
    tell: Progress,
) -> dict[tuple[str, str], tuple[DealtScores, DealtScores]]:
    """Scores of the truth and of each judge under their labels dealt at random, by judge and measure."""
    if not draws or not measures:
        return {}
    tell("Dealing labels at random")
    own = dealt_scores(join(runs, truth), measures, draws, plan.rng, means=False, jobs=plan.jobs)
    found: dict[tuple[str, str], tuple[DealtScores, DealtScores]] = {}
    for name, judge in judges.items():
        tell(f"Dealing the labels of {name} at random")
        joined = join(runs, _matched(name, judge, truth))
        scores = dealt_scores(joined, measures, draws, plan.rng, means=True, jobs=plan.jobs)
        found |= {(name, measure): (own[measure], one) for measure, one in scores.items()}
    return found


def _warnings(groups: Sequence[GroupShift], labels: LabelAgreement | None, alpha: float) -> tuple[Reason, ...]:
    """What stands beside the level: groups that are favoured, and judgments that are not covered."""
    found = [
        Reason(kind="group", holds=False, value=g.advantage, limit=g.pvalue, name=g.group)
        for g in groups
        if g.pvalue is not None and g.pvalue <= alpha
    ]
    covered = _covered(labels)
    if covered is not None and covered < COVERED:
        found.append(Reason(kind="coverage", holds=False, value=covered, limit=COVERED))
    return tuple(found)


def _covered(labels: LabelAgreement | None) -> float | None:
    """The share of the truth's judgments that the judge has too."""
    if labels is None:
        return None
    pairs = labels.coverage.pairs + labels.coverage.truth_only
    return labels.coverage.pairs / pairs if pairs else None


def _compared(sides: Sequence[Side], plan: Plan) -> tuple[dict[str, EstimateComparison], tuple[Contrast, ...]]:
    """Every judge's comparison by name, and judges on the same topics against each other."""
    compared, contrasts = compare_sides(sides, plan)
    return {side.name: one for side, one in zip(sides, compared, strict=True)}, contrasts


def _tops(x: ScoreMatrix, sides: Sequence[Side], top: int, plan: Plan) -> dict[str, EstimateComparison]:
    """The truth's best systems on their own, all that tie at the cut among them; none where there are no others."""
    if len(x.systems) <= top:
        return {}
    cut = np.sort(x.means)[-top]
    best = [system for system, mean in zip(x.systems, x.means, strict=True) if mean >= cut]
    if len(best) == len(x.systems):
        return {}
    chosen = [Side(side.name, side.truth.select(systems=best), side.estimate.select(systems=best)) for side in sides]
    return _compared(chosen, replace(plan, rule=None))[0]


def _best(
    measure: str, sides: Sequence[Side], compared: Mapping[str, EstimateComparison], plan: Plan
) -> list[BestJudge]:
    """The judge of highest worth, and its level at the confidence that choosing it from so many leaves."""
    verdicts = {name: found.verdict for name, found in compared.items() if found.verdict is not None}
    known = {name: found.worth.worth for name, found in verdicts.items() if found.worth is not None}
    if not known or plan.rule is None:
        return []
    name = max(known, key=lambda one: known[one])
    side = next(side for side in sides if side.name == name)
    confidence = 1.0 - (1.0 - plan.level) / len(sides)
    if not (isinstance(side.truth, ScoreMatrix) and isinstance(side.estimate, ScoreMatrix)):
        return []
    found = verdict(side.truth, side.estimate, replace(plan.rule, level=confidence), random=side.random)
    return [BestJudge(measure=measure, judge=name, worth=known[name], level=found.level, confidence=confidence)]


def _over_measures(judge: str, answers: Sequence[JudgeAnswer]) -> JudgeLevel:
    own = [answer for answer in answers if answer.judge == judge]
    worst = lowest([answer.verdict for answer in own])
    measure = next(answer.measure for answer in own if answer.verdict is worst)
    return JudgeLevel(judge=judge, level=worst.level, measure=measure)


def _pseudo(
    runs: RunSet,
    truth: Judgments,
    measures: Sequence[str],
    depth: int,
    draws: int,
    plan: Plan,
    tell: Progress,
) -> Mapping[str, Floats]:
    """Scores under relevance drawn at random from the pool; none where it cannot be drawn."""
    if not draws or not measures:
        return {}
    tell("Drawing relevance from the pool")
    try:
        judged, grades = pseudo_grades(runs, truth, depth=depth, draws=draws, rng=plan.rng)
    except MissingScores:  # no run has a judged topic, or nothing is relevant: there is no share to draw
        return {}
    return rescore(judged, measures, grades, jobs=plan.jobs)


def _judgments(given: Judgments | Path) -> Judgments:
    if isinstance(given, Judgments):
        return given
    from rankscope.files import read_judgments

    return read_judgments(given)


def _named(judges: Mapping[str, Judgments | Path] | Sequence[Judgments | Path]) -> dict[str, Judgments]:
    if isinstance(judges, Judgments | str | os.PathLike):
        judges = [judges]
    if isinstance(judges, Mapping):
        found = {str(name): _judgments(one) for name, one in judges.items()}
    else:
        read = [_judgments(one) for one in judges]
        found = {one.name or f"judge {i + 1}": one for i, one in enumerate(read)}
        if len(found) < len(read):
            raise BadParameter("two judges have the same name; give them as a mapping from name to judgments")
    if not found:
        raise BadParameter("there is no judge to hold against the truth; give one at least")
    return found


def _matched(name: str, judge: Judgments, truth: Judgments) -> Judgments:
    """The judge's judgments on the truth's topics, in the truth's order where it has them all."""
    known = set(judge.topics)
    shared = [topic for topic in truth.topics if topic in known]
    if not shared:
        raise nothing_in_common("topic", (name, "the truth"), judge.topics, truth.topics)
    return judge.for_topics(shared)


def _labels(truth: Judgments, judge: Judgments, plan: Plan) -> LabelAgreement | None:
    try:
        return label_agreement(truth, judge, level=plan.level, resamples=plan.resamples, rng=plan.rng)
    except RankscopeError:  # no pair that both judged: said by the coverage
        return None
