"""The result of `compare`: one truth, its estimates, and what was found of each."""

from __future__ import annotations

from collections.abc import Sequence
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
from rankscope.inference.topic_level import TopicValue
from rankscope.results import Interval, NoInterval, Remark, Result, Table
from rankscope.studies.battle_labels import BattleAgreement
from rankscope.studies.chance import ChanceLevel
from rankscope.studies.clusters import NoClusters, SystemCluster
from rankscope.studies.comparison_tables import (
    Keyed,
    coefficient_table,
    comparison_tables,
    contrast_tables,
    estimate_table,
)
from rankscope.studies.decisiveness import Decisiveness
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

    @property
    def places(self) -> float:
        """The ranks that the system moves up under the estimate (down: below zero)."""
        return self.truth_rank - self.estimate_rank


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
    """A topic, and by how much Kendall's τ rises without it."""

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
    scores, are dealt at random. `groups` has what it does to groups of systems, `clusters` those that it moves
    together (None: not asked for, or not sought, and `no_clusters` says why). `certainty` counts the pairs that each
    side finds significantly different.
    `carriers` are the few topics without which τ rises most, of all in `influence`. `no_interval` says why there is
    no interval, where there is none. `most_systems` is there where there are more: tests of pairs, the rank
    distance, bounds under ties, the chance level and the permutation test are then left out. `unit` is what a topic
    is: a battle, where both sides are from battles; `battles` is then how the two judges agree battle by battle.
    `by_topic` is agreement that only scores by topic can tell (`topic_agreement`), and `decisiveness` how its win
    rates depend on the truth's, where they were asked for.
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
    influence: tuple[Carrier, ...]
    groups: tuple[GroupShift, ...]
    systems: tuple[SystemComparison, ...]
    aggregate: AggregateName = "mean"
    lower_is_better: bool = False
    unit: str = "topic"
    battles: BattleAgreement | None = None
    by_topic: tuple[TopicValue, ...] = ()
    decisiveness: Decisiveness | None = None
    clusters: tuple[SystemCluster, ...] | None = None
    no_clusters: NoClusters | None = None

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
        return coefficient_table(self._keyed())

    def tables(self) -> dict[str, Table]:
        """Every table by name, the main one first."""
        return {
            "coefficients": self.table(),
            "estimates": estimate_table(self._keyed()),
            **comparison_tables(self._keyed(), self.truth.name),
            **contrast_tables(({}, contrast) for contrast in self.contrasts),
        }

    def _keyed(self) -> list[Keyed]:
        return [({"estimate": e.name}, e) for e in self.estimates]


@dataclass(frozen=True, kw_only=True)
class ComparisonByMeasure(Result):
    """The same sides under several measures, one comparison for each."""

    comparisons: tuple[Comparison, ...]
    settings: dict[str, Any]

    @classmethod
    def of(cls, comparisons: Sequence[Comparison]) -> ComparisonByMeasure:
        """Put comparisons of the same sides together.

        Parameters
        ----------
        comparisons : sequence of Comparison
            One for each measure, with the same estimates in the same order.

        Raises
        ------
        BadParameter
            If there is none, if two have the same measure, or if their estimates differ.

        Examples
        --------
        >>> import rankscope as rs
        >>> from rankscope.demo import demo_scores
        >>> human, careful, *_ = demo_scores().values()
        >>> pairs = [(human.labelled(m), careful.labelled(m)) for m in ("AP", "RR")]
        >>> rs.ComparisonByMeasure.of([rs.compare(*pair, resamples=0) for pair in pairs]).measures
        ('AP', 'RR')
        """
        if not comparisons:
            raise BadParameter("there is no comparison; give one for each measure")
        first = comparisons[0]
        for other in comparisons[1:]:
            if [e.name for e in other.estimates] != [e.name for e in first.estimates]:
                raise BadParameter("the comparisons have different estimates; compare the same ones by each measure")
        measures = [c.truth.measure for c in comparisons]
        if len(set(measures)) < len(measures):
            twice = next(measure for measure in measures if measures.count(measure) > 1)
            raise BadParameter(f"two comparisons are by {twice}; give one for each measure")
        return cls(comparisons=tuple(comparisons), settings=dict(first.settings))

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, in the order of the comparisons."""
        return tuple(c.truth.measure or "" for c in self.comparisons)

    def table(self) -> Table:
        """One row per measure and estimate."""
        return estimate_table(self._keyed())

    def tables(self) -> dict[str, Table]:
        """Every table by name, the main one first."""
        by_measure = zip(self.measures, self.comparisons, strict=True)
        return {
            "estimates": self.table(),
            "coefficients": coefficient_table(self._keyed()),
            **comparison_tables(self._keyed(), self.comparisons[0].truth.name),
            **contrast_tables(({"measure": measure}, one) for measure, c in by_measure for one in c.contrasts),
        }

    def _keyed(self) -> list[Keyed]:
        by_measure = zip(self.measures, self.comparisons, strict=True)
        return [({"measure": measure, "estimate": e.name}, e) for measure, c in by_measure for e in c.estimates]
