"""A result as a file; the path's extension names the format."""

from __future__ import annotations

import os
from pathlib import Path

from rankscope.errors import BadParameter, UnwritableOutput
from rankscope.files.atomic import write_bytes, write_text
from rankscope.files.sources import is_there
from rankscope.files.trec_lines import TO_COME
from rankscope.files.write_trec import write_sample, write_to_label
from rankscope.report.bundle import save_bundle
from rankscope.report.charts import picture
from rankscope.report.kinds import kind_of
from rankscope.report.terminal import plain_text
from rankscope.report.theme import Theme
from rankscope.results import Result
from rankscope.studies.plan_result import LabelPlan

_TEXTS = {".json": "json", ".csv": "csv", ".tex": "latex", ".md": "markdown", ".txt": "table"}
PICTURES = (".svg", ".png", ".pdf")
EXTENSIONS = (*_TEXTS, ".html", *PICTURES)


def save(
    result: Result,
    path: str | os.PathLike[str],
    *,
    chart: str | None = None,
    theme: Theme = "light",
    width: str | None = None,
    csv_safe: bool = False,
) -> None:
    """Write a result as .json, .csv, .tex, .md, .txt, .html, or its chart as .svg, .png or .pdf; all or nothing.

    `chart` names one of the result's charts (docs/charts.md) instead of the first; .html is then that chart alone.
    Where a result has no page of its own, .html is its chart, with names on hover. `csv_safe` puts ' before names in
    CSV that a spreadsheet would take for formulas. A plan as .qrels is the file to label. A path that ends in / or is a
    folder gets a bundle for a paper: page, JSON, tables as LaTeX, figures as PDF, and a paragraph on what was done with
    its references. `width` is that of a picture in a paper: "one" column, "two", or such as "8.5cm" or "3.4in".
    """
    if is_folder(path):
        if chart is not None:
            raise BadParameter("a folder gets all charts of a result; leave out --chart, or name a file")
        save_bundle(result, path)
        return
    extension = Path(path).suffix.lower()
    if extension in _TEXTS:
        write_text(path, rendered(result, _TEXTS[extension], csv_safe=csv_safe))
    elif extension == ".html":
        write_text(path, _html(result, chart, theme))
    elif extension == ".qrels" and isinstance(result, LabelPlan):
        _check_labels_kept(result, path)
        if result.by == "topic":
            write_to_label(result.to_label(), path)
        else:
            write_sample(result.sample(), path)
    elif extension in PICTURES:
        write_bytes(path, picture(result, extension[1:], chart, theme=theme, width=width))
    elif os.fspath(path) == "-":
        problem = "a result goes to standard output without -o; leave -o out, and name a format with --format"
        raise UnwritableOutput(path, problem)
    else:
        own = (".qrels",) if isinstance(result, LabelPlan) else ()
        known = f"{', '.join((*own, *EXTENSIONS))}, or a folder (FOLDER/)"
        raise UnwritableOutput(path, f"the extension {extension!r} names no format; use one of {known}")


def _check_labels_kept(plan: LabelPlan, path: str | os.PathLike[str]) -> None:
    """Raise `UnwritableOutput` for a file that people have labelled, if the plan has not all of their labels."""
    if not (is_there(path) and Path(path).is_file()):
        return
    kept = {(row.topic, row.document) for row in plan.documents if row.grade is not None}
    lines = (line.split() for line in Path(path).read_text(encoding="utf-8", errors="replace").splitlines())
    labelled = ((line[0], line[2]) for line in lines if len(line) in (4, 5) and line[3] != TO_COME)
    lost = sum(label not in kept for label in labelled)
    if lost:
        raise UnwritableOutput(
            path,
            f"the file has {lost:,} labels that the plan has not, and would lose them; give it as the human labels so "
            "far (truth=, --truth) and choose another file for the output, or remove it",
        )


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether a path is that of a folder: it ends as one does, or there is one."""
    return os.fspath(path).endswith(("/", os.sep)) or (is_there(path) and Path(path).is_dir())


def _html(result: Result, chart: str | None, theme: Theme) -> str:
    from rankscope.report.page import chart_page, page

    kind = kind_of(result)
    if chart is None and (kind.page is not None or not kind.charts):
        return page(result)
    return chart_page(result, chart, theme=theme)


def rendered(result: Result, style: str, *, csv_safe: bool = False) -> str:
    """A result as text: `table`, `json`, `csv`, `latex`, `markdown` or `html`, a table without a page around it."""
    if style == "table":
        return plain_text(result)
    if style == "csv":
        return result.to_csv(safe=csv_safe)
    if style == "html":
        return result.to_html() + "\n"
    return {"json": result.to_json, "latex": result.to_latex, "markdown": result.to_markdown}[style]()
