"""Battles: two models answer, and a judge says which answer is better, or that they tie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from rankscope.checks import check_choice, check_memory
from rankscope.errors import BadParameter, MismatchedNames, ShapeMismatch, TooFewSystems, some
from rankscope.scores import Floats, ScoreMatrix
from rankscope.strengths import ELO_UNIT, Codes, Strengths, bradley_terry, check_prior, win_rates

Score = Literal["bradley_terry", "win_rate"]
SCORES: tuple[Score, ...] = get_args(Score)
# What tables call the scores.
MEASURES: dict[Score, str] = {"bradley_terry": "Bradley–Terry", "win_rate": "win rate"}


@dataclass(frozen=True, eq=False)
class Battles:
    """Battles between models, as one judge saw them. A read-only value.

    Wherever scores are accepted, so are battles: they count as their Bradley–Terry scores.

    Parameters
    ----------
    first, second : sequence of str
        The two models of each battle, different ones; the first is the one that was shown first, or model_a.
    wins : sequence of float
        What the first won: 1, 0, or 0.5 for a tie; shares in between are allowed.
    ids : sequence of str, optional
        The id of each battle, by which battles of several judges are paired. Battles that share an id, such as those
        about one question, are resampled together.
    name : str, optional
        What messages and reports call these battles.

    Examples
    --------
    >>> battles = Battles(["a", "a", "b", "b"], ["b", "b", "c", "a"], [1, 0.5, 0.5, 1])
    >>> battles
    <Battles: 4 of 3 models>
    >>> battles.scores("win_rate").means.tolist()
    [0.5, 0.5, 0.5]
    """

    systems: tuple[str, ...]
    first: Codes
    second: Codes
    wins: Floats
    ids: tuple[str, ...] | None
    name: str | None

    def __init__(
        self,
        first: Sequence[str],
        second: Sequence[str],
        wins: npt.ArrayLike,
        ids: Sequence[str] | None = None,
        *,
        name: str | None = None,
    ) -> None:
        won = np.array(wins, dtype=np.float64)
        lengths = {len(first), len(second), *won.shape, *(() if ids is None else (len(ids),))}
        if won.ndim != 1 or len(lengths) > 1:
            raise ShapeMismatch("a battle has a first and a second model, what the first won, and an id if any has one")
        if not len(won):
            raise BadParameter("there are no battles; give at least one")
        if not ((won >= 0.0) & (won <= 1.0)).all():
            raise BadParameter("wins are from 0 to 1: 1 if the first model won, 0 if it lost, 0.5 for a tie")
        code: dict[str, int] = {}
        both = np.array([[code.setdefault(name, len(code)) for name in side] for side in (first, second)], np.int64)
        if (both[0] == both[1]).any():
            row = int(np.flatnonzero(both[0] == both[1])[0])
            raise BadParameter(f"{first[row]!r} battles itself, which says nothing of its rank; leave such battles out")
        _set(self, tuple(code), *both, won, None if ids is None else tuple(ids), name)

    def __len__(self) -> int:
        return len(self.wins)

    def __repr__(self) -> str:
        return f"<Battles: {len(self):,} of {len(self.systems)} models>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Battles):
            return NotImplemented
        arrays = ("first", "second", "wins")
        same = all(np.array_equal(getattr(self, field), getattr(other, field)) for field in arrays)
        return same and self.systems == other.systems and self.ids == other.ids

    __hash__ = None  # type: ignore[assignment]

    @property
    def ties(self) -> int:
        """The number of ties."""
        return int((self.wins == 0.5).sum())

    @cached_property
    def units(self) -> tuple[tuple[str, ...], Codes]:
        """What is resampled: the distinct ids in the order in which they appear, and that of each battle."""
        if self.ids is None:
            return tuple(str(number) for number in range(1, len(self) + 1)), np.arange(len(self))
        code: dict[str, int] = {}
        unit = np.array([code.setdefault(one, len(code)) for one in self.ids], dtype=np.int64)
        return tuple(code), unit

    def scores(self, score: Score = "bradley_terry", *, prior: float = 0.0) -> BattleScores:
        """The scores of the models with what each battle adds to them, to be ranked and compared.

        Parameters
        ----------
        score : {"bradley_terry", "win_rate"}, default "bradley_terry"
            Bradley–Terry strengths on Elo's scale (the mean is 1000, and 400 points are odds of 10 to 1), with ties as
            half wins; or the share of its battles that a model won, which depends on whom it met.
        prior : float, default 0
            For Bradley–Terry, the number of ties with an average model that every model gets beside its battles. Where
            a model won or lost all of its battles, some prior is needed.

        Returns
        -------
        BattleScores
            A score matrix whose rows are battles.

        Raises
        ------
        NoStrengths
            Where some models never met others, or won all of their battles.
        """
        return BattleScores(self, score, prior)

    def select(self, ids: Sequence[str]) -> Battles:
        """The battles with these ids."""
        names, unit = self.units
        known = set(names)
        unknown = [one for one in ids if one not in known]
        if unknown:
            raise MismatchedNames(f"no battle has the id {some(unknown)}")
        chosen = set(ids)
        rows = np.flatnonzero(np.array([name in chosen for name in names])[unit])
        return self._rows(rows)

    def _rows(self, rows: npt.NDArray[np.intp]) -> Battles:
        return Battles(
            [self.systems[code] for code in self.first[rows]],
            [self.systems[code] for code in self.second[rows]],
            self.wins[rows],
            None if self.ids is None else [self.ids[row] for row in rows],
            name=self.name,
        )

    def renamed(self, name: str | None) -> Battles:
        """The same battles under another name."""
        other = object.__new__(Battles)
        _set(other, self.systems, self.first, self.second, self.wins, self.ids, name)
        return other


class BattleScores(ScoreMatrix):
    """Scores of models from battles, as a table in which every battle is a row.

    A row has what the mean would be if all battles were as that one, to first order: the scores, plus the number of
    battles times the influence of this one. So the means are the scores; their covariance is the sandwich covariance;
    and means of resampled rows are the scores of resampled battles, to first order. Battles that share an id are one
    row.

    Parameters
    ----------
    battles : Battles
        The battles.
    score : {"bradley_terry", "win_rate"}, default "bradley_terry"
        The score.
    prior : float, default 0
        As in `Battles.scores`.
    """

    battles: Battles
    score: Score
    prior: float
    _columns: npt.NDArray[np.intp]

    def __init__(self, battles: Battles, score: Score = "bradley_terry", prior: float = 0.0) -> None:
        check_choice("score", score, SCORES)
        check_prior(prior)
        if len(battles.systems) < 2:
            raise TooFewSystems(f"battles need at least two models, there is {len(battles.systems)}")
        if score == "win_rate" and prior:
            raise BadParameter("a prior is of Bradley–Terry scores; leave it out for win rates")
        self.__dict__.update(
            battles=battles,
            score=score,
            prior=prior,
            systems=battles.systems,
            topics=battles.units[0],
            measure=MEASURES[score],
            name=battles.name,
            systems_named=True,
            topics_named=battles.ids is not None,
            _columns=np.arange(len(battles.systems)),
        )
        _ = self.strengths  # raises where there are none

    def __repr__(self) -> str:
        return f"<BattleScores by {self.measure}: {len(self.systems)} models, {len(self.battles):,} battles>"

    @property
    def unit(self) -> str:
        """What a row is called: a battle, or a question where several battles share an id."""
        return "battle" if len(self.topics) == len(self.battles) else "question"

    @cached_property
    def strengths(self) -> Strengths:
        """The scores of all models in the battles, and what battles add to them."""
        own = self.battles
        if self.score == "win_rate":
            return win_rates(own.first, own.second, own.wins, len(own.systems))
        return bradley_terry(own.first, own.second, own.wins, own.systems, prior=self.prior)

    @cached_property
    def means(self) -> Floats:
        """The scores."""
        means = self.strengths.values[self._columns]
        means.flags.writeable = False
        return means

    @property
    def missing(self) -> tuple[tuple[str, str], ...]:
        """Nothing: a battle says something of its two models, and nothing of the others."""
        return ()

    @property
    def given(self) -> Floats:
        """The rows."""
        return self.values

    @cached_property
    def values(self) -> Floats:
        """The rows."""
        rows, systems = len(self.topics), len(self.systems)
        check_memory(16 * rows * systems, f"a table of {rows:,} battles × {systems} models", "take fewer battles")
        influence = np.asarray(self._residuals @ self.strengths.bread[:, self._columns])
        # The influences of all battles sum to what pulls back against the prior: nothing, without one.
        influence -= influence.mean(axis=0)
        values = np.asarray(self.means + rows * influence)
        values.flags.writeable = False
        return values

    @cached_property
    def covariance(self) -> Floats:
        """The sandwich covariance of the scores; that of the means of the rows, without making them."""
        residuals, rows = self._residuals, len(self.topics)
        total = np.asarray(residuals.sum(axis=0)).ravel()
        meat = (residuals.T @ residuals).toarray() - np.outer(total, total) / rows
        bread = self.strengths.bread[:, self._columns]
        return np.asarray(bread.T @ meat @ bread) * rows / max(rows - 1.0, 1.0)

    @property
    def coin_covariance(self) -> Floats:
        """The covariance of the scores if a coin decided in every battle which of the two models won what it did."""
        own, models = self.battles, len(self.battles.systems)
        pairs = own.first * models + own.second
        squares, met = (
            np.bincount(pairs, weights, models**2).reshape(models, models)
            for weights in ((own.wins - 0.5) ** 2, np.ones(len(own)))
        )
        meat, played = (np.diag((table + table.T).sum(axis=1)) - (table + table.T) for table in (squares, met))
        if self.score == "win_rate":
            bread = np.diag(1.0 / np.diag(played))
        else:
            information = played / 4.0 + (np.diag(np.full(models, self.prior / 4.0)) if self.prior else 1.0)
            bread = ELO_UNIT * np.linalg.inv(information)
        return np.asarray((bread.T @ meat @ bread)[np.ix_(self._columns, self._columns)])

    @property
    def _residuals(self) -> Any:
        """Rows × models: what each row's battles say of their models beside what their scores foretell; sparse."""
        from scipy.sparse import csr_array

        own, unit = self.battles, self.battles.units[1]
        entries = np.concatenate([self.strengths.first_residuals, self.strengths.second_residuals])
        at = np.concatenate([unit, unit]), np.concatenate([own.first, own.second])
        return csr_array((entries, at), shape=(len(self.topics), len(own.systems)))

    def select(self, *, systems: Sequence[str] | None = None, topics: Sequence[str] | None = None) -> ScoreMatrix:
        """These models and battles only: scores are estimated anew from fewer battles, and not for fewer models."""
        battles = self.battles
        if topics is not None and tuple(topics) != self.topics:
            # Rows are matched with those of another side, so that their order is that of the ids.
            place = {one: row for row, one in enumerate(topics)}
            battles = battles.select(topics)
            names, unit = battles.units
            battles = battles._rows(np.argsort(np.array([place[name] for name in names])[unit], kind="stable"))
        chosen = self.systems if systems is None else tuple(systems)
        column = {name: position for position, name in enumerate(battles.systems)}
        unknown = [name for name in chosen if name not in column]
        if unknown:
            raise MismatchedNames(f"no system named {some(unknown)}")
        changed = BattleScores(battles, self.score, self.prior)
        changed.__dict__.update(
            systems=chosen, _columns=np.array([column[name] for name in chosen], dtype=np.intp), name=self.name
        )
        for stale in ("means", "values", "covariance"):
            changed.__dict__.pop(stale, None)
        return changed


def _set(battles: Battles, *values: Any) -> None:
    for field, value in zip(("systems", "first", "second", "wins", "ids", "name"), values, strict=True):
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
        object.__setattr__(battles, field, value)
