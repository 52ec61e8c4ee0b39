"""Text that commands show before or instead of the table of a result, by the name of its class."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from rankscope.cli import streams

if TYPE_CHECKING:
    from rankscope.report.text_tables import TextTable
    from rankscope.results import Result
    from rankscope.studies.estimators import EstimatorStudy
    from rankscope.studies.reliability import Reliability
    from rankscope.studies.swaps import SwapStudy
    from rankscope.studies.weights import PairWeights

# Pairs of each coefficient in the terminal; files have all.
_SHOWN = 10


def show(result: Result) -> bool:
    """Show the words for a result, if there are some; whether they are all there is to show."""
    name = type(result).__name__
    if name in _BEFORE:
        streams.show(*_BEFORE[name](result))
    elif name in _INSTEAD:
        streams.show(*_INSTEAD[name](result))
    return name in _INSTEAD


def _reliability(result: Reliability) -> Iterator[str]:
    from rankscope.studies.reliability_words import sentences

    cell = result.estimator_table().cell
    estimates = (f"{e.estimator} {cell(e.tau)} {cell(e.tau_ap)}" for e in result.estimators)
    yield from sentences(result)
    yield f"Estimates of τ and τ_AP: {', '.join(estimates)}."
    yield ""


def _swaps(result: SwapStudy) -> Iterator[str]:
    pairs, draws, swaps = sum(result.pairs.values()), result.settings["draws"], result.settings["swaps"]
    yield (
        f"{result.pairs['significant']:,} of {pairs:,} pairs differ significantly ({result.share:.1%}); "
        f"coefficients over {draws:,} draws of {swaps} swaps:\n"
    )


def _weights(result: PairWeights) -> Iterator[str | TextTable]:
    from rankscope.report.text_tables import TextTable

    heaviest = result.heaviest(_SHOWN)
    rows = tuple(tuple(map(heaviest.cell, row)) for row in heaviest.rows)
    yield f"The pairs that weigh most, of {len(result.table().rows) // len(result.coefficients):,}\n"
    yield TextTable(columns=heaviest.columns, rows=rows, right=frozenset({1, 2, 5, 6}))
    yield "\nAll pairs: --format csv, or a picture: -o weights.svg"


def _estimators(study: EstimatorStudy) -> Iterator[str | TextTable]:
    """Curves as tables: a person compares estimators along a row."""
    from rankscope.coefficients import coefficient

    for scores, systems in study.systems.items():
        for name in study.coefficients:
            symbol = coefficient(name).record.symbol
            for quantity, meaning in (("error", "mean absolute error"), ("bias", "bias, estimate less actual")):
                title = f"{scores}, {systems} systems, {symbol}: {meaning}, ± its standard error"
                yield from (_curve(study, scores, name, quantity, title), "")


def _curve(study: EstimatorStudy, scores: str, coefficient: str, quantity: str, title: str) -> TextTable:
    from rankscope.report.text_tables import TextTable

    errors = {
        (error.topics, error.estimator): error
        for error in study.errors
        if (error.scores, error.coefficient) == (scores, coefficient)
    }
    columns = ("topics", "actual", "spread", *study.estimators)
    rows = []
    for size in study.sizes:
        row = [errors[size, estimator] for estimator in study.estimators]
        values = ((getattr(error, quantity), getattr(error, f"{quantity}_se")) for error in row)
        cells = (f"{value:.4f}" + ("" if se is None else f" ±{se:.4f}") for value, se in values)
        rows.append((str(size), f"{row[0].actual:.4f}", f"{row[0].spread:.4f}", *cells))
    return TextTable(columns=columns, rows=tuple(rows), right=frozenset(range(len(columns))), title=title)


_BEFORE: dict[str, Callable[[Any], Iterator[str | TextTable]]] = {"Reliability": _reliability, "SwapStudy": _swaps}
_INSTEAD: dict[str, Callable[[Any], Iterator[str | TextTable]]] = {
    "PairWeights": _weights,
    "EstimatorStudy": _estimators,
}
