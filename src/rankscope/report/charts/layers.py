"""Data and layers that several charts share: rows, distinct labels, colours by kind, histograms, boxes, intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import altair
import numpy as np

from rankscope.report.theme import BLUE, COLUMN, DASHES, GREEN, PALETTE, SHAPES, VERMILION, label
from rankscope.results import Interval
from rankscope.scores import Floats

Row = dict[str, Any]
# An Altair chart, plain, layered or concatenated; its own methods do not keep these apart.
Drawing = Any

# Up to this number of systems an axis shows their names; beyond it their ranks, with names in the tooltips.
NAMED_UP_TO = 30


def rows_of(rows: Sequence[Row]) -> dict[str, tuple[Row, ...]]:
    """Rows as Vega's inline data; numbers that are not finite become null, which Vega does not draw.

    The rows are a tuple: Altair copies lists, with everything in them, each time a layer is added.
    """
    return {"values": tuple({key: finite(value) for key, value in row.items()} for row in rows)}


def finite(value: Any) -> Any:
    """The value, or None for a number that JSON cannot hold."""
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def distinct(names: Sequence[str], most: int = 40) -> list[str]:
    r"""Labels of names; labels that are equal after cleaning and shortening are numbered.

    >>> distinct(["a b", "a\tb", "c"])
    ['a b', 'a b (2)', 'c']
    """
    seen: dict[str, int] = {}
    out = []
    for name in names:
        shown = label(name, most)
        seen[shown] = seen.get(shown, 0) + 1
        out.append(shown if seen[shown] == 1 else f"{shown} ({seen[shown]})")
    return out


def categories(domain: Sequence[str], colours: Sequence[str] = PALETTE, shapes: Sequence[str] = SHAPES) -> Row:
    """Colour and shape, both by the field `kind`, so that the chart can be read in greyscale."""
    kinds = list(domain)
    return {
        "color": altair.Color(
            "kind:N",
            title=None,
            scale=altair.Scale(domain=kinds, range=_cycled(colours, kinds)),
        ),
        "shape": altair.Shape("kind:N", title=None, scale=altair.Scale(domain=kinds, range=_cycled(shapes, kinds))),
    }


def _cycled(values: Sequence[Any], kinds: Sequence[str]) -> list[Any]:
    return [values[i % len(values)] for i in range(len(kinds))]


def ends(interval: Interval | None) -> Row:
    """The ends of an interval as the fields `low` and `high`; None without an interval."""
    return {"low": None, "high": None} if interval is None else {"low": interval.low, "high": interval.high}


def concatenated(panels: Sequence[Drawing], *, columns: int = 2, **properties: Any) -> Drawing:
    """The panels in rows of `columns`; a single panel as it is."""
    return panels[0] if len(panels) == 1 else altair.concat(*panels, columns=columns, **properties)


def histogram(values: Floats, most: int = 50) -> list[Row]:
    """The bars of a histogram: `from`, `to`, and the share of the values between them."""
    values = values[np.isfinite(values)]
    counts, edges = np.histogram(values, bins=min(most, max(8, round(2 * len(values) ** (1 / 3)))))
    return [
        {"from": float(a), "to": float(b), "share": float(c) / len(values)}
        for a, b, c in zip(edges[:-1], edges[1:], counts, strict=True)
    ]


def bars(rows: Sequence[Row], x_title: str) -> Drawing:
    """The histogram of these bars."""
    return (
        altair.Chart(rows_of(rows))
        .mark_bar(style="bar", binSpacing=0.5)
        .encode(
            x=altair.X("from:Q", title=x_title, bin="binned"),
            x2="to:Q",
            y=altair.Y("share:Q", title="share of draws", axis=altair.Axis(format="%")),
            tooltip=[
                altair.Tooltip("from:Q", format=".3f"),
                altair.Tooltip("to:Q", format=".3f"),
                altair.Tooltip("share:Q", format=".2%"),
            ],
        )
    )


def marks(places: Sequence[tuple[str, float]], colours: Sequence[str] = (BLUE, VERMILION, GREEN)) -> Drawing:
    """Vertical lines at these values of x, distinguished by colour and dash, and named in a legend."""
    names = list(dict.fromkeys(name for name, _ in places))
    data = rows_of([{"kind": name, "at": value} for name, value in places])
    rule = (
        altair.Chart(data)
        .mark_rule(strokeWidth=2)
        .encode(
            x="at:Q",
            color=altair.Color(
                "kind:N",
                title=None,
                scale=altair.Scale(domain=names, range=_cycled(colours, names)),
            ),
            strokeDash=altair.StrokeDash(
                "kind:N", title=None, scale=altair.Scale(domain=names, range=_cycled(DASHES, names))
            ),
            tooltip=["kind:N", altair.Tooltip("at:Q", format=".4f")],
        )
    )
    return altair.layer(rule)


def boxes(
    rows: Sequence[Row], *, order: Sequence[str], kinds: Sequence[str] = (), x_title: str, width: int, step: int
) -> Drawing:
    """Box plots from summary numbers: range as a line, quartiles as a bar, median as a tick, mean as a point.

    Each row of data has `row` and, where there are several `kinds`, `kind`; the kinds of a row are drawn side by side.
    """
    base = altair.Chart(rows_of(rows)).encode(
        y=altair.Y("row:N", title=None, sort=None, scale=altair.Scale(domain=list(order))),
        tooltip=[
            altair.Tooltip("row:N", title=" "),
            *([altair.Tooltip("kind:N", title="  ")] if kinds else []),
            *(
                altair.Tooltip(f"{name}:Q", format=".4f")
                for name in ("least", "lower quartile", "median", "mean", "upper quartile", "greatest")
            ),
        ],
    )
    if kinds:
        scale = altair.Scale(domain=list(kinds), range=list(PALETTE[: len(kinds)]))
        base = base.encode(
            yOffset=altair.YOffset("kind:N", scale=altair.Scale(domain=list(kinds))),
            color=altair.Color("kind:N", title=None, scale=scale),
        )
    else:
        base = base.encode(color=altair.value(BLUE))
    thick = max(3, step // (2 * max(1, len(kinds))) - 1)
    x = altair.X("least:Q", title=x_title, scale=altair.Scale(zero=False))
    shape = categories(kinds)["shape"] if kinds else altair.value("circle")
    return altair.layer(
        base.mark_rule().encode(x=x, x2="greatest:Q"),
        base.mark_bar(opacity=0.45, height=thick).encode(x="lower quartile:Q", x2="upper quartile:Q"),
        base.mark_tick(thickness=2, size=thick + 4).encode(x="median:Q"),
        base.mark_point(filled=True, size=26).encode(x="mean:Q", shape=shape),
    ).properties(width=width, height=altair.Step(step, **{"for": "position"}))


def box_row(spread: Any) -> Row:
    """The numbers of a study's spread as the fields that `boxes` expects."""
    return {
        "least": spread.least,
        "lower quartile": spread.q25,
        "median": spread.median,
        "mean": spread.mean,
        "upper quartile": spread.q75,
        "greatest": spread.greatest,
    }


def thin_labels(places: Sequence[float], weights: Sequence[float], apart: float) -> list[int]:
    """The indices of the labels to show: by decreasing weight, at least `apart` from each label already shown.

    >>> thin_labels([1.0, 1.2, 3.0], [1.0, 2.0, 0.5], 0.5)
    [1, 2]
    """
    shown: list[int] = []
    for i in sorted(range(len(places)), key=lambda i: (-weights[i], i)):
        if all(abs(places[i] - places[j]) >= apart for j in shown):
            shown.append(i)
    return sorted(shown)


def rank_ticks(last: int) -> list[int]:
    """Rank 1 and round ranks, as ticks of an axis.

    >>> rank_ticks(32)
    [1, 5, 10, 15, 20, 25, 30]
    """
    apart = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, last) if last / step <= 7)
    return sorted({1, *range(apart, last + 1, apart)})


def interval_points(rows: Sequence[Row], title: str) -> Drawing:
    """A point with its interval for every row; other fields of the rows are shown in the tooltip."""
    order = distinct([row["row"] for row in rows])
    data = [{**row, "row": shown} for row, shown in zip(rows, order, strict=True)]
    base = altair.Chart(rows_of(data)).encode(
        y=altair.Y("row:N", title=None, sort=None, scale=altair.Scale(domain=order), axis=altair.Axis(grid=True)),
        tooltip=[
            altair.Tooltip("row:N", title=" "),
            *(altair.Tooltip(f"{field}:Q", format=".4f") for field in data[0] if field != "row"),
        ],
    )
    x = altair.X("value:Q", title=title, scale=altair.Scale(zero=False))
    return altair.layer(
        base.mark_rule(strokeWidth=1.6, color=BLUE).encode(x=altair.X("low:Q"), x2=altair.X2("high:Q")),
        base.mark_point(filled=True, color=BLUE).encode(x=x),
    ).properties(width=COLUMN - 115, height=altair.Step(20))
