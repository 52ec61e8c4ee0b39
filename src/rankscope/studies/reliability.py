"""How reliable is the ranking by these topics, and how many would it take? The questions of one score matrix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.checks import check_count
from rankscope.coefficients import coefficient
from rankscope.defaults import FEWER_RESAMPLES, LEVEL, SEED
from rankscope.errors import BadParameter
from rankscope.inference.expected import (
    DEFAULT,
    ESTIMATORS,
    EstimatorName,
    ExpectedCorrelation,
    checked_sample,
    expected_correlation,
    expected_values,
)
from rankscope.inference.resampling import Draws
from rankscope.inference.split_halves import FEWEST_TOPICS
from rankscope.inference.swap_probabilities import Sample, sampled_systems
from rankscope.inference.topic_curve import Closed, Curve, topic_curve
from rankscope.inputs import ScoresLike, to_matrix
from rankscope.results import Interval, Remark, Result, Table, rows_table
from rankscope.scores import Floats, ScoreMatrix

TARGET = 0.9
TOPIC_COUNTS = (10, 20, 30, 40, 50, 75, 100, 150, 200, 250, 300, 400, 500)
_COEFFICIENTS = ("tau", "tau_ap")


@dataclass(frozen=True, kw_only=True)
class EstimatorValue:
    """Expected τ and τ_AP by one estimator; None where there are too few topics for it."""

    estimator: EstimatorName
    label: str
    tau: float | None
    tau_ap: float | None


@dataclass(frozen=True, kw_only=True)
class TopicCount:
    """What to expect with this many topics; intervals are over samples of topics such as these."""

    topics: int
    tau: float
    tau_interval: Interval | None
    tau_ap: float
    tau_ap_interval: Interval | None
    e_rho2: float
    phi: float


@dataclass(frozen=True, kw_only=True)
class TopicsNeeded:
    """The topics at which expected τ reaches the target; None for more than 100,000, or none at all."""

    target: float
    topics: int | None
    low: int | None
    high: int | None
    level: float


@dataclass(frozen=True, kw_only=True)
class ExpectedByTopics:
    """Expected correlation with the true ranking for several numbers of topics, and the number for a target."""

    counts: tuple[TopicCount, ...]
    needed: TopicsNeeded


@dataclass(frozen=True, kw_only=True)
class VarianceComponents:
    """Variance of systems, topics and their interaction (with error); `negative` names those found below 0, now 0."""

    systems: float
    topics: float
    interaction: float
    negative: tuple[str, ...]

    def e_rho2(self, topics: int) -> float:
        """The generalisability coefficient Eρ², of relative decisions: which system is better (Brennan 2001)."""
        return _ratio(self.systems, self.systems + self.interaction / topics)

    def phi(self, topics: int) -> float:
        """The index of dependability Φ, of absolute decisions: how good is a system (Brennan 2001)."""
        return _ratio(self.systems, self.systems + (self.topics + self.interaction) / topics)


@dataclass(frozen=True, kw_only=True, eq=False)
class Reliability(Result):
    """Expected τ and τ_AP with the true ranking, by every estimator, and with other numbers of topics.

    The intervals of `tau` and `tau_ap` are for the correlation of this ranking with the truth. Those of `counts` and
    `needed` are for what is expected, over other samples of topics. `extrapolated_by` is the estimator behind both.
    `sampled` is the number of systems that stand for all, None where all were looked at. `remarks` tell what was left
    out.
    """

    tau: ExpectedCorrelation
    tau_ap: ExpectedCorrelation
    needed: TopicsNeeded
    sampled: int | None
    e_rho2: float
    phi: float
    components: VarianceComponents
    estimators: tuple[EstimatorValue, ...]
    counts: tuple[TopicCount, ...]
    extrapolated_by: Closed
    measure: str | None
    name: str | None
    remarks: tuple[Remark, ...] = ()
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per number of topics, these among them."""
        tau = {"tau": "tau", "tau_low": "tau_interval.low", "tau_high": "tau_interval.high"}
        tau_ap = {"tau_ap": "tau_ap", "tau_ap_low": "tau_ap_interval.low", "tau_ap_high": "tau_ap_interval.high"}
        return rows_table(self.counts, {"topics": "topics", **tau, **tau_ap, "e_rho2": "e_rho2", "phi": "phi"})

    def tables(self) -> dict[str, Table]:
        """Every table by name, the main one first."""
        return {"topics": self.table(), "estimators": self.estimator_table()}

    def estimator_table(self) -> Table:
        """One row per estimator."""
        return rows_table(self.estimators, ("estimator", "tau", "tau_ap", "label"))


def reliability(
    scores: ScoresLike,
    *,
    target: float = TARGET,
    estimator: EstimatorName = DEFAULT,
    topic_counts: Sequence[int] = TOPIC_COUNTS,
    level: float = LEVEL,
    resamples: int = FEWER_RESAMPLES,
    rng: int = SEED,
    jobs: int | None = None,
) -> Reliability:
    """How well the ranking by these topics agrees with the true one, and how many topics a target would take.

    Every pair of systems is looked at; of more than 700 systems a random sample stands for all, and `sampled` of the
    result says so.

    Parameters
    ----------
    scores : ScoresLike
        Scores by topic.
    target : float, default 0.9
        The expected τ for which the number of topics is told.
    estimator : str, default "msqd"
        The estimator whose value gets an interval (all are shown). Other numbers of topics use `ml` if chosen,
        otherwise `msqd`.
    topic_counts : sequence of int, default (10, 20, …, 500)
        The numbers of topics for which expected correlations are told.
    level : float, default 0.95
        The level of all intervals.
    resamples : int, default 1000
        Draws behind intervals and random estimators.
    rng : int, default 0
        The seed.
    jobs : int, optional
        The number of threads, by default one per core; the numbers do not depend on it.

    Returns
    -------
    Reliability
        Expected τ and τ_AP with the true ranking by every estimator, for these and other numbers of topics, and the
        coefficients of generalisability theory.

    Raises
    ------
    BadParameter
        Where an option is out of its range.
    MissingScores, TooFewSystems
        Where there are no topics, or too few systems.

    References
    ----------
    Urbano & Marrero, SIGIR 2016, for the estimators. Brennan, "Generalizability Theory", 2001, for Eρ² and Φ.

    Examples
    --------
    >>> from rankscope.demo import demo_scores
    >>> answer = reliability(demo_scores()["human"], resamples=100)
    >>> answer.tau.estimate < answer.counts[-1].tau
    True
    """
    check_target(target)
    for count in topic_counts:
        check_count("topic_counts", count, 2)
    given = to_matrix(scores, "reliability is about other samples of topics")
    table = sampled_table(given)
    sample, draws = checked_sample(table), Draws(resamples, rng, jobs)
    options: dict[str, Any] = {"level": level, "resamples": resamples, "rng": rng, "jobs": jobs}
    tau, tau_ap = (expected_correlation(table, name, estimator, **options) for name in _COEFFICIENTS)
    by: Closed = "ml" if estimator == "ml" else "msqd"
    sizes = sorted({*topic_counts, sample.topics})
    expected = expected_by_topics(given, sample, sizes, target=target, level=level, draws=draws, estimator=by)
    components = variance_components(given.values)
    return Reliability(
        sampled=len(table.systems) if len(table.systems) < len(given.systems) else None,
        tau=tau,
        tau_ap=tau_ap,
        needed=expected.needed,
        e_rho2=components.e_rho2(sample.topics),
        phi=components.phi(sample.topics),
        components=components,
        estimators=tuple(_by_estimator(sample, draws)),
        counts=expected.counts,
        extrapolated_by=by,
        measure=table.measure,
        name=table.name,
        remarks=given.left_out,
        settings={"target": target, "level": level, "resamples": resamples, "seed": rng},
    )


def check_target(target: float) -> None:
    """Raise `BadParameter` unless the target is a correlation that can be exceeded."""
    if not -1.0 < target < 1.0:
        raise BadParameter(f"target={target}: a correlation below 1, such as 0.9")


def sampled_table(scores: ScoreMatrix) -> ScoreMatrix:
    """The scores of all systems, or of a random sample that stands for very many."""
    return scores.select(systems=[scores.systems[i] for i in sampled_systems(len(scores.systems))])


def expected_by_topics(
    scores: ScoreMatrix,
    sample: Sample,
    sizes: Sequence[int],
    *,
    target: float,
    level: float,
    draws: Draws,
    estimator: Closed = "msqd",
) -> ExpectedByTopics:
    """What to expect with these numbers of topics, two or more each; `sample` is of the scores' `sampled_table`."""
    curve = topic_curve(sample, estimator, list(sizes), draws)
    components = variance_components(scores.values)
    counts = tuple(_count(curve, size, components, level) for size in sizes)
    return ExpectedByTopics(counts=counts, needed=_needed(curve, target, level))


def variance_components(values: Floats) -> VarianceComponents:
    """Random effects of systems (columns) and topics (rows), one score each: two-way analysis of variance.

    >>> variance_components(np.array([[0.1, 0.5], [0.3, 0.7], [0.2, 0.6]])).interaction
    0.0
    """
    n, m = values.shape
    centred = values - values.mean()
    systems, topics = centred.mean(axis=0), centred.mean(axis=1)
    with np.errstate(over="ignore", invalid="ignore"):  # scores of 1e200 have no variance that a double can hold
        residual = np.square(centred - systems - topics[:, None]).sum() / ((n - 1) * (m - 1))
        if residual < 1e-20 * np.square(centred).sum():  # rounding
            residual = 0.0
        components = {
            "systems": float(np.square(systems).sum() / (m - 1) - residual / n),
            "topics": float(np.square(topics).sum() / (n - 1) - residual / m),
            "interaction": float(residual),
        }
    negative = tuple(name for name, value in components.items() if value < 0.0)
    return VarianceComponents(**{name: max(value, 0.0) for name, value in components.items()}, negative=negative)


def _by_estimator(sample: Sample, draws: Draws) -> list[EstimatorValue]:
    chosen = [coefficient(name) for name in _COEFFICIENTS]
    values = []
    for estimator in ESTIMATORS:
        few = estimator.name in ("shw", "shwo") and sample.topics < FEWEST_TOPICS
        tau, tau_ap = (None, None) if few else map(float, expected_values(sample, estimator.name, chosen, draws))
        values.append(EstimatorValue(estimator=estimator.name, label=estimator.label, tau=tau, tau_ap=tau_ap))
    return values


def _count(curve: Curve, size: int, components: VarianceComponents, level: float) -> TopicCount:
    tau, tau_ap = curve.at(size)
    return TopicCount(
        topics=size,
        tau=tau,
        tau_interval=curve.interval(size, 0, level),
        tau_ap=tau_ap,
        tau_ap_interval=curve.interval(size, 1, level),
        e_rho2=components.e_rho2(size),
        phi=components.phi(size),
    )


def _needed(curve: Curve, target: float, level: float) -> TopicsNeeded:
    topics, low, high = (
        math.ceil(count - 1e-9) if math.isfinite(count) else None for count in curve.needed(target, 0, level)
    )
    return TopicsNeeded(target=target, topics=topics, low=low, high=high, level=level)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0.0 else math.nan
