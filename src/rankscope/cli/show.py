"""`rankscope show`: a saved result again, without computing."""

from __future__ import annotations

from typing import Any

import rankscope as rs
from rankscope.cli import options
from rankscope.cli.command import Work, command
from rankscope.cli.declaring import argument

SAVED = argument("saved", "FILE")


@command(SAVED, *options.WRITING, options.QUIET, step="Reading")
def show(work: Work, saved: str) -> Any:
    """Print, draw or page a saved result, or a table of it, without computing it again.

    FILE is what any command wrote with -o FILE.json. What it says of inputs, settings and versions stays as it was.

    \b
        rankscope judge runs --truth human.qrels --judge gpt.qrels -o result.json
        rankscope show result.json -o ranks.pdf --chart ranks
    """  # noqa: D301 (\b is click's mark for lines that must not be wrapped)
    return rs.load(saved)
