"""Method notes and provenance of a page: only what was used, told by the records that computed it."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from typing import Any

from rankscope.coefficients import coefficient
from rankscope.report.page_formulas import FORMULAS, LETTERS, SAME
from rankscope.report.page_references import REFERENCES, cited
from rankscope.report.page_views import Method
from rankscope.studies.comparison_result import CoefficientValue, EstimateComparison

_CORRECTIONS = {
    "none": ("not corrected for their number", ""),
    "bonferroni": ("corrected by Bonferroni", ""),
    "holm": ("corrected by Holm", "Holm 1979"),
    "bh": ("corrected by Benjamini and Hochberg", "Benjamini & Hochberg 1995"),
}
RANK_DISTANCE = Method(
    "Rank distance",
    "",
    "The least distance, in units of topic sampling error, that system means must move for the truth's ranking to "
    "become the estimate's. Its p is under resampling of the truth's own topics: rankings by new topics are rejected "
    "more often than its level says, so that it is no test of a substitute.",
    "Carterette 2009",
)


def coefficient_methods(values: Iterable[CoefficientValue]) -> list[Method]:
    """One note per coefficient; the mean of both directions has the note of the one direction."""
    found: dict[str, Method] = {}
    for value in values:
        record = coefficient(value.name).record
        own = SAME.get(record.name, record.name)
        if own in found:
            continue
        low, high = record.range
        span = f"From {low:g} to {high:g}.".replace("-", "−")
        text = f"{LETTERS[own]} {span} Ties: {record.ties}."
        both = " sym. is the mean of both directions." if any(p.name == "symmetric" for p in record.parameters) else ""
        text += f" {record.symbol}{both}" if both else ""
        found[own] = Method(f"{record.symbol}: {record.label}", FORMULAS[own], text, record.reference)
    return list(found.values())


def measure_methods(measures: Iterable[str]) -> list[Method]:
    """One note per measure that has a record."""
    from rankscope.errors import RankscopeError
    from rankscope.measures.registry import parse_measures

    found = []
    for name in measures:
        try:
            record = parse_measures(name)[0].record
        except RankscopeError:
            continue  # a score table may call its measure anything
        what = record.looks_at[0].upper() + record.looks_at[1:]
        unjudged = f" Unjudged documents: {record.unjudged}." if record.unjudged != "not used" else ""
        found.append(Method(f"{name}: {record.label}", "", f"{what}.{unjudged}", record.reference))
    return found


def interval_methods(estimates: Iterable[EstimateComparison], resamples: int) -> list[Method]:
    """How intervals were made, a note for each way."""
    every = list(estimates)
    ways = {c.interval.method: c.interval.level for e in every for c in e.coefficients if c.interval is not None}
    means = any(s.truth_low is not None for e in every for s in e.systems)
    found = []
    for method, level in ways.items():
        drawn = (
            f"Topics drawn with replacement, {resamples:,} times, all coefficients from the same draws."
            if method.startswith("topic bootstrap")
            else "For rankings without topics."
        )
        own = " Means of systems have t intervals over topics." if means else ""
        found.append(Method(f"{level:.0%} intervals: {method}", "", drawn + own, ""))
    return found


def pair_method(test: str, correction: str, alpha: float) -> Method:
    """How significantly different pairs were found."""
    how, reference = _CORRECTIONS.get(correction, (f"corrected by {correction}", ""))
    name = {"t": "paired t-test"}.get(test, test)
    return Method(
        "Significantly different pairs",
        "",
        f"Two systems differ significantly on a side where a {name} over topics gives p ≤ {alpha:g}, {how}.",
        reference,
    )


def references(methods: Iterable[Method]) -> tuple[str, ...]:
    """The references of the methods, each once, by author."""
    return tuple(sorted({text for method in methods for text in cited(method.reference) if text in _KNOWN}))


_KNOWN = frozenset(REFERENCES.values())


def provenance(settings: Mapping[str, Any], facts: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """What a reader needs to make the page again; no date, so that the same input gives the same file."""
    import numpy

    import rankscope

    found = [
        *facts,
        (
            "Versions",
            f"rankscope {rankscope.__version__}, Python {platform.python_version()}, numpy {numpy.__version__}",
        ),
        ("Seed", str(settings.get("seed", "–"))),
    ]
    told = ", ".join(
        f"{key.replace('_', ' ')} {_said(value)}"
        for key, value in settings.items()
        if key not in ("seed", "inputs", "providers", "coefficients", "on_missing")
    )
    found.append(("Settings", told))
    providers = settings.get("providers")
    if providers:
        found.append(("Measures computed by", ", ".join(f"{name}: {who}" for name, who in providers.items())))
    for given in settings.get("inputs", ()):
        files = f"{given['files']:,} files, " if given["files"] != 1 else ""
        content = "a pipe" if given["blake2b"] is None else f"{given['bytes']:,} bytes, blake2b {given['blake2b']}"
        found.append((f"Input: {given['role'].strip()}", f"{given['path']} ({files}{content})"))
    return tuple(found)


def _said(value: Any) -> str:
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else f"{value}"
