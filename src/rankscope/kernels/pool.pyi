from typing import NamedTuple

from rankscope.kernels.arrays import Integers
from rankscope.kernels.run_text import Bytes, Codes, Names

class Pools(NamedTuple):
    slots: Integers
    table_starts: Integers
    table_sizes: Integers
    counts: Integers
    names: Bytes
    name_starts: Integers
    name_pools: Codes

class Progress(NamedTuple):
    names: int
    slots: int
    cells: int

def enter(
    documents: Names,
    order: Integers,
    cells: Integers,
    pool_of: Integers,
    pools: Pools,
    progress: Progress,
    codes: Codes,
) -> Progress: ...
def place(
    codes: Codes,
    ends: Integers,
    pool_of: Integers,
    system: int,
    systems: int,
    cells: Integers,
    final_of: Codes,
    documents: Codes,
) -> None: ...
def copy_names(text: Bytes, begins: Integers, starts: Integers, names: Bytes) -> None: ...
def index(names: Bytes, starts: Integers, pool_starts: Integers, tables: Integers) -> Codes: ...
def find(
    names: Bytes,
    starts: Integers,
    tables: Integers,
    slots: Codes,
    pool_of: Integers,
    sought: Bytes,
    sought_starts: Integers,
    ends: Integers,
) -> Codes: ...
def judged(
    documents: Codes, cells: Integers, systems: int, pool_of: Integers, row_of: Codes
) -> tuple[Integers, Codes, Codes, Codes]: ...
def contributions(
    documents: Codes, cells: Integers, systems: int, order: Integers, labels: Integers, depth: int, codes: int
) -> Codes: ...
def best_ranks(documents: Codes, cells: Integers, systems: int, order: Integers, ranks: Codes) -> None: ...
