"""Comparisons of two sides as charts and pages show them, under the names that the user gave the sides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rankscope.aggregates import AggregateName
from rankscope.errors import BadParameter
from rankscope.report.charts.layers import Drawing, concatenated, distinct
from rankscope.report.theme import PALETTE, title_text
from rankscope.studies.chance import DEALT_SCORES, ChanceLevel
from rankscope.studies.comparison_result import Comparison, ComparisonByMeasure, EstimateComparison

if TYPE_CHECKING:
    from rankscope.studies.judging.answers import JudgeReport

# An interval by the name of a coefficient.
Ranges = Mapping[str, tuple[float, float]]
# How many systems count as the top where a result does not say.
_TOP = 10
# The longest name of a side in a title or legend.
_LONGEST = 30


@dataclass(frozen=True, kw_only=True)
class Sides:
    """An estimate beside the truth: the comparison, both names as shown, and what charts of it need to know.

    `groups` has the group of each system as charts show it, empty without groups. `chance` has what chance reaches
    by each coefficient; None without topics.
    """

    comparison: EstimateComparison
    truth: str
    estimate: str
    title: str
    truth_measure: str | None
    level: float
    truth_aggregate: AggregateName = "mean"
    truth_lower: bool = False
    top: int = _TOP
    groups: Mapping[str, str] = field(default_factory=dict)
    chance: Ranges | None = None

    @property
    def dealt(self) -> str:
        """What is dealt at random for the chance level."""
        chance = self.comparison.chance
        return "random scores" if chance is not None and chance.kind == DEALT_SCORES else "random labels"

    def significant_swaps(self) -> dict[str, int]:
        """For each system in a significant swap, the number of such swaps."""
        counts: dict[str, int] = {}
        for swap in self.comparison.swaps:
            if swap.significant:
                for name in (swap.better, swap.worse):
                    counts[name] = counts.get(name, 0) + 1
        return counts


def sides_of(result: Comparison | ComparisonByMeasure | JudgeReport) -> list[Sides]:
    """The sides of every comparison in a result: one per estimate, or one per estimate or judge and measure."""
    level = result.settings["level"]
    if isinstance(result, ComparisonByMeasure):
        return [
            replace(sides, title=f"{sides.title}, {title_text(measure)}")
            for measure, comparison in zip(result.measures, result.comparisons, strict=True)
            for sides in sides_of(comparison)
        ]
    if isinstance(result, Comparison):
        return [
            Sides(
                comparison=estimate,
                truth=shown_names(result.truth.name, estimate.name)[0],
                estimate=shown_names(result.truth.name, estimate.name)[1],
                title=title_text(estimate.name),
                truth_measure=result.truth.measure,
                level=level,
                groups=_shown_groups(result.groups),
                chance=_ranges(estimate.chance),
                truth_aggregate=result.truth.aggregate,
                truth_lower=result.truth.lower_is_better,
            )
            for estimate in result.estimates
        ]
    groups = _shown_groups(result.groups)
    several = len(result.measures) > 1
    return [
        Sides(
            comparison=answer.agreement,
            truth=shown_names(result.truth, answer.judge)[0],
            estimate=shown_names(result.truth, answer.judge)[1],
            title=title_text(answer.judge) + (f", {title_text(answer.measure)}" if several else ""),
            truth_measure=answer.measure,
            level=level,
            top=result.settings["top"],
            groups=groups,
            chance=_ranges(answer.chance),
        )
        for answer in result.answers
    ]


def _ranges(chance: ChanceLevel | None) -> Ranges | None:
    if chance is None:
        return None
    return {c.name: (c.mean, c.high) for c in chance.values if c.mean is not None and c.high is not None}


def shown_names(truth: str, estimate: str) -> tuple[str, str]:
    """The names of the two sides as charts show them: short, and different even where the given names are equal."""
    first, second = distinct([title_text(truth, _LONGEST), title_text(estimate, _LONGEST)])
    return first, second


def panels(
    result: Comparison | ComparisonByMeasure | JudgeReport,
    draw: Callable[[Sides], Drawing | None],
    *,
    columns: int = 2,
    shared: str = "",
    own_legends: bool = False,
) -> Drawing:
    """A panel for every comparison that has what `draw` shows, by measure; panels of a measure share their axes."""
    drawn: dict[str | None, list[Drawing]] = {}
    for sides in sides_of(result):
        panel = draw(sides)
        if panel is not None:
            drawn.setdefault(sides.truth_measure, []).append(panel)
    if not drawn:
        raise BadParameter("there is nothing to draw: the result has no data for this chart")
    look: dict[str, Any] = {"columns": columns, "shared": shared, "own_legends": own_legends}
    blocks = [concatenated(own, **look) for own in drawn.values()]
    return concatenated(blocks, columns=1, own_legends=own_legends)


def alone(result: Comparison | ComparisonByMeasure | JudgeReport) -> bool:
    """Whether a result has a single comparison, whose panel may then be as wide as a column."""
    if isinstance(result, ComparisonByMeasure):
        return False
    return len(result.estimates if isinstance(result, Comparison) else result.answers) == 1


def _shown_groups(groups: Mapping[str, str] | None) -> dict[str, str]:
    """The groups of systems as charts show them: groups beyond the number of colours become one."""
    sizes: dict[str, int] = {}
    for group in (groups or {}).values():
        sizes[group] = sizes.get(group, 0) + 1
    most = len(PALETTE)
    order = sorted(sizes, key=lambda g: (-sizes[g], g))
    kept = order if len(order) <= most else order[: most - 1]
    shown = dict(zip(kept, distinct(kept, 24), strict=True))
    return {system: shown.get(group, "other groups") for system, group in (groups or {}).items()}
