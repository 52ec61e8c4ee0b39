"""`judge`: runs and two or more sets of judgments in, an answer out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankscope.checks import check_count
from rankscope.coefficients import default_coefficients
from rankscope.defaults import ALPHA, CORRECTION, LEVEL, MEASURES, RESAMPLES, SEED
from rankscope.errors import RankscopeError, TooFewSystems, nothing_in_common, some
from rankscope.inference.corrections import Correction
from rankscope.inference.labels import LabelAgreement, label_agreement
from rankscope.inference.resampling import check_topics
from rankscope.inference.worth import TIMES
from rankscope.inputs import JudgesLike, JudgmentsLike, RunsLike, to_judges, to_judgments, to_runs
from rankscope.measures.evaluation import evaluate
from rankscope.measures.registry import parse_measures
from rankscope.measures.scoring import Measures
from rankscope.runs import Judgments
from rankscope.studies.certainty import Plan, own_name
from rankscope.studies.judging.answers import JudgeAnswer, JudgeLevel, JudgeReport
from rankscope.studies.judging.by_measure import JudgeScores, answers_under
from rankscope.studies.judging.chance import Tell, dealt_to_all, pool_means, silent
from rankscope.studies.judging.findings import remarks
from rankscope.studies.tables import check_groups
from rankscope.studies.verdict import INTERCHANGEABLE, LEAST, SUBSTITUTE, lowest, rule_of

TOP = 10
RANDOM_DRAWS = 300
PSEUDO_DRAWS = 50


def judge(
    runs: RunsLike,
    truth: JudgmentsLike,
    judges: JudgesLike,
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
    retrieved nothing scores 0. A judge that lacks some of the truth's topics is compared on those that both have.

    Parameters
    ----------
    runs : RunsLike
        The systems' runs, or paths to them.
    truth : JudgmentsLike
        The judgments that are trusted, or their path.
    judges : JudgesLike
        The judgments that might replace them: one judge's, a list, or a mapping from names to judgments.
    measures : str, Measure or iterable of them, default ("nDCG@10", "AP")
        Measures to score by; each gets a verdict.
    groups : mapping from str to str, optional
        The group of each system: does the judge favour one?
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
        Where an option is out of its range.
    MismatchedNames
        Where a system has no group, or the two sides share no topic.
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
    plan = Plan(
        chosen=tuple({str(own): own for own in map(own_name, default_coefficients())}.values()),
        resamples=resamples,
        level=level,
        alpha=alpha,
        correction=correction,
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
    others = to_judges(judges)
    matched = {name: _matched(name, judgments, human) for name, judgments in others.items()}
    if len(systems.systems) < 2:
        raise TooFewSystems(
            f"a ranking needs two systems at least, there is {len(systems.systems)}: {some(systems.systems)}"
        )
    team_of = None if groups is None else check_groups(groups, systems.systems)

    tell("Scoring")
    reference = evaluate(systems, human, names)
    for measure in names:
        check_topics(reference.scores[measure], human.name or "the truth")
    scored = {name: evaluate(systems, judgments, names) for name, judgments in matched.items()}
    tell("Comparing labels")
    labels = {name: _labels(human, judgments, plan) for name, judgments in others.items()}
    native = [str(measure) for measure in chosen if measure.record.function is not None]
    dealt = dealt_to_all(systems, human, matched, native, draws=random_draws, rng=rng, jobs=jobs, tell=tell)
    pool = pool_means(systems, human, native, depth=pool_depth, draws=pseudo_draws, rng=rng, jobs=jobs, tell=tell)

    compared = {}
    for measure in names:
        tell(f"Comparing rankings under {measure}")
        compared[measure] = answers_under(
            measure,
            reference.scores[measure].renamed(human.name or "truth"),
            [
                JudgeScores(
                    scores=scores.scores[measure].renamed(name), dealt=dealt.get((name, measure)), labels=labels[name]
                )
                for name, scores in scored.items()
            ],
            pool.get(measure),
            groups=team_of,
            top=top,
            plan=plan,
        )
    answers = tuple(compared[measure].answers[i] for i in range(len(others)) for measure in names)
    return JudgeReport(
        truth=human.name or "truth",
        judges=tuple(others),
        measures=names,
        systems=systems.systems,
        topics=human.topics,
        levels=tuple(_over_measures(name, answers) for name in others),
        best=tuple(under.best for under in compared.values() if under.best is not None),
        answers=answers,
        labels=labels,
        places=tuple(place for under in compared.values() for place in under.places),
        contrasts={measure: under.contrasts for measure, under in compared.items()},
        groups=team_of,
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


def _matched(name: str, judge: Judgments, truth: Judgments) -> Judgments:
    """The judge's judgments on the truth's topics, in the truth's order where it has them all."""
    known = set(judge.topics)
    shared = [topic for topic in truth.topics if topic in known]
    if not shared:
        raise nothing_in_common("topic", (name, "the truth"), judge.topics, truth.topics)
    return judge if tuple(shared) == judge.topics else judge.for_topics(shared)


def _labels(truth: Judgments, judge: Judgments, plan: Plan) -> LabelAgreement | None:
    try:
        return label_agreement(truth, judge, level=plan.level, resamples=plan.resamples, rng=plan.rng)
    except RankscopeError:  # no pair that both judged: said by the coverage
        return None


def _over_measures(judge: str, answers: Sequence[JudgeAnswer]) -> JudgeLevel:
    own = [answer for answer in answers if answer.judge == judge]
    worst = lowest([answer.verdict for answer in own])
    measure = next(answer.measure for answer in own if answer.verdict is worst)
    return JudgeLevel(judge=judge, level=worst.level, measure=measure)
