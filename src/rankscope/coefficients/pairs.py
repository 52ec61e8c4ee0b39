"""Coefficients that count pairs: Kendall's τ_a and τ_b, Vigna's weighted τ, and τ beyond a fuzziness."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from rankscope.coefficients.record import Record
from rankscope.coefficients.rows import arranged, descending, evaluate, few, shared
from rankscope.errors import BadParameter
from rankscope.inputs import ScoresLike
from rankscope.parameters import Parameter
from rankscope.scores import Floats

# Pairs compared at once, which bounds memory.
_PAIRS = 1 << 22
SYMMETRIC = Parameter(name="symmetric", default=False, meaning="average both directions")


def tau_a(truth: ScoresLike, estimate: ScoresLike, *, k: int | None = None) -> float | Floats:
    """Kendall's τ_a: concordant minus discordant pairs, divided by the number of all pairs.

    The range is [−1, 1]; it is symmetric. A pair tied on either side is neither concordant nor discordant, so that ties
    keep τ_a from reaching ±1. It is the mean of τ over all ways to break ties.

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
    Kendall, M. G. (1938). A new measure of rank correlation. Biometrika 30(1/2), 81–93.

    Examples
    --------
    >>> tau_a([4, 3, 2, 1], [4, 3, 1, 2])
    0.6666666666666666
    """
    return evaluate(_tau_a, truth, estimate, k=k)


def tau_b(truth: ScoresLike, estimate: ScoresLike, *, k: int | None = None) -> float | Floats:
    """Kendall's τ_b: τ with each side's tied pairs removed from its norm, as scipy's `kendalltau`.

    The range is [−1, 1]; it is symmetric, and 1 if and only if both sides rank and tie the systems alike. Without ties
    it is τ_a.

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
    Kendall, M. G. (1945). The treatment of ties in ranking problems. Biometrika 33(3), 239–251.

    Examples
    --------
    >>> tau_b([4, 3, 2, 2], [4, 3, 1, 1])
    1.0
    """
    return evaluate(_tau_b, truth, estimate, k=k)


def kendall(truth: ScoresLike, estimate: ScoresLike, *, k: int | None = None) -> float | Floats:
    """Kendall's τ as most software reports it: τ_b.

    The range is [−1, 1]; it is symmetric. Ties are treated as in `tau_b`.

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
    Kendall, M. G. (1945). The treatment of ties in ranking problems. Biometrika 33(3), 239–251.

    Examples
    --------
    >>> kendall([4, 3, 2, 1], [3, 4, 2, 1])
    0.6666666666666666
    """
    return evaluate(_tau_b, truth, estimate, k=k)


def weighted_tau(truth: ScoresLike, estimate: ScoresLike, *, k: int | None = None) -> float | Floats:
    """Vigna's weighted τ: each pair weighs the sum of 1/rank of its members, as scipy's `weightedtau`.

    The range is [−1, 1]. It is symmetric: the mean of the ranking by the truth (then the estimate) and the ranking by
    the estimate (then the truth). Ties are removed from the norm as in τ_b.

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
    Vigna, S. (2015). A weighted correlation index for rankings with ties. Proc. WWW 2015, 1166–1176.

    Examples
    --------
    >>> round(weighted_tau([4, 3, 2, 1], [3, 4, 2, 1]), 4)
    0.52
    """
    return evaluate(_weighted_tau, truth, estimate, k=k)


def fuzzy_kendall(
    truth: ScoresLike,
    estimate: ScoresLike,
    *,
    fuzziness: float = 0.05,
    symmetric: bool = False,
    k: int | None = None,
) -> float | Floats:
    """Kendall's τ over the pairs that the truth separates by more than a share of the smaller score.

    The range is [−1, 1]; it is asymmetric. Pairs within the fuzziness do not count, whether they are swapped or not. A
    pair tied in the estimate is neither right nor wrong.

    Parameters
    ----------
    truth, estimate : ScoresLike
        Scores of the same systems; higher is better. Named scores are matched by system, arrays of shape (…, m) by
        position, and their leading dimensions broadcast.
    fuzziness : float, default 0.05
        The share of the smaller of two scores, from 0 to 1, that their gap must exceed.
    symmetric : bool, default False
        Average both directions.
    k : int | None, default None
        Compare only the truth's top k systems, and all that tie with the k-th.

    Returns
    -------
    float | ndarray
        One value, or an array of the broadcast shape. It is nan, with a `ConstantInput` warning, where a side scores
        all systems alike, or where no pair is beyond the fuzziness.

    Raises
    ------
    ShapeMismatch, TooFewSystems, NotFinite
        If the two sides are not finite scores of the same two or more systems.
    BadParameter
        If `fuzziness` is not from 0 to 1, or k is not a whole number of 1 or more.

    References
    ----------
    Buckley, C. and Voorhees, E. M. (2000). Evaluating evaluation measure stability. Proc. SIGIR 2000, 33–40. They count
    swaps beyond a fuzziness; the norm without the pairs within it is ours (docs/ties.md).

    Examples
    --------
    >>> fuzzy_kendall([0.40, 0.39, 0.20], [0.38, 0.41, 0.20])
    1.0
    """
    if not 0.0 <= fuzziness <= 1.0:
        raise BadParameter(f"fuzziness={fuzziness}: a number from 0 to 1, such as 0.05")
    return evaluate(partial(_fuzzy_kendall, fuzziness=float(fuzziness)), truth, estimate, k=k, symmetric=symmetric)


def pair_counts(x: Floats, y: Floats) -> Floats:
    """For each row, concordant less discordant pairs, and the pairs that either side does not tie."""
    from rankscope.kernels import kendall as kernel

    if few(x):
        return kernel.kendall_counts_by_pairs(x, y)
    return kernel.kendall_counts(*arranged(y, x))


def _tau_a(x: Floats, y: Floats) -> Floats:
    m = x.shape[1]
    return np.asarray(shared(pair_counts, x, y)[:, 0] / (m * (m - 1) / 2))


def _tau_b(x: Floats, y: Floats) -> Floats:
    agreement, untied_x, untied_y = shared(pair_counts, x, y).T
    return np.asarray(agreement / np.sqrt(untied_x * untied_y))


def _weighted_tau(x: Floats, y: Floats) -> Floats:
    from rankscope.kernels import kendall as kernel

    if few(x):
        return kernel.weighted_tau_by_pairs(x, y, descending(x), descending(y)).clip(-1.0, 1.0)
    by_truth = kernel.weighted_tau_one_way(*arranged(x, y))
    by_estimate = kernel.weighted_tau_one_way(*arranged(y, x))
    return ((by_truth + by_estimate) / 2.0).clip(-1.0, 1.0)


def _mean_weighted_tau(truth: Floats, estimate: Floats) -> float:
    """The mean of weighted τ over all ways to break ties of two lists.

    A pair tied on a side is as often right as wrong whatever its weight, and a system's weight is the mean of those of
    its group's ranks. Without ties the norm is (m − 1) Σ 1/rank.
    """
    m = len(truth)
    total = float(_net_agreement(truth, estimate) @ (_mean_weights(truth) + _mean_weights(estimate)) / 2.0)
    return total / ((m - 1) * float((1.0 / np.arange(1, m + 1)).sum()))


def _mean_weights(scores: Floats) -> Floats:
    """The mean of 1/rank over the ranks of each system's tie group."""
    _, group, size = np.unique(-scores, return_inverse=True, return_counts=True)
    starts = np.cumsum(size) - size
    return np.asarray((np.add.reduceat(1.0 / np.arange(1, len(scores) + 1), starts) / size)[group])


def _net_agreement(x: Floats, y: Floats) -> Floats:
    """For each system, the others that both lists order alike, less those that they order differently."""
    net = np.empty(len(x))
    step = max(1, _PAIRS // len(x))
    for i in range(0, len(x), step):
        rows = slice(i, i + step)
        net[rows] = (_signs(x[rows], x) * _signs(y[rows], y)).sum(axis=1)
    return net


def _signs(some: Floats, every: Floats) -> npt.NDArray[np.int8]:
    """1 where one of some scores is above one of all, −1 where below, 0 where they tie."""
    return np.asarray((some[:, None] > every).astype(np.int8) - (some[:, None] < every), dtype=np.int8)


def _fuzzy_kendall(x: Floats, y: Floats, *, fuzziness: float) -> Floats:
    from rankscope.kernels import kendall as kernel

    return (kernel.fuzzy_kendall_by_pairs if few(x) else kernel.fuzzy_kendall)(*arranged(y, x), fuzziness)


TAU_A = Record(
    name="tau_a",
    label="Kendall's τ_a",
    symbol="τ_a",
    looks_at="pairs in order; ties count against",
    reference="Kendall 1938",
    function=tau_a,
    symmetric=True,
    head_weighted=False,
    gap_sensitive=False,
    interval=False,
    breaks="both",
    ties="a pair tied on either side is neither concordant nor discordant, and stays in the denominator",
    best_in_agreement=True,
    mean_over_ties=tau_a,
)

TAU_B = Record(
    name="tau_b",
    label="Kendall's τ_b",
    symbol="τ_b",
    looks_at="pairs in the same order, all alike",
    reference="Kendall 1945",
    function=tau_b,
    symmetric=True,
    head_weighted=False,
    gap_sensitive=False,
    interval=False,
    breaks="both",
    ties="each side's tied pairs are removed from its norm",
    best_in_agreement=True,
    mean_over_ties=tau_a,
)

KENDALL = replace(
    TAU_B,
    name="kendall",
    label="Kendall's τ",
    symbol="τ",
    function=kendall,
    same_as="tau_b",
)

WEIGHTED_TAU = Record(
    name="weighted_tau",
    label="Vigna's weighted τ",
    symbol="τ_h",
    looks_at="pairs in order, the top most",
    reference="Vigna 2015",
    function=weighted_tau,
    symmetric=True,
    head_weighted=True,
    gap_sensitive=False,
    interval=False,
    breaks="both",
    ties="tied pairs are removed from the norm; tied systems are ranked by the other side",
    best_in_agreement=True,
    mean_over_ties=_mean_weighted_tau,
)

FUZZY_KENDALL = Record(
    name="fuzzy_kendall",
    label="Kendall's τ beyond a fuzziness",
    symbol="τ_fuzzy",
    looks_at="pairs further apart than the fuzziness",
    reference="Buckley & Voorhees 2000",
    function=fuzzy_kendall,
    parameters=(
        Parameter(
            name="fuzziness", default=0.05, meaning="the share of the smaller score that a gap must exceed to count"
        ),
        SYMMETRIC,
    ),
    symmetric=False,
    head_weighted=False,
    gap_sensitive=True,
    interval=True,
    breaks="estimate",
    ties="pairs within the fuzziness in the truth do not count; a pair tied in the estimate is neither right nor wrong",
    best_in_agreement=True,
    mean_over_ties=fuzzy_kendall,
)
