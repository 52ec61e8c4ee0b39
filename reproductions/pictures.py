"""Charts as small files: SVG without what only screen readers' trees of marks and scripts need.

The words for those who cannot see a picture are its caption, which the page gives as alternative text.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from rankscope.files.atomic import write_bytes, write_text
from rankscope.report.charts import picture, specification

# A page of many large pictures is slow to load and to clone: what is larger as SVG is kept as PNG.
LARGEST = 150_000
SCALE = 1.25
# A heat map with at least this many cells is drawn by strokes.
MANY = 1_000

_UNSEEN = re.compile(r'<path class="(?:fore|back)ground"[^>]*(?:display="none"|d="M0,0h0v0h0Z")[^>]*/>')
_NEEDLESS = re.compile(
    r' (?:aria-[a-z]+|role|class|pointer-events)="[^"]*"| (?:opacity|fill-opacity|stroke-opacity)="1"'
    r'| stroke-width="0"(?=[^<>]*/>)| transform="translate\(0,0\)"'
)
# Places only: a number in a label, or of a colour's gradient, is left as it is.
_PLACES = re.compile(r' (?:d|transform|x1|x2|y1|y2|x|y)="[^"]*"')
_LONG = re.compile(r"-?\d+\.\d{2,}")
_RGB = re.compile(r"rgb\((\d+), (\d+), (\d+)\)")
_BOX = re.compile(r"M([-\d.]+),([-\d.]+)h([\d.]+)v([\d.]+)h-[\d.]+Z")
_CELLS = re.compile(r'(?:<path d="[^"]*" fill="#[0-9A-Fa-f]{6}"/>){2,}')
_CELL = re.compile(r'<path d="([^"]*)" fill="(#[0-9A-Fa-f]{6})"/>')


def slim(svg: str) -> str:
    """The same picture in fewer bytes: a tenth of a pixel is enough, and cells of one colour are one shape.

    >>> slim('<g class="x"><path d="M4.12,0h4Z" fill="#0072B2" stroke-width="0"/><path d="M8,0h4" fill="#0072B2"/></g>')
    '<g><path d="M4.1,0h4ZM8,0h4" fill="#0072B2"/></g>'
    """
    svg = _NEEDLESS.sub("", _UNSEEN.sub("", svg))
    svg = _PLACES.sub(lambda places: _LONG.sub(_rounded, places[0]), svg)
    svg = _RGB.sub(lambda match: "#" + "".join(f"{int(part):02x}" for part in match.groups()), svg)
    return _CELLS.sub(_by_colour, svg)


def _rounded(number: re.Match[str]) -> str:
    return f"{round(float(number[0]), 1) + 0.0:.1f}".removesuffix(".0")


def _by_colour(cells: re.Match[str]) -> str:
    """Opaque shapes side by side, of a heat map: one shape a colour. Lines and points have other attributes.

    Many cells are drawn as strokes as thick as they are high, which takes half the bytes, those side by side as one,
    and colours that nobody can distinguish are made the same.
    """
    found = _CELL.findall(cells[0])
    boxes = [box for shape, _ in found if (box := _BOX.fullmatch(shape))]
    if len(found) < MANY or len(boxes) < len(found):
        shapes: dict[str, list[str]] = {}
        for shape, colour in found:
            shapes.setdefault(colour, []).append(shape)
        return "".join(f'<path d="{"".join(parts)}" fill="{colour}"/>' for colour, parts in shapes.items())
    strokes: dict[tuple[str, float], list[list[float]]] = {}
    for box, (_, colour) in zip(boxes, found, strict=True):
        x, y, width, height = (float(part) for part in box.groups())
        lines = strokes.setdefault((_near(colour), height), [])
        if lines and lines[-1][1] == y and abs(lines[-1][0] + lines[-1][2] - x) < 0.15:
            lines[-1][2] = x + width - lines[-1][0]
        else:
            lines.append([x, y, width])
    return "".join(
        f'<path d="{"".join(f"M{x:g},{round(y + height / 2, 2):g}h{round(width, 2):g}" for x, y, width in lines)}" '
        f'stroke="{colour}" stroke-width="{height:g}"/>'
        for (colour, height), lines in strokes.items()
    )


def _near(colour: str) -> str:
    """A colour with each of its parts rounded to a multiple of five."""
    return "#" + "".join(f"{min(255, 5 * round(int(colour[at : at + 2], 16) / 5)):02x}" for at in (1, 3, 5))


def draw(result: Any, path: Path, chart: str | None) -> Path:
    """Write a result's chart as `path`.svg, or as .png where that would be large; the other one goes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    vector, raster = path.with_suffix(".svg"), path.with_suffix(".png")
    svg = slim(picture(result, "svg", chart).decode("utf-8"))
    if len(svg.encode("utf-8")) <= LARGEST:
        raster.unlink(missing_ok=True)
        write_text(vector, svg)
        return vector
    vector.unlink(missing_ok=True)
    # A picture of a pixel to a pixel: the heat maps' cells are squares of whole pixels or nearly so.
    import vl_convert

    write_bytes(raster, vl_convert.vegalite_to_png(specification(result, chart), scale=SCALE))
    return raster
