"""A result as a file; the path's extension names the format."""

from __future__ import annotations

import os
from pathlib import Path

from rankscope.errors import UnwritableOutput
from rankscope.files.atomic import write_bytes, write_text
from rankscope.report.charts import picture
from rankscope.report.page import page
from rankscope.report.terminal import plain_text
from rankscope.results import Result

_TEXTS = {".json": "json", ".csv": "csv", ".tex": "latex", ".txt": "table"}
_PICTURES = (".svg", ".png", ".pdf")
EXTENSIONS = (*_TEXTS, ".html", *_PICTURES)


def save(result: Result, path: str | os.PathLike[str]) -> None:
    """Write a result as .json, .csv, .tex, .txt, .html, or its chart as .svg, .png or .pdf; all or nothing."""
    extension = Path(path).suffix.lower()
    if extension in _TEXTS:
        write_text(path, rendered(result, _TEXTS[extension]))
    elif extension == ".html":
        write_text(path, page(result))
    elif extension in _PICTURES:
        write_bytes(path, picture(result, extension[1:]))
    else:
        known = ", ".join(EXTENSIONS)
        raise UnwritableOutput(path, f"the extension {extension!r} names no format; use one of {known}")


def rendered(result: Result, style: str) -> str:
    """A result as text: `table`, `json`, `csv` or `latex`."""
    if style == "table":
        return plain_text(result)
    return {"json": result.to_json, "csv": result.to_csv, "latex": result.to_latex}[style]()
