"""Measures for incomplete judgments: bpref and inferred AP."""

from __future__ import annotations

from rankscope.measures.cells import Cells
from rankscope.measures.precision import REL
from rankscope.measures.record import Measure, Record
from rankscope.scores import Floats


def _bpref(cells: Cells, m: Measure) -> Floats:
    return _walk(cells, m, inferred=False)


def _inferred(cells: Cells, m: Measure) -> Floats:
    return _walk(cells, m, inferred=True)


def _walk(cells: Cells, m: Measure, *, inferred: bool) -> Floats:
    from rankscope.kernels.measures_partial import preferences

    return cells.shaped(preferences(cells.rankings, cells.levels(str(m), m.rel), inferred))


BPREF = Record(
    name="Bpref",
    label="binary preference",
    looks_at="how many judged non-relevant documents rank above the relevant ones",
    reference="Buckley & Voorhees, SIGIR 2004",
    function=_bpref,
    parameters=(REL,),
    trec="bpref",
    binary=True,
    unjudged="left out",
)
INF_AP = Record(
    name="infAP",
    label="inferred average precision",
    looks_at="expected AP: documents with a negative grade are as often relevant as those judged above them",
    reference="Yilmaz & Aslam, CIKM 2006",
    function=_inferred,
    parameters=(REL,),
    trec="infAP",
    binary=True,
)
