"""What does a judge of battles add to people's, and do rank sets hold? Battles drawn from an arena of known truth.

The population is Chatbot Arena's battles, all judged by people and by LLMs: battles are drawn from them with
replacement, people's outcomes are kept for some, and the truth is the scores from people's outcomes of all. Rank sets
of Chatzi et al. (2024) are beside ours, as their released code computes them and with the variance of a win rate. The
slow test asks for it, and `make coverage` writes a section of docs/correction.md from it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy.special import stdtrit
from scipy.stats import kendalltau
from written_sections import DATA, DOCS, runs_asked, write_section

import rankscope as rs
from oracles_battles import chatzi_rank_sets
from rankscope.averages import mean_ranks
from rankscope.inference import rank_sets
from rankscope.inference.correction import best_linear, prediction_powered
from rankscope.inference.rank_sets import UncertainMeans
from rankscope.scores import Floats

ARENA = DATA / "arena" / "battles.csv.gz"
JUDGED, PEOPLE = 10_000, (1_000, 4_000)
JUDGES = ("gpt4", "claude3", "gpt35", "shuffled")


@cache
def arena(judge: str) -> rs.Battles:
    """The battles of one judge."""
    return rs.read_battles(ARENA, winner=judge)


def drawn(judge: str, people: int, run: int) -> tuple[rs.Battles, rs.Battles]:
    """People's battles and the judge's, which contain them."""
    every, random = arena("human"), np.random.default_rng([1, people, run])
    rows = random.integers(0, len(every), JUDGED)
    first, second = ([every.systems[code] for code in side[rows]] for side in (every.first, every.second))
    human = every.wins[rows]
    own = random.permutation(human) if judge == "shuffled" else arena(judge).wins[rows]
    ids = [str(number) for number in range(JUDGED)]
    part = rs.Battles(first[:people], second[:people], human[:people], ids[:people])
    return part, rs.Battles(first, second, own, ids)


def measure(judge: str, people: int, runs: int) -> dict[str, float]:
    """Means over runs."""
    names = arena("human").systems
    truth = arena("human").scores().means
    rank, centre = mean_ranks(truth), truth - truth.mean()
    made = []
    for run in range(runs):
        part, every = drawn(judge, people, run)
        x, y, r = _tables(part, every, names)
        powered, predicted = prediction_powered(x, y, r), best_linear(x, y, r, allow_unseen=True)
        human = x.mean(axis=0)
        alone = UncertainMeans.of_covariance(human, np.cov(x, rowvar=False) / people, resamples=500, topics=people)
        both = UncertainMeans.of_covariance(powered.means, powered.covariance, resamples=500, topics=people)
        widened = predicted.ranking_covariance * (stdtrit(predicted.freedom, 0.975) / 1.959964) ** 2
        draws = UncertainMeans.of_covariance(predicted.means, widened, resamples=500)
        low, high = rank_sets.typical(*rank_sets.rank_bounds(draws.means + draws.deviations), 0.95)
        half = stdtrit(people - 1, 0.975) * np.sqrt(np.diag(powered.covariance))
        own_half = stdtrit(predicted.freedom, 0.975) * np.sqrt(np.diag(predicted.covariance))
        row = {
            "τ people": kendalltau(human, truth).statistic,
            "τ judge": kendalltau(np.concatenate([y, r]).mean(axis=0), truth).statistic,
            "τ corrected": kendalltau(powered.means, truth).statistic,
            "τ predicted": kendalltau(predicted.means, truth).statistic,
            "error people": np.mean((human - truth) ** 2),
            "error corrected": np.mean((powered.means - truth) ** 2),
            "error predicted": np.mean((predicted.means - centre) ** 2),
            "corrected covers": np.mean(np.abs(powered.means - truth) <= half),
            "predicted covers": np.mean(np.abs(predicted.means - centre) <= own_half),
            "typical cover": np.mean((low <= rank) & (rank <= high)),
            "typical width": np.mean(high - low + 1),
            "corrected topics": powered.equivalent,
            "predicted topics": predicted.equivalent,
        }
        for name, data in (("people", alone), ("corrected", both)):
            sets = rank_sets.simultaneous(data, 0.95, 1)
            row[f"sets hold, {name}"] = np.all((sets.low <= rank) & (rank <= sets.high))
            row[f"width, {name}"] = np.mean(sets.high - sets.low + 1)
        made.append(row)
    return {key: float(np.mean([row[key] for row in made])) for key in made[0]}


def _tables(part: rs.Battles, every: rs.Battles, names: tuple[str, ...]) -> tuple[Floats, Floats, Floats]:
    shared = part.ids or ()
    rest = (every.ids or ())[len(shared) :]
    sides = (part.scores(), every.select(shared).scores(), every.select(rest).scores())
    return tuple(side.select(systems=names).values for side in sides)  # type: ignore[return-value]


def measure_chatzi(judge: str, people: int, runs: int, *, mended: bool) -> tuple[float, float]:
    """How often all rank sets of Chatzi et al. hold, and their mean width; ties are no win, as in their code."""
    names = arena("human").systems
    rank = mean_ranks(_won(arena("human"), names))
    held, width = [], []
    for run in range(runs):
        part, every = drawn(judge, people, run)
        low, high = chatzi_rank_sets(*_coded(part, every, names), len(names), mended=mended)
        held.append(bool(np.all((low <= rank) & (rank <= high))))
        width.append(np.mean(high - low + 1))
    return float(np.mean(held)), float(np.mean(width))


def _coded(part: rs.Battles, every: rs.Battles, names: tuple[str, ...]) -> tuple[Any, Any, Any, Any]:
    """First and second models, people's outcomes of the first battles, and the judge's of all."""
    code = np.array([names.index(name) for name in every.systems])
    return code[every.first], code[every.second], part.wins, every.wins


def _won(battles: rs.Battles, names: tuple[str, ...]) -> Floats:
    """The share of its battles that each model won outright."""
    won = np.bincount(battles.first, battles.wins == 1.0, len(names))
    won += np.bincount(battles.second, battles.wins == 0.0, len(names))
    return np.asarray(won / (np.bincount(battles.first) + np.bincount(battles.second)))


def page(runs: int) -> list[str]:
    """The section of docs/correction.md."""
    lines = [
        f"{JUDGED:,} judged battles of 20 models, {runs} runs a row:\n",
        "| judge | people's battles | τ people | τ judge | τ corrected | τ predicted | gain corrected | predicted | "
        "corrected covers | predicted covers | typical sets cover | width | simultaneous sets hold: people | width | "
        "corrected | width | as many battles as: corrected | predicted |\n|" + "---|" * 18,
    ]
    for judge in JUDGES:
        for people in PEOPLE:
            got = measure(judge, people, runs)
            shown = [f"{got[f'τ {name}']:.3f}" for name in ("people", "judge", "corrected", "predicted")]
            shown += [f"{got['error people'] / got[f'error {name}']:.2f}" for name in ("corrected", "predicted")]
            keys = ["corrected covers", "predicted covers", "typical cover", "typical width"]
            keys += ("sets hold, people", "width, people", "sets hold, corrected", "width, corrected")
            shown += [f"{got[key]:.1f}" if "width" in key else f"{got[key]:.3f}" for key in keys]
            shown += [f"{got[f'{name} topics']:,.0f}" for name in ("corrected", "predicted")]
            lines.append(f"| {judge} | {people:,} | " + " | ".join(shown) + " |")
    lines += [
        f"\nChatzi et al. (2024), win rates, {runs} runs a row; all sets hold (nominal .95), and their mean width:\n",
        "| judge | people's battles | as released | width | with the variance of a win rate | width |\n"
        "|---|---|---|---|---|---|",
    ]
    for judge in JUDGES[:3]:
        for people in PEOPLE:
            both = [measure_chatzi(judge, people, runs, mended=mended) for mended in (False, True)]
            shown = [
                f"{value:.3f}" if place == 0 else f"{value:.1f}" for pair in both for place, value in enumerate(pair)
            ]
            lines.append(f"| {judge} | {people:,} | " + " | ".join(shown) + " |")
    return lines


if __name__ == "__main__":
    write_section(DOCS / "correction.md", "battles", "\n".join(page(runs_asked(200))))
