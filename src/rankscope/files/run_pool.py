"""One pool of documents per topic, filled file by file, and the RunSet that comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from rankscope.files.trec_lines import Lines, power_of_two
from rankscope.runs import Codes, Ids, Positions, RunSet

K = TypeVar("K", bound=np.generic)

# Bytes of text that wait before their documents get codes.
_AT_ONCE = 1 << 25


@dataclass(frozen=True)
class Ranked:
    """The rows of a run in their order: `order` holds those of topic t of `lines` from `ends[t]` to `ends[t + 1]`."""

    lines: Lines
    order: Positions
    ends: Positions


@dataclass(frozen=True)
class _Entered:
    codes: Codes
    ends: Positions
    pool_of: Positions


class Pools:
    """Codes for the documents of every topic, assigned in the order in which they come."""

    def __init__(self) -> None:
        self.topics: dict[str, int] = {}
        self._waiting: list[Ranked] = []
        self._runs: list[_Entered] = []
        self._known = 0
        self._names = np.empty(1 << 16, dtype=np.uint8)
        self._name_starts = np.zeros(1 << 12, dtype=np.int64)
        self._name_pools = np.empty(1 << 12, dtype=np.int32)
        self._slots = np.empty(0, dtype=np.int64)
        self._table_starts = np.empty(0, dtype=np.int64)
        self._table_sizes = np.empty(0, dtype=np.int64)
        self._counts = np.empty(0, dtype=np.int64)
        self._used = 0  # slots

    def enter(self, run: Ranked) -> None:
        """Add a run; it waits for others, since filling the pools of many runs at once is faster."""
        self._waiting.append(run)
        if sum(len(run.lines.data) for run in self._waiting) > _AT_ONCE:
            self._enter_waiting()

    def _enter_waiting(self) -> None:
        """Give out codes for the documents of all runs that wait, pool by pool; their texts are free afterwards."""
        from rankscope.kernels.pool import Pools as Tables
        from rankscope.kernels.pool import Progress, enter
        from rankscope.kernels.run_text import Names

        runs, self._waiting = self._waiting, []
        lines = [run.lines for run in runs]
        pools = [[self.topics.setdefault(t, len(self.topics)) for t in each.topics] for each in lines]
        texts = np.cumsum([0, *(len(each.data) for each in lines)])
        rows = np.cumsum([0, *(len(each.starts) for each in lines)])
        ranks = np.cumsum([0, *(len(run.order) for run in runs)])
        pool_of = np.concatenate([np.array(each, dtype=np.int64) for each in pools])
        cells = np.column_stack(
            [
                np.concatenate([run.ends[:-1] + first for run, first in zip(runs, ranks[:-1], strict=True)]),
                np.concatenate([run.ends[1:] + first for run, first in zip(runs, ranks[:-1], strict=True)]),
            ]
        )
        lengths = np.concatenate([each.lengths for each in lines])
        self._make_room(int(ranks[-1]), int(lengths.sum()))
        by_pool = np.argsort(pool_of, kind="stable")
        pool_of, cells = pool_of[by_pool], np.ascontiguousarray(cells[by_pool])
        codes = np.empty(ranks[-1], dtype=np.int32)
        order = np.concatenate([run.order + first for run, first in zip(runs, rows[:-1], strict=True)])
        names = Names(
            np.concatenate([each.text for each in lines]),
            np.concatenate([each.starts + first for each, first in zip(lines, texts[:-1], strict=True)]),
            lengths,
            np.concatenate([each.hashes for each in lines]),
        )
        cell = 0
        while True:
            tables = Tables(
                self._slots,
                self._table_starts,
                self._table_sizes,
                self._counts,
                self._names,
                self._name_starts,
                self._name_pools,
            )
            self._known, self._used, cell = enter(
                names, order, cells, pool_of, tables, Progress(self._known, self._used, cell), codes
            )
            if cell == len(pool_of):
                break
            self._larger(int(self._counts[pool_of[cell]] + cells[cell, 1] - cells[cell, 0]))
        for run, each, first, last in zip(runs, pools, ranks, ranks[1:], strict=False):
            self._runs.append(_Entered(codes[first:last].copy(), run.ends, np.array(each, dtype=np.int64)))

    def run_set(self, systems: Sequence[str], name: str | None) -> RunSet:
        """All runs; the pools are used up."""
        from rankscope.kernels.pool import place

        if self._waiting:
            self._enter_waiting()
        self._slots = np.empty(0, dtype=np.int64)
        topics, count = len(self.topics), len(self._runs)
        pools = self._name_pools[: self._known]
        by_pool = np.argsort(pools, kind="stable")
        final_of = np.empty(self._known, dtype=np.int32)
        final_of[by_pool] = np.arange(self._known, dtype=np.int32)
        ids = Ids(self._names[: self._name_starts[self._known]], self._name_starts[: self._known + 1]).take(by_pool)
        self._names, self._name_starts = self._names[:0], self._name_starts[:0]
        lengths = np.zeros((topics, count), dtype=np.int64)
        for s, run in enumerate(self._runs):
            lengths[run.pool_of, s] = np.diff(run.ends)
        starts = np.concatenate([[0], np.cumsum(lengths.ravel())])
        documents = np.empty(starts[-1], dtype=np.int32)
        for s in range(count):
            run = self._runs[s]
            place(run.codes, run.ends, run.pool_of, s, count, starts, final_of, documents)
            self._runs[s] = _Entered(run.codes[:0].copy(), run.ends, run.pool_of)  # its memory is free for the next
        pool_starts = np.concatenate([[0], np.cumsum(np.bincount(pools, minlength=topics))])
        return RunSet(
            systems=tuple(systems),
            topics=tuple(self.topics),
            documents=documents,
            starts=starts,
            pool_starts=pool_starts,
            ids=ids,
            name=name,
        )

    def _make_room(self, count: int, text: int) -> None:
        """Make room for `count` names and `text` bytes, in case none of them is known."""
        self._name_starts = _at_least(self._name_starts, self._known + count + 1)
        self._name_pools = _at_least(self._name_pools, self._known + count)
        self._names = _at_least(self._names, int(self._name_starts[self._known]) + text)
        new = np.zeros(len(self.topics) - len(self._counts), dtype=np.int64)
        self._counts = np.concatenate([self._counts, new])
        self._table_sizes = np.concatenate([self._table_sizes, new])
        self._table_starts = np.concatenate([self._table_starts, new])

    def _larger(self, names: int) -> None:
        """Slots for a table of `names` names and twice what is in use, without those that old tables left behind."""
        live = int(self._table_sizes.sum())
        slots = np.full(2 * live + power_of_two(2 * names + 8), -1, dtype=np.int64)
        start = 0
        for pool, (old, size) in enumerate(zip(self._table_starts.tolist(), self._table_sizes.tolist(), strict=True)):
            slots[start : start + size] = self._slots[old : old + size]
            self._table_starts[pool] = start
            start += size
        self._slots = slots
        self._used = start


def _at_least(array: npt.NDArray[K], size: int) -> npt.NDArray[K]:
    """The array, or a larger one that begins like it."""
    if len(array) >= size:
        return array
    larger = np.empty(max(size, len(array) * 3 // 2), dtype=array.dtype)
    larger[: len(array)] = array
    return larger
