"""Judgments changed and systems ranked anew: what studies of incomplete and other judgments share.

The runs are joined with the judgments once. A variant is a row of grades, NaN where a document is to be taken as not
judged; its ranking is held against that with all judgments by every coefficient, and by the rank distance.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.coefficients import Coefficient, coefficient, default_coefficients
from rankscope.coefficients.rows import quietly
from rankscope.errors import BadParameter, MissingScores, TooFewSystems
from rankscope.files import read_judgments, read_runs
from rankscope.files.checkpoints import Checkpoint
from rankscope.inference.agreement import bootstrap, values_of
from rankscope.inference.distance_baseline import Baseline, prepare
from rankscope.inference.intervals import check_level
from rankscope.inference.rank_null import RankDistanceNull, rank_distance_null
from rankscope.measures import parse_measures, rescore, score
from rankscope.measures.scoring import Measures
from rankscope.runs import JudgedRuns, Judgments, RunSet, join
from rankscope.runs.runset import NEVER
from rankscope.scores import Floats, ScoreMatrix, exact_means

MEASURES = ("nDCG@10", "AP")
DISTANCE = "d_rank"
ALPHA = 0.05

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class Yardstick:
    """The scores with all judgments under one measure, against which others are held.

    There is no rank distance (`base` is None) from fewer than two topics, and no null without resamples.
    """

    scores: ScoreMatrix
    base: Baseline | None
    null: RankDistanceNull | None

    @property
    def ridge(self) -> float:
        """The ridge of all rank distances from this ranking."""
        return 0.0 if self.base is None else self.base.paper_ridge

    def agreements(self, means: Floats, chosen: Sequence[Coefficient]) -> Floats:
        """For each row of mean scores, every coefficient and then the rank distance (NaN where there is none)."""
        found = np.full((len(means), len(chosen) + 1), np.nan)
        with quietly():
            found[:, :-1] = values_of(chosen, self.scores.means[None], means).T
        if self.base is not None:
            orders = self.base.orders(means[:, self.base.positions])
            found[:, -1] = self.base.distances(orders, self.ridge)
        return found

    def pvalues(self, distances: Floats) -> Floats:
        """The p of each rank distance, NaN without a null."""
        if self.null is None:
            return np.full(len(distances), np.nan)
        return np.array([self.null.pvalue(float(d)) if not np.isnan(d) else np.nan for d in distances])


@dataclass(frozen=True, kw_only=True, eq=False)
class Ground:
    """What a study starts from: runs, all judgments, and the rankings that they give, by measure."""

    runs: RunSet
    judgments: Judgments
    judged: JudgedRuns
    chosen: tuple[Coefficient, ...]
    yardsticks: dict[str, Yardstick]

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures' names."""
        return tuple(self.yardsticks)

    @property
    def statistics(self) -> tuple[str, ...]:
        """The coefficients' names, and that of the rank distance."""
        return (*map(str, self.chosen), DISTANCE)

    def agreements(self, judged: JudgedRuns, grades: Floats) -> Floats:
        """The agreement of each row of grades: (B, measures, coefficients and rank distance)."""
        scores = rescore(judged, self.measures, grades, jobs=1)
        found = [stick.agreements(means_of(scores[m]), self.chosen) for m, stick in self.yardsticks.items()]
        return np.stack(found, axis=1)

    def digest(self, *others: object) -> str:
        """The SHA-256 of all that numbers depend on: rankings, judgments, and what else is given."""
        judged = self.judged
        head = [judged.systems, judged.topics, self.measures, self.statistics, [repr(other) for other in others]]
        digest = hashlib.sha256(json.dumps(head, ensure_ascii=True).encode())
        for array in (judged.starts, judged.ranks, judged.rows, judged.retrieved, judged.judgment_starts):
            digest.update(np.ascontiguousarray(array).tobytes())
        digest.update(judged.grades.tobytes())
        return digest.hexdigest()


def settle(
    runs: Any,
    judgments: Any,
    measures: Measures,
    coefficients: Sequence[str | Coefficient] | None,
    *,
    resamples: int,
    rng: int,
    jobs: int | None,
    distances: bool = True,
) -> Ground:
    """Read what are paths, score the runs with all judgments, and draw the nulls of rank distances."""
    if not isinstance(rng, int | np.integer) or rng < 0:
        raise BadParameter(f"rng={rng}: a whole number, 0 or more")
    if resamples < 0:
        raise BadParameter(f"resamples={resamples}: 0 for none, or more")
    if jobs is not None and jobs < 1:
        raise BadParameter(f"jobs={jobs}: one at least")
    chosen = checked_coefficients(coefficients)
    names = parse_measures(measures)
    run_set = runs if isinstance(runs, RunSet) else read_runs(runs, jobs=jobs)
    rows = judgments if isinstance(judgments, Judgments) else read_judgments(judgments)
    if len(run_set.systems) < 2:
        raise TooFewSystems(f"a ranking needs two systems at least, there is {len(run_set.systems)}")
    judged = join(run_set, rows)
    if not len(judged.ranks):
        raise MissingScores("no run retrieved a judged document; are these judgments of the same topics and documents?")
    sticks = {
        name: _yardstick(scores, resamples if distances else 0, int(rng), jobs, distances)
        for name, scores in score(judged, names).items()
    }
    return Ground(runs=run_set, judgments=rows, judged=judged, chosen=chosen, yardsticks=sticks)


def _yardstick(scores: ScoreMatrix, resamples: int, rng: int, jobs: int | None, distances: bool) -> Yardstick:
    base = prepare(scores) if distances and len(scores.topics) > 1 else None
    null = rank_distance_null(scores, resamples=resamples, rng=rng, jobs=jobs) if base and resamples else None
    return Yardstick(scores=scores, base=base, null=null)


def checked_coefficients(coefficients: Sequence[str | Coefficient] | None) -> tuple[Coefficient, ...]:
    """The coefficients of these names, each once; without names all, but for other names of the same."""
    if coefficients is None:
        return tuple(one for one in default_coefficients() if one.record.same_as is None)
    if isinstance(coefficients, str) or not coefficients:
        raise BadParameter(f"coefficients={coefficients!r}: a sequence of one name at least")
    return tuple({str(one): one for one in map(coefficient, coefficients)}.values())


def means_of(values: Floats) -> Floats:
    """The mean score of each system in each variant: (B, topics, systems) → (B, systems), equal sums equal."""
    return np.stack([exact_means(one) for one in values])


def checked_contributing(ground: Ground, contributing: Sequence[str] | None) -> Sequence[str] | None:
    """The systems from which a pool is made, all known and one at least; None for all."""
    if contributing is None:
        return None
    if isinstance(contributing, str) or not contributing:
        raise BadParameter(f"contributing={contributing!r}: the names of one system at least, or None for all")
    ground.runs.select(systems=list(contributing))  # an error for unknown names
    return list(contributing)


def check_share(name: str, value: float) -> None:
    """Refuse what is no share between 0 and 1, such as a level."""
    if not 0.0 < value < 1.0:
        raise BadParameter(f"{name}={value}: a share between 0 and 1, such as 0.05")


def checked_depths(depths: Iterable[int]) -> tuple[int, ...]:
    """Depths in ascending order, each once."""
    wanted = tuple(sorted({int(depth) for depth in depths}))
    if not wanted or wanted[0] < 1 or wanted[-1] >= NEVER:
        raise BadParameter(f"depths={wanted}: one depth at least, each a rank from 1 to {NEVER - 1:,}")
    return wanted


def checked_fractions(fractions: Iterable[float]) -> tuple[float, ...]:
    """Fractions in ascending order, each once."""
    wanted = tuple(sorted({float(fraction) for fraction in fractions}))
    if not wanted or not all(0.0 <= fraction <= 1.0 for fraction in wanted):
        raise BadParameter(f"fractions={wanted}: one fraction at least, each from 0 to 1")
    return wanted


def checked_count(name: str, value: int) -> int:
    """A count of one at least."""
    if value < 1:
        raise BadParameter(f"{name}={value}: one at least")
    return int(value)


def with_intervals(
    stick: Yardstick, estimate: Floats, chosen: Sequence[Coefficient], *, resamples: int, level: float, rng: int
) -> Floats:
    """Value, low and high of every coefficient and of the rank distance, (C + 1, 3), from scores by topic."""
    check_level(level)
    found = np.full((len(chosen) + 1, 3), np.nan)
    found[:, 0] = stick.agreements(exact_means(estimate)[None], chosen)[0]
    if resamples and len(stick.scores.topics) > 1:
        other = ScoreMatrix(estimate, stick.scores.systems, stick.scores.topics)
        drawn = bootstrap(stick.scores, other, chosen, resamples=resamples, level=level, rng=rng, jobs=1)
        for row, one in zip(found, drawn.values, strict=False):
            if one.interval is not None:
                row[1:] = one.interval.low, one.interval.high
    return found


def opened(checkpoint: Any, study: str, ground: Ground, settings: Mapping[str, Any]) -> Checkpoint | None:
    """The folder of finished blocks of this study with these settings; None where none is asked for."""
    if checkpoint is None:
        return None
    from rankscope import __version__

    names = {"measures": list(ground.measures), "statistics": list(ground.statistics)}
    identity = {"study": study, "rankscope": __version__, "numpy": np.__version__, **settings, **names}
    return Checkpoint.open(checkpoint, {**identity, "input": ground.digest()})
