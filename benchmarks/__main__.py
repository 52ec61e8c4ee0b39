"""Run every benchmark: `python -m benchmarks [--write] [name …]`; --write puts the tables into docs/benchmarks.md.

With names, --write replaces the sections of these and keeps the others.
"""

import os
import platform
import sys
from pathlib import Path

from benchmarks import (
    battles,
    cluster,
    coefficients,
    expected,
    gaps,
    growth,
    marco,
    measures,
    metrics,
    pairs,
    rank_distance,
    rank_sets,
    runs,
    simulation,
    startup,
    ties,
    waits,
    worth,
)

ALL = {
    "startup": startup.run,
    "waits": waits.run,
    "coefficients": coefficients.run,
    "ties": ties.run,
    "pairs": pairs.run,
    "gaps": gaps.run,
    "rank_distance": rank_distance.run,
    "rank_sets": rank_sets.run,
    "battles": battles.run,
    "expected": expected.run,
    "worth": worth.run,
    "simulation": simulation.run,
    "runs": runs.run,
    "marco": marco.run,
    "measures": measures.run,
    "metrics": metrics.run,
    "growth": growth.run,
}
# Those that take long, and whose figures are in pages of their own, run only when they are named.
NAMED = {"cluster": cluster.run}  # docs/scale.md
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"


def machine() -> str:
    facts = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    cpu = next((line.split(":")[1].strip() for line in facts if line.startswith("model name")), platform.machine())
    return f"{cpu}, {os.cpu_count()} cores, Python {platform.python_version()}"


def main() -> None:
    chosen = [word for word in sys.argv[1:] if not word.startswith("-")] or list(ALL)
    sections = []
    for name in chosen:
        section = "\n".join({**ALL, **NAMED}[name]())
        print(section + "\n", flush=True)
        sections.append(section)
    if "--write" in sys.argv:
        head = f"# Benchmarks\n\nWritten by `python -m benchmarks --write` on: {machine()}.\n"
        head += "Ratios are to the named baseline in the same run; times vary from run to run.\n\n"
        if len(chosen) < len(ALL):
            sections = replaced(PAGE.read_text(encoding="utf-8"), sections)
        PAGE.write_text(head + "\n\n".join(sections) + "\n", encoding="utf-8")


def replaced(page: str, new: list[str]) -> list[str]:
    """The sections of a page, those with the heading of a new one replaced, and further new ones at the end."""
    by_heading = {section.splitlines()[0]: section for part in new for section in headed(part)}
    kept = [by_heading.pop(part.splitlines()[0], part) for part in headed(page)]
    return [*kept, *by_heading.values()]


def headed(text: str) -> list[str]:
    """The parts of a benchmark's text that begin with a heading."""
    return ["## " + part.rstrip() for part in ("\n" + text).split("\n## ")[1:]]


if __name__ == "__main__":
    main()
