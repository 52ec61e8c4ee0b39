"""Pearson's ρ and Spearman's ρ: linear agreement of scores and of ranks."""

from __future__ import annotations

from rankscope.coefficients.record import Record
from rankscope.coefficients.rows import ScoresLike, descending, evaluate, tame
from rankscope.scores import Floats


def pearson(truth: ScoresLike, estimate: ScoresLike, *, k: int | None = None) -> float | Floats:
    """Pearson's product-moment correlation of the scores.

    In [−1, 1]; 1 iff one side is an increasing linear function of the other. Ties are equal scores like any others.

    >>> pearson([0.1, 0.2, 0.3], [1, 2, 3])
    1.0
    """
    return evaluate(_pearson, truth, estimate, k=k)


def spearman(truth: ScoresLike, estimate: ScoresLike, *, k: int | None = None) -> float | Floats:
    """Spearman's rank correlation: Pearson's ρ of the ranks.

    In [−1, 1]; 1 iff the rankings are the same. Tied systems share their mean rank.

    >>> spearman([0.1, 0.2, 0.3], [0.1, 0.5, 0.4])
    0.5
    """
    return evaluate(_spearman, truth, estimate, k=k)


def _pearson(x: Floats, y: Floats) -> Floats:
    from rankscope.kernels import linear

    return linear.pearson(tame(x), tame(y)).clip(-1.0, 1.0)


def _spearman(x: Floats, y: Floats) -> Floats:
    from rankscope.kernels import linear

    return linear.spearman(x, y, descending(x), descending(y)).clip(-1.0, 1.0)


PEARSON = Record(
    name="pearson",
    label="Pearson's ρ",
    symbol="ρ",
    looks_at="scores, on a straight line",
    reference="Pearson 1895",
    function=pearson,
    symmetric=True,
    head_weighted=False,
    gap_sensitive=True,
    interval=True,
    breaks="none",
    ties="equal scores, like any others",
    cost="O(m)",
)

SPEARMAN = Record(
    name="spearman",
    label="Spearman's ρ",
    symbol="ρ_s",
    looks_at="ranks, far moves most",
    reference="Spearman 1904",
    function=spearman,
    symmetric=True,
    head_weighted=False,
    gap_sensitive=False,
    interval=False,
    breaks="both",
    ties="tied systems share their mean rank",
)
