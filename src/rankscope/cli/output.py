"""Where a result goes: to the terminal, to standard output as data, or to a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import rankscope as rs
from rankscope.cli import streams

if TYPE_CHECKING:
    from rankscope.report.theme import Theme
    from rankscope.results import Result


def write(
    result: Result,
    *,
    style: str | None = None,
    output: str | None = None,
    chart: str | None = None,
    theme: Theme = "light",
    width: str | None = None,
    csv_safe: bool = False,
) -> None:
    """Write a result to standard output or to a file."""
    from rankscope.files.atomic import write_text
    from rankscope.report.saving import is_folder, save

    if output is None:
        if style is None or style == "table":
            _show(result)
        else:
            streams.send(_text(result, style, csv_safe=csv_safe))
    elif style is None:
        save(result, output, chart=chart, theme=theme, width=width, csv_safe=csv_safe)
    elif is_folder(output):
        raise rs.BadParameter("a folder gets a result in all formats; leave out --format, or name a file")
    else:
        write_text(output, _text(result, style, csv_safe=csv_safe))


def make_folder(folder: Path) -> None:
    """Make a folder for output, or raise `UnwritableOutput`."""
    from rankscope.errors import UnwritableOutput

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"cannot make this folder ({error.strerror}); choose another folder"
        raise UnwritableOutput(folder, problem) from None


def _text(result: Result, style: str, *, csv_safe: bool) -> str:
    from rankscope.report.saving import rendered

    if isinstance(result, rs.Evaluation | rs.TopicEvaluation) and style == "trec_eval":
        return result.to_trec_eval()
    if style == "trec_eval":
        raise rs.BadParameter("trec_eval's format has the whole evaluation; leave out --table, --columns and --digits")
    return rendered(result, style, csv_safe=csv_safe)


def _show(result: Result) -> None:
    """Show a result to a person: in colour at a terminal, and as wide as it is, or as COLUMNS says."""
    from rankscope.report.terminal import plain_text, show

    if not (streams.standard_output().isatty() or os.environ.get("COLUMNS", "").isdigit()):
        with streams.fitting_tables():
            text = plain_text(result)
        streams.show(text.rstrip("\n"))
        return
    from rich.console import Console

    with streams.fitting_tables():
        show(result, Console(highlight=False))
