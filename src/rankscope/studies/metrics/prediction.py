"""Which measures can be predicted from which few others, on collections that the model has not seen?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rankscope.checks import check_level
from rankscope.errors import BadParameter
from rankscope.results import Result, Table
from rankscope.scores import OnMissing
from rankscope.studies.metrics.choosing import Criterion, check_criterion, folds, score_subsets
from rankscope.studies.metrics.models import SEARCHES, Builder, PredictionModel, Roles, Search
from rankscope.studies.metrics.nonlinear import ModelName, check_model
from rankscope.studies.metrics.subsets import count_subsets

MAX_PREDICTORS = 3
LEVEL = 0.95


@dataclass(frozen=True, kw_only=True)
class MeasurePredictions(Result):
    """For every target and number of predictors, the best predictors and how they do on test collections.

    `development` names the collections by which predictors were chosen. It is empty where they were chosen by leaving
    out each training collection in turn.
    """

    models: tuple[PredictionModel, ...]
    measures: tuple[str, ...]
    training: tuple[str, ...]
    development: tuple[str, ...]
    tests: tuple[str, ...]
    chosen_by: Criterion
    subsets: int
    settings: dict[str, Any]

    @property
    def chosen_on(self) -> str:
        """What predictors were chosen on, in a word or two."""
        return ", ".join(self.development) or "cross-validation"

    def table(self) -> Table:
        """One row per target, number of predictors and model, as in Table 1 of Gupta et al. (2019)."""
        columns = ["target", "size", "predictors", "model", "tau", "r2"]
        for name in self.tests:
            columns += [f"tau {name}", f"r2 {name}"]
        rows = [
            (
                m.target, len(m.predictors), " + ".join(m.predictors), m.model, m.tau, m.r2,
                *(value for test in m.tests for value in (test.tau, test.r2)),
            )
            for m in self.models
        ]  # fmt: skip
        return Table(tuple(columns), tuple(rows), digits=3)


def predict_measures(
    training: object,
    *,
    development: object = (),
    tests: object = (),
    targets: Sequence[str] | None = None,
    predictors: Sequence[str] | None = None,
    measures: Sequence[str] | None = None,
    max_predictors: int = MAX_PREDICTORS,
    choose: Criterion = "tau",
    models: Sequence[ModelName] = ("linear",),
    search: Search = "linear",
    level: float = LEVEL,
    on_missing: OnMissing = "error",
    rng: int = 0,
) -> MeasurePredictions:
    """Predict each target from 1, 2 … `max_predictors` other measures (Gupta et al. 2019, section 5).

    All subsets of `predictors` are fitted on the training collections by least squares. The best by Kendall's τ_b (or
    R²) on the development collections is kept for each size; without development, the best by leaving each training
    collection out in turn. It is then fitted on all training collections and used on each test collection. Other
    models (extra `learn`) take the linear model's predictors, or with `search="own"` look for their own.

    >>> first = {"AP": [0.1, 0.2, 0.3, 0.5], "nDCG": [0.2, 0.3, 0.41, 0.6], "RR": [0.5, 0.1, 0.9, 0.4]}
    >>> other = {"AP": [0.2, 0.3, 0.4, 0.6], "nDCG": [0.3, 0.4, 0.5, 0.72], "RR": [0.1, 0.7, 0.3, 0.2]}
    >>> found = predict_measures(first, development=other, targets=["AP"], max_predictors=1).models[0]
    >>> found.predictors, found.tau
    (('nDCG',), 1.0)
    """
    check_criterion(choose)
    check_level(level)
    for model in models:
        check_model(model)
    if search not in SEARCHES:
        raise BadParameter(f"search={search!r}: choose one of {', '.join(SEARCHES)}")
    roles = Roles.read(training, development, tests, measures, on_missing)
    names = roles.measures
    wanted = [names.index(roles.train[0].find(name)) for name in (names if targets is None else targets)]
    offered = sorted({names.index(roles.train[0].find(name)) for name in (names if predictors is None else predictors)})
    sizes = checked_sizes(max_predictors, offered, wanted)
    judging = folds(roles.train, roles.development)
    scored = {size: score_subsets(judging, names, offered, wanted, size) for size in sizes}
    builder = Builder(roles, judging, choose, search, level, rng)
    made = [
        builder.build(model, target, scored[size], place)
        for place, target in enumerate(wanted)
        for size in sizes
        for model in dict.fromkeys(models)
    ]
    return MeasurePredictions(
        models=tuple(made),
        measures=names,
        training=tuple(table.name for table in roles.train),
        development=tuple(table.name for table in roles.development),
        tests=tuple(table.name for table in roles.tests),
        chosen_by=choose,
        subsets=count_subsets(max(len(set(offered) - {target}) for target in wanted), sizes),
        settings={
            "max_predictors": max_predictors, "models": list(models), "search": search, "level": level, "seed": rng,
            "on_missing": on_missing,
        },
    )  # fmt: skip


def checked_sizes(most: int, offered: Sequence[int], wanted: Sequence[int]) -> range:
    """The numbers of predictors to try, or an error."""
    if most < 1:
        raise BadParameter(f"max_predictors={most}: one at least")
    available = min(len(set(offered) - {target}) for target in wanted)
    if most > available:
        raise BadParameter(
            f"max_predictors={most}: only {available} other measures to predict from; choose fewer predictors "
            "(--max-predictors), or give more measures"
        )
    return range(1, most + 1)
