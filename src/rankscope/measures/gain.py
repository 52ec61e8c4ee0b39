"""Discounted cumulative gain: DCG and nDCG, with trec_eval's linear gain or the exponential one."""

from __future__ import annotations

import numpy as np

from rankscope.measures.cells import Cells, ratio
from rankscope.measures.precision import JUDGED_ONLY
from rankscope.measures.record import Measure, Record
from rankscope.parameters import Parameter
from rankscope.scores import Floats

_DCG = Parameter(
    name="dcg",
    default="log2",
    meaning="the gain of a grade: the grade itself (log2), or 2^grade − 1 (exp-log2)",
    choices=("log2", "exp-log2"),
)
_NUMBER = r"-?(?:\d+\.?\d*|\.\d+)"
_GAINS = Parameter(
    name="gains",
    default="",
    meaning="other gains for some grades, such as {1:3,2:9}",
    pattern=rf"{_NUMBER}:{_NUMBER}(?:,{_NUMBER}:{_NUMBER})*",
    example="{1:3,2:9}",
)


def _dcg(cells: Cells, m: Measure) -> Floats:
    sums, _ = cells.discounted(_gains(cells, m), _discounts(cells), m.depth, judged_only=m["judged_only"])
    return sums


def _ndcg(cells: Cells, m: Measure) -> Floats:
    gains = _gains(cells, m)
    ideal = cells.kept(("ideal", m["dcg"], m["gains"]), lambda: cells.sorted_by_topic(gains))
    sums, ideals = cells.discounted(gains, _discounts(cells), m.depth, judged_only=m["judged_only"], ideal=ideal)
    return ratio(sums, ideals)


def _expected_dcg(cells: Cells, m: Measure) -> Floats:
    sums, _ = cells.discounted(cells.topic_means(_gains(cells, m)), _discounts(cells), m.depth)
    return sums


def _expected_ndcg(cells: Cells, m: Measure) -> Floats:
    """The ideal order has the same gains under every permutation, so that only the sum's expectation is needed."""
    gains = _gains(cells, m)
    ideal = cells.sorted_by_topic(gains)
    sums, ideals = cells.discounted(cells.topic_means(gains), _discounts(cells), m.depth, ideal=ideal)
    return ratio(sums, ideals)


def _parts(cells: Cells, m: Measure) -> tuple[Floats, Floats]:
    return _gains(cells, m), _discounts(cells)[: m.depth or None]


def _discounts(cells: Cells) -> Floats:
    return cells.kept("discounts", lambda: 1.0 / np.log2(np.arange(cells.deepest) + 2.0))


def _gains(cells: Cells, m: Measure) -> Floats:
    """The gain of each judgment: 0 for unjudged documents and negative grades."""

    def make() -> Floats:
        grades = _mapped(cells.grades, m["gains"])
        gains = np.where(grades > 0.0, grades, 0.0)
        return np.exp2(gains) - 1.0 if m["dcg"] == "exp-log2" else gains

    return cells.kept(("gains", m["dcg"], m["gains"]), make)


def _mapped(grades: Floats, text: str) -> Floats:
    """Grades replaced as a text such as "1:3,2:9" says."""
    if not text:
        return grades
    mapped = grades.copy()
    for pair in text.split(","):
        grade, gain = map(float, pair.split(":"))
        mapped[grades == grade] = gain
    return mapped


DCG = Record(
    name="DCG",
    label="discounted cumulative gain",
    looks_at="gain by grade, divided by log2(rank + 1)",
    reference="Järvelin & Kekäläinen, TOIS 2002; Burges et al., ICML 2005 (exp-log2)",
    function=_dcg,
    parts=_parts,
    expected=_expected_dcg,
    parameters=(_DCG, _GAINS, JUDGED_ONLY),
    cutoff="optional",
    binary=False,
    range=(0.0, float("inf")),
)
NDCG = Record(
    name="nDCG",
    label="normalised discounted cumulative gain",
    looks_at="DCG divided by the greatest DCG possible on the topic",
    reference="Järvelin & Kekäläinen, TOIS 2002; Burges et al., ICML 2005 (exp-log2)",
    function=_ndcg,
    parts=_parts,
    form="ideal",
    expected=_expected_ndcg,
    parameters=(_DCG, _GAINS, JUDGED_ONLY),
    cutoff="optional",
    trec="ndcg",
    trec_cut="ndcg_cut_{}",
    binary=False,
)
