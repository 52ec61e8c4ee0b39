"""Which predictors to take: every subset scored on collections that it was not fitted on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from rankscope.coefficients import kendall
from rankscope.coefficients.rows import quietly
from rankscope.errors import BadParameter
from rankscope.measure_table import MeasureTable
from rankscope.scores import Floats
from rankscope.studies.metrics.subsets import Indices, Training, predictions, r_squared, subsets

Criterion = Literal["tau", "r2"]
CRITERIA: tuple[Criterion, ...] = get_args(Criterion)


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows to fit on and a collection to judge by; all arrays are systems × measures."""

    train: Floats
    title: str
    judged: MeasureTable


@dataclass(frozen=True, eq=False)
class Scored:
    """Every subset of one size: mean τ and R² over folds, subsets × targets; nan for a target among its predictors."""

    members: Indices
    tau: Floats
    r2: Floats

    def best(self, target: int, criterion: Criterion) -> int:
        """The best subset for a target; ties go to the other criterion, then to the order of measures."""
        first, second = (self.tau, self.r2) if criterion == "tau" else (self.r2, self.tau)
        keys = [np.where(np.isnan(each[:, target]), -np.inf, each[:, target]) for each in (first, second)]
        return int(np.lexsort((-keys[1], -keys[0]))[0])

    def best_value(self, target: int, criterion: Criterion) -> float:
        """The criterion of the best subset for a target; −∞ where it is not defined."""
        value = (self.tau if criterion == "tau" else self.r2)[self.best(target, criterion), target]
        return -np.inf if np.isnan(value) else float(value)


def folds(train: Sequence[MeasureTable], development: Sequence[MeasureTable]) -> list[Fold]:
    """Fit on all training collections and judge on development; else leave each training collection out in turn."""
    if development:
        rows = np.concatenate([table.values for table in train])
        title = ", ".join(table.name for table in train)
        return [Fold(rows, title, table) for table in development]
    if len(train) < 2:
        raise BadParameter(
            f"{train[0].name} is the only training collection, so that nothing is left to choose predictors by; give a "
            "development collection (--dev), or two training collections for cross-validation"
        )
    made = []
    for left_out in train:
        rest = [table for table in train if table is not left_out]
        title = ", ".join(table.name for table in rest)
        made.append(Fold(np.concatenate([table.values for table in rest]), title, left_out))
    return made


def score_subsets(
    judging: Sequence[Fold], measures: Sequence[str], candidates: Sequence[int], targets: Sequence[int], size: int
) -> Scored:
    """Score all subsets of one size for all targets, the mean over folds."""
    sums = None
    for fold in judging:
        training = Training.of(fold.train, measures, size, fold.title)
        fitted = subsets(training, candidates, targets, size)
        truth = np.ascontiguousarray(fold.judged.values[:, list(targets)].T)
        taus, r2s = np.empty((2, len(fitted.members), len(targets)))
        for part, predicted in predictions(training, fitted, targets, fold.judged.values):
            with quietly():
                taus[part] = kendall(truth[None], predicted)
            r2s[part] = r_squared(truth[None], predicted)
        for each in (taus, r2s):
            each[~fitted.open_to] = np.nan
        tau, r2 = (taus, r2s) if sums is None else (sums.tau + taus, sums.r2 + r2s)
        sums = Scored(fitted.members, tau, r2)
    if sums is None:
        raise BadParameter("no collections to choose predictors by; give at least one")
    return Scored(sums.members, sums.tau / len(judging), sums.r2 / len(judging))
