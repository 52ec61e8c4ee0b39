"""`judge`: runs and two or more sets of judgments in, an answer out."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankscope.coefficients import Coefficient, default_coefficients
from rankscope.errors import (
    BadParameter,
    MismatchedNames,
    MissingScores,
    RankscopeError,
    TooFewSystems,
    nothing_in_common,
    some,
)
from rankscope.inference.agreement import LEVEL, RESAMPLES
from rankscope.inference.corrections import Correction
from rankscope.inference.labels import LabelAgreement, label_agreement
from rankscope.inference.pairs import Significance, significance
from rankscope.inference.resampling import check_topics
from rankscope.measures.evaluation import evaluate
from rankscope.measures.registry import parse_measures
from rankscope.measures.scoring import Measures
from rankscope.runs import Judgments, RunSet, join
from rankscope.scores import ScoreMatrix
from rankscope.simulation.pseudo import pseudo_grades
from rankscope.studies.certainty import own_name
from rankscope.studies.comparison import ALPHA, compare
from rankscope.studies.judging.ceiling import Ceiling, best_systems, ceiling_of
from rankscope.studies.judging.certainty import pair_certainty
from rankscope.studies.judging.findings import movers, places, remarks, winner
from rankscope.studies.judging.floor import Floor, floors, shuffled_grades
from rankscope.studies.judging.parts import (
    JudgeAnswer,
    JudgeReport,
    MeasureTruth,
)
from rankscope.studies.judging.shift import shift
from rankscope.studies.judging.verdict import Evidence, verdict
from rankscope.studies.parts import Comparison, EstimateComparison

Path = str | os.PathLike[str]
Progress = Callable[[str], None]

MEASURES = ("nDCG@10", "AP")
TOP = 10
FLOOR_DRAWS = 200
PSEUDO_DRAWS = 50


@dataclass(frozen=True, kw_only=True)
class _Plan:
    chosen: tuple[Coefficient, ...]
    resamples: int
    level: float
    alpha: float
    correction: Correction
    top: int
    floor_draws: int
    pseudo_draws: int
    pool_depth: int
    groups: Mapping[str, str] | None
    rng: int
    jobs: int | None

    def compared(self, truth: ScoreMatrix, estimates: Sequence[ScoreMatrix], *, paired: bool) -> Comparison:
        return compare(
            truth,
            *estimates,
            coefficients=self.chosen,
            topics="paired" if paired else "independent",
            resamples=self.resamples,
            level=self.level,
            alpha=self.alpha,
            correction=self.correction,
            rng=self.rng,
            jobs=self.jobs,
        )


def judge(
    runs: RunSet | Path | Sequence[Path],
    truth: Judgments | Path,
    judges: Mapping[str, Judgments | Path] | Sequence[Judgments | Path],
    measures: Measures = MEASURES,
    *,
    groups: Mapping[str, str] | None = None,
    top: int = TOP,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    alpha: float = ALPHA,
    correction: Correction = "bh",
    floor_draws: int = FLOOR_DRAWS,
    pseudo_draws: int = PSEUDO_DRAWS,
    pool_depth: int = 100,
    rng: int = 0,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> JudgeReport:
    """May systems be ranked with these judgments instead of the truth's?

    For each judge and measure: agreement of the rankings, also of the truth's `top` systems; the ceiling that fresh
    topics set and the floor of labels that know nothing; pairs told apart wrongly; the shift of scores, by `groups` of
    systems if given; agreement of labels; a verdict with its reasons; and judges against each other. Averages are over
    all judged topics, a system that retrieved nothing scoring 0. A judge that lacks some of the truth's topics ranks
    systems by its own, which then count as another sample.

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
    plan = _checked(
        _Plan(
            chosen=tuple({str(own): own for own in map(own_name, default_coefficients())}.values()),
            resamples=resamples, level=level, alpha=alpha, correction=correction, top=top, floor_draws=floor_draws,
            pseudo_draws=pseudo_draws, pool_depth=pool_depth, groups=groups, rng=rng, jobs=jobs,
        ),
        runs,
    )  # fmt: skip
    tell("Scoring")
    reference = evaluate(runs, human, names)
    for measure in names:
        check_topics(reference.scores[measure], human.name or "the truth")
    scored = {name: evaluate(runs, _matched(name, one, human), names) for name, one in others.items()}
    tell("Comparing labels")
    labels = {name: _labels(human, one, plan) for name, one in others.items()}
    floor, pseudo = _floors(runs, human, others, reference.scores, names, plan, tell)
    answers: list[JudgeAnswer] = []
    truths, ranked, contrasts = [], [], {}
    for measure in names:
        tell(f"Comparing rankings under {measure}")
        x = reference.scores[measure]
        estimates = {name: _renamed(found.scores[measure], name) for name, found in scored.items()}
        ceiling, why = ceiling_of(x, plan.chosen, top=top, resamples=resamples, level=level, rng=rng, jobs=jobs)
        truths.append(MeasureTruth(measure=measure, ceiling=ceiling, no_ceiling=why))
        compared, contrasts[measure] = _compared(x, estimates, plan)
        best = best_systems(x, plan.top)
        tops = {} if best is None else _compared(x.select(systems=best), _selected(estimates, best), plan)[0]
        tested = significance(x, test="t", correction=plan.correction, alpha=plan.alpha)
        for name, y in estimates.items():
            answers.append(
                _answer(
                    name,
                    x,
                    y,
                    compared[name],
                    tops.get(name),
                    ceiling,
                    floor.get((name, measure)),
                    pseudo.get(measure),
                    tested,
                    labels[name],
                    plan,
                )
            )
        ranked += places(measure, compared, contrasts[measure], plan.alpha)
    order = {name: i for i, name in enumerate(others)}
    return JudgeReport(
        truth=human.name or "truth",
        judges=tuple(others),
        measures=names,
        systems=runs.systems,
        topics=human.topics,
        answers=tuple(sorted(answers, key=lambda a: (order[a.judge], names.index(a.measure)))),
        truths=tuple(truths),
        labels=labels,
        places=tuple(ranked),
        contrasts=contrasts,
        groups=None if groups is None else {system: groups[system] for system in runs.systems},
        remarks=remarks(reference, scored, human, others),
        settings={
            "resamples": resamples, "level": level, "alpha": alpha, "correction": correction, "top": top,
            "floor_draws": floor_draws, "pseudo_draws": pseudo_draws, "pool_depth": pool_depth, "seed": rng,
            "providers": dict(reference.providers),
        },
    )  # fmt: skip


def _checked(plan: _Plan, runs: RunSet) -> _Plan:
    if len(runs.systems) < 2:
        raise TooFewSystems(f"a ranking needs two systems at least, there is {len(runs.systems)}: {some(runs.systems)}")
    if plan.top < 2:
        raise BadParameter(f"top={plan.top}: a ranking needs two systems at least")
    if plan.floor_draws < 0 or plan.pseudo_draws < 0:
        raise BadParameter("floor_draws and pseudo_draws are 0 for none, or more")
    lost = [system for system in runs.systems if plan.groups is not None and system not in plan.groups]
    if lost:
        raise MismatchedNames(f"{len(lost)} systems have no group: {some(lost)}; name one for every system")
    return plan


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


def _renamed(scores: ScoreMatrix, name: str) -> ScoreMatrix:
    return ScoreMatrix(scores.values, scores.systems, scores.topics, measure=scores.measure, name=name)


def _selected(estimates: Mapping[str, ScoreMatrix], systems: Sequence[str]) -> dict[str, ScoreMatrix]:
    return {name: scores.select(systems=systems) for name, scores in estimates.items()}


def _labels(truth: Judgments, judge: Judgments, plan: _Plan) -> LabelAgreement | None:
    try:
        return label_agreement(truth, judge, level=plan.level, resamples=plan.resamples, rng=plan.rng)
    except RankscopeError:  # no pair that both judged: said by the coverage
        return None


def _compared(
    truth: ScoreMatrix, estimates: Mapping[str, ScoreMatrix], plan: _Plan
) -> tuple[dict[str, EstimateComparison], Any]:
    """Every judge's comparison: together those with all topics, which share draws, and the others one by one."""
    whole = [name for name, scores in estimates.items() if scores.topics == truth.topics]
    found: dict[str, EstimateComparison] = {}
    contrasts: Any = ()
    if whole:
        together = plan.compared(truth, [estimates[name] for name in whole], paired=True)
        found = dict(zip(whole, together.estimates, strict=True))
        contrasts = together.contrasts
    for name, scores in estimates.items():
        if name not in found:
            found[name] = plan.compared(truth, [scores], paired=False).estimates[0]
    return {name: found[name] for name in estimates}, contrasts


def _floors(
    runs: RunSet,
    truth: Judgments,
    judges: Mapping[str, Judgments],
    scores: Mapping[str, ScoreMatrix],
    measures: Sequence[str],
    plan: _Plan,
    tell: Progress,
) -> tuple[dict[tuple[str, str], Floor], dict[str, Floor]]:
    """What labels that know nothing reach: each judge's own, shuffled, and relevance drawn from the pool."""
    native = [str(m) for m in parse_measures(measures) if m.record.function is not None]
    means = [scores[m].means for m in native]
    shuffled: dict[tuple[str, str], Floor] = {}
    for name, one in judges.items() if plan.floor_draws and native else ():
        tell(f"Shuffling the labels of {name}")
        judged = join(runs, _matched(name, one, truth))
        grades = shuffled_grades(judged.grades, plan.floor_draws, plan.rng)
        found = floors("the judge's labels, shuffled", judged, grades, native, means, plan.chosen, jobs=plan.jobs)
        shuffled |= {(name, m): floor for m, floor in zip(native, found, strict=True)}
    pseudo: dict[str, Floor] = {}
    if plan.pseudo_draws and native:
        tell("Drawing pseudo-judgments")
        try:
            judged, grades = pseudo_grades(runs, truth, depth=plan.pool_depth, draws=plan.pseudo_draws, rng=plan.rng)
        except MissingScores:  # no run has a judged topic, or nothing is relevant: there is no share to draw
            return shuffled, {}
        kind = "relevance drawn from the pool (Soboroff et al. 2001)"
        pseudo = dict(
            zip(native, floors(kind, judged, grades, native, means, plan.chosen, jobs=plan.jobs), strict=True)
        )
    return shuffled, pseudo


def _answer(
    name: str,
    truth: ScoreMatrix,
    estimate: ScoreMatrix,
    agreement: EstimateComparison,
    top: EstimateComparison | None,
    ceiling: Ceiling | None,
    floor: Floor | None,
    pseudo: Floor | None,
    tested: Significance,
    labels: LabelAgreement | None,
    plan: _Plan,
) -> JudgeAnswer:
    paired = estimate.topics == truth.topics
    by_judge = None
    if len(estimate.topics) > 1:
        by_judge = significance(estimate, test="t", correction=plan.correction, alpha=plan.alpha)
    certainty = None if by_judge is None else pair_certainty(tested, by_judge)
    shared = truth if paired else truth.select(topics=estimate.topics)
    moved = shift(shared, estimate, groups=plan.groups, level=plan.level, resamples=plan.resamples, rng=plan.rng)
    best = winner(truth, estimate, tested)
    covered = None
    if labels is not None:
        pairs = labels.coverage.pairs + labels.coverage.truth_only
        covered = labels.coverage.pairs / pairs if pairs else None
    evidence = Evidence(
        judge=name,
        measure=str(truth.measure),
        agreement=agreement,
        top=top,
        ceiling=ceiling,
        floor=floor,
        certainty=certainty,
        shift=moved,
        winner=best,
        truth_topics=len(truth.topics),
        judge_topics=len(estimate.topics),
        covered=covered,
        alpha=plan.alpha,
    )
    return JudgeAnswer(
        judge=name,
        measure=str(truth.measure),
        verdict=verdict(evidence),
        agreement=agreement,
        top=top,
        floor=floor,
        pseudo=pseudo,
        certainty=certainty,
        shift=moved,
        winner=best,
        movers=movers(agreement),
        topics=len(estimate.topics),
        paired=paired,
    )
