"""What does a judge add to a sample of labelled documents, and do the intervals hold? Labels of people are hidden.

The slow test asks for it, and `make coverage` writes a section of docs/correction.md from it. On the Deep Learning
track of 2019 judges are real, and the truth is the score by all human labels of the same topics; on a simulated track
topics are drawn, too, and the truth is the mean over all its topics.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit
from scipy.stats import kendalltau
from simulated import ROBUST
from written_sections import DOCS, runs_asked, write_section

import rankscope as rs
from rankscope.inference import document_correction
from rankscope.inference.document_correction import Sampled, as_many_alone, estimate, features
from rankscope.inference.document_scores import DocumentScores
from rankscope.report.terminal_correction import NOTABLE
from rankscope.scores import Floats

LEVEL = 0.95
JUDGES = ("umbrela-gpt-4o", "binary-gpt-4o", "four-prompts-llama3", "shuffled", "reversed")
# Made from the human labels of TREC-COVID, on which nothing was chosen.
MADE = ("noisy", "biased", "noise")
MEASURES, SHARES = ("DCG@10", "nDCG@10", "AP"), (0.05, 0.1, 0.2, 0.4)
KINDS = ("human", "judge", "filled", "corrected", "combined")


@dataclass(frozen=True)
class Cell:
    """Means over draws: τ and root mean square error by kind, bias of the corrected mean, and what intervals cover."""

    documents: float
    tau: dict[str, float]
    error: dict[str, float]
    bias: float
    covered: dict[str, float]


@cache
def _collection(judge: str) -> tuple[Any, rs.Judgments]:
    """Runs and human labels: TREC-COVID, every fourth run, for made judges, otherwise the Deep Learning track."""
    folder = ROBUST.parent / ("covid1" if judge in MADE else "dl19")
    runs = rs.read_runs(folder / "runs")
    if judge not in MADE:
        return runs, rs.read_judgments(folder / "qrels.human.txt")
    return runs.select(systems=sorted(runs.systems)[::4]), rs.read_judgments(folder / "qrels.txt", on_conflict="max")


def _dealt(human: rs.Judgments, grades: Floats, seed: int) -> Floats:
    """The grades dealt at random within topics."""
    dealt, generator = grades.copy(), np.random.default_rng(seed)
    for first, last in zip(human.starts[:-1], human.starts[1:], strict=True):
        dealt[first:last] = generator.permutation(grades[first:last])
    return dealt


@cache
def _grades(judge: str) -> Floats:
    """The judge's grades of the documents that people judged, NaN where it has none."""
    runs, human = _collection(judge)
    if judge == "reversed":
        return 3.0 - _grades("umbrela-gpt-4o")
    if judge == "shuffled":
        return _dealt(human, _grades("umbrela-gpt-4o"), 0)
    if judge in MADE:
        generator, dealt = np.random.default_rng(1), _dealt(human, human.grades, 2)
        noisy = np.where(generator.random(len(human)) < 0.4, dealt, human.grades)
        if judge == "biased":  # three in ten documents in the top 20 of the first half of the runs get a grade more
            joined = rs.join(runs, human)
            system = np.repeat(np.arange(len(joined.retrieved)), np.diff(joined.starts)) % len(joined.systems)
            liked = np.zeros(len(human), dtype=bool)
            liked[joined.rows[(system < len(joined.systems) // 2) & (joined.ranks <= 20)]] = True
            return np.asarray(np.minimum(noisy + (liked & (generator.random(len(human)) < 0.3)), 2.0))
        return dealt if judge == "noise" else noisy
    read = rs.read_judgments(ROBUST.parent / "dl19" / "judges" / f"{judge}.qrels")
    known = {(topic, document): grade for topic, document, grade in read.to_frame().rows()}
    return np.array([known.get((topic, document), np.nan) for topic, document, _ in human.to_frame().rows()])


@cache
def _prepared(judge: str, measure: str) -> tuple[Any, ...]:
    """Scores as functions of gains, human gains, true means, the judge's, features, and the documents' influence."""
    runs, human = _collection(judge)
    joined = rs.join(runs, human)
    documents = DocumentScores.of(joined, rs.parse_measure(measure))
    grades = _grades(judge)
    judged = np.where(np.isnan(grades), 0.0, grades)
    truth = rs.score(joined, measure)[measure].values.mean(axis=0)
    alone = rs.rescore(joined, measure, grades[None], jobs=1)[measure][0].mean(axis=0)
    influence = rs.document_influence(runs, human.with_grades(judged), measure)
    return documents, documents.gains(human.grades), truth, alone, features(documents, grades), influence


def human_errors(documents: DocumentScores, sampled: Sampled) -> tuple[Floats, Floats]:
    """The covariance of the human means over draws of documents, by residuals alone, and the degrees of freedom."""
    levels, values = document_correction._counted_values(sampled)
    nothing = np.zeros((len(documents.topic_of), values.shape[1]))
    numerators = document_correction._numerators(documents, nothing, values, sampled)
    changes = document_correction.corrected_scores(documents, numerators, levels).changes
    return changes @ changes.T, document_correction._freedom(changes)


def track(judge: str, measure: str, share: float, draws: int) -> Cell:
    """A share of the documents that matter is labelled by people."""
    documents, gains, truth, alone, table, influence = _prepared(judge, measure)
    size = share * (len(gains) if measure == "AP" else (influence > 0.0).sum())
    chances = rs.inclusion_probabilities(influence, size)
    rows = [_draw(documents, gains, truth, alone, table, chances, seed) for seed in range(draws)]
    tau, error, covered = (_averaged([row[i] for row in rows]) for i in (0, 1, 2))
    return Cell(float(size), tau, error, float(np.mean([row[3] for row in rows])), covered)


class Alone(NamedTuple):
    """Labels by people alone that are as good as some beside a judge: needed, and said with and without its grades.

    What is said has its median over draws, with quantiles of 5 and 95 % where the judge's grades are used. `nothing` is
    the share of draws in which the judge is said to add nothing.
    """

    needed: float
    graded: float
    least: float
    most: float
    ungraded: float
    nothing: float


def alone(judge: str, measure: str, design: str, labels: int, draws: int) -> Alone:
    """How many labels drawn alike give people alone the mean squared error of the corrected means."""
    documents, gains, truth, _, table, influence = _prepared(judge, measure)
    alike = features(documents, np.zeros(len(gains)))

    def sampled(size: float, seed: int) -> Sampled:
        drawn_by = influence if design == "influence" else np.ones(len(gains))
        chances = rs.inclusion_probabilities(drawn_by, size)
        drawn = np.flatnonzero(np.random.default_rng([seed, len(gains)]).random(len(gains)) < chances)
        return Sampled(drawn, chances[drawn], gains[drawn])

    def error(size: float, kind: str) -> float:
        found = (estimate(documents, table, sampled(size, seed)) for seed in range(draws))
        return float(np.mean([np.var(getattr(each, kind).mean(axis=0) - truth) for each in found]))

    wanted, low, high = error(labels, "corrected"), float(labels) / 2.0, float(len(gains))
    while high > 1.02 * low:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if error(middle, "human") <= wanted else (middle, high)
    said = [[as_many_alone(documents, given, sampled(labels, s)) for given in (table, alike)] for s in range(draws)]
    graded, ungraded = np.array(said).T
    least, median, most = np.quantile(graded, (0.05, 0.5, 0.95)).tolist()
    nothing = float((graded < NOTABLE * np.maximum(labels, ungraded)).mean())
    return Alone(high, median, least, most, float(np.median(ungraded)), nothing)


def alone_page(draws: int) -> Iterator[str]:
    """The table of labels by people alone."""
    yield "| judge | measure | drawn | labels | needed | said (5 to 95 % of draws) | ungraded | adds nothing |"
    yield "|" + "---|" * 8
    for judge in ("umbrela-gpt-4o", "four-prompts-llama3", "shuffled"):
        for measure in MEASURES[:2]:
            for design in ("influence", "random"):
                for labels in (60, 250, 1000):
                    cell = alone(judge, measure, design, labels, draws)
                    said = f"{cell.graded:.0f} ({cell.least:.0f}–{cell.most:.0f}) | {cell.ungraded:.0f}"
                    said += f" | {cell.nothing:.0%}"
                    yield f"| {judge} | {measure} | {design} | {labels} | {cell.needed:.0f} | {said} |"


def _averaged(rows: Any) -> dict[str, float]:
    return {kind: float(np.mean([row[kind] for row in rows])) for kind in rows[0]}


def _draw(
    documents: DocumentScores, gains: Floats, truth: Floats, alone: Floats, table: Any, chances: Floats, seed: int
) -> tuple[dict[str, float], dict[str, float], dict[str, float], float]:
    drawn = np.flatnonzero(np.random.default_rng([seed, len(gains)]).random(len(gains)) < chances)
    sampled = Sampled(drawn, chances[drawn], gains[drawn])
    found = estimate(documents, table, sampled)
    human, corrected = found.human.mean(axis=0), found.corrected.mean(axis=0)
    filled = found.ranked.mean(axis=0)
    means = dict(zip(KINDS, (human, alone, filled, corrected, found.combined.means), strict=True))
    errors = {
        "human": human_errors(documents, sampled),
        "corrected": (found.covariance, found.freedom),
    }
    covered = {
        kind: float(
            (np.abs(means[kind] - truth) <= stdtrit(freedom, (1.0 + LEVEL) / 2.0) * np.sqrt(np.diag(covariance))).mean()
        )
        for kind, (covariance, freedom) in errors.items()
    }
    tau = {kind: float(kendalltau(values, truth).statistic) for kind, values in means.items()}
    error = {kind: float(np.std(values - truth)) for kind, values in means.items()}
    return tau, error, covered, float((corrected - truth).mean())


@cache
def _population() -> tuple[Any, ...]:
    made = rs.simulate_track(systems=20, topics=300, depth=50, pool_depth=20, candidates=200, rng=5)
    return made, next(iter(made.judges.values()))


def population(measure: str, topics: int, share: float, draws: int) -> dict[str, float]:
    """Topics are drawn, too: what intervals, rank sets and predicted intervals cover of the means over all topics."""
    made, judge = _population()
    truth = rs.evaluate(made.runs, made.truth, measure).summaries[measure]
    ranks = dict(zip(truth.systems, (-truth.values).argsort().argsort() + 1, strict=True))
    means, average = dict(zip(truth.systems, truth.values, strict=True)), float(truth.values.mean())
    rows = []
    for seed in range(draws):
        generator = np.random.default_rng([seed, topics])
        some = [made.truth.topics[t] for t in generator.choice(len(made.truth.topics), topics, replace=False)]
        runs, labels, human = made.runs.select(topics=some), judge.for_topics(some), made.truth.for_topics(some)
        chances = rs.inclusion_probabilities(rs.document_influence(runs, labels, measure), share * len(labels))
        known = {(topic, document): grade for topic, document, grade in human.to_frame().rows()}
        drawn = rs.draw_sample(labels, chances, rng=seed)
        grades = [known[topic, document] for topic, document, *_ in drawn.to_frame().rows()]
        sample = rs.JudgmentSample(judgments=drawn.judgments.with_grades(grades), probabilities=drawn.probabilities)
        board = rs.correct(sample, labels, runs=runs, measure=measure, resamples=200, jobs=1).leaderboards[0]
        centre = float(np.mean([entry.predicted for entry in board.systems]))
        rows.append(
            [
                (
                    entry.interval.low <= means[entry.system] <= entry.interval.high,
                    abs((entry.predicted - centre) - (means[entry.system] - average))
                    <= (entry.predicted_interval.high - entry.predicted_interval.low) / 2.0,
                    entry.typical.low <= ranks[entry.system] <= entry.typical.high,
                )
                for entry in board.systems
            ]
        )
    shares = np.array(rows, dtype=np.float64).mean(axis=(0, 1))
    return dict(zip(("corrected", "combined", "rank sets"), shares.tolist(), strict=True))


def page(draws: int) -> Iterator[str]:
    """The section of docs/correction.md."""
    head = (
        "| judge | labelled | τ human | τ judge | τ filled in | τ corrected | τ combined | error human | "
        "error corrected | error combined | bias | human covers | corrected covers |\n|" + "---|" * 13
    )
    for measure in MEASURES:
        number = draws // 2 if measure == "AP" else draws  # it takes ten times as long
        yield f"\n{measure}, {number} draws a row:\n\n{head}"
        for judge in JUDGES:
            for share in SHARES:
                yield _row(judge, share, track(judge, measure, share, number))
    draws = 3 * draws // 10
    for measure in ("nDCG@10", "AP"):
        yield f"\nTREC-COVID round 1, every fourth run (36), 30 topics, {measure}, {draws} draws a row:\n\n{head}"
        for judge in MADE:
            for share in SHARES:
                yield _row(judge, share, track(judge, measure, share, draws))
    yield (
        f"\nSimulated track, 20 systems, judge *{_population()[1].name}*: topics drawn from 300 and a share of their "
        f"documents labelled; truth over all 300, {draws} draws a row:\n\n| measure | topics | labelled | "
        "corrected covers | combined covers | rank sets cover |\n|---|---|---|---|---|---|"
    )
    for measure in MEASURES:
        for topics in (25, 50):
            for share in (0.1, 0.3):
                shares = population(measure, topics, share, draws)
                numbers = " | ".join(f"{value:.3f}" for value in shares.values())
                yield f"| {measure} | {topics} | {share:.0%} | {numbers} |"


def _row(judge: str, share: float, cell: Cell) -> str:
    errors = [f"{cell.error[kind]:.3g}" for kind in ("human", "corrected", "combined")]
    numbers = [f"{value:.3f}" for value in cell.tau.values()] + errors + [f"{cell.bias:+.3f}"]
    numbers += [f"{value:.3f}" for value in cell.covered.values()]
    return f"| {judge} | {share:.0%} ({cell.documents:.0f}) | " + " | ".join(numbers) + " |"


if __name__ == "__main__":
    draws = runs_asked(100)
    write_section(DOCS / "correction.md", "labels by people alone", "\n".join(alone_page(2 * draws // 5)))
    write_section(DOCS / "correction.md", "correction by document", "\n".join(page(draws)))
