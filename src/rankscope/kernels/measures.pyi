from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.kernels.arrays import Floats, Integers

Levels = npt.NDArray[np.int8]
Codes = npt.NDArray[np.int32]

class Rankings(NamedTuple):
    starts: Integers
    ranks: Codes
    rows: Codes
    retrieved: Codes
    judgment_starts: Integers

class TopCounts(NamedTuple):
    relevant: Floats
    judged_not_relevant: Floats
    hits: Floats
    precision_sum: Floats
    first_hit: Floats
    known: Floats
    shown: Floats

def counts(rankings: Rankings, levels: Levels, cutoff: int, judged_only: bool) -> TopCounts: ...
def hit_counts(rankings: Rankings, levels: Levels, cutoff: int) -> tuple[Floats, Floats, Floats]: ...
def discounted(
    rankings: Rankings,
    levels: Levels,
    gains: Floats,
    ideal_gains: Floats,
    weights: Floats,
    cutoff: int,
    judged_only: bool,
) -> tuple[Floats, Floats]: ...
def cascade(rankings: Rankings, stops: Floats, cutoff: int) -> Floats: ...
