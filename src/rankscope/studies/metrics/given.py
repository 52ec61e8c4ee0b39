"""A number that a paper does not report, from those that it does: one prediction with its interval."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.checks import check_level
from rankscope.defaults import LEVEL
from rankscope.errors import BadParameter
from rankscope.measure_names import canonical, measure_label
from rankscope.measure_table import IfMissing, MeasureTable, read_collections
from rankscope.results import ENDS, Interval, Result, Table, rows_table
from rankscope.scores import Floats
from rankscope.studies.metrics.linear_fit import LinearFit, left_out_coverage
from rankscope.studies.metrics.subsets import check_not_constant

METHOD = "prediction interval for one system, Student's t"
ELSEWHERE = "prediction interval for one system on another collection, collections left out in turn"
# Fewer collections say too little of how collections differ.
_FEWEST_COLLECTIONS = 3


@dataclass(frozen=True, kw_only=True)
class MeasurePrediction(Result):
    """A predicted score with the interval for one more system like those trained on.

    `elsewhere` is the interval for a system on another collection, wider by how far off whole collections are when
    they are left out; None with fewer than three. `covered` is the share of training systems within `interval` when
    each is left out of the fit, `covered_elsewhere` the same when its whole collection is left out (None with one
    collection). `clipped` says that an end was cut to the range of scores. `beyond` names the given scores that lie
    outside those of all training systems.
    """

    target: str
    value: float
    interval: Interval
    elsewhere: Interval | None
    given: dict[str, float]
    intercept: float
    slopes: dict[str, float]
    r2: float
    spread: float
    systems: int
    training: tuple[str, ...]
    covered: float
    covered_elsewhere: float | None
    clipped: bool
    beyond: tuple[str, ...]
    dependent: bool
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row: the prediction and its interval."""
        columns = {
            "target": "target",
            "value": "value",
            **ENDS,
            "low_elsewhere": "elsewhere.low",
            "high_elsewhere": "elsewhere.high",
            "level": "interval.level",
            "r2": "r2",
            "covered": "covered",
            "covered_elsewhere": "covered_elsewhere",
        }
        return rows_table([self], columns)


def predict_measure(
    training: object,
    *,
    given: Mapping[str, float] | str,
    target: str,
    level: float = LEVEL,
    on_missing: IfMissing = "error",
) -> MeasurePrediction:
    """Predict a system's score under `target` from the scores that are given, with an interval.

    The measures given are the predictors of one least-squares fit on all training systems.

    Parameters
    ----------
    training : table of measures, path, or sequence of them
        The collections to fit on: whatever `rs.read_measures` takes, or a list of such.
    given : mapping from str to float, or str
        The scores that are known, or text such as "P@10=0.51,RR=0.7".
    target : str
        The measure to predict.
    level : float, default 0.95
        The level of the prediction interval.
    on_missing : {"error", "intersect", "zero"}, default "error"
        What becomes of a system or topic that some measure does not score.

    Returns
    -------
    MeasurePrediction
        The predicted score with its interval, the fit, and how often such intervals cover.

    Raises
    ------
    BadParameter
        Where no score is given, one is given twice, or the target is among them.
    ConstantMeasure, UnknownMeasure
        Where a measure scores all alike, or is not in the tables.

    References
    ----------
    Gupta, Kutlu, Khetan & Lease, ECIR 2019, section 5, for predicting measures from others.

    Examples
    --------
    >>> table = {"AP": [0.1, 0.2, 0.31, 0.4, 0.52], "P@10": [0.2, 0.3, 0.4, 0.5, 0.6]}
    >>> predicted = predict_measure(table, given="P@10=0.45", target="AP")
    >>> round(predicted.value, 3), predicted.interval.low < predicted.value < predicted.interval.high
    (0.358, True)
    """
    check_level(level)
    asked = _checked(given, target)
    chosen = read_collections(training, measures=[target, *asked], on_missing=on_missing)
    wanted, *names = chosen[0].measures
    scores = dict(zip(names, asked.values(), strict=True))
    rows = np.concatenate([table.values for table in chosen])
    title = ", ".join(table.name for table in chosen)
    check_not_constant(rows, chosen[0].measures, ", ".join(table.name for table in chosen))
    fit = LinearFit.of(rows[:, 1:], rows[:, 0], title)
    point = np.array([[scores[name] for name in names]])
    value, half = float(fit.predict(point)[0]), float(fit.half_width(point, level)[0])
    bounds = _bounds(rows[:, 0])
    groups = _groups(chosen)
    shift = _shift(rows, groups, fit.spread, level) if len(chosen) >= _FEWEST_COLLECTIONS else None
    wider = None if shift is None else math.hypot(half, shift)
    clipped = not bounds[0] <= value - (wider or half) <= value + (wider or half) <= bounds[1]
    return MeasurePrediction(
        target=wanted,
        value=min(max(value, bounds[0]), bounds[1]),
        interval=_within(value, half, bounds, level, METHOD),
        elsewhere=None if wider is None else _within(value, wider, bounds, level, ELSEWHERE),
        given=scores,
        intercept=fit.intercept,
        slopes={name: float(slope) for name, slope in zip(names, fit.slopes, strict=True)},
        r2=fit.r2,
        spread=fit.spread,
        systems=len(rows),
        training=tuple(table.name for table in chosen),
        covered=_covered_alone(fit, rows[:, 1:], rows[:, 0], level),
        covered_elsewhere=_covered_elsewhere(rows, groups, level),
        clipped=clipped,
        beyond=_beyond(scores, names, rows[:, 1:]),
        dependent=fit.dependent,
        settings={"level": level, "on_missing": on_missing},
    )


def parse_given(text: str) -> dict[str, float]:
    """Scores from text: measures and values, a comma between; commas within brackets belong to a measure's name.

    >>> parse_given("P@10=0.51, RBP(p=0.8)=.7")
    {'P@10': 0.51, 'RBP(p=0.8)': 0.7}
    """
    scores: dict[str, float] = {}
    for piece in re.split(r",(?![^(]*\))", text):
        name, equals, value = piece.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not equals or not name.strip() or not math.isfinite(number):
            raise BadParameter(f"{piece.strip()!r} gives no score; write measure=value, such as 'P@10=0.51,RR=0.7'")
        if name.strip() in scores:
            raise BadParameter(f"{name.strip()} is given twice; give it once")
        scores[name.strip()] = number
    return scores


def _checked(given: Mapping[str, float] | str, target: str) -> dict[str, float]:
    """The scores given, each under one name, and none of them the target."""
    read = parse_given(given) if isinstance(given, str) else {str(k): float(v) for k, v in given.items()}
    if not read:
        raise BadParameter("no scores are given to predict from; give at least one, such as 'P@10=0.51'")
    spellings: dict[str, str] = {}
    for name, value in read.items():
        if not math.isfinite(value):
            raise BadParameter(f"{name}={value}: a score is a finite number")
        first = spellings.setdefault(canonical(measure_label(name)), name)
        if first != name:
            raise BadParameter(f"{first} and {name} are the same measure; give it once")
    if canonical(measure_label(target)) in spellings:
        raise BadParameter(f"{target} is both given and asked for; ask for another measure (--target)")
    return read


def _bounds(target: Floats) -> tuple[float, float]:
    """0 to 1 for a measure whose scores all lie there, as nearly all measures' do."""
    inside = bool(((target >= 0.0) & (target <= 1.0)).all())
    return (0.0, 1.0) if inside else (-math.inf, math.inf)


def _beyond(scores: Mapping[str, float], names: Sequence[str], rows: Floats) -> tuple[str, ...]:
    low, high = rows.min(axis=0), rows.max(axis=0)
    return tuple(name for name, lo, hi in zip(names, low, high, strict=True) if not lo <= scores[name] <= hi)


def _covered_alone(fit: LinearFit, predictors: Floats, target: Floats, level: float) -> float:
    """Coverage with each system left out of the fit, from one fit: residuals and leverages give all of them."""
    from scipy.special import stdtrit

    scaled = (predictors - fit.centre) / fit.scale
    leverage = 1.0 / fit.rows + np.einsum("ij,jk,ik->i", scaled, fit.inverse, scaled)
    residuals = target - fit.predict(predictors)
    if fit.freedom < 2:
        return math.nan
    rest = np.clip(1.0 - leverage, 1e-12, None)
    # The residual variance and the leverage of a row that is left out (Belsley, Kuh & Welsch 1980, chapter 2).
    variance = np.clip((fit.freedom * fit.spread**2 - residuals**2 / rest) / (fit.freedom - 1), 0.0, None)
    half = float(stdtrit(fit.freedom - 1, (1.0 + level) / 2.0)) * np.sqrt(variance * (1.0 + leverage / rest))
    # Equal but for rounding is covered: a perfect fit has intervals of no width.
    return float((np.abs(residuals / rest) <= half + 1e-12).mean())


def _groups(tables: Sequence[MeasureTable]) -> list[npt.NDArray[np.intp]]:
    ends = np.cumsum([0, *(len(table.systems) for table in tables)])
    return [np.arange(ends[i], ends[i + 1]) for i in range(len(tables))]


def _covered_elsewhere(rows: Floats, groups: Sequence[npt.NDArray[np.intp]], level: float) -> float | None:
    """Coverage of the plain interval with each system's whole collection left out; None where too little is left."""
    if len(groups) < 2 or len(rows) - max(map(len, groups)) < rows.shape[1] + 1:
        return None
    return left_out_coverage(rows[:, 1:], rows[:, 0], groups, level)


def _shift(rows: Floats, groups: Sequence[npt.NDArray[np.intp]], spread: float, level: float) -> float | None:
    """How far off a whole collection may be: its mean residual when it is left out, as a random effect.

    The mean square over collections, less what the residuals of so few systems add, is the effect's variance; with c
    collections it comes with the c − 1 degrees of freedom of Student's t.
    """
    from scipy.special import stdtrit

    squares, noise = [], []
    for group in groups:
        rest = np.setdiff1d(np.arange(len(rows)), group)
        if len(rest) < rows.shape[1] + 1:
            return None
        fit = LinearFit.of(rows[rest, 1:], rows[rest, 0])
        squares.append(float((rows[group, 0] - fit.predict(rows[group, 1:])).mean()) ** 2)
        noise.append(spread**2 / len(group))
    variance = max(0.0, float(np.mean(squares) - np.mean(noise)))
    return float(stdtrit(len(groups) - 1, (1.0 + level) / 2.0)) * math.sqrt(variance)


def _within(value: float, half: float, bounds: tuple[float, float], level: float, method: str) -> Interval:
    low, high = (min(max(end, bounds[0]), bounds[1]) for end in (value - half, value + half))
    return Interval(low=low, high=high, level=level, method=method)
