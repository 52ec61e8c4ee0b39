"""What several charts have in common: distinct labels, boxes, histograms, points with intervals, squares of pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rankscope.report.theme import BLUE, GREEN, PALETTE, SHAPES, VERMILION, label
from rankscope.scores import Floats

Row = dict[str, Any]
# An Altair chart, plain, layered or concatenated; its own methods do not keep these apart.
Drawing = Any

# Up to so many systems stand on an axis by name; more by their ranks, with names on hover.
NAMED_UP_TO = 30


def rows_of(rows: Sequence[Row]) -> dict[str, tuple[Row, ...]]:
    """Rows as Vega's inline data; what is not finite is null, which is not drawn.

    A tuple, since Altair copies lists and all that is in them each time a layer is added.
    """
    return {"values": tuple({key: finite(value) for key, value in row.items()} for row in rows)}


def finite(value: Any) -> Any:
    """A value that JSON has."""
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def distinct(names: Sequence[str], most: int = 40) -> list[str]:
    r"""Labels of names; those that look alike once cleaned and cut are numbered.

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
    """Colour and shape by the field `kind`, the same for both, so that greyscale loses nothing."""
    import altair

    kinds = list(domain)
    return {
        "color": altair.Color(
            "kind:N",
            title=None,
            scale=altair.Scale(domain=kinds, range=[colours[i % len(colours)] for i in _to(kinds)]),
        ),
        "shape": altair.Shape(
            "kind:N", title=None, scale=altair.Scale(domain=kinds, range=[shapes[i % len(shapes)] for i in _to(kinds)])
        ),
    }


def _to(kinds: Sequence[str]) -> range:
    return range(len(kinds))


def histogram(values: Floats, most: int = 50) -> list[Row]:
    """Bars of a histogram: from, to, and the share of values between."""
    values = values[np.isfinite(values)]
    counts, edges = np.histogram(values, bins=min(most, max(8, round(2 * len(values) ** (1 / 3)))))
    return [
        {"from": float(a), "to": float(b), "share": float(c) / len(values)}
        for a, b, c in zip(edges[:-1], edges[1:], counts, strict=True)
    ]


def bars(rows: Sequence[Row], x_title: str) -> Drawing:
    """The histogram of these bars."""
    import altair

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
    """Vertical lines across a chart with x in data units, told apart by colour and dash, named in a legend."""
    import altair

    names = list(dict.fromkeys(name for name, _ in places))
    data = rows_of([{"kind": name, "at": value} for name, value in places])
    dashes = [[1, 0], [5, 3], [2, 2], [8, 2, 2, 2], [4, 4], [1, 3], [10, 3]]
    rule = (
        altair.Chart(data)
        .mark_rule(strokeWidth=2)
        .encode(
            x="at:Q",
            color=altair.Color(
                "kind:N",
                title=None,
                scale=altair.Scale(domain=names, range=[colours[i % len(colours)] for i in _to(names)]),
            ),
            strokeDash=altair.StrokeDash(
                "kind:N", title=None, scale=altair.Scale(domain=names, range=[dashes[i % 7] for i in _to(names)])
            ),
            tooltip=["kind:N", altair.Tooltip("at:Q", format=".4f")],
        )
    )
    return altair.layer(rule)


def boxes(
    rows: Sequence[Row], *, order: Sequence[str], kinds: Sequence[str] = (), x_title: str, width: int, step: int
) -> Drawing:
    """Least to greatest as a line, quartiles as a bar, the median as a tick, the mean as a point, from ready numbers.

    Rows have `row` and, where there are several `kinds`, `kind`, which stand side by side in a row.
    """
    import altair

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
    """The numbers of a study's spread as `boxes` takes them."""
    return {
        "least": spread.least,
        "lower quartile": spread.q25,
        "median": spread.median,
        "mean": spread.mean,
        "upper quartile": spread.q75,
        "greatest": spread.greatest,
    }


def thin_labels(places: Sequence[float], weights: Sequence[float], apart: float) -> list[int]:
    """Which of the labels at these places to show, the weightiest first, none nearer than `apart` to another.

    >>> thin_labels([1.0, 1.2, 3.0], [1.0, 2.0, 0.5], 0.5)
    [1, 2]
    """
    shown: list[int] = []
    for i in sorted(range(len(places)), key=lambda i: (-weights[i], i)):
        if all(abs(places[i] - places[j]) >= apart for j in shown):
            shown.append(i)
    return sorted(shown)


def rank_ticks(last: int) -> list[int]:
    """1 and round ranks.

    >>> rank_ticks(32)
    [1, 5, 10, 15, 20, 25, 30]
    """
    apart = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, last) if last / step <= 7)
    return sorted({1, *range(apart, last + 1, apart)})
