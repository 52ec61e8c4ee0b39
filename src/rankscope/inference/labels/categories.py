"""From grades to labels: which real-valued grades count as the same label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from rankscope.errors import BadParameter
from rankscope.scores import Floats

Rule = Literal["truncate", "round", "distinct"]
RULES: tuple[Rule, ...] = ("truncate", "round", "distinct")
Categories = Rule | Sequence[float]


def labels_of(grades: Floats, categories: Categories, option: str) -> Floats:
    """Each grade's label.

    "truncate" drops the decimals, as trec_eval does; "round" takes the nearest whole number, halves upwards; "distinct"
    keeps the grades. Bounds in ascending order make bins: the label is the number of bounds that the grade reaches.

    >>> labels_of(np.array([0.4, 1.5, 2.9]), "truncate", "categories").tolist()
    [0.0, 1.0, 2.0]
    >>> labels_of(np.array([0.4, 1.5, 2.9]), (0.5, 2.5), "categories").tolist()
    [0.0, 1.0, 2.0]
    """
    if isinstance(categories, str):
        if categories == "truncate":
            return np.asarray(np.trunc(grades) + 0.0)  # −0.3 is truncated to −0, which is 0
        if categories == "round":
            whole = np.floor(grades)
            return np.asarray(whole + (grades - whole >= 0.5))
        if categories == "distinct":
            return grades + 0.0
        raise BadParameter(f"{option}={categories!r}: one of {', '.join(RULES)}, or bounds")
    bounds = np.asarray(categories, dtype=np.float64)
    if bounds.ndim != 1 or not len(bounds) or not np.isfinite(bounds).all() or (np.diff(bounds) <= 0.0).any():
        raise BadParameter(f"{option}={categories!r}: bounds must be one or more numbers in ascending order")
    return np.searchsorted(bounds, grades, side="right").astype(np.float64)


def as_setting(categories: Categories) -> str | list[float]:
    """The rule as results record it."""
    return categories if isinstance(categories, str) else [float(bound) for bound in categories]
