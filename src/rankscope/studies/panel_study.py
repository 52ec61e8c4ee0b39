"""What does a panel of judges gain: ways to combine them, errors that they share, and what each member adds?"""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from rankscope.checks import check_jobs, check_level, check_seed
from rankscope.coefficients import coefficient
from rankscope.coefficients.rows import quietly
from rankscope.defaults import LEVEL, MEASURES, SEED
from rankscope.errors import BadParameter, ConstantMeasure, MissingScores, TooFewSystems
from rankscope.files.checkpoints import Checkpoint
from rankscope.inference.agreement import values_of
from rankscope.inference.error_correlation import ErrorCorrelations, by_grade, by_score, error_correlations
from rankscope.inference.labels.panels import COMBINATIONS
from rankscope.inference.labels.tuning import LabelTable
from rankscope.inference.worth import Worth, measure_worth
from rankscope.inputs import JudgesLike, JudgmentsLike, RunsLike, to_judgments, to_runs
from rankscope.measures.evaluation import evaluate
from rankscope.measures.registry import parse_measures
from rankscope.measures.scoring import Measures
from rankscope.results import Interval, Result, Table, rows_table
from rankscope.scores import Floats, ScoreMatrix
from rankscope.studies.blocks import Progress, run_blocks
from rankscope.studies.digests import digest_of
from rankscope.studies.judging.panels import Panel, check_panels, to_panels
from rankscope.studies.judging.scales import ScaledJudges, Skipped, to_labels
from rankscope.studies.judgment_reference import check_systems
from rankscope.studies.panel_blocks import PanelBlock, Scorer

PANELS = tuple(combination.name for combination in COMBINATIONS)
_COEFFICIENTS = ("tau_b", "tau_ap_b")
# Of what errors are: grades of documents, scores of systems on topics, and mean scores of systems.
Of = Literal["documents", "scores", "systems"]


@dataclass(frozen=True, kw_only=True)
class PanelAgreement:
    """How well a judge or a panel ranks the systems under one measure.

    Attributes
    ----------
    name, measure : str
        The judge or panel, and the measure.
    how : str or None
        How the panel combines its members; None for a judge.
    left_out : str or None
        The member that was left out; None for judges and whole panels.
    tau_b, tau_ap_b : float or None
        Agreement with the ranking by the truth.
    worth : float or None
        What one of its topics is worth in topics of the truth (`rs.worth`); None where it cannot be known.
    interval : Interval or None
        The interval of worth.
    tau_change, worth_ratio : float or None
        Against the whole panel: τ_b less its τ_b, and worth over its worth; None unless a member was left out.
    """

    name: str
    measure: str
    how: str | None
    left_out: str | None
    tau_b: float | None
    tau_ap_b: float | None
    worth: float | None
    interval: Interval | None
    tau_change: float | None = None
    worth_ratio: float | None = None


@dataclass(frozen=True, kw_only=True)
class PairOfErrors:
    """The correlation of two judges' errors; None where one of them makes none."""

    of: Of
    measure: str | None
    first: str
    second: str
    correlation: float | None


@dataclass(frozen=True, kw_only=True)
class SharedErrors:
    """How far the judges err together.

    `effective` is m/(1 + (m − 1)ρ) of the mean correlation ρ: the independent judges whose mean errs as little.
    Intervals are over topics.
    """

    of: Of
    measure: str | None
    judges: int
    correlation: float | None
    interval: Interval | None
    effective: float | None
    effective_interval: Interval | None


@dataclass(frozen=True, kw_only=True, eq=False)
class PanelStudy(Result):
    """Panels of judges beside their members; see `rs.study_panel`.

    `agreements` has every judge and panel, `left_out` every panel without each member, `errors` the correlation of
    every two judges' errors, `shared` their means and the effective number of judges; `documents` is the number that
    the truth and all judges labelled.
    """

    agreements: tuple[PanelAgreement, ...]
    left_out: tuple[PanelAgreement, ...]
    shared: tuple[SharedErrors, ...]
    errors: tuple[PairOfErrors, ...]
    truth: str
    judges: tuple[str, ...]
    measures: tuple[str, ...]
    systems: int
    topics: int
    documents: int
    skipped: tuple[Skipped, ...]
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per judge or panel and measure."""
        names = ("name", "measure", "how", "tau_b", "tau_ap_b", "worth")
        return rows_table(self.agreements, {**{name: name for name in names}, **_ENDS})

    def tables(self) -> dict[str, Table]:
        """All tables by name, the main table first."""
        left_out = ("how", "measure", "left_out", "tau_b", "tau_change", "worth", "worth_ratio")
        shared = ("of", "measure", "judges", "correlation", "effective")
        ends = {"effective_low": "effective_interval.low", "effective_high": "effective_interval.high"}
        return {
            "agreements": self.table(),
            "left_out": rows_table(self.left_out, left_out),
            "shared": rows_table(self.shared, {**{name: name for name in shared}, **ends}),
            "errors": rows_table(self.errors, PairOfErrors),
        }


_ENDS = {"worth_low": "interval.low", "worth_high": "interval.high"}


def study_panel(
    runs: RunsLike,
    truth: JudgmentsLike,
    judges: JudgesLike | ScaledJudges,
    measures: Measures = MEASURES,
    *,
    panels: Sequence[str | Panel] = PANELS,
    level: float = LEVEL,
    rng: int = SEED,
    jobs: int | None = None,
    cluster: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> PanelStudy:
    """What does a panel of these judges gain, and why no more?

    Every way to combine the judges is scored as a judge: agreement with the truth's ranking and worth of a topic, for
    the whole panel and without each member. An error of a judge is what the truth does not explain: of a document's
    grade, the difference from the judge's mean over documents with the same grade by the truth; of a system's score on
    a topic, or of its mean score, the residual of the regression on the truth's. The more errors correlate, the fewer
    independent judges the panel is worth: m/(1 + (m − 1)ρ) for m judges with mean correlation ρ.

    Parameters
    ----------
    runs : RunsLike
        The systems' runs.
    truth : JudgmentsLike
        The judgments that are trusted.
    judges : JudgesLike or JudgeLabels
        The judges; one alone has no errors to share.
    measures : Measures, default ("nDCG@10", "AP")
        The measures to score by.
    panels : sequence of str or Panel, default ("mean", "median", "majority", "dawid-skene", "weighted")
        The panels: how they combine the judges (docs/panels.md), or `Panel` for a name, members and a level.
    level : float, default 0.95
        The level of all intervals.
    rng : int, default 0
        The seed: of the parts of the topics that weights and maps are learned on.
    jobs : int, optional
        The number of threads; None for one per core. Numbers do not depend on it.
    cluster : str or distributed.Client, optional
        A Dask cluster to compute on.
    checkpoint : path, optional
        A folder that keeps finished blocks, from which an interrupted study continues.
    progress : callable, optional
        Called with the number of blocks done and the number of all blocks.

    Returns
    -------
    PanelStudy
        Judges, panels and panels without each member, and the errors that judges share.

    Raises
    ------
    BadParameter
        If an option is out of its range.
    MismatchedNames
        If a judge shares no topic with the truth.
    TooFewSystems
        If there are fewer than two runs.
    MismatchedCheckpoint
        If the folder belongs to another study.

    References
    ----------
    L. Kish, "Survey sampling", Wiley 1965, section 5.4. G. Kohli, "Nine judges, two effective votes: correlated errors
    undermine LLM evaluation panels", arXiv:2605.29800, 2026.

    Examples
    --------
    >>> from rankscope.simulation.tracks import simulate_track
    >>> track = simulate_track(systems=6, topics=8, depth=10, rng=1)
    >>> study = study_panel(track.runs, track.truth, {"a": track.truth, "b": track.truth}, "AP", panels=["mean"])
    >>> study.agreements[-1].name, study.agreements[-1].tau_b
    ('panel-mean', 1.0)
    """
    check_level(level)
    check_jobs(jobs)
    seed = check_seed(rng)
    made, chosen = to_panels(panels), parse_measures(measures)
    run_set, human = to_runs(runs, jobs=jobs), to_judgments(truth)
    check_systems(len(run_set.systems))
    members = to_labels(judges, human, rng=seed)
    names = list(members)
    check_panels(made, names)
    scorer = Scorer(runs=run_set, truth=human, measures=tuple(chosen))
    cases = [*(_Case(None, (name,)) for name in names), *(_Case(panel, tuple(panel.members(names))) for panel in made)]
    for panel in made:
        every = panel.members(names)
        cases += [_Case(panel, tuple(n for n in every if n != left), left) for left in every if len(every) > 1]
    blocks = [
        PanelBlock(
            name=f"scores-{number:04d}",
            scorer=scorer,
            members={name: members[name] for name in case.members},
            panel=case.panel and replace(case.panel, judges=None),
            seed=seed,
            part=case.left_out is not None,
        )
        for number, case in enumerate(cases)
    ]
    kept = None
    if checkpoint is not None:
        decided = {"seed": seed, "measures": list(map(str, chosen)), "input": digest_of(run_set, human, members, made)}
        kept = Checkpoint.of_study(checkpoint, "panel", decided)
    numbers = run_blocks(blocks, jobs=jobs, cluster=cluster, checkpoint=kept, progress=progress)
    truths = evaluate(run_set, human, list(map(str, chosen))).scores
    known = {str(measure): truths[str(measure)] for measure in chosen}
    skipped: list[Skipped] = []
    rows: list[PanelAgreement] = []
    fewer: list[PanelAgreement] = []
    whole: dict[tuple[str, str], PanelAgreement] = {}
    scores: dict[str, dict[str, ScoreMatrix]] = {}
    for case, values in zip(cases, numbers, strict=True):
        tables, reasons = scorer.tables(case.name, values)
        for measure, own in tables.items():
            row = _agreement(case, measure, known[measure], own, level, whole.get((case.name, measure)))
            (rows if case.left_out is None else fewer).append(row)
            if case.left_out is None:
                whole[case.name, measure] = row
        if case.left_out is None:
            skipped += reasons
        if case.panel is None:
            scores[case.name] = tables
    labels = LabelTable.of([member.given for member in members.values()], human, seed)
    correlations = []
    if len(members) > 1:
        correlations.append(_Errors("documents", None, tuple(members), _of_documents(labels, level)))
    for measure, truth_scores in known.items():
        of_all = {name: scores[name][measure] for name in members if measure in scores[name]}
        of_all = {name: table for name, table in of_all.items() if table.topics == truth_scores.topics}
        if len(of_all) > 1:
            means = np.column_stack([table.means for table in of_all.values()])
            correlations += [
                _Errors("scores", measure, tuple(of_all), _of_scores(truth_scores, list(of_all.values()), level)),
                _Errors("systems", measure, tuple(of_all), error_correlations(means, by_score(truth_scores.means))),
            ]
    return PanelStudy(
        agreements=tuple(rows),
        left_out=tuple(fewer),
        shared=tuple(each.shared() for each in correlations),
        errors=tuple(pair for each in correlations for pair in each.pairs()),
        truth=human.name or "truth",
        judges=tuple(members),
        measures=tuple(known),
        systems=len(run_set.systems),
        topics=len(human.topics),
        documents=int(_complete(labels).sum()),
        skipped=tuple(skipped),
        settings={
            "panels": {panel.name: {"how": panel.how, "judges": panel.members(list(members))} for panel in made},
            "level": level,
            "seed": seed,
        },
    )


@dataclass(frozen=True)
class _Case:
    """A judge alone, or a panel with these members, of which one may have been left out."""

    panel: Panel | None
    members: tuple[str, ...]
    left_out: str | None = None

    @property
    def name(self) -> str:
        return self.members[0] if self.panel is None else self.panel.name


@dataclass(frozen=True, eq=False)
class _Errors:
    """The errors of some judges, of one kind."""

    of: Of
    measure: str | None
    judges: tuple[str, ...]
    found: ErrorCorrelations

    def shared(self) -> SharedErrors:
        return SharedErrors(
            of=self.of,
            measure=self.measure,
            judges=len(self.judges),
            correlation=self.found.mean,
            interval=self.found.interval,
            effective=self.found.effective,
            effective_interval=self.found.effective_interval,
        )

    def pairs(self) -> list[PairOfErrors]:
        matrix = self.found.matrix
        return [
            PairOfErrors(
                of=self.of,
                measure=self.measure,
                first=self.judges[i],
                second=self.judges[j],
                correlation=None if np.isnan(matrix[i, j]) else float(matrix[i, j]),
            )
            for i, j in itertools.combinations(range(len(self.judges)), 2)
        ]


def _complete(table: LabelTable) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """The rows that the truth and all judges labelled."""
    return np.asarray(~np.isnan(table.truth) & ~np.isnan(table.grades).any(axis=1))


def _of_documents(table: LabelTable, level: float) -> ErrorCorrelations:
    kept = _complete(table)
    topic = np.unique(table.rows.topic_of[kept], return_inverse=True)[1]
    return error_correlations(table.grades[kept], by_grade(table.truth[kept]), topic, level=level)


def _of_scores(truth: ScoreMatrix, tables: Sequence[ScoreMatrix], level: float) -> ErrorCorrelations:
    """Errors of systems' scores on topics, each topic centred."""

    def centred(values: Floats) -> Floats:
        return np.asarray(values - values.mean(axis=1, keepdims=True)).ravel()

    scores = np.column_stack([centred(table.values) for table in tables])
    topic = np.repeat(np.arange(len(truth.topics)), len(truth.systems))
    return error_correlations(scores, by_score(centred(truth.values)), topic, level=level)


def _agreement(
    case: _Case, measure: str, truth: ScoreMatrix, table: ScoreMatrix, level: float, whole: PanelAgreement | None
) -> PanelAgreement:
    """Of one table of scores; where a member was left out, also against the whole panel."""
    truth = truth.select(topics=table.topics)
    with quietly():
        by = [coefficient(own) for own in _COEFFICIENTS]
        tau, tau_ap = values_of(by, truth.means[None], table.means[None])[:, 0].tolist()
    worth = _worth(truth, table, level)
    against = None if case.left_out is None else whole
    change = None if against is None or against.tau_b is None or np.isnan(tau) else tau - against.tau_b
    ratio = worth.worth / against.worth if against is not None and against.worth and worth is not None else None
    return PanelAgreement(
        name=case.name,
        measure=measure,
        how=None if case.panel is None else case.panel.how,
        left_out=case.left_out,
        tau_b=None if np.isnan(tau) else tau,
        tau_ap_b=None if np.isnan(tau_ap) else tau_ap,
        worth=None if worth is None else worth.worth,
        interval=None if worth is None else worth.interval,
        tau_change=change,
        worth_ratio=ratio,
    )


def _worth(truth: ScoreMatrix, table: ScoreMatrix, level: float) -> Worth | None:
    try:
        return measure_worth(truth, table, level=level)
    except (ConstantMeasure, TooFewSystems, BadParameter, MissingScores):
        return None
