"""AP correlation: agreement that matters most at the top of the estimate's ranking, and its forms under ties."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from rankscope.coefficients.pairs import SYMMETRIC
from rankscope.coefficients.record import Record
from rankscope.coefficients.rows import arranged, evaluate, few, shared
from rankscope.inputs import ScoresLike
from rankscope.scores import Floats


def tau_ap(truth: ScoresLike, estimate: ScoresLike, *, symmetric: bool = False, k: int | None = None) -> float | Floats:
    """AP correlation τ_AP: down the estimate's ranking, the mean share of systems above each that belong there.

    The range is [−1, 1]; it is asymmetric, and swaps at the top of the estimate count most. Under ties it is the mean
    over all ways to break them on both sides: with ties in the estimate alone this is τ_AP,a, and a pair tied in the
    truth counts half.

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
    Yilmaz, E., Aslam, J. A. and Robertson, S. (2008). A new rank correlation coefficient for information retrieval.
    Proc. SIGIR 2008, 587–594.
    Urbano, J. and Marrero, M. (2017). The treatment of ties in AP correlation. Proc. ICTIR 2017, 321–324.

    Examples
    --------
    >>> tau_ap([4, 3, 2, 1], [3, 4, 2, 1]), tau_ap([4, 3, 2, 1], [4, 3, 1, 2])
    (0.33333333333333326, 0.7777777777777777)
    """
    return evaluate(_tau_ap, truth, estimate, k=k, symmetric=symmetric)


def tau_ap_a(
    truth: ScoresLike, estimate: ScoresLike, *, symmetric: bool = False, k: int | None = None
) -> float | Floats:
    """τ_AP,a of Urbano & Marrero (2017): the mean of τ_AP over all ways to break the estimate's ties.

    The range is [−1, 1]; it is asymmetric. This is `tau_ap` under the name to cite for ties: with ties on both sides
    both are the mean over all ways to break them.

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
    Urbano, J. and Marrero, M. (2017). The treatment of ties in AP correlation. Proc. ICTIR 2017, 321–324.

    Examples
    --------
    >>> tau_ap_a([4, 3, 2, 1], [3, 3, 2, 1])
    0.6666666666666667
    """
    return evaluate(_tau_ap, truth, estimate, k=k, symmetric=symmetric)


def tau_ap_b(truth: ScoresLike, estimate: ScoresLike, *, k: int | None = None) -> float | Floats:
    """τ_AP,b of Urbano & Marrero (2017): agreement of two rankings that may both have ties.

    The range is [−1, 1]; it is symmetric, the mean of both directions. Only systems above a pivot's whole tie group
    count for it, and systems of the top group are no pivots; a pair tied on the other side alone is wrong. Without ties
    it is the symmetric τ_AP.

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
    Urbano, J. and Marrero, M. (2017). The treatment of ties in AP correlation. Proc. ICTIR 2017, 321–324.

    Examples
    --------
    >>> tau_ap_b([4, 3, 2, 2], [9, 8, 7, 7])
    1.0
    """
    return evaluate(_tau_ap_b, truth, estimate, k=k)


def _down_estimate(x: Floats, y: Floats) -> Floats:
    """τ_AP and one direction of τ_AP,b, down the ranking by y."""
    from rankscope.kernels import ap as kernel

    return (kernel.tau_ap_by_pairs if few(x) else kernel.tau_ap)(*arranged(y, x))


def _tau_ap(x: Floats, y: Floats) -> Floats:
    return shared(_down_estimate, x, y)[:, 0]


def _tau_ap_b(x: Floats, y: Floats) -> Floats:
    return np.asarray((shared(_down_estimate, x, y)[:, 1] + shared(_down_estimate, y, x)[:, 1]) / 2.0)


TAU_AP = Record(
    name="tau_ap",
    label="AP correlation",
    symbol="τ_AP",
    looks_at="pairs in order, its top most",
    reference="Yilmaz, Aslam & Robertson 2008",
    function=tau_ap,
    parameters=(SYMMETRIC,),
    symmetric=False,
    head_weighted=True,
    gap_sensitive=False,
    interval=False,
    breaks="both",
    ties="the mean over all ways to break ties on both sides (τ_AP,a)",
    best_in_agreement=True,
    mean_over_ties=tau_ap,
)

TAU_AP_A = replace(
    TAU_AP,
    name="tau_ap_a",
    label="AP correlation, accuracy under ties",
    symbol="τ_AP,a",
    reference="Urbano & Marrero 2017",
    function=tau_ap_a,
    same_as="tau_ap",
)

TAU_AP_B = Record(
    name="tau_ap_b",
    label="AP correlation, agreement under ties",
    symbol="τ_AP,b",
    looks_at="as τ_AP both ways, ties meaning equal",
    reference="Urbano & Marrero 2017",
    function=tau_ap_b,
    symmetric=True,
    head_weighted=True,
    gap_sensitive=False,
    interval=False,
    breaks="both",
    ties="only systems above the pivot's whole tie group count; the top group has no pivots; both ways are averaged",
    best_in_agreement=True,
    mean_over_ties=partial(tau_ap, symmetric=True),
)
