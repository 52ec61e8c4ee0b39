"""Rank-biased overlap of two rankings of the same systems."""

from __future__ import annotations

from functools import partial
from typing import Literal, get_args

from rankscope.checks import check_choice, check_share
from rankscope.coefficients.record import Record
from rankscope.coefficients.rows import descending, evaluate
from rankscope.inputs import ScoresLike
from rankscope.parameters import Parameter
from rankscope.scores import Floats

TieTreatment = Literal["a", "b", "w"]


def rbo(
    truth: ScoresLike,
    estimate: ScoresLike,
    *,
    p: float = 0.9,
    ties: TieTreatment = "a",
    k: int | None = None,
) -> float | Floats:
    """Rank-biased overlap, extrapolated: the expected overlap of the two tops for a reader with persistence p.

    The range is [0, 1]; it is symmetric. Lists whose items differ are compared by `rbo_lists`, runs by `rbo_runs`.

    Parameters
    ----------
    truth, estimate : ScoresLike
        Scores of the same systems; higher is better. Named scores are matched by system, arrays of shape (…, m) by
        position, and their leading dimensions broadcast.
    p : float, default 0.9
        The probability, strictly between 0 and 1, that the reader continues to the next rank.
    ties : {"a", "b", "w"}, default "a"
        `a` is the mean over all ways to break ties; `b` corrects for the information that ties take away, as τ_b does;
        `w` lets tied systems occur at the same rank.
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
        If `p`, `ties` or `k` is not allowed.

    References
    ----------
    Webber, W., Moffat, A. and Zobel, J. (2010). A similarity measure for indefinite rankings. ACM Transactions on
    Information Systems 28(4), 20:1–20:38.
    Corsi, M. and Urbano, J. (2024). The treatment of ties in rank-biased overlap. Proc. SIGIR 2024, 251–260.

    Examples
    --------
    >>> round(rbo([4, 3, 2, 1], [3, 4, 2, 1], p=0.9), 4)
    0.9
    """
    check_share("p", p, 0.9)
    check_choice("ties", ties, get_args(TieTreatment))
    return evaluate(partial(_rbo, p=float(p), ties=ties), truth, estimate, k=k)


def _rbo(x: Floats, y: Floats, *, p: float, ties: TieTreatment) -> Floats:
    from rankscope.kernels import overlap as kernel

    return kernel.rbo(x, y, descending(x), descending(y), p, treatment(ties)).clip(0.0, 1.0)


def _mean_rbo(truth: ScoresLike, estimate: ScoresLike, *, p: float = 0.9, ties: TieTreatment = "a") -> float | Floats:
    """The mean over all ways to break ties, which is treatment a: without ties all treatments are the same."""
    return rbo(truth, estimate, p=p)


def treatment(ties: TieTreatment) -> int:
    """The kernel's code of a tie treatment."""
    from rankscope.kernels import overlap as kernel

    return {"a": kernel.A, "b": kernel.B, "w": kernel.W}[ties]


RBO = Record(
    name="rbo",
    label="Rank-biased overlap",
    symbol="RBO",
    looks_at="overlap of the tops at every depth",
    reference="Webber, Moffat & Zobel 2010; Corsi & Urbano 2024",
    function=rbo,
    parameters=(
        Parameter(name="p", default=0.9, meaning="the probability that a reader continues to the next rank"),
        Parameter(name="ties", default="a", meaning="how ties are treated", choices=get_args(TieTreatment)),
    ),
    range=(0.0, 1.0),
    symmetric=True,
    head_weighted=True,
    gap_sensitive=False,
    interval=False,
    breaks="both",
    ties="a: the mean over all ways to break ties; b: normed as τ_b; w: tied systems share their first rank",
    best_in_agreement=True,
    mean_over_ties=_mean_rbo,
)
