"""Scores of systems: by topic (`ScoreMatrix`) or one each (`SystemScores`).

Both are read-only values. `given` are the user's own numbers and `values` those that are computed with, of which higher
ones are always better. NaN is missing: it may be held, and never averaged.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeVar, cast

import numpy as np
import numpy.typing as npt

from rankscope.aggregates import AGGREGATE_NAMES, AGGREGATES, Aggregate, AggregateName
from rankscope.averages import exact_means, mean_ranks
from rankscope.checks import check_choice
from rankscope.errors import BadParameter, MismatchedNames, MissingScores, NotFinite, ShapeMismatch, some
from rankscope.fits import IncompleteScores, check_fit
from rankscope.missing import MODEL_WAY_OUT, WAYS_OUT, Fit, Policy, parse_on_missing
from rankscope.results import Remark, RemarkKind

Floats = npt.NDArray[np.float64]
# A policy for missing scores, as `missing.parse_on_missing` reads it: "intersect", "drop-systems=0.5,additive".
OnMissing = str


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
        table = read_only(values, "a score matrix", dimensions=2)
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
        return read_only(sign * changed if how.own_scale else changed, "a score matrix", dimensions=2)

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
        other = with_fields(self, aggregate=aggregate, lower_is_better=bool(lower_is_better))
        if other.fit is not None:
            _check_fitted(other, other.fit)
        return other

    def system_scores(self) -> SystemScores:
        """The leaderboard of these means."""
        systems = self.systems if self.systems_named else None
        leaderboard = SystemScores(
            self.shown(self.means), systems, measure=self.measure, name=self.name, lower_is_better=self.shown_lower
        )
        return with_fields(leaderboard, left_out=self.left_out)

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
            return with_fields(self, given=_zeros_for_nan(self.given), left_out=(*self.left_out, remark))
        if policy.fit is not None:
            _check_fitted(self, policy.fit)
            check_fit(self.given, self.systems, self._where(), policy.fit)
            return with_fields(self, fit=policy.fit, left_out=(*self.left_out, remark))
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
            left_out_remark(kind, self.name, [names[i] for i in np.flatnonzero(~keep)], len(names), how)
            for kind, names, keep in sides
            if not keep.all()
        ]
        return with_fields(table, left_out=(*table.left_out, *remarks))

    def _where(self) -> str:
        return "" if self.name is None else f"{self.name}: "

    def _take(self, rows: npt.NDArray[np.intp], columns: npt.NDArray[np.intp]) -> ScoreMatrix:
        return with_fields(
            self,
            given=read_only(self.given[np.ix_(rows, columns)], "a score matrix", dimensions=2),
            systems=_taken(self.systems, columns, self.systems_named),
            topics=_taken(self.topics, rows, self.topics_named),
        )

    def renamed(self, name: str | None) -> ScoreMatrix:
        """The same scores under another name."""
        return with_fields(self, name=name)

    def labelled(self, measure: str | None) -> ScoreMatrix:
        """The same scores as those of another measure."""
        return with_fields(self, measure=measure)


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
        scores = read_only(values, "a leaderboard", dimensions=1)
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
        return read_only(-self.given, "a leaderboard", dimensions=1) if self.lower_is_better else self.given

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
        return with_fields(self, lower_is_better=bool(lower_is_better))

    def system_scores(self) -> SystemScores:
        """Itself."""
        return self

    def select(self, *, systems: Sequence[str] | None = None) -> SystemScores:
        """These systems only, in the order given."""
        keep = _positions(self.systems, systems, "system")
        given = read_only(self.given[keep], "a leaderboard", dimensions=1)
        errors = None if self.standard_errors is None else self.standard_errors[keep]
        systems_kept = _taken(self.systems, keep, self.systems_named)
        return with_fields(self, given=given, systems=systems_kept, standard_errors=errors)

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
            filled = with_fields(self, given=_zeros_for_nan(self.given), standard_errors=_of_known(self))
            return with_fields(filled, left_out=(*self.left_out, remark))
        lacking = set(self.missing)
        kept = self.select(systems=[s for s in self.systems if s not in lacking])
        remark = left_out_remark("systems left out", self.name, self.missing, len(self.systems), "no score")
        return with_fields(kept, left_out=(*self.left_out, remark))

    def renamed(self, name: str | None) -> SystemScores:
        """The same scores under another name."""
        return with_fields(self, name=name)

    def labelled(self, measure: str | None) -> SystemScores:
        """The same scores as those of another measure."""
        return with_fields(self, measure=measure)


Scores = ScoreMatrix | SystemScores
AnyScores = TypeVar("AnyScores", ScoreMatrix, SystemScores)


# What is computed from the given scores, their systems and how they are read.
_DERIVED = ("values", "missing", "means")


def with_fields(scores: AnyScores, **fields: Any) -> AnyScores:
    """The same scores with other fields."""
    other = copy.copy(scores)
    if not fields.keys() <= {"name", "measure", "left_out"}:
        for derived in _DERIVED:
            other.__dict__.pop(derived, None)
    other.__dict__.update(fields)
    return other


def _check_fitted(scores: ScoreMatrix, fit: Fit) -> None:
    """Raise `BadParameter` for an aggregate that is not a mean of each topic's own scores."""
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
    return cast("AnyScores", with_fields(kept, left_out=(*several.left_out, *remarks)))


def with_names(scores: AnyScores, names: Mapping[str, str]) -> AnyScores:
    """The same scores with other names of systems, all different; those without another keep theirs.

    >>> with_names(SystemScores([0.1, 0.2], ["a", "b"]), {"a": "BM25"}).systems
    ('BM25', 'b')
    """
    shown = _labels([names.get(system, system) for system in scores.systems], len(scores.systems), "system")
    return with_fields(scores, systems=shown, systems_named=True)


def without_gaps(scores: Scores, policy: Policy) -> Scores:
    """Scores after the steps of a policy that leave systems or topics out."""
    return scores._dropped(policy) if isinstance(scores, ScoreMatrix) and scores.missing else scores


def left_out_remark(kind: RemarkKind, about: str | None, names: Sequence[str], total: int, how: str) -> Remark:
    """What was left out of scores, of how many, and why."""
    return Remark(kind=kind, about=about, count=len(names), total=total, names=tuple(names), how=how)


def _taken(names: tuple[str, ...], positions: npt.NDArray[np.intp], named: bool) -> tuple[str, ...]:
    """The names at these positions; without names, numbers from 1."""
    return tuple(names[i] for i in positions) if named else tuple(str(i + 1) for i in range(len(positions)))


def _shown(scores: Floats, how: Aggregate, lower_is_better: bool) -> Floats:
    own = -scores if lower_is_better and how.own_scale else scores
    return own if how.back is None else how.back(own)


def _zeros_for_nan(values: Floats) -> Floats:
    return read_only(np.nan_to_num(values, nan=0.0), "scores", dimensions=values.ndim)


def read_only(values: npt.ArrayLike, what: str, *, dimensions: int) -> Floats:
    """A read-only copy of scores; an error if they have other dimensions or are infinite."""
    array = np.array(values, dtype=np.float64, order="C")
    if array.ndim != dimensions:
        raise ShapeMismatch(f"{what} has {dimensions} dimension(s), this array has {array.ndim}")
    if np.isinf(array).any():
        raise NotFinite(f"{what} holds an infinite score; scores are finite numbers, or NaN for missing")
    array.flags.writeable = False
    return array


def _errors(values: npt.ArrayLike, count: int) -> Floats:
    errors = read_only(values, "a list of standard errors", dimensions=1)
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
