"""Do intervals of label agreement cover, and do tests between judges hold their level? Simulated labels of topics.

`make coverage` writes a section of docs/coverage.md from it, and tests/inference/test_labelled.py runs it small. Topics
differ in their share of relevant items, and every judge has a bias of its own on each topic, so that items of a topic
are not independent. The truth of an interval is the value over 20,000 topics.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from written_sections import DOCS, runs_asked, write_section

import rankscope as rs
from narrowing import known
from rankscope.inference.labels.statistics import STATISTICS

ITEMS = 20
TOPICS = (10, 25, 100)
SHOWN = (
    *("kappa", "kappa_quadratic", "alpha_ordinal", "ac1", "kappa_binary"),
    *("auc", "spearman", "tau_b", "mean_difference"),
)
# Two judges that are equally good, and one that is better.
NOISE = {"first": 1.0, "second": 1.0, "better": 0.6}

Labels = dict[str, dict[str, float]]


def labelled(topics: int, seed: int) -> tuple[Labels, dict[str, Labels]]:
    """The truth and every judge on this many new topics."""
    random = np.random.default_rng([77, seed])
    easy = random.normal(1.2, 0.7, topics)
    latent = easy[:, None] + random.normal(0.0, 1.0, (topics, ITEMS))

    def graded(values: np.ndarray[Any, Any]) -> Labels:
        grades = np.clip(np.rint(values), 0, 3)
        return {f"q{t}": {f"d{i}": float(g) for i, g in enumerate(row)} for t, row in enumerate(grades)}

    judges = {
        name: graded(latent + random.normal(0.1, 0.5, topics)[:, None] + random.normal(0.0, noise, (topics, ITEMS)))
        for name, noise in NOISE.items()
    }
    return graded(latent), judges


def covered(
    topics: int, evaluations: int, *, resamples: int = 500, population: int = 20_000
) -> tuple[dict[str, float], float, float]:
    """The share of intervals that cover, and of tests at 5 % that find a difference: of equal judges, of others."""
    truth, judges = labelled(population, 0)
    true = rs.label_agreement(truth, judges["first"], truth_categories="round", judge_categories="round", resamples=0)
    inside = dict.fromkeys((statistic.name for statistic in STATISTICS), 0)
    found = {"equal": 0, "other": 0}
    for seed in range(1, evaluations + 1):
        truth, judges = labelled(topics, seed)
        report = rs.labels(truth, judges, resamples=resamples, rng=seed)
        for value in report["first"].values:
            interval = known(value.interval)
            inside[value.name] += interval.low <= known(true.value(value.name)) <= interval.high
        pvalues = {(c.first, c.second): known(c.pvalue) for c in report.contrasts}
        found["equal"] += pvalues["first", "second"] <= 0.05
        found["other"] += pvalues["first", "better"] <= 0.05
    shares = {name: count / evaluations for name, count in inside.items()}
    return shares, found["equal"] / evaluations, found["other"] / evaluations


def page(evaluations: int) -> Iterator[str]:
    """The lines of the section of docs/coverage.md."""
    error = 1.96 * np.sqrt(0.95 * 0.05 / evaluations)
    yield "## Labels\n"
    yield f"{evaluations:,} simulated evaluations of {ITEMS} items a topic, 500 resamples each"
    yield f"(`tests/inference/labelled.py`); Monte-Carlo error of a share near 0.95: ±{error:.3f}. Topics differ in"
    yield "their share of relevant items, and every judge is lenient on some topics and strict on others. The share of"
    yield "95 % intervals (`recentred`) of [label agreement](labels.md) that contain the value over all topics:\n"
    yield f"| topics | {' | '.join(SHOWN)} |"
    yield "|---|" + "---|" * len(SHOWN)
    tested = []
    for topics in TOPICS:
        shares, equal, other = covered(topics, evaluations)
        tested.append(f"| {topics} | {equal:.3f} | {other:.3f} |")
        yield f"| {topics} | {' | '.join(f'{shares[name]:.3f}' for name in SHOWN)} |"
    yield "\nTests between two judges by κ at 5 %, before Holm's correction: how often they find a difference between"
    yield "equal judges, and between one whose errors have a standard deviation of 1 grade and one with 0.6:\n"
    yield "| topics | equal judges | different judges |"
    yield "|---|---|---|"
    yield from tested


if __name__ == "__main__":
    write_section(DOCS / "coverage.md", "labels", "\n".join(page(runs_asked(500))))
