"""What do judgments cost and buy? Agreement reached by shallower pools, random parts, and with a judge's help."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.coefficients import Coefficient
from rankscope.coefficients import coefficient as find
from rankscope.errors import BadParameter
from rankscope.measures.scoring import Measures
from rankscope.results import Result, Table
from rankscope.runs.runset import NEVER
from rankscope.scores import Floats
from rankscope.studies.blocks import Block, Progress, run_blocks
from rankscope.studies.cost_mixes import CostPoint, Mix, Way, judges_by_name
from rankscope.studies.holes import hole_blocks, rows_kept
from rankscope.studies.repeats import rows_table, spread
from rankscope.studies.variants import (
    MEASURES,
    Ground,
    checked_coefficients,
    checked_contributing,
    checked_count,
    checked_depths,
    checked_fractions,
    opened,
    settle,
)

DEPTHS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100)
FRACTIONS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
REPEATS = 10
# A value this close to the target has reached it.
_SAME = 1e-12


@dataclass(frozen=True, kw_only=True)
class Cheapest:
    """The cheapest point of a way that reaches the target under a measure; `point` is None where none does."""

    measure: str
    way: Way
    judge: str | None
    point: CostPoint | None
    overall: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class DepthCostStudy(Result):
    """Agreement against cost, and the cheapest way to a target value of a coefficient."""

    points: tuple[CostPoint, ...]
    cheapest: tuple[Cheapest, ...]
    coefficient: str
    target: float
    judgments: int
    systems: int
    topics: int
    measures: tuple[str, ...]
    coefficients: tuple[str, ...]
    judges: tuple[str, ...]
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per measure, way, setting and coefficient, the rank distance among them."""
        return rows_table(self.points, tuple(CostPoint.__dataclass_fields__))

    def cheapest_table(self) -> Table:
        """One row per measure and way: the cheapest setting that reaches the target."""
        settings = ("depth", "fraction", "judgments", "labels", "cost", "value")
        rows = [
            (
                one.measure, one.way, one.judge, one.point is not None, one.overall,
                *(None if one.point is None else getattr(one.point, name) for name in settings),
            )
            for one in self.cheapest
        ]  # fmt: skip
        return Table(("measure", "way", "judge", "reached", "overall", *settings), tuple(rows))

    def tables(self) -> dict[str, Table]:
        """All tables by name, the main one first."""
        return {"points": self.table(), "cheapest": self.cheapest_table()}


def study_depth_cost(
    runs: Any,
    judgments: Any,
    measures: Measures = MEASURES,
    *,
    judges: Any = None,
    target: float = 0.9,
    coefficient: str | Coefficient = "tau_b",
    price: float = 0.0,
    depths: Sequence[int] = DEPTHS,
    fractions: Sequence[float] = FRACTIONS,
    repeats: int = REPEATS,
    contributing: Sequence[str] | None = None,
    coefficients: Sequence[str | Coefficient] | None = None,
    rel: float = 1,
    rng: int = 0,
    jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> DepthCostStudy:
    """Rank the systems with fewer judgments, got in several ways, and find the cheapest that reaches the target.

    The ways are the pool to each of the `depths` (from the `contributing` systems, by default all), random `fractions`
    (as in `study_holes`, mean of `repeats`), and, for each of the `judges`, the pool to a depth by people and the
    judge's labels for all other documents: those that people judged deeper, and those that they did not judge. Grades
    of both are taken as they are, so that they should be on one scale. A judgment costs 1 and a judge's label `price`.

    `judges` is a set of judgments or a path, a sequence of them, or a mapping from names. The target is reached where
    the `coefficient` with the ranking by all judgments is `target` or more.

    >>> from rankscope.runs import Judgments, RunSet
    >>> runs = RunSet.of({"a": {"1": ["x", "y"], "2": ["u", "v"]}, "b": {"1": ["z", "x"], "2": ["w", "v"]}})
    >>> truth = Judgments.of({"1": {"x": 1, "y": 0, "z": 0}, "2": {"v": 1, "u": 0, "w": 0}})
    >>> study = study_depth_cost(runs, truth, "AP", depths=[1, 2], fractions=[1], judges=truth, coefficients=["tau_b"])
    >>> [(one.way, one.point.judgments) for one in study.cheapest]
    [('depth', 4), ('holes', 6), ('judge', 0)]
    """
    wanted, parts = checked_depths(depths), checked_fractions(fractions)
    checked_count("repeats", repeats)
    wished = find(coefficient)
    if not np.isfinite(target) or not 0.0 <= price < np.inf:
        raise BadParameter(f"target={target}, price={price}: numbers, and a price is 0 or more")
    chosen = (wished, *checked_coefficients(coefficients))
    named = judges_by_name(judges)
    ground = settle(runs, judgments, measures, chosen, resamples=0, rng=rng, jobs=jobs)
    contributing = checked_contributing(ground, contributing)
    mixes = [Mix.of(ground, None, None, contributing, (*wanted, NEVER))]
    mixes += [Mix.of(ground, judge, name, contributing, (0, *wanted)) for name, judge in named.items()]
    settings = {
        "target": target, "coefficient": str(wished), "price": price, "depths": list(wanted), "fractions": list(parts),
        "repeats": repeats, "contributing": None if contributing is None else list(contributing), "rel": rel,
        "seed": int(rng),
    }  # fmt: skip
    decide = ("contributing", "rel", "seed")
    kept = opened(checkpoint, "depth-cost", ground, {key: settings[key] for key in decide})
    holes = hole_blocks(ground, parts, repeats, rel, int(rng))
    blocks: list[Block] = [*mixes, *holes]
    found = run_blocks(blocks, jobs=jobs, checkpoint=kept, progress=progress)
    points = [point for mix, values in zip(mixes, found, strict=False) for point in mix.points(values, price)]
    points += _hole_points(ground, parts, np.concatenate(found[len(mixes) :]), repeats, rel)
    points.sort(key=lambda one: (ground.measures.index(one.measure), ("depth", "holes", "judge").index(one.way)))
    return DepthCostStudy(
        points=tuple(points),
        cheapest=tuple(_cheapest(ground, points, tuple(named), str(wished), target)),
        coefficient=str(wished),
        target=target,
        judgments=len(ground.judgments),
        systems=len(ground.runs.systems),
        topics=len(ground.judgments.topics),
        measures=ground.measures,
        coefficients=ground.statistics[:-1],
        judges=tuple(named),
        settings=settings,
    )


def _hole_points(
    ground: Ground, fractions: Sequence[float], values: Floats, repeats: int, rel: float
) -> Iterator[CostPoint]:
    by_fraction = values.reshape(len(fractions), repeats, len(ground.measures), -1)
    for fraction, part in zip(fractions, by_fraction, strict=True):
        kept = rows_kept(ground.judgments, fraction, rel)
        for m, measure in enumerate(ground.measures):
            for name, column in zip(ground.statistics, part[:, m].T, strict=True):
                found = spread(column)
                yield CostPoint(
                    way="holes", judge=None, depth=None, fraction=fraction, judgments=kept, labels=0, cost=float(kept),
                    measure=measure, coefficient=name, value=found["mean"], sd=found["sd"],
                )  # fmt: skip


def _cheapest(
    ground: Ground, points: Sequence[CostPoint], judges: Sequence[str], coefficient: str, target: float
) -> Iterator[Cheapest]:
    ways: list[tuple[Way, str | None]] = [("depth", None), ("holes", None), *(("judge", name) for name in judges)]
    for measure in ground.measures:
        best: list[CostPoint | None] = []
        for way in ways:
            reached = [
                one
                for one in points
                if (one.way, one.judge) == way and (one.measure, one.coefficient) == (measure, coefficient)
                and one.value >= target - _SAME
            ]  # fmt: skip
            best.append(min(reached, key=lambda one: one.cost, default=None))
        least = min((one.cost for one in best if one is not None), default=None)
        for (kind, judge), point in zip(ways, best, strict=True):
            overall = point is not None and point.cost == least
            yield Cheapest(measure=measure, way=kind, judge=judge, point=point, overall=overall)
