"""A result as text: boxed and coloured at a terminal, plain in files and pipes, and for `print`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankscope.report.blocks import Block, Heading, Sentence
from rankscope.report.kinds import kind_of, load
from rankscope.report.text_tables import TextTable, clean_lines

if TYPE_CHECKING:
    from rich.console import Console

    from rankscope.results import Result


def blocks(result: Result) -> list[Block]:
    """What is said of a result, from top to bottom."""
    said: list[Block] = load(kind_of(result).text)(result)
    return said


def heading_of(result: Result) -> Heading:
    """The first heading: what stands above a page or a chart."""
    return next(block for block in blocks(result) if isinstance(block, Heading))


def line(block: Heading | Sentence | str) -> str:
    """The text of a block that is not a table."""
    return block if isinstance(block, str) else block.text


def plain_text(result: Result) -> str:
    """The text without colours or boxes, for files and pipes."""
    parts = [
        f"\n{block.plain()}\n" if isinstance(block, TextTable) else clean_lines(line(block)) for block in blocks(result)
    ]
    return "\n".join(parts).replace("\n\n\n", "\n\n").strip("\n") + "\n"


def show(result: Result, console: Console) -> None:
    """Print a result."""
    from rich.text import Text

    for block in blocks(result):
        if isinstance(block, TextTable):
            console.print("", block.rich(console), sep="\n")
        else:
            console.print(Text(clean_lines(line(block)), style="bold" if isinstance(block, Heading) else ""))
