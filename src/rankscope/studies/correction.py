"""`correct`: human scores on some topics and a judge's on more, combined into one leaderboard."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

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
from rankscope.inference import rank_sets
from rankscope.inference.correction import best_linear, prediction_powered
from rankscope.inference.rank_sets import UncertainMeans
from rankscope.inference.resampling import Seed, check_averaged, check_plain_mean, recorded_seed
from rankscope.inputs import ScoresLike, to_matrix
from rankscope.results import Interval, Remark, Result, Table, rows_table, stacked
from rankscope.scores import Floats, OnMissing, ScoreMatrix, align, mean_ranks
from rankscope.studies.ranks import RankSet

# The variance between systems and that of topics must both be estimated.
LEAST_TOPICS, LEAST_SYSTEMS, LEAST_FURTHER = 3, 4, 2
_WHY = "a correction compares the judge with people topic by topic"


@dataclass(frozen=True, kw_only=True)
class CorrectedSystem:
    """A system with its score by people, by the judge, and by both together.

    Attributes
    ----------
    system : str
        Its name.
    human, judge : float
        Its mean over the human topics, by people, and over all judged topics, by the judge.
    human_rank, judge_rank : float
        Its ranks by these means.
    corrected : float
        Its prediction-powered mean: unbiased whatever errors the judge makes.
    interval : Interval
        The interval of the corrected mean.
    corrected_rank : float
        Its rank by the corrected mean.
    marginal, simultaneous : RankSet
        The guaranteed rank sets of the corrected means, of one system and of all at once.
    predicted : float
        The best linear prediction of its mean, which has the smaller error on average over systems.
    predicted_interval : Interval
        The interval of the prediction, relative to the average system.
    rank : float
        Its rank by the prediction.
    typical : RankSet
        The typical rank set of the prediction: right for the level's share of the systems on average.
    """

    system: str
    human: float
    judge: float
    human_rank: float
    judge_rank: float
    corrected: float
    interval: Interval
    corrected_rank: float
    marginal: RankSet
    simultaneous: RankSet
    predicted: float
    predicted_interval: Interval
    rank: float
    typical: RankSet


@dataclass(frozen=True, kw_only=True)
class CorrectedLeaderboard:
    """The leaderboard by people and one judge together.

    Attributes
    ----------
    judge : str
        The judge.
    human_topics, judged_topics : int
        The topics with human scores, and those with the judge's, which contain the former.
    weight : float
        What the judge's scores weigh in the corrected means: near 0 for random labels.
    weights : tuple of float
        What human means, the judge's means over the same topics, and its means over the others weigh in the
        predictions.
    corrected_topics : float
        The number of human topics whose means are as precise as the corrected ones.
    predicted_topics : float
        The number of human topics that predict the true means as well as the predictions do.
    systems : tuple of CorrectedSystem
        The systems, best prediction first.
    """

    judge: str
    human_topics: int
    judged_topics: int
    weight: float
    weights: tuple[float, float, float]
    corrected_topics: float
    predicted_topics: float
    systems: tuple[CorrectedSystem, ...]


@dataclass(frozen=True, kw_only=True)
class Correction(Result):
    """Human scores corrected by judges: one leaderboard for each judge.

    `lower_is_better` says which scores are better, `unit` what a topic is (a battle, for scores from battles), and
    `remarks` tell what was left out.
    """

    human: str
    measure: str | None
    leaderboards: tuple[CorrectedLeaderboard, ...]
    lower_is_better: bool = False
    unit: str = "topic"
    remarks: tuple[Remark, ...] = ()
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per judge and system, best prediction first."""
        columns = {
            **{name: name for name in ("system", "rank")},
            **{"typical_low": "typical.low", "typical_high": "typical.high"},
            **{"predicted": "predicted", "predicted_low": "predicted_interval.low"},
            **{"predicted_high": "predicted_interval.high", "corrected": "corrected"},
            **{"low": "interval.low", "high": "interval.high", "corrected_rank": "corrected_rank"},
            **{f"{kind}_{end}": f"{kind}.{end}" for kind in ("marginal", "simultaneous") for end in ("low", "high")},
            **{name: name for name in ("human", "human_rank", "judge", "judge_rank")},
        }
        boards = ((board.judge, rows_table(board.systems, columns)) for board in self.leaderboards)
        brief = ("rank", "system", "predicted", "predicted_low", "predicted_high", "typical_low", "typical_high")
        names = {"human": self.human, "human_rank": f"rank by {self.human}"}
        if len(self.leaderboards) == 1:
            names |= {"judge": self.leaderboards[0].judge, "judge_rank": f"rank by {self.leaderboards[0].judge}"}
        table = stacked("corrected_by", boards)
        return replace(table, brief=("corrected_by", *brief, "human", "human_rank", "judge", "judge_rank"), names=names)

    def tables(self) -> dict[str, Table]:
        """The systems, and what each judge adds."""
        columns = ("judge", "human_topics", "judged_topics", "corrected_topics", "predicted_topics", "weight")
        return {"systems": self.table(), "judges": rows_table(self.leaderboards, columns)}


def correct(
    human: ScoresLike,
    *judges: ScoresLike,
    on_missing: OnMissing = "error",
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    rng: Seed = 0,
    jobs: int | None = None,
) -> Correction:
    """Combine human scores on some topics with a judge's on more.

    Two estimates are given. *Corrected* means (prediction-powered) are unbiased even if the judge is wrong: publish
    them, with their intervals. *Predicted* means (best linear prediction) have the smaller error on average over
    systems, and rank best: rank by them, with typical rank sets. docs/correction.md has both, and their coverage.
    Battles are corrected battle by battle, matched by id.

    Parameters
    ----------
    human : ScoresLike
        Human scores by topic, or battles that people judged.
    *judges : ScoresLike
        The scores of a judge on the same topics and on more, or its battles; each judge corrects on its own.
    on_missing : str, default "error"
        What becomes of missing scores and of systems that one side lacks: "error", "intersect", "zero",
        "drop-systems=SHARE", "drop-topics=SHARE" or "connected", as in `read_scores`. Human topics that the judge did
        not label are an error, or left out, and never score zero.
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
        There is no judge, an option is out of its range, or scores are not averaged over the same topics: another
        aggregate than the mean, or `on_missing` "additive" or "pairwise".
    MissingScores
        A side has no topics or lacks scores, or the judge has not at least two topics more than people.
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
    people = to_matrix(human, _WHY)
    matched = [
        _matched(people, to_matrix(table, _WHY), f"judge {number}", on_missing)
        for number, table in enumerate(judges, 1)
    ]
    boards = [_leaderboard(sides, resamples=resamples, level=level, rng=rng, jobs=jobs) for sides in matched]
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
    _check_battles(human, judge, name)
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
    check_averaged(x, "a correction")
    check_averaged(y, "a correction")
    judged = set(y.topics)
    shared = [topic for topic in x.topics if topic in judged]
    alone = [topic for topic in x.topics if topic not in judged]
    if not shared:
        raise nothing_in_common("topic", (human.name or "the human scores", name), x.topics, y.topics)
    if alone and on_missing == "error":
        raise MissingScores(
            f"{name} lacks {len(alone)} of the {len(x.topics)} human topics ({some(alone)}), which cannot be compared "
            "with it; leave them out with on_missing='intersect' (--on-missing intersect)"
        )
    further = [topic for topic in y.topics if topic not in set(x.topics)]
    if len(x.systems) < LEAST_SYSTEMS:
        raise TooFewSystems(f"a correction needs at least {LEAST_SYSTEMS} systems, there are {len(x.systems)}")
    if len(shared) < LEAST_TOPICS:
        raise MissingScores(
            f"{len(shared)} topics have scores by people and by {name}; a correction needs at least {LEAST_TOPICS}"
        )
    if len(further) < LEAST_FURTHER:
        raise MissingScores(
            f"{name} has {len(further)} topics without human scores, and a correction needs at least {LEAST_FURTHER}: "
            "let the judge label more topics (to ask whether it could replace people, use compare or judge)"
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


def _check_battles(human: ScoreMatrix, judge: ScoreMatrix, name: str) -> None:
    """Raise an error where one side alone is from battles, or the two score them differently or have other pairs."""
    if not (isinstance(human, BattleScores) or isinstance(judge, BattleScores)):
        return
    title = human.name or "the human battles"
    if not (isinstance(human, BattleScores) and isinstance(judge, BattleScores)):
        raise BadParameter(f"{title} and {name}: battles are corrected by battles, and scores by scores; give one kind")
    if (human.score, human.prior) != (judge.score, judge.prior):
        raise BadParameter(f"{title} and {name} are scored differently; give both the same score= and prior=")
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


def _leaderboard(sides: _Sides, *, resamples: int, level: float, rng: Seed, jobs: int | None) -> CorrectedLeaderboard:
    from scipy.special import ndtri, stdtrit

    x, y, r = sides.human, sides.same, sides.further
    n, tail = len(x), (1.0 + level) / 2.0
    powered, predicted = prediction_powered(x, y, r), best_linear(x, y, r, allow_unseen=sides.battles)
    average = float(powered.means.mean())
    scores = average + predicted.means
    half = float(stdtrit(n - 1, tail)) * np.sqrt(np.diag(powered.covariance))
    predicted_half = float(stdtrit(predicted.freedom, tail)) * np.sqrt(np.diag(predicted.covariance))
    guaranteed = UncertainMeans.of_covariance(powered.means, powered.covariance, resamples=resamples, rng=rng, topics=n)
    each, every = rank_sets.marginal(guaranteed, level, jobs), rank_sets.simultaneous(guaranteed, level, jobs)
    widened = predicted.covariance * (float(stdtrit(predicted.freedom, tail)) / float(ndtri(tail))) ** 2
    draws = UncertainMeans.of_covariance(scores, widened, resamples=resamples, rng=rng)
    low, high = rank_sets.typical(*rank_sets.rank_bounds(draws.means + draws.deviations), level)
    judged = np.concatenate([y, r]).mean(axis=0)
    human_ranks, judge_ranks = mean_ranks(x.mean(axis=0)), mean_ranks(judged)
    corrected_ranks, predicted_ranks = mean_ranks(powered.means), mean_ranks(scores)
    sign = -1.0 if sides.lower_is_better else 1.0  # scores are computed with higher ones better, and shown as given
    systems = [
        CorrectedSystem(
            system=sides.systems[s],
            human=float(sign * x[:, s].mean()),
            judge=float(sign * judged[s]),
            human_rank=float(human_ranks[s]),
            judge_rank=float(judge_ranks[s]),
            corrected=float(sign * powered.means[s]),
            interval=_interval(sign * powered.means[s], half[s], level, "prediction-powered, t over human topics"),
            corrected_rank=float(corrected_ranks[s]),
            marginal=RankSet(low=int(each.low[s]), high=int(each.high[s])),
            simultaneous=RankSet(low=int(every.low[s]), high=int(every.high[s])),
            predicted=float(sign * scores[s]),
            predicted_interval=_interval(
                sign * scores[s], predicted_half[s], level, "leave one topic out, t, moderated"
            ),
            rank=float(predicted_ranks[s]),
            typical=RankSet(low=int(low[s]), high=int(high[s])),
        )
        for s in np.lexsort((np.arange(len(scores)), predicted_ranks))
    ]
    return CorrectedLeaderboard(
        judge=sides.judge,
        human_topics=n,
        judged_topics=n + len(r),
        weight=powered.weight,
        weights=predicted.weights,
        corrected_topics=powered.equivalent,
        predicted_topics=predicted.equivalent,
        systems=tuple(systems),
    )


def _interval(value: float, half: float, level: float, method: str) -> Interval:
    return Interval(low=float(value - half), high=float(value + half), level=level, method=method)
