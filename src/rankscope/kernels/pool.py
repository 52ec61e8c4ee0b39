"""Pools of documents: codes for names across files, and the judged ones among them."""

import numpy as np

from rankscope.kernels.compiled import Integers, compiled
from rankscope.kernels.run_text import Bytes, Codes, hash_of, same_bytes

_LOW = 0xFFFFFFFF
_CODE = 0x7FFFFFFF


@compiled
def _grow(
    slots: Integers, table_starts: Integers, table_sizes: Integers, pool: int, needed: int, state: Integers
) -> bool:
    """Move a pool's table to the end of the slots in use, large enough for so many names; false if there is no room."""
    size = 8
    while needed * 10 > size * 7:
        size *= 2
    start = state[0]
    if start + size > len(slots):
        return False
    mask = size - 1
    for i in range(table_starts[pool], table_starts[pool] + table_sizes[pool]):
        slot = slots[i]
        if slot >= 0:
            place = (slot >> 31) & mask
            while slots[start + place] >= 0:
                place = (place + 1) & mask
            slots[start + place] = slot
    table_starts[pool] = start
    table_sizes[pool] = size
    state[0] = start + size
    return True


@compiled
def enter(
    text: Bytes,
    order: Integers,
    cells: Integers,
    pool_of: Integers,
    starts: Integers,
    lengths: Integers,
    hashes: Integers,
    slots: Integers,
    table_starts: Integers,
    table_sizes: Integers,
    counts: Integers,
    names: Bytes,
    name_starts: Integers,
    name_pools: Codes,
    known: int,
    codes: Codes,
    state: Integers,
) -> int:
    """Put the codes of documents into `codes`, adding names new to their pool; the number of names then.

    A cell c is a run's ranking of one topic, whose pool is `pool_of[c]`: rows `order[i]` for i from `cells[c, 0]` to
    `cells[c, 1]`. Cells of one pool should come together, so that its table stays in the processor's cache.

    A slot holds 32 bits of the hash and the code of a name; names are compared byte by byte where those agree. Slots of
    pool p are `table_sizes[p]` from `table_starts[p]`, a power of two. A table too small for the next cell moves to
    the end of `slots`, of which `state[0]` are in use; `state[1]` is the cell to go on with, all done or no room left.
    """
    while state[1] < len(pool_of):
        cell = state[1]
        pool = pool_of[cell]
        needed = counts[pool] + cells[cell, 1] - cells[cell, 0]
        if needed * 10 > table_sizes[pool] * 7 and not _grow(slots, table_starts, table_sizes, pool, needed, state):
            break
        state[1] += 1
        table = table_starts[pool]
        mask = table_sizes[pool] - 1
        for i in range(cells[cell, 0], cells[cell, 1]):
            row = order[i]
            key = (hashes[row] >> 7) & _LOW
            place = key & mask
            begin = starts[row]
            length = lengths[row]
            while True:
                slot = slots[table + place]
                if slot < 0:
                    to = name_starts[known]
                    for j in range(length):
                        names[to + j] = text[begin + j]
                    name_starts[known + 1] = to + length
                    name_pools[known] = pool
                    slots[table + place] = (key << 31) | known
                    codes[i] = known
                    counts[pool] += 1
                    known += 1
                    break
                code = slot & _CODE
                if (
                    slot >> 31 == key
                    and name_starts[code + 1] - name_starts[code] == length
                    and same_bytes(names, name_starts[code], text, begin, length)
                ):
                    codes[i] = code
                    break
                place = (place + 1) & mask
    return known


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
    """Put a file's documents, by their final codes, where its cells are."""
    for topic in range(len(ends) - 1):
        to = cells[pool_of[topic] * systems + system]
        for i in range(ends[topic], ends[topic + 1]):
            documents[to] = final_of[codes[i]]
            to += 1


@compiled
def copy_names(text: Bytes, begins: Integers, starts: Integers, names: Bytes) -> None:
    """Copy the stretches of `text` that begin there to where they start in `names`, one after another."""
    for row in range(len(begins)):
        moved = begins[row] - starts[row]
        for i in range(starts[row], starts[row + 1]):
            names[i] = text[i + moved]


@compiled
def index(names: Bytes, starts: Integers, pool_starts: Integers, tables: Integers) -> Codes:
    """A table of codes for the names of every pool: that of p from `tables[p]` to `tables[p + 1]`, a power of 2."""
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
    """The code of every sought name in the pool of its topic, −1 where it is not there (or the pool is −1)."""
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
    """Where each cell's judged documents begin, their ranks, their rows, and how many documents each cell has."""
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
    # One place more than needed: every document is written, and only the judged ones move the cursor on.
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
    """How many groups of systems put each document within `depth`; `labels` are those of the systems in `order`,
    in which groups stand together.
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
    """Lower each document's rank to the best that one of the systems in `order` gives it."""
    for topic in range((len(cells) - 1) // systems):
        for i in range(len(order)):
            cell = topic * systems + order[i]
            for at in range(cells[cell], cells[cell + 1]):
                code = documents[at]
                ranks[code] = min(ranks[code], at - cells[cell] + 1)
