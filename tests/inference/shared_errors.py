"""Do intervals of the correlation of judges' errors cover? Topics of dl19, and of a simulated track.

`make coverage` writes a table of docs/panels.md from it, and tests/inference/test_shared_errors.py runs it small. The
topics at hand are the population, from which samples are drawn with replacement; what the truth explains is estimated
in each sample. Beside it stands the bootstrap over topics that the interval replaced.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from written_sections import DATA, DOCS, need, write_section

import rankscope as rs
from narrowing import known
from rankscope.inference.error_correlation import _correlations, _mean, by_grade, by_score, error_correlations
from rankscope.inference.intervals import interval
from rankscope.inference.labels.tuning import LabelTable
from rankscope.inference.resampling import topic_counts

TOPICS = (10, 20, 43)

Array = np.ndarray[Any, Any]


class Errors(NamedTuple):
    """Judges' grades or scores (rows × judges), the truth's, and the topic of each row."""

    values: Array
    truth: Array
    topic: Array
    graded: bool

    def sample(self, rng: np.random.Generator, topics: int) -> Errors:
        """Topics with replacement, each copy a topic of its own."""
        drawn = rng.integers(0, int(self.topic.max()) + 1, topics)
        rows = [np.flatnonzero(self.topic == own) for own in drawn]
        at = np.concatenate(rows)
        numbers = np.repeat(np.arange(topics), [len(own) for own in rows])
        return Errors(self.values[at], self.truth[at], numbers, self.graded)

    def found(self) -> Any:
        """The mean correlation with its interval."""
        explains = by_grade if self.graded else by_score
        return error_correlations(self.values, explains(self.truth), self.topic)


def of_labels(human: rs.Judgments, judges: list[rs.Judgments]) -> Errors:
    """Errors of grades of documents that all sides labelled."""
    table = LabelTable.of(judges, human)
    kept = ~np.isnan(table.truth) & ~np.isnan(table.grades).any(axis=1)
    topic = np.unique(table.rows.topic_of[kept], return_inverse=True)[1]
    return Errors(table.grades[kept], table.truth[kept], topic, graded=True)


def of_scores(runs: rs.RunSet, human: rs.Judgments, judges: list[rs.Judgments]) -> Errors:
    """Errors of systems' nDCG@10 on topics, centred by topic."""

    def centred(labels: rs.Judgments) -> Array:
        values = rs.evaluate(runs, labels, "nDCG@10").scores["nDCG@10"].values
        return np.asarray(values - values.mean(axis=1, keepdims=True)).ravel()

    topic = np.repeat(np.arange(len(human.topics)), len(runs.systems))
    return Errors(np.column_stack([centred(own) for own in judges]), centred(human), topic, graded=False)


def populations(folder: Path) -> dict[str, Errors]:
    """Eight judges of dl19, and four of a simulated track that share part of their errors."""
    runs, human = rs.read_runs(folder / "runs"), rs.read_judgments(folder / "qrels.human.txt")
    judges = [rs.read_judgments(path).for_topics(human.topics) for path in sorted((folder / "judges").glob("*.qrels"))]
    track = rs.simulate_track(20, 60, depth=30, rng=1)
    made = simulated_judges(track.truth)
    return {
        "dl19, grades": of_labels(human, judges),
        "dl19, scores": of_scores(runs, human, judges),
        "simulated track, grades": of_labels(track.truth, made),
        "simulated track, scores": of_scores(track.runs, track.truth, made),
    }


def simulated_judges(truth: rs.Judgments, judges: int = 4) -> list[rs.Judgments]:
    """Each judge's grades: the truth's, an error that all share, and one of its own, rounded."""
    rng = np.random.default_rng(2)
    shared = rng.normal(0.0, 0.7, len(truth.grades))
    drawn = truth.grades + shared + rng.normal(0.0, 0.7, (judges, len(truth.grades)))
    return [truth.with_grades(np.clip(np.rint(own), 0, 3)) for own in drawn]


def bootstrap(errors: Errors, draws: int, rng: np.random.Generator) -> Array:
    """The mean correlation in each draw of topics, from sums of products by topic."""
    explains = (by_grade if errors.graded else by_score)(errors.truth)
    both = np.column_stack([explains, errors.values])
    topics = int(errors.topic.max()) + 1
    products = np.stack([own.T @ own for own in (both[errors.topic == t] for t in range(topics))])
    counts = topic_counts(rng, topics, draws)
    summed = (counts @ products.reshape(topics, -1)).reshape(draws, *products.shape[1:])
    return np.asarray(_mean(_correlations(summed, explains.shape[1])))


def covered(errors: Errors, topics: int, samples: int, *, draws: int = 300) -> tuple[float, float]:
    """How often the interval holds, and the bootstrap over topics that it replaced."""
    true, held, before = errors.found().mean, 0, 0
    for number in range(samples):
        rng = np.random.default_rng([3, topics, number])
        own = errors.sample(rng, topics)
        found = own.found()
        held += known(found.interval).low <= true <= known(found.interval).high
        if draws:
            drawn = bootstrap(own, draws, rng)
            band = interval(drawn, found.mean, level=0.95, method="recentred", topics=topics, bounds=(-1.0, 1.0))
            before += known(band).low <= true <= known(band).high
    return held / samples, before / samples


def table(folder: Path, samples: int) -> str:
    """The table of the docs."""
    rows = ["| errors | topics | interval | bootstrap, before |", "|---|---|---|---|"]
    for name, errors in populations(folder).items():
        for topics in TOPICS:
            found = covered(errors, topics, samples)
            shares = " | ".join(f"{share:.3f}".replace("0.", ".") for share in found)
            rows.append(f"| {name} | {topics} | {shares} |")
    return "\n".join(rows)


if __name__ == "__main__":
    need(DATA / "dl19")
    write_section(DOCS / "panels.md", "shared errors", table(DATA / "dl19", 1_000))
