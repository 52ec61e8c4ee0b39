"""Which judgments buy the most agreement? Shallower pools, random parts, and people with a judge, by their cost."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rankscope.checks import check_count
from rankscope.coefficients import Coefficient
from rankscope.coefficients import coefficient as find
from rankscope.defaults import MEASURES, SEED
from rankscope.errors import BadParameter
from rankscope.inputs import JudgesLike, JudgmentsLike, RunsLike, to_judges
from rankscope.measures.scoring import Measures
from rankscope.results import Result, Table
from rankscope.runs.runset import NEVER
from rankscope.studies.blocks import Progress
from rankscope.studies.cost_mixes import Mix
from rankscope.studies.holes import hole_blocks, rows_kept
from rankscope.studies.judgment_reference import (
    Reference,
    check_coefficients,
    check_depths,
    check_fractions,
    make_reference,
)
from rankscope.studies.judgment_variants import (
    JudgmentStudy,
    Setting,
    VariantAgreement,
    Variants,
    agreement_rows,
    graded_variants,
    run_variants,
)
from rankscope.studies.sampled_costs import MADE, Samples

Way = Literal["depth", "holes", "judge", "filled", "corrected", "combined"]
_SAMPLED: tuple[Way, ...] = ("filled", "corrected", "combined")

DEPTHS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100)
FRACTIONS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
REPEATS = 10
# A value this close to the target has reached it.
_SAME = 1e-12


@dataclass(frozen=True, kw_only=True)
class Cheapest:
    """The cheapest setting of a way that reaches the target under a measure; `point` is None if none does.

    `overall` tells whether no other way is cheaper.
    """

    measure: str
    way: Way
    judge: str | None
    point: VariantAgreement | None
    overall: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class DepthCostStudy(JudgmentStudy, Result):
    """Agreement against cost, and the cheapest way to a target value of a coefficient; see `rs.study_depth_cost`.

    The setting of a row of `agreements` is the `way` to save judgments: "depth" (the pool to a `depth`, None for all
    judgments), "holes" (a random `fraction`), or "judge" (people to a `depth`, 0 for none, and labels of the `judge`
    for all other documents); the number of human `judgments` and of `labels`; and the `cost` of both.
    """

    question = "Which judgments buy the most agreement?"
    columns = ("value", "sd")

    cheapest: tuple[Cheapest, ...]
    coefficient: str
    target: float
    judges: tuple[str, ...]

    def cheapest_table(self) -> Table:
        """One row per measure and way: the cheapest setting that reaches the target."""
        parts = ("depth", "fraction", "judgments", "labels", "cost")
        rows = []
        for best in self.cheapest:
            point = best.point
            own = (None,) * 6 if point is None else (*(point.setting[name] for name in parts), point.value)
            rows.append((best.measure, best.way, best.judge, point is not None, best.overall, *own))
        return Table(("measure", "way", "judge", "reached", "overall", *parts, "value"), tuple(rows))

    def tables(self) -> dict[str, Table]:
        """All tables by name, the main table first."""
        return {"points": self.table(), "cheapest": self.cheapest_table()}


def study_depth_cost(
    runs: RunsLike,
    judgments: JudgmentsLike,
    measures: Measures = MEASURES,
    *,
    judges: JudgesLike | None = None,
    target: float = 0.9,
    coefficient: str | Coefficient = "tau_b",
    price: float = 0.0,
    depths: Sequence[int] = DEPTHS,
    fractions: Sequence[float] = FRACTIONS,
    repeats: int = REPEATS,
    contributing: Sequence[str] | None = None,
    coefficients: Sequence[str | Coefficient] | None = None,
    rel: float = 1,
    rng: int = SEED,
    jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    cluster: Any = None,
    progress: Progress | None = None,
) -> DepthCostStudy:
    """Rank the systems with fewer judgments, made in several ways, and find the cheapest that reaches a target.

    The ways are the pool to a depth, a random fraction of the judgments (as in `rs.study_holes`), and, for each judge,
    the pool to a depth judged by people with the judge's labels for all other documents, judged by people or not. The
    grades of both are taken as they are, so they should be on one scale. With four systems or more, and measures made
    of the gains of single documents (nDCG, AP, P@k, RBP, …), there are three more for each judge: people label a
    fraction of the documents, drawn by influence, and the judge's grades are mapped, corrected, or both (`rs.correct`).

    Parameters
    ----------
    runs : RunsLike
        The runs to rank: a `RunSet`, or where to read it from.
    judgments : JudgmentsLike
        All human judgments: a `Judgments`, or where to read it from.
    measures : Measures, default ("nDCG@10", "AP")
        The measures to rank by.
    judges : JudgmentsLike, sequence or mapping of them, optional
        The labels of judges, such as LLMs; the keys of a mapping are their names.
    target : float, default 0.9
        The value that `coefficient` with the ranking by all judgments is to reach.
    coefficient : str or Coefficient, default "tau_b"
        The coefficient of the target.
    price : float, default 0.0
        The cost of a judge's label. A human judgment costs 1.
    depths : sequence of int, default (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100)
        The depths of the pools.
    fractions : sequence of float, default (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, …, 1.0)
        The fractions of the judgments to keep at random, and of the documents that people label; each from 0 to 1.
    repeats : int, default 10
        How often each fraction is drawn.
    contributing : sequence of str, optional
        The systems from which the pools are made; None for all.
    coefficients : sequence of str or Coefficient, optional
        Other coefficients to compute; None for all. The rank distance is always computed.
    rel : float, default 1
        The least grade that counts as relevant when fractions are drawn. A measure's own is part of its name.
    rng : int, default 0
        The seed. It decides every number.
    jobs : int, optional
        The number of threads; None for one per core. Numbers do not depend on it.
    checkpoint : path, optional
        A folder that keeps finished blocks. An interrupted study continues from it, also with other judges, depths or
        fractions.
    cluster : str or distributed.Client, optional
        The address of a Dask scheduler, or a client of it.
    progress : callable, optional
        Called with the number of blocks done and the number of all blocks.

    Returns
    -------
    DepthCostStudy
        Agreement and cost of every setting, and the cheapest setting of each way that reaches the target.

    Raises
    ------
    BadParameter
        If an argument is out of its range.
    MismatchedNames
        If a judge has none of the topics.
    UnknownName
        If a contributing system is not among the runs.
    MissingScores
        If no run retrieved a judged document.
    TooFewSystems
        If there are fewer than two runs.
    MismatchedCheckpoint
        If the folder belongs to another study.
    UnreachableCluster
        If the cluster does not answer.

    Examples
    --------
    >>> from rankscope.runs import Judgments, RunSet
    >>> runs = RunSet.of({"a": {"1": ["x", "y"], "2": ["u", "v"]}, "b": {"1": ["z", "x"], "2": ["w", "v"]}})
    >>> truth = Judgments.of({"1": {"x": 1, "y": 0, "z": 0}, "2": {"v": 1, "u": 0, "w": 0}})
    >>> study = study_depth_cost(runs, truth, "AP", depths=[1, 2], fractions=[1], judges=truth, coefficients=["tau_b"])
    >>> [(best.way, best.point.setting["judgments"]) for best in study.cheapest]
    [('depth', 4), ('holes', 6), ('judge', 0)]
    """
    pool_depths, kept_fractions = check_depths(depths), check_fractions(fractions)
    repeats = check_count("repeats", repeats)
    wanted = find(coefficient)
    if not np.isfinite(target) or not 0.0 <= price < np.inf:
        raise BadParameter(f"target={target}, price={price}: finite numbers, and the price 0 or more")
    named = {} if judges is None else to_judges(judges)
    every = (wanted, *check_coefficients(coefficients))
    reference = make_reference(runs, judgments, measures, every, resamples=0, rng=rng, jobs=jobs)
    pooled = reference.contributing(contributing)
    blocks = [_mix_block(reference, Mix.of(reference, None, pooled, (*pool_depths, NEVER)), None, price)]
    for fraction in kept_fractions:
        kept_rows = rows_kept(reference.judgments, fraction, rel)
        setting = _setting("holes", None, None, fraction, kept_rows, 0, price)
        blocks += hole_blocks(reference, setting, fraction, repeats=repeats, rel=rel, seed=int(rng))
    for name, judge in named.items():
        blocks.append(_mix_block(reference, Mix.of(reference, judge, pooled, (0, *pool_depths)), name, price))
        samples = Samples.of(reference, judge, int(rng))
        blocks += _sample_blocks(samples, name, kept_fractions, repeats, price) if samples.possible else []
    decisive = {"contributing": pooled, "rel": rel, "seed": int(rng)}
    kept = reference.checkpoint(checkpoint, "depth-cost", decisive)
    compared = run_variants(reference, blocks, jobs=jobs, cluster=cluster, checkpoint=kept, progress=progress)
    made = agreement_rows(reference, compared)
    # A sample may be too small to correct by, and some measures are not made of the gains of documents.
    agreements = tuple(row for row in made if row.setting["way"] not in MADE or not np.isnan(row.value))
    return DepthCostStudy(
        agreements=agreements,
        cheapest=tuple(_cheapest(reference, agreements, tuple(named), str(wanted), target)),
        coefficient=str(wanted),
        target=target,
        judges=tuple(named),
        settings={
            "target": target,
            "coefficient": str(wanted),
            "price": price,
            "depths": list(pool_depths),
            "fractions": list(kept_fractions),
            "repeats": repeats,
            **decisive,
        },
        **reference.description(),
    )


def _setting(
    way: Way, judge: str | None, depth: int | None, fraction: float | None, people: int, labels: int, price: float
) -> Setting:
    counts = {"judgments": people, "labels": labels, "cost": people + price * labels}
    return {"way": way, "judge": judge, "depth": depth, "fraction": fraction, **counts}


def _mix_block(reference: Reference, mix: Mix, judge: str | None, price: float) -> Variants:
    """One block: the pool to each depth, with the labels of a judge or without."""
    way: Way = "depth" if judge is None else "judge"
    settings = [
        _setting(way, judge, None if depth == NEVER else depth, None, people, labels, price)
        for depth, people, labels in zip(mix.depths, mix.people, mix.labels, strict=True)
    ]
    name = f"{'pool' if judge is None else 'judge'}-{mix.digest()}"
    return graded_variants(reference, name, settings, lambda: mix.grades, mix.judged)


def _sample_blocks(
    samples: Samples, judge: str, fractions: Sequence[float], repeats: int, price: float
) -> Iterator[Variants]:
    """Blocks of samples: the judge has labelled what people have, and each label has its price."""
    labels = int((~np.isnan(samples.judge)).sum())
    for fraction in fractions:
        people = round(fraction * len(samples.human))
        yield samples.variants(
            {way: _setting(way, judge, None, fraction, people, labels, price) for way in _SAMPLED}, fraction, repeats
        )


def _cheapest(
    reference: Reference, rows: Sequence[VariantAgreement], judges: Sequence[str], coefficient: str, target: float
) -> Iterator[Cheapest]:
    ways: list[tuple[Way, str | None]] = [("depth", None), ("holes", None)]
    sampled = {row.setting["way"] for row in rows}
    by_judge: list[Way] = ["judge", *(way for way in _SAMPLED if way in sampled)]
    ways += [(way, name) for name in judges for way in by_judge]
    for measure in reference.measures:
        reached = [
            row
            for row in rows
            if (row.measure, row.coefficient) == (measure, coefficient) and row.value >= target - _SAME
        ]
        points = [
            min(
                (row for row in reached if (row.setting["way"], row.setting["judge"]) == way),
                key=lambda row: row.setting["cost"],
                default=None,
            )
            for way in ways
        ]
        least = min((row.setting["cost"] for row in reached), default=None)
        for (way, judge), point in zip(ways, points, strict=True):
            overall = point is not None and point.setting["cost"] == least
            yield Cheapest(measure=measure, way=way, judge=judge, point=point, overall=overall)
