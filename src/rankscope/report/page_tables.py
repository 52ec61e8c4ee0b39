"""Tables of a page that a judge's answer and a comparison share: systems, swaps, coefficients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankscope.report.charts.scores import told_apart_swaps
from rankscope.report.page_views import Column, TableForm
from rankscope.report.theme import label
from rankscope.studies.judging.ceiling import Ceiling
from rankscope.studies.judging.floor import Floor
from rankscope.studies.parts import EstimateComparison

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
            Column("swaps", "Swapped, told apart", "count"),
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
            *((Column("p", "p, truth", "p"), Column("apart", "Told apart", "yes")) if tested else ()),
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


def coefficients_form(*, bounds: bool) -> TableForm:
    """Every coefficient, with ceiling and floor where there can be any."""
    limits = (
        Column("fresh", "Fresh topics", "number", 3),
        Column("fresh low", "Range", "interval", 3, "fresh high"),
        Column("floor", "Shuffled labels", "number", 3),
    )
    return TableForm(
        "coefficients",
        "Every coefficient",
        (
            Column("symbol", "Symbol"),
            Column("label", "Coefficient"),
            Column("value", "Value", "number", 3),
            Column("low", "Interval", "interval", 3, "high"),
            *(limits if bounds else ()),
            Column("p", "p, chance", "p"),
            Column("looks at", "Looks at"),
        ),
    )


def coefficients_rows(estimate: EstimateComparison, ceiling: Ceiling | None, floor: Floor | None) -> Rows:
    """A row per coefficient."""
    fresh = {} if ceiling is None else {f.name: f for f in ceiling.fresh}
    shuffled = {} if floor is None else {f.name: f.mean for f in floor.values}
    rows: Rows = []
    for c in estimate.coefficients:
        top = fresh.get(c.name)
        rows.append(
            {
                "symbol": c.symbol,
                "label": c.label,
                "value": c.value,
                "low": None if c.interval is None else c.interval.low,
                "high": None if c.interval is None else c.interval.high,
                "fresh": None if top is None else top.mean,
                "fresh low": None if top is None else top.interval.low,
                "fresh high": None if top is None else top.interval.high,
                "floor": shuffled.get(c.name),
                "p": c.pvalue,
                "looks at": c.looks_at,
            }
        )
    return rows


def kept_swaps(estimates: Sequence[EstimateComparison], most: int) -> int:
    """How many swaps of each estimate a page has room for."""
    return max(200, most // max(1, len(estimates)))
