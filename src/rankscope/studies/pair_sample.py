"""Beyond a stated number of systems, studies of pairs take the pairs of a sample of systems, and say so."""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt

from rankscope.defaults import MOST_SYSTEMS
from rankscope.errors import RankscopeWarning
from rankscope.inference.swap_probabilities import sampled_systems


def too_many(systems: int) -> int | None:
    """The number of systems up to which every pair is looked at, where there are more; else None.

    >>> too_many(2_000), too_many(2_001)
    (None, 2000)
    """
    return MOST_SYSTEMS if systems > MOST_SYSTEMS else None


def systems_to_pair(systems: int, most: int | None = None) -> tuple[npt.NDArray[np.intp], int | None]:
    """The places of the systems whose pairs are looked at, and their number where they stand for more.

    `most` is `MOST_SYSTEMS` unless given.
    """
    places = sampled_systems(systems, MOST_SYSTEMS if most is None else most)
    if len(places) == systems:
        return places, None
    warnings.warn(
        f"of {systems:,} systems, the pairs of a random sample of {len(places):,} are looked at",
        RankscopeWarning,
        stacklevel=3,
    )
    return places, len(places)
