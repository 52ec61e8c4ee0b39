"""What does a judge add to human topics, and do the intervals hold? Topics and systems drawn from known populations.

The slow test asks for it, and `make coverage` writes a section of docs/correction.md from it. On Robust 2004 the truth
is AP over all topics and judges are made from it. On the Deep Learning track of 2019 judges are real, on TREC-5 and the
Web track of 2012 other measures stand for judges, and the truth is the mean over all topics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.special import stdtrit
from scipy.stats import kendalltau
from simulated import ROBUST
from written_sections import DOCS, runs_asked, write_section

import rankscope as rs
from rankscope.inference import rank_sets
from rankscope.inference.correction import best_linear, prediction_powered
from rankscope.inference.rank_sets import UncertainMeans
from rankscope.scores import Floats

LEVEL = 0.95
SYSTEMS, JUDGED, HUMAN = 30, 200, (10, 25, 50)
REAL_JUDGES, REAL_HUMAN = ("umbrela-gpt-4o", "binary-gpt-4o", "four-prompts-llama3"), (8, 15, 25)
OTHER_MEASURES = {
    "trec5/adhoc5": {"TREC-5, P@10": "p10", "TREC-5, RR": "rr"},
    "web2012/web2012": {"Web, P@10": "p10", "Web, nDCG@20": "ndcg20", "Web, ERR@20": "err20", "Web, RR": "rr"},
}
OTHER_HUMAN = (4, 9, 17)
Maker = Callable[[np.random.Generator, Floats, Floats], Floats]
Sample = tuple[Floats, Floats, Floats, Floats]


def _noisy(random: np.random.Generator, truth: Floats, other: Floats) -> Floats:
    return np.asarray(truth + random.normal(0.0, _centred(truth).std(), truth.shape))


def _biased(random: np.random.Generator, truth: Floats, other: Floats) -> Floats:
    return np.asarray(truth + random.normal(0.0, _centred(truth).mean(axis=0).std(), truth.shape[1]))


def _shuffled(random: np.random.Generator, truth: Floats, other: Floats) -> Floats:
    return np.array([row[random.permutation(len(row))] for row in truth])


JUDGES: dict[str, Maker] = {
    "P@10": lambda random, truth, other: other,
    "noisy": _noisy,
    "biased": _biased,
    "noisy and biased": lambda random, truth, other: _noisy(random, _biased(random, truth, other), other),
    "shuffled": _shuffled,
    "reversed": lambda random, truth, other: -_noisy(random, truth, other),
}


def _centred(scores: Floats) -> Floats:
    return np.asarray(scores - scores.mean(axis=1, keepdims=True))


@dataclass
class Cell:
    """Sums over runs: Kendall's τ with the truth, squared errors, coverage, and equivalent human topics."""

    tau: dict[str, float]
    error: dict[str, float]
    covered: dict[str, float]
    equivalent: dict[str, float]


def measure(
    draw: Callable[[np.random.Generator], tuple[Floats, Floats, Floats, Floats]], runs: int, seed: int = 1
) -> Cell:
    """Means over runs; `draw` gives the true means, human scores, and the judge's on the same and on further topics."""
    made = []
    for run in range(runs):
        random = np.random.default_rng([seed, run])
        truth, x, y, r = draw(random)
        made.append(_run(truth, x, y, r))
    return Cell(
        *({key: float(np.mean([row[part][key] for row in made])) for key in made[0][part]} for part in range(4))
    )


def _run(truth: Floats, x: Floats, y: Floats, r: Floats) -> tuple[dict[str, Any], ...]:
    n, centre = len(x), truth - truth.mean()
    powered, predicted = prediction_powered(x, y, r), best_linear(x, y, r)
    means = {
        "human": _centred(x).mean(axis=0),
        "judge": np.concatenate([_centred(y), _centred(r)]).mean(axis=0),
        "corrected": powered.means - powered.means.mean(),
        "predicted": predicted.means,
    }
    half = stdtrit(n - 1, 0.975) * np.sqrt(np.diag(powered.covariance))
    own_half = stdtrit(predicted.freedom, 0.975) * np.sqrt(np.diag(predicted.covariance))
    widened = predicted.ranking_covariance * (stdtrit(predicted.freedom, 0.975) / 1.959964) ** 2
    drawn = UncertainMeans.of_covariance(predicted.means, widened, resamples=500)
    low, high = rank_sets.typical(*rank_sets.rank_bounds(drawn.means + drawn.deviations), LEVEL)
    ranks = rs.SystemScores(truth).ranks
    pairs = {
        name: _pairs_covered(own.means, own.covariance, truth, float(stdtrit(freedom, 0.975)))
        for name, own, freedom in (("corrected", powered, n - 1), ("predicted", predicted, predicted.freedom))
    }
    covered = {
        "human": np.mean(np.abs(x.mean(axis=0) - truth) <= stdtrit(n - 1, 0.975) * x.std(axis=0, ddof=1) / np.sqrt(n)),
        "corrected": np.mean(np.abs(powered.means - truth) <= half),
        "predicted": np.mean(np.abs(predicted.means - centre) <= own_half),
        "rank sets": np.mean((low <= ranks) & (ranks <= high)),
        "pairs corrected": pairs["corrected"],
        "pairs predicted": pairs["predicted"],
    }
    tau = {name: float(kendalltau(own, truth).statistic) for name, own in means.items()}
    error = {name: np.mean((own - centre) ** 2) for name, own in means.items()}
    return tau, error, covered, {"corrected": powered.equivalent, "predicted": predicted.equivalent}


def _pairs_covered(means: Floats, covariance: Floats, truth: Floats, t: float) -> float:
    """The share of pairs whose true difference a t interval contains: one less the level of its test."""
    first, second = np.triu_indices(len(means), 1)
    half = t * np.sqrt(rank_sets.difference_variances(covariance))
    errors = (means[:, None] - means) - (truth[:, None] - truth)
    return float(np.mean(np.abs(errors[first, second]) <= half[first, second] + 1e-12))


@cache
def _robust(measure: str) -> Floats:
    return rs.read_scores(ROBUST / f"robust2004_{measure}.csv").values


def robust(judge: str, human: int, runs: int) -> Cell:
    """Robust 2004: `human` of 200 judged topics have human scores."""
    truth, other = _robust("ap"), _robust("p10")

    def draw(random: np.random.Generator) -> Sample:
        systems = random.choice(truth.shape[1], SYSTEMS, replace=False)
        topics = random.integers(0, len(truth), JUDGED)
        x = truth[np.ix_(topics, systems)]
        y = JUDGES[judge](random, x, other[np.ix_(topics, systems)])
        return truth[:, systems].mean(axis=0), x[:human], y[:human], y[human:]

    return measure(draw, runs)


@cache
def _track(judge: str) -> Floats:
    folder = ROBUST.parent / "dl19"
    path = folder / ("qrels.human.txt" if judge == "human" else f"judges/{judge}.qrels")
    table = rs.evaluate(folder / "runs", path, ["nDCG@10"]).scores["nDCG@10"]
    return table.select(topics=sorted(table.topics)).values


def track(judge: str, human: int, runs: int) -> Cell:
    """The Deep Learning track of 2019, nDCG@10: a random part of the 43 topics has human scores."""
    return _hidden(_track("human"), _track(judge), human, runs)


def other_measure(collection: str, name: str, human: int, runs: int) -> Cell:
    """AP of a collection by another measure as the judge: a random part of the 50 topics has AP."""
    truth, judged = (rs.read_scores(ROBUST.parent / f"{collection}_{each}.csv").values for each in ("ap", name))
    return _hidden(truth, judged, human, runs)


def _hidden(truth: Floats, judged: Floats, human: int, runs: int) -> Cell:
    """A random part of the topics has human scores, and the truth is the mean over all."""

    def draw(random: np.random.Generator) -> Sample:
        order = random.permutation(len(truth))
        part, rest = order[:human], order[human:]
        return truth.mean(axis=0), truth[part], judged[part], judged[rest]

    return measure(draw, runs)


_HEAD = (
    "| judge | human topics | τ human | τ judge | τ corrected | τ predicted | gain corrected | gain predicted | "
    "human covers | corrected covers | predicted covers | rank sets cover | pairs cover: corrected | predicted | "
    "as many topics as: corrected | predicted |\n|" + "---|" * 16
)


def page(runs: int) -> Iterator[str]:
    """The section of docs/correction.md."""
    yield f"\nRobust 2004, {SYSTEMS} systems, {JUDGED} judged topics, {runs} runs a row:\n\n{_HEAD}"
    for judge in JUDGES:
        for human in HUMAN:
            yield _row(judge, human, robust(judge, human, runs))
    yield f"\nDeep Learning track 2019, nDCG@10, 37 systems, 43 judged topics, {runs} runs a row:\n\n{_HEAD}"
    for judge in REAL_JUDGES:
        for human in REAL_HUMAN:
            yield _row(judge, human, track(judge, human, runs))
    yield f"\nTREC-5 (61 systems) and Web track 2012 (48), AP by other measures, 50 topics, {runs} runs a row:\n"
    yield _HEAD
    for collection, names in OTHER_MEASURES.items():
        for shown, name in names.items():
            for human in OTHER_HUMAN:
                yield _row(shown, human, other_measure(collection, name, human, runs))


def _row(judge: str, human: int, cell: Cell) -> str:
    gains = [cell.error["human"] / cell.error[name] for name in ("corrected", "predicted")]
    numbers = [f"{value:.3f}" for value in cell.tau.values()] + [f"{gain:.2f}" for gain in gains]
    numbers += [f"{value:.3f}" for value in cell.covered.values()] + [f"{v:.0f}" for v in cell.equivalent.values()]
    return f"| {judge} | {human} | " + " | ".join(numbers) + " |"


if __name__ == "__main__":
    write_section(DOCS / "correction.md", "correction", "\n".join(page(runs_asked(200))))
