"""Pearson's ρ and Spearman's ρ: linear agreement of scores and of ranks."""

from __future__ import annotations

from rankscope.averages import mean_ranks
from rankscope.coefficients.record import Record
from rankscope.coefficients.rows import descending, evaluate, tame
from rankscope.inputs import ScoresLike
from rankscope.scores import Floats


def pearson(truth: ScoresLike, estimate: ScoresLike, *, k: int | None = None) -> float | Floats:
    """Pearson's product-moment correlation ρ of the scores.

    The range is [−1, 1]; it is symmetric, and 1 if and only if one side is an increasing linear function of the other.
    Tied scores are equal scores like any others.

    Parameters
    ----------
    truth, estimate : ScoresLike
        Scores of the same systems; higher is better. Named scores are matched by system, arrays of shape (…, m) by
        position, and their leading dimensions broadcast.
    k : int | None, default None
        Compare only the truth's top k systems, and all that tie with the k-th.

    Returns
    -------
    float | ndarray
        One value, or an array of the broadcast shape. It is nan, with a `ConstantInput` warning, where a side scores
        all systems alike.

    Raises
    ------
    ShapeMismatch, TooFewSystems, NotFinite
        If the two sides are not finite scores of the same two or more systems.
    BadParameter
        If k is not a whole number of 1 or more.

    References
    ----------
    Pearson, K. (1895). Note on regression and inheritance in the case of two parents. Proceedings of the Royal Society
    of London 58, 240–242.

    Examples
    --------
    >>> pearson([0.1, 0.2, 0.3], [1, 2, 3])
    1.0
    """
    return evaluate(_pearson, truth, estimate, k=k)


def spearman(truth: ScoresLike, estimate: ScoresLike, *, k: int | None = None) -> float | Floats:
    """Spearman's rank correlation ρ_s: Pearson's ρ of the ranks.

    The range is [−1, 1]; it is symmetric, and 1 if and only if the rankings are the same. Tied systems share their mean
    rank.

    Parameters
    ----------
    truth, estimate : ScoresLike
        Scores of the same systems; higher is better. Named scores are matched by system, arrays of shape (…, m) by
        position, and their leading dimensions broadcast.
    k : int | None, default None
        Compare only the truth's top k systems, and all that tie with the k-th.

    Returns
    -------
    float | ndarray
        One value, or an array of the broadcast shape. It is nan, with a `ConstantInput` warning, where a side scores
        all systems alike.

    Raises
    ------
    ShapeMismatch, TooFewSystems, NotFinite
        If the two sides are not finite scores of the same two or more systems.
    BadParameter
        If k is not a whole number of 1 or more.

    References
    ----------
    Spearman, C. (1904). The proof and measurement of association between two things. American Journal of Psychology
    15(1), 72–101.

    Examples
    --------
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


def _mean_spearman(truth: Floats, estimate: Floats) -> float:
    """The mean over all ways to break ties of two lists: mean ranks, under the norm of ranks without ties."""
    m = len(truth)
    x, y = mean_ranks(truth) - (m + 1) / 2.0, mean_ranks(estimate) - (m + 1) / 2.0
    return float(x @ y) / ((m**3 - m) / 12.0)


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
    best_in_agreement=True,
    mean_over_ties=_mean_spearman,
)
