"""Coefficients that see the size of gaps as well as the head: τ_GAP and Pearson Rank.

Under ties both follow one principle, for the papers are silent. Each pair is met once: where the ranking that is
walked down ties it, it is met at either member half of the time. What has no gap in the truth says nothing and is left
out; what has a gap in the truth and none in the estimate is neither right nor wrong.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from rankscope.coefficients.pairs import SYMMETRIC
from rankscope.coefficients.record import Parameter, Record
from rankscope.coefficients.rows import ScoresLike, arranged, descending, evaluate, few, owned, tame
from rankscope.errors import BadParameter
from rankscope.scores import Floats


def tau_gap(
    truth: ScoresLike, estimate: ScoresLike, *, symmetric: bool = False, k: int | None = None
) -> float | Floats:
    """τ_GAP (Gao & Oard 2015): τ_AP with each pair weighed by its gap in the truth's scores.

    In [−1, 1]; asymmetric; 1 iff every pair with a gap in the truth is in the same order. A pair tied in the estimate
    adds half its gap to each member's denominator, half of that as right. A system level in the truth with all that
    stand above it has no gap to judge and is left out of the mean.

    >>> round(tau_gap([0.9, 0.5, 0.4], [0.9, 0.4, 0.5]), 4), round(tau_gap([0.9, 0.8, 0.1], [0.9, 0.1, 0.8]), 4)
    (0.8, 0.125)
    """
    return evaluate(_tau_gap, truth, estimate, k=k, symmetric=symmetric)


def pearson_rank(
    truth: ScoresLike, estimate: ScoresLike, *, scale: bool = True, symmetric: bool = False, k: int | None = None
) -> float | Floats:
    """Pearson Rank ρ_r (Gao, Bagdouri & Oard 2016): down the truth's ranking, how well gaps to all above are kept.

    In [−1, 1]; asymmetric; sensitive to gaps where no swap occurs. Each system weighs its score in the truth, min–max
    scaled, or raw with `scale=False` (then scores must not be negative). A pair tied in the truth adds half its squared
    gap in the estimate to each member. Systems level with the truth's best have no gap to judge and are left out; where
    all weights are zero, systems weigh equally.

    >>> round(pearson_rank([0.9, 0.5, 0.4, 0.1], [0.6, 0.5, 0.4, 0.1]), 4)
    0.9849
    """
    function = partial(_pearson_rank, scale=scale)
    return evaluate(function, truth, estimate, k=k, symmetric=symmetric)


def _tau_gap(x: Floats, y: Floats) -> Floats:
    from rankscope.kernels import gaps as kernel

    return (kernel.tau_gap_by_pairs if few(x) else kernel.tau_gap)(*arranged(y, tame(x))).clip(-1.0, 1.0)


def _pearson_rank(x: Floats, y: Floats, *, scale: bool) -> Floats:
    from rankscope.kernels import gaps as kernel

    if not scale and (x < 0.0).any():
        raise BadParameter(
            "pearson_rank(scale=False) weighs by the truth's scores, and some are negative; use scale=True"
        )
    return kernel.pearson_rank(tame(x), tame(y), descending(x), scale, True).clip(-1.0, 1.0)


def pearson_rank_in_order(x: Floats, y: Floats, ranks: Floats, *, scale: bool) -> Floats:
    """ρ_r with the truth's ties broken by `ranks` (1 is best): Eq. 1 to the letter, for `tie_bounds`."""
    from rankscope.kernels import gaps as kernel

    order = np.argsort(ranks, axis=-1).astype(np.int64, copy=False)
    return kernel.pearson_rank(tame(owned(x)), tame(owned(y)), order, scale, False).clip(-1.0, 1.0)


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
    "a system with no gap in the truth to any above it is left out",
)

PEARSON_RANK = Record(
    name="pearson_rank",
    label="Pearson Rank",
    symbol="ρ_r",
    looks_at="gaps kept or not, the top most",
    reference="Gao, Bagdouri & Oard 2016",
    function=pearson_rank,
    parameters=(
        Parameter(name="scale", default=True, meaning="weigh by min–max scaled scores, not raw", choices=(True, False)),
        SYMMETRIC,
    ),
    symmetric=False,
    head_weighted=True,
    gap_sensitive=True,
    interval=True,
    breaks="truth",
    ties="a pair tied in the truth counts half at each member; systems level with the truth's best are left out; "
    "a system the estimate ties with all above it adds 0",
)
