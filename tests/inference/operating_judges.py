"""How often does the verdict err on judges of known worth?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from operating_collections import OTHERS, Collection, collection
from operating_rule import (
    RULE,
    error,
    judged_topics,
    mix,
    named,
    paragraph,
    percent,
    reaches,
    table,
    without_expected_tau,
)

from rankscope.inference.worth import Worth
from rankscope.scores import Floats, ScoreMatrix
from rankscope.studies.verdict import LEVELS, verdict

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


def _median(outcome: Outcome) -> str:
    return f"{np.median(outcome.worths):.2f}"


def _range(outcomes: Sequence[Outcome], end: str) -> str:
    shares = [o.covered(end) for o in outcomes if end != "cap" or o.judge.bias > 0.0]
    return f"{min(shares):.2f}–{max(shares):.2f}"


SYSTEMS, TOPICS = (10, 30, 100), (10, 25, 50, 100)


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
                row.append(named(share, kind))
            refuted = [(one.levels[LEVELS[5]] / size, one.judge.name) for one in at["substitute"]]
            row.append(named(*max(case for case in refuted if case[1] in KINDS)))
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
                    row.append(named(share, kind))
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
