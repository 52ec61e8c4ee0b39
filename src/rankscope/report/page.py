"""A result as one HTML file: no network, every name escaped."""

from __future__ import annotations

import html

from rankscope.report.blocks import Heading
from rankscope.report.kinds import kind_of, load
from rankscope.report.terminal import blocks, line
from rankscope.report.text_tables import TextTable
from rankscope.results import Result, Table

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; }
table { border-collapse: collapse; margin: 1rem 0; } td, th { padding: .25rem .75rem; text-align: left; }
tr { border-bottom: 1px solid #ddd; } thead { border-bottom: 2px solid #666; } svg { max-width: 100%; height: auto; }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def page(result: Result) -> str:
    """The page of a result: for judgments and comparisons interactive, for any other what the terminal says."""
    own = kind_of(result).page
    if own is not None:
        from rankscope.report.page_render import interactive

        return interactive(lambda: load(own)(result))
    return _plain(result)


def _document(title: str, body: str) -> str:
    title = html.escape(title)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f'<meta name="viewport" content="width=device-width"><title>{title}</title><style>{_STYLE}</style></head><body>'
        f"<h1>{title}</h1>{body}</body></html>\n"
    )


def _plain(result: Result) -> str:
    """The page of any result: what the terminal says of it."""
    return _document(*in_words(result))


def in_words(result: Result) -> tuple[str, str]:
    """What the terminal says of a result, as a title and HTML."""
    title, parts = type(result).__name__, []
    for i, block in enumerate(blocks(result)):
        if isinstance(block, TextTable):
            heading = f"<h2>{html.escape(block.title)}</h2>" if block.title else ""
            parts.append(heading + Table(block.columns, block.rows).to_html())
        elif isinstance(block, Heading) and i == 0:
            title = block.text
        elif isinstance(block, Heading):
            parts.append(f"<h2>{html.escape(block.text)}</h2>")
        else:
            parts.append(f"<p>{html.escape(line(block))}</p>")
    return title, "".join(parts)
