"""What runs and judgments do not share: topics on one side only, systems without judged documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankscope.errors import some
from rankscope.results import Result, Table
from rankscope.runs.joined import JudgedRuns, join
from rankscope.runs.judgments import Judgments
from rankscope.runs.runset import RunSet


@dataclass(frozen=True, kw_only=True)
class Coverage(Result):
    """How well judgments cover runs.

    `judged_only` are judged topics that no run has; `run_only` are topics of runs that were not judged, which no
    measure looks at. `missing_topics` are, for each system that lacks some, the judged topics for which it retrieved
    nothing though others did; `without_judged` are systems none of whose documents was judged.
    """

    judged_topics: int
    judged_only: tuple[str, ...]
    run_only: tuple[str, ...]
    missing_topics: dict[str, tuple[str, ...]]
    without_judged: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether every system has every judged topic, and a judged document."""
        return not (self.judged_only or self.missing_topics or self.without_judged)

    def remarks(self, *, missing: str = "count as 0") -> list[str]:
        """Sentences about what one side lacks, with counts; `missing` says what becomes of topics a system lacks."""
        said = []
        if self.judged_only:
            said.append(f"no run has {_count(self.judged_only, 'judged topic')}: {some(self.judged_only)}")
        if self.run_only:
            said.append(f"{_count(self.run_only, 'topic')} of the runs not judged, left out: {some(self.run_only)}")
        if self.missing_topics:
            lacking = [f"{system} ({len(topics)})" for system, topics in self.missing_topics.items()]
            who = _count(lacking, "system")
            said.append(f"{who} retrieved nothing for some judged topics, which {missing}: {some(lacking)}")
        if self.without_judged:
            who = _count(self.without_judged, "system")
            said.append(f"{who} without a judged document: {some(self.without_judged)}")
        return said

    def table(self) -> Table:
        """Counts, one row each."""
        rows = (
            ("judged topics", self.judged_topics),
            ("judged topics no run has", len(self.judged_only)),
            ("topics of runs not judged", len(self.run_only)),
            ("systems that lack judged topics", len(self.missing_topics)),
            ("systems without a judged document", len(self.without_judged)),
        )
        return Table(("what", "count"), rows)


def _count(things: Sequence[object], noun: str) -> str:
    return f"{len(things):,} {noun}" + ("" if len(things) == 1 else "s")


def coverage(runs: RunSet, judgments: Judgments, *, joined: JudgedRuns | None = None) -> Coverage:
    """What is on one side only; `joined` saves the search where they were joined already."""
    joined = join(runs, judgments) if joined is None else joined
    shape = (len(joined.topics), len(joined.systems))
    retrieved, judged = joined.retrieved.reshape(shape), np.diff(joined.starts).reshape(shape)
    somewhere = np.any(retrieved, axis=1)
    known = set(judgments.topics)
    return Coverage(
        judged_topics=len(joined.topics),
        judged_only=tuple(topic for topic, has in zip(joined.topics, somewhere, strict=True) if not has),
        run_only=tuple(topic for topic in runs.topics if topic not in known),
        missing_topics={
            system: tuple(joined.topics[t] for t in np.flatnonzero((retrieved[:, s] == 0) & somewhere))
            for s, system in enumerate(joined.systems)
            if bool(((retrieved[:, s] == 0) & somewhere).any())
        },
        without_judged=tuple(s for s, has in zip(joined.systems, np.any(judged, axis=0), strict=True) if not has),
    )
