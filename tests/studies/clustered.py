"""Level and power of the search for systems that move together: `python tests/studies/clustered.py DATA`.

Residuals of real judges are dealt anew to the systems within topics, or shuffled over topics for each system, so that
no systems move together; or five systems get a common movement besides dealt residuals. docs/clusters.md has the
figures.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import rankscope as rs
from rankscope.inference.residual_clusters import joined_systems
from rankscope.inference.worth_model import scaled_sides

JUDGES = ("umbrela-gpt-4o", "four-prompts-llama3")


def residuals(x, y):
    """The estimate's scores less the truth's, on the truth's scale."""
    sides = scaled_sides(x, y, paired=True)
    assert sides is not None
    return sides[1] - sides[0]


def of_judge(folder, judge):
    """Under nDCG@10 of dl19."""
    runs, human = rs.read_runs(folder / "runs"), rs.read_judgments(folder / "qrels.human.txt")
    labels = rs.read_judgments(folder / "judges" / f"{judge}.qrels").for_topics(human.topics)
    return residuals(*(rs.evaluate(runs, own, "nDCG@10").scores["nDCG@10"].values for own in (human, labels)))


def level(make, repeats, permutations=199):
    """The share of repeats with a cluster: of residuals dealt within topics, and shuffled for each system."""
    found = np.zeros(2)
    for number in range(repeats):
        rng = np.random.default_rng([77, number])
        own = make(rng)
        for place, axis in enumerate((1, 0)):
            table = rng.permuted(own, axis=axis)
            found[place] += bool(joined_systems(table, alpha=0.05, rng=number, permutations=permutations))
    return found / repeats


def power(own, correlation, repeats, permutations=199, members=5):
    """The share of repeats in which part of a cluster is found, and all of it, without other systems."""
    part = whole = 0
    group = set(range(members))
    for number in range(repeats):
        rng = np.random.default_rng([81, number])
        table = own - np.median(own, axis=1, keepdims=True)
        table = rng.permuted(table / np.sqrt((table**2).mean(axis=1, keepdims=True)), axis=1)
        common = table.std() * rng.standard_normal((len(table), 1))
        table[:, :members] = np.sqrt(1 - correlation) * table[:, :members] + np.sqrt(correlation) * common
        found = joined_systems(table, alpha=0.05, rng=number, permutations=permutations)
        part += any(len(c.systems) >= 3 and set(c.systems) <= group for c in found)
        whole += any(set(c.systems) == group for c in found)
    return part / repeats, whole / repeats


def say(*words):
    sys.stdout.write(" ".join(map(str, words)) + "\n")


def main(data, repeats=1_000):
    for judge in JUDGES:
        own = of_judge(data / "dl19", judge)
        say(judge, level(lambda _, own=own: own, repeats))
    ap, p10 = (rs.read_scores(data / "robust2004" / f"robust2004_{m}.csv").values for m in ("ap", "p10"))

    def sample(rng):
        systems, topics = rng.permutation(ap.shape[1])[:40], rng.permutation(len(ap))[:50]
        return residuals(ap[topics][:, systems], p10[topics][:, systems])

    say("robust2004", level(sample, repeats))
    own = of_judge(data / "dl19", JUDGES[0])
    for correlation in (0.5, 0.69, 0.8):
        say("power", correlation, *power(own, correlation, 100))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
