"""A page of docs/papers: what a paper prints beside what rankscope finds, with the differences, and the figures.

A row keeps the paper's words; the numbers in them are the template of ours, so that both have the same decimals.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, SupportsFloat, TypeVar

import numpy as np
from numpy.typing import ArrayLike

import rankscope as rs
from rankscope.files.atomic import write_text
from rankscope.inputs import to_matrix
from reproductions.pictures import draw

T = TypeVar("T")

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "papers"
# A sign counts where no digit or letter is before it: "10-20" are two numbers, "(-0.5)" one.
_NUMBER = re.compile(r"(?<![\w.])[-−]?(?:\d{1,3}(?:,\d{3})+|\d*\.\d+|\d+)(?![\w])")


class NoData(Exception):
    """The data that a reproduction needs are missing."""


@dataclass(frozen=True)
class Row:
    """One line of a paper's table: its words, our numbers in their place, and the differences."""

    what: str
    paper: str
    ours: str
    values: tuple[float, ...]
    differences: tuple[float, ...]
    why: str

    @property
    def same(self) -> bool:
        """Whether ours, rounded as the paper rounds, is what it prints."""
        return bool(self.differences) and not any(self.differences)


def printed(text: str) -> list[tuple[float, int]]:
    """The numbers in a paper's words, each with its decimals.

    >>> printed("0.84 (.64, 0.93)"), printed("4,789"), printed("−0.5")
    ([(0.84, 2), (0.64, 2), (0.93, 2)], [(4789.0, 0)], [(-0.5, 1)])
    """
    found = []
    for match in _NUMBER.findall(text):
        plain = match.replace(",", "").replace("−", "-")
        found.append((float(plain), len(plain.partition(".")[2])))
    return found


def scores_by_topic(path: Path) -> rs.ScoreMatrix:
    """The scores of a table that has topics."""
    return to_matrix(path, "the paper computes from topics")


def needed(value: T | None) -> T:
    """The value, which the page cannot do without."""
    if value is None:
        raise ValueError("a number that the page needs does not exist")
    return value


def number(value: SupportsFloat | None, decimals: int) -> str:
    """A number as the pages write it."""
    exact = float(needed(value))
    text = f"{exact:,.{decimals}f}" if decimals == 0 else f"{exact:.{decimals}f}"
    return text.replace("-", "−")


def against(what: str, paper: str, ours: ArrayLike | None, why: str = "") -> Row:
    """A row; `why` is shown where the two differ."""
    values = tuple(float(value) for value in np.atleast_1d(np.asarray(needed(ours), dtype=float)))
    theirs = printed(paper)
    if len(theirs) != len(values):
        raise ValueError(f"{what}: the paper prints {len(theirs)} numbers, {len(values)} are ours")
    rest = iter(values)
    decimals = iter([places for _, places in theirs])
    text = _NUMBER.sub(lambda _: number(next(rest), next(decimals)), paper)
    differences = tuple(
        round(round(value, places) - their, places) + 0.0 for value, (their, places) in zip(values, theirs, strict=True)
    )
    return Row(what, paper.replace("-", "−"), text, values, differences, why)


@dataclass
class Page:
    """A page being written."""

    name: str
    title: str
    quick: bool
    folder: Path | None
    parts: list[str] = field(default_factory=list)
    rows: dict[str, Row] = field(default_factory=dict)
    values: dict[object, Any] = field(default_factory=dict)
    figures: list[str] = field(default_factory=list)

    def text(self, words: str) -> None:
        """A paragraph, or a heading."""
        self.parts.append(words)
        print(words + "\n", flush=True)

    def compare(self, rows: Sequence[Row]) -> None:
        """A table of the paper's numbers beside ours."""
        lines = []
        for row in rows:
            self.rows[row.what] = row
            apart = [
                number(gap, places) if gap < 0 else "+" + number(gap, places) if gap else "0"
                for gap, (_, places) in zip(row.differences, printed(row.paper), strict=True)
            ]
            shown = "0" if row.same else ", ".join(apart)
            lines.append((row.what, row.paper, row.ours, shown, "" if row.same else row.why))
        self.table(("", "paper", "ours", "difference", "why"), lines)

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Any other table."""
        lines = [[str(cell).replace("|", r"\|") for cell in row] for row in (columns, *rows)]
        head, *body = ["| " + " | ".join(line) + " |" for line in lines]
        self.text("\n".join([head, "|" + "---|" * len(columns), *body]))

    def figure(self, result: Any, name: str, caption: str, chart: str | None = None) -> None:
        """A chart of a result as a file of its own; drawn only where the page is written."""
        self.figures.append(name)
        if self.folder is None:
            print(f"[{caption}: not drawn]\n")
            return
        path = draw(result, self.folder / "figures" / f"{self.name}-{name}", chart)
        self.text(f"![{caption}](figures/{path.name})\n\n*{caption}.*")

    def write(self) -> None:
        """The page as a file, if there is a folder for it."""
        if self.folder is None:
            return
        quick = " --quick" if self.quick else ""
        head = (
            f"# {self.title}\n\nWritten by `make reproduce`; this page alone by\n\n"
            f"    .venv/bin/python -m reproductions {self.name}{quick}"
        )
        if self.rows:
            head += "\n\nA difference is our value, rounded as in the paper, minus the printed one."
        self.folder.mkdir(parents=True, exist_ok=True)
        write_text(self.folder / f"{self.name}.md", "\n\n".join([head, *self.parts]) + "\n")


def data_folder(*needed: str) -> Path:
    """The folder of public data, or NoData that says what is missing."""
    folder = Path(os.environ.get("RANKSCOPE_DATA", ROOT / ".." / "shared" / "data")).resolve()
    missing = [name for name in needed if not (folder / name).exists()]
    if not folder.is_dir() or missing:
        what = f"{folder} has no {', '.join(missing)}" if folder.is_dir() else f"there is no folder {folder}"
        raise NoData(f"{what}: set RANKSCOPE_DATA to the folder of the data")
    return folder


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """The arguments of `python -m reproductions`."""
    parser = argparse.ArgumentParser(prog="python -m reproductions", description="Reproduce the papers.")
    parser.add_argument("paper", nargs="*", help="which papers (default: all)")
    parser.add_argument("--quick", action="store_true", help="fewer draws; prints and writes no page")
    parser.add_argument("--output", type=Path, help="folder for pages and figures (docs/papers; with --quick none)")
    return parser.parse_args(words)


def reproduce(name: str, title: str, fill: Callable[[Page], None], quick: bool, folder: Path | None) -> Page | None:
    """Make a page; None, with a message, if the data are missing."""
    page = Page(name, title, quick, folder)
    print(f"# {title}\n")
    try:
        fill(page)
    except NoData as absent:
        print(f"{name} skipped: {absent}", file=sys.stderr)
        return None
    page.write()
    return page
