"""The studies of measures as text: a heading, sentences, compact tables; up to a hundred columns wide."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankscope.errors import BadParameter
from rankscope.names import without_common_start
from rankscope.report.text_tables import TextTable, clean, width
from rankscope.studies.metrics.correlation import CorrelationPart, MeasureCorrelations
from rankscope.studies.metrics.depths import DepthPredictions
from rankscope.studies.metrics.given import MeasurePrediction
from rankscope.studies.metrics.models import CollectionFit
from rankscope.studies.metrics.prediction import MeasurePredictions
from rankscope.studies.metrics.ranking import MeasureRanking

# The threshold above which rankings are traditionally called alike (Voorhees 2000).
_ALIKE = 0.9
_MATRIX_UP_TO = 30
_PREDICTORS_WIDTH = 44


def headline(result: object) -> str:
    """What was asked, in a line."""
    if isinstance(result, MeasureCorrelations):
        over = "cells of topics × systems" if result.by == "topics" else "systems"
        where = ", ".join(result.collections)
        return f"How {len(result.measures)} measures correlate ({result.coefficient}) over {over}: {where}"
    if isinstance(result, MeasurePredictions):
        targets = len(dict.fromkeys(model.target for model in result.models))
        return f"{_count(targets, 'measure')} predicted from others, fitted on {', '.join(result.training)}"
    if isinstance(result, DepthPredictions):
        return f"Deep measures predicted from shallow ones, fitted on {', '.join(result.training)}"
    if isinstance(result, MeasurePrediction):
        ends = result.interval
        return f"{result.target} ≈ {result.value:.3f}, {ends.level:.0%} interval {ends.low:.3f} to {ends.high:.3f}"
    if isinstance(result, MeasureRanking):
        over = "cells of topics × systems" if result.by == "topics" else "systems"
        where = ", ".join(result.collections)
        return (
            f"{len(result.measures)} measures by the determinant of their {result.matrix}, over "
            f"{result.observations:,} {over}: {where}"
        )
    raise BadParameter(f"there is no text of {type(result).__name__}")


def body(result: object) -> list[TextTable | str]:
    """What is said below the heading."""
    if isinstance(result, MeasureCorrelations):
        return [block for part in result.parts for block in _correlations(result, part)] + _why_no_interval(result)
    if isinstance(result, MeasurePredictions):
        return _predictions(result)
    if isinstance(result, DepthPredictions):
        return _depths(result)
    if isinstance(result, MeasurePrediction):
        return list(_given(result))
    if isinstance(result, MeasureRanking):
        return _ranking(result)
    return []


def short_names(names: Sequence[str]) -> list[str]:
    """Names without what all begin or end with, up to a mark between words: result_wt2012, result_wt2013 → wt2012 …

    >>> short_names(["result_wt2012", "result_wt2013"]), short_names(["trec5"])
    (['wt2012', 'wt2013'], ['trec5'])
    """
    own = without_common_start(names)
    return [name[::-1] for name in without_common_start([name[::-1] for name in own])]


def _correlations(result: MeasureCorrelations, part: CorrelationPart) -> list[TextTable | str]:
    title = "" if len(result.parts) == 1 else f"{part.collection}: "
    strongest = {(p.first, p.second): p.interval for p in part.pairs}
    strongest |= {(p.second, p.first): p.interval for p in part.pairs if (p.second, p.first) not in strongest}
    rows = []
    for one in sorted(part.partners, key=lambda p: -p.mean):
        ends = strongest[one.measure, one.partner]
        cells = [one.measure, one.partner, f"{one.value:.3f}"]
        if result.no_interval is None:
            cells.append("–" if ends is None else f"{ends.low:.3f} to {ends.high:.3f}")
        rows.append((*cells, f"{one.mean:.3f}"))
    level = f"{result.settings['level']:.0%} interval"
    columns = ["measure", "strongest partner", result.symbol, *([] if result.no_interval else [level]), "mean of all"]
    symmetric = len(part.pairs) == len(part.partners) * (len(part.partners) - 1) // 2
    way = "" if symmetric else ", mean of both directions"
    blocks: list[TextTable | str] = [
        TextTable(
            columns=tuple(columns),
            rows=tuple(rows),
            right=frozenset({2, len(columns) - 1}),
            title=f"{title}{part.observations:,} observations; each measure's strongest partner{way}",
        ),
        *_groups(part),
    ]
    least = next(one for one in part.partners if one.measure == part.least)
    blocks.append(f"Least like the others: {part.least}, {result.symbol} {least.mean:.3f} on average.")
    if len(result.measures) <= _MATRIX_UP_TO:
        blocks.append(_matrix(result, part))
    return blocks


def _groups(part: CorrelationPart) -> list[str]:
    together = [group for group in part.clusters.groups if len(group) > 1]
    alone = [group[0] for group in part.clusters.groups if len(group) == 1]
    found = [f"Groups at a mean of {part.clusters.threshold:g} or more (average linkage):"]
    found += [f"  {', '.join(group)}" for group in together]
    if alone:
        found.append(f"  each alone: {', '.join(alone)}")
    return ["\n".join(found)]


def _matrix(result: MeasureCorrelations, part: CorrelationPart) -> str:
    """All values in hundredths, two digits a cell; half of a symmetric matrix, names on its diagonal."""
    order = [result.measures.index(name) for name in part.clusters.order]
    names = [clean(result.measures[i]) for i in order]
    half = len(part.pairs) == len(order) * (len(order) - 1) // 2
    cells = [
        [_hundredths(part.matrix[i, j]) if i != j else "·" for j in (order[:row] if half else order)]
        for row, i in enumerate(order)
    ]
    digits = len(str(len(order)))
    wide = max([digits, *(len(text) for row in cells for text in row)])
    label = 0 if half else max(width(name) for name in names) + 1
    lines = [f"{result.symbol} × 100, in the order of the clusters:"]
    for i, (name, row) in enumerate(zip(names, cells, strict=True)):
        before = "" if half else name + " " * (label - width(name))
        numbers = [f"{text:>{wide}}" for text in row]
        lines.append(" ".join([f"{before}{i + 1:>{digits}}", *numbers, *([name] if half else [])]))
    count = len(order) - 1 if half else len(order)
    lines.append(" " * (label + digits + 1) + " ".join(f"{i + 1:>{wide}}" for i in range(count)))
    return "\n" + "\n".join(lines)


def _hundredths(value: float) -> str:
    return "–" if math.isnan(value) else f"{100.0 * value:.0f}".replace("-", "−")


def _why_no_interval(result: MeasureCorrelations) -> list[TextTable | str]:
    return [] if result.no_interval is None else [f"No intervals: {result.no_interval}."]


def _predictions(result: MeasurePredictions) -> list[TextTable | str]:
    several = len({model.model for model in result.models}) > 1
    chosen, *tests = short_names([result.chosen_on, *result.tests]) if result.tests else [result.chosen_on]
    columns = ["target", "predictors", *(["model"] if several else []), f"τ {chosen}", "R²"]
    for name in tests:
        columns += [f"τ {name}", "R²"]
    rows: list[tuple[str, ...]] = []
    before = None
    for m in result.models:
        shown = "" if m.target == before else m.target
        before = m.target
        flag = " (dependent)" if m.dependent else ""
        cells = [shown, _shortened(" + ".join(m.predictors)) + flag, *([m.model] if several else [])]
        cells += [_tau(m.tau), _r2(m.r2)]
        for test in m.tests:
            cells += [_tau(test.tau), _r2(test.r2)]
        rows.append(tuple(cells))
    first = 3 if several else 2
    table = TextTable(columns=tuple(columns), rows=tuple(rows), right=frozenset(range(first, len(columns))))
    return [
        table,
        f"The best of {result.subsets:,} subsets for each target and size, by {_criterion(result.chosen_by)} "
        f"{_judged_on(result.development)}; * is τ of {_ALIKE:g} or more.",
        *_coverage([m.tests for m in result.models], result.settings["level"]),
    ]


def _judged_on(development: Sequence[str]) -> str:
    return f"on {', '.join(development)}" if development else "on each training collection left out in turn"


def _coverage(tests: Sequence[Sequence[CollectionFit]], level: float) -> list[str]:
    """How many systems of each test collection lie in their prediction intervals, over all linear models."""
    shares: dict[str, list[float]] = {}
    for each in tests:
        for test in each:
            if test.covered is not None:
                shares.setdefault(test.collection, []).append(test.covered)
    if not shares:
        return []
    listed = ", ".join(f"{sum(found) / len(found):.0%} on {name}" for name, found in shares.items())
    return [f"Systems within their {level:.0%} prediction intervals, over all linear models: {listed}."]


def _depths(result: DepthPredictions) -> list[TextTable | str]:
    chosen, *tests = short_names([result.chosen_on, *result.tests]) if result.tests else [result.chosen_on]
    columns = ["target", "from", "predictors", *(f"τ, R² {name}" for name in (chosen, *tests))]
    blocks: list[TextTable | str] = []
    for high in dict.fromkeys(p.high for p in result.predictions):
        rows: list[tuple[str, ...]] = []
        before = None
        for p in (each for each in result.predictions if each.high == high):
            names = ", ".join(name.split(":", 1)[1] for name in p.model.predictors)
            cells = ["" if p.target == before else p.target, str(p.low), _shortened(names, 28)]
            before = p.target
            for tau, r2 in ((p.model.tau, p.model.r2), *((test.tau, test.r2) for test in p.model.tests)):
                cells.append(f"{_tau(tau)}, {_r2(r2)}")
            rows.append(tuple(cells))
        blocks.append(
            TextTable(
                columns=tuple(columns),
                rows=tuple(rows),
                right=frozenset({1, *range(3, len(columns))}),
                title=f"Measures at depth {high:,}",
            )
        )
    how = f"The best subset of any size, by {_criterion(result.chosen_by)} {_judged_on(result.development)}"
    return [*blocks, f"{how}; * is τ of {_ALIKE:g} or more."]


def _given(result: MeasurePrediction) -> list[str]:
    given = ", ".join(f"{name} = {value:g}" for name, value in result.given.items())
    terms = "".join(f" {'−' if s < 0 else '+'} {abs(s):.4f} {name}" for name, s in result.slopes.items())
    fitted = f"{result.target} = {_signed(result.intercept)}{terms}"
    lines = [
        f"Given {given}. Fitted on {result.systems:,} systems of {', '.join(result.training)}: {fitted}; "
        f"R² {result.r2:.3f}, residual standard deviation {result.spread:.4f}.",
    ]
    if result.elsewhere is not None:
        low, high = result.elsewhere.low, result.elsewhere.high
        lines.append(f"For a system on another collection than these: {low:.3f} to {high:.3f}.")
    check = f"Check: {result.covered:.0%} of the systems lie in their interval when they are left out of the fit"
    if result.covered_elsewhere is not None:
        check += f", {result.covered_elsewhere:.0%} when their whole collection is"
    lines.append(check + ".")
    if result.beyond:
        lines.append(f"No training system scores so by {', '.join(result.beyond)}: this extrapolates.")
    if result.dependent:
        lines.append("The given measures are linearly dependent; they share their slopes.")
    if result.clipped:
        lines.append("Cut to the range of scores, 0 to 1.")
    return lines


def _ranking(result: MeasureRanking) -> list[TextTable | str]:
    columns = ["rank"]
    for order in result.orders:
        columns += [order.label, "log det"]
    rows: list[tuple[str, ...]] = []
    for i, best in enumerate(result.optimum):
        cells = [str(i + 1)]
        for order in result.orders:
            one = order.ranked[i]
            optimal = one.log_det >= best.log_det - 1e-9 * abs(best.log_det)
            cells += [one.measure, ("= " if optimal else "") + _signed(one.log_det, 2)]
        rows.append((*cells, _signed(best.log_det, 2)))
    columns.append("greatest")
    right = frozenset({0, *range(2, len(columns), 2), len(columns) - 1})
    proven = all(best.exact for best in result.optimum)
    blocks: list[TextTable | str] = [
        TextTable(columns=tuple(columns), rows=tuple(rows), right=right),
        "log det is that of the measures down to the rank; = where no set of as many has a greater one"
        + (" (proven by branch and bound)." if proven else " that was found (exchange from many starts)."),
    ]
    if result.ridge:
        groups = "; ".join(", ".join(group) for group in result.alike)
        blocks.append(
            f"The {result.matrix} is nearly singular, since these are (nearly) alike: {groups}. A share of "
            f"{result.ridge:g} was added to each variance; of measures alike the first is kept longest."
        )
    if result.stability:
        blocks.append(_stability(result))
    return blocks


def _stability(result: MeasureRanking) -> TextTable:
    tops = list(result.stability[0].in_top)
    found = {s.measure: s for s in result.stability}
    by_rank = result.orders[0].measures if result.orders[0].method == "backward" else None
    names = by_rank or sorted(found, key=lambda name: found[name].mean_rank)
    rows = [
        (name, f"{found[name].mean_rank:.1f}", *(f"{100 * found[name].in_top[top]:.0f} %" for top in tops))
        for name in names
    ]
    what = "topics" if result.drawn == "topics" else "systems (there are no topics)"
    return TextTable(
        columns=("measure", "mean rank", *(f"in top {top}" for top in tops)),
        rows=tuple(rows),
        right=frozenset(range(1, len(tops) + 2)),
        title=f"Backward ranks over {result.settings['resamples']:,} draws of {what}",
    )


def _criterion(name: str) -> str:
    return "τ" if name == "tau" else "R²"


def _tau(value: float) -> str:
    return "–" if math.isnan(value) else ("* " if value >= _ALIKE else "") + _signed(value, 3)


def _r2(value: float) -> str:
    return "–" if math.isnan(value) else _signed(value, 3)


def _signed(value: float, digits: int = 4) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


def _shortened(names: str, most: int = _PREDICTORS_WIDTH) -> str:
    return names if len(names) <= most else names[: most - 1].rstrip(" +,") + "…"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
