"""The result of `compare`: one truth, its estimates, and what was found of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankscope.aggregates import AggregateName
from rankscope.coefficients import coefficient
from rankscope.coefficients.ties import TieBounds
from rankscope.errors import BadParameter
from rankscope.inference.agreement import Errors
from rankscope.inference.contrasts import Contrast
from rankscope.inference.corrections import Correction
from rankscope.inference.pairs import AnyTest
from rankscope.results import ENDS, Interval, NoInterval, Remark, Result, Table, rows_table, stacked
from rankscope.studies.battle_labels import BattleAgreement
from rankscope.studies.chance import ChanceLevel
from rankscope.studies.groups import GroupShift
from rankscope.studies.pair_certainty import PairCertainty
from rankscope.studies.verdict import Verdict


@dataclass(frozen=True, kw_only=True)
class CoefficientValue:
    """One coefficient between the truth and an estimate.

    `value` is nan where a side scores all systems alike. `interval` is over topics (or, for τ of leaderboards,
    Kendall's over systems). `pvalue` is that of no agreement beyond chance, `chance` the mean under chance. `ties` is
    there where ties could move the value by more than 0.01. `same_as` names the coefficient of which this is another
    name.
    """

    name: str
    value: float
    interval: Interval | None
    pvalue: float | None
    chance: float | None
    symbol: str
    label: str
    looks_at: str
    same_as: str | None
    ties: TieBounds | None


@dataclass(frozen=True, kw_only=True)
class SystemComparison:
    """A system's means and ranks on both sides; tied systems share their mean rank.

    `truth_low` to `truth_high`, and the estimate's, is where the mean may lie over topics such as these, at the level
    of the comparison; None without topics.
    """

    system: str
    truth: float
    estimate: float
    truth_rank: float
    estimate_rank: float
    truth_low: float | None = None
    truth_high: float | None = None
    estimate_low: float | None = None
    estimate_high: float | None = None


@dataclass(frozen=True, kw_only=True)
class Swap:
    """Two systems in the opposite order on the two sides; `better` is the one that the truth prefers.

    `pvalue` is the truth's own for the pair, adjusted; `significant` says that they differ significantly in the truth.
    """

    better: str
    worse: str
    truth_gap: float
    estimate_gap: float
    truth_ranks: tuple[float, float]
    estimate_ranks: tuple[float, float]
    pvalue: float | None
    significant: bool | None


@dataclass(frozen=True, kw_only=True)
class TopOverlap:
    """How many of the truth's top k are in the estimate's; systems tied at the cut are all in."""

    k: int
    shared: int
    share: float


@dataclass(frozen=True, kw_only=True)
class Separation:
    """Pairs that differ significantly in the truth, and how many of them the estimate swaps.

    `discriminative_power` is the share of those pairs that the estimate orders alike, ties counting half.
    """

    pairs: int
    swaps: int
    discriminative_power: float | None
    test: AnyTest
    correction: Correction
    alpha: float


@dataclass(frozen=True, kw_only=True)
class RankDistanceSummary:
    """Carterette's rank distance from the truth, its p under resampled topics, and the critical value at `alpha`.

    `ties_least` and `ties_greatest` bound the distance over the ways to break the estimate's ties.
    """

    distance: float
    pvalue: float
    critical_value: float | None
    alpha: float
    ties_least: float | None
    ties_greatest: float | None
    ridge: float
    resamples: int


@dataclass(frozen=True, kw_only=True)
class Carrier:
    """A topic without which Kendall's τ rises, and by how much."""

    topic: str
    change: float


@dataclass(frozen=True, kw_only=True)
class Winner:
    """The best system on each side; `significant` says that the truth finds the estimate's winner worse than its own.

    None where the truth has no topics to test by. All are None where a side scores all systems alike.
    """

    truth: str | None
    estimate: str | None
    same: bool | None
    significant: bool | None


@dataclass(frozen=True, kw_only=True)
class EstimateComparison:
    """One estimate against the truth, on the systems, and topics where both have them, that they share.

    `verdict` says what a topic of the estimate is worth, and what that allows; None without topics on both sides.
    `paired` says whether the topics are the same; None without topics on both sides. `truth_errors` and
    `estimate_errors` say what tells how far a side's means may be off, and so what intervals and tests are from:
    topics, standard errors, or nothing (None). `chance` is what the estimate reaches where each topic's labels, or
    scores, are dealt at random. `groups` has what it does to groups of systems. `certainty` counts the pairs that each
    side finds significantly different. `no_interval` says why there is no interval, where there is none.
    `most_systems` is there where there are more: tests of pairs, the rank distance, bounds under ties, the chance level
    and the permutation test are then left out. `unit` is what a topic is: a battle, where both sides are from battles;
    `battles` is then how the two judges agree battle by battle.
    """

    name: str
    measure: str | None
    topics: int | None
    truth_topics: int | None
    paired: bool | None
    truth_errors: Errors | None
    estimate_errors: Errors | None
    verdict: Verdict | None
    chance: ChanceLevel | None
    coefficients: tuple[CoefficientValue, ...]
    no_interval: NoInterval | None
    most_systems: int | None
    rank_distance: RankDistanceSummary | None
    pairs: int
    swap_count: int
    truth_ties: int
    estimate_ties: int
    separation: Separation | None
    certainty: PairCertainty | None
    winner: Winner
    swaps: tuple[Swap, ...]
    top: tuple[TopOverlap, ...]
    carriers: tuple[Carrier, ...]
    groups: tuple[GroupShift, ...]
    systems: tuple[SystemComparison, ...]
    aggregate: AggregateName = "mean"
    lower_is_better: bool = False
    unit: str = "topic"
    battles: BattleAgreement | None = None

    def value(self, name: str) -> float:
        """The value of the coefficient of this name."""
        return self[name].value

    def __getitem__(self, name: str) -> CoefficientValue:
        wanted = str(coefficient(name))
        for value in self.coefficients:
            if value.name == wanted:
                return value
        raise BadParameter(f"{wanted} was not computed; there are: {', '.join(c.name for c in self.coefficients)}")


@dataclass(frozen=True, kw_only=True)
class TruthSide:
    """The truth, as far as a comparison needs to tell."""

    name: str
    measure: str | None
    systems: int
    topics: int | None
    aggregate: AggregateName = "mean"
    lower_is_better: bool = False


@dataclass(frozen=True, kw_only=True)
class Comparison(Result):
    """One truth and its estimates: coefficients, means and ranks, swaps, the overlap of the tops, and how sure all is.

    `contrasts` compare the estimates with each other, where there are several and topics to judge by. `remarks` tell
    what was left out.
    """

    truth: TruthSide
    estimates: tuple[EstimateComparison, ...]
    contrasts: tuple[Contrast, ...]
    groups: dict[str, str] | None = None
    remarks: tuple[Remark, ...] = ()
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per estimate and coefficient."""
        columns = {
            "coefficient": "name",
            "value": "value",
            **ENDS,
            "pvalue": "pvalue",
            "ties_least": "ties.least",
            "ties_greatest": "ties.greatest",
        }
        return stacked("estimate", ((e.name, rows_table(e.coefficients, columns)) for e in self.estimates))

    def tables(self) -> dict[str, Table]:
        """Every table by name, the main one first."""
        return {"coefficients": self.table(), "swaps": self.swap_table()}

    def swap_table(self) -> Table:
        """One row per estimate and swap, the largest gap in the truth first."""
        columns = ("better", "worse", "truth_gap", "estimate_gap", "pvalue", "significant")
        return stacked("estimate", ((e.name, rows_table(e.swaps, columns)) for e in self.estimates))
