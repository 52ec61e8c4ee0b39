"""A result in a notebook: what is said of it, its first chart, and its main table."""

from __future__ import annotations

import base64
import html

from rankscope.report.blocks import Heading, Sentence
from rankscope.report.charts import find_chart, picture
from rankscope.report.terminal import blocks
from rankscope.results import Result

# Rows of a table that a notebook shows; the rest is in the frame and the files.
_ROWS = 60


def display(result: Result) -> str:
    """The result as HTML that needs no script, every name escaped."""
    said = "".join(_paragraph(block) for block in blocks(result) if isinstance(block, Heading | Sentence))
    return said + _drawn(result) + result.table().to_html(_ROWS)


def _paragraph(block: Heading | Sentence) -> str:
    text = html.escape(block.text)
    return f"<p><strong>{text}</strong></p>" if isinstance(block, Heading) else f"<p>{text}</p>"


def _drawn(result: Result) -> str:
    """The first chart as an image: of a bare <svg>, a notebook opened anew and not trusted keeps only the words."""
    try:
        shows = html.escape(find_chart(result).shows)
        data = base64.b64encode(picture(result, "svg")).decode()
    except Exception:  # a notebook shows the rest, whatever is missing for the chart
        return ""
    return f'<p><img alt="{shows}" src="data:image/svg+xml;base64,{data}"></p>'
