"""Greatest studentised differences between systems over draws, for confidence sets of ranks."""

from rankscope.kernels.compiled import Floats, compiled


@compiled
def greatest_differences(deviations: Floats, below: Floats, above: Floats, out: Floats) -> None:
    """For every draw b and system j, the greatest over k of two weighted differences, and 0 if all are below 0.

    The differences are below[k, j]·(deviations[b, j] − deviations[b, k]) and above[k, j]·(deviations[b, k] −
    deviations[b, j]); a weight of 0 leaves one out. The inner loop runs over j, so that it becomes vector code.
    """
    draws, systems = deviations.shape
    for b in range(draws):
        row = deviations[b]
        greatest = out[b]
        for j in range(systems):
            greatest[j] = 0.0
        for k in range(systems):
            here = row[k]
            lower = below[k]
            upper = above[k]
            for j in range(systems):
                difference = row[j] - here
                value = max(lower[j] * difference, -upper[j] * difference)
                greatest[j] = max(value, greatest[j])
