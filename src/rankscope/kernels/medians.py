"""Medians of systems over resampled topics."""

import numpy as np

from rankscope.kernels.compiled import Floats, Integers, compiled


@compiled
def weighted_medians(values: Floats, order: Integers, counts: Floats) -> Floats:
    """The median of each column, each row counted as often as `counts` says (draws × rows).

    `order` has the rows of each column from the least value up (columns × rows). With an even number of rows the
    median is halfway between the two in the middle.
    """
    draws, rows = counts.shape
    columns = values.shape[1]
    out = np.empty((draws, columns))
    for draw in range(draws):
        total = 0.0
        for row in range(rows):
            total += counts[draw, row]
        for column in range(columns):
            below = 0.0
            lower = np.nan
            for place in range(rows):
                row = order[column, place]
                if counts[draw, row] == 0.0:
                    continue
                below += counts[draw, row]
                value = values[row, column]
                if below * 2.0 == total:
                    lower = value  # half of them end here; the other one of the middle comes next
                elif below * 2.0 > total:
                    out[draw, column] = value if np.isnan(lower) else lower + (value - lower) / 2.0
                    break
    return out
