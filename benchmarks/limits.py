"""Time and peak memory of commands at growing sizes: `python -m benchmarks.limits` prints docs/limits.md's table."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import rankscope as rs

# A run that takes longer is stopped, and said to be.
PATIENCE = 60.0
TABLES = ((100, 50), (110, 250), (100, 10_000), (10, 100_000), (2, 1_000_000), (1_000, 50), (5_000, 50), (10_000, 100))
FEW_TABLES = ((100, 50), (1_000, 50), (5_000, 50), (100, 10_000))
BOARDS = (1_000, 20_000, 100_000)
TRACKS = ((40, 50), (100, 200), (40, 1_000))
ON_RUNS = {
    "evaluate": ("evaluate", "{runs}", "--qrels", "{truth}"),
    "judge": ("judge", "{runs}", "--truth", "{truth}", "--judge", "{judge}"),
    **{
        f"study {name}": ("study", name, "{runs}", "--qrels", "{truth}", "-m", "AP")
        for name in ("pool-depth", "holes", "pseudo", "uniques", "topics")
    },
    "study depth-cost": ("study", "depth-cost", "{runs}", "--qrels", "{truth}", "--judge", "{judge}", "-m", "AP"),
    "metrics correlate": ("metrics", "correlate", "--runs", "{runs}", "{truth}"),
    "metrics rank": ("metrics", "rank", "--runs", "{runs}", "{truth}"),
}
ON_TABLES = {
    "reliability": ("reliability", "{a}"),
    "simulate": ("simulate", "{a}", "-o", "{folder}/made.csv"),
    "nulls": ("nulls", "{a}", "--folder", "{folder}/nulls"),
    "study swaps": ("study", "swaps", "{a}"),
    "study weights": ("study", "weights", "{a}"),
    "study reorderings": ("study", "reorderings", "{a}"),
}


def measured(words: list[str]) -> str:
    """Seconds and peak memory of a command, or that it was stopped or refused."""
    began = time.monotonic()
    code = "from rankscope.cli import main; main()"
    process = subprocess.Popen([sys.executable, "-c", code, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    peak = 0
    while process.poll() is None:
        peak = max(peak, _peak(process.pid))
        if time.monotonic() - began > PATIENCE:
            process.kill()
            process.wait()
            return f"stopped after {PATIENCE:.0f} s | {peak / 1e6:.2f} GB until then"
        time.sleep(0.02)
    seconds, status = time.monotonic() - began, process.returncode
    said = (process.stderr.read() if process.stderr else b"").decode().strip().splitlines()
    failed = "" if status == 0 else f" ({said[-1][:90]})" if said else " (failed)"
    return f"{seconds:.1f} s{failed} | {peak / 1e6:.2f} GB"


def _peak(pid: int) -> int:
    """The peak memory of a process so far, in kB; what `wait4` tells begins with the parent's."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)


def table(folder: Path, systems: int, topics: int) -> tuple[Path, Path]:
    """Two score tables with four decimals."""
    rng = np.random.default_rng(0)
    x = 0.5 * rng.random((topics, systems)) + 0.4 * rng.random(systems)
    paths = folder / f"{systems}x{topics}a.csv", folder / f"{systems}x{topics}b.csv"
    names = [f"s{i}" for i in range(systems)], [f"t{i}" for i in range(topics)]
    for values, path in zip((x, x + 0.1 * rng.random(x.shape)), paths, strict=True):
        if not path.exists():
            rs.write_scores(rs.ScoreMatrix(values.round(4), *names), path)
    return paths


def board(folder: Path, systems: int) -> tuple[Path, Path]:
    """Two leaderboards with five decimals."""
    rng = np.random.default_rng(0)
    x = rng.random(systems)
    paths = folder / f"{systems}a.csv", folder / f"{systems}b.csv"
    for values, path in zip((x, x + 0.3 * rng.random(systems)), paths, strict=True):
        path.write_text("system,score\n" + "".join(f"s{i},{v:.5f}\n" for i, v in enumerate(values)))
    return paths


def track(folder: Path, systems: int, topics: int) -> dict[str, str]:
    """A simulated track as files."""
    home = folder / f"track{systems}x{topics}"
    if not home.exists():
        made = rs.simulate_track(systems, topics, rng=0)
        rs.write_runs(made.runs, home / "runs")
        rs.write_judgments(made.truth, home / "truth.qrels")
        rs.write_judgments(made.judges["careful"], home / "judge.qrels")
    return {
        name: str(home / path) for name, path in (("runs", "runs"), ("truth", "truth.qrels"), ("judge", "judge.qrels"))
    }


def rows() -> Iterator[str]:
    """A line for every command and size."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        a, b = table(folder, 20, 20)
        measured(["compare", str(a), str(b)])  # compile
        yield "| command | input | time | peak memory |\n|---|---|---|---|"
        for systems, topics in TABLES:
            words = ["compare", *map(str, table(folder, systems, topics))]
            yield f"| `compare` | {systems:,} systems × {topics:,} topics | {measured(words)} |"
        for systems in BOARDS:
            words = ["compare", *map(str, board(folder, systems))]
            yield f"| `compare` | leaderboards of {systems:,} systems | {measured(words)} |"
        for name, form in ON_TABLES.items():
            for systems, topics in FEW_TABLES:
                first, _ = table(folder, systems, topics)
                words = [word.format(a=first, folder=folder) for word in form]
                yield f"| `{name}` | {systems:,} × {topics:,} | {measured(words)} |"
        for name, form in ON_RUNS.items():
            for systems, topics in TRACKS:
                words = [word.format(**track(folder, systems, topics)) for word in form]
                yield f"| `{name}` | {systems:,} runs × {topics:,} topics × 100 documents | {measured(words)} |"


if __name__ == "__main__":
    for line in rows():
        print(line, flush=True)
