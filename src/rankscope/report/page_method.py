"""Method notes and provenance of a page: only what was used, from the records that computed it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rankscope.coefficients import coefficient
from rankscope.files.fingerprints import as_given
from rankscope.report.numbers import percent
from rankscope.report.page_formulas import FORMULAS, SAME, mathml
from rankscope.report.page_model import Method
from rankscope.studies.comparison_result import CoefficientValue, EstimateComparison

_CORRECTIONS = {
    "none": ("not adjusted", ""),
    "bonferroni": ("adjusted (Bonferroni)", ""),
    "holm": ("adjusted (Holm)", "Holm 1979"),
    "bh": ("adjusted (Benjamini and Hochberg)", "Benjamini & Hochberg 1995"),
}
_VERDICT = Method(
    "The verdict",
    "The most favourable claim whose bound is proven. Every condition is listed under the verdict; docs/verdict.md of "
    "rankscope has the rule, its limits, and its error rates.",
)
_WORTH = Method(
    "Worth of a topic",
    "On both sides, scores are centred by topic and split into differences between systems that hold over topics and "
    "topic sampling error. a is the sampling error of a topic of the estimate relative to one of "
    "the truth, b the estimate's own errors on systems, which N topics do not remove. The interval comes from leaving "
    "out one topic and one system at a time (t), and is never narrower than χ² allows for a bias that these systems do "
    "not show. Expected τ with the true ranking is by the estimator MSQD, at N topics and at worth × N.",
    "Urbano & Marrero 2016",
    mathml(r'"worth" = \frac{1}{a + b N}'),
)
_RANK_DISTANCE = Method(
    "Rank distance",
    "The smallest distance, in units of topic sampling error, by which system means must move for the truth's ranking "
    "to become the estimate's. Its p-value is under resampling of the truth's own topics. Rankings by new topics are "
    "rejected more often than its level says, so it does not test whether an estimate can replace the truth.",
    "Carterette 2009",
)


def comparison_methods(compared: Sequence[EstimateComparison], measures: Iterable[str], resamples: int) -> list[Method]:
    """A note on every method that these comparisons used."""
    methods = [_VERDICT, _WORTH] if any(e.verdict is not None for e in compared) else []
    methods += _coefficients(c for e in compared for c in e.coefficients)
    methods += _measures(measures)
    methods += _intervals(compared, resamples)
    if any(e.rank_distance is not None for e in compared):
        methods.append(_RANK_DISTANCE)
    tested = next((e.separation for e in compared if e.separation is not None), None)
    if tested is not None:
        how, reference = _CORRECTIONS.get(tested.correction, (f"adjusted ({tested.correction})", ""))
        limit = f"p ≤ {tested.alpha:g}, {how}"
        over = "by their standard errors" if tested.test == "z" else "over topics"
        text = f"Two systems differ significantly on a side where a {tested.test}-test {over} has {limit}."
        methods.append(Method("Significantly different pairs", text, reference))
    return methods


def _coefficients(values: Iterable[CoefficientValue]) -> list[Method]:
    """A note per coefficient; the mean of both directions shares the note of the one direction."""
    notes: dict[str, Method] = {}
    for value in values:
        record = coefficient(value.name).record
        own = SAME.get(record.name, record.name)
        if own in notes:
            continue
        low, high = record.range
        span = f"From {low:g} to {high:g}.".replace("-", "−")
        text = f"{FORMULAS[own].letters} {span} Ties: {record.ties}."
        if any(p.name == "symmetric" for p in record.parameters):
            text += f" {record.symbol} sym. is the mean of both directions."
        notes[own] = Method(f"{record.symbol}: {record.label}", text, record.reference, mathml(FORMULAS[own].source))
    return list(notes.values())


def _measures(measures: Iterable[str]) -> list[Method]:
    """A note per measure that has a record."""
    from rankscope.errors import RankscopeError
    from rankscope.measures.registry import parse_measures

    notes = []
    for name in measures:
        try:
            record = parse_measures(name)[0].record
        except RankscopeError:
            continue  # the name of a measure in a score table is free
        looks_at = record.looks_at[0].upper() + record.looks_at[1:]
        unjudged = f" Unjudged documents: {record.unjudged}." if record.unjudged != "not used" else ""
        notes.append(Method(f"{name}: {record.label}", f"{looks_at}.{unjudged}", record.reference))
    return notes


def _intervals(compared: Sequence[EstimateComparison], resamples: int) -> list[Method]:
    """A note per method of intervals."""
    levels = {c.interval.method: c.interval.level for e in compared for c in e.coefficients if c.interval is not None}
    means = any(s.truth_low is not None for e in compared for s in e.systems)
    notes = []
    for method, level in levels.items():
        text = "For rankings without topics or standard errors."
        if method.startswith("parametric bootstrap"):
            text = (
                f"Means drawn with normal errors of the sides' standard errors, {resamples:,} times; all independent."
            )
        if method.startswith("topic bootstrap"):
            text = f"Topics drawn with replacement, {resamples:,} times, all coefficients from the same draws."
        by = "t intervals over topics" if method.startswith("topic") else "normal intervals from their standard errors"
        text += f" Means of systems have {by}." if means else ""
        notes.append(Method(f"{percent(level)} intervals: {method}", text))
    return notes


def provenance(result: Any, facts: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """What is needed to make the result again; without a date, so that equal input gives an equal page."""
    settings: Mapping[str, Any] = result.settings
    versions = ", ".join(f"{name} {version}" for name, version in result.versions.items())
    apart = ("seed", "inputs", "providers", "coefficients", "on_missing", "scales")
    written = [f"{key.replace('_', ' ')} {_written(value)}" for key, value in settings.items() if key not in apart]
    lines = [
        *facts,
        ("Versions", versions),
        ("Seed", str(settings.get("seed", "–"))),
        ("Settings", ", ".join(written)),
    ]
    providers = settings.get("providers")
    if providers:
        lines.append(("Measures computed by", ", ".join(f"{name}: {who}" for name, who in providers.items())))
    for given in settings.get("inputs", ()):
        files = f"{given['files']:,} files, " if given["files"] != 1 else ""
        content = "a pipe" if given["blake2b"] is None else f"{given['bytes']:,} bytes, blake2b {given['blake2b']}"
        lines.append((f"Input: {given['role'].strip()}", f"{as_given(given)} ({files}{content})"))
    return tuple(lines)


def _written(value: Any) -> str:
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else f"{value}"
