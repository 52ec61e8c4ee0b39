"""From probabilities of discordance to expected τ and τ_AP (Urbano & Marrero 2016, Eqs. 3 and 4)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankscope.inference.expected_pairs import Sample
from rankscope.scores import Floats


def expected_tau_and_ap(sample: Sample, swaps: Floats) -> Floats:
    """E[τ] by Eq. 3 and E[τ_AP] by Eq. 4, whose outer sum must run to m, not to m − 1 as printed."""
    m = sample.systems
    by_lower = np.array([swaps.sum() / (m * (m - 1) / 2.0), (ap_weights(sample.groups) * swaps).sum() / (m - 1)])
    return np.asarray(1.0 - 2.0 * by_lower)


def ap_weights(groups: npt.NDArray[np.intp]) -> Floats:
    """1/(rank of j − 1) for each pair of i above j; for tied systems the mean over all ways to order them.

    `groups` numbers the systems, best first, those with equal means alike.

    >>> ap_weights(np.array([0, 1, 1])).tolist()
    [[0.0, 0.75, 0.75], [0.0, 0.0, 0.5], [0.0, 0.0, 0.0]]
    """
    m = len(groups)
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, m + 1))])
    sizes = np.bincount(groups)
    above = np.cumsum(sizes) - sizes
    weights = np.broadcast_to(((harmonic[above + sizes - 1] - harmonic[above - 1]) / sizes)[groups], (m, m)).copy()
    for group in np.flatnonzero(sizes > 1):
        first, size = int(above[group]), int(sizes[group])
        lower = np.arange(first + 1, first + size)  # ranks of the lower of two, less 1
        weights[first : first + size, first : first + size] = (
            2.0 * ((lower - first) / lower).sum() / (size * size - size)
        )
    return np.triu(weights, 1)
