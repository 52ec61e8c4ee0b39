"""Tukey's HSD by randomisation: scores shuffled within topics, and how far the sums of systems then range."""

from typing import Any

import numpy as np

from rankscope.kernels.compiled import Floats, compiled


@compiled
def shuffled_ranges(scores: Floats, random: Any) -> Floats:
    """For each draw, the greatest less the least system sum once each topic's scores are shuffled among systems.

    `scores` is topics × systems, and `random` is draws × topics × systems of 32 random bits (uint32). Fisher and
    Yates's shuffle, a random place being the high half of bits × choices: among m systems that favours a place by
    less than m/2³².
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
