"""Greatest studentised differences between systems over draws, for confidence sets of ranks."""


def greatest_differences(
    const double[:, ::1] deviations,
    const double[:, ::1] own,
    const double[:, ::1] below,
    const double[:, ::1] above,
    double[:, ::1] out,
):
    """For every draw b and system j, the greatest over k of two weighted differences, and 0 if all are below 0.

    The differences are below[k, j]·(own[b, j] − deviations[b, k]) and above[k, j]·(deviations[b, k] − own[b, j]); a
    weight of 0 leaves one out. `own` has the deviations of the systems j, which may be some of all k. The inner loop
    runs over j, so that it becomes vector code.
    """
    cdef Py_ssize_t draws = deviations.shape[0], others = deviations.shape[1], systems = own.shape[1]
    cdef Py_ssize_t b, j, k
    cdef double here, difference
    with nogil:
        for b in range(draws):
            for j in range(systems):
                out[b, j] = 0.0
            for k in range(others):
                here = deviations[b, k]
                for j in range(systems):
                    difference = own[b, j] - here
                    out[b, j] = max(max(below[k, j] * difference, -above[k, j] * difference), out[b, j])
