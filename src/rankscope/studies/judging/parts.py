"""What the answer to `judge` consists of: frozen results, from the whole to its parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankscope.errors import BadParameter
from rankscope.inference.contrasts import Contrast
from rankscope.inference.labels.parts import LabelAgreement
from rankscope.results import Result, Table
from rankscope.studies.judging.ceiling import Ceiling
from rankscope.studies.judging.certainty import PairCertainty
from rankscope.studies.judging.findings import JudgePlace, Mover, Winner
from rankscope.studies.judging.floor import Floor
from rankscope.studies.judging.shift import Shift
from rankscope.studies.judging.verdict import Verdict
from rankscope.studies.parts import EstimateComparison


@dataclass(frozen=True, kw_only=True)
class JudgeAnswer:
    """One judge under one measure.

    `agreement` is the whole comparison of the two rankings, `top` that of the truth's best systems alone (None where
    there are no more). `topics` are the judge's; `paired` says that it has all of the truth's.
    """

    judge: str
    measure: str
    verdict: Verdict
    agreement: EstimateComparison
    top: EstimateComparison | None
    floor: Floor | None
    pseudo: Floor | None
    certainty: PairCertainty | None
    shift: Shift | None
    winner: Winner
    movers: tuple[Mover, ...]
    topics: int
    paired: bool


@dataclass(frozen=True, kw_only=True)
class MeasureTruth:
    """The truth under one measure: what bounds every judge's agreement from above."""

    measure: str
    ceiling: Ceiling | None
    no_ceiling: str | None


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgeReport(Result):
    """May systems be ranked with these judgments instead? One answer per judge and measure, and what they share.

    `labels` has the judges' agreement with the truth document by document; None where no pair is judged by both.
    """

    truth: str
    judges: tuple[str, ...]
    measures: tuple[str, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    answers: tuple[JudgeAnswer, ...]
    truths: tuple[MeasureTruth, ...]
    labels: dict[str, LabelAgreement | None]
    places: tuple[JudgePlace, ...]
    contrasts: dict[str, tuple[Contrast, ...]]
    groups: dict[str, str] | None
    remarks: tuple[str, ...]
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

    def truth_under(self, measure: str) -> MeasureTruth:
        """The truth under a measure."""
        return next(found for found in self.truths if found.measure == measure)

    def table(self) -> Table:
        """One row per judge and measure."""
        columns = (
            "judge", "measure", "verdict", "tau", "low", "high", "tau_ap", "ceiling", "ceiling_low", "floor",
            "rank_distance", "pvalue", "swaps", "significant_swaps", "reversals", "same_winner",
        )  # fmt: skip
        rows = []
        for a in self.answers:
            tau, distance = a.agreement["tau_b"], a.agreement.rank_distance
            ceiling = self.truth_under(a.measure).ceiling
            separation = a.agreement.separation
            rows.append((
                a.judge, a.measure, a.verdict.level, tau.value,
                tau.interval and tau.interval.low, tau.interval and tau.interval.high, a.agreement.value("tau_ap"),
                ceiling and ceiling["tau_b"].mean, ceiling and ceiling["tau_b"].interval.low,
                a.floor and a.floor["tau_b"].mean, distance and distance.distance, distance and distance.pvalue,
                a.agreement.swap_count, separation and separation.swaps, a.certainty and a.certainty.both_opposite,
                a.winner.same,
            ))  # fmt: skip
        return Table(columns, tuple(rows))
