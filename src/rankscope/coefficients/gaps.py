"""Coefficients that see the size of gaps as well as the head: τ_GAP and Pearson Rank.

The papers do not treat ties. Here both coefficients follow one principle. Each pair is met once: if the ranking that
is walked down ties it, it is met at either member half of the time. What has no gap in the truth is left out; what has
a gap in the truth and none in the estimate is neither right nor wrong.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from rankscope.coefficients.pairs import SYMMETRIC
from rankscope.coefficients.record import Record
from rankscope.coefficients.rows import arranged, descending, evaluate, few, tame
from rankscope.errors import BadParameter
from rankscope.inputs import ScoresLike
from rankscope.parameters import Parameter
from rankscope.scores import Floats


def tau_gap(
    truth: ScoresLike, estimate: ScoresLike, *, symmetric: bool = False, k: int | None = None
) -> float | Floats:
    """τ_GAP: τ_AP with each pair weighted by its gap in the truth's scores.

    The range is [−1, 1]; it is asymmetric, and 1 if and only if every pair with a gap in the truth is in the same
    order. A pair tied in the estimate adds half of its gap to the denominator of each member, half of that as right. A
    system that the truth ties with all systems above it has no gap to judge and is left out of the mean.

    Parameters
    ----------
    truth, estimate : ScoresLike
        Scores of the same systems; higher is better. Named scores are matched by system, arrays of shape (…, m) by
        position, and their leading dimensions broadcast.
    symmetric : bool, default False
        Average both directions.
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
    Gao, N. and Oard, D. W. (2015). A head-weighted gap-sensitive correlation coefficient. Proc. SIGIR 2015, 799–802,
    Eq. 3. The treatment of ties is ours (docs/ties.md).

    Examples
    --------
    >>> round(tau_gap([0.9, 0.5, 0.4], [0.9, 0.4, 0.5]), 4), round(tau_gap([0.9, 0.8, 0.1], [0.9, 0.1, 0.8]), 4)
    (0.8, 0.125)
    """
    return evaluate(_tau_gap, truth, estimate, k=k, symmetric=symmetric)


def pearson_rank(
    truth: ScoresLike, estimate: ScoresLike, *, scale: bool = True, symmetric: bool = False, k: int | None = None
) -> float | Floats:
    """Pearson Rank ρ_r: down the truth's ranking, how well the gaps to all systems above are kept.

    The range is [−1, 1]; it is asymmetric, and sensitive to gaps that change without a swap. Each system weighs its
    score in the truth. A pair tied in the truth adds half of its squared gap in the estimate to each member. Systems
    that tie with the truth's best have no gap to judge and are left out; where all weights are zero, systems weigh
    equally.

    Parameters
    ----------
    truth, estimate : ScoresLike
        Scores of the same systems; higher is better. Named scores are matched by system, arrays of shape (…, m) by
        position, and their leading dimensions broadcast.
    scale : bool, default True
        Weigh by min–max scaled scores; otherwise by the scores, which then must not be negative.
    symmetric : bool, default False
        Average both directions.
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
        If a score of the truth is negative and `scale` is False, or k is not a whole number of 1 or more.

    References
    ----------
    Gao, N., Bagdouri, M. and Oard, D. W. (2016). Pearson Rank: a head-weighted gap-sensitive score-based correlation
    coefficient. Proc. SIGIR 2016, 941–944, Eq. 1. The treatment of ties is ours (docs/ties.md).

    Examples
    --------
    >>> round(pearson_rank([0.9, 0.5, 0.4, 0.1], [0.6, 0.5, 0.4, 0.1]), 4)
    0.9849
    """
    return evaluate(partial(_pearson_rank, scale=scale), truth, estimate, k=k, symmetric=symmetric)


def _tau_gap(x: Floats, y: Floats) -> Floats:
    from rankscope.kernels import gaps as kernel

    return (kernel.tau_gap_by_pairs if few(x) else kernel.tau_gap)(*arranged(y, tame(x))).clip(-1.0, 1.0)


def _pearson_rank(x: Floats, y: Floats, *, scale: bool) -> Floats:
    from rankscope.kernels import gaps as kernel

    if not scale and (x < 0.0).any():
        raise BadParameter("pearson_rank(scale=False): some scores of the truth are negative; use scale=True")
    return kernel.pearson_rank(tame(x), tame(y), descending(x), scale, True).clip(-1.0, 1.0)


def pearson_rank_in_order(x: Floats, y: Floats, ranks: Floats, *, scale: bool) -> Floats:
    """ρ_r with the truth's ties broken by `ranks` (1 is best), exactly as in Eq. 1, for `tie_bounds`."""
    from rankscope.kernels import gaps as kernel

    order = np.argsort(ranks, axis=-1).astype(np.int64, copy=False)
    x, y = tame(np.ascontiguousarray(x)), tame(np.ascontiguousarray(y))
    return kernel.pearson_rank(x, y, order, scale, False).clip(-1.0, 1.0)


TAU_GAP = Record(
    name="tau_gap",
    label="Gap-sensitive AP correlation",
    symbol="τ_GAP",
    looks_at="swaps by their gap, the top most",
    reference="Gao & Oard 2015",
    function=tau_gap,
    parameters=(SYMMETRIC,),
    symmetric=False,
    head_weighted=True,
    gap_sensitive=True,
    interval=True,
    breaks="estimate",
    ties="a pair tied in the estimate is met at each member half of the time, as often right as wrong; "
    "a system that the truth ties with all above it is left out",
    best_in_agreement=True,
)

PEARSON_RANK = Record(
    name="pearson_rank",
    label="Pearson Rank",
    symbol="ρ_r",
    looks_at="gaps kept or not, the top most",
    reference="Gao, Bagdouri & Oard 2016",
    function=pearson_rank,
    parameters=(
        Parameter(name="scale", default=True, meaning="weigh by min–max scaled scores, not raw ones"),
        SYMMETRIC,
    ),
    symmetric=False,
    head_weighted=True,
    gap_sensitive=True,
    interval=True,
    breaks="truth",
    ties="a pair tied in the truth counts half at each member; systems tied with the truth's best are left out; "
    "a system that the estimate ties with all above it adds 0",
)
