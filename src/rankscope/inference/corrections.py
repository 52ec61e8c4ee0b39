"""Corrections for many tests at once: Bonferroni, Holm, and Benjamini and Hochberg."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from rankscope.checks import check_choice
from rankscope.errors import BadParameter
from rankscope.scores import Floats

Correction = Literal["none", "bonferroni", "holm", "bh"]

CORRECTIONS: tuple[Correction, ...] = get_args(Correction)


def adjust(pvalues: npt.ArrayLike, method: Correction) -> Floats:
    """Adjust p-values for multiple tests.

    Hypotheses whose adjusted p-value is at most α are rejected at level α. "bonferroni" and "holm" bound the
    probability of any false rejection, "bh" the expected share of false rejections. For every hypothesis bh ≤ holm ≤
    bonferroni.

    Parameters
    ----------
    pvalues : array-like
        One list of p-values.
    method : {"none", "bonferroni", "holm", "bh"}
        The correction; "none" changes nothing.

    Returns
    -------
    ndarray
        The adjusted p-values, at most 1, in the order given.

    Raises
    ------
    BadParameter
        If the method is unknown, or the p-values are not one list of numbers from 0 to 1.

    References
    ----------
    O. J. Dunn, "Multiple comparisons among means", Journal of the American Statistical Association 56, 1961.
    S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979.
    Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate: a practical and powerful approach to multiple
    testing", Journal of the Royal Statistical Society B 57, 1995.

    Examples
    --------
    >>> adjust([0.01, 0.04, 0.03], "holm").tolist()
    [0.03, 0.06, 0.06]
    """
    check_choice("correction", method, CORRECTIONS)
    p = _checked(pvalues)
    return p if method == "none" else {"bonferroni": bonferroni, "holm": holm, "bh": bh}[method](p)


def bonferroni(pvalues: Floats) -> Floats:
    """Each p-value times their number (Dunn 1961).

    >>> bonferroni(np.array([0.01, 0.04, 0.6])).tolist()
    [0.03, 0.12, 1.0]
    """
    return np.minimum(pvalues * len(pvalues), 1.0)


def holm(pvalues: Floats) -> Floats:
    """The smallest p-value times N, the next times N − 1, …, made non-decreasing (Holm 1979).

    >>> holm(np.array([0.01, 0.04, 0.6])).tolist()
    [0.03, 0.08, 0.6]
    """
    order = np.argsort(pvalues, kind="stable")
    stepped = pvalues[order] * np.arange(len(pvalues), 0, -1)
    return _restored(np.minimum(np.maximum.accumulate(stepped), 1.0), order)


def bh(pvalues: Floats) -> Floats:
    """The k-th smallest p-value times N/k, made non-decreasing (Benjamini & Hochberg 1995).

    >>> bh(np.array([0.01, 0.04, 0.6])).tolist()
    [0.03, 0.06, 0.6]
    """
    order = np.argsort(pvalues, kind="stable")
    stepped = pvalues[order] * len(pvalues) / np.arange(1, len(pvalues) + 1)
    return _restored(np.minimum(np.minimum.accumulate(stepped[::-1])[::-1], 1.0), order)


def _checked(pvalues: npt.ArrayLike) -> Floats:
    try:
        p = np.array(pvalues, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BadParameter(f"p-values must be a list of numbers ({error})") from None
    if p.ndim != 1:
        raise BadParameter(f"p-values must be one list, this array has {p.ndim} dimensions; flatten it first")
    outside = np.flatnonzero(~((p >= 0.0) & (p <= 1.0)))
    if len(outside):
        place = int(outside[0])
        raise BadParameter(f"pvalues[{place}] is {p[place]}: a p-value lies between 0 and 1; leave missing ones out")
    return p


def _restored(values: Floats, order: npt.NDArray[np.intp]) -> Floats:
    out = np.empty_like(values)
    out[order] = values
    return out
