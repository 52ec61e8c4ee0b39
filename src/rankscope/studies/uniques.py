"""Could a system that was not pooled be judged fairly? The unique contributions of each system, or team, are left out.

The opening question of Gao, Bagdouri & Oard (2016), with their comparison of reference and estimate.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.averages import mean_ranks
from rankscope.checks import check_count, check_level
from rankscope.coefficients import Coefficient
from rankscope.defaults import LEVEL, MEASURES, RESAMPLES, SEED
from rankscope.errors import BadParameter
from rankscope.inference.resampling import one_blas_thread
from rankscope.inputs import JudgmentsLike, RunsLike
from rankscope.measures.scoring import Measures
from rankscope.results import Result, Table, rows_table
from rankscope.runs.joined import codes_of
from rankscope.scores import Floats
from rankscope.studies.blocks import Progress, run_blocks
from rankscope.studies.families import Groups
from rankscope.studies.judgment_reference import Reference, make_reference, variant_means
from rankscope.studies.judgment_variants import (
    RESAMPLED,
    JudgmentStudy,
    Variants,
    agreement_rows,
    repeat_ranges,
)
from rankscope.studies.pool_depth import best_ranks, pool_sizes
from rankscope.studies.tables import check_groups

# The judges are taken to have gone to the greatest depth at which this share of the pool is judged.
_JUDGED = 0.99
# Groups in a block.
_BLOCK = 16

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Contribution:
    """What only one group brought to the judgments: documents, and the relevant ones among them."""

    group: str
    systems: int
    contributing: int
    unique: int
    unique_relevant: int


@dataclass(frozen=True, kw_only=True)
class SystemChange:
    """A system's score and rank with all judgments, and without those that only its own group brought.

    `rank_without` is its rank when all systems are scored without these. Tied systems share their mean rank.
    """

    system: str
    group: str
    measure: str
    score: float
    score_without: float
    rank: float
    rank_without: float

    @property
    def change(self) -> float:
        """The score without the unique documents, less the score."""
        return self.score_without - self.score

    @property
    def moved(self) -> float:
        """The ranks that the system falls without its group's unique documents."""
        return self.rank_without - self.rank


@dataclass(frozen=True, kw_only=True, eq=False)
class UniquesStudy(JudgmentStudy, Result):
    """How scores and ranks change without unique contributions; see `rs.study_uniques`.

    The rows of `agreements` have no setting. `depth` is the depth of the pool.
    """

    question = "Could a system that was not pooled be judged fairly?"
    columns = RESAMPLED

    judgments: int
    changes: tuple[SystemChange, ...]
    contributions: tuple[Contribution, ...]
    depth: int

    def table(self) -> Table:
        """One row per measure and system, best first."""
        columns = ("system", "group", "measure", "score", "score_without", "change", "rank", "rank_without", "moved")
        return rows_table(self.changes, columns)

    def contribution_table(self) -> Table:
        """One row per group: what only it brought, most relevant documents first."""
        return rows_table(self.contributions, Contribution)

    def tables(self) -> dict[str, Table]:
        """All tables by name, the main table first."""
        return {
            "systems": self.table(),
            "agreements": self.agreement_table(),
            "contributions": self.contribution_table(),
        }


def study_uniques(
    runs: RunsLike,
    judgments: JudgmentsLike,
    measures: Measures = MEASURES,
    *,
    groups: Groups | None = None,
    contributing: Sequence[str] | None = None,
    depth: int | None = None,
    coefficients: Sequence[str | Coefficient] | None = None,
    rel: float = 1,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    rng: int = SEED,
    jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    cluster: Any = None,
    progress: Progress | None = None,
) -> UniquesStudy:
    """Score each system without the judgments of documents that only its own group brought to the pool.

    A document is unique to a group if no contributing system of another group has it within the depth of the pool. A
    system that did not contribute loses what only its group brought. The reference is the scores with all judgments,
    the estimate each system's score without its own group's unique documents.

    Parameters
    ----------
    runs : RunsLike
        The runs to rank: a `RunSet`, or where to read it from.
    judgments : JudgmentsLike
        All judgments: a `Judgments`, or where to read it from.
    measures : Measures, default ("nDCG@10", "AP")
        The measures to rank by.
    groups : mapping of str to str, or "names", optional
        The group of every system, such as its team; None if each system is its own group. Names that are not among the
        runs are ignored.
    contributing : sequence of str, optional
        The systems from which the pool was made; None for all.
    depth : int, optional
        The depth of the pool; None for the greatest depth to which 99 % of the contributing systems' documents are
        judged.
    coefficients : sequence of str or Coefficient, optional
        The coefficients of agreement; None for all. The rank distance is always computed.
    rel : float, default 1
        The least grade that counts as relevant when relevant documents are counted. A measure's own is part of its
        name.
    resamples : int, default 2000
        Draws of topics behind intervals and the rank distance test; 0 for neither.
    level : float, default 0.95
        The level of the topic-bootstrap intervals.
    rng : int, default 0
        The seed. It decides every number.
    jobs : int, optional
        The number of threads; None for one per core. Numbers do not depend on it.
    checkpoint : path, optional
        A folder that keeps finished blocks, from which an interrupted study continues.
    cluster : str or distributed.Client, optional
        The address of a Dask scheduler, or a client of it.
    progress : callable, optional
        Called with the number of blocks done and the number of all blocks.

    Returns
    -------
    UniquesStudy
        Scores and ranks of every system, agreement of reference and estimate, and what each group contributed.

    Raises
    ------
    BadParameter
        If an argument is out of its range, or the depth of the pool is neither given nor apparent.
    MismatchedNames
        If `groups` lacks a system.
    UnknownName
        If a contributing system is not among the runs.
    MissingScores
        If no run retrieved a judged document.
    TooFewSystems
        If there are fewer than two runs.
    MismatchedCheckpoint
        If the folder belongs to another study.
    UnreachableCluster
        If the cluster does not answer.

    References
    ----------
    Gao, Bagdouri & Oard, Pearson Rank: a head-weighted gap-sensitive score-based correlation coefficient, SIGIR 2016.

    Examples
    --------
    >>> from rankscope.runs import Judgments, RunSet
    >>> runs = RunSet.of({"a": {"1": ["x", "y"]}, "b": {"1": ["z", "x"]}, "c": {"1": ["z", "w"]}})
    >>> truth = Judgments.of({"1": {"x": 1, "y": 1, "z": 1, "w": 0}})
    >>> study = study_uniques(runs, truth, "P@2", coefficients=["tau_b"], resamples=0)
    >>> [(change.system, change.score, change.score_without) for change in study.changes]
    [('a', 1.0, 0.5), ('b', 1.0, 1.0), ('c', 0.5, 0.5)]
    """
    check_level(level)
    if depth is not None:
        depth = check_count("depth", depth)
    reference = make_reference(runs, judgments, measures, coefficients, resamples=resamples, rng=rng, jobs=jobs)
    pooled = reference.contributing(contributing)
    systems = reference.runs.systems
    team_of = dict(zip(systems, systems, strict=True)) if groups is None else check_groups(groups, systems)
    pool_depth = _judged_depth(reference, pooled) if depth is None else depth
    owner = _owners(reference, team_of, pooled, pool_depth)
    settings = {"depth": depth, "contributing": pooled, "groups": None if groups is None else team_of}
    kept = reference.checkpoint(checkpoint, "uniques", {**settings, "depth": pool_depth})
    with one_blas_thread():
        run = functools.partial(run_blocks, jobs=jobs, cluster=cluster, checkpoint=kept, progress=progress)
        without, ranks = _rescored(reference, team_of, owner, run)
        values = reference.agreements_with_intervals(without, resamples=resamples, level=level, rng=int(rng))
    return UniquesStudy(
        agreements=tuple(agreement_rows(reference, [({}, values[None])], level=level)),
        changes=tuple(_changes(reference, team_of, without, ranks)),
        contributions=_contributions(reference, team_of, pooled, owner, rel),
        depth=pool_depth,
        settings={**settings, "rel": rel, "resamples": resamples, "level": level, "seed": int(rng)},
        **reference.description(),
    )


def _judged_depth(reference: Reference, contributing: Sequence[str] | None) -> int:
    """The greatest depth to which 99 % of what the contributing systems retrieved is judged."""
    rows = np.sort(best_ranks(reference, reference.judgments, contributing))
    depths = range(1, int(reference.runs.depths.max(initial=1)) + 1)
    judged_to = 0
    for depth, size in zip(depths, pool_sizes(reference, contributing, depths), strict=True):
        if np.searchsorted(rows, depth, side="right") < _JUDGED * size:
            break
        judged_to = depth
    if not judged_to:
        who = "the runs" if contributing is None else "the contributing runs"
        raise BadParameter(
            f"not all first documents of {who} are judged, so the pool's depth is not known; say which runs were "
            "pooled (contributing, --contributing), or how deep (depth, --depth)"
        )
    return judged_to


def _owners(reference: Reference, team_of: Mapping[str, str], pooled: Sequence[str] | None, depth: int) -> Codes:
    """The number of the group that alone brought each judged document to the pool; −1 if there is none."""
    systems = [s for s in reference.runs.systems if pooled is None or s in pooled]
    top = reference.runs.select(systems=systems).top(depth)
    numbers = {group: i for i, group in enumerate(dict.fromkeys(team_of.values()))}
    unique = top.contributors(depth, [team_of[system] for system in top.systems]) == 1
    owner_of_code = np.full(len(top.ids), -1, dtype=np.int64)
    for system in top.systems:
        owner_of_code[top.select(systems=[system]).documents] = numbers[team_of[system]]
    owner_of_code[~unique] = -1
    codes = codes_of(reference.runs, reference.judgments)
    return np.where(codes >= 0, owner_of_code[np.maximum(codes, 0)], -1)


def _rescored(
    reference: Reference,
    team_of: Mapping[str, str],
    owner: Codes,
    run: Callable[[Sequence[Variants]], list[Floats]],
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """By measure: scores by topic, each system's without its own group's documents, and each system's rank then."""
    without = {measure: ranking.scores.values.copy() for measure, ranking in reference.rankings.items()}
    ranks = {measure: mean_ranks(ranking.scores.means) for measure, ranking in reference.rankings.items()}
    names = list(dict.fromkeys(team_of.values()))
    teams = list(team_of.values())
    members = [np.flatnonzero([team == name for team in teams]) for name in names]
    owning = [g for g in range(len(names)) if (owner == g).any()]
    blocks = []
    for part in repeat_ranges(len(owning), _BLOCK):
        groups = owning[part.start : part.stop]
        inside = [members[g] for g in groups]
        blocks.append(
            Variants(
                name=f"groups-{groups[0]}-{groups[-1]}",
                settings=tuple({"group": names[g]} for g in groups),
                shape=(len(reference.measures), sum(map(len, inside)), len(reference.judged.topics) + 1),
                run=functools.partial(_without_groups, reference, owner, groups, inside),
            )
        )
    numbers = run(blocks)
    systems = np.concatenate([members[g] for g in owning]) if owning else np.zeros(0, dtype=np.int64)
    for m, measure in enumerate(reference.measures if owning else ()):
        rows = np.concatenate([values[m] for values in numbers])
        without[measure][:, systems] = rows[:, :-1].T
        ranks[measure][systems] = rows[:, -1]
    return without, ranks


def _without_groups(
    reference: Reference, owner: Codes, groups: Sequence[int], members: Sequence[npt.NDArray[np.intp]]
) -> Floats:
    """Each group's documents left out in turn: by measure and member of the group, its scores by topic and its rank."""
    grades = np.stack([np.where(owner == g, np.nan, reference.judged.grades) for g in groups])
    by_measure = []
    for values in reference.rescore(grades).values():
        variants = zip(members, values, variant_means(values), strict=True)
        rows = [np.column_stack([table[:, own].T, mean_ranks(means)[own]]) for own, table, means in variants]
        by_measure.append(np.concatenate(rows))
    return np.stack(by_measure)


def _changes(
    reference: Reference, team_of: Mapping[str, str], without: Mapping[str, Floats], ranks: Mapping[str, Floats]
) -> Iterator[SystemChange]:
    for measure, ranking in reference.rankings.items():
        means, means_without = ranking.scores.means, variant_means(without[measure][None])[0]
        before = mean_ranks(means)
        for s in np.argsort(before, kind="stable"):
            system = reference.runs.systems[s]
            yield SystemChange(
                system=system,
                group=team_of[system],
                measure=measure,
                score=float(means[s]),
                score_without=float(means_without[s]),
                rank=float(before[s]),
                rank_without=float(ranks[measure][s]),
            )


def _contributions(
    reference: Reference, team_of: Mapping[str, str], pooled: Sequence[str] | None, owner: Codes, rel: float
) -> tuple[Contribution, ...]:
    relevant = reference.judgments.grades >= rel
    contributions = []
    for g, name in enumerate(dict.fromkeys(team_of.values())):
        systems = [system for system, team in team_of.items() if team == name]
        contributions.append(
            Contribution(
                group=name,
                systems=len(systems),
                contributing=sum(pooled is None or system in pooled for system in systems),
                unique=int((owner == g).sum()),
                unique_relevant=int(((owner == g) & relevant).sum()),
            )
        )
    return tuple(sorted(contributions, key=lambda own: (-own.unique_relevant, -own.unique, own.group)))
