"""`rankscope study`: questions that take many simulated or resampled evaluations, each a command of its own.

To add one, write `cli/study_NAME.py` with the command in a function named like the command (`-` becomes `_`), and put
its name in STUDIES.
"""

from __future__ import annotations

import click

from rankscope.cli.lazy import LazyGroup

STUDIES = (
    "depth-cost",
    "estimators",
    "gaps",
    "holes",
    "pool-depth",
    "pseudo",
    "reorderings",
    "swaps",
    "topics",
    "uniques",
    "weights",
)  # fmt: skip


@click.group(cls=LazyGroup, names=STUDIES, prefix="study_")
def study() -> None:
    """Questions that take many evaluations: how good are estimators, and the like."""
