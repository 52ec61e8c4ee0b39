"""The sections of docs that `make coverage` writes between two marks, and where its data are."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("RANKSCOPE_DATA", ROOT / ".." / "shared" / "data"))
DOCS = ROOT / "docs"


def marks(name: str) -> tuple[str, str]:
    """What stands before and after a section."""
    return f"<!-- {name}: written by make coverage -->", f"<!-- end of {name} -->"


def write_section(page: Path, name: str, text: str) -> None:
    """Put a section into a page, in place of the one that is there or at the end."""
    begin, end = marks(name)
    whole = page.read_text(encoding="utf-8")
    if begin not in whole:
        whole = f"{whole.rstrip()}\n\n{begin}\n{end}\n"
    before, rest = whole.split(begin, 1)
    page.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{rest.split(end, 1)[1]}", encoding="utf-8")


def runs_asked(default: int) -> int:
    """The number of runs that the first word of the command line asks for."""
    return int(sys.argv[1]) if len(sys.argv) > 1 else default


def need(folder: Path) -> None:
    """End with a message if there are no data."""
    if not folder.is_dir():
        sys.exit(f"{folder}: no such folder; set RANKSCOPE_DATA")
