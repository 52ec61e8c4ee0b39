"""Scores of joined runs under one grading or many, for studies that score the same documents again and again."""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from rankscope.checks import check_jobs
from rankscope.errors import BadParameter, ShapeMismatch
from rankscope.measures.cells import Cells
from rankscope.measures.record import Measure
from rankscope.measures.registry import ByMeasure, parse_measures
from rankscope.runs import JudgedRuns
from rankscope.scores import Floats, ScoreMatrix

# Gradings that a thread takes at a time, so that their numbers per judgment stay in the processor's cache.
_CHUNK = 16

Measures = str | Measure | Iterable[str | Measure]


def score(judged: JudgedRuns, measures: Measures) -> ByMeasure[ScoreMatrix]:
    """The scores of all systems on all judged topics, a matrix for each measure.

    A system that retrieved nothing for a topic scores 0 there.

    Parameters
    ----------
    judged : JudgedRuns
        Runs joined with judgments by `rs.join`.
    measures : str | Measure | Iterable[str | Measure]
        The measures, as `rs.parse_measures` takes them.

    Returns
    -------
    ByMeasure[ScoreMatrix]
        Topics × systems for each measure, found under any spelling of its name.

    Raises
    ------
    UnknownName, BadParameter
        If a measure is unknown, or is computed by ir_measures, which needs the runs: use `rs.evaluate`.

    Examples
    --------
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
    """Scores under many gradings of the same judgments.

    Threads share the gradings; the numbers do not depend on the number of threads.

    Parameters
    ----------
    judged : JudgedRuns
        Runs joined with judgments by `rs.join`.
    measures : str | Measure | Iterable[str | Measure]
        The measures, as `rs.parse_measures` takes them.
    grades : array_like
        B gradings of the J judgments, (B, J), in the order of the judgments' rows; NaN is not judged.
    jobs : int | None, default None
        The number of threads; None is one per core.

    Returns
    -------
    ByMeasure[ndarray]
        (B, topics, systems) scores for each measure, found under any spelling of its name.

    Raises
    ------
    ShapeMismatch
        If `grades` is not (B, J).
    UnknownName, BadParameter
        If a measure is unknown or computed by ir_measures, or `jobs` is below 1.

    Examples
    --------
    >>> from rankscope.runs import Judgments, RunSet, join
    >>> judged = join(RunSet.of({"a": {"1": ["x", "y"]}}), Judgments.of({"1": {"x": 1, "y": 1}}))
    >>> rescore(judged, "P@2", [[1, 1], [0, 1], [float("nan"), 0]])["P@2"].ravel().tolist()
    [1.0, 0.5, 0.0]
    """
    chosen = parse_measures(measures)
    table = np.asarray(grades, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != len(judged.grades):
        raise ShapeMismatch(f"grades of shape {table.shape} for {len(judged.grades)} judgments; give (B, J) grades")
    workers = check_jobs(jobs) or os.cpu_count() or 1
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
    """Exact expected scores, topics × systems, when each topic's grades are permuted at random among its documents.

    None without a closed form: for some measures, for rankings without their unjudged documents (`judged_only`), and
    for negative grades, which would change which documents count as judged.
    """
    function = measure.record.expected
    grades = np.ascontiguousarray(judged.grades, dtype=np.float64)
    judged_only = any(p.name == "judged_only" for p in measure.record.parameters) and measure["judged_only"]
    if function is None or judged_only or (grades < 0.0).any():
        return None
    return np.asarray(function(Cells(judged, grades[None]), measure)[0])


def _compute(cells: Cells, measure: Measure) -> Floats:
    function = measure.record.function
    if function is None:
        raise BadParameter(
            f"{measure} is computed by {measure.provider}, which needs the runs themselves: evaluate(runs, judgments)"
        )
    return function(cells, measure)
