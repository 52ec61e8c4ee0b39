"""What a user waits for: budgets are 0.15 s for --help, 0.05 s for the import, 5 s for the first command ever."""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import rankscope as rs
from benchmarks.timing import DATA, best, times
from rankscope.demo import demo_scores

_MAIN = "import sys; sys.dont_write_bytecode = False; from rankscope.cli import main; main()"


def _command(*words: str, **environment: str) -> None:
    subprocess.run([sys.executable, *words], check=True, capture_output=True, env={**os.environ, **environment})


def _seconds(*words: str) -> float:
    return best(lambda: _command(*words))


def _as_installed(place: Path) -> dict[str, str]:
    """The environment in which a copy of the package runs as for the first time: Python has not compiled it yet."""
    shutil.copytree(Path(rs.__file__).parent, place / "rankscope", ignore=shutil.ignore_patterns("__pycache__"))
    return {"PYTHONPATH": str(place), "XDG_CACHE_HOME": str(place / "cache"), "TMPDIR": str(place)}


def run() -> Iterator[str]:
    bare = _seconds("-c", "pass")
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, scores in demo_scores().items():
            paths.append(str(Path(folder) / f"{name}.csv"))
            rs.write_scores(scores, paths[-1])
        rows = {
            "`import rankscope`": _seconds("-c", "import rankscope"),
            "`rankscope --help`": _seconds("-m", "rankscope", "--help"),
            "`rankscope compare`, 32 systems × 40 topics": _seconds("-m", "rankscope", "compare", *paths[:2]),
        }
    yield "## Start-up\n\nBaseline: `python -c pass`.\n"
    yield "| what | seconds | times the baseline |\n|---|---|---|"
    yield f"| `python -c pass` | {bare:.3f} | 1 |"
    for what, seconds in rows.items():
        yield f"| {what} | {seconds:.3f} | {seconds / bare:.1f} |"
    tables = [DATA / "robust2004" / f"robust2004_{measure}.csv" for measure in ("ap", "p10")]
    if not all(table.exists() for table in tables):
        yield "\nRobust 2004 is missing (RANKSCOPE_DATA), so its times are left out."
        return
    with tempfile.TemporaryDirectory() as folder:
        # As installed packages do, keep the bytecode, wherever PYTHONDONTWRITEBYTECODE says not to.
        words = ("-X", f"pycache_prefix={folder}", "-c", _MAIN, "compare", *map(str, tables), "--quiet")
        _command(*words)
        found = times(lambda: _command(*words), 9)
        fresh = (_as_installed(Path(folder, f"package {number}")) for number in range(3))
        first = times(lambda: _command(*words, **next(fresh)), 3)
    yield (
        "\n`rankscope compare` of AP and P@10 on Robust 2004 (110 systems × 249 topics), all on: "
        f"{statistics.median(found):.2f} s as the median of {len(found)} runs, {min(found):.2f} to {max(found):.2f} s; "
        f"{statistics.median(found) / bare:.0f} times the baseline (budget 0.8 s)."
    )
    yield f"As the first command ever: {min(first):.1f} to {max(first):.1f} s in {len(first)} runs (budget 5 s)."
