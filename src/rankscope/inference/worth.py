"""`worth`: what a judged topic is worth in human topics, given the judge's error and topic sampling error.

The judge shares its topics with the truth, so their agreement reflects the judge's error alone. The question is how
well the judge's ranking predicts the *true* ranking, by the truth over the population of topics, compared with the
truth's own ranking by its topics. worth_model.py has the model; docs/verdict.md has the derivation, the rule that uses
it, and the coverage of its interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.checks import check_count, check_level
from rankscope.coefficients import Coefficient, coefficient
from rankscope.coefficients.rows import quietly
from rankscope.defaults import LEVEL, SEED
from rankscope.errors import (
    BadParameter,
    ConstantMeasure,
    MismatchedNames,
    MissingScores,
    TooFewSystems,
    UnnamedData,
    some,
)
from rankscope.inference.agreement import values_of
from rankscope.inference.resampling import Seed, check_averaged, generators
from rankscope.inference.swap_probabilities import (
    Sample,
    expected_tau_and_ap,
    quantile_statistics,
    sampled_systems,
    student_swaps,
)
from rankscope.inference.topic_curve import MOST_TOPICS
from rankscope.inference.worth_model import bounds, moments_of, noise_and_bias, population_tau, repeat_moments
from rankscope.inputs import ScoresLike, to_matrix
from rankscope.results import Interval, Result, Table, rows_table
from rankscope.scores import Floats, ScoreMatrix

# Fewer judged topics than this would flatter a biased judge, whose errors more topics do not remove.
FEWEST_JUDGED = 50
TIMES = 4.0
SPLITS = 200
# The jackknife leaves one out, and enough must remain to estimate from.
LEAST_TOPICS, LEAST_SYSTEMS = 3, 4


@dataclass(frozen=True, kw_only=True)
class HalvesAgreement:
    """Agreement across halves of the topics: of the judge's half, and of a human half, with the other human half.

    Both means include the topic sampling error of two halves; the judge's also includes its own errors.

    Attributes
    ----------
    name : str
        The coefficient.
    judge, human : float
        The mean agreement of the judge's and of the human half with the other human half.
    worth : float or None
        The worth of a judged topic that their ratio implies, for the number of topics in a half. It varies more than
        the estimate in closed form and decides nothing. None for coefficients other than τ, whose relation to a
        correlation is not known.
    topics, splits : int
        The number of topics in a half, and of splits.
    """

    name: str
    judge: float
    human: float
    worth: float | None
    topics: int
    splits: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Worth(Result):
    """How many human topics one judged topic is worth, when the judge labels `topics` of them.

    Attributes
    ----------
    worth : float
        1/(noise + max(bias, 0) · topics).
    interval : Interval
        The interval of worth.
    noise : float
        The topic sampling error of a judged topic relative to that of a human one.
    bias : float
        The variance of the judge's own errors on systems, in the same unit; no number of topics removes it.
    cap, cap_low : float
        The human topics that any number of judged topics is worth at most (inf without bias), and their lower bound.
    with_more : Interval
        The interval of the worth of the original number with `times` as many judged topics.
    equal_at : float
        How many times as many judged topics equal the human ones (inf: no number does).
    reliability : float
        The share of the variance of the truth's means that is not topic sampling error.
    topics : int
        The number of topics that the judge labels.
    times : float
        How many times as many topics the judge might label instead.
    tau_human, tau_judge : float
        Expected τ with the true ranking by `topics` human and by `topics` judged topics (MSQD of Urbano & Marrero 2016;
        of more than 700 systems, from a sample of them).
    tau_judge_interval : Interval
        The interval of `tau_judge` that the interval of worth implies.
    population_tau : float or None
        τ between both sides over the population of topics.
    population_tau_interval : Interval or None
        Its approximate interval.
    halves : tuple of HalvesAgreement
        Agreement across halves of the topics.
    truth, estimate : str
        The names of the sides.
    systems, truth_topics, estimate_topics : int
        The numbers compared.
    paired : bool
        Whether both sides have the same topics.
    topic_error, system_error : float
        Half-widths whose squares add up to that of 1/worth: what more topics, and more systems, would reduce.
    settings : dict
        The options.
    repeats : int
        The number of repeats whose mean the judge's scores are; 1 for a judge that was asked once.
    repeat_error : float
        What repeats add to those half-widths: more repeats would reduce it.
    """

    worth: float
    interval: Interval
    noise: float
    bias: float
    cap: float
    cap_low: float
    with_more: Interval
    equal_at: float
    reliability: float
    topics: int
    times: float
    tau_human: float
    tau_judge: float
    tau_judge_interval: Interval
    population_tau: float | None
    population_tau_interval: Interval | None
    halves: tuple[HalvesAgreement, ...]
    truth: str
    estimate: str
    systems: int
    truth_topics: int
    estimate_topics: int
    paired: bool
    topic_error: float
    system_error: float
    settings: dict[str, Any]
    repeats: int = 1
    repeat_error: float = 0.0

    def table(self) -> Table:
        """One row."""
        others = ("noise", "bias", "cap", "cap_low", "equal_at", "tau_human", "tau_judge", "reliability", "topics")
        return rows_table([self], ("estimate", "worth", "interval.low", "interval.high", *others))

    def topics_to_decide(self, margin: float) -> float | None:
        """The approximate number of topics to decide whether worth reaches a margin; None if it takes more systems."""
        others = self.system_error**2 + self.repeat_error**2
        gap = (1.0 / margin - 1.0 / self.worth) ** 2 - others if self.worth > 0.0 else 0.0
        if gap <= 0.0:
            return None
        return max(self.truth_topics * self.topic_error**2 / gap, float(self.truth_topics))


def worth(
    truth: ScoresLike,
    estimate: ScoresLike,
    *,
    topics: int | None = None,
    times: float = TIMES,
    level: float = LEVEL,
    halves: Sequence[str | Coefficient] = ("tau_b",),
    splits: int = SPLITS,
    rng: Seed = SEED,
) -> Worth:
    """How many human topics one topic of the estimate is worth, from two tables of topics × systems.

    Parameters
    ----------
    truth, estimate : ScoresLike
        Scores by topic of the same systems. Topics that both sides have are compared as pairs; sides without a common
        topic are two samples of topics.
    topics : int or None, default None
        How many topics the judge will label; None is as many as the truth has, at least 50.
    times : float, default 4.0
        How many times as many topics the judge might label instead.
    level : float, default 0.95
        The level of the intervals.
    halves : sequence of str or Coefficient, default ("tau_b",)
        Coefficients whose agreement across halves of the topics is also computed.
    splits : int, default 200
        The number of random splits into halves; 0 for none.
    rng : int or numpy.random.Generator, default 0
        A seed or a generator for the splits.

    Returns
    -------
    Worth
        The worth with its interval, and the quantities behind it.

    Raises
    ------
    TooFewSystems
        With fewer than four systems.
    MissingScores
        Without topics, with fewer than three on a side, or with missing scores.
    MismatchedNames, UnnamedData
        If the sides have different systems, or their topics cannot be matched.
    ConstantMeasure
        If the truth gives all systems the same mean, or the same differences on every topic.
    BadParameter
        If an option is out of its range.

    References
    ----------
    J. Urbano and M. Marrero, "Toward estimating the rank correlation between the test collection results and the true
    system performance", SIGIR 2016, for expected τ. docs/verdict.md derives the rest.

    Examples
    --------
    >>> from rankscope.demo import demo_scores
    >>> tables = demo_scores()
    >>> careful = worth(tables["human"], tables["careful"])
    >>> careful.interval.low < careful.worth < careful.interval.high
    True
    """
    why = "the worth of a topic depends on how scores vary over topics"
    x, y = common_systems(to_matrix(truth, why), to_matrix(estimate, why))
    chosen = [coefficient(name) for name in halves] if splits else []
    return measure_worth(x, y, topics=topics, times=times, level=level, halves=chosen, splits=splits, rng=rng)


def common_systems(truth: ScoreMatrix, estimate: ScoreMatrix) -> tuple[ScoreMatrix, ScoreMatrix]:
    """Both sides with the same systems in the truth's order, and with the shared topics if there are any."""
    known = set(estimate.systems)
    systems = [system for system in truth.systems if system in known]
    if len(systems) < len(truth.systems) or len(systems) < len(estimate.systems):
        alone = [s for s in (*truth.systems, *estimate.systems) if s not in set(systems)]
        raise MismatchedNames(
            f"{len(alone)} systems are on one side only: {some(alone)}; select those that both sides have first"
        )
    unlike = truth.topics_named != estimate.topics_named
    if unlike or (not truth.topics_named and len(truth.topics) != len(estimate.topics)):
        which = "only one side names them" if unlike else "they have no names to match them by"
        raise UnnamedData(
            f"{len(truth.topics)} topics against {len(estimate.topics)}, and {which}; name the topics on both sides"
        )
    judged = set(estimate.topics)
    shared = [topic for topic in truth.topics if topic in judged]
    if not shared:
        return truth, estimate.select(systems=systems)
    return truth.select(topics=shared), estimate.select(systems=systems, topics=shared)


def measure_worth(
    truth: ScoreMatrix,
    estimate: ScoreMatrix,
    *,
    topics: int | None = None,
    times: float = TIMES,
    level: float = LEVEL,
    halves: Sequence[Coefficient] = (),
    splits: int = SPLITS,
    rng: Seed = SEED,
    paired: bool | None = None,
    repeats: Floats | None = None,
) -> Worth:
    """The worth of aligned tables: the same systems in the same order, and either the same topics or two samples.

    Topics are paired if they are the same, unless `paired` says. Where the estimate is the mean of repeats (repeats ×
    topics × systems, on the truth's topics), they are a further source of error.
    """
    check_level(level)
    if topics is not None:
        check_count("topics", topics)
    if not times >= 1.0:
        raise BadParameter(f"times={times}: a number, 1 or more")
    x, y = _complete(truth, "the truth"), _complete(estimate, "the estimate")
    paired = truth.topics == estimate.topics if paired is None else paired
    n, m = x.shape
    if m < LEAST_SYSTEMS:
        raise TooFewSystems(f"worth needs at least {LEAST_SYSTEMS} systems, there are {m}: {some(truth.systems)}")
    many = max(n, FEWEST_JUDGED) if topics is None else topics
    whole, left_topics, left_systems = moments_of(x, y, paired=paired)
    if not whole.sxx > 0.0 or not whole.exx > 0.0:
        what = "scores all systems alike" if not whole.sxx > 0.0 else "has no topic sampling error"
        raise ConstantMeasure(f"{truth.name or 'the truth'} {what}, so the worth of a topic is not defined")
    tau = tau_by_topics(truth)

    compared: dict[str, Any] = {
        "reliability": float(whole.kxx / whole.sxx),
        "topics": many,
        "times": times,
        "tau_human": tau(many),
        "truth": truth.name or "truth",
        "estimate": estimate.name or "estimate",
        "systems": m,
        "truth_topics": n,
        "estimate_topics": len(y),
        "paired": paired,
        "settings": {"topics": topics, "times": times, "level": level, "splits": splits if halves else 0},
        "repeats": 1 if repeats is None else len(repeats),
    }
    if not whole.syy > 0.0:
        return _worthless(level, **compared)
    a, b = noise_and_bias(whole)
    bias = max(float(b), 0.0)
    left_repeats = None if repeats is None or not paired else repeat_moments(x, repeats)
    leave_out = (left_topics, left_systems)
    now, more, ever = (bounds(whole, *leave_out, many, k, level, left_repeats) for k in (1.0, times, math.inf))
    method = "leave one topic and one system out, t and χ²"
    if left_repeats is not None:
        method = "leave one topic, one system and one repeat out, t and χ²"
    population, population_interval = population_tau(whole, left_topics, level)
    value, low, high = (_inverse(v) for v in (now.value, now.high, now.low))
    return Worth(
        worth=value,
        interval=Interval(low=low, high=high, level=level, method=method),
        noise=float(a),
        bias=bias,
        cap=_inverse(bias),
        cap_low=many * _inverse(ever.high),
        with_more=Interval(low=_inverse(more.high), high=_inverse(more.low), level=level, method=method),
        equal_at=float(a) / (1.0 - bias * many) if bias * many < 1.0 else math.inf,
        tau_judge=tau(value * many),
        tau_judge_interval=Interval(low=tau(low * many), high=tau(high * many), level=level, method=method),
        population_tau=population,
        population_tau_interval=population_interval,
        halves=_halves(truth, estimate, halves, splits, rng, paired=paired),
        topic_error=math.sqrt(now.topics),
        system_error=math.sqrt(now.systems),
        repeat_error=math.sqrt(now.repeats),
        **compared,
    )


def _inverse(variance: float) -> float:
    """1/v; inf where the variance is 0."""
    return 1.0 / variance if variance > 0.0 else math.inf


def _worthless(level: float, **compared: Any) -> Worth:
    """The worth of a judge that gives all systems the same mean, which ranks nothing with any number of topics."""
    nothing = Interval(low=0.0, high=0.0, level=level, method="all systems score alike")
    return Worth(
        worth=0.0,
        interval=nothing,
        noise=math.inf,
        bias=0.0,
        cap=0.0,
        cap_low=0.0,
        with_more=nothing,
        equal_at=math.inf,
        tau_judge=0.0,
        tau_judge_interval=nothing,
        population_tau=None,
        population_tau_interval=None,
        halves=(),
        topic_error=0.0,
        system_error=0.0,
        **compared,
    )


def _complete(scores: ScoreMatrix, role: str) -> Floats:
    _ = scores.means  # raises and names what is missing
    check_averaged(scores, "the worth of a topic")
    if len(scores.topics) < LEAST_TOPICS:
        raise MissingScores(f"worth needs at least {LEAST_TOPICS} topics, {role} has {len(scores.topics)}")
    return scores.values


def tau_by_topics(truth: ScoreMatrix) -> Callable[[float], float]:
    """Expected τ with the true ranking, as a function of the number of topics."""
    sample = Sample.of(truth.values[:, sampled_systems(len(truth.systems))])
    statistics = quantile_statistics(sample, None)
    return lambda topics: _expected_tau(sample, statistics, topics)


def _expected_tau(sample: Sample, statistics: Floats, topics: float) -> float:
    """E[τ] of human topics, also of a fraction of one, with the true ranking (Urbano & Marrero 2016, Eqs. 3 and 5)."""
    if topics <= 0.0:
        return 0.0
    size = min(topics, float(MOST_TOPICS))
    grown = statistics * math.sqrt(size / sample.topics)
    return float(expected_tau_and_ap(sample, student_swaps(sample, grown, max(size, 2.0)))[0])


def _halves(
    truth: ScoreMatrix,
    estimate: ScoreMatrix,
    chosen: Sequence[Coefficient],
    splits: int,
    rng: Seed,
    *,
    paired: bool,
) -> tuple[HalvesAgreement, ...]:
    """Agreement of the judge's half, and of a human half, with the other human half, over random splits."""
    if not chosen or not splits:
        return ()
    x, y = truth.values, estimate.values
    size = min(len(x) // 2, len(y))
    human, other, judge = [], [], []
    for generator, draws in generators(rng, splits):
        for _ in range(draws):
            order = generator.permutation(len(x))
            own = order[:size] if paired else generator.permutation(len(y))[:size]
            human.append(x[order[:size]].mean(axis=0))
            other.append(x[order[size : 2 * size]].mean(axis=0))
            judge.append(y[own].mean(axis=0))
    with quietly():
        by_judge, by_human = (values_of(chosen, np.array(other), np.array(side)) for side in (judge, human))
    agreements = []
    for by, j, h in zip(chosen, by_judge, by_human, strict=True):
        known = np.isfinite(j) & np.isfinite(h)
        if not known.any():
            continue
        means = float(j[known].mean()), float(h[known].mean())
        is_tau = by.record.name in ("tau_a", "tau_b", "kendall") and by.cutoff is None
        agreements.append(
            HalvesAgreement(
                name=str(by),
                judge=means[0],
                human=means[1],
                worth=_worth_by_halves(*means) if is_tau else None,
                topics=size,
                splits=splits,
            )
        )
    return tuple(agreements)


def _worth_by_halves(judge: float, human: float) -> float | None:
    """1/v from ρ_J ρ_H = sin(πτ/2) across judge and human halves, and ρ_H² across human halves; None if undefined."""
    both, squared = math.sin(math.pi * judge / 2.0), math.sin(math.pi * human / 2.0)
    if not (0.0 < squared < 1.0 and both > 0.0):
        return None
    judged = both * both / squared
    if judged >= 1.0:
        return math.inf
    return (1.0 - squared) / squared / (1.0 / judged - 1.0)
