"""Measures that model a reader: rank-biased precision, expected reciprocal rank, INSQ and INST."""

from __future__ import annotations

import numpy as np

from rankscope.errors import BadParameter
from rankscope.measures.cells import Cells
from rankscope.measures.precision import REL
from rankscope.measures.record import Measure, Parameter, Record
from rankscope.scores import Floats

# A reader stops here at the latest, as in cwl_eval.
_DEPTH = 1000

_TARGET = Parameter(name="T", default=1.0, meaning="how much gain the reader wants", least=0.5)
_GRADED = Parameter(
    name="max_rel", default=0, meaning="where given, gains are grade / max_rel, not relevant or not", least=0
)


def _rank_biased(cells: Cells, m: Measure) -> Floats:
    return _biased_to_the_top(cells, m, _shares(cells, m))


def _expected_rank_biased(cells: Cells, m: Measure) -> Floats:
    return _biased_to_the_top(cells, m, cells.topic_means(_shares(cells, m)))


def _biased_to_the_top(cells: Cells, m: Measure, gains: Floats) -> Floats:
    p = m["p"]
    weights = cells.kept(("geometric", p), lambda: (1.0 - p) * p ** np.arange(cells.deepest, dtype=np.float64))
    base, _ = cells.discounted(gains, weights, m.depth)
    if m["part"] == "base":
        return base
    judged, _ = cells.discounted((cells.known > 0).astype(np.float64), weights, m.depth)
    # All the weight that no judged document has, that of ranks nobody sees among it.
    residual: Floats = np.maximum(1.0 - judged, 0.0)
    return residual if m["part"] == "residual" else base + residual


def _expected_reciprocal(cells: Cells, m: Measure) -> Floats:
    from rankscope.kernels.measures import cascade

    top = float(m["max_rel"])
    gains = _below(cells, m, top)
    stops = (np.exp2(gains) - 1.0) / 2.0**top
    return cells.shaped(cascade(cells.starts, cells.ranks, cells.rows, stops, m.depth))


def _shares(cells: Cells, m: Measure) -> Floats:
    """Gains from 0 to 1: relevant or not, or the share of the greatest grade."""
    top = float(m["max_rel"])
    if top > 0.0:
        return _below(cells, m, top) / top
    relevant: Floats = (cells.levels(str(m), m.rel) == 2).astype(np.float64)
    return relevant


def _below(cells: Cells, m: Measure, top: float) -> Floats:
    """Grades from 0 to the greatest there may be; none for what is not judged or negative."""
    grades = np.where(cells.grades > 0.0, cells.grades, 0.0)
    greatest = grades.max(initial=0.0)
    if greatest > top:
        raise BadParameter(f"{m}: a grade of {greatest:g} is above max_rel={top:g}; give the greatest there may be")
    return grades


def _insq(cells: Cells, m: Measure) -> Floats:
    return _inverse_squares(cells, m, _shares(cells, m))


def _expected_insq(cells: Cells, m: Measure) -> Floats:
    return _inverse_squares(cells, m, cells.topic_means(_shares(cells, m)))


def _inverse_squares(cells: Cells, m: Measure, gains: Floats) -> Floats:
    # The probabilities of going on telescope to 1 / (rank − 1 + 2T)².
    weights: Floats = (np.arange(_DEPTH) + 2.0 * m["T"]) ** -2.0
    found, _ = cells.discounted(gains, weights / weights.sum())
    return found


def _inst(cells: Cells, m: Measure) -> Floats:
    from rankscope.kernels.measures_partial import adaptive

    gains = _shares(cells, m)
    return cells.shaped(adaptive(cells.starts, cells.ranks, cells.rows, gains, m["T"], _DEPTH))


RBP = Record(
    name="RBP",
    label="rank-biased precision",
    looks_at="the rate at which a reader gains who goes on to the next document with probability p",
    reference="Moffat & Zobel, TOIS 2008",
    function=_rank_biased,
    expected=_expected_rank_biased,
    parameters=(
        Parameter(name="p", default=0.8, meaning="the probability of going on", least=0.0, below=1.0),
        REL,
        _GRADED,
        Parameter(
            name="part",
            default="base",
            meaning="what judged documents give, what the others could still add, or both together",
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
            meaning="the greatest grade there may be; 4 is gdeval's, as in TREC's Web tracks",
            least=1,
        ),
    ),
    cutoff="optional",
    binary=False,
)
INSQ = Record(
    name="INSQ",
    label="inverse squares",
    looks_at="the gain per document of a reader who wants T, and is the more patient the further down",
    reference="Moffat, Scholer & Thomas, ADCS 2012",
    function=_insq,
    expected=_expected_insq,
    parameters=(_TARGET, REL, _GRADED),
    binary=True,
)
INST = Record(
    name="INST",
    label="INST, adaptive inverse squares",
    looks_at="INSQ, of a reader who wants the less the more was found",
    reference="Moffat, Bailey, Scholer & Thomas, ADCS 2015",
    function=_inst,
    parameters=(_TARGET, REL, _GRADED),
    binary=True,
)
