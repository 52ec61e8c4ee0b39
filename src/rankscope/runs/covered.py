"""What runs and judgments do not share: topics on one side only, systems without judged documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from rankscope.results import Remark, Result, Table
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

    def remarks(self, topics: Literal["judged", "shared", "retrieved"] = "judged") -> list[Remark]:
        """What one side lacks; `topics` are those averaged over, which says what becomes of topics a system lacks."""
        lacking = self.missing_topics
        remarks = (
            Remark(kind="topics without runs", names=self.judged_only),
            Remark(kind="topics without judgments", names=self.run_only),
            Remark(
                kind="topics that systems lack",
                names=tuple(lacking),
                counts=tuple(map(len, lacking.values())),
                how=topics,
            ),
            Remark(kind="systems without judged documents", names=self.without_judged),
        )
        return [remark for remark in remarks if remark.names]

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
