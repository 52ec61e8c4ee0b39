"""Data and layers that several charts share: rows, distinct labels, colours by kind, histograms, boxes, intervals."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import altair
import numpy as np

from rankscope.report.theme import BLUE, COLUMN, DASHES, GREEN, GREY, PALETTE, SHAPES, VERMILION, label
from rankscope.results import Interval
from rankscope.scores import Floats

Row = dict[str, Any]
# An Altair chart, plain, layered or concatenated; its own methods do not keep these apart.
Drawing = Any

# Up to this number of systems an axis shows their names; beyond it their ranks, with names in the tooltips.
NAMED_UP_TO = 30
# What a box shows, by the names of a study's spread.
_BOX = {
    "least": "least",
    "lower quartile": "q25",
    "median": "median",
    "mean": "mean",
    "upper quartile": "q75",
    "greatest": "greatest",
}


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


class Plot(altair.Chart):
    """A chart whose channels may be written as "field:Q" at no cost.

    For such a string Altair looks through all classes of its schema, which takes 5 ms each time; a page has a thousand.
    """

    def encode(self, **channels: Any) -> Plot:  # type: ignore[override]
        """The chart with these channels."""
        return super().encode(**{name: _channel(name, given) for name, given in channels.items()})


def _channel(name: str, given: Any) -> Any:
    if isinstance(given, list | tuple):
        return [_channel(name, part) for part in given]
    return getattr(altair, name[0].upper() + name[1:])(given) if isinstance(given, str) else given


def plot(rows: Sequence[Row]) -> Plot:
    """A chart of these rows, without a mark yet."""
    return Plot(rows_of(rows))


def numbers(*fields: str, format: str = ".4f") -> list[altair.Tooltip]:  # noqa: A002  as Vega calls it
    """The entries of a tooltip for these fields, all in one format."""
    return [altair.Tooltip(f"{field}:Q", format=format) for field in fields]


def colours(kinds: Sequence[str], values: Sequence[str] = PALETTE, **settings: Any) -> altair.Color:
    """Colour by the field `kind`."""
    return altair.Color("kind:N", title=None, scale=_scale(kinds, values), **settings)


def dashes(kinds: Sequence[str], values: Sequence[Any] = DASHES) -> altair.StrokeDash:
    """Dash by the field `kind`."""
    return altair.StrokeDash("kind:N", title=None, scale=_scale(kinds, values))


def categories(kinds: Sequence[str], values: Sequence[str] = PALETTE, shapes: Sequence[str] = SHAPES) -> Row:
    """Colour and shape, both by the field `kind`, so that the chart can be read in greyscale."""
    shape = altair.Shape("kind:N", title=None, scale=_scale(kinds, shapes))
    return {"color": colours(kinds, values), "shape": shape}


def _scale(kinds: Sequence[str], values: Sequence[Any]) -> altair.Scale:
    return altair.Scale(domain=list(kinds), range=[values[i % len(values)] for i in range(len(kinds))])


def row_axis(order: Sequence[str], *, grid: bool = True, **axis: Any) -> altair.Y:
    """The vertical axis of a chart with a named row for everything it shows, the field `row`, in this order."""
    look = altair.Axis(grid=grid, **axis) if grid or axis else altair.Undefined
    return altair.Y("row:N", title=None, sort=None, scale=altair.Scale(domain=list(order)), axis=look)


def side_by_side(kinds: Sequence[str], **scale: Any) -> altair.YOffset:
    """The kinds of a row one below the other."""
    return altair.YOffset("kind:N", scale=altair.Scale(domain=list(kinds), **scale))


def step(pixels: int) -> Any:
    """The height of a row, whatever the number of kinds in it."""
    return altair.Step(pixels, **{"for": "position"})


def interval_marks(base: Drawing, x: altair.X, encoding: Row, *, thick: float = 1.6, **point: Any) -> list[Drawing]:
    """A line from `low` to `high` and a point at x, in one colour."""
    return [
        base.mark_rule(strokeWidth=thick).encode(x="low:Q", x2="high:Q", color=encoding["color"]),
        base.mark_point(filled=True, **point).encode(x=x, **encoding),
    ]


def curves(base: Drawing, y: altair.Y, kinds: Sequence[str], *, size: int = 30, **line: Any) -> list[Drawing]:
    """A line for each kind, by colour and dash, with points by colour and shape."""
    encoding = categories(kinds)
    return [
        base.mark_line().encode(y=y, color=encoding["color"], strokeDash=dashes(kinds), **line),
        base.mark_point(filled=True, size=size).encode(y=y, **encoding),
    ]


def line_at(*, style: str = "reference", **place: float) -> Drawing:
    """A line across the chart at a value of x or of y, to compare with."""
    (channel,) = place
    return plot([place]).mark_rule(style=style).encode(**{channel: f"{channel}:Q"})


def diagonal(x: str, y: str, ends: Sequence[float]) -> Drawing:
    """The line on which two fields are equal, between these values."""
    return plot([{x: end, y: end} for end in ends]).mark_line(style="reference").encode(x=f"{x}:Q", y=f"{y}:Q")


def system_keys(systems: Sequence[str]) -> list[Any]:
    """What stands for each system along a square of cells: its name, or its rank if there are many."""
    return distinct(systems, 24) if len(systems) <= NAMED_UP_TO else list(range(1, len(systems) + 1))


def cells_across(field: str, keys: Sequence[Any], title: str) -> altair.X:
    """The horizontal axis of a square of cells, one for each name or rank, without space between them."""
    return altair.X(f"{field}:O", **_cells(keys, title, labelAngle=_angle(keys)))


def _angle(keys: Sequence[Any]) -> int:
    """The angle of labels along a horizontal axis: names are slanted, ranks are not."""
    return -60 if isinstance(keys[0], str) else 0


def cells_down(field: str, keys: Sequence[Any], title: str) -> altair.Y:
    """The vertical axis of a square of cells."""
    return altair.Y(f"{field}:O", **_cells(keys, title))


def _cells(keys: Sequence[Any], title: str, **axis: Any) -> Row:
    ticks: Row = {} if isinstance(keys[0], str) else {"values": rank_ticks(len(keys))}
    look = altair.Axis(grid=False, labelLimit=110, **ticks, **axis)
    return {"title": title, "axis": look, **_cell_scale(keys)}


def _cell_scale(keys: Sequence[Any]) -> Row:
    return {"sort": None, "scale": altair.Scale(domain=list(keys), padding=0)}


def cells_background(across: Sequence[Any], down: Sequence[Any]) -> Drawing:
    """The background of a square of cells, which stands for those that are not drawn."""
    x, y = (_cell_scale(keys) for keys in (across, down))
    corners = {"left": across[0], "right": across[-1], "top": down[0], "bottom": down[-1]}
    # Vega-Lite puts the axes of layers together, and this layer's default angle would move the labels of the others.
    x["axis"] = altair.Axis(labelAngle=_angle(across))
    return (
        plot([corners])
        .mark_rect(style="band")
        .encode(
            x=altair.X("left:O", bandPosition=0, **x),
            x2=altair.X2("right:O", bandPosition=1),
            y=altair.Y("top:O", bandPosition=0, **y),
            y2=altair.Y2("bottom:O", bandPosition=1),
        )
    )


def ends(interval: Interval | None) -> Row:
    """The ends of an interval as the fields `low` and `high`; None without an interval."""
    return {"low": None, "high": None} if interval is None else {"low": interval.low, "high": interval.high}


def concatenated(
    panels: Sequence[Drawing], *, columns: int = 2, shared: str = "", own_legends: bool = False, **properties: Any
) -> Drawing:
    """The panels in rows of `columns`; a single panel as it is.

    Axes in `shared` ("x", "y", "xy") span the same range. Panels have `own_legends` where the same colour stands for
    another name in each.
    """
    if len(panels) == 1:
        return panels[0]
    legends = ("color", "shape") if own_legends else ()
    scales: dict[str, Any] = dict.fromkeys(shared, "shared") | dict.fromkeys(legends, "independent")
    return altair.concat(*panels, columns=columns, **properties).resolve_scale(**scales)


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
        plot(rows)
        .mark_bar(style="bar", binSpacing=0.5)
        .encode(
            x=altair.X("from:Q", title=x_title, bin="binned"),
            x2="to:Q",
            y=altair.Y("share:Q", title="share of draws", axis=altair.Axis(format="%")),
            tooltip=[*numbers("from", "to", format=".3f"), *numbers("share", format=".2%")],
        )
    )


def marks(places: Sequence[tuple[str, float]], values: Sequence[str] = (BLUE, VERMILION, GREEN)) -> Drawing:
    """Vertical lines at these values of x, distinguished by colour and dash, and named in a legend."""
    names = list(dict.fromkeys(name for name, _ in places))
    rules = plot([{"kind": name, "at": value} for name, value in places]).mark_rule(strokeWidth=2)
    tooltip = ["kind:N", *numbers("at")]
    return altair.layer(rules.encode(x="at:Q", color=colours(names, values), strokeDash=dashes(names), tooltip=tooltip))


def boxes(
    rows: Sequence[Row], *, order: Sequence[str], kinds: Sequence[str] = (), x_title: str, width: int, height: int
) -> Drawing:
    """Box plots from summary numbers: range as a line, quartiles as a bar, median as a tick, mean as a point.

    Each row of data has `row` and, where there are several `kinds`, `kind`; the kinds of a row are drawn side by side.
    """
    kind = [altair.Tooltip("kind:N", title="  ")] if kinds else []
    base = plot(rows).encode(
        y=row_axis(order, grid=False), tooltip=[altair.Tooltip("row:N", title=" "), *kind, *numbers(*_BOX)]
    )
    if kinds:
        base = base.encode(yOffset=side_by_side(kinds), color=colours(kinds))
    else:
        base = base.encode(color=altair.value(BLUE))
    thick = max(3, height // (2 * max(1, len(kinds))) - 1)
    x = altair.X("least:Q", title=x_title, scale=altair.Scale(zero=False))
    shape = categories(kinds)["shape"] if kinds else altair.value("circle")
    return altair.layer(
        base.mark_rule().encode(x=x, x2="greatest:Q"),
        base.mark_bar(opacity=0.45, height=thick).encode(x="lower quartile:Q", x2="upper quartile:Q"),
        base.mark_tick(thickness=2, size=thick + 4).encode(x="median:Q"),
        base.mark_point(filled=True, size=26).encode(x="mean:Q", shape=shape),
    ).properties(width=width, height=step(height))


def box_row(spread: Any) -> Row:
    """The numbers of a study's spread as the fields that `boxes` expects."""
    return {name: getattr(spread, field) for name, field in _BOX.items()}


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
    tooltip = [altair.Tooltip("row:N", title=" "), *numbers(*(field for field in data[0] if field != "row"))]
    base = plot(data).encode(y=row_axis(order), tooltip=tooltip)
    x = altair.X("value:Q", title=title, scale=altair.Scale(zero=False))
    layers = interval_marks(base, x, {"color": altair.value(BLUE)})
    return altair.layer(*layers).properties(width=COLUMN - 115, height=altair.Step(20))


def pair_matrix(
    names: Sequence[str], values: Sequence[float | None], counts: Sequence[int], counted: str, axis: str
) -> Drawing:
    """A value from 0 to 1 of every two of the names as a heat map, and on hover how many things it is a value of.

    Pairs are in the order of `itertools.combinations`.
    """
    keys = system_keys(names)
    rows = []
    for (i, j), value, count in zip(itertools.combinations(range(len(names)), 2), values, counts, strict=True):
        cell = {"value": value, counted: count}
        for row, column in ((i, j), (j, i)):
            told = {"first": label(names[row], 200), "second": label(names[column], 200)}
            rows.append({"row": keys[row], "column": keys[column], **told, **cell})
    base = plot(rows).encode(
        x=cells_across("column", keys, axis),
        y=cells_down("row", keys, axis),
        tooltip=["first:N", "second:N", *numbers("value", format=".3f"), *numbers(counted, format=",")],
    )
    scale = altair.Scale(domain=[0, 1], range=[0.03, 1], clamp=True)
    cells = base.mark_rect(color=BLUE, stroke=GREY, strokeWidth=0.5).encode(
        fillOpacity=altair.FillOpacity("value:Q", scale=scale, legend=None)
    )
    drawn = [cells]
    if len(names) <= NAMED_UP_TO:
        text = altair.Text("value:Q", format=".2f")
        drawn.append(base.transform_filter("datum.value <= 0.85").mark_text(style="label").encode(text=text))
        dark = base.transform_filter("datum.value > 0.85").mark_text(style="label", color="white")
        drawn.append(dark.encode(text=text))
    step = 32 if len(names) <= NAMED_UP_TO else max(3, COLUMN / len(names))
    return altair.layer(*drawn).properties(width=altair.Step(step), height=altair.Step(step))
