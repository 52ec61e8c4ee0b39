"""How values spread over the draws of a study: mean, standard deviation, quartiles and ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope.scores import Floats


@dataclass(frozen=True, kw_only=True)
class Spread:
    """Values over draws; `sd` is None for one draw, and `undefined` counts the draws that have no value."""

    mean: float
    sd: float | None
    least: float
    lower_quartile: float
    median: float
    upper_quartile: float
    greatest: float
    draws: int
    undefined: int


SPREAD = ("mean", "sd", "least", "lower_quartile", "median", "upper_quartile", "greatest")


def spread_of(values: Floats) -> Spread:
    """The spread of values, those that are nan left out and counted.

    >>> spread_of(np.array([0.2, 0.4, np.nan, 0.9])).median
    0.4
    """
    defined = values[np.isfinite(values)]
    undefined = len(values) - len(defined)
    if not len(defined):
        nan = float("nan")
        return Spread(
            mean=nan, sd=None, least=nan, lower_quartile=nan, median=nan, upper_quartile=nan, greatest=nan,
            draws=len(values), undefined=undefined,
        )  # fmt: skip
    least, lower, median, upper, greatest = np.quantile(defined, [0.0, 0.25, 0.5, 0.75, 1.0]).tolist()
    # The mean of equal values may differ from them in its last bit.
    mean = least if least == greatest else float(defined.mean())
    return Spread(
        mean=mean,
        sd=float(defined.std(ddof=1)) if len(defined) > 1 else None,
        least=least,
        lower_quartile=lower,
        median=median,
        upper_quartile=upper,
        greatest=greatest,
        draws=len(values),
        undefined=undefined,
    )
