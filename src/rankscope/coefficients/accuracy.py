"""Pairwise accuracy: the share of pairs of systems that both sides order, or tie, alike."""

from __future__ import annotations

import numpy as np

from rankscope.coefficients.pairs import pair_counts, tau_a
from rankscope.coefficients.record import Record
from rankscope.coefficients.rows import arranged, evaluate, shared
from rankscope.inputs import ScoresLike
from rankscope.scores import Floats


def pairwise_accuracy(truth: ScoresLike, estimate: ScoresLike, *, k: int | None = None) -> float | Floats:
    """Pairwise accuracy: the share of pairs that both sides order alike, or both tie.

    The range is [0, 1], with one half by chance; it is symmetric. A pair tied on one side only is wrong, as in the
    metrics task of WMT. Without ties it is (τ_a + 1)/2.

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
    Kocmi, T. et al. (2021). To ship or not to ship: An extensive evaluation of automatic metrics for machine
    translation. Proc. WMT 2021, 478–494. Ties as in Deutsch, D., Foster, G. and Freitag, M. (2023). Ties matter:
    Meta-evaluating modern metrics with pairwise accuracy and tie calibration. Proc. EMNLP 2023, 12914–12929.

    Examples
    --------
    >>> pairwise_accuracy([4, 3, 2, 1], [4, 3, 1, 2])
    0.8333333333333334
    """
    return evaluate(_pairwise_accuracy, truth, estimate, k=k)


def _pairwise_accuracy(x: Floats, y: Floats) -> Floats:
    m = x.shape[1]
    pairs = m * (m - 1) / 2
    agreement, untied_x, untied_y = shared(pair_counts, x, y).T
    both = _tied_on_both(*arranged(x, y))
    ordered = untied_x + untied_y - (pairs - both)  # C + D: on both sides untied
    return np.asarray(((agreement + ordered) / 2.0 + both) / pairs)


def _mean_accuracy(truth: ScoresLike, estimate: ScoresLike) -> float | Floats:
    """The mean over all ways to break ties: a pair tied on a side is right half of the time."""
    return (tau_a(truth, estimate) + 1.0) / 2.0


def _tied_on_both(x: Floats, y: Floats) -> Floats:
    """The pairs that both sides tie, in rows sorted by one side and then by the other."""
    same = (x[:, 1:] == x[:, :-1]) & (y[:, 1:] == y[:, :-1])
    place = np.arange(1, x.shape[1])
    starts = np.maximum.accumulate(np.where(same, 0, place), axis=1)
    return np.asarray(np.where(same, place - starts, 0).sum(axis=1), dtype=np.float64)


PAIRWISE_ACCURACY = Record(
    name="pairwise_accuracy",
    label="Pairwise accuracy",
    symbol="PA",
    looks_at="the share of pairs ordered or tied alike",
    reference="Kocmi et al. 2021; Deutsch, Foster & Freitag 2023",
    function=pairwise_accuracy,
    range=(0.0, 1.0),
    symmetric=True,
    head_weighted=False,
    gap_sensitive=False,
    interval=False,
    breaks="both",
    ties="a pair tied on both sides is right, a pair tied on one side only is wrong",
    by_default=False,
    best_in_agreement=True,
    mean_over_ties=_mean_accuracy,
)
