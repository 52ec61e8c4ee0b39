"""What a user waits for before anything happens: budgets are 0.25 s for --help and 0.15 s for the import."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import rankscope as rs
from benchmarks.timing import best
from rankscope.demo import demo_scores


def _seconds(*words: str) -> float:
    return best(lambda: subprocess.run([sys.executable, *words], check=True, capture_output=True))


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
            "`rankscope compare`, 32 systems × 40 topics, kernels cached": _seconds(
                "-m", "rankscope", "compare", *paths[:2]
            ),
        }
    yield "## Start-up\n\nBaseline: `python -c pass`.\n"
    yield "| what | seconds | times the baseline |\n|---|---|---|"
    yield f"| `python -c pass` | {bare:.3f} | 1 |"
    for what, seconds in rows.items():
        yield f"| {what} | {seconds:.3f} | {seconds / bare:.1f} |"
