"""What the answer to `judge` consists of: frozen results, from the whole to its parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankscope.errors import BadParameter
from rankscope.inference.contrasts import Contrast
from rankscope.inference.labels.results import LabelAgreement
from rankscope.results import Remark, Result, Table
from rankscope.studies.judging.chance import ChanceLevel
from rankscope.studies.judging.findings import JudgePlace, Mover
from rankscope.studies.judging.shift import Shift
from rankscope.studies.parts import EstimateComparison
from rankscope.studies.verdict import Level, Verdict


@dataclass(frozen=True, kw_only=True)
class JudgeAnswer:
    """One judge under one measure.

    `agreement` is the whole comparison of the two rankings, `top` that of the truth's best systems alone (None where
    there are no more). `chance` is what the judge's own labels reach when dealt at random within topics, `pseudo` what
    relevance drawn from the pool does. `topics` are those that both sides judged.
    """

    judge: str
    measure: str
    verdict: Verdict
    agreement: EstimateComparison
    top: EstimateComparison | None
    chance: ChanceLevel | None
    pseudo: ChanceLevel | None
    shift: Shift
    movers: tuple[Mover, ...]
    topics: int


@dataclass(frozen=True, kw_only=True)
class JudgeLevel:
    """A judge over all measures: the lowest of its levels, and the first measure that has it."""

    judge: str
    level: Level
    measure: str


@dataclass(frozen=True, kw_only=True)
class BestJudge:
    """The judge of highest worth under one measure, and its level once it is known to be the best of so many.

    The level is proven at 1 − (1 − `level` of the intervals)/judges, since the best of several was chosen by the data.
    """

    measure: str
    judge: str
    worth: float
    level: Level
    confidence: float


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgeReport(Result):
    """May systems be ranked with these judgments instead? One answer per judge and measure, and what they share.

    `levels` has each judge over all measures, `best` the best judge under each measure where there are several.
    `labels` has the judges' agreement with the truth document by document; None where no pair is judged by both.
    """

    truth: str
    judges: tuple[str, ...]
    measures: tuple[str, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    levels: tuple[JudgeLevel, ...]
    best: tuple[BestJudge, ...]
    answers: tuple[JudgeAnswer, ...]
    labels: dict[str, LabelAgreement | None]
    places: tuple[JudgePlace, ...]
    contrasts: dict[str, tuple[Contrast, ...]]
    groups: dict[str, str] | None
    remarks: tuple[Remark, ...]
    settings: dict[str, Any]

    def answer(self, judge: str, measure: str | None = None) -> JudgeAnswer:
        """The answer for a judge, under the first measure unless another is named."""
        wanted = self.measures[0] if measure is None else measure
        for found in self.answers:
            if (found.judge, found.measure) == (judge, wanted):
                return found
        raise BadParameter(
            f"there is no answer for {judge!r} under {wanted!r}; judges: {', '.join(self.judges)}; "
            f"measures: {', '.join(self.measures)}"
        )

    def table(self) -> Table:
        """One row per judge and measure."""
        columns = (
            "judge", "measure", "verdict", "worth", "worth_low", "worth_high", "own_worth", "cap", "expected_tau",
            "human_expected_tau", "tau", "tau_low", "tau_high", "tau_ap", "random_labels_tau", "random_labels_pvalue",
            "swaps", "significant_swaps", "reversals", "same_winner", "rank_distance", "rank_distance_pvalue",
        )  # fmt: skip
        rows = []
        for a in self.answers:
            tau, distance = a.agreement["tau_b"], a.agreement.rank_distance
            worth, own = a.verdict.worth, a.verdict.own_worth
            separation, certainty = a.agreement.separation, a.agreement.certainty
            rows.append((
                a.judge, a.measure, a.verdict.level, worth and worth.worth, worth and worth.interval.low,
                worth and worth.interval.high, own and own.worth, worth and worth.cap, worth and worth.tau_judge,
                worth and worth.tau_human, tau.value, tau.interval and tau.interval.low,
                tau.interval and tau.interval.high, a.agreement.value("tau_ap"), a.chance and a.chance["tau_b"].mean,
                a.chance and a.chance.pvalue, a.agreement.swap_count, separation and separation.swaps,
                certainty and certainty.both_opposite, a.agreement.winner.same, distance and distance.distance,
                distance and distance.pvalue,
            ))  # fmt: skip
        return Table(columns, tuple(rows))
