"""Tables of a page that a judge's answer and a comparison share: systems, swaps, coefficients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankscope.report.charts.scores import told_apart_swaps
from rankscope.report.page_views import Column, TableForm
from rankscope.report.theme import label
from rankscope.studies.comparison_result import EstimateComparison
from rankscope.studies.judging.chance import ChanceLevel

Rows = list[dict[str, Any]]

# A name as charts and tables show it, and by which they find each other's systems.
NAME = 200


def systems_form(*, other: str, groups: bool, intervals: bool) -> TableForm:
    """All systems."""
    bounds = (
        (Column("truth low", "Interval", "interval", to="truth high"),),
        (Column("estimate low", "Interval", "interval", to="estimate high"),),
    )
    return TableForm(
        "systems",
        "All systems",
        (
            Column("system", "System", "system"),
            *((Column("group", "Group"),) if groups else ()),
            Column("truth rank", "Rank, truth", "rank"),
            Column("estimate rank", f"Rank, {other}", "rank"),
            Column("places", "Places gained", "steps"),
            Column("truth", "Mean, truth", "number"),
            *(bounds[0] if intervals else ()),
            Column("estimate", f"Mean, {other}", "number"),
            *(bounds[1] if intervals else ()),
            Column("swaps", "Significant swaps", "count"),
        ),
        shown=40,
    )


def systems_rows(estimate: EstimateComparison, groups: Mapping[str, str] | None) -> Rows:
    """A row per system, in the truth's order."""
    counts = told_apart_swaps(estimate)
    return [
        {
            "system": label(s.system, NAME),
            **({} if groups is None else {"group": groups.get(s.system)}),
            "truth rank": s.truth_rank,
            "estimate rank": s.estimate_rank,
            "places": s.truth_rank - s.estimate_rank,
            "truth": s.truth,
            "truth low": s.truth_low,
            "truth high": s.truth_high,
            "estimate": s.estimate,
            "estimate low": s.estimate_low,
            "estimate high": s.estimate_high,
            "swaps": counts.get(s.system, 0),
        }
        for s in estimate.systems
    ]


def swaps_form(*, other: str, tested: bool) -> TableForm:
    """Swapped pairs."""
    return TableForm(
        "swaps",
        "Swapped pairs, the largest gap in the truth first",
        (
            Column("system", "Better in the truth", "system"),
            Column("other", f"Better by the {other}", "system"),
            Column("gap", "Gap, truth", "number"),
            Column("estimate gap", f"Gap, {other}", "number"),
            *((Column("p", "p, truth", "p"), Column("apart", "Significant", "yes")) if tested else ()),
        ),
    )


def swaps_rows(estimate: EstimateComparison) -> Rows:
    """A row per swap that is kept."""
    return [
        {
            "system": label(swap.better, NAME),
            "other": label(swap.worse, NAME),
            "gap": swap.truth_gap,
            "estimate gap": swap.estimate_gap,
            "p": swap.pvalue,
            "apart": swap.significant,
        }
        for swap in estimate.swaps
    ]


def coefficients_form(*, chance: bool) -> TableForm:
    """Every coefficient, with what random labels reach where there are labels."""
    return TableForm(
        "coefficients",
        "Every coefficient",
        (
            Column("symbol", "Symbol"),
            Column("label", "Coefficient"),
            Column("value", "Value", "number", 3),
            Column("low", "Interval", "interval", 3, "high"),
            *((Column("chance", "Random labels", "number", 3),) if chance else ()),
            Column("looks at", "Looks at"),
        ),
    )


def coefficients_rows(estimate: EstimateComparison, chance: ChanceLevel | None) -> Rows:
    """A row per coefficient."""
    random = {} if chance is None else {value.name: value.mean for value in chance.values}
    return [
        {
            "symbol": c.symbol,
            "label": c.label,
            "value": c.value,
            "low": None if c.interval is None else c.interval.low,
            "high": None if c.interval is None else c.interval.high,
            "chance": random.get(c.name),
            "looks at": c.looks_at,
        }
        for c in estimate.coefficients
    ]


def kept_swaps(estimates: Sequence[EstimateComparison], most: int) -> int:
    """How many swaps of each estimate a page has room for."""
    return max(200, most // max(1, len(estimates)))
