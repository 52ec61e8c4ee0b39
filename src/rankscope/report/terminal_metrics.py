"""The studies of measures as text: a heading, sentences, compact tables; up to a hundred columns wide."""

from __future__ import annotations

from collections.abc import Sequence

import rankscope as rs
from rankscope.errors import some
from rankscope.names import without_common_start
from rankscope.report.blocks import Block, Heading, Sentence, text_table
from rankscope.report.numbers import NO_INTERVAL, counted, decimals, interval_text, number_range, percent
from rankscope.report.text_tables import TextTable, clean, width
from rankscope.studies.metrics.correlation import LEAST_SHARED, CorrelationPart
from rankscope.studies.metrics.models import CollectionFit

# The threshold above which rankings are traditionally called alike (Voorhees 2000).
_ALIKE = 0.9
_MATRIX_UP_TO = 30
_PREDICTORS_WIDTH = 44
_OVER = {"topics": "cells of topics × systems", "systems": "systems"}


def short_names(names: Sequence[str]) -> list[str]:
    """Names without what all begin or end with, up to a mark between words: result_wt2012, result_wt2013 → wt2012 …

    >>> short_names(["result_wt2012", "result_wt2013"]), short_names(["trec5"])
    (['wt2012', 'wt2013'], ['trec5'])
    """
    own = without_common_start(names)
    return [name[::-1] for name in without_common_start([name[::-1] for name in own])]


def correlations(result: rs.MeasureCorrelations) -> list[Block]:
    """The text of correlations between measures: for each part partners, groups, and the matrix."""
    what = f"How {counted(len(result.measures), 'measure')} correlate ({result.coefficient}) over {_OVER[result.by]}"
    said: list[Block] = [Heading(what, ", ".join(result.collections))]
    for part in result.parts:
        said += _correlations(result, part)
    if result.no_interval is not None:
        said.append(Sentence("no interval", f"No intervals: {NO_INTERVAL[result.no_interval]}."))
    return said


def _correlations(result: rs.MeasureCorrelations, part: CorrelationPart) -> list[Block]:
    title = "" if len(result.parts) == 1 else f"{part.collection}: "
    pairs = {(p.first, p.second): p for p in part.pairs}
    pairs |= {(p.second, p.first): p for p in part.pairs if (p.second, p.first) not in pairs}
    shared = [p.observations for p in part.pairs]
    uneven = min(shared) < part.observations
    level = [] if result.no_interval else [f"{percent(result.settings['level'])} interval"]
    counts = ["shared"] if uneven else []
    columns = ["measure", "strongest partner", result.symbol, *counts, *level, "mean of all"]
    rows: list[tuple[str, ...]] = []
    for own in sorted(part.partners, key=lambda p: (p.partner is None, -p.mean)):
        if own.partner is None:
            rows.append((own.measure, *["–"] * (len(columns) - 1)))
            continue
        pair = pairs[own.measure, own.partner]
        ends = pair.interval
        cells = [own.measure, own.partner, decimals(own.value)]
        if uneven:
            cells.append(f"{pair.observations:,}")
        if result.no_interval is None:
            cells.append("–" if ends is None else number_range(ends.low, ends.high))
        rows.append((*cells, decimals(own.mean)))
    symmetric = len(part.pairs) == len(part.partners) * (len(part.partners) - 1) // 2
    way = "" if symmetric else ", mean of both directions"
    each = f", {min(shared):,} to {max(shared):,} shared by a pair" if uneven else ""
    heading = f"{title}{part.observations:,} observations{each}; each measure's strongest partner{way}"
    least = next(own for own in part.partners if own.measure == part.least)
    text = f"Least like the others: {part.least}, {result.symbol} {decimals(least.mean)} on average."
    said: list[Block] = [
        text_table(columns, rows, right=(result.symbol, *counts, "mean of all"), title=heading),
        _groups(part),
        Sentence("least alike", text, {"mean": least.mean}),
    ]
    said += _undefined(part)
    return [*said, _matrix(result, part)] if len(result.measures) <= _MATRIX_UP_TO else said


def _undefined(part: CorrelationPart) -> list[Block]:
    """How many pairs have no correlation, and why."""
    unknown = [pair for pair in part.pairs if pair.undefined is not None]
    if not unknown:
        return []
    few = sum(pair.undefined == "too few" for pair in unknown)
    why = [f"fewer than {LEAST_SHARED} observations shared ({few:,})"] if few else []
    why += [f"tied ({len(unknown) - few:,})"] if len(unknown) > few else []
    which = some([f"{pair.first} and {pair.second}" for pair in unknown])
    text = f"{len(unknown):,} of {counted(len(part.pairs), 'pair')} undefined, {', '.join(why)}: {which}."
    numbers = {"undefined": len(unknown), "pairs": len(part.pairs)}
    return [Sentence("undefined", f"{text} In groups, such a pair counts as −1.", numbers)]


def _groups(part: CorrelationPart) -> str:
    together = [group for group in part.clusters.groups if len(group) > 1]
    alone = [group[0] for group in part.clusters.groups if len(group) == 1]
    lines = [f"Groups at a mean of {part.clusters.threshold:g} or more (average linkage):"]
    lines += [f"  {', '.join(group)}" for group in together]
    if alone:
        lines.append(f"  each alone: {', '.join(alone)}")
    return "\n".join(lines)


def _matrix(result: rs.MeasureCorrelations, part: CorrelationPart) -> str:
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
    return decimals(100.0 * value, 0)


def predictions(result: rs.MeasurePredictions) -> list[Block]:
    """The text of predictions of measures from others: a row per target and number of predictors."""
    targets = len(dict.fromkeys(model.target for model in result.models))
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
        cells += [_tau(m.tau), decimals(m.r2)]
        for test in m.tests:
            cells += [_tau(test.tau), decimals(test.r2)]
        rows.append(tuple(cells))
    text = (
        f"The best of {result.subsets:,} subsets for each target and size, by {_criterion(result.chosen_by)} "
        f"{_judged_on(result.development)}; * is τ of {_ALIKE:g} or more."
    )
    return [
        Heading(f"{counted(targets, 'measure')} predicted from others, fitted on {', '.join(result.training)}"),
        text_table(columns, rows, right=columns[3 if several else 2 :]),
        Sentence("chosen", text, {"subsets": result.subsets}),
        *_coverage([m.tests for m in result.models], result.settings["level"]),
    ]


def _judged_on(development: Sequence[str]) -> str:
    return f"on {', '.join(development)}" if development else "on each training collection left out in turn"


def _coverage(tests: Sequence[Sequence[CollectionFit]], level: float) -> list[Sentence]:
    """How many systems of each test collection lie in their prediction intervals, over all linear models."""
    shares: dict[str, list[float]] = {}
    for each in tests:
        for test in each:
            if test.covered is not None:
                shares.setdefault(test.collection, []).append(test.covered)
    if not shares:
        return []
    means = {name: sum(values) / len(values) for name, values in shares.items()}
    listed = ", ".join(f"{percent(mean)} on {name}" for name, mean in means.items())
    text = f"Systems within their {percent(level)} prediction intervals, over all linear models: {listed}."
    return [Sentence("coverage", text, means)]


def depth_predictions(result: rs.DepthPredictions) -> list[Block]:
    """The text of predictions of deep measures from shallow ones: a table per depth."""
    chosen, *tests = short_names([result.chosen_on, *result.tests]) if result.tests else [result.chosen_on]
    fits = [f"τ, R² {name}" for name in (chosen, *tests)]
    said: list[Block] = [Heading(f"Deep measures predicted from shallow ones, fitted on {', '.join(result.training)}")]
    for high in dict.fromkeys(p.high for p in result.predictions):
        rows: list[tuple[str, ...]] = []
        before = None
        for p in (each for each in result.predictions if each.high == high):
            names = ", ".join(name.split(":", 1)[1] for name in p.model.predictors)
            cells = ["" if p.target == before else p.target, str(p.low), _shortened(names, 28)]
            before = p.target
            for tau, r2 in ((p.model.tau, p.model.r2), *((test.tau, test.r2) for test in p.model.tests)):
                cells.append(f"{_tau(tau)}, {decimals(r2)}")
            rows.append(tuple(cells))
        columns = ("target", "from", "predictors", *fits)
        said.append(text_table(columns, rows, right=("from", *fits), title=f"Measures at depth {high:,}"))
    how = f"The best subset of any size, by {_criterion(result.chosen_by)} {_judged_on(result.development)}"
    return [*said, Sentence("chosen", f"{how}; * is τ of {_ALIKE:g} or more.")]


def prediction(result: rs.MeasurePrediction) -> list[Block]:
    """The text of one predicted score: its interval, the fit behind it, and how far both can be trusted."""
    given = ", ".join(f"{name} = {value:g}" for name, value in result.given.items())
    terms = "".join(f" {'−' if s < 0 else '+'} {abs(s):.4f} {name}" for name, s in result.slopes.items())
    fitted = f"{result.target} = {decimals(result.intercept, 4)}{terms}"
    said: list[Block] = [
        Heading(f"{result.target} ≈ {decimals(result.value)}, {interval_text(result.interval, number='three')}"),
        Sentence(
            "fit",
            f"Given {given}. Fitted on {counted(result.systems, 'system')} of {', '.join(result.training)}: {fitted}; "
            f"R² {decimals(result.r2)}, residual standard deviation {decimals(result.spread, 4)}.",
            {"r2": result.r2, "spread": result.spread, "systems": result.systems},
        ),
    ]
    if result.elsewhere is not None:
        low, high = result.elsewhere.low, result.elsewhere.high
        text = f"For a system on another collection than these: {number_range(low, high)}."
        said.append(Sentence("elsewhere", text, {"low": low, "high": high}))
    check = f"Check: {percent(result.covered)} of the systems lie in their interval when they are left out of the fit"
    if result.covered_elsewhere is not None:
        check += f", {percent(result.covered_elsewhere)} when their whole collection is"
    numbers = {"covered": result.covered, "covered_elsewhere": result.covered_elsewhere}
    said.append(Sentence("coverage", f"{check}.", numbers))
    if result.beyond:
        text = f"No training system has such a score by {', '.join(result.beyond)}: this extrapolates."
        said.append(Sentence("extrapolation", text))
    if result.dependent:
        said.append(Sentence("dependent", "The given measures are linearly dependent; they share their slopes."))
    if result.clipped:
        said.append(Sentence("clipped", "The interval is cut to the range of scores, 0 to 1."))
    return said


def ranking(result: rs.MeasureRanking) -> list[Block]:
    """The text of a ranking of measures: each method's order, the optimum, and how stable it is."""
    what = (
        f"{counted(len(result.measures), 'measure')} by the determinant of their {result.matrix}, over "
        f"{result.observations:,} {_OVER[result.by]}"
    )
    said: list[Block] = [Heading(what, ", ".join(result.collections))]
    columns = ["rank"]
    for order in result.orders:
        columns += [order.label, "log det"]
    rows: list[tuple[str, ...]] = []
    for i, best in enumerate(result.optimum):
        cells = [str(i + 1)]
        for order in result.orders:
            ranked = order.ranked[i]
            optimal = ranked.log_det >= best.log_det - 1e-9 * abs(best.log_det)
            cells += [ranked.measure, ("= " if optimal else "") + decimals(ranked.log_det, 2)]
        rows.append((*cells, decimals(best.log_det, 2)))
    proven = all(best.exact for best in result.optimum)
    how = "proven by branch and bound" if proven else "the greatest found by exchange from many starts"
    text = f"log det is that of the measures down to the rank; = where no set of as many has a greater one ({how})."
    said += [
        text_table([*columns, "greatest"], rows, right=("rank", "log det", "greatest")),
        Sentence("optimum", text, {"proven": proven}),
    ]
    if result.ridge:
        groups = "; ".join(", ".join(group) for group in result.alike)
        text = (
            f"The {result.matrix} is nearly singular, since these are (nearly) alike: {groups}. A share of "
            f"{result.ridge:g} was added to each variance; of measures alike the first is kept longest."
        )
        said.append(Sentence("singular", text, {"ridge": result.ridge}))
    return [*said, _stability(result)] if result.stability else said


def _stability(result: rs.MeasureRanking) -> TextTable:
    tops = list(result.stability[0].in_top)
    stability = {s.measure: s for s in result.stability}
    by_rank = result.orders[0].measures if result.orders[0].method == "backward" else None
    names = by_rank or sorted(stability, key=lambda name: stability[name].mean_rank)
    rows = []
    for name in names:
        shares = (percent(stability[name].in_top[top]) for top in tops)
        rows.append((name, decimals(stability[name].mean_rank, 1), *shares))
    what = "topics" if result.drawn == "topics" else "systems (there are no topics)"
    columns = ("measure", "mean rank", *(f"in top {top}" for top in tops))
    title = f"Backward ranks over {result.settings['resamples']:,} draws of {what}"
    return text_table(columns, rows, right=columns[1:], title=title)


def _criterion(name: str) -> str:
    return "τ" if name == "tau" else "R²"


def _tau(value: float) -> str:
    return ("* " if value >= _ALIKE else "") + decimals(value)


def _shortened(names: str, most: int = _PREDICTORS_WIDTH) -> str:
    return names if len(names) <= most else names[: most - 1].rstrip(" +,") + "…"
