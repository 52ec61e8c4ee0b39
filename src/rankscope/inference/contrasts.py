"""Two estimates against one truth: which agrees more, and is the difference significant?"""

from __future__ import annotations

import functools
import itertools
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
from rankscope.inference.topic_level import TopicValue
from rankscope.results import Interval
from rankscope.scores import Floats, ScoreMatrix

# t over z has a limit at level 0, but no value.
_LEAST_LEVEL = 1e-6


@dataclass(frozen=True, kw_only=True)
class Contrast:
    """The difference of two estimates in their agreement with the truth by one coefficient, first less second.

    `pvalue` is two-sided; `adjusted` is adjusted by Holm over all pairs of estimates for the same coefficient. Both are
    by the bootstrap over topics, or by the test that was asked for (`swap_test`); the interval is by the bootstrap.
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
    """Every pair of estimates by every coefficient, from the draws that they share (`draw_values`)."""
    with quietly():
        observed = [values_of(chosen, x.means[None], y.means[None])[:, 0] for x, y in sides]
    tested: list[Contrast] = []
    for c, by in enumerate(chosen):
        family = []
        width = by.record.range[1] - by.record.range[0]
        for i, j in itertools.combinations(range(len(names)), 2):
            difference = float(observed[i][c] - observed[j][c])
            drawn, topics = draws[i][c] - draws[j][c], len(sides[i][0].topics)
            family.append(contrast(str(by), (names[i], names[j]), difference, drawn, topics, width=width, level=level))
        tested += with_holm(family)
    return tuple(tested)


def topic_contrasts(
    names: Sequence[str],
    topics: int,
    found: Sequence[tuple[Sequence[TopicValue], Sequence[Floats | None]]],
    level: float,
) -> tuple[Contrast, ...]:
    """Every pair of estimates by every coefficient of scores by topic, from the draws that they share."""
    tested: list[Contrast] = []
    for c, own in enumerate(found[0][0]):
        family = []
        for i, j in itertools.combinations(range(len(names)), 2):
            difference = found[i][0][c].value - found[j][0][c].value
            first, second = found[i][1][c], found[j][1][c]
            if first is not None and second is not None:
                drawn, pair = first - second, (names[i], names[j])
                family.append(contrast(own.name, pair, difference, drawn, topics, width=2.0, level=level))
        tested += with_holm(family)
    return tuple(tested)


def contrast(
    name: str, pair: tuple[str, str], difference: float, drawn: Floats, topics: int, *, width: float, level: float
) -> Contrast:
    """One difference, from its draws over this number of topics; `width` is the most that it can be."""
    return Contrast(
        name=name,
        first=pair[0],
        second=pair[1],
        difference=difference,
        interval=interval(drawn, difference, level=level, method="recentred", topics=topics, bounds=(-width, width)),
        pvalue=two_sided(drawn, difference, topics),
        adjusted=None,
    )


def two_sided(drawn: Floats, difference: float, topics: int) -> float | None:
    """The p-value at which the recentred interval just reaches 0.

    Each draw is widened as the interval of its own tail would be. So p does not depend on the level of the intervals.
    """
    drawn = drawn[np.isfinite(drawn)]
    if len(drawn) < 2 or not math.isfinite(difference):
        return None
    widened = np.sort(np.abs(drawn - drawn.mean()))[::-1] * _expansions(topics, len(drawn))
    return monte_carlo_p(widened >= abs(difference) - 1e-12)


@functools.lru_cache(maxsize=8)
def _expansions(topics: int, draws: int) -> Floats:
    """How each draw is widened, from the farthest; every contrast of a study needs the same."""
    tails = (1.0 + np.arange(1, draws + 1)) / (draws + 1.0)
    factors: Floats = expansion(topics, np.maximum(1.0 - tails, _LEAST_LEVEL))
    factors.flags.writeable = False
    return factors


def with_holm(family: list[Contrast]) -> list[Contrast]:
    """The contrasts of one family with their p-values adjusted by Holm."""
    pvalues = {i: contrast.pvalue for i, contrast in enumerate(family) if contrast.pvalue is not None}
    adjusted = dict(zip(pvalues, adjust(list(pvalues.values()), "holm"), strict=True)) if pvalues else {}
    return [replace(contrast, adjusted=adjusted.get(i)) for i, contrast in enumerate(family)]
