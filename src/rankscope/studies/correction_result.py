"""The result of `correct`: leaderboards by people and a judge together, whatever they were made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from rankscope.averages import mean_ranks
from rankscope.checks import check_choice, check_share
from rankscope.defaults import ALPHA, CORRECTION
from rankscope.inference import rank_sets
from rankscope.inference.closed_tests import read_only
from rankscope.inference.corrections import Correction as TestCorrection
from rankscope.inference.pairs import Significance, covariance_significance
from rankscope.inference.rank_sets import UncertainMeans
from rankscope.inference.resampling import Seed
from rankscope.results import Interval, Remark, Result, Table, rows_table, stacked
from rankscope.scores import Floats, SystemScores
from rankscope.studies.ranks import RankSet

# The means whose differences are tested.
Tested = Literal["corrected", "predicted"]
_TESTED: tuple[Tested, ...] = get_args(Tested)
_OF_PAIRS = ("difference", "low", "high", "p", "adjusted", "significant")
_PAIR_COLUMNS = ("system", "other", *_OF_PAIRS, *(f"predicted_{name}" for name in _OF_PAIRS))


@dataclass(frozen=True, kw_only=True)
class CorrectedSystem:
    """A system with its score by people, by the judge, and by both together.

    Attributes
    ----------
    system : str
        Its name.
    rank : float
        Its rank by the prediction; by document, by the combined mean.
    typical : RankSet
        The rank set of the prediction: such sets are right for the level's share of the systems on average.
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
    filled : float, optional
        By document: its mean with expected human gains wherever people did not look.
    same_topics : Interval, optional
        By document: the interval of what its mean would be if people labelled all documents of these topics.
    """

    system: str
    rank: float
    typical: RankSet
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
    filled: float | None = None
    same_topics: Interval | None = None


@dataclass(frozen=True, kw_only=True)
class MappedGrade:
    """What the judge's grades from `least` to `greatest` came to mean.

    `documents` have such a grade, `labelled` of them by people, too, and `expected` is the gain by people that is
    expected of them on average.
    """

    least: float
    greatest: float
    documents: int
    labelled: int
    expected: float


@dataclass(frozen=True, kw_only=True)
class SampledDocuments:
    """What people labelled of the documents that the judge labelled.

    Attributes
    ----------
    labelled, judged : int
        The documents with a label by people, and all documents.
    unlabelled : int
        Documents that were drawn and have no label; they are taken to lack it at random.
    without_judge : int
        Documents with a label by people and none by the judge.
    corrected_documents : float
        The number of documents that people alone would have to label, drawn alike, for sums of gains as precise as the
        corrected ones. That is the precision of means by DCG, P and RBP, and of nDCG before division by ideal scores;
        it does not tell that of AP, which has products of gains.
    ungraded_documents : float
        The same number if the judge's grades were all alike: what topics and ranks alone tell of the documents that
        people did not label. The judge adds what is beyond it.
    deciding_documents : float
        The number of documents that make up the error of a system's corrected mean over draws of documents (its degrees
        of freedom), the median over systems. With fewer than five, intervals for these topics may be too short; with 0
        there is no such error.
    grades : tuple of MappedGrade
        What the judge's grades came to mean.
    """

    labelled: int
    judged: int
    unlabelled: int
    without_judge: int
    corrected_documents: float
    ungraded_documents: float
    deciding_documents: float
    grades: tuple[MappedGrade, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class CorrectedLeaderboard:
    """The leaderboard by people and one judge together.

    Attributes
    ----------
    judge : str
        The judge.
    human_topics, judged_topics : int
        The topics with human scores, and those with the judge's, which contain the former.
    weight : float
        What the judge's scores weigh in the corrected means: near 0 for random labels. By document, the share of what
        corrected means say beyond the filled-in ones that the predictions believe.
    weights : tuple of float
        What human means, the judge's means over the same topics, and its means over the others weigh in the
        predictions; by document, what the filled-in means weigh.
    corrected_topics : float, optional
        The number of human topics whose means are as precise as the corrected ones; None by document.
    predicted_topics : float, optional
        The number of human topics that predict the true means as well as the predictions do; None by document.
    documents : SampledDocuments, optional
        What people labelled, by document; None by topic.
    systems : tuple of CorrectedSystem
        The systems, best first.
    covariance, predicted_covariance : ndarray of shape (systems, systems)
        The joint covariance of the errors of corrected means and of predictions, systems in their order.
    freedom, predicted_freedom : float
        The degrees of freedom of these covariances.
    """

    judge: str
    human_topics: int
    judged_topics: int
    weight: float
    weights: tuple[float, ...]
    corrected_topics: float | None
    predicted_topics: float | None
    systems: tuple[CorrectedSystem, ...]
    covariance: Floats
    freedom: float
    predicted_covariance: Floats
    predicted_freedom: float
    documents: SampledDocuments | None = None

    def significance(
        self,
        by: Tested = "corrected",
        *,
        correction: TestCorrection = CORRECTION,
        alpha: float = ALPHA,
    ) -> Significance:
        """Test every pair of systems for a difference over the population of topics.

        Parameters
        ----------
        by : {"corrected", "predicted"}, default "corrected"
            The means whose differences are tested. Corrected means are unbiased; predictions hold their level on
            average over pairs.
        correction : {"none", "bonferroni", "holm", "bh"}, default "bh"
            The correction for multiple tests.
        alpha : float, default 0.05
            The level of the test.

        Returns
        -------
        Significance
            Statistics, p-values and adjusted p-values of all pairs.

        Raises
        ------
        BadParameter
            If an option is unknown or out of its range.
        """
        check_choice("by", by, _TESTED)
        check_share("alpha", alpha)
        means = [entry.corrected if by == "corrected" else entry.predicted for entry in self.systems]
        scores = SystemScores(means, [entry.system for entry in self.systems])
        covariance, freedom = self._errors(by)
        method = f"t-test of {by} means"
        return covariance_significance(scores, covariance, freedom, method, correction, alpha, self.human_topics)

    def pairs(self, level: float) -> Table:
        """One row per pair of systems, the better one first, with tests and intervals of each pair on its own."""
        from scipy.special import stdtrit

        first, second = np.triu_indices(len(self.systems), 1)
        columns: list[Any] = [[self.systems[place].system for place in places] for places in (first, second)]
        for by in _TESTED:
            test, (covariance, freedom) = self.significance(by, alpha=round(1.0 - level, 12)), self._errors(by)
            half = float(stdtrit(freedom, (1.0 + level) / 2.0)) * np.sqrt(rank_sets.difference_variances(covariance))
            ends = test.differences, test.differences - half, test.differences + half
            numbers = (*ends, test.pvalues, test.adjusted, test.significant)
            columns += [table[first, second].tolist() for table in numbers]
        return Table(_PAIR_COLUMNS, tuple(zip(*columns, strict=True)))

    def _errors(self, by: Tested) -> tuple[Floats, float]:
        """The covariance of these means, and its degrees of freedom."""
        if by == "corrected":
            return self.covariance, self.freedom
        return self.predicted_covariance, self.predicted_freedom


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
        """One row per judge and system, best first."""
        columns = {
            **{"system": "system", "rank": "rank", "typical_low": "typical.low", "typical_high": "typical.high"},
            **{"predicted": "predicted", "predicted_low": "predicted_interval.low"},
            **{"predicted_high": "predicted_interval.high", "corrected": "corrected"},
            **{"low": "interval.low", "high": "interval.high", "corrected_rank": "corrected_rank"},
            **{f"{kind}_{end}": f"{kind}.{end}" for kind in ("marginal", "simultaneous") for end in ("low", "high")},
            **{name: name for name in ("human", "human_rank", "judge", "judge_rank")},
        }
        if any(board.documents for board in self.leaderboards):
            columns |= {
                "filled": "filled",
                "same_topics_low": "same_topics.low",
                "same_topics_high": "same_topics.high",
            }
        boards = ((board.judge, rows_table(board.systems, columns)) for board in self.leaderboards)
        brief = ("rank", "system", "typical_low", "typical_high", "predicted", "corrected", "low", "high")
        names = {"human": self.human, "human_rank": f"rank by {self.human}"}
        if len(self.leaderboards) == 1:
            names |= {"judge": self.leaderboards[0].judge, "judge_rank": f"rank by {self.leaderboards[0].judge}"}
        table = stacked("corrected_by", boards)
        return replace(table, brief=("corrected_by", *brief, "human", "human_rank", "judge", "judge_rank"), names=names)

    def tables(self) -> dict[str, Table]:
        """The systems, what each judge adds, and by document what its grades came to mean."""
        columns = ["judge", "human_topics", "judged_topics", "corrected_topics", "predicted_topics", "weight"]
        mapped = [(board.judge, board.documents) for board in self.leaderboards if board.documents is not None]
        level = float(self.settings["level"])
        pairs = {"pairs": stacked("corrected_by", ((board.judge, board.pairs(level)) for board in self.leaderboards))}
        if not mapped:
            return {"systems": self.table(), "judges": rows_table(self.leaderboards, columns), **pairs}
        fields = ("labelled", "judged", "unlabelled", "without_judge", "corrected_documents", "ungraded_documents")
        of_documents = {name: f"documents.{name}" for name in fields}
        named = {"judge": "judge", "topics": "judged_topics", "weight": "weight", **of_documents}
        grades = stacked("judge", ((judge, rows_table(documents.grades, MappedGrade)) for judge, documents in mapped))
        return {"systems": self.table(), "judges": rows_table(self.leaderboards, named), "grades": grades, **pairs}


class EstimatedMeans(NamedTuple):
    """Means of all systems by people, by the judge, corrected, and predicted, of which higher ones are better.

    The corrected means have their covariance and the number of topics behind it; the predicted ones have theirs, that
    of the errors that change ranks, and their degrees of freedom; both have the name of their intervals' method.
    `sampling` is the covariance of the corrected means over draws of documents, by document, with each system's degrees
    of freedom.
    """

    systems: tuple[str, ...]
    human: Floats
    judge: Floats
    corrected: Floats
    covariance: Floats
    topics: int
    predicted: Floats
    predicted_covariance: Floats
    ranking_covariance: Floats
    freedom: float
    methods: tuple[str, str]
    filled: Floats | None = None
    sampling: Floats | None = None
    sampling_freedom: Floats | None = None

    def errors(self, systems: Sequence[CorrectedSystem]) -> dict[str, Any]:
        """The covariances of a leaderboard, in its order of the systems, and their degrees of freedom."""
        places = {name: place for place, name in enumerate(self.systems)}
        order = np.array([places[entry.system] for entry in systems])
        return {
            "covariance": read_only(self.covariance[np.ix_(order, order)]),
            "freedom": float(self.topics - 1),
            "predicted_covariance": read_only(self.predicted_covariance[np.ix_(order, order)]),
            "predicted_freedom": float(self.freedom),
        }


def corrected_systems(
    means: EstimatedMeans,
    *,
    lower_is_better: bool,
    resamples: int,
    level: float,
    rng: Seed,
    jobs: int | None,
) -> tuple[CorrectedSystem, ...]:
    """The systems, best first, with intervals, ranks and rank sets."""
    from scipy.special import ndtri, stdtrit

    tail = (1.0 + level) / 2.0
    normal, t = float(ndtri(tail)), float(stdtrit(means.freedom, tail))
    half = float(stdtrit(means.topics - 1, tail)) * np.sqrt(np.diag(means.covariance))
    predicted_half = t * np.sqrt(np.diag(means.predicted_covariance))
    guaranteed = UncertainMeans.of_covariance(
        means.corrected, means.covariance, resamples=resamples, rng=rng, topics=means.topics
    )
    each, every = rank_sets.marginal(guaranteed, level, jobs), rank_sets.simultaneous(guaranteed, level, jobs)
    widened = means.ranking_covariance * (t / normal) ** 2
    draws = UncertainMeans.of_covariance(means.predicted, widened, resamples=resamples, rng=rng)
    low, high = rank_sets.typical(*rank_sets.rank_bounds(draws.means + draws.deviations), level)
    kinds = (means.human, means.judge, means.corrected, means.predicted)
    human_ranks, judge_ranks, corrected_ranks, ranks = (mean_ranks(kind) for kind in kinds)
    sign = -1.0 if lower_is_better else 1.0  # scores are computed with higher ones better, and shown as given

    def interval(value: float, width: float, method: str) -> Interval:
        return Interval(low=float(sign * value - width), high=float(sign * value + width), level=level, method=method)

    def same_topics(s: int) -> Interval | None:
        if means.sampling is None or means.sampling_freedom is None:
            return None
        width = float(stdtrit(means.sampling_freedom[s], tail) * np.sqrt(means.sampling[s, s]))
        return interval(means.corrected[s], width, "inverse inclusion probabilities, t")

    return tuple(
        CorrectedSystem(
            system=means.systems[s],
            rank=float(ranks[s]),
            typical=RankSet(low=int(low[s]), high=int(high[s])),
            human=float(sign * means.human[s]),
            judge=float(sign * means.judge[s]),
            human_rank=float(human_ranks[s]),
            judge_rank=float(judge_ranks[s]),
            corrected=float(sign * means.corrected[s]),
            interval=interval(means.corrected[s], half[s], means.methods[0]),
            corrected_rank=float(corrected_ranks[s]),
            marginal=RankSet(low=int(each.low[s]), high=int(each.high[s])),
            simultaneous=RankSet(low=int(every.low[s]), high=int(every.high[s])),
            predicted=float(sign * means.predicted[s]),
            predicted_interval=interval(means.predicted[s], predicted_half[s], means.methods[1]),
            filled=None if means.filled is None else float(sign * means.filled[s]),
            same_topics=same_topics(s),
        )
        for s in np.lexsort((np.arange(len(ranks)), ranks)).tolist()
    )
