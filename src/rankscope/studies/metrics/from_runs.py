"""A table of measures straight from runs and judgments, at full length or cut at several depths."""

from __future__ import annotations

import os
from collections.abc import Sequence

from rankscope.errors import BadParameter
from rankscope.files import read_judgments, read_runs
from rankscope.files.sources import expanded
from rankscope.measure_names import measure_label
from rankscope.measure_table import MeasureTable
from rankscope.measures import evaluate
from rankscope.measures.evaluation import Topics
from rankscope.measures.scoring import Measures
from rankscope.runs import Judgments, RunSet
from rankscope.scores import ScoreMatrix

PathLike = str | os.PathLike[str]

MEASURES = "gupta2019"
# What section 5.1 of Gupta et al. (2019) computes at every depth.
DEPTH_MEASURES = ("P@1000", "Bpref", "ERR", "infAP", "AP", "nDCG", "RBP(p=0.95)")
# Folders that say what is in them and not which collection it is.
_PLAIN = ("runs", "run", "input", "submissions", "results")


def measure_runs(
    runs: RunSet | PathLike | Sequence[PathLike],
    judgments: Judgments | PathLike,
    measures: Measures | None = None,
    *,
    depths: Sequence[int] | None = None,
    topics: Topics = "judged",
    name: str | None = None,
) -> MeasureTable:
    """Score runs under judgments by many measures: by default the 23 of Gupta et al. (2019), the group `gupta2019`.

    With `depths`, rankings are cut at each depth first, and measures are called `30:AP`, as `predict_deep_measures`
    takes them; the default is then the seven of section 5.1.

    >>> runs = RunSet.of({"a": {"1": ["d1", "d2"]}, "b": {"1": ["d2", "d1"]}})
    >>> table = measure_runs(runs, Judgments.of({"1": {"d1": 1}}), ["AP", "RR"], depths=[1, 2], name="toy")
    >>> table.measures, table.values.tolist()
    (('1:AP', '1:RR', '2:AP', '2:RR'), [[1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.5, 0.5]])
    """
    run_set = runs if isinstance(runs, RunSet) else read_runs(runs)
    title = name or _title(runs)  # of a path that could be read
    judged = judgments if isinstance(judgments, Judgments) else read_judgments(judgments)
    if depths is None:
        chosen = MEASURES if measures is None else measures
        found = evaluate(run_set, judged, chosen, topics=topics)
        return MeasureTable.of({_label(m): matrix for m, matrix in found.scores.items()}, name=title)
    if not depths or any(depth < 1 for depth in depths):
        raise BadParameter(f"depths={list(depths)}: one or more depths, each 1 or more")
    scores: dict[str, ScoreMatrix] = {}
    for depth in sorted(set(depths)):
        found = evaluate(run_set.top(depth), judged, DEPTH_MEASURES if measures is None else measures, topics=topics)
        scores |= {f"{depth}:{_label(measure)}": matrix for measure, matrix in found.scores.items()}
    return MeasureTable.of(scores, name=title)


def _label(measure: str) -> str:
    """The name as score tables are read; a persistence is always said."""
    return "RBP(p=0.8)" if measure == "RBP" else measure_label(measure)


def _title(runs: RunSet | PathLike | Sequence[PathLike]) -> str:
    """The collection's name: that of the folder of runs, or of the one above if it is just called `runs`."""
    if isinstance(runs, RunSet):
        return runs.name or "runs"
    if not isinstance(runs, str | os.PathLike):
        return "runs"
    path = expanded(runs).absolute()
    folder = path if path.is_dir() else path.parent
    return folder.parent.name if folder.name.lower() in _PLAIN and folder.parent.name else folder.name
