"""Repeats of a judge simulated on real runs and labels, with the variance components known.

Some of a judge's labels are drawn anew in every repeat, each from the labels that the judge gave to documents of the
same human grade. The topics at hand are the population; samples draw topics with replacement, with repeats of their own
for every copy. `python tests/studies/repeated.py FOLDER` prints the table of docs/howto/repeats.md.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import rankscope as rs
from rankscope.inference.repeats import components, systematic_pvalue, topic_interval

MANY = 200
SETTINGS = (("umbrela-gpt-4o", "nDCG@10", 0.2), ("umbrela-gpt-4o", "AP", 0.5), ("binary-gpt-4o", "P@10", 0.2))
# Repeats, topics, systems.
SIZES = ((2, 10, 10), (2, 25, 37), (3, 25, 10), (3, 50, 37), (5, 50, 37))


def many_repeats(folder, judge, measure, redrawn, rng, many=MANY):
    """Scores by many repeats: repeats × topics × systems."""
    runs, human = rs.read_runs(folder / "runs"), rs.read_judgments(folder / "qrels.human.txt")
    labels = rs.read_judgments(folder / "judges" / f"{judge}.qrels").for_topics(human.topics)
    by_document = {(t, d): g for t, d, g in labels.to_frame().rows()}
    grades = np.array([by_document.get((t, d), 0.0) for t, d, _ in human.to_frame().rows()])
    drawn = np.empty((many, len(grades)))
    for grade in np.unique(human.grades):
        rows = np.flatnonzero(human.grades == grade)
        drawn[:, rows] = rng.choice(grades[rows], (many, len(rows)))
    table = np.where(rng.random(drawn.shape) < redrawn, drawn, grades)
    return rs.rescore(rs.join(runs, human), measure, table)[measure]


def truths(scores):
    """The components of the population: topics, both, and the share."""
    y = scores - scores.mean(axis=2, keepdims=True)
    systems = scores.shape[2]
    topics = y.mean(axis=0).var(axis=0).sum() / (systems - 1)
    both = y.var(axis=0).mean(axis=0).sum() / (systems - 1)
    return np.array([topics, both, both / (topics + both)])


def sampled(scores, repeats, topics, systems, rng):
    """A sample: topics with replacement, repeats of their own for every copy."""
    chosen = rng.integers(0, scores.shape[1], topics)
    own = np.array([rng.permutation(len(scores))[:repeats] for _ in range(topics)])
    some = rng.permutation(scores.shape[2])[:systems]
    return scores[own.T, chosen[None]][..., some], some


def coverage(scores, repeats, topics, systems, samples, seed, *, draws=0):
    """Mean estimate over truth, and coverage, of topics, both and share; and the level of the permutation test."""
    rng = np.random.default_rng(seed)
    ratios, covered, rejected = [], [], []
    for number in range(samples):
        values, some = sampled(scores, repeats, topics, systems, rng)
        true = truths(scores[..., some])
        whole, without = components(values)
        parts = (whole.topics, whole.both, whole.share), (without.topics, without.both, without.share)
        ends = [
            topic_interval(float(a), b, 0.95, most=m) for a, b, m in zip(*parts, (np.inf, np.inf, 1.0), strict=True)
        ]
        ratios.append(np.array([float(part) for part in parts[0]]) / true)
        covered.append([i is not None and i.low <= t <= i.high for i, t in zip(ends, true, strict=True)])
        if draws:
            rejected.append((systematic_pvalue(values, draws, number) or 0.0) <= 0.05)
    return np.mean(ratios, axis=0), np.mean(covered, axis=0), float(np.mean(rejected)) if draws else None


def main(folder):
    rows = ["| repeated judge | size | estimate/truth: topics, both | coverage: topics, both, share | level |"]
    rows.append("|---|---|---|---|---|")
    for judge, measure, redrawn in SETTINGS:
        scores = many_repeats(folder, judge, measure, redrawn, np.random.default_rng(1))
        for size in SIZES:
            ratio, covered, level = coverage(scores, *size, 200, 0, draws=199)
            what = f"{judge}, {measure}, {redrawn:.0%} | {' × '.join(map(str, size))}"
            held = ", ".join(f"{share:.2f}" for share in covered)
            rows.append(f"| {what} | {ratio[0]:.2f}, {ratio[1]:.2f} | {held} | {level:.2f} |")
    sys.stdout.write("\n".join(rows) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
