from typing import NamedTuple

from rankscope.kernels.arrays import Floats, Integers

class Model(NamedTuple):
    level: Floats
    spread: Floats
    ridge: float
    size: float
    limit: float

def walk_by_distance(
    model: Model, order: Integers, moves: Integers, heights: Floats, pushes: Floats, chances: Floats
) -> tuple[Integers, int, int]: ...
def ranks_by_passes(passes: Integers) -> Integers: ...
def shares_by_inversions(m: int, most: int) -> Floats: ...
