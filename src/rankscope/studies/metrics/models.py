"""Chosen predictors made into a model: fitted on all training collections and tried on the test collections."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from rankscope.coefficients import kendall
from rankscope.coefficients.rows import quietly
from rankscope.errors import BadParameter
from rankscope.measure_table import IfMissing, MeasureTable, read_collections
from rankscope.results import Table
from rankscope.scores import Floats
from rankscope.studies.metrics.choosing import Criterion, Fold, Scored
from rankscope.studies.metrics.linear_fit import LinearFit
from rankscope.studies.metrics.nonlinear import ModelName, best_settings, best_subset, fitted
from rankscope.studies.metrics.subsets import r_squared

Search = Literal["linear", "own"]
SEARCHES: tuple[Search, ...] = get_args(Search)


@dataclass(frozen=True, kw_only=True)
class CollectionFit:
    """How predictions do on one collection; `covered` is the share of systems within their prediction intervals."""

    collection: str
    systems: int
    tau: float
    r2: float
    rmse: float
    covered: float | None


@dataclass(frozen=True, kw_only=True)
class PredictionModel:
    """A target, the predictors chosen for it, and how they do.

    `tau` and `r2` are what it was chosen by: the mean over development collections, or over left-out ones. The linear
    model's `intercept` and `slopes` are None for others. `dependent` flags predictors that are linearly dependent.
    """

    target: str
    predictors: tuple[str, ...]
    model: ModelName
    tau: float
    r2: float
    tests: tuple[CollectionFit, ...]
    intercept: float | None = None
    slopes: tuple[float, ...] | None = None
    training_r2: float
    dependent: bool = False
    fitting: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Predictions:
    """What all results of predictions have: the collections by what they are for, and the criterion of the choice.

    `development` names the collections by which predictors were chosen. It is empty where they were chosen by leaving
    out each training collection in turn.
    """

    training: tuple[str, ...]
    development: tuple[str, ...]
    tests: tuple[str, ...]
    chosen_by: Criterion
    settings: dict[str, Any]

    @property
    def chosen_on(self) -> str:
        """What predictors were chosen on, in a word or two."""
        return ", ".join(self.development) or "cross-validation"

    def model_table(self, columns: Sequence[str], rows: Iterable[tuple[tuple[Any, ...], PredictionModel]]) -> Table:
        """Rows of these columns, each with what its model was chosen by and how it does on every test collection."""
        by_test = [f"{what} {test}" for test in self.tests for what in ("tau", "r2")]
        cells = ((*row, m.tau, m.r2, *(value for test in m.tests for value in (test.tau, test.r2))) for row, m in rows)
        return Table((*columns, "tau", "r2", *by_test), tuple(cells), digits=3)


@dataclass(frozen=True, eq=False)
class Roles:
    """Collections by what they are for; all have the same measures in the same order."""

    train: tuple[MeasureTable, ...]
    development: tuple[MeasureTable, ...]
    tests: tuple[MeasureTable, ...]

    @classmethod
    def read(
        cls,
        train: object,
        development: object,
        tests: object,
        measures: Sequence[str] | None,
        on_missing: IfMissing,
    ) -> Roles:
        """Read all collections; each role is one source or a list of them."""
        listed = [list(role) if isinstance(role, list | tuple) else [role] for role in (train, development, tests)]
        if not listed[0]:
            raise BadParameter("no training collections; give one at least")
        tables = read_collections(
            [source for role in listed for source in role], measures=measures, on_missing=on_missing
        )
        first, second = len(listed[0]), len(listed[0]) + len(listed[1])
        return cls(tables[:first], tables[first:second], tables[second:])

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures of all collections."""
        return self.train[0].measures

    def names(self) -> dict[str, tuple[str, ...]]:
        """The names of the collections, by the fields of `Predictions`."""
        roles = {"training": self.train, "development": self.development, "tests": self.tests}
        return {role: tuple(table.name for table in tables) for role, tables in roles.items()}

    def training_rows(self) -> Floats:
        """All training systems."""
        return np.concatenate([table.values for table in self.train])


@dataclass(frozen=True, eq=False)
class Builder:
    """Turns a chosen subset into a model that is fitted and tested."""

    roles: Roles
    judging: list[Fold]
    choose: Criterion
    search: Search
    level: float
    seed: int

    def build(self, model: ModelName, target: int, scored: Scored, place: int) -> PredictionModel:
        """The best subset of one size for a target, which is at `place` among the targets scored."""
        best = scored.best(place, self.choose)
        chosen = tuple(int(i) for i in scored.members[best])
        if model == "linear":
            return self.linear(target, chosen, float(scored.tau[best, place]), float(scored.r2[best, place]))
        if self.search == "own":
            open_to = [tuple(int(i) for i in each) for each in scored.members if target not in each]
            chosen = best_subset(model, open_to, target, self.judging, self.choose, self.seed)
        settings, tau, r2 = best_settings(model, chosen, target, self.judging, self.choose, self.seed)
        rows, columns = self.roles.training_rows(), list(chosen)
        predict = fitted(model, rows[:, columns], rows[:, target], settings, self.seed)
        explained = float(r_squared(rows[:, target], predict(rows[:, columns])))
        return self._tested(
            target, columns, predict, model=model, tau=tau, r2=r2, training_r2=explained, fitting=settings
        )

    def linear(self, target: int, chosen: Sequence[int], tau: float, r2: float) -> PredictionModel:
        """The linear model on these predictors, fitted on all training collections."""
        rows, columns = self.roles.training_rows(), [int(i) for i in chosen]
        fit = LinearFit.of(rows[:, columns], rows[:, target])
        return self._tested(
            target,
            columns,
            fit.predict,
            lambda given, truth: fit.covered(given, truth, self.level),
            model="linear",
            tau=tau,
            r2=r2,
            intercept=fit.intercept,
            slopes=tuple(fit.slopes.tolist()),
            training_r2=fit.r2,
            dependent=fit.dependent,
        )

    def _tested(
        self,
        target: int,
        columns: list[int],
        predict: Callable[[Floats], Floats],
        covered: Callable[[Floats, Floats], float] | None = None,
        **model: Any,
    ) -> PredictionModel:
        """A fitted model with how its predictions, and its intervals where it has some, do on each test collection."""
        tests = []
        for table in self.roles.tests:
            given, truth = table.values[:, columns], table.values[:, target]
            share = None if covered is None else covered(given, truth)
            tests.append(collection_fit(table.name, truth, predict(given), share))
        measures = self.roles.measures
        predictors = tuple(measures[i] for i in columns)
        return PredictionModel(target=measures[target], predictors=predictors, tests=tuple(tests), **model)


def collection_fit(name: str, truth: Floats, predicted: Floats, covered: float | None) -> CollectionFit:
    """τ_b, R² and the root of the mean squared error of predictions."""
    with quietly():
        tau = float(kendall(truth, predicted))
    return CollectionFit(
        collection=name,
        systems=len(truth),
        tau=tau,
        r2=float(r_squared(truth, predicted)),
        rmse=float(np.sqrt(np.square(truth - predicted).mean())),
        covered=covered,
    )
