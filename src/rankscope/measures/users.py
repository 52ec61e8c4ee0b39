"""Measures with a model of the reader: rank-biased precision, expected reciprocal rank, INSQ and INST."""

from __future__ import annotations

import numpy as np

from rankscope.errors import BadParameter
from rankscope.measures.cells import RELEVANT, Cells
from rankscope.measures.precision import REL
from rankscope.measures.record import Measure, Record
from rankscope.parameters import Parameter
from rankscope.scores import Floats

# The last rank that a reader sees, as in cwl_eval.
_DEPTH = 1000

_TARGET = Parameter(name="T", default=1.0, meaning="the total gain that the reader wants", least=0.5)
_GRADED = Parameter(
    name="max_rel", default=0, meaning="if given, gains are grade / max_rel instead of relevant or not", least=0
)


def _rank_biased(cells: Cells, m: Measure) -> Floats:
    return _biased_to_the_top(cells, m, _shares(cells, m))


def _expected_rank_biased(cells: Cells, m: Measure) -> Floats:
    return _biased_to_the_top(cells, m, cells.topic_means(_shares(cells, m)))


def _biased_to_the_top(cells: Cells, m: Measure, gains: Floats) -> Floats:
    weights = _geometric(cells, m)
    base, _ = cells.discounted(gains, weights, m.depth)
    if m["part"] == "base":
        return base
    judged, _ = cells.discounted((cells.known > 0).astype(np.float64), weights, m.depth)
    # The weight of all ranks without a judged document, including those below the ranking's end.
    residual: Floats = np.maximum(1.0 - judged, 0.0)
    return residual if m["part"] == "residual" else base + residual


def _geometric(cells: Cells, m: Measure) -> Floats:
    p = m["p"]
    return cells.kept(("geometric", p), lambda: (1.0 - p) * p ** np.arange(cells.deepest, dtype=np.float64))


def _rank_biased_parts(cells: Cells, m: Measure) -> tuple[Floats, Floats]:
    if m["part"] != "base":
        raise BadParameter(f"{m}: what unjudged documents could add is not a sum of gains; use RBP(p={m['p']:g})")
    return _shares(cells, m), _geometric(cells, m)[: m.depth or None]


def _expected_reciprocal(cells: Cells, m: Measure) -> Floats:
    from rankscope.kernels.measures import cascade

    top = float(m["max_rel"])
    gains = _below(cells, m, top)
    stops = (np.exp2(gains) - 1.0) / 2.0**top
    return cells.shaped(cascade(cells.rankings, stops, m.depth))


def _shares(cells: Cells, m: Measure) -> Floats:
    """Gains from 0 to 1: relevant or not, or the grade divided by the greatest grade."""
    top = float(m["max_rel"])
    if top > 0.0:
        return _below(cells, m, top) / top
    relevant: Floats = (cells.levels(str(m), m.rel) == RELEVANT).astype(np.float64)
    return relevant


def _below(cells: Cells, m: Measure, top: float) -> Floats:
    """Grades from 0 to the greatest allowed; 0 for unjudged documents and negative grades."""
    grades = np.where(cells.grades > 0.0, cells.grades, 0.0)
    greatest = grades.max(initial=0.0)
    if greatest > top:
        raise BadParameter(f"{m}: a grade of {greatest:g} is above max_rel={top:g}; set max_rel to the greatest grade")
    return grades


def _insq(cells: Cells, m: Measure) -> Floats:
    return _inverse_squares(cells, m, _shares(cells, m))


def _expected_insq(cells: Cells, m: Measure) -> Floats:
    return _inverse_squares(cells, m, cells.topic_means(_shares(cells, m)))


def _inverse_squares(cells: Cells, m: Measure, gains: Floats) -> Floats:
    sums, _ = cells.discounted(gains, _inverse_square_weights(m))
    return sums


def _inverse_square_weights(m: Measure) -> Floats:
    # The probabilities of continuing telescope to 1 / (rank − 1 + 2T)².
    weights: Floats = (np.arange(_DEPTH) + 2.0 * m["T"]) ** -2.0
    return np.asarray(weights / weights.sum())


def _insq_parts(cells: Cells, m: Measure) -> tuple[Floats, Floats]:
    return _shares(cells, m), _inverse_square_weights(m)


def _inst(cells: Cells, m: Measure) -> Floats:
    from rankscope.kernels.measures_partial import adaptive

    return cells.shaped(adaptive(cells.rankings, _shares(cells, m), m["T"], _DEPTH))


RBP = Record(
    name="RBP",
    label="rank-biased precision",
    looks_at="the rate of gain of a reader who continues to the next document with probability p",
    reference="Moffat & Zobel, TOIS 2008",
    function=_rank_biased,
    parts=_rank_biased_parts,
    expected=_expected_rank_biased,
    parameters=(
        Parameter(name="p", default=0.8, meaning="the probability of continuing", least=0.0, below=1.0),
        REL,
        _GRADED,
        Parameter(
            name="part",
            default="base",
            meaning="the gain of judged documents, what the others could add, or the sum of both",
            choices=("base", "residual", "upper"),
        ),
    ),
    cutoff="optional",
    binary=True,
    unjudged="a range",
)
ERR = Record(
    name="ERR",
    label="expected reciprocal rank",
    looks_at="1 / rank of the document that satisfies a reader: grade g does with probability (2^g − 1) / 2^max_rel",
    reference="Chapelle, Metzler, Zhang & Grinspan, CIKM 2009",
    function=_expected_reciprocal,
    parameters=(
        Parameter(
            name="max_rel",
            default=4,
            meaning="the greatest possible grade; 4 is gdeval's, as in TREC's Web tracks",
            least=1,
        ),
    ),
    cutoff="optional",
    binary=False,
)
INSQ = Record(
    name="INSQ",
    label="inverse squares",
    looks_at="the gain per document of a reader who wants a total gain of T and grows more patient with depth",
    reference="Moffat, Scholer & Thomas, ADCS 2012",
    function=_insq,
    parts=_insq_parts,
    expected=_expected_insq,
    parameters=(_TARGET, REL, _GRADED),
    binary=True,
)
INST = Record(
    name="INST",
    label="INST, adaptive inverse squares",
    looks_at="INSQ for a reader whose remaining target falls with every relevant document",
    reference="Moffat, Bailey, Scholer & Thomas, ADCS 2015",
    function=_inst,
    parameters=(_TARGET, REL, _GRADED),
    binary=True,
)
