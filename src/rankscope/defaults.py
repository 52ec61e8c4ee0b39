"""Defaults that several functions and commands share; a default of one function alone stands in its signature."""

from __future__ import annotations

from typing import Final

# What intervals are meant to cover.
LEVEL: Final = 0.95

# The level of tests, and how many of them are corrected.
ALPHA: Final = 0.05
CORRECTION: Final = "bh"

# Draws of topics behind intervals and p-values; where one draw costs a whole study, fewer.
RESAMPLES: Final = 2_000
FEWER_RESAMPLES: Final = 1_000

SEED: Final = 0

# Beyond this many systems, what looks at every pair of them is sampled, left out or refused.
MOST_SYSTEMS: Final = 2_000

# What systems are ranked by where runs and judgments are given and no measure is named.
MEASURES: Final = ("nDCG@10", "AP")
