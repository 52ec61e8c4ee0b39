"""Chosen predictors made into a model: fitted on all training collections and tried on the test collections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from rankscope.coefficients import kendall
from rankscope.coefficients.rows import quietly
from rankscope.errors import BadParameter
from rankscope.measure_table import MeasureTable, read_collections
from rankscope.scores import Floats, OnMissing
from rankscope.studies.metrics.choosing import Criterion, Fold, Scored
from rankscope.studies.metrics.linear_fit import LinearFit
from rankscope.studies.metrics.nonlinear import ModelName, Settings, best_settings, best_subset, fitted
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
    intercept: float | None
    slopes: tuple[float, ...] | None
    training_r2: float
    dependent: bool
    fitting: dict[str, float]


@dataclass(frozen=True, eq=False)
class Roles:
    """Collections by what they are for; all have the same measures in the same order."""

    train: tuple[MeasureTable, ...]
    development: tuple[MeasureTable, ...]
    tests: tuple[MeasureTable, ...]

    @classmethod
    def read(
        cls, train: object, development: object, tests: object, measures: Sequence[str] | None, on_missing: OnMissing
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
        return self._nonlinear(model, target, chosen, settings, tau, r2)

    def linear(self, target: int, chosen: Sequence[int], tau: float, r2: float) -> PredictionModel:
        """The linear model on these predictors, fitted on all training collections."""
        rows, columns = self.roles.training_rows(), [int(i) for i in chosen]
        fit = LinearFit.of(rows[:, columns], rows[:, target])
        tests = []
        for table in self.roles.tests:
            given, truth = table.values[:, columns], table.values[:, target]
            covered = fit.covered(given, truth, self.level)
            tests.append(collection_fit(table.name, truth, fit.predict(given), covered))
        return PredictionModel(
            target=self.roles.measures[target],
            predictors=tuple(self.roles.measures[i] for i in columns),
            model="linear",
            tau=tau,
            r2=r2,
            tests=tuple(tests),
            intercept=fit.intercept,
            slopes=tuple(float(slope) for slope in fit.slopes),
            training_r2=fit.r2,
            dependent=fit.dependent,
            fitting={},
        )

    def _nonlinear(
        self, model: ModelName, target: int, chosen: tuple[int, ...], settings: Settings, tau: float, r2: float
    ) -> PredictionModel:
        rows, columns = self.roles.training_rows(), list(chosen)
        function = fitted(model, rows[:, columns], rows[:, target], settings, self.seed)
        tests = [
            collection_fit(table.name, table.values[:, target], function(table.values[:, columns]), None)
            for table in self.roles.tests
        ]
        return PredictionModel(
            target=self.roles.measures[target],
            predictors=tuple(self.roles.measures[i] for i in columns),
            model=model,
            tau=tau,
            r2=r2,
            tests=tuple(tests),
            intercept=None,
            slopes=None,
            training_r2=float(r_squared(rows[:, target], function(rows[:, columns]))),
            dependent=False,
            fitting=settings,
        )


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
