"""Rank-biased overlap of two rankings of the same systems."""

from __future__ import annotations

from functools import partial
from typing import Literal, get_args

from rankscope.coefficients.record import Parameter, Record
from rankscope.coefficients.rows import ScoresLike, descending, evaluate
from rankscope.errors import BadParameter
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
    """Rank-biased overlap, extrapolated: the expected agreement of the two tops for a reader who goes on with chance p.

    In [0, 1]; symmetric. Ties as in Corsi & Urbano 2024: `a`, the mean over all ways to break them; `b`, corrected
    for the information that ties take away, as τ_b; `w`, tied systems truly occur at the same rank.

    >>> round(rbo([4, 3, 2, 1], [3, 4, 2, 1], p=0.9), 4)
    0.9
    """
    if not 0.0 < p < 1.0:
        raise BadParameter(f"p={p}: the chance to go on lies between 0 and 1, both excluded")
    if ties not in get_args(TieTreatment):
        raise BadParameter(f"ties={ties!r}: choose one of {', '.join(get_args(TieTreatment))}")
    return evaluate(partial(_rbo, p=float(p), ties=ties), truth, estimate, k=k)


def _rbo(x: Floats, y: Floats, *, p: float, ties: TieTreatment) -> Floats:
    from rankscope.kernels import overlap as kernel

    treatment = {"a": kernel.A, "b": kernel.B, "w": kernel.W}[ties]
    return kernel.rbo(x, y, descending(x), descending(y), p, treatment).clip(0.0, 1.0)


RBO = Record(
    name="rbo",
    label="Rank-biased overlap",
    symbol="RBO",
    looks_at="overlap of the tops at every depth",
    reference="Webber, Moffat & Zobel 2010; Corsi & Urbano 2024",
    function=rbo,
    parameters=(
        Parameter(name="p", default=0.9, meaning="the chance that a reader goes on to the next rank"),
        Parameter(name="ties", default="a", meaning="how ties are treated", choices=get_args(TieTreatment)),
    ),
    range=(0.0, 1.0),
    symmetric=True,
    head_weighted=True,
    gap_sensitive=False,
    interval=False,
    breaks="both",
    ties="a: the mean over all ways to break ties; b: normed as τ_b; w: tied systems share their first rank",
)
