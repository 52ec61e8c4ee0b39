from rankscope.kernels.arrays import Floats, Integers

A: int
B: int
W: int
ABSENT: int

def rbo(
    truth: Floats, estimate: Floats, truth_order: Integers, estimate_order: Integers, p: float, treatment: int
) -> Floats: ...
def list_rbo(
    x_order: Integers,
    x_starts: Integers,
    x_group: Integers,
    y_order: Integers,
    y_starts: Integers,
    y_group: Integers,
    p: float,
    treatment: int,
) -> tuple[float, float, float]: ...
def run_rbo(documents: Integers, starts: Integers, pool_starts: Integers, systems: int, p: float) -> Floats: ...
