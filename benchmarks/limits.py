"""Time and peak memory of commands at growing sizes: `python -m benchmarks.limits` prints docs/limits.md's table.

Words on the command line choose the commands that are measured: `python -m benchmarks.limits swaps "study gaps"`.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import numpy as np

import rankscope as rs
from benchmarks.processes import measure

# A run that takes longer is stopped, and said to be; judging 10 million judgments is meant to take minutes.
PATIENCE, LONG_PATIENCE = 60.0, 900.0
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
    "study circularity": ("study", "circularity", "{runs}", "--truth", "{truth}", "--judge", "{judge}", "-m", "AP"),
    "metrics correlate": ("metrics", "correlate", "--runs", "{runs}", "{truth}"),
    "metrics rank": ("metrics", "rank", "--runs", "{runs}", "{truth}"),
    "metrics predict": ("metrics", "predict", "--runs", "{runs}", "{truth}", "--runs", "{more_runs}", "{more_truth}"),
}
ON_TABLES = {
    "rank": ("rank", "{a}"),
    "reliability": ("reliability", "{a}"),
    "simulate": ("simulate", "{a}", "-o", "{folder}/made.csv"),
    "nulls": ("nulls", "{a}", "--folder", "{folder}/nulls"),
    "study swaps": ("study", "swaps", "{a}"),
    "study weights": ("study", "weights", "{a}"),
    "study reorderings": ("study", "reorderings", "{a}"),
    "study estimators --collections 10 --sizes 50": (
        *("study", "estimators", "{a}", "--collections", "10", "--sizes", "50", "-o", "{folder}/made.json"),
    ),
}
GAPS = (50, 500, 5_000)
# Topics × judgments of a topic, on each side.
JUDGED = ((1_000, 200), (1_000, 1_000), (1_000, 10_000))


def measured(words: list[str], patience: float = PATIENCE) -> str:
    """Seconds and peak memory of a command, or that it was stopped or refused."""
    took = measure(words, patience)
    if took.failed.startswith("stopped"):
        return f"{took.failed} | {took.peak:.2f} GB until then"
    return f"{took.seconds:.1f} s{f' ({took.failed})' if took.failed else ''} | {took.peak:.2f} GB"


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


def labelled(folder: Path, topics: int, documents: int) -> dict[str, str]:
    """Forty runs of 50 documents a topic, and two sets of judgments of many more documents."""
    home = folder / f"judged{topics}x{documents}"
    paths = {
        name: str(home / path) for name, path in (("runs", "runs"), ("truth", "truth.qrels"), ("judge", "judge.qrels"))
    }
    if home.exists():
        return paths
    (home / "runs").mkdir(parents=True)
    rng = np.random.default_rng(0)
    skills = rng.random(40)
    chances = [0.9, 0.05, 0.03, 0.02]
    with ExitStack() as files:
        runs = [files.enter_context((home / "runs" / f"s{s}.run").open("w")) for s in range(40)]
        truth, judge = (files.enter_context(Path(paths[side]).open("w")) for side in ("truth", "judge"))
        for topic in range(topics):
            grades = rng.choice(4, documents, p=chances)
            others = np.where(rng.random(documents) < 0.2, rng.choice(4, documents, p=chances), grades)
            for file, side in ((truth, grades), (judge, others)):
                file.write("".join(f"{topic} 0 d{i} {grade}\n" for i, grade in enumerate(side.tolist())))
            for s, file in enumerate(runs):
                best = np.argsort(-rng.random(documents) - skills[s] * grades * rng.random(documents))[:50]
                file.write("".join(f"{topic} Q0 d{i} {r + 1} {50 - r} s{s}\n" for r, i in enumerate(best.tolist())))
    return paths


def cases(folder: Path) -> Iterator[tuple[str, str, Callable[[], list[str]], float]]:
    """Command, input, words (made with the files they name when needed), and patience."""
    for systems, topics in TABLES:
        words = partial(_with_tables, folder, systems, topics)
        yield "compare", f"{systems:,} systems × {topics:,} topics", words, PATIENCE
    for systems in BOARDS:
        yield "compare", f"leaderboards of {systems:,} systems", partial(_with_boards, folder, systems), PATIENCE
    for name, form in ON_TABLES.items():
        for systems, topics in FEW_TABLES:
            yield name, f"{systems:,} × {topics:,}", partial(_on_table, folder, systems, topics, form), PATIENCE
    for systems in GAPS:
        words = partial(list, ("study", "gaps", "--systems", str(systems), "--draws", "10000"))
        yield "study gaps --draws 10000", f"{systems:,} systems", words, PATIENCE
    for name, form in ON_RUNS.items():
        for systems, topics in TRACKS:
            words = partial(_on_track, folder, systems, topics, form)
            yield name, f"{systems:,} runs × {topics:,} topics × 100 documents", words, PATIENCE
    for topics, documents in JUDGED:
        words = partial(_on_judgments, folder, topics, documents)
        yield "judge", f"{topics * documents:,} judgments on each side", words, LONG_PATIENCE


def _with_tables(folder: Path, systems: int, topics: int) -> list[str]:
    return ["compare", *map(str, table(folder, systems, topics))]


def _with_boards(folder: Path, systems: int) -> list[str]:
    return ["compare", *map(str, board(folder, systems))]


def _on_table(folder: Path, systems: int, topics: int, form: Sequence[str]) -> list[str]:
    return [word.format(a=table(folder, systems, topics)[0], folder=folder) for word in form]


def _on_track(folder: Path, systems: int, topics: int, form: Sequence[str]) -> list[str]:
    more = {f"more_{name}": path for name, path in track(folder, 20, 50).items()}
    return [word.format(**track(folder, systems, topics), **more) for word in form]


def _on_judgments(folder: Path, topics: int, documents: int) -> list[str]:
    return [word.format(**labelled(folder, topics, documents)) for word in ON_RUNS["judge"]]


def rows(wanted: Sequence[str] = ()) -> Iterator[str]:
    """A line for every size of every command, or of those that are wanted."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        measured(_with_tables(folder, 20, 20))  # compile
        yield "| command | input | time | peak memory |\n|---|---|---|---|"
        for name, size, words, patience in cases(folder):
            if not wanted or any(word in name for word in wanted):
                yield f"| `{name}` | {size} | {measured(words(), patience)} |"


if __name__ == "__main__":
    for line in rows(sys.argv[1:]):
        print(line, flush=True)
