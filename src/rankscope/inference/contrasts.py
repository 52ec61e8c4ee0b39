"""Two estimates against one truth: whose agreement is higher, and significantly so?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankscope.coefficients import Coefficient
from rankscope.coefficients.rows import quietly
from rankscope.inference.agreement import values_of
from rankscope.inference.corrections import adjust
from rankscope.inference.intervals import expansion, interval
from rankscope.inference.resampling import monte_carlo_p
from rankscope.results import Interval
from rankscope.scores import Floats, ScoreMatrix

# t over z has a limit at level 0, but no value.
_LEAST_LEVEL = 1e-6


@dataclass(frozen=True, kw_only=True)
class Contrast:
    """One coefficient, two estimates: whose agreement with the truth is higher, and is it significantly so?

    `pvalue` is two-sided; `adjusted` is Holm's over all pairs of estimates for the same coefficient.
    """

    name: str
    first: str
    second: str
    difference: float
    interval: Interval | None
    pvalue: float | None
    adjusted: float | None


def contrasts(
    names: Sequence[str],
    sides: Sequence[tuple[ScoreMatrix, ScoreMatrix]],
    chosen: Sequence[Coefficient],
    draws: Sequence[Floats],
    *,
    level: float,
) -> tuple[Contrast, ...]:
    """Every pair of estimates on every coefficient, from draws that they share (`draw_values`)."""
    with quietly():
        observed = [values_of(chosen, x.means[None], y.means[None])[:, 0] for x, y in sides]
    found: list[Contrast] = []
    for c, one in enumerate(chosen):
        family = []
        for i in range(len(names)):
            for j in range(i + 1, len(names)):
                difference = float(observed[i][c] - observed[j][c])
                drawn = draws[i][c] - draws[j][c]
                topics = len(sides[i][0].topics)
                width = one.record.range[1] - one.record.range[0]
                family.append(
                    Contrast(
                        name=str(one),
                        first=names[i],
                        second=names[j],
                        difference=difference,
                        interval=interval(
                            drawn, difference, level=level, method="recentred", topics=topics, bounds=(-width, width)
                        ),
                        pvalue=_two_sided(drawn, difference, topics),
                        adjusted=None,
                    )
                )
        found += _with_holm(family)
    return tuple(found)


def _two_sided(drawn: Floats, difference: float, topics: int) -> float | None:
    """The p at which the recentred interval just reaches 0.

    Each draw is widened as the interval of its own tail would be, so that p depends on the data alone and not on the
    level of the intervals that stand beside it.
    """
    drawn = drawn[np.isfinite(drawn)]
    if len(drawn) < 2 or not math.isfinite(difference):
        return None
    spread = np.sort(np.abs(drawn - drawn.mean()))[::-1]
    tails = (1.0 + np.arange(1, len(spread) + 1)) / (len(spread) + 1.0)
    widened = spread * expansion(topics, np.maximum(1.0 - tails, _LEAST_LEVEL))
    return monte_carlo_p(widened >= abs(difference) - 1e-12)


def _with_holm(family: list[Contrast]) -> list[Contrast]:
    pvalues = {i: contrast.pvalue for i, contrast in enumerate(family) if contrast.pvalue is not None}
    adjusted = dict(zip(pvalues, adjust(list(pvalues.values()), "holm"), strict=True)) if pvalues else {}
    return [replace(contrast, adjusted=adjusted.get(i)) for i, contrast in enumerate(family)]
