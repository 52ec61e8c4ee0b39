"""Compatibility: the overlap of a ranking with an ideal one."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from rankscope.measures.cells import Cells
from rankscope.measures.record import Measure, Record
from rankscope.parameters import Parameter
from rankscope.scores import Floats


def _compat(cells: Cells, m: Measure) -> Floats:
    from rankscope.kernels.measures_partial import compatibility

    p = m["p"]
    powers = p ** np.arange(cells.deepest, dtype=np.float64)
    overlaps = np.concatenate([[0.0], np.cumsum(powers / np.arange(1, cells.deepest + 1))])
    weights = np.concatenate([[0.0], np.cumsum(powers)])
    above = cells.kept("above", lambda: _above(cells))
    return cells.shaped(compatibility(cells.rankings, above, overlaps, weights, m["normalize"]))


def _above(cells: Cells) -> npt.NDArray[np.int64]:
    """The number of the topic's documents with a greater grade, −1 for documents of grade 0 or less."""
    above = np.full(cells.grades.shape, -1, dtype=np.int64)
    ordered = cells.sorted_by_topic(np.where(cells.grades > 0.0, cells.grades, 0.0))
    bounds = cells.judged.judgment_starts.tolist()
    for b, grades in enumerate(cells.grades):
        for first, last in pairwise(bounds):
            ascending = ordered[b, first:last][::-1]
            greater = (last - first) - np.searchsorted(ascending, grades[first:last], side="right")
            above[b, first:last] = np.where(grades[first:last] > 0.0, greater, -1)
    return above


COMPAT = Record(
    name="Compat",
    label="compatibility",
    looks_at="rank-biased overlap with the nearest ideal ranking: by grade, equal grades as the ranking has them",
    reference="Clarke, Vtyurina & Smucker, TOIS 2021",
    function=_compat,
    parameters=(
        Parameter(name="p", default=0.95, meaning="the probability of continuing", least=0.0, below=1.0),
        Parameter(name="normalize", default=True, meaning="divide by the ideal ranking's overlap with itself"),
    ),
    binary=False,
)
