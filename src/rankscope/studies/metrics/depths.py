"""Can costly measures be predicted from cheap ones? Measures at shallow judging depths predict those at deep ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rankscope.checks import check_choice, check_level
from rankscope.defaults import LEVEL
from rankscope.errors import BadParameter
from rankscope.measure_table import IfMissing
from rankscope.results import Result, Table
from rankscope.studies.metrics.choosing import CRITERIA, Criterion, folds, score_subsets
from rankscope.studies.metrics.models import Builder, PredictionModel, Predictions, Roles

# Section 5.1: depths up to 50 are cheap, and these are dear.
LOW = (10, 20, 30, 40, 50)
HIGH = (100, 1000)
HIGH_MEASURES = ("P", "AP", "nDCG", "RBP")
_AT_DEPTH = re.compile(r"(\d+):(.+)")


@dataclass(frozen=True, kw_only=True)
class DepthPrediction:
    """The best predictors of one deep measure among those at one shallow depth, and how they do."""

    target: str
    high: int
    low: int
    model: PredictionModel


@dataclass(frozen=True, kw_only=True)
class DepthPredictions(Predictions, Result):
    """Predictions of deep measures from shallow ones, by depth (Figure 2 of Gupta et al. 2019)."""

    predictions: tuple[DepthPrediction, ...]

    def table(self) -> Table:
        """One row per deep measure and shallow depth."""
        rows = (
            ((p.target, p.high, p.low, " + ".join(at_depth(name)[1] for name in p.model.predictors)), p.model)
            for p in self.predictions
        )
        return self.model_table(("target", "depth", "from depth", "predictors"), rows)


def predict_deep_measures(
    training: object,
    *,
    development: object = (),
    tests: object = (),
    targets: Sequence[str] | None = None,
    low: Sequence[int] | None = None,
    high: Sequence[int] | None = None,
    max_predictors: int | None = None,
    choose: Criterion = "tau",
    level: float = LEVEL,
    on_missing: IfMissing = "error",
) -> DepthPredictions:
    """Predict measures at deep judging depths from all subsets of those at each shallow one.

    Collections have measures named with their depth, `30:AP`, as files with columns `30_map` are read. For each target
    and shallow depth the best subset of any size is kept, ties going to the smaller.

    Parameters
    ----------
    training : table of measures, path, or sequence of them
        The collections to fit on: whatever `rs.read_measures` takes, or a list of such.
    development : table of measures, path, or sequence of them, default ()
        The collections on which predictors are chosen; without any, by leaving out each training collection in turn.
    tests : table of measures, path, or sequence of them, default ()
        The collections on which the chosen predictors are tried.
    targets : sequence of str, optional
        The measures to predict; by default precision, AP, nDCG and RBP.
    low : sequence of int, optional
        The shallow depths; by default those up to 50.
    high : sequence of int, optional
        The deep depths; by default those beyond 50.
    max_predictors : int, optional
        The greatest number of predictors; any by default.
    choose : {"tau", "r2"}, default "tau"
        Whether predictors are chosen by Kendall's τ_b or by R².
    level : float, default 0.95
        The level of prediction intervals.
    on_missing : {"error", "intersect", "zero"}, default "error"
        What becomes of a system or topic that some measure does not score.

    Returns
    -------
    DepthPredictions
        The best predictors of every deep measure among those at each shallow depth, and how they do.

    Raises
    ------
    BadParameter
        Where an option is out of its range, or a depth or target is not in the tables.

    References
    ----------
    Gupta, Kutlu, Khetan & Lease, ECIR 2019, section 5.1 and Figure 2.

    Examples
    --------
    >>> table = {f"{d}:{m}": [i * d % 7 / 10 for i in range(9)] for d, m in ((10, "AP"), (10, "P"), (100, "AP"))}
    >>> study = predict_deep_measures([table, table], max_predictors=1)
    >>> study.predictions[0].target, study.predictions[0].low
    ('AP', 10)
    """
    check_choice("choose", choose, CRITERIA)
    check_level(level)
    roles = Roles.read(training, development, tests, None, on_missing)
    names = [at_depth(name) for name in roles.measures]
    depths = sorted({depth for depth, _ in names})
    shallow = _checked(low, [depth for depth in depths if depth <= max(LOW)], depths, "low")
    deep = _checked(high, [depth for depth in depths if depth > max(LOW)], depths, "high")
    judging = folds(roles.train, roles.development)
    builder = Builder(roles, judging, choose, "linear", level, 0)
    predictions = []
    for far in deep:
        wanted = [i for i, (depth, name) in enumerate(names) if depth == far and _is_target(name, targets)]
        if not wanted:
            offered = ", ".join(name for depth, name in names if depth == far)
            raise BadParameter(f"no target at depth {far}; there is {offered}: say which (targets=, --target)")
        for near in shallow:
            offered_here = [i for i, (depth, _) in enumerate(names) if depth == near]
            most = len(offered_here) if max_predictors is None else min(max_predictors, len(offered_here))
            scored = [score_subsets(judging, roles.measures, offered_here, wanted, k) for k in range(1, most + 1)]
            for place, target in enumerate(wanted):
                # Sizes ascend and max keeps the first of equals: the smaller subset.
                chosen = max(scored, key=lambda each: each.best_value(place, choose))
                model = builder.build("linear", target, chosen, place)
                predictions.append(DepthPrediction(target=names[target][1], high=far, low=near, model=model))
    order = {name: i for i, name in enumerate(dict.fromkeys(p.target for p in predictions))}
    predictions.sort(key=lambda p: (p.high, order[p.target], p.low))
    return DepthPredictions(
        predictions=tuple(predictions),
        **roles.names(),
        chosen_by=choose,
        settings={
            "low": list(shallow),
            "high": list(deep),
            "max_predictors": max_predictors,
            "level": level,
            "on_missing": on_missing,
        },
    )


def at_depth(name: str) -> tuple[int, str]:
    """The depth and the measure of a name such as `30:AP`.

    >>> at_depth("30:RBP(p=0.95)")
    (30, 'RBP(p=0.95)')
    """
    match = _AT_DEPTH.fullmatch(name)
    if match is None:
        raise BadParameter(
            f"{name!r} names no judging depth; call measures depth:measure (30:AP), or columns depth_measure (30_map)"
        )
    return int(match[1]), match[2]


def _is_target(name: str, targets: Sequence[str] | None) -> bool:
    if targets is None:
        return re.split(r"[@(]", name, maxsplit=1)[0] in HIGH_MEASURES
    return name in targets


def _checked(chosen: Sequence[int] | None, usual: Sequence[int], depths: Sequence[int], what: str) -> Sequence[int]:
    known = usual if chosen is None else sorted(set(chosen))
    unknown = [depth for depth in known if depth not in depths]
    if unknown or not known:
        there = ", ".join(map(str, depths))
        asked = f"no measures at depth {', '.join(map(str, unknown))}" if unknown else f"no {what} depth"
        raise BadParameter(f"{asked}; there is {there}: choose from these ({what}=)")
    return known
