"""What if systems used the judge? Every run's top is re-sorted by the judge's labels.

The worry of Clarke & Dietz (2024): a system that uses the judge is scored by the judge that it used.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from rankscope.averages import mean_ranks
from rankscope.checks import check_count, check_jobs, check_level, check_seed
from rankscope.coefficients import Coefficient
from rankscope.defaults import LEVEL, MEASURES, SEED
from rankscope.errors import BadParameter, MissingScores
from rankscope.files.checkpoints import Checkpoint
from rankscope.inputs import JudgesLike, JudgmentsLike, RunsLike, to_judgments, to_runs
from rankscope.measures.record import Measure
from rankscope.measures.registry import parse_measures
from rankscope.measures.scoring import Measures
from rankscope.results import Interval, Result, Table, rows_table
from rankscope.runs import Judgments, RunSet
from rankscope.runs.joined import join
from rankscope.scores import Floats, ScoreMatrix
from rankscope.studies.blocks import Progress, run_blocks
from rankscope.studies.circularity_blocks import CircularityBlock, Scored, Setup, ranking_of, score_of
from rankscope.studies.families import Groups
from rankscope.studies.groups import t_test
from rankscope.studies.judging.scales import Judge, ScaledJudges, Skipped, on_topics_of, to_labels
from rankscope.studies.judgment_reference import check_coefficients, check_fractions, check_systems
from rankscope.studies.judgment_variants import repeat_ranges
from rankscope.studies.tables import check_groups

Users = Literal["nobody", "all", "one at a time", "group"]

DEPTH = 100
NOISE = (0.0, 0.25, 0.5, 0.75, 1.0)
REPEATS = 20
COEFFICIENTS = ("tau_b", "tau_ap")
# Repeats in a block.
_BLOCK = 5


@dataclass(frozen=True, kw_only=True)
class JudgeUse:
    """What happens if some systems use a judge: means over the repeats and, of systems one at a time, over systems.

    Attributes
    ----------
    judge, measure : str
        The judge, and the measure.
    users : {"nobody", "all", "one at a time", "group"}
        Who re-sorts by the judge's labels; `group` is the group's name.
    group : str or None
        The group.
    systems : int
        The number of systems that use the judge.
    noise : float
        The share of the labels they see that is random.
    judge_gain, true_gain : float
        How far the mean score of those who use it rises, by the judge and by the truth.
    inflation : float
        The rise by the judge less the rise by the truth.
    judge_interval, true_interval, inflation_interval : Interval or None
        Their t intervals over topics; None with fewer than two topics.
    agreements : dict of str to float or None
        The coefficients between the rankings by truth and judge of all systems, those who use the judge re-sorted.
    worth : float or None
        What a topic of the judge is then worth in topics of the truth (`rs.worth`).
    winner_rank : float
        The truth's rank of the system that the judge then finds best.
    winner_loss : float
        The truth's best score less its score of that system.
    """

    judge: str
    measure: str
    users: Users
    group: str | None
    systems: int
    noise: float
    judge_gain: float
    true_gain: float
    inflation: float
    judge_interval: Interval | None
    true_interval: Interval | None
    inflation_interval: Interval | None
    agreements: dict[str, float | None]
    worth: float | None
    winner_rank: float
    winner_loss: float


@dataclass(frozen=True, kw_only=True)
class SystemUse:
    """A system's scores and ranks, as it is and if it alone used the judge (with the least noise studied).

    Ranks are among all systems, the others as they are; tied systems share their mean rank.
    """

    judge: str
    measure: str
    system: str
    group: str | None
    judge_score: float
    judge_score_using: float
    true_score: float
    true_score_using: float
    judge_rank: float
    judge_rank_using: float
    true_rank: float
    true_rank_using: float

    @property
    def judge_gain(self) -> float:
        """The rise of its score by the judge."""
        return self.judge_score_using - self.judge_score

    @property
    def true_gain(self) -> float:
        """The rise of its score by the truth."""
        return self.true_score_using - self.true_score


@dataclass(frozen=True, kw_only=True)
class Entrant:
    """The judge as a system: its own ranking of all documents it labelled, ties in random order (mean of the repeats).

    Ranks are among all systems and itself. `best_score` is the truth's best score of the others.
    """

    judge: str
    measure: str
    documents: int
    judge_score: float
    judge_rank: float
    true_score: float
    true_rank: float
    best_score: float


@dataclass(frozen=True, kw_only=True, eq=False)
class CircularityStudy(Result):
    """How scores and rankings change if systems use the judge; see `rs.study_circularity`.

    `labelled` is, for every judge, the share of the documents in the tops that it labelled. `skipped` says which judge
    could not be used under which measure.
    """

    uses: tuple[JudgeUse, ...]
    by_system: tuple[SystemUse, ...]
    entrants: tuple[Entrant, ...]
    truth: str
    judges: tuple[str, ...]
    measures: tuple[str, ...]
    coefficients: tuple[str, ...]
    systems: int
    topics: dict[str, int]
    depth: int
    labelled: dict[str, float]
    skipped: tuple[Skipped, ...]
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per judge, measure, set of users and noise."""
        before = ("judge", "measure", "users", "group", "systems", "noise", "judge_gain", "true_gain", "inflation")
        rows = rows_table(self.uses, (*before, "worth", "winner_rank", "winner_loss"))
        cells = zip(rows.rows, self.uses, strict=True)
        return Table(
            (*before, *self.coefficients, *rows.columns[len(before) :]),
            tuple((*row[: len(before)], *use.agreements.values(), *row[len(before) :]) for row, use in cells),
            brief=tuple(name for name in (*before, *self.coefficients, "worth") if name not in ("group", "systems")),
        )

    def system_table(self) -> Table:
        """One row per judge, measure and system."""
        gains = ("judge_gain", "true_gain")
        names = ("judge", "measure", "system", "group", "judge_score", "judge_score_using", "true_score")
        ranks = ("judge_rank", "judge_rank_using", "true_rank", "true_rank_using")
        table = rows_table(self.by_system, (*names, "true_score_using", *gains, *ranks))
        return replace(table, brief=("judge", "measure", "system", "group", *gains, *ranks))

    def tables(self) -> dict[str, Table]:
        """All tables by name, the main table first."""
        entrants = rows_table(self.entrants, Entrant)
        return {"uses": self.table(), "systems": self.system_table(), "entrants": entrants}


def study_circularity(
    runs: RunsLike,
    truth: JudgmentsLike,
    judges: JudgesLike | ScaledJudges,
    measures: Measures = MEASURES,
    *,
    groups: Groups | None = None,
    depth: int = DEPTH,
    noise: Sequence[float] = NOISE,
    repeats: int = REPEATS,
    coefficients: Sequence[str | Coefficient] = COEFFICIENTS,
    level: float = LEVEL,
    rng: int = SEED,
    jobs: int | None = None,
    cluster: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> CircularityStudy:
    """What if systems used the judge: how far do its scores rise, how far the truth's, and is the ranking still right?

    The top of every run is re-sorted by the judge's labels; documents with equal labels keep their order. A system
    could ask the judge about any document, but labels are known of some only: a document without one counts as grade 0,
    as measures count it, and so do grades below zero. All systems use the judge, or one at a time, or a group. With
    noise, each system sees a share of its labels replaced by random ones of the same topic. The judge also enters as a
    system of its own.

    Parameters
    ----------
    runs : RunsLike
        The runs: a `RunSet`, or where to read it from.
    truth : JudgmentsLike
        The judgments that are trusted.
    judges : JudgesLike or JudgeLabels
        The labels of one judge or several, as `rs.judge` takes them.
    measures : Measures, default ("nDCG@10", "AP")
        The measures to score by.
    groups : mapping of str to str, or "names", optional
        The group of every system; then each group also uses the judge on its own.
    depth : int, default 100
        The number of documents at the top of a run that are re-sorted.
    noise : sequence of float, default (0.0, 0.25, 0.5, 0.75, 1.0)
        The shares of labels that are random, each from 0 to 1.
    repeats : int, default 20
        How often each noise above 0 is drawn, and the order of the judge's own ranking where its labels are equal.
    coefficients : sequence of str or Coefficient, default ("tau_b", "tau_ap")
        The coefficients of agreement between the rankings by truth and judge.
    level : float, default 0.95
        The level of the intervals over topics.
    rng : int, default 0
        The seed. It decides every number.
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
    CircularityStudy
        Gains by judge and truth, agreement, worth and winner by users and noise; every system alone; the judge's own
        ranking.

    Raises
    ------
    BadParameter
        If an argument is out of its range, or no judge can be used under any measure.
    MismatchedNames
        If `groups` lacks a system, or a judge shares no topic with the truth.
    MissingScores
        If no run retrieved a document that truth and judge labelled.
    TooFewSystems
        If there are fewer than two runs.
    MismatchedCheckpoint
        If the folder belongs to another study.

    References
    ----------
    C. Clarke and L. Dietz, "LLM-based relevance assessment still can't replace human relevance assessment",
    arXiv:2412.17156, 2024.

    Examples
    --------
    >>> runs = {"a": {"1": ["x", "y", "z"]}, "b": {"1": ["z", "x", "y"]}}
    >>> study = study_circularity(runs, {"1": {"x": 1}}, {"llm": {"1": {"y": 1}}}, "RR", noise=[0])
    >>> [(use.users, round(use.judge_gain, 3), round(use.true_gain, 3)) for use in study.uses]
    [('nobody', 0.0, 0.0), ('all', 0.583, -0.333), ('one at a time', 0.583, -0.333)]
    """
    check_level(level)
    check_jobs(jobs)
    seed, depth, repeats = check_seed(rng), check_count("depth", depth), check_count("repeats", repeats)
    steps = check_fractions(noise, "noise")
    chosen = check_coefficients(coefficients)
    names = parse_measures(measures)
    run_set, human = to_runs(runs, jobs=jobs), to_judgments(truth)
    others = to_labels(judges, human, rng=seed)
    check_systems(len(run_set.systems))
    team_of = None if groups is None else check_groups(groups, run_set.systems)
    sides = [
        _Side.of(run_set, human, judge, names, team_of, depth, tuple(map(str, chosen))) for judge in others.values()
    ]
    used = [side for side in sides if side.measures]
    skipped = tuple(reason for side in sides for reason in side.skipped)
    if not used:
        raise BadParameter("; ".join(str(reason) for reason in skipped[:3]))
    settings = {"noise": list(steps), "repeats": repeats, "level": level, "groups": team_of, "seed": seed}
    blocks = [block for side in used for block in side.blocks(steps, repeats, seed)]
    kept = None
    if checkpoint is not None:
        digest = [side.digest() for side in used]
        decided = {"seed": seed, "depth": depth, "input": digest, "coefficients": list(map(str, chosen))}
        kept = Checkpoint.of_study(checkpoint, "circularity", decided)
    numbers = dict(
        zip(
            (block.name for block in blocks),
            run_blocks(blocks, jobs=jobs, cluster=cluster, checkpoint=kept, progress=progress),
            strict=True,
        )
    )
    uses: list[JudgeUse] = []
    by_system: list[SystemUse] = []
    for side in used:
        by_noise = [
            (step, np.concatenate([numbers[block.name] for block in side.blocks([step], repeats, seed)]).mean(axis=0))
            for step in steps
        ]
        uses += side.uses(by_noise, level)
        by_system += side.by_system(by_noise[0][1], run_set.systems, team_of)
    return CircularityStudy(
        uses=tuple(uses),
        by_system=tuple(by_system),
        entrants=tuple(entrant for side in used for entrant in side.entrants(repeats, seed)),
        truth=human.name or "truth",
        judges=tuple(side.judge.name for side in used),
        measures=tuple(map(str, names)),
        coefficients=tuple(map(str, chosen)),
        systems=len(run_set.systems),
        topics={side.judge.name: len(side.truth.topics) for side in used},
        depth=depth,
        labelled={side.judge.name: side.labelled() for side in used},
        skipped=skipped,
        settings=settings,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Side:
    """A judge against the truth on the topics of both: what is scored, by which measures, and by whom it is used."""

    judge: Judge
    labels: Judgments
    truth: Judgments
    measures: tuple[Measure, ...]
    skipped: tuple[Skipped, ...]
    sets: tuple[tuple[Users, str | None], ...]
    setup: Setup
    before: tuple[Scored, ...]

    @classmethod
    def of(
        cls,
        runs: RunSet,
        human: Judgments,
        judge: Judge,
        measures: Sequence[Measure],
        team_of: Mapping[str, str] | None,
        depth: int,
        coefficients: tuple[str, ...],
    ) -> _Side:
        labels = on_topics_of(judge.name, judge.judgments, human)
        truth = human if human.topics == labels.topics else human.for_topics(labels.topics)
        by_truth, by_judge = join(runs, truth), join(runs, labels)
        if not len(by_truth.ranks) or not len(by_judge.ranks):
            side = judge.name if len(by_truth.ranks) else human.name or "the truth"
            raise MissingScores(f"no run retrieved a document that {side} labelled; are these labels of the same runs?")
        groups = list(dict.fromkeys([] if team_of is None else team_of.values()))
        systems = len(runs.systems)
        masks = [np.ones(systems, dtype=bool), *(np.array([t == g for t in (team_of or {}).values()]) for g in groups)]
        sets: tuple[tuple[Users, str | None], ...] = (("all", None), *(("group", group) for group in groups))
        shared: dict[str, Any] = {"coefficients": coefficients, "users": np.array(masks), "depth": depth}
        whole = Setup(truth=by_truth, judge=by_judge, measures=(), grades=(), **shared)
        used: dict[Measure, Scored] = {}
        grades: list[Floats] = []
        skipped = []
        for measure in measures:
            why, own = judge.not_computed(measure), (str(measure), str(judge.own(measure)))
            if why is None:
                graded = on_topics_of(judge.name, judge.labels(measure), human).grades
                (scored,) = replace(whole, measures=(own,), grades=(graded,)).scored()
                why = judge.not_ranked(measure, ScoreMatrix(scored.judge))
            if why is None:
                used[measure] = scored
                grades.append(graded)
            else:
                skipped.append(why)
        return cls(
            judge=judge,
            labels=labels,
            truth=truth,
            measures=tuple(used),
            skipped=tuple(skipped),
            sets=sets,
            setup=replace(whole, measures=tuple((str(m), str(judge.own(m))) for m in used), grades=tuple(grades)),
            before=tuple(used.values()),
        )

    def labelled(self) -> float:
        """The share of the documents in the tops that the judge labelled."""
        labels = self.setup.labels
        return float((labels >= 0.0).sum() / max((labels != -1.0).sum(), 1))

    def digest(self) -> str:
        """The SHA-256 of everything that decides the numbers of the blocks, but the settings."""
        setup = self.setup
        names = [setup.measures, setup.truth.systems, setup.truth.topics]
        digest = hashlib.sha256(repr(names).encode())
        for side in (setup.truth, setup.judge):
            for array in (side.starts, side.ranks, side.rows, side.retrieved, side.judgment_starts, side.grades):
                digest.update(np.ascontiguousarray(array).tobytes())
        for grades in setup.grades:
            digest.update(np.ascontiguousarray(grades).tobytes())
        digest.update(setup.users.tobytes())
        return digest.hexdigest()

    def blocks(self, steps: Sequence[float], repeats: int, seed: int) -> list[CircularityBlock]:
        """The blocks of these steps of noise; without noise, one repeat is all."""
        own = self.digest()[:16]
        return [
            CircularityBlock(
                name=f"{own}-noise-{step:g}-{numbers.start}", setup=self.setup, noise=step, numbers=numbers, seed=seed
            )
            for step in steps
            for numbers in repeat_ranges(repeats if step else 1, _BLOCK)
        ]

    def uses(self, by_noise: Sequence[tuple[float, Floats]], level: float) -> Iterator[JudgeUse]:
        """A row for every measure, set of users and noise, those without any use first."""
        topics, systems = self.before[0].truth.shape
        gains = 2 * systems, 2 * systems + len(self.sets) * 2 * topics
        nobody = np.zeros((1, systems), dtype=bool)
        for m, before in enumerate(self.before):
            (as_it_is,) = self.setup.outcomes(before, before, nobody)
            yield self._use(m, "nobody", None, 0, 0.0, np.zeros((2, topics)), as_it_is, level)
            # Alone or not, a system gains the same, so that one at a time has the gains of all.
            sets = [*zip(self.sets, range(len(self.sets)), self.setup.users.sum(axis=1), strict=True)]
            for (users, group), place, members in [*sets, (("one at a time", None), -1, 1)]:
                for step, numbers in by_noise:
                    by_topic = numbers[m, gains[0] : gains[1]].reshape(len(self.sets), 2, topics)
                    outcomes = numbers[m, gains[1] :].reshape(len(self.sets) + 1, -1)
                    own = by_topic[max(place, 0)]
                    yield self._use(m, users, group, int(members), step, own, outcomes[place], level)

    def _use(
        self,
        m: int,
        users: Users,
        group: str | None,
        systems: int,
        noise: float,
        by_topic: Floats,
        outcome: Floats,
        level: float,
    ) -> JudgeUse:
        truth, judge = by_topic
        *agreements, worth, winner_rank, winner_loss = outcome.tolist()
        truth_interval, judge_interval, inflation = (
            t_test(values, level)[0] if len(values) > 1 and systems else None
            for values in (truth, judge, judge - truth)
        )
        return JudgeUse(
            judge=self.judge.name,
            measure=str(self.measures[m]),
            users=users,
            group=group,
            systems=systems,
            noise=noise,
            judge_gain=float(judge.mean()),
            true_gain=float(truth.mean()),
            inflation=float((judge - truth).mean()),
            judge_interval=judge_interval,
            true_interval=truth_interval,
            inflation_interval=inflation,
            agreements={
                name: None if np.isnan(value) else value
                for name, value in zip(self.setup.coefficients, agreements, strict=True)
            },
            worth=None if np.isnan(worth) else worth,
            winner_rank=winner_rank,
            winner_loss=winner_loss,
        )

    def by_system(
        self, numbers: Floats, systems: Sequence[str], team_of: Mapping[str, str] | None
    ) -> Iterator[SystemUse]:
        """Every system on its own, by measure, best by the truth first."""
        for m, before in enumerate(self.before):
            truth, judge = before.truth_means, before.judge_means
            after = numbers[m, : 2 * len(systems)].reshape(2, -1)
            ranks = mean_ranks(truth), mean_ranks(judge)
            for s in np.argsort(ranks[0], kind="stable"):
                yield SystemUse(
                    judge=self.judge.name,
                    measure=str(self.measures[m]),
                    system=systems[s],
                    group=None if team_of is None else team_of[systems[s]],
                    judge_score=float(judge[s]),
                    judge_score_using=float(after[1, s]),
                    true_score=float(truth[s]),
                    true_score_using=float(after[0, s]),
                    judge_rank=float(ranks[1][s]),
                    judge_rank_using=_rank_among(after[1, s], np.delete(judge, s)),
                    true_rank=float(ranks[0][s]),
                    true_rank_using=_rank_among(after[0, s], np.delete(truth, s)),
                )

    def entrants(self, draws: int, seed: int) -> Iterator[Entrant]:
        """The judge's own ranking as a system, by measure."""
        run = ranking_of(self.labels, draws, np.random.default_rng(seed))
        sides = zip(self.measures, self.before, self.setup.measures, self.setup.grades, strict=True)
        for measure, before, (by_truth, by_judge), grades in sides:
            true_score = score_of(run, self.truth, by_truth)
            judge_score = score_of(run, self.labels.with_grades(grades), by_judge)
            yield Entrant(
                judge=self.judge.name,
                measure=str(measure),
                documents=len(self.labels),
                judge_score=judge_score,
                judge_rank=_rank_among(judge_score, before.judge_means),
                true_score=true_score,
                true_rank=_rank_among(true_score, before.truth_means),
                best_score=float(before.truth_means.max()),
            )


def _rank_among(score: float, others: Floats) -> float:
    """The rank of one score among others, tied ones at their mean rank."""
    return float(mean_ranks(np.append(others, score))[-1])
