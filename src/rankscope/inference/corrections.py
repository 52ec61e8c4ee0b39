"""Corrections for many tests at once: Bonferroni, Holm, and Benjamini and Hochberg."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from rankscope.errors import BadParameter
from rankscope.scores import Floats

Correction = Literal["none", "bonferroni", "holm", "bh"]

CORRECTIONS: tuple[Correction, ...] = get_args(Correction)


def adjust(pvalues: npt.ArrayLike, method: Correction) -> Floats:
    """p-values adjusted for their number, in the order given: those at most α are significant at level α together.

    "bonferroni" and "holm" bound the probability of any false rejection, "bh" the expected share of false ones among
    the rejected; "none" changes nothing. Adjusted values keep the order of the p-values and are 1 at most; at every
    place bh ≤ holm ≤ bonferroni.

    >>> adjust([0.01, 0.04, 0.03], "holm").tolist()
    [0.03, 0.06, 0.06]
    """
    check_correction(method)
    p = _checked(pvalues)
    if method == "none":
        return p
    if method == "bonferroni":
        return bonferroni(p)
    return holm(p) if method == "holm" else bh(p)


def bonferroni(pvalues: Floats) -> Floats:
    """Each p-value times their number (Dunn 1961).

    >>> bonferroni(np.array([0.01, 0.04, 0.6])).tolist()
    [0.03, 0.12, 1.0]
    """
    return np.minimum(pvalues * len(pvalues), 1.0)


def holm(pvalues: Floats) -> Floats:
    """The least p-value times N, the next times N − 1, …, none under the one before it (Holm 1979).

    >>> holm(np.array([0.01, 0.04, 0.6])).tolist()
    [0.03, 0.08, 0.6]
    """
    order = np.argsort(pvalues, kind="stable")
    stepped = pvalues[order] * np.arange(len(pvalues), 0, -1)
    return _restored(np.minimum(np.maximum.accumulate(stepped), 1.0), order)


def bh(pvalues: Floats) -> Floats:
    """The k-th least p-value times N/k, none above the one after it (Benjamini & Hochberg 1995).

    >>> bh(np.array([0.01, 0.04, 0.6])).tolist()
    [0.03, 0.06, 0.6]
    """
    order = np.argsort(pvalues, kind="stable")
    stepped = pvalues[order] * len(pvalues) / np.arange(1, len(pvalues) + 1)
    return _restored(np.minimum(np.minimum.accumulate(stepped[::-1])[::-1], 1.0), order)


def check_correction(method: str) -> None:
    """Refuse a correction that does not exist."""
    if method not in CORRECTIONS:
        raise BadParameter(f"correction={method!r}: choose one of {', '.join(CORRECTIONS)}")


def _checked(pvalues: npt.ArrayLike) -> Floats:
    try:
        p = np.array(pvalues, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BadParameter(f"p-values must be a list of numbers ({error})") from None
    if p.ndim != 1:
        raise BadParameter(f"p-values are one list, this array has {p.ndim} dimensions; flatten it first")
    outside = np.flatnonzero(~((p >= 0.0) & (p <= 1.0)))
    if len(outside):
        place = int(outside[0])
        raise BadParameter(f"pvalues[{place}] is {p[place]}: a p-value lies between 0 and 1; leave out what has none")
    return p


def _restored(values: Floats, order: npt.NDArray[np.intp]) -> Floats:
    out = np.empty_like(values)
    out[order] = values
    return out
