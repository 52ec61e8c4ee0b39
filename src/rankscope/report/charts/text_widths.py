"""The width that a picture was laid out for, written into each of its texts.

Vega places texts by their widths where the picture is made, in Arial or in a font with Arial's widths, which
vl-convert brings along. An SVG is drawn in whatever font its reader has. Others are wider: legends ran into each other,
and what stands at the edge was cut off. With `textLength` a reader's font is stretched or narrowed to the same width.
"""

from __future__ import annotations

import html
import itertools
import re
from typing import Any, NamedTuple

_TEXT = re.compile(r"<(text|tspan)\b([^>]*)>([^<]*)")
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
_PLACE = re.compile(r'role-scope"[^>]*><g transform="translate\(([\d.]+),')
# Texts are measured this large, as places are whole pixels.
_MEASURED = 1000.0


class _Text(NamedTuple):
    """What decides the width of a text, apart from its size."""

    words: str
    font: str
    weight: str
    style: str


def with_widths(svg: str) -> str:
    """Vega's SVG with the width of every text; those in other than Western scripts are left as they are.

    Which font such letters come from, and with what width, differs from machine to machine.
    """
    texts: dict[int, tuple[_Text, float]] = {}
    font: dict[str, str] = {}
    for element in _TEXT.finditer(svg):
        own = dict(_ATTRIBUTE.findall(element[2]))
        font = own if element[1] == "text" else font  # lines are spans of a text, in its font
        words = html.unescape(element[3])
        if words.strip() and all(map(_is_western, words)) and "font-size" in font:
            text = _Text(
                words, *(html.unescape(font.get(f"font-{what}", "")) for what in ("family", "weight", "style"))
            )
            texts[element.start(3)] = text, float(font["font-size"].removesuffix("px"))
    widths = _widths(list(dict.fromkeys(text for text, _ in texts.values())))
    parts, end = [], 0
    for start, (text, size) in texts.items():
        length = widths[text] * size / _MEASURED
        parts += [svg[end : start - 1], f' textLength="{length:.2f}" lengthAdjust="spacingAndGlyphs">']
        end = start
    return "".join([*parts, svg[end:]])


def _is_western(letter: str) -> bool:
    """Whether a letter or sign is one that Arial and its likes have: Latin, Greek, Cyrillic, punctuation, arrows."""
    return letter < "\u0530" or "\u1e00" <= letter < "\u2300"


def _widths(texts: list[_Text]) -> dict[_Text, float]:
    """The widths of texts in the font that vl-convert takes for them: each stands right of those before it."""
    import vl_convert

    if not texts:
        return {}
    spec: dict[str, Any] = {
        "$schema": "https://vega.github.io/schema/vega/v5.json",
        "padding": 0,
        "layout": {"columns": len(texts) + 1, "padding": 0, "bounds": "full"},
        "marks": [*map(_measured, texts), {"type": "group"}],
    }
    places = [float(place) for place in _PLACE.findall(vl_convert.vega_to_svg(spec))]
    return {text: end - start for text, (start, end) in zip(texts, itertools.pairwise(places), strict=True)}


def _measured(text: _Text) -> dict[str, Any]:
    look = {"text": text.words, "font": text.font, "fontSize": _MEASURED}
    look |= {"fontWeight": text.weight} if text.weight else {}
    look |= {"fontStyle": text.style} if text.style else {}
    encode = {"enter": {name: {"value": value} for name, value in look.items()}}
    return {"type": "group", "marks": [{"type": "text", "encode": encode}]}
