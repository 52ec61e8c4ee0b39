"""How should human labels be spent beside a judge? Labels are hidden, and every way is tried at each budget."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope.averages import exact_means
from rankscope.checks import check_choice, check_count, check_jobs, check_level, check_seed
from rankscope.defaults import LEVEL, MEASURES, SEED
from rankscope.errors import BadParameter, MismatchedNames, TooFewSystems, some
from rankscope.inference.designs import DOCUMENT_DESIGNS, DocumentDesignName
from rankscope.inputs import JudgesLike, JudgmentsLike, RunsLike
from rankscope.measures import evaluate, parse_measure
from rankscope.measures.scoring import Measures
from rankscope.results import Result, Table, rows_table
from rankscope.runs import Judgments, join
from rankscope.scores import Floats
from rankscope.studies.blocks import Progress, run_blocks
from rankscope.studies.correction import LEAST_SYSTEMS
from rankscope.studies.correction_ways import (
    WAYS,
    SampleBlock,
    Spent,
    TopBlock,
    TopicBlock,
    WayBlock,
    means_statistics,
    ways_of,
)
from rankscope.studies.cost_mixes import union
from rankscope.studies.judging.scales import Judge, ScaledJudges, to_labels
from rankscope.studies.judgment_reference import Reference, make_reference
from rankscope.studies.judgment_variants import repeat_ranges
from rankscope.studies.pool_depth import best_ranks

BUDGETS = (0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
REPEATS = 100
# What `plan` takes, and the simplest.
DEFAULT_DESIGNS: tuple[DocumentDesignName, ...] = ("influence", "random")
_TOPIC_REPEATS, _DOCUMENT_REPEATS = 50, 10


@dataclass(frozen=True, kw_only=True)
class BudgetPoint:
    """What a way gives for a budget, on average over repeats.

    Attributes
    ----------
    judge, measure : str
        The judge and the measure.
    way : str
        How the labels are spent.
    design : str or None
        How a sample of documents is drawn; None for all other ways.
    budget : float or None
        The share of the human labels; None for the judge alone.
    human_topics : int or None
        The topics that people label, where they label whole topics.
    labels : int
        The number of human labels; on average over repeats, where whole topics are labelled.
    error : float or None
        The root mean squared error of systems' means relative to the average system.
    covered : float or None
        The share of systems whose mean by all human labels is in its interval; None where there is no interval.
        Intervals of sampled documents are those of the draw, all others those of the population of topics.
    tau, tau_ap : float or None
        τ_b and τ_AP,b with the ranking by all human labels.
    tau_sd, tau_ap_sd : float or None
        Their standard deviation over repeats.
    """

    judge: str
    measure: str
    way: str
    design: str | None
    budget: float | None
    human_topics: int | None
    labels: int
    error: float | None
    covered: float | None
    tau: float | None
    tau_sd: float | None
    tau_ap: float | None
    tau_ap_sd: float | None


@dataclass(frozen=True, kw_only=True, eq=False)
class CorrectionStudy(Result):
    """Ways to spend human labels beside a judge, by budget; see `rs.study_correction`."""

    points: tuple[BudgetPoint, ...]
    judges: tuple[str, ...]
    measures: tuple[str, ...]
    systems: int
    topics: int
    judgments: int
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per judge, measure, way, design and budget."""
        return rows_table(self.points, BudgetPoint)

    def of(self, judge: str, measure: str) -> tuple[BudgetPoint, ...]:
        """The points of one judge under one measure."""
        return tuple(point for point in self.points if (point.judge, point.measure) == (judge, measure))


def study_correction(
    runs: RunsLike,
    judgments: JudgmentsLike,
    judges: JudgesLike | ScaledJudges,
    measures: Measures = MEASURES,
    *,
    budgets: Sequence[float] = BUDGETS,
    designs: Sequence[DocumentDesignName] = DEFAULT_DESIGNS,
    controls: bool = False,
    repeats: int = REPEATS,
    level: float = LEVEL,
    rng: int = SEED,
    jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    cluster: Any = None,
    progress: Progress | None = None,
) -> CorrectionStudy:
    """Hide human labels, and see what every way to spend a budget of them would have given.

    People label random topics, the documents at the top of the pool, or a sample of the documents, which a design draws
    (docs/planning.md). The judge has labelled all. Each way gives a ranking and means of the systems, which are
    compared with those by all human labels.

    Parameters
    ----------
    runs : RunsLike
        The runs to rank: a `RunSet`, or where to read it from.
    judgments : JudgmentsLike
        All human judgments: a `Judgments`, or where to read it from.
    judges : JudgesLike or JudgeLabels
        The labels of judges, such as LLMs: one judge's, a list, or a mapping from names to them. `JudgeLabels` says
        which of a judge's grades are relevant, or that some stand for others.
    measures : Measures, default ("nDCG@10", "AP")
        The measures to rank by.
    budgets : sequence of float, default (0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
        The shares of the human labels, or of the topics, that people make; each above 0 and at most 1.
    designs : sequence of str, default ("influence", "random")
        How samples of documents are drawn: "influence", "close", "stratified", "shallow", "random".
    controls : bool, default False
        Whether to try two bad judges beside every judge: its labels dealt at random within topics, and turned round.
    repeats : int, default 100
        How often labels are hidden.
    level : float, default 0.95
        What intervals are meant to cover.
    rng : int, default 0
        The seed. It decides every number.
    jobs : int, optional
        The number of threads; None for one per core. Numbers do not depend on it.
    checkpoint : path, optional
        A folder that keeps finished blocks. An interrupted study continues from it, also with other judges or more
        repeats.
    cluster : str or distributed.Client, optional
        The address of a Dask scheduler, or a client of it.
    progress : callable, optional
        Called with the number of blocks done and the number of all blocks.

    Returns
    -------
    CorrectionStudy
        Error of means, coverage of intervals, τ_b and τ_AP,b by judge, measure, way, design and budget.

    Raises
    ------
    BadParameter
        If an argument is out of its range.
    MismatchedNames
        If a judge lacks some of the topics.
    TooFewSystems
        If there are fewer than four systems.
    MissingScores
        If no run retrieved a judged document.
    MismatchedCheckpoint
        If the folder belongs to another study.
    UnreachableCluster
        If the cluster does not answer.

    Examples
    --------
    >>> from rankscope.simulation.tracks import simulate_track
    >>> track = simulate_track(10, 12, depth=30, rng=1)
    >>> judge = {"partial": track.judges["partial"]}
    >>> study = study_correction(track.runs, track.truth, judge, "nDCG@10", budgets=[0.5], repeats=5)
    >>> [(point.way, point.design) for point in study.points if point.way in ("corrected", "top", "combined")]
    [('corrected', None), ('top', None), ('combined', 'influence'), ('combined', 'random')]
    """
    shares, chosen = _checked_budgets(budgets), _checked_designs(designs)
    repeats = check_count("repeats", repeats)
    check_level(level)
    check_jobs(jobs)
    seed = check_seed(rng)
    reference = make_reference(runs, judgments, measures, ["tau_b", "tau_ap_b"], resamples=0, rng=rng, jobs=jobs)
    if len(reference.runs.systems) < LEAST_SYSTEMS:
        raise TooFewSystems(
            f"a correction needs at least {LEAST_SYSTEMS} systems, there are {len(reference.runs.systems)}"
        )
    named = to_labels(judges)
    if controls:
        named = {made.name: made for judge in named.values() for made in _with_controls(judge, seed)}
    sides = {name: _Side.of(reference, judge) for name, judge in named.items()}
    topics = len(reference.judgments.topics)
    sizes = tuple(max(1, round(share * topics)) for share in shares)
    plans = {name: side.blocks(reference, shares, sizes, chosen, repeats, seed, level) for name, side in sides.items()}
    kept = reference.checkpoint(checkpoint, "correction", {"level": level})
    blocks = [block for plan in plans.values() for block in plan]
    found = iter(run_blocks(blocks, jobs=jobs, cluster=cluster, checkpoint=kept, progress=progress))
    points: list[BudgetPoint] = []
    for name, plan in plans.items():
        numbers: dict[tuple[Spent, str | None], list[Floats]] = {}
        for block in plan:
            numbers.setdefault((block.spent, block.design_name), []).append(next(found))
        together = {key: np.concatenate(parts) for key, parts in numbers.items()}
        points += _points(reference, name, sides[name], shares, sizes, together)
    return CorrectionStudy(
        points=tuple(points),
        judges=tuple(named),
        measures=reference.measures,
        systems=len(reference.runs.systems),
        topics=topics,
        judgments=len(reference.judgments),
        settings={
            "budgets": list(shares),
            "designs": list(chosen),
            "controls": controls,
            "repeats": repeats,
            "level": level,
            "seed": seed,
        },
    )


@dataclass(frozen=True, eq=False)
class _Side:
    """A judge's scores on the human topics, measures × topics × systems, and its labels beside the human ones."""

    scores: Floats
    documents: Judgments
    human: Floats
    judge: Floats

    @classmethod
    def of(cls, reference: Reference, judge: Judge) -> _Side:
        labels = judge.judgments
        lacking = set(reference.judgments.topics) - set(labels.topics)
        if lacking:
            raise MismatchedNames(
                f"{judge.name} lacks {len(lacking)} of the {len(reference.judgments.topics)} topics that people judged "
                f"({some(sorted(lacking))}); leave these out of the human judgments"
            )
        documents, human, own = union(reference.judgments, labels)
        by = {measure: str(judge.own(parse_measure(measure))) for measure in reference.measures}
        tables = evaluate(reference.runs, labels.for_topics(reference.judgments.topics), tuple(by.values())).scores
        scores = np.stack(
            [
                tables[by[measure]].select(systems=ranking.scores.systems, topics=ranking.scores.topics).values
                for measure, ranking in reference.rankings.items()
            ]
        )
        return cls(scores, documents, human, own)

    def blocks(
        self,
        reference: Reference,
        shares: Sequence[float],
        sizes: tuple[int, ...],
        chosen: tuple[str, ...],
        repeats: int,
        seed: int,
        level: float,
    ) -> list[WayBlock]:
        human = np.stack([ranking.scores.values for ranking in reference.rankings.values()])
        labels = int((~np.isnan(self.human)).sum())
        given: dict[str, Any] = {"truth": np.stack([exact_means(table) for table in human]), "seed": seed}
        topics: dict[str, Any] = {"human": human, "judge": self.scores, "sizes": sizes, "level": level, **given}
        given |= {"measures": reference.measures, "sizes": tuple(max(1, round(share * labels)) for share in shares)}
        depths = np.asarray(best_ranks(reference, self.documents, None), np.int64)
        top = {"judged": join(reference.runs, self.documents), "human": self.human, "judge": self.judge, **given}
        both = ~np.isnan(self.human)
        kept = self.documents.keep(both)
        drawn = {"documents": kept, "judged": join(reference.runs, kept), "level": level, **given}
        drawn |= {"human": self.human[both], "judge": self.judge[both]}
        few, many = repeat_ranges(repeats, _DOCUMENT_REPEATS), repeat_ranges(repeats, _TOPIC_REPEATS)
        return [
            *(TopicBlock(repeats=each, **topics) for each in many),
            *(TopBlock(repeats=each, depths=depths, **top) for each in few),
            *(
                SampleBlock(repeats=each, design=design, **drawn)
                for design in DOCUMENT_DESIGNS
                if design.name in chosen
                for each in few
            ),
        ]


def _points(
    reference: Reference,
    judge: str,
    side: _Side,
    shares: Sequence[float],
    sizes: Sequence[int],
    numbers: Mapping[tuple[Spent, str | None], Floats],
) -> Iterator[BudgetPoint]:
    """Ways in their order, designs and budgets within each; what has no number (too few topics) is left out."""
    labels = len(reference.judgments)
    for at, (measure, ranking) in enumerate(reference.rankings.items()):
        of = {"judge": judge, "measure": measure}
        alone = means_statistics(ranking.scores.means, exact_means(side.scores[at])[None])
        yield _point(alone, **of, way="judge", design=None, budget=None, human_topics=None, labels=0)
        for way in WAYS[1:]:
            whole, column = way.spent == "topics", ways_of(way.spent).index(way)
            for (spent, design), values in numbers.items():
                if spent != way.spent:
                    continue
                for place, (share, size) in enumerate(zip(shares, sizes, strict=True)):
                    rows = values[:, at, place, column]
                    if np.isnan(rows[:, 0]).all():
                        continue
                    made = round(labels * size / len(reference.judgments.topics)) if whole else round(share * labels)
                    where: dict[str, Any] = {"budget": share, "human_topics": size if whole else None, "labels": made}
                    yield _point(rows, **of, way=way.name, design=design, **where)


def _point(rows: Floats, **where: Any) -> BudgetPoint:
    """The means over repeats (rows) of the statistics."""
    error, covered, tau, tau_ap = (None if np.isnan(column).any() else float(column.mean()) for column in rows.T)
    sds = [float(column.std(ddof=1)) if len(rows) > 1 and not np.isnan(column).any() else None for column in rows.T]
    return BudgetPoint(**where, error=error, covered=covered, tau=tau, tau_sd=sds[2], tau_ap=tau_ap, tau_ap_sd=sds[3])


def _with_controls(judge: Judge, seed: int) -> list[Judge]:
    """The judge, its labels dealt at random within topics, and its labels turned round."""
    labels = judge.judgments
    generator = np.random.default_rng([seed, len(labels)])
    dealt = labels.grades.copy()
    for first, last in zip(labels.starts[:-1], labels.starts[1:], strict=True):
        dealt[first:last] = generator.permutation(dealt[first:last])
    turned = np.nanmax(labels.grades) + np.nanmin(labels.grades) - labels.grades
    made = [(f"{judge.name}, shuffled", dealt), (f"{judge.name}, reversed", turned)]
    return [judge, *(replace(judge, name=name, judgments=labels.with_grades(grades)) for name, grades in made)]


def _checked_budgets(budgets: Sequence[float]) -> tuple[float, ...]:
    ordered = tuple(sorted({float(budget) for budget in budgets}))
    if not ordered or not all(0.0 < budget <= 1.0 for budget in ordered):
        raise BadParameter(f"budgets={ordered}: one or more, each above 0 and at most 1")
    return ordered


def _checked_designs(designs: Sequence[str]) -> tuple[str, ...]:
    """The designs in their order, at least one."""
    known, names = [design.name for design in DOCUMENT_DESIGNS], [designs] if isinstance(designs, str) else designs
    for name in names:
        check_choice("designs", name, known)
    if not names:
        raise BadParameter(f"designs=[]: one or more of {', '.join(known)}")
    return tuple(name for name in known if name in names)
