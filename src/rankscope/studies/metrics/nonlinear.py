"""Non-linear regressions of one measure on others, with the extra `learn`: support vectors and boosted trees.

Settings are chosen on the same collections and by the same criterion as predictors are, so that a comparison with the
linear model is fair.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import product
from typing import Any, Literal, get_args

import numpy as np

from rankscope.checks import check_choice, check_extra
from rankscope.coefficients import kendall
from rankscope.coefficients.rows import quietly
from rankscope.scores import Floats
from rankscope.studies.metrics.choosing import Criterion, Fold
from rankscope.studies.metrics.subsets import r_squared

ModelName = Literal["linear", "svr", "boosting"]
MODELS: tuple[ModelName, ...] = get_args(ModelName)
Settings = dict[str, float]

_EXTRA = "the model {!r} needs scikit-learn: pip install 'rankscope[learn]', or use model='linear'"
# Kernel widths are those of Gupta et al. (2019), section 5, in units of the predictors' standard deviation.
_GRIDS: dict[str, dict[str, tuple[float, ...]]] = {
    "svr": {"width": (0.5, 1.0, 2.0, 5.0), "C": (1.0, 10.0, 100.0)},
    "boosting": {"max_depth": (1, 2, 3), "n_estimators": (100, 300)},
}
# With these, subsets are searched, before settings are chosen for the best.
_USUAL: dict[str, Settings] = {
    "svr": {"width": 2.0, "C": 10.0},
    "boosting": {"max_depth": 2, "n_estimators": 100},
}
_INSENSITIVE = 0.01


def check_model(model: str) -> None:
    """Raise `BadParameter` unless the model is known and its package is installed."""
    check_choice("model", model, MODELS)
    if model != "linear":
        _package("sklearn", model)


def settings_of(model: ModelName) -> list[Settings]:
    """Every combination of settings to choose from."""
    grid = _GRIDS[model]
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


def fitted(model: ModelName, predictors: Floats, target: Floats, settings: Settings, seed: int) -> Any:
    """A function from predictors to predictions."""
    centre, scale = predictors.mean(axis=0), predictors.std(axis=0)
    middle, spread = float(target.mean()), float(target.std())
    scale = np.where(scale > 0.0, scale, 1.0)
    machine = _machine(model, settings, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a fit that stopped early is judged by its predictions like any other
        machine.fit((predictors - centre) / scale, (target - middle) / spread)
    return lambda rows: middle + spread * np.asarray(machine.predict((rows - centre) / scale), dtype=np.float64)


def judge(
    model: ModelName, members: Sequence[int], target: int, settings: Settings, judging: Sequence[Fold], seed: int
) -> tuple[float, float]:
    """Mean τ and R² over folds."""
    columns = list(members)
    taus, r2s = [], []
    for fold in judging:
        function = fitted(model, fold.train[:, columns], fold.train[:, target], settings, seed)
        truth, predicted = fold.judged.values[:, target], function(fold.judged.values[:, columns])
        with quietly():
            taus.append(float(kendall(truth, predicted)))
        r2s.append(float(r_squared(truth, predicted)))
    return float(np.mean(taus)), float(np.mean(r2s))


def best_settings(
    model: ModelName, members: Sequence[int], target: int, judging: Sequence[Fold], criterion: Criterion, seed: int
) -> tuple[Settings, float, float]:
    """The settings that do best on the folds, with their τ and R²."""
    tried = [(each, *judge(model, members, target, each, judging, seed)) for each in settings_of(model)]
    return max(tried, key=lambda outcome: _key(outcome[1], outcome[2], criterion))


def best_subset(
    model: ModelName,
    candidates: Sequence[tuple[int, ...]],
    target: int,
    judging: Sequence[Fold],
    criterion: Criterion,
    seed: int,
) -> tuple[int, ...]:
    """The subset that does best on the folds with the usual settings."""
    scored = [
        (_key(*judge(model, members, target, _USUAL[model], judging, seed), criterion), members)
        for members in candidates
    ]
    return max(scored, key=lambda pair: pair[0])[1]


def _key(tau: float, r2: float, criterion: Criterion) -> tuple[float, float]:
    tau, r2 = (-np.inf if np.isnan(value) else value for value in (tau, r2))
    return (tau, r2) if criterion == "tau" else (r2, tau)


def _machine(model: ModelName, settings: Settings, seed: int) -> Any:
    if model == "svr":
        gamma = 1.0 / (2.0 * settings["width"] ** 2)
        return _package("sklearn.svm", model).SVR(C=settings["C"], gamma=gamma, epsilon=_INSENSITIVE)
    whole = {name: int(value) for name, value in settings.items()}
    ensemble = _package("sklearn.ensemble", model)
    return ensemble.GradientBoostingRegressor(learning_rate=0.05, subsample=1.0, random_state=seed, **whole)


def _package(name: str, model: str) -> Any:
    return check_extra(name, _EXTRA.format(model))
