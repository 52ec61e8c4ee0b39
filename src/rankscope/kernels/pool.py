"""Pools of documents: codes for names across files, and the judged ones among them."""

from typing import NamedTuple

import numpy as np

from rankscope.kernels.compiled import Integers, compiled
from rankscope.kernels.run_text import Bytes, Codes, Names, hash_of, same_bytes

# A slot of a table: 32 bits of the name's hash above 31 bits of its code.
_LOW = 0xFFFFFFFF
_CODE = 0x7FFFFFFF
_CODE_BITS = 31


class Pools(NamedTuple):
    """The distinct names of every pool, and a hash table of them.

    Name c is `names[name_starts[c]:name_starts[c + 1]]` and belongs to pool `name_pools[c]`; pool p has `counts[p]`
    names. Its table is the `table_sizes[p]` slots from `table_starts[p]`, a power of two or 0; an empty slot is −1.
    """

    slots: Integers
    table_starts: Integers
    table_sizes: Integers
    counts: Integers
    names: Bytes
    name_starts: Integers
    name_pools: Codes


class Progress(NamedTuple):
    """How far `enter` came: the number of names, of slots in use, and of cells done."""

    names: int
    slots: int
    cells: int


@compiled
def _is_full(names: int, slots: int) -> bool:
    """Whether a table is too small for this number of names: more than 70 % of its slots would be taken."""
    return names * 10 > slots * 7


@compiled
def _grow(pools: Pools, pool: int, needed: int, used: int) -> int:
    """Move a pool's table behind the slots in use, with room for `needed` names; the slots then in use, or −1."""
    slots, table_starts, table_sizes = pools.slots, pools.table_starts, pools.table_sizes
    size = 8
    while _is_full(needed, size):
        size *= 2
    if used + size > len(slots):
        return -1
    mask = size - 1
    for i in range(table_starts[pool], table_starts[pool] + table_sizes[pool]):
        slot = slots[i]
        if slot >= 0:
            place = (slot >> _CODE_BITS) & mask
            while slots[used + place] >= 0:
                place = (place + 1) & mask
            slots[used + place] = slot
    table_starts[pool] = used
    table_sizes[pool] = size
    return used + size


@compiled
def enter(
    documents: Names,
    order: Integers,
    cells: Integers,
    pool_of: Integers,
    pools: Pools,
    progress: Progress,
    codes: Codes,
) -> Progress:
    """Put the codes of documents into `codes`, adding names new to their pool, until all is done or slots run out.

    A cell c is a run's ranking of one topic, whose pool is `pool_of[c]`: rows `order[i]` for i from `cells[c, 0]` to
    `cells[c, 1]`. Cells of one pool should follow each other, so that its table stays in the processor's cache.
    Names are compared byte by byte where the bits of the hash agree. A table too small for the next cell moves to the
    end of the slots.
    """
    slots, names, name_starts = pools.slots, pools.names, pools.name_starts
    known, used, cell = progress
    while cell < len(pool_of):
        pool = pool_of[cell]
        needed = pools.counts[pool] + cells[cell, 1] - cells[cell, 0]
        if _is_full(needed, pools.table_sizes[pool]):
            grown = _grow(pools, pool, needed, used)
            if grown < 0:
                break
            used = grown
        table = pools.table_starts[pool]
        mask = pools.table_sizes[pool] - 1
        for i in range(cells[cell, 0], cells[cell, 1]):
            row = order[i]
            key = (documents.hashes[row] >> 7) & _LOW
            place = key & mask
            start = documents.starts[row]
            length = documents.lengths[row]
            while True:
                slot = slots[table + place]
                if slot < 0:
                    to = name_starts[known]
                    for j in range(length):
                        names[to + j] = documents.text[start + j]
                    name_starts[known + 1] = to + length
                    pools.name_pools[known] = pool
                    slots[table + place] = (key << _CODE_BITS) | known
                    codes[i] = known
                    pools.counts[pool] += 1
                    known += 1
                    break
                code = slot & _CODE
                if (
                    slot >> _CODE_BITS == key
                    and name_starts[code + 1] - name_starts[code] == length
                    and same_bytes(names, name_starts[code], documents.text, start, length)
                ):
                    codes[i] = code
                    break
                place = (place + 1) & mask
        cell += 1
    return Progress(known, used, cell)


@compiled
def place(
    codes: Codes,
    ends: Integers,
    pool_of: Integers,
    system: int,
    systems: int,
    cells: Integers,
    final_of: Codes,
    documents: Codes,
) -> None:
    """Put a file's documents, by their final codes, into its cells."""
    for topic in range(len(ends) - 1):
        to = cells[pool_of[topic] * systems + system]
        for i in range(ends[topic], ends[topic + 1]):
            documents[to] = final_of[codes[i]]
            to += 1


@compiled
def copy_names(text: Bytes, begins: Integers, starts: Integers, names: Bytes) -> None:
    """Copy the stretches of `text` at `begins` into `names`, one after another; stretch i starts at `starts[i]`."""
    for row in range(len(begins)):
        moved = begins[row] - starts[row]
        for i in range(starts[row], starts[row + 1]):
            names[i] = text[i + moved]


@compiled
def index(names: Bytes, starts: Integers, pool_starts: Integers, tables: Integers) -> Codes:
    """A hash table of codes for the names of every pool: that of p is `tables[p]:tables[p + 1]`, a power of two."""
    slots = np.full(tables[-1], -1, np.int32)
    for pool in range(len(pool_starts) - 1):
        table, mask = tables[pool], tables[pool + 1] - tables[pool] - 1
        for code in range(pool_starts[pool], pool_starts[pool + 1]):
            spot = table + (hash_of(names, starts[code], starts[code + 1]) & mask)
            while slots[spot] >= 0:
                spot = spot + 1 if spot < table + mask else table
            slots[spot] = code
    return slots


@compiled
def find(
    names: Bytes,
    starts: Integers,
    tables: Integers,
    slots: Codes,
    pool_of: Integers,
    sought: Bytes,
    sought_starts: Integers,
    ends: Integers,
) -> Codes:
    """The code of every sought name in the pool of its topic, −1 where it is absent (or the pool is −1)."""
    codes = np.full(len(sought_starts) - 1, -1, np.int32)
    for topic in range(len(ends) - 1):
        pool = pool_of[topic]
        if pool < 0:
            continue
        table, mask = tables[pool], tables[pool + 1] - tables[pool] - 1
        for row in range(ends[topic], ends[topic + 1]):
            begin = sought_starts[row]
            length = sought_starts[row + 1] - begin
            spot = table + (hash_of(sought, begin, begin + length) & mask)
            while slots[spot] >= 0:
                code = slots[spot]
                if starts[code + 1] - starts[code] == length and same_bytes(names, starts[code], sought, begin, length):
                    codes[row] = code
                    break
                spot = spot + 1 if spot < table + mask else table
    return codes


@compiled
def judged(
    documents: Codes, cells: Integers, systems: int, pool_of: Integers, row_of: Codes
) -> tuple[Integers, Codes, Codes, Codes]:
    """Where each cell's judged documents begin, their ranks, their rows, and the number of documents of each cell."""
    topics = len(pool_of)
    starts = np.zeros(topics * systems + 1, np.int64)
    retrieved = np.zeros(topics * systems, np.int32)
    for topic in range(topics):
        for system in range(systems):
            cell, count = topic * systems + system, 0
            if pool_of[topic] >= 0:
                source = pool_of[topic] * systems + system
                retrieved[cell] = cells[source + 1] - cells[source]
                for i in range(cells[source], cells[source + 1]):
                    count += row_of[documents[i]] >= 0
            starts[cell + 1] = starts[cell] + count
    # One place more than needed: every document is written, and only judged ones advance the cursor.
    ranks, rows = np.empty(starts[-1] + 1, np.int32), np.empty(starts[-1] + 1, np.int32)
    for topic in range(topics):
        if pool_of[topic] < 0:
            continue
        for system in range(systems):
            source = pool_of[topic] * systems + system
            first, cursor = cells[source], starts[topic * systems + system]
            for i in range(first, cells[source + 1]):
                row = row_of[documents[i]]
                ranks[cursor], rows[cursor] = i - first + 1, row
                cursor += row >= 0
    return starts, ranks[:-1], rows[:-1], retrieved


@compiled
def contributions(
    documents: Codes, cells: Integers, systems: int, order: Integers, labels: Integers, depth: int, codes: int
) -> Codes:
    """The number of groups of systems that put each document within `depth`.

    `labels` are the groups of the systems in `order`, in which systems of a group are adjacent.
    """
    counts = np.zeros(codes, np.int32)
    seen = np.full(codes, -1, np.int32)
    for topic in range((len(cells) - 1) // systems):
        for i in range(len(order)):
            cell = topic * systems + order[i]
            for at in range(cells[cell], min(cells[cell + 1], cells[cell] + depth)):
                code = documents[at]
                if seen[code] != labels[i]:
                    seen[code] = labels[i]
                    counts[code] += 1
    return counts


@compiled
def best_ranks(documents: Codes, cells: Integers, systems: int, order: Integers, ranks: Codes) -> None:
    """Lower each document's rank to its best among the systems in `order`."""
    for topic in range((len(cells) - 1) // systems):
        for i in range(len(order)):
            cell = topic * systems + order[i]
            for at in range(cells[cell], cells[cell + 1]):
                code = documents[at]
                ranks[code] = min(ranks[code], at - cells[cell] + 1)
