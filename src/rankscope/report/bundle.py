r"""A result as a folder for a paper: page, JSON, tables as LaTeX, figures as PDF, and what was done with references.

`overview.tex` shows all of it, and is where captions and \input can be copied from.
"""

from __future__ import annotations

import os
import re

from rankscope.errors import RankscopeError, UnwritableOutput
from rankscope.files.written_folder import write_folder
from rankscope.report.charts import picture
from rankscope.report.kinds import charts_of
from rankscope.report.methods import methods
from rankscope.report.numbers import percent
from rankscope.report.own_text import tex_name, tex_words
from rankscope.report.tables.layout import Cell, layout
from rankscope.report.terminal import heading_of
from rankscope.results import OneTable, Result, Table

# A longer table is for a file of data, not for a paper.
_MOST_ROWS = 300

_PREAMBLE = r"""\documentclass{article}
\usepackage[a4paper,margin=2cm]{geometry}
\ifdefined\directlua\else\ifdefined\XeTeXversion\else
  \IfFileExists{lmodern.sty}{\usepackage[T1]{fontenc}\usepackage{lmodern}}{}\fi\fi
\usepackage{booktabs,longtable,graphicx}
% What is too wide or too high is made smaller.
\newsavebox{\fitbox}
\newcommand{\fitted}[1]{\sbox{\fitbox}{#1}%
  \ifdim\wd\fitbox>\linewidth\sbox{\fitbox}{\resizebox{\linewidth}{!}{\usebox{\fitbox}}}\fi
  \ifdim\dimexpr\ht\fitbox+\dp\fitbox>0.85\textheight
    \sbox{\fitbox}{\resizebox{!}{0.85\textheight}{\usebox{\fitbox}}}\fi
  \usebox{\fitbox}}
\begin{document}
"""
# What the tables show, where their names do not say it all.
_SHOWS = {
    "agreements": "Agreement by setting",
    "by topic": "Agreement of scores topic by topic",
    "coefficients": "Coefficients of agreement",
    "contrasts": "Differences between coefficients, first less second, with $p$ adjusted by Holm",
    "correlations": "Coefficients of agreement side by side",
    "estimates": "Verdict, worth of a topic, expected τ with the true ranking, τ_b with the ranking by the reference, "
    "swapped pairs that differ significantly, and whether the best system is the same",
    "groups": "Groups of systems",
    "labels": "Agreement of labels with those of the reference",
    "movers": "Systems whose rank changes, the largest change first",
    "pairs": "Pairs",
    "ranks": "Scores by the reference, and ranks by all",
    "shift": "Shift of scores: mean, spread over systems, and slope",
    "swaps": "Pairs of systems in opposite orders, the largest gap first",
    "top": "Systems that the top $k$ of both sides share",
    "topics": "Topics",
}
_SHOWS |= {
    "JudgeReport judges": _SHOWS["estimates"].replace("τ_b", "τ"),
    "JudgeReport topics": "How much τ rises without a topic",
    "Comparison topics": "How much τ rises without a topic",
    "Ranking systems": "Systems with their scores, rank sets and probability of being best; those that share a letter "
    "are not significantly different",
    "Correction systems": "Systems by their predicted scores, with rank sets, beside both sides alone",
    **{
        f"{kind} pairs": "Pairs of systems by the side that finds them significantly different, and whether both order "
        "them alike"
        for kind in ("JudgeReport", "Comparison", "ComparisonByMeasure")
    },
}


def save_bundle(result: Result, folder: str | os.PathLike[str]) -> None:
    """Write the folder, whole; files that somebody else wrote or changed are not replaced."""
    if isinstance(result, OneTable):
        problem = "a folder gets all tables of a result; leave out --table, --columns and the like, or name a file"
        raise UnwritableOutput(folder, problem)
    write_folder(folder, bundle(result))


def bundle(result: Result) -> dict[str, bytes]:
    """The files of the folder by their paths."""
    from rankscope.report.page import page

    paragraph, bibliography = methods(result)
    tables = {name: table for name, table in result.tables().items() if 0 < len(table.rows) <= _MOST_ROWS}
    figures = _figures(result)
    files = {
        "report.html": page(result),
        "result.json": result.to_json(),
        "methods.tex": paragraph,
        "references.bib": bibliography,
        "overview.tex": _overview(result, tables, list(figures)),
        **{f"tables/{_file(name)}.tex": table.to_latex() for name, table in tables.items()},
    }
    data = {name: text.encode("utf-8", "backslashreplace") for name, text in files.items()}
    return {**data, **{f"figures/{_file(name)}.pdf": drawn for name, drawn in figures.items()}}


def _figures(result: Result) -> dict[str, bytes]:
    """The charts that this result can have; one may need several estimates, or topics."""
    figures = {}
    for chart in charts_of(result):
        try:
            figures[chart.name] = picture(result, "pdf", chart.name)
        except RankscopeError:
            continue
    return figures


def _file(name: str) -> str:
    return re.sub(r"\W+", "-", name)


def _overview(result: Result, tables: dict[str, Table], figures: list[str]) -> str:
    heading = heading_of(result)
    parts = [
        _PREAMBLE + rf"\section*{{{tex_name(heading.what)}}}",
        tex_name(heading.over),
        "\\subsection*{Method}\n\\input{methods}",
        *(_table(result, name, table) for name, table in tables.items()),
        *(_left_out(name, table) for name, table in result.tables().items() if len(table.rows) > _MOST_ROWS),
        *(_figure(result, name) for name in figures),
        "\\bibliographystyle{plain}\n\\bibliography{references}\n\\end{document}\n",
    ]
    return "\n\n".join(part for part in parts if part)


def _table(result: Result, name: str, table: Table) -> str:
    """A table with its caption, as a float, or over pages where it is long."""
    made = layout(table)
    same = "; ".join(f"{_tex(title)}: {_tex(cell)}" for title, cell in made.same)
    level = getattr(result, "settings", {}).get("level")
    ends = level is not None and any(column.endswith("low") for column in table.brief or table.columns)
    caption = ". ".join(
        [
            tex_words(_SHOWS.get(f"{type(result).__name__} {name}") or _SHOWS.get(name, name[0].upper() + name[1:])),
            *([same] if same else []),
            *([tex_words(f"Intervals at {percent(float(level))}")] if level is not None and ends else []),
        ]
    )
    source = rf"\input{{tables/{_file(name)}}}"
    if r"\begin{longtable}" in table.to_latex():
        small = "\\footnotesize\\setlength{\\tabcolsep}{3pt}"
        return f"{{{small}\\begin{{center}}{caption}.\\end{{center}}\n{source}}}"
    head = f"\\begin{{table}}[p]\n\\centering\\small\n\\caption{{{caption}.}}\\label{{tab:{_file(name)}}}"
    return f"{head}\n\\fitted{{{source}}}\n\\end{{table}}"


def _left_out(name: str, table: Table) -> str:
    command = f"rankscope show result.json --table {name!r} -o {_file(name)}.csv"
    return tex_name(f"The table {name} has {len(table.rows):,} rows: {command}")


def _figure(result: Result, name: str) -> str:
    shows = next(chart.shows for chart in charts_of(result) if chart.name == name)
    caption = tex_words(shows[0].upper() + shows[1:])
    return (
        f"\\begin{{figure}}[p]\n\\centering\n\\fitted{{\\includegraphics{{figures/{_file(name)}.pdf}}}}\n"
        f"\\caption{{{caption}.}}\\label{{fig:{_file(name)}}}\n\\end{{figure}}"
    )


def _tex(cell: Cell) -> str:
    return tex_words(cell.text) if cell.own else tex_name(cell.text)
