"""Principal submatrices of greatest determinant, for every size at once: branch and bound."""

import numpy as np

from libc.math cimport log
from libc.stdint cimport int64_t


cdef bint _promising(
    const double* matrix, Py_ssize_t size, Py_ssize_t start, double value, const double* best, double* logs
) noexcept nogil:
    """Whether some size can still be improved: no determinant exceeds the product of its diagonal (Hadamard).

    `best` starts at the number of items chosen so far.
    """
    cdef Py_ssize_t left = size - start, i, j
    cdef double bound = value, here
    for i in range(left):
        here = log(max(matrix[(start + i) * (size + 1)], 1e-300))
        j = i
        while j > 0 and logs[j - 1] < here:
            logs[j] = logs[j - 1]
            j -= 1
        logs[j] = here
    for i in range(left):
        bound += logs[i]
        if bound > best[i + 1]:
            return True
    return False


def greatest_determinants(
    const double[:, ::1] matrix, const double[::1] floor, double[::1] best, int64_t[:, ::1] members
):
    """Improve `best` (log determinants by size, 0 to S) and `members` (size × S, 1 for a member) to the optimum.

    Each item in turn is taken, which leaves the Schur complement of the rest, or left out. An item whose conditional
    variance is at most its `floor` depends on those taken and cannot join them. Returns the number of nodes.
    """
    cdef Py_ssize_t size = matrix.shape[0], depth = 0, nodes = 0, count, i, j
    cdef double[:, :, ::1] work = np.zeros((size + 1, size, size))
    cdef double[::1] value = np.zeros(size + 1), logs = np.zeros(size)
    cdef int64_t[::1] chosen = np.zeros(size + 1, dtype=np.int64), state = np.zeros(size + 1, dtype=np.int64)
    cdef int64_t[::1] taken = np.zeros(size, dtype=np.int64)
    cdef double pivot, ratio
    with nogil:
        for i in range(size):
            for j in range(size):
                work[0, i, j] = matrix[i, j]
        while depth >= 0:
            if depth == size or state[depth] == 2:
                if depth < size:
                    state[depth] = 0
                    taken[depth] = 0
                depth -= 1
                continue
            if state[depth] == 0:
                nodes += 1
                if not _promising(&work[depth, 0, 0], size, depth, value[depth], &best[chosen[depth]], &logs[0]):
                    depth -= 1
                    continue
                state[depth] = 1
                pivot = work[depth, depth, depth]
                if pivot <= floor[depth]:
                    continue
                taken[depth] = 1
                value[depth + 1] = value[depth] + log(pivot)
                chosen[depth + 1] = chosen[depth] + 1
                count = chosen[depth + 1]
                if value[depth + 1] > best[count]:
                    best[count] = value[depth + 1]
                    for i in range(size):
                        members[count, i] = taken[i]
                for i in range(depth + 1, size):
                    ratio = work[depth, i, depth] / pivot
                    for j in range(depth + 1, size):
                        work[depth + 1, i, j] = work[depth, i, j] - ratio * work[depth, depth, j]
            else:
                state[depth] = 2
                taken[depth] = 0
                value[depth + 1] = value[depth]
                chosen[depth + 1] = chosen[depth]
                for i in range(depth + 1, size):
                    for j in range(depth + 1, size):
                        work[depth + 1, i, j] = work[depth, i, j]
            depth += 1
    return nodes
