"""Scores of coded runs under one grading or many: what studies that change judgments call again and again."""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from rankscope.errors import BadParameter, ShapeMismatch
from rankscope.measures.cells import Cells
from rankscope.measures.record import Measure
from rankscope.measures.registry import ByMeasure, parse_measures
from rankscope.runs import JudgedRuns
from rankscope.scores import Floats, ScoreMatrix

# Gradings that one thread takes at a time: their numbers per judgment stay in the cache, and memory stays small.
_CHUNK = 16

Measures = str | Measure | Iterable[str | Measure]


def score(judged: JudgedRuns, measures: Measures) -> ByMeasure[ScoreMatrix]:
    """The scores of all systems on all judged topics, one matrix per measure; a topic that a system lacks scores 0.

    >>> from rankscope.runs import Judgments, RunSet, join
    >>> runs = RunSet.of({"bm25": {"301": ["d1", "d2", "d3"]}})
    >>> judged = join(runs, Judgments.of({"301": {"d1": 0, "d2": 1}}))
    >>> score(judged, "RR AP")["RR"].values.tolist()
    [[0.5]]
    """
    chosen = parse_measures(measures)
    cells = Cells(judged, np.ascontiguousarray(judged.grades, dtype=np.float64)[None])
    return ByMeasure(
        (str(m), ScoreMatrix(_compute(cells, m)[0], judged.systems, judged.topics, measure=str(m), name=judged.name))
        for m in chosen
    )


def rescore(
    judged: JudgedRuns, measures: Measures, grades: npt.ArrayLike, *, jobs: int | None = None
) -> ByMeasure[Floats]:
    """Scores under many gradings of the same judgments: (B, J) grades → (B, topics, systems) for each measure.

    Grades are in the order of the judgments' rows; NaN takes a row as not judged. Threads share the gradings, and the
    numbers do not depend on how many there are.

    >>> from rankscope.runs import Judgments, RunSet, join
    >>> judged = join(RunSet.of({"a": {"1": ["x", "y"]}}), Judgments.of({"1": {"x": 1, "y": 1}}))
    >>> rescore(judged, "P@2", [[1, 1], [0, 1], [float("nan"), 0]])["P@2"].ravel().tolist()
    [1.0, 0.5, 0.0]
    """
    chosen = parse_measures(measures)
    table = np.asarray(grades, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != len(judged.grades):
        raise ShapeMismatch(f"grades of shape {table.shape} for {len(judged.grades)} judgments; give (B, J)")
    workers = (os.cpu_count() or 1) if jobs is None else jobs
    if workers < 1:
        raise BadParameter(f"jobs={jobs}: one at least")
    shape = (len(table), len(judged.topics), len(judged.systems))
    out = ByMeasure((str(m), np.empty(shape)) for m in chosen)
    chunk = max(1, min(_CHUNK, -(-len(table) // workers)))

    def fill(first: int) -> None:
        part = slice(first, first + chunk)
        cells = Cells(judged, np.ascontiguousarray(table[part]))
        for m in chosen:
            out[str(m)][part] = _compute(cells, m)

    firsts = range(0, len(table), chunk)
    if workers == 1 or len(firsts) < 2:
        for first in firsts:
            fill(first)
    else:
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(fill, firsts))
    return out


def expected_under_random_labels(judged: JudgedRuns, measure: Measure) -> Floats | None:
    """Exact expected scores, topics × systems, when each topic's grades are dealt at random to its judged documents.

    None where only draws can tell: measures without a closed form, rankings from which unjudged documents are taken
    out, and negative grades, which move documents in and out of what counts as judged.
    """
    function = measure.record.expected
    grades = np.ascontiguousarray(judged.grades, dtype=np.float64)
    known = any(p.name == "judged_only" for p in measure.record.parameters)
    if function is None or (known and measure["judged_only"]) or (grades < 0.0).any():
        return None
    return np.asarray(function(Cells(judged, grades[None]), measure)[0])


def _compute(cells: Cells, measure: Measure) -> Floats:
    function = measure.record.function
    if function is None:
        raise BadParameter(
            f"{measure} is computed by {measure.provider}, which needs the runs themselves: evaluate(runs, judgments)"
        )
    return function(cells, measure)
