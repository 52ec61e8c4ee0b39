"""How often does the verdict err? Judges of known worth, random labels, subsets of real data and favoured groups.

The slow tests ask for it, and `make coverage` writes the last part of docs/verdict.md from it, and some tables of
docs/coverage.md. Every level is given by the project's own rule; only expected τ, which does not decide, is left out,
since it takes most of the time.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

from operating_groups import group_tables
from operating_judges import known_judges, other_collections
from operating_labels import random_labels, subset_tables
from operating_rule import paragraph
from written_sections import DATA, DOCS, need, runs_asked, write_section


def page(runs: int = 1_000) -> Iterator[str]:
    """The operating characteristics, as Markdown."""
    yield from paragraph(
        "Written by `make coverage` (`tests/inference/operating.py`), from the project's own code. Every level is that "
        "of the rule as it is used."
    )
    for part, size in (
        (known_judges, runs),
        (other_collections, runs // 2),
        (random_labels, runs // 5),
        (subset_tables, runs // 5),
        (group_tables, runs // 2),
    ):
        began = time.perf_counter()
        yield from part(max(size, 1))
        sys.stderr.write(f"{part.__name__}: {time.perf_counter() - began:.0f} s\n")


if __name__ == "__main__":
    need(DATA)
    write_section(DOCS / "verdict.md", "operating characteristics", "\n".join(page(runs_asked(1_000))))
