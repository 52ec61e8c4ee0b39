"""How good are estimators of the correlation with the true ranking? Their error and bias on simulated collections.

Urbano & Marrero (2016), section 4: new collections are simulated from real ones, whose means are then the truth.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.checks import check_count, check_seed
from rankscope.coefficients import Coefficient
from rankscope.coefficients import coefficient as find
from rankscope.defaults import FEWER_RESAMPLES, SEED
from rankscope.errors import BadParameter
from rankscope.files.checkpoints import Checkpoint
from rankscope.inference.expected import ESTIMATORS, EstimatorName, find_coefficient, find_estimator
from rankscope.inference.split_halves import FEWEST_TOPICS
from rankscope.inputs import ScoresLike
from rankscope.results import Result, Table, rows_table
from rankscope.scores import Floats
from rankscope.simulation.models import ModelName
from rankscope.studies.blocks import Progress, run_blocks
from rankscope.studies.estimator_blocks import COLLECTIONS, EstimatorBlock, Source
from rankscope.studies.tables import DROP, best_systems, named_tables

SIZES: Sequence[int] = range(10, 101, 10)
PUBLISHED: tuple[EstimatorName, ...] = tuple(e.name for e in ESTIMATORS if not e.any_coefficient)


@dataclass(frozen=True, kw_only=True)
class EstimatorError:
    """Mean absolute error and bias (estimate minus actual value) of an estimator, with their standard errors.

    `actual` is the mean true correlation of the collections, `spread` the mean distance of the true correlations from
    their median: the error of the best constant, whatever the estimator. The standard errors are of this simulation:
    None where there is one collection.
    """

    scores: str
    topics: int
    coefficient: str
    estimator: EstimatorName
    error: float
    error_se: float | None
    bias: float
    bias_se: float | None
    actual: float
    spread: float
    collections: int


@dataclass(frozen=True, kw_only=True, eq=False)
class EstimatorStudy(Result):
    """Error and bias of each estimator by scores, number of topics and coefficient.

    `values` has them all, by name of the scores: sizes × collections × coefficients × (actual value, estimators). It is
    not part of `to_dict` and JSON; `collection_table` has it as rows. `systems` is how many were studied, by name.
    """

    draws_in = "values"

    errors: tuple[EstimatorError, ...]
    estimators: tuple[EstimatorName, ...]
    coefficients: tuple[str, ...]
    sizes: tuple[int, ...]
    systems: dict[str, int]
    settings: dict[str, Any]
    values: dict[str, Floats]

    def table(self) -> Table:
        """One row per scores, coefficient, number of topics and estimator."""
        return rows_table(self.errors, EstimatorError)

    def tables(self) -> dict[str, Table]:
        """Every table by name, the main one first; without the values of single collections, which JSON lacks, one."""
        return {"errors": self.table(), **({"collections": self.collection_table()} if self.values else {})}

    def collection_table(self) -> Table:
        """One row per simulated collection and coefficient: the actual value, and what each estimator says."""
        if not self.values:
            raise BadParameter("the JSON of a study does not have single collections; run the study again for these")
        columns = ("scores", "topics", "collection", "coefficient", "actual", *self.estimators)
        return Table(columns, tuple(self._collections()))

    def curves(self, scores: str, coefficient: str, what: str = "error") -> Table:
        """`what` ("error" or "bias") by number of topics (rows) and estimator (columns), as in Figures 1 and 2."""
        if what not in ("error", "bias"):
            raise BadParameter(f"what={what!r}: error or bias")
        wanted = (scores, str(find(coefficient)))
        curve = {
            (row.topics, row.estimator): getattr(row, what)
            for row in self.errors
            if (row.scores, row.coefficient) == wanted
        }
        if not curve:
            raise BadParameter(f"{wanted[1]} of {scores!r} was not studied")
        rows = [(size, *(curve.get((size, name)) for name in self.estimators)) for size in self.sizes]
        return Table(("topics", *self.estimators), tuple(rows))

    def _collections(self) -> Iterator[tuple[Any, ...]]:
        for name, values in self.values.items():
            for (size, number, which), row in zip(
                np.ndindex(values.shape[:3]), values.reshape(-1, values.shape[3]), strict=True
            ):
                yield (name, self.sizes[size], number + 1, self.coefficients[which], *row.tolist())


def study_estimators(
    scores: ScoresLike | Sequence[ScoresLike] | Mapping[str, ScoresLike],
    *,
    sizes: Sequence[int] = SIZES,
    collections: int = 1_000,
    coefficients: Sequence[str | Coefficient] = ("tau", "tau_ap"),
    estimators: Sequence[EstimatorName] = PUBLISHED,
    drop: float = DROP,
    model: ModelName = "effects",
    bounds: tuple[float, float] = (0.0, 1.0),
    resamples: int = FEWER_RESAMPLES,
    rng: int = SEED,
    jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    cluster: Any = None,
    progress: Progress | None = None,
    early: Callable[[EstimatorStudy], None] | None = None,
) -> EstimatorStudy:
    """Error and bias of estimators of the correlation with the truth, on collections simulated from `scores`.

    The worst systems are left out first. For each of the `sizes`, topics are simulated for the same systems many times
    over, and every estimator's value is compared with the correlation with the means of `scores`, which are the truth.
    The numbers depend on the scores and the seed alone: not on `jobs`, on what else is studied, or on the cluster where
    the processors are alike.

    Parameters
    ----------
    scores : ScoresLike, sequence of them, or mapping from names to them
        Score tables to simulate from.
    sizes : sequence of int, default 10, 20, …, 100
        The numbers of topics in a collection.
    collections : int, default 1000
        The number of collections of each size.
    coefficients : sequence of str or Coefficient, default ("tau", "tau_ap")
        The coefficients to estimate; others than these two are for the Bayesian estimators only.
    estimators : sequence of str, default ("msqd", …)
        The estimators to compare; by default the six published ones.
    drop : float, default 0.25
        Systems whose means are below this quantile of all means are left out; 0 keeps all.
    model : {"effects", "margins"}, default "effects"
        How collections are simulated, as in `rs.simulate`.
    bounds : pair of float, default (0.0, 1.0)
        The range of the scores.
    resamples : int, default 1000
        Draws behind random estimators.
    rng : int, default 0
        The seed.
    jobs : int, optional
        The number of threads, by default one per core.
    checkpoint : path, optional
        A folder that keeps finished blocks: an interrupted study goes on where it was, also with more collections or
        other sizes.
    cluster : str or distributed.Client, optional
        The address of a Dask scheduler, or a client of it.
    progress : callable, optional
        Called with the number of finished blocks and of all.
    early : callable, optional
        Called with the study of the first 25 collections of each size, once they are there.

    Returns
    -------
    EstimatorStudy
        Error and bias of every estimator by scores, number of topics and coefficient.

    Raises
    ------
    BadParameter
        Where an option is out of its range.
    TooFewSystems, MissingScores
        Where a table has too few systems, or no topics.
    MismatchedCheckpoint
        Where the folder keeps another study.
    UnreachableCluster
        Where the cluster does not answer.

    References
    ----------
    Urbano & Marrero, "Toward Estimating the Rank Correlation between the Test Collection Results and the True System
    Performance", SIGIR 2016, section 4.

    Examples
    --------
    >>> from rankscope.demo import demo_scores
    >>> study = study_estimators(demo_scores()["human"], sizes=[10, 40], collections=4, estimators=["ml", "msqd"])
    >>> [row.topics for row in study.errors if row.estimator == "ml" and row.coefficient == "tau_ap"]
    [10, 40]
    >>> study.errors[0].error >= abs(study.errors[0].bias)
    True
    """
    names = _checked_estimators(estimators)
    wanted = _checked_sizes(sizes, names)
    chosen = _checked_coefficients(coefficients, names)
    check_count("collections", collections)
    check_count("resamples", resamples)
    check_seed(rng)
    if not 0.0 <= drop < 1.0:
        raise BadParameter(f"drop={drop}: the share of systems to leave out, from 0 to less than 1")
    simulation = (("model", model), ("bounds", tuple(bounds)))
    sources = [
        Source(name=name, values=best_systems(table, drop).values, simulation=simulation)
        for name, table in named_tables(scores).items()
    ]
    for source in sources:
        source.fitted(jobs)  # what cannot be simulated is told at once
    settings = {"model": model, "bounds": list(bounds), "drop": drop, "resamples": resamples, "seed": int(rng)}
    kept = None
    if checkpoint is not None:
        inputs = {source.name: source.digest for source in sources}
        computed = {"coefficients": list(chosen), "estimators": list(names), "block": COLLECTIONS}
        kept = Checkpoint.of_study(checkpoint, "estimators", {**settings, "scores": inputs, **computed})
    rounds = [
        [
            EstimatorBlock(
                source=source,
                topics=size,
                first=first,
                last=min(first + COLLECTIONS, collections),
                estimators=names,
                coefficients=chosen,
                resamples=resamples,
                seed=int(rng),
            )
            for source in sources
            for size in wanted
        ]
        for first in range(0, collections, COLLECTIONS)
    ]

    def study_of(numbers: Sequence[Floats], collections: int) -> EstimatorStudy:
        """The result of this many collections of each size, whose blocks come round by round."""
        by_round = [numbers[start : start + len(rounds[0])] for start in range(0, len(numbers), len(rounds[0]))]
        both = np.concatenate([np.stack(each) for each in by_round], axis=1)
        parts = both.reshape(len(sources), len(wanted), collections, len(chosen), 1 + len(names))
        values = {source.name: part for source, part in zip(sources, parts, strict=True)}
        return EstimatorStudy(
            errors=tuple(_errors(values, wanted, chosen, names)),
            estimators=names,
            coefficients=chosen,
            sizes=wanted,
            systems={source.name: source.values.shape[1] for source in sources},
            settings={"collections": collections, **settings},
            values=values,
        )

    arriving: list[Floats | None] = [None] * len(rounds[0])

    def arrived(place: int, values: Floats) -> None:
        if place < len(arriving):
            arriving[place] = values
            so_far = [numbers for numbers in arriving if numbers is not None]
            if early is not None and len(so_far) == len(arriving) and len(rounds) > 1:
                early(study_of(so_far, COLLECTIONS))

    blocks = [block for each in rounds for block in each]
    options: dict[str, Any] = {"jobs": jobs, "cluster": cluster, "checkpoint": kept, "progress": progress}
    return study_of(run_blocks(blocks, arrived=arrived, **options), collections)


def _checked_estimators(estimators: Sequence[EstimatorName]) -> tuple[EstimatorName, ...]:
    if isinstance(estimators, str) or not estimators:
        raise BadParameter(f"estimators={estimators!r}: a sequence of one name at least")
    names = tuple(find_estimator(name).name for name in estimators)
    if len(set(names)) < len(names):
        raise BadParameter(f"estimators={names}: each once")
    return names


def _checked_sizes(sizes: Sequence[int], estimators: Sequence[EstimatorName]) -> tuple[int, ...]:
    wanted = tuple(dict.fromkeys(int(size) for size in sizes))
    halves = [name for name in estimators if name in ("shw", "shwo")]
    fewest = FEWEST_TOPICS if halves else 2
    if not wanted or min(wanted) < fewest:
        for_whom = f" for {halves[0]}" if halves else ""
        raise BadParameter(f"sizes={wanted}: one number of topics at least, each {fewest} or more{for_whom}")
    return wanted


def _checked_coefficients(
    coefficients: Sequence[str | Coefficient], estimators: Sequence[EstimatorName]
) -> tuple[str, ...]:
    if isinstance(coefficients, str) or not coefficients:
        raise BadParameter(f"coefficients={coefficients!r}: a sequence of one name at least")
    for estimator in estimators:
        chosen = [str(find_coefficient(name, estimator)) for name in coefficients]
    return tuple(dict.fromkeys(chosen))


def _errors(
    values: Mapping[str, Floats],
    sizes: Sequence[int],
    coefficients: Sequence[str],
    estimators: Sequence[EstimatorName],
) -> Iterator[EstimatorError]:
    for name, part in values.items():
        for which, coefficient_name in enumerate(coefficients):
            for size, rows in zip(sizes, part[:, :, which], strict=True):
                for place, estimator in enumerate(estimators, start=1):
                    defined = np.isfinite(rows[:, 0]) & np.isfinite(rows[:, place])
                    actual, off = rows[defined, 0], rows[defined, place] - rows[defined, 0]
                    error, error_se = _mean(np.abs(off))
                    bias, bias_se = _mean(off)
                    around = np.abs(actual - np.median(actual)) if len(actual) else actual
                    yield EstimatorError(
                        scores=name,
                        topics=size,
                        coefficient=coefficient_name,
                        estimator=estimator,
                        error=error,
                        error_se=error_se,
                        bias=bias,
                        bias_se=bias_se,
                        actual=_mean(actual)[0],
                        spread=_mean(around)[0],
                        collections=len(off),
                    )


def _mean(values: Floats) -> tuple[float, float | None]:
    """The mean and its standard error."""
    if not len(values):
        return np.nan, None
    spread = None if len(values) < 2 else float(values.std(ddof=1) / np.sqrt(len(values)))
    return float(values.mean()), spread
