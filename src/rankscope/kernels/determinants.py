"""Principal submatrices of greatest determinant, for every size at once: branch and bound."""

import numpy as np

from rankscope.kernels.compiled import Floats, Integers, compiled


@compiled
def _promising(matrix: Floats, start: int, value: float, chosen: int, best: Floats, logs: Floats) -> bool:
    """Whether some size can still be improved: no determinant exceeds the product of its diagonal (Hadamard)."""
    size = matrix.shape[0]
    left = size - start
    for i in range(left):
        log = np.log(max(matrix[start + i, start + i], 1e-300))
        j = i
        while j > 0 and logs[j - 1] < log:
            logs[j] = logs[j - 1]
            j -= 1
        logs[j] = log
    bound = value
    for i in range(left):
        bound += logs[i]
        if bound > best[chosen + i + 1]:
            return True
    return False


@compiled
def greatest_determinants(matrix: Floats, floor: Floats, best: Floats, members: Integers) -> int:
    """Improve `best` (log determinants by size, 0 to S) and `members` (size × S, 1 for a member) to the optimum.

    Each item in turn is taken, which leaves the Schur complement of the rest, or left out. An item whose conditional
    variance is at most its `floor` depends on those taken and cannot join them. Returns the number of nodes.
    """
    size = matrix.shape[0]
    work = np.zeros((size + 1, size, size))
    value = np.zeros(size + 1)
    chosen = np.zeros(size + 1, dtype=np.int64)
    state = np.zeros(size + 1, dtype=np.int64)
    taken = np.zeros(size, dtype=np.int64)
    logs = np.zeros(size)
    for i in range(size):
        for j in range(size):
            work[0, i, j] = matrix[i, j]
    depth, nodes = 0, 0
    while depth >= 0:
        if depth == size or state[depth] == 2:
            if depth < size:
                state[depth] = 0
                taken[depth] = 0
            depth -= 1
            continue
        here = work[depth]
        if state[depth] == 0:
            nodes += 1
            if not _promising(here, depth, value[depth], chosen[depth], best, logs):
                depth -= 1
                continue
            state[depth] = 1
            pivot = here[depth, depth]
            if pivot <= floor[depth]:
                continue
            taken[depth] = 1
            value[depth + 1] = value[depth] + np.log(pivot)
            chosen[depth + 1] = chosen[depth] + 1
            count = chosen[depth + 1]
            if value[depth + 1] > best[count]:
                best[count] = value[depth + 1]
                for i in range(size):
                    members[count, i] = taken[i]
            for i in range(depth + 1, size):
                ratio = here[i, depth] / pivot
                for j in range(depth + 1, size):
                    work[depth + 1, i, j] = here[i, j] - ratio * here[depth, j]
        else:
            state[depth] = 2
            taken[depth] = 0
            value[depth + 1] = value[depth]
            chosen[depth + 1] = chosen[depth]
            for i in range(depth + 1, size):
                for j in range(depth + 1, size):
                    work[depth + 1, i, j] = here[i, j]
        depth += 1
    return nodes
