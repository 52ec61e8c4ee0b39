"""Precision, recall and measures made of them: P@k, R@k, Rprec, Success@k, RR, AP, GMAP, interpolated precision."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankscope.measures.cells import RELEVANT, Cells, ratio
from rankscope.measures.record import Measure, Record
from rankscope.parameters import Parameter
from rankscope.scores import Floats

# With real-valued grades a binary measure needs `rel`, so that it stays in the name even if it is 1.
REL = Parameter(name="rel", default=1, meaning="the lowest relevant grade", least=0, always_named=True)
JUDGED_ONLY = Parameter(name="judged_only", default=False, meaning="remove unjudged documents from the ranking first")
_BOTH = (REL, JUDGED_ONLY)

# The least AP in a geometric mean, as in trec_eval.
_LEAST_AP = 0.00001
_ELEVEN = tuple(level / 10 for level in range(11))


def _precision(cells: Cells, m: Measure) -> Floats:
    top = cells.hits(str(m), m.rel, m.depth, judged_only=m["judged_only"])
    return top.hits / m.depth


def _precision_parts(cells: Cells, m: Measure) -> tuple[Floats, Floats]:
    return _relevant(cells, m), np.full(m.depth, 1.0 / m.depth)


def _average_precision_parts(cells: Cells, m: Measure) -> tuple[Floats, Floats]:
    return _relevant(cells, m), 1.0 / np.arange(1.0, (m.depth or cells.deepest) + 1.0)


def _relevant(cells: Cells, m: Measure) -> Floats:
    return np.asarray(cells.levels(str(m), m.rel) == RELEVANT, dtype=np.float64)


def _recall(cells: Cells, m: Measure) -> Floats:
    top = cells.hits(str(m), m.rel, m.depth, judged_only=m["judged_only"])
    return ratio(top.hits, top.relevant)


def _expected_precision(cells: Cells, m: Measure) -> Floats:
    return _expected_hits(cells, m) / m.depth


def _expected_recall(cells: Cells, m: Measure) -> Floats:
    return ratio(_expected_hits(cells, m), cells.counts(str(m), m.rel, m.depth).relevant)


def _expected_hits(cells: Cells, m: Measure) -> Floats:
    hits, _ = cells.discounted(cells.topic_means(_relevant(cells, m)), np.ones(m.depth), m.depth)
    return hits


def _r_precision(cells: Cells, m: Measure) -> Floats:
    counts = cells.counts(str(m), m.rel, -1, judged_only=m["judged_only"])
    return ratio(counts.hits, counts.relevant)


def _success(cells: Cells, m: Measure) -> Floats:
    counts = cells.counts(str(m), m.rel, m.depth, judged_only=m["judged_only"])
    return (counts.hits > 0).astype(np.float64)


def _reciprocal_rank(cells: Cells, m: Measure) -> Floats:
    counts = cells.counts(str(m), m.rel, m.depth, judged_only=m["judged_only"])
    return ratio(np.ones(()), counts.first_hit)


def _average_precision(cells: Cells, m: Measure) -> Floats:
    top = cells.hits(str(m), m.rel, m.depth, judged_only=m["judged_only"])
    return ratio(top.precision_sum, top.relevant)


def _expected_average_precision(cells: Cells, m: Measure) -> Floats:
    """Σ over judged documents of (p + (k − 1) q)/rank, divided by the number of relevant documents.

    k is the document's place among the judged ones, p the probability that it is relevant, and q that it and another
    both are: R/J and R(R − 1)/(J(J − 1)) with R relevant among J judged documents.
    """
    levels, judged = cells.levels(str(m), m.rel), cells.judged
    lengths = np.diff(judged.starts)
    out = np.zeros((len(levels), len(lengths)))
    cell = np.repeat(np.arange(len(lengths)), lengths)
    topic = cell // cells.systems
    for b, row in enumerate(levels):
        known, relevant = (_topic_sums(flags, judged.judgment_starts) for flags in (row >= 0, row == RELEVANT))
        p = ratio(relevant, known)
        q = p * ratio(relevant - 1.0, known - 1.0)
        counted = (row[judged.rows] >= 0) & (judged.ranks <= (m.depth or np.inf))
        above = np.cumsum(counted)
        place = above - np.concatenate([[0], above])[judged.starts[:-1]][cell]
        gain = np.where(counted, (p[topic] + (place - 1) * q[topic]) / judged.ranks, 0.0)
        out[b] = np.bincount(cell, gain, minlength=len(lengths))
    return ratio(cells.shaped(out), cells.counts(str(m), m.rel, m.depth).relevant)


def _topic_sums(flags: npt.NDArray[np.bool_], starts: npt.NDArray[np.int64]) -> Floats:
    """The number of true flags of each topic, whose flags are those between two starts."""
    return np.diff(np.concatenate([[0], np.cumsum(flags)])[starts]).astype(np.float64)


def _log_average_precision(cells: Cells, m: Measure) -> Floats:
    top = cells.hits(str(m), m.rel)
    return np.asarray(np.log(np.maximum(ratio(top.precision_sum, top.relevant), _LEAST_AP)))


def _interpolated(cells: Cells, m: Measure) -> Floats:
    return np.asarray(_at_recalls(cells, m, (float(m.cutoff or 0.0),))[0])


def _eleven_points(cells: Cells, m: Measure) -> Floats:
    return np.asarray(_at_recalls(cells, m, _ELEVEN).sum(axis=0) / len(_ELEVEN))


def _at_recalls(cells: Cells, m: Measure, recalls: tuple[float, ...]) -> Floats:
    from rankscope.kernels.measures_partial import interpolated

    judged_only = m["judged_only"]
    counts = cells.counts(str(m), m.rel, judged_only=judged_only)
    # The number of relevant documents that make up this recall: trec_eval adds 0.9 and rounds down.
    needed = np.floor(np.array(recalls) * counts.relevant + 0.9).astype(np.int64)
    precisions = interpolated(cells.rankings, cells.levels(str(m), m.rel), needed, judged_only)
    return precisions.reshape(len(recalls), *counts.hits.shape)


AP = Record(
    name="AP",
    label="average precision",
    looks_at="precision at each relevant document, averaged over all relevant documents of the topic",
    reference="Harman, TREC-1, 1992; Buckley & Voorhees, SIGIR 2000",
    function=_average_precision,
    parts=_average_precision_parts,
    form="pairs",
    expected=_expected_average_precision,
    parameters=_BOTH,
    cutoff="optional",
    trec="map",
    trec_cut="map_cut_{}",
    also=("MAP",),
    binary=True,
)
GMAP = Record(
    name="GMAP",
    label="geometric mean average precision",
    looks_at="the logarithm of AP (at least 0.00001), so that hard topics weigh as much as easy ones",
    reference="Robertson, On GMAP, CIKM 2006",
    function=_log_average_precision,
    parameters=(REL,),
    trec="gm_map",
    also=("gm_ap",),
    binary=True,
    range=(float(np.log(_LEAST_AP)), 0.0),
    summary="geometric",
)
P = Record(
    name="P",
    label="precision",
    looks_at="the share of the top k that is relevant; missing documents of a shorter ranking are not relevant",
    reference="Cleverdon, Cranfield, 1966",
    function=_precision,
    parts=_precision_parts,
    expected=_expected_precision,
    parameters=_BOTH,
    cutoff="required",
    trec_cut="P_{}",
    also=("Precision",),
    binary=True,
)
R = Record(
    name="R",
    label="recall",
    looks_at="the share of all relevant documents that is in the top k",
    reference="Cleverdon, Cranfield, 1966",
    function=_recall,
    expected=_expected_recall,
    parameters=_BOTH,
    cutoff="required",
    trec_cut="recall_{}",
    also=("Recall",),
    binary=True,
)
RPREC = Record(
    name="Rprec",
    label="R-precision",
    looks_at="precision at R, the number of relevant documents",
    reference="Buckley & Voorhees, in TREC: Experiment and Evaluation, 2005",
    function=_r_precision,
    parameters=_BOTH,
    trec="Rprec",
    binary=True,
)
SUCCESS = Record(
    name="Success",
    label="success",
    looks_at="whether there is any relevant document in the top k",
    reference="Craswell & Hawking, TREC 2004 Web track",
    function=_success,
    parameters=_BOTH,
    cutoff="required",
    trec_cut="success_{}",
    also=("Hit", "Hits"),
    binary=True,
)
RR = Record(
    name="RR",
    label="reciprocal rank",
    looks_at="the rank of the first relevant document, 1 / rank",
    reference="Kantor & Voorhees, TREC-5 confusion track; Information Retrieval 2000",
    function=_reciprocal_rank,
    parameters=_BOTH,
    cutoff="optional",
    trec="recip_rank",
    trec_cut="recip_rank_cut_{}",
    also=("MRR",),
    binary=True,
)
IPREC = Record(
    name="IPrec",
    label="interpolated precision at a recall",
    looks_at="the greatest precision at any rank where recall is at least the cutoff",
    reference="Salton & McGill, Introduction to Modern Information Retrieval, 1983",
    function=_interpolated,
    parameters=_BOTH,
    cutoff="required",
    real_cutoff=True,
    trec_cut="iprec_at_recall_{}",
    binary=True,
)
IPREC_MEAN = Record(
    name="IPrecMean",
    label="11-point average precision",
    looks_at="the mean of interpolated precision at recall 0, 0.1, … 1",
    reference="Salton & McGill, Introduction to Modern Information Retrieval, 1983",
    function=_eleven_points,
    parameters=_BOTH,
    trec="11pt_avg",
    also=("11pt_avg",),
    binary=True,
)
