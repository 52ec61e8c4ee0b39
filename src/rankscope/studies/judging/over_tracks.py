"""One judge over all its tracks: the lowest of its levels, and the mean of its worths."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from rankscope.defaults import LEVEL
from rankscope.results import Interval
from rankscope.studies.judging.track_report import LowestLevel, OverTracks, TrackAnswer
from rankscope.studies.verdict import LEVELS

# Worths of fewer tracks get no interval: see docs/judging-tracks.md for its coverage.
LEAST_TRACKS = 5
_METHOD = "t over tracks, of the logarithm of worth"


def _first_lowest(answers: Sequence[TrackAnswer]) -> TrackAnswer:
    """The first answer with the lowest level."""
    return max(answers, key=lambda answer: LEVELS.index(answer.level))


def lowest_levels(judges: Sequence[str], answers: Sequence[TrackAnswer]) -> Iterator[LowestLevel]:
    """The lowest level of each judge, over measures and tracks."""
    for name in judges:
        own = [answer for answer in answers if answer.judge == name]
        if own:
            worst = _first_lowest(own)
            yield LowestLevel(
                judge=name,
                level=worst.level,
                measure=worst.measure,
                track=worst.track,
                tracks=len({answer.track for answer in own}),
            )


def over_tracks(
    judges: Sequence[str], measures: Sequence[str], answers: Sequence[TrackAnswer], level: float
) -> Iterator[OverTracks]:
    """Each judge under each measure, over all tracks that have an answer."""
    by_both: dict[tuple[str, str], list[TrackAnswer]] = {}
    for answer in answers:
        by_both.setdefault((answer.judge, answer.measure), []).append(answer)
    for name in judges:
        for measure in measures:
            own = by_both.get((name, measure))
            if own is None:
                continue
            worst = _first_lowest(own)
            worths = np.array([np.nan if answer.worth is None else answer.worth for answer in own])
            known = worths[~np.isnan(worths)]
            mean, interval = mean_worth(worths, level)
            counts = Counter(answer.level for answer in own)
            yield OverTracks(
                judge=name,
                measure=measure,
                tracks=len(own),
                level=worst.level,
                track=worst.track,
                levels={one: counts[one] for one in LEVELS if one in counts},
                worth=mean,
                interval=interval,
                lowest=float(known.min()) if len(known) else None,
                highest=float(known.max()) if len(known) else None,
            )


def mean_worth(worths: npt.ArrayLike, level: float = LEVEL) -> tuple[float | None, Interval | None]:
    """The geometric mean of the worths of one judge on several tracks, and its interval over tracks.

    Halving the worth of a track and doubling that of another balance each other. None where some track has no worth
    (a mean of the others would flatter the judge), or one that is 0 or infinite; no interval for fewer than five
    tracks.

    >>> mean_worth([0.25, 1.0])[0], mean_worth([0.25, float("nan")])
    (0.5, (None, None))
    """
    values = np.asarray(worths, dtype=np.float64)
    if not len(values) or not np.all(np.isfinite(values) & (values > 0.0)):
        return None, None
    logs = np.log(values)
    mean = float(logs.mean())
    if len(logs) < LEAST_TRACKS:
        return math.exp(mean), None
    from scipy.special import stdtrit

    half = float(stdtrit(len(logs) - 1, (1.0 + level) / 2.0)) * float(logs.std(ddof=1)) / math.sqrt(len(logs))
    return math.exp(mean), Interval(low=math.exp(mean - half), high=math.exp(mean + half), level=level, method=_METHOD)
