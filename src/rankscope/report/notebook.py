"""A result in a notebook: the answer, a compact table and the main chart; the rest folds out below."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence

from rankscope.report.blocks import Block, Heading, Sentence
from rankscope.report.charts import find_chart, picture
from rankscope.report.own_text import unbroken
from rankscope.report.terminal import blocks, line
from rankscope.report.text_tables import TextTable, clean
from rankscope.results import Result

# Sentences before the first table, and rows of a table, that a notebook shows; the rest folds out.
_SENTENCES, _ROWS = 4, 12
# Themes of notebooks align and clip cells as they like; these rules come with each element, since styles are removed.
_CELL = "padding:0.2em 0.8em 0.2em 0;white-space:nowrap;max-width:none"
# Intervals drawn with characters, which must all be of one width to stand below each other.
_DRAWN, _MONOSPACED = frozenset("·╶─╴●"), ";font-family:monospace;white-space:pre"
_WIDE = "overflow-x:auto;max-width:100%"


def display(result: Result) -> str:
    """The result as HTML that needs no script, every name escaped."""
    said = blocks(result)
    first = next((i for i, block in enumerate(said) if isinstance(block, TextTable)), len(said))
    before, rest = said[:first], said[first + 1 :]
    shown, more = before[: 1 + _SENTENCES], before[1 + _SENTENCES :]
    claims = [block for block in before if isinstance(block, Sentence) and block.kind == "claim"]
    if len(claims) > _SENTENCES:  # some of the answers would stand for all of them
        shown, more = [block for block in before if block not in claims], [*claims]
    table = said[first] if first < len(said) else None
    if not isinstance(table, TextTable):
        return unbroken(_html(shown) + result.table().to_html(_ROWS) + _drawn(result) + _folded(more))
    whole = [table] if len(table.rows) > _ROWS else []
    return unbroken(_html(shown) + _compact(table) + _drawn(result) + _folded([*more, *whole, *rest]))


def _html(said: Sequence[Block]) -> str:
    parts = []
    for block in said:
        if isinstance(block, TextTable):
            parts.append(_table(block))
        else:
            text = html.escape(line(block))
            parts.append(f"<p><strong>{text}</strong></p>" if isinstance(block, Heading) else f"<p>{text}</p>")
    return "".join(parts)


def _folded(said: Sequence[Block]) -> str:
    return f"<details><summary>More</summary>{_html(said)}</details>" if said else ""


def _compact(table: TextTable) -> str:
    left = len(table.rows) - _ROWS
    return _table(table, _ROWS) + (f"<p>{left:,} rows more</p>" if left > 0 else "")


def _table(table: TextTable, most: int | None = None) -> str:
    """The columns of a table whose headings say something; wider than the page, it scrolls."""

    def cells(tag: str, texts: Sequence[str]) -> str:
        side = ("right" if i in table.right else "left" for i in range(len(texts)))
        return "".join(
            f'<{tag} style="text-align:{where};{_CELL}{_MONOSPACED if _DRAWN & set(text) else ""}">'
            f"{html.escape(clean(text))}</{tag}>"
            for text, where in zip(texts, side, strict=True)
        )

    title = f"<p>{html.escape(clean(table.title))}</p>" if table.title else ""
    rows = "".join(f"<tr>{cells('td', row)}</tr>" for row in table.rows[:most])
    whole = f"<table><thead><tr>{cells('th', table.columns)}</tr></thead><tbody>{rows}</tbody></table>"
    return f'{title}<div style="{_WIDE}">{whole}</div>'


def _drawn(result: Result) -> str:
    """The first chart as a PNG: of <svg> an untrusted notebook keeps the words alone, and other fonts clip its text."""
    try:
        shows = html.escape(find_chart(result).shows)
        png = picture(result, "png")
    except Exception:  # a notebook shows the rest, whatever is missing for the chart
        return ""
    width = int.from_bytes(png[16:20], "big") // 2  # the picture has two dots for each pixel
    data = base64.b64encode(png).decode()
    return f'<p><img alt="{shows}" width="{width}" style="max-width:100%" src="data:image/png;base64,{data}"></p>'
