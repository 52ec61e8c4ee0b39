"""Scores shuffled within topics, and the systems' sums after it: Tukey's HSD by randomisation, and scores by chance."""

import numpy as np

from libc.stdint cimport uint32_t, uint64_t

from rankscope.kernels.sorting cimport copy_row


def shuffled_sums(const double[:, ::1] scores, const uint32_t[:, :, ::1] random):
    """For each draw, the systems' sums after each topic's scores are shuffled among the systems: draws × systems.

    `scores` is topics × systems, and `random` is draws × topics × systems of 32 random bits. This is the shuffle of
    Fisher and Yates; a random place is the high half of bits × choices, which favours a place among m systems by less
    than m/2³².
    """
    cdef Py_ssize_t draws = random.shape[0], topics = random.shape[1], m = random.shape[2], draw, topic, k, place
    cdef double[:, ::1] out = np.zeros((draws, m))
    cdef double[::1] room_left = np.empty(m)
    cdef double* left = &room_left[0]
    cdef double* sums
    cdef const uint32_t* bits
    with nogil:
        for draw in range(draws):
            sums = &out[draw, 0]
            for topic in range(topics):
                copy_row(&scores[topic, 0], left, m)
                bits = &random[draw, topic, 0]
                for k in range(m - 1, -1, -1):
                    place = (<uint64_t>bits[k] * <uint64_t>(k + 1)) >> 32
                    sums[k] += left[place]
                    left[place] = left[k]
    return out.base
