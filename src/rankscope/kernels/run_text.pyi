from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.kernels.arrays import Floats, Integers

Bytes = npt.NDArray[np.uint8]
Codes = npt.NDArray[np.int32]

class Names(NamedTuple):
    text: Bytes
    starts: Integers
    lengths: Integers
    hashes: Integers

class Layout(NamedTuple):
    width: int
    number: int
    single: bool
    second: int
    tag: int

class Rows(NamedTuple):
    topic_of: Codes
    starts: Integers
    lengths: Integers
    hashes: Integers
    numbers: Floats
    seconds: Floats

class Scanned(NamedTuple):
    rows: int
    topics: int
    unsure: int
    wrong_line: int
    wrong_fields: int
    tag_start: int
    tag_end: int
    other_tag: int

class Entries(NamedTuple):
    text: Bytes
    starts: Integers
    lengths: Integers
    scores: npt.NDArray[np.float32]
    ranks: Floats

def scan(text: Bytes, layout: Layout, rows: Rows, unsure: Integers, slots: Codes, topics: Integers) -> Scanned: ...
def group(names: Names, topic_of: Codes, ends: Integers, table: Codes, order: Integers, first: Integers) -> None: ...
def arrange(entries: Entries, order: Integers, ends: Integers, spare: Integers) -> int: ...
