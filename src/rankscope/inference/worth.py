"""What a judged topic is worth in human topics: the judge's error against topic sampling error.

The judge shares its topics with the truth, so that their agreement holds the judge's error alone. The question is how
well the judge's ranking predicts the *true* ranking of the truth's kind, over the population of topics, compared with
what the truth itself achieves. `worth_model.py` has the model; docs/verdict.md the derivation, the rule that uses it,
and how often its interval covers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.coefficients import Coefficient, coefficient
from rankscope.coefficients.rows import quietly
from rankscope.errors import (
    BadParameter,
    ConstantMeasure,
    MismatchedNames,
    MissingScores,
    TooFewSystems,
    UnnamedData,
    some,
)
from rankscope.inference.agreement import LEVEL, values_of
from rankscope.inference.expected_pairs import Sample, quantile_statistics, sampled_systems, student_swaps
from rankscope.inference.expected_topics import MOST_TOPICS
from rankscope.inference.expected_weights import expected_tau_and_ap
from rankscope.inference.intervals import check_level
from rankscope.inference.resampling import Seed, generators
from rankscope.inference.worth_model import Moments, bounds, moments_of, noise_and_bias, population_tau
from rankscope.results import Interval, Result, Table
from rankscope.scores import Floats, ScoreMatrix, Scores

# Fewer human topics than this would flatter a biased judge, whose errors more topics do not remove.
FEWEST_JUDGED = 50
TIMES = 4.0
SPLITS = 200
# Leaving one out must leave enough to estimate from.
LEAST_TOPICS, LEAST_SYSTEMS = 3, 4


@dataclass(frozen=True, kw_only=True)
class HalvesAgreement:
    """Agreement across halves of the topics: a judge's half, and a human half, with the other human half.

    Both means hold the topic sampling error of two halves; that of the judge also holds its own errors. `worth` is what
    their ratio makes of a judged topic, for as many topics as a half has; None for coefficients other than τ, whose
    relation to a correlation is not known. It varies more than the estimate in closed form and decides nothing.
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

    `worth` = 1/(`noise` + max(`bias`, 0) · `topics`), with `interval`. `noise` is the topic sampling error of a judged
    topic relative to that of a human one; `bias` the variance of the judge's own errors on systems in the same unit,
    which no number of topics removes. So worth · topics never exceeds `cap` human topics (inf without bias), at least
    `cap_low`. With `times` as many judged topics the worth of the original number is `with_more`. `equal_at` is how
    many times as many judged topics equal the human ones (inf: no number does).

    `tau_human` and `tau_judge` are expected τ with the true ranking by `topics` human and by `topics` judged topics
    (Urbano & Marrero 2016, MSQD; of more than 700 systems from a sample of them), the judge's with the interval that
    worth implies. `population_tau` is the agreement
    of both sides over the population of topics, an approximate interval. `reliability` is the share of the variance of
    the truth's means that is not topic sampling error. `truth_topics` and `estimate_topics` were compared; `paired`
    says that they are the same. `topic_error` and `system_error` are half-widths that add up in squares to that of
    1/worth: what more topics, and what more systems, would reduce.
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

    def table(self) -> Table:
        """One row."""
        columns = (
            "estimate", "worth", "low", "high", "noise", "bias", "cap", "cap_low", "equal_at", "tau_human",
            "tau_judge", "reliability", "topics",
        )  # fmt: skip
        row = (
            self.estimate, self.worth, self.interval.low, self.interval.high, self.noise, self.bias, self.cap,
            self.cap_low, self.equal_at, self.tau_human, self.tau_judge, self.reliability, self.topics,
        )  # fmt: skip
        return Table(columns, (row,))

    def topics_to_decide(self, margin: float) -> float | None:
        """About how many topics would decide whether worth reaches a margin; None where more systems are needed."""
        gap = (1.0 / margin - 1.0 / self.worth) ** 2 - self.system_error**2 if self.worth > 0.0 else 0.0
        if gap <= 0.0:
            return None
        return max(self.truth_topics * self.topic_error**2 / gap, float(self.truth_topics))


def worth(
    truth: Any,
    estimate: Any,
    *,
    topics: int | None = None,
    times: float = TIMES,
    level: float = LEVEL,
    halves: Sequence[str | Coefficient] = ("tau_b",),
    splits: int = SPLITS,
    rng: Seed = 0,
) -> Worth:
    """How many human topics one topic of the estimate is worth, from two tables of topics × systems.

    Parameters
    ----------
    truth, estimate
        Scores by topic of the same systems: `ScoreMatrix`, frames, mappings, arrays or paths. Topics that both sides
        have are compared as pairs; sides without a common topic are taken as two samples of topics.
    topics
        How many topics the judge will label; by default as many as the truth has, at least 50.
    times
        How many times as many topics the judge might label instead.
    level
        The level of the intervals.
    halves
        Coefficients for which agreement across halves of the topics is given too, from `splits` random splits.
    splits
        The number of splits; 0 for none.
    rng
        A seed or a generator, for the splits only.

    Returns
    -------
    Worth
        The worth with its interval, and what it is made of.

    Raises
    ------
    TooFewSystems
        With fewer than four systems in common.
    MissingScores
        With fewer than three topics on a side, without topics, or with scores missing.
    ConstantMeasure
        If the truth's scores differ by topic alone, or not at all over topics: there is nothing to compare with.

    References
    ----------
    Urbano & Marrero, SIGIR 2016, for expected τ. docs/verdict.md for the rest.

    Examples
    --------
    >>> from rankscope.demo import demo_scores
    >>> tables = demo_scores()
    >>> found = worth(tables["human"], tables["careful"])
    >>> found.interval.low < found.worth < found.interval.high
    True
    """
    from rankscope.files import read_scores

    x, y = common_systems(read_scores(truth), read_scores(estimate))
    chosen = [coefficient(name) for name in halves] if splits else []
    return measure_worth(x, y, topics=topics, times=times, level=level, halves=chosen, splits=splits, rng=rng)


def common_systems(truth: Scores, estimate: Scores) -> tuple[ScoreMatrix, ScoreMatrix]:
    """Both sides with the same systems in the truth's order, and with the shared topics if there are any."""
    for scores, role in ((truth, "the truth"), (estimate, "the estimate")):
        if not isinstance(scores, ScoreMatrix):
            raise MissingScores(
                f"{role} is a leaderboard without topics, and what a topic is worth cannot be told from it; give "
                "scores by topic on both sides"
            )
    if not (isinstance(truth, ScoreMatrix) and isinstance(estimate, ScoreMatrix)):
        raise MissingScores("give scores by topic on both sides")
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
    rng: Seed = 0,
) -> Worth:
    """The worth of aligned tables: the same systems in the same order, and either the same topics or two samples."""
    check_level(level)
    if topics is not None and topics < 1:
        raise BadParameter(f"topics={topics}: the number of topics that the judge labels, 1 or more")
    if not times >= 1.0:
        raise BadParameter(f"times={times}: how many times as many topics, 1 or more")
    x, y = _complete(truth, "the truth"), _complete(estimate, "the estimate")
    paired = truth.topics == estimate.topics
    n, m = x.shape
    if m < LEAST_SYSTEMS:
        raise TooFewSystems(f"worth takes {LEAST_SYSTEMS} systems at least, there are {m}: {some(truth.systems)}")
    many = max(n, FEWEST_JUDGED) if topics is None else topics
    whole, left_topics, left_systems = moments_of(x, y, paired=paired)
    if not whole.sxx > 0.0 or not whole.exx > 0.0:
        what = "scores all systems alike" if not whole.sxx > 0.0 else "has no topic sampling error"
        raise ConstantMeasure(f"{truth.name or 'the truth'} {what}: a topic's worth cannot be told from it")
    settings = {"topics": topics, "times": times, "level": level, "splits": splits if halves else 0}
    if not whole.syy > 0.0:
        return _worthless(truth, estimate, whole, many, settings, paired=paired)
    a, b = noise_and_bias(whole)
    bias = max(float(b), 0.0)
    leave_out = (left_topics, left_systems)
    one, more, ever = (bounds(whole, *leave_out, many, k, level) for k in (1.0, times, math.inf))
    method = "leave one topic and one system out, t and χ²"
    population, around = population_tau(whole, left_topics, level)
    sample = Sample.of(truth.values[:, sampled_systems(m)])
    statistics = quantile_statistics(sample, None)

    def tau(equivalent: float) -> float:
        return _expected_tau(sample, statistics, equivalent)

    found, low, high = (_inverse(v) for v in (one.value, one.high, one.low))
    return Worth(
        worth=found,
        interval=Interval(low=low, high=high, level=level, method=method),
        noise=float(a),
        bias=bias,
        cap=_inverse(bias),
        cap_low=many * _inverse(ever.high),
        with_more=Interval(low=_inverse(more.high), high=_inverse(more.low), level=level, method=method),
        equal_at=float(a) / (1.0 - bias * many) if bias * many < 1.0 else math.inf,
        reliability=float(whole.kxx / whole.sxx),
        topics=many,
        times=times,
        tau_human=tau(many),
        tau_judge=tau(found * many),
        tau_judge_interval=Interval(low=tau(low * many), high=tau(high * many), level=level, method=method),
        population_tau=population,
        population_tau_interval=around,
        halves=_halves(truth, estimate, halves, splits, rng, paired=paired),
        truth=truth.name or "truth",
        estimate=estimate.name or "estimate",
        systems=m,
        truth_topics=n,
        estimate_topics=len(y),
        paired=paired,
        topic_error=math.sqrt(one.topics),
        system_error=math.sqrt(one.systems),
        settings=settings,
    )


def _inverse(variance: float) -> float:
    """1/v, without end where there is no variance."""
    return 1.0 / variance if variance > 0.0 else math.inf


def _worthless(
    truth: ScoreMatrix, estimate: ScoreMatrix, whole: Moments, many: int, settings: dict[str, Any], *, paired: bool
) -> Worth:
    """A judge that scores all systems alike ranks nothing, however many topics it labels."""
    nothing = Interval(low=0.0, high=0.0, level=settings["level"], method="all systems score alike")
    sample = Sample.of(truth.values[:, sampled_systems(len(truth.systems))])
    return Worth(
        worth=0.0, interval=nothing, noise=math.inf, bias=0.0, cap=0.0, cap_low=0.0, with_more=nothing,
        equal_at=math.inf, reliability=float(whole.kxx / whole.sxx), topics=many, times=settings["times"],
        tau_human=_expected_tau(sample, quantile_statistics(sample, 1), many), tau_judge=0.0,
        tau_judge_interval=nothing, population_tau=None, population_tau_interval=None, halves=(),
        truth=truth.name or "truth", estimate=estimate.name or "estimate", systems=len(truth.systems),
        truth_topics=len(truth.topics), estimate_topics=len(estimate.topics), paired=paired, topic_error=0.0,
        system_error=0.0, settings=settings,
    )  # fmt: skip


def _complete(scores: ScoreMatrix, role: str) -> Floats:
    _ = scores.means  # raises, and says what is missing
    if len(scores.topics) < LEAST_TOPICS:
        raise MissingScores(f"worth takes {LEAST_TOPICS} topics at least, {role} has {len(scores.topics)}")
    return scores.values


def _expected_tau(sample: Sample, statistics: Floats, topics: float) -> float:
    """E[τ] with the true ranking of as many human topics, also a fraction of one (Urbano & Marrero 2016, Eqs. 3, 5)."""
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
    """Agreement of a judge's half, and of a human half, with the other human half, over random splits."""
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
    found = []
    for one, j, h in zip(chosen, by_judge, by_human, strict=True):
        known = np.isfinite(j) & np.isfinite(h)
        if not known.any():
            continue
        means = float(j[known].mean()), float(h[known].mean())
        is_tau = one.record.name in ("tau_a", "tau_b", "kendall") and one.cutoff is None
        found.append(
            HalvesAgreement(
                name=str(one),
                judge=means[0],
                human=means[1],
                worth=_worth_by_halves(*means) if is_tau else None,
                topics=size,
                splits=splits,
            )
        )
    return tuple(found)


def _worth_by_halves(judge: float, human: float) -> float | None:
    """1/v from ρ_J ρ_H = sin(πτ/2) across judge and human halves, and ρ²_H across human halves; None if undefined."""
    both, squared = math.sin(math.pi * judge / 2.0), math.sin(math.pi * human / 2.0)
    if not (0.0 < squared < 1.0 and both > 0.0):
        return None
    judged = both * both / squared
    if judged >= 1.0:
        return math.inf
    return (1.0 - squared) / squared / (1.0 / judged - 1.0)
