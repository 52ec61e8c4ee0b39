"""Which measures can be predicted from which few others, on collections that the model has not seen?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankscope.checks import check_choice, check_count, check_level
from rankscope.defaults import LEVEL, SEED
from rankscope.errors import BadParameter
from rankscope.measure_table import IfMissing
from rankscope.results import Result, Table
from rankscope.studies.metrics.choosing import CRITERIA, Criterion, folds, score_subsets
from rankscope.studies.metrics.models import SEARCHES, Builder, PredictionModel, Predictions, Roles, Search
from rankscope.studies.metrics.nonlinear import ModelName, check_model
from rankscope.studies.metrics.subsets import count_subsets

MAX_PREDICTORS = 3


@dataclass(frozen=True, kw_only=True)
class MeasurePredictions(Predictions, Result):
    """For every target and number of predictors, the best predictors and how they do on test collections."""

    models: tuple[PredictionModel, ...]
    measures: tuple[str, ...]
    subsets: int

    def table(self) -> Table:
        """One row per target, number of predictors and model, as in Table 1 of Gupta et al. (2019)."""
        rows = (((m.target, len(m.predictors), " + ".join(m.predictors), m.model), m) for m in self.models)
        return self.model_table(("target", "size", "predictors", "model"), rows)


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
    on_missing: IfMissing = "error",
    rng: int = SEED,
) -> MeasurePredictions:
    """Predict each target from 1, 2 … `max_predictors` other measures.

    All subsets of `predictors` are fitted on the training collections by least squares. The best of each size is kept,
    fitted on all training collections, and used on each test collection.

    Parameters
    ----------
    training : table of measures, path, or sequence of them
        The collections to fit on: whatever `rs.read_measures` takes, or a list of such.
    development : table of measures, path, or sequence of them, default ()
        The collections on which predictors are chosen; without any, by leaving out each training collection in turn.
    tests : table of measures, path, or sequence of them, default ()
        The collections on which the chosen predictors are tried.
    targets : sequence of str, optional
        The measures to predict; each by default.
    predictors : sequence of str, optional
        The measures to predict from; all others by default.
    measures : sequence of str, optional
        The measures to keep; all by default.
    max_predictors : int, default 3
        The greatest number of predictors.
    choose : {"tau", "r2"}, default "tau"
        Whether predictors are chosen by Kendall's τ_b or by R².
    models : sequence of {"linear", "svr", "boosting"}, default ("linear",)
        The models to compare; others than the linear one need the extra `learn`.
    search : {"linear", "own"}, default "linear"
        Whether other models take the linear model's predictors or look for their own.
    level : float, default 0.95
        The level of prediction intervals.
    on_missing : {"error", "intersect", "zero"}, default "error"
        What becomes of a system or topic that some measure does not score.
    rng : int, default 0
        The seed of models that need one.

    Returns
    -------
    MeasurePredictions
        For every target and number of predictors, the best predictors and how they do on each test collection.

    Raises
    ------
    BadParameter
        Where an option is out of its range, or there is no collection to choose predictors on.
    UnknownMeasure
        Where a target or predictor is not in the tables.

    References
    ----------
    Gupta, Kutlu, Khetan & Lease, ECIR 2019, section 5.

    Examples
    --------
    >>> first = {"AP": [0.1, 0.2, 0.3, 0.5], "nDCG": [0.2, 0.3, 0.41, 0.6], "RR": [0.5, 0.1, 0.9, 0.4]}
    >>> other = {"AP": [0.2, 0.3, 0.4, 0.6], "nDCG": [0.3, 0.4, 0.5, 0.72], "RR": [0.1, 0.7, 0.3, 0.2]}
    >>> best = predict_measures(first, development=other, targets=["AP"], max_predictors=1).models[0]
    >>> best.predictors, best.tau
    (('nDCG',), 1.0)
    """
    check_choice("choose", choose, CRITERIA)
    check_level(level)
    for model in models:
        check_model(model)
    check_choice("search", search, SEARCHES)
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
        **roles.names(),
        chosen_by=choose,
        subsets=count_subsets(max(len(set(offered) - {target}) for target in wanted), sizes),
        settings={
            "max_predictors": max_predictors,
            "models": list(models),
            "search": search,
            "level": level,
            "seed": rng,
            "on_missing": on_missing,
        },
    )


def checked_sizes(most: int, offered: Sequence[int], wanted: Sequence[int]) -> range:
    """The numbers of predictors to try, or an error."""
    check_count("max_predictors", most)
    available = min(len(set(offered) - {target}) for target in wanted)
    if most > available:
        raise BadParameter(
            f"max_predictors={most}: only {available} other measures to predict from; choose fewer predictors "
            "(--max-predictors), or give more measures"
        )
    return range(1, most + 1)
