"""A result as one HTML file that needs no network, every name escaped."""

from __future__ import annotations

import html
import itertools

from rankscope.checks import check_choice
from rankscope.report.blocks import Heading, Sentence
from rankscope.report.kinds import find_chart, kind_of, load
from rankscope.report.page_model import Figure, Page, Place, Section, View
from rankscope.report.page_render import interactive, rendered
from rankscope.report.tables import as_it_is
from rankscope.report.terminal import blocks, line
from rankscope.report.text_tables import TextTable
from rankscope.report.theme import THEMES, Theme
from rankscope.results import Result


def page(result: Result) -> str:
    """The page of a result: interactive for comparisons and judges, and what the terminal says for any other."""
    own = kind_of(result).page
    if own is None:
        title, words = in_words(result)
        return rendered(Page(title=title, words=words))
    return interactive(lambda: load(own)(result))


def chart_page(result: Result, name: str | None = None, *, theme: Theme = "light") -> str:
    """The page of one chart of a result: the first sentences above it, and all that the terminal says below it."""
    check_choice("theme", theme, THEMES)
    record = find_chart(result, name)
    title, words = in_words(result)
    shows = record.shows[0].upper() + record.shows[1:]
    place = Place("chart", "", fixed=True)

    def make() -> Page:
        return Page(
            title=title if title != type(result).__name__ else shows,
            sections=(Section("chart", "", (place,)),),
            views=(
                View(
                    texts={"chart": _first_sentences(result)},
                    figures={place.name: Figure(record.load()(result), "", shows)},
                ),
            ),
            words=words,
            theme=theme,
        )

    return interactive(make)


def _first_sentences(result: Result) -> list[str]:
    """What the terminal says under the title of a result, before any table or further title."""
    said = []
    for block in itertools.dropwhile(lambda block: isinstance(block, Heading), blocks(result)):
        if not isinstance(block, Sentence):
            break
        said.append(line(block))
    return said


def in_words(result: Result) -> tuple[str, str]:
    """What the terminal says of a result, as a title and HTML."""
    title, parts = type(result).__name__, []
    for i, block in enumerate(blocks(result)):
        if isinstance(block, TextTable):
            heading = f"<h2>{html.escape(block.title)}</h2>" if block.title else ""
            parts.append(heading + as_it_is(block.columns, block.rows))
        elif isinstance(block, Heading) and i == 0:
            title = block.text
        elif isinstance(block, Heading):
            parts.append(f"<h2>{html.escape(block.text)}</h2>")
        else:
            parts.append(f"<p>{html.escape(line(block))}</p>")
    return title, "".join(parts)
