"""A judge on a track as a block of numbers, computed by `judge` itself, and what these numbers say."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from rankscope.errors import BadParameter, RankscopeError
from rankscope.results import Interval
from rankscope.runs import Judgments, RunSet
from rankscope.scores import Floats
from rankscope.studies.judging.answers import JudgeAnswer, JudgeReport, answer_row
from rankscope.studies.judging.ask import judge
from rankscope.studies.judging.scales import JudgeLabels, NothingRanked, Skipped, Why
from rankscope.studies.judging.track_report import TrackAnswer, TrackSkipped
from rankscope.studies.verdict import LEVELS

# What a block says of each measure.
_NUMBERS = (
    *("level", "topics", "judged_topics", "worth", "worth_low", "worth_high", "own_worth", "own_low", "own_high"),
    *("cap", "expected_tau", "human_expected_tau", "tau", "tau_low", "tau_high", "tau_ap_b", "significant_swaps"),
    *("same_winner", "kappa", "random_labels_pvalue", "why", "highest", "least"),
)
_WHYS: tuple[Why, ...] = get_args(Why)


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgeBlock:
    """One judge on one track: measures × numbers, NaN for what there is not."""

    name: str
    track: str
    runs: RunSet
    truth: Judgments
    judge: str
    labels: JudgeLabels
    measures: tuple[str, ...]
    options: dict[str, Any]

    @property
    def shape(self) -> tuple[int, ...]:
        """Measures × numbers."""
        return len(self.measures), len(_NUMBERS)

    def run(self) -> Floats:
        """The numbers."""
        rows = {measure: dict.fromkeys(_NUMBERS, np.nan) for measure in self.measures}
        try:
            report = judge(
                *(self.runs, self.truth, {self.judge: self.labels}, self.measures),
                pseudo_draws=0,
                jobs=1,
                **self.options,
            )
            for answer in report.answers:
                rows[answer.measure] |= _numbers(report, answer)
            skipped = report.skipped
        except NothingRanked as error:
            skipped = error.skipped
        except RankscopeError as error:
            raise on_track(self.track, error) from None
        for reason in skipped:
            known = {"highest": reason.highest, "least": reason.least}
            rows[reason.measure] |= {
                "why": float(_WHYS.index(reason.why)),
                **{name: value for name, value in known.items() if value is not None},
            }
        return np.array([list(row.values()) for row in rows.values()])


def on_track(track: str, error: RankscopeError) -> BadParameter:
    """An error with the name of the track that has it."""
    return BadParameter(f"track {track}: {error}")


def _numbers(report: JudgeReport, answer: JudgeAnswer) -> dict[str, float]:
    """What the table of `judge` has of an answer, and what only a row of tracks has."""
    row, worth, own = answer_row(answer), answer.verdict.worth, answer.verdict.own_worth
    known: dict[str, Any] = {
        **{name: row[name] for name in _NUMBERS if name in row},
        "level": LEVELS.index(answer.verdict.level),
        "topics": answer.topics,
        "judged_topics": worth and worth.topics,
        "own_low": own and own.interval.low,
        "own_high": own and own.interval.high,
        "kappa": report.labels[answer.judge]["kappa"].value,
    }
    return {name: float(value) for name, value in known.items() if value is not None}


def block_answers(block: JudgeBlock, numbers: Floats, level: float) -> Iterator[TrackAnswer | TrackSkipped]:
    """The answer under each measure, or why there is none, from the numbers of a block."""
    for measure, row in zip(block.measures, numbers, strict=True):
        values = dict(zip(_NUMBERS, row.tolist(), strict=True))
        if math.isnan(values["why"]):
            yield _answer(block, measure, values, level)
        else:
            yield TrackSkipped(track=block.track, reason=_skipped(block, measure, values))


def _answer(block: JudgeBlock, measure: str, values: Mapping[str, float], level: float) -> TrackAnswer:
    known = {name: None if math.isnan(value) else value for name, value in values.items()}

    def interval(low: str, high: str, method: str) -> Interval | None:
        if known[low] is None or known[high] is None:
            return None
        return Interval(low=values[low], high=values[high], level=level, method=method)

    def count(name: str) -> int | None:
        return None if known[name] is None else int(values[name])

    return TrackAnswer(
        track=block.track,
        judge=block.judge,
        measure=measure,
        level=LEVELS[int(values["level"])],
        topics=int(values["topics"]),
        judged_topics=count("judged_topics"),
        worth=known["worth"],
        interval=interval("worth_low", "worth_high", "jackknife over topics and systems"),
        own_worth=known["own_worth"],
        own_interval=interval("own_low", "own_high", "jackknife over topics and systems"),
        cap=known["cap"],
        expected_tau=known["expected_tau"],
        human_expected_tau=known["human_expected_tau"],
        tau=values["tau"],
        tau_interval=interval("tau_low", "tau_high", "topic bootstrap, recentred"),
        tau_ap_b=values["tau_ap_b"],
        significant_swaps=count("significant_swaps"),
        same_winner=bool(values["same_winner"]),
        kappa=known["kappa"],
        random_labels_pvalue=known["random_labels_pvalue"],
    )


def _skipped(block: JudgeBlock, measure: str, values: Mapping[str, float]) -> Skipped:
    highest, least = (None if math.isnan(values[name]) else values[name] for name in ("highest", "least"))
    why = _WHYS[int(values["why"])]
    return Skipped(judge=block.judge, measure=measure, why=why, highest=highest, least=least)
