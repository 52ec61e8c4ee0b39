"""Pools of documents: codes for names across files, and the judged ones among them."""

from typing import NamedTuple

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy

from rankscope.kernels.run_text cimport hash_of, same_bytes

# A slot of a table: 32 bits of the name's hash above 31 bits of its code.
cdef const int64_t _LOW = 0xFFFFFFFF
cdef const int64_t _CODE = 0x7FFFFFFF
cdef enum: _CODE_BITS = 31


class Pools(NamedTuple):
    """The distinct names of every pool, and a hash table of them.

    Name c is `names[name_starts[c]:name_starts[c + 1]]` and belongs to pool `name_pools[c]`; pool p has `counts[p]`
    names. Its table is the `table_sizes[p]` slots from `table_starts[p]`, a power of two or 0; an empty slot is −1.
    """

    slots: np.ndarray
    table_starts: np.ndarray
    table_sizes: np.ndarray
    counts: np.ndarray
    names: np.ndarray
    name_starts: np.ndarray
    name_pools: np.ndarray


class Progress(NamedTuple):
    """How far `enter` came: the number of names, of slots in use, and of cells done."""

    names: int
    slots: int
    cells: int


cdef inline bint _is_full(int64_t names, int64_t slots) noexcept nogil:
    """Whether a table is too small for this number of names: more than 70 % of its slots would be taken."""
    return names * 10 > slots * 7


cdef inline int64_t _room(int64_t names) noexcept nogil:
    """The size of a table for this number of names."""
    cdef int64_t size = 8
    while _is_full(names, size):
        size *= 2
    return size


cdef inline void _move_table(const int64_t* before, int64_t before_size, int64_t* table, int64_t size) noexcept nogil:
    """Put the names of one table into another, which is empty."""
    cdef int64_t mask = size - 1, i, place
    for i in range(before_size):
        if before[i] >= 0:
            place = (before[i] >> _CODE_BITS) & mask
            while table[place] >= 0:
                place = (place + 1) & mask
            table[place] = before[i]


def enter(
    documents,
    const int64_t[::1] order,
    const int64_t[:, ::1] cells,
    const int64_t[::1] pool_of,
    pools,
    progress,
    int32_t[::1] codes,
):
    """Put the codes of documents into `codes`, adding names new to their pool, until all is done or slots run out.

    A cell c is a run's ranking of one topic, whose pool is `pool_of[c]`: rows `order[i]` for i from `cells[c, 0]` to
    `cells[c, 1]`. Cells of one pool should follow each other, so that its table stays in the processor's cache.
    Names are compared byte by byte where the bits of the hash agree. A table too small for the next cell moves to the
    end of the slots.
    """
    cdef const uint8_t[::1] text = documents.text
    cdef const int64_t[::1] starts = documents.starts, lengths = documents.lengths, hashes = documents.hashes
    cdef int64_t[::1] slots = pools.slots, table_starts = pools.table_starts, table_sizes = pools.table_sizes
    cdef int64_t[::1] counts = pools.counts, name_starts = pools.name_starts
    cdef uint8_t[::1] names = pools.names
    cdef int32_t[::1] name_pools = pools.name_pools
    cdef int64_t known = progress.names, used = progress.slots, cell = progress.cells
    cdef int64_t pool, needed, size, mask, i, row, key, place, length, slot, code
    cdef const uint8_t* name
    cdef const uint8_t* text_bytes = &text[0]
    cdef uint8_t* name_bytes = &names[0]
    cdef int64_t* all_slots = &slots[0]
    cdef int64_t* table
    with nogil:
        while cell < pool_of.shape[0]:
            pool = pool_of[cell]
            needed = counts[pool] + cells[cell, 1] - cells[cell, 0]
            if _is_full(needed, table_sizes[pool]):
                size = _room(needed)
                if used + size > slots.shape[0]:
                    break
                _move_table(all_slots + table_starts[pool], table_sizes[pool], all_slots + used, size)
                table_starts[pool] = used
                table_sizes[pool] = size
                used += size
            table = all_slots + table_starts[pool]
            mask = table_sizes[pool] - 1
            for i in range(cells[cell, 0], cells[cell, 1]):
                row = order[i]
                key = (hashes[row] >> 7) & _LOW
                place = key & mask
                name = text_bytes + starts[row]
                length = lengths[row]
                while True:
                    slot = table[place]
                    if slot < 0:
                        code = known
                        memcpy(name_bytes + name_starts[code], name, length)
                        name_starts[code + 1] = name_starts[code] + length
                        name_pools[code] = <int32_t>pool
                        table[place] = (key << _CODE_BITS) | code
                        counts[pool] += 1
                        known += 1
                        break
                    code = slot & _CODE
                    if (
                        slot >> _CODE_BITS == key
                        and name_starts[code + 1] - name_starts[code] == length
                        and same_bytes(name_bytes + name_starts[code], name, length)
                    ):
                        break
                    place = (place + 1) & mask
                codes[i] = <int32_t>code
            cell += 1
    return Progress(known, used, cell)


def place(
    const int32_t[::1] codes,
    const int64_t[::1] ends,
    const int64_t[::1] pool_of,
    Py_ssize_t system,
    Py_ssize_t systems,
    const int64_t[::1] cells,
    const int32_t[::1] final_of,
    int32_t[::1] documents,
):
    """Put a file's documents, by their final codes, into its cells."""
    cdef Py_ssize_t topic, i, to
    with nogil:
        for topic in range(ends.shape[0] - 1):
            to = cells[pool_of[topic] * systems + system]
            for i in range(ends[topic], ends[topic + 1]):
                documents[to] = final_of[codes[i]]
                to += 1


def copy_names(
    const uint8_t[::1] text, const int64_t[::1] begins, const int64_t[::1] starts, uint8_t[::1] names
):
    """Copy the stretches of `text` at `begins` into `names`, one after another; stretch i starts at `starts[i]`."""
    cdef Py_ssize_t row
    with nogil:
        for row in range(begins.shape[0]):
            memcpy(&names[0] + starts[row], &text[0] + begins[row], starts[row + 1] - starts[row])


def index(
    const uint8_t[::1] names, const int64_t[::1] starts, const int64_t[::1] pool_starts, const int64_t[::1] tables
):
    """A hash table of codes for the names of every pool: that of p is `tables[p]:tables[p + 1]`, a power of two."""
    cdef Py_ssize_t pools = pool_starts.shape[0] - 1, pool
    out = np.full(tables[pools], -1, np.int32)
    cdef int32_t[::1] slots = out
    cdef int32_t* table
    cdef int64_t mask, code, spot
    with nogil:
        for pool in range(pools):
            table, mask = &slots[0] + tables[pool], tables[pool + 1] - tables[pool] - 1
            for code in range(pool_starts[pool], pool_starts[pool + 1]):
                spot = hash_of(&names[0] + starts[code], starts[code + 1] - starts[code]) & mask
                while table[spot] >= 0:
                    spot = (spot + 1) & mask
                table[spot] = <int32_t>code
    return out


def find(
    const uint8_t[::1] names,
    const int64_t[::1] starts,
    const int64_t[::1] tables,
    const int32_t[::1] slots,
    const int64_t[::1] pool_of,
    const uint8_t[::1] sought,
    const int64_t[::1] sought_starts,
    const int64_t[::1] ends,
):
    """The code of every sought name in the pool of its topic, −1 where it is absent (or the pool is −1)."""
    out = np.full(sought_starts.shape[0] - 1, -1, np.int32)
    cdef int32_t[::1] codes = out
    cdef const int32_t* table
    cdef const uint8_t* name
    cdef Py_ssize_t topic, row, pool, length
    cdef int64_t mask, spot
    cdef int32_t code
    with nogil:
        for topic in range(ends.shape[0] - 1):
            pool = pool_of[topic]
            if pool < 0:
                continue
            table, mask = &slots[0] + tables[pool], tables[pool + 1] - tables[pool] - 1
            for row in range(ends[topic], ends[topic + 1]):
                name, length = &sought[0] + sought_starts[row], sought_starts[row + 1] - sought_starts[row]
                spot = hash_of(name, length) & mask
                while table[spot] >= 0:
                    code = table[spot]
                    if starts[code + 1] - starts[code] == length and same_bytes(&names[0] + starts[code], name, length):
                        codes[row] = code
                        break
                    spot = (spot + 1) & mask
    return out


def judged(
    const int32_t[::1] documents,
    const int64_t[::1] cells,
    Py_ssize_t systems,
    const int64_t[::1] pool_of,
    const int32_t[::1] row_of,
):
    """Where each cell's judged documents begin, their ranks, their rows, and the number of documents of each cell."""
    cdef Py_ssize_t topics = pool_of.shape[0], topic, system, cell, source, first, cursor, count, i
    starts_out, retrieved_out = np.zeros(topics * systems + 1, np.int64), np.zeros(topics * systems, np.int32)
    cdef int64_t[::1] starts = starts_out
    cdef int32_t[::1] retrieved = retrieved_out, ranks, rows
    cdef int32_t row
    with nogil:
        for topic in range(topics):
            for system in range(systems):
                cell, count = topic * systems + system, 0
                if pool_of[topic] >= 0:
                    source = pool_of[topic] * systems + system
                    retrieved[cell] = <int32_t>(cells[source + 1] - cells[source])
                    for i in range(cells[source], cells[source + 1]):
                        count += row_of[documents[i]] >= 0
                starts[cell + 1] = starts[cell] + count
    # One place more than needed: every document is written, and only judged ones advance the cursor.
    count = starts[topics * systems]
    ranks_out, rows_out = np.empty(count + 1, np.int32), np.empty(count + 1, np.int32)
    ranks, rows = ranks_out, rows_out
    with nogil:
        for topic in range(topics):
            if pool_of[topic] < 0:
                continue
            for system in range(systems):
                source = pool_of[topic] * systems + system
                first, cursor = cells[source], starts[topic * systems + system]
                for i in range(first, cells[source + 1]):
                    row = row_of[documents[i]]
                    ranks[cursor] = <int32_t>(i - first + 1)
                    rows[cursor] = row
                    cursor += row >= 0
    return starts_out, ranks_out[:count], rows_out[:count], retrieved_out


def contributions(
    const int32_t[::1] documents,
    const int64_t[::1] cells,
    Py_ssize_t systems,
    const int64_t[::1] order,
    const int64_t[::1] labels,
    int64_t depth,
    Py_ssize_t codes,
):
    """The number of groups of systems that put each document within `depth`.

    `labels` are the groups of the systems in `order`, in which systems of a group are adjacent.
    """
    out = np.zeros(codes, np.int32)
    cdef int32_t[::1] counts = out, seen = np.full(codes, -1, np.int32)
    cdef Py_ssize_t topic, i, cell, at
    cdef int32_t code
    with nogil:
        for topic in range((cells.shape[0] - 1) // systems):
            for i in range(order.shape[0]):
                cell = topic * systems + order[i]
                for at in range(cells[cell], cells[cell] + min(cells[cell + 1] - cells[cell], depth)):
                    code = documents[at]
                    if seen[code] != labels[i]:
                        seen[code] = <int32_t>labels[i]
                        counts[code] += 1
    return out


def best_ranks(
    const int32_t[::1] documents,
    const int64_t[::1] cells,
    Py_ssize_t systems,
    const int64_t[::1] order,
    int32_t[::1] ranks,
):
    """Lower each document's rank to its best among the systems in `order`."""
    cdef Py_ssize_t topic, i, cell, at
    cdef int32_t code
    with nogil:
        for topic in range((cells.shape[0] - 1) // systems):
            for i in range(order.shape[0]):
                cell = topic * systems + order[i]
                for at in range(cells[cell], cells[cell + 1]):
                    code = documents[at]
                    ranks[code] = min(ranks[code], <int32_t>(at - cells[cell] + 1))
