"""The tables of comparisons: one row per estimate and coefficient, system, swap, group or topic.

`compare` and `judge` share them. Each comparison comes with its key, such as its judge and measure, which fills the
first columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankscope.inference.topic_level import TOPIC_COLUMNS
from rankscope.results import ENDS, Table, rows_table
from rankscope.studies.decisiveness import BIAS_COLUMNS

if TYPE_CHECKING:
    from rankscope.inference.contrasts import Contrast
    from rankscope.studies.comparison_result import EstimateComparison, SystemComparison

Key = dict[str, str]
# A comparison and what tells it from the others, by column: {"measure": "AP", "estimate": "umbrela"}.
Keyed = tuple[Key, "EstimateComparison"]

_COEFFICIENT = {
    **{"coefficient": "name", "value": "value", **ENDS, "pvalue": "pvalue"},
    **{"ties_least": "ties.least", "ties_greatest": "ties.greatest"},
}
# The coefficients that a table of few columns shows.
FEW = ("tau_b", "tau_ap", "tau_gap", "pearson_rank", "rbo")
_ORDERS = {"alike": "same order", "opposite": "opposite"}
_GROUP = ("group", "systems", "shift", "advantage", *ENDS.values(), "pvalue", "ranks_gained")
_CLUSTER = {
    **{"systems": "names", "correlation": "correlation", "joined_pvalue": "joined_pvalue"},
    **{"advantage": "shift.advantage", "low": "shift.interval.low", "high": "shift.interval.high"},
    **{"pvalue": "shift.pvalue", "ranks_gained": "shift.ranks_gained"},
}
_CONTRAST = {
    **{"coefficient": "name", "first": "first", "second": "second", "difference": "difference", **ENDS},
    **{"pvalue": "pvalue", "adjusted": "adjusted"},
}


def coefficient_table(compared: Sequence[Keyed]) -> Table:
    """One row per comparison and coefficient."""
    return _stacked(compared, lambda e: e.coefficients, _COEFFICIENT)


def estimate_table(compared: Sequence[Keyed]) -> Table:
    """One row per comparison: the verdict and what it rests on."""
    rows = [{**key, **_summary(e)} for key, e in compared]
    shown = ("verdict", "worth", "worth_low", "worth_high", "expected_tau", "tau_b", "tau_b_low", "tau_b_high")
    brief = (*compared[0][0], *shown, "significant_swaps", "same_winner")
    return Table(tuple(rows[0]), tuple(tuple(row.values()) for row in rows), brief=brief)


def _summary(e: EstimateComparison) -> dict[str, Any]:
    worth, chance, own = e.verdict and e.verdict.worth, e.chance, {c.name: c for c in e.coefficients}
    tau = own.get("tau_b")
    return {
        "verdict": e.verdict and e.verdict.level,
        "worth": worth and worth.worth,
        "worth_low": worth and worth.interval.low,
        "worth_high": worth and worth.interval.high,
        "expected_tau": worth and worth.tau_judge,
        "tau_b": tau and tau.value,
        "tau_b_low": tau and tau.interval and tau.interval.low,
        "tau_b_high": tau and tau.interval and tau.interval.high,
        "chance_pvalue": chance and chance.pvalue,
        "swaps": e.swap_count,
        "significant_swaps": e.separation and e.separation.swaps,
        "same_winner": e.winner.same,
    }


def comparison_tables(compared: Sequence[Keyed], truth: str, side: str = "estimate") -> dict[str, Table]:
    """The other tables that two rankings give, by name; `side` is what columns call an estimate: a judge, say."""
    scores = {f"truth_score{end}": f"truth{end}" for end in ("", "_low", "_high")}
    scores |= {f"{side}_score{end}": f"estimate{end}" for end in ("", "_low", "_high")}
    ranks = {"truth_rank": "truth_rank", f"{side}_rank": "estimate_rank"}
    swap = {"better": "better", "worse": "worse", "truth_gap": "truth_gap", f"{side}_gap": "estimate_gap"}
    swap |= {"pvalue": "pvalue", "significant": "significant"}
    pairs = {
        **{name: name for name in ("pairs", "both_alike", "both_opposite")},
        **{f"{side}_only_{order}": f"judge_only_{order}" for order in ("alike", "opposite")},
        **{name: name for name in ("truth_only_alike", "truth_only_opposite", "neither")},
    }
    names = {"truth_score": truth, "truth_rank": f"rank by {truth}", "truth_gap": f"gap by {truth}"}
    names |= {f"truth_only_{order}": f"{truth} only, {said}" for order, said in _ORDERS.items()}
    sides = {e.name for _, e in compared}
    if len(sides) == 1:
        (only,) = sides
        names |= {f"{side}_only_{order}": f"{only} only, {said}" for order, said in _ORDERS.items()}
        names |= {f"{side}_score": only, f"{side}_rank": f"rank by {only}", f"{side}_gap": f"gap by {only}"}
    tables = {
        "by topic": _stacked(compared, lambda e: e.by_topic, TOPIC_COLUMNS),
        "bias": _stacked(compared, lambda e: [] if e.decisiveness is None else e.decisiveness.systems, BIAS_COLUMNS),
        "correlations": _correlations(compared),
        "systems": _stacked(compared, lambda e: e.systems, {"system": "system", **scores, **ranks}, names),
        "ranks": _ranks(compared, side, names),
        "movers": _stacked(compared, _movers, {"system": "system", **ranks, "places": "places"}, names),
        "swaps": _stacked(compared, lambda e: e.swaps, swap, names),
        "pairs": _stacked(compared, lambda e: [] if e.certainty is None else [e.certainty], pairs, names),
        "top": _stacked(compared, lambda e: e.top, ("k", "shared", "share")),
        "groups": _stacked(compared, lambda e: e.groups, _GROUP),
        "clusters": _stacked(compared, lambda e: e.clusters or (), _CLUSTER),
        "topics": _stacked(compared, lambda e: e.influence, {"topic": "topic", "tau_change": "change"}),
    }
    # What was not asked for, or cannot be known, has no table; that nothing moves is an answer.
    return {name: table for name, table in tables.items() if table.rows or name in ("movers", "swaps")}


def contrast_tables(contrasts: Iterable[tuple[Key, Contrast]]) -> dict[str, Table]:
    """The table with one row per coefficient and two estimates, if there are several estimates."""
    given = list(contrasts)
    return {"contrasts": _keyed(given, rows_table([c for _, c in given], _CONTRAST))} if given else {}


def _stacked(
    compared: Sequence[Keyed],
    parts: Callable[[EstimateComparison], Sequence[Any]],
    columns: Sequence[str] | Mapping[str, str],
    names: Mapping[str, str] | None = None,
) -> Table:
    """The parts of all comparisons below each other, each after its key."""
    given = [(key, part) for key, e in compared for part in parts(e)]
    table = rows_table([part for _, part in given], columns)
    used = {column: name for column, name in (names or {}).items() if column in table.columns}
    return replace(_keyed(given, table, tuple(compared[0][0])), names=used)


def _keyed(given: Sequence[tuple[Key, Any]], table: Table, columns: Sequence[str] | None = None) -> Table:
    rows = tuple((*key.values(), *row) for (key, _), row in zip(given, table.rows, strict=True))
    return replace(table, columns=(*(columns or given[0][0]), *table.columns), rows=rows)


def _correlations(compared: Sequence[Keyed]) -> Table:
    """One row per comparison, one column per coefficient."""
    chosen = tuple(dict.fromkeys(c.name for _, e in compared for c in e.coefficients))
    values = [(key, {c.name: c.value for c in e.coefficients}) for key, e in compared]
    rows = tuple((*key.values(), *(own.get(name) for name in chosen)) for key, own in values)
    few = tuple(name for name in FEW if name in chosen) or chosen[: len(FEW)]
    return Table((*compared[0][0], *chosen), rows, digits=3, brief=(*compared[0][0], *few))


def _ranks(compared: Sequence[Keyed], side: str, names: Mapping[str, str]) -> Table:
    """One row per measure and system: its score in the truth, and its rank there and by every estimate."""
    sides = tuple(dict.fromkeys(key[side] for key, _ in compared))
    by_measure: dict[str | None, dict[str, EstimateComparison]] = {}
    for key, e in compared:
        by_measure.setdefault(key.get("measure"), {})[key[side]] = e
    rows: list[tuple[Any, ...]] = []
    for measure, own in by_measure.items():
        ranks = {name: {s.system: s.estimate_rank for s in e.systems} for name, e in own.items()}
        systems = {s.system: s for e in own.values() for s in e.systems}
        for system in sorted(systems.values(), key=lambda s: s.truth_rank):
            first = (system.system, system.truth, system.truth_rank)
            places = (ranks.get(name, {}).get(system.system) for name in sides)
            rows.append((*(() if measure is None else (measure,)), *first, *places))
    columns = ("measure",) if "measure" in compared[0][0] else ()
    own_columns = {f"{name} rank": f"rank by {name}" for name in sides}
    return Table(
        (*columns, "system", "truth_score", "truth_rank", *own_columns),
        tuple(rows),
        names={"truth_score": names["truth_score"], "truth_rank": names["truth_rank"], **own_columns},
    )


def _movers(e: EstimateComparison) -> list[SystemComparison]:
    """The systems whose rank changes, the largest change first."""
    return sorted((s for s in e.systems if s.places), key=lambda s: (-abs(s.places), s.truth_rank))
