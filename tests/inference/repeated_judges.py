"""Does the interval of worth cover where a judge is the mean of repeats? Repeats made from the labels of dl19.

`make coverage` writes a table of docs/howto/repeats.md from it, and tests/inference/test_repeated_judges.py runs it
small. Runs, topics and repeats at hand are the population, from which samples are drawn with replacement, so that the
worth of the mean of k repeats is known. Repeats are drawn from 200 that differ by chance alone (in each, 20 % of the
labels of umbrela-gpt-4o are drawn anew from those it gave to documents of the same human grade), or by chance and with
favourites of their own, as prompts have: the same spread for all, or a large one for a fifth of them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from written_sections import DATA, DOCS, ROOT, need, write_section

import rankscope as rs
from rankscope.inference.worth_model import bounds, moments_of, repeat_moments

# Repeats, topics, systems.
SIZES = ((2, 25, 20), (3, 25, 20), (3, 43, 37), (5, 43, 37))
MANY = 50  # judged topics, as in `rs.worth`
KINDS = ("chance alone", "favourites of equal size", "a fifth with large favourites")

Array = np.ndarray[Any, Any]


def population(folder: Path, many: int = 200) -> tuple[Array, dict[str, Array]]:
    """Scores by people, and by many repeats of each kind: repeats × topics × systems."""
    sys.path.insert(0, str(ROOT / "tests" / "studies"))
    from repeated import many_repeats

    rng = np.random.default_rng(1)
    human = rs.evaluate(rs.read_runs(folder / "runs"), rs.read_judgments(folder / "qrels.human.txt"), "nDCG@10")
    truth = human.scores["nDCG@10"].values
    base = many_repeats(folder, "umbrela-gpt-4o", "nDCG@10", 0.2, rng, many)
    spread = truth.mean(axis=0).std()
    favourites = rng.normal(0.0, spread, (many, 1, truth.shape[1]))
    sizes = np.where(rng.random(many) < 0.2, 0.7, 0.05)[:, None, None]
    return truth, dict(zip(KINDS, (base, base + 0.25 * favourites, base + sizes * favourites), strict=True))


def true_variance(truth: Array, scores: Array, repeats: int, *, alike: bool) -> float:
    """v of the population: the error variance of the mean of so many repeats, in units of that of human topics."""
    x, y = truth - truth.mean(axis=1, keepdims=True), scores - scores.mean(axis=2, keepdims=True)
    zx = x.mean(axis=0)
    exx, kxx = ((x - zx) ** 2).mean(), (zx**2).mean()
    by_topic = y.mean(axis=0)
    mean = by_topic.mean(axis=0)
    # Repeats that differ by chance alone are drawn anew for every topic, and so have no favourites.
    own = np.zeros((len(y), 1, y.shape[2])) if alike else (y.mean(axis=1) - mean)[:, None]
    eyy = ((by_topic - mean) ** 2).mean() + ((y - by_topic - own) ** 2).mean() / repeats
    kyy = (mean**2).mean() + (own**2).mean() / repeats
    slope = (zx * mean).mean() / kxx
    return float(eyy / (slope**2 * exx) + max((kyy / slope**2 - kxx) / exx, 0.0) * MANY)


def covered(
    truth: Array, scores: Array, size: tuple[int, int, int], samples: int, *, alike: bool
) -> tuple[float, Array, Array]:
    """The true worth; how often low and high end hold, with and without the part of repeats; and median low ends."""
    k, n, m = size
    true = true_variance(truth, scores, k, alike=alike)
    held, lows = np.zeros((2, 2)), np.empty((samples, 2))
    for number in range(samples):
        rng = np.random.default_rng([5, number])
        topics, systems = rng.integers(0, truth.shape[0], n), rng.integers(0, truth.shape[1], m)
        x = truth[topics][:, systems]
        chosen = rng.integers(0, len(scores), (k, n)) if alike else np.tile(rng.integers(0, len(scores), (k, 1)), n)
        repeats = scores[chosen, topics[None]][..., systems]
        moments = moments_of(x, repeats.mean(axis=0), paired=True)
        for place, left in enumerate((repeat_moments(x, repeats), None)):
            found = bounds(*moments, MANY, 1.0, 0.95, left)
            held[place] += true <= found.high, true >= found.low
            lows[number, place] = 1.0 / found.high
    return 1.0 / true, held / samples, np.median(lows, axis=0)


def table(folder: Path, samples: int) -> str:
    """The table of the docs."""
    truth, kinds = population(folder)
    rows = [
        "| repeats differ by | repeats × topics × systems | true worth | low end holds, high end holds "
        "| without the part of repeats | median low end: with, without |",
        "|---|---|---|---|---|---|",
    ]
    for kind, scores in kinds.items():
        for size in SIZES:
            worth, held, low = covered(truth, scores, size, samples, alike=kind == KINDS[0])
            pairs = [f"{a:.3f}, {b:.3f}".replace("0.", ".") for a, b in held]
            sized = " × ".join(map(str, size))
            rows.append(f"| {kind} | {sized} | {worth:.2f} | {pairs[0]} | {pairs[1]} | {low[0]:.2f}, {low[1]:.2f} |")
    return "\n".join(rows)


if __name__ == "__main__":
    need(DATA / "dl19")
    write_section(DOCS / "howto" / "repeats.md", "repeats", table(DATA / "dl19", 500))
