"""The layout of a table as LaTeX, Markdown and HTML."""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Iterable, Sequence

from rankscope.report.own_text import (
    html_words,
    markdown_name,
    markdown_words,
    needs_unicode,
    tex_name,
    tex_words,
    unbroken,
)
from rankscope.report.tables.layout import Cell, Layout, layout
from rankscope.results import Table

# At the start of a line of a `tabular` these would be read as an option of the command that ended the line before.
_LATEX_OPTIONS = ("[", "*")
# More rows than fit on a page.
_LONG = 60
# More letters than fit on a line.
_WIDE = 80
_NUMBER = re.compile(r"[<>]?−?[\d,]+(?:\.(\d+))?")
_ENDS = re.compile(r"^(\S+) \+(\S+)/−(\S+)$")


def latex(table: Table) -> str:
    """The table as a booktabs `tabular`, or a `longtable` where it is longer than a page."""
    made = layout(table)
    long = len(made.rows) > _LONG
    environment = "longtable" if long else "tabular"
    spec = "".join(_alignment(made, i) for i in range(len(made.columns)))
    head = [r"\toprule", _latex_row([_latex(cell) for cell in made.columns]), r"\midrule"]
    body = "\n".join(
        [
            rf"\begin{{{environment}}}{{@{{}}{spec}@{{}}}}",
            *head,
            *([r"\endhead"] if long else []),
            *_latex_rows(made, grouped=not long),
            r"\bottomrule",
            rf"\end{{{environment}}}",
        ]
    )
    return "\n".join([*_latex_notes(made, body, long=long), body]) + "\n"


def _alignment(made: Layout, column: int) -> str:
    """Numbers to the right; names to the left, in lines of a paragraph where they are long."""
    if column in made.right:
        return "r"
    longest = max((len(row[column].text) for row in made.rows), default=0)
    return r"p{0.6\linewidth}" if longest > _WIDE else "l"


def _latex_notes(made: Layout, body: str, *, long: bool) -> list[str]:
    """What the table needs and leaves out, as comments."""
    packages = "booktabs,longtable" if long else "booktabs"
    notes = [rf"\usepackage{{{packages}}}" + (", in one column" if long else "")]
    notes += [f"{title.text}: {_one_line(cell.text)}" for title, cell in made.same]
    unknown = needs_unicode(body)
    if unknown:
        notes.append(f"XeLaTeX or LuaLaTeX, with a font that has {' '.join(unknown)}")
    return [f"% {note}" for note in notes]


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def _latex_rows(made: Layout, *, grouped: bool) -> list[str]:
    """The rows; `grouped` has a name in the first column once per group of rows, with space between groups."""
    columns = [
        _aligned([row[i].text for row in made.rows]) if i in made.right else [_latex(row[i]) for row in made.rows]
        for i in range(len(made.columns))
    ]
    first = [row[0] for row in made.rows]
    several = len(columns) > 1 and 0 not in made.right and any(a == b for a, b in itertools.pairwise(first))
    grouped = grouped and several
    lines = []
    for i, cells in enumerate(zip(*columns, strict=True)):
        again = grouped and i > 0 and first[i] == first[i - 1]
        if grouped and i > 0 and not again:
            lines.append(r"\addlinespace")
        lines.append(_latex_row(["" if again else cells[0], *cells[1:]]))
    return lines


def _aligned(texts: Sequence[str]) -> list[str]:
    r"""Numbers with their decimal points below each other in a column that is aligned to the right.

    >>> _aligned(["0.75", "28", "–"])
    ['0.75', '28\\phantom{.00}', '--\\phantom{.00}']
    """
    numbers = [_NUMBER.fullmatch(text) for text in texts]
    decimals = [len(number[1] or "") for number in numbers if number]
    most = max(decimals, default=0)
    if not most or min(decimals) == most or not all(n or t == "–" for n, t in zip(numbers, texts, strict=True)):
        return [_latex(Cell(text)) for text in texts]
    made = []
    for text, number in zip(texts, numbers, strict=True):
        own = len(number[1] or "") if number else 0
        blank = "0" * (most - own) if own else "." + "0" * most
        made.append(_latex(Cell(text)) + (rf"\phantom{{{blank}}}" if blank else ""))
    return made


def _latex(cell: Cell) -> str:
    if not cell.own:
        return tex_name(cell.text)
    ends = _ENDS.match(cell.text)
    if ends:
        value, above, below = (part.replace("−", "-") for part in ends.groups())
        return f"${value}^{{+{above}}}_{{-{below}}}$"
    return tex_words(cell.text)


def _latex_row(cells: Sequence[str]) -> str:
    r"""A line of a `tabular`.

    >>> print(_latex_row(["[red]", "*"]))
    {}[red] & * \\
    """
    row = " & ".join(cells) + r" \\"
    return f"{{}}{row}" if row.lstrip().startswith(_LATEX_OPTIONS) else row


def markdown(table: Table) -> str:
    """The table as Markdown, as GitHub and notebooks read it; what is the same in all rows stands above."""
    made = layout(table)
    rules = ("---:" if i in made.right else ":---" for i in range(len(made.columns)))
    lines = [_bar(map(_markdown, made.columns)), _bar(rules), *(_bar(map(_markdown, row)) for row in made.rows)]
    above = "; ".join(f"{_markdown(title)}: {_markdown(cell)}" for title, cell in made.same)
    return "\n".join([*([above, ""] if above else []), *lines]) + "\n"


def _bar(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown(cell: Cell) -> str:
    return markdown_words(cell.text) if cell.own else markdown_name(cell.text)


def html_table(table: Table, most: int | None = None) -> str:
    """The table as HTML; of more rows than `most`, the first, and a remark."""
    made = layout(table, most)
    left = 0 if most is None else len(table.rows) - most
    return unbroken(_html_layout(made) + (f"<p>and {left:,} rows more</p>" if left > 0 else ""))


def as_it_is(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Text in columns as HTML."""
    head, *body = ([Cell(text, own=False) for text in row] for row in (columns, *rows))
    return _html_layout(Layout(tuple(head), tuple(map(tuple, body)), frozenset(), ()))


def _html_layout(made: Layout) -> str:
    right = ' style="text-align: right"'

    def row(tag: str, cells: Sequence[Cell]) -> str:
        shown = (f"<{tag}{right if i in made.right else ''}>{_html(cell)}</{tag}>" for i, cell in enumerate(cells))
        return f"<tr>{''.join(shown)}</tr>"

    same = "; ".join(f"{_html(title)}: {_html(cell)}" for title, cell in made.same)
    caption = f"<caption>{same}</caption>" if same else ""
    body = "".join(row("td", cells) for cells in made.rows)
    return f"<table>{caption}<thead>{row('th', made.columns)}</thead><tbody>{body}</tbody></table>"


def _html(cell: Cell) -> str:
    return html_words(cell.text) if cell.own else html.escape(cell.text)
