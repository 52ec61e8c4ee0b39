"""How values spread over the draws or repeats of a study."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from rankscope.scores import Floats


@dataclass(frozen=True, kw_only=True)
class Spread:
    """Mean, standard deviation, ends and quantiles of the defined values.

    `sd` is None for fewer than two values. `draws` counts all values, `undefined` those that are NaN.
    """

    mean: float
    sd: float | None
    least: float
    q5: float
    q25: float
    median: float
    q75: float
    q95: float
    greatest: float
    draws: int
    undefined: int


SPREAD = tuple(field.name for field in fields(Spread))
# The same as columns of rows that have a `spread`.
SPREAD_COLUMNS = tuple(f"spread.{name}" for name in SPREAD)
# Those of a table with few columns.
SPREAD_BRIEF = ("mean", "sd", "least", "median", "greatest")


def spread_of(values: Floats) -> Spread:
    """The spread of values; NaN is undefined, infinite distances are values.

    >>> spread_of(np.array([0.2, 0.4, np.nan, 0.9])).median
    0.4
    """
    defined = values[~np.isnan(values)]
    nan = float("nan")
    mean, sd, least, greatest, quantiles = nan, None, nan, nan, [nan] * 5
    if len(defined):
        least, greatest = float(defined.min()), float(defined.max())
        # The mean of equal values may differ from them in its last bit.
        mean = least if least == greatest else float(defined.mean())
        with np.errstate(invalid="ignore"):  # infinite distances have no spread
            quantiles = np.quantile(defined, (0.05, 0.25, 0.5, 0.75, 0.95)).tolist()
            sd = float(defined.std(ddof=1)) if len(defined) > 1 else None
    ends = {"least": least, "greatest": greatest}
    named = dict(zip(("q5", "q25", "median", "q75", "q95"), quantiles, strict=True))
    return Spread(mean=mean, sd=sd, **ends, **named, draws=len(values), undefined=len(values) - len(defined))
