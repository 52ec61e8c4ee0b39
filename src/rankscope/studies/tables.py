"""What a study starts from: score tables, named and without the worst systems, and the groups of systems."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.errors import BadParameter, MismatchedNames, TooFewSystems, some
from rankscope.inference.expected import checked_sample
from rankscope.inputs import ScoresLike, to_matrix
from rankscope.scores import ScoreMatrix
from rankscope.studies.families import Groups, to_groups

# "As is common practice, we first drop the bottom 25% of results to avoid effects of possibly buggy systems" (Urbano &
# Marrero 2016, 4.2).
DROP = 0.25


def best_systems(scores: ScoresLike, drop: float = DROP) -> ScoreMatrix:
    """The systems whose means are not below the quantile `drop` of all means; at least two must be left and differ.

    >>> best_systems([[0.1, 0.2, 0.3, 0.4], [0.2, 0.2, 0.5, 0.6]]).values.shape
    (2, 3)
    """
    table = to_matrix(scores, "collections are simulated from topics")
    checked_sample(table)
    # A share of means, so that rounding in a quantile which is one of them must not drop it.
    keep = table.means >= np.quantile(table.means, drop) - 1e-12 * np.abs(table.means).max()
    best = table.select(systems=[name for name, kept in zip(table.systems, keep, strict=True) if kept])
    try:
        checked_sample(best)
    except TooFewSystems as error:
        raise TooFewSystems(f"without the worst, {error}; use drop=0 (--drop 0) to keep all") from None
    return best


def named_tables(scores: Any) -> dict[str, Any]:
    """Score tables by name: a mapping's own, else the names of files without their endings, else "scores"."""
    if isinstance(scores, Mapping):
        named = {str(name): table for name, table in scores.items()}
    else:
        several = isinstance(scores, list | tuple) and not _is_table(scores)
        named = {}
        for table in scores if several else [scores]:
            name = _name(table, len(named) + 1)
            if name in named:
                both = f" ({named[name]} and {table})" if isinstance(table, str | os.PathLike) else ""
                problem = f"two score tables are called {name!r}{both}"
                raise BadParameter(f"{problem}; give each once, and rename a file, or give a mapping")
            named[name] = table
    if not named:
        raise BadParameter("there are no scores; give at least one score table")
    return named


def check_groups(groups: Groups, systems: Sequence[str]) -> dict[str, str]:
    """The group of every system."""
    groups = to_groups(groups, systems)
    missing = [system for system in systems if system not in groups]
    if missing:
        raise MismatchedNames(f"no group is named for {some(missing)}; name one for every system, such as 'other'")
    return {system: str(groups[system]) for system in systems}


def _is_table(scores: Sequence[Any]) -> bool:
    """Whether a list is rows of numbers and not a list of tables."""
    return bool(scores) and isinstance(scores[0], list | tuple)


def _name(table: object, number: int) -> str:
    source = table if isinstance(table, str | os.PathLike) else getattr(table, "name", None)
    if not isinstance(source, str | os.PathLike) or not str(source):
        return "scores" if number == 1 else f"scores {number}"
    name = Path(source).name
    return name.split(".")[0] or name
