"""Charts, each a pure function of a result. Altair: one specification gives the page and the paper's figure."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from rankscope.report.kinds import charts_of, find_chart
from rankscope.report.theme import Theme, check_docstrings, config

if TYPE_CHECKING:
    import altair

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


def picture(result: Any, style: str, name: str | None = None, *, theme: Theme = "light") -> bytes:
    """A result's chart as svg, png or pdf, made without a browser."""
    spec = specification(result, name, theme=theme)
    import vl_convert

    if style == "svg":
        return str(vl_convert.vegalite_to_svg(spec)).encode()
    if style == "pdf":
        return bytes(vl_convert.vegalite_to_pdf(spec))
    return bytes(vl_convert.vegalite_to_png(spec, scale=2.0))
