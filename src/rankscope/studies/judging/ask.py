"""`judge`: runs and two or more sets of judgments in, an answer out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from rankscope.checks import check_count
from rankscope.coefficients import Coefficient, coefficient, default_coefficients
from rankscope.defaults import ALPHA, CORRECTION, LEVEL, MEASURES, RESAMPLES, SEED
from rankscope.errors import MismatchedNames, TooFewSystems, nothing_in_common, some
from rankscope.inference.corrections import Correction
from rankscope.inference.labels import LabelAgreement, label_agreement
from rankscope.inference.resampling import check_topics
from rankscope.inference.topic_level import asked_for
from rankscope.inference.worth import TIMES
from rankscope.inputs import JudgesLike, JudgmentsLike, RunsLike, to_judgments, to_runs
from rankscope.measures.evaluation import evaluate
from rankscope.measures.record import Measure
from rankscope.measures.registry import parse_measures
from rankscope.measures.scoring import Measures
from rankscope.runs import Judgments, RunSet
from rankscope.scores import ScoreMatrix
from rankscope.studies.certainty import Plan, own_name
from rankscope.studies.families import Groups
from rankscope.studies.judging.answers import JudgeAnswer, JudgeLevel, JudgeReport
from rankscope.studies.judging.by_measure import JudgeScores, answers_under
from rankscope.studies.judging.chance import JudgePart, Tell, dealt_to_all, pool_means, silent
from rankscope.studies.judging.findings import remarks
from rankscope.studies.judging.panels import Panel, panel_judges, panel_remarks, to_panels
from rankscope.studies.judging.repeated import mean_scores, on_same_rows, repeat_remarks, stacked, to_repeated
from rankscope.studies.judging.scales import Judge, NothingRanked, RepeatedJudges, ScaledJudges, Skipped, on_topics_of
from rankscope.studies.repeat_blocks import RepeatTables
from rankscope.studies.repeats import DRAWS, LEAST_TOPICS, RepeatedJudge, study_tables
from rankscope.studies.tables import check_groups
from rankscope.studies.verdict import INTERCHANGEABLE, LEAST, SUBSTITUTE, lowest, rule_of

TOP = 10
RANDOM_DRAWS = 300
PSEUDO_DRAWS = 50


def judge(
    runs: RunsLike,
    truth: JudgmentsLike,
    judges: JudgesLike | ScaledJudges | RepeatedJudges,
    measures: Measures = MEASURES,
    *,
    panels: Sequence[str | Panel] = (),
    coefficients: Sequence[str] = (),
    decisiveness: bool = False,
    groups: Groups | None = None,
    clusters: bool = False,
    top: int = TOP,
    margins: tuple[float, float] = (INTERCHANGEABLE, SUBSTITUTE),
    times: float = TIMES,
    least_topics: float = LEAST,
    judged_topics: int | None = None,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    alpha: float = ALPHA,
    correction: Correction = CORRECTION,
    random_draws: int = RANDOM_DRAWS,
    pseudo_draws: int = PSEUDO_DRAWS,
    pool_depth: int = 100,
    rng: int = SEED,
    jobs: int | None = None,
    progress: Tell | None = None,
) -> JudgeReport:
    """May systems be ranked with these judgments instead of the truth's?

    Both sides are evaluated and compared under every measure. Averages are over all judged topics; a system that
    retrieved nothing scores 0. A judge that lacks some of the truth's topics is compared on those that both have. A
    grade below zero counts as not judged. A judge that a measure cannot rank by is skipped under it, and the result
    says why.

    Parameters
    ----------
    runs : RunsLike
        The systems' runs, or paths to them.
    truth : JudgmentsLike
        The judgments that are trusted, or their path.
    judges : JudgesLike or JudgeLabels
        The judgments that might replace them: one judge's, a list, or a mapping from names to judgments. `JudgeLabels`
        says which of a judge's grades are relevant, or that some stand for others. In a mapping, a list is the repeats
        of one judge that was asked several times: its scores are the mean of theirs, and repeats are a further source
        of error in its interval of worth (docs/howto/repeats.md).
    measures : str, Measure or iterable of them, default ("nDCG@10", "AP")
        Measures to score by; each gets a verdict.
    panels : sequence of str or Panel, default ()
        Panels of the judges, each one more judge, called `panel-` and how it combines them: "mean", "median",
        "majority", "dawid-skene" or "weighted" (docs/panels.md); `Panel` chooses members and a name.
    coefficients : sequence of str, default ()
        Coefficients beside those of `compare`: `pairwise_accuracy`, `spa`, `acc_eq`, `kendall(by=topic)`.
    decisiveness : bool, default False
        Whether to tell how decisive each judge is and which systems it favours, as in `compare`.
    groups : mapping from str to str, or "names", optional
        The group of each system: does the judge favour one? "names" takes families from the systems' names
        (`name_families`).
    clusters : bool, default False
        Whether to look for systems that a judge moves together from topic to topic (docs/clusters.md).
    top : int, default 10
        The number of the truth's best systems that are also compared on their own.
    margins : pair of float, default (0.8, 0.5)
        The least worth of a judged topic to be interchangeable, and to be a substitute.
    times : float, default 4.0
        How many times as many topics the judge may label to be a substitute with more topics.
    least_topics : float, default 10.0
        The human topics whose ranking a judge must equal for clear differences.
    judged_topics : int, optional
        The number of topics the judge will label; by default as many as the truth has, at least 50.
    resamples : int, default 2000
        Draws of topics behind intervals and p-values; 0 for none.
    level : float, default 0.95
        The level of all intervals.
    alpha : float, default 0.05
        The level of the paired t-tests between systems.
    correction : str, default "bh"
        How these tests are corrected for their number.
    random_draws : int, default 300
        Draws of random labels for the chance level; 0 leaves it out, and the verdict without it.
    pseudo_draws : int, default 50
        Draws of relevance from the pool (Soboroff et al. 2001); 0 for none.
    pool_depth : int, default 100
        The depth of that pool.
    rng : int, default 0
        The seed.
    jobs : int, optional
        The number of threads, by default one per core; the answer does not depend on it.
    progress : callable, optional
        Called with what is being done.

    Returns
    -------
    JudgeReport
        For each judge and measure a verdict with its reasons, what a judged topic is worth, agreement, the chance
        level, significantly different pairs, the shift of scores by group, and agreement of labels.

    Raises
    ------
    BadParameter
        Where an option is out of its range, or no judge can be ranked by under any measure.
    MismatchedNames
        Where a system has no group, or the two sides share no topic or no document.
    TooFewSystems
        Where there is only one system.

    References
    ----------
    docs/verdict.md has the rule and how often it errs. Soboroff, Nicholas & Cahan, SIGIR 2001.

    Examples
    --------
    >>> from rankscope.simulation.tracks import simulate_track
    >>> track = simulate_track(systems=12, topics=20, rng=1)
    >>> report = judge(track.runs, track.truth, {"the truth": track.truth}, "nDCG@10", resamples=200)
    >>> report.answers[0].verdict.level
    'interchangeable'
    """
    tell = silent if progress is None else progress
    more = asked_for(coefficients)
    of_means = [*default_coefficients(), *(by for by in more if isinstance(by, Coefficient))]
    plan = Plan(
        chosen=tuple({str(own): own for own in map(own_name, of_means)}.values()),
        by_topic=tuple(by for by in more if not isinstance(by, Coefficient)),
        decisiveness=decisiveness,
        resamples=resamples,
        level=level,
        alpha=alpha,
        correction=correction,
        clusters=clusters,
        rule=rule_of(margins, times, least_topics, judged_topics, level),
        rng=rng,
        jobs=jobs,
    )
    chosen = parse_measures(measures)
    names = tuple(map(str, chosen))
    check_count("top", top, 2)
    check_count("random_draws", random_draws, 0)
    check_count("pseudo_draws", pseudo_draws, 0)
    tell("Reading")
    systems, human = to_runs(runs, jobs=jobs), to_judgments(truth)
    members = to_repeated(judges, human, rng=rng)
    combined = to_panels(panels)
    others = {**members, **panel_judges(combined, members, human, rng=rng)}
    for name, labelled in others.items():
        on_topics_of(name, labelled.judgments, human)
    if len(systems.systems) < 2:
        raise TooFewSystems(
            f"a ranking needs two systems at least, there is {len(systems.systems)}: {some(systems.systems)}"
        )
    team_of = None if groups is None else check_groups(groups, systems.systems)

    tell("Comparing labels")
    labels = {name: _labels(human, judge, plan) for name, judge in others.items()}
    tell("Scoring")
    reference = evaluate(systems, human, names)
    for measure in names:
        check_topics(reference.scores[measure], human.name or "the truth")
    scored, skipped, parts = _scored(systems, others, human, chosen)
    further = _further(systems, human, others, scored)
    varying = _varying(reference.scores, others, human, scored, plan, tell)
    native = [str(measure) for measure in chosen if measure.record.function is not None]
    dealt = dealt_to_all(systems, human, parts, draws=random_draws, rng=rng, jobs=jobs, tell=tell)
    pool = pool_means(systems, human, native, depth=pool_depth, draws=pseudo_draws, rng=rng, jobs=jobs, tell=tell)

    compared = {}
    for measure in [name for name in names if any(name in scores for scores in scored.values())]:
        tell(f"Comparing rankings under {measure}")
        compared[measure] = answers_under(
            measure,
            reference.scores[measure].renamed(human.name or "truth"),
            [
                JudgeScores(
                    scores=mean_scores(name, scores[measure]),
                    dealt=dealt.get((name, measure)),
                    labels=labels[name],
                    further=further.get(name, {}).get(measure),
                    repeats=scores[measure] if others[name].repeats else (),
                    varying=varying.get((name, measure)),
                )
                for name, scores in scored.items()
                if measure in scores
            ],
            pool.get(measure),
            groups=team_of,
            top=top,
            plan=plan,
        )
    found = {(a.judge, a.measure): a for under in compared.values() for a in under.answers}
    answers = tuple(found[name, measure] for name in others for measure in names if (name, measure) in found)
    return JudgeReport(
        truth=human.name or "truth",
        judges=tuple(others),
        measures=names,
        systems=systems.systems,
        topics=human.topics,
        levels=tuple(_over_measures(name, answers, skipped) for name, scores in scored.items() if scores),
        best=tuple(under.best for under in compared.values() if under.best is not None),
        answers=answers,
        skipped=skipped,
        labels=labels,
        places=tuple(place for under in compared.values() for place in under.places),
        contrasts={measure: under.contrasts for measure, under in compared.items()},
        groups=team_of,
        remarks=(
            *remarks(reference, human, others),
            *repeat_remarks(members),
            *panel_remarks(combined, list(members)),
        ),
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
            "clusters": clusters,
            "random_draws": random_draws,
            "pseudo_draws": pseudo_draws,
            "pool_depth": pool_depth,
            "seed": rng,
            "coefficients": [str(by) for by in more],
            "decisiveness": decisiveness,
            "panels": {panel.name: {"how": panel.how, "judges": panel.members(list(members))} for panel in combined},
            "scales": {
                name: {"rel": judge.rel, "map": dict(judge.map) if isinstance(judge.map, Mapping) else judge.map}
                for name, judge in others.items()
                if judge.rel is not None or judge.map is not None
            },
            "repeats": {name: len(judge.repeats) for name, judge in members.items() if judge.repeats},
            "providers": dict(reference.providers),
        },
    )


# The scores of a judge by measure: one table, or one for each repeat.
Tables = Mapping[str, tuple[ScoreMatrix, ...]]


def _scored(
    runs: RunSet, judges: Mapping[str, Judge], truth: Judgments, measures: Sequence[Measure]
) -> tuple[dict[str, Tables], tuple[Skipped, ...], list[JudgePart]]:
    """The scores by judge and measure, what cannot be ranked by, and what can; an error where nothing is left."""
    scored: dict[str, Tables] = {}
    skipped: list[Skipped] = []
    parts: list[JudgePart] = []
    for name, judge in judges.items():
        each = judge.repeats or (judge,)
        topics = on_topics_of(name, judge.judgments, truth).topics
        found = [_by_measure(runs, own, topics, measures) for own in each]
        tables: dict[str, tuple[ScoreMatrix, ...]] = {}
        for measure in map(str, measures):
            why = next((reasons[measure] for _, reasons in found if reasons[measure] is not None), None)
            if why is not None:
                skipped.append(replace(why, judge=name))
            else:
                tables[measure] = tuple(own[measure] for own, _ in found)
        scored[name] = tables
        parts += _parts(name, each, topics, [measure for measure in measures if str(measure) in tables])
    if not any(scored.values()):
        raise NothingRanked(skipped)
    return scored, tuple(skipped), parts


def _by_measure(
    runs: RunSet, judge: Judge, topics: Sequence[str], measures: Sequence[Measure]
) -> tuple[dict[str, ScoreMatrix], dict[str, Skipped | None]]:
    """The scores of one set of labels on these topics by measure, and why there are none."""
    tables: dict[str, ScoreMatrix] = {}
    reasons = {str(measure): judge.not_computed(measure) for measure in measures}
    for labels, by in _by_labels(judge, [measure for measure in measures if reasons[str(measure)] is None]):
        own = {str(measure): str(judge.own(measure)) for measure in by}
        found = evaluate(runs, _on(labels, topics), list(dict.fromkeys(own.values()))).scores
        reasons |= {str(measure): judge.not_ranked(measure, found[own[str(measure)]]) for measure in by}
        kept = [measure for measure in by if reasons[str(measure)] is None]
        tables |= {str(measure): found[own[str(measure)]].labelled(str(measure)) for measure in kept}
    return tables, reasons


def _parts(name: str, each: Sequence[Judge], topics: Sequence[str], measures: Sequence[Measure]) -> Iterator[JudgePart]:
    """Labels to deal at random, with the measures computed from them; repeats have the same rows."""
    native = [measure for measure in measures if measure.record.function is not None]
    if len(each) == 1:
        for labels, by in _by_labels(each[0], native):
            yield JudgePart(name, _on(labels, topics), {str(m): str(each[0].own(m)) for m in by})
        return
    for measure in native:
        sides = on_same_rows([_on(own.labels(measure), topics) for own in each])
        for own, side in zip(each, sides, strict=True):
            yield JudgePart(name, side, {str(measure): str(own.own(measure))}, repeated=True)


def _on(labels: Judgments, topics: Sequence[str]) -> Judgments:
    return labels if labels.topics == tuple(topics) else labels.for_topics(topics)


def _varying(
    truths: Mapping[str, ScoreMatrix],
    judges: Mapping[str, Judge],
    truth: Judgments,
    scored: Mapping[str, Tables],
    plan: Plan,
    tell: Tell,
) -> dict[tuple[str, str], RepeatedJudge]:
    """How much judges vary that were asked several times, by judge and measure."""
    tables = []
    for name, own in scored.items():
        for measure, repeats in own.items() if judges[name].repeats else ():
            topics = repeats[0].topics
            if len(topics) < LEAST_TOPICS:
                continue
            each = zip(judges[name].repeats, repeats, strict=True)
            tables.append(
                RepeatTables(
                    judge=name,
                    measure=measure,
                    scores=tuple(scores.renamed(repeat.name) for repeat, scores in each),
                    truth=truths[measure].select(topics=topics).renamed(truth.name or "truth"),
                    labels=tuple(_on(repeat.judgments, topics) for repeat in judges[name].repeats),
                )
            )
    if not tables:
        return {}
    tell("Comparing repeats")
    draws = DRAWS if plan.resamples else 0
    found = study_tables(tables, coefficient("tau_b"), draws=draws, level=plan.level, seed=plan.rng, jobs=plan.jobs)
    return {(own.judge, own.measure): own for own in found}


def _by_labels(judge: Judge, measures: Sequence[Measure]) -> list[tuple[Judgments, list[Measure]]]:
    """The judge's labels, each with the measures that are computed from them."""
    groups: list[tuple[Judgments, list[Measure]]] = []
    for measure in measures:
        labels = judge.labels(measure)
        own = next((by for known, by in groups if known is labels), None)
        if own is None:
            groups.append((labels, [measure]))
        else:
            own.append(measure)
    return groups


def _further(
    runs: RunSet, truth: Judgments, judges: Mapping[str, Judge], scored: Mapping[str, Tables]
) -> dict[str, dict[str, ScoreMatrix]]:
    """The scores by judge and measure on the topics of the runs that the truth lacks; nothing where there are none."""
    tables: dict[str, dict[str, ScoreMatrix]] = {}
    retrieved = set(runs.topics) - set(truth.topics)
    for name, scores in scored.items():
        judge = judges[name]
        topics = [topic for topic in judge.judgments.topics if topic in retrieved]
        chosen = [parse_measures(measure)[0] for measure in scores]
        repeats = [_further_scores(runs, each, topics, chosen) for each in judge.repeats or (judge,)] if topics else []
        for measure in scores if topics else ():
            tables.setdefault(name, {})[measure] = mean_scores(name, [own[measure] for own in repeats])
    return tables


def _further_scores(
    runs: RunSet, judge: Judge, topics: Sequence[str], measures: Sequence[Measure]
) -> dict[str, ScoreMatrix]:
    tables: dict[str, ScoreMatrix] = {}
    for labels, by in _by_labels(judge, measures):
        own = {str(measure): str(judge.own(measure)) for measure in by}
        found = evaluate(runs, labels.for_topics(topics), list(dict.fromkeys(own.values()))).scores
        tables |= {measure: found[scaled] for measure, scaled in own.items()}
    return tables


def _labels(truth: Judgments, judge: Judge, plan: Plan) -> LabelAgreement:
    if judge.repeats:
        return _labels_of_repeats(truth, judge, plan)
    rel = 1.0 if judge.rel is None or isinstance(judge.rel, str) else judge.rel
    how: dict[str, Any] = {"judge_rel": rel, "level": plan.level, "resamples": plan.resamples, "rng": plan.rng}
    try:
        agreement = label_agreement(truth, judge.judgments, **how)
        if judge.rel == "cv":
            # Relevant or not by the level of other topics; everything else by the grades themselves.
            binary = label_agreement(truth, judge.relevant(1.0), **how)
            both = zip(agreement.values, binary.values, strict=True)
            values = tuple(b if b.name == "kappa_binary" else a for a, b in both)
            by_topic = zip(agreement.topics, binary.topics, strict=True)
            topics = tuple(replace(a, kappa_binary=b.kappa_binary) for a, b in by_topic)
            return replace(agreement, values=values, binary=binary.binary, topics=topics)
        return agreement
    except MismatchedNames:
        topic = next(topic for topic in truth.topics if topic in judge.judgments.topics)
        first, second = (side.for_topics([topic]).ids.names() for side in (judge.judgments, truth))
        if set(first) & set(second):
            raise
        sides = (f"topic {topic!r}: {judge.name}", truth.name or "the truth")
        raise nothing_in_common("document", sides, first, second) from None


def _labels_of_repeats(truth: Judgments, judge: Judge, plan: Plan) -> LabelAgreement:
    """Agreement over the labels of all repeats: that of one repeat, on average."""
    both = stacked(truth, [own.judgments for own in judge.repeats])
    learned = None
    if judge.rel == "cv":
        learned = partial(_relevant_of_repeats, judge)
    one = replace(judge, judgments=both[1], repeats=(), learned=learned)
    agreement = _labels(both[0], one, plan)
    return replace(agreement, truth=truth.name, judge=judge.name)


def _relevant_of_repeats(judge: Judge, truth_rel: float) -> Judgments:
    sides = [own.relevant(truth_rel) for own in judge.repeats]
    return stacked(sides[0], sides)[1]


def _over_measures(judge: str, answers: Sequence[JudgeAnswer], skipped: Sequence[Skipped]) -> JudgeLevel:
    own = [answer for answer in answers if answer.judge == judge]
    worst = lowest([answer.verdict for answer in own])
    measure = next(answer.measure for answer in own if answer.verdict is worst)
    lacking = tuple(reason.measure for reason in skipped if reason.judge == judge)
    return JudgeLevel(judge=judge, level=worst.level, measure=measure, skipped=lacking)
