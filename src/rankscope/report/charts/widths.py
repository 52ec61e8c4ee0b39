"""A chart as wide as a column or a page of a paper, by the length of its axes rather than by scaling alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rankscope.errors import BadParameter
from rankscope.report.theme import COLUMN, PAGE

# Vega's pixels, 96 to the inch.
_UNITS = {"in": 96.0, "cm": 96.0 / 2.54, "mm": 96.0 / 25.4, "pt": 96.0 / 72.0}
_NAMED = {"one": float(COLUMN), "two": float(PAGE)}
_WIDTH = re.compile(rf"(\d+(?:\.\d+)?)\s*({'|'.join(_UNITS)})")
_SVG_WIDTH = re.compile(r'<svg[^>]*? width="([\d.]+)"')
# The shortest axis, as a part of what it is by itself: below it the whole chart is made smaller.
_SHORTEST = 0.55
_LEAST, _MOST = 96.0, 96.0 * 40.0


def pixels(width: str) -> float:
    """A width in pixels: of one column or two of a paper, or in cm, mm, in or pt.

    >>> pixels("one"), round(pixels("8.6cm")), pixels("3.5 in")
    (326.0, 325, 336.0)
    """
    if width in _NAMED:
        return _NAMED[width]
    given = _WIDTH.fullmatch(width.strip().lower())
    size = 0.0 if given is None else float(given[1]) * _UNITS[given[2]]
    if not _LEAST <= size <= _MOST:
        raise BadParameter(f"width {width!r}: one (a column), two (a page), or from 1 to 40 inches, as 8.5cm or 3.4in")
    return size


def with_fitting_legend(spec: dict[str, Any]) -> str:
    """The specification as SVG, with so few columns in its legends that these make no picture wider than a page."""
    legend = spec["config"]["legend"]
    most = legend["columns"]
    drawn = {most: _svg(spec)}

    def width(columns: int) -> float:
        legend["columns"] = columns
        if columns not in drawn:
            drawn[columns] = _svg(spec)
        return _svg_width(drawn[columns])

    if width(most) > PAGE:
        room = max(float(PAGE), width(1))  # what is wider still, is so by its panels
        next(columns for columns in range(most, 0, -1) if width(columns) <= room)
    return drawn[legend["columns"]]


def fitted(spec: dict[str, Any], target: float) -> tuple[dict[str, Any], float]:
    """The specification made about as wide as `target`, and by how much its picture must be scaled to be just so."""
    if target < 0.8 * drawn_width(spec):
        for part in _parts(spec):
            if "columns" in part:
                part["columns"] = 1
    beside = max((min(part["columns"], len(part["concat"])) for part in _parts(spec) if "columns" in part), default=1)
    beside *= max((len(part["hconcat"]) for part in _parts(spec) if "hconcat" in part), default=1)
    more = (target - drawn_width(spec)) / beside
    for part in _parts(spec):
        own = part.get("width")
        if isinstance(own, int | float) and "height" in part:
            part["width"] = max(_SHORTEST * own, own + more)
    return spec, target / drawn_width(spec)


def drawn_width(spec: dict[str, Any]) -> float:
    """The width of a chart with its axes, titles and legends."""
    return _svg_width(_svg(spec))


def _svg_width(svg: str) -> float:
    """The width of a picture."""
    width = _SVG_WIDTH.search(svg)
    return 1.0 if width is None else float(width[1])


def _svg(spec: dict[str, Any]) -> str:
    import vl_convert

    return str(vl_convert.vegalite_to_svg(spec))


def scaled_svg(svg: str, scale: float) -> str:
    """The picture at this scale: its size changes, and its coordinates stay."""
    head, end, rest = svg.partition(">")
    resized = re.sub(r' (width|height)="([\d.]+)"', lambda m: f' {m[1]}="{float(m[2]) * scale:.2f}"', head)
    return svg if scale == 1.0 else resized + end + rest


def _parts(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The specification and the panels in it."""
    yield spec
    for kind in ("concat", "hconcat", "vconcat"):
        for part in spec.get(kind, ()):
            yield from _parts(part)
