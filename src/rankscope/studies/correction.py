"""`correct`: human scores on some topics and a judge's on more, combined into one leaderboard.

With runs, people labelled a probability sample of the documents, and the judge all (`document_correction`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.alignment import align
from rankscope.averages import check_size
from rankscope.battles import Battles, BattleScores
from rankscope.checks import check_count, check_jobs, check_level
from rankscope.defaults import LEVEL, RESAMPLES
from rankscope.errors import (
    BadParameter,
    MismatchedNames,
    MissingScores,
    TooFewSystems,
    UnnamedData,
    nothing_in_common,
    some,
)
from rankscope.inference.correction import best_linear, prediction_powered
from rankscope.inference.resampling import Seed, check_averaged, check_plain_mean, recorded_seed
from rankscope.inputs import JudgmentsLike, RunsLike, SampleLike, ScoresLike, one_named, to_matrix, to_named_scores
from rankscope.measures import Measure
from rankscope.results import Remark
from rankscope.runs import JudgmentSample
from rankscope.scores import Floats, OnMissing, ScoreMatrix
from rankscope.studies.correction_result import (
    CorrectedLeaderboard,
    Correction,
    EstimatedMeans,
    corrected_systems,
)
from rankscope.studies.document_correction import OnUnlabelled, correct_documents

# The variance between systems and that of topics must both be estimated.
LEAST_TOPICS, LEAST_SYSTEMS, LEAST_FURTHER = 3, 4, 2
_WHY = "a correction compares the judge with people topic by topic"


def correct(
    human: ScoresLike | SampleLike,
    *judges: ScoresLike | JudgmentsLike,
    runs: RunsLike | None = None,
    measure: str | Measure | None = None,
    on_missing: OnMissing = "error",
    on_unlabelled: OnUnlabelled = "error",
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    rng: Seed = 0,
    jobs: int | None = None,
) -> Correction:
    """Combine human scores on some topics with a judge's on more.

    Two estimates are given. *Predicted* means (best linear prediction) have the smaller error on average over systems:
    systems are ranked by them. *Corrected* means (prediction-powered) are unbiased even if the judge is wrong: publish
    them, with their intervals. docs/correction.md has both, and their coverage. Battles are corrected battle by battle,
    matched by id.

    With `runs`, people labelled a probability sample of the documents (`draw_sample`, `read_sample`), and the judge all
    documents. Predicted means then combine scores that are filled in with what the judge's grades came to mean with
    corrected ones, which weigh people's labels by their inclusion probabilities.

    Parameters
    ----------
    human : ScoresLike or JudgmentSample
        Human scores by topic, or battles that people judged; with `runs`, the sample of judgments, or its file.
        `{"experts": scores}` gives scores a name.
    *judges : ScoresLike or JudgmentsLike
        The scores of a judge on the same topics and on more, or its battles; with `runs`, its judgments. Each judge
        corrects on its own. `{"umbrela": scores}` gives scores a name.
    runs : RunsLike, optional
        The rankings, where `human` is a sample of judgments.
    measure : str or Measure, optional
        The measure of runs: P@k, DCG@k, nDCG@k, RBP, INSQ or AP; nDCG@10 by default.
    on_missing : str, default "error"
        What becomes of missing scores and of systems that one side lacks: "error", "intersect", "zero",
        "drop-systems=SHARE", "drop-topics=SHARE" or "connected", as in `read_scores`. Human topics that the judge did
        not label are an error, or left out, and never score zero.
    on_unlabelled : {"error", "random"}, default "error"
        What becomes of drawn documents without a label: an error, or they are taken to lack it at random, and the
        inclusion probabilities of the others are multiplied by the share that has one.
    resamples : int, default 2000
        Draws behind the rank sets.
    level : float, default 0.95
        What intervals and rank sets are meant to cover.
    rng : int or Generator, default 0
        The seed of the draws.
    jobs : int, optional
        Threads; None is one per core. The numbers stay the same.

    Returns
    -------
    Correction
        One leaderboard for each judge.

    Raises
    ------
    BadParameter
        There is no judge, an option is out of its range, the measure is not made of the gains of documents, or scores
        are not averaged over the same topics: another aggregate than the mean, or `on_missing` "additive" or
        "pairwise".
    MissingScores
        A side has no topics or lacks scores, or the judge has not at least two topics more than people; by document,
        labels are missing or fewer than ten.
    TooFewSystems
        There are fewer than four systems.
    MismatchedNames, UnnamedData
        Systems, topics or battles cannot be matched.
    NoStrengths
        Battles of people, or the judge's of the same or of the others, do not tell how strong some models are.

    References
    ----------
    A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan and T. Zrnic: Prediction-powered inference. Science 382,
    2023.

    Examples
    --------
    >>> from rankscope.demo import demo_scores
    >>> tables = demo_scores()
    >>> people = tables["human"].select(topics=tables["human"].topics[:20])
    >>> board = correct(people, tables["careful"], resamples=200).leaderboards[0]
    >>> board.human_topics, board.judged_topics, board.predicted_topics > 20
    (20, 40, True)
    """
    check_level(level)
    check_count("resamples", resamples)
    check_jobs(jobs)
    if not judges:
        raise BadParameter("there is no judge to combine the human scores with; give at least one judge's scores")
    drawing = {"resamples": resamples, "level": level, "rng": rng, "jobs": jobs}
    if runs is not None:
        return correct_documents(runs, human, judges, measure, on_unlabelled=on_unlabelled, **drawing)
    if isinstance(human, JudgmentSample) or measure is not None:
        raise BadParameter("a sample of judgments is corrected with the runs that it is to score: give runs=")
    given: Any = human
    scored: tuple[Any, ...] = judges
    people = to_matrix(one_named(given), _WHY)
    matched = [
        _matched(people, to_matrix(table, _WHY), f"judge {number}", on_missing)
        for number, table in enumerate(to_named_scores(scored, systems=people.systems), 1)
    ]
    boards = [_leaderboard(sides, **drawing) for sides in matched]
    return Correction(
        human=people.name or "human",
        measure=people.measure,
        leaderboards=tuple(boards),
        lower_is_better=people.lower_is_better,
        unit=people.unit if isinstance(people, BattleScores) else "topic",
        remarks=tuple(dict.fromkeys(remark for sides in matched for remark in sides.left_out)),
        settings={"on_missing": on_missing, "resamples": resamples, "level": level, "seed": recorded_seed(rng)},
    )


@dataclass(frozen=True, eq=False)
class _Sides:
    """Human scores, the judge's on the same topics and on further ones, of the same systems in the same order."""

    judge: str
    systems: tuple[str, ...]
    human: Floats
    same: Floats
    further: Floats
    lower_is_better: bool
    battles: bool
    left_out: tuple[Remark, ...]


def _matched(human: ScoreMatrix, judge: ScoreMatrix, name: str, on_missing: OnMissing) -> _Sides:
    """Both sides with the same systems, and the judge's topics split into those with human scores and the others."""
    name = judge.name or name
    if not (human.topics_named and judge.topics_named):
        raise UnnamedData(
            "the topics have no names, so that those with human scores cannot be found among the judge's; name them "
            "on both sides (a topic column)"
        )
    _check_battles(human, judge, name, on_missing)
    for side, title in ((human, human.name or "the human scores"), (judge, name)):
        check_plain_mean(side, f"{title}: a correction")
    if human.lower_is_better != judge.lower_is_better:
        raise BadParameter(
            f"lower scores are better on one side of {human.name or 'the human scores'} and {name} alone; make both "
            "alike, lower_is_better=True (--lower-is-better '*')"
        )
    x, y = align(human, judge, on_missing=on_missing, topics="independent")
    if not (isinstance(x, ScoreMatrix) and isinstance(y, ScoreMatrix)):  # align keeps what it is given
        raise MissingScores(f"{name}: {_WHY}")
    for table in (x, y):
        check_averaged(table, "a correction")
        check_size(table.values)
    unit = x.unit if isinstance(x, BattleScores) else "topic"
    judged = set(y.topics)
    shared = [topic for topic in x.topics if topic in judged]
    alone = [topic for topic in x.topics if topic not in judged]
    if not shared:
        raise nothing_in_common(unit, (human.name or "the human scores", name), x.topics, y.topics)
    if alone and on_missing == "error":
        raise MissingScores(
            f"{name} lacks {len(alone)} of the {len(x.topics)} human {unit}s ({some(alone)}), which cannot be compared "
            "with it; leave them out with on_missing='intersect' (--on-missing intersect)"
        )
    further = [topic for topic in y.topics if topic not in set(x.topics)]
    if len(x.systems) < LEAST_SYSTEMS:
        raise TooFewSystems(f"a correction needs at least {LEAST_SYSTEMS} systems, there are {len(x.systems)}")
    if len(shared) < LEAST_TOPICS:
        raise MissingScores(
            f"a correction needs at least {LEAST_TOPICS} {unit}s with scores by people and by {name}, and there "
            f"{'is' if len(shared) == 1 else 'are'} {len(shared)}"
        )
    if len(further) < LEAST_FURTHER:
        raise MissingScores(
            f"a correction needs at least {LEAST_FURTHER} {unit}s that {name} alone has scores of, and there "
            f"{'is' if len(further) == 1 else 'are'} {len(further)}: let the judge label more {unit}s (to ask whether "
            "it could replace people, use compare or judge)"
        )
    tables = x.select(topics=shared), y.select(topics=shared), y.select(topics=further)
    lacking = Remark(
        kind="topics left out",
        about=x.name,
        count=len(alone),
        total=len(x.topics),
        names=tuple(alone),
        how="one side only",
    )
    left_out = (*x.left_out, *y.left_out, *((lacking,) if alone else ()))
    same = [table.values for table in tables]
    battles = isinstance(x, BattleScores)
    return _Sides(name, x.systems, same[0], same[1], same[2], x.lower_is_better, battles, left_out)


def _check_battles(human: ScoreMatrix, judge: ScoreMatrix, name: str, on_missing: OnMissing) -> None:
    """Raise an error where one side alone is from battles, or the two score them differently or have other models."""
    if not (isinstance(human, BattleScores) or isinstance(judge, BattleScores)):
        return
    title = human.name or "the human battles"
    if not (isinstance(human, BattleScores) and isinstance(judge, BattleScores)):
        raise BadParameter(f"{title} and {name}: battles are corrected by battles, and scores by scores; give one kind")
    if (human.score, human.prior) != (judge.score, judge.prior):
        raise BadParameter(f"{title} and {name} are scored differently; give both the same score= and prior=")
    alone = [
        f"only {owner} has battles of {some([model for model in own.systems if model not in other.systems])}"
        for owner, own, other in ((title, human, judge), (name, judge, human))
        if set(own.systems) - set(other.systems)
    ]
    if alone and on_missing != "intersect":
        raise MismatchedNames(
            f"{'; '.join(alone)}; leave such models and their battles out with on_missing='intersect' "
            "(--on-missing intersect)"
        )
    pairs = [_pairs(side.battles) for side in (human, judge)]
    differing = [battle for battle, models in pairs[0].items() if pairs[1].get(battle, models) != models]
    if differing:
        raise MismatchedNames(
            f"{title} and {name} have other models in {len(differing)} battles of the same id ({some(differing)}); "
            "match them by an id that is of one battle (FILE:id_column=COLUMN)"
        )


def _pairs(battles: Battles) -> dict[str, list[frozenset[str]]]:
    """Who met in the battles of each id."""
    names, unit = battles.units
    met: dict[str, list[frozenset[str]]] = {name: [] for name in names}
    for at, first, second in zip(unit, battles.first, battles.second, strict=True):
        met[names[at]].append(frozenset((battles.systems[first], battles.systems[second])))
    return met


def _leaderboard(sides: _Sides, **drawing: Any) -> CorrectedLeaderboard:
    x, y, r = sides.human, sides.same, sides.further
    powered, predicted = prediction_powered(x, y, r), best_linear(x, y, r, allow_unseen=sides.battles)
    means = EstimatedMeans(
        systems=sides.systems,
        human=x.mean(axis=0),
        judge=np.concatenate([y, r]).mean(axis=0),
        corrected=powered.means,
        covariance=powered.covariance,
        topics=len(x),
        predicted=float(powered.means.mean()) + predicted.means,
        predicted_covariance=predicted.covariance,
        ranking_covariance=predicted.ranking_covariance,
        freedom=predicted.freedom,
        methods=("prediction-powered, t over human topics", "leave one topic out, t, moderated"),
    )
    systems = corrected_systems(means, lower_is_better=sides.lower_is_better, **drawing)
    return CorrectedLeaderboard(
        judge=sides.judge,
        human_topics=len(x),
        judged_topics=len(x) + len(r),
        weight=powered.weight,
        weights=predicted.weights,
        corrected_topics=powered.equivalent,
        predicted_topics=predicted.equivalent,
        systems=systems,
        **means.errors(systems),
    )
