"""Tukey's HSD by randomisation: scores shuffled within topics, and the range of the systems' sums after it."""

from typing import Any

import numpy as np

from rankscope.kernels.compiled import Floats, compiled


@compiled
def shuffled_ranges(scores: Floats, random: Any) -> Floats:
    """For each draw, the range of the systems' sums after each topic's scores are shuffled among the systems.

    `scores` is topics × systems, and `random` is draws × topics × systems of 32 random bits (uint32). This is the
    shuffle of Fisher and Yates; a random place is the high half of bits × choices, which favours a place among m
    systems by less than m/2³².
    """
    draws, topics, m = random.shape
    out = np.empty(draws)
    left, sums = np.empty(m), np.empty(m)
    shift = np.uint64(32)
    for draw in range(draws):
        for k in range(m):
            sums[k] = 0.0
        for topic in range(topics):
            for k in range(m):
                left[k] = scores[topic, k]
            for k in range(m - 1, -1, -1):
                place = np.int64((np.uint64(random[draw, topic, k]) * np.uint64(k + 1)) >> shift)
                sums[k] += left[place]
                left[place] = left[k]
        least, greatest = sums[0], sums[0]
        for k in range(1, m):
            least, greatest = min(least, sums[k]), max(greatest, sums[k])
        out[draw] = greatest - least
    return out
