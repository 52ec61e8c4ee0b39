"""Coefficients that count pairs: Kendall's τ_a and τ_b, Vigna's weighted τ, and τ beyond a fuzziness."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from rankscope.coefficients.record import Parameter, Record
from rankscope.coefficients.rows import ScoresLike, arranged, descending, evaluate, few, shared
from rankscope.errors import BadParameter
from rankscope.scores import Floats

SYMMETRIC = Parameter(name="symmetric", default=False, meaning="the mean of both directions", choices=(False, True))


def tau_a(truth: ScoresLike, estimate: ScoresLike, *, k: int | None = None) -> float | Floats:
    """Kendall's τ_a: concordant minus discordant pairs, over all pairs.

    In [−1, 1]. A pair tied on either side counts as neither, so that ties keep τ_a from reaching ±1.

    >>> tau_a([4, 3, 2, 1], [4, 3, 1, 2])
    0.6666666666666666
    """
    return evaluate(_tau_a, truth, estimate, k=k)


def tau_b(truth: ScoresLike, estimate: ScoresLike, *, k: int | None = None) -> float | Floats:
    """Kendall's τ_b: τ with each side's ties taken out of its norm, as scipy's `kendalltau`.

    In [−1, 1]; 1 iff both sides rank and tie alike. Without ties it is τ_a.

    >>> tau_b([4, 3, 2, 2], [4, 3, 1, 1])
    1.0
    """
    return evaluate(_tau_b, truth, estimate, k=k)


def kendall(truth: ScoresLike, estimate: ScoresLike, *, k: int | None = None) -> float | Floats:
    """Kendall's τ as most software reports it: τ_b.

    >>> kendall([4, 3, 2, 1], [3, 4, 2, 1])
    0.6666666666666666
    """
    return evaluate(_tau_b, truth, estimate, k=k)


def weighted_tau(truth: ScoresLike, estimate: ScoresLike, *, k: int | None = None) -> float | Floats:
    """Vigna's weighted τ: each pair weighs 1/rank + 1/rank of its members, as scipy's `weightedtau`.

    In [−1, 1]. The mean of the ranking by the truth (then the estimate) and the ranking by the estimate (then the
    truth), so that it is symmetric; ties are taken out of the norm as in τ_b.

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
    """Kendall's τ over the pairs that the truth separates by more than `fuzziness`, relative to the smaller score.

    In [−1, 1]. Swaps within the fuzziness do not count (Buckley & Voorhees 2000), nor do agreements: such a pair says
    nothing either way. A pair tied in the estimate counts as neither right nor wrong. Where no pair is beyond the
    fuzziness it is nan.

    >>> fuzzy_kendall([0.40, 0.39, 0.20], [0.38, 0.41, 0.20])
    1.0
    """
    if not 0.0 <= fuzziness <= 1.0:
        raise BadParameter(f"fuzziness={fuzziness}: a share between 0 and 1")
    return evaluate(partial(_fuzzy_kendall, fuzziness=float(fuzziness)), truth, estimate, k=k, symmetric=symmetric)


def _counts(x: Floats, y: Floats) -> Floats:
    from rankscope.kernels import kendall as kernel

    if few(x):
        return kernel.kendall_counts_by_pairs(x, y)
    return kernel.kendall_counts(*arranged(y, x))


def _tau_a(x: Floats, y: Floats) -> Floats:
    m = x.shape[1]
    return np.asarray(shared(_counts, x, y)[:, 0] / (m * (m - 1) / 2))


def _tau_b(x: Floats, y: Floats) -> Floats:
    agreement, untied_x, untied_y = shared(_counts, x, y).T
    return np.asarray(agreement / np.sqrt(untied_x * untied_y))


def _weighted_tau(x: Floats, y: Floats) -> Floats:
    from rankscope.kernels import kendall as kernel

    if few(x):
        return kernel.weighted_tau_by_pairs(x, y, descending(x), descending(y)).clip(-1.0, 1.0)
    by_truth = kernel.weighted_tau_one_way(*arranged(x, y))
    by_estimate = kernel.weighted_tau_one_way(*arranged(y, x))
    return ((by_truth + by_estimate) / 2.0).clip(-1.0, 1.0)


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
    ties="each side's tied pairs are taken out of its norm",
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
    ties="tied pairs are taken out of the norm; tied systems are ranked by the other side",
)

FUZZY_KENDALL = Record(
    name="fuzzy_kendall",
    label="Kendall's τ beyond a fuzziness",
    symbol="τ_fuzzy",
    looks_at="pairs further apart than the fuzziness",
    reference="Buckley & Voorhees 2000",
    function=fuzzy_kendall,
    parameters=(
        Parameter(name="fuzziness", default=0.05, meaning="gaps up to this share of the smaller score do not count"),
        SYMMETRIC,
    ),
    symmetric=False,
    head_weighted=False,
    gap_sensitive=True,
    interval=True,
    breaks="estimate",
    ties="pairs within the fuzziness in the truth do not count; a pair tied in the estimate is neither right nor wrong",
)
