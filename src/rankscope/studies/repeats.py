"""How much does a judge vary when it is asked again, and how many repeats are worth it?

Several sets of labels, or of scores, of one judge: repeats, which may also be prompts.
"""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from rankscope.checks import check_count, check_jobs, check_level, check_seed
from rankscope.coefficients import Coefficient
from rankscope.coefficients import coefficient as find
from rankscope.coefficients.rows import quietly
from rankscope.defaults import LEVEL, MEASURES, SEED
from rankscope.errors import BadParameter, MismatchedNames, MissingScores, TooFewSystems, nothing_in_common, some
from rankscope.files.checkpoints import Checkpoint
from rankscope.inference.repeats import Components, components, topic_interval
from rankscope.inference.worth import FEWEST_JUDGED, LEAST_SYSTEMS, tau_by_topics
from rankscope.inference.worth_model import moments_of, noise_and_bias
from rankscope.inputs import JudgmentsLike, RunsLike, ScoresLike, to_judgments, to_matrix, to_runs
from rankscope.measures.evaluation import evaluate
from rankscope.measures.registry import parse_measures
from rankscope.measures.scoring import Measures
from rankscope.results import Interval, Result, Table, rows_table, stacked
from rankscope.runs import Judgments
from rankscope.scores import Floats, ScoreMatrix
from rankscope.studies.blocks import Progress, run_blocks
from rankscope.studies.digests import digest_of
from rankscope.studies.judging.scales import JudgeLabels, to_labels
from rankscope.studies.repeat_blocks import RepeatNumbers, RepeatTables, counts_shown, repeat_blocks

Repeats: TypeAlias = "Mapping[str, Sequence[JudgmentsLike | JudgeLabels | ScoresLike]]"

DRAWS = 999
LEAST_TOPICS = 3
# Scores with more different values than this are not compared as labels.
_MOST_LABELS = 20


@dataclass(frozen=True, kw_only=True)
class Component:
    """A variance component with its leave-one-topic-out interval; None where the data have none."""

    variance: float
    interval: Interval | None


@dataclass(frozen=True, kw_only=True)
class RepeatPair:
    """Two repeats: τ_b of their rankings, the share of pairs of systems that they order oppositely, and their labels.

    `equal` is the share of equal labels, `kappa` Cohen's κ, `alpha` Krippendorff's ordinal α; None where undefined.
    """

    first: str
    second: str
    tau: float | None
    flipped: float
    equal: float | None
    kappa: float | None
    alpha: float | None


@dataclass(frozen=True, kw_only=True)
class RepeatCount:
    """What the mean score of some repeats is good for.

    Attributes
    ----------
    repeats : int
        The number of repeats averaged.
    error : float
        The standard error of the difference between two systems' means.
    more_topics : float
        The same if as many labels were spent on more topics, each asked about once.
    equal_topics : float or None
        The number of topics, each asked about once, with the same error; None where no number has it.
    worth : float or None
        What a topic is worth in topics of the truth (`rs.worth`); None without a truth, or with too few systems.
    expected_tau : float or None
        The expected τ with the true ranking that this implies.
    agreement : float or None
        The mean coefficient with the truth over subsets of the repeats; None for more repeats than there are.
    """

    repeats: int
    error: float
    more_topics: float
    equal_topics: float | None
    worth: float | None
    expected_tau: float | None
    agreement: float | None


@dataclass(frozen=True, kw_only=True)
class RepeatedJudge:
    """The repeats of one judge under one measure.

    Attributes
    ----------
    judge, measure : str
        The judge, and the measure.
    repeats : tuple of str
        Their names.
    systems, topics : int
        The numbers compared.
    between : Component
        The variance between systems.
    by_topics : Component
        The variance of topics: how a system's scores differ by topic, whatever the repeat.
    by_repeats : float
        The variance of repeats: how far a repeat favours systems on all topics alike.
    by_both : Component
        What a repeat changes on one topic alone.
    share : float or None
        The share of topic sampling error of a single repeat that more repeats would remove: both/(topics + both).
    share_interval : Interval or None
        Its interval.
    pvalue : float or None
        The permutation test of the hypothesis that repeats differ by chance alone: `by_repeats` is 0.
    pairs : tuple of RepeatPair
        Every two repeats.
    counts : tuple of RepeatCount
        By number of repeats.
    """

    judge: str
    measure: str
    repeats: tuple[str, ...]
    systems: int
    topics: int
    between: Component
    by_topics: Component
    by_repeats: float
    by_both: Component
    share: float | None
    share_interval: Interval | None
    pvalue: float | None
    pairs: tuple[RepeatPair, ...]
    counts: tuple[RepeatCount, ...]

    def mean(self, field: str) -> float | None:
        """The mean of a field over every two repeats where it is defined."""
        values = [value for pair in self.pairs if (value := getattr(pair, field)) is not None]
        return sum(values) / len(values) if values else None


@dataclass(frozen=True, kw_only=True, eq=False)
class RepeatsStudy(Result):
    """How much judges vary when they are asked again; see `rs.study_repeats`."""

    judged: tuple[RepeatedJudge, ...]
    truth: str | None
    coefficient: str
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per judge and measure: variance components, and agreement of repeats."""
        columns = {name: name for name in ("judge", "measure", "systems", "topics")}
        columns |= {"between": "between.variance", "by_topics": "by_topics.variance", "by_repeats": "by_repeats"}
        columns |= {"by_both": "by_both.variance", "share": "share"}
        columns |= {"share_low": "share_interval.low", "share_high": "share_interval.high", "pvalue": "pvalue"}
        rows = rows_table(self.judged, columns)
        means = ("tau", "flipped", "equal", "kappa", "alpha")
        whole = tuple(
            (*row, len(own.repeats), *(own.mean(name) for name in means))
            for row, own in zip(rows.rows, self.judged, strict=True)
        )
        brief = ("judge", "measure", "repeats", "share", "share_low", "share_high", "pvalue", *means)
        return Table((*rows.columns, "repeats", *means), whole, brief=brief)

    def tables(self) -> dict[str, Table]:
        """All tables by name, the main table first."""
        counts = [(own.judge, own.measure, rows_table(own.counts, RepeatCount)) for own in self.judged]
        pairs = [(own.judge, own.measure, rows_table(own.pairs, RepeatPair)) for own in self.judged]
        return {
            "judges": self.table(),
            "counts": stacked("judge", ((j, stacked("measure", [(m, t)])) for j, m, t in counts)),
            "pairs": stacked("judge", ((j, stacked("measure", [(m, t)])) for j, m, t in pairs)),
        }


def study_repeats(
    judges: Repeats,
    truth: JudgmentsLike | ScoresLike | None = None,
    *,
    runs: RunsLike | None = None,
    measures: Measures = MEASURES,
    coefficient: str | Coefficient = "tau_b",
    draws: int = DRAWS,
    level: float = LEVEL,
    rng: int = SEED,
    jobs: int | None = None,
    cluster: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> RepeatsStudy:
    """How much does a judge vary when it is asked again, and how many repeats are worth it?

    The repeats of a judge are labels of the same runs, or tables of scores (topics × systems). The variance of systems'
    scores is split into what differs between systems, by topics, by repeats (a repeat favours a system on all topics,
    as another prompt may), and by both (what a repeat changes on one topic alone). From these follow the error of mean
    scores and, with a truth, the worth of a topic, for any number of repeats, beside what more topics would do.

    Parameters
    ----------
    judges : mapping of str to sequence of JudgmentsLike or ScoresLike
        The repeats of each judge, two or more: labels if there are runs, otherwise scores. `JudgeLabels` says how
        grades are meant.
    truth : JudgmentsLike or ScoresLike, optional
        The judgments, or scores, that are trusted; None to ask about the repeats alone.
    runs : RunsLike, optional
        The runs that were labelled; None for scores.
    measures : Measures, default ("nDCG@10", "AP")
        The measures to score runs by.
    coefficient : str or Coefficient, default "tau_b"
        The coefficient of agreement with the truth.
    draws : int, default 999
        Permutations of repeats within topics, for the test of whether they differ by more than chance; 0 for none.
    level : float, default 0.95
        The level of the intervals.
    rng : int, default 0
        The seed.
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
    RepeatsStudy
        Variance components, agreement of every two repeats, and errors, worth and agreement by number of repeats.

    Raises
    ------
    BadParameter
        If an argument is out of its range, or a judge has one repeat only.
    MismatchedNames
        If repeats, or the truth, have different systems or share no topic.
    MissingScores
        If there are fewer than three common topics, or scores are missing.
    TooFewSystems
        If there are fewer than two systems.
    MismatchedCheckpoint
        If the folder belongs to another study.

    References
    ----------
    R. L. Brennan, "Generalizability theory", Springer 2001.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> true = rng.normal(0.5, 0.1, 8) + rng.normal(0, 0.1, (40, 8))
    >>> repeats = [true + rng.normal(0, 0.1, true.shape) for _ in range(4)]
    >>> (judge,) = study_repeats({"llm": repeats}).judged
    >>> round(judge.share, 1), judge.pvalue > 0.05, [round(count.error, 3) for count in judge.counts[:2]]
    (0.5, True, [0.031, 0.027])
    """
    check_level(level)
    check_jobs(jobs)
    seed, draws = check_seed(rng), check_count("draws", draws, 0)
    chosen = find(coefficient)
    if not isinstance(judges, Mapping) or not judges:
        raise BadParameter("judges: a mapping of judges' names to their repeats, such as {'llm': [first, second]}")
    for name, given in judges.items():
        if isinstance(given, str) or not isinstance(given, Sequence) or len(given) < 2:
            raise BadParameter(f"{name}: one repeat has nothing to differ from; give two or more")
    tables = _of_scores(judges, truth) if runs is None else _of_runs(judges, truth, runs, measures, seed, jobs)
    kept = None
    if checkpoint is not None:
        decided = {"seed": seed, "draws": draws, "coefficient": str(chosen), "input": digest_of(tables)}
        kept = Checkpoint.of_study(checkpoint, "repeats", decided)
    how: dict[str, Any] = {"jobs": jobs, "cluster": cluster, "checkpoint": kept, "progress": progress}
    judged = study_tables(tables, chosen, draws=draws, level=level, seed=seed, **how)
    named = next((table.truth.name for table in tables if table.truth is not None), None)
    return RepeatsStudy(
        judged=tuple(judged),
        truth=None if truth is None else named or "truth",
        coefficient=str(chosen),
        settings={"draws": draws, "level": level, "seed": seed},
    )


def _of_runs(
    judges: Repeats, truth: Any, runs: RunsLike, measures: Measures, seed: int, jobs: int | None
) -> list[RepeatTables]:
    names, systems = parse_measures(measures), to_runs(runs, jobs=jobs)
    human = None if truth is None else to_judgments(truth)
    tables = []
    for judge, given in judges.items():
        own: Any = {f"{judge} {number}": repeat for number, repeat in enumerate(given, 1)}
        repeats = list(to_labels(own, human, rng=seed).values())
        sides = [repeat.judgments.topics for repeat in repeats] + ([] if human is None else [human.topics])
        shared = set(sides[0]).intersection(*sides)
        topics = [topic for topic in sides[-1] if topic in shared]
        if not topics:
            raise nothing_in_common("topic", (judge, "the truth" if human else "its repeats"), sides[0], sides[-1])
        labels = [replace(repeat.judgments.for_topics(topics), name=repeat.name) for repeat in repeats]
        for measure in names:
            why = [repeat.not_computed(measure) for repeat in repeats]
            if any(why):
                raise BadParameter(str(replace(next(reason for reason in why if reason), judge=judge)))
            scores = [
                evaluate(systems, repeat.labels(measure).for_topics(topics), own).scores[own].renamed(repeat.name)
                for repeat in repeats
                for own in [str(repeat.own(measure))]
            ]
            trusted = None if human is None else evaluate(systems, human.for_topics(topics), str(measure))
            tables.append(
                RepeatTables(
                    judge=judge,
                    measure=str(measure),
                    scores=tuple(scores),
                    truth=None
                    if human is None or trusted is None
                    else trusted.scores[str(measure)].renamed(human.name),
                    labels=tuple(labels),
                )
            )
    return tables


def _of_scores(judges: Repeats, truth: Any) -> list[RepeatTables]:
    why = "repeats are compared topic by topic"
    human = None if truth is None else to_matrix(truth, why)
    tables = []
    for judge, given in judges.items():
        tables_given: Sequence[Any] = given
        repeats = [to_matrix(repeat, why) for repeat in tables_given]
        every = [*repeats, *([] if human is None else [human])]
        systems = every[-1].systems
        for side in every:
            lacking = set(systems) ^ set(side.systems)
            if lacking:
                raise MismatchedNames(
                    f"{judge}: {some(sorted(lacking))} not in all repeats and the truth; choose systems"
                )
        common = set(every[0].topics).intersection(*(side.topics for side in every))
        topics = [topic for topic in every[-1].topics if topic in common]
        if not topics:
            raise nothing_in_common("topic", (judge, "the others"), repeats[0].topics, every[-1].topics)
        *shared, last = (side.select(systems=systems, topics=topics) for side in every)
        scores = [*shared, last] if human is None else shared
        named = [
            own.renamed(own.name if own.name and len({r.name for r in scores}) == len(scores) else f"{judge} {number}")
            for number, own in enumerate(scores, 1)
        ]
        values = np.unique(np.concatenate([own.values.ravel() for own in scores]))
        labels = [_as_labels(own) for own in named] if len(values) <= _MOST_LABELS else []
        tables.append(
            RepeatTables(
                judge=judge,
                measure=scores[0].measure or "score",
                scores=tuple(named),
                truth=None if human is None else last,
                labels=tuple(labels),
            )
        )
    return tables


def _as_labels(scores: ScoreMatrix) -> Judgments:
    """Scores that take few values, as labels of topics and systems."""
    rows = zip(scores.topics, scores.values.tolist(), strict=True)
    return Judgments.of({topic: dict(zip(scores.systems, row, strict=True)) for topic, row in rows}, name=scores.name)


def study_tables(
    tables: Sequence[RepeatTables],
    chosen: Coefficient,
    *,
    draws: int,
    level: float,
    seed: int,
    jobs: int | None = None,
    cluster: Any = None,
    checkpoint: Checkpoint | None = None,
    progress: Progress | None = None,
) -> list[RepeatedJudge]:
    """What is to be told of each judge and measure; what takes long is done in blocks."""
    for table in tables:
        _check(table)
    blocks = [
        block
        for number, table in enumerate(tables)
        for block in repeat_blocks(f"{number:04d}", table, chosen, draws=draws, seed=seed)
    ]
    numbers = run_blocks(blocks, jobs=jobs, cluster=cluster, checkpoint=checkpoint, progress=progress)
    by_block = dict(zip((block.name for block in blocks), numbers, strict=True))
    return [
        _judge(table, RepeatNumbers(f"{number:04d}", by_block), draws=draws, level=level)
        for number, table in enumerate(tables)
    ]


def _check(table: RepeatTables) -> None:
    first = table.scores[0]
    if len(first.systems) < 2:
        raise TooFewSystems(f"a ranking needs two systems at least, there is {len(first.systems)}")
    if len(first.topics) < LEAST_TOPICS:
        common = f"{len(first.topics)} common topic{'s' if len(first.topics) != 1 else ''}"
        raise MissingScores(f"{table.judge}: {common}; repeats need {LEAST_TOPICS} at least")
    for own in table.scores:
        _ = own.means  # raises where scores are missing


def _judge(table: RepeatTables, numbers: RepeatNumbers, *, draws: int, level: float) -> RepeatedJudge:
    values = table.values
    whole, without = components(values)
    clipped, share = whole.clipped(), float(whole.clipped().share)
    parts = {
        field: Component(
            variance=float(getattr(clipped, field)),
            interval=topic_interval(float(getattr(whole, field)), getattr(without, field), level),
        )
        for field in ("systems", "topics", "both")
    }
    return RepeatedJudge(
        judge=table.judge,
        measure=table.measure,
        repeats=tuple(own.name or "" for own in table.scores),
        systems=values.shape[2],
        topics=values.shape[1],
        between=parts["systems"],
        by_topics=parts["topics"],
        by_repeats=float(clipped.repeats),
        by_both=parts["both"],
        share=None if math.isnan(share) else share,
        share_interval=topic_interval(float(whole.share), without.share, level, most=1.0),
        pvalue=numbers.pvalue(draws),
        pairs=tuple(_pairs(table, numbers)),
        counts=tuple(_counts(table, clipped, numbers)),
    )


def _pairs(table: RepeatTables, numbers: RepeatNumbers) -> Iterator[RepeatPair]:
    means = np.array([own.means for own in table.scores])
    upper = np.triu_indices(means.shape[1], 1)
    signs = np.array([np.sign(row[upper[0]] - row[upper[1]]) for row in means])
    for a, b in itertools.combinations(range(len(means)), 2):
        with quietly():
            tau = float(find("tau_b")(means[a], means[b]))
        equal, kappa, alpha = numbers.labels(a, b)
        yield RepeatPair(
            first=table.scores[a].name or "",
            second=table.scores[b].name or "",
            tau=None if math.isnan(tau) else tau,
            flipped=float((signs[a] * signs[b] < 0.0).mean()),
            equal=equal,
            kappa=kappa,
            alpha=alpha,
        )


def _counts(table: RepeatTables, parts: Components, numbers: RepeatNumbers) -> Iterator[RepeatCount]:
    repeats, topics, _ = table.values.shape
    worth_of = _worth_by_repeats(table.truth, table.values, parts)
    tau_of = None if table.truth is None or worth_of is None else tau_by_topics(table.truth)
    for k in [*counts_shown(repeats), 2 * repeats, 10 * repeats]:
        error = float(parts.error(topics, k))
        beyond = error - float(parts.repeats)
        worth = None if worth_of is None else worth_of(k)
        many = max(topics, FEWEST_JUDGED)
        yield RepeatCount(
            repeats=k,
            error=math.sqrt(2.0 * error),
            more_topics=math.sqrt(2.0 * float(parts.error(topics * k, 1))),
            equal_topics=float(parts.topics + parts.both) / beyond if beyond > 0.0 else None,
            worth=worth,
            expected_tau=None if worth is None or tau_of is None else tau_of(worth * many),
            agreement=numbers.agreement(k),
        )


def _worth_by_repeats(truth: ScoreMatrix | None, values: Floats, parts: Components) -> Any:
    """The worth of a topic with k repeats averaged, as a function of k; None without enough data.

    Averaging k repeats, not all R, changes the judge's noise and bias in the model behind `rs.worth` by known amounts:
    its topic error is topics + both/k, and repeats/k is a bias that no number of topics removes.
    """
    repeats, topics, systems = values.shape
    if truth is None or systems < LEAST_SYSTEMS:
        return None
    moments = moments_of(truth.values, values.mean(axis=0), paired=True)[0]
    error = float(parts.topics + parts.both / repeats)
    if not (moments.sxx > 0.0 and moments.exx > 0.0 and moments.syy > 0.0 and error > 0.0):
        return None
    noise, bias = map(float, noise_and_bias(moments))
    many = max(topics, FEWEST_JUDGED)

    def worth(k: int) -> float:
        own_noise = noise * float(parts.topics + parts.both / k) / error
        more = float(parts.repeats) * (1.0 / k - 1.0 / repeats) * (systems - 1) / (systems - 2)
        variance = own_noise + max(bias + noise / error * more, 0.0) * many
        return 1.0 / variance if variance > 0.0 else math.inf

    return worth
