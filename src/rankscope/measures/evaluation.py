"""`evaluate`: from runs and judgments to scores by topic and their summaries, with what either side lacks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from rankscope.averages import exact_means
from rankscope.checks import check_choice
from rankscope.defaults import MEASURES
from rankscope.errors import BadParameter, MissingScores
from rankscope.inputs import JudgmentsLike, RunsLike, to_judgments, to_runs
from rankscope.measures.record import Measure
from rankscope.measures.registry import ByMeasure, parse_measure, parse_measures
from rankscope.measures.scoring import Measures, score
from rankscope.results import Remark, Result, Table
from rankscope.runs import Coverage, JudgedRuns, Judgments, RunSet, coverage, join
from rankscope.scores import Floats, ScoreMatrix, SystemScores

Topics = Literal["judged", "retrieved", "shared"]
TOPICS: tuple[Topics, ...] = get_args(Topics)


@dataclass(frozen=True, kw_only=True, eq=False)
class Evaluation(Result):
    """Scores of systems by topic, a matrix for each measure, and their summaries over topics.

    A summary is the mean, for counts the sum, and for GMAP the geometric mean. GMAP's scores by topic are logarithms,
    so that their means rank systems as GMAP does. Any spelling of a measure's name finds both. `providers` names who
    computed each measure. `coverage` is None if the runs were joined with judgments before.
    """

    scores: ByMeasure[ScoreMatrix]
    summaries: ByMeasure[SystemScores]
    measures: tuple[str, ...]
    coverage: Coverage | None
    providers: dict[str, str]
    settings: dict[str, Any]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, best first by the first measure that is not a count."""
        averaged = [m for m in self.measures if parse_measure(m).record.summary != "sum"]
        first = self.summaries[(averaged or self.measures)[0]]
        order = sorted(
            range(len(first.systems)), key=lambda s: (_last_if_nan(float(first.values[s])), first.systems[s])
        )
        return tuple(first.systems[s] for s in order)

    def rows(self) -> list[tuple[str, str, float]]:
        """System, measure and value."""
        at = {system: s for s, system in enumerate(self.summaries[self.measures[0]].systems)}
        return [(x, m, float(self.summaries[m].values[at[x]])) for x in self.systems for m in self.measures]

    def table(self) -> Table:
        """One row per system, one column per measure."""
        at = {system: s for s, system in enumerate(self.summaries[self.measures[0]].systems)}
        columns = [_whole(self.summaries[m].values, m) for m in self.measures]
        return Table(
            ("system", *self.measures),
            tuple((system, *(column[at[system]] for column in columns)) for system in self.systems),
        )

    def tables(self) -> dict[str, Table]:
        """Every table by name, the main one first."""
        return {"systems": self.table(), "topics": self.by_topic().table()}

    def remarks(self) -> list[Remark]:
        """What runs and judgments do not share, and the measures that something else computed."""
        lacking = [] if self.coverage is None else self.coverage.remarks(self.settings["topics"])
        elsewhere = {measure: name for measure, name in self.providers.items() if name != "rankscope"}
        return lacking + [
            Remark(kind="measure computed elsewhere", about=measure, names=(name,))
            for measure, name in elsewhere.items()
        ]

    def to_trec_eval(self) -> str:
        """The summaries as `trec_eval` prints them, four decimals, one system after the other."""
        from rankscope.measures.layout import trec_eval_text

        return trec_eval_text(self, by_topic=False)

    def by_topic(self) -> TopicEvaluation:
        """The evaluation written topic by topic."""
        return TopicEvaluation(evaluation=self)


@dataclass(frozen=True, kw_only=True, eq=False)
class TopicEvaluation(Result):
    """An evaluation written topic by topic: one row per system and topic."""

    evaluation: Evaluation

    def rows(self) -> list[tuple[str, str, str, float]]:
        """System, topic, measure and value; systems best first, topics in the order of the judgments."""
        evaluation = self.evaluation
        first = evaluation.scores[evaluation.measures[0]]
        at = {system: s for s, system in enumerate(first.systems)}
        return [
            (system, topic, m, float(evaluation.scores[m].values[t, at[system]]))
            for system in evaluation.systems
            for t, topic in enumerate(first.topics)
            for m in evaluation.measures
        ]

    def table(self) -> Table:
        """One row per system, topic and measure."""
        return Table(("system", "topic", "measure", "value"), tuple(self.rows()))

    def to_trec_eval(self) -> str:
        """The scores and summaries as `trec_eval -q` prints them."""
        from rankscope.measures.layout import trec_eval_text

        return trec_eval_text(self.evaluation, by_topic=True)


def evaluate(
    runs: RunsLike | JudgedRuns,
    judgments: JudgmentsLike | None = None,
    measures: Measures = MEASURES,
    *,
    topics: Topics = "judged",
) -> Evaluation:
    """Score runs under judgments.

    By default scores are averaged over all judged topics, and a system that retrieved nothing for a topic scores 0
    there, as with `trec_eval -c`, so that systems are compared on the same topics.

    Parameters
    ----------
    runs : RunsLike | JudgedRuns
        Runs, or where to read them from; or runs joined with judgments by `rs.join`.
    judgments : JudgmentsLike | None, default None
        Judgments, or where to read them from; None if the runs are joined with judgments.
    measures : str | Measure | Iterable[str | Measure], default ("nDCG@10", "AP")
        The measures, as `rs.parse_measures` takes them.
    topics : {"judged", "retrieved", "shared"}, default "judged"
        The topics to average over. "judged" are all topics with judgments; "shared" are those of them that every system
        has; "retrieved" are each system's own, as in trec_eval without -c, and scores of the others are missing (NaN).

    Returns
    -------
    Evaluation
        Scores by topic, summaries over topics, and what runs or judgments lack (`coverage`).

    Raises
    ------
    UnknownName
        If a measure is unknown.
    BadParameter
        If judgments are missing or given twice, if `topics` is not one of the three, or if a measure cannot be computed
        from these grades.
    MissingScores
        If no topic is judged, or none of those to average over.

    Examples
    --------
    >>> runs = RunSet.of({"bm25": {"301": ["d1", "d2"], "302": ["d7"]}, "dense": {"301": ["d2", "d1"]}})
    >>> evaluation = evaluate(runs, Judgments.of({"301": {"d2": 2}, "302": {"d7": 1}}), ["nDCG@10", "RR"])
    >>> evaluation.scores["RR"].values.tolist(), evaluation.summaries["RR"].values.tolist()
    ([[0.5, 1.0], [1.0, 0.0]], [0.75, 0.5])
    """
    chosen = parse_measures(measures)
    check_choice("topics", topics, TOPICS)
    run_set, rows, judged = _joined(runs, judgments)
    if not judged.topics:
        raise MissingScores("there are no judgments, and so no topics to average over")
    values = _computed(chosen, run_set, rows, judged)
    kept = _kept_topics(judged, topics)
    there = judged.retrieved.reshape(len(judged.topics), len(judged.systems))[kept] > 0
    names = tuple(judged.topics[t] for t in kept)
    scores: ByMeasure[ScoreMatrix] = ByMeasure()
    for m in chosen:
        table = values[str(m)][kept]
        if topics == "retrieved":
            table = np.where(there, table, np.nan)
        scores[str(m)] = ScoreMatrix(table, judged.systems, names, measure=str(m), name=judged.name)
    summaries = ByMeasure(
        (str(m), SystemScores(_summary(scores[str(m)].values, m), judged.systems, measure=str(m), name=judged.name))
        for m in chosen
    )
    return Evaluation(
        scores=scores,
        summaries=summaries,
        measures=tuple(map(str, chosen)),
        coverage=None if run_set is None or rows is None else coverage(run_set, rows, joined=judged),
        providers={str(m): m.provider for m in chosen},
        settings={"topics": topics, "judgments": judged.name, "runs": None if run_set is None else run_set.name},
    )


def _joined(
    runs: RunsLike | JudgedRuns, judgments: JudgmentsLike | None
) -> tuple[RunSet | None, Judgments | None, JudgedRuns]:
    """Runs and judgments as objects, and joined."""
    if isinstance(runs, JudgedRuns):
        if judgments is not None:
            raise BadParameter("these runs are joined with judgments already; give runs, or no judgments")
        return None, None, runs
    if judgments is None:
        raise BadParameter("judgments are missing; give them after the runs")
    run_set, rows = to_runs(runs), to_judgments(judgments)
    return run_set, rows, join(run_set, rows)


def _computed(
    measures: tuple[Measure, ...], runs: RunSet | None, judgments: Judgments | None, judged: JudgedRuns
) -> dict[str, Floats]:
    """Topics × systems for each measure, by rankscope's kernels or through ir_measures."""
    native = [m for m in measures if m.record.function is not None]
    foreign = [m for m in measures if m.record.function is None]
    values = {name: matrix.values for name, matrix in score(judged, native).items()} if native else {}
    if foreign:
        from rankscope.measures.elsewhere import compute

        if runs is None or judgments is None:
            named = ", ".join(map(str, foreign))
            raise BadParameter(f"{named}: computed by {foreign[0].provider}, which needs runs and judgments; give both")
        values |= compute(runs, judgments, foreign, judged.topics)
    return values


def _kept_topics(judged: JudgedRuns, topics: Topics) -> list[int]:
    """The judged topics to average over."""
    there = judged.retrieved.reshape(len(judged.topics), len(judged.systems)) > 0
    if topics == "judged":
        return list(range(len(judged.topics)))
    kept = there.any(axis=1) if topics == "retrieved" else there.all(axis=1)
    if not kept.any():
        shared = "retrieved by every system" if topics == "shared" else "retrieved by any system"
        raise MissingScores(f"no judged topic is {shared}; use topics='judged' (--topics judged)")
    return [int(t) for t in np.flatnonzero(kept)]


def _summary(values: Floats, measure: Measure) -> Floats:
    """The measure's summary of each column, without missing scores."""
    missing = np.isnan(values)
    if not missing.any():
        means = exact_means(values)
        counts = np.full(values.shape[1], len(values))
    else:
        columns = [column[~gone] for column, gone in zip(values.T, missing.T, strict=True)]
        means = np.array([math.fsum(column) / len(column) if len(column) else np.nan for column in columns])
        counts = np.array([len(column) for column in columns])
    if measure.record.summary == "geometric":
        return np.exp(means)
    if measure.record.summary == "sum":
        return np.where(counts > 0, np.rint(means * counts), 0.0)
    return means


def _whole(values: Floats, measure: str) -> list[float | int]:
    """The values, as integers if they are counts."""
    if parse_measure(measure).record.summary == "sum":
        return [int(value) for value in values]
    return [float(value) for value in values]


def _last_if_nan(value: float) -> float:
    return math.inf if math.isnan(value) else -value
