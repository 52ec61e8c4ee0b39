"""Coefficients of random gaps between scores in the same order (Gao, Bagdouri & Oard 2016, Figure 3)."""

from __future__ import annotations

import altair

from rankscope.errors import BadParameter
from rankscope.report.charts.layers import Drawing, box_row, boxes, concatenated, diagonal, numbers, plot
from rankscope.report.theme import BLUE, COLUMN, PAGE, heading
from rankscope.studies.gaps import DISTRIBUTIONS, GapExample, GapStudy

_SYMBOLS = {distribution.name: distribution.symbol for distribution in DISTRIBUTIONS}
_COLUMNS = 3


def scores(result: GapStudy) -> Drawing:
    """The median draw of each pair of distributions, with the quartiles of all draws."""
    if not result.examples:
        raise BadParameter("there is nothing to draw: no draw has a value")
    panels = [_panel(result, example, place) for place, example in enumerate(result.examples)]
    return concatenated(panels, columns=_COLUMNS)


def _panel(result: GapStudy, example: GapExample, place: int) -> Drawing:
    drawn = (example.truth, example.estimate, example.coefficient)
    spreads = next(s for s in result.spreads if (s.truth, s.estimate, s.coefficient) == drawn)
    s = spreads.spread
    rows = [
        {"rank": rank, "truth": x, "estimate": y}
        for rank, (x, y) in enumerate(zip(example.truth_scores, example.estimate_scores, strict=True), start=1)
    ]
    scale, ticks = altair.Scale(domain=[0, 1], nice=False), altair.Axis(values=[0, 0.5, 1])
    points = (
        plot(rows)
        .mark_point(filled=True, size=22, color=BLUE, opacity=0.7)
        .encode(
            x=altair.X("truth:Q", title=f"truth, {example.truth}", scale=scale, axis=ticks),
            y=altair.Y("estimate:Q", title=f"estimate, {example.estimate}", scale=scale, axis=ticks),
            tooltip=["rank:Q", *numbers("truth", "estimate", format=".3f")],
        )
    )
    title = heading(
        f"({chr(97 + place % 26)}) {_SYMBOLS[example.truth]}|{_SYMBOLS[example.estimate]}: median {spreads.symbol} "
        f"{s.median:.2f}",
        f"quartiles {s.q25:.2f} to {s.q75:.2f}, all {s.least:.2f} to {s.greatest:.2f}; dashed: equal".replace("-", "−"),
    )
    side = PAGE // _COLUMNS - 70
    return altair.layer(diagonal("truth", "estimate", (0, 1)), points).properties(width=side, height=side, title=title)


def quartiles(result: GapStudy) -> Drawing:
    """Median, quartiles and range of every pair of distributions, a box per coefficient."""
    kinds = list(dict.fromkeys(s.symbol for s in result.spreads))
    rows = [{"row": f"{s.truth} | {s.estimate}", "kind": s.symbol, **box_row(s.spread)} for s in result.spreads]
    chart = boxes(
        rows,
        order=list(dict.fromkeys(row["row"] for row in rows)),
        kinds=kinds if len(kinds) > 1 else (),
        x_title="coefficient (1 is perfect)",
        width=COLUMN - 120,
        height=20 if len(kinds) == 1 else 10 * len(kinds) + 6,
    )
    settings = result.settings
    return chart.properties(
        title=heading(
            f"{kinds[0] if len(kinds) == 1 else 'Coefficients'} by gaps of truth | estimate, equal ranks",
            f"{settings['draws']:,} draws of {settings['systems']} systems; line: range, bar: quartiles",
        )
    )
