"""Measures of the retrieved set, regardless of its order, and counts."""

from __future__ import annotations

import numpy as np

from rankscope.measures.cells import Cells, ratio
from rankscope.measures.precision import JUDGED_ONLY, REL
from rankscope.measures.record import Measure, Record
from rankscope.parameters import Parameter
from rankscope.scores import Floats

_SETS = "van Rijsbergen, Information Retrieval, 1979"
_COUNT = (0.0, float("inf"))


def _precision(cells: Cells, m: Measure) -> Floats:
    counts = cells.counts(str(m), m.rel, judged_only=m["judged_only"])
    whole = np.minimum(counts.shown, counts.relevant) if m["relative"] else counts.shown
    return ratio(counts.hits, whole)


def _recall(cells: Cells, m: Measure) -> Floats:
    counts = cells.counts(str(m), m.rel)
    return ratio(counts.hits, counts.relevant)


def _f(cells: Cells, m: Measure) -> Floats:
    counts = cells.counts(str(m), m.rel, judged_only=m["judged_only"])
    precision, recall = ratio(counts.hits, counts.shown), ratio(counts.hits, counts.relevant)
    beta = m["beta"]
    return ratio((beta + 1.0) * precision * recall, recall + beta * precision)


def _average(cells: Cells, m: Measure) -> Floats:
    counts = cells.counts(str(m), m.rel, judged_only=m["judged_only"])
    return ratio(counts.hits, counts.shown) * ratio(counts.hits, counts.relevant)


def _utility(cells: Cells, m: Measure) -> Floats:
    counts = cells.counts(str(m), m.rel)
    return counts.hits - (counts.shown - counts.hits)


def _judged(cells: Cells, m: Measure) -> Floats:
    counts = cells.counts(str(m), 0.0, m.depth)
    return ratio(counts.known, counts.shown)


def _retrieved(cells: Cells, m: Measure) -> Floats:
    if m.rel is not None:
        return cells.counts(str(m), m.rel).hits
    retrieved = cells.judged.retrieved.astype(np.float64)
    return cells.shaped(np.tile(retrieved, (len(cells.grades), 1)))


def _relevant(cells: Cells, m: Measure) -> Floats:
    counts = cells.counts(str(m), m.rel)
    return np.broadcast_to(counts.relevant, counts.hits.shape).copy()


def _relevant_retrieved(cells: Cells, m: Measure) -> Floats:
    return cells.counts(str(m), m.rel).hits


def _topics(cells: Cells, m: Measure) -> Floats:
    return np.ones((len(cells.grades), cells.topics, cells.systems))


SET_P = Record(
    name="SetP",
    label="set precision",
    looks_at="the share of the retrieved documents that is relevant",
    reference=_SETS,
    function=_precision,
    parameters=(
        REL,
        Parameter(
            name="relative", default=False, meaning="divide by the greatest value possible for this number of documents"
        ),
        JUDGED_ONLY,
    ),
    trec="set_P",
    binary=True,
)
SET_R = Record(
    name="SetR",
    label="set recall",
    looks_at="the share of all relevant documents that was retrieved",
    reference=_SETS,
    function=_recall,
    parameters=(REL,),
    trec="set_recall",
    binary=True,
)
SET_F = Record(
    name="SetF",
    label="set F",
    looks_at="(β + 1) P R / (R + β P) of set precision and set recall",
    reference=_SETS,
    function=_f,
    parameters=(
        REL,
        Parameter(name="beta", default=1.0, meaning="the weight of recall; not squared, as in trec_eval", least=0.0),
        JUDGED_ONLY,
    ),
    trec="set_F",
    binary=True,
)
SET_AP = Record(
    name="SetAP",
    label="set average precision",
    looks_at="set precision × set recall",
    reference="trec_eval's set_map",
    function=_average,
    parameters=(REL, JUDGED_ONLY),
    trec="set_map",
    binary=True,
)
UTILITY = Record(
    name="Utility",
    label="utility",
    looks_at="relevant documents retrieved minus other documents retrieved",
    reference="trec_eval's utility with its weights 1, −1, 0, 0",
    function=_utility,
    parameters=(REL,),
    trec="utility",
    binary=True,
    range=(float("-inf"), float("inf")),
)
JUDGED = Record(
    name="Judged",
    label="judgment rate",
    looks_at="the share of the top k that has a row in the judgments",
    reference="MacAvaney, OpenNIR, WSDM 2020",
    function=_judged,
    cutoff="optional",
    binary=False,
    unjudged="counted",
)
NUM_RET = Record(
    name="NumRet",
    label="documents retrieved",
    looks_at="the number of documents retrieved; with rel, of those of grade rel or more",
    reference="trec_eval's num_ret",
    function=_retrieved,
    parameters=(Parameter(name="rel", default=None, meaning="the lowest grade that is counted; all if not given"),),
    trec="num_ret",
    binary=False,
    range=_COUNT,
    summary="sum",
    unjudged="counted",
)
NUM_REL = Record(
    name="NumRel",
    label="relevant documents",
    looks_at="the number of relevant documents of the topic",
    reference="trec_eval's num_rel",
    function=_relevant,
    parameters=(REL,),
    trec="num_rel",
    binary=True,
    range=_COUNT,
    summary="sum",
    unjudged="not used",
)
NUM_REL_RET = Record(
    name="NumRelRet",
    label="relevant documents retrieved",
    looks_at="the number of relevant documents retrieved",
    reference="trec_eval's num_rel_ret",
    function=_relevant_retrieved,
    parameters=(REL,),
    trec="num_rel_ret",
    binary=True,
    range=_COUNT,
    summary="sum",
)
NUM_Q = Record(
    name="NumQ",
    label="topics",
    looks_at="the number of topics",
    reference="trec_eval's num_q",
    function=_topics,
    trec="num_q",
    binary=False,
    summary="sum",
    unjudged="not used",
)
