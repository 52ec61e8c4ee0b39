"""People's judgments to a depth and a judge's labels below it: their grades, their numbers, what they cost."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from rankscope.errors import nothing_in_common
from rankscope.files import read_judgments
from rankscope.runs import Ids, JudgedRuns, Judgments, join
from rankscope.runs.joined import codes_of
from rankscope.runs.runset import NEVER
from rankscope.scores import Floats
from rankscope.studies.variants import Ground

Way = Literal["depth", "holes", "judge"]


@dataclass(frozen=True, kw_only=True)
class CostPoint:
    """What some judgments cost and the agreement with the ranking by all of them.

    The way is `depth` (the pool to a depth), `holes` (a random fraction; `value` and `sd` over repeats) or `judge` (the
    pool to a depth, 0 for none, and the judge's labels for all others). `judgments` are people's, `labels` the judge's,
    and `cost` is the former and the price of the latter. A depth of None is all judgments.
    """

    way: Way
    judge: str | None
    depth: int | None
    fraction: float | None
    judgments: int
    labels: int
    cost: float
    measure: str
    coefficient: str
    value: float
    sd: float | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Mix:
    """People's judgments to several depths, and below a judge's labels or none: a block.

    `grades` are depths × rows; `people` and `labels` count who gave how many of them.
    """

    ground: Ground
    judge: str | None
    depths: tuple[int, ...]
    judged: JudgedRuns
    grades: Floats
    people: tuple[int, ...]
    labels: tuple[int, ...]

    @classmethod
    def of(
        cls,
        ground: Ground,
        judge: Judgments | None,
        name: str | None,
        contributing: Sequence[str] | None,
        depths: tuple[int, ...],
    ) -> Mix:
        """The grades at each depth."""
        if judge is None:
            rows, ours = ground.judgments, ground.judgments.grades
            theirs = np.full(len(rows), np.nan)
        else:
            rows, ours, theirs = union(ground.judgments, judge)
        codes, ranks = codes_of(ground.runs, rows), ground.runs.best_ranks(contributing)
        best = np.where(codes >= 0, ranks[np.maximum(codes, 0)], NEVER)
        people = np.stack([(best <= depth) & ~np.isnan(ours) for depth in depths])
        return cls(
            ground=ground,
            judge=name,
            depths=depths,
            judged=ground.judged if judge is None else join(ground.runs, rows),
            grades=np.where(people, ours, theirs),
            people=tuple(people.sum(axis=1).tolist()),
            labels=tuple((~people & ~np.isnan(theirs)).sum(axis=1).tolist()),
        )

    @property
    def name(self) -> str:
        """The block's name among all, also a file's: the grades themselves, since a judge's name says little."""
        digest = hashlib.sha256(repr((self.judged.topics, self.depths)).encode())
        for array in (self.grades, self.judged.ranks, self.judged.rows):
            digest.update(np.ascontiguousarray(array).tobytes())
        return f"{'pool' if self.judge is None else 'judge'}-{digest.hexdigest()[:24]}"

    @property
    def shape(self) -> tuple[int, ...]:
        """Depths × measures × (coefficients and rank distance)."""
        return (len(self.depths), len(self.ground.measures), len(self.ground.statistics))

    def run(self) -> Floats:
        """The numbers."""
        return self.ground.agreements(self.judged, self.grades)

    def points(self, values: Floats, price: float) -> Iterator[CostPoint]:
        """The numbers as points."""
        for depth, people, labels, by_measure in zip(self.depths, self.people, self.labels, values, strict=True):
            for measure, row in zip(self.ground.measures, by_measure, strict=True):
                for name, value in zip(self.ground.statistics, row.tolist(), strict=True):
                    yield CostPoint(
                        way="depth" if self.judge is None else "judge", judge=self.judge,
                        depth=None if depth == NEVER else depth, fraction=None, judgments=people, labels=labels,
                        cost=people + price * labels, measure=measure, coefficient=name, value=value, sd=None,
                    )  # fmt: skip


def union(truth: Judgments, judge: Judgments) -> tuple[Judgments, Floats, Floats]:
    """All documents that one or the other judged for the truth's topics, and the grades of both, NaN for none.

    >>> rows, ours, theirs = union(Judgments.of({"1": {"x": 2}}), Judgments.of({"1": {"y": 1, "x": 0}, "2": {"z": 1}}))
    >>> rows.ids.names(), ours.tolist(), theirs.tolist()
    (['x', 'y'], [2.0, nan], [0.0, 1.0])
    """
    place = {topic: t for t, topic in enumerate(judge.topics)}
    if not any(topic in place for topic in truth.topics):
        sides = truth.name or "the judgments", judge.name or "the judge"
        raise nothing_in_common("topic", sides, truth.topics, judge.topics)
    names: list[str] = []
    starts, ours, theirs = [0], [], []
    for t, topic in enumerate(truth.topics):
        own = dict(_topic(truth, t))
        other = dict(_topic(judge, place[topic])) if topic in place else {}
        both = list({**own, **other})
        names += both
        ours += [own.get(document, np.nan) for document in both]
        theirs += [other.get(document, np.nan) for document in both]
        starts.append(len(names))
    rows = Judgments(
        topics=truth.topics, starts=np.array(starts), ids=Ids.of(names), grades=np.zeros(len(names)), name=judge.name
    )
    return rows, np.array(ours, dtype=np.float64), np.array(theirs, dtype=np.float64)


def _topic(judgments: Judgments, t: int) -> Iterator[tuple[str, float]]:
    first, last = int(judgments.starts[t]), int(judgments.starts[t + 1])
    return zip(judgments.ids.names(first, last), judgments.grades[first:last].tolist(), strict=True)


def judges_by_name(judges: Any) -> dict[str, Judgments]:
    """Judges by name: a mapping's own, else those of their files."""
    if judges is None:
        return {}
    if isinstance(judges, Mapping):
        return {str(name): _read(judge) for name, judge in judges.items()}
    several = [judges] if isinstance(judges, str | os.PathLike | Judgments) else list(judges)
    read = [_read(judge) for judge in several]
    paths = [
        j if isinstance(j, str | os.PathLike) else (found.name or "judge")
        for j, found in zip(several, read, strict=True)
    ]
    return dict(zip(_names(paths), read, strict=True))


def named_judges(by_path: Mapping[str, Judgments]) -> dict[str, Judgments]:
    """Judges by the names of their files."""
    return dict(zip(_names(list(by_path)), by_path.values(), strict=True))


def _names(paths: Sequence[str | os.PathLike[str]]) -> list[str]:
    """The names of files without endings; names that recur are numbered.

    >>> _names(["judges/llm.qrels", "others/llm.txt.gz", "judge"])
    ['llm', 'llm (2)', 'judge']
    """
    found: list[str] = []
    for path in map(Path, paths):
        stem = path.name.removesuffix(".gz").removesuffix(".bz2").removesuffix(".zst")
        name = Path(stem).stem if Path(stem).suffix in (".qrels", ".txt", ".qrel") else stem
        count = 1 + sum(other == name or other.startswith(f"{name} (") for other in found)
        found.append(name if count == 1 else f"{name} ({count})")
    return found


def _read(judge: Any) -> Judgments:
    return judge if isinstance(judge, Judgments) else read_judgments(judge)
