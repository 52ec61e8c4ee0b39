"""Could a system that was not pooled be judged fairly? Each system's, or team's, unique contributions left out.

The question that opens Gao, Bagdouri & Oard (2016), with their comparison of reference and estimate.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.coefficients import Coefficient
from rankscope.errors import BadParameter, MismatchedNames, some
from rankscope.files.checkpoints import Checkpoint
from rankscope.inference.agreement import LEVEL, RESAMPLES
from rankscope.inference.intervals import check_level
from rankscope.measures import rescore
from rankscope.measures.scoring import Measures
from rankscope.results import Result, Table
from rankscope.runs.joined import codes_of
from rankscope.scores import Floats, mean_ranks
from rankscope.studies.blocks import Progress, one_blas_thread, run_blocks
from rankscope.studies.pool_depth import best_ranks_of_rows, pool_sizes
from rankscope.studies.repeats import none_if_nan, rows_table
from rankscope.studies.variants import (
    DISTANCE,
    MEASURES,
    Ground,
    checked_contributing,
    means_of,
    opened,
    settle,
    with_intervals,
)

# What part of a pool must be judged for its depth to be taken for that to which the judges went.
_JUDGED = 0.99
# Groups rescored at a time.
_CHUNK = 16


@dataclass(frozen=True, kw_only=True)
class Contribution:
    """What a group alone brought to the judgments: documents, and the relevant ones among them."""

    group: str
    systems: int
    contributing: int
    unique: int
    unique_relevant: int


@dataclass(frozen=True, kw_only=True)
class SystemChange:
    """A system's score and rank with all judgments, and without those that its own group alone brought.

    `rank_without` is its rank when all systems are scored without these; ties are at their mean rank.
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
        """The score without, less the score."""
        return self.score_without - self.score

    @property
    def moved(self) -> float:
        """How many ranks the system falls without its unique contributions."""
        return self.rank_without - self.rank


@dataclass(frozen=True, kw_only=True)
class UniquesAgreement:
    """Agreement of the estimate, each system scored without what its group alone brought, with the reference."""

    measure: str
    coefficient: str
    value: float
    low: float | None
    high: float | None
    pvalue: float | None


@dataclass(frozen=True, kw_only=True, eq=False)
class UniquesStudy(Result):
    """How scores and ranks change without unique contributions; `depth` is that of the pool."""

    changes: tuple[SystemChange, ...]
    contributions: tuple[Contribution, ...]
    agreements: tuple[UniquesAgreement, ...]
    depth: int
    judgments: int
    systems: int
    topics: int
    measures: tuple[str, ...]
    coefficients: tuple[str, ...]
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per measure and system, best first."""
        fields = ("system", "group", "measure", "score", "score_without", "change", "rank", "rank_without", "moved")
        return rows_table(self.changes, fields)

    def agreement_table(self) -> Table:
        """One row per measure and coefficient, the rank distance among them."""
        return rows_table(self.agreements, tuple(UniquesAgreement.__dataclass_fields__))

    def contribution_table(self) -> Table:
        """One row per group: what it alone brought, most relevant documents first."""
        return rows_table(self.contributions, tuple(Contribution.__dataclass_fields__))

    def tables(self) -> dict[str, Table]:
        """All tables by name, the main one first."""
        return {
            "systems": self.table(),
            "agreements": self.agreement_table(),
            "contributions": self.contribution_table(),
        }


def study_uniques(
    runs: Any,
    judgments: Any,
    measures: Measures = MEASURES,
    *,
    groups: Mapping[str, str] | None = None,
    contributing: Sequence[str] | None = None,
    depth: int | None = None,
    coefficients: Sequence[str | Coefficient] | None = None,
    rel: float = 1,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    rng: int = 0,
    jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> UniquesStudy:
    """Score each system without the judgments of documents that only its own group brought to the pool.

    The pool is what the `contributing` systems, by default all, have within `depth`; without a depth it is the greatest
    to which 99 % of their documents are judged. A document is unique to a group where no contributing system of
    another has it within the pool's depth. `groups` names the group of every system, such as its team; without, each
    is its own. Names in `groups` that are no runs do not count. A system that did not contribute loses what its group
    alone brought.

    The reference are the scores with all judgments, the estimate each system's score without its own group's unique
    documents. Intervals are topic bootstraps, and p is that of the rank distance test, from `resamples` draws
    (0: none). With a `checkpoint` folder an interrupted study goes on where it was.

    >>> from rankscope.runs import Judgments, RunSet
    >>> runs = RunSet.of({"a": {"1": ["x", "y"]}, "b": {"1": ["z", "x"]}, "c": {"1": ["z", "w"]}})
    >>> truth = Judgments.of({"1": {"x": 1, "y": 1, "z": 1, "w": 0}})
    >>> study = study_uniques(runs, truth, "P@2", coefficients=["tau_b"], resamples=0)
    >>> [(one.system, one.score, one.score_without) for one in study.changes]
    [('a', 1.0, 0.5), ('b', 1.0, 1.0), ('c', 0.5, 0.5)]
    """
    check_level(level)
    ground = settle(runs, judgments, measures, coefficients, resamples=resamples, rng=rng, jobs=jobs)
    contributing = checked_contributing(ground, contributing)
    labels = _labels(ground, groups)
    pooled = set(ground.runs.systems) if contributing is None else set(contributing)
    chosen_depth = _depth(ground, contributing, depth)
    owner = _owners(ground, labels, pooled, chosen_depth)
    names = list(dict.fromkeys(labels))
    settings = {
        "depth": depth, "contributing": None if contributing is None else list(contributing),
        "groups": None if groups is None else dict(zip(ground.runs.systems, labels, strict=True)),
    }  # fmt: skip
    kept = opened(checkpoint, "uniques", ground, {**settings, "depth": chosen_depth})
    with one_blas_thread():
        without, ranks = _rescored(ground, labels, names, owner, jobs=jobs, checkpoint=kept, progress=progress)
        agreements = tuple(_agreements(ground, without, resamples, level, int(rng)))
    return UniquesStudy(
        changes=tuple(_changes(ground, labels, without, ranks)),
        contributions=tuple(_contributions(ground, labels, names, pooled, owner, rel)),
        agreements=agreements,
        depth=chosen_depth,
        judgments=len(ground.judgments),
        systems=len(ground.runs.systems),
        topics=len(ground.judgments.topics),
        measures=ground.measures,
        coefficients=ground.statistics[:-1],
        settings={**settings, "rel": rel, "resamples": resamples, "level": level, "seed": int(rng)},
    )


def judged_depth(ground: Ground, contributing: Sequence[str] | None = None) -> int:
    """The greatest depth to which 99 % of what the contributing systems retrieved is judged; 0 where there is none."""
    rows = np.sort(best_ranks_of_rows(ground, contributing))
    deepest = int(ground.runs.depths.max(initial=1))
    found = 0
    for depth, size in enumerate(pool_sizes(ground, contributing, range(1, deepest + 1)), start=1):
        if np.searchsorted(rows, depth, side="right") < _JUDGED * size:
            break
        found = depth
    return found


def _depth(ground: Ground, contributing: Sequence[str] | None, depth: int | None) -> int:
    if depth is not None:
        if depth < 1:
            raise BadParameter(f"depth={depth}: one at least")
        return depth
    found = judged_depth(ground, contributing)
    if not found:
        who = "the runs" if contributing is None else "the contributing runs"
        raise BadParameter(
            f"not all first documents of {who} are judged, so that the pool's depth is not known; say which runs were "
            "pooled (contributing, --contributing), or how deep (depth, --depth)"
        )
    return found


def _labels(ground: Ground, groups: Mapping[str, str] | None) -> list[str]:
    systems = ground.runs.systems
    if groups is None:
        return list(systems)
    missing = [system for system in systems if system not in groups]
    if missing:
        raise MismatchedNames(f"no group is named for {some(missing)}; name one for every system")
    return [str(groups[system]) for system in systems]


def _owners(ground: Ground, labels: Sequence[str], pooled: set[str], depth: int) -> npt.NDArray[np.int64]:
    """The number of the group that alone brought each judged document to the pool, −1 where there is none."""
    top = ground.runs.select(systems=[s for s in ground.runs.systems if s in pooled]).top(depth)
    of = dict(zip(ground.runs.systems, labels, strict=True))
    numbers = {group: i for i, group in enumerate(dict.fromkeys(labels))}
    unique = top.contributors(depth, [of[system] for system in top.systems]) == 1
    owner_of_code = np.full(len(top.ids), -1, dtype=np.int64)
    for system, runs_of in ((s, top.select(systems=[s])) for s in top.systems):
        owner_of_code[runs_of.documents] = numbers[of[system]]
    owner_of_code[~unique] = -1
    codes = codes_of(ground.runs, ground.judgments)
    return np.where(codes >= 0, owner_of_code[np.maximum(codes, 0)], -1)


@dataclass(frozen=True, kw_only=True, eq=False)
class UniquesBlock:
    """Some groups, each left out in turn: by measure and system of these groups, its scores by topic and its rank."""

    ground: Ground
    owner: npt.NDArray[np.int64]
    groups: tuple[int, ...]
    members: tuple[npt.NDArray[np.int64], ...]

    @property
    def name(self) -> str:
        """Its groups' numbers."""
        return f"groups-{self.groups[0]}-{self.groups[-1]}"

    @property
    def shape(self) -> tuple[int, ...]:
        """Measures × systems × (topics and rank)."""
        return (len(self.ground.measures), sum(map(len, self.members)), len(self.ground.judged.topics) + 1)

    def run(self) -> Floats:
        """The numbers."""
        grades = np.stack([np.where(self.owner == g, np.nan, self.ground.judged.grades) for g in self.groups])
        found = rescore(self.ground.judged, self.ground.measures, grades, jobs=1)
        return np.stack([self._of_members(found[m]) for m in self.ground.measures])

    def _of_members(self, values: Floats) -> Floats:
        rows = [
            np.concatenate([table[:, inside].T, mean_ranks(means)[inside, None]], axis=1)
            for inside, table, means in zip(self.members, values, means_of(values), strict=True)
        ]
        return np.concatenate(rows)


def _rescored(
    ground: Ground,
    labels: Sequence[str],
    names: Sequence[str],
    owner: npt.NDArray[np.int64],
    *,
    jobs: int | None,
    checkpoint: Checkpoint | None,
    progress: Progress | None,
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """By measure: scores by topic, each system's without its own group's documents, and each system's rank then."""
    without = {m: stick.scores.values.copy() for m, stick in ground.yardsticks.items()}
    ranks = {m: mean_ranks(stick.scores.means) for m, stick in ground.yardsticks.items()}
    members = [np.array([s for s, label in enumerate(labels) if label == name]) for name in names]
    owning = [g for g in range(len(names)) if (owner == g).any()]
    blocks = [
        UniquesBlock(ground=ground, owner=owner, groups=tuple(part), members=tuple(members[g] for g in part))
        for part in (owning[first : first + _CHUNK] for first in range(0, len(owning), _CHUNK))
    ]
    for block, found in zip(
        blocks, run_blocks(blocks, jobs=jobs, checkpoint=checkpoint, progress=progress), strict=True
    ):
        inside = np.concatenate(block.members)
        for m, rows in zip(ground.measures, found, strict=True):
            without[m][:, inside] = rows[:, :-1].T
            ranks[m][inside] = rows[:, -1]
    return without, ranks


def _agreements(
    ground: Ground, without: Mapping[str, Floats], resamples: int, level: float, seed: int
) -> Iterator[UniquesAgreement]:
    for measure, stick in ground.yardsticks.items():
        found = with_intervals(stick, without[measure], ground.chosen, resamples=resamples, level=level, rng=seed)
        p = stick.pvalues(found[-1:, 0])[0]
        for name, (value, low, high) in zip(ground.statistics, found, strict=True):
            yield UniquesAgreement(
                measure=measure, coefficient=name, value=float(value), low=none_if_nan(low), high=none_if_nan(high),
                pvalue=none_if_nan(p) if name == DISTANCE else None,
            )  # fmt: skip


def _changes(
    ground: Ground, labels: Sequence[str], without: Mapping[str, Floats], ranks: Mapping[str, Floats]
) -> Iterator[SystemChange]:
    for measure, stick in ground.yardsticks.items():
        means, after = stick.scores.means, means_of(without[measure][None])[0]
        before = mean_ranks(means)
        for s in np.argsort(before, kind="stable"):
            yield SystemChange(
                system=ground.runs.systems[s], group=labels[s], measure=measure, score=float(means[s]),
                score_without=float(after[s]), rank=float(before[s]), rank_without=float(ranks[measure][s]),
            )  # fmt: skip


def _contributions(
    ground: Ground,
    labels: Sequence[str],
    names: Sequence[str],
    pooled: set[str],
    owner: npt.NDArray[np.int64],
    rel: float,
) -> Iterator[Contribution]:
    relevant = ground.judgments.grades >= rel
    contributions = [
        Contribution(
            group=name,
            systems=sum(label == name for label in labels),
            contributing=sum(
                label == name and s in pooled for s, label in zip(ground.runs.systems, labels, strict=True)
            ),
            unique=int((owner == g).sum()),
            unique_relevant=int(((owner == g) & relevant).sum()),
        )
        for g, name in enumerate(names)
    ]
    yield from sorted(contributions, key=lambda one: (-one.unique_relevant, -one.unique, one.group))
