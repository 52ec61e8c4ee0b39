"""Several scores of a system on a topic: which of them counts."""

from __future__ import annotations

import warnings
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from rankscope.averages import exact_means
from rankscope.errors import RepeatedScores
from rankscope.scores import Floats

OnDuplicateScores = Literal["error", "first", "last", "mean", "best"]
ON_DUPLICATE_SCORES: tuple[OnDuplicateScores, ...] = get_args(OnDuplicateScores)

# Where lower scores are better, the best is the lowest.
Combining = OnDuplicateScores | Literal["lowest"]

Indices = npt.NDArray[np.intp]


def combined(values: Floats, cells: Indices, size: int, on_duplicate: Combining, path: str) -> Floats:
    """One score for each of `size` cells, NaN for a cell without one; a warning says how many had several.

    A missing score counts as none beside others. Best is the highest score.

    >>> combined(np.array([1.0, np.nan, 4.0]), np.array([0, 0, 2]), 3, "last", "scores.csv").tolist()
    [1.0, nan, 4.0]
    """
    grid = np.full(size, np.nan)
    grid[cells] = values
    present = np.flatnonzero(np.isfinite(values))
    counts = np.bincount(cells[present], minlength=size)
    if on_duplicate == "error" or len(cells) == len(np.unique(cells)):
        return grid
    order = present[np.argsort(cells[present], kind="stable")]
    begins = np.concatenate([[0], np.cumsum(counts)[:-1]])
    filled = np.flatnonzero(counts)
    if on_duplicate == "mean":
        for count in np.unique(counts[filled]).tolist():
            alike = np.flatnonzero(counts == count)
            grid[alike] = exact_means(values[order[begins[alike] + np.arange(count)[:, None]]])
    elif on_duplicate in ("best", "lowest"):
        extreme = np.maximum if on_duplicate == "best" else np.minimum
        grid[filled] = extreme.reduceat(values[order], begins[filled])
    else:
        at = begins[filled] if on_duplicate == "first" else begins[filled] + counts[filled] - 1
        grid[filled] = values[order[at]]
    _say(path, counts, on_duplicate)
    return grid


def _say(path: str, counts: npt.NDArray[np.int64], on_duplicate: Combining) -> None:
    several = counts[counts > 1]
    if not len(several):
        return
    fewest, most = int(several.min()), int(several.max())
    each = f"{most}" if fewest == most else f"{fewest} to {most}"
    warnings.warn(
        f"{path}: {len(several):,} of {int((counts > 0).sum()):,} scores were given more than once ({each} rows each); "
        f"the {on_duplicate} of each is used",
        RepeatedScores,
        stacklevel=2,
    )
