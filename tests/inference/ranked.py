"""Do rank sets cover? Topics and systems drawn from populations whose ranks are known.

The slow test asks for it, and `make coverage` writes a section of docs/coverage.md from it. A population is a table of
topics × systems: Robust 2004, or one that is simulated with skewed or discrete scores and ties in truth. A system is
covered if its set contains its true rank, and all ranks that it shares where it ties.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import stats
from simulated import ROBUST
from written_sections import DOCS, runs_asked, write_section

import rankscope as rs
from rankscope.inference import rank_sets
from rankscope.inference.rank_sets import Flags, Ranks, UncertainMeans
from rankscope.scores import Floats, ScoreMatrix

LEVEL = 0.95
TOPICS, SYSTEMS = (10, 25, 50, 250), (5, 30, 100)
REAL, SIMULATED = ("robust2004 AP", "robust2004 P@10"), ("skewed", "discrete, ties")
DRAWS = 500


@cache
def population(name: str) -> Floats:
    """The scores of all topics and systems."""
    if name in REAL:
        return rs.read_scores(ROBUST / f"robust2004_{'ap' if name == REAL[0] else 'p10'}.csv").values
    random = np.random.default_rng(11)
    topics, systems = 4_000, 110
    merit = 0.4 * random.standard_normal(systems)
    logits = merit + random.standard_normal((topics, 1)) + 0.9 * random.standard_normal((topics, systems)) - 1.5
    shares = 1.0 / (1.0 + np.exp(-logits))
    if name == "skewed":
        return np.asarray(shares**2)  # half of the scores below .03, a tenth above .3
    values = random.binomial(5, shares) / 5.0
    for j in range(0, systems - 1, 2):  # every second system ties in truth with the one before it
        values[:, j + 1] = random.permutation(values[:, j])
    return np.asarray(values)


@dataclass(frozen=True)
class Cell:
    """Shares over runs: coverage of each kind of set, and the share of all ranks that a set spans."""

    simultaneous: float
    bonferroni: float
    typical: float
    marginal: float
    best: float
    widths: dict[str, float]


def coverage(values: Floats, topics: int, systems: int, *, runs: int, seed: int = 0, halves: bool = False) -> Cell:
    """Coverage with this many topics and systems drawn from the population, or with half of its topics for the rest."""
    random = np.random.default_rng([seed, topics, systems])
    shares: list[tuple[float, ...]] = []
    spans: list[dict[str, float]] = []
    for run in range(runs):
        table = values[:, random.choice(values.shape[1], systems, replace=False)]
        if halves:
            order = random.permutation(len(table))
            sample, rest = table[order[: len(order) // 2]], table[order[len(order) // 2 :]]
        else:
            sample, rest = table[random.integers(len(table), size=topics)], table
        true = [bound[0] for bound in rank_sets.rank_bounds(rest.mean(axis=0).round(12)[None])]
        data = UncertainMeans.of_topics(ScoreMatrix(sample), resamples=DRAWS, rng=run, jobs=1)
        every, each = rank_sets.simultaneous(data, LEVEL, 1), rank_sets.marginal(data, LEVEL, 1)
        sets = {
            "typical": rank_sets.typical(*rank_sets.rank_bounds(data.typical_draws(LEVEL)), LEVEL),
            "marginal": (each.low, each.high),
            "simultaneous": (every.low, every.high),
            "Bonferroni": bonferroni(data),
        }
        held = {kind: (low <= true[0]) & (true[1] <= high) for kind, (low, high) in sets.items()}
        may_be_best = rank_sets.best_rank(data, LEVEL, 1).low == 1
        shares.append(
            (
                float(held["simultaneous"].all()),
                float(held["Bonferroni"].all()),
                float(held["typical"].mean()),
                float(held["marginal"].mean()),
                float(may_be_best[true[0] == 1].mean()),
            )
        )
        spans.append({kind: float((high - low + 1).mean()) / systems for kind, (low, high) in sets.items()})
    every_run, bonferroni_run, typically, each_system, best = np.mean(shares, axis=0).tolist()
    return Cell(
        every_run,
        bonferroni_run,
        typically,
        each_system,
        best,
        widths={kind: float(np.mean([span[kind] for span in spans])) for kind in spans[0]},
    )


def bonferroni(data: UncertainMeans) -> tuple[Ranks, Ranks]:
    """Rank sets from paired t-tests of all ordered pairs, each at the level divided by their number."""
    systems, topics = len(data.means), data.topics or 0
    limit = stats.t.ppf(1.0 - (1.0 - LEVEL) / (systems * (systems - 1)), topics - 1)
    gaps = data.means[:, None] - data.means[None, :]
    better: Flags = gaps > limit * np.sqrt(data.variances)
    return np.asarray(1 + better.sum(axis=0)), np.asarray(systems - better.sum(axis=1))


_HEAD = """
## Rank sets

Topics and systems are drawn {runs} times ({fewer} times for 100 systems), topics with replacement, from a table whose
ranks are taken for the truth: all 249 topics of TREC Robust 2004, or 4,000 simulated topics with skewed scores, or with
scores of six values where every second system ties in truth with another. {draws} resamples each. A set covers if it
contains the true rank, and all the ranks that a system shares where it ties. Columns:

- *simultaneous* and *Bonferroni* (paired t-tests of all pairs): the share of runs in which all sets cover (Monte-Carlo
  error of {runs} runs at .95: ±{error:.3f});
- *typical* and *marginal*: the share of systems whose set covers;
- *best*: how often the best system is among those that may be best;
- *width*: the share of all ranks that a set spans.

Simultaneous sets cover in {simultaneous[0]:.3f} to {simultaneous[1]:.3f} of the runs, and typical sets cover
{typical[0]:.3f} to {typical[1]:.3f} of the systems. On average, simultaneous sets are {saved:.2f} times as wide as
those by Bonferroni, and typical sets {typically:.2f} times as wide as simultaneous ones.
"""
_COLUMNS = (
    "simultaneous | Bonferroni | typical | marginal | best | "
    "width: typical | width: marginal | width: simultaneous | width: Bonferroni |"
)
_EQUAL = """
The hardest case for guaranteed sets: every system is moved to the same true score. Any difference that is found
significant is an error then. With few topics and many systems too many are, by plain t-tests with Bonferroni's
correction as well: the tails of skewed differences are heavier than those of t, and on Robust 2004 some runs differ on
single topics only. Typical sets make no promise here, since no system has a rank of its own.
"""
_HALVES = """
Robust 2004 split into halves at random: sets from one half, ranks by the other. The other half has sampling error of
its own, which no set is meant to cover, so that shares must be lower than above. They say how far a rank set holds for
the ranks that another track of this size would print.
"""


def equal(values: Floats) -> Floats:
    """The population with all systems moved to the same true score."""
    return np.asarray(values - values.mean(axis=0) + values.mean())


def _cell(case: tuple[str, str, int, int, int]) -> Cell:
    """The cell of a population as it is, with equal systems, or in halves."""
    how, name, topics, systems, runs = case
    values = equal(population(name)) if how == "equal" else population(name)
    return coverage(values, topics, systems, runs=runs, halves=how == "halves")


def page(runs: int = 200) -> Iterator[str]:
    """The section of docs/coverage.md."""
    real = REAL if ROBUST.is_dir() else ()
    many = {systems: runs if systems < SYSTEMS[-1] else runs // 2 for systems in SYSTEMS}
    sizes = [(topics, systems, many[systems]) for topics in TOPICS for systems in SYSTEMS]
    cases = [("as it is", name, *size) for name in (*real, *SIMULATED) for size in sizes]
    cases += [("equal", name, *size) for name in (*real[:1], SIMULATED[0]) for size in sizes]
    cases += [("halves", name, 124, systems, many[systems]) for name in real for systems in SYSTEMS]
    with ProcessPoolExecutor() as pool:
        made = dict(zip(cases, pool.map(_cell, cases), strict=True))
    every = [cell for case, cell in made.items() if case[0] == "as it is"]
    widths = {kind: np.array([cell.widths[kind] for cell in every]) for kind in every[0].widths}
    yield _HEAD.format(
        runs=runs,
        fewer=runs // 2,
        draws=DRAWS,
        error=1.96 * (LEVEL * (1.0 - LEVEL) / runs) ** 0.5,
        simultaneous=_ends([cell.simultaneous for cell in every]),
        typical=_ends([cell.typical for cell in every]),
        saved=float((widths["simultaneous"] / widths["Bonferroni"]).mean()),
        typically=float((widths["typical"] / widths["simultaneous"]).mean()),
    )
    yield f"| scores | topics | systems | {_COLUMNS}\n|---|---|---|" + "---|" * 9
    for (how, name, topics, systems, _), cell in made.items():
        if how == "as it is":
            yield f"| {name} | {topics} | {systems} | {_row(cell)}"
    yield _EQUAL
    yield "| scores | topics | systems | simultaneous | Bonferroni | marginal | best |\n|---|---|---|---|---|---|---|"
    for (how, name, topics, systems, _), cell in made.items():
        if how == "equal":
            shares = (cell.simultaneous, cell.bonferroni, cell.marginal, cell.best)
            yield f"| {name} | {topics} | {systems} | " + " | ".join(f"{share:.3f}" for share in shares) + " |"
    if real:
        yield _HALVES
        yield f"| scores | systems | {_COLUMNS}\n|---|---|" + "---|" * 9
        for (how, name, _, systems, _), cell in made.items():
            if how == "halves":
                yield f"| {name} | {systems} | {_row(cell)}"


def _ends(values: list[float]) -> tuple[float, float]:
    return min(values), max(values)


def _row(cell: Cell) -> str:
    shares = (cell.simultaneous, cell.bonferroni, cell.typical, cell.marginal, cell.best, *cell.widths.values())
    return " | ".join(f"{share:.3f}" for share in shares) + " |"


if __name__ == "__main__":
    write_section(DOCS / "coverage.md", "rank sets", "\n".join(page(runs_asked(200))))
