"""Charts, each a pure function of a result. Altair: one specification gives the page and the paper's figure."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rankscope.report.charts.text_widths import with_widths
from rankscope.report.charts.widths import fitted, pixels, scaled_svg, with_fitting_legend
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


@contextmanager
def unchecked() -> Iterator[None]:
    """Without Altair's checks of every part of a chart, and its copies of all parts at every step.

    They take most of the time. Our charts are made of parts that never change once they are made; tests check every
    chart, and that it is the same with Altair's copies.
    """
    from altair.utils import schemapi

    copies = schemapi._deep_copy
    schemapi._deep_copy = _copied  # type: ignore[assignment]  # it is overloaded for types only
    try:
        with schemapi.debug_mode(False):
            yield
    finally:
        schemapi._deep_copy = copies


def _copied(part: Any, by_ref: set[str]) -> Any:
    """A part with the same inner parts; a list of parts is copied, as Altair changes what it makes layers of."""
    from altair.utils.schemapi import SchemaBase

    if isinstance(part, SchemaBase):
        return type(part)(*part._args, **part._kwds)
    return [_copied(inner, by_ref) for inner in part] if isinstance(part, list) else part


def picture(
    result: Any, style: str, name: str | None = None, *, theme: Theme = "light", width: str | None = None
) -> bytes:
    """A result's chart as svg, png or pdf, made without a browser; `width` is that of a paper (`widths.pixels`)."""
    target = None if width is None else pixels(width)
    spec, scale = specification(result, name, theme=theme), 1.0
    import vl_convert

    svg = with_fitting_legend(spec)
    if target is not None:
        spec, scale = fitted(spec, target)
        svg = str(vl_convert.vegalite_to_svg(spec))
    if style == "png":
        return packed(vl_convert.vegalite_to_png(spec, scale=scale * (2.0 if width is None else _PRINTED / 96.0)))
    if style == "svg":
        return scaled_svg(with_widths(svg), scale).encode()
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
