"""A table of measures straight from runs and judgments, at full length or cut at several depths."""

from __future__ import annotations

import os
from collections.abc import Sequence

from rankscope.checks import check_count
from rankscope.errors import BadParameter
from rankscope.files.sources import expanded
from rankscope.inputs import JudgmentsLike, RunsLike, to_judgments, to_runs
from rankscope.measure_names import measure_label
from rankscope.measure_table import MeasureTable
from rankscope.measures import evaluate
from rankscope.measures.evaluation import Topics
from rankscope.measures.scoring import Measures
from rankscope.runs import RunSet
from rankscope.scores import ScoreMatrix

MEASURES = "gupta2019"
# What section 5.1 of Gupta et al. (2019) computes at every depth.
DEPTH_MEASURES = ("P@1000", "Bpref", "ERR", "infAP", "AP", "nDCG", "RBP(p=0.95)")
# Folders that say what is in them and not which collection it is.
_PLAIN = ("runs", "run", "input", "submissions", "results")


def measure_runs(
    runs: RunsLike,
    judgments: JudgmentsLike,
    measures: Measures | None = None,
    *,
    depths: Sequence[int] | None = None,
    topics: Topics = "judged",
    name: str | None = None,
) -> MeasureTable:
    """Score runs under judgments by many measures.

    Parameters
    ----------
    runs : RunsLike
        The runs to score.
    judgments : JudgmentsLike
        The judgments to score them by.
    measures : str, Measure or sequence of these, optional
        Names of measures or groups; by default `gupta2019`, the 23 of Gupta et al. (2019), or with `depths` the seven
        of their section 5.1.
    depths : sequence of int, optional
        Rankings are cut at each of these depths first, and measures are called `30:AP`, as `predict_deep_measures`
        takes them.
    topics : {"judged", "retrieved", "shared"}, default "judged"
        The topics that count for each system, as in `evaluate`.
    name : str, optional
        The collection's name; by default that of the folder of runs, or of the one above if it is just called `runs`.

    Returns
    -------
    MeasureTable
        Systems × measures, and topics × systems × measures.

    Raises
    ------
    BadParameter
        If a depth is not a whole number of at least 1, or a measure is not known.

    References
    ----------
    Gupta, Kutlu, Khetan, Lease: Correlation, Prediction and Ranking of Evaluation Metrics in Information Retrieval.
    ECIR 2019.

    Examples
    --------
    >>> runs = {"a": {"1": ["d1", "d2"]}, "b": {"1": ["d2", "d1"]}}
    >>> table = measure_runs(runs, {"1": {"d1": 1}}, ["AP", "RR"], depths=[1, 2], name="toy")
    >>> table.measures, table.values.tolist()
    (('1:AP', '1:RR', '2:AP', '2:RR'), [[1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.5, 0.5]])
    """
    run_set = to_runs(runs)
    title = name or _title(runs)  # of a path that could be read
    judged = to_judgments(judgments)
    if depths is None:
        evaluation = evaluate(run_set, judged, MEASURES if measures is None else measures, topics=topics)
        return MeasureTable.of({_label(m): matrix for m, matrix in evaluation.scores.items()}, name=title)
    if not depths:
        raise BadParameter("depths=[]: give one depth or more, such as [10, 100]")
    chosen = DEPTH_MEASURES if measures is None else measures
    scores: dict[str, ScoreMatrix] = {}
    for depth in sorted({check_count("depths", depth) for depth in depths}):
        evaluation = evaluate(run_set.top(depth), judged, chosen, topics=topics)
        scores |= {f"{depth}:{_label(measure)}": matrix for measure, matrix in evaluation.scores.items()}
    return MeasureTable.of(scores, name=title)


def _label(measure: str) -> str:
    """The name as score tables are read; a persistence is always said."""
    return "RBP(p=0.8)" if measure == "RBP" else measure_label(measure)


def _title(runs: RunsLike) -> str:
    """The collection's name: that of the folder of runs, or of the one above if it is just called `runs`."""
    if isinstance(runs, RunSet):
        return runs.name or "runs"
    if not isinstance(runs, str | os.PathLike):
        return "runs"
    path = expanded(runs).absolute()
    folder = path if path.is_dir() else path.parent
    return folder.parent.name if folder.name.lower() in _PLAIN and folder.parent.name else folder.name
