"""`evaluate`: runs and judgments in, scores by topic and their summary out, with what one side lacks."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from rankscope.errors import BadParameter, MissingScores
from rankscope.measures.record import Measure
from rankscope.measures.registry import ByMeasure, parse_measure, parse_measures
from rankscope.measures.scoring import Measures, score
from rankscope.results import Result, Table, plain
from rankscope.runs import Coverage, JudgedRuns, Judgments, RunSet, coverage, join
from rankscope.scores import Floats, ScoreMatrix, SystemScores, exact_means

Topics = Literal["judged", "retrieved", "shared"]
TOPICS: tuple[Topics, ...] = get_args(Topics)

Path = str | os.PathLike[str]


@dataclass(frozen=True, kw_only=True, eq=False)
class Evaluation(Result):
    """Scores of systems by topic, one matrix per measure, and their summaries over topics.

    A summary is the mean, for counts the sum, and for GMAP the geometric mean: its scores by topic are logarithms, so
    that their means rank systems as GMAP does. Any spelling of a measure's name finds both. `providers` names who
    computed each measure. `coverage` is None where only the judged documents of runs are known.
    """

    scores: ByMeasure[ScoreMatrix]
    summaries: ByMeasure[SystemScores]
    measures: tuple[str, ...]
    coverage: Coverage | None
    providers: dict[str, str]
    settings: dict[str, Any]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, the best by the first measure on top; counts are no merit, and are passed over."""
        merits = [m for m in self.measures if parse_measure(m).record.summary != "sum"]
        first = self.summaries[(merits or self.measures)[0]]
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

    def to_json(self) -> str:
        """A list of system, measure and value."""
        return _json([{"system": s, "measure": m, "value": v} for s, m, v in self.rows()])

    def to_trec_eval(self) -> str:
        """The summaries as `trec_eval` prints them, four decimals, one system after the other."""
        from rankscope.measures.layout import trec_eval_text

        return trec_eval_text(self, by_topic=False)

    def by_topic(self) -> TopicEvaluation:
        """The same, written topic by topic."""
        return TopicEvaluation(evaluation=self)


@dataclass(frozen=True, kw_only=True, eq=False)
class TopicEvaluation(Result):
    """An evaluation written topic by topic: one row per system and topic."""

    evaluation: Evaluation

    def rows(self) -> list[tuple[str, str, str, float]]:
        """System, topic, measure and value; systems best first, topics in the order of the judgments."""
        found = self.evaluation
        first = found.scores[found.measures[0]]
        at = {system: s for s, system in enumerate(first.systems)}
        return [
            (system, topic, m, float(found.scores[m].values[t, at[system]]))
            for system in found.systems
            for t, topic in enumerate(first.topics)
            for m in found.measures
        ]

    def table(self) -> Table:
        """One row per system, topic and measure."""
        return Table(("system", "topic", "measure", "value"), tuple(self.rows()))

    def to_json(self) -> str:
        """A list of system, topic, measure and value."""
        return _json([{"system": s, "topic": t, "measure": m, "value": v} for s, t, m, v in self.rows()])

    def to_trec_eval(self) -> str:
        """The scores and summaries as `trec_eval -q` prints them."""
        from rankscope.measures.layout import trec_eval_text

        return trec_eval_text(self.evaluation, by_topic=True)


def evaluate(
    runs: RunSet | JudgedRuns | Path | Sequence[Path],
    judgments: Judgments | Path | None = None,
    measures: Measures = ("nDCG@10", "AP"),
    *,
    topics: Topics = "judged",
) -> Evaluation:
    """Score runs under judgments.

    `topics` are those to average over: "judged", all topics with judgments, where a system that retrieved nothing
    scores 0, as `trec_eval -c`, so that systems compare; "shared", those of them that every system has; or "retrieved",
    each system's own, as trec_eval does without -c: scores of the others are missing (NaN). Runs joined with judgments
    already need no judgments here.

    >>> runs = RunSet.of({"bm25": {"301": ["d1", "d2"], "302": ["d7"]}, "dense": {"301": ["d2", "d1"]}})
    >>> found = evaluate(runs, Judgments.of({"301": {"d2": 2}, "302": {"d7": 1}}), ["nDCG@10", "RR"])
    >>> found.scores["RR"].values.tolist(), found.summaries["RR"].values.tolist()
    ([[0.5, 1.0], [1.0, 0.0]], [0.75, 0.5])
    """
    chosen = parse_measures(measures)
    if topics not in TOPICS:
        raise BadParameter(f"topics={topics!r}: choose one of {', '.join(TOPICS)}")
    run_set, rows, judged = _joined(runs, judgments)
    if not judged.topics:
        raise MissingScores("there are no judgments, so that there is nothing to average over")
    native = [m for m in chosen if m.record.function is not None]
    foreign = [m for m in chosen if m.record.function is None]
    values = {name: matrix.values for name, matrix in score(judged, native).items()} if native else {}
    if foreign:
        from rankscope.measures.elsewhere import compute

        if run_set is None or rows is None:
            named = ", ".join(map(str, foreign))
            raise BadParameter(f"{named}: computed by {foreign[0].provider}, which needs runs and judgments; give both")
        values |= compute(run_set, rows, foreign, judged.topics)
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


def _joined(runs: Any, judgments: Any) -> tuple[RunSet | None, Judgments | None, JudgedRuns]:
    if isinstance(runs, JudgedRuns):
        if judgments is not None:
            raise BadParameter("these runs are joined with judgments already; give runs, or no judgments")
        return None, None, runs
    if judgments is None:
        raise BadParameter("judgments are missing; give them after the runs")
    if not isinstance(runs, RunSet):
        from rankscope.files import read_runs

        runs = read_runs(runs)
    if not isinstance(judgments, Judgments):
        from rankscope.files import read_judgments

        judgments = read_judgments(judgments)
    return runs, judgments, join(runs, judgments)


def _kept_topics(judged: JudgedRuns, topics: Topics) -> list[int]:
    there = judged.retrieved.reshape(len(judged.topics), len(judged.systems)) > 0
    if topics == "judged":
        return list(range(len(judged.topics)))
    kept = there.any(axis=1) if topics == "retrieved" else there.all(axis=1)
    if not kept.any():
        shared = "retrieved by every system" if topics == "shared" else "retrieved by any system"
        raise MissingScores(f"no judged topic is {shared}; use topics='judged' (--topics judged)")
    return [int(t) for t in np.flatnonzero(kept)]


def _summary(values: Floats, measure: Measure) -> Floats:
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
    """Counts as whole numbers, as a person writes them."""
    if parse_measure(measure).record.summary == "sum":
        return [int(value) for value in values]
    return [float(value) for value in values]


def _last_if_nan(value: float) -> float:
    return math.inf if math.isnan(value) else -value


def _json(rows: list[dict[str, Any]]) -> str:
    return json.dumps(plain(rows), ensure_ascii=False, indent=1, allow_nan=False) + "\n"
