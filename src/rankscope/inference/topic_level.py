"""`topic_agreement`: agreement that only scores by topic can tell, as other fields measure it.

Correlations averaged over topics (the item level), accuracy with tie calibration, and soft pairwise accuracy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

import numpy as np

from rankscope.alignment import Topics
from rankscope.battles import BattleScores
from rankscope.checks import check_choice, check_level, check_resamples
from rankscope.coefficients import Coefficient, coefficient
from rankscope.coefficients.registry import BY_TOPIC
from rankscope.coefficients.rows import quietly
from rankscope.defaults import LEVEL, RESAMPLES, SEED
from rankscope.errors import BadParameter, MissingScores
from rankscope.inference.agreement import with_topics
from rankscope.inference.intervals import interval
from rankscope.inference.resampling import Draws, Seed, one_blas_thread, recorded_seed, topic_counts
from rankscope.inference.soft_accuracy import quick_accuracy, soft_accuracy
from rankscope.inference.tie_calibration import TiedPairs, tied_pairs
from rankscope.inputs import ScoresLike
from rankscope.names import Name, parse
from rankscope.parameters import Parameter, check_parameters
from rankscope.results import ENDS, Interval, Result, Table, rows_table
from rankscope.scores import Floats, OnMissing, ScoreMatrix, Scores

By = Literal["topic", "system", "none"]
BY: tuple[By, ...] = get_args(By)
_WITHIN = {
    "topic": "within each topic, averaged over topics",
    "system": "over the topics of each system, averaged over systems",
    "none": "over all topics and systems at once",
    "means": "of the systems' means",
}


@dataclass(frozen=True, kw_only=True)
class Observed:
    """A value, the number of groups it is the mean of, how many others are undefined, and the calibrated ε if any."""

    value: float
    groups: int
    undefined: int = 0
    epsilon: float | None = None


class TopicCoefficient(Protocol):
    """Agreement of two tables of scores, topics × systems."""

    @property
    def label(self) -> str:
        """What it is called."""

    @property
    def symbol(self) -> str:
        """Its symbol."""

    @property
    def looks_at(self) -> str:
        """What it measures, in a few words."""

    @property
    def range(self) -> tuple[float, float]:
        """Its least and greatest value."""

    @property
    def paired(self) -> bool:
        """Whether both sides must have the same topics."""

    def observe(self, x: Floats, y: Floats, rng: Seed, jobs: int | None) -> Observed:
        """The value."""

    def draws(self, x: Floats, y: Floats, counts: Floats, other: Floats) -> Floats:
        """The value in each draw: how often it has each topic of the truth, and of the estimate."""

    def statistic(self, x: Floats, y: Floats) -> float:
        """The value, or what stands in for it where many are needed."""


@dataclass(frozen=True)
class Averaged:
    """A coefficient within groups of cells (the scores of a topic, or of a system), averaged over the groups."""

    coefficient: Coefficient
    by: By
    paired = True

    def __str__(self) -> str:
        own = self.coefficient
        return str(Name(own.record.name, (*own.parameters, ("by", self.by)), own.cutoff))

    @property
    def label(self) -> str:
        """What it is called."""
        return self.coefficient.record.label

    @property
    def symbol(self) -> str:
        """Its symbol."""
        return self.coefficient.symbol

    @property
    def looks_at(self) -> str:
        """What it measures."""
        return _WITHIN[self.by]

    @property
    def range(self) -> tuple[float, float]:
        """Its least and greatest value."""
        return self.coefficient.record.range

    def observe(self, x: Floats, y: Floats, rng: Seed, jobs: int | None) -> Observed:
        """The mean over the groups in which both sides rank anything."""
        values = self._values(x, y)
        defined = values[np.isfinite(values)]
        undefined = len(values) - len(defined)
        return Observed(value=_mean(defined), groups=len(defined), undefined=undefined)

    def draws(self, x: Floats, y: Floats, counts: Floats, other: Floats) -> Floats:
        """By topic, means of the topics drawn; otherwise every group anew."""
        if self.by == "topic":
            values = self._values(x, y)
            defined = np.isfinite(values)
            with np.errstate(invalid="ignore"):
                return np.asarray((counts @ np.where(defined, values, 0.0)) / (counts @ defined))
        rows = [np.repeat(np.arange(len(x)), row.astype(np.intp)) for row in counts]
        return np.array([self.statistic(x[drawn], y[drawn]) for drawn in rows])

    def statistic(self, x: Floats, y: Floats) -> float:
        """The value."""
        values = self._values(x, y)
        return _mean(values[np.isfinite(values)])

    def _values(self, x: Floats, y: Floats) -> Floats:
        """The coefficient of each group, from the cells that both sides have; nan where a side is constant."""
        both = np.isfinite(x) & np.isfinite(y)
        if self.by == "none":
            x, y, both = x.reshape(1, -1), y.reshape(1, -1), both.reshape(1, -1)
        elif self.by == "system":
            x, y, both = x.T, y.T, both.T
        with quietly():
            if both.all() and x.shape[1] > 1:
                return np.atleast_1d(self.coefficient(np.ascontiguousarray(x), np.ascontiguousarray(y)))
            groups = [(a[kept], b[kept]) for a, b, kept in zip(x, y, both, strict=True)]
            return np.array([float(self.coefficient(a, b)) if len(a) > 1 else np.nan for a, b in groups])


@dataclass(frozen=True)
class TieCalibrated:
    """Pairwise accuracy in which scores of the estimate tie that differ by at most ε, the one that serves it best.

    Groups in which the truth ties all systems count: the estimate is right where it ties them too.
    """

    by: Literal["topic", "system", "none", "means"] = "topic"
    epsilon: float | None = None
    label = "Pairwise accuracy with tie calibration"
    range = (0.0, 1.0)

    def __str__(self) -> str:
        own = [("epsilon", self.epsilon)] if self.epsilon is not None else []
        return str(Name("acc_eq", tuple(own + ([("by", self.by)] if self.by != "topic" else []))))

    @property
    def symbol(self) -> str:
        """Its symbol."""
        return "acc*_eq" if self.epsilon is None else "acc_eq"

    @property
    def looks_at(self) -> str:
        """What it measures."""
        return f"pairs ordered or tied alike, {_WITHIN[self.by]}"

    @property
    def paired(self) -> bool:
        """Whether both sides must have the same topics."""
        return self.by != "means"

    def observe(self, x: Floats, y: Floats, rng: Seed, jobs: int | None) -> Observed:
        """The greatest accuracy that any ε gives, or that of the ε given."""
        pairs = self._pairs(x, y)
        value, epsilon = pairs.best()
        epsilon = self.epsilon if self.epsilon is not None else epsilon
        return Observed(value=value, groups=pairs.groups, undefined=pairs.undefined, epsilon=epsilon)

    def draws(self, x: Floats, y: Floats, counts: Floats, other: Floats) -> Floats:
        """The accuracy in each draw, with ε calibrated anew."""
        if self.by == "means":
            means = [(c @ side) / c.sum(axis=1, keepdims=True) for c, side in ((counts, x), (other, y))]
            return np.array([self._pairs(a[None], b[None]).best()[0] for a, b in zip(*means, strict=True)])
        return self._pairs(x, y).drawn(counts)

    def statistic(self, x: Floats, y: Floats) -> float:
        """The value."""
        return self._pairs(x, y).best()[0]

    def _pairs(self, x: Floats, y: Floats) -> TiedPairs:
        if self.by == "means":
            x, y = x.mean(axis=0, keepdims=True), y.mean(axis=0, keepdims=True)
        return tied_pairs(x, y, "topic" if self.by == "means" else self.by, self.epsilon)


@dataclass(frozen=True)
class SoftAccuracy:
    """Soft pairwise accuracy: 1 less the mean difference of the two sides' p-values that one system is better."""

    permutations: int = 1000
    label = "Soft pairwise accuracy"
    symbol = "SPA"
    looks_at = "how sure both sides are of every pair, over topics"
    range = (0.0, 1.0)
    paired = False

    def __str__(self) -> str:
        return str(Name("spa", (("permutations", self.permutations),) if self.permutations != 1000 else ()))

    def observe(self, x: Floats, y: Floats, rng: Seed, jobs: int | None) -> Observed:
        """The value, with the same random signs for all pairs and both sides."""
        seed = recorded_seed(rng)  # an int is a seed that both sides can begin from
        draws = Draws(self.permutations, SEED if seed is None else seed, jobs)
        m = x.shape[1]
        return Observed(value=soft_accuracy(x, y, draws), groups=m * (m - 1) // 2)

    def draws(self, x: Floats, y: Floats, counts: Floats, other: Floats) -> Floats:
        """The value in each draw with normal p-values; it is their spread that matters."""
        return quick_accuracy(x, y, counts, other)

    def statistic(self, x: Floats, y: Floats) -> float:
        """The value with normal p-values."""
        return float(quick_accuracy(x, y, np.ones((1, len(x))), np.ones((1, len(y))))[0])


_EPSILON = Parameter(
    name="epsilon",
    default="best",
    meaning="the difference up to which scores of the estimate tie: a number, or the one of greatest accuracy",
    pattern=r"best|\d+(\.\d+)?(e-?\d+)?",
    example="0.05",
)
_PERMUTATIONS = Parameter(name="permutations", default=1000, meaning="the random patterns of signs", least=1)


def _by(*choices: str) -> Parameter:
    return Parameter(name="by", default="topic", meaning="the cells that are compared", choices=choices)


def topic_coefficient(name: str) -> TopicCoefficient | None:
    """The agreement by topic that a name asks for; None where it is that of a coefficient of means.

    >>> [str(topic_coefficient(name)) for name in ("kendall(by=topic)", "acc_eq(epsilon=0.5,by=none)", "SPA", "tau_b")]
    ['kendall(by=topic)', 'acc_eq(epsilon=0.5,by=none)', 'spa', 'None']
    """
    parsed = parse(name)
    base, given = parsed.base.lower(), dict(parsed.parameters)
    if base in BY_TOPIC and parsed.cutoff is not None:
        raise BadParameter(f"{name}: {base} has no cutoff; leave out @{parsed.cutoff}")
    if base == "spa":
        own = dict(check_parameters(base, (_PERMUTATIONS,), given.items()))
        return SoftAccuracy(**own)  # type: ignore[arg-type]
    if base == "acc_eq" or (base == "pairwise_accuracy" and "by" in given):
        if base == "pairwise_accuracy":
            given["epsilon"] = 0.0
        own = dict(check_parameters(base, (_EPSILON, _by(*BY, "means")), given.items()))
        epsilon = own.get("epsilon")
        return TieCalibrated(own.get("by", "topic"), None if epsilon is None else float(epsilon))  # type: ignore[arg-type]
    if "by" not in given:
        return None
    by = check_choice("by", given.pop("by"), BY)
    return Averaged(coefficient(str(Name(base, tuple(given.items()), parsed.cutoff))), by)


def asked_for(names: Sequence[str | Coefficient | TopicCoefficient]) -> list[Coefficient | TopicCoefficient]:
    """The coefficients of means and those by topic that these names ask for."""
    found: list[Coefficient | TopicCoefficient] = []
    for name in names:
        found.append((topic_coefficient(name) or coefficient(name)) if isinstance(name, str) else name)
    return found


@dataclass(frozen=True, kw_only=True)
class TopicValue:
    """Agreement by topic between the truth and an estimate.

    Attributes
    ----------
    name : str
        As it was asked for: "spa", "kendall(by=topic)".
    value : float
        The mean over groups; nan where none is defined.
    interval : Interval or None
        Its interval over topics.
    groups : int
        The number of topics or systems that it is the mean over; pairs of systems for spa.
    undefined : int
        The groups left out, since a side scores all of their systems alike.
    epsilon : float or None
        The difference up to which scores of the estimate tie. One calibrated on these topics makes the value
        optimistic.
    symbol, label, looks_at : str
        What it is called, and what it measures.
    """

    name: str
    value: float
    interval: Interval | None
    groups: int
    undefined: int
    epsilon: float | None
    symbol: str
    label: str
    looks_at: str


@dataclass(frozen=True, kw_only=True)
class TopicAgreement(Result):
    """Agreement of two sides by topic, as other fields measure it.

    Attributes
    ----------
    values : tuple of TopicValue
        One for each that was asked for.
    systems, topics : int
        Their numbers.
    settings : dict
        The options.
    """

    values: tuple[TopicValue, ...]
    systems: int
    topics: int
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per coefficient."""
        return topic_table(self.values)


TOPIC_COLUMNS = {
    **{"coefficient": "name", "value": "value", **ENDS},
    **{name: name for name in ("groups", "undefined", "epsilon")},
}


def topic_table(values: Sequence[TopicValue]) -> Table:
    """One row per value."""
    return rows_table(values, TOPIC_COLUMNS)


def topic_agreement(
    truth: ScoresLike,
    estimate: ScoresLike,
    coefficients: Sequence[str] = ("spa", "acc_eq", "kendall(by=topic)"),
    *,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    topics: Topics = "paired",
    on_missing: OnMissing = "error",
    rng: Seed = SEED,
    jobs: int | None = None,
) -> TopicAgreement:
    """Agreement that only scores by topic can tell: item-level correlation, tie calibration, soft pairwise accuracy.

    Any coefficient has a `by`: `kendall(by=topic)` is its mean over topics, `pearson(by=system)` its mean over systems,
    each over topics, and `spearman(by=none)` is over all cells at once. Topics in which a side scores all systems alike
    are left out and counted. `acc_eq` is pairwise accuracy with tie calibration, by topic or as said; a group that the
    truth ties counts there. `spa` is soft pairwise accuracy.

    Parameters
    ----------
    truth, estimate : ScoresLike
        Scores by topic of the same systems.
    coefficients : sequence of str, default ("spa", "acc_eq", "kendall(by=topic)")
        The names. `acc_eq(epsilon=0.1)` takes that ε instead of the best one, `acc_eq(by=means)` calibrates on the
        systems' means, `spa(permutations=10000)` draws more signs.
    resamples : int, default 2000
        Draws of topics behind the intervals; 0 for none.
    level : float, default 0.95
        The level of the intervals.
    topics : {"paired", "independent"}, default "paired"
        Whether both sides have the same topics; without, there are `spa` and `acc_eq(by=means)`.
    on_missing : str, default "error"
        What becomes of missing scores, as in `compare`; under "additive" and "pairwise" a topic's agreement is that of
        the systems that both sides score on it.
    rng : int or numpy.random.Generator, default 0
        A seed or a generator.
    jobs : int or None, default None
        The number of threads; None is one per core.

    Returns
    -------
    TopicAgreement
        Each value with its interval, the number of groups, and ε.

    Raises
    ------
    MissingScores
        If a side has no topics, fewer than two, or missing scores.
    BadParameter
        If a name is that of a coefficient of means only, or an option is out of its range.

    References
    ----------
    B. Thompson, N. Mathur, D. Deutsch, H. Khayrallah, "Improving statistical significance in human evaluation of
    automatic metrics via soft pairwise accuracy", WMT 2024. D. Deutsch, G. Foster, M. Freitag, "Ties matter:
    Meta-evaluating modern metrics with pairwise accuracy and tie calibration", EMNLP 2023.

    Examples
    --------
    >>> from rankscope.demo import demo_scores
    >>> tables = demo_scores()
    >>> found = topic_agreement(tables["human"], tables["careful"], ["kendall(by=topic)"], resamples=200).values[0]
    >>> found.groups, found.interval.low < found.value < found.interval.high
    (40, True)
    """
    check_level(level)
    check_resamples(resamples)
    chosen = [(name, topic_coefficient(name)) for name in coefficients]
    for name, by in chosen:
        if by is None:
            raise BadParameter(f"{name} is of means; write {name}(by=topic), or use compare or bootstrap")
    x, y = with_topics(truth, estimate, topics, on_missing)
    values = topic_values(x, y, [by for _, by in chosen if by is not None], topics, resamples, level, rng, jobs)
    return TopicAgreement(
        values=tuple(value for value, _ in values),
        systems=len(x.systems),
        topics=len(x.topics),
        settings={"resamples": resamples, "level": level, "on_missing": on_missing, "seed": recorded_seed(rng)},
    )


def topic_values(
    truth: Scores,
    estimate: Scores,
    chosen: Sequence[TopicCoefficient],
    topics: Topics,
    resamples: int,
    level: float,
    rng: Seed,
    jobs: int | None,
) -> list[tuple[TopicValue, Floats | None]]:
    """Each value of two aligned sides, with its draws of topics; the draws of all are the same."""
    if not (isinstance(truth, ScoreMatrix) and isinstance(estimate, ScoreMatrix)):
        raise MissingScores(f"{chosen[0]} compares scores by topic, which both sides must have; leave it out")
    x, y = truth.values, estimate.values
    for by in chosen:
        _check(by, truth, estimate, topics)
    drawn: list[Floats | None] = [None] * len(chosen)
    if resamples and min(len(x), len(y)) > 1:

        def of_chunk(generator: np.random.Generator, size: int) -> list[Floats]:
            counts = topic_counts(generator, len(x), size)
            other = counts if topics == "paired" else topic_counts(generator, len(y), size)
            return [by.draws(x, y, counts, other) for by in chosen]

        with one_blas_thread():
            chunks = Draws(resamples, rng, jobs).each(of_chunk)
        drawn = [np.concatenate(parts) for parts in zip(*chunks, strict=True)]
    values = []
    for by, draws in zip(chosen, drawn, strict=True):
        found = by.observe(x, y, rng, jobs)
        band = None
        if draws is not None:
            options: dict[str, Any] = {"level": level, "method": "recentred", "topics": min(len(x), len(y))}
            band = interval(draws, found.value, bounds=by.range, **options)
        about = {"symbol": by.symbol, "label": by.label, "looks_at": by.looks_at}
        value = TopicValue(
            name=str(by),
            value=found.value,
            interval=band,
            groups=found.groups,
            undefined=found.undefined,
            epsilon=found.epsilon,
            **about,
        )
        values.append((value, draws))
    return values


def _check(by: TopicCoefficient, truth: ScoreMatrix, estimate: ScoreMatrix, topics: Topics) -> None:
    """Raise `BadParameter` where the tables cannot tell what is asked for."""
    battles = isinstance(truth, BattleScores) or isinstance(estimate, BattleScores)
    if by.paired and topics == "independent":
        raise BadParameter(f"{by} compares topic by topic, and the sides have different topics; use spa")
    if by.paired and battles:
        raise BadParameter(f"{by} needs scores of all systems on every topic, which battles have not; use spa")
    gaps = any(np.isnan(side.values).any() for side in (truth, estimate))
    if gaps and getattr(by, "by", None) != "topic":
        raise BadParameter(
            f"{by} needs every score; leave incomplete topics out, on_missing='intersect' (--on-missing intersect)"
        )


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else float("nan")
