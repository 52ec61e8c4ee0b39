"""How often does the verdict err on random labels, and on subsets of real judges' labels?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
from operating_rule import (
    LETTERS,
    RULE,
    WITH_RANDOM,
    error,
    mix,
    paragraph,
    percent,
    reaches,
    table,
    without_expected_tau,
)
from written_sections import DATA

import rankscope as rs
from rankscope.files import read_judgments, read_runs
from rankscope.measures.registry import parse_measures
from rankscope.measures.scoring import expected_under_random_labels, rescore, score
from rankscope.runs import JudgedRuns, join
from rankscope.scores import Floats, ScoreMatrix
from rankscope.studies.chance import Chance, chance_pvalue
from rankscope.studies.judging.chance import _dealt_grades, dealt_scores
from rankscope.studies.verdict import LEVELS, RANDOM, verdict


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
