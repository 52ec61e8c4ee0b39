"""The result of `judge`: an answer for each judge and measure, and what they share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from rankscope.errors import BadParameter
from rankscope.inference.contrasts import Contrast
from rankscope.inference.labels.results import LabelAgreement
from rankscope.results import Remark, Result, Table
from rankscope.studies.chance import ChanceLevel
from rankscope.studies.comparison_result import EstimateComparison
from rankscope.studies.comparison_tables import coefficient_table, comparison_tables, contrast_tables
from rankscope.studies.judging.findings import JudgePlace, Mover
from rankscope.studies.judging.remedy import JudgeCorrection
from rankscope.studies.judging.scales import Skipped
from rankscope.studies.judging.shift import Shift
from rankscope.studies.judging.top_ranks import TopRanks
from rankscope.studies.repeats import RepeatedJudge, RepeatsStudy
from rankscope.studies.verdict import Level, Verdict


@dataclass(frozen=True, kw_only=True)
class JudgeAnswer:
    """One judge under one measure.

    `agreement` is the whole comparison of the two rankings, `top` that of the truth's best systems alone (None where
    there are no others), and `ranks` the ranks that these may have by either side. `chance`, of the agreement, is what
    the judge's labels reach when they are dealt at random within topics, `pseudo` what relevance drawn from the pool
    does. `topics` are those that both sides judged. `correction` is what people on part of the topics and the judge on
    all would give, None for a judge that needs no people or is no better than random labels. `repeats` is how much a
    judge varies that was asked several times, None for others.
    """

    judge: str
    measure: str
    verdict: Verdict
    agreement: EstimateComparison
    top: EstimateComparison | None
    ranks: TopRanks | None
    pseudo: ChanceLevel | None
    shift: Shift
    movers: tuple[Mover, ...]
    topics: int
    correction: JudgeCorrection | None = None
    repeats: RepeatedJudge | None = None

    @property
    def chance(self) -> ChanceLevel | None:
        """What the judge's labels reach when they are dealt at random within topics."""
        return self.agreement.chance

    @property
    def with_groups(self) -> EstimateComparison:
        """The comparison of the two rankings, with what the judge does to groups of systems."""
        return replace(self.agreement, groups=self.shift.groups)


@dataclass(frozen=True, kw_only=True)
class JudgeLevel:
    """A judge over all measures: the lowest of its levels, and the first measure that has it.

    `skipped` are the measures under which it could not be compared, which therefore do not count.
    """

    judge: str
    level: Level
    measure: str
    skipped: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class BestJudge:
    """The judge of highest worth under one measure, and its level given that it was chosen as the best of several.

    The level is proven at 1 − (1 − `level` of the intervals)/judges, since the data chose the judge.
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
    `skipped` has the judges that a measure cannot rank by, and why. `labels` has the judges' agreement with the truth
    document by document.
    """

    truth: str
    judges: tuple[str, ...]
    measures: tuple[str, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    levels: tuple[JudgeLevel, ...]
    best: tuple[BestJudge, ...]
    answers: tuple[JudgeAnswer, ...]
    skipped: tuple[Skipped, ...]
    labels: dict[str, LabelAgreement]
    places: tuple[JudgePlace, ...]
    contrasts: dict[str, tuple[Contrast, ...]]
    groups: dict[str, str] | None
    remarks: tuple[Remark, ...]
    settings: dict[str, Any]

    def answer(self, judge: str, measure: str | None = None) -> JudgeAnswer:
        """The answer for a judge, under the first measure unless another is named."""
        wanted = self.measures[0] if measure is None else measure
        for answer in self.answers:
            if (answer.judge, answer.measure) == (judge, wanted):
                return answer
        for reason in self.skipped:
            if (reason.judge, reason.measure) == (judge, wanted):
                raise BadParameter(str(reason))
        raise BadParameter(
            f"there is no answer for {judge!r} under {wanted!r}; judges: {', '.join(self.judges)}; "
            f"measures: {', '.join(self.measures)}"
        )

    def table(self) -> Table:
        """One row per judge and measure."""
        rows = [answer_row(answer) for answer in self.answers]
        return Table(tuple(rows[0]), tuple(tuple(row.values()) for row in rows), brief=_BRIEF)

    def tables(self) -> dict[str, Table]:
        """Every table by name, the main one first."""
        keyed = [({"judge": a.judge, "measure": a.measure}, a.with_groups) for a in self.answers]
        contrasts = (({"measure": measure}, one) for measure, some in self.contrasts.items() for one in some)
        shifts = [(a.judge, a.measure, *_shift(a.shift)) for a in self.answers]
        return {
            "judges": self.table(),
            "coefficients": coefficient_table(keyed),
            **comparison_tables(keyed, self.truth, "judge"),
            **contrast_tables(contrasts),
            "shift": Table(("judge", "measure", *_SHIFT), tuple(shifts)),
            "labels": self._label_table(),
            **self._repeat_tables(),
        }

    def _repeat_tables(self) -> dict[str, Table]:
        """How much judges vary that were asked several times; nothing without such judges."""
        varying = tuple(answer.repeats for answer in self.answers if answer.repeats is not None)
        if not varying:
            return {}
        study = RepeatsStudy(judged=varying, truth=self.truth, coefficient="tau_b", settings=self.settings)
        names = {"judges": "repeats", "counts": "repeat_counts", "pairs": "repeat_pairs"}
        return {names[name]: table for name, table in study.tables().items()}

    def _label_table(self) -> Table:
        """One row per judge: the agreement of its labels with the truth's."""
        statistics = tuple(dict.fromkeys(value.name for own in self.labels.values() for value in own.values))
        rows = []
        for judge, own in self.labels.items():
            values = {value.name: value.value for value in own.values}
            interval = own["kappa"].interval
            ends = (None, None) if interval is None else (interval.low, interval.high)
            others = (values.get(name) for name in statistics if name != "kappa")
            rows.append((judge, own.coverage.pairs, values["kappa"], *ends, *others))
        columns = ("judge", "pairs", "kappa", "low", "high", *(name for name in statistics if name != "kappa"))
        return Table(columns, tuple(rows), brief=tuple(name for name in _LABELS if name in columns))


# What the tables show on paper.
_BRIEF = (
    *("judge", "measure", "verdict", "worth", "worth_low", "worth_high", "expected_tau"),
    *("tau", "tau_low", "tau_high", "significant_swaps", "same_winner"),
)
_LABELS = ("judge", "pairs", "kappa", "low", "high", "kappa_quadratic", "kappa_binary", "alpha_ordinal", "equal")
_SHIFT = ("mean", "low", "high", "spread", "slope", "slope_low", "slope_high")


def _shift(shift: Shift) -> tuple[float | None, ...]:
    ends = [(None, None) if i is None else (i.low, i.high) for i in (shift.interval, shift.slope_interval)]
    return (shift.mean, *ends[0], shift.spread, shift.slope, *ends[1])


def answer_row(answer: JudgeAnswer) -> dict[str, Any]:
    """What the table tells of an answer, by column."""
    agreement, chance = answer.agreement, answer.chance
    worth, own = answer.verdict.worth, answer.verdict.own_worth
    tau, distance = agreement["tau_b"], agreement.rank_distance
    return {
        "judge": answer.judge,
        "measure": answer.measure,
        "verdict": answer.verdict.level,
        "worth": worth and worth.worth,
        "worth_low": worth and worth.interval.low,
        "worth_high": worth and worth.interval.high,
        "own_worth": own and own.worth,
        "cap": worth and worth.cap,
        "expected_tau": worth and worth.tau_judge,
        "human_expected_tau": worth and worth.tau_human,
        "tau": tau.value,
        "tau_low": tau.interval and tau.interval.low,
        "tau_high": tau.interval and tau.interval.high,
        "tau_ap_b": agreement.value("tau_ap_b"),
        "tau_ap": agreement.value("tau_ap"),
        "random_labels_tau": chance and chance["tau_b"].mean,
        "random_labels_pvalue": chance and chance.pvalue,
        "swaps": agreement.swap_count,
        "significant_swaps": agreement.separation and agreement.separation.swaps,
        "reversals": agreement.certainty and agreement.certainty.both_opposite,
        "same_winner": agreement.winner.same,
        "rank_distance": distance and distance.distance,
        "rank_distance_pvalue": distance and distance.pvalue,
    }
