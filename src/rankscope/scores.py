"""Scores of systems: by topic (`ScoreMatrix`) or one each (`SystemScores`), and their alignment by name.

Both are read-only values. `given` are the user's own numbers and `values` those that are computed with, of which higher
ones are always better. NaN is missing: it may be held, and never averaged.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeVar, cast, get_args

import numpy as np
import numpy.typing as npt

from rankscope.aggregates import AGGREGATE_NAMES, AGGREGATES, Aggregate, AggregateName
from rankscope.checks import check_choice
from rankscope.errors import (
    BadParameter,
    MismatchedNames,
    MissingScores,
    NotFinite,
    ShapeMismatch,
    UnnamedData,
    nothing_in_common,
    some,
    spelled_alike,
)
from rankscope.fits import IncompleteScores, check_fit
from rankscope.missing import MODEL_WAY_OUT, WAYS_OUT, Fit, Policy, parse_on_missing
from rankscope.results import Remark, RemarkKind

Floats = npt.NDArray[np.float64]
# A policy for missing scores, as `missing.parse_on_missing` reads it: "intersect", "drop-systems=0.5,additive".
OnMissing = str

Topics = Literal["paired", "independent"]
# "auto" is paired where topics are shared, and independent where none is.
AnyTopics = Literal["auto", "paired", "independent"]

TOPICS: tuple[Topics, ...] = get_args(Topics)
ANY_TOPICS: tuple[AnyTopics, ...] = get_args(AnyTopics)

# Decimal scores up to this many places are summed as integers (see `exact_means`).
_DECIMAL_PLACES = 9
# The greatest score whose square, and a sum of many such squares, is a number.
_GREATEST = 1e150
_EXACT_INTEGER = 2.0**53


@dataclass(frozen=True, eq=False)
class ScoreMatrix:
    """Scores of systems on topics under one measure: topics in rows, systems in columns.

    Systems or topics without names are numbered from 1 and aligned by position, never by those numbers. The table is
    read-only. NaN is a missing score.

    Parameters
    ----------
    values : array of shape (topics, systems)
        The scores.
    systems, topics : sequence of str, optional
        The names, all different.
    measure : str, optional
        The measure that gave the scores.
    name : str, optional
        What messages and reports call these scores.
    aggregate : {"mean", "median", "geometric", "normalised", "borda", "win_rate"}, default "mean"
        How a system's scores on topics become one (docs/aggregates.md).
    lower_is_better : bool, default False
        Whether lower scores are better (error rates, latency).

    Attributes
    ----------
    given : ndarray of shape (topics, systems)
        The scores as they were given.
    values : ndarray of shape (topics, systems)
        The scores that are computed with: higher ones are better, and each topic's are what the aggregate averages.
    fit : {"additive", "pairwise"} or None
        How systems are scored where scores stay missing.
    left_out : tuple of Remark
        What was left out on the way from the file to this table, and why.

    Examples
    --------
    >>> table = ScoreMatrix([[0.2, 0.4], [0.6, 0.5]], systems=["bm25", "dense"], topics=["301", "302"])
    >>> table.means.tolist()
    [0.4, 0.45]
    """

    given: Floats
    systems: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    measure: str | None = None
    name: str | None = None
    systems_named: bool = True
    topics_named: bool = True
    aggregate: AggregateName = "mean"
    lower_is_better: bool = False
    fit: Fit | None = None
    left_out: tuple[Remark, ...] = ()

    def __init__(
        self,
        values: npt.ArrayLike,
        systems: Sequence[str] | None = None,
        topics: Sequence[str] | None = None,
        *,
        measure: str | None = None,
        name: str | None = None,
        aggregate: AggregateName = "mean",
        lower_is_better: bool = False,
    ) -> None:
        table = _read_only(values, "a score matrix", dimensions=2)
        check_choice("aggregate", aggregate, AGGREGATE_NAMES)
        _set(self, "given", table)
        _set(self, "systems", _labels(systems, table.shape[1], "system"))
        _set(self, "topics", _labels(topics, table.shape[0], "topic"))
        _set(self, "measure", measure)
        _set(self, "name", name)
        _set(self, "systems_named", systems is not None)
        _set(self, "topics_named", topics is not None)
        _set(self, "aggregate", aggregate)
        _set(self, "lower_is_better", bool(lower_is_better))
        _set(self, "fit", None)
        _set(self, "left_out", ())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScoreMatrix):
            return NotImplemented
        named = ("systems", "topics", "measure", "systems_named", "topics_named")
        return _same(self, other, (*named, "aggregate", "lower_is_better", "fit"))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        measure = "" if self.measure is None else f" of {self.measure}"
        return f"<ScoreMatrix{measure}: {len(self.topics)} topics × {len(self.systems)} systems>"

    @property
    def how(self) -> Aggregate:
        """The record of the aggregate."""
        return AGGREGATES[self.aggregate]

    @property
    def averaged(self) -> bool:
        """Whether systems are scored by a mean over the same topics, as t-tests and the worth of a topic need it."""
        return self.how.is_mean and self.fit is None

    @cached_property
    def values(self) -> Floats:
        """The scores that are computed with: higher ones are better, and the aggregate averages those of each topic."""
        if self.aggregate == "mean" and not self.lower_is_better:
            return self.given
        how, sign = self.how, -1.0 if self.lower_is_better else 1.0
        if not how.own_scale and self.missing:
            raise MissingScores(
                f"{self._where()}{len(self.missing):,} scores are missing, and {how.label} compares all systems on "
                f"every topic; {WAYS_OUT}"
            )
        changed = self.given if how.own_scale else sign * self.given
        if how.by_topic is not None:
            changed = how.by_topic(changed)
        return _read_only(sign * changed if how.own_scale else changed, "a score matrix", dimensions=2)

    @cached_property
    def missing(self) -> tuple[tuple[str, str], ...]:
        """The (system, topic) pairs that have no score."""
        return tuple((self.systems[s], self.topics[t]) for t, s in np.argwhere(np.isnan(self.given)))

    @cached_property
    def means(self) -> Floats:
        """What ranks the systems, higher being better: their means over topics, or another aggregate.

        An error where a score is missing, unless the table says how to do without (`fit`).
        """
        if not self.topics:
            raise MissingScores(f"{self._where()}there are no topics to average over")
        if self.fit is not None:
            means = self.incomplete().totals
        elif self.missing:
            cells = [f"{system} on topic {topic}" for system, topic in self.missing]
            raise MissingScores(
                f"{self._where()}{len(cells)} scores are missing ({some(cells, 3)}), and means over different topics "
                f"cannot be compared; {WAYS_OUT}, or {MODEL_WAY_OUT}"
            )
        else:
            means = np.median(self.values, axis=0) if self.aggregate == "median" else exact_means(self.values)
        means.flags.writeable = False
        return means

    def incomplete(self) -> IncompleteScores:
        """The table as its `fit` needs it."""
        return IncompleteScores(self.values, self.fit or "additive")

    def shown(self, scores: npt.ArrayLike) -> Floats:
        """Scores of systems as the user knows them, from what ranks them: the aggregate of the given numbers.

        >>> table = ScoreMatrix([[4.0, 1.0]], lower_is_better=True)
        >>> table.means.tolist(), table.shown(table.means).tolist()
        ([-4.0, -1.0], [4.0, 1.0])
        """
        return _shown(np.asarray(scores, dtype=np.float64), self.how, self.lower_is_better)

    @property
    def shown_lower(self) -> bool:
        """Whether lower shown scores are better."""
        return self.lower_is_better and self.how.own_scale

    def scored(self, aggregate: AggregateName = "mean", *, lower_is_better: bool = False) -> ScoreMatrix:
        """The same scores with another aggregate or direction."""
        check_choice("aggregate", aggregate, AGGREGATE_NAMES)
        if (aggregate, lower_is_better) == (self.aggregate, self.lower_is_better):
            return self
        changed = _changed(self, aggregate=aggregate, lower_is_better=bool(lower_is_better))
        if changed.fit is not None:
            _check_fitted(changed, changed.fit)
        return changed

    def system_scores(self) -> SystemScores:
        """The leaderboard of these means."""
        systems = self.systems if self.systems_named else None
        leaderboard = SystemScores(
            self.shown(self.means), systems, measure=self.measure, name=self.name, lower_is_better=self.shown_lower
        )
        return _changed(leaderboard, left_out=self.left_out)

    def select(self, *, systems: Sequence[str] | None = None, topics: Sequence[str] | None = None) -> ScoreMatrix:
        """These systems and topics only, in the order given."""
        sides = ((systems, self.systems), (topics, self.topics))
        if all(chosen is None or tuple(chosen) == own for chosen, own in sides):
            return self  # with what was computed of it
        return self._take(_positions(self.topics, topics, "topic"), _positions(self.systems, systems, "system"))

    def fill(self, on_missing: OnMissing) -> ScoreMatrix:
        """The table as a policy for missing scores leaves it: without some topics or systems, with zeros, or fitted."""
        policy = parse_on_missing(on_missing)
        if not self.missing or self.fit is not None:
            return self
        return self._dropped(policy)._ended(policy)

    def _dropped(self, policy: Policy) -> ScoreMatrix:
        """The table after the steps of a policy that leave systems or topics out."""
        table = self
        for step in policy.steps:
            rows, columns = step.kept(~np.isnan(table.given))
            table = table._kept(rows, columns, str(step))
            if not table.topics or not table.systems:
                what = "topic" if not table.topics else "system"
                raise MissingScores(f"{self._where()}{step} leaves no {what}; use a larger share, or {MODEL_WAY_OUT}")
        return table

    def _ended(self, policy: Policy) -> ScoreMatrix:
        """The table after the last step of a policy."""
        if not self.missing:
            return self
        count = len(self.missing)
        remark = Remark(kind="scores missing", about=self.name, count=count, total=self.given.size, how=policy.ending)
        if policy.ending == "zero":
            return _changed(self, given=_zeros_for_nan(self.given), left_out=(*self.left_out, remark))
        if policy.fit is not None:
            _check_fitted(self, policy.fit)
            check_fit(self.given, self.systems, self._where(), policy.fit)
            return _changed(self, fit=policy.fit, left_out=(*self.left_out, remark))
        if policy.ending == "intersect":
            rows = np.asarray(~np.isnan(self.given).any(axis=1))
            if not rows.any():
                raise MissingScores(
                    f"{self._where()}every topic lacks some system's score; leave out systems with many gaps first "
                    f"(on_missing='drop-systems=0.5', --on-missing drop-systems=0.5), or use {MODEL_WAY_OUT}"
                )
            return self._kept(rows, np.ones(len(self.systems), bool), policy.ending)
        _ = self.means  # raises, and says what is missing
        return self

    def _kept(self, rows: npt.NDArray[np.bool_], columns: npt.NDArray[np.bool_], how: str) -> ScoreMatrix:
        """The table with these topics and systems, and a remark on the others."""
        table = self._take(np.flatnonzero(rows), np.flatnonzero(columns))
        sides: tuple[tuple[RemarkKind, tuple[str, ...], npt.NDArray[np.bool_]], ...] = (
            ("systems left out", self.systems, columns),
            ("topics left out", self.topics, rows),
        )
        remarks = [
            _left_out(kind, self.name, [names[i] for i in np.flatnonzero(~keep)], len(names), how)
            for kind, names, keep in sides
            if not keep.all()
        ]
        return _changed(table, left_out=(*table.left_out, *remarks))

    def _where(self) -> str:
        return "" if self.name is None else f"{self.name}: "

    def _take(self, rows: npt.NDArray[np.intp], columns: npt.NDArray[np.intp]) -> ScoreMatrix:
        return _changed(
            self,
            given=_read_only(self.given[np.ix_(rows, columns)], "a score matrix", dimensions=2),
            systems=_taken(self.systems, columns, self.systems_named),
            topics=_taken(self.topics, rows, self.topics_named),
        )

    def renamed(self, name: str | None) -> ScoreMatrix:
        """The same scores under another name."""
        return _changed(self, name=name)

    def labelled(self, measure: str | None) -> ScoreMatrix:
        """The same scores as those of another measure."""
        return _changed(self, measure=measure)


@dataclass(frozen=True, eq=False)
class SystemScores:
    """One score per system: a leaderboard, with no topics to resample.

    Parameters
    ----------
    values : array of shape (systems,)
        The scores; NaN is a missing one.
    systems : sequence of str, optional
        The names, all different; systems without names are numbered from 1 and aligned by position.
    measure : str, optional
        The measure that gave the scores.
    name : str, optional
        What messages and reports call these scores.
    standard_errors : array of shape (systems,), optional
        The standard error of each score, 0 or more; NaN is an unknown one.
    lower_is_better : bool, default False
        Whether lower scores are better (error rates, latency).

    Attributes
    ----------
    given : ndarray of shape (systems,)
        The scores as they were given.
    values : ndarray of shape (systems,)
        The scores that are computed with, of which higher ones are better.
    left_out : tuple of Remark
        What was left out on the way from the file to this leaderboard, and why.

    Examples
    --------
    >>> SystemScores([0.31, 0.28], ["dense", "bm25"], measure="AP").ranks.tolist()
    [1.0, 2.0]
    """

    given: Floats
    systems: tuple[str, ...] = ()
    measure: str | None = None
    name: str | None = None
    systems_named: bool = True
    standard_errors: Floats | None = None
    lower_is_better: bool = False
    left_out: tuple[Remark, ...] = ()

    def __init__(
        self,
        values: npt.ArrayLike,
        systems: Sequence[str] | None = None,
        *,
        measure: str | None = None,
        name: str | None = None,
        standard_errors: npt.ArrayLike | None = None,
        lower_is_better: bool = False,
    ) -> None:
        scores = _read_only(values, "a leaderboard", dimensions=1)
        _set(self, "given", scores)
        _set(self, "systems", _labels(systems, scores.shape[0], "system"))
        _set(self, "measure", measure)
        _set(self, "name", name)
        _set(self, "systems_named", systems is not None)
        _set(self, "standard_errors", None if standard_errors is None else _errors(standard_errors, len(scores)))
        _set(self, "lower_is_better", bool(lower_is_better))
        _set(self, "left_out", ())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SystemScores):
            return NotImplemented
        first, second = self.standard_errors, other.standard_errors
        alike = first is second if first is None or second is None else np.array_equal(first, second, equal_nan=True)
        return alike and _same(self, other, ("systems", "measure", "systems_named", "lower_is_better"))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        measure = "" if self.measure is None else f" by {self.measure}"
        return f"<SystemScores{measure}: {len(self.systems)} systems>"

    # What charts and tables ask of either kind of scores.
    aggregate: ClassVar[AggregateName] = "mean"
    fit: ClassVar[Fit | None] = None
    averaged: ClassVar[bool] = True

    @cached_property
    def values(self) -> Floats:
        """The scores that are computed with, of which higher ones are better."""
        return _read_only(-self.given, "a leaderboard", dimensions=1) if self.lower_is_better else self.given

    @property
    def missing(self) -> tuple[str, ...]:
        """The systems that have no score."""
        return tuple(self.systems[s] for s in np.flatnonzero(np.isnan(self.given)))

    @property
    def means(self) -> Floats:
        """What ranks the systems, higher being better, as `ScoreMatrix.means`; an error if a score is missing."""
        if self.missing:
            where = "" if self.name is None else f"{self.name}: "
            raise MissingScores(f"{where}no score for {some(self.missing)}; {WAYS_OUT}")
        return self.values

    @property
    def ranks(self) -> Floats:
        """The rank of each system, best first, ties at their mean rank."""
        return mean_ranks(self.means)

    def shown(self, scores: npt.ArrayLike) -> Floats:
        """Scores of systems as the user knows them, from what ranks them."""
        return _shown(np.asarray(scores, dtype=np.float64), AGGREGATES["mean"], self.lower_is_better)

    @property
    def shown_lower(self) -> bool:
        """Whether lower shown scores are better."""
        return self.lower_is_better

    def scored(self, aggregate: AggregateName = "mean", *, lower_is_better: bool = False) -> SystemScores:
        """The same scores with another direction; there is nothing to aggregate."""
        if aggregate != "mean":
            where = "" if self.name is None else f"{self.name}: "
            raise BadParameter(
                f"{where}aggregate={aggregate!r} makes one score of several, and a leaderboard has one per system; "
                "leave it out (--aggregate), or give scores by topic"
            )
        return _changed(self, lower_is_better=bool(lower_is_better))

    def system_scores(self) -> SystemScores:
        """Itself."""
        return self

    def select(self, *, systems: Sequence[str] | None = None) -> SystemScores:
        """These systems only, in the order given."""
        keep = _positions(self.systems, systems, "system")
        given = _read_only(self.given[keep], "a leaderboard", dimensions=1)
        errors = None if self.standard_errors is None else self.standard_errors[keep]
        systems_kept = _taken(self.systems, keep, self.systems_named)
        return _changed(self, given=given, systems=systems_kept, standard_errors=errors)

    def fill(self, on_missing: OnMissing) -> SystemScores:
        """The leaderboard as a policy for missing scores leaves it: without systems that lack one, or with zeros."""
        policy = parse_on_missing(on_missing)
        if not self.missing:
            return self
        if policy.ending == "error" and not policy.steps:
            _ = self.means  # raises, and says what is missing
        if policy.ending == "zero":
            remark = Remark(
                kind="scores missing", about=self.name, count=len(self.missing), total=len(self.given), how="zero"
            )
            filled = _changed(self, given=_zeros_for_nan(self.given), standard_errors=_of_known(self))
            return _changed(filled, left_out=(*self.left_out, remark))
        lacking = set(self.missing)
        kept = self.select(systems=[s for s in self.systems if s not in lacking])
        remark = _left_out("systems left out", self.name, self.missing, len(self.systems), "no score")
        return _changed(kept, left_out=(*self.left_out, remark))

    def renamed(self, name: str | None) -> SystemScores:
        """The same scores under another name."""
        return _changed(self, name=name)

    def labelled(self, measure: str | None) -> SystemScores:
        """The same scores as those of another measure."""
        return _changed(self, measure=measure)


Scores = ScoreMatrix | SystemScores
AnyScores = TypeVar("AnyScores", ScoreMatrix, SystemScores)


# What is computed from the given scores, their systems and how they are read.
_DERIVED = ("values", "missing", "means")


def _changed(scores: AnyScores, **fields: Any) -> AnyScores:
    """The same scores with other fields."""
    changed = copy.copy(scores)
    if not fields.keys() <= {"name", "measure", "left_out"}:
        for derived in _DERIVED:
            changed.__dict__.pop(derived, None)
    changed.__dict__.update(fields)
    return changed


def _check_fitted(scores: ScoreMatrix, fit: Fit) -> None:
    """Raise `BadParameter` for an aggregate that is no mean of each topic's own scores."""
    if not scores.how.is_mean or not scores.how.own_scale:
        raise BadParameter(
            f"{scores._where()}{scores.how.label} needs complete topics, and on_missing={fit!r} keeps others; use "
            "on_missing='intersect' (--on-missing intersect), or the mean or geometric mean"
        )


def chosen(scores: AnyScores, systems: Sequence[str] | None, topics: Sequence[str] | None = None) -> AnyScores:
    """The scores of these systems and topics, with a remark on how many others were left out as asked.

    >>> chosen(SystemScores([0.1, 0.2], ["a", "b"]), ["b"]).left_out[0].count
    1
    """
    several: Any = scores
    kept = several.select(systems=systems, topics=topics) if topics is not None else several.select(systems=systems)
    remarks: list[Remark] = []
    sides: tuple[tuple[RemarkKind, str], ...] = (("systems left out", "systems"), ("topics left out", "topics"))
    for kind, what in sides:
        own, left = getattr(scores, what, ()), getattr(kept, what, ())
        if len(left) < len(own):
            names = tuple(name for name in own if name not in set(left))
            count = len(own) - len(left)
            remarks.append(Remark(kind=kind, about=several.name, count=count, total=len(own), names=names))
    return cast("AnyScores", _changed(kept, left_out=(*several.left_out, *remarks)))


def with_names(scores: AnyScores, names: Mapping[str, str]) -> AnyScores:
    """The same scores with other names of systems, all different; those without another keep theirs.

    >>> with_names(SystemScores([0.1, 0.2], ["a", "b"]), {"a": "BM25"}).systems
    ('BM25', 'b')
    """
    shown = _labels([names.get(system, system) for system in scores.systems], len(scores.systems), "system")
    return _changed(scores, systems=shown, systems_named=True)


def _left_out(kind: RemarkKind, about: str | None, names: Sequence[str], total: int, how: str) -> Remark:
    return Remark(kind=kind, about=about, count=len(names), total=total, names=tuple(names), how=how)


def _taken(names: tuple[str, ...], positions: npt.NDArray[np.intp], named: bool) -> tuple[str, ...]:
    """The names at these positions; without names, numbers from 1."""
    return tuple(names[i] for i in positions) if named else tuple(str(i + 1) for i in range(len(positions)))


def _shown(scores: Floats, how: Aggregate, lower_is_better: bool) -> Floats:
    own = -scores if lower_is_better and how.own_scale else scores
    return own if how.back is None else how.back(own)


def _zeros_for_nan(values: Floats) -> Floats:
    return _read_only(np.nan_to_num(values, nan=0.0), "scores", dimensions=values.ndim)


def exact_means(values: Floats) -> Floats:
    """Column means in which equal sums give equal means.

    Published scores are short decimals, and 0.1 + 0.2 + 0.3 differs in its last bit from 0.3 + 0.2 + 0.1. A ranking
    must not turn on that, so decimals are summed as integers, and other scores with a correctly rounded sum, which
    does not depend on the order of the topics.

    >>> exact_means(np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.1]])).tolist()
    [0.2, 0.2]
    """
    topics = values.shape[0]
    check_size(values)
    coded = decimal_code(values)
    if coded is not None:
        integers, unit = coded
        return np.asarray(integers.sum(axis=0) / (topics * unit))
    return np.array([math.fsum(column) / topics for column in values.T])


def check_size(values: Floats) -> None:
    """Raise `NotFinite` for scores so large that their squares overflow."""
    if np.abs(values).max(initial=0.0) > _GREATEST:
        raise NotFinite(f"scores beyond {_GREATEST:g} cannot be averaged and squared; divide all scores by a constant")


def decimal_code(values: Floats) -> tuple[Floats, float] | None:
    """Scores as whole numbers of a decimal unit, `values == integers / unit`, or None where they are not decimals.

    Sums of such integers are exact in floating point, in any order, also inside a matrix product.
    """
    if values.size == 0 or not np.isfinite(values).all():
        return None
    for places in range(_DECIMAL_PLACES + 1):
        unit = 10.0**places
        integers = np.rint(values * unit)
        if np.abs(integers).max() * values.shape[0] >= _EXACT_INTEGER:
            return None
        if np.array_equal(integers / unit, values):
            return integers, unit
    return None


def mean_ranks(values: Floats) -> Floats:
    """Ranks of one list of scores, best (greatest) first, ties at their mean rank.

    >>> mean_ranks(np.array([0.5, 0.9, 0.5])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, group, size = np.unique(-values, return_inverse=True, return_counts=True)
    last = np.cumsum(size)
    return np.asarray((last - (size - 1) / 2.0)[group])


def align(
    truth: Scores, estimate: Scores, *, on_missing: OnMissing = "error", topics: Topics = "paired"
) -> tuple[Scores, Scores]:
    """Both sides with the same systems, and the same topics where both have topics (`rs.align`, for scores)."""
    policy = parse_on_missing(on_missing)
    check_choice("topics", topics, TOPICS)
    if policy.fit is None:
        truth, estimate = truth.fill(on_missing), estimate.fill(on_missing)
    else:  # what is left out comes first, and the fit is of what both sides share
        truth, estimate = _without(truth, policy), _without(estimate, policy)
    sides = _title(truth, "the truth"), _title(estimate, "the estimate")
    named = _named(truth, estimate, "systems", sides)
    systems = _shared("system", truth.systems, estimate.systems, named, sides, policy)
    shared: tuple[str, ...] | None = None
    if topics == "paired" and isinstance(truth, ScoreMatrix) and isinstance(estimate, ScoreMatrix):
        named = _named(truth, estimate, "topics", sides)
        shared = _shared("topic", truth.topics, estimate.topics, named, sides, policy)
    aligned = _matched(truth, systems, shared), _matched(estimate, systems, shared)
    return aligned if policy.fit is None else (aligned[0].fill(policy.ending), aligned[1].fill(policy.ending))


def align_alike(truth: Scores, estimate: Scores) -> tuple[Scores, Scores]:
    """Both sides aligned, for functions without options for what differs: their errors name the function that has."""
    try:
        return align(truth, estimate)
    except (MismatchedNames, MissingScores) as error:
        raise type(error)(f"{error}; these are options of rs.align, whose two sides can be given here") from None


def _without(scores: Scores, policy: Policy) -> Scores:
    """Scores after the steps of a policy that leave systems or topics out."""
    return scores._dropped(policy) if isinstance(scores, ScoreMatrix) and scores.missing else scores


def _matched(scores: Scores, systems: tuple[str, ...], topics: tuple[str, ...] | None) -> Scores:
    """Scores of what both sides share, with a remark on what only this side has."""
    kinds: tuple[tuple[RemarkKind, tuple[str, ...], tuple[str, ...]], ...] = (
        ("systems left out", scores.systems, systems),
        ("topics left out", scores.topics if isinstance(scores, ScoreMatrix) and topics else (), topics or ()),
    )
    remarks = []
    for kind, own, kept in kinds:
        names = set(kept)
        alone = [name for name in own if name not in names]
        if alone:
            remarks.append(_left_out(kind, scores.name, alone, len(own), "one side only"))
    matched: Any = reindexed(scores, systems, topics)
    return cast("Scores", _changed(matched, left_out=(*scores.left_out, *remarks)))


def pairing(truth: Scores, estimate: Scores, topics: AnyTopics) -> Topics:
    """Whether the sides' topics are the same or two samples: as asked for, or by their names.

    Topics that differ in spelling alone are paired, and refused by `align`.
    """
    check_choice("topics", topics, ANY_TOPICS)
    if topics != "auto":
        return topics
    if not (isinstance(truth, ScoreMatrix) and isinstance(estimate, ScoreMatrix)):
        return "paired"
    if not (truth.topics_named and estimate.topics_named) or not truth.topics or not estimate.topics:
        return "paired"
    shared = not set(truth.topics).isdisjoint(estimate.topics)
    return "paired" if shared or spelled_alike(truth.topics, estimate.topics) is not None else "independent"


def as_scores(data: object, *, measure: str | None = None, name: str | None = None) -> Scores:
    """Scores from data in memory: an array or list (one dimension: systems; two: topics × systems), or a mapping.

    A mapping is `{system: score}` or `{system: {topic: score}}`; a topic that a system lacks is missing (NaN).

    >>> as_scores({"bm25": {"q1": 0.2, "q2": 0.4}, "dense": {"q1": 0.3, "q2": 0.1}})
    <ScoreMatrix: 2 topics × 2 systems>
    """
    if isinstance(data, ScoreMatrix | SystemScores):
        return data if name is None else data.renamed(name)
    if isinstance(data, Mapping):
        return _from_mapping(data, measure, name)
    try:
        values = np.asarray(data, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ShapeMismatch(f"scores must be numbers in one or two dimensions ({error})") from None
    if values.ndim == 1:
        return SystemScores(values, measure=measure, name=name)
    return ScoreMatrix(values, measure=measure, name=name)


def _from_mapping(data: Mapping[Any, Any], measure: str | None, name: str | None) -> Scores:
    systems = [str(system) for system in data]
    nested = [isinstance(inner, Mapping) for inner in data.values()]
    if not any(nested):
        return SystemScores(np.array([_number(v) for v in data.values()]), systems, measure=measure, name=name)
    if not all(nested):
        raise ShapeMismatch("a mapping holds one score per system, or one mapping of topics per system, not both")
    rows: dict[str, int] = {}
    for inner in data.values():
        for topic in inner:
            rows.setdefault(str(topic), len(rows))
    values = np.full((len(rows), len(systems)), np.nan)
    for column, inner in enumerate(data.values()):
        for topic, value in inner.items():
            values[rows[str(topic)], column] = _number(value)
    return ScoreMatrix(values, systems, list(rows), measure=measure, name=name)


def _number(value: Any) -> float:
    try:
        return float("nan") if value is None else float(value)
    except (TypeError, ValueError):
        raise ShapeMismatch(f"{value!r} is not a score; scores are numbers") from None


def _read_only(values: npt.ArrayLike, what: str, *, dimensions: int) -> Floats:
    array = np.array(values, dtype=np.float64, order="C")
    if array.ndim != dimensions:
        raise ShapeMismatch(f"{what} has {dimensions} dimension(s), this array has {array.ndim}")
    if np.isinf(array).any():
        raise NotFinite(f"{what} holds an infinite score; scores are finite numbers, or NaN for missing")
    array.flags.writeable = False
    return array


def _errors(values: npt.ArrayLike, count: int) -> Floats:
    errors = _read_only(values, "a list of standard errors", dimensions=1)
    if len(errors) != count:
        raise ShapeMismatch(f"{len(errors)} standard errors for {count} scores")
    if (errors < 0.0).any():
        raise BadParameter(f"a standard error is 0 or more, and one is {errors[errors < 0.0][0]:g}")
    return errors


def _of_known(scores: SystemScores) -> Floats | None:
    """The standard errors of the scores that are not missing; that of a score made up for another is unknown."""
    if scores.standard_errors is None:
        return None
    return _errors(np.where(np.isnan(scores.values), np.nan, scores.standard_errors), len(scores.values))


def _labels(names: Sequence[str] | None, count: int, what: str) -> tuple[str, ...]:
    if names is None:
        return tuple(str(i + 1) for i in range(count))
    labels = tuple(str(name) for name in names)
    if len(labels) != count:
        raise ShapeMismatch(f"{len(labels)} {what} names for {count} {what}s")
    if len(set(labels)) != count:
        seen: set[str] = set()
        twice = [label for label in labels if label in seen or seen.add(label)]  # type: ignore[func-returns-value]
        raise ShapeMismatch(f"the {what} names {some(twice)} appear more than once; names must differ")
    return labels


def _set(target: object, field: str, value: object) -> None:
    object.__setattr__(target, field, value)


def _same(a: Scores, b: Scores, fields: tuple[str, ...]) -> bool:
    return np.array_equal(a.given, b.given, equal_nan=True) and all(getattr(a, f) == getattr(b, f) for f in fields)


def _positions(names: tuple[str, ...], chosen: Sequence[str] | None, what: str) -> npt.NDArray[np.intp]:
    if chosen is None:
        return np.arange(len(names))
    index = {name: position for position, name in enumerate(names)}
    unknown = [name for name in chosen if name not in index]
    if unknown:
        raise MismatchedNames(f"no {what} named {some(unknown)}")
    return np.array([index[name] for name in chosen], dtype=np.intp)


def _title(scores: Scores, role: str) -> str:
    return role if scores.name is None else f"{role} ({scores.name})"


def _named(truth: Scores, estimate: Scores, kind: str, sides: tuple[str, str]) -> bool:
    named = getattr(truth, f"{kind}_named"), getattr(estimate, f"{kind}_named")
    if named[0] != named[1]:
        with_names, without = sides if named[0] else sides[::-1]
        raise UnnamedData(
            f"{with_names} names its {kind} and {without} does not, so they cannot be matched; "
            f"give both sides names (a header row, a topic column), or neither{_two_samples(kind.removesuffix('s'))}"
        )
    return bool(named[0])


def _shared(
    what: str,
    first: tuple[str, ...],
    second: tuple[str, ...],
    named: bool,
    sides: tuple[str, str],
    policy: Policy,
) -> tuple[str, ...]:
    if not named:
        if len(first) != len(second):
            raise MismatchedNames(
                f"{sides[0]} has {len(first)} {what}s and {sides[1]} has {len(second)}, and neither names them; "
                f"name the {what}s on both sides so that they can be matched{_two_samples(what)}"
            )
        return first
    known_first, known_second = set(first), set(second)
    only_first = [name for name in first if name not in known_second]
    only_second = [name for name in second if name not in known_first]
    if policy.ending == "zero":
        return first + tuple(only_second)
    shared = tuple(name for name in first if name in known_second)
    if not shared:
        raise nothing_in_common(what, sides, first, second, _two_samples(what))
    if (only_first or only_second) and policy.ending == "error":
        differences = [
            f"{len(only)} of {len(all_names)} {what}s only in {side}: {some(only)}"
            for only, all_names, side in ((only_first, first, sides[0]), (only_second, second, sides[1]))
            if only
        ]
        raise MismatchedNames(f"{'; '.join(differences)}; {WAYS_OUT}{_two_samples(what)}")
    return shared


def _two_samples(what: str) -> str:
    """The way out that topics have and systems do not."""
    return ", or topics='independent' (--topics independent) for two samples of topics" if what == "topic" else ""


def reindexed(
    scores: Scores, systems: tuple[str, ...], topics: tuple[str, ...] | None = None, *, lacking: float = 0.0
) -> Scores:
    """The scores of these systems, and of these topics or its own, in this order; `lacking` for those it lacks."""
    column = {name: position for position, name in enumerate(scores.systems)}
    known = np.array([s in column for s in systems], dtype=bool)
    source = np.array([column.get(s, 0) for s in systems], dtype=np.intp)
    if known.all() and isinstance(scores, ScoreMatrix) and set(topics or ()) <= set(scores.topics):
        return scores.select(systems=systems, topics=topics)
    if isinstance(scores, SystemScores):
        values = np.where(known, scores.given[source], lacking)
        errors = None if scores.standard_errors is None else np.where(known, scores.standard_errors[source], np.nan)
        given = _read_only(values, "a leaderboard", dimensions=1)
        return _changed(scores, given=given, systems=systems, standard_errors=errors)
    topics = scores.topics if topics is None else topics
    row = {name: position for position, name in enumerate(scores.topics)}
    known_topics = np.array([t in row for t in topics], dtype=bool)
    source_topics = np.array([row.get(t, 0) for t in topics], dtype=np.intp)
    values = np.where(np.outer(known_topics, known), scores.given[np.ix_(source_topics, source)], lacking)
    return _changed(
        scores, given=_read_only(values, "a score matrix", dimensions=2), systems=systems, topics=tuple(topics)
    )
