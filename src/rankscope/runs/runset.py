"""What systems retrieved for topics, coded once for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import BadParameter, ShapeMismatch
from rankscope.results import data_frame
from rankscope.runs.ids import Codes, Ids, Positions, check_inside, check_starts, fixed, places, stretches

# The rank of a document that none of the systems retrieved.
NEVER = np.iinfo(np.int32).max


@dataclass(frozen=True, kw_only=True, eq=False)
class RunSet:
    """What systems retrieved for topics, best first.

    `documents[starts[t * S + s] : starts[t * S + s + 1]]` are the codes of what system s retrieved for topic t, of S
    systems. Codes `pool_starts[t]` to `pool_starts[t + 1]` are the documents of topic t, whose names are `ids`.
    `RunSet.of` makes one from a mapping.

    Examples
    --------
    >>> runs = RunSet.of({"bm25": {"301": ["d1", "d2"]}, "dense": {"301": ["d3", "d1"]}})
    >>> runs.retrieved("dense", "301")
    ['d3', 'd1']
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    documents: Codes
    starts: Positions
    pool_starts: Positions
    ids: Ids
    name: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "documents", fixed(self.documents, np.int32))
        object.__setattr__(self, "starts", fixed(self.starts, np.int64))
        object.__setattr__(self, "pool_starts", fixed(self.pool_starts, np.int64))
        topics, systems = len(self.topics), len(self.systems)
        if self.documents.ndim != 1:
            raise ShapeMismatch(f"documents has shape {self.documents.shape}; give one dimension of codes")
        check_starts("starts", self.starts, topics * systems, len(self.documents))
        check_starts("pool_starts", self.pool_starts, topics, len(self.ids))
        if systems:
            by_topic = self.starts[::systems]
            check_inside("documents", self.documents, by_topic, self.pool_starts[:-1], self.pool_starts[1:])

    def __repr__(self) -> str:
        return f"<RunSet: {len(self.systems)} systems × {len(self.topics)} topics, {len(self.documents)} documents>"

    @staticmethod
    def of(rankings: Mapping[str, Mapping[str, Sequence[str]]], *, name: str | None = None) -> RunSet:
        """Runs from a mapping of system → topic → documents, best first."""
        systems = tuple(rankings)
        topics = tuple(dict.fromkeys(topic for run in rankings.values() for topic in run))
        documents: list[int] = []
        ids: list[str] = []
        starts, pool_starts = [0], [0]
        for topic in topics:
            codes: dict[str, int] = {}
            for system in systems:
                ranking = rankings[system].get(topic, ())
                if len(set(ranking)) != len(ranking):
                    raise BadParameter(f"{system!r} retrieves a document twice for topic {topic!r}; keep one")
                documents += [codes.setdefault(document, pool_starts[-1] + len(codes)) for document in ranking]
                starts.append(len(documents))
            ids += codes
            pool_starts.append(len(ids))
        return RunSet(
            systems=systems,
            topics=topics,
            documents=np.array(documents, dtype=np.int32),
            starts=np.array(starts, dtype=np.int64),
            pool_starts=np.array(pool_starts, dtype=np.int64),
            ids=Ids.of(ids),
            name=name,
        )

    def retrieved(self, system: str, topic: str) -> list[str]:
        """The documents that a system retrieved for a topic, best first."""
        s, t = places("system", self.systems, [system])[0], places("topic", self.topics, [topic])[0]
        cell = t * len(self.systems) + s
        return [self.ids[code] for code in self.documents[self.starts[cell] : self.starts[cell + 1]]]

    @property
    def depths(self) -> Positions:
        """The number of documents that each system retrieved for each topic, topics × systems."""
        return np.diff(self.starts).reshape(len(self.topics), len(self.systems))

    def select(self, *, systems: Sequence[str] | None = None, topics: Sequence[str] | None = None) -> RunSet:
        """Some systems, some topics, or both, in the order given.

        The pools stay whole, also where no chosen system retrieved a document: with all topics, codes stay the same.

        >>> runs = RunSet.of({"a": {"1": ["d1"], "2": ["d2"]}, "b": {"1": ["d3", "d1"]}})
        >>> runs.select(systems=["b"]).retrieved("b", "1"), runs.select(topics=["2"]).topics
        (['d3', 'd1'], ('2',))
        """
        s = np.arange(len(self.systems)) if systems is None else places("system", self.systems, systems)
        t = np.arange(len(self.topics)) if topics is None else places("topic", self.topics, topics)
        cells = (t[:, None] * len(self.systems) + s).ravel()
        rows, starts = stretches(self.starts[:-1][cells], np.diff(self.starts)[cells])
        documents = self.documents[rows]
        chosen = self.systems if systems is None else tuple(systems)
        if topics is None:
            return self._with(systems=chosen, documents=documents, starts=starts)
        codes, pool_starts = stretches(self.pool_starts[:-1][t], np.diff(self.pool_starts)[t])
        moved = pool_starts[:-1] - self.pool_starts[:-1][t]
        documents += np.repeat(moved, np.diff(starts[:: len(s)]) if len(s) else 0).astype(np.int32)
        return RunSet(
            systems=chosen,
            topics=tuple(topics),
            documents=documents,
            starts=starts,
            pool_starts=pool_starts,
            ids=self.ids.take(codes),
            name=self.name,
        )

    def top(self, depth: int) -> RunSet:
        """Every ranking cut at `depth`; codes stay the same.

        >>> RunSet.of({"a": {"1": ["d1", "d2"]}}).top(1).retrieved("a", "1")
        ['d1']
        """
        _check_depth(depth)
        rows, starts = stretches(self.starts[:-1], np.minimum(np.diff(self.starts), depth))
        return self._with(systems=self.systems, documents=self.documents[rows], starts=starts)

    def pooled(self, depth: int, systems: Sequence[str] | None = None) -> npt.NDArray[np.bool_]:
        """Which documents of the pools any of these systems, by default all, has within `depth`: a pool to judge.

        >>> runs = RunSet.of({"a": {"1": ["d1", "d2"]}, "b": {"1": ["d3", "d1"]}})
        >>> [name for name, kept in zip(runs.ids.names(), runs.pooled(1), strict=True) if kept]
        ['d1', 'd3']
        """
        _check_depth(depth)
        return self.best_ranks(systems) <= depth

    def best_ranks(self, systems: Sequence[str] | None = None) -> Codes:
        """The best rank, from 1, of each document of the pools in these systems; `NEVER` where none retrieved it."""
        from rankscope.kernels.pool import best_ranks

        ranks = np.full(len(self.ids), NEVER, dtype=np.int32)
        order = np.arange(len(self.systems)) if systems is None else places("system", self.systems, systems)
        if len(order):
            best_ranks(self.documents, self.starts, len(self.systems), order, ranks)
        return ranks

    def contributors(self, depth: int, groups: Sequence[object] | Mapping[str, object] | None = None) -> Codes:
        """The number of systems, or groups of them, that have each document of the pools within `depth`.

        `groups` names the group of every system, such as its team, in the order of systems or by name; None is no
        group. Documents with 1 are unique contributions.

        >>> runs = RunSet.of({"a": {"1": ["d1", "d2"]}, "b": {"1": ["d3", "d1"]}, "c": {"1": ["d3"]}})
        >>> runs.contributors(2).tolist(), runs.contributors(2, groups=["X", "Y", "Y"]).tolist()
        ([2, 1, 2], [2, 1, 1])
        """
        from rankscope.kernels.pool import contributions

        _check_depth(depth)
        labels = self._labels(groups)
        order = np.argsort(labels, kind="stable")
        order = order[labels[order] >= 0]
        if not len(order):
            return np.zeros(len(self.ids), dtype=np.int32)
        return contributions(self.documents, self.starts, len(self.systems), order, labels[order], depth, len(self.ids))

    def to_frame(self) -> Any:
        """One row per retrieved document: system, topic, rank, document."""
        lengths = np.diff(self.starts)
        cells = np.repeat(np.arange(len(lengths)), lengths)
        count = max(len(self.systems), 1)
        return data_frame(
            {
                "system": _named(self.systems, cells % count),
                "topic": _named(self.topics, cells // count),
                "rank": np.arange(len(self.documents)) - np.repeat(self.starts[:-1], lengths) + 1,
                "document": _named(self.ids.names(), self.documents),
            }
        )

    @cached_property
    def index(self) -> tuple[Positions, Codes]:
        """Tables in which the pools' names are found: where each begins, and their slots; made on first need."""
        from rankscope.kernels.pool import index

        sizes = np.diff(self.pool_starts)
        room = 2 ** np.ceil(np.log2(2 * np.maximum(sizes, 1))).astype(np.int64)
        tables = fixed(np.concatenate([[0], np.cumsum(room)]), np.int64)
        slots = index(self.ids.text, self.ids.starts, self.pool_starts, tables)
        return tables, fixed(slots, np.int32)

    def _labels(self, groups: Sequence[object] | Mapping[str, object] | None) -> Positions:
        if groups is None:
            return np.arange(len(self.systems))
        if isinstance(groups, Mapping):
            places("system", self.systems, [str(system) for system in groups])
            groups = [groups.get(system) for system in self.systems]
        if len(groups) != len(self.systems):
            raise ShapeMismatch(f"{len(groups)} groups for {len(self.systems)} systems; name one for each")
        codes: dict[object, int] = {}
        return np.array([-1 if g is None else codes.setdefault(g, len(codes)) for g in groups], dtype=np.int64)

    def _with(self, *, systems: tuple[str, ...], documents: Codes, starts: Positions) -> RunSet:
        """Other rankings of the same pools, which keep their tables."""
        other = replace(self, systems=systems, documents=documents, starts=starts)
        if "index" in self.__dict__:
            other.__dict__["index"] = self.index
        return other


def _check_depth(depth: int) -> None:
    if not 1 <= depth < NEVER:
        raise BadParameter(f"depth={depth}: a rank from 1 to {NEVER - 1:,}")


def _named(names: Sequence[str], codes: npt.NDArray[Any]) -> list[str]:
    """The names that the codes stand for."""
    return list(np.asarray(names, dtype=object)[codes]) if len(codes) else []
