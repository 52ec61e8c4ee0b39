"""Greatest studentised differences between systems over draws, for confidence sets of ranks."""

from rankscope.kernels.compiled import Floats, compiled


@compiled
def greatest_differences(deviations: Floats, own: Floats, below: Floats, above: Floats, out: Floats) -> None:
    """For every draw b and system j, the greatest over k of two weighted differences, and 0 if all are below 0.

    The differences are below[k, j]·(own[b, j] − deviations[b, k]) and above[k, j]·(deviations[b, k] − own[b, j]); a
    weight of 0 leaves one out. `own` has the deviations of the systems j, which may be some of all k. The inner loop
    runs over j, so that it becomes vector code.
    """
    draws, others = deviations.shape
    systems = own.shape[1]
    for b in range(draws):
        row = own[b]
        greatest = out[b]
        for j in range(systems):
            greatest[j] = 0.0
        for k in range(others):
            here = deviations[b, k]
            lower = below[k]
            upper = above[k]
            for j in range(systems):
                difference = row[j] - here
                value = max(lower[j] * difference, -upper[j] * difference)
                greatest[j] = max(value, greatest[j])
