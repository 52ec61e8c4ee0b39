"""How often does the verdict err? Judges of known worth, random labels, subsets of real data and favoured groups.

The slow tests ask for it, and `make coverage` writes the last part of docs/verdict.md from it, and some tables of
docs/coverage.md. Every level is given by the project's own rule; only expected τ, which does not decide, is left out,
since it takes most of the time.
"""

from __future__ import annotations

import math
import os
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Literal
from unittest import mock

import numpy as np
import numpy.typing as npt
from simulated import Population

import rankscope as rs
from rankscope.files import read_judgments, read_runs
from rankscope.inference import worth as worth_module
from rankscope.inference.agreement import bootstrap
from rankscope.inference.worth import FEWEST_JUDGED, Worth, measure_worth
from rankscope.measures.registry import parse_measures
from rankscope.measures.scoring import expected_under_random_labels, rescore, score
from rankscope.runs import JudgedRuns, join
from rankscope.scores import Floats, ScoreMatrix
from rankscope.studies.chance import Chance, chance_pvalue
from rankscope.studies.judging.chance import _dealt_grades, dealt_scores
from rankscope.studies.judging.shift import shift
from rankscope.studies.verdict import LEVELS, RANDOM, Rule, verdict

DATA = Path(os.environ.get("RANKSCOPE_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
DOCS = Path(__file__).parents[2] / "docs"
BEGIN = "<!-- operating characteristics: written by make coverage -->"
END = "<!-- end of operating characteristics -->"

RULE = Rule()
# The levels' letters, in the order of LEVELS.
LETTERS = ("I", "S", "M", "C", "U", "N", "X")
MATRICES = {
    "robust2004 AP": "robust2004/robust2004_ap.csv",
    "robust2004 P@10": "robust2004/robust2004_p10.csv",
    "trec5 AP": "trec5/adhoc5_ap.csv",
    "trec5 P@10": "trec5/adhoc5_p10.csv",
    "trec5 RR": "trec5/adhoc5_rr.csv",
    "web2012 AP": "web2012/web2012_ap.csv",
    "web2012 P@10": "web2012/web2012_p10.csv",
    "web2012 nDCG@20": "web2012/web2012_ndcg20.csv",
    "web2012 ERR@20": "web2012/web2012_err20.csv",
    "adhoc6 AP": "urbano2016/adhoc6.csv",
    "adhoc7 AP": "urbano2016/adhoc7.csv",
}
SIMULATED = "simulated track"
# Matrices that were not used in choosing the method, apart from a simulated population.
OTHERS = (
    "trec5 AP",
    "trec5 RR",
    "web2012 nDCG@20",
    "web2012 ERR@20",
    "adhoc6 AP",
    "adhoc7 AP",
    "robust2004 P@10",
    SIMULATED,
)


def without_expected_tau() -> AbstractContextManager[object]:
    """Leave expected τ out of `measure_worth`: no level depends on it."""
    return mock.patch.multiple(
        worth_module,
        Sample=SimpleNamespace(of=lambda values: None),
        quantile_statistics=lambda sample, jobs: None,
        _expected_tau=lambda sample, statistics, topics: math.nan,
    )


def reaches(level: str, claim: str) -> bool:
    """Whether a level is this claim or a higher one."""
    return LEVELS.index(level) <= LEVELS.index(claim)


# --- judges of known worth ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Collection:
    """Human scores of all topics and systems, taken as the population that topics and systems are drawn from."""

    name: str
    scores: Floats

    @cached_property
    def true_values(self) -> Floats:
        means: Floats = self.scores.mean(axis=0)
        return means

    @cached_property
    def between(self) -> float:
        """K: the variance of systems' true values."""
        return float(self.true_values.var(ddof=1))

    @cached_property
    def within(self) -> float:
        """E: the variance of a topic's scores around the true values, both centred by topic."""
        left = self.scores - self.true_values
        left = left - left.mean(axis=1, keepdims=True)
        return float((left**2).sum() / (len(left) * (left.shape[1] - 1)))


@cache
def collection(name: str) -> Collection:
    """One of MATRICES, or 5,000 topics of 100 simulated systems."""
    if name == SIMULATED:
        return Collection(name, Population(systems=100, seed=7).sample(5_000, np.random.default_rng(8))[0])
    return Collection(name, rs.read_scores(DATA / MATRICES[name]).values)


Pattern = Literal["normal", "fifth", "tenth"]


@dataclass(frozen=True)
class Judge:
    """A judge of known worth: y = μ + `follows` · e + noise + bias, where x = μ + e is the human score.

    `noise` is the variance of its own error by topic in units of that of e, `bias` that of its own errors on systems in
    units of the error variance of a mean over N human topics. Biases are drawn anew for the systems of every run:
    normal, or the same for a fifth of the systems, or for each system with a chance of a tenth. `fresh` says that the
    judge is a human with other topics, known to be others or taken for the same.
    """

    name: str
    follows: float = 1.0
    noise: float = 0.0
    bias: float = 0.0
    pattern: Pattern = "normal"
    fresh: Literal["no", "independent", "paired"] = "no"

    def error(self, times: float = 1.0) -> float:
        """v: the error variance of its means over `times` N topics, in that of N human topics."""
        return (self.follows**2 + self.noise) / times + self.bias


def at_margin(value: float, times: float = 1.0) -> tuple[Judge, ...]:
    """Judges with exactly this v (1/worth with `times` as many topics), by four kinds of error and one more.

    The last, a bias in few systems, breaks the assumption that biases are roughly normal.
    """
    most, half = times * value - 1.0, (times * value - 1.0) / 2.0
    return (
        Judge("noise", noise=most),
        Judge("bias", bias=value - 1.0 / times),
        Judge("both", noise=half, bias=value - (1.0 + half) / times),
        Judge("correlated", follows=0.7, noise=0.32, bias=value - 0.81 / times),
        Judge("tenth", bias=value - 1.0 / times, pattern="tenth"),
    )


KINDS = ("noise", "bias", "both", "correlated")
IDENTICAL = Judge("identical")
LLM_LIKE = Judge("LLM-like", follows=0.8, noise=0.91 - 0.64, bias=1.0 / 0.9 - 0.91)
FRESH = (Judge("new topics", fresh="independent"), Judge("new topics, taken for the same", fresh="paired"))


def favouring(people: Collection, deviations: float, many: int) -> Judge:
    """A judge that scores a fifth of the systems higher, by a share of the standard deviation of true values."""
    variance = 0.2 * 0.8 * deviations**2 * people.between
    return Judge(f"favours by {deviations:g} sd", bias=variance * many / people.within, pattern="fifth")


@dataclass(frozen=True, eq=False)
class Outcome:
    """What the verdict said of one judge over many runs, and whether the bounds held the known values."""

    judge: Judge
    systems: int
    topics: int
    runs: int
    levels: Counter[str] = field(default_factory=Counter)
    worths: list[float] = field(default_factory=list)
    held: Counter[str] = field(default_factory=Counter)

    def share(self, claim: str) -> float:
        """The share of runs that reached this claim or a higher one."""
        return sum(count for level, count in self.levels.items() if reaches(level, claim)) / self.runs

    def covered(self, end: str) -> float:
        """The share of runs in which a bound held."""
        return self.held[end] / self.runs

    def add(self, level: str, result: Worth, many: int) -> None:
        """Count one run."""
        slack, value = 1.0 + 1e-9, self.judge.error()
        self.levels[level] += 1
        self.worths.append(result.worth)
        self.held["low"] += result.interval.low <= slack / value
        self.held["high"] += result.interval.high * slack >= 1.0 / value
        self.held["cap"] += self.judge.bias <= 0.0 or result.cap_low <= slack * many / self.judge.bias


def judged_topics(topics: int) -> int:
    """N, as the verdict takes it by default."""
    return max(topics, FEWEST_JUDGED)


def simulate(
    people: Collection, judges: Sequence[Judge], *, systems: int, topics: int, runs: int, seed: int = 0
) -> list[Outcome]:
    """Verdicts on judges of samples of topics, drawn with replacement, and of systems, drawn without."""
    random = np.random.default_rng([seed, systems, topics])
    many, within, true_values = judged_topics(topics), people.within, people.true_values
    outcomes = [Outcome(judge, systems, topics, runs) for judge in judges]
    names = [f"topic {i}" for i in range(topics)]
    others = [f"other {i}" for i in range(topics)]
    labels = [f"system {i}" for i in range(systems)]
    with without_expected_tau():
        for _ in range(runs):
            columns = random.permutation(people.scores.shape[1])[:systems]
            rows = random.integers(0, len(people.scores), topics)
            x = people.scores[np.ix_(rows, columns)]
            truth = ScoreMatrix(x, labels, names)
            for outcome in outcomes:
                judge = outcome.judge
                if judge.fresh == "no":
                    mu = true_values[columns]
                    y = mu + judge.follows * (x - mu)
                    if judge.noise:
                        y = y + math.sqrt(judge.noise * within) * random.standard_normal(x.shape)
                    if judge.bias:
                        y = y + math.sqrt(judge.bias * within / many) * _pattern(judge.pattern, systems, random)
                else:
                    y = people.scores[np.ix_(random.integers(0, len(people.scores), topics), columns)]
                estimate = ScoreMatrix(y, labels, others if judge.fresh == "independent" else names)
                result = verdict(truth, estimate, RULE)
                if result.worth is None:
                    raise AssertionError("a sample without any difference between systems")
                outcome.add(result.level, result.worth, many)
    return outcomes


def _pattern(kind: Pattern, systems: int, random: np.random.Generator) -> Floats:
    """Errors on systems with mean 0 and variance 1 in the population of systems."""
    if kind == "normal":
        return random.standard_normal(systems)
    if kind == "tenth":
        return ((random.random(systems) < 0.1).astype(float) - 0.1) / 0.3
    return (random.permutation(systems) < round(systems / 5)) / 0.4


CLAIMS = LEVELS[:4]


def margins(
    people: Collection, *, systems: int, topics: int, runs: int, claims: Sequence[str] = CLAIMS, seed: int = 0
) -> dict[str, list[Outcome]]:
    """Judges exactly at the boundary of each claim."""
    at = {
        "interchangeable": at_margin(1.0 / RULE.interchangeable),
        "substitute": at_margin(1.0 / RULE.substitute),
        "substitute with more topics": at_margin(1.0 / RULE.substitute, RULE.times),
        "clear differences only": at_margin(judged_topics(topics) / RULE.least),
    }
    return {
        claim: simulate(people, judges, systems=systems, topics=topics, runs=runs, seed=seed + i)
        for i, (claim, judges) in enumerate(at.items())
        if claim in claims
    }


def worst(outcomes: Iterable[Outcome], claim: str) -> tuple[float, str]:
    """The largest share of runs that reached a claim over the four kinds of error, and the kind."""
    return max((outcome.share(claim), outcome.judge.name) for outcome in outcomes if outcome.judge.name in KINDS)


def of_kind(outcomes: Iterable[Outcome], name: str) -> Outcome:
    """The outcome of one judge."""
    return next(outcome for outcome in outcomes if outcome.judge.name == name)


# --- labels --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Labels:
    """A judge's labels of real runs: scores of both sides, their expectation under random labels, and deals."""

    judge: str
    truth: ScoreMatrix
    estimate: ScoreMatrix
    expected_truth: Floats
    expected: Floats
    dealt: Floats  # draws × topics × systems

    def level(self, topics: npt.ArrayLike | None = None, systems: npt.ArrayLike | None = None) -> str:
        """The level on some of the topics and systems."""
        return self.verdict(topics, systems)[0]

    def verdict(
        self, topics: npt.ArrayLike | None = None, systems: npt.ArrayLike | None = None
    ) -> tuple[str, float, float]:
        """The level, the high end of the interval and the p of random labels, on some of the topics and systems.

        The high end is the lower one of those by scores and by what they say beyond random labels, as in the rule.
        """
        rows = np.arange(len(self.truth.topics)) if topics is None else np.asarray(topics)
        columns = np.arange(len(self.truth.systems)) if systems is None else np.asarray(systems)
        at = np.ix_(rows, columns)
        x, y = (ScoreMatrix(side.values[at]) for side in (self.truth, self.estimate))
        means = self.dealt[:, rows].mean(axis=1)[:, columns]
        p = chance_pvalue(x.means, y.means, means)
        with without_expected_tau():
            dealt = Chance(null="labels", pvalue=p, truth=self.expected_truth[at], estimate=self.expected[at])
            result = verdict(x, y, RULE, chance=dealt)
        ends = [value.interval.high for value in (result.worth, result.own_worth) if value is not None]
        return result.level, min(ends, default=math.inf), p


TRACKS = {"dl19": "qrels.human.txt", "covid1": "qrels.txt"}


@cache
def human_labels(track: str) -> JudgedRuns:
    """The runs of a track with the human labels."""
    return join(_runs(track), read_judgments(DATA / track / TRACKS[track]))


@cache
def _runs(track: str) -> rs.RunSet:
    return read_runs(sorted((DATA / track / "runs").iterdir()))


def judges_of(track: str) -> tuple[str, ...]:
    """The names of a track's judges."""
    return tuple(path.stem for path in sorted((DATA / track / "judges").glob("*.qrels")))


@cache
def labels_of(track: str, judge: str, measure: str, draws: int = 300, seed: int = 0) -> Labels:
    """A real judge's labels, its topics matched with the human ones by name."""
    people = human_labels(track)
    judged = join(_runs(track), read_judgments(DATA / track / "judges" / f"{judge}.qrels").for_topics(people.topics))
    dealt = _dealt(judged, measure, draws, seed)
    known = expected_under_random_labels(judged, parse_measures(measure)[0])
    return Labels(
        judge=judge,
        truth=score(people, measure)[measure],
        estimate=score(judged, measure)[measure],
        expected_truth=_expected_truth(track, measure),
        expected=dealt.mean(axis=0) if known is None else known,
        dealt=dealt,
    )


def _dealt(judged: JudgedRuns, measure: str, draws: int, seed: int) -> Floats:
    """Scores of all systems on all topics under each deal."""
    return np.concatenate(
        [rescore(judged, measure, grades, jobs=1)[measure] for grades in _dealt_grades(judged, draws, seed)]
    )


@cache
def _expected_truth(track: str, measure: str) -> Floats:
    return dealt_scores(human_labels(track), [measure], 300, 0, means=False, jobs=1)[measure].expected


def partly_dealt(people: JudgedRuns, share: float, repeats: int, random: np.random.Generator) -> Floats:
    """Human grades of which a share, chosen at random, is dealt anew within each topic; a row per repeat."""
    table = np.repeat(people.grades[None], repeats, axis=0)
    for first, last in zip(people.judgment_starts[:-1], people.judgment_starts[1:], strict=True):
        size = round(share * (last - first))
        for row in table:
            chosen = first + random.permutation(last - first)[:size]
            row[chosen] = row[random.permutation(chosen)]
    return table


@dataclass(frozen=True, eq=False)
class DealtOutcome:
    """Levels of human labels of which a share is random, and how many passed the test of random labels."""

    track: str
    measure: str
    share: float
    runs: int
    levels: Counter[str]
    passed: int
    worth: float


def dealt_labels(
    track: str, measure: str, shares: Sequence[float], *, runs: int, draws: int = 2_000, seed: int = 0
) -> list[DealtOutcome]:
    """Levels of human labels of which a share is dealt at random within topics.

    Dealing leaves each topic's grades as they were, so that all repeats share the distribution under random labels.
    """
    people = human_labels(track)
    truth = score(people, measure)[measure]
    means = _dealt(people, measure, draws, seed).mean(axis=1)
    floor = _expected_truth(track, measure)
    random = np.random.default_rng([seed, len(truth.systems)])
    outcomes = []
    for share in shares:
        levels: Counter[str] = Counter()
        passed, worths = 0, []
        with without_expected_tau():
            for scores in rescore(people, measure, partly_dealt(people, share, runs, random), jobs=1)[measure]:
                estimate = ScoreMatrix(scores, truth.systems, truth.topics)
                p = chance_pvalue(truth.means, estimate.means, means)
                result = verdict(
                    truth, estimate, RULE, chance=Chance(null="labels", pvalue=p, truth=floor, estimate=floor)
                )
                levels[result.level] += 1
                passed += p <= RANDOM
                worths.append(0.0 if result.own_worth is None else result.own_worth.worth)
        outcomes.append(DealtOutcome(track, measure, share, runs, levels, passed, float(np.median(worths))))
    return outcomes


def ignorant_labels(track: str, measure: str, *, runs: int, draws: int = 300, seed: int = 0) -> float:
    """The share of grades 0 to 3 drawn at random, with deals of their own, that pass as better than random labels."""
    people = human_labels(track)
    truth = score(people, measure)[measure].means
    random = np.random.default_rng(seed)
    passed = 0
    for run in range(runs):
        judged = people.with_grades(random.integers(0, 4, len(people.grades)).astype(float))
        means = score(judged, measure)[measure].means
        own = dealt_scores(judged, [measure], draws, run, means=True, jobs=1)[measure].means
        passed += chance_pvalue(truth, means, own) <= RANDOM
    return passed / runs


# --- subsets of real data ----------------------------------------------------------------------------------------


def subsets(
    labels: Labels, *, topics: int | None = None, systems: int | None = None, runs: int, seed: int = 0
) -> Counter[str]:
    """Levels on random subsets of these numbers of topics and systems (None: all)."""
    n, m = labels.truth.values.shape
    random = np.random.default_rng([seed, topics or n, systems or m])
    return Counter(
        labels.level(
            None if topics is None else random.permutation(n)[:topics],
            None if systems is None else random.permutation(m)[:systems],
        )
        for _ in range(runs)
    )


SUBSETS = tuple({"topics": n} for n in (35, 25, 15, 10)) + tuple({"systems": m} for m in (30, 20, 15, 10))


# --- groups ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Grouping:
    """How systems are grouped and what the judge does to them, in standard deviations of true values.

    Groups are four, of random systems, or of near-copies of four systems on which the judge errs alike by topic;
    `family` is added to one of them, `own` is the deviation of errors on single systems.
    """

    name: str
    family: float = 0.0
    own: float = 0.0
    copies: bool = False


NULLS = (
    Grouping("random groups, errors by topic only"),
    Grouping("random groups, own errors .25 sd", own=0.25),
    Grouping("random groups, own errors .5 sd", own=0.5),
    Grouping("near-copies as groups", copies=True),
)
SHIFTED = (
    Grouping("a family favoured by .25 sd", family=0.25),
    Grouping("a family favoured by .5 sd", family=0.5),
    Grouping("a family favoured by .25 sd, own errors .25 sd", family=0.25, own=0.25),
    Grouping("a family favoured by .5 sd, own errors .25 sd", family=0.5, own=0.25),
)
_GROUPS = 4


def group_tests(
    people: Collection, grouping: Grouping, *, systems: int, topics: int, runs: int, seed: int = 0
) -> tuple[float, float, float]:
    """The share of runs that report a group: by both tests, by topics alone, by systems alone.

    Any of the groups where the judge favours none, else the one that it favours.
    """
    random = np.random.default_rng([seed, systems, topics])
    deviation, noise = math.sqrt(people.between), math.sqrt(0.25 * people.within)
    member = np.arange(systems) % _GROUPS
    groups = {f"system {i}": f"group {g}" for i, g in enumerate(member)}
    result = np.zeros(3)
    for run in range(runs):
        rows = random.integers(0, len(people.scores), topics)
        columns = random.permutation(people.scores.shape[1])[: _GROUPS if grouping.copies else systems]
        x = people.scores[np.ix_(rows, columns)]
        if grouping.copies:
            x = x[:, member] + 0.1 * noise * random.standard_normal((topics, systems))
            errors = noise * random.standard_normal((topics, _GROUPS))[:, member]
            errors = errors + 0.1 * noise * random.standard_normal((topics, systems))
        else:
            errors = noise * random.standard_normal((topics, systems))
        bias = grouping.own * random.standard_normal(systems) + grouping.family * (member == 0)
        names = tuple(groups)
        truth, judge = ScoreMatrix(x, names), ScoreMatrix(x + errors + deviation * bias, names)
        tested = shift(truth, judge, groups=groups, level=0.95, resamples=0, rng=run).groups
        chosen = [g for g in tested if not grouping.family or g.group == "group 0"]
        for i, ps in enumerate(zip(*((g.pvalue, g.topic_pvalue, g.system_pvalue) for g in chosen), strict=True)):
            result[i] += min(ps) <= 0.05
    both, by_topics, by_systems = result / runs
    return float(both), float(by_topics), float(by_systems)


# --- real pairs of measures: coverage of intervals ---------------------------------------------------------------

PAIRS = (
    ("robust2004 AP", "robust2004 P@10"),
    ("trec5 AP", "trec5 P@10"),
    ("trec5 AP", "trec5 RR"),
    ("web2012 AP", "web2012 nDCG@20"),
    ("web2012 nDCG@20", "web2012 ERR@20"),
    ("web2012 AP", "web2012 P@10"),
)


def population_worth(x: Floats, y: Floats, many: int) -> float:
    """Worth where these topics are all there are: K = S, since nothing of it is topic sampling error."""
    x, y = (side - side.mean(axis=1, keepdims=True) for side in (x, y))
    zx, zy = x.mean(axis=0), y.mean(axis=0)
    slope = float(zx @ zy / (zx @ zx))
    noise = float(((y - zy) ** 2).sum() / slope**2 / ((x - zx) ** 2).sum())
    bias = float((zy @ zy / slope**2 - zx @ zx) / ((x - zx) ** 2).sum() * len(x))
    bias *= (x.shape[1] - 1) / (x.shape[1] - 2)
    return float(1.0 / (noise + max(bias, 0.0) * many))


@dataclass(frozen=True)
class PairCoverage:
    """How often intervals of a pair of real measures held the value on all topics.

    `tau_given` is the share of samples that have an interval for τ, `tau_covered` how many of these hold it. Worth is
    that of all systems, and `low_of_few` and `high_of_few` are for a few systems drawn at random.
    """

    pair: tuple[str, str]
    topics: int
    tau: float
    tau_given: float
    tau_covered: float
    worth: float
    median: float
    low: float
    high: float
    low_of_few: float
    high_of_few: float


def pair_coverage(pair: tuple[str, str], topics: int, *, runs: int, systems: int = 20, seed: int = 0) -> PairCoverage:
    """Coverage of τ over the population of topics and of worth, over samples of topics drawn with replacement."""
    x, y = (collection(name).scores for name in pair)
    random = np.random.default_rng([seed, topics])
    many = judged_topics(topics)
    tau, value = rs.kendall(x.mean(axis=0), y.mean(axis=0)), population_worth(x, y, many)
    held, worths = np.zeros(6), []
    with without_expected_tau():
        for _ in range(runs):
            rows = random.integers(0, len(x), topics)
            worth = measure_worth(ScoreMatrix(x[rows]), ScoreMatrix(y[rows]))
            at = np.ix_(rows, random.permutation(x.shape[1])[:systems])
            few = measure_worth(ScoreMatrix(x[at]), ScoreMatrix(y[at]))
            around = worth.population_tau_interval
            worths.append(worth.worth)
            held += (
                around is not None,
                around is not None and around.low <= float(tau) <= around.high,
                worth.interval.low <= value,
                worth.interval.high >= value,
                few.interval.low <= value,
                few.interval.high >= value,
            )
    given, covered, *ends = (held / runs).tolist()
    share = covered / given if given else math.nan
    return PairCoverage(pair, topics, float(tau), given, share, value, float(np.median(worths)), *ends)


Draw = Callable[[int, np.random.Generator], tuple[Floats, Floats]]


def prediction(
    sample: Draw, topics: int, coefficients: Sequence[str], *, runs: int, resamples: int = 500, seed: int = 0
) -> tuple[Floats, Floats]:
    """How often the interval holds the coefficient in another sample of as many topics: as it is, and √2 times as wide.

    `sample(topics, random)` draws scores of both sides.
    """
    random = np.random.default_rng([seed, topics])
    plain, wider = np.zeros((2, len(coefficients)))
    for run in range(runs):
        (x, y), other = (sample(topics, random) for _ in range(2))
        bootstrapped = bootstrap(ScoreMatrix(x), ScoreMatrix(y), coefficients, resamples=resamples, rng=run)
        for i, observed in enumerate(bootstrapped.values):
            value = float(rs.coefficient(observed.name)(other[0].mean(axis=0), other[1].mean(axis=0)))
            assert observed.interval is not None
            low, high = observed.interval.low, observed.interval.high
            plain[i] += low <= value <= high
            # An end at the limit of the coefficient's range stays there.
            low, high = (
                end if abs(end) >= 1.0 else observed.value + math.sqrt(2.0) * (end - observed.value)
                for end in (low, high)
            )
            wider[i] += low <= value <= high
    return plain / runs, wider / runs


def sample_of_pair(pair: tuple[str, str]) -> Draw:
    """Draws topics, with replacement, from a pair of real measures."""
    x, y = (collection(name).scores for name in pair)

    def draw(topics: int, random: np.random.Generator) -> tuple[Floats, Floats]:
        rows = random.integers(0, len(x), topics)
        return x[rows], y[rows]

    return draw


def sample_of_population(population: Population) -> Draw:
    """Draws topics of the simulated population: the human judge and a substitute."""

    def draw(topics: int, random: np.random.Generator) -> tuple[Floats, Floats]:
        return population.sample(topics, random)[:2]

    return draw


# --- tables --------------------------------------------------------------------------------------------------------

SYSTEMS, TOPICS = (10, 30, 100), (10, 25, 50, 100)
# The order in which levels are printed, without random labels and with them.
SHOWN = ("I", "S", "M", "C", "N", "U")
WITH_RANDOM = (*SHOWN, "X")


def percent(share: float) -> str:
    """A share in whole per cent."""
    return f"{100.0 * share:.0f}"


def mix(levels: Counter[str], shown: Sequence[str] = SHOWN) -> str:
    """Percentages of levels, separated by strokes."""
    total = sum(levels.values())
    return "/".join(percent(levels[LEVELS[LETTERS.index(letter)]] / total) for letter in shown)


def error(runs: int, share: float = 0.05) -> float:
    """Half the width of a 95 % interval of a share, in percentage points."""
    return 196.0 * math.sqrt(share * (1.0 - share) / runs)


def _named(share: float, kind: str) -> str:
    """A percentage with the kind of error that it belongs to, unless it is 0."""
    return "0" if percent(share) == "0" else f"{percent(share)} ({kind})"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Markdown rows."""
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(map(str, row)) + " |"
    yield ""


def paragraph(text: str) -> Iterator[str]:
    """A paragraph in lines of the documentation's width."""
    yield textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)
    yield ""


def _median(outcome: Outcome) -> str:
    return f"{np.median(outcome.worths):.2f}"


def _range(outcomes: Sequence[Outcome], end: str) -> str:
    shares = [o.covered(end) for o in outcomes if end != "cap" or o.judge.bias > 0.0]
    return f"{min(shares):.2f}–{max(shares):.2f}"


def known_judges(
    runs: int, *, systems: Sequence[int] = SYSTEMS, topics: Sequence[int] = TOPICS, name: str = "robust2004 AP"
) -> Iterator[str]:
    """Judges of known worth on one collection: levels, false claims, coverage and favoured systems."""
    people = collection(name)
    levels, false, held, favoured = [], [], [], []
    for m in systems:
        for n in topics:
            size = runs if m < 100 else max(runs // 2, 1)
            many = judged_topics(n)
            judges = [IDENTICAL, LLM_LIKE, *FRESH, *(favouring(people, d, many) for d in (1.0, 0.5, 0.25))]
            simulated = simulate(people, judges, systems=m, topics=n, runs=size, seed=20)
            same, llm, other, taken, *fifths = simulated
            at = margins(people, systems=m, topics=n, runs=size, seed=30)
            bias = of_kind(at["substitute"], "bias")
            levels.append(
                (
                    m,
                    n,
                    percent(same.share("interchangeable")),
                    _median(other),
                    _median(taken),
                    mix(other.levels),
                    mix(llm.levels),
                    mix(bias.levels),
                )
            )
            row: list[object] = [m, n]
            for claim in CLAIMS:
                share, kind = worst(at[claim], claim)
                row.append(_named(share, kind))
            refuted = [(one.levels[LEVELS[5]] / size, one.judge.name) for one in at["substitute"]]
            row.append(_named(*max(case for case in refuted if case[1] in KINDS)))
            row += [percent(of_kind(at[claim], "tenth").share(claim)) for claim in CLAIMS[:2]]
            false.append(row)
            known = [outcome for outs in at.values() for outcome in outs if outcome.judge.name in KINDS]
            known += [same, llm, other]
            held.append((m, n, *(_range(known, end) for end in ("low", "high", "cap"))))
            cells = [(f"{1.0 / one.judge.error():.2f}, {_median(one)}", mix(one.levels)) for one in fifths]
            favoured.append((m, n, *(text for pair in cells for text in pair)))
    yield f"### Judges of known worth, on {name}"
    yield ""
    yield from paragraph(
        f"Topics are drawn with replacement, systems at random without; {runs:,} runs per cell ({max(runs // 2, 1):,} "
        f"with 100 systems), so that a share of 5 % is known to ±{error(runs):.1f} points "
        f"(±{error(max(runs // 2, 1)):.1f}). Levels are given as percentages I/S/M/C/N/U: interchangeable, substitute, "
        "substitute with more topics, clear differences only, not a substitute, undecided. *LLM-like*: a = .91, worth "
        ".90. *Bias*: worth .5, all of it bias. *New topics*: another sample of human topics, declared as such (median "
        "worth, levels), and taken for the same topics (second median)."
    )
    yield from table(
        (
            "systems",
            "topics",
            "identical: I",
            "new topics: worth",
            "taken for the same",
            "new topics: levels",
            "LLM-like: levels",
            "bias: levels",
        ),
        levels,
    )
    yield from paragraph(
        "False claims, in per cent: judges whose true worth is exactly at the boundary of the claim (.8; .5; .5 with "
        "four times the topics; 10 human topics). The worst of four kinds of error: noise, bias, both, and errors "
        "correlated with the human residuals plus bias. *Not a substitute*: said of a worth of exactly .5. *A tenth*: "
        "the same bias, but each system has it with a chance of a tenth. The method assumes roughly normal biases; a "
        "sample that lacks the favoured systems cannot show it."
    )
    yield from table(
        (
            "systems",
            "topics",
            "interchangeable",
            "substitute",
            "with more topics",
            "clear differences",
            "not a substitute",
            "a tenth: interchangeable",
            "a tenth: substitute",
        ),
        false,
    )
    yield from paragraph(
        "How often the bounds held, nominally .975: the lowest and the highest share over all judges above, except "
        "those that favour a tenth of the systems."
    )
    yield from table(("systems", "topics", "low end", "high end", "low end of the cap"), held)
    yield from paragraph(
        "A fifth of the systems is favoured by 1, .5 and .25 standard deviations of the true values: true worth, "
        "median estimate of worth, and levels I/S/M/C/N/U."
    )
    yield from table(
        ("systems", "topics", "1 sd: worth", "levels", ".5 sd: worth", "levels", ".25 sd: worth", "levels"), favoured
    )


def other_collections(
    runs: int, *, names: Sequence[str] = OTHERS, systems: Sequence[int] = (10, 30), topics: Sequence[int] = (25, 50)
) -> Iterator[str]:
    """False claims on collections that were not used in choosing the method."""
    rows: list[list[object]] = []
    cells: dict[str, list[float]] = {claim: [] for claim in CLAIMS}
    for name in names:
        people = collection(name)
        for m in systems:
            for n in topics:
                at = margins(people, systems=m, topics=n, runs=runs, seed=40)
                same = simulate(people, [IDENTICAL], systems=m, topics=n, runs=runs, seed=50)[0]
                row: list[object] = [name, m, n, percent(same.share("interchangeable"))]
                for claim in CLAIMS:
                    share, kind = worst(at[claim], claim)
                    row.append(_named(share, kind))
                    cells[claim] += [outcome.share(claim) for outcome in at[claim] if outcome.judge.name in KINDS]
                rows.append(row)
    yield "### Collections not used in choosing the method"
    yield ""
    yield from paragraph(
        f"As above, {runs:,} runs per cell (±{error(runs):.1f} points at 5 %). *simulated track*: systems in families "
        "with topic effects of their own (`tests/inference/simulated.py`)."
    )
    yield from table(
        (
            "collection",
            "systems",
            "topics",
            "identical: I",
            "interchangeable",
            "substitute",
            "with more topics",
            "clear differences",
        ),
        rows,
    )
    said = (
        f"{claim}: {100.0 * np.mean(shares):.1f} % on average, above 5 % in {sum(s > 0.05 for s in shares)}, "
        f"at most {100.0 * max(shares):.1f} %"
        for claim, shares in cells.items()
    )
    cases = len(cells[CLAIMS[0]])
    yield from paragraph(
        f"False claims over the {cases} cases of collection, size and kind of error: " + "; ".join(said) + "."
    )


DEALT = (("dl19", "nDCG@10"), ("dl19", "AP(rel=1)"), ("covid1", "nDCG@10"), ("covid1", "P@5"))
SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


DECENT = ("umbrela-gpt-4o", "four-prompts-flan-t5", "binary-gpt-4o")


def random_labels(
    runs: int,
    *,
    tracks: Sequence[tuple[str, str]] = DEALT,
    judges: Sequence[str] = DECENT,
    draws: int = 300,
    shared: int = 2_000,
) -> Iterator[str]:
    """Human labels of which a share is random; random labels; decent judges on few data.

    `draws` are the random assignments of one verdict, `shared` those that all repeats share.
    """
    rows = []
    for track, measure in tracks:
        result = dealt_labels(track, measure, SHARES, runs=runs, draws=shared, seed=60)
        rows.append((track, measure, *(f"{mix(one.levels, WITH_RANDOM)} ({one.worth:.2f})" for one in result)))
    yield "### Random labels"
    yield ""
    yield from paragraph(
        "A share of the human labels is assigned at random within topics. Levels are percentages I/S/M/C/N/U/X, where "
        f"X is *no better than random labels*; the median own worth is in parentheses; {runs:,} repeats "
        f"(±{error(runs):.1f} points at 5 %). Errors that affect all systems alike cancel out, so labels of which a "
        "fifth is random are still worth much."
    )
    yield from table(("track", "measure", *(f"{percent(share)} % random" for share in SHARES)), rows)
    more = 5 * runs
    rows = []
    for track, measure in tracks:
        passed = dealt_labels(track, measure, [1.0], runs=more, draws=shared, seed=61)[0].passed / more
        uniform = ignorant_labels(track, measure, runs=runs, draws=draws, seed=62)
        rows.append((track, measure, f"{100 * passed:.1f}", f"{100 * uniform:.1f}"))
    yield from paragraph(
        "How often random labels pass the test of random labels, in per cent (nominally 5): human labels reassigned "
        f"within topics ({more:,} times, ±{error(more):.1f} points), and grades 0 to 3 drawn at random ({runs:,} "
        f"times, ±{error(runs):.1f}, {draws} random assignments each)."
    )
    yield from table(("track", "measure", "human labels reassigned", "random grades"), rows)
    rows = []
    for judge in judges:
        labels = labels_of("dl19", judge, "nDCG@10", draws)
        sizes = [subsets(labels, topics=k, systems=k, runs=more, seed=63) for k in (10, 15, 20)]
        rows.append((judge, *(f"{100 * one[LEVELS[6]] / more:.1f}" for one in sizes)))
    yield from paragraph(
        "How often decent judges are called no better than random labels on random subsets of dl19 (nDCG@10; topics × "
        f"systems, {more:,} subsets), in per cent."
    )
    yield from table(("judge", "10 × 10", "15 × 15", "20 × 20"), rows)


@dataclass(frozen=True, eq=False)
class SubsetClaim:
    """A judge that all data put below a margin: how often subsets claim that margin, by size."""

    judge: str
    measure: str
    margin: float
    high: float
    shares: tuple[float, ...]


def subset_levels(
    measure: str, *, runs: int, judges: Sequence[str] | None = None, draws: int = 300, seed: int = 70
) -> dict[str, tuple[str, float, list[Counter[str]]]]:
    """For every judge of dl19: level and high end on all data, and levels on SUBSETS."""
    result = {}
    for judge in judges_of("dl19") if judges is None else judges:
        labels = labels_of("dl19", judge, measure, draws)
        level, high, _ = labels.verdict()
        result[judge] = level, high, [subsets(labels, **size, runs=runs, seed=seed) for size in SUBSETS]
    return result


def subset_claims(measure: str, levels: dict[str, tuple[str, float, list[Counter[str]]]]) -> list[SubsetClaim]:
    """Judges whose high end on all data is below a margin, and the share of subsets that reach its claim."""
    claims = []
    for judge, (_, high, by_size) in levels.items():
        for margin, claim in ((RULE.interchangeable, "interchangeable"), (RULE.substitute, "substitute")):
            if high < margin:
                shares = [
                    sum(count for level, count in counts.items() if reaches(level, claim)) / sum(counts.values())
                    for counts in by_size
                ]
                claims.append(SubsetClaim(judge, measure, margin, high, tuple(shares)))
    return claims


def undecided_on_all_data(levels: dict[str, tuple[str, float, list[Counter[str]]]]) -> float:
    """The share of judges that are undecided on all data."""
    return float(np.mean([level == "undecided" for level, _, _ in levels.values()]))


def undecided(levels: dict[str, tuple[str, float, list[Counter[str]]]]) -> list[float]:
    """The share of "undecided" by size, over all judges."""
    sizes = zip(*(by_size for _, _, by_size in levels.values()), strict=True)
    return [float(np.mean([one["undecided"] / sum(one.values()) for one in column])) for column in sizes]


def subset_tables(
    runs: int,
    *,
    judges: Sequence[str] | None = None,
    measures: Sequence[str] = ("nDCG@10", "AP(rel=1)"),
    draws: int = 300,
) -> Iterator[str]:
    """Levels on subsets of dl19 beside those on all data."""
    head = [f"{size['topics']} topics" if "topics" in size else f"{size['systems']} systems" for size in SUBSETS]
    claims = []
    undecided_by_measure = []
    yield "### Subsets of dl19"
    yield ""
    yield from paragraph(
        f"The eight judges of dl19 on random subsets of its 43 topics or of its 37 systems, {runs:,} of each size "
        f"(±{error(runs):.1f} points at 5 %, ±{error(runs, 0.5):.0f} at 50 %): the level on all data, and percentages "
        "I/S/M/C/N/U/X on subsets."
    )
    for measure in measures:
        levels = subset_levels(measure, runs=runs, judges=judges, draws=draws)
        claims += subset_claims(measure, levels)
        rows: list[Sequence[object]] = [
            (judge, LETTERS[LEVELS.index(level)], *(mix(counts, WITH_RANDOM) for counts in by_size))
            for judge, (level, _, by_size) in levels.items()
        ]
        shares = [undecided_on_all_data(levels), *undecided(levels)]
        undecided_by_measure.append(shares)
        rows.append(("*undecided, all judges*", *map(percent, shares)))
        yield from table((measure, "all data", *head), rows)
    yield from paragraph(
        "Undecided, over all judges and both measures. The share grows as topics or systems become fewer, though not "
        "for every judge: under nDCG@10 half of the judges are undecided on all data because of a few systems, and a "
        "subset may lack these systems."
    )
    yield from table(
        ("", "all data", *head), [("*undecided*", *map(percent, np.mean(undecided_by_measure, axis=0).tolist()))]
    )
    yield from paragraph(
        "Judges whose interval on all data lies below a margin (its high end), and the percentage of subsets on which "
        "they reach the claim of that margin."
    )
    yield from table(
        ("judge", "measure", "high end", "margin", *head),
        ((c.judge, c.measure, f"{c.high:.2f}", f"{c.margin:g}", *map(percent, c.shares)) for c in claims),
    )


def group_tables(
    runs: int, *, systems: Sequence[int] = (20, 40, 60), topics: Sequence[int] = (25, 50)
) -> Iterator[str]:
    """How often a group of systems is reported as favoured."""
    people = collection("robust2004 AP")
    sizes = [(m, n) for m in systems for n in topics]
    rows = []
    for grouping in NULLS + SHIFTED:
        result = [group_tests(people, grouping, systems=m, topics=n, runs=runs, seed=80) for m, n in sizes]
        rows.append((grouping.name, *("/".join(map(percent, one)) for one in result)))
    yield "### Groups of systems"
    yield ""
    yield from paragraph(
        "Four groups of systems of robust2004 (AP) under a judge with errors by topic (a = 1.25): the percentage of "
        f"runs that report a group by both tests / by the t-test over topics alone / by permuting systems alone; "
        f"{runs:,} runs (±{error(runs):.1f} points at 5 %). The first four rows are false reports, of any group; the "
        "others are correct reports of the favoured one."
    )
    yield from table(("groups", *(f"{m} systems, {n} topics" for m, n in sizes)), rows)


def pair_tables(runs: int, *, pairs: Sequence[tuple[str, str]] = PAIRS) -> Iterator[str]:
    """Coverage of τ over the population of topics, and of worth, for pairs of real measures."""
    result = [pair_coverage(pair, topics, runs=runs) for pair in pairs for topics in (10, 25, 50)]
    shares = [row.tau_covered for row in result]
    ends = [(row.low, row.low_of_few, row.high, row.high_of_few) for row in result]
    lows, highs = [end for row in ends for end in row[:2]], [end for row in ends for end in row[2:]]
    yield from paragraph(
        f"Topics are drawn with replacement from those of the collection, which are the population; {runs:,} runs "
        f"(±{error(runs) / 100.0:.3f} at .95). The interval of τ covers in {min(shares):.2f} to {max(shares):.2f} of "
        f"the runs, {np.mean(shares):.2f} on average. It rests on a relation between τ and a correlation that holds "
        "for normal scores, so more topics do not improve it. *Given*: the share of samples that have an interval; "
        "there is none where systems vary no more than topic sampling error explains."
    )
    yield from paragraph(
        "With few topics the estimate of worth is too high on average. The ends of its interval, each nominally .975, "
        f"were checked for all systems and for 20 drawn at random: the low end held in {min(lows):.2f} to "
        f"{max(lows):.2f} of the runs, the high end in {min(highs):.2f} to {max(highs):.2f}."
    )
    yield from table(
        (
            "truth, estimate",
            "topics",
            "τ on all topics",
            "given",
            "covers",
            "worth on all topics",
            "median estimate",
            "low end held",
            "high end held",
            "20 systems: low",
            "high",
        ),
        (
            (
                ", ".join(row.pair),
                row.topics,
                f"{row.tau:.3f}",
                f"{row.tau_given:.3f}",
                f"{row.tau_covered:.3f}",
                f"{row.worth:.3f}",
                f"{row.median:.3f}",
                f"{row.low:.3f}",
                f"{row.high:.3f}",
                f"{row.low_of_few:.3f}",
                f"{row.high_of_few:.3f}",
            )
            for row in result
        ),
    )


def prediction_rows(runs: int, coefficients: Sequence[str]) -> list[tuple[str, int, Floats, Floats]]:
    """How often intervals hold the value in another sample of topics, by source of topics and number of them."""
    sources = [("simulated", sample_of_population(Population()), n) for n in (25, 50, 250)]
    if DATA.is_dir():
        sources += [(", ".join(pair), sample_of_pair(pair), 25) for pair in (PAIRS[0], PAIRS[1], PAIRS[4])]
    return [(name, n, *prediction(draw, n, coefficients, runs=runs)) for name, draw, n in sources]


def page(runs: int = 1_000) -> Iterator[str]:
    """The operating characteristics, as Markdown."""
    yield from paragraph(
        "Written by `make coverage` (`tests/inference/operating.py`), from the project's own code. Every level is that "
        "of the rule as it is used."
    )
    for part, size in (
        (known_judges, runs),
        (other_collections, runs // 2),
        (random_labels, runs // 5),
        (subset_tables, runs // 5),
        (group_tables, runs // 2),
    ):
        began = time.perf_counter()
        yield from part(max(size, 1))
        sys.stderr.write(f"{part.__name__}: {time.perf_counter() - began:.0f} s\n")


def write(text: str, path: Path = DOCS / "verdict.md") -> None:
    """Replace what stands between the two marks."""
    whole = path.read_text(encoding="utf-8")
    if BEGIN not in whole:
        whole = f"{whole.rstrip()}\n\n## Operating characteristics\n\n{BEGIN}\n{END}\n"
    before, rest = whole.split(BEGIN, 1)
    path.write_text(f"{before}{BEGIN}\n\n{text.strip()}\n\n{END}{rest.split(END, 1)[1]}", encoding="utf-8")


if __name__ == "__main__":
    if not DATA.is_dir():
        sys.exit(f"no shared data at {DATA}: set RANKSCOPE_DATA")
    write("\n".join(page(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000)))
