"""Numbers in our own pages that come from neither a test nor a study: ties, theorems, tests and simulation."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path
from typing import Any

import numpy as np

import rankscope as rs
from rankscope.simulation.logits import logit
from reproductions.page import Page, data_folder, number

TITLE = "Numbers in the other pages"


def fill(page: Page) -> None:
    """The whole page."""
    folder = data_folder("robust2004", "urbano2016")
    ties(page)
    theorems(page)
    rank_distance_level(page)
    new_topics(page, folder / "robust2004" / "robust2004_ap.csv")
    drift(page, folder / "urbano2016")


def ties(page: Page) -> None:
    """How often a value lies outside its own tie bounds."""
    page.text("## Ties: values outside their own tie bounds")
    page.text(
        "Truth and estimate of 3 to 6 systems with random integer scores from 0 to 3; neither side is constant, and at "
        "least one has ties. The bounds are over all ways to break ties ([ties](../ties.md))."
    )
    cases = 300 if page.quick else 2_000
    rng = np.random.default_rng(0)
    outside = {"tau_gap": 0, "pearson_rank": 0}
    farthest = dict.fromkeys(outside, 0.0)
    tried = 0
    while tried < cases:
        m = int(rng.integers(3, 7))
        truth, estimate = rng.integers(0, 4, m).astype(float), rng.integers(0, 4, m).astype(float)
        kinds = len(set(truth)), len(set(estimate))
        if min(kinds) == 1 or min(kinds) == m:
            continue
        tried += 1
        for name in outside:
            bounds = rs.tie_bounds(name, truth, estimate)
            beyond = max(bounds.least - bounds.value, bounds.value - bounds.greatest)
            outside[name] += beyond > 1e-9
            farthest[name] = max(farthest[name], beyond)
    page.table(
        ("coefficient", "cases", "outside", "share", "farthest"),
        [(name, number(tried, 0), n, f"{n / tried:.1%}", number(farthest[name], 3)) for name, n in outside.items()],
    )
    page.values["ties"] = {name: n / tried for name, n in outside.items()}


def theorems(page: Page) -> None:
    """The searches of docs/theorems.md: all small whole gaps, and random lists."""
    page.text("## Theorems: the sizes of the searches")
    page.text(
        "Counter-examples among all lists of 4 and 5 systems with integer gaps of 1 to 6, and among random lists "
        "([theorems](../theorems.md))."
    )
    lists = 15_000 if page.quick else 150_000
    rng = np.random.default_rng(2)
    small = [_descending(np.array(list(itertools.product(range(1, 7), repeat=m - 1)), dtype=float)) for m in (4, 5)]
    random = [_descending(rng.exponential(size=(lists // 5, m - 1))) for m in (4, 5, 6, 8, 12)]
    rows = []
    for words, search in (
        ("ρ_r 2: a swap at the head costs more", _head),
        ("τ_GAP 3: a wider gap costs more, one swap of neighbours below the top two", _wider),
    ):
        for label, given in (("all gaps 1 to 6", small), ("random", random)):
            tried, failed = search(given, rng)
            rows.append((words, label, number(tried, 0), number(failed, 0)))
            page.values["theorems", words[:3], label] = failed
    tried = failed = 0
    for m in (4, 5, 6, 8):
        truth, estimate = rng.random((lists // 4, m)), rng.random((lists // 4, m))
        for name in ("tau_gap", "pearson_rank"):
            tried += len(truth)
            failed += int((np.abs(rs.coefficient(name)(truth, estimate)) > 1 + 1e-12).sum())
    rows.append(("τ_GAP 1 and ρ_r 1: bounds", "random", number(tried, 0), number(failed, 0)))
    level = np.array([[3.0, 2.0, 1.0, 0.0]])
    orders = np.array(list(itertools.permutations(range(4))), dtype=float)
    same = np.repeat(level, len(orders), axis=0)
    differ = int((np.abs(rs.tau_gap(same, orders) - rs.tau_ap(same, orders)) > 1e-12).sum())
    rows.append(
        ("τ_GAP 2: equals τ_AP for equally spaced scores", "all orders of 4 systems", str(len(orders)), str(differ))
    )
    page.values["theorems", "bounds"], page.values["theorems", "spaced"] = failed, differ
    page.table(("theorem", "lists", "tried", "counter-examples"), rows)


def _descending(gaps: np.ndarray) -> np.ndarray:
    return np.hstack([np.cumsum(gaps[:, ::-1], axis=1)[:, ::-1], np.zeros((len(gaps), 1))])


def _exchanged(scores: np.ndarray, place: int) -> np.ndarray:
    other = scores.copy()
    other[:, [place, place + 1]] = other[:, [place + 1, place]]
    return other


def _head(given: list[np.ndarray], _: np.random.Generator) -> tuple[int, int]:
    """Swaps of two equal gaps; a gap farther down is made equal to one nearer the head."""
    tried = failed = 0
    for scores in given:
        gaps = -np.diff(scores, axis=1)
        pairs = list(itertools.combinations(range(gaps.shape[1]), 2))
        # Every pair of places where lists are few; each list with one of its pairs where they are many.
        for place, (head, tail) in enumerate(pairs):
            chosen = gaps if len(gaps) < 2_000 else gaps[place :: len(pairs)]
            level = chosen.copy()
            level[:, tail] = level[:, head]
            truth = _descending(level)
            near, far = (rs.pearson_rank(truth, _exchanged(truth, at)) for at in (head, tail))
            tried += len(truth)
            failed += int(np.count_nonzero(near > far + 1e-12))
    return tried, failed


def _wider(given: list[np.ndarray], rng: np.random.Generator) -> tuple[int, int]:
    """One swap of neighbours below the top two; the same with their gap wider, all other gaps as they were."""
    tried = failed = 0
    for scores in given:
        gaps = -np.diff(scores, axis=1)
        for place in range(1, gaps.shape[1]):
            wider = gaps.copy()
            wider[:, place] += rng.integers(1, 7, len(gaps))
            narrow, wide = _descending(gaps), _descending(wider)
            low, high = (rs.tau_gap(truth, _exchanged(truth, place)) for truth in (wide, narrow))
            tried += len(gaps)
            failed += int(np.count_nonzero(low > high + 1e-12))
    return tried, failed


def rank_distance_level(page: Page) -> None:
    """How often the rank distance test rejects what it should not."""
    page.text("## Rank distance: how often the test rejects at 5 %")
    page.text(
        "12 simulated systems (system effects of sd 0.05, topics 0.15, residuals 0.1), 499 bootstrap samples per "
        "trial: means drawn around the baseline's, and the population's own ranking ([inference](../inference.md))."
    )
    trials = 40 if page.quick else 1_000
    lines = []
    for topics in (25, 50, 250):
        rng = np.random.default_rng(topics)
        rejected = np.zeros(2)
        for _ in range(trials):
            system = rng.normal(0.0, 0.05, 12)
            scores = 0.4 + system + rng.normal(0, 0.15, (topics, 1)) + rng.normal(0, 0.1, (topics, 12))
            near = rng.multivariate_normal(scores.mean(axis=0), np.cov(scores.T) / topics)
            null = rs.rank_distance_null(scores, resamples=499, jobs=1)
            rejected += [
                rs.rank_distance_test(scores, estimate, null=null).pvalue <= 0.05 for estimate in (near, system)
            ]
        lines.append((topics, number(trials, 0), *(f"{share:.1%}" for share in rejected / trials)))
        page.values["level", topics] = tuple(rejected / trials)
    page.table(("topics", "trials", "means around the baseline", "the population's ranking"), lines)


def new_topics(page: Page, path: Path) -> None:
    """Bias and coverage of the agreement to expect with new topics."""
    page.text("## New topics: bias and coverage")
    repeats = 40 if page.quick else 1_000
    page.text(
        f"Robust 2004, 40 systems and twice n topics drawn at random, {repeats:,} repeats: `rs.new_topic_agreement` "
        "from n topics, and τ between these and the other n ([inference](../inference.md))."
    )
    table = rs.read_scores(path).values
    lines = []
    for topics in (10, 25, 50):
        rng = np.random.default_rng(topics)
        bias, covered = [], []
        for repeat in range(repeats):
            drawn, systems = rng.permutation(len(table)), rng.choice(table.shape[1], 40, replace=False)
            seen, new = table[drawn[:topics]][:, systems], table[drawn[topics : 2 * topics]][:, systems]
            found = rs.new_topic_agreement(rs.ScoreMatrix(seen), resamples=200, rng=repeat, jobs=1)["kendall"]
            actual = float(rs.kendall(seen.mean(axis=0), new.mean(axis=0)))
            bias.append(found.mean - actual)
            covered.append(found.interval.low <= actual <= found.interval.high)
        error = np.std(bias, ddof=1) / np.sqrt(repeats)
        lines.append((topics, f"{number(np.mean(bias), 3)} ± {number(error, 3)}", f"{np.mean(covered):.1%}"))
        page.values["new topics", topics] = float(np.mean(bias)), float(np.mean(covered))
    page.table(("topics", "mean τ with new topics, predicted minus actual", "actual within the 95 % range"), lines)


def drift(page: Page, folder: Path) -> None:
    """What keeping mean logits does to mean scores."""
    page.text("## Simulation: drift of mean scores if mean logits are kept")
    page.text(
        "TREC-6 and TREC-7 without the worst quarter of systems. Mean scores drift away from those taken as the "
        "truth if mean logits are kept, as in the published simulator ([simulation](../simulation.md)). Both models "
        "use the same random numbers."
    )
    topics, collections = (10_000, 20) if page.quick else (200_000, 1_000)
    moved, actual = [], []
    for track in ("adhoc6", "adhoc7"):
        scores = rs.read_scores(folder / f"{track}.csv")
        means = scores.system_scores()
        kept = [
            s for s, mean in zip(means.systems, means.values, strict=True) if mean >= np.quantile(means.values, 0.25)
        ]
        model = rs.fit_collection(scores.select(systems=kept))
        drifting = _drifting(model)
        shift = np.mean(
            [
                drifting.draw(10_000, seed).mean(axis=0) - model.draw(10_000, seed).mean(axis=0)
                for seed in range(topics // 10_000)
            ],
            axis=0,
        )
        tau = float(rs.kendall(model.means, model.means + shift))
        moved.append(
            (track, number(shift.mean(), 4), f"{number(shift.min(), 4)} to {number(shift.max(), 4)}", number(tau, 3))
        )
        page.values["drift", track] = float(shift.mean()), float(shift.max()), tau
        for size in (10, 50, 100):
            cells = []
            for kind, made in (("drifting", drifting), ("exact", model)):
                rng = np.random.default_rng(size)
                taus = [float(rs.kendall(made.means, made.draw(size, rng).mean(axis=0))) for _ in range(collections)]
                cells.append(f"{number(np.mean(taus), 4)} ± {number(np.std(taus, ddof=1) / np.sqrt(collections), 4)}")
                page.values["actual", track, size, kind] = float(np.mean(taus))
            actual.append((track, size, *cells))
    page.table(("", "mean drift", "least to greatest", "τ of drifted means with the truth"), moved)
    page.text(f"True τ of simulated collections, mean of {collections:,} each:")
    page.table(("", "topics", "mean logits kept", "mean scores kept"), actual)


def _drifting(model: rs.CollectionModel) -> rs.CollectionModel:
    """The same model with each system's mean logit where it was."""
    first = [list(model.places).index(place) for place in range(max(model.places) + 1)]
    locations = logit(model.original.values[:, first]).mean(axis=0)
    sampler: Any = model.sampler
    return dataclasses.replace(model, sampler=dataclasses.replace(sampler, locations=locations))
