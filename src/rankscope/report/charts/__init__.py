"""Charts, each a pure function of a result. Altair: one specification gives the page and the paper's figure."""

from __future__ import annotations

import struct
import zlib
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from rankscope.report.charts.widths import fitted, pixels, scaled_svg
from rankscope.report.kinds import charts_of, find_chart
from rankscope.report.theme import Theme, check_docstrings, config

if TYPE_CHECKING:
    import altair

# Dots per inch of a PNG of a given width.
_PRINTED = 300

__all__ = ["chart", "charts_of", "find_chart", "picture", "specification", "unchecked"]


def chart(result: Any, name: str | None = None, *, theme: Theme = "light") -> altair.TopLevelMixin:
    """The first chart of a result, or the one of this name (`charts_of`)."""
    draw = find_chart(result, name)
    settings = config(theme)  # a wrong theme is reported before anything is loaded
    check_docstrings()
    with unchecked():
        return draw.load()(result).configure(**settings)  # type: ignore[no-any-return]


def specification(result: Any, name: str | None = None, *, theme: Theme = "light") -> dict[str, Any]:
    """The chart as Vega-Lite."""
    drawn = chart(result, name, theme=theme)
    with unchecked():
        vega_lite: dict[str, Any] = drawn.to_dict(validate=False)
    return vega_lite


def unchecked() -> AbstractContextManager[None]:
    """Without Altair's checks of every part of a chart, which take half the time; the tests check all charts."""
    from altair.utils.schemapi import debug_mode

    return debug_mode(False)


def picture(
    result: Any, style: str, name: str | None = None, *, theme: Theme = "light", width: str | None = None
) -> bytes:
    """A result's chart as svg, png or pdf, made without a browser; `width` is that of a paper (`widths.pixels`)."""
    target = None if width is None else pixels(width)
    spec, scale = specification(result, name, theme=theme), 1.0
    import vl_convert

    if target is not None:
        spec, scale = fitted(spec, target)
    if style == "png":
        return packed(vl_convert.vegalite_to_png(spec, scale=scale * (2.0 if width is None else _PRINTED / 96.0)))
    svg = str(vl_convert.vegalite_to_svg(spec))
    if style == "svg":
        return scaled_svg(svg, scale).encode()
    return bytes(vl_convert.svg_to_pdf(scaled_svg(svg, scale * 72.0 / 96.0)))  # a unit of SVG becomes a point of PDF


def packed(png: bytes) -> bytes:
    """The same picture in a quarter of the bytes: vl-convert packs pixels in haste."""
    chunks, at = [], 8
    while at < len(png):
        size = int.from_bytes(png[at : at + 4], "big")
        chunks.append((png[at + 4 : at + 8], png[at + 8 : at + 8 + size]))
        at += 12 + size
    pixels = zlib.compress(zlib.decompress(b"".join(data for kind, data in chunks if kind == b"IDAT")))
    before = [chunk for chunk in chunks if chunk[0] not in (b"IDAT", b"IEND")]
    return png[:8] + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in (*before, (b"IDAT", pixels), (b"IEND", b""))
    )
