"""What a judged topic is worth in human topics: the judge's error against topic sampling error.

The judge shares its topics with the truth, so that their agreement holds the judge's error alone. The question is how
well the judge's ranking predicts the *true* ranking of the truth's kind, over the population of topics, compared with
what the truth itself achieves. Scores are centred by topic; x is the truth and y the judge:

    x_ts = μ_s + e_ts,   y_ts = β μ_s + δ_s + f_ts

with K the covariance over systems of (μ, βμ + δ) and E that of (e, f) over topics. docs/verdict.md has the derivation,
the rule that uses it, and how often its interval covers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

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
from rankscope.results import Interval, Result, Table
from rankscope.scores import Floats, ScoreMatrix, Scores

# Fewer human topics than this would flatter a biased judge, whose errors more topics do not remove.
FEWEST_JUDGED = 50
TIMES = 4.0
SPLITS = 200
# Leaving one out must leave enough to estimate from.
LEAST_TOPICS, LEAST_SYSTEMS = 3, 4

# The truth's variance between systems is at least this share of that of their means, and the judge follows the truth
# with at least this slope, both sides being scaled alike.
_LEAST_VARIANCE, _LEAST_SLOPE = 0.02, 0.001
# A share of the largest score, or of a sum of squares, that is no more than rounding.
_ROUNDING = 1e-14
# v_low is never further below v than this many powers of e.
_LOWEST = 10.0


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
    if not (truth.topics_named and estimate.topics_named) and len(truth.topics) != len(estimate.topics):
        raise UnnamedData(
            f"{len(truth.topics)} topics against {len(estimate.topics)}, and they have no names to match them by; name "
            "the topics on both sides"
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
    whole, left_topics, left_systems = _moments(x, y, paired=paired)
    if not whole.sxx > 0.0 or not whole.exx > 0.0:
        what = "scores all systems alike" if not whole.sxx > 0.0 else "has no topic sampling error"
        raise ConstantMeasure(f"{truth.name or 'the truth'} {what}: a topic's worth cannot be told from it")
    if not whole.syy > 0.0:
        return _worthless(truth, estimate, whole, many, times, level, paired)
    a, b = _noise_and_bias(whole)
    bias = max(float(b), 0.0)
    leave_out = (left_topics, left_systems)
    one, more, ever = (_bounds(whole, *leave_out, many, k, level) for k in (1.0, times, math.inf))
    method = "leave one topic and one system out, t and χ²"
    population, around = _population_tau(whole, left_topics, level)
    sample = Sample.of(truth.values[:, sampled_systems(m)])
    statistics = quantile_statistics(sample, None)

    def tau(equivalent: float) -> float:
        return _expected_tau(sample, statistics, equivalent)

    found = 1.0 / one.value if one.value > 0.0 else math.inf
    low, high = 1.0 / one.high, 1.0 / one.low if one.low > 0.0 else math.inf
    return Worth(
        worth=found,
        interval=Interval(low=low, high=high, level=level, method=method),
        noise=float(a),
        bias=bias,
        cap=1.0 / bias if bias > 0.0 else math.inf,
        cap_low=many / ever.high if ever.high > 0.0 else math.inf,
        with_more=Interval(
            low=1.0 / more.high, high=1.0 / more.low if more.low > 0.0 else math.inf, level=level, method=method
        ),
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
        settings={"topics": topics, "times": times, "level": level, "splits": splits if halves else 0},
    )


def _worthless(
    truth: ScoreMatrix,
    estimate: ScoreMatrix,
    whole: _Moments,
    many: int,
    times: float,
    level: float,
    paired: bool,
) -> Worth:
    """A judge that scores all systems alike ranks nothing, however many topics it labels."""
    nothing = Interval(low=0.0, high=0.0, level=level, method="all systems score alike")
    sample = Sample.of(truth.values[:, sampled_systems(len(truth.systems))])
    return Worth(
        worth=0.0, interval=nothing, noise=math.inf, bias=0.0, cap=0.0, cap_low=0.0, with_more=nothing,
        equal_at=math.inf, reliability=float(whole.kxx / whole.sxx), topics=many, times=times,
        tau_human=_expected_tau(sample, quantile_statistics(sample, 1), many), tau_judge=0.0,
        tau_judge_interval=nothing, population_tau=None, population_tau_interval=None, halves=(),
        truth=truth.name or "truth", estimate=estimate.name or "estimate", systems=len(truth.systems),
        truth_topics=len(truth.topics), estimate_topics=len(estimate.topics), paired=paired, topic_error=0.0,
        system_error=0.0, settings={"topics": many, "times": times, "level": level, "splits": 0},
    )  # fmt: skip


def _complete(scores: ScoreMatrix, role: str) -> Floats:
    _ = scores.means  # raises, and says what is missing
    if len(scores.topics) < LEAST_TOPICS:
        raise MissingScores(f"worth takes {LEAST_TOPICS} topics at least, {role} has {len(scores.topics)}")
    return scores.values


class _Moments(NamedTuple):
    """S, K and E of truth x and judge y (arrays over what is left out), from n topics of the truth and m systems."""

    sxx: Any
    syy: Any
    kxx: Any
    kxy: Any
    kyy: Any
    exx: Any
    eyy: Any
    topics: int
    systems: int


class _Sums(NamedTuple):
    """Products of system means (z) and of all centred scores (q), summed: what every moment is made of."""

    zxx: Any
    zxy: Any
    zyy: Any
    qxx: Any
    qxy: Any
    qyy: Any


class _Sides(NamedTuple):
    """Both tables centred by topic, their system means, and the judge's in the truth's unit."""

    x: Floats
    y: Floats
    zx: Floats
    zy: Floats

    @classmethod
    def of(cls, truth: Floats, estimate: Floats) -> _Sides:
        """Centre both sides, and scale the judge's so that floors mean the same whatever its unit."""
        x, y = _centred(truth), _centred(estimate)
        zx, zy = x.mean(axis=0), y.mean(axis=0)
        unit = math.sqrt(float(zx @ zx) / float(zy @ zy)) if zx.any() and zy.any() else 1.0
        return cls(x, y * unit, zx, zy * unit)

    def sums(self, *, paired: bool) -> _Sums:
        """The sums of all."""
        x, y, zx, zy = self
        return _Sums(zx @ zx, zx @ zy, zy @ zy, np.vdot(x, x), np.vdot(x, y) if paired else 0.0, np.vdot(y, y))


def _moments(truth: Floats, estimate: Floats, *, paired: bool) -> tuple[_Moments, list[_Moments], _Moments]:
    """The moments of all, of all but one topic (for each set of topics), and of all but one system."""
    sides = _Sides.of(truth, estimate)
    sums, (x, y, zx, zy) = sides.sums(paired=paired), sides
    (nx, m), ny = x.shape, len(y)
    xx, yy = (x * x).sum(axis=1), (y * y).sum(axis=1)
    # Without topic t a mean is (n z − x_t)/(n − 1): products of such means, expanded.
    own_x, own_y = _left_out(sums.zxx, x @ zx, xx, nx), _left_out(sums.zyy, y @ zy, yy, ny)
    if paired:
        xy = (x * y).sum(axis=1)
        cross = (nx * nx * sums.zxy - nx * (x @ zy + y @ zx) + xy) / (nx - 1.0) ** 2
        fewer_topics = _Sums(own_x, cross, own_y, sums.qxx - xx, sums.qxy - xy, sums.qyy - yy)
        left = [_split(fewer_topics, nx - 1, ny - 1, m, paired=True)]
    else:
        cross_x, cross_y = (nx * sums.zxy - x @ zy) / (nx - 1.0), (ny * sums.zxy - y @ zx) / (ny - 1.0)
        left = [
            _split(sums._replace(zxx=own_x, zxy=cross_x, qxx=sums.qxx - xx), nx - 1, ny, m, paired=False),
            _split(sums._replace(zyy=own_y, zxy=cross_y, qyy=sums.qyy - yy), nx, ny - 1, m, paired=False),
        ]
    # Without system s the rest is centred anew, which takes m/(m − 1) of its products away.
    without = m / (m - 1.0)
    fewer_systems = _Sums(
        sums.zxx - without * zx * zx,
        sums.zxy - without * zx * zy,
        sums.zyy - without * zy * zy,
        sums.qxx - without * (x * x).sum(axis=0),
        sums.qxy - without * (x * y).sum(axis=0) if paired else 0.0,
        sums.qyy - without * (y * y).sum(axis=0),
    )
    return _split(sums, nx, ny, m, paired=paired), left, _split(fewer_systems, nx, ny, m - 1, paired=paired)


def _centred(scores: Floats) -> Floats:
    """Every topic centred over the systems; what is no more than rounding is 0."""
    centred = scores - scores.mean(axis=1, keepdims=True)
    return np.where(np.abs(centred) <= _ROUNDING * np.abs(scores).max(), 0.0, centred)


def scaled_differences(truth: Floats, estimate: Floats) -> Floats | None:
    """The judge's scores on the truth's scale less the truth's, y/β − x by topic and system, both centred by topic.

    β is the judge's slope on the truth's true values, so that a judge who narrows the field favours nobody. None where
    either side scores all systems alike.
    """
    sides = _Sides.of(truth, estimate)
    if not (sides.zx.any() and sides.zy.any()):
        return None
    (n, m), y = truth.shape, sides.y
    return np.asarray(y / float(_slope(_split(sides.sums(paired=True), n, n, m, paired=True))) - sides.x)


def _left_out(square: float, product: Floats, own: Floats, n: int) -> Floats:
    """‖(n z − x_t)/(n − 1)‖² for every t."""
    return np.asarray((n * n * square - 2.0 * n * product + own) / (n - 1.0) ** 2)


def _split(sums: _Sums, nx: int, ny: int, m: int, *, paired: bool) -> _Moments:
    """S into K, between systems, and E/n, topic sampling error; sides with other topics share no error."""
    exx = (sums.qxx - nx * sums.zxx) / ((nx - 1) * (m - 1))
    eyy = (sums.qyy - ny * sums.zyy) / ((ny - 1) * (m - 1))
    exy = (sums.qxy - nx * sums.zxy) / ((nx - 1) * (m - 1)) if paired else 0.0
    exx, eyy = _positive(exx, sums.qxx), _positive(eyy, sums.qyy)
    sxx, syy = sums.zxx / (m - 1), sums.zyy / (m - 1)
    return _Moments(sxx, syy, sxx - exx / nx, sums.zxy / (m - 1) - exy / nx, syy - eyy / ny, exx, eyy, nx, m)


def _positive(variance: Any, squares: Any) -> Any:
    """A variance, 0 where it is no more than rounding."""
    return np.where(variance > _ROUNDING * squares, variance, 0.0)


def _between(c: _Moments) -> Any:
    """The truth's variance between systems, kept above 0."""
    return np.maximum(c.kxx, _LEAST_VARIANCE * c.sxx)


def _slope(c: _Moments) -> Any:
    """β, the judge's slope on the truth's true values, kept above 0."""
    return np.maximum(c.kxy, _LEAST_SLOPE * _between(c)) / _between(c)


def _noise_and_bias(c: _Moments) -> tuple[Any, Any]:
    """a: noise of a judged topic relative to a human one; b: the judge's own errors on systems, in the same unit."""
    kxx, slope, m = _between(c), _slope(c), c.systems
    with np.errstate(divide="ignore", invalid="ignore"):
        noise = c.eyy / (slope**2 * c.exx)
        bias = (c.kyy / slope**2 - kxx) / c.exx * (m - 1) / (m - 2)
    return noise, bias


class _Bounds(NamedTuple):
    """v = a/k + max(b, 0) N with bounds, and the squared half-widths by topics (A) and by systems (B)."""

    value: float
    low: float
    high: float
    topics: float
    systems: float


def _bounds(
    whole: _Moments, topics: Sequence[_Moments], systems: _Moments, many: int, times: float, level: float
) -> _Bounds:
    """V with its interval: jackknife over topics and over systems, never narrower than χ² for an unseen bias."""
    from scipy.special import chdtri, stdtrit

    p, m = 0.5 + level / 2.0, whole.systems

    def unclipped(c: _Moments) -> Any:
        a, b = _noise_and_bias(c)
        return a / times + b * many

    a, b = _noise_and_bias(whole)
    a = float(a) / times
    v = a + max(float(b), 0.0) * many
    by_topics = 0.0
    for left in map(unclipped, topics):
        by_topics += float(stdtrit(len(left) - 1, p)) ** 2 * _jackknife(left)
    by_systems = float(stdtrit(m - 2, p)) ** 2 * _jackknife(unclipped(systems))
    h = 1.0 - float(chdtri(m - 2, p)) / (m - 2)  # chdtri(ν, p): the χ² that a share p exceeds
    spread = math.sqrt(by_topics + by_systems)
    high = v + spread
    if h * (high - a) > math.sqrt(by_systems):
        # y with (y − v)² = A + h²(y − a)²: the system part is the χ² bound at y itself.
        c2, c1, c0 = 1.0 - h * h, -2.0 * (v - h * h * a), v * v - by_topics - h * h * a * a
        high = max(high, (-c1 + math.sqrt(max(c1 * c1 - 4.0 * c2 * c0, 0.0))) / (2.0 * c2))
    low = v * math.exp(-min(spread / v, _LOWEST)) if v > 0.0 else 0.0
    return _Bounds(v, low, high, by_topics, by_systems)


def _jackknife(values: Floats) -> float:
    """The variance of an estimate by its values with one left out."""
    return float((len(values) - 1) / len(values) * ((values - values.mean()) ** 2).sum())


def _expected_tau(sample: Sample, statistics: Floats, topics: float) -> float:
    """E[τ] with the true ranking of as many human topics, also a fraction of one (Urbano & Marrero 2016, Eqs. 3, 5)."""
    if topics <= 0.0:
        return 0.0
    size = min(topics, float(MOST_TOPICS))
    grown = statistics * math.sqrt(size / sample.topics)
    return float(expected_tau_and_ap(sample, student_swaps(sample, grown, max(size, 2.0)))[0])


def _population_tau(whole: _Moments, topics: Sequence[_Moments], level: float) -> tuple[float | None, Interval | None]:
    """τ of both sides over the population of topics, from the correlation of their systems' true values.

    (2/π) asin ρ, its ends from the leave-one-topic-out t interval of ρ; docs/coverage.md has its coverage.
    """
    from scipy.special import stdtrit

    def correlation(c: _Moments) -> Any:
        with np.errstate(divide="ignore", invalid="ignore"):
            return c.kxy / np.sqrt(np.maximum(c.kxx, 0.0) * np.maximum(c.kyy, 0.0))

    rho = float(correlation(whole))
    if not math.isfinite(rho):
        return None, None
    spread = 0.0
    for c in topics:
        left = correlation(c)
        if not np.isfinite(left).all():
            return _tau_of(rho), None
        spread += float(stdtrit(len(left) - 1, 0.5 + level / 2.0)) ** 2 * _jackknife(left)
    half = math.sqrt(spread)
    method = "leave one topic out, t, approximate"
    return _tau_of(rho), Interval(low=_tau_of(rho - half), high=_tau_of(rho + half), level=level, method=method)


def _tau_of(rho: float) -> float:
    return 2.0 / math.pi * math.asin(min(max(rho, -1.0), 1.0))


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
