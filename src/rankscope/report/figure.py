"""One chart as an HTML file that works without a network: names on hover, the numbers below, every name escaped."""

from __future__ import annotations

import html
import json
from typing import Any

from rankscope.report.charts import find_chart, specification
from rankscope.report.page import in_words
from rankscope.report.theme import Theme, config
from rankscope.results import Result

# Vega makes functions of its expressions, hence 'unsafe-eval'; nothing may come from, or go, outside.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; "
    "form-action 'none'; base-uri 'none'"
)
_DRAW = """
vegaEmbed("#chart", JSON.parse(document.getElementById("specification").textContent),
  {renderer: "svg", actions: {export: true, source: false, compiled: false, editor: false}, tooltip: {theme: THEME}});
"""


def figure(result: Result, name: str | None = None, *, theme: Theme = "light") -> str:
    """The page of one chart, with what the terminal says below it."""
    from rankscope.report.page_render import vega

    record = find_chart(result, name)
    spec = specification(result, name, theme=theme)
    words, body = in_words(result)
    title = html.escape(words if words != type(result).__name__ else record.shows.capitalize())
    draw = _DRAW.replace("THEME", json.dumps("dark" if theme == "dark" else "default"))
    text = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f'<meta name="viewport" content="width=device-width"><title>{title}</title>'
        f"<style>{_style(theme)}</style></head>"
        f'<body><main><div id="chart" role="img" aria-label="{html.escape(record.shows)}"></div>'
        f"<details><summary>The numbers</summary>{body}</details></main>"
        f'<script type="application/json" id="specification">{embedded(spec)}</script>'
        f"<script>{vega()}</script><script>{draw}</script></body></html>\n"
    )
    return text.encode("utf-8", "replace").decode()  # a lone surrogate in a name is no character


def embedded(value: Any) -> str:
    r"""JSON that may stand inside a script element: no `<`, so that no name can end it.

    >>> print(embedded({"name": "</script>"}))
    {"name": "\u003c/script>"}
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _style(theme: Theme) -> str:
    colours = config(theme)
    ink, line = colours["axis"]["labelColor"], colours["axis"]["gridColor"]
    return (
        f"body {{ margin: 1rem; background: {colours['background']}; color: {ink}; font: 14px/1.4 {colours['font']}; }}"
        f"table {{ border-collapse: collapse; }} td, th {{ padding: .15rem .6rem; text-align: left; }}"
        f"tr {{ border-bottom: 1px solid {line}; }} summary {{ cursor: pointer; margin: 1rem 0; }}"
    )
