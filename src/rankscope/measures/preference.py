"""Measures for incomplete judgments: bpref and inferred AP, which leave out what nobody judged."""

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

    levels = cells.levels(str(m), m.rel)
    return cells.shaped(preferences(cells.starts, cells.ranks, cells.rows, cells.judgment_starts, levels, inferred))


BPREF = Record(
    name="Bpref",
    label="binary preference",
    looks_at="how many judged non-relevant documents stand above the relevant ones",
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
    looks_at="AP, where a negative grade is in the pool and not judged: as often relevant as what is judged above it",
    reference="Yilmaz & Aslam, CIKM 2006",
    function=_inferred,
    parameters=(REL,),
    trec="infAP",
    binary=True,
)
